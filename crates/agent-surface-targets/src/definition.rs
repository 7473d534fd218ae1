//! One tool in the words of a target.
//!
//! It refuses to touch the schema, which comes projected. Sources: the published types of each SDK. Called by `project`.

use crate::json::{Json, Members};
use crate::label;
use crate::schema::{Change, Loss};
use crate::target::{Dialect, Profile, Target};
use alloc::borrow::ToOwned as _;

/// The definition, and what of it the target does not take.
pub fn definition(
    profile: &Profile,
    dialect: Dialect,
    name: &str,
    tool: &Json,
    schema: &Json,
    is_strict: bool,
) -> (Json, Option<Loss>) {
    let mut out = Members::default();
    let mut lost = None;
    let schema = schema.clone();
    if profile.target == Target::OpenaiResponses {
        out.set("type", Json::text("function"));
    }
    out.set("name", Json::text(name));
    if profile.target == Target::Mcp {
        out.set_if("title", tool.get("title").cloned());
    }
    out.set("description", Json::text(tool.at("description").str()));
    let strict = is_strict.then_some(Json::Bool(true));
    match profile.target {
        Target::Anthropic => {
            out.set("input_schema", schema);
            out.set_if("strict", strict);
        }
        Target::OpenaiResponses => {
            out.set("parameters", schema);
            // Left out, the service would choose.
            out.set("strict", Json::Bool(is_strict));
        }
        Target::OpenaiChat => {
            out.set("parameters", schema);
            out.set_if("strict", strict);
            let function = Json::Object(out);
            return (
                Json::object([("type", Json::text("function")), ("function", function)]),
                None,
            );
        }
        Target::Gemini => {
            let has_none = schema.at("properties").members().is_empty();
            let key = if dialect == Dialect::Gemini {
                "parameters"
            } else {
                "parametersJsonSchema"
            };
            if !(has_none && dialect == Dialect::Gemini) {
                out.set(key, schema);
            }
        }
        Target::AiSdk => {
            out.set("inputSchema", schema);
            out.set_if("strict", strict);
        }
        Target::Langchain => out.set("schema", schema),
        Target::AssistantUi | Target::AgUi => out.set("parameters", schema),
        Target::LanguageModel => out.set("inputSchema", schema),
        Target::Mcp => {
            out.set("inputSchema", schema);
            lost = mcp(&mut out, tool);
        }
    }
    (Json::Object(out), lost)
}

/// Output schema and annotations. Absent hints count as the worst, so all of them are said.
fn mcp(out: &mut Members, tool: &Json) -> Option<Loss> {
    let mut lost = None;
    match tool.at("outputSchema") {
        Json::Null => {}
        schema if schema.at("type").is("object") => out.set("outputSchema", schema.clone()),
        _ => {
            lost = Some(Loss {
                pointer: "/outputSchema".to_owned(),
                keyword: "outputSchema".to_owned(),
                change: Change::Weakened,
                reason: "clients before 2026-07-28 take objects only: left out",
            });
        }
    }
    let effect = tool
        .at("effect")
        .as_text()
        .or_else(|| label::effect(tool.at("description").str()));
    if let Some(hints) = effect.and_then(label::hints) {
        let idempotent = tool
            .get("idempotent")
            .cloned()
            .unwrap_or(Json::Bool(hints.read_only));
        let annotations = Json::object([
            ("readOnlyHint", Json::Bool(hints.read_only)),
            ("destructiveHint", Json::Bool(hints.destructive)),
            ("idempotentHint", idempotent),
            ("openWorldHint", Json::Bool(hints.open_world)),
        ]);
        out.set("annotations", annotations);
    }
    lost
}
