//! `adapters.json`: what the agent adapter and the environment client send, and the stores' transcripts.
//!
//! It refuses nothing. The test runner calls it.

use crate::client_ports::{Host, answer_with};
use crate::support::{Keys, assert_error, exact, list, text, vectors};
use agent_surface_interop::memory::{MemoryIdempotency, MemoryOutbound};
use agent_surface_interop::store::{Allocation, IdempotencyStore, OutboundSequenceStore, Reservation};
use agent_surface_interop::{
    Digest, Error, Identifier, LogicalTime, Manifest, Operation, Response, agent, client, environment,
};
use serde_json::{Value, json};

fn host<'a>(file: &'a Value, keys: &'a Keys, outcome: Value) -> (Host<'a>, client::Negotiated) {
    let wire = exact(&file["manifest"]);
    let manifest = Manifest::read(&wire).unwrap();
    let mut host = Host::new(text(file, "clientId"), keys, &wire);
    host.reply = Box::new(move |request| Ok(answer_with(request, &manifest, &outcome)));
    let endpoint = host.negotiate();
    (host, endpoint)
}

fn ok() -> Value {
    json!({ "status": "completed", "reasonCode": "done", "payload": { "ok": true } })
}

fn method(name: &str) -> agent::Method {
    match name {
        "step" => agent::Method::Step,
        "checkpoint" => agent::Method::Checkpoint,
        "restore" => agent::Method::Restore,
        "exportCheckpoint" => agent::Method::ExportCheckpoint,
        "importCheckpoint" => agent::Method::ImportCheckpoint,
        other => panic!("no method `{other}`"),
    }
}

fn act(
    host: &mut Host<'_>,
    endpoint: &client::Negotiated,
    session_id: &str,
    name: &str,
    args: &[Value],
) -> Result<Response, Error> {
    use environment::Action;
    let payload = exact(&args[0]);
    let action = match name {
        "reset" => Action::Reset(&payload),
        "observe" => Action::Observe(args[0].as_str().unwrap()),
        "act" => Action::Act(&payload),
        "snapshot" => Action::Snapshot,
        "restore" => Action::Restore(&payload),
        "close" => Action::Close,
        other => panic!("no method `{other}`"),
    };
    let time = LogicalTime::new(args.last().unwrap().as_u64().unwrap())?;
    client::drive(environment::call(endpoint, session_id, &action, time)?, host)
}

fn assert_sent(host: &mut Host<'_>, case: &Value) {
    let expected: Vec<String> = list(case, "emitted")
        .iter()
        .map(|envelope| exact(envelope).text().to_owned())
        .collect();
    assert_eq!(
        std::mem::take(&mut host.sent),
        expected,
        "{}",
        text(case, "method")
    );
}

#[test]
fn the_agent_adapter_sends_the_envelopes_of_the_vectors() {
    let file = vectors("adapters.json");
    let keys = Keys::read(&json!({}));
    let (mut host, endpoint) = host(&file, &keys, ok());
    for case in list(&file, "portableAdapter") {
        let name = text(case, "method");
        let step = agent::call(&endpoint, method(name), &exact(&case["input"]), false).unwrap();
        let response = client::drive(step, &mut host).unwrap();
        assert_eq!(text(case, "outcome"), "ok");
        if name != "restore" {
            assert_eq!(response.payload(), &exact(&case["result"]), "{name}");
        }
        assert_sent(&mut host, case);
    }
    assert!(host.gated.is_empty());
}

#[test]
fn the_environment_client_sends_the_envelopes_of_the_vectors() {
    let file = vectors("adapters.json");
    let keys = Keys::read(&json!({}));
    let (mut host, endpoint) = host(&file, &keys, ok());
    for case in list(&file, "environmentClient") {
        let session = text(&list(case, "emitted")[0], "sessionId");
        act(
            &mut host,
            &endpoint,
            session,
            text(case, "method"),
            list(case, "args"),
        )
        .unwrap();
        assert_sent(&mut host, case);
    }
}

#[test]
fn what_is_not_completed_is_an_error_or_the_response() {
    let file = vectors("adapters.json");
    let keys = Keys::read(&json!({}));
    let refused = json!({ "status": "refused", "reasonCode": "policy:no", "payload": null });
    let (mut host, endpoint) = host(&file, &keys, refused);
    for case in list(&file, "nonCompletedHandling") {
        let call = text(case, "call");
        let result = match call.split_once('.').unwrap() {
            ("adapter", name) => {
                let input = list(&file, "portableAdapter")
                    .iter()
                    .find(|known| known["method"] == json!(name))
                    .unwrap();
                let step = agent::call(&endpoint, method(name), &exact(&input["input"]), false).unwrap();
                client::drive(step, &mut host)
            }
            (_, name) => {
                let known = list(&file, "environmentClient")
                    .iter()
                    .find(|known| known["method"] == json!(name))
                    .unwrap();
                act(&mut host, &endpoint, "env:refused", name, list(known, "args"))
            }
        };
        if text(case, "outcome") == "error" {
            assert_error(&result.expect_err(call), case, call);
            continue;
        }
        let response = result.unwrap();
        assert_eq!(response.status().name(), text(case, "status"), "{call}");
        assert_eq!(
            response.reason_code().as_str(),
            text(case, "reasonCode"),
            "{call}"
        );
    }
}

#[test]
fn a_gate_is_asked_before_a_number_is_taken() {
    let file = vectors("adapters.json");
    let keys = Keys::read(&json!({}));
    let (mut host, endpoint) = host(&file, &keys, ok());
    let input = exact(&list(&file, "portableAdapter")[0]["input"]);
    let step = agent::call(&endpoint, agent::Method::Step, &input, true).unwrap();
    let client::Step::Gate(ask) = step else {
        panic!("no gate");
    };
    assert_eq!(ask.question().operation(), Operation::AgentStep);
    let error = client::drive(ask.fail(Error::Host("closed".to_owned())), &mut host).unwrap_err();
    assert_eq!(error.message(), "closed");
    let issuer = Identifier::parse(text(&file, "clientId"), "x").unwrap();
    let session = Identifier::parse("session:p", "x").unwrap();
    assert_eq!(host.current(&issuer, &session), Ok(0));
    let step = agent::call(&endpoint, agent::Method::Step, &input, true).unwrap();
    client::drive(step, &mut host).unwrap();
    assert_eq!(host.gated, [Operation::AgentStep]);
}

#[test]
fn the_outbound_store_keeps_to_its_transcript() {
    let file = vectors("adapters.json");
    let mut store = MemoryOutbound::default();
    for (at, case) in list(&file, "outboundSequenceStore").iter().enumerate() {
        let input = &case["input"];
        let result = match text(case, "op") {
            "next" => Allocation::new(
                text(input, "issuerId"),
                text(input, "sessionId"),
                input["maximumSequence"].as_u64().unwrap(),
                input["idempotencyKey"].as_str(),
            )
            .and_then(|allocation| store.next(&allocation)),
            _ => Identifier::parse(text(input, "issuerId"), "issuerId").and_then(|issuer| {
                let session = Identifier::parse(text(input, "sessionId"), "sessionId")?;
                store.current(&issuer, &session)
            }),
        };
        match result {
            Ok(number) => assert_eq!(json!(number), case["result"], "step {at}"),
            Err(error) => assert_error(&error, case, &format!("step {at}")),
        }
    }
}

#[test]
fn the_idempotency_store_keeps_to_its_transcript() {
    let file = vectors("adapters.json");
    let mut store = MemoryIdempotency::default();
    for (at, case) in list(&file, "idempotencyStore").iter().enumerate() {
        let input = &case["input"];
        let time = |name: &str| LogicalTime::new(input[name].as_u64().unwrap_or(0)).unwrap();
        let run = || Reservation {
            request_digest: Digest::parse(text(input, "requestDigest")).unwrap(),
            reservation_id: Identifier::parse(text(input, "reservationId"), "x").unwrap(),
            reserved_until: time("reservedUntilLogicalMs"),
        };
        let result = match text(case, "op") {
            "load" => store.load(input.as_str().unwrap()).map(|record| {
                record.map_or(json!(null), |record| {
                    serde_json::from_str(&record.text()).unwrap()
                })
            }),
            "reserve" => store
                .reserve(text(input, "idempotencyKey"), &run(), time("logicalTimeMs"))
                .map(|is_reserved| json!(is_reserved)),
            _ => store
                .commit(text(input, "idempotencyKey"), &run(), &exact(&input["response"]))
                .map(|is_committed| json!(is_committed)),
        };
        match result {
            Ok(value) => assert_eq!(value, case["result"], "step {at}"),
            Err(error) => assert_error(&error, case, &format!("step {at}")),
        }
    }
}
