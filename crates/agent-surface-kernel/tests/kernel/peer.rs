//! A peer of a kernel under test, and how its requests and answers are read.
//!
//! It refuses to judge. Used by all conversations.

use agent_surface_core::time::Millis;
use agent_surface_kernel::{Config, Kernel, Output};
use serde_json::{Value, json};

pub(crate) const END: f64 = 10_000.0;

pub(crate) fn config(more: &Value) -> Value {
    let mut config = json!({
        "app": "support-queue",
        "expose": [
            "todo.overview",
            { "id": "todo.add", "capability": "view:todo.list.add", "instanceId": "main" },
            { "id": "pay", "capability": "domain:billing.pay" },
            "view:todo.list.secret",
        ],
        "scope": ["todo.overview", "todo.add", "pay"],
        "recordLimit": 2, "maxBytes": 4096, "maxInFlight": 8,
    });
    for (key, value) in more.as_object().unwrap() {
        config[key] = value.clone();
    }
    config
}

pub(crate) struct Peer {
    pub(crate) kernel: Kernel,
    pub(crate) now: f64,
    pub(crate) tokens: u32,
}

impl Peer {
    pub(crate) fn with(more: &Value) -> Peer {
        let config = Config::read(&config(more).to_string(), Millis(END)).unwrap();
        Peer {
            kernel: Kernel::new(config),
            now: 0.0,
            tokens: 0,
        }
    }

    pub(crate) fn new() -> Peer {
        Peer::with(&json!({}))
    }

    pub(crate) fn drain(&mut self) -> Vec<Output> {
        std::iter::from_fn(|| self.kernel.poll_output()).collect()
    }

    pub(crate) fn send(&mut self, text: &str) -> Vec<Output> {
        self.tokens += 1;
        self.kernel.handle_request(Millis(self.now), self.tokens, text);
        self.drain()
    }

    pub(crate) fn invoke(&mut self, id: &str, capability: &str, input: &Value) -> Vec<Output> {
        self.send(&request(id, capability, input))
    }

    pub(crate) fn result(&mut self, call: u32, result: &Value) -> Vec<Output> {
        self.kernel.handle_result(call, &result.to_string());
        self.drain()
    }
}

pub(crate) fn request(id: &str, capability: &str, input: &Value) -> String {
    json!({ "protocol": "agent-surface/1", "id": id, "method": "invoke", "capability": capability, "input": input })
        .to_string()
}

/// The only response, to `token`.
pub(crate) fn response(outputs: &[Output]) -> Value {
    match outputs {
        [Output::Respond { text, .. }] => serde_json::from_str(text).unwrap(),
        other => panic!("not one response: {other:?}"),
    }
}

pub(crate) fn refusal(outputs: &[Output]) -> String {
    let response = response(outputs);
    assert_eq!(response["ok"], json!(false), "{response}");
    assert!(!response["error"]["message"].as_str().unwrap().is_empty());
    response["error"]["code"].as_str().unwrap().to_owned()
}

pub(crate) fn call_of(outputs: &[Output]) -> u32 {
    match outputs {
        [Output::Invoke { call, .. } | Output::Describe { call, .. } | Output::Wait { call, .. }] => *call,
        other => panic!("not one call: {other:?}"),
    }
}

pub(crate) fn ask_person(peer: &mut Peer, id: &str) -> u32 {
    let call = call_of(&peer.invoke(id, "todo.add", &json!({})));
    let asked =
        json!({ "error": { "code": "CONFIRMATION_REQUIRED", "details": { "confirmationId": "cnf_1" } } });
    let wait = Output::Wait {
        call,
        confirmation: "cnf_1".to_owned(),
    };
    assert_eq!(peer.result(call, &asked), [wait]);
    call
}
