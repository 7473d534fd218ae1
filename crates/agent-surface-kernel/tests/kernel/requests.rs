//! Refusals, executions, decisions, departures and ends.
//!
//! They refuse to rely on a clock. Run by `cargo test`.

use agent_surface_core::time::Millis;
use agent_surface_kernel::{Config, Outcome, Output};
use serde_json::{Value, json};

use crate::peer::*;

#[test]
fn hostile_input_gets_a_clear_error_and_changes_nothing() {
    let deep = format!(
        r#"{{"protocol":"agent-surface/1","id":"d","method":"invoke","capability":"todo.add","input":{}{}}}"#,
        "[".repeat(1000),
        "]".repeat(1000)
    );
    let nested = "[".repeat(2000) + &"]".repeat(2000);
    let with = |changes: &Value| {
        let mut request =
            json!({ "protocol": "agent-surface/1", "id": "r", "method": "invoke", "capability": "todo.add" });
        for (key, value) in changes.as_object().unwrap() {
            request[key] = value.clone();
        }
        request.to_string()
    };
    let large = "x".repeat(10 << 20);
    let cases = [
        (large.as_str(), "REQUEST_TOO_LARGE"),
        (&deep, "INVALID_REQUEST"),
        (&nested, "INVALID_REQUEST"),
        ("", "INVALID_REQUEST"),
        ("null", "INVALID_REQUEST"),
        ("[]", "INVALID_REQUEST"),
        ("{}", "INVALID_REQUEST"),
        (
            r#"{"protocol":"agent-surface/1","method":"describe"}"#,
            "INVALID_REQUEST",
        ),
        (
            r#"{"protocol":"agent-surface/1","id":"\ud800","method":"describe"}"#,
            "INVALID_REQUEST",
        ),
        (&with(&json!({ "id": "" })), "INVALID_REQUEST"),
        (&with(&json!({ "id": 5 })), "INVALID_REQUEST"),
        (&with(&json!({ "id": "é" })), "INVALID_REQUEST"),
        (&with(&json!({ "id": "x".repeat(129) })), "INVALID_REQUEST"),
        (&with(&json!({ "method": "click" })), "INVALID_REQUEST"),
        (&with(&json!({ "method": "approve" })), "INVALID_REQUEST"),
        (&with(&json!({ "method": "describe" })), "INVALID_REQUEST"),
        (&with(&json!({ "capability": ["todo.add"] })), "INVALID_REQUEST"),
        (&with(&json!({ "confirmationId": "cnf_1" })), "INVALID_REQUEST"),
        (&with(&json!({ "session": {} })), "INVALID_REQUEST"),
        (&with(&json!({ "protocol": 1 })), "INVALID_REQUEST"),
        (
            &with(&json!({ "protocol": "agent-surface/2" })),
            "PROTOCOL_MISMATCH",
        ),
        (
            &with(&json!({ "capability": "todo.list.complete" })),
            "CAPABILITY_NOT_EXPOSED",
        ),
        // The capability itself is no published name.
        (
            &with(&json!({ "capability": "view:todo.list.add" })),
            "CAPABILITY_NOT_EXPOSED",
        ),
        (
            &with(&json!({ "capability": "todo.add " })),
            "CAPABILITY_NOT_EXPOSED",
        ),
        (
            &with(&json!({ "capability": "view:todo.list.secret" })),
            "SCOPE_DENIED",
        ),
    ];
    let mut peer = Peer::new();
    for (text, code) in cases {
        assert_eq!(
            refusal(&peer.send(text)),
            code,
            "{}",
            text.chars().take(200).collect::<String>()
        );
        assert_eq!(peer.kernel.poll_timeout(), None);
    }
    for input in [
        json!(5),
        json!([]),
        json!({ "limit": -1 }),
        json!({ "limit": 1.5 }),
        json!({ "all": true }),
    ] {
        let text = json!({ "protocol": "agent-surface/1", "id": "r", "method": "describe", "input": input })
            .to_string();
        assert_eq!(refusal(&peer.send(&text)), "INVALID_REQUEST", "{input}");
    }
    // The same id still names nothing.
    assert_eq!(call_of(&peer.invoke("r", "todo.add", &json!({}))), 1);
}

#[test]
fn every_response_repeats_the_id_where_there_is_one() {
    let mut peer = Peer::new();
    let text = request("a b~", "nothing", &json!(null));
    assert_eq!(response(&peer.send(&text))["id"], json!("a b~"));
    assert_eq!(response(&peer.send("{"))["id"], json!(null));
    let other = r#"{"protocol":"x","id":"r","method":"nope"}"#;
    assert_eq!(response(&peer.send(other))["id"], json!("r"));
}

#[test]
fn a_request_within_the_size_is_read_and_one_byte_more_is_not() {
    let mut peer = Peer::new();
    let empty = request("r", "todo.add", &json!("")).len();
    assert_eq!(
        call_of(&peer.invoke("r", "todo.add", &json!("x".repeat(4096 - empty)))),
        1
    );
    assert_eq!(
        refusal(&peer.invoke("r", "todo.add", &json!("x".repeat(4097 - empty)))),
        "REQUEST_TOO_LARGE"
    );
}

#[test]
fn the_two_kinds_of_failure_are_kept_apart() {
    let mut peer = Peer::new();
    assert_eq!(
        refusal(&peer.invoke("1", "row.complete", &json!({}))),
        "CAPABILITY_NOT_EXPOSED"
    );
    let outputs = peer.invoke("2", "todo.add", &json!({ "text": "x" }));
    let Output::Invoke {
        call,
        exposure,
        id,
        input,
        confirmation,
    } = &outputs[0]
    else {
        panic!()
    };
    assert_eq!(
        (*exposure, id.as_str(), input.as_str(), confirmation),
        (1, "2", r#"{"text":"x"}"#, &None)
    );
    let error = json!({ "code": "CAPABILITY_NOT_AVAILABLE", "message": "m", "retry": "after-refresh", "details": { "reason": "busy" } });
    let answer = response(&peer.result(*call, &json!({ "status": "error", "error": error })));
    let expected =
        json!({ "protocol": "agent-surface/1", "id": "2", "ok": true, "result": { "error": error } });
    assert_eq!(answer, expected);
    let call = call_of(&peer.invoke("3", "pay", &json!(null)));
    let answer = response(&peer.result(
        call,
        &json!({ "status": "ok", "output": [1], "surfaceVersion": "3" }),
    ));
    assert_eq!(answer["result"], json!({ "output": [1] }));
    let call = call_of(&peer.invoke("4", "pay", &json!(null)));
    assert_eq!(
        response(&peer.result(call, &json!({ "status": "ok" })))["result"],
        json!({})
    );
}

#[test]
fn a_request_joins_while_in_flight_and_replays_later() {
    let mut peer = Peer::new();
    let call = call_of(&peer.invoke("1", "todo.add", &json!({ "a": 1, "b": 2 })));
    // Keys in another order are the same content.
    let joined = r#"{"id":"1","method":"invoke","input":{"b":2,"a":1},"capability":"todo.add","protocol":"agent-surface/1"}"#;
    assert_eq!(peer.send(joined), []);
    assert_eq!(
        refusal(&peer.invoke("1", "todo.add", &json!({ "a": 2 }))),
        "REPLAYED_REQUEST"
    );
    let outputs = peer.result(call, &json!({ "output": 1 }));
    let texts: Vec<_> = outputs
        .iter()
        .map(|output| match output {
            Output::Respond { token, text, .. } => (*token, text.clone()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!((texts[0].0, texts[1].0), (1, 2));
    assert_eq!(texts[0].1, texts[1].1);
    // Later: the stored response, byte for byte, and nothing runs.
    assert!(
        matches!(&peer.send(joined)[..], [Output::Respond { token: 4, text, .. }] if *text == texts[0].1)
    );
    assert_eq!(
        refusal(&peer.invoke("1", "todo.overview", &json!({ "a": 1, "b": 2 }))),
        "REPLAYED_REQUEST"
    );
    // A late second result of the same execution.
    assert_eq!(peer.result(call, &json!({ "output": 2 })), []);
}

#[test]
fn a_decision_is_waited_for_and_the_evidence_goes_with_the_same_invocation() {
    let mut peer = Peer::new();
    let call = ask_person(&mut peer, "1");
    assert_eq!(peer.kernel.poll_timeout(), Some(Millis(END)));
    peer.kernel.handle_decided(Millis(5.0), call, Outcome::Decided);
    let outputs = peer.drain();
    let again = Output::Invoke {
        call,
        exposure: 1,
        id: "1".to_owned(),
        input: "{}".to_owned(),
        confirmation: Some("cnf_1".to_owned()),
    };
    assert_eq!(outputs, [again]);
    // A second word about the same decision starts nothing.
    peer.kernel.handle_decided(Millis(5.0), call, Outcome::Decided);
    assert_eq!(peer.drain(), []);
    assert_eq!(
        response(&peer.result(call, &json!({ "output": 1 })))["result"],
        json!({ "output": 1 })
    );
    assert_eq!(peer.kernel.poll_timeout(), None);
}

#[test]
fn what_a_person_refused_is_permission_denied_and_what_expired_is_not() {
    for (reason, code) in [
        ("denied", "PERMISSION_DENIED"),
        ("expired", "CONFIRMATION_INVALID"),
        ("mismatch", "CONFIRMATION_INVALID"),
    ] {
        let mut peer = Peer::new();
        let call = ask_person(&mut peer, "1");
        peer.kernel.handle_decided(Millis(5.0), call, Outcome::Decided);
        peer.drain();
        let error = json!({ "code": "CONFIRMATION_INVALID", "message": "m", "retry": "no", "details": { "reason": reason, "note": "not today" } });
        let result =
            response(&peer.result(call, &json!({ "status": "error", "error": error })))["result"].clone();
        assert_eq!(result["error"]["code"], json!(code));
        assert_eq!(
            result["error"]["details"],
            json!({ "reason": reason, "note": "not today" })
        );
    }
}

#[test]
fn a_question_that_nobody_answers_ends_as_expired_and_runs_nothing() {
    let mut peer = Peer::new();
    let call = ask_person(&mut peer, "1");
    peer.kernel.handle_decided(Millis(5.0), call, Outcome::Expired);
    let error = response(&peer.drain())["result"]["error"].clone();
    assert_eq!(error["code"], json!("CONFIRMATION_INVALID"));
    assert_eq!(error["details"], json!({ "reason": "expired" }));
}

#[test]
fn a_session_that_ends_while_the_person_decides_runs_nothing() {
    for expires in [false, true] {
        let mut peer = Peer::new();
        let call = ask_person(&mut peer, "1");
        let other = call_of(&peer.invoke("2", "pay", &json!({})));
        if expires {
            peer.kernel.handle_timeout();
        } else {
            peer.kernel.handle_revoked();
        }
        let code = if expires {
            "SESSION_EXPIRED"
        } else {
            "SESSION_REVOKED"
        };
        let outputs = peer.drain();
        assert!(matches!(&outputs[0], Output::Withdraw { confirmation, .. } if confirmation == "cnf_1"));
        assert_eq!(refusal(&outputs[1..2]), code);
        assert_eq!(outputs[2], Output::Abort { call: other });
        assert_eq!(refusal(&outputs[3..4]), code);
        peer.kernel.handle_decided(Millis(5.0), call, Outcome::Decided);
        assert_eq!(peer.drain(), []);
        assert_eq!(peer.result(other, &json!({ "output": 1 })), []);
        // Neither an old id nor a new one is served; the first end stands.
        peer.kernel.handle_revoked();
        for id in ["1", "2", "3"] {
            assert_eq!(refusal(&peer.invoke(id, "pay", &json!({}))), code);
        }
        let text = r#"{"protocol":"agent-surface/1","id":"d","method":"describe"}"#;
        assert_eq!(refusal(&peer.send(text)), code);
    }
}

#[test]
fn the_end_of_a_session_is_its_last_moment() {
    let mut peer = Peer::new();
    let call = ask_person(&mut peer, "1");
    peer.now = END;
    assert_eq!(call_of(&peer.invoke("2", "pay", &json!({}))), call + 1);
    // Decided in time, and told too late.
    peer.kernel
        .handle_decided(Millis(END + 1.0), call, Outcome::Decided);
    let outputs = peer.drain();
    assert!(
        !outputs
            .iter()
            .any(|output| matches!(output, Output::Invoke { .. })),
        "{outputs:?}"
    );
    peer.now = f64::NAN;
    assert_eq!(refusal(&peer.invoke("3", "pay", &json!({}))), "SESSION_EXPIRED");
}

#[test]
fn a_caller_that_left_before_the_decision_starts_nothing() {
    let mut peer = Peer::new();
    let call = ask_person(&mut peer, "1");
    peer.kernel.handle_left(1);
    let outputs = peer.drain();
    assert_eq!(
        response(&outputs[..1])["result"]["error"]["code"],
        json!("CANCELLED")
    );
    assert!(matches!(&outputs[1], Output::Withdraw { confirmation, .. } if confirmation == "cnf_1"));
    peer.kernel.handle_decided(Millis(5.0), call, Outcome::Decided);
    assert_eq!(peer.drain(), []);
    // The same request again is answered as it was.
    assert_eq!(
        response(&peer.invoke("1", "todo.add", &json!({})))["result"]["error"]["code"],
        json!("CANCELLED")
    );
}

#[test]
fn what_was_not_handed_out_never_begins_once_its_caller_left_or_the_session_ended() {
    let text = |id: &str| request(id, "todo.add", &json!({}));
    let mut peer = Peer::new();
    peer.kernel.handle_request(Millis(0.0), 1, &text("1"));
    peer.kernel.handle_request(Millis(0.0), 2, &text("2"));
    peer.kernel.handle_left(1);
    let outputs = peer.drain();
    assert_eq!(call_of(&outputs[..1]), 2);
    assert_eq!(
        response(&outputs[1..])["result"]["error"]["code"],
        json!("CANCELLED")
    );
    // The other is under way, a third not yet.
    peer.kernel.handle_request(Millis(0.0), 3, &text("3"));
    peer.kernel.handle_revoked();
    let outputs = peer.drain();
    assert_eq!(outputs[0], Output::Abort { call: 2 });
    assert!(
        !outputs
            .iter()
            .any(|output| matches!(output, Output::Invoke { .. })),
        "{outputs:?}"
    );
}

#[test]
fn a_question_that_comes_after_the_caller_left_is_taken_back() {
    let mut peer = Peer::new();
    let call = call_of(&peer.invoke("1", "todo.add", &json!({})));
    peer.kernel.handle_left(1);
    assert_eq!(peer.drain()[1..], [Output::Abort { call }]);
    let asked =
        json!({ "error": { "code": "CONFIRMATION_REQUIRED", "details": { "confirmationId": "cnf_2" } } });
    assert!(
        matches!(&peer.result(call, &asked)[..], [Output::Withdraw { confirmation, .. }] if confirmation == "cnf_2")
    );
    assert_eq!(peer.kernel.poll_timeout(), None);
}

#[test]
fn a_call_goes_on_for_those_who_joined_it() {
    let mut peer = Peer::new();
    let call = ask_person(&mut peer, "1");
    assert_eq!(peer.invoke("1", "todo.add", &json!({})), []);
    peer.kernel.handle_left(1);
    assert_eq!(peer.drain().len(), 1);
    peer.kernel.handle_decided(Millis(5.0), call, Outcome::Decided);
    assert_eq!(call_of(&peer.drain()), call);
    peer.kernel.handle_left(2);
    assert_eq!(peer.drain()[1..], [Output::Abort { call }]);
    assert_eq!(peer.result(call, &json!({ "output": 1 })), []);
    assert_eq!(
        response(&peer.invoke("1", "todo.add", &json!({})))["result"],
        json!({ "output": 1 })
    );
}

#[test]
fn requests_are_limited_in_number_and_in_time() {
    let mut peer = Peer::with(&json!({ "maxInFlight": 2, "rate": { "limit": 3, "windowMs": 3000 } }));
    let first = call_of(&peer.invoke("1", "pay", &json!({})));
    assert_eq!(peer.invoke("1", "pay", &json!({})), []);
    assert_eq!(refusal(&peer.invoke("2", "pay", &json!({}))), "RATE_LIMITED");
    assert_eq!(peer.result(first, &json!({})).len(), 2);
    call_of(&peer.invoke("2", "pay", &json!({})));
    assert_eq!(refusal(&peer.invoke("3", "pay", &json!({}))), "RATE_LIMITED");
    peer.now = 999.0;
    assert_eq!(refusal(&peer.invoke("3", "pay", &json!({}))), "RATE_LIMITED");
    peer.now = 1000.0;
    call_of(&peer.invoke("3", "pay", &json!({})));
}

#[test]
fn a_request_whose_caller_left_counts_until_its_execution_has_ended() {
    let mut peer = Peer::with(&json!({ "maxInFlight": 1 }));
    let call = call_of(&peer.invoke("1", "pay", &json!({})));
    peer.kernel.handle_left(1);
    assert_eq!(peer.drain()[1..], [Output::Abort { call }]);
    assert_eq!(refusal(&peer.invoke("2", "pay", &json!({}))), "RATE_LIMITED");
    assert_eq!(peer.result(call, &json!({})), []);
    call_of(&peer.invoke("2", "pay", &json!({})));
}

#[test]
fn an_error_that_is_null_is_none() {
    let mut peer = Peer::new();
    let call = call_of(&peer.invoke("1", "pay", &json!({})));
    let answer = response(&peer.result(call, &json!({ "output": 1, "error": null })));
    assert_eq!(answer["result"], json!({ "output": 1 }));
}

#[test]
fn what_is_no_list_of_ids_is_no_scope() {
    for scope in [json!("todo.add"), json!(null), json!(["todo.add", 1])] {
        let refused = Config::read(&config(&json!({ "scope": scope })).to_string(), Millis(END));
        assert!(refused.is_err_and(|text| text.contains("`scope`")), "{scope}");
    }
    let refused = Config::read(&config(&json!({ "expose": "todo.add" })).to_string(), Millis(END));
    assert!(refused.is_err_and(|text| text.contains("`expose`")));
}

#[test]
fn an_allowlist_with_an_entry_that_names_nothing_is_refused() {
    let entries = [
        json!("todo"),
        json!("Todo.add"),
        json!("view:todo"),
        json!("view:*"),
        json!({ "id": "todo.add" }),
        json!({ "id": "view:a.b", "capability": "view:a.b" }),
        json!({ "id": "a", "capability": "todo.add" }),
        json!({ "id": "a", "capability": "view:a.b", "instanceId": "" }),
        json!({ "id": "a", "capability": "view:a.b", "instance": "x" }),
        json!({ "id": "x".repeat(129), "capability": "view:a.b" }),
        json!(null),
    ];
    for entry in entries {
        let is_single_word = entry == json!("todo");
        let refused = Config::read(&config(&json!({ "expose": [entry] })).to_string(), Millis(END));
        // A single word is an action of the app itself.
        assert_eq!(refused.is_ok(), is_single_word, "{entry}");
    }
    let twice = json!({ "expose": ["view:a.b", { "id": "c", "capability": "view:a.b" }, "view:a.b"] });
    assert!(Config::read(&config(&twice).to_string(), Millis(END)).is_err_and(|text| text.contains("twice")));
}

#[test]
fn an_audit_hears_what_was_asked_and_what_became_of_it() {
    let mut peer = Peer::new();
    let heard = |outputs: &[Output]| match outputs {
        [Output::Respond { exchange, .. }] => {
            let word = |word: &Option<String>| word.clone().unwrap_or_default();
            let asked = [&exchange.request_id, &exchange.method, &exchange.capability].map(word);
            (asked.join(" "), exchange.is_ok, word(&exchange.code))
        }
        other => panic!("{other:?}"),
    };
    let told = |asked: &str, is_ok, code: &str| (asked.to_owned(), is_ok, code.to_owned());
    let call = call_of(&peer.invoke("1", "todo.add", &json!({})));
    let done = heard(&peer.result(call, &json!({ "output": 1 })));
    assert_eq!(done, told("1 invoke todo.add", true, ""));
    let call = call_of(&peer.invoke("2", "todo.add", &json!({})));
    let failed = json!({ "error": { "message": "m", "code": "TIMEOUT" } });
    assert_eq!(
        heard(&peer.result(call, &failed)),
        told("2 invoke todo.add", true, "TIMEOUT")
    );
    // A replay is told as what it repeats.
    assert_eq!(
        heard(&peer.invoke("2", "todo.add", &json!({}))),
        told("2 invoke todo.add", true, "TIMEOUT")
    );
    assert_eq!(
        heard(&peer.invoke("3", "row.complete", &json!({}))),
        told("3 invoke row.complete", false, "CAPABILITY_NOT_EXPOSED")
    );
    let odd = json!({ "id": "4", "method": "x".repeat(1000), "capability": 5 }).to_string();
    let kept = format!("4 {} ", "x".repeat(128));
    assert_eq!(heard(&peer.send(&odd)), told(&kept, false, "INVALID_REQUEST"));
    assert_eq!(heard(&peer.send("no JSON")), told("  ", false, "INVALID_REQUEST"));
}
