//! Payloads that authors word themselves: thrown by handlers and policies, answered by preconditions.
//!
//! It refuses unknown codes, long messages and large details; what it drops it says, for development. Called by the
//! invocation pipeline.

use alloc::borrow::Cow;
use alloc::borrow::ToOwned as _;

use agent_surface_json::{Document, Kind, Value};

use super::{Code, Failure, MAX_DETAILS_BYTES, MAX_MESSAGE, Retry, cut, is_blank};

const DROPPED: &str = "`details` of a thrown payload exceed 4,096 bytes and were dropped";
const UNKNOWN_CODE: &str =
    "the code of a thrown payload is none of AGENT_CAPABILITY_ERROR_CODES; `EXECUTION_FAILED` stands in";
const UNKNOWN_AND_DROPPED: &str = "a thrown payload has an unknown code (`EXECUTION_FAILED` stands in) and `details` over 4,096 bytes (dropped)";

impl Failure {
    /// From a payload that an author threw, `{code, message, retry?, details?}`: an unknown code becomes
    /// `EXECUTION_FAILED`, the message is cut to 300 code points, `details` past 4,096 bytes are dropped. The second
    /// value warns in development.
    pub fn from_author(payload: &Document) -> (Self, Option<&'static str>) {
        let root = payload.root();
        let known = root
            .get("code")
            .and_then(Value::as_str)
            .and_then(|code| Code::parse(&code));
        let (mut failure, warning) = authored(payload, Self::of(known.unwrap_or(Code::ExecutionFailed)));
        let retry = root
            .get("retry")
            .and_then(Value::as_str)
            .and_then(|retry| Retry::parse(&retry));
        let details = root.get("details");
        // What the details say of these two has the last word on a code's own hint.
        let (name, hint) = match failure.code {
            Code::Timeout => ("idempotent", Retry::Yes),
            Code::ExecutionFailed => ("transient", Retry::AfterDelay),
            code => ("", code.retry()),
        };
        let said = details.and_then(|details| details.get(name)?.as_bool());
        if let Some(retry) = retry.or((said == Some(true)).then_some(hint)) {
            failure.retry = retry;
        }
        let warning = match (known, warning) {
            (Some(_), warning) => warning,
            (None, None) => Some(UNKNOWN_CODE),
            (None, Some(_)) => Some(UNKNOWN_AND_DROPPED),
        };
        (failure, warning)
    }

    /// From what a precondition returned or threw, `{message?, details?}`; bounds and warning as in
    /// [`Failure::from_author`].
    pub fn from_precondition(payload: &Document) -> (Self, Option<&'static str>) {
        authored(payload, Self::precondition(None, None))
    }

    /// The failure of a code when its author says nothing more.
    fn of(code: Code) -> Self {
        let message = match code {
            Code::CapabilityNotFound => return Self::not_found(),
            Code::NotAuthenticated => return Self::not_authenticated(),
            Code::PreconditionFailed => return Self::precondition(None, None),
            Code::Cancelled => return Self::cancelled(),
            Code::ExecutionFailed => return Self::execution_failed(None),
            Code::CapabilityNotAvailable => "This capability is not available at the moment.",
            Code::AmbiguousInstance => "Several instances fit. Name one of them.",
            Code::ComponentUnmounted => "The component has left the page. List the capabilities again.",
            Code::StaleCapability => "The surface has changed. List the capabilities again.",
            Code::InvocationConflict => "Use a new invocation id for a new request.",
            Code::InvalidInput => "Correct the input.",
            Code::NotAuthorized => "The user is not allowed to do this. Do not retry; tell the user.",
            Code::ConfirmationRequired => "A person has to approve this call first.",
            Code::ConfirmationInvalid => "The approval does not serve this call.",
            Code::RateLimited => "Too many calls in a short time. Retry later.",
            Code::Timeout => "The call took too long and was stopped.",
        };
        Self::plain(code, message)
    }
}

fn authored(payload: &Document, mut failure: Failure) -> (Failure, Option<&'static str>) {
    let root = payload.root();
    if let Some(message) = root.get("message").and_then(Value::as_str)
        && !is_blank(&message)
    {
        failure.message = Cow::Owned(cut(&message, MAX_MESSAGE).to_owned());
    }
    let Some(details) = root.get("details").filter(|details| details.kind() != Kind::Null) else {
        return (failure, None);
    };
    if details.raw().len() > MAX_DETAILS_BYTES {
        return (failure, Some(DROPPED));
    }
    failure.details = Some(details.raw().to_owned());
    (failure, None)
}

#[cfg(test)]
mod tests {
    use agent_surface_json::Bounds;

    use super::*;

    fn read(text: &str) -> Document {
        Document::parse(
            text,
            Bounds {
                max_bytes: 100_000,
                max_depth: 64,
                lone_surrogates: true,
            },
        )
        .expect("JSON")
    }

    #[test]
    fn an_author_chooses_code_message_hint_and_details() {
        let (failure, warning) = Failure::from_author(&read(
            r#"{"code":"NOT_AUTHORIZED","message":"Ask Mira.","retry":"yes","details":{"origin":"server"}}"#,
        ));
        assert_eq!(
            failure.to_json(),
            r#"{"code":"NOT_AUTHORIZED","message":"Ask Mira.","retry":"yes","details":{"origin":"server"}}"#
        );
        assert_eq!(warning, None);
    }

    #[test]
    fn what_an_author_leaves_out_comes_from_the_code() {
        for &code in Code::ALL {
            let text = [
                "{\"code\":\"",
                code.as_str(),
                "\",\"message\":\" \",\"retry\":\"perhaps\"}",
            ]
            .concat();
            let (failure, warning) = Failure::from_author(&read(&text));
            assert_eq!((failure.code, failure.retry, warning), (code, code.retry(), None));
            assert!(!failure.message.trim().is_empty());
        }
    }

    #[test]
    fn what_the_details_say_counts_where_an_author_gives_no_hint() {
        for (code, details, retry, want) in [
            ("TIMEOUT", "{\"timeoutMs\":5,\"idempotent\":true}", "", Retry::Yes),
            ("TIMEOUT", "{\"timeoutMs\":5,\"idempotent\":false}", "", Retry::No),
            ("TIMEOUT", "{\"transient\":true}", "", Retry::No),
            ("TIMEOUT", "{\"idempotent\":true}", "no", Retry::No),
            ("EXECUTION_FAILED", "{\"transient\":true}", "", Retry::AfterDelay),
            ("EXECUTION_FAILED", "{\"idempotent\":true}", "", Retry::No),
            ("CANCELLED", "{\"\":true,\"idempotent\":true}", "no", Retry::No),
        ] {
            let text = [
                "{\"code\":\"",
                code,
                "\",\"message\":\"m\",\"retry\":\"",
                retry,
                "\",\"details\":",
                details,
                "}",
            ]
            .concat();
            assert_eq!(Failure::from_author(&read(&text)).0.retry, want, "{text}");
        }
    }

    #[test]
    fn an_unknown_code_becomes_execution_failed_and_keeps_the_words() {
        for text in [
            r#"{"code":"TEAPOT","message":"m"}"#,
            r#"{"code":7,"message":"m"}"#,
            r#"{"message":"m"}"#,
        ] {
            let (failure, warning) = Failure::from_author(&read(text));
            assert_eq!(
                (failure.code, failure.retry, &*failure.message),
                (Code::ExecutionFailed, Retry::No, "m")
            );
            assert_eq!(warning, Some(UNKNOWN_CODE));
        }
    }

    #[test]
    fn a_payload_that_is_no_object_is_execution_failed() {
        let (failure, warning) = Failure::from_author(&read("[1]"));
        assert_eq!(failure.code, Code::ExecutionFailed);
        assert!(warning.is_some());
    }

    #[test]
    fn a_long_message_is_cut_to_300_code_points() {
        let text = ["{\"code\":\"TIMEOUT\",\"message\":\"", &"😀".repeat(301), "\"}"].concat();
        let (failure, _) = Failure::from_author(&read(&text));
        assert_eq!(failure.message.chars().count(), 300);
    }

    #[test]
    fn details_may_have_4096_bytes_and_no_more() {
        let payload = |length: usize, code: &str| {
            [
                "{\"code\":\"",
                code,
                "\",\"message\":\"m\",\"details\":\"",
                &"x".repeat(length),
                "\"}",
            ]
            .concat()
        };
        let (failure, warning) = Failure::from_author(&read(&payload(4094, "TIMEOUT")));
        assert_eq!(
            (failure.details.as_ref().map(String::len), warning),
            (Some(4096), None)
        );
        let (failure, warning) = Failure::from_author(&read(&payload(4095, "TIMEOUT")));
        assert_eq!((failure.details.clone(), warning), (None, Some(DROPPED)));
        let (_, warning) = Failure::from_author(&read(&payload(4095, "TEAPOT")));
        assert_eq!(warning, Some(UNKNOWN_AND_DROPPED));
    }

    #[test]
    fn a_precondition_words_its_own_refusal() {
        let (failure, warning) =
            Failure::from_precondition(&read(r#"{"message":"Pick a row.","details":{"rows":0}}"#));
        assert_eq!(
            failure.to_json(),
            r#"{"code":"PRECONDITION_FAILED","message":"Pick a row.","retry":"with-changes","details":{"rows":0}}"#
        );
        assert_eq!(warning, None);
        let (failure, _) = Failure::from_precondition(&read(r#"{"details":null}"#));
        assert_eq!(failure, Failure::precondition(None, None));
    }
}
