//! What a tool is, from the label that its description starts with: `[domain · destructive · requires confirmation]`.
//!
//! It refuses to be asked where the tool says it itself. A toolset writes the label in front of every description, and
//! that is all it says about effects. Called by `definition` for MCP's annotations.

/// An effect as MCP's hints see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    /// Nothing is changed.
    pub read_only: bool,
    /// Something may be lost.
    pub destructive: bool,
    /// It reaches the world outside.
    pub open_world: bool,
}

/// The effect in a label, if there is one.
pub fn effect(description: &str) -> Option<&str> {
    let label = description.strip_prefix('[')?.split(']').next()?;
    let mut parts = label.split(" · ");
    let plane = parts.next()?;
    let effect = parts.next()?;
    (matches!(plane, "view" | "domain") && hints(effect).is_some()).then_some(effect)
}

/// What an effect means for a client; nothing for a word that is no effect.
pub fn hints(effect: &str) -> Option<Hints> {
    let (read_only, destructive, open_world) = match effect {
        "read" | "server-query" => (true, false, false),
        "local-state" | "navigation" | "server-mutation" => (false, false, false),
        "external-side-effect" => (false, false, true),
        "destructive" => (false, true, false),
        _ => return None,
    };
    Some(Hints {
        read_only,
        destructive,
        open_world,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_says_the_effect_and_other_brackets_do_not() {
        assert_eq!(
            effect("[domain · destructive · requires confirmation] Disable"),
            Some("destructive")
        );
        assert_eq!(effect("[view · read] Rows"), Some("read"));
        assert_eq!(effect("[draft] Rows"), None);
        assert_eq!(effect("[view · magic] Rows"), None);
        assert_eq!(effect("Rows"), None);
    }
}
