//! Kinds, effects, confirmation levels and audit levels, with the defaults and floors between them.
//!
//! It refuses to guess: an unknown word parses to `None`. Called by `definition`, which fills what an author left
//! out, and by everything that asks how dangerous a capability is.

/// What a capability does for its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Reads what the page shows.
    Observation,
    /// Changes what the user sees.
    Action,
    /// Points at an operation that already exists in the backend.
    Procedure,
}

impl Kind {
    /// Every kind.
    pub const ALL: &[Self] = &[Self::Observation, Self::Action, Self::Procedure];

    /// Their public words, in the same order.
    pub const WORDS: &[&str] = &["observation", "action", "procedure"];

    /// The public word.
    pub fn as_str(self) -> &'static str {
        Self::WORDS.get(self as usize).copied().unwrap_or_default()
    }

    /// The kind that a public word names.
    pub fn parse(text: &str) -> Option<Self> {
        let at = Self::WORDS.iter().position(|word| *word == text)?;
        Self::ALL.get(at).copied()
    }
}

/// How far the consequences of a call reach, from harmless to irreversible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Changes nothing; observations only.
    Read,
    /// Changes state of the page.
    LocalState,
    /// Moves the page elsewhere.
    Navigation,
    /// Reads from the backend.
    ServerQuery,
    /// Changes the backend.
    ServerMutation,
    /// Reaches people or systems beyond the backend.
    ExternalSideEffect,
    /// Cannot be undone.
    Destructive,
}

impl Effect {
    /// Every effect.
    pub const ALL: &[Self] = &[
        Self::Read,
        Self::LocalState,
        Self::Navigation,
        Self::ServerQuery,
        Self::ServerMutation,
        Self::ExternalSideEffect,
        Self::Destructive,
    ];

    /// Their public words, in the same order.
    pub const WORDS: &[&str] = &[
        "read",
        "local-state",
        "navigation",
        "server-query",
        "server-mutation",
        "external-side-effect",
        "destructive",
    ];

    /// The public word.
    pub fn as_str(self) -> &'static str {
        Self::WORDS.get(self as usize).copied().unwrap_or_default()
    }

    /// The effect that a public word names.
    pub fn parse(text: &str) -> Option<Self> {
        let at = Self::WORDS.iter().position(|word| *word == text)?;
        Self::ALL.get(at).copied()
    }

    /// The public words of the effects that a kind of capability may have.
    pub fn words_of(kind: Kind) -> &'static [&'static str] {
        let effects = match kind {
            Kind::Observation => 0..1,
            Kind::Action => 1..3,
            Kind::Procedure => 3..7,
        };
        Self::WORDS.get(effects).unwrap_or_default()
    }

    /// The kind of capability that may have this effect.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Read => Kind::Observation,
            Self::LocalState | Self::Navigation => Kind::Action,
            Self::ServerQuery | Self::ServerMutation | Self::ExternalSideEffect | Self::Destructive => {
                Kind::Procedure
            }
        }
    }

    /// Whether nothing changes by it.
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::ServerQuery)
    }

    /// Whether a call with a stale surface version must be refused.
    pub const fn is_dangerous(self) -> bool {
        matches!(self, Self::ExternalSideEffect | Self::Destructive)
    }
}

/// When a person must approve a call. The order is strictness, so `max` raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confirmation {
    /// Not asked for by the definition.
    Never,
    /// A policy may ask for it.
    Optional,
    /// Every call needs it.
    Required,
}

impl Confirmation {
    /// Every level, mildest first.
    pub const ALL: &[Self] = &[Self::Never, Self::Optional, Self::Required];

    /// Their public words, in the same order.
    pub const WORDS: &[&str] = &["never", "optional", "required"];

    /// The public word.
    pub fn as_str(self) -> &'static str {
        Self::WORDS.get(self as usize).copied().unwrap_or_default()
    }

    /// The level that a public word names.
    pub fn parse(text: &str) -> Option<Self> {
        let at = Self::WORDS.iter().position(|word| *word == text)?;
        Self::ALL.get(at).copied()
    }
}

/// How much of a call the audit records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Audit {
    /// Nothing.
    None,
    /// Who, what, when and how it ended.
    Metadata,
    /// The payload too, capped.
    Full,
}

impl Audit {
    /// Every level, least first.
    pub const ALL: &[Self] = &[Self::None, Self::Metadata, Self::Full];

    /// Their public words, in the same order.
    pub const WORDS: &[&str] = &["none", "metadata", "full"];

    /// The public word.
    pub fn as_str(self) -> &'static str {
        Self::WORDS.get(self as usize).copied().unwrap_or_default()
    }

    /// The level that a public word names.
    pub fn parse(text: &str) -> Option<Self> {
        let at = Self::WORDS.iter().position(|word| *word == text)?;
        Self::ALL.get(at).copied()
    }
}

/// What a definition has when its author says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defaults {
    /// Whether a second run changes nothing more.
    pub idempotent: bool,
    /// Whether it can be undone; `None` where the question has no meaning.
    pub reversible: Option<bool>,
    /// The confirmation level; for procedures also the floor.
    pub confirmation: Confirmation,
    /// The audit level.
    pub audit: Audit,
}

/// The row of the table of defaults. Observations read, whatever `effect` says.
pub fn defaults(kind: Kind, effect: Effect) -> Defaults {
    let effect = if kind == Kind::Observation {
        Effect::Read
    } else {
        effect
    };
    let (idempotent, reversible, confirmation, audit) = match effect {
        Effect::Read => (true, None, Confirmation::Never, Audit::None),
        Effect::LocalState | Effect::Navigation => (false, Some(true), Confirmation::Never, Audit::Metadata),
        Effect::ServerQuery => (true, None, Confirmation::Never, Audit::Metadata),
        Effect::ServerMutation => (false, Some(false), Confirmation::Optional, Audit::Metadata),
        Effect::ExternalSideEffect | Effect::Destructive => {
            (false, Some(false), Confirmation::Required, Audit::Full)
        }
    };
    Defaults {
        idempotent,
        reversible,
        confirmation,
        audit,
    }
}

/// The confirmation level below which nobody may go: the table's for procedures, `required` when the backend
/// reference asks for approval, none for view capabilities.
pub fn floor(kind: Kind, effect: Effect, requires_approval: bool) -> Confirmation {
    match kind {
        Kind::Observation | Kind::Action => Confirmation::Never,
        Kind::Procedure if requires_approval => Confirmation::Required,
        Kind::Procedure => defaults(kind, effect).confirmation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_parses_back_and_no_other_does() {
        for &kind in Kind::ALL {
            assert_eq!(Kind::parse(kind.as_str()), Some(kind));
        }
        for &effect in Effect::ALL {
            assert_eq!(Effect::parse(effect.as_str()), Some(effect));
        }
        for &level in Confirmation::ALL {
            assert_eq!(Confirmation::parse(level.as_str()), Some(level));
        }
        for &level in Audit::ALL {
            assert_eq!(Audit::parse(level.as_str()), Some(level));
        }
        assert_eq!(Kind::parse("Action"), None);
        assert_eq!(Effect::parse(""), None);
        assert_eq!(Confirmation::parse("always"), None);
        assert_eq!(Audit::parse("all"), None);
    }

    #[test]
    fn the_table_of_defaults_is_the_specification() {
        let mut rows = Vec::new();
        for &effect in Effect::ALL {
            let row = defaults(effect.kind(), effect);
            rows.push((
                effect.as_str(),
                row.idempotent,
                row.reversible,
                row.confirmation.as_str(),
                row.audit.as_str(),
            ));
        }
        assert_eq!(
            rows,
            [
                ("read", true, None, "never", "none"),
                ("local-state", false, Some(true), "never", "metadata"),
                ("navigation", false, Some(true), "never", "metadata"),
                ("server-query", true, None, "never", "metadata"),
                ("server-mutation", false, Some(false), "optional", "metadata"),
                ("external-side-effect", false, Some(false), "required", "full"),
                ("destructive", false, Some(false), "required", "full"),
            ]
        );
    }

    #[test]
    fn an_observation_only_reads() {
        assert_eq!(
            defaults(Kind::Observation, Effect::Destructive),
            defaults(Kind::Observation, Effect::Read)
        );
    }

    #[test]
    fn the_floor_of_a_procedure_is_its_default_and_rises_with_required_approval() {
        assert_eq!(
            floor(Kind::Procedure, Effect::Destructive, false),
            Confirmation::Required
        );
        assert_eq!(
            floor(Kind::Procedure, Effect::ServerMutation, false),
            Confirmation::Optional
        );
        assert_eq!(
            floor(Kind::Procedure, Effect::ServerQuery, false),
            Confirmation::Never
        );
        assert_eq!(
            floor(Kind::Procedure, Effect::ServerQuery, true),
            Confirmation::Required
        );
        assert_eq!(
            floor(Kind::Action, Effect::LocalState, false),
            Confirmation::Never
        );
    }

    #[test]
    fn stricter_confirmation_compares_greater() {
        assert_eq!(
            Confirmation::Never.max(Confirmation::Optional),
            Confirmation::Optional
        );
        assert_eq!(
            Confirmation::Required.max(Confirmation::Optional),
            Confirmation::Required
        );
    }
}
