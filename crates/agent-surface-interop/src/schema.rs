//! Which payload a schema is asked about.
//!
//! It refuses to know a schema: the host resolves a digest and validates. The router and the client ask.

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
