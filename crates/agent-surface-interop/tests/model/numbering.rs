//! Clients that number their calls, stop at any point and call again, over stores that stop and start again.
//!
//! It refuses to keep a client: each call begins with nothing but its input and the store. The test runner calls it.

use crate::sender::Sender;
use crate::world::manifest;
use agent_surface_interop::agent::{self, Method};
use agent_surface_interop::client::{self, Negotiated, Step};
use agent_surface_interop::memory::MemoryOutbound;
use agent_surface_interop::store::{Allocation, OutboundSequenceStore};
use agent_surface_interop::{Client, Error, Exact, Identifier, Manifest};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What the endpoint of the model allows in a session.
const MAXIMUM: u64 = 100;

#[derive(Clone, Debug)]
enum Act {
    /// Calls, and stops after so many questions.
    Call {
        issuer: u8,
        session: u8,
        key: u8,
        questions: u8,
    },
    /// Takes a number without a key, of at most this.
    Take {
        issuer: u8,
        session: u8,
        maximum: u64,
    },
    Reopen,
}

fn acts() -> impl Strategy<Value = Act> {
    let scope = || (0..2_u8, 0..2_u8);
    prop_oneof![
        8 => (scope(), 0..12_u8, 0..4_u8).prop_map(|((issuer, session), key, questions)| Act::Call {
            issuer,
            session,
            key,
            questions,
        }),
        2 => (scope(), 1..20_u64).prop_map(|((issuer, session), maximum)| Act::Take {
            issuer,
            session,
            maximum,
        }),
        1 => Just(Act::Reopen),
    ]
}

/// A store of lines of text, which are all that it has when it starts again.
#[derive(Default)]
struct Lines {
    journal: Vec<String>,
    heads: BTreeMap<String, u64>,
    allocated: BTreeMap<String, u64>,
}

impl Lines {
    fn reopen(&mut self) {
        self.heads.clear();
        self.allocated.clear();
        for line in self.journal.clone() {
            self.index(&line);
        }
    }

    fn index(&mut self, line: &str) {
        let words = line.split(' ').collect::<Vec<_>>();
        let (issuer, session, number, key) = (words[0], words[1], words[2], words[3]);
        let number: u64 = number.parse().unwrap();
        self.heads.insert(format!("{issuer} {session}"), number);
        self.allocated.insert(format!("{issuer} {session} {key}"), number);
    }
}

impl OutboundSequenceStore for Lines {
    fn next(&mut self, allocation: &Allocation) -> Result<u64, Error> {
        let head = self.current(&allocation.issuer_id, &allocation.session_id)?;
        let (issuer, session) = (allocation.issuer_id.as_str(), allocation.session_id.as_str());
        let key = allocation.idempotency_key.as_ref().map(Identifier::as_str);
        let known = key.and_then(|key| self.allocated.get(&format!("{issuer} {session} {key}")));
        let known = known.copied();
        let number = allocation.number(known, head)?;
        if known.is_none() {
            let line = format!("{issuer} {session} {number} {}", key.unwrap_or("-"));
            self.index(&line);
            self.journal.push(line);
        }
        Ok(number)
    }

    fn current(&mut self, issuer_id: &Identifier, session_id: &Identifier) -> Result<u64, Error> {
        let scope = format!("{} {}", issuer_id.as_str(), session_id.as_str());
        Ok(self.heads.get(&scope).copied().unwrap_or(0))
    }
}

/// What was given out in each scope, in order.
#[derive(Default)]
struct Book(BTreeMap<(u8, u8), Vec<Given>>);

/// A number's key, and the digest of its request once one was made.
type Given = (Option<u8>, Option<String>);

impl Book {
    /// Returns what is known of the number's request.
    fn given(&mut self, scope: (u8, u8), key: Option<u8>, number: u64) -> &mut Option<String> {
        let numbers = self.0.entry(scope).or_default();
        let known = numbers
            .iter()
            .position(|(other, _)| key.is_some() && *other == key);
        let at = known.unwrap_or_else(|| {
            numbers.push((key, None));
            numbers.len() - 1
        });
        assert_eq!(number, at as u64 + 1, "a number twice, or a gap");
        &mut numbers[at].1
    }

    fn head(&self, scope: (u8, u8)) -> u64 {
        self.0.get(&scope).map_or(0, |numbers| numbers.len() as u64)
    }
}

fn endpoint(manifest: &Manifest, issuer: u8) -> Negotiated {
    let client_id = format!("client:{issuer}");
    let mut client = Client::new(&client_id, None).unwrap();
    client::negotiate(&mut client, &mut Sender::new(manifest, &client_id)).unwrap()
}

fn call(
    store: &mut impl OutboundSequenceStore,
    endpoint: &Negotiated,
    book: &mut Book,
    act: (u8, u8, u8, u8),
) {
    let (issuer, session, key, questions) = act;
    let input = format!(
        "{{\"sessionId\":\"session:{session}\",\"stepSequence\":{key},\
         \"request\":{{\"stepId\":\"step:{key}\",\"logicalTimeMs\":7}}}}"
    );
    let input = Exact::parse(input, 999).unwrap();
    let mut step = agent::call(endpoint, Method::Step, &input, false).unwrap();
    for _ in 0..questions {
        step = match step {
            Step::Allocate(ask) => {
                let number = store.next(&ask.question().allocation);
                book.given((issuer, session), Some(key), *number.as_ref().unwrap());
                ask.settle(number)
            }
            Step::Validate(ask) => ask.answer(true.into()),
            Step::Exchange(ask) => {
                let request = &ask.question().request;
                let digest = request.digest().text();
                let known = book.given((issuer, session), Some(key), request.sequence());
                assert_eq!(
                    *known.get_or_insert_with(|| digest.clone()),
                    digest,
                    "no exact retry"
                );
                return;
            }
            step => unreachable!("not asked for: {step:?}"),
        };
    }
}

fn take(store: &mut impl OutboundSequenceStore, book: &mut Book, scope: (u8, u8), maximum: u64) {
    let (issuer, session) = (format!("client:{}", scope.0), format!("session:{}", scope.1));
    let allocation = Allocation::new(&issuer, &session, maximum, None).unwrap();
    match store.next(&allocation) {
        Ok(number) => {
            assert!(number <= maximum);
            book.given(scope, None, number);
        }
        Err(error) => {
            assert_eq!(error.code(), "OUTBOUND_SEQUENCE_CAPACITY");
            assert!(book.head(scope) >= maximum, "refused with room");
        }
    }
    let head = store.current(&allocation.issuer_id, &allocation.session_id);
    assert_eq!(head, Ok(book.head(scope)));
}

fn run<S: OutboundSequenceStore>(mut store: S, acts: &[Act], reopen: impl Fn(&mut S)) {
    let manifest = manifest();
    let endpoints = [endpoint(&manifest, 0), endpoint(&manifest, 1)];
    let mut book = Book::default();
    for act in acts {
        match *act {
            Act::Call {
                issuer,
                session,
                key,
                questions,
            } => {
                let endpoint = &endpoints[usize::from(issuer)];
                call(&mut store, endpoint, &mut book, (issuer, session, key, questions));
            }
            Act::Take {
                issuer,
                session,
                maximum,
            } => take(&mut store, &mut book, (issuer, session), maximum),
            Act::Reopen => reopen(&mut store),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_key_keeps_its_number_whatever_stops(acts in vec(acts(), 1..90)) {
        run(Lines::default(), &acts, Lines::reopen);
        run(MemoryOutbound::default(), &acts, |_| {});
    }
}

#[test]
fn a_session_of_the_endpoint_ends_at_its_manifests_steps() {
    let manifest = manifest();
    let endpoint = endpoint(&manifest, 0);
    let mut store = Lines::default();
    let mut book = Book::default();
    for _ in 0..MAXIMUM {
        take(&mut store, &mut book, (0, 0), u64::MAX >> 11);
    }
    let input =
        "{\"sessionId\":\"session:0\",\"stepSequence\":1,\"request\":{\"stepId\":\"s\",\"logicalTimeMs\":7}}";
    let Ok(Step::Allocate(ask)) =
        agent::call(&endpoint, Method::Step, &Exact::parse(input, 999).unwrap(), false)
    else {
        panic!("an allocation first");
    };
    let number = store.next(&ask.question().allocation);
    let Step::Done(result) = ask.settle(number) else {
        panic!("the end");
    };
    assert_eq!(result.unwrap_err().code(), "OUTBOUND_SEQUENCE_CAPACITY");
}
