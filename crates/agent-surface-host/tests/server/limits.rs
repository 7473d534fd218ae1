//! What the server does not take: more at once than it may run, callers that say nothing, hosts that it is not.
//!
//! It refuses to depend on how fast the machine is: what must still run sleeps far longer than what is asked meanwhile. The
//! test runner calls it.

use crate::caller::{Caller, Server, post, raw};
use crate::endpoint::Sign;
use crate::{ask, call};
use agent_surface_host::{Mount, Route, Transport};
use agent_surface_interop::Error;
use agent_surface_interop::memory::MemoryIdempotency;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const JSON: &str = "content-type: application/json";

/// The text of a request that sleeps, sealed and not sent.
fn slow(server: &Server, ms: u64) -> String {
    let mut caller = Caller::new(server, "client:conformance");
    caller.is_offline = true;
    let payload = format!("{{\"do\":\"sleep\",\"ms\":{ms}}}");
    ask(&mut caller, call("s:1", "k:1", 1, &payload)).unwrap_err();
    caller.sent.unwrap()
}

#[test]
fn more_exchanges_than_may_run_are_turned_away_also_when_callers_have_hung_up() {
    let mount = Mount {
        max_exchanges: 1,
        ..Mount::default()
    };
    let server = Server::start_with(Sign::None, mount);
    let stream = post(&server, &slow(&server, 2000));
    server.wait_for_a_run();
    let (status, text) = raw(&server, "POST /exchange", JSON, b"{}");
    assert_eq!(status, 503);
    assert!(text.contains("TOO_MANY_EXCHANGES"), "{text}");
    assert_eq!(raw(&server, "GET /manifest", JSON, b"").0, 200);
    drop(stream);
    assert_eq!(raw(&server, "POST /exchange", JSON, b"{}").0, 503);
    // Once it is over there is room again, and what is wrong with a body is said.
    let give_up = Instant::now() + Duration::from_secs(20);
    while raw(&server, "POST /exchange", JSON, b"{}").0 == 503 {
        assert!(Instant::now() < give_up, "the room never came back");
    }
    assert_eq!(raw(&server, "POST /exchange", JSON, b"{}").0, 400);
}

/// The head of an exchange, and as many bytes of its body as are to come first.
fn begun(server: &Server, body: &str, bytes: usize) -> TcpStream {
    let mut stream = server.connect();
    let length = body.len();
    let (first, _) = body.split_at(bytes);
    let text = format!(
        "POST /exchange HTTP/1.1\r\nhost: localhost\r\n{JSON}\r\ncontent-length: {length}\r\n\r\n{first}"
    );
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

fn status(stream: &mut TcpStream) -> String {
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn bodies_that_do_not_come_keep_nobody_out() {
    let mount = Mount {
        max_exchanges: 1,
        body_timeout: Duration::MAX,
        ..Mount::default()
    };
    let server = Server::start_with(Sign::None, mount);
    let text = slow(&server, 2000);
    let give_up = Instant::now() + Duration::from_secs(20);
    for mut stalled in [(); 3].map(|()| begun(&server, &text, 1)) {
        stalled.set_nonblocking(true).unwrap();
        // Its head may come after the first of these; then it gives way to the next.
        while stalled.peek(&mut [0]).is_err() {
            assert!(Instant::now() < give_up, "it kept its place");
            assert_eq!(raw(&server, "POST /exchange", JSON, b"{}").0, 400);
        }
        stalled.set_nonblocking(false).unwrap();
        assert_eq!(status(&mut stalled), "HTTP/1.1 503");
    }
    let mut running = post(&server, &text);
    server.wait_for_a_run();
    assert_eq!(status(&mut begun(&server, &text, 1)), "HTTP/1.1 503");
    assert_eq!(status(&mut running), "HTTP/1.1 200");
}

#[test]
fn connections_without_a_request_keep_nobody_out() {
    let mount = Mount {
        max_connections: 2,
        header_timeout: Duration::MAX,
        ..Mount::default()
    };
    let server = Server::start_with(Sign::None, mount);
    let text = slow(&server, 2000);
    let mut running = post(&server, &text);
    server.wait_for_a_run();
    let mut idle = [(); 3].map(|()| server.connect());
    assert_eq!(raw(&server, "GET /manifest", JSON, b"").0, 200);
    for stream in &mut idle {
        let mut answer = Vec::new();
        assert_eq!(stream.read_to_end(&mut answer).unwrap(), 0);
    }
    assert_eq!(status(&mut running), "HTTP/1.1 200");
}

#[test]
fn while_every_connection_has_a_request_a_newcomer_is_closed() {
    let mount = Mount {
        max_connections: 1,
        ..Mount::default()
    };
    let server = Server::start_with(Sign::None, mount);
    let mut running = post(&server, &slow(&server, 2000));
    server.wait_for_a_run();
    let mut answer = Vec::new();
    assert_eq!(server.connect().read_to_end(&mut answer).unwrap(), 0);
    assert_eq!(status(&mut running), "HTTP/1.1 200");
}

#[test]
fn a_caller_that_takes_no_answer_is_not_waited_for() {
    let mount = Mount {
        response_timeout: Duration::from_millis(10),
        ..Mount::default()
    };
    let server = Server::start_with(Sign::None, mount);
    let mut stream = server.connect();
    stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
    let many = "GET /manifest HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(1000);
    // Once its answers are stuck the server reads no more; then it hangs up.
    let error = loop {
        if let Err(error) = stream.write_all(many.as_bytes()) {
            break error.kind();
        }
    };
    assert!(
        matches!(error, ErrorKind::ConnectionReset | ErrorKind::BrokenPipe),
        "{error:?}"
    );
}

#[test]
fn a_connection_that_sends_no_whole_head_is_closed() {
    let mount = Mount {
        header_timeout: Duration::from_millis(10),
        ..Mount::default()
    };
    let server = Server::start_with(Sign::None, mount);
    for head in ["", "GET /manifest HTTP/1.1\r\nhost: loc"] {
        let mut stream = server.connect();
        let mut answer = String::new();
        // Closed before the head has come, it is a reset; waited for in vain, it would be another error.
        let ended = stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.read_to_string(&mut answer));
        let is_closed = ended.as_ref().map_or_else(
            |error| matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe),
            |_| true,
        );
        assert!(is_closed && !answer.contains("200"), "{ended:?} {answer}");
    }
}

#[test]
fn no_time_is_too_long() {
    let mount = Mount {
        header_timeout: Duration::MAX,
        body_timeout: Duration::MAX,
        response_timeout: Duration::MAX,
        shutdown_timeout: Duration::MAX,
        ..Mount::default()
    };
    let mut server = Server::start_with(Sign::None, mount);
    let route = Route {
        timeout: Duration::MAX,
        ..Route::default()
    };
    let transport = Transport::new(&server.base_url(), &[], &route).unwrap();
    transport.manifest().unwrap();
    assert_eq!(transport.post("{}"), Err(Error::HttpStatus(400)));
    server.stop();
}

#[test]
fn shutting_down_waits_no_longer_than_it_may() {
    let mount = Mount {
        shutdown_timeout: Duration::from_millis(10),
        ..Mount::default()
    };
    let mut server = Server::start_with(Sign::None, mount);
    let mut stream = post(&server, &slow(&server, 2000));
    server.wait_for_a_run();
    server.stop();
    // Closed without an answer, in whichever way the system says so.
    let mut answer = Vec::new();
    let ended = stream.read_to_end(&mut answer);
    assert!(answer.is_empty(), "{ended:?}");
}

#[test]
fn shutting_down_lets_an_exchange_end_whose_caller_is_gone() {
    let mut server = Server::start(Sign::None);
    let stream = post(&server, &slow(&server, 1500));
    server.wait_for_a_run();
    drop(stream);
    let begun = Instant::now();
    server.stop();
    assert!(begun.elapsed() >= Duration::from_millis(300));
}

#[test]
fn a_server_on_a_loopback_address_goes_by_loopback_names_only() {
    let named = Mount {
        allowed_hosts: Some(vec!["agent.example".to_owned(), "other.example:8080".to_owned()]),
        ..Mount::default()
    };
    let own = Server::start(Sign::None);
    let named = Server::start_with(Sign::None, named);
    for (server, host, status) in [
        (&own, "host: LOCALHOST:8080", 200),
        (&own, "host: 127.0.0.1", 200),
        (&own, "host: [::1]:1", 200),
        (&own, "host: evil.example", 421),
        (&own, "host: localhost.evil.example", 421),
        (&own, "host: localhost\r\nhost: evil.example", 421),
        (&own, "x-no: host", 421),
        (&named, "host: agent.example:1234", 200),
        (&named, "host: other.example:8080", 200),
        (&named, "host: other.example:8081", 421),
        (&named, "host: localhost", 421),
    ] {
        let mut stream = server.connect();
        let head = format!("GET /manifest HTTP/1.1\r\nconnection: close\r\n{host}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{host}: {answer}"
        );
    }
}

#[test]
fn a_transport_gives_up_on_an_endpoint_that_does_not_answer() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let route = Route {
        timeout: Duration::from_millis(50),
        ..Route::default()
    };
    let base_url = format!("http://{}/", silent.local_addr().unwrap());
    let transport = Transport::new(&base_url, &[], &route).unwrap();
    assert!(matches!(transport.manifest(), Err(Error::Host(_))));
    assert!(matches!(transport.post("{}"), Err(Error::Host(_))));
}

#[test]
fn a_store_without_room_refuses_what_is_new_and_answers_what_it_has() {
    let store = MemoryIdempotency::new(100, 1000);
    let server = Server::start_over(Sign::None, Mount::default(), store);
    let mut caller = Caller::new(&server, "client:conformance");
    let blob = "{\"do\":\"blob\",\"length\":2000}";
    let first = ask(&mut caller, call("s:1", "k:1", 1, blob)).unwrap();
    server.wait_for_a_run();
    let error = ask(&mut caller, call("s:1", "k:2", 2, blob)).unwrap_err();
    assert_eq!(error, Error::HttpStatus(500));
    let again = ask(&mut caller, call("s:1", "k:1", 1, blob)).unwrap();
    assert_eq!(again.text(), first.text());
    assert!(server.has_no_run());
}

#[test]
fn a_body_of_more_than_any_envelope_may_have_is_refused_as_soon_as_that_is_known() {
    let most = 67_108_864;
    let mount = Mount {
        max_body_bytes: Some(most),
        ..Mount::default()
    };
    let server = Server::start_with(Sign::None, mount);
    let head = |length: &str| {
        format!(
            "POST /exchange HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{length}\r\n\r\n"
        )
    };
    let mut declared = server.connect();
    let length = format!("content-length: {}", most + 1);
    declared.write_all(head(&length).as_bytes()).unwrap();
    let mut streamed = server.connect();
    streamed
        .write_all(head("transfer-encoding: chunked").as_bytes())
        .unwrap();
    let chunk = [
        format!("{most:x}\r\n").into_bytes(),
        vec![b' '; most],
        b"\r\n1\r\n \r\n".to_vec(),
    ]
    .concat();
    streamed.write_all(&chunk).unwrap();
    for mut stream in [declared, streamed] {
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 413");
    }
}

#[test]
fn a_body_that_is_cut_is_malformed_and_nothing_runs() {
    let server = Server::start(Sign::None);
    let text = slow(&server, 1);
    let (half, _) = text.split_at(text.len() / 2);
    for (length, body) in [
        (format!("content-length: {}", text.len()), half.to_owned()),
        (
            "transfer-encoding: chunked".to_owned(),
            format!("{:x}\r\n{half}\r\n", half.len()),
        ),
    ] {
        let mut stream = server.connect();
        let head = format!("POST /exchange HTTP/1.1\r\nhost: localhost\r\n{JSON}\r\n{length}\r\n\r\n{body}");
        stream.write_all(head.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        // Whoever sent half a body may have gone; if it is told, then this.
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 400 "),
            "{answer}"
        );
        assert!(server.has_no_run());
    }
}

#[test]
fn only_json_is_taken_and_only_by_the_methods_that_there_are() {
    let server = Server::start(Sign::None);
    for (kind, status) in [
        ("application/json", 400),
        ("APPLICATION/JSON ; charset=utf-8", 400),
        ("application/vnd.example+json", 400),
        ("text/json", 415),
        ("application/jsonp", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=application/json", 415),
        ("", 415),
    ] {
        let header = format!("content-type: {kind}");
        assert_eq!(raw(&server, "POST /exchange", &header, b"{}").0, status, "{kind}");
    }
    for (head, status) in [
        ("PUT /exchange", 405),
        ("DELETE /exchange", 405),
        ("OPTIONS /exchange", 405),
        ("PUT /manifest", 405),
        ("GET /", 404),
        ("GET /manifest/", 404),
        ("GET /Manifest", 404),
        ("POST //exchange", 404),
        ("GET /manifest?version=2", 200),
    ] {
        assert_eq!(raw(&server, head, JSON, b"").0, status, "{head}");
    }
}
