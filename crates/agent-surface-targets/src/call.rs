//! The calls in what a model answered: which tool, which id, which arguments.
//!
//! It refuses to change what it does not have to: only missing, repeated and malformed ids are replaced, in the calls and in
//! the history that is sent back. Called by the module and by native hosts.

use crate::identity::{Given, again, identify};
use crate::index::Index;
use crate::json::{Json, Members};
use crate::mcp;
use crate::shape::{self, Found, all, is_answer, joined, others, rename, shapes};
use crate::target::{Target, by_name, no_such_target};
use alloc::string::String;
use alloc::vec::Vec;

/// Finds the calls. The request: `{ target, calls, names?, others?, turn?, past?, held? }`: `names` as the projection gave them,
/// `others` what to do with calls of other tools (`"answer"`, `"ignore"`, or the names of those that somebody else answers),
/// `turn` a text that no other turn has, of letters, digits and hyphens, `past` the `calls` that were found in the same value
/// before, `held` those of the last answer, of which some wait for a person. The answer: `{ calls: [{ id, given?, key, name, tool?, at?, meta?, strict?, cut?, mcp?, arguments }],
/// history? }`, or `{ fault }` for what no model answers. `key` identifies the call for the surface; `history` is the given
/// value with the replaced ids, where any was.
pub fn read(request: &Json) -> Json {
    let Some(profile) = by_name(request.at("target").str()) else {
        return no_such_target(request.at("target"));
    };
    let target = profile.target;
    let given = request.at("calls");
    let spelled = joined(target, given);
    let calls = spelled.as_ref().unwrap_or(given);
    let mut found = Vec::new();
    all(calls, shapes(target), &mut found);
    if found.is_empty()
        && let Some(fault) = misfit(profile.name, target, calls)
    {
        return fault;
    }
    if let Some(last) = found.last_mut() {
        last.is_cut |= is_cut_off(target, calls);
    }
    let mut results = Vec::new();
    shape::results(calls, &mut results);
    let entries = request.at("names").items();
    let names = Index::new(entries.iter().map(|entry| entry.at("name").str()).collect());
    let is_ours = ours(request, target, &names, &results, &found);
    let open: Vec<&Found> = {
        let both = found.iter().zip(&is_ours);
        both.filter_map(|(call, is_ours)| is_ours.then_some(call))
            .collect()
    };
    let known = known(request, target, !results.is_empty(), &open);
    let described = open.iter().zip(&known).map(|(call, (id, key))| {
        let entry = names.find(&call.name).and_then(|at| entries.get(at));
        described(call, id, key, entry, (target == Target::Mcp).then_some(calls))
    });
    let mut answer = Members::default();
    answer.set("calls", Json::List(described.collect()));
    let mut known = known.into_iter();
    let ids: Vec<Option<String>> = found
        .iter()
        .zip(is_ours)
        .map(|(call, is_ours)| {
            let (id, _) = is_ours.then(|| known.next())??;
            // Gemini finds results by their place, and MCP answers one call: an id that was not there is not asked for.
            let is_free = matches!(target, Target::Gemini | Target::Mcp) && call.id.is_empty();
            (id != call.id && !is_free).then_some(id)
        })
        .collect();
    if ids.iter().any(Option::is_some) {
        let mut history = calls.clone();
        rename(&mut history, shapes(target), &mut ids.into_iter());
        answer.set("history", history);
    }
    Json::Object(answer)
}

/// Id and key of each call: those that it had, if it was given before.
fn known(request: &Json, target: Target, is_conversation: bool, open: &[&Found]) -> Vec<(String, String)> {
    let given: Vec<Given<'_>> = open
        .iter()
        .map(|call| Given {
            id: &call.id,
            name: &call.name,
            arguments: &call.arguments,
        })
        .collect();
    // A conversation is the same list in each turn: that says nothing about the calls at its end.
    let past = if is_conversation {
        &Json::Null
    } else {
        request.at("past")
    };
    again(request.at("held").items(), &given)
        .or_else(|| again(past.items(), &given))
        .unwrap_or_else(|| identify(target, request.at("turn").str(), &given))
}

/// Which calls are for this toolset to answer: of its tools, and of tools that nobody has, unless they have their results.
fn ours(request: &Json, target: Target, names: &Index<'_>, results: &[&str], found: &[Found]) -> Vec<bool> {
    // Where a server has tools of its own in the same conversation, a name that we do not know is one of them.
    let is_shared = matches!(target, Target::AiSdk | Target::AssistantUi | Target::AgUi);
    let others = Index::new(request.at("others").items().iter().map(Json::str).collect());
    let is_others = |name: &str| match request.at("others") {
        Json::Null => is_shared,
        Json::List(_) => others.find(name).is_some(),
        word => word.is("ignore"),
    };
    let results = Index::new(results.to_vec());
    let ids: Vec<&str> = found
        .iter()
        .map(|call| if call.id.is_empty() { &call.name } else { &call.id }.as_str())
        .collect();
    // An id may come again in a later turn: of equal ones, the first have the results.
    let repeats = Index::new(ids.clone()).repeats();
    let both = found.iter().zip(ids).zip(repeats);
    both.map(|((call, id), before)| {
        let is_answered = (before as usize) < results.count(id);
        !is_answered && (names.find(&call.name).is_some() || !is_others(&call.name))
    })
    .collect()
}

fn described(call: &Found, id: &str, key: &str, entry: Option<&Json>, request: Option<&Json>) -> Json {
    let mut out = Members::default();
    out.set("id", Json::text(id));
    if !call.id.is_empty() {
        out.set("given", Json::text(&call.id));
    }
    out.set("key", Json::text(key));
    out.set("name", Json::text(&call.name));
    for part in ["tool", "at", "meta", "strict"] {
        out.set_if(part, entry.and_then(|entry| entry.get(part)).cloned());
    }
    out.set_if("cut", call.is_cut.then_some(Json::Bool(true)));
    out.set_if("mcp", request.and_then(mcp::asked));
    out.set("arguments", call.arguments.clone());
    Json::Object(out)
}

/// What was given instead of an answer, where it is none; a text, a list or a message without calls is one.
fn misfit(name: &str, target: Target, calls: &Json) -> Option<Json> {
    let fault = |words: &[&str]| Some(Json::object([("fault", Json::Text(words.concat()))]));
    if let Some(other) = others(calls, target) {
        let hint = ["`, and this projection is for `", name, "`"].concat();
        return fault(&["`answer` was given calls as they are in `", other, &hint]);
    }
    if is_answer(calls) {
        return None;
    }
    let what = match calls {
        Json::Null => "nothing",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::Text(_) => "a text",
        Json::List(_) => "a list that holds no parts, messages or calls",
        Json::Object(_) => "an object that is no response, message, part or call",
    };
    fault(&[
        "`answer` expects what a model answered, as `",
        name,
        "` has it: a response, a message, or a list of calls; it was given ",
        what,
    ])
}

/// Whether the answer ended before its last call did. Arguments that broke off may still read as JSON, or as none at all.
fn is_cut_off(target: Target, answer: &Json) -> bool {
    let is = |key: &str, words: &[&str]| words.iter().any(|word| answer.at(key).is(word));
    match target {
        Target::Anthropic => {
            is("stop_reason", &["max_tokens", "model_context_window_exceeded"])
                && answer
                    .at("content")
                    .items()
                    .last()
                    .is_some_and(|block| block.at("type").is("tool_use"))
        }
        Target::OpenaiResponses => {
            is("status", &["incomplete"])
                && answer
                    .at("output")
                    .items()
                    .last()
                    .is_some_and(|item| item.at("type").is("function_call"))
        }
        Target::OpenaiChat => {
            is("finish_reason", &["length"])
                || answer
                    .at("choices")
                    .items()
                    .iter()
                    .any(|choice| choice.at("finish_reason").is("length"))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str, name: &str, arguments: &str) -> Json {
        let function = Json::object([("name", Json::text(name)), ("arguments", Json::text(arguments))]);
        Json::object([
            ("id", Json::text(id)),
            ("type", Json::text("function")),
            ("function", function),
        ])
    }

    fn answer(target: &str, calls: Json, past: &Json) -> Json {
        read(&Json::object([
            ("target", Json::text(target)),
            ("turn", Json::text("0")),
            ("past", past.clone()),
            ("calls", calls),
        ]))
    }

    fn told(answer: &Json, key: &str) -> Vec<String> {
        let told = |call: &Json| call.at(key).str().to_owned();
        answer.at("calls").items().iter().map(told).collect()
    }

    fn ids(given: &[&str]) -> Vec<String> {
        let calls = given.iter().map(|id| call(id, "go", "{}")).collect();
        told(&answer("openai-chat", Json::List(calls), &Json::Null), "id")
    }

    #[test]
    fn a_repeated_id_is_numbered_past_those_that_are_taken() {
        let found = ids(&["a", "a_2", "a", "a_2", "a", "", ""]);
        assert_eq!(found, ["a", "a_2", "a_3", "a_2_2", "a_4", "call_0_5", "call_0_6"]);
    }

    #[test]
    fn a_model_that_repeats_one_id_is_answered_in_bounded_time() {
        let found = ids(&alloc::vec!["a"; 30_000]);
        assert_eq!(found.last().map(String::as_str), Some("a_30000"));
    }

    #[test]
    fn an_id_that_was_drawn_is_the_key_and_a_counter_is_one_within_its_turn() {
        let drawn = "call_9kyPaYpYAD1PVFQ5p8dgCw8T";
        for (id, key) in [
            (drawn, drawn),
            ("toolu_01A09q90qw90lq917835lq9", "toolu_01A09q90qw90lq917835lq9"),
            ("call_x7k2m9qa", "call_x7k2m9qa"),
            ("call_1", "call_0_call_1"),
            ("functions.go:0", "call_0_functions.go:0"),
            ("searchDocuments12", "call_0_searchDocuments12"),
            ("go", "call_0_go"),
            ("", "call_0_0"),
        ] {
            let found = answer("openai-chat", call(id, "go", "{}"), &Json::Null);
            assert_eq!(told(&found, "key"), [key], "{id}");
        }
    }

    #[test]
    fn calls_that_are_given_again_are_the_calls_that_they_were() {
        let calls = |names: &[&str]| {
            let call = |name: &&str| call("call_1", name, "{}");
            Json::List(names.iter().map(call).collect())
        };
        let first = answer("openai-chat", calls(&["a", "b", "c"]), &Json::Null);
        let keys = told(&first, "key");
        let again = |names: &[&str]| {
            let request = [
                ("target", Json::text("openai-chat")),
                ("turn", Json::text("1")),
                ("past", first.at("calls").clone()),
                ("calls", calls(names)),
            ];
            told(&read(&Json::object(request)), "key")
        };
        assert_eq!(again(&["a", "b", "c"]), keys);
        assert_eq!(again(&["b"]), [keys[1].clone()]);
        assert_eq!(again(&["c", "b"]), ["call_1_call_1", "call_1_call_1_2"]);
        assert_eq!(again(&["a", "d"])[0], "call_1_call_1");
    }

    #[test]
    fn of_a_whole_conversation_only_the_calls_without_results_are_found() {
        let use_of = |id: &str| [r#"{"type":"tool_use","id":""#, id, r#"","name":"go","input":{}}"#].concat();
        let result_of = |id: &str| {
            [
                r#"{"type":"tool_result","tool_use_id":""#,
                id,
                r#"","content":""}"#,
            ]
            .concat()
        };
        let message = |role: &str, parts: &[String]| {
            [r#"{"role":""#, role, r#"","content":["#, &parts.join(","), "]}"].concat()
        };
        let conversation = [
            message("assistant", &[use_of("call_0"), use_of("call_1")]),
            message("user", &[result_of("call_0"), result_of("call_1")]),
            message("assistant", &[use_of("call_0"), use_of("call_2")]),
        ];
        let text = ["[", &conversation.join(","), "]"].concat();
        let found = answer("anthropic", Json::parse(&text).unwrap(), &Json::Null);
        assert_eq!(told(&found, "id"), ["call_0", "call_2"]);
        assert_eq!(found.get("history"), None);
        let chat = r#"[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"go"}},{"id":"b","function":{"name":"go"}}]},{"role":"tool","tool_call_id":"a","content":""}]"#;
        let found = answer("openai-chat", Json::parse(chat).unwrap(), &Json::Null);
        assert_eq!(told(&found, "id"), ["b"]);
        let sdk = r#"[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"go","input":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"a","toolName":"go","output":{"type":"text","value":""}}]}]"#;
        let found = read(&Json::object([
            ("target", Json::text("ai-sdk")),
            ("others", Json::text("answer")),
            ("calls", Json::parse(sdk).unwrap()),
        ]));
        assert_eq!(told(&found, "id"), Vec::<String>::new());
    }

    #[test]
    fn what_a_tool_or_a_person_said_holds_neither_calls_nor_results() {
        let go = r#"{"type":"tool_use","id":"z","name":"go","input":{}}"#;
        let part = r#"{"toolCallId":"z","toolName":"go","input":{}}"#;
        let chat = r#"{"id":"z","type":"function","function":{"name":"go","arguments":""}}"#;
        let chain = r#"{"id":"z","name":"go","args":{}}"#;
        let item = r#"{"type":"function_call","call_id":"z","name":"go","arguments":""}"#;
        for (target, said) in [
            (
                "anthropic",
                [
                    r#"[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":["#,
                    go,
                    "]}]}]",
                ],
            ),
            (
                "anthropic",
                [
                    r#"{"content":[{"type":"mcp_tool_result","tool_use_id":"a","content":["#,
                    go,
                    "]}]}",
                ],
            ),
            ("anthropic", [r#"[{"role":"user","content":["#, go, "]}]"]),
            (
                "openai-responses",
                [
                    r#"{"output":[{"type":"function_call_output","call_id":"a","output":["#,
                    item,
                    "]}]}",
                ],
            ),
            (
                "openai-chat",
                [r#"[{"role":"tool","tool_call_id":"a","content":["#, chat, "]}]"],
            ),
            (
                "ag-ui",
                [r#"[{"role":"tool","toolCallId":"a","content":["#, chat, "]}]"],
            ),
            (
                "langchain",
                [r#"[{"type":"tool","tool_call_id":"a","content":["#, chain, "]}]"],
            ),
            (
                "langchain",
                [
                    r#"[{"lc":1,"type":"constructor","kwargs":{"tool_call_id":"a","content":["#,
                    chain,
                    "]}}]",
                ],
            ),
            (
                "ai-sdk",
                [
                    r#"[{"role":"tool","content":[{"type":"tool-result","toolCallId":"a","toolName":"get","output":{"type":"json","value":"#,
                    part,
                    "}}]}]",
                ],
            ),
            (
                "ai-sdk",
                [
                    r#"[{"role":"assistant","parts":[{"type":"tool-get","toolCallId":"a","state":"output-available","output":"#,
                    part,
                    "}]}]",
                ],
            ),
            (
                "assistant-ui",
                [
                    r#"[{"role":"assistant","content":[{"toolCallId":"a","toolName":"get","args":{},"output":"#,
                    part,
                    "}]}]",
                ],
            ),
        ] {
            let text = said.concat();
            let found = answer(target, Json::parse(&text).unwrap(), &Json::Null);
            assert_eq!(told(&found, "id"), Vec::<String>::new(), "{text}");
        }
        // A result within a result closes no call.
        let text = r#"[{"role":"assistant","content":[{"type":"tool_use","id":"z","name":"go","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"tool_result","tool_use_id":"z"}]}]}]"#;
        let found = answer("anthropic", Json::parse(text).unwrap(), &Json::Null);
        assert_eq!(told(&found, "id"), ["z"]);
    }

    #[test]
    fn the_last_call_of_an_answer_that_was_cut_off_is_not_whole() {
        let anthropic = r#"{"stop_reason":"max_tokens","content":[{"type":"tool_use","id":"a","name":"go","input":{}},{"type":"tool_use","id":"b","name":"go","input":{}}]}"#;
        let chat = r#"{"choices":[{"finish_reason":"length","message":{"tool_calls":[{"id":"a","function":{"name":"go","arguments":""}}]}}]}"#;
        let responses = r#"{"status":"incomplete","output":[{"type":"function_call","call_id":"a","name":"go","arguments":""}]}"#;
        let whole = r#"{"stop_reason":"max_tokens","content":[{"type":"tool_use","id":"a","name":"go","input":{}},{"type":"text","text":"And"}]}"#;
        for (target, text, expected) in [
            ("anthropic", anthropic, &[false, true][..]),
            ("openai-chat", chat, &[true]),
            ("openai-responses", responses, &[true]),
            ("anthropic", whole, &[false]),
        ] {
            let found = answer(target, Json::parse(text).unwrap(), &Json::Null);
            let cut: Vec<bool> = found
                .at("calls")
                .items()
                .iter()
                .map(|call| call.at("cut").is_true())
                .collect();
            assert_eq!(cut, expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_answer_is_a_fault_and_an_answer_without_calls_is_none() {
        let tool_use =
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"go","input":{}}]}"#;
        for (target, text, expected) in [
            ("anthropic", "null", "it was given nothing"),
            ("anthropic", "\"go\"", "it was given a text"),
            ("gemini", "[1]", "a list that holds no parts"),
            ("mcp", "{}", "an object that is no response"),
            (
                "openai-chat",
                tool_use,
                "as they are in `anthropic`, and this projection is for `openai-chat`",
            ),
        ] {
            let found = answer(target, Json::parse(text).unwrap(), &Json::Null);
            assert!(found.at("fault").str().contains(expected), "{}", found.write());
        }
        for (target, text) in [
            (
                "anthropic",
                r#"{"role":"assistant","content":[{"type":"text","text":"Hello"}]}"#,
            ),
            ("anthropic", "[]"),
            ("openai-chat", r#"{"role":"assistant","content":"Hello"}"#),
            ("gemini", r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#),
        ] {
            let found = answer(target, Json::parse(text).unwrap(), &Json::Null);
            assert_eq!(found.write(), r#"{"calls":[]}"#, "{text}");
        }
    }

    #[test]
    fn what_has_its_result_is_not_asked_again_where_neither_has_an_id() {
        let conversation = r#"[
            {"role":"model","parts":[{"functionCall":{"name":"go","args":{"n":1}}},{"functionCall":{"name":"stay","args":{}}}]},
            {"role":"user","parts":[{"functionResponse":{"name":"go","response":{}}},{"functionResponse":{"name":"stay","id":"","response":{}}}]},
            {"role":"model","parts":[{"functionCall":{"name":"go","args":{"n":2}}}]}
        ]"#;
        let request = Json::object([
            ("target", Json::text("gemini")),
            ("calls", Json::parse(conversation).unwrap()),
            ("turn", Json::text("t")),
        ]);
        let found = read(&request);
        let open: Vec<_> = found
            .at("calls")
            .items()
            .iter()
            .map(|call| call.at("arguments").at("n"))
            .collect();
        assert_eq!(open, [&Json::parse("2").unwrap()]);
    }
}
