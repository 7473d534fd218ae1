//! Reads one observation, action or procedure reference, and fills its defaults.
//!
//! It refuses unknown fields, effects of the other plane and confirmation below the floor (which it raises). Called by
//! the registry, once for each distinct text.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use agent_surface_json::{Document, Value};

use super::fields::{Faults, Fields};
use super::traits::{self, Traits};
use super::{Bound, Capability, Reason, SchemaRef, concurrency, header, procedure, schema};
use crate::effect::Kind;
use crate::error::{DefinitionCode, DefinitionError};
use crate::id;
use crate::limits::Limits;

const COMMON: &str = "kind name output when unavailableReason policies meta timeoutMs";
const CALL: &str = "idempotent reversible confirmation audit concurrency precondition";
const PROCEDURE: &str = "id path requiresApproval boundFields lockedFields overridableFields bind describe";

/// The capability in a document as the facade sends it.
///
/// # Errors
/// Any code but `DUPLICATE_CAPABILITY`, which its owner decides; the message names the field.
pub fn parse_capability(
    document: &Document,
    component_type: &str,
    limits: &Limits,
) -> Result<Rc<Capability>, DefinitionError> {
    let faults = Faults::default();
    let mut fields = Fields::of(document.root(), &["a capability"], &faults);
    let at = fields.required_word("kind", Kind::WORDS).unwrap_or_default();
    let kind = Kind::ALL.get(at).copied().unwrap_or(Kind::Observation);
    let (id, name) = identity(&mut fields, kind, component_type);
    match kind {
        Kind::Observation => fields.check(&["description", "output", "read"], &[COMMON]),
        Kind::Action => fields.check(&["description", "effect", "input", "execute"], &[COMMON, CALL]),
        Kind::Procedure => fields.check(&["description", "effect", "input"], &[COMMON, CALL, PROCEDURE]),
    }
    let effect = traits::effect(&fields, kind);
    let traits = Traits::read(&fields, kind, effect);
    let (input, bound, reduced) = input(&fields, kind, limits);
    faults.result(Rc::new(Capability {
        kind,
        name,
        id,
        description: fields.description(limits.max_capability_description),
        effect,
        idempotent: traits.idempotent,
        reversible: traits.reversible,
        confirmation: traits.confirmation,
        audit: traits.audit,
        input,
        reduced,
        output: schema::read(&fields, "output", limits).map(|read| read.schema),
        meta: fields.meta(limits.max_meta_bytes),
        timeout_ms: fields.count("timeoutMs"),
        concurrency: concurrency::read(&fields, kind),
        policies: header::policies(&fields),
        has_when: fields.has("when"),
        reason: match fields.raw("unavailableReason").map(Value::as_str) {
            Some(None) => Reason::Function,
            text => Reason::Text(text.flatten().unwrap_or_default().into_owned()),
        },
        has_precondition: fields.has("precondition"),
        has_describe: fields.has("describe"),
        has_bind: !bound.is_empty(),
        bound,
    }))
}

fn identity(fields: &mut Fields<'_>, kind: Kind, component_type: &str) -> (String, String) {
    if kind == Kind::Procedure {
        let (id, path) = procedure::identity(fields).unwrap_or_default();
        fields.rename("procedure", &id);
        return (id, path);
    }
    let name = fields.text("name").unwrap_or_default();
    fields.rename(kind.as_str(), &name);
    let id = id::view(component_type, &name);
    if !id::is_capability_name(&name) || id::parse(&id).is_none() {
        let expected = "a lower-case letter, then letters or digits, with an id of at most 128 characters";
        fields.wrong(DefinitionCode::InvalidId, "name", expected);
    }
    (id, name)
}

type Input = (Option<SchemaRef>, Vec<Bound>, Option<SchemaRef>);

/// The input's schema, and what a procedure's bindings make of it.
fn input(fields: &Fields<'_>, kind: Kind, limits: &Limits) -> Input {
    let Some(read) = schema::read(fields, "input", limits) else {
        return (None, Vec::new(), None);
    };
    let (bound, reduced) = if kind == Kind::Procedure {
        procedure::binding(fields, &read, limits)
    } else {
        (Vec::new(), None)
    };
    (Some(read.schema), bound, reduced)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{ACT, parse, read, refused, with};
    use super::super::{Concurrency, ConcurrencyRule};
    use super::*;
    use crate::effect::{Audit, Confirmation, Effect};

    const OBSERVE: &str = r#"{"kind":"observation","name":"rows","description":"Rows",
        "output":{"text":"{\"type\":\"array\"}","own":false},"read":1}"#;

    #[test]
    fn an_observation_reads_and_nothing_else() {
        let capability = parse(OBSERVE).expect("an observation");
        assert_eq!(capability.id, "view:devices.table.rows");
        assert_eq!(
            (capability.effect, capability.confirmation),
            (Effect::Read, Confirmation::Never)
        );
        assert!(capability.idempotent && capability.input.is_none() && capability.reversible.is_none());
        assert_eq!(
            capability.base_descriptor(),
            r#"{"capabilityId":"view:devices.table.rows","name":"rows","description":"Rows","outputSchema":{"type":"array"}}"#
        );
        for key in [
            "effect",
            "input",
            "idempotent",
            "confirmation",
            "execute",
            "concurrency",
            "bind",
        ] {
            refused(&with(OBSERVE, key, "1"), "INVALID_DEFINITION", key);
        }
        refused(&with(OBSERVE, "read", ""), "INVALID_DEFINITION", "`read`");
        refused(
            &with(OBSERVE, "read", "0"),
            "INVALID_DEFINITION",
            "must be a function",
        );
        refused(&with(OBSERVE, "output", ""), "INVALID_DEFINITION", "`output`");
    }

    #[test]
    fn an_action_has_the_defaults_of_its_effect() {
        let capability = parse(ACT).expect("an action");
        assert_eq!(
            (capability.idempotent, capability.reversible),
            (false, Some(true))
        );
        assert_eq!(
            (capability.confirmation, capability.audit),
            (Confirmation::Never, Audit::Metadata)
        );
        assert_eq!(capability.concurrency.mode, Concurrency::Instance);
        assert!(
            capability
                .input
                .as_ref()
                .is_some_and(|input| input.object_root && input.compiled.is_some())
        );
        assert_eq!(
            (&capability.reason, capability.timeout_ms),
            (&Reason::Text(String::new()), None)
        );
    }

    #[test]
    fn an_author_may_say_everything_about_an_action() {
        let mut text = ACT.to_owned();
        for (key, value) in [
            ("effect", r#""navigation""#),
            ("output", r#"{"text":"{ \"type\": \"null\" }","own":true}"#),
            ("idempotent", "true"),
            ("reversible", "false"),
            ("confirmation", r#""required""#),
            ("audit", r#""full""#),
            ("when", "1"),
            ("unavailableReason", r#""Select a row""#),
            ("precondition", "1"),
            ("concurrency", r#"{"mode":"key","key":1,"max":3,"queueDepth":0}"#),
            ("policies", r#"[{"ref":0,"name":"p","hooks":7}]"#),
            ("meta", r#"{"a":[1]}"#),
            ("timeoutMs", "1500"),
        ] {
            text = with(&text, key, value);
        }
        let capability = parse(&text).expect("an action");
        assert_eq!(
            capability.base_descriptor(),
            r#"{"capabilityId":"view:devices.table.clear","name":"clear","description":"Clears","inputSchema":{"type":"object"},"outputSchema":{ "type": "null" },"effect":"navigation","idempotent":true,"reversible":false,"confirmation":"required","meta":{"a":[1]}}"#
        );
        let rule = ConcurrencyRule {
            mode: Concurrency::Key,
            max: Some(3),
            queue_depth: Some(0),
        };
        assert_eq!(
            (capability.concurrency, capability.timeout_ms),
            (rule, Some(1500))
        );
        assert_eq!(
            (&capability.reason, capability.audit),
            (&Reason::Text("Select a row".to_owned()), Audit::Full)
        );
        assert!(capability.has_when && capability.has_precondition && !capability.has_describe);
        assert!(
            capability
                .output
                .as_ref()
                .is_some_and(|output| output.compiled.is_none() && !output.object_root)
        );
        assert!(
            capability
                .policies
                .iter()
                .all(|policy| policy.has(7) && !policy.guard)
        );
    }

    #[test]
    fn a_field_of_the_wrong_kind_is_refused_by_name() {
        for (key, value) in [
            ("kind", ""),
            ("kind", r#""tool""#),
            ("description", r#""""#),
            ("input", ""),
            ("input", "1"),
            ("input", "{}"),
            ("input", r#"{"text":"{}"}"#),
            ("input", r#"{"text":"{","own":false}"#),
            ("output", "null"),
            ("idempotent", "1"),
            ("reversible", "0"),
            ("confirmation", r#""always""#),
            ("audit", "true"),
            ("when", "0"),
            ("when", "true"),
            ("unavailableReason", "0"),
            ("execute", ""),
            ("execute", "0"),
            ("precondition", "0"),
            ("policies", "1"),
            ("timeoutMs", "0"),
            ("timeoutMs", "1.5"),
            ("timeoutMs", "2147483648"),
            ("timeoutMs", r#""1""#),
            ("read", "1"),
            ("requiresApproval", "true"),
            ("descripton", r#""x""#),
            ("internal", "1"),
            ("concurrency", r#""parallel""#),
            ("concurrency", "{}"),
        ] {
            refused(&with(ACT, key, value), "INVALID_DEFINITION", key);
        }
        assert!(parse("[]").is_err() && parse("7").is_err());
    }

    #[test]
    fn a_name_outside_the_grammar_or_too_long_is_an_invalid_id() {
        for name in [r#""Clear""#, r#""clear_all""#, r#""""#, r#""a.b""#, ""] {
            refused(&with(ACT, "name", name), "INVALID_ID", "`name`");
        }
        let fits = 128 - "view:devices.table.".len();
        assert!(parse(&with(ACT, "name", &["\"", &"a".repeat(fits), "\""].concat())).is_ok());
        refused(
            &with(ACT, "name", &["\"", &"a".repeat(fits + 1), "\""].concat()),
            "INVALID_ID",
            "128",
        );
    }

    #[test]
    fn a_description_is_bounded_and_a_reason_may_be_a_function() {
        let long = ["\"", &"x".repeat(301), "\""].concat();
        refused(
            &with(ACT, "description", &long),
            "LIMIT_EXCEEDED",
            "300 characters, found 301",
        );
        let capability = parse(&with(ACT, "unavailableReason", "1")).expect("an action");
        assert_eq!(capability.reason, Reason::Function);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "natively it is free")]
    fn a_schema_outside_the_subset_is_named_with_keyword_and_pointer() {
        let schema = r#"{"text":"{\"type\":\"object\",\"properties\":{\"a\":{\"oneOf\":[]}}}","own":false}"#;
        let error = parse_capability(
            &read(&with(ACT, "input", schema)),
            "devices.table",
            &Limits::default(),
        )
        .expect_err("oneOf lies outside");
        assert_eq!(error.code, DefinitionCode::UnsupportedSchema);
        assert_eq!(
            (error.keyword.as_deref(), error.pointer.as_deref()),
            (Some("oneOf"), Some("/properties/a/oneOf"))
        );
        assert!(
            error.message.starts_with("`input` of action `clear`: "),
            "{}",
            error.message
        );
        for (own, reference, is_taken) in [
            ("true", "#/a", true),
            ("null", "https://a", true),
            ("true", "https://a", false),
        ] {
            let others = schema.replace("false", own).replace(
                "\\\"oneOf\\\":[]",
                &["\\\"$ref\\\":\\\"", reference, "\\\""].concat(),
            );
            assert_eq!(parse(&with(ACT, "input", &others)).is_ok(), is_taken, "{others}");
        }
    }

    #[test]
    fn a_schema_too_large_or_with_a_bad_default_is_refused() {
        let large = [
            "{\"text\":\"{\\\"title\\\":\\\"",
            &"x".repeat(16_384),
            "\\\"}\",\"own\":true}",
        ]
        .concat();
        refused(&with(ACT, "input", &large), "UNSUPPORTED_SCHEMA", "`input`");
        let nested = [
            "{\"text\":\"",
            &"[".repeat(200),
            &"]".repeat(200),
            "\",\"own\":true}",
        ]
        .concat();
        refused(&with(ACT, "input", &nested), "UNSUPPORTED_SCHEMA", "`input`");
        let default = r#"{"text":"{\"type\":\"string\",\"default\":7}","own":false}"#;
        refused(&with(ACT, "input", default), "INVALID_DEFINITION", "default");
    }
}
