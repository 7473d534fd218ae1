//! The transport against servers that do not do as they should: statuses, lengths, cuts and silence.
//!
//! It refuses to wait for more than a refusal: what would never end is ended by the transport. The test runner calls it.
#![expect(
    clippy::unwrap_used,
    reason = "a test all of it: what is not as expected must fail, with its words"
)]

use agent_surface_host::{Route, Transport};
use agent_surface_interop::{Error, Exact, Rule};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// One byte more than a transport reads unless it is told otherwise.
const TOO_MANY: usize = 67_108_865;

/// A transport to a server that reads one request and then does this.
fn facing(answer: impl FnOnce(&mut TcpStream) + Send + 'static) -> Transport {
    facing_for(Duration::from_secs(20), answer)
}

fn facing_for(timeout: Duration, answer: impl FnOnce(&mut TcpStream) + Send + 'static) -> Transport {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut seen = Vec::new();
        let mut piece = [0; 1024];
        // The requests here end with their head or with `{}`.
        while !seen.ends_with(b"\r\n\r\n") && !seen.ends_with(b"{}") {
            let length = stream.read(&mut piece).unwrap();
            seen.extend_from_slice(piece.get(..length).unwrap());
        }
        answer(&mut stream);
    });
    let route = Route {
        timeout,
        ..Route::default()
    };
    Transport::new(&base_url, &[], &route).unwrap()
}

fn saying(text: &'static str) -> Result<Exact, Error> {
    facing(|stream| stream.write_all(text.as_bytes()).unwrap()).post("{}")
}

#[test]
fn whatever_is_no_success_is_an_error_with_its_status() {
    for status in [
        301, 302, 304, 307, 400, 401, 403, 404, 405, 408, 409, 413, 415, 421, 429, 500, 502, 503, 599,
    ] {
        let head = format!(
            "HTTP/1.1 {status} X\r\nlocation: /elsewhere\r\ncontent-length: 7\r\nconnection: close\r\n\r\n"
        );
        let answer = move |stream: &mut TcpStream| {
            // Of some statuses the caller does not even read the body.
            drop(stream.write_all(&[head.as_bytes(), b"{\"a\":1}"].concat()));
        };
        assert_eq!(facing(answer).post("{}"), Err(Error::HttpStatus(status)));
    }
}

#[test]
fn a_reply_past_the_bound_is_refused_by_what_it_declares_and_while_it_comes_in() {
    let too_large = Err(Rule::HttpTooLarge.into());
    let declared = facing(|stream| {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {TOO_MANY}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
    });
    assert_eq!(declared.manifest(), too_large);
    let undeclared = facing(|stream| {
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")
            .unwrap();
        // The caller hangs up at the first byte too many.
        drop(stream.write_all(&vec![b' '; TOO_MANY]));
    });
    assert_eq!(undeclared.manifest(), too_large);
}

#[test]
fn a_reply_that_is_cut_is_none() {
    for text in [
        "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{\"a\":1}",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7\r\n{\"a\":1}\r\n",
        "HTTP/1.1 200 OK\r\ncontent-",
        "",
    ] {
        let found = saying(text);
        assert!(matches!(found, Err(Error::Host(_))), "{text}: {found:?}");
    }
    for text in [
        "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"a\":",
        "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
    ] {
        let found = saying(text);
        assert!(matches!(found, Err(Error::Json(_))), "{text}: {found:?}");
    }
}

#[test]
fn a_reply_that_stops_coming_is_not_waited_for() {
    for text in [
        "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{\"a\"",
        "HTTP/1.1 200",
        "",
    ] {
        let silent = facing_for(Duration::from_millis(50), |stream| {
            stream.write_all(text.as_bytes()).unwrap();
            // Until the caller has gone.
            drop(stream.read_to_end(&mut Vec::new()));
        });
        let found = silent.post("{}");
        assert!(matches!(found, Err(Error::Host(_))), "{text}: {found:?}");
    }
}

#[test]
fn a_reply_is_what_it_holds_and_not_what_it_is_called() {
    for kind in ["text/html", "application/json; charset=utf-16", ""] {
        let text = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: 7\r\n\r\n{{\"a\":1}}");
        let found = facing(move |stream| stream.write_all(text.as_bytes()).unwrap()).post("{}");
        assert_eq!(found.unwrap().text(), "{\"a\":1}", "{kind}");
    }
}
