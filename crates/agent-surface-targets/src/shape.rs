//! How each target writes calls, and where they stand in what a model answered.
//!
//! It refuses to judge a call. Called by `call`.

use crate::index::Index;
use crate::json::{Json, Members};
use crate::target::Target;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

/// How a target writes a call.
pub(crate) struct Shape {
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

pub(crate) fn shapes(target: Target) -> &'static [&'static Shape] {
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
pub(crate) struct Found {
    pub id: String,
    pub name: String,
    pub arguments: Json,
    /// Whether the provider says that it is not whole.
    pub is_cut: bool,
}

/// Whether this is what a tool said, or a part of it: nothing in it is a call or a result, whatever it looks like.
#[inline(never)]
fn is_result(members: &Members) -> bool {
    let kind = members.get("type").map(Json::str).unwrap_or_default();
    kind.ends_with("result")
        || kind.ends_with("_output")
        || kind.starts_with("tool-")
        || kind == "dynamic-tool"
        || ["tool_call_id", "tool_use_id", "toolName"]
            .iter()
            .any(|key| members.get(key).is_some())
}

/// Whether this is that, or a message of somebody who makes no calls.
#[inline(never)]
fn is_of_others(members: &Members) -> bool {
    const SPEAKERS: [&str; 6] = ["user", "human", "tool", "system", "developer", "function"];
    is_result(members)
        || ["role", "type"].iter().any(|key| {
            let speaker = members.get(key).map(Json::str).unwrap_or_default();
            SPEAKERS.contains(&speaker)
        })
}

/// Every call in a value, in the order of the text.
pub(crate) fn all(json: &Json, shapes: &[&Shape], out: &mut Vec<Found>) {
    match json {
        Json::List(items) => items.iter().for_each(|item| all(item, shapes, out)),
        Json::Object(members) => {
            if let Some(call) = shapes.iter().find_map(|shape| found(members, shape)) {
                out.push(call);
                return;
            }
            if is_of_others(members) {
                return;
            }
            for container in CONTAINERS {
                if let Some(inner) = members.get(container) {
                    all(inner, shapes, out);
                }
            }
        }
        _ => {}
    }
}

/// The ids of the calls whose results are there, too, where a whole conversation was given; of a result without one, as Gemini
/// has it where the call had none, the tool's name.
pub(crate) fn results<'j>(json: &'j Json, out: &mut Vec<&'j str>) {
    /// What a result is called, and where it has the id of its call.
    const KINDS: [(&str, &str); 4] = [
        ("tool_result", "tool_use_id"),
        ("function_call_output", "call_id"),
        ("tool-result", "toolCallId"),
        ("tool", "tool_call_id"),
    ];
    match json {
        Json::List(items) => items.iter().for_each(|item| results(item, out)),
        Json::Object(members) => {
            let is = |word: &str| json.at("type").is(word) || json.at("role").is(word);
            let id = KINDS
                .iter()
                .find_map(|(kind, id)| is(kind).then(|| json.at(id).as_text())?)
                .or_else(|| is("tool").then(|| json.at("toolCallId").as_text())?)
                .or_else(|| {
                    let response = json.at("functionResponse");
                    let id = response.at("id").as_text().filter(|id| !id.is_empty());
                    id.or_else(|| response.at("name").as_text())
                });
            out.extend(id);
            if is_result(members) {
                return;
            }
            for container in CONTAINERS {
                if let Some(inner) = members.get(container) {
                    results(inner, out);
                }
            }
        }
        _ => {}
    }
}

/// Puts ids into the calls, in the same order; nothing for one that stays.
pub(crate) fn rename(json: &mut Json, shapes: &[&Shape], ids: &mut dyn Iterator<Item = Option<String>>) {
    match json {
        Json::List(items) => {
            for item in items {
                rename(item, shapes, ids);
            }
        }
        Json::Object(members) => {
            if let Some(shape) = shapes.iter().find(|shape| found(members, shape).is_some()) {
                let Some(id) = ids.next().flatten() else { return };
                let place = if shape.id_inside {
                    members.get_mut(shape.inner)
                } else {
                    None
                };
                match place {
                    Some(Json::Object(inner)) => inner.set(shape.id, Json::Text(id)),
                    _ => members.set(shape.id, Json::Text(id)),
                }
                return;
            }
            if is_of_others(members) {
                return;
            }
            for container in CONTAINERS {
                if let Some(inner) = members.get_mut(container) {
                    rename(inner, shapes, ids);
                }
            }
        }
        _ => {}
    }
}

/// The call, if these are the members of one.
#[inline(never)]
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
        is_cut: members
            .get("status")
            .is_some_and(|status| status.is("incomplete")),
    })
}

/// AG-UI's events as the calls that they spell; nothing where there is no event.
pub(crate) fn joined(target: Target, calls: &Json) -> Option<Json> {
    let is_event = |item: &&Json| item.at("type").str().starts_with("TOOL_CALL_");
    if target != Target::AgUi {
        return None;
    }
    let events: Vec<&Json> = calls.items().iter().filter(is_event).collect();
    if events.is_empty() {
        return None;
    }
    let index = Index::new(events.iter().map(|event| event.at("toolCallId").str()).collect());
    // At the place of an id's first event, its call.
    let mut known: Vec<Option<(&str, &str, String)>> = events.iter().map(|_| None).collect();
    let mut announced = Vec::new();
    for event in events {
        let id = event.at("toolCallId").str();
        let name = event.at("toolCallName").str();
        let Some(place) = index.find(id) else { continue };
        match known.get_mut(place) {
            Some(Some((_, _, text))) => text.push_str(event.at("delta").str()),
            // A call is announced once, however often it comes again after an interrupt.
            Some(none) if !name.is_empty() => {
                *none = Some((id, name, event.at("delta").str().to_owned()));
                announced.push(place);
            }
            _ => {}
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
    let calls = announced
        .into_iter()
        .filter_map(|place| known.get_mut(place)?.take().map(call));
    Some(Json::List(calls.collect()))
}

/// Whether a value is what a model may have answered, or a part of it: a list, a message, a response, an event.
pub(crate) fn is_answer(json: &Json) -> bool {
    /// What a message or a part has, and what Gemini says of an answer without a candidate.
    const OTHERS: [&str; 5] = ["type", "role", "promptFeedback", "usageMetadata", "modelVersion"];
    match json {
        Json::List(items) => items.is_empty() || items.iter().any(is_answer),
        Json::Object(members) => CONTAINERS
            .iter()
            .chain(&OTHERS)
            .any(|key| members.get(key).is_some()),
        _ => false,
    }
}

/// The target whose calls these are, where they are some other's.
pub(crate) fn others(json: &Json, target: Target) -> Option<&'static str> {
    // Those whose calls cannot be taken for something else.
    let plain: [(Target, &'static str, &'static Shape); 5] = [
        (Target::Anthropic, "anthropic", &ANTHROPIC),
        (Target::OpenaiResponses, "openai-responses", &RESPONSES),
        (Target::OpenaiChat, "openai-chat", &CHAT),
        (Target::Gemini, "gemini", &GEMINI),
        (Target::LanguageModel, "language-model", &LANGUAGE_MODEL),
    ];
    let own = shapes(target);
    plain.into_iter().find_map(|(other, name, shape)| {
        let mut met = Vec::new();
        if other != target && !own.iter().any(|own| core::ptr::eq(*own, shape)) {
            all(json, &[shape], &mut met);
        }
        (!met.is_empty()).then_some(name)
    })
}
