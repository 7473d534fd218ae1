//! Which payload a schema is asked about.
//!
//! It refuses to know a schema: the host resolves a digest and validates. The router and the client ask.

use alloc::string::String;

/// What a schema says of a payload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is as the schema describes it.
    Accept,
    /// It is not; where and what is wrong, or an empty text where that is not known.
    Refuse(String),
}

impl From<bool> for Verdict {
    fn from(is_valid: bool) -> Self {
        if is_valid {
            Verdict::Accept
        } else {
            Verdict::Refuse(String::new())
        }
    }
}

/// Which way a payload goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// To the endpoint: the input schema.
    Request,
    /// From the endpoint: the output schema.
    Response,
}

impl Direction {
    /// Its text for the host's validators.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Request => "request",
            Direction::Response => "response",
        }
    }
}
