//! What MCP's revision of 2026-07-28 has of its own: it says in each request which revision it speaks, and a person is asked by
//! an answer that requires input, which the client sends again with that input.
//!
//! It refuses to take a client's word for an approval: a person decides in the page, and what comes back only names the
//! question, so that a state that was forged, used before or is of another call is refused as any evidence is. Called by
//! `call`, `argument` and `outcome`.

use crate::json::{Json, Members};
use alloc::string::String;
use alloc::vec::Vec;

/// The first revision in which a server asks by its answer.
const ASKS: &str = "2026-07-28";
/// The one request for input in such an answer.
const APPROVAL: &str = "approval";

/// What a request says about itself; nothing of an earlier revision. `elicits`: the client can show a question; `state`: of the
/// answer that it comes back from; `declined`: what its person said.
pub(crate) fn asked(request: &Json) -> Option<Json> {
    let params = match request.at("params") {
        params @ Json::Object(_) => params,
        _ => request,
    };
    let meta = params.at("_meta");
    if meta.at("io.modelcontextprotocol/protocolVersion").str() < ASKS {
        return None;
    }
    let mut out = Members::default();
    let elicitation = meta
        .at("io.modelcontextprotocol/clientCapabilities")
        .at("elicitation");
    let has_forms =
        elicitation.get("form").is_some() || elicitation.as_object().is_some_and(|kinds| kinds.0.is_empty());
    out.set_if("elicits", has_forms.then_some(Json::Bool(true)));
    out.set_if("state", params.at("requestState").as_text().map(Json::text));
    let action = params.at("inputResponses").at(APPROVAL).at("action");
    let is_declined = action.is("decline") || action.is("cancel");
    out.set_if("declined", is_declined.then_some(Json::Bool(true)));
    Some(Json::Object(out))
}

/// A person said no where the client asked.
pub(crate) fn declined() -> Json {
    Json::object([
        ("code", Json::text("CONFIRMATION_INVALID")),
        ("message", Json::text("A person declined this. Do not ask again.")),
        ("retry", Json::text("no")),
        ("details", Json::object([("reason", Json::text("denied"))])),
    ])
}

/// The answer that asks. What the client's person says to it approves nothing; the same call is sent again after it.
pub(crate) fn requires_input(details: &Json) -> Json {
    let message = [
        details.at("summary").str(),
        "\n\nA person has to approve this in the page. Go on when that is done.",
    ]
    .concat();
    let schema = Json::object([
        ("type", Json::text("object")),
        ("properties", Json::Object(Members::default())),
    ]);
    let params = Json::object([
        ("mode", Json::text("form")),
        ("message", Json::Text(message)),
        ("requestedSchema", schema),
    ]);
    let request = Json::object([("method", Json::text("elicitation/create")), ("params", params)]);
    Json::object([
        ("resultType", Json::text("input_required")),
        ("inputRequests", Json::object([(APPROVAL, request)])),
        ("requestState", details.at("confirmationId").clone()),
    ])
}

/// A `CallToolResult`; a tool that there is not is an error of the protocol. `says`: what the request said about itself.
pub(crate) fn result(result: &Json, says: Option<&Json>, text: String) -> Json {
    let error = result.at("error");
    if result.at("unknown").is_true() {
        let error = Json::object([
            ("code", Json::Number("-32602".into())),
            ("message", Json::text(error.at("message").str())),
        ]);
        return Json::object([("error", error)]);
    }
    let can_ask = says.is_some_and(|says| says.at("elicits").is_true());
    if can_ask && error.at("code").is("CONFIRMATION_REQUIRED") {
        return requires_input(error.at("details"));
    }
    let mut out = Members::default();
    out.set_if("resultType", says.map(|_| Json::text("complete")));
    let part = Json::object([("type", Json::text("text")), ("text", Json::Text(text))]);
    out.set("content", Json::List(Vec::from([part])));
    if !result.at("status").is("ok") {
        out.set("isError", Json::Bool(true));
    } else if let Some(output) = result.get("output")
        // Clients of earlier revisions take objects only.
        && (output.as_object().is_some() || (says.is_some() && output.as_text().is_none()))
    {
        out.set("structuredContent", output.clone());
    }
    Json::Object(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_of_an_earlier_revision_says_nothing() {
        let request = |version: &str, capabilities: &str| {
            let text = [
                r#"{"params":{"name":"go","_meta":{"io.modelcontextprotocol/protocolVersion":""#,
                version,
                r#"","io.modelcontextprotocol/clientCapabilities":"#,
                capabilities,
                r#"},"requestState":"cnf_1","inputResponses":{"approval":{"action":"decline"}}}}"#,
            ]
            .concat();
            asked(&Json::parse(&text).unwrap()).map(|says| says.write())
        };
        assert_eq!(request("2025-11-25", "{}"), None);
        assert_eq!(asked(&Json::parse(r#"{"name":"go"}"#).unwrap()), None);
        assert_eq!(
            request("2026-07-28", r#"{"elicitation":{}}"#).as_deref(),
            Some(r#"{"elicits":true,"state":"cnf_1","declined":true}"#)
        );
        assert_eq!(
            request("2026-07-28", r#"{"elicitation":{"url":{}}}"#).as_deref(),
            Some(r#"{"state":"cnf_1","declined":true}"#)
        );
    }
}
