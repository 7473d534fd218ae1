//! What `describe` answers.
//!
//! They refuse to rely on a registry: a snapshot is a text. Run by `cargo test`.

use serde_json::{Value, json};

use crate::peer::*;

fn snapshot(version: &str, is_available: bool) -> String {
    let state = if is_available {
        json!({ "available": true })
    } else {
        json!({ "available": false, "unavailableReason": "busy" })
    };
    let mut add = json!({ "capabilityId": "view:todo.list.add", "name": "add", "description": "Adds", "inputSchema": { "type": "object", "maxProperties": 1e2 }, "effect": "local-state", "idempotent": false, "reversible": true, "confirmation": "required", "meta": { "secret": 1 } });
    for (key, value) in state.as_object().unwrap() {
        add[key] = value.clone();
    }
    let secret =
        json!({ "capabilityId": "view:todo.list.secret", "description": "Secret", "available": true });
    let look = json!({ "capabilityId": "view:support-queue.todo.overview", "description": "Counts", "outputSchema": true, "available": true });
    json!({
        "surfaceVersion": version,
        "components": [
            { "type": "todo.list", "instanceId": "other", "actions": [add.clone()], "observations": [] },
            { "type": "todo.list", "instanceId": "main", "actions": [add, secret], "observations": [] },
            { "type": "support-queue.todo", "instanceId": "default", "observations": [look], "actions": [] },
        ],
        "procedures": [],
    })
    .to_string()
}

fn described(
    peer: &mut Peer,
    id: &str,
    snapshot: Option<&str>,
    records: &Value,
    limit: Option<u32>,
) -> Value {
    let input = limit.map(|limit| json!({ "limit": limit }));
    let text =
        json!({ "protocol": "agent-surface/1", "id": id, "method": "describe", "input": input }).to_string();
    let call = call_of(&peer.send(&text));
    let total = u32::try_from(records.as_array().unwrap().len()).unwrap();
    peer.kernel
        .handle_described(call, snapshot, Some(&records.to_string()), total);
    response(&peer.drain())["result"].clone()
}

#[test]
fn a_description_lists_the_allowlist_within_the_scope_and_no_more() {
    let mut peer = Peer::new();
    let records = json!([{ "n": 1 }, { "n": 2 }, { "n": 3 }]);
    let result = described(&mut peer, "1", Some(&snapshot("7", true)), &records, None);
    let expected = json!({
        "protocol": "agent-surface/1", "app": "support-queue", "surfaceVersion": "7",
        "capabilities": [
            { "id": "todo.overview", "description": "Counts", "inputSchema": { "type": "object", "properties": {}, "additionalProperties": false }, "outputSchema": true, "effect": "read", "confirmation": "never", "available": true },
            { "id": "todo.add", "description": "Adds", "inputSchema": { "type": "object", "maxProperties": 1e2 }, "effect": "local-state", "confirmation": "required", "available": true },
            { "id": "pay", "available": false, "unavailableReason": "not-mounted" },
        ],
        "context": { "records": [{ "n": 1 }, { "n": 2 }], "total": 3, "truncated": true },
    });
    assert_eq!(result, expected);
    let one = described(&mut peer, "2", None, &records, Some(1));
    assert_eq!(
        one["context"],
        json!({ "records": [{ "n": 1 }], "total": 3, "truncated": true })
    );
    assert_eq!(one["capabilities"], expected["capabilities"]);
    let busy = described(&mut peer, "3", Some(&snapshot("8", false)), &json!([]), Some(99));
    assert_eq!(
        busy["context"],
        json!({ "records": [], "total": 0, "truncated": false })
    );
    assert_eq!(busy["capabilities"][1]["unavailableReason"], json!("busy"));
}

#[test]
fn two_instances_behind_one_name_are_said_to_be_ambiguous() {
    let mut peer =
        Peer::with(&json!({ "expose": [{ "id": "todo.add", "capability": "view:todo.list.add" }] }));
    let result = described(&mut peer, "1", Some(&snapshot("7", true)), &json!([]), None);
    assert_eq!(result["capabilities"][0]["available"], json!(false));
    assert_eq!(
        result["capabilities"][0]["unavailableReason"],
        json!("ambiguous-instance")
    );
}

#[test]
fn a_hundred_descriptions_are_equal_byte_for_byte() {
    let texts: std::collections::BTreeSet<String> = (0..100)
        .map(|_| {
            let mut peer = Peer::new();
            let text = r#"{"protocol":"agent-surface/1","id":"d","method":"describe"}"#;
            let call = call_of(&peer.send(text));
            peer.kernel
                .handle_described(call, Some(&snapshot("7", true)), Some("[]"), 0);
            response(&peer.drain()).to_string()
        })
        .collect();
    assert_eq!(texts.len(), 1);
}

#[test]
fn records_are_bounded_in_bytes_too_and_a_page_that_has_none_to_give_says_so() {
    let mut peer = Peer::new();
    let records = json!(["x".repeat(20_000), "y".repeat(20_000)]);
    let result = described(&mut peer, "1", Some(&snapshot("7", true)), &records, None);
    assert_eq!(result["context"]["records"].as_array().unwrap().len(), 1);
    assert_eq!(result["context"]["truncated"], json!(true));
    let text = r#"{"protocol":"agent-surface/1","id":"d","method":"describe"}"#;
    let call = call_of(&peer.send(text));
    peer.kernel.handle_described(call, None, None, 0);
    let result = response(&peer.drain())["result"].clone();
    assert_eq!(result["error"]["code"], json!("EXECUTION_FAILED"));
}

#[test]
fn only_what_would_be_described_counts_as_a_change() {
    let mut peer = Peer::new();
    let looks = ["7", "8"].map(|version| peer.kernel.handle_look(&snapshot(version, true)));
    assert_eq!(looks, [false, false]);
    assert!(peer.kernel.handle_look(&snapshot("9", false)));
    assert!(!peer.kernel.handle_look(&snapshot("9", false)));
}
