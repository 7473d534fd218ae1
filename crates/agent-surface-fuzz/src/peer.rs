//! A peer of the external surface: requests that are good, nearly good or any text, and a page that answers, asks, is left
//! and ends.
//!
//! What must hold: each request is answered once, in an envelope of the protocol; no execution is begun twice for the same
//! evidence, none after the session's end; and at that end nothing waits.

use std::collections::BTreeSet;

use agent_surface_core::time::Millis;
use agent_surface_json::{Bounds, Document};
use agent_surface_kernel::{Config, Kernel, Outcome, Output, PROTOCOL};

use crate::bytes::Bytes;

const END: f64 = 1000.0;
const CONFIG: &str = r#"{"app":"a","expose":["do.it",{"id":"see","capability":"view:b.c"},"view:d.e"],"scope":["do.it","see"],"recordLimit":2,"maxBytes":2000,"maxInFlight":6,"rate":{"limit":50,"windowMs":100}}"#;
const BOUNDS: Bounds = Bounds {
    max_bytes: 1 << 20,
    max_depth: 200,
    lone_surrogates: true,
};
const SNAPSHOTS: [&str; 3] = [
    r#"{"surfaceVersion":"1","components":[],"procedures":[]}"#,
    r#"{"surfaceVersion":"2","components":[{"instanceId":"x","actions":[{"capabilityId":"view:b.c","description":"d","available":true}]}]}"#,
    "{",
];
const RESULTS: [&str; 6] = [
    r#"{"output":[1]}"#,
    r#"{"error":{"code":"CONFIRMATION_REQUIRED","details":{"confirmationId":"cnf"}}}"#,
    r#"{"error":{"code":"CONFIRMATION_INVALID","message":"m","retry":"no","details":{"reason":"denied"}}}"#,
    "{}",
    "[]",
    "not json",
];

#[derive(Default)]
struct Page {
    tokens: u32,
    answered: BTreeSet<u32>,
    executing: Vec<u32>,
    waiting: Vec<u32>,
    describing: Vec<u32>,
    /// Calls that have begun, with how often a decision let each go on.
    begun: BTreeSet<(u32, u32)>,
    decisions: u32,
    is_over: bool,
}

pub(crate) fn fuzz(bytes: &[u8]) {
    let config = Config::read(CONFIG, Millis(END));
    assert!(config.is_ok(), "the configuration is none");
    let Ok(config) = config else { return };
    let mut kernel = Kernel::new(config);
    let mut page = Page::default();
    let mut bytes = Bytes::new(bytes);
    let mut now = 0_u32;
    while !bytes.is_empty() {
        step(&mut kernel, &mut page, &mut bytes, &mut now);
        page.is_over = f64::from(now) > END;
        page.drain(&mut kernel);
    }
    kernel.handle_revoked();
    page.is_over = true;
    page.drain(&mut kernel);
    let all: BTreeSet<u32> = (1..=page.tokens).collect();
    assert_eq!(page.answered, all, "a request was lost");
    assert!(kernel.poll_timeout().is_none(), "something waits after the end");
}

fn step(kernel: &mut Kernel, page: &mut Page, bytes: &mut Bytes<'_>, now: &mut u32) {
    match bytes.byte() % 12 {
        0..=4 => {
            page.tokens += 1;
            let text = request(bytes);
            kernel.handle_request(Millis(f64::from(*now)), page.tokens, &text);
        }
        5 | 6 => {
            if let Some(call) = page.executing.pop() {
                kernel.handle_result(call, &bytes.word(&RESULTS));
            }
        }
        7 => {
            if let Some(call) = page.describing.pop() {
                let snapshot = bytes.flag().then(|| bytes.word(&SNAPSHOTS));
                let records = bytes.flag().then(|| bytes.word(&["[]", "[1,2,3]", "{}"]));
                kernel.handle_described(call, snapshot.as_deref(), records.as_deref(), bytes.number());
            }
        }
        8 => {
            if let Some(call) = page.waiting.pop() {
                page.decisions += 1;
                let outcome = if bytes.flag() {
                    Outcome::Decided
                } else {
                    Outcome::Expired
                };
                kernel.handle_decided(Millis(f64::from(*now)), call, outcome);
            }
        }
        9 => kernel.handle_left(u32::from(bytes.byte())),
        10 => {
            page.tokens += 1;
            let id = bytes.flag().then_some("r1");
            kernel.handle_unreadable(page.tokens, id, bytes.flag(), "is none");
        }
        _ => *now += u32::from(bytes.byte()),
    }
}

fn request(bytes: &mut Bytes<'_>) -> String {
    if bytes.one_in(4) {
        return bytes.text();
    }
    let protocol = bytes.word(&[PROTOCOL, PROTOCOL, "agent-surface/2"]);
    let id = bytes.word(&["r1", "r2", "r3", "r4", ""]);
    let method = bytes.word(&["invoke", "invoke", "describe", "approve"]);
    let capability = bytes.word(&["do.it", "see", "view:d.e", "view:b.c"]);
    let input = bytes.word(&["{}", "{\"limit\":1}", "null", "\"\\ud800\"", "{\"a\":1,\"a\":2}"]);
    let mut text = format!(r#"{{"protocol":"{protocol}","id":"{id}","method":"{method}""#);
    if method != "describe" {
        text.extend([r#","capability":""#, &capability, "\""]);
    }
    if bytes.flag() {
        text.extend([r#","input":"#, &input]);
    }
    text.push('}');
    text
}

impl Page {
    fn drain(&mut self, kernel: &mut Kernel) {
        while let Some(output) = kernel.poll_output() {
            match output {
                Output::Respond { token, text, .. } => {
                    assert!(self.answered.insert(token), "@{token} was answered twice");
                    envelope(&text);
                }
                Output::Describe { call, limit } => {
                    assert!(limit <= 2);
                    self.describing.push(call);
                }
                Output::Invoke {
                    call,
                    exposure,
                    confirmation,
                    ..
                } => {
                    assert!(!self.is_over, "something runs after the session's end");
                    assert!(exposure < 2, "what is outside the scope runs");
                    let decisions = if confirmation.is_some() { self.decisions } else { 0 };
                    assert!(self.begun.insert((call, decisions)), "#{call} runs twice");
                    self.executing.push(call);
                }
                Output::Wait { call, .. } => self.waiting.push(call),
                Output::Abort { .. } | Output::Withdraw { .. } => {}
            }
        }
    }
}

fn envelope(text: &str) {
    let document = Document::parse(text, BOUNDS);
    assert!(document.is_ok(), "a response that is no JSON: {text}");
    let Ok(document) = document else { return };
    let root = document.root();
    assert!(
        root.get("protocol")
            .is_some_and(|protocol| protocol.is_str(PROTOCOL))
    );
    assert!(root.get("id").is_some() && root.get("ok").is_some());
    assert!(root.get("error").is_some() != root.get("result").is_some());
}
