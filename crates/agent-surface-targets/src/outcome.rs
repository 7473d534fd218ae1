//! What became of the calls of one turn, in the words of a target: exactly one result for each call, in their order.
//!
//! It refuses to decide what became of a call: the surface did. Called by the module and by native hosts.

use crate::json::{Json, Members};
use crate::mcp;
use crate::target::{Target, by_name, no_such_target};
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

/// One call and its end.
struct Ended<'a> {
    call: &'a Json,
    /// The surface's result.
    result: &'a Json,
}

/// Renders results. The request: `{ target, results: [{ id, given?, name, mcp?, result }], hold? }`; `result` is what a tool's
/// `execute` gave, or absent for a tool that there is not. The answer: `{ messages, outputs?, pending }`, `outputs` for
/// what writes results into a chat instead of a conversation. With `hold`, calls that wait for a person get neither yet.
pub fn render(request: &Json) -> Json {
    let Some(profile) = by_name(request.at("target").str()) else {
        return no_such_target(request.at("target"));
    };
    let target = profile.target;
    let unknown: Vec<Json> = request
        .at("results")
        .items()
        .iter()
        .map(|call| no_such_tool(call.at("name").str()))
        .collect();
    let mut messages = Vec::new();
    let mut outputs = Vec::new();
    let mut pending = Vec::new();
    for (call, missing) in request.at("results").items().iter().zip(&unknown) {
        let result = call
            .get("result")
            .filter(|result| !result.is_null())
            .unwrap_or(missing);
        let ended = Ended { call, result };
        if ended.code() == "CONFIRMATION_REQUIRED" {
            pending.push(ended.question(target));
            if request.at("hold").is_true() {
                continue;
            }
        }
        messages.push(ended.message(target));
        if target == Target::AiSdk {
            outputs.push(ended.chat_output());
        }
    }
    let mut answer = Members::default();
    answer.set("messages", gathered(target, messages));
    if target == Target::AiSdk {
        answer.set("outputs", Json::List(outputs));
    }
    answer.set("pending", Json::List(pending));
    Json::Object(answer)
}

/// Results that belong into one message.
fn gathered(target: Target, results: Vec<Json>) -> Json {
    let key = match target {
        Target::Anthropic | Target::LanguageModel => ("user", "content"),
        Target::Gemini => ("user", "parts"),
        Target::AiSdk => ("tool", "content"),
        _ => return Json::List(results),
    };
    if results.is_empty() {
        return Json::List(results);
    }
    let message = Json::object([("role", Json::text(key.0)), (key.1, Json::List(results))]);
    Json::List(Vec::from([message]))
}

fn no_such_tool(name: &str) -> Json {
    let message = [
        "There is no tool `",
        name,
        "` at the moment: use one of the listed tools.",
    ]
    .concat();
    let error = Json::object([
        ("code", Json::text("CAPABILITY_NOT_FOUND")),
        ("message", Json::Text(message)),
        ("retry", Json::text("after-refresh")),
    ]);
    Json::object([
        ("status", Json::text("error")),
        ("error", error),
        ("unknown", Json::Bool(true)),
    ])
}

impl Ended<'_> {
    fn error(&self) -> Option<&Json> {
        (!self.result.at("status").is("ok")).then(|| self.result.at("error"))
    }

    fn code(&self) -> &str {
        self.error()
            .map(|error| error.at("code").str())
            .unwrap_or_default()
    }

    fn is_denied(&self) -> bool {
        self.code() == "CONFIRMATION_INVALID"
            && self
                .error()
                .is_some_and(|error| error.at("details").at("reason").is("denied"))
    }

    fn id(&self) -> Json {
        Json::text(self.call.at("id").str())
    }

    fn name(&self) -> Json {
        Json::text(self.call.at("name").str())
    }

    /// What the model reads: a text as it is, anything else as JSON.
    fn text(&self) -> String {
        match (self.error(), self.result.get("output")) {
            (Some(error), _) => error.write(),
            (None, Some(Json::Text(text))) => text.clone(),
            (None, Some(output)) => output.write(),
            (None, None) => r#"{"ok":true}"#.to_owned(),
        }
    }

    /// The same where nothing else says that it is an error.
    fn unflagged(&self) -> String {
        match self.error() {
            Some(error) => Json::object([("ok", Json::Bool(false)), ("error", error.clone())]).write(),
            None => self.text(),
        }
    }

    /// The output as a value.
    fn value(&self) -> Json {
        self.result
            .get("output")
            .cloned()
            .unwrap_or_else(|| Json::object([("ok", Json::Bool(true))]))
    }

    fn message(&self, target: Target) -> Json {
        let mut out = Members::default();
        let is_error = self.error().is_some();
        match target {
            Target::Anthropic => {
                out.set("type", Json::text("tool_result"));
                out.set("tool_use_id", self.id());
                out.set("content", Json::Text(self.text()));
                out.set_if("is_error", is_error.then_some(Json::Bool(true)));
            }
            Target::OpenaiResponses => {
                out.set("type", Json::text("function_call_output"));
                out.set("call_id", self.id());
                out.set("output", Json::Text(self.unflagged()));
            }
            Target::OpenaiChat => {
                out.set("role", Json::text("tool"));
                out.set("tool_call_id", self.id());
                out.set("content", Json::Text(self.unflagged()));
            }
            Target::Gemini => return self.gemini(),
            Target::AiSdk => {
                out.set("type", Json::text("tool-result"));
                out.set("toolCallId", self.id());
                out.set("toolName", self.name());
                out.set("output", self.ai_sdk());
            }
            Target::Langchain => {
                out.set("type", Json::text("tool"));
                out.set("tool_call_id", self.id());
                out.set("name", self.name());
                out.set("content", Json::Text(self.text()));
                out.set("status", Json::text(if is_error { "error" } else { "success" }));
            }
            Target::AssistantUi => {
                out.set("toolCallId", self.id());
                out.set("toolName", self.name());
                out.set("result", self.error().cloned().unwrap_or_else(|| self.value()));
                out.set("isError", Json::Bool(is_error));
            }
            Target::AgUi => {
                out.set("id", Json::Text(["result_", self.call.at("id").str()].concat()));
                out.set("role", Json::text("tool"));
                out.set("toolCallId", self.id());
                out.set("content", Json::Text(self.text()));
                out.set_if(
                    "error",
                    self.error().map(|error| Json::text(error.at("message").str())),
                );
            }
            Target::Mcp => return mcp::result(self.result, self.call.get("mcp"), self.text()),
            Target::LanguageModel => return self.language_model(),
        }
        Json::Object(out)
    }

    /// The id is echoed where one was given; `response` is always an object.
    fn gemini(&self) -> Json {
        let mut out = Members::default();
        if self.call.get("given").is_some() {
            out.set("id", self.id());
        }
        out.set("name", self.name());
        let response = match self.error() {
            Some(error) => Json::object([("error", error.clone())]),
            None => Json::object([("output", self.value())]),
        };
        out.set("response", response);
        Json::object([("functionResponse", Json::Object(out))])
    }

    fn ai_sdk(&self) -> Json {
        let (kind, value) = match (self.error(), self.result.get("output")) {
            (Some(error), _) if self.is_denied() => {
                let said = error.at("details").get("note").unwrap_or(error.at("message"));
                return Json::object([("type", Json::text("execution-denied")), ("reason", said.clone())]);
            }
            (Some(error), _) => ("error-json", error.clone()),
            (None, Some(Json::Text(text))) => ("text", Json::text(text)),
            (None, _) => ("json", self.value()),
        };
        Json::object([("type", Json::text(kind)), ("value", value)])
    }

    /// What `addToolOutput` of a chat takes.
    fn chat_output(&self) -> Json {
        let mut out = Members::default();
        out.set("tool", self.name());
        out.set("toolCallId", self.id());
        if self.error().is_some() {
            out.set("state", Json::text("output-error"));
            out.set("errorText", Json::Text(self.text()));
        } else {
            out.set("output", self.value());
        }
        Json::Object(out)
    }

    fn language_model(&self) -> Json {
        let mut out = Members::default();
        out.set("callId", self.id());
        out.set("name", self.name());
        if self.error().is_some() {
            out.set("errorMessage", Json::Text(self.text()));
        } else {
            let is_text = self
                .result
                .get("output")
                .is_some_and(|output| output.as_text().is_some());
            let kind = if is_text { "text" } else { "object" };
            let part = Json::object([("type", Json::text(kind)), ("value", self.value())]);
            out.set("result", Json::List(Vec::from([part])));
        }
        Json::object([
            ("type", Json::text("tool-response")),
            ("value", Json::Object(out)),
        ])
    }

    /// A call that waits for a person, as the target asks one; where it has no words for that, as the surface says it.
    fn question(&self, target: Target) -> Json {
        let details = self.result.at("error").at("details");
        let summary = details.at("summary").clone();
        let mut out = Members::default();
        for key in ["id", "name"] {
            out.set(key, self.call.at(key).clone());
        }
        for key in ["confirmationId", "summary", "expiresAt"] {
            out.set_if(key, details.get(key).cloned());
        }
        let request = match target {
            Target::Langchain => {
                let action = Json::object([
                    ("name", self.name()),
                    ("args", self.call.get("input").cloned().unwrap_or_default()),
                    ("description", summary),
                ]);
                let decisions = Json::List(Vec::from([Json::text("approve"), Json::text("reject")]));
                let review = Json::object([("actionName", self.name()), ("allowedDecisions", decisions)]);
                Json::object([
                    ("actionRequests", Json::List(Vec::from([action]))),
                    ("reviewConfigs", Json::List(Vec::from([review]))),
                ])
            }
            Target::AgUi => {
                let mut interrupt = Members::default();
                interrupt.set("id", details.at("confirmationId").clone());
                interrupt.set("reason", Json::text("confirmation"));
                interrupt.set("message", summary);
                interrupt.set("toolCallId", self.id());
                interrupt.set_if("expiresAt", details.get("expiresAt").cloned());
                Json::Object(interrupt)
            }
            Target::Mcp => {
                let schema = Json::object([
                    ("type", Json::text("object")),
                    ("properties", Json::Object(Members::default())),
                ]);
                Json::object([("message", summary), ("requestedSchema", schema)])
            }
            _ => return Json::Object(out),
        };
        out.set("request", request);
        Json::Object(out)
    }
}
