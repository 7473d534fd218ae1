//! Replies of the server: an envelope, the manifest, or an error with its status.
//!
//! It refuses to say more of an error than its code and its message, and nothing of what the host's own side failed with.
//! The server calls it.

use agent_surface_interop::Error;
use axum::body::Body;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ALLOW,
    CONTENT_TYPE,
};
use axum::http::{HeaderValue, Response, StatusCode};
use std::borrow::Cow;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

pub(crate) fn ok(text: String) -> Response<Body> {
    json(StatusCode::OK, text)
}

pub(crate) fn failed(error: &Error) -> Response<Body> {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    refused(status, error.code(), &told(error))
}

/// What a caller may know: a store, a handler or a signer that failed may name hosts, queries and people.
fn told(error: &Error) -> Cow<'static, str> {
    match error {
        Error::Host(_) => Cow::Borrowed("the endpoint failed"),
        error => error.message(),
    }
}

pub(crate) fn refused(status: StatusCode, code: &str, message: &str) -> Response<Body> {
    let mut text = String::from("{\"error\":{\"code\":");
    agent_surface_interop::write_json_string(&mut text, code);
    text.push_str(",\"message\":");
    agent_surface_interop::write_json_string(&mut text, message);
    text.push_str("}}");
    json(status, text)
}

pub(crate) fn wrong_method(allowed: &'static str) -> Response<Body> {
    let mut response = refused(
        StatusCode::METHOD_NOT_ALLOWED,
        "METHOD_NOT_ALLOWED",
        &format!("expected the method `{allowed}`"),
    );
    response
        .headers_mut()
        .insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

pub(crate) fn nothing() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

/// Lets a page of this origin read the response (Fetch, "CORS protocol"). `asked` are the headers that it wants to send.
pub(crate) fn allow(response: &mut Response<Body>, origin: HeaderValue, asked: Option<HeaderValue>) {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    if let Some(asked) = asked {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, asked);
        headers.insert(
            ACCESS_CONTROL_ALLOW_METHODS,
            HeaderValue::from_static("GET, POST"),
        );
    }
}

fn json(status: StatusCode, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

#[cfg(test)]
mod tests {
    use super::told;
    use agent_surface_interop::{Error, Rule};

    #[test]
    fn a_caller_is_told_which_rule_it_broke_and_not_what_the_host_failed_with() {
        let failed = Error::Host("no route to db.internal:5432".to_owned());
        assert_eq!(told(&failed), "the endpoint failed");
        assert_eq!(
            told(&Rule::HttpEncoding.into()),
            "expected the request body in UTF-8"
        );
    }
}
