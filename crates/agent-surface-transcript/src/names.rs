//! Placeholders: random ids become `reg#1`, `cnf#1`, `inv#1`, `srf#1` in the order in which they appear, and back.
//!
//! Knows ids by their prefixes only. Called by `world`.

use agent_surface_core::message::CallId;

const KINDS: [&str; 4] = ["cnf", "inv", "reg", "srf"];

#[derive(Debug, Default)]
pub(crate) struct Names {
    known: [Vec<String>; 4],
    calls: Vec<CallId>,
}

impl Names {
    /// `#n`, by first appearance.
    pub fn call(&mut self, id: CallId) -> String {
        let at = self
            .calls
            .iter()
            .position(|&known| known == id)
            .unwrap_or_else(|| {
                self.calls.push(id);
                self.calls.len() - 1
            });
        format!("#{}", at + 1)
    }

    /// The call that `#n` names.
    pub fn call_of(&self, word: &str) -> Result<CallId, String> {
        let number: Option<usize> = word.strip_prefix('#').and_then(|number| number.parse().ok());
        number
            .and_then(|number| self.calls.get(number.checked_sub(1)?).copied())
            .ok_or_else(|| format!("`{word}` is no call that was seen"))
    }

    /// Every random id in a text by its placeholder.
    pub fn hide(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((start, kind)) = first(rest) {
            let (before, at) = rest.split_at(start);
            let length = at
                .find(|char: char| !(char.is_ascii_alphanumeric() || char == '_'))
                .unwrap_or(at.len());
            let (id, after) = at.split_at(length);
            out.push_str(before);
            out.push_str(&self.placeholder(kind, id));
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn placeholder(&mut self, kind: &str, id: &str) -> String {
        let Some((_, known)) = KINDS.iter().zip(&mut self.known).find(|(name, _)| **name == kind) else {
            return id.to_owned();
        };
        let at = known.iter().position(|one| one == id).unwrap_or_else(|| {
            known.push(id.to_owned());
            known.len() - 1
        });
        format!("{kind}#{}", at + 1)
    }

    /// Every placeholder in a text by its id; one that stands for nothing yet by an id that nobody gave out.
    pub fn reveal(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for (kind, known) in KINDS.iter().zip(&self.known) {
            for (index, id) in known.iter().enumerate().rev() {
                out = out.replace(&format!("{kind}#{}", index + 1), id);
            }
            out = out.replace(&format!("{kind}#"), &format!("{kind}_unknown"));
        }
        out
    }
}

fn first(text: &str) -> Option<(usize, &'static str)> {
    KINDS
        .iter()
        .filter_map(|&kind| Some((start_of(text, kind)?, kind)))
        .min_by_key(|(at, _)| *at)
}

/// An id begins at the front or after something that is not part of a word.
fn start_of(text: &str, kind: &str) -> Option<usize> {
    let prefix = format!("{kind}_");
    let bytes = text.as_bytes();
    text.match_indices(&prefix).map(|(at, _)| at).find(|&at| {
        at.checked_sub(1)
            .and_then(|before| bytes.get(before))
            .is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_hidden_and_found_again() {
        let mut names = Names::default();
        assert_eq!(
            names.hide(r#"a "reg_1_x" reg_2_y reg_1_x"#),
            r#"a "reg#1" reg#2 reg#1"#
        );
        assert_eq!(names.hide("inv_ab_1 cnf_q"), "inv#1 cnf#1");
        assert_eq!(names.reveal("reg#2 cnf#1 cnf#7"), "reg_2_y cnf_q cnf_unknown7");
    }
}
