//! What outlives routers: the stores, whose journal is all that outlives themselves, and who is admitted.
//!
//! It refuses to keep anything but texts, so that a restart has nothing else. `world` and the router's driver call it.

use crate::books::Books;
use agent_surface_interop::router::{self, Admit, Host, Ports, Revalidate, Run};
use agent_surface_interop::store::{
    Claim, Commit, IdempotencyStore, InboundSequenceStore, Place, Record, Reservation,
};
use agent_surface_interop::{Admission, Digest, Direction, Error, Exact, LogicalTime, Operation, Outcome};
use std::collections::{BTreeMap, BTreeSet};

/// What an exchange was told, the last time that it asked.
#[derive(Clone, Default)]
pub struct Told {
    pub is_admitted: Option<bool>,
    pub place: Option<Place>,
    pub is_reserved: bool,
    pub has_run: bool,
    pub is_current: Option<bool>,
}

/// The maps are an index of the journal.
#[derive(Default)]
pub struct Durable {
    journal: Vec<(String, String)>,
    records: BTreeMap<String, String>,
    heads: BTreeMap<String, String>,
    pub books: Books,
    pub revoked: BTreeSet<String>,
    /// Of the exchange that is answered now.
    pub told: Told,
}

impl Durable {
    /// The store stops and starts again.
    pub fn reopen(&mut self) {
        self.records.clear();
        self.heads.clear();
        for (name, text) in self.journal.clone() {
            self.index(name, text);
        }
    }

    fn append(&mut self, name: String, text: String) {
        self.journal.push((name.clone(), text.clone()));
        self.index(name, text);
    }

    fn index(&mut self, name: String, text: String) {
        match name.split_once(' ') {
            Some(("record", key)) => self.records.insert(key.to_owned(), text),
            _ => self.heads.insert(name, text),
        };
    }

    pub fn record(&self, key: &str) -> Option<Record> {
        self.records.get(key).map(|text| Record::read(text).unwrap())
    }

    /// Does what is asked, and tells nobody.
    pub fn write(&mut self, step: &router::Step) {
        match step {
            router::Step::Advance(ask) => drop(self.advance(&ask.question().claim)),
            router::Step::Reserve(ask) => {
                let asked = ask.question();
                drop(self.reserve(&asked.key, &asked.wanted, asked.now));
            }
            router::Step::Commit(ask) => {
                let asked = ask.question();
                drop(self.commit(&asked.key, &asked.reservation, asked.response.wire()));
            }
            _ => {}
        }
    }
}

impl IdempotencyStore for Durable {
    fn load(&mut self, key: &str) -> Result<Option<Record>, Error> {
        Ok(self.record(key))
    }

    fn reserve(&mut self, key: &str, wanted: &Reservation, now: LogicalTime) -> Result<bool, Error> {
        self.told.is_reserved = false;
        let Some(record) = Record::reserve(self.record(key).as_ref(), wanted, now)? else {
            return Ok(false);
        };
        self.books.reserved(key, wanted, now);
        self.append(format!("record {key}"), record.text());
        self.told.is_reserved = true;
        Ok(true)
    }

    fn commit(&mut self, key: &str, run: &Reservation, response: &Exact) -> Result<bool, Error> {
        match Record::commit(self.record(key).as_ref(), run, response) {
            Commit::Write(record) => self.append(format!("record {key}"), record.text()),
            Commit::Keep => {}
            Commit::Refuse => return Ok(false),
        }
        self.books.committed(key, run, response.text());
        Ok(true)
    }
}

impl InboundSequenceStore for Durable {
    fn advance(&mut self, claim: &Claim) -> Result<Place, Error> {
        let (issuer, session) = (claim.issuer_id.as_str(), claim.session_id.as_str());
        let scope = format!("head {issuer} {session} {}", claim.operation.name());
        let head = self.heads.get(&scope).map(|head| {
            let (sequence, digest) = head.split_once(' ').unwrap();
            (sequence.parse().unwrap(), Digest::parse(digest).unwrap())
        });
        let place = Place::of(head, claim);
        self.books.placed(claim, place);
        if place == Place::Advanced {
            let head = format!("{} {}", claim.sequence, claim.request_digest.text());
            self.append(scope, head);
        }
        self.told.place = Some(place);
        Ok(place)
    }
}

impl Host for Durable {
    type Idempotency = Self;
    type Inbound = Self;

    fn idempotency(&mut self) -> &mut Self {
        self
    }

    fn inbound(&mut self) -> &mut Self {
        self
    }

    fn verify(&mut self, _: &str, _: Digest, _: &str) -> bool {
        false
    }

    fn sign(&mut self, _: Digest) -> Result<String, Error> {
        Err(Error::Host("no key".to_owned()))
    }

    fn validate(&mut self, _: Digest, _: Direction, _: Operation, _: &Exact) -> bool {
        true
    }

    fn admit(&mut self, question: &Admit) -> Result<Admission, Error> {
        let is_revoked = self.revoked.contains(question.request.issuer_id().as_str());
        self.told.is_admitted = Some(!is_revoked);
        Ok(if is_revoked {
            Admission::Refuse
        } else {
            Admission::Admit
        })
    }

    fn revalidate(&mut self, question: &Revalidate) -> Result<bool, Error> {
        let is_current = !self.revoked.contains(question.request.issuer_id().as_str());
        self.told.is_current = Some(is_current);
        Ok(is_current)
    }
}

impl Ports for Durable {
    fn run(&mut self, _: &Run) -> Result<Outcome, Error> {
        self.books.runs += 1;
        self.told.has_run = true;
        Ok(Outcome {
            status: "completed".to_owned(),
            reason_code: "model:ran".to_owned(),
            // No two runs say the same.
            payload: Exact::parse(self.books.runs.to_string(), 99)?,
        })
    }
}
