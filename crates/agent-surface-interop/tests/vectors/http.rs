//! `http.json`: where an endpoint's resources are, what a reply is, and what a transport is made of.
//!
//! It refuses to connect: the replies that the vectors name only by an id are made here. The test runner calls it.

use crate::support::{assert_error, exact, list, text, vectors};
use agent_surface_interop::http::{CONTENT_TYPE, Location};
use agent_surface_interop::{Error, Exact};
use serde_json::{Value, json};

#[test]
fn resources_are_relative_to_the_base_as_whatwg_urls_are() {
    let file = vectors("http.json");
    for case in list(&file, "urlResolution") {
        let location = Location::new(text(case, "baseUrl"), None).unwrap();
        assert_eq!(location.manifest(), text(case, "manifest"));
        assert_eq!(location.exchange(), text(case, "exchange"));
    }
}

/// What the server of a case answers: status, whether it declares its length, body.
fn reply(id: &str) -> (u16, bool, &'static [u8]) {
    match id {
        "ok-201" => (201, false, b"{\"a\":1}"),
        "status-500" => (500, false, b"{\"a\":1}"),
        "declared-too-long" => (200, true, b"{\"a\":1}"),
        "empty-body" => (200, true, b""),
        "bom" => (200, false, b"\xEF\xBB\xBF{\"a\":1}"),
        "invalid-utf8" => (200, false, b"\"\xFF\""),
        "json-null" => (200, false, b"null"),
        _ => (200, false, b"{\"a\":1}"),
    }
}

fn receive(case: &Value) -> Result<Exact, Error> {
    let limit = case["options"]["maximumResponseBytes"].as_u64();
    let location = Location::new("http://127.0.0.1:1/base/", limit)?;
    assert_eq!(location.manifest(), text(&case["request"], "url"));
    let (status, declares, body) = reply(text(case, "id"));
    let mut reply = location.reply(status, declares.then_some(body.len() as u64))?;
    for piece in body.chunks(3) {
        reply.push(piece)?;
    }
    reply.finish()
}

#[test]
fn replies_are_values_or_errors_as_in_the_vectors() {
    let file = vectors("http.json");
    for case in list(&file, "responses") {
        let id = text(case, "id");
        match (receive(case), text(case, "outcome")) {
            (Ok(value), "ok") => assert_eq!(value, exact(&case["value"]), "{id}"),
            (Err(error), "error") => assert_error(&error, case, id),
            (other, expected) => panic!("{id}: {other:?}, not {expected}"),
        }
    }
}

#[test]
fn an_undeclared_body_past_the_limit_is_not_read_to_its_end() {
    let location = Location::new("http://h/", Some(5)).unwrap();
    let mut reply = location.reply(200, None).unwrap();
    reply.push(b"\"abc").unwrap();
    let error = reply.push(b"d\"").unwrap_err();
    assert_eq!(error.message(), "interop HTTP response exceeds configured limit");
}

#[test]
fn a_transport_is_made_of_what_the_vectors_allow() {
    let file = vectors("http.json");
    for case in list(&file, "constructor") {
        let options = &case["options"];
        // A limit that is no integer is none of the allowed ones.
        let limit = options
            .get("maximumResponseBytes")
            .map(|limit| limit.as_u64().unwrap_or(0));
        let error = Location::new(text(options, "baseUrl"), limit).unwrap_err();
        assert_error(&error, case, &options.to_string());
    }
}

#[test]
fn an_exchange_is_posted_as_json() {
    let request = &vectors("http.json")["exchangeRequest"];
    let (name, value) = CONTENT_TYPE;
    assert_eq!(request["headers"][name], json!(value));
    assert_eq!(text(request, "method"), "POST");
    let location = Location::new("http://127.0.0.1:1/base/", None).unwrap();
    assert_eq!(location.exchange(), text(request, "url"));
    // The body has a half surrogate pair; that it can be read is what matters, its order does not.
    let body = Exact::parse(text(request, "body"), usize::MAX).unwrap();
    assert_eq!(body.text(), "{\"a\":{\"\\ud800\":1e+21},\"b\":1}");
}
