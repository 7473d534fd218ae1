//! What can go wrong, with a stable code, the words of the protocol's other implementation, and what a server answers.
//!
//! It refuses to carry a backtrace or a secret: a signature or a key is in none of its texts. Everything calls it.

use agent_surface_json::exact::ExactError;
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;

/// The class of exception that a page throws for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// `Error`
    Plain,
    /// `TypeError`
    Type,
    /// `RangeError`
    Range,
    /// `SyntaxError`
    Syntax,
}

impl Class {
    /// Its name in ECMAScript.
    pub fn name(self) -> &'static str {
        match self {
            Class::Plain => "Error",
            Class::Type => "TypeError",
            Class::Range => "RangeError",
            Class::Syntax => "SyntaxError",
        }
    }
}

macro_rules! rules {
    ($($name:ident $class:ident $status:literal $code:literal $message:literal)*) => {
        /// A rule of the protocol that was broken; the message says it.
        #[non_exhaustive]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[expect(missing_docs, reason = "the message beside each says it")]
        pub enum Rule { $($name),* }

        impl Rule {
            const fn parts(self) -> (Class, u16, &'static str, &'static str) {
                match self { $(Rule::$name => (Class::$class, $status, $code, $message)),* }
            }
        }
    };
}

rules! {
    ManifestSchema Type 500 "MANIFEST_SCHEMA" "interop manifest schema is invalid"
    ManifestIdentity Type 500 "MANIFEST_IDENTITY" "interop endpoint identity is invalid"
    ManifestOperations Type 500 "MANIFEST_OPERATIONS" "interop operations must be canonical and supported"
    ManifestFlags Type 500 "MANIFEST_FLAGS" "interop manifest capability flags are invalid"
    ManifestTooLarge Range 500 "MANIFEST_TOO_LARGE" "expected a manifest of at most 1 MiB"
    ManifestDigest Type 500 "MANIFEST_DIGEST" "interop manifest digest is invalid"
    RequestBinding Type 400 "REQUEST_BINDING" "interop request schema or endpoint binding is invalid"
    RequestTooLarge Range 413 "REQUEST_TOO_LARGE" "interop request exceeds manifest limit"
    RequestOperation Type 400 "REQUEST_OPERATION" "interop request operation is unavailable"
    RequestDigest Type 400 "REQUEST_DIGEST" "interop request digest is invalid"
    RequestNotNegotiated Type 400 "REQUEST_SIGNATURE_NOT_NEGOTIATED" "interop request signature was not negotiated"
    RequestSignature Type 401 "REQUEST_SIGNATURE" "interop request signature is invalid"
    RequestSchema Type 400 "REQUEST_SCHEMA" "interop request payload does not match its negotiated schema"
    ResponseBinding Type 500 "RESPONSE_BINDING" "interop response binding is invalid"
    ResponseStatus Type 500 "RESPONSE_STATUS" "interop response status is invalid"
    ResponsePayload Type 500 "RESPONSE_PAYLOAD" "non-completed interop response payload must be null"
    ResponsePayloadDigest Type 500 "RESPONSE_PAYLOAD_DIGEST" "interop response payload digest is invalid"
    ResponseDigest Type 500 "RESPONSE_DIGEST" "interop response digest is invalid"
    ResponseNotNegotiated Type 500 "RESPONSE_SIGNATURE_NOT_NEGOTIATED" "interop response signature was not negotiated"
    ResponseSignature Type 500 "RESPONSE_SIGNATURE" "interop response signature is invalid"
    ResponseTooLarge Range 500 "RESPONSE_TOO_LARGE" "interop response exceeds manifest limit"
    ResponseSchema Type 500 "RESPONSE_SCHEMA" "interop response payload does not match its negotiated schema"
    CachedSignature Type 500 "CACHED_SIGNATURE" "cached interop response signature is invalid"
    CachedSchema Type 500 "CACHED_SCHEMA" "cached interop response does not match its negotiated schema"
    KeyReused Plain 409 "IDEMPOTENCY_KEY_REUSED" "interop idempotency key was reused with different content"
    CommittedKeyReused Type 409 "IDEMPOTENCY_KEY_REUSED" "interop response binding is invalid"
    PendingKeyReused Plain 409 "IDEMPOTENCY_KEY_REUSED" "interop idempotency replay binding is invalid"
    Equivocation Plain 409 "SEQUENCE_EQUIVOCATION" "interop request sequence equivocation"
    ReservationConflict Plain 409 "RESERVATION_CONFLICT" "interop idempotency reservation conflict"
    CommitConflict Plain 500 "COMMIT_CONFLICT" "interop idempotency commit conflict"
    Grant Type 500 "GRANT" "interop admission grant is invalid"
    GrantBinding Type 500 "GRANT_BINDING" "interop admission grant request binding is invalid"
    OutboundCapacity Range 500 "OUTBOUND_SEQUENCE_CAPACITY" "interop outbound sequence capacity exceeded"
    StoreFull Plain 500 "STORE_FULL" "expected room in the store: it holds as much as it may"
    RouterAuthenticity Type 500 "ROUTER_AUTHENTICITY" "interop manifest authenticity capabilities do not match the router"
    RouterIdentity Type 500 "ROUTER_IDENTITY" "interop router authenticity identity does not match endpointId"
    RouterHandlers Type 500 "ROUTER_HANDLERS" "interop operation handlers do not match the manifest"
    RouterBothStores Type 500 "INVALID_OPTION" "router cannot combine local and durable stores"
    RouterNoStores Type 500 "INVALID_OPTION" "restart-durable interop router stores are required: pass `durableStores`, or `localOnly: true` where an effect may happen again after a restart"
    RouterStores Range 500 "ROUTER_STORES" "expected stores that hold any response the manifest allows"
    ClientAuthenticity Plain 500 "CLIENT_AUTHENTICITY" "interop endpoint requires an authenticity port"
    ClientIdentity Type 500 "CLIENT_IDENTITY" "interop client authenticity identity does not match clientId"
    ClientSchema Plain 500 "CLIENT_SCHEMA" "interop negotiated payload schema is unavailable"
    ClientManifest Plain 500 "CLIENT_MANIFEST" "interop client manifest binding changed"
    HttpUrl Type 500 "HTTP_URL" "Invalid URL"
    HttpProtocol Type 500 "HTTP_PROTOCOL" "interop HTTP protocol is invalid"
    HttpLimit Range 500 "HTTP_LIMIT" "interop HTTP response limit is invalid"
    HttpTooLarge Range 500 "HTTP_TOO_LARGE" "interop HTTP response exceeds configured limit"
    HttpRequestTooLarge Range 413 "REQUEST_TOO_LARGE" "expected a request body within the server's limit"
    HttpRequestSlow Plain 408 "REQUEST_TIMEOUT" "expected the whole request body within the server's time"
    HttpRequestCut Plain 400 "REQUEST_BODY" "expected the whole request body"
    HttpEncoding Type 400 "REQUEST_ENCODING" "expected the request body in UTF-8"
}

impl Rule {
    /// What to do about it, where the message does not say.
    const fn detail(self) -> &'static str {
        match self {
            Rule::ManifestSchema => "expected an object",
            Rule::KeyReused | Rule::CommittedKeyReused | Rule::PendingKeyReused => {
                "the `idempotencyKey` belongs to a request with other content: ask again with that, or under another key"
            }
            Rule::Equivocation => "the `sequence` belongs to another request of this session and operation",
            _ => "",
        }
    }
}

/// Why something did not happen.
#[non_exhaustive]
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// A text has no exact canonical form.
    Json(ExactError),
    /// The named member is missing or not of its form.
    Invalid(&'static str),
    /// The named member is no safe integer in its range.
    OutOfRange(&'static str),
    /// A rule was broken.
    Rule(Rule),
    /// The client was asked for an operation that the endpoint does not have.
    OperationUnavailable(String),
    /// An adapter's call did not complete; this is the response's reason code.
    NotCompleted(String),
    /// The peer answered with this HTTP status.
    HttpStatus(u16),
    /// The endpoint's own side (a store, an admission, a handler's outcome) gave what it should not; what is wrong with it.
    Internal(Box<Error>),
    /// The same, and what exactly: the member, what it should be, what was found.
    Detailed(Box<(Error, String)>),
    /// What the host's own side (a store, a handler, a transport, a signer) failed with.
    Host(String),
}

impl core::fmt::Display for Error {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str(&self.message())?;
        match self.detail() {
            "" => Ok(()),
            detail => [": ", detail]
                .into_iter()
                .try_for_each(|part| formatter.write_str(part)),
        }
    }
}

impl core::error::Error for Error {}

impl From<Rule> for Error {
    fn from(rule: Rule) -> Self {
        Error::Rule(rule)
    }
}

impl From<ExactError> for Error {
    fn from(error: ExactError) -> Self {
        Error::Json(error)
    }
}

impl Error {
    /// Says what exactly is wrong, too; an empty text says nothing.
    #[must_use]
    pub fn because(self, detail: String) -> Self {
        if detail.is_empty() {
            return self;
        }
        Error::Detailed(Box::new((self, detail)))
    }

    /// What exactly is wrong, for the developer of this side, or nothing: beside the message, which the protocol fixes.
    pub fn detail(&self) -> &str {
        match self {
            Error::Detailed(parts) => &parts.1,
            Error::Internal(inner) => inner.detail(),
            Error::Rule(rule) => rule.detail(),
            _ => "",
        }
    }

    /// Stable, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Detailed(parts) => parts.0.code(),
            Error::Json(_) => "JSON",
            Error::Invalid(_) => "INVALID_MEMBER",
            Error::OutOfRange(_) => "MEMBER_OUT_OF_RANGE",
            Error::Rule(rule) => rule.parts().2,
            Error::OperationUnavailable(_) => "OPERATION_UNAVAILABLE",
            Error::NotCompleted(_) => "NOT_COMPLETED",
            Error::HttpStatus(_) => "HTTP_STATUS",
            Error::Internal(_) => "INTERNAL",
            Error::Host(_) => "HOST",
        }
    }

    /// The same, of something that no caller is to blame for.
    pub(crate) fn internal(self) -> Self {
        Error::Internal(Box::new(self))
    }

    /// For people and peers; where the protocol's other implementation has a text for it, that text to the letter.
    pub fn message(&self) -> Cow<'static, str> {
        match self {
            Error::Json(ExactError::Number) => Cow::Borrowed("interop JSON number is invalid"),
            Error::Json(error) => Cow::Owned(error.message()),
            Error::Invalid(label) | Error::OutOfRange(label) => Cow::Owned([label, " is invalid"].concat()),
            Error::Rule(rule) => Cow::Borrowed(rule.parts().3),
            Error::OperationUnavailable(name) => {
                Cow::Owned(["interop operation is unavailable: ", name].concat())
            }
            Error::NotCompleted(text) | Error::Host(text) => Cow::Owned(text.clone()),
            Error::HttpStatus(status) => {
                let mut text = String::from("interop HTTP request failed with status ");
                agent_surface_json::write_u64(&mut text, u64::from(*status));
                Cow::Owned(text)
            }
            Error::Internal(inner) => inner.message(),
            Error::Detailed(parts) => parts.0.message(),
        }
    }

    /// What a page throws.
    pub fn class(&self) -> Class {
        match self {
            Error::Json(ExactError::Number) | Error::Invalid(_) => Class::Type,
            Error::Json(_) => Class::Syntax,
            Error::OutOfRange(_) => Class::Range,
            Error::Rule(rule) => rule.parts().0,
            Error::Internal(inner) => inner.class(),
            Error::Detailed(parts) => parts.0.class(),
            _ => Class::Plain,
        }
    }

    /// The HTTP status of a server whose router failed with it.
    pub fn status(&self) -> u16 {
        match self {
            Error::Json(ExactError::Parse(agent_surface_json::ParseError::TooLarge { .. })) => 413,
            Error::Json(_) | Error::Invalid(_) | Error::OutOfRange(_) => 400,
            Error::Rule(rule) => rule.parts().1,
            Error::Detailed(parts) => parts.0.status(),
            _ => 500,
        }
    }
}
