//! Holds every constructor of `Failure` against the table of hints and details. Only tests.

use agent_surface_json::concat;
use agent_surface_json::schema::Issue;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::{Code, Failure, MAX_MESSAGE};

fn issue(path: &str, message: &str) -> Issue {
    Issue {
        path: path.to_owned(),
        pointer: concat(&["/", path]),
        message: message.to_owned(),
    }
}

/// One of each, in the order of `TABLE`.
fn outcomes() -> Vec<Failure> {
    let issues = [issue("ids", "must be an array")];
    vec![
        Failure::not_found(),
        Failure::not_available("no \"row\""),
        Failure::approval_unavailable(),
        Failure::ambiguous("[1]"),
        Failure::unmounted("resolve"),
        Failure::stale("surface-version-mismatch", None),
        Failure::stale("surface-reloaded", Some("reg_2")),
        Failure::conflict(),
        Failure::invalid_input(&issues),
        Failure::locked_fields(&["a/b~c".to_owned()]),
        Failure::not_authenticated(),
        Failure::not_authorized("client"),
        Failure::precondition(None, Some("[1]")),
        Failure::binding_failed(Some("ids")),
        Failure::confirmation_required(
            "cnf_1",
            "Disable 3",
            "2026-01-01T00:00:00.000Z",
            "destructive",
            "client",
        ),
        Failure::confirmation_invalid("expired", None),
        Failure::confirmation_invalid("denied", Some("wrong city")),
        Failure::confirmation_invalid("consumed", None),
        Failure::confirmation_invalid("mismatch", None),
        Failure::queue_full(250),
        Failure::rate(40),
        Failure::timeout(5000, true),
        Failure::timeout(5000, false),
        Failure::cancelled(),
        Failure::disposed(),
        Failure::execution_failed(None),
        Failure::execution_failed(Some("handler-error")),
        Failure::execution_failed(Some("output-too-large")),
        Failure::policy_defect(),
        Failure::output_invalid(&issues),
        Failure::transport_transient(),
    ]
}

/// Code, hint and details of each outcome.
const TABLE: &str = r#"CAPABILITY_NOT_FOUND after-refresh -
CAPABILITY_NOT_AVAILABLE after-refresh {"reason":"no \"row\""}
CAPABILITY_NOT_AVAILABLE after-refresh {"reason":"approval-unavailable"}
AMBIGUOUS_INSTANCE with-changes {"instances":[1]}
COMPONENT_UNMOUNTED after-refresh {"phase":"resolve"}
STALE_CAPABILITY after-refresh {"reason":"surface-version-mismatch"}
STALE_CAPABILITY after-refresh {"reason":"surface-reloaded","liveRegistrationId":"reg_2"}
INVOCATION_CONFLICT with-changes {"reason":"id-reused-with-different-request"}
INVALID_INPUT with-changes {"issues":[{"path":"ids","pointer":"/ids","message":"must be an array"}]}
INVALID_INPUT with-changes {"issues":[{"path":"a/b~c","pointer":"/a~1b~0c","message":"is filled by the page and must be left out"}],"lockedFields":["a/b~c"]}
NOT_AUTHENTICATED no -
NOT_AUTHORIZED no {"origin":"client"}
PRECONDITION_FAILED with-changes [1]
PRECONDITION_FAILED after-refresh {"reason":"binding-failed"}
CONFIRMATION_REQUIRED with-confirmation {"confirmationId":"cnf_1","summary":"Disable 3","expiresAt":"2026-01-01T00:00:00.000Z","effect":"destructive","origin":"client"}
CONFIRMATION_INVALID with-confirmation {"reason":"expired"}
CONFIRMATION_INVALID no {"reason":"denied","note":"wrong city"}
CONFIRMATION_INVALID no {"reason":"consumed"}
CONFIRMATION_INVALID no {"reason":"mismatch"}
RATE_LIMITED after-delay {"reason":"queue-full","retryAfterMs":250}
RATE_LIMITED after-delay {"reason":"rate","retryAfterMs":40}
TIMEOUT yes {"timeoutMs":5000,"idempotent":true}
TIMEOUT no {"timeoutMs":5000,"idempotent":false}
CANCELLED yes -
CANCELLED no -
EXECUTION_FAILED no -
EXECUTION_FAILED no {"reason":"handler-error"}
EXECUTION_FAILED no {"reason":"output-too-large"}
EXECUTION_FAILED no -
EXECUTION_FAILED no {"reason":"output-invalid"}
EXECUTION_FAILED after-delay {"reason":"transport","transient":true}"#;

#[test]
fn every_outcome_has_the_hint_and_the_details_of_the_specification() {
    let rows: Vec<String> = outcomes()
        .iter()
        .map(|failure| {
            let details = failure.details.as_deref().unwrap_or("-");
            [failure.code.as_str(), failure.retry.as_str(), details].join(" ")
        })
        .collect();
    assert_eq!(rows, TABLE.lines().collect::<Vec<_>>());
}

#[test]
fn every_outcome_has_words_that_fit() {
    for failure in outcomes() {
        let length = failure.message.chars().count();
        assert!(length > 10 && length <= MAX_MESSAGE, "{failure:?}");
    }
}

#[test]
fn every_code_has_an_outcome() {
    let outcomes = outcomes();
    assert!(
        Code::ALL
            .iter()
            .all(|&code| outcomes.iter().any(|failure| failure.code == code))
    );
}

#[test]
fn a_payload_has_its_keys_in_order_and_no_empty_details() {
    assert_eq!(
        Failure::disposed().to_json(),
        r#"{"code":"CANCELLED","message":"The surface is closed. Do not repeat the call.","retry":"no"}"#
    );
    let tail = r#","retry":"after-delay","details":{"reason":"rate","retryAfterMs":1}}"#;
    assert!(Failure::rate(1).to_json().ends_with(tail));
}

#[test]
fn the_message_of_bad_input_lists_the_issues() {
    let failure = Failure::invalid_input(&[
        issue("", "must be an object"),
        issue("ids[0]", "must be a string"),
    ]);
    assert_eq!(
        failure.message,
        "Correct the input: must be an object; ids[0]: must be a string"
    );
    let many: Vec<Issue> = (0..32)
        .map(|_| issue(&"é".repeat(100), "must be shorter"))
        .collect();
    assert_eq!(Failure::invalid_input(&many).message.chars().count(), MAX_MESSAGE);
}

#[test]
fn the_words_of_a_precondition_are_cut_and_blank_ones_replaced() {
    assert_eq!(
        Failure::precondition(Some(&"x".repeat(400)), None).message.len(),
        300
    );
    assert_eq!(
        Failure::precondition(Some("  "), None),
        Failure::precondition(None, None)
    );
    assert_eq!(Failure::precondition(None, Some(&"1".repeat(4097))).details, None);
}

#[test]
fn bad_output_names_the_first_place() {
    assert!(
        Failure::output_invalid(&[issue("rows[0].id", "…")])
            .message
            .contains("`rows[0].id`")
    );
    assert_eq!(
        Failure::output_invalid(&[]),
        Failure::execution_failed(Some("output-invalid"))
    );
}
