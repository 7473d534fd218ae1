//! An exchange under way, and what it may ask and answer by what it was told.
//!
//! It refuses to say what comes next: only what must not. `world` calls it after each answer.

use crate::durable::Told;
use crate::world::LEASE;
use agent_surface_interop::store::Place;
use agent_surface_interop::{Error, Request, Response, Signal, router};

const EXPIRED: &str = "interop_request_admission_expired";

/// An exchange.
pub struct Under {
    pub step: Option<router::Step>,
    pub result: Option<Result<Response, Error>>,
    pub request: Request,
    pub router: u8,
    pub signal: Signal,
    pub now: u64,
    /// Whether its router asks again whether admission still holds.
    pub revalidates: bool,
    pub told: Told,
}

impl Under {
    fn is_expired(&self) -> bool {
        self.now >= self.request.deadline().as_u64()
    }

    fn is_early(&self) -> bool {
        self.now < self.request.logical_time().as_u64()
    }

    /// What admission said if it said so, where it was asked.
    fn said(&self, is_current: bool) -> Option<bool> {
        self.revalidates.then_some(is_current)
    }

    /// Nothing is claimed, reserved, run or committed that may not be.
    pub fn check_question(&self) {
        let told = &self.told;
        match &self.step {
            Some(router::Step::Advance(_)) => {
                assert_eq!(told.is_admitted, Some(true), "a claim without admission");
                assert!(!self.is_expired() && !self.is_early(), "a claim at a wrong time");
                assert!(!self.signal.is_aborted(), "a claim for nobody");
            }
            Some(router::Step::Reserve(ask)) => {
                let is_placed = matches!(told.place, Some(Place::Advanced | Place::Duplicate));
                assert!(is_placed, "a run out of its place");
                let wanted = &ask.question().wanted;
                assert_eq!(wanted.reserved_until.as_u64(), self.now + LEASE);
                assert_eq!(wanted.request_digest, self.request.digest());
            }
            Some(router::Step::Run(_)) => assert!(told.is_reserved, "a run that is not reserved"),
            Some(router::Step::Commit(ask)) => {
                let is_current = reason(&ask.question().response) != EXPIRED;
                assert!(told.has_run, "a commit without a run");
                assert_eq!(
                    told.is_current,
                    self.said(is_current),
                    "a commit against admission"
                );
            }
            _ => {}
        }
    }

    /// What the caller got. `known` is the committed response of this request.
    pub fn check_response(&self, response: &Response, known: Option<&str>) {
        let told = &self.told;
        let is_known = known == Some(response.text());
        match reason(response) {
            "interop_request_not_yet_valid" => assert!(self.is_early()),
            "interop_request_not_admitted" => assert_eq!(told.is_admitted, Some(false)),
            "interop_request_deadline_elapsed" => assert!(self.is_expired()),
            "interop_request_aborted" => assert!(self.signal.is_aborted()),
            "interop_request_sequence_stale" => assert_eq!(told.place, Some(Place::Stale)),
            EXPIRED => {
                assert!(is_known || told.is_current == Some(false));
                assert!(known.is_some() || !told.has_run, "a run that nobody committed");
            }
            "interop_request_in_progress" => assert_eq!(told.is_current, self.said(true)),
            _ => {
                assert_eq!(told.is_current, self.said(true), "delivered against admission");
                assert!(is_known, "delivered and not committed");
            }
        }
    }

    /// Its handler throws. If the caller has given up, that is the end, and nothing is committed.
    pub fn throw(&mut self, step: router::Step) -> router::Step {
        let router::Step::Run(ask) = step else {
            return step;
        };
        self.told.has_run = true;
        let next = ask.fail(Error::Host("thrown".to_owned()));
        if self.signal.is_aborted() {
            assert!(
                matches!(next, router::Step::Done(Err(_))),
                "a run given up goes on"
            );
        }
        next
    }
}

/// The store says that it could not.
pub fn fail(step: router::Step) -> router::Step {
    let error = Error::Host("store".to_owned());
    match step {
        router::Step::Load(ask) => ask.fail(error),
        router::Step::Advance(ask) => ask.fail(error),
        router::Step::Reserve(ask) => ask.fail(error),
        router::Step::Commit(ask) => ask.fail(error),
        step => step,
    }
}

pub fn reason(response: &Response) -> &str {
    response.reason_code().as_str()
}
