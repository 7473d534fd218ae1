//! Reads the effect of a capability and what the table of defaults says about it.
//!
//! It refuses effects of the other plane; a wish below the floor of confirmation is raised. Called by `capability`.

use super::fields::Fields;
use crate::effect::{self, Audit, Confirmation, Effect, Kind};
use crate::error::DefinitionCode;

/// The effect, which must belong to the kind; observations have theirs without saying so.
pub(super) fn effect(fields: &Fields<'_>, kind: Kind) -> Option<Effect> {
    let expected = match kind {
        Kind::Observation => return Some(Effect::Read),
        Kind::Action => "`local-state` or `navigation`",
        Kind::Procedure => "`server-query`, `server-mutation`, `external-side-effect` or `destructive`",
    };
    let Some(effect) = fields.word("effect", Effect::parse, expected) else {
        fields.refuse_field("effect", &["must be ", expected].concat());
        return None;
    };
    if effect.kind() == kind {
        return Some(effect);
    }
    let (code, hint) = match effect.kind() {
        Kind::Observation => (
            DefinitionCode::InvalidDefinition,
            "; what only reads is an observation",
        ),
        Kind::Procedure => (
            DefinitionCode::PlaneViolation,
            "; what changes the backend is a procedure",
        ),
        Kind::Action => (
            DefinitionCode::PlaneViolation,
            "; what changes the page is an action",
        ),
    };
    let expected = ["must be ", expected, ", found "].concat();
    fields.refuse_quoting(code, "effect", (&expected, effect.as_str(), hint));
    None
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
        let requires_approval = fields.flag("requiresApproval").unwrap_or(false);
        let levels = "`never`, `optional` or `required`";
        let wished = fields.word("confirmation", Confirmation::parse, levels);
        let floor = effect::floor(kind, effect, requires_approval);
        let audit = fields.word("audit", Audit::parse, "`none`, `metadata` or `full`");
        Self {
            idempotent: fields.flag("idempotent").unwrap_or(defaults.idempotent),
            reversible: fields.flag("reversible").or(defaults.reversible),
            confirmation: wished.unwrap_or(defaults.confirmation).max(floor),
            audit: audit.unwrap_or(defaults.audit),
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
