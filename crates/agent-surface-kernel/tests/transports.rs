//! One conversation through two transports that have nothing in common: queues in memory, and lines of a byte stream that
//! comes in pieces. What a peer hears, and what runs, is the same.
//!
//! It refuses to know how the kernel answers: that is compared elsewhere.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::VecDeque;

use agent_surface_core::time::Millis;
use agent_surface_kernel::{Config, Incoming, Kernel, Link, Outcome, Output, Standing, Transport};
use serde_json::{Value, json};

/// What a peer does and hears, whatever carries it.
trait Peer: Transport {
    fn connected() -> Self;
    fn says(&mut self, token: u32, text: &str);
    fn leaves(&mut self, token: u32);
    fn vanishes(&mut self);
    /// Responses by token, in the order in which they came.
    fn heard(&self) -> Vec<(u32, Value)>;
    fn end(&self) -> Option<Standing>;
}

#[derive(Default)]
struct Queues {
    incoming: VecDeque<Incoming>,
    heard: Vec<(u32, Value)>,
    end: Option<Standing>,
}

impl Transport for Queues {
    fn poll_incoming(&mut self) -> Option<Incoming> {
        self.incoming.pop_front()
    }

    fn send(&mut self, token: u32, response: String) {
        self.heard.push((token, serde_json::from_str(&response).unwrap()));
    }

    fn close(&mut self, standing: Standing) {
        assert_eq!(self.end.replace(standing), None, "closed twice");
    }
}

impl Peer for Queues {
    fn connected() -> Queues {
        Queues::default()
    }

    fn says(&mut self, token: u32, text: &str) {
        let text = text.to_owned();
        self.incoming.push_back(Incoming::Request { token, text });
    }

    fn leaves(&mut self, token: u32) {
        self.incoming.push_back(Incoming::Left { token });
    }

    fn vanishes(&mut self) {
        self.incoming.push_back(Incoming::Gone);
    }

    fn heard(&self) -> Vec<(u32, Value)> {
        self.heard.clone()
    }

    fn end(&self) -> Option<Standing> {
        self.end
    }
}

/// `N TEXT` asks, `N` alone leaves; a line that is longer than it reads is skipped, not kept.
struct Lines {
    wire: VecDeque<u8>,
    line: Vec<u8>,
    is_skipping: bool,
    is_open: bool,
    written: Vec<u8>,
    end: Option<Standing>,
}

/// Of a request; the number before it and the end of the line are not counted.
const MAX_LINE: usize = 300;

impl Lines {
    fn take_line(&mut self) -> Incoming {
        let line = std::mem::take(&mut self.line);
        let is_too_large = std::mem::take(&mut self.is_skipping);
        let space = line.iter().position(|&byte| byte == b' ');
        let (head, text) = space.map_or((&line[..], None), |at| (&line[..at], Some(&line[at + 1..])));
        let token = std::str::from_utf8(head).unwrap().parse().unwrap();
        match text.map(|text| String::from_utf8(text.to_vec())) {
            _ if is_too_large => Incoming::Unreadable {
                token,
                is_too_large,
                problem: "must fit into a line".to_owned(),
            },
            None => Incoming::Left { token },
            Some(Ok(text)) => Incoming::Request { token, text },
            Some(Err(_)) => Incoming::Unreadable {
                token,
                is_too_large,
                problem: "must be UTF-8".to_owned(),
            },
        }
    }
}

impl Transport for Lines {
    fn poll_incoming(&mut self) -> Option<Incoming> {
        while let Some(byte) = self.wire.pop_front() {
            match byte {
                b'\n' => return Some(self.take_line()),
                _ if self.line.len() < MAX_LINE + 4 => self.line.push(byte),
                _ => self.is_skipping = true,
            }
        }
        (!std::mem::replace(&mut self.is_open, true)).then_some(Incoming::Gone)
    }

    fn send(&mut self, token: u32, response: String) {
        self.written
            .extend_from_slice(format!("{token} {response}\n").as_bytes());
    }

    fn close(&mut self, standing: Standing) {
        assert_eq!(self.end.replace(standing), None, "closed twice");
    }
}

impl Peer for Lines {
    fn connected() -> Lines {
        Lines {
            wire: VecDeque::new(),
            line: Vec::new(),
            is_skipping: false,
            is_open: true,
            written: Vec::new(),
            end: None,
        }
    }

    fn says(&mut self, token: u32, text: &str) {
        self.wire.extend(format!("{token} {text}\n").bytes());
    }

    fn leaves(&mut self, token: u32) {
        self.wire.extend(format!("{token}\n").bytes());
    }

    fn vanishes(&mut self) {
        self.is_open = false;
    }

    fn heard(&self) -> Vec<(u32, Value)> {
        let text = std::str::from_utf8(&self.written).unwrap();
        let lines = text.lines().map(|line| line.split_once(' ').unwrap());
        lines
            .map(|(token, response)| (token.parse().unwrap(), serde_json::from_str(response).unwrap()))
            .collect()
    }

    fn end(&self) -> Option<Standing> {
        self.end
    }
}

fn link<T: Peer>() -> Link<T> {
    let config = json!({
        "app": "queue", "expose": ["todo.add", "todo.clear"], "scope": ["todo.add", "todo.clear"],
        "recordLimit": 2, "maxBytes": 300, "maxInFlight": 8,
    });
    let kernel = Kernel::new(Config::read(&config.to_string(), Millis(1000.0)).unwrap());
    Link::new(kernel, T::connected())
}

fn request(id: &str, capability: &str) -> String {
    json!({ "protocol": "agent-surface/1", "id": id, "method": "invoke", "capability": capability })
        .to_string()
}

/// The host: adds at once, asks a person before it clears. What it did, in words.
fn drain<T: Peer>(link: &mut Link<T>, now: f64) -> Vec<String> {
    let mut did = Vec::new();
    while let Some(output) = link.poll_output(Millis(now)) {
        match output {
            Output::Invoke {
                call,
                exposure: 1,
                confirmation: None,
                ..
            } => {
                let asks = json!({ "error": { "code": "CONFIRMATION_REQUIRED", "details": { "confirmationId": "cnf_1" } } });
                link.kernel().handle_result(call, &asks.to_string());
            }
            Output::Invoke { call, id, .. } => {
                did.push(format!("ran {id}"));
                link.kernel().handle_result(call, r#"{"output":"done"}"#);
            }
            Output::Wait { call, .. } => did.push(format!("asked {call}")),
            Output::Withdraw { reason, .. } => did.push(format!("withdrew: {reason}")),
            Output::Describe { call, .. } => {
                let snapshot = r#"{"surfaceVersion":"1","components":[],"procedures":[]}"#;
                link.kernel()
                    .handle_described(call, Some(snapshot), Some("[]"), 0);
            }
            Output::Abort { call } => did.push(format!("aborted {call}")),
            Output::Respond { .. } => panic!("a response that the transport was not given"),
        }
    }
    did
}

/// What became of each request: `done`, or a code.
fn outcomes<T: Peer>(link: &mut Link<T>) -> Vec<(u32, String)> {
    let brief = |(token, response): (u32, Value)| {
        assert_eq!(response["protocol"], json!("agent-surface/1"));
        let error = [&response["error"]["code"], &response["result"]["error"]["code"]];
        let code = error.into_iter().find_map(Value::as_str).unwrap_or("done");
        (token, code.to_owned())
    };
    link.transport().heard().into_iter().map(brief).collect()
}

fn holds_a_whole_conversation<T: Peer>() {
    let mut link = link::<T>();
    let large = "x".repeat(400);
    link.transport().says(1, &request("a", "todo.add"));
    link.transport().says(2, "not json");
    link.transport().says(3, &large);
    link.transport().says(4, &request("b", "todo.remove"));
    // The same request again is answered with what the first one came to.
    link.transport().says(5, &request("a", "todo.add"));
    assert_eq!(drain(&mut link, 1.0), ["ran a"]);
    // Two wait for a person; one of them leaves.
    link.transport().says(6, &request("c", "todo.clear"));
    link.transport().says(7, &request("d", "todo.clear"));
    link.transport().leaves(7);
    let did = drain(&mut link, 2.0);
    assert_eq!(did, ["asked 2", "asked 3", "withdrew: the agent no longer waits"]);
    link.kernel().handle_decided(Millis(3.0), 2, Outcome::Decided);
    assert_eq!(drain(&mut link, 3.0), ["ran c"]);
    let said = [
        (1, "done"),
        (2, "INVALID_REQUEST"),
        (3, "REQUEST_TOO_LARGE"),
        (4, "CAPABILITY_NOT_EXPOSED"),
        (5, "done"),
        (7, "CANCELLED"),
        (6, "done"),
    ];
    assert_eq!(
        outcomes(&mut link),
        said.map(|(token, code)| (token, code.to_owned()))
    );
    assert_eq!(link.transport().end(), None);
}

fn ends_with_its_session<T: Peer>() {
    for how in [Standing::Revoked, Standing::Expired] {
        let mut link = link::<T>();
        link.transport().says(1, &request("a", "todo.clear"));
        drain(&mut link, 1.0);
        // What is still on its way is not taken in any more.
        link.transport().says(2, &request("b", "todo.add"));
        let code = if how == Standing::Expired {
            link.kernel().handle_timeout();
            "SESSION_EXPIRED"
        } else {
            link.kernel().handle_revoked();
            "SESSION_REVOKED"
        };
        assert_eq!(drain(&mut link, 1.0), ["withdrew: the agent's session ended"]);
        assert_eq!(outcomes(&mut link), [(1, code.to_owned())]);
        assert_eq!(drain(&mut link, 1.0), [""; 0]);
        assert_eq!(link.transport().end(), Some(how));
    }
}

fn a_peer_that_is_gone_leaves_nothing_to_be_approved<T: Peer>() {
    let mut link = link::<T>();
    link.transport().says(1, &request("a", "todo.clear"));
    drain(&mut link, 1.0);
    link.transport().vanishes();
    assert_eq!(drain(&mut link, 2.0), ["withdrew: the agent's session ended"]);
    link.kernel().handle_decided(Millis(3.0), 1, Outcome::Decided);
    assert_eq!(drain(&mut link, 3.0), [""; 0]);
    assert_eq!(link.transport().end(), Some(Standing::Revoked));
}

#[test]
fn queues_in_memory_carry_a_conversation_and_its_ends() {
    holds_a_whole_conversation::<Queues>();
    ends_with_its_session::<Queues>();
    a_peer_that_is_gone_leaves_nothing_to_be_approved::<Queues>();
}

#[test]
fn lines_of_a_byte_stream_carry_the_same() {
    holds_a_whole_conversation::<Lines>();
    ends_with_its_session::<Lines>();
    a_peer_that_is_gone_leaves_nothing_to_be_approved::<Lines>();
}

#[test]
fn a_stream_that_comes_in_pieces_is_put_together_and_what_is_no_text_is_refused() {
    let mut link = link::<Lines>();
    let text = format!("1 {}\n", request("a", "todo.add"));
    for piece in text.as_bytes().chunks(7) {
        assert_eq!(drain(&mut link, 1.0), [""; 0]);
        link.transport().wire.extend(piece);
    }
    assert_eq!(drain(&mut link, 1.0), ["ran a"]);
    link.transport().wire.extend(b"2 \xff\xfe\n");
    assert_eq!(drain(&mut link, 1.0), [""; 0]);
    assert_eq!(
        outcomes(&mut link),
        [(1, "done".to_owned()), (2, "INVALID_REQUEST".to_owned())]
    );
}
