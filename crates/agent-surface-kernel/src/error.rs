//! Why a request fails before its action is reached: the codes of the envelope.
//!
//! It refuses to hold what an action answers, which passes as it is. Everything in here uses it.

use alloc::string::String;

/// A code of `error.code`, in the order in which refusals are decided.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// More bytes than a request may have.
    RequestTooLarge,
    /// Not a request: not JSON, too deep, a key or method that there is not, no id.
    InvalidRequest,
    /// Another protocol, or another version of it.
    ProtocolMismatch,
    /// The session's time is over.
    SessionExpired,
    /// The session was ended before its time.
    SessionRevoked,
    /// Nothing of that name is published.
    CapabilityNotExposed,
    /// It is published, and not to this session.
    ScopeDenied,
    /// Too many requests, or too many at once.
    RateLimited,
    /// The id belongs to another request, or its answer is no longer kept.
    ReplayedRequest,
}

impl Code {
    /// As it stands in a response.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::RequestTooLarge => "REQUEST_TOO_LARGE",
            Code::InvalidRequest => "INVALID_REQUEST",
            Code::ProtocolMismatch => "PROTOCOL_MISMATCH",
            Code::SessionExpired => "SESSION_EXPIRED",
            Code::SessionRevoked => "SESSION_REVOKED",
            Code::CapabilityNotExposed => "CAPABILITY_NOT_EXPOSED",
            Code::ScopeDenied => "SCOPE_DENIED",
            Code::RateLimited => "RATE_LIMITED",
            Code::ReplayedRequest => "REPLAYED_REQUEST",
        }
    }
}

/// A code and a sentence that a model may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What kind it is.
    pub code: Code,
    /// What was expected.
    pub message: String,
}

impl Refusal {
    /// With a constant sentence.
    pub fn new(code: Code, message: &str) -> Refusal {
        Refusal {
            code,
            message: String::from(message),
        }
    }
}
