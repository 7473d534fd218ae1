//! `envelopes.json`: requests and responses as they are sealed, read and refused, and signatures.
//!
//! It refuses nothing. The test runner calls it.

use crate::client_ports::Host;
use crate::router_ports::Script;
use crate::support::{Keys, assert_error, exact, list, text, vectors};
use agent_surface_interop::{Call, Digest, Error, Exact, LogicalTime, Manifest, Operation, Request, client};
use serde_json::{Value, json};

fn manifest(file: &Value, name: &str) -> Exact {
    exact(&file["manifests"][name])
}

fn call_of(input: &Value) -> Call {
    let time = |name: &str| LogicalTime::new(input[name].as_u64().unwrap()).unwrap();
    Call {
        request_id: text(input, "requestId").to_owned(),
        idempotency_key: text(input, "idempotencyKey").to_owned(),
        session_id: text(input, "sessionId").to_owned(),
        operation: Operation::parse(text(input, "operation")).unwrap(),
        sequence: input["sequence"].as_u64().unwrap(),
        logical_time: time("logicalTimeMs"),
        deadline: time("deadlineLogicalMs"),
        payload: exact(&input["payload"]),
    }
}

/// What a client makes of a reply.
fn invoke(host: &mut Host<'_>, input: &Value) -> Result<agent_surface_interop::Response, Error> {
    let endpoint = host.negotiate();
    client::drive(endpoint.invoke(call_of(input), None), host)
}

#[test]
fn clients_seal_the_requests_of_the_vectors() {
    let file = vectors("envelopes.json");
    let keys = Keys::read(&file["keys"]);
    for case in list(&file, "requests") {
        let id = text(case, "id");
        for form in ["unsigned", "signed"] {
            let mut host = Host::new(text(case, "issuerId"), &keys, &manifest(&file, form));
            invoke(&mut host, &case["input"]).unwrap_err();
            assert_eq!(host.sent, [exact(&case[form]).text()], "{id} {form}");
            let manifest = Manifest::read(&manifest(&file, form)).unwrap();
            let read = Request::read(exact(&case[form]), &manifest).unwrap();
            assert_eq!(read.digest().text(), text(case, "requestDigest"), "{id}");
            assert_eq!(read.payload().text(), text(case, "canonicalPayload"), "{id}");
            assert_eq!(read.signature().is_some(), form == "signed", "{id}");
        }
    }
}

#[test]
fn routers_seal_the_responses_of_the_vectors_and_clients_take_them() {
    let file = vectors("envelopes.json");
    let keys = Keys::read(&file["keys"]);
    for case in list(&file, "responses") {
        let id = text(case, "id");
        let request = list(&file, "requests")
            .iter()
            .find(|request| request["id"] == case["forRequest"])
            .unwrap();
        for form in ["unsigned", "signed"] {
            let wire = manifest(&file, form);
            let manifest = Manifest::read(&wire).unwrap();
            let mut script = Script::constant(&case["input"]);
            script.keys = Keys::read(&file["keys"]);
            let read = Request::read(exact(&request[form]), &manifest).unwrap();
            let response = script.answer(&read, &manifest);
            assert_eq!(response, exact(&case[form]), "{id} {form}");
            let mut host = Host::new(text(request, "issuerId"), &keys, &wire);
            host.reply = Box::new(move |_| Ok(response.clone()));
            let taken = invoke(&mut host, &request["input"]).unwrap();
            assert_eq!(taken.digest().text(), text(case, "responseDigest"), "{id}");
            assert_eq!(taken.status().name(), text(&case["input"], "status"), "{id}");
        }
    }
}

fn wire_of(case: &Value, name: &str) -> Result<Exact, Error> {
    let raw = case[format!("{name}Text")].as_str().map(str::to_owned);
    Ok(Exact::parse(
        raw.unwrap_or_else(|| case[name].to_string()),
        usize::MAX,
    )?)
}

#[test]
fn bad_requests_are_refused_for_their_reason_and_lenient_ones_are_not() {
    let file = vectors("envelopes.json");
    let read = |case: &Value| {
        let manifest = Manifest::read(&manifest(&file, text(case, "manifest"))).unwrap();
        Request::read(wire_of(case, "wireRequest")?, &manifest)
    };
    for case in list(&file, "requestReject") {
        let id = text(case, "id");
        assert_error(&read(case).expect_err(id), case, id);
    }
    for case in list(&file, "requestLenientAccept") {
        let id = text(case, "id");
        let request = read(case).unwrap_or_else(|error| panic!("{id}: {error:?}"));
        assert_eq!(request.text(), exact(&case["wireRequest"]).text(), "{id}");
    }
}

#[test]
fn responses_are_validated_as_the_other_client_does() {
    let file = vectors("envelopes.json");
    let keys = Keys::read(&file["keys"]);
    for case in list(&file, "responseValidation") {
        let id = text(case, "id");
        let wire = manifest(&file, text(case, "manifest"));
        let request = &case["request"];
        let mut host = Host::new(text(request, "issuerId"), &keys, &wire);
        host.output_schema = case["outputSchema"].clone();
        let reply = wire_of(case, "wireResponse");
        host.reply = Box::new(move |_| reply.clone());
        let result = invoke(&mut host, request);
        // The signature is the client's own; everything else is the vector's request.
        assert_eq!(host.sent.len(), 1, "{id}");
        match text(case, "expect") {
            "accept" => assert!(result.is_ok(), "{id}: {result:?}"),
            _ => assert_error(&result.expect_err(id), case, id),
        }
    }
}

#[test]
fn signatures_are_true_or_not() {
    let file = vectors("envelopes.json");
    let keys = Keys::read(&file["keys"]);
    for case in list(&file, "signatureVerification") {
        let is_valid = Digest::parse(text(case, "digest")).is_some_and(|digest| {
            keys.public()
                .verify(text(case, "signerId"), digest, text(case, "signature"))
        });
        assert_eq!(json!(is_valid), case["valid"], "{}", text(case, "id"));
    }
}
