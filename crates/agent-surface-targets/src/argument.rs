//! The arguments of a call as the tool's own schema means them: models send texts where objects belong, and null for what
//! a strict schema could not leave out.
//!
//! It refuses to validate, and to change what the schema allows as it is. Called by the module and by native hosts, before
//! a tool is executed.

use crate::identity::is_drawn;
use crate::json::{Json, Members};
use crate::mcp;
use crate::schema::reference::located;
use crate::schema::types::{self, Types};
use agent_surface_json::Bounds;
use alloc::string::String;
use core::cell::Cell;

/// What the surface takes as an input.
const BOUNDS: Bounds = Bounds {
    max_bytes: 262_144,
    max_depth: 64,
    lone_surrogates: false,
};
/// A reference to a reference to a reference.
const MAX_CHAIN: usize = 16;
/// Values that are looked at: unions and references could make many of few. What is left stays as it is.
const MAX_STEPS: u32 = 20_000;

/// Prepares a call. The request: `{ schema, strict?, arguments, cut?, mcp? }` of one that was read, or with `{ id, name }` of one
/// that somebody else read. The answer: `{ input, key?, confirmationId? }`, or `{ error }` with a failure that the model can
/// repair. `key` is an id by which the surface may know the call.
pub fn prepare(request: &Json) -> Json {
    if request.at("cut").is_true() {
        return refused("The answer was cut off before this call was complete: send the call again.");
    }
    if request.at("mcp").at("declined").is_true() {
        return Json::object([("error", mcp::declined())]);
    }
    let arguments = match request.at("arguments") {
        Json::Text(text) => match from_text(text) {
            Ok(value) => value,
            Err(message) => return invalid(&message),
        },
        Json::Null => Json::Object(Members::default()),
        other => other.clone(),
    };
    let schema = request.at("schema");
    let repair = Repair {
        root: schema,
        is_strict: request.at("strict").is_true(),
        steps: Cell::new(0),
    };
    let mut out = Members::default();
    out.set("input", repair.value(arguments, schema));
    let id = request.at("id").str();
    out.set_if(
        "key",
        is_drawn(id, request.at("name").str()).then(|| Json::text(id)),
    );
    out.set_if("confirmationId", request.at("mcp").get("state").cloned());
    Json::Object(out)
}

/// Nothing is an empty object, and a text within a text is read once more.
fn from_text(text: &str) -> Result<Json, String> {
    if text.trim().is_empty() {
        return Ok(Json::Object(Members::default()));
    }
    let value = Json::parse_within(text, BOUNDS).map_err(|error| error.message())?;
    match value {
        Json::Null => Ok(Json::Object(Members::default())),
        Json::Text(inner) => Ok(Json::parse_within(&inner, BOUNDS).unwrap_or(Json::Text(inner))),
        other => Ok(other),
    }
}

fn invalid(message: &str) -> Json {
    refused(&["Send the arguments as one JSON object: ", message, "."].concat())
}

fn refused(message: &str) -> Json {
    let error = Json::object([
        ("code", Json::text("INVALID_INPUT")),
        ("message", Json::text(message)),
        ("retry", Json::text("with-changes")),
    ]);
    Json::object([("error", error)])
}

struct Repair<'a> {
    root: &'a Json,
    is_strict: bool,
    steps: Cell<u32>,
}

impl Repair<'_> {
    fn value(&self, value: Json, schema: &Json) -> Json {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > MAX_STEPS {
            return value;
        }
        let schema = self.resolved(schema);
        let value = self.out_of_text(value, schema);
        let branch = ["anyOf", "oneOf"]
            .iter()
            .flat_map(|key| schema.at(key).items())
            .map(|branch| self.resolved(branch))
            .find(|branch| fits(&value, branch));
        let mut value = match branch {
            Some(branch) => self.members(value, branch),
            None => value,
        };
        for part in schema.at("allOf").items() {
            value = self.members(value, self.resolved(part));
        }
        self.members(value, schema)
    }

    /// What a value holds.
    fn members(&self, value: Json, schema: &Json) -> Json {
        match value {
            Json::Object(members) => {
                let repaired = members.0.into_iter().filter_map(|(name, value)| {
                    let known = schema.at("properties").get(&name);
                    // A pattern may be what speaks of it.
                    let is_other = schema.get("patternProperties").is_none();
                    let other = schema.get("additionalProperties").filter(|_| is_other);
                    let own = known.or(other);
                    let Some(own) = own else {
                        return Some((name, value));
                    };
                    let is_required = schema.at("required").items().iter().any(|other| other.is(&name));
                    if self.is_strict
                        && value.is_null()
                        && known.is_some()
                        && !is_required
                        && !self.takes_null(own, 0)
                    {
                        return None;
                    }
                    let value = self.value(value, own);
                    Some((name, value))
                });
                Json::Object(repaired.collect())
            }
            Json::List(items) => {
                let (first, rest) = item_schemas(schema);
                let repaired = items.into_iter().enumerate().map(|(at, item)| {
                    let own = first.get(at).or(rest);
                    match own {
                        Some(own) => self.value(item, own),
                        None => item,
                    }
                });
                Json::List(repaired.collect())
            }
            other => other,
        }
    }

    /// A text where the schema wants an object or an array and no text.
    fn out_of_text(&self, value: Json, schema: &Json) -> Json {
        let Json::Text(text) = value else {
            return value;
        };
        let wanted = self.wanted(schema);
        let is_nested = wanted.has(types::OBJECT) || wanted.has(types::ARRAY);
        if is_nested
            && !wanted.has(types::STRING)
            && let Ok(inner) = Json::parse_within(&text, BOUNDS)
            && wanted.has(types::of(&inner))
        {
            return inner;
        }
        Json::Text(text)
    }

    /// The types that a schema names, or the branches of its union; none where a branch names none.
    fn wanted(&self, schema: &Json) -> Types {
        let stated = types::named(schema.get("type"));
        let keys = ["anyOf", "oneOf"];
        let branches = keys.iter().flat_map(|key| schema.at(key).items());
        let mut each = branches.map(|branch| types::named(self.resolved(branch).get("type")));
        if !stated.is_empty() {
            return stated;
        }
        let all = each.try_fold(stated, |all, own| (!own.is_empty()).then(|| all.with(own)));
        all.unwrap_or_default()
    }

    /// Whether null is a value of its own.
    fn takes_null(&self, schema: &Json, depth: usize) -> bool {
        self.steps.set(self.steps.get() + 1);
        let schema = self.resolved(schema);
        if depth > MAX_CHAIN
            || self.steps.get() > MAX_STEPS
            || schema.as_object().is_none_or(|members| members.0.is_empty())
        {
            return true;
        }
        let about = schema.as_object().map(types::about).unwrap_or_default();
        let parts = schema.at("allOf").items();
        about.has(types::NULL)
            || (about.is_empty()
                && !parts.is_empty()
                && parts.iter().all(|part| self.takes_null(part, depth + 1)))
            || ["anyOf", "oneOf"]
                .iter()
                .flat_map(|key| schema.at(key).items())
                .any(|branch| self.takes_null(branch, depth + 1))
    }

    fn resolved<'s>(&'s self, schema: &'s Json) -> &'s Json {
        let mut at = schema;
        for _ in 0..MAX_CHAIN {
            let Some(reference) = at.get("$ref").and_then(Json::as_text) else {
                break;
            };
            let Some((_, target)) = located(self.root, reference) else {
                break;
            };
            at = target;
        }
        at
    }
}

/// The schemas of the first items, one by one, and that of the rest; a list of `items` is an older word for the first.
fn item_schemas(schema: &Json) -> (&[Json], Option<&Json>) {
    match (schema.get("items"), schema.at("prefixItems").items()) {
        (Some(Json::List(first)), _) => (first, schema.get("additionalItems")),
        (rest, first) => (first, rest),
    }
}

/// Whether a branch of a union is the one that a value is meant for: its type, its constants, its required fields.
fn fits(value: &Json, branch: &Json) -> bool {
    let wanted = types::named(branch.get("type"));
    let found = types::of(value);
    if !wanted.is_empty() && wanted.common(found).is_empty() {
        return false;
    }
    let constant = |(name, schema): &(String, Json)| match (schema.get("const"), value.get(name)) {
        (Some(expected), Some(given)) => expected == given,
        _ => true,
    };
    branch.at("properties").members().iter().all(constant)
        && branch
            .at("required")
            .items()
            .iter()
            .all(|name| value.get(name.str()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(schema: &str, is_strict: bool, arguments: &str) -> String {
        let request = Json::object([
            ("schema", Json::parse(schema).unwrap()),
            ("strict", Json::Bool(is_strict)),
            ("arguments", Json::parse(arguments).unwrap()),
        ]);
        prepare(&request).write()
    }

    const LISTS: &str = r##"{"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#/$defs/o"}},"s":{"type":"string"},"b":{"type":["object","null"]}},"$defs":{"o":{"type":"object"}}}"##;

    #[test]
    fn nothing_is_an_empty_object_in_whatever_form() {
        for nothing in [
            "null",
            "\"\"",
            "\" \"",
            "\"null\"",
            "{}",
            "\"{}\"",
            "\"\\\"{}\\\"\"",
        ] {
            assert_eq!(prepared(LISTS, false, nothing), r#"{"input":{}}"#, "{nothing}");
        }
    }

    #[test]
    fn a_text_is_read_where_the_schema_wants_what_is_in_it() {
        assert_eq!(
            prepared(LISTS, false, r#""{\"a\":[1]}""#),
            r#"{"input":{"a":[1]}}"#
        );
        assert_eq!(
            prepared(LISTS, false, r#"{"a":"[\"{}\"]","s":"[1]","b":"{\"x\":1}"}"#),
            r#"{"input":{"a":[{}],"s":"[1]","b":{"x":1}}}"#
        );
        assert_eq!(
            prepared(LISTS, false, r#"{"a":"{}","b":"1"}"#),
            r#"{"input":{"a":"{}","b":"1"}}"#
        );
        let unions = r#"{"properties":{"o":{"anyOf":[{"type":"object"},{"type":"null"}]},"t":{"anyOf":[{"type":"object"},{"type":"string"}]},"x":{"anyOf":[{"type":"object"},{}]}}}"#;
        assert_eq!(
            prepared(unions, false, r#"{"o":"{}","t":"{}","x":"{}"}"#),
            r#"{"input":{"o":{},"t":"{}","x":"{}"}}"#
        );
    }

    #[test]
    fn a_text_stays_where_another_schema_speaks_of_it() {
        let schema = r##"{"type":"object","properties":{"t":{"prefixItems":[{"type":"string"}],"items":{"type":"object"}},"u":{"items":[{"type":"string"},{"type":"object"}]},"o":{"type":"object"},"r":{"$ref":"#own"}},"patternProperties":{"^s":{"type":"string"}},"additionalProperties":{"type":"object"}}"##;
        let sent = r#"{"t":["{}","{}"],"u":["{}","{}","{}"],"r":{"o":"{}"},"s":"{}"}"#;
        assert_eq!(
            prepared(schema, false, sent),
            r#"{"input":{"t":["{}",{}],"u":["{}",{},"{}"],"r":{"o":"{}"},"s":"{}"}}"#
        );
    }

    #[test]
    fn a_reference_is_followed_into_lists_and_through_escapes() {
        let schema = r##"{"type":"object","properties":{"a":{"$ref":"#/anyOf/0/properties/a"},"b":{"$ref":"#/$defs/two%20words"}},"anyOf":[{"properties":{"a":{"type":"object"}}}],"$defs":{"two words":{"type":"array"}}}"##;
        assert_eq!(
            prepared(schema, false, r#"{"a":"{}","b":"[]"}"#),
            r#"{"input":{"a":{},"b":[]}}"#
        );
    }

    #[test]
    fn arguments_that_broke_off_are_a_failure_that_can_be_repaired() {
        let answer = prepared(LISTS, false, r#""{\"a\":[1""#);
        assert!(
            answer.starts_with(r#"{"error":{"code":"INVALID_INPUT""#),
            "{answer}"
        );
    }

    #[test]
    fn null_stands_for_an_absent_field_in_strict_calls_alone_and_where_it_is_no_value() {
        let schema = r#"{"type":"object","properties":{"name":{"type":"string"},"note":{"type":"string"},"x":{"type":["string","null"]},"d":{"anyOf":[{"type":"object","properties":{"k":{"const":"a"},"n":{"type":"integer"}},"required":["k"]}]}},"required":["name"]}"#;
        let sent = r#"{"name":null,"note":null,"x":null,"d":{"k":"a","n":null}}"#;
        assert_eq!(
            prepared(schema, true, sent),
            r#"{"input":{"name":null,"x":null,"d":{"k":"a"}}}"#
        );
        assert_eq!(
            prepared(schema, false, sent),
            [r#"{"input":"#, sent, "}"].concat()
        );
        let parts = r#"{"type":"object","properties":{"both":{"allOf":[{"type":["string","null"]},{"type":"null"}]},"one":{"allOf":[{"type":["string","null"]},{"type":"string"}]}}}"#;
        assert_eq!(
            prepared(parts, true, r#"{"both":null,"one":null}"#),
            r#"{"input":{"both":null}}"#
        );
    }

    #[test]
    fn a_union_of_itself_many_times_over_is_looked_into_for_so_long_and_no_longer() {
        let itself = [r##"{"$ref":"#/$defs/a"}"##; 9].join(",");
        let schema = [
            r##"{"properties":{"n":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":["##,
            &itself,
            "]}}}",
        ]
        .concat();
        assert_eq!(
            prepared(&schema, true, r#"{"n":null}"#),
            r#"{"input":{"n":null}}"#
        );
    }
}
