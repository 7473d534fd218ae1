//! Error codes, retry hints and the payloads of refused calls and refused definitions.
//!
//! It refuses to carry the text of an unknown cause: what leaves here is safe to show a model. Called by every module
//! of the core that refuses something.

mod author;
mod failure;
mod object;
#[cfg(test)]
mod outcomes;

pub use failure::Failure;
pub use object::ObjectWriter;
pub(crate) use object::decimal;

use agent_surface_json::concat;
use alloc::string::String;
use core::fmt;

/// The most code points that a failure's message has.
pub const MAX_MESSAGE: usize = 300;
/// The most bytes of JSON text that an author's `details` have.
pub const MAX_DETAILS_BYTES: usize = 4096;

/// Why a call was refused or failed. Codes may be added; one that exists never changes.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Hidden and unknown look the same.
    CapabilityNotFound,
    /// Listed, but this is the wrong moment.
    CapabilityNotAvailable,
    /// Several live instances would fit.
    AmbiguousInstance,
    /// The component left before the call was done.
    ComponentUnmounted,
    /// The caller looked at a surface that is gone.
    StaleCapability,
    /// One invocation id, two different requests.
    InvocationConflict,
    /// The input breaks the schema.
    InvalidInput,
    /// Nobody is signed in.
    NotAuthenticated,
    /// The user may not.
    NotAuthorized,
    /// The state of the page or the backend speaks against it.
    PreconditionFailed,
    /// A person has to approve first.
    ConfirmationRequired,
    /// The evidence that came with the call does not serve it.
    ConfirmationInvalid,
    /// Too much, too fast.
    RateLimited,
    /// It took too long.
    Timeout,
    /// The caller, or the end of the registry, stopped it.
    Cancelled,
    /// The handler failed, or its output is not usable.
    ExecutionFailed,
}

impl Code {
    /// Every code, in the order of the documentation.
    pub const ALL: &[Self] = &[
        Self::CapabilityNotFound,
        Self::CapabilityNotAvailable,
        Self::AmbiguousInstance,
        Self::ComponentUnmounted,
        Self::StaleCapability,
        Self::InvocationConflict,
        Self::InvalidInput,
        Self::NotAuthenticated,
        Self::NotAuthorized,
        Self::PreconditionFailed,
        Self::ConfirmationRequired,
        Self::ConfirmationInvalid,
        Self::RateLimited,
        Self::Timeout,
        Self::Cancelled,
        Self::ExecutionFailed,
    ];

    /// The public code.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CapabilityNotFound => "CAPABILITY_NOT_FOUND",
            Self::CapabilityNotAvailable => "CAPABILITY_NOT_AVAILABLE",
            Self::AmbiguousInstance => "AMBIGUOUS_INSTANCE",
            Self::ComponentUnmounted => "COMPONENT_UNMOUNTED",
            Self::StaleCapability => "STALE_CAPABILITY",
            Self::InvocationConflict => "INVOCATION_CONFLICT",
            Self::InvalidInput => "INVALID_INPUT",
            Self::NotAuthenticated => "NOT_AUTHENTICATED",
            Self::NotAuthorized => "NOT_AUTHORIZED",
            Self::PreconditionFailed => "PRECONDITION_FAILED",
            Self::ConfirmationRequired => "CONFIRMATION_REQUIRED",
            Self::ConfirmationInvalid => "CONFIRMATION_INVALID",
            Self::RateLimited => "RATE_LIMITED",
            Self::Timeout => "TIMEOUT",
            Self::Cancelled => "CANCELLED",
            Self::ExecutionFailed => "EXECUTION_FAILED",
        }
    }

    /// The code that a public text names.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == text)
    }

    /// The retry hint of this code where nothing more is known, such as for an author's payload without one.
    pub const fn retry(self) -> Retry {
        match self {
            Self::CapabilityNotFound
            | Self::CapabilityNotAvailable
            | Self::ComponentUnmounted
            | Self::StaleCapability => Retry::AfterRefresh,
            Self::AmbiguousInstance
            | Self::InvocationConflict
            | Self::InvalidInput
            | Self::PreconditionFailed => Retry::WithChanges,
            Self::ConfirmationRequired => Retry::WithConfirmation,
            Self::RateLimited => Retry::AfterDelay,
            Self::Cancelled => Retry::Yes,
            Self::NotAuthenticated
            | Self::NotAuthorized
            | Self::ConfirmationInvalid
            | Self::Timeout
            | Self::ExecutionFailed => Retry::No,
        }
    }
}

/// What a caller should do before it tries again. A retry means a new invocation id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// Trying again would end the same.
    No,
    /// The same call may be made again.
    Yes,
    /// List the capabilities again first.
    AfterRefresh,
    /// Change the request first.
    WithChanges,
    /// Get a person's approval first.
    WithConfirmation,
    /// Wait first.
    AfterDelay,
}

impl Retry {
    /// Every hint.
    pub const ALL: &[Self] = &[
        Self::No,
        Self::Yes,
        Self::AfterRefresh,
        Self::WithChanges,
        Self::WithConfirmation,
        Self::AfterDelay,
    ];

    /// The public word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Yes => "yes",
            Self::AfterRefresh => "after-refresh",
            Self::WithChanges => "with-changes",
            Self::WithConfirmation => "with-confirmation",
            Self::AfterDelay => "after-delay",
        }
    }

    /// The hint that a public word names.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|retry| retry.as_str() == text)
    }
}

/// Why a definition was refused.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionCode {
    /// An id breaks the grammar.
    InvalidId,
    /// An unknown field, a blank description, a value of the wrong kind.
    InvalidDefinition,
    /// A schema outside the subset, too deep or too large.
    UnsupportedSchema,
    /// A view capability with a server effect, or a procedure where none can run.
    PlaneViolation,
    /// One name twice in one component.
    DuplicateCapability,
    /// A text or metadata over its limit.
    LimitExceeded,
}

impl DefinitionCode {
    /// Every code, in the order of the documentation.
    pub const ALL: &[Self] = &[
        Self::InvalidId,
        Self::InvalidDefinition,
        Self::UnsupportedSchema,
        Self::PlaneViolation,
        Self::DuplicateCapability,
        Self::LimitExceeded,
    ];

    /// The public code.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidId => "INVALID_ID",
            Self::InvalidDefinition => "INVALID_DEFINITION",
            Self::UnsupportedSchema => "UNSUPPORTED_SCHEMA",
            Self::PlaneViolation => "PLANE_VIOLATION",
            Self::DuplicateCapability => "DUPLICATE_CAPABILITY",
            Self::LimitExceeded => "LIMIT_EXCEEDED",
        }
    }
}

/// A defect of a definition; the author sees it when the component registers. Prints as `[CODE] text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionError {
    /// Which kind of defect.
    pub code: DefinitionCode,
    /// What was expected and what was found, without the code.
    pub message: String,
    /// JSON Pointer into the schema at fault.
    pub pointer: Option<String>,
    /// The schema keyword at fault.
    pub keyword: Option<String>,
}

impl DefinitionError {
    /// A defect whose message is these pieces in a row.
    pub fn new(code: DefinitionCode, pieces: &[&str]) -> Self {
        Self {
            code,
            message: concat(pieces),
            pointer: None,
            keyword: None,
        }
    }

    /// An `INVALID_DEFINITION` whose message is these pieces in a row.
    pub fn invalid(pieces: &[&str]) -> Self {
        Self::new(DefinitionCode::InvalidDefinition, pieces)
    }

    /// `[CODE] text`.
    pub fn text(&self) -> String {
        concat(&["[", self.code.as_str(), "] ", &self.message])
    }
}

impl fmt::Display for DefinitionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl core::error::Error for DefinitionError {}

/// The first `code_points` code points of a text; all of it when it has no more.
pub fn cut(text: &str, code_points: usize) -> &str {
    let end = text.char_indices().nth(code_points).map(|(at, _)| at);
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// What `unavailableReason` says, also where nobody gave a reason.
#[inline(never)]
pub(crate) fn reason_or_default(reason: &str) -> &str {
    if reason.is_empty() {
        "Currently unavailable"
    } else {
        reason
    }
}

/// Whether a text says nothing.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_and_hint_parses_back() {
        for &code in Code::ALL {
            assert_eq!(Code::parse(code.as_str()), Some(code));
        }
        for &retry in Retry::ALL {
            assert_eq!(Retry::parse(retry.as_str()), Some(retry));
        }
        assert_eq!(Code::parse("TEAPOT"), None);
        assert_eq!(Retry::parse("maybe"), None);
    }

    #[test]
    fn the_codes_are_the_golden_list() {
        let folder = std::env::var("GOLDEN")
            .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden").to_owned());
        let golden = std::fs::read_to_string(folder + "/error-codes.txt").expect("the golden file is there");
        let lines: Vec<String> = Code::ALL
            .iter()
            .map(|code| [code.as_str(), code.retry().as_str()].join(" "))
            .collect();
        assert_eq!(golden.lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "this is about the form that formatting gives"
    )]
    fn a_definition_error_prints_its_code_in_brackets() {
        let error = DefinitionError::new(DefinitionCode::InvalidId, &["`", "A.b", "` is no component type"]);
        assert_eq!(error.to_string(), "[INVALID_ID] `A.b` is no component type");
        assert_eq!(error.text(), error.to_string());
    }

    #[test]
    fn a_cut_counts_code_points_and_never_splits_one() {
        assert_eq!(cut("añ😀z", 3), "añ😀");
        assert_eq!(cut("añ😀z", 4), "añ😀z");
        assert_eq!(cut("añ😀z", 9), "añ😀z");
        assert_eq!(cut("abc", 0), "");
    }
}
