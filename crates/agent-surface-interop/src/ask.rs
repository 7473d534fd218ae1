//! Questions: how the machines of this crate wait for a store, a handler, a signer or a transport.
//!
//! It refuses answers of the wrong kind and answers out of order: an `Ask` is used up by its answer, and only its answer
//! yields the next step. The router and the client ask; their drivers answer.

use crate::error::Error;
use alloc::boxed::Box;
use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, Ordering};

/// Something only the host can do or know.
pub trait Question: Sized {
    /// What goes on with the answer.
    type Machine;
    /// What the host says.
    type Answer;
    /// What comes next.
    type Step: Ended;

    #[doc(hidden)]
    fn resume(self, machine: Box<Self::Machine>, answer: Self::Answer) -> Result<Self::Step, Error>;

    #[doc(hidden)]
    fn failed(self, machine: Box<Self::Machine>, error: Error) -> Result<Self::Step, Error> {
        drop(machine);
        Err(error)
    }
}

/// A step that can be the last.
pub trait Ended {
    /// The end, with an error.
    fn ended(error: Error) -> Self;
}

/// A question and whoever waits for its answer.
pub struct Ask<Q: Question> {
    question: Q,
    machine: Box<Q::Machine>,
}

impl<Q: Question + core::fmt::Debug> core::fmt::Debug for Ask<Q> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.question.fmt(formatter)
    }
}

impl<Q: Question> Ask<Q> {
    pub(crate) fn new(question: Q, machine: Box<Q::Machine>) -> Self {
        Ask { question, machine }
    }

    /// What is asked.
    pub fn question(&self) -> &Q {
        &self.question
    }

    /// Answers.
    pub fn answer(self, answer: Q::Answer) -> Q::Step {
        self.question
            .resume(self.machine, answer)
            .unwrap_or_else(Q::Step::ended)
    }

    /// Says that the host tried and failed. Of a handler that is an outcome, of anything else it is the end.
    pub fn fail(self, error: Error) -> Q::Step {
        self.question
            .failed(self.machine, error)
            .unwrap_or_else(Q::Step::ended)
    }

    /// Answers with what the host got.
    pub fn settle(self, result: Result<Q::Answer, Error>) -> Q::Step {
        match result {
            Ok(answer) => self.answer(answer),
            Err(error) => self.fail(error),
        }
    }

    /// Ends it here, whatever was asked: the host's answer was none.
    pub fn abandon(self, error: Error) -> Q::Step {
        Q::Step::ended(error)
    }
}

/// Whether the caller has given up. A clone is the same signal.
#[derive(Clone, Default, Debug)]
pub struct Signal(Arc<AtomicBool>);

impl Signal {
    /// Gives up, for good.
    pub fn abort(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether it has.
    pub fn is_aborted(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
