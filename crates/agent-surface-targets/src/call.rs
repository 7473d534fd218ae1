//! The calls in what a model answered: which tool, which id, which arguments.
//!
//! It refuses to change what it does not have to: only missing, repeated and malformed ids are replaced, in the calls and in
//! the history that is sent back. Called by the module and by native hosts.

use crate::json::{Json, Members};
use crate::target::{Target, by_name};
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

/// The longest id of an invocation.
const MAX_KEY: usize = 256;

/// How a target writes a call.
struct Shape {
    /// Words of `type`; empty where it has none.
    kinds: &'static [&'static str],
    /// The member that holds name and arguments; empty where they stand in the call itself.
    inner: &'static str,
    id: &'static str,
    /// Whether the id stands inside, too.
    id_inside: bool,
    name: &'static str,
    arguments: &'static str,
}

const fn shape(
    kinds: &'static [&'static str],
    inner: &'static str,
    id: &'static str,
    name: &'static str,
    arguments: &'static str,
) -> Shape {
    Shape {
        kinds,
        inner,
        id,
        id_inside: false,
        name,
        arguments,
    }
}

const ANTHROPIC: Shape = shape(&["tool_use"], "", "id", "name", "input");
const RESPONSES: Shape = shape(&["function_call"], "", "call_id", "name", "arguments");
const CHAT: Shape = shape(&["function", ""], "function", "id", "name", "arguments");
const GEMINI: Shape = Shape {
    id_inside: true,
    ..shape(&[], "functionCall", "id", "name", "args")
};
const GEMINI_BARE: Shape = shape(&[""], "", "id", "name", "args");
const AI_SDK: Shape = shape(&[], "", "toolCallId", "toolName", "input");
const LANGCHAIN: Shape = shape(&["tool_call", "invalid_tool_call", ""], "", "id", "name", "args");
const ASSISTANT_UI: Shape = shape(&[], "", "toolCallId", "toolName", "args");
const MCP: Shape = shape(&[""], "", "id", "name", "arguments");
const LANGUAGE_MODEL: Shape = Shape {
    id_inside: true,
    ..shape(&["tool-call"], "value", "callId", "name", "arguments")
};

fn shapes(target: Target) -> &'static [&'static Shape] {
    match target {
        Target::Anthropic => &[&ANTHROPIC],
        Target::OpenaiResponses => &[&RESPONSES],
        Target::OpenaiChat | Target::AgUi => &[&CHAT],
        Target::Gemini => &[&GEMINI, &GEMINI_BARE],
        Target::AiSdk => &[&AI_SDK],
        Target::Langchain => &[&LANGCHAIN],
        Target::AssistantUi => &[&ASSISTANT_UI],
        Target::Mcp => &[&MCP],
        Target::LanguageModel => &[&LANGUAGE_MODEL],
    }
}

/// Where calls are looked for, so that a whole answer, a message or a list will do.
static CONTAINERS: [&str; 15] = [
    "content",
    "output",
    "tool_calls",
    "invalid_tool_calls",
    "toolCalls",
    "toolCall",
    "parts",
    "choices",
    "message",
    "candidates",
    "functionCalls",
    "kwargs",
    "params",
    "messages",
    "value",
];

/// A call that was found.
struct Found {
    id: String,
    name: String,
    arguments: Json,
}

/// Finds the calls. The request: `{ target, calls, names?, others?, turn? }`: `names` as the projection gave them, `others`
/// what to do with calls of other tools (`"answer"`, `"ignore"`, or the names of those that somebody else answers), `turn`
/// a text that made-up ids begin with. The answer: `{ calls: [{ id, given?, key?, name, tool?, at?, meta?, strict?, arguments }],
/// history? }`. `key` identifies the call for the surface, where the provider's id can be trusted to; `history` is the
/// given value with the replaced ids, where any was.
pub fn read(request: &Json) -> Json {
    let Some(profile) = by_name(request.at("target").str()) else {
        return Json::object([("fault", Json::text("`target` names none"))]);
    };
    let target = profile.target;
    let mut history = joined(target, request.at("calls"));
    let (turn, names) = (request.at("turn").str(), request.at("names").items());
    let mut taken: Vec<String> = Vec::new();
    let (mut calls, mut changed) = (Vec::new(), false);
    // Where a server has tools of its own in the same conversation, a name that we do not know is one of them.
    let is_shared = matches!(target, Target::AiSdk | Target::AssistantUi | Target::AgUi);
    let is_others = |name: &str| match request.at("others") {
        Json::Null => is_shared,
        Json::List(others) => others.iter().any(|other| other.is(name)),
        word => word.is("ignore"),
    };
    walk(&mut history, shapes(target), &mut |found, id| {
        let known = names.iter().find(|entry| entry.at("name").is(&found.name));
        if known.is_none() && is_others(&found.name) {
            return;
        }
        let repeats = taken.iter().filter(|known| **known == found.id).count();
        let new = fresh(target, &found.id, turn, &taken, repeats, calls.len());
        taken.push(found.id.clone());
        if new != found.id {
            taken.push(new.clone());
        }
        let is_possible = (1..=MAX_KEY).contains(&agent_surface_json::characters(&found.id));
        let is_trusted = is_possible && repeats == 0 && found.id != found.name;
        let mut call = Members::default();
        call.set("id", Json::text(&new));
        if !found.id.is_empty() {
            call.set("given", Json::text(&found.id));
        }
        if is_trusted {
            call.set("key", Json::text(&found.id));
        }
        call.set("name", Json::text(&found.name));
        if let Some(known) = known {
            for key in ["tool", "at", "meta", "strict"] {
                call.set_if(key, known.get(key).cloned());
            }
        }
        call.set("arguments", found.arguments);
        calls.push(Json::Object(call));
        // Gemini finds results by their place, and MCP answers one call: an id that was not there is not asked for.
        if !(matches!(target, Target::Gemini | Target::Mcp) && found.id.is_empty()) {
            changed |= new != found.id;
            *id = Some(new);
        }
    });
    let mut answer = Members::default();
    answer.set("calls", Json::List(calls));
    if changed {
        answer.set("history", history);
    }
    Json::Object(answer)
}

/// An id that the target takes and that no other call of the turn has. `repeats`: of the given id, each of which took one.
fn fresh(target: Target, given: &str, turn: &str, taken: &[String], repeats: usize, at: usize) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut base = match target {
        Target::Anthropic => given.chars().map(|c| if is_safe(c) { c } else { '_' }).collect(),
        _ => given.to_owned(),
    };
    let mut count = 2.max(repeats as u64 + 1);
    if base.is_empty() {
        base = numbered(&["call_", turn].concat(), at as u64);
        count = 2;
    }
    let mut id = base.clone();
    while taken.contains(&id) {
        id = numbered(&base, count);
        count += 1;
    }
    id
}

fn numbered(base: &str, count: u64) -> String {
    let mut out = [base, "_"].concat();
    agent_surface_json::write_u64(&mut out, count);
    out
}

/// Visits every call; what the visitor leaves in the second argument becomes the call's id.
fn walk(json: &mut Json, shapes: &[&Shape], visit: &mut dyn FnMut(Found, &mut Option<String>)) {
    match json {
        Json::List(items) => {
            for item in items {
                walk(item, shapes, visit);
            }
        }
        Json::Object(members) => {
            if let Some((shape, found)) = shapes
                .iter()
                .find_map(|shape| Some((shape, found(members, shape)?)))
            {
                let old = found.id.clone();
                let mut id = None;
                visit(found, &mut id);
                if let Some(id) = id.filter(|id| *id != old) {
                    let place = if shape.id_inside {
                        members.get_mut(shape.inner)
                    } else {
                        None
                    };
                    match place {
                        Some(Json::Object(inner)) => inner.set(shape.id, Json::Text(id)),
                        _ => members.set(shape.id, Json::Text(id)),
                    }
                }
                return;
            }
            for container in CONTAINERS {
                if let Some(inner) = members.get_mut(container) {
                    walk(inner, shapes, visit);
                }
            }
        }
        _ => {}
    }
}

/// The call, if these are the members of one.
fn found(members: &Members, shape: &Shape) -> Option<Found> {
    let kind = members.get("type").map(Json::str).unwrap_or_default();
    if !shape.kinds.is_empty() && !shape.kinds.contains(&kind) {
        return None;
    }
    let inner = match shape.inner {
        "" => members,
        key => members.get(key)?.as_object()?,
    };
    // A part of an AI SDK message has the tool's name in its type, and is a call until it has a result.
    let in_type = kind.strip_prefix("tool-").filter(|_| shape.name == "toolName");
    let name = inner.get(shape.name).and_then(Json::as_text).or(in_type)?;
    if shape.name == "toolName" {
        let state = members.get("state").map_or("input-available", Json::str);
        let has_result =
            kind == "tool-result" || members.get("output").is_some() || members.get("result").is_some();
        if state != "input-available" || has_result {
            return None;
        }
    }
    let holder = if shape.id_inside { inner } else { members };
    let args = inner
        .get(shape.arguments)
        .or_else(|| inner.get("argsText"))
        .cloned();
    Some(Found {
        id: holder.get(shape.id).map(Json::str).unwrap_or_default().to_owned(),
        name: name.to_owned(),
        arguments: args.unwrap_or_default(),
    })
}

/// AG-UI's events as the calls that they spell; everything else as it is.
fn joined(target: Target, calls: &Json) -> Json {
    let is_event = |item: &Json| item.at("type").str().starts_with("TOOL_CALL_");
    if target != Target::AgUi || !calls.items().iter().any(is_event) {
        return calls.clone();
    }
    let mut known: Vec<(&str, &str, String)> = Vec::new();
    for event in calls.items().iter().filter(|item| is_event(item)) {
        let id = event.at("toolCallId").str();
        let name = event.at("toolCallName").str();
        let place = known.iter().position(|(other, ..)| *other == id);
        match place {
            // A call is announced once, however often it comes again after an interrupt.
            None if !name.is_empty() => known.push((id, name, event.at("delta").str().to_owned())),
            Some(at) => {
                if let Some((_, _, text)) = known.get_mut(at) {
                    text.push_str(event.at("delta").str());
                }
            }
            None => {}
        }
    }
    let call = |(id, name, arguments): (&str, &str, String)| {
        let function = Json::object([("name", Json::text(name)), ("arguments", Json::Text(arguments))]);
        Json::object([
            ("id", Json::text(id)),
            ("type", Json::text("function")),
            ("function", function),
        ])
    };
    Json::List(known.into_iter().map(call).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(given: &[&str]) -> Vec<String> {
        let call = |id: &&str| {
            let function = Json::object([("name", Json::text("go")), ("arguments", Json::text("{}"))]);
            Json::object([
                ("id", Json::text(id)),
                ("type", Json::text("function")),
                ("function", function),
            ])
        };
        let found = read(&Json::object([
            ("target", Json::text("openai-chat")),
            ("turn", Json::text("0")),
            ("calls", Json::List(given.iter().map(call).collect())),
        ]));
        let id = |call: &Json| call.at("id").str().to_owned();
        found.at("calls").items().iter().map(id).collect()
    }

    #[test]
    fn a_repeated_id_is_numbered_past_those_that_are_taken() {
        let found = ids(&["a", "a_2", "a", "a_2", "a", "", ""]);
        assert_eq!(found, ["a", "a_2", "a_3", "a_2_2", "a_4", "call_0_5", "call_0_6"]);
    }

    #[test]
    fn a_model_that_repeats_one_id_is_answered_in_bounded_time() {
        let found = ids(&vec!["a"; 3_000]);
        assert_eq!(found.last().map(String::as_str), Some("a_3000"));
    }
}
