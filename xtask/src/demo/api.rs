//! The demo's JSON API over the device store.
//!
//! It trusts nothing that the page already checked: sizes, depth, types, states and names are looked at again here.
//! Called by the demo server for every path below `/api/`.

use serde_json::{Map, Value, json};

use super::{
    http::{Request, Response},
    store::{Filter, Refusal, Store},
};

/// No body of this API is nested deeper than an array in an object.
const DEPTH: usize = 4;

/// Answers a request.
pub fn respond(store: &Store, request: &Request) -> Response {
    let parts: Vec<&str> = request.path.split('/').skip(2).collect();
    let method = request.method.as_str();
    let result = match (parts.as_slice(), method) {
        (["devices"], "GET") => Ok(list(store, request)),
        (["devices"], _) => Err(Response::method_not_allowed("GET")),
        (["devices", "disable"], "POST") => disable(store, request),
        (["devices", "disable"], _) => Err(Response::method_not_allowed("POST")),
        (["devices", id], "GET") => store
            .device(id)
            .map(|device| json!({ "device": device }))
            .map_err(Response::from),
        (["devices", id], "PATCH") => rename(store, request, id),
        (["devices", _], _) => Err(Response::method_not_allowed("GET, PATCH")),
        (["reset"], "POST") => store
            .reset()
            .map(|devices| json!({ "devices": devices }))
            .map_err(Response::from),
        (["reset"], _) => Err(Response::method_not_allowed("POST")),
        _ => Err(Response::error(
            404,
            "NOT_FOUND",
            "there is no such resource",
            None,
        )),
    };
    result.map_or_else(|refusal| refusal, |value| Response::json(200, &value))
}

impl From<Refusal> for Response {
    fn from(refusal: Refusal) -> Self {
        Self::error(refusal.status, refusal.code, &refusal.message, refusal.field)
    }
}

fn list(store: &Store, request: &Request) -> Value {
    let filter = Filter {
        city: request.parameter("city"),
        status: request.parameter("status"),
        kind: request.parameter("kind"),
        search: request.parameter("q"),
    };
    json!({ "devices": store.list(&filter) })
}

fn rename(store: &Store, request: &Request, id: &str) -> Result<Value, Response> {
    let body = object(request, &["name"])?;
    let Some(Value::String(name)) = body.get("name") else {
        return Err(invalid("`name` must be a text", "name"));
    };
    store
        .rename(id, name)
        .map(|device| json!({ "device": device }))
        .map_err(Response::from)
}

fn disable(store: &Store, request: &Request) -> Result<Value, Response> {
    let body = object(request, &["ids"])?;
    let Some(Value::Array(items)) = body.get("ids") else {
        return Err(invalid("`ids` must be a list of device ids", "ids"));
    };
    let ids: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    let Some(ids) = ids else {
        return Err(invalid("`ids` must hold texts only", "ids"));
    };
    store
        .disable(&ids)
        .map(|devices| json!({ "devices": devices }))
        .map_err(Response::from)
}

/// The body as an object with no other keys than these.
fn object(request: &Request, keys: &[&str]) -> Result<Map<String, Value>, Response> {
    let content_type = request.header("content-type").unwrap_or_default();
    let media = content_type.split(';').next().unwrap_or_default().trim();
    if !media.eq_ignore_ascii_case("application/json") {
        let message = "the body must be sent as application/json";
        return Err(Response::error(415, "UNSUPPORTED_MEDIA_TYPE", message, None));
    }
    let malformed = |message: &str| Response::error(400, "MALFORMED_JSON", message, None);
    if is_deeper_than(&request.body, DEPTH) {
        return Err(malformed("the body is nested too deep"));
    }
    let value = serde_json::from_slice(&request.body)
        .ok()
        .ok_or_else(|| malformed("the body is no JSON"))?;
    let Value::Object(object) = value else {
        return Err(malformed("the body must be an object"));
    };
    if let Some(unknown) = object.keys().find(|key| !keys.contains(&key.as_str())) {
        let shown: String = unknown.chars().take(40).collect();
        return Err(Response::error(
            422,
            "INVALID",
            &format!("`{shown}` is unknown here"),
            None,
        ));
    }
    Ok(object)
}

fn invalid(message: &str, field: &str) -> Response {
    Response::error(422, "INVALID", message, Some(field))
}

/// Counts brackets outside of strings: enough to bound a parser that recurses.
fn is_deeper_than(text: &[u8], limit: usize) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > limit {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(store: &Store, method: &str, target: &str, body: &str) -> (u16, Value) {
        let response = respond(store, &Request::of(method, target, "application/json", body));
        (response.status, serde_json::from_slice(&response.body).unwrap())
    }

    fn code(answer: &(u16, Value)) -> (u16, &str) {
        (answer.0, answer.1["error"]["code"].as_str().unwrap_or("none"))
    }

    #[test]
    fn a_list_is_filtered() {
        let store = Store::open(None, true).unwrap();
        let (status, body) = ask(&store, "GET", "/api/devices", "");
        assert_eq!((status, body["devices"].as_array().unwrap().len()), (200, 60));
        let (_, body) = ask(&store, "GET", "/api/devices?city=Milan&status=offline", "");
        let devices = body["devices"].as_array().unwrap();
        assert!(!devices.is_empty());
        assert!(
            devices
                .iter()
                .all(|device| device["city"] == "Milan" && device["status"] == "offline")
        );
        assert_eq!(code(&ask(&store, "POST", "/api/devices", "{}")).0, 405);
    }

    #[test]
    fn a_rename_is_validated_again() {
        let store = Store::open(None, true).unwrap();
        let rename = |body: &str| ask(&store, "PATCH", "/api/devices/dev-007", body);
        assert_eq!(
            rename(r#"{"name":"Lobby camera"}"#).1["device"]["name"],
            "Lobby camera"
        );
        assert_eq!(code(&rename(r#"{"name":""}"#)), (422, "INVALID"));
        assert_eq!(code(&rename(r#"{"name":7}"#)), (422, "INVALID"));
        assert_eq!(code(&rename(r#"{"name":"x","id":"dev-001"}"#)), (422, "INVALID"));
        assert_eq!(code(&rename("{")), (400, "MALFORMED_JSON"));
        assert_eq!(code(&rename(&"[".repeat(60_000))), (400, "MALFORMED_JSON"));
        let taken = ask(
            &store,
            "PATCH",
            "/api/devices/dev-008",
            r#"{"name":"LOBBY camera"}"#,
        );
        assert_eq!(code(&taken), (409, "NAME_TAKEN"));
        assert_eq!(taken.1["error"]["field"], "name");
        assert_eq!(
            code(&ask(&store, "PATCH", "/api/devices/dev-999", r#"{"name":"x"}"#)),
            (404, "NOT_FOUND")
        );
    }

    #[test]
    fn disabling_is_all_or_nothing() {
        let store = Store::open(None, true).unwrap();
        let disable = |body: &str| ask(&store, "POST", "/api/devices/disable", body);
        let offline =
            |id: &str| ask(&store, "GET", &format!("/api/devices/{id}"), "").1["device"]["status"].clone();
        let before = offline("dev-001");
        assert_eq!(
            code(&disable(r#"{"ids":["dev-001","dev-999"]}"#)),
            (422, "UNKNOWN_DEVICE")
        );
        assert_eq!(offline("dev-001"), before);
        assert_eq!(disable(r#"{"ids":["dev-001"]}"#).0, 200);
        assert_eq!(offline("dev-001"), "disabled");
        assert_eq!(
            code(&disable(r#"{"ids":["dev-001"]}"#)),
            (409, "ALREADY_DISABLED")
        );
        assert_eq!(code(&disable(r#"{"ids":[]}"#)), (422, "INVALID"));
        assert_eq!(
            code(&disable(r#"{"ids":["dev-002","dev-002"]}"#)),
            (422, "INVALID")
        );
        ask(&store, "POST", "/api/reset", "");
        assert_eq!(offline("dev-001"), before);
    }

    #[test]
    fn another_media_type_is_refused() {
        let store = Store::open(None, true).unwrap();
        let request = Request::of("PATCH", "/api/devices/dev-007", "text/plain", r#"{"name":"x"}"#);
        assert_eq!(respond(&store, &request).status, 415);
        assert_eq!(
            respond(&store, &Request::of("GET", "/api/nothing", "", "")).status,
            404
        );
    }
}
