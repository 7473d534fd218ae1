//! Reads how calls of a capability are admitted.
//!
//! It refuses rules that mean nothing, such as a key in a mode that has none. Called by `capability`.

use super::fields::Fields;
use super::{Concurrency, ConcurrencyRule};
use crate::effect::Kind;

const MODES: &[Concurrency] = &[
    Concurrency::Instance,
    Concurrency::Capability,
    Concurrency::Key,
    Concurrency::Parallel,
];
/// In the order of `MODES`.
const WORDS: &[&str] = &["instance", "capability", "key", "parallel"];

/// The rule of the capability with these fields, or the default of its kind.
pub(super) fn read(owner: &Fields<'_>, kind: Kind) -> ConcurrencyRule {
    let mut rule = ConcurrencyRule {
        mode: match kind {
            Kind::Observation => Concurrency::Parallel,
            Kind::Action => Concurrency::Instance,
            Kind::Procedure => Concurrency::Capability,
        },
        max: None,
        queue_depth: None,
    };
    if let Some(value) = owner.raw("concurrency") {
        let fields = Fields::of(value, &["`concurrency` of ", owner.place()], owner.faults);
        fields.check(&[], &["mode key max queueDepth"]);
        let mode = fields.required_word("mode", WORDS).and_then(|at| MODES.get(at));
        rule.mode = mode.copied().unwrap_or(rule.mode);
        if (rule.mode == Concurrency::Key) != fields.has("key") {
            fields.refuse_all("has a function `key` in mode `key`, and in no other");
        }
        rule.max = fields.count("max");
        rule.queue_depth = fields.count("queueDepth");
    }
    rule
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
