//! The id grammar of the surface: capability ids, component types, capability names, instance ids.
//!
//! It refuses to normalise: an id is right byte for byte or it is no id, and nothing here throws on content.
//! Called by `wire`, `definition`, the registry and the boundary's id helpers.

use agent_surface_json::concat;
use alloc::string::String;
/// The longest capability id, component type, capability name, path or instance id, in characters (all of them
/// ASCII, so bytes too).
pub const MAX_ID_LENGTH: usize = 128;

const VIEW: &str = "view:";
const DOMAIN: &str = "domain:";

/// A capability id taken apart. The parts borrow from the id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapabilityId<'a> {
    /// `view:<component type>.<capability name>`: lives while a component is mounted.
    View {
        /// Lower-case dotted segments, such as `devices.table`.
        component_type: &'a str,
        /// What follows the last dot, such as `selectRows`.
        name: &'a str,
    },
    /// `domain:<path>`: lives in the backend, the page only refers to it.
    Domain {
        /// The backend's own procedure path, such as `devices.disable`.
        path: &'a str,
    },
}

/// Takes a capability id apart; `None` when it breaks the grammar or is longer than [`MAX_ID_LENGTH`].
pub fn parse(id: &str) -> Option<CapabilityId<'_>> {
    if id.len() > MAX_ID_LENGTH {
        return None;
    }
    if let Some(rest) = id.strip_prefix(VIEW) {
        let dot = rest.bytes().rposition(|byte| byte == b'.')?;
        let (component_type, name) = (rest.get(..dot)?, rest.get(dot + 1..)?);
        return (is_component_type(component_type) && is_capability_name(name))
            .then_some(CapabilityId::View { component_type, name });
    }
    let path = id.strip_prefix(DOMAIN)?;
    is_path(path).then_some(CapabilityId::Domain { path })
}

/// Whether `text` is dotted segments, each a lower-case letter and then lower-case letters, digits or `-`.
pub fn is_component_type(text: &str) -> bool {
    has_form(text, true, is_lower, |byte| {
        is_lower(byte) || byte.is_ascii_digit() || byte == b'-'
    })
}

/// Whether `text` is a lower-case letter and then letters or digits.
pub fn is_capability_name(text: &str) -> bool {
    has_form(text, false, is_lower, |byte| byte.is_ascii_alphanumeric())
}

/// Whether `text` is one or more letters, digits, `-` or `_`.
pub fn is_instance_id(text: &str) -> bool {
    has_form(text, false, is_word, is_word)
}

/// Whether `text` is a procedure path: dotted parts, each one or more letters, digits, `-` or `_`.
pub fn is_path(text: &str) -> bool {
    has_form(text, true, is_word, is_word)
}

/// Whether `text` is a segment, or dotted segments, of such bytes: the first of each, and the others.
fn has_form(text: &str, dotted: bool, first: fn(u8) -> bool, other: fn(u8) -> bool) -> bool {
    let mut at_start = true;
    for byte in text.bytes() {
        let ends = dotted && byte == b'.' && !at_start;
        if !ends && !(if at_start { first(byte) } else { other(byte) }) {
            return false;
        }
        at_start = ends;
    }
    !at_start && text.len() <= MAX_ID_LENGTH
}

fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// Joins a view id. The result is only an id when [`parse`] says so.
pub fn view(component_type: &str, name: &str) -> String {
    concat(&[VIEW, component_type, ".", name])
}

/// Joins a domain id. The result is only an id when [`parse`] says so.
pub fn domain(path: &str) -> String {
    concat(&[DOMAIN, path])
}

/// Whether a scope shows a component type: a list of prefixes, of which an empty one shows all.
pub fn matches_scope(component_type: &str, scope: &[String]) -> bool {
    scope.is_empty() || scope.iter().any(|prefix| is_within(component_type, prefix))
}

/// Whether a component type begins with these whole segments: `devices` has `devices` and `devices.table`, not
/// `devicesx`.
pub fn is_within(component_type: &str, prefix: &str) -> bool {
    component_type
        .strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || (rest.starts_with('.') && !prefix.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_id_splits_at_its_last_dot() {
        assert_eq!(
            parse("view:devices.table.selectRows"),
            Some(CapabilityId::View {
                component_type: "devices.table",
                name: "selectRows"
            })
        );
    }

    #[test]
    fn a_domain_id_keeps_its_path_whole() {
        assert_eq!(
            parse("domain:Devices.disable_all-2"),
            Some(CapabilityId::Domain {
                path: "Devices.disable_all-2"
            })
        );
    }

    #[test]
    fn what_breaks_the_grammar_is_no_id() {
        for id in [
            "",
            "view",
            "view:",
            "view:a",
            "view:.a",
            "view:a.",
            "view:a..b",
            "view:A.b",
            "view:a.B",
            "view:a.b-c",
            "view:a_b.c",
            "view:a.b_c",
            "view:1a.b",
            "view:-a.b",
            "view:a.-b.c",
            "view:a b.c",
            " view:a.b",
            "view:a.b\n",
            "view:é.b",
            "View:a.b",
            "domain:",
            "domain:.",
            "domain:a.",
            "domain:.a",
            "domain:a..b",
            "domain:a b",
            "domain:a/b",
            "domain:é",
            "other:a.b",
            "a.b",
            ":a.b",
            "view:a.b:c",
            "domain:a:b",
        ] {
            assert_eq!(parse(id), None, "{id:?}");
        }
    }

    #[test]
    fn an_id_may_have_128_characters_and_no_more() {
        let longest = domain(&"x".repeat(MAX_ID_LENGTH - DOMAIN.len()));
        assert!(parse(&longest).is_some());
        assert_eq!(parse(&(longest + "x")), None);
    }

    #[test]
    fn the_parts_have_their_own_grammar() {
        for good in ["a", "a-b", "devices.table", "a1.b-2", "a-"] {
            assert!(is_component_type(good), "{good}");
        }
        for bad in ["", ".", "a.", ".a", "a..b", "A", "1", "a_b", "a.1", "-a"] {
            assert!(!is_component_type(bad), "{bad}");
        }
        assert!(is_capability_name("selectRows2"));
        for bad in ["", "Select", "2a", "a-b", "a_b", "a.b", "é"] {
            assert!(!is_capability_name(bad), "{bad}");
        }
        assert!(is_instance_id("Main_1-x") && is_instance_id("_") && is_instance_id("9"));
        for bad in ["", "a b", "a.b", "a:b", "é"] {
            assert!(!is_instance_id(bad), "{bad}");
        }
        assert!(!is_instance_id(&"x".repeat(MAX_ID_LENGTH + 1)));
    }

    #[test]
    fn joined_ids_parse_back() {
        assert_eq!(
            parse(&view("devices.table", "rows")),
            Some(CapabilityId::View {
                component_type: "devices.table",
                name: "rows"
            })
        );
        assert_eq!(
            parse(&domain("devices.disable")),
            Some(CapabilityId::Domain {
                path: "devices.disable"
            })
        );
    }

    #[test]
    fn a_scope_matches_whole_segments() {
        let scope = ["devices".to_owned()];
        assert!(matches_scope("devices", &scope));
        assert!(matches_scope("devices.table", &scope));
        assert!(!matches_scope("devicesx", &scope));
        assert!(!matches_scope("device", &scope));
        assert!(!matches_scope("my.devices", &scope));
    }

    #[test]
    fn an_empty_scope_shows_all_and_an_empty_prefix_nothing() {
        assert!(matches_scope("devices.table", &[]));
        assert!(!matches_scope("devices.table", &[String::new()]));
    }

    #[test]
    fn one_matching_prefix_of_several_is_enough() {
        let scope = ["orders".to_owned(), "devices.table".to_owned()];
        assert!(matches_scope("devices.table", &scope));
        assert!(!matches_scope("devices.filters", &scope));
    }
}
