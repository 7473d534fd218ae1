//! Reads how calls of a capability are admitted.
//!
//! It refuses rules that mean nothing, such as a key in a mode that has none. Called by `capability`.

use agent_surface_json::Value;

use super::fields::Fields;
use super::{Concurrency, ConcurrencyRule};
use crate::effect::Kind;

/// The rule of the capability with these fields, or the default of its kind.
pub(super) fn read(fields: &Fields<'_>, kind: Kind) -> ConcurrencyRule {
    if let Some(value) = fields.raw("concurrency") {
        return rule(value, fields);
    }
    let mode = match kind {
        Kind::Observation => Concurrency::Parallel,
        Kind::Action => Concurrency::Instance,
        Kind::Procedure => Concurrency::Capability,
    };
    ConcurrencyRule {
        mode,
        max: None,
        queue_depth: None,
    }
}

fn rule(value: Value<'_>, owner: &Fields<'_>) -> ConcurrencyRule {
    let fields = Fields::of(value, &["`concurrency` of ", owner.place()], owner.faults);
    fields.only(&[&["mode", "key", "max", "queueDepth"]]);
    let expected = "`instance`, `capability`, `key` or `parallel`";
    let mode = fields.word("mode", parse_mode, expected).unwrap_or_else(|| {
        fields.refuse_field("mode", &["must be ", expected].concat());
        Concurrency::Parallel
    });
    match (mode == Concurrency::Key, fields.function("key")) {
        (true, false) => fields.refuse_all("with mode `key` must have a function `key`"),
        (false, true) => fields.refuse_all("has a `key`, which only mode `key` uses"),
        _ => {}
    }
    ConcurrencyRule {
        mode,
        max: fields.count("max", (1, u32::MAX)),
        queue_depth: fields.count("queueDepth", (0, u32::MAX)),
    }
}

fn parse_mode(text: &str) -> Option<Concurrency> {
    match text {
        "instance" => Some(Concurrency::Instance),
        "capability" => Some(Concurrency::Capability),
        "key" => Some(Concurrency::Key),
        "parallel" => Some(Concurrency::Parallel),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{ACT, parse, refused, with};
    use super::*;

    #[test]
    fn a_concurrency_that_means_nothing_is_refused() {
        for rule in [
            r#"{"mode":"serial"}"#,
            r#"{"mode":"key"}"#,
            r#"{"mode":"key","key":0}"#,
            r#"{"mode":"instance","key":1}"#,
            r#"{"mode":"parallel","max":0}"#,
            r#"{"mode":"parallel","max":-1}"#,
            r#"{"mode":"instance","queueDepth":1.5}"#,
            r#"{"mode":"instance","depth":1}"#,
        ] {
            refused(
                &with(ACT, "concurrency", rule),
                "INVALID_DEFINITION",
                "`concurrency` of action `clear`",
            );
        }
    }

    #[test]
    fn every_mode_and_bound_is_read() {
        for (text, mode) in [
            (r#"{"mode":"instance","queueDepth":0}"#, Concurrency::Instance),
            (r#"{"mode":"capability","queueDepth":0}"#, Concurrency::Capability),
            (r#"{"mode":"parallel","queueDepth":0}"#, Concurrency::Parallel),
        ] {
            let rule = ConcurrencyRule {
                mode,
                max: None,
                queue_depth: Some(0),
            };
            assert_eq!(
                parse(&with(ACT, "concurrency", text))
                    .expect("an action")
                    .concurrency,
                rule
            );
        }
    }
}
