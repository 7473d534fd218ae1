//! What only procedure references have: an id with a path, and fields that the page fills.
//!
//! It refuses a binding that could leave a field open which its author meant to lock. Called by `capability`.

use agent_surface_json::{Kind, Value, concat, schema};
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

use super::fields::Fields;
use super::schema::Read;
use super::{Bound, SchemaRef};
use crate::error::DefinitionCode;
use crate::id;
use crate::limits::Limits;

/// Full id and path; the wire may give either or both.
pub(super) fn identity(fields: &Fields<'_>) -> Option<(String, String)> {
    let path = fields.text("path");
    let id = fields.text("id").or_else(|| path.as_deref().map(id::domain));
    let Some(id) = id else {
        fields.wrong(DefinitionCode::InvalidDefinition, "id", "a text");
        return None;
    };
    let Some(id::CapabilityId::Domain { path: inner }) = id::parse(&id) else {
        let expected = "`domain:` and the procedure's path, at most 128 characters";
        fields.wrong(DefinitionCode::InvalidId, "id", expected);
        return None;
    };
    if path.is_some_and(|path| path != inner) {
        let expected = concat(&["the path in `", &id, "`"]);
        fields.wrong(DefinitionCode::InvalidId, "path", &expected);
    }
    let path = inner.to_owned();
    Some((id, path))
}

/// The bound fields, and the agent's view of the input when there are any.
pub(super) fn binding(fields: &Fields<'_>, input: &Read, limits: &Limits) -> (Vec<Bound>, Option<SchemaRef>) {
    let invalid = |key, pieces: &[&str]| fields.refuse(DefinitionCode::InvalidDefinition, key, pieces);
    let names = fields.texts("boundFields");
    let listed = |key, among: &[String], fault| {
        let list = fields.texts(key);
        if let Some(stray) = list.iter().find(|field| !among.contains(field)) {
            invalid(key, &["names `", stray, fault]);
        }
        list
    };
    let overridable = listed("overridableFields", &names, "`, which is not bound");
    let mut locked = names.clone();
    locked.retain(|field| !overridable.contains(field));
    // Otherwise an agent could fill what its author meant to lock.
    listed(
        "lockedFields",
        &locked,
        "`, which is not bound, or is overridable",
    );
    if fields.has("bind") == names.is_empty() {
        let text = "must be a function for each field that `boundFields` names, and only for those";
        invalid("bind", &[text]);
    }
    if names.is_empty() {
        return (Vec::new(), None);
    }
    if !input.schema.object_root {
        let text = "must have an object at its root, so that fields can be bound";
        invalid("input", &[text]);
    }
    let root = input.document.root();
    if let Some(stray) = names.iter().find(|field| !takes(root, field)) {
        invalid("bind", &["fills `", stray, "`, which `input` does not have"]);
    }
    let text = schema::reduce(root, &locked, &names);
    let what = ["`input` without the bound fields"];
    // Where others evaluate it, the whole has been judged.
    let own = input.schema.compiled.is_some().then_some(false);
    let reduced = super::schema::compile_at(fields, &what, &text, own, limits);
    let mut bound = Vec::with_capacity(names.len());
    for field in names {
        let locked = locked.contains(&field);
        bound.push(Bound { field, locked });
    }
    (bound, reduced.map(|read| read.schema))
}

/// Whether an object schema could take a field. Only a closed one with its properties in sight says no.
fn takes(root: Value<'_>, field: &str) -> bool {
    let is_closed = root.get("additionalProperties").and_then(Value::as_bool) == Some(false);
    let properties = root
        .get("properties")
        .filter(|properties| properties.kind() == Kind::Object);
    !is_closed || properties.is_some_and(|properties| properties.get(field).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::Concurrency;
    use super::super::samples::{parse, read, refused, with};
    use crate::effect::Confirmation;

    const REFER: &str = r#"{"kind":"procedure","id":"domain:devices.disable","path":"devices.disable",
        "description":"Disables","effect":"server-mutation","input":{"text":
        "{\"type\":\"object\",\"properties\":{\"ids\":{\"type\":\"array\"},\"note\":{\"type\":\"string\"}},\"required\":[\"ids\",\"note\"],\"additionalProperties\":false}","own":false}}"#;

    fn bound(bound: &str, overridable: &str, bind: &str) -> String {
        with(
            &with(
                &with(REFER, "boundFields", bound),
                "overridableFields",
                overridable,
            ),
            "bind",
            bind,
        )
    }

    #[test]
    fn a_reference_without_bindings_shows_its_whole_input() {
        let capability = parse(REFER).expect("a procedure");
        assert_eq!(
            (&*capability.id, &*capability.name),
            ("domain:devices.disable", "devices.disable")
        );
        assert_eq!(capability.concurrency.mode, Concurrency::Capability);
        assert!(capability.reduced.is_none() && !capability.has_bind && capability.bound.is_empty());
        assert_eq!(
            capability.base_descriptor(),
            r#"{"procedureId":"domain:devices.disable","description":"Disables","inputSchema":{"type":"object","properties":{"ids":{"type":"array"},"note":{"type":"string"}},"required":["ids","note"],"additionalProperties":false},"effect":"server-mutation","confirmation":"optional","boundFields":[]}"#
        );
    }

    #[test]
    fn a_locked_field_leaves_the_agents_schema_and_an_overridable_one_becomes_optional() {
        let text = with(
            &with(&bound(r#"["ids","note"]"#, r#"["note"]"#, "1"), "describe", "1"),
            "meta",
            r#""m""#,
        );
        let capability = parse(&text).expect("a procedure");
        assert!(capability.has_bind && capability.has_describe);
        let locks: Vec<_> = capability
            .bound
            .iter()
            .map(|bound| (&*bound.field, bound.locked))
            .collect();
        assert_eq!(locks, [("ids", true), ("note", false)]);
        let reduced = capability.reduced.as_ref().expect("a reduced schema");
        assert!(reduced.object_root && reduced.compiled.is_some());
        let shown = read(&reduced.text);
        let properties = shown.root().get("properties").expect("properties");
        assert!(properties.get("ids").is_none() && properties.get("note").is_some());
        assert!(
            shown
                .root()
                .get("required")
                .is_none_or(agent_surface_json::Value::is_empty)
        );
        assert!(capability.base_descriptor().ends_with(
            r#""boundFields":[{"path":"ids","locked":true,"source":"ui-state"},{"path":"note","locked":false,"source":"ui-state"}],"meta":"m"}"#
        ));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "natively it is free")]
    fn an_authors_own_schema_is_reduced_as_text_only() {
        let text = bound(r#"["ids"]"#, "", "1").replace("\"own\":false", "\"own\":true");
        let capability = parse(&text).expect("a procedure");
        let reduced = capability.reduced.as_ref().expect("a reduced schema");
        assert!(reduced.compiled.is_none() && reduced.object_root && !reduced.text.contains("ids"));
    }

    #[test]
    fn a_binding_that_could_leave_a_field_open_is_refused() {
        refused(&bound(r#"["ids"]"#, "", ""), "INVALID_DEFINITION", "`bind`");
        refused(&bound(r#"["ids"]"#, "", "0"), "INVALID_DEFINITION", "`bind`");
        refused(&bound("", "", "1"), "INVALID_DEFINITION", "boundFields");
        refused(&bound("[]", "", "1"), "INVALID_DEFINITION", "boundFields");
        refused(
            &bound(r#"["ids"]"#, r#"["note"]"#, "1"),
            "INVALID_DEFINITION",
            "`note`",
        );
        refused(&bound(r#"["ids","ids"]"#, "", "1"), "INVALID_DEFINITION", "twice");
        refused(&bound(r#"["idz"]"#, "", "1"), "INVALID_DEFINITION", "`idz`");
        refused(&bound("[7]", "", "1"), "INVALID_DEFINITION", "array of texts");
        refused(
            &bound(r#""ids""#, "", "1"),
            "INVALID_DEFINITION",
            "array of texts",
        );
        let locking = |fields| {
            with(
                &bound(r#"["ids","note"]"#, r#"["note"]"#, "1"),
                "lockedFields",
                fields,
            )
        };
        assert!(parse(&locking(r#"["ids"]"#)).is_ok());
        refused(&locking(r#"["note"]"#), "INVALID_DEFINITION", "overridable");
        refused(&locking(r#"["idz"]"#), "INVALID_DEFINITION", "`lockedFields`");
        let unbound = with(REFER, "lockedFields", r#"["ids"]"#);
        refused(&unbound, "INVALID_DEFINITION", "not bound");
        let text = with(
            &bound(r#"["ids"]"#, "", "1"),
            "input",
            r#"{"text":"{\"type\":\"array\"}","own":false}"#,
        );
        refused(&text, "INVALID_DEFINITION", "object at its root");
    }

    #[test]
    fn an_open_schema_takes_any_bound_field() {
        let text = with(
            &bound(r#"["tenant"]"#, "", "1"),
            "input",
            r#"{"text":"{\"type\":\"object\"}","own":false}"#,
        );
        assert!(parse(&text).is_ok());
    }

    #[test]
    fn confirmation_never_falls_below_the_floor() {
        let level = |effect: &str, wished: &str, approval: &str| {
            let text = with(&with(REFER, "effect", effect), "confirmation", wished);
            parse(&with(&text, "requiresApproval", approval))
                .expect("a procedure")
                .confirmation
        };
        assert_eq!(
            level(r#""destructive""#, r#""never""#, ""),
            Confirmation::Required
        );
        assert_eq!(
            level(r#""server-mutation""#, r#""never""#, ""),
            Confirmation::Optional
        );
        assert_eq!(
            level(r#""server-mutation""#, r#""required""#, ""),
            Confirmation::Required
        );
        assert_eq!(level(r#""server-query""#, "", ""), Confirmation::Never);
        assert_eq!(
            level(r#""server-query""#, r#""never""#, "true"),
            Confirmation::Required
        );
    }

    #[test]
    fn a_procedure_with_a_view_effect_violates_the_plane() {
        refused(
            &with(REFER, "effect", r#""local-state""#),
            "PLANE_VIOLATION",
            "action",
        );
        refused(
            &with(REFER, "effect", r#""navigation""#),
            "PLANE_VIOLATION",
            "action",
        );
        refused(
            &with(REFER, "effect", r#""read""#),
            "INVALID_DEFINITION",
            "observation",
        );
    }

    #[test]
    fn id_and_path_must_agree_and_either_will_do() {
        refused(
            &with(REFER, "path", r#""devices.enable""#),
            "INVALID_ID",
            "`path`",
        );
        refused(
            &with(REFER, "id", r#""view:devices.disable""#),
            "INVALID_ID",
            "`id`",
        );
        refused(&with(REFER, "id", r#""domain:a b""#), "INVALID_ID", "`id`");
        refused(
            &with(&with(REFER, "id", ""), "path", ""),
            "INVALID_DEFINITION",
            "`id`",
        );
        assert_eq!(
            parse(&with(REFER, "path", "")).expect("a procedure").name,
            "devices.disable"
        );
        assert_eq!(
            parse(&with(REFER, "id", "")).expect("a procedure").id,
            "domain:devices.disable"
        );
        refused(
            &with(&with(REFER, "id", ""), "path", r#""a..b""#),
            "INVALID_ID",
            "`id`",
        );
    }

    #[test]
    fn a_procedure_has_no_handler_of_its_own() {
        refused(&with(REFER, "execute", "1"), "INVALID_DEFINITION", "`execute`");
        refused(&with(REFER, "read", "1"), "INVALID_DEFINITION", "`read`");
    }
}
