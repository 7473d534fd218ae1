//! The module behind the entry `/surface`: kernels and sessions, numbers and texts in and out.
//!
//! It refuses to hold a rule. Called by the facade's `surface.js`, which knows the letters of outputs.

use agent_surface_core::time::Millis;
use agent_surface_json::{write_string, write_u64};
use alloc::string::String;
use core::cell::RefCell;
use wasm_bindgen::prelude::*;

use agent_surface_kernel::{
    Config, Exchange, Gate, GateOutput, Greeted, Kernel, Nonce, Noted, Outcome, Output, Sessions, Standing,
};

/// The capability behind a published id of an app; undefined where there is none.
#[wasm_bindgen(js_name = capabilityOf)]
pub fn capability_of(app: &str, published: &str) -> Option<String> {
    agent_surface_kernel::capability_of(app, published)
}

/// A kernel.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SurfaceKernel(RefCell<Kernel>);

#[wasm_bindgen]
impl SurfaceKernel {
    /// From the text of a configuration.
    ///
    /// # Errors
    /// A sentence.
    #[wasm_bindgen(constructor)]
    pub fn new(config: &str, expires_at: f64) -> Result<SurfaceKernel, String> {
        let config = Config::read(config, Millis(expires_at))?;
        Ok(SurfaceKernel(RefCell::new(Kernel::new(config))))
    }

    /// The allowlist: capability and instance of each entry, as JSON.
    pub fn exposures(&self) -> String {
        let kernel = self.0.borrow();
        let mut out = String::from("[");
        for exposure in kernel.exposures() {
            out.push_str(if out.len() > 1 { ",{" } else { "{" });
            member(&mut out, "id", &exposure.id);
            member(&mut out, "capability", &exposure.capability);
            if let Some(instance) = &exposure.instance {
                member(&mut out, "instance", instance);
            }
            out.push('}');
        }
        out.push(']');
        out
    }

    /// A request.
    pub fn request(&self, now: f64, token: u32, text: &str) {
        self.0.borrow_mut().handle_request(Millis(now), token, text);
    }

    /// A request that is no text.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "an optional text crosses as one of its own"
    )]
    pub fn unreadable(&self, token: u32, id: Option<String>, too_large: bool, problem: &str) {
        self.0
            .borrow_mut()
            .handle_unreadable(token, id.as_deref(), too_large, problem);
    }

    /// What a description is made from.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "an optional text crosses as one of its own"
    )]
    pub fn described(&self, call: u32, snapshot: Option<String>, records: Option<String>, total: u32) {
        self.0
            .borrow_mut()
            .handle_described(call, snapshot.as_deref(), records.as_deref(), total);
    }

    /// Whether descriptions have changed.
    pub fn look(&self, snapshot: &str) -> bool {
        self.0.borrow_mut().handle_look(snapshot)
    }

    /// What an execution came to.
    pub fn result(&self, call: u32, text: &str) {
        self.0.borrow_mut().handle_result(call, text);
    }

    /// A decision was made, or will not be.
    pub fn decided(&self, now: f64, call: u32, expired: bool) {
        let outcome = if expired {
            Outcome::Expired
        } else {
            Outcome::Decided
        };
        self.0.borrow_mut().handle_decided(Millis(now), call, outcome);
    }

    /// Nobody waits under a token.
    pub fn left(&self, token: u32) {
        self.0.borrow_mut().handle_left(token);
    }

    /// The session ended, by its time or by a person.
    pub fn ended(&self, expired: bool) {
        let mut kernel = self.0.borrow_mut();
        if expired {
            kernel.handle_timeout();
        } else {
            kernel.handle_revoked();
        }
    }

    /// The next output: a letter, a number, a space and a text. Undefined at the end.
    pub fn poll(&self) -> Option<String> {
        let output = self.0.borrow_mut().poll_output()?;
        Some(match output {
            Output::Respond {
                token,
                text,
                exchange,
            } => line('R', token, &(told(&exchange) + "\n" + &text)),
            Output::Describe { call, limit } => {
                let mut text = String::new();
                write_u64(&mut text, u64::from(limit));
                line('D', call, &text)
            }
            Output::Invoke {
                call,
                exposure,
                id,
                input,
                confirmation,
            } => {
                let mut text = String::from("{\"exposure\":");
                write_u64(&mut text, exposure as u64);
                member(&mut text, "id", &id);
                if !input.is_empty() {
                    text.push_str(",\"input\":");
                    text.push_str(&input);
                }
                if let Some(confirmation) = &confirmation {
                    member(&mut text, "confirmation", confirmation);
                }
                text.push('}');
                line('I', call, &text)
            }
            Output::Wait { call, confirmation } => line('W', call, &confirmation),
            Output::Abort { call } => line('A', call, ""),
            Output::Withdraw { confirmation, reason } => {
                let mut text = confirmation;
                text.push(' ');
                text.push_str(reason);
                line('X', 0, &text)
            }
        })
    }

    /// When a timer is due; negative for never.
    pub fn timeout(&self) -> f64 {
        self.0.borrow().poll_timeout().map_or(-1.0, |at| at.0)
    }
}

/// A response's first line: what an audit says of it.
fn told(exchange: &Exchange) -> String {
    let mut out = String::from(if exchange.is_ok {
        "{\"ok\":true"
    } else {
        "{\"ok\":false"
    });
    for (key, value) in [
        ("requestId", &exchange.request_id),
        ("method", &exchange.method),
        ("capability", &exchange.capability),
        ("code", &exchange.code),
    ] {
        if let Some(value) = value {
            member(&mut out, key, value);
        }
    }
    out.push('}');
    out
}

/// Writes a member whose value is a text; a comma before it, unless it is the first.
fn member(out: &mut String, key: &str, value: &str) {
    out.push_str(if out.ends_with('{') { "\"" } else { ",\"" });
    out.push_str(key);
    out.push_str("\":");
    write_string(out, value);
}

fn line(letter: char, number: u32, text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 12);
    out.push(letter);
    write_u64(&mut out, u64::from(number));
    out.push(' ');
    out.push_str(text);
    out
}

/// The sessions of a page.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SurfaceSessions(RefCell<Sessions>);

#[wasm_bindgen]
impl SurfaceSessions {
    /// Sessions of `ttl` milliseconds, at most `max`, and of one origin at most `max_of_origin`.
    #[wasm_bindgen(constructor)]
    pub fn new(ttl: u32, max: u32, max_of_origin: Option<u32>) -> SurfaceSessions {
        let max_of_origin = max_of_origin.map(|max| max as usize);
        SurfaceSessions(RefCell::new(Sessions::new(ttl, max as usize, max_of_origin)))
    }

    /// The end of a session that was made; no number where there are too many.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "an optional text crosses as one of its own"
    )]
    pub fn create(&self, now: f64, id: &str, origin: Option<String>) -> f64 {
        let made = self.0.borrow_mut().create(Millis(now), id, origin.as_deref());
        made.map_or(f64::NAN, |at| at.0)
    }

    /// 0 live, 1 expired, 2 revoked, 3 unknown.
    pub fn standing(&self, now: f64, id: &str) -> u32 {
        match self.0.borrow().standing(Millis(now), id) {
            Some(Standing::Live) => 0,
            Some(Standing::Expired) => 1,
            Some(Standing::Revoked) => 2,
            None => 3,
        }
    }

    /// Whether it was not revoked before.
    pub fn revoke(&self, id: &str) -> bool {
        self.0.borrow_mut().revoke(id)
    }
}

/// The gate of a transport.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SurfaceGate(RefCell<Gate>);

#[wasm_bindgen]
impl SurfaceGate {
    /// The page may think for `wait` milliseconds about each handshake.
    #[wasm_bindgen(constructor)]
    pub fn new(wait: u32) -> SurfaceGate {
        SurfaceGate(RefCell::new(Gate::new(wait)))
    }

    /// The number of a handshake that begins. 0 is a repeated greeting, -1 one whose handshake is over, -2 a replayed one, -3
    /// one with a malformed nonce, -4 one too many.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "an optional text crosses as one of its own"
    )]
    pub fn greet(&self, now: f64, origin: &str, nonce: Option<String>, source: u32) -> f64 {
        let nonce = nonce.as_deref().map(|text| Nonce { text, source });
        match self.0.borrow_mut().handle_greeting(Millis(now), origin, nonce) {
            Greeted::Begin(number) => f64::from(number),
            Greeted::Repeat => 0.0,
            Greeted::Late => -1.0,
            Greeted::Replay => -2.0,
            Greeted::Malformed => -3.0,
            Greeted::TooMany => -4.0,
        }
    }

    /// The page has answered about a handshake. Whether that was still waited for.
    pub fn answered(&self, number: u32) -> bool {
        self.0.borrow_mut().handle_answer(number)
    }

    /// 0 is told at once, 1 counted under its key, 2 counted under that of the rest.
    pub fn note(&self, now: f64, key: &str, rest: &str) -> u32 {
        match self.0.borrow_mut().handle_note(Millis(now), key, rest) {
            Noted::Tell => 0,
            Noted::Hold => 1,
            Noted::HoldWithRest => 2,
        }
    }

    /// The timer fired.
    pub fn elapse(&self, now: f64) {
        self.0.borrow_mut().handle_timeout(Millis(now));
    }

    /// What is due: a letter, a number, a space and a key. Undefined at the end.
    pub fn poll(&self) -> Option<String> {
        Some(match self.0.borrow_mut().poll_output()? {
            GateOutput::GiveUp(number) => line('G', number, ""),
            GateOutput::Tell { key, count } => line('T', count, &key),
        })
    }

    /// Milliseconds until a timer is due; negative for never.
    pub fn rest(&self, now: f64) -> f64 {
        self.0.borrow().poll_rest(Millis(now)).unwrap_or(-1.0)
    }
}
