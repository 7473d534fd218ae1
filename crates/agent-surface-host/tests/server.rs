//! The server over real sockets: the conformance endpoint, clients that keep to the protocol and callers that do not.
//!
//! It refuses to wait longer than a few seconds for anything. The test runner calls it.
#![expect(
    clippy::unwrap_used,
    reason = "a test all of it: what is not as expected must fail, with its words"
)]

#[path = "server/caller.rs"]
mod caller;
#[path = "server/command.rs"]
mod command;
#[path = "../examples/conformance/endpoint.rs"]
mod endpoint;
#[path = "server/limits.rs"]
mod limits;

use agent_surface_host::Mount;
use agent_surface_interop::{Call, Error, Exact, LogicalTime, Operation, Response, Status, client};
use caller::{Caller, Server, raw, raw_with_head};
use endpoint::Sign;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

fn call(session: &str, key: &str, sequence: u64, payload: &str) -> Call {
    Call {
        request_id: format!("request:{key}"),
        idempotency_key: key.to_owned(),
        session_id: session.to_owned(),
        operation: Operation::AgentStep,
        sequence,
        logical_time: LogicalTime::new(100).unwrap(),
        deadline: LogicalTime::new(1000).unwrap(),
        payload: Exact::parse(payload, usize::MAX).unwrap(),
    }
}

fn ask(caller: &mut Caller, call: Call) -> Result<Response, Error> {
    let endpoint = caller.endpoint();
    client::drive(endpoint.invoke(call, None), caller)
}

#[test]
fn the_manifests_have_the_digests_of_the_profile() {
    let keys = endpoint::keys().unwrap();
    for (name, digest) in keys["manifestDigests"].as_object().unwrap() {
        let sign = Sign::parse(name).unwrap();
        let manifest = endpoint::manifest(sign).unwrap();
        assert_eq!(Some(manifest.digest().text().as_str()), digest.as_str(), "{name}");
    }
}

#[test]
fn every_way_of_signing_exchanges_and_a_retry_gets_the_same() {
    for sign in [Sign::None, Sign::Request, Sign::Response, Sign::Both] {
        let server = Server::start(sign);
        let mut caller = Caller::new(&server, "client:conformance");
        let first = ask(
            &mut caller,
            call("s:1", "k:1", 1, "{\"do\":\"count\",\"x\":\"\\ud800\"}"),
        )
        .unwrap();
        assert_eq!(first.payload().text(), "{\"count\":1}", "{sign:?}");
        assert_eq!(
            first.signature().is_some(),
            matches!(sign, Sign::Response | Sign::Both)
        );
        let again = ask(
            &mut caller,
            call("s:1", "k:1", 1, "{\"do\":\"count\",\"x\":\"\\ud800\"}"),
        )
        .unwrap();
        assert_eq!(again.text(), first.text());
        let next = ask(&mut caller, call("s:1", "k:2", 2, "{\"do\":\"count\"}")).unwrap();
        assert_eq!(next.payload().text(), "{\"count\":2}");
    }
}

#[test]
fn every_behaviour_of_the_profile_has_its_outcome() {
    let server = Server::start(Sign::Both);
    let mut caller = Caller::new(&server, "client:conformance");
    for (at, (payload, status, reason)) in [
        ("{\"do\":\"throw\"}", Status::Failed, "interop_handler_failed"),
        ("{\"do\":\"refuse\"}", Status::Refused, "driver:refused"),
        ("{\"do\":\"defer\"}", Status::Deferred, "driver:deferred"),
        ("{\"do\":\"fail\"}", Status::Failed, "driver:failed"),
        ("{\"do\":\"blob\",\"length\":9}", Status::Completed, "driver:blob"),
        (
            "{\"do\":\"blob\",\"length\":65536}",
            Status::Failed,
            "interop_response_limit_exceeded",
        ),
        (
            "{\"do\":\"bad-output\"}",
            Status::Failed,
            "interop_response_schema_invalid",
        ),
        ("{\"do\":\"sleep\",\"ms\":1}", Status::Completed, "driver:slept"),
        ("{}", Status::Completed, "driver:echo"),
    ]
    .into_iter()
    .enumerate()
    {
        let number = at as u64 + 1;
        let response = ask(&mut caller, call("s:1", &format!("k:{number}"), number, payload)).unwrap();
        assert_eq!(
            (response.status(), response.reason_code().as_str()),
            (status, reason),
            "{payload}"
        );
    }
    for (session, reason) in [
        ("session:denied:1", "interop_request_not_admitted"),
        ("session:expiring:1", "interop_request_admission_expired"),
    ] {
        let response = ask(&mut caller, call(session, "k:1", 1, "{}")).unwrap();
        assert_eq!(response.reason_code().as_str(), reason);
    }
}

#[test]
fn statuses_say_who_is_wrong() {
    let server = Server::start(Sign::None);
    let mut caller = Caller::new(&server, "client:conformance");
    ask(&mut caller, call("s:1", "k:1", 1, "{}")).unwrap();
    for (wrong, status) in [
        // The key of another content, and the place of another request.
        (call("s:1", "k:1", 1, "{\"other\":1}"), 409),
        (call("s:1", "k:2", 1, "{}"), 409),
    ] {
        let error = ask(&mut caller, wrong).unwrap_err();
        assert_eq!(error, Error::HttpStatus(status));
    }
    let big = format!("{{\"big\":\"{}\"}}", "x".repeat(2_097_152));
    let json = "content-type: application/json";
    let nested = "[".repeat(100_000);
    for (head, body, status, code) in [
        ("GET /manifest", "", 200, "manifestDigest"),
        ("GET /elsewhere", "", 404, "NOT_FOUND"),
        ("POST /manifest", "", 405, "METHOD_NOT_ALLOWED"),
        ("GET /exchange", "", 405, "METHOD_NOT_ALLOWED"),
        ("POST /exchange", "{}", 400, "REQUEST_BINDING"),
        ("POST /exchange", "{", 400, "JSON"),
        ("POST /exchange", &nested, 400, "JSON"),
        ("POST /exchange", &big, 400, "REQUEST_BINDING"),
    ] {
        let (found, text) = raw(&server, head, json, body.as_bytes());
        assert_eq!(found, status, "{head}: {text}");
        assert!(text.contains(code), "{head}: {text}");
    }
    for content_type in [
        "content-type: text/plain",
        "x-no: type",
        "content-type: application/json\r\ncontent-encoding: gzip",
    ] {
        assert_eq!(
            raw(&server, "POST /exchange", content_type, b"{}").0,
            415,
            "{content_type}"
        );
    }
    assert_eq!(raw(&server, "POST /exchange", json, b"\"\xFF\"").0, 400);
    assert_eq!(
        raw(
            &server,
            "POST /exchange",
            "content-type: application/json; charset=utf-8",
            b"{}"
        )
        .0,
        400
    );
}

#[test]
fn a_page_may_call_if_its_origin_is_named() {
    let server = Server::start_with(
        Sign::None,
        Mount {
            allowed_origins: vec!["https://app.example".to_owned()],
            ..Mount::default()
        },
    );
    let asked = "access-control-request-headers: content-type";
    for (origin, status) in [
        ("https://app.example", 204),
        ("https://evil.example", 403),
        ("null", 403),
    ] {
        let header = format!("origin: {origin}\r\n{asked}");
        let (found, head, _) = raw_with_head(&server, "OPTIONS /exchange", &header, b"");
        assert_eq!(found, status, "{origin}");
        let is_allowed = head.contains(&format!("access-control-allow-origin: {origin}\r\n"));
        assert_eq!(is_allowed, status == 204, "{head}");
        assert_eq!(
            head.contains("access-control-allow-headers: content-type\r\n"),
            status == 204
        );
        assert!(head.contains("vary: origin\r\n"), "{head}");
    }
    // A page need not be able to read an answer to do harm.
    for request in ["GET /manifest", "POST /exchange"] {
        let (status, text) = raw(&server, request, "origin: https://evil.example", b"{}");
        assert_eq!(status, 403);
        assert!(text.contains("ORIGIN_NOT_ALLOWED"), "{text}");
    }
    let (_, head, _) = raw_with_head(&server, "GET /manifest", "origin: https://app.example", b"");
    assert!(
        head.contains("access-control-allow-origin: https://app.example\r\n"),
        "{head}"
    );
}

#[test]
fn a_signature_that_is_missing_or_of_somebody_else_is_unauthorized() {
    let server = Server::start(Sign::Request);
    let mut caller = Caller::new(&server, "client:conformance");
    caller.signs_as = "client:rogue";
    let error = ask(&mut caller, call("s:1", "k:1", 1, "{}")).unwrap_err();
    assert_eq!(error, Error::HttpStatus(401));
    caller.signs_as = "client:conformance";
    ask(&mut caller, call("s:1", "k:1", 1, "{}")).unwrap();
    let signed = caller.sent.clone().unwrap();
    let (start, _) = signed.split_once("\"signature\":").unwrap();
    let unsigned = format!("{start}\"signature\":null}}");
    let json = "content-type: application/json";
    assert_eq!(raw(&server, "POST /exchange", json, unsigned.as_bytes()).0, 401);
}

#[test]
fn a_body_past_the_limit_is_refused_before_it_is_read() {
    let server = Server::start(Sign::None);
    let mut stream = server.connect();
    let head = "POST /exchange HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 8388609\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
}

#[test]
fn a_body_that_does_not_come_is_not_waited_for() {
    let server = Server::start_with(
        Sign::None,
        Mount {
            body_timeout: Duration::from_millis(10),
            ..Mount::default()
        },
    );
    let mut stream = server.connect();
    let head = "POST /exchange HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{";
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 408");
}

#[test]
fn an_undeclared_body_past_the_limit_is_refused_while_it_is_read() {
    let server = Server::start_with(
        Sign::None,
        Mount {
            max_body_bytes: Some(1000),
            ..Mount::default()
        },
    );
    let mut stream = server.connect();
    let head = "POST /exchange HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = format!("200\r\n{}\r\n", "x".repeat(512));
    // The first fits, the second does not; no third is needed.
    stream.write_all(chunk.as_bytes()).unwrap();
    stream.write_all(chunk.as_bytes()).unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
}

#[test]
fn a_caller_that_hangs_up_finds_later_what_became_of_its_request() {
    let server = Server::start(Sign::None);
    let mut caller = Caller::new(&server, "client:conformance");
    let slow = || call("s:1", "k:1", 1, "{\"do\":\"sleep\",\"ms\":50}");
    // Seal it without sending, then send it by hand, and hang up at half of the body, and after all of it.
    caller.is_offline = true;
    ask(&mut caller, slow()).unwrap_err();
    caller.is_offline = false;
    let text = caller.sent.clone().unwrap();
    let head = format!(
        "POST /exchange HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        text.len()
    );
    let (half, rest) = text.split_at(text.len() / 2);
    let mut truncated = server.connect();
    truncated.write_all([&head, half].concat().as_bytes()).unwrap();
    drop(truncated);
    let mut whole = server.connect();
    whole.write_all([&head, half, rest].concat().as_bytes()).unwrap();
    server.wait_for_a_run();
    drop(whole);
    // While it runs it is in progress; then it is there.
    let give_up = Instant::now() + Duration::from_secs(20);
    let response = loop {
        let response = ask(&mut caller, slow()).unwrap();
        if response.reason_code().as_str() != "interop_request_in_progress" {
            break response;
        }
        assert!(Instant::now() < give_up, "nothing became of it");
    };
    assert_eq!(response.payload().text(), "{\"slept\":50}");
}

#[test]
fn shutting_down_answers_what_is_under_way() {
    let mut server = Server::start(Sign::None);
    let mut caller = Caller::new(&server, "client:conformance");
    caller.endpoint();
    let asking = std::thread::spawn(move || {
        ask(
            &mut caller,
            call("s:1", "k:1", 1, "{\"do\":\"sleep\",\"ms\":300}"),
        )
    });
    server.wait_for_a_run();
    server.stop();
    let response = asking.join().unwrap().unwrap();
    assert_eq!(response.payload().text(), "{\"slept\":300}");
    assert!(server.try_connect().is_err());
}
