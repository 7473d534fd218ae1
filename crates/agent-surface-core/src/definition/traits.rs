//! Reads the effect of a capability and what the table of defaults says about it.
//!
//! It refuses effects of the other plane; a wish below the floor of confirmation is raised. Called by `capability`.

use super::fields::{Fields, alternatives};
use crate::effect::{self, Audit, Confirmation, Effect, Kind};
use crate::error::DefinitionCode;
use agent_surface_json::concat;

/// The effect, which must belong to the kind; observations have theirs without saying so.
pub(super) fn effect(fields: &Fields<'_>, kind: Kind) -> Effect {
    if kind == Kind::Observation {
        return Effect::Read;
    }
    let named = fields.raw("effect").and_then(|value| {
        let mut effects = Effect::ALL.iter().copied();
        effects.find(|effect| value.is_str(effect.as_str()))
    });
    if let Some(effect) = named.filter(|effect| effect.kind() == kind) {
        return effect;
    }
    let (code, hint) = match named.map(Effect::kind) {
        None => (DefinitionCode::InvalidDefinition, ""),
        Some(Kind::Observation) => (
            DefinitionCode::InvalidDefinition,
            " (what only reads is an observation)",
        ),
        Some(Kind::Procedure) => (
            DefinitionCode::PlaneViolation,
            " (what changes the backend is a procedure)",
        ),
        Some(Kind::Action) => (
            DefinitionCode::PlaneViolation,
            " (what changes the page is an action)",
        ),
    };
    let expected = alternatives(Effect::words_of(kind));
    fields.wrong(code, "effect", &concat(&[&expected, hint]));
    Effect::Read
}

/// What the table of defaults speaks about, after the author's wishes.
pub(super) struct Traits {
    pub idempotent: bool,
    pub reversible: Option<bool>,
    pub confirmation: Confirmation,
    pub audit: Audit,
}

impl Traits {
    pub fn read(fields: &Fields<'_>, kind: Kind, effect: Effect) -> Self {
        let defaults = effect::defaults(kind, effect);
        let floor = effect::floor(kind, effect, fields.flag("requiresApproval") == Some(true));
        let wished = fields
            .word("confirmation", Confirmation::WORDS)
            .and_then(|at| Confirmation::ALL.get(at));
        let audit = fields
            .word("audit", Audit::WORDS)
            .and_then(|at| Audit::ALL.get(at));
        Self {
            idempotent: fields.flag("idempotent").unwrap_or(defaults.idempotent),
            reversible: fields.flag("reversible").or(defaults.reversible),
            confirmation: wished.copied().unwrap_or(defaults.confirmation).max(floor),
            audit: audit.copied().unwrap_or(defaults.audit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{ACT, refused, with};

    #[test]
    fn an_action_with_a_server_effect_violates_the_plane() {
        for effect in [
            "server-query",
            "server-mutation",
            "external-side-effect",
            "destructive",
        ] {
            refused(
                &with(ACT, "effect", &["\"", effect, "\""].concat()),
                "PLANE_VIOLATION",
                effect,
            );
        }
        refused(
            &with(ACT, "effect", r#""read""#),
            "INVALID_DEFINITION",
            "observation",
        );
        refused(&with(ACT, "effect", r#""magic""#), "INVALID_DEFINITION", "magic");
        refused(&with(ACT, "effect", ""), "INVALID_DEFINITION", "`effect`");
    }
}
