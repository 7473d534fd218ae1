//! The payload of a refused call: one constructor per outcome, so that code, hint, words and details agree.
//!
//! It refuses free text from unknown causes; what an author words on purpose is cut. Called by the invocation
//! pipeline.

use alloc::borrow::Cow;
use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

use agent_surface_json::schema::{Issue, push_token};
use agent_surface_json::{concat, write_string};

use super::{Code, MAX_DETAILS_BYTES, MAX_MESSAGE, ObjectWriter, Retry, cut, is_blank, reason_or_default};

/// Why a call was refused or failed, as its caller sees it. Boxed, since it is handed on often and made seldom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(Box<Payload>);

/// The parts of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The stable code.
    pub code: Code,
    /// At most 300 code points, imperative, safe for a model.
    pub message: Cow<'static, str>,
    /// What to do before trying again.
    pub retry: Retry,
    /// JSON text; its shape belongs to the code.
    pub details: Option<String>,
}

impl Deref for Failure {
    type Target = Payload;

    fn deref(&self) -> &Payload {
        &self.0
    }
}

impl DerefMut for Failure {
    fn deref_mut(&mut self) -> &mut Payload {
        &mut self.0
    }
}

impl Failure {
    /// A code with these words and details (JSON text), and the hint that it has where nothing more is known.
    pub(crate) fn new(code: Code, message: Cow<'static, str>, details: Option<String>) -> Self {
        Self(Box::new(Payload {
            code,
            message,
            retry: code.retry(),
            details,
        }))
    }

    pub(super) fn plain(code: Code, message: &'static str) -> Self {
        Self::new(code, Cow::Borrowed(message), None)
    }

    fn with(code: Code, message: &'static str, details: &mut ObjectWriter) -> Self {
        Self::new(code, Cow::Borrowed(message), Some(details.finish()))
    }

    fn hinting(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    fn with_reason(code: Code, message: &'static str, reason: &str) -> Self {
        Self::with(code, message, ObjectWriter::new().text("reason", reason))
    }

    /// `{"code","message","retry","details"?}`, in this order.
    pub fn to_json(&self) -> String {
        let mut object = ObjectWriter::new();
        object
            .text("code", self.code.as_str())
            .text("message", &self.message)
            .text("retry", self.retry.as_str());
        if let Some(details) = &self.details {
            object.raw("details", details);
        }
        object.finish()
    }

    /// Unknown or hidden: the two look the same.
    pub fn not_found() -> Self {
        Self::plain(
            Code::CapabilityNotFound,
            "No such capability is exposed to you. List the capabilities again and use one of them.",
        )
    }

    /// Listed, but not available; `reason` is the descriptor's own.
    pub fn not_available(reason: &str) -> Self {
        let reason = reason_or_default(reason);
        Self::with_reason(
            Code::CapabilityNotAvailable,
            "This capability is not available at the moment; the details say why. List the capabilities again before you retry.",
            reason,
        )
    }

    /// A person has to approve, and nobody is there to ask.
    pub fn approval_unavailable() -> Self {
        Self::with_reason(
            Code::CapabilityNotAvailable,
            "This call needs a person's approval, and the page has nobody to ask. Tell the user, and retry when approvals are shown.",
            "approval-unavailable",
        )
    }

    /// Several live instances fit. `instances_json`: an array of `{instanceId, registrationId, description?}`.
    pub fn ambiguous(instances_json: &str) -> Self {
        Self::with(
            Code::AmbiguousInstance,
            "Several instances offer this capability. Name one of the instances in the details by its instanceId.",
            ObjectWriter::new().raw("instances", instances_json),
        )
    }

    /// The component is gone. `phase`: `resolve` or `mid-flight`.
    pub fn unmounted(phase: &'static str) -> Self {
        Self::with(
            Code::ComponentUnmounted,
            "The component that offered this capability has left the page. List the capabilities again.",
            ObjectWriter::new().text("phase", phase),
        )
    }

    /// The caller's view is out of date. `reason`: `registration-replaced`, `surface-reloaded` or
    /// `surface-version-mismatch`; `live`: the registration id to use instead.
    pub fn stale(reason: &'static str, live: Option<&str>) -> Self {
        let mut details = ObjectWriter::new();
        details.text("reason", reason);
        if let Some(live) = live {
            details.text("liveRegistrationId", live);
        }
        Self::with(
            Code::StaleCapability,
            "The surface has changed since you listed it. List the capabilities again and repeat the call if it still fits.",
            &mut details,
        )
    }

    /// One invocation id for two different requests.
    pub fn conflict() -> Self {
        Self::with_reason(
            Code::InvocationConflict,
            "This invocation id was already used for a different request. Use a new id for a new request.",
            "id-reused-with-different-request",
        )
    }

    /// The input breaks the schema.
    pub fn invalid_input(issues: &[Issue]) -> Self {
        let details = ObjectWriter::new().raw("issues", &issues_json(issues)).finish();
        let message = listing("Correct the input: ", issues);
        Self::new(Code::InvalidInput, Cow::Owned(message), Some(details))
    }

    /// The caller supplied fields that the page fills.
    pub fn locked_fields(fields: &[String]) -> Self {
        let mut issues = Vec::with_capacity(fields.len());
        let mut list = String::from("[");
        for field in fields {
            if !issues.is_empty() {
                list.push(',');
            }
            write_string(&mut list, field);
            let mut pointer = String::new();
            push_token(&mut pointer, field);
            issues.push(Issue {
                path: field.clone(),
                pointer,
                message: "is filled by the page and must be left out".to_owned(),
            });
        }
        list.push(']');
        let mut details = ObjectWriter::new();
        details
            .raw("issues", &issues_json(&issues))
            .raw("lockedFields", &list);
        let mut failure = Self::invalid_input(&issues);
        failure.details = Some(details.finish());
        failure
    }

    /// Nobody is signed in.
    pub fn not_authenticated() -> Self {
        Self::plain(
            Code::NotAuthenticated,
            "Nobody is signed in. Ask the user to sign in first.",
        )
    }

    /// The user may not. `origin`: `client` or `server`.
    pub fn not_authorized(origin: &'static str) -> Self {
        Self::with(
            Code::NotAuthorized,
            "The user is not allowed to do this. Do not retry; tell the user.",
            ObjectWriter::new().text("origin", origin),
        )
    }

    /// The author's precondition refused. `message` is cut to 300 code points; `details` is the author's JSON text
    /// and is left out past 4,096 bytes (see [`Failure::from_precondition`], which says so).
    pub fn precondition(message: Option<&str>, details: Option<&str>) -> Self {
        let mut failure = Self::plain(
            Code::PreconditionFailed,
            "The state of the page does not allow this now. Read the state and change the request.",
        );
        if let Some(message) = message.filter(|message| !is_blank(message)) {
            failure.message = Cow::Owned(cut(message, MAX_MESSAGE).to_owned());
        }
        failure.details = details
            .filter(|details| details.len() <= MAX_DETAILS_BYTES)
            .map(str::to_owned);
        failure
    }

    /// The page could not fill a bound field; `field` names it where it is known.
    pub fn binding_failed(field: Option<&str>) -> Self {
        let mut failure = Self::with_reason(
            Code::PreconditionFailed,
            "The page could not fill the bound fields of this call. Read the state of the page, then list the capabilities again.",
            "binding-failed",
        );
        if let Some(field) = field {
            let pieces = [
                "The page could not fill the bound field `",
                cut(field, 80),
                "`. Read the state of the page, then list the capabilities again.",
            ];
            failure.message = Cow::Owned(concat(&pieces));
        }
        failure.retry = Retry::AfterRefresh;
        failure
    }

    /// A person has to approve. `expires_at`: ISO 8601; `origin`: `client` for the page's own rule.
    pub fn confirmation_required(
        id: &str,
        summary: &str,
        expires_at: &str,
        effect: &str,
        origin: &str,
    ) -> Self {
        let mut details = ObjectWriter::new();
        details
            .text("confirmationId", id)
            .text("summary", summary)
            .text("expiresAt", expires_at)
            .text("effect", effect)
            .text("origin", origin);
        Self::with(
            Code::ConfirmationRequired,
            "A person has to approve this call in the page. Wait for the approval, then repeat the same call with the confirmationId.",
            &mut details,
        )
    }

    /// Evidence that does not serve the call. `reason`: `expired`, `denied`, `consumed` or `mismatch`; `note`: the
    /// person's own words, cut to 300 code points of the message and whole in the details.
    pub fn confirmation_invalid(reason: &'static str, note: Option<&str>) -> Self {
        let message = match reason {
            "expired" => "The approval has expired. Repeat the call without a confirmationId to ask again.",
            "denied" => "A person has denied this call. Do not repeat it; ask the user what to do instead.",
            "consumed" => "This approval was already used for a call. Do not repeat the call.",
            _ => "This approval belongs to another request. Do not use it for this call.",
        };
        let mut details = ObjectWriter::new();
        details.text("reason", reason);
        if let Some(note) = note {
            details.text("note", note);
        }
        let mut failure = Self::with(Code::ConfirmationInvalid, message, &mut details);
        if reason == "expired" {
            failure.retry = Retry::WithConfirmation;
        }
        failure
    }

    /// No room to wait in. `retry_after_ms`: milliseconds.
    pub fn queue_full(retry_after_ms: u32) -> Self {
        Self::limited(
            "queue-full",
            "Too many calls are waiting. Retry after the delay in the details.",
            retry_after_ms,
        )
    }

    /// Too many calls in the window. `retry_after_ms`: milliseconds.
    pub fn rate(retry_after_ms: u32) -> Self {
        Self::limited(
            "rate",
            "Too many calls in a short time. Retry after the delay in the details.",
            retry_after_ms,
        )
    }

    fn limited(reason: &'static str, message: &'static str, retry_after_ms: u32) -> Self {
        let mut details = ObjectWriter::new();
        details
            .text("reason", reason)
            .number("retryAfterMs", u64::from(retry_after_ms));
        Self::with(Code::RateLimited, message, &mut details)
    }

    /// Out of time after `timeout_ms` milliseconds; a second run is only offered when the call is idempotent.
    pub fn timeout(timeout_ms: u32, idempotent: bool) -> Self {
        let message = if idempotent {
            "The call took too long and was stopped. It is safe to repeat."
        } else {
            "The call took too long and was stopped; it may have taken effect. Read the state before anything else."
        };
        let mut details = ObjectWriter::new();
        details
            .number("timeoutMs", u64::from(timeout_ms))
            .flag("idempotent", idempotent);
        let retry = if idempotent { Retry::Yes } else { Retry::No };
        Self::with(Code::Timeout, message, &mut details).hinting(retry)
    }

    /// The caller stopped it.
    pub fn cancelled() -> Self {
        Self::plain(
            Code::Cancelled,
            "The call was cancelled. Repeat it if it is still wanted.",
        )
    }

    /// The registry was disposed of.
    pub fn disposed() -> Self {
        Self::plain(Code::Cancelled, "The surface is closed. Do not repeat the call.").hinting(Retry::No)
    }

    /// The handler failed. `reason`: `handler-error`, `output-invalid`, `output-too-large` or `transport`.
    pub fn execution_failed(reason: Option<&'static str>) -> Self {
        let message = match reason {
            Some("output-invalid") => {
                "The capability answered with what is not valid output. Do not retry; tell the user."
            }
            Some("output-too-large") => {
                "The capability's answer is too large to pass on. Ask for less, or tell the user."
            }
            Some("transport") => "The backend could not be reached. Do not retry; tell the user.",
            _ => {
                "The capability failed while it ran. Read the state before anything else, and tell the user."
            }
        };
        match reason {
            Some(reason) => Self::with_reason(Code::ExecutionFailed, message, reason),
            None => Self::plain(Code::ExecutionFailed, message),
        }
    }

    /// A policy ended without an answer and without calling `next`.
    pub fn policy_defect() -> Self {
        Self::plain(
            Code::ExecutionFailed,
            "A policy of the page did not decide about this call, so it was not run. Do not retry; tell the user.",
        )
    }

    /// The output breaks its declared schema. The message names the first place, never a value.
    pub fn output_invalid(issues: &[Issue]) -> Self {
        let mut failure = Self::execution_failed(Some("output-invalid"));
        if let Some(issue) = issues.first().filter(|issue| !issue.path.is_empty()) {
            let pieces = [
                "The capability answered with what is not valid output, at `",
                cut(&issue.path, 80),
                "`. Do not retry; tell the user.",
            ];
            failure.message = Cow::Owned(concat(&pieces));
        }
        failure
    }

    /// The backend could not be reached this time.
    pub fn transport_transient() -> Self {
        let mut details = ObjectWriter::new();
        details.text("reason", "transport").flag("transient", true);
        let message = "The backend could not be reached. Retry after a moment.";
        Self::with(Code::ExecutionFailed, message, &mut details).hinting(Retry::AfterDelay)
    }
}

/// The issues as a JSON array of `{path, pointer, message}`.
fn issues_json(issues: &[Issue]) -> String {
    let mut out = String::from("[");
    let mut object = ObjectWriter::new();
    for issue in issues {
        if out.len() > 1 {
            out.push(',');
        }
        object
            .text("path", &issue.path)
            .text("pointer", &issue.pointer)
            .text("message", &issue.message);
        out.push_str(&object.finish());
    }
    out.push(']');
    out
}

/// The issues in one line of at most 300 code points.
fn listing(start: &str, issues: &[Issue]) -> String {
    let mut out = String::from(start);
    for (index, issue) in issues.iter().enumerate() {
        if index > 0 {
            out.push_str("; ");
        }
        if !issue.path.is_empty() {
            out.push_str(&issue.path);
            out.push_str(": ");
        }
        out.push_str(&issue.message);
        if out.len() > 4 * MAX_MESSAGE {
            break;
        }
    }
    String::from(cut(&out, MAX_MESSAGE))
}
