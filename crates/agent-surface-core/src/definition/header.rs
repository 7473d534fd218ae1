//! Reads a component without its capabilities, and lists of policies.
//!
//! It refuses unknown fields and ids outside the grammar. Called by the registry as a component registers.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use agent_surface_json::{Document, Kind, Value, compare_numbers};

use super::fields::{Faults, Fields};
use super::{Header, PolicyRef};
use crate::error::{DefinitionCode, DefinitionError, ObjectWriter, is_blank};
use crate::id;
use crate::limits::Limits;

/// The lists of capabilities are components' too: they come apart, and are here to be named.
const KNOWN: &str =
    "observations actions procedures instanceId parent meta origin priority enabled policies internal";
/// What a component type must be.
pub const COMPONENT_TYPE: &str = "dotted lower-case segments such as `devices.table`, at most 128 characters";
/// What a double does not reach.
const TOO_LARGE: &str = "1.7976931348623158e308";

/// The component in a document as the facade sends it; `internal` is `1` when the host keeps one.
///
/// # Errors
/// `INVALID_ID`, `INVALID_DEFINITION` or `LIMIT_EXCEEDED`, naming the field.
pub fn parse_header(document: &Document, limits: &Limits) -> Result<Box<Header>, DefinitionError> {
    let faults = Faults::default();
    let mut fields = Fields::of(document.root(), &["a component"], &faults);
    let component_type = fields.text("type").unwrap_or_default();
    fields.rename("component", &component_type);
    fields.check(&["type", "description"], &[KNOWN]);
    check_type(&fields);
    check_instance_id(&fields);
    faults.result(Box::new(Header {
        instance_id: fields.text("instanceId").unwrap_or_else(|| "default".to_owned()),
        description: fields.description(limits.max_component_description),
        parent: fields.raw("parent").map(|parent| parse_parent(parent, &fields)),
        meta: fields.meta(limits.max_meta_bytes),
        origin: fields.text("origin"),
        priority: priority(&fields),
        enabled: fields.flag("enabled").unwrap_or(true),
        policies: policies(&fields),
        has_internal: fields.has("internal"),
        component_type,
    }))
}

fn check_type(fields: &Fields<'_>) {
    check_grammar(fields, "type", id::is_component_type, COMPONENT_TYPE);
}

fn check_instance_id(fields: &Fields<'_>) {
    let expected = "letters, digits, `-` or `_`, at most 128 characters";
    check_grammar(fields, "instanceId", id::is_instance_id, expected);
}

fn check_grammar(fields: &Fields<'_>, key: &str, fits: fn(&str) -> bool, expected: &str) {
    if fields.text(key).is_some_and(|text| !fits(&text)) {
        fields.wrong(DefinitionCode::InvalidId, key, expected);
    }
}

/// The text of `{type, instanceId?}`.
fn parse_parent(parent: Value<'_>, owner: &Fields<'_>) -> String {
    let fields = Fields::of(parent, &["`parent` of ", owner.place()], owner.faults);
    fields.check(&["type"], &["instanceId"]);
    check_type(&fields);
    check_instance_id(&fields);
    let mut object = ObjectWriter::new();
    for key in ["type", "instanceId"] {
        if let Some(value) = fields.raw(key) {
            object.raw(key, value.raw());
        }
    }
    object.finish()
}

/// The number's token.
fn priority(fields: &Fields<'_>) -> String {
    let Some(value) = fields.raw("priority") else {
        return String::from("0");
    };
    let token = value.raw();
    let size = token.strip_prefix('-').unwrap_or(token);
    if value.kind() != Kind::Number || compare_numbers(size, TOO_LARGE) != Ordering::Less {
        fields.wrong(DefinitionCode::InvalidDefinition, "priority", "a finite number");
    }
    token.to_owned()
}

/// The policies of a registry, an array as the facade sends it: `[{ref, name, hooks, guard?}]`.
///
/// # Errors
/// `INVALID_DEFINITION`, naming what is wrong.
pub fn parse_policies(list: Value<'_>, place: &str) -> Result<Vec<PolicyRef>, DefinitionError> {
    let faults = Faults::default();
    faults.result(read_policies(list, place, &faults))
}

fn read_policies(list: Value<'_>, place: &str, faults: &Faults) -> Vec<PolicyRef> {
    let mut policies = Vec::new();
    for item in list.items() {
        let fields = Fields::of(item, &["a policy of ", place], faults);
        fields.check(&["ref", "name", "hooks"], &["guard"]);
        let name = fields.text("name").unwrap_or_default();
        if is_blank(&name) {
            fields.refuse_all("must have a `name`");
        }
        let hooks = fields.count("hooks").unwrap_or_default();
        if !(1..=7).contains(&hooks) {
            fields.refuse_all(
                "must have functions `onDiscovery`, `onAuthorize` or `onInvoke`, and no other hook, as `authenticated()` gives them",
            );
        }
        policies.push(PolicyRef {
            reference: fields.count("ref").unwrap_or_default(),
            name,
            hooks: u8::try_from(hooks).unwrap_or_default(),
            guard: fields.flag("guard") == Some(true),
        });
    }
    policies
}

/// The policies of the component or capability with these fields.
pub(super) fn policies(fields: &Fields<'_>) -> Vec<PolicyRef> {
    match fields.raw("policies") {
        Some(list) => read_policies(list, fields.place(), fields.faults),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{read, with};
    use super::*;

    const PLAIN: &str = r#"{"type":"devices.table","description":"The table of devices"}"#;
    const FULL: &str = r#"{"type":"devices.table","instanceId":"main","description":"The table of devices",
        "parent":{"type":"devices","instanceId":"page"},"meta":{"team":"fleet"},"origin":"app","priority":5,
        "enabled":false,"policies":[{"ref":3,"name":"authenticated","hooks":5,"guard":true}],"internal":1}"#;

    fn parse(text: &str) -> Result<Box<Header>, String> {
        parse_header(&read(text), &Limits::default()).map_err(|error| error.text())
    }

    #[test]
    fn what_an_author_leaves_out_has_its_default() {
        let header = parse(PLAIN).expect("a header");
        assert_eq!(
            (&*header.instance_id, &*header.priority, header.enabled),
            ("default", "0", true)
        );
        assert!(header.policies.is_empty() && header.parent.is_none() && !header.has_internal);
    }

    #[test]
    fn every_field_is_read() {
        let header = parse(FULL).expect("a header");
        assert_eq!(header.instance_id, "main");
        assert_eq!(
            header.parent.as_deref(),
            Some(r#"{"type":"devices","instanceId":"page"}"#)
        );
        assert_eq!(header.meta.as_deref(), Some(r#"{"team":"fleet"}"#));
        assert_eq!(header.origin.as_deref(), Some("app"));
        assert!(!header.enabled && header.has_internal);
        let policy = PolicyRef {
            reference: 3,
            name: "authenticated".to_owned(),
            hooks: 5,
            guard: true,
        };
        assert_eq!(header.policies, [policy]);
    }

    #[test]
    fn the_descriptor_has_its_keys_in_order_and_nothing_internal() {
        assert_eq!(
            parse(FULL).expect("a header").base_descriptor("reg_1"),
            r#"{"type":"devices.table","instanceId":"main","registrationId":"reg_1","description":"The table of devices","parent":{"type":"devices","instanceId":"page"},"meta":{"team":"fleet"}}"#
        );
        assert_eq!(
            parse(PLAIN).expect("a header").base_descriptor("reg_2"),
            r#"{"type":"devices.table","instanceId":"default","registrationId":"reg_2","description":"The table of devices"}"#
        );
    }

    #[test]
    fn a_breach_of_the_grammar_is_an_invalid_id() {
        for (key, value) in [
            ("type", r#""Devices""#),
            ("type", r#""""#),
            ("instanceId", r#""two words""#),
            ("instanceId", r#""""#),
            ("parent", r#"{"type":"Devices"}"#),
            ("parent", r#"{"type":"devices","instanceId":"a b"}"#),
        ] {
            let refusal = parse(&with(PLAIN, key, value)).expect_err(value);
            assert!(refusal.starts_with("[INVALID_ID] "), "{refusal}");
        }
    }

    #[test]
    fn a_field_of_the_wrong_kind_is_refused_by_name() {
        for (key, value) in [
            ("type", ""),
            ("type", "7"),
            ("instanceId", "null"),
            ("description", ""),
            ("description", "7"),
            ("description", r#"" \n""#),
            ("parent", r#""devices""#),
            ("parent", "{}"),
            ("parent", r#"{"type":"devices","id":1}"#),
            ("origin", "1"),
            ("priority", r#""high""#),
            ("priority", "1e999"),
            ("enabled", "1"),
            ("policies", "{}"),
            ("policies", "[7]"),
            ("policies", r#"[{"ref":1,"hooks":1}]"#),
            ("policies", r#"[{"ref":1,"name":"  ","hooks":1}]"#),
            ("policies", r#"[{"ref":1,"name":"p","hooks":8}]"#),
            ("policies", r#"[{"ref":1,"name":"p","hooks":0}]"#),
            ("policies", r#"[{"ref":1,"name":"p"}]"#),
            ("policies", r#"[{"name":"p","hooks":1}]"#),
            ("policies", r#"[{"ref":1,"name":"p","hooks":1,"extra":1}]"#),
            ("titel", "1"),
        ] {
            let refusal = parse(&with(PLAIN, key, value)).expect_err(key);
            assert!(refusal.starts_with("[INVALID_DEFINITION] "), "{refusal}");
            let word = if key == "policies" { "polic" } else { key };
            assert!(refusal.contains(word), "{refusal}");
        }
        assert!(parse("[]").is_err() && parse("null").is_err());
        for hooks in ["8", "0"] {
            let policy = [r#"[{"ref":1,"name":"p","hooks":"#, hooks, "}]"].concat();
            assert_eq!(
                parse(&with(PLAIN, "policies", &policy)).expect_err("a misspelt hook, or none"),
                "[INVALID_DEFINITION] a policy of component `devices.table` must have functions `onDiscovery`, `onAuthorize` or \
                 `onInvoke`, and no other hook, as `authenticated()` gives them"
            );
        }
    }

    #[test]
    fn description_and_meta_are_bounded_inclusively() {
        let quoted = |text: String| ["\"", &text, "\""].concat();
        assert!(parse(&with(PLAIN, "description", &quoted("😀".repeat(500)))).is_ok());
        let refusal = parse(&with(PLAIN, "description", &quoted("x".repeat(501)))).expect_err("too long");
        assert_eq!(
            refusal,
            "[LIMIT_EXCEEDED] `description` of component `devices.table` may have 500 characters, found 501"
        );
        assert!(parse(&with(PLAIN, "meta", &quoted("x".repeat(2046)))).is_ok());
        let refusal = parse(&with(PLAIN, "meta", &quoted("x".repeat(2047)))).expect_err("too large");
        assert!(refusal.starts_with("[LIMIT_EXCEEDED] `meta` of"), "{refusal}");
    }

    #[test]
    fn priorities_order_as_the_authors_numbers_do() {
        let numbers = [
            "-1e300",
            "-2",
            "-0.5",
            "-0",
            "0",
            "0.25",
            "0.5",
            "1",
            "10",
            "4294967296",
            "1e300",
        ];
        let order: Vec<String> = numbers
            .iter()
            .map(|number| {
                parse(&with(PLAIN, "priority", number))
                    .expect("a header")
                    .priority
            })
            .collect();
        for (lower, higher) in order.iter().zip(&order[1..]) {
            let zeros = (&**lower, &**higher) == ("-0", "0");
            let expected = if zeros { Ordering::Equal } else { Ordering::Less };
            assert_eq!(compare_numbers(lower, higher), expected, "{lower} {higher}");
        }
    }

    #[test]
    fn an_unknown_field_is_named_with_its_component() {
        let refusal = parse(&with(PLAIN, "descripton", "1")).expect_err("a slip");
        let (fault, known) = refusal.split_once("; it takes ").expect("what it takes");
        assert_eq!(
            fault,
            "[INVALID_DEFINITION] component `devices.table` has an unknown field `descripton`"
        );
        assert!(
            known.starts_with("type description observations actions "),
            "{known}"
        );
    }
}
