//! The allowlist: what is published, under which name, and which capability is behind it.
//!
//! It refuses patterns: an entry is one capability. Called by `kernel`, and by the boundary for actions that a page
//! declares under their published ids.

use agent_surface_core::id;
use agent_surface_json::Value;
use alloc::borrow::{Cow, ToOwned as _};
use alloc::string::String;
use alloc::vec::Vec;

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exposure {
    /// The name that peers use.
    pub id: String,
    /// `view:…` or `domain:…`.
    pub capability: String,
    /// Which one, where a page may have several.
    pub instance: Option<String>,
}

/// Whether it may be a published name.
pub fn is_published(id: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.-".contains(&byte);
    id.len() <= id::MAX_ID_LENGTH
        && id.starts_with(|first: char| first.is_ascii_lowercase())
        && id.bytes().all(is_part)
}

/// The capability of an action that `app` declared under a published name: the type is the app's and the name's dotted
/// front, the name its last part in camel case. Nothing where that is not grammatical.
///
/// `support-queue` and `todo.clear_completed` give `view:support-queue.todo.clearCompleted`.
pub fn capability_of(app: &str, published: &str) -> Option<String> {
    if !is_published(published) {
        return None;
    }
    let (front, last) = published
        .rsplit_once('.')
        .map_or((None, published), |(front, last)| (Some(front), last));
    let mut component_type = app.to_owned();
    if let Some(front) = front {
        component_type.push('.');
        component_type.extend(
            front
                .chars()
                .map(|letter| if letter == '_' { '-' } else { letter }),
        );
    }
    let mut name = String::new();
    for word in last.split(['_', '-']).filter(|word| !word.is_empty()) {
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if !name.is_empty() => name.push(first.to_ascii_uppercase()),
            first => name.extend(first),
        }
        name.push_str(letters.as_str());
    }
    let capability = id::view(&component_type, &name);
    id::parse(&capability).is_some().then_some(capability)
}

/// Reads the allowlist.
///
/// # Errors
/// A sentence about the first entry that is none.
pub(crate) fn read(app: &str, list: Value<'_>) -> Result<Vec<Exposure>, String> {
    let mut exposures = Vec::<Exposure>::new();
    for entry in list.items() {
        let Some(exposure) = read_entry(app, entry) else {
            return Err(about(
                entry.raw(),
                " publishes nothing: an entry is a capability id, a published id of `defineActions`, or { id, capability, instanceId? }",
            ));
        };
        if exposures.iter().any(|other| other.id == exposure.id) {
            return Err(about(&exposure.id, " is published twice"));
        }
        exposures.push(exposure);
    }
    Ok(exposures)
}

fn about(what: &str, problem: &str) -> String {
    let mut text = String::from("`");
    text.extend(what.chars().take(200));
    text.push('`');
    text.push_str(problem);
    text
}

fn read_entry(app: &str, entry: Value<'_>) -> Option<Exposure> {
    if let Some(id) = entry.as_str() {
        let capability = match id::parse(&id) {
            Some(_) => id.clone().into_owned(),
            None => capability_of(app, &id)?,
        };
        let id = id.into_owned();
        return Some(Exposure {
            id,
            capability,
            instance: None,
        });
    }
    let is_known = |key: &str| matches!(key, "id" | "capability" | "instanceId");
    let text = |key| entry.get(key).and_then(Value::as_str).map(Cow::into_owned);
    let (id, capability, instance) = (text("id")?, text("capability")?, text("instanceId"));
    let is_right = entry.entries().all(|(key, _)| is_known(&key))
        && is_published(&id)
        && id::parse(&capability).is_some()
        && instance
            .as_deref()
            .map_or(entry.get("instanceId").is_none(), id::is_instance_id);
    is_right.then_some(Exposure {
        id,
        capability,
        instance,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_ids_keep_their_form_and_get_grammatical_capabilities() {
        let cases = [
            (
                "app",
                "todo.clear_completed",
                Some("view:app.todo.clearCompleted"),
            ),
            (
                "app",
                "todo.clear-completed",
                Some("view:app.todo.clearCompleted"),
            ),
            ("my.app", "to_do.list.add", Some("view:my.app.to-do.list.add")),
            ("app", "overview", Some("view:app.overview")),
            ("app", "todo.2nd", None),
            ("app", "todo._", None),
            ("app", "1.add", None),
            ("App", "todo.add", None),
            ("app", "todo.Add", None),
            ("app", "", None),
        ];
        for (app, published, capability) in cases {
            assert_eq!(
                capability_of(app, published).as_deref(),
                capability,
                "{app} {published}"
            );
        }
    }
}
