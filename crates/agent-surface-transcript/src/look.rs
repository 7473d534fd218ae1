//! Snapshots: looks through views as the page does, and writes what they show.
//!
//! Called by `command` and `tool`.

use agent_surface_core::{Answer, Budget, Consumer, Question};

use crate::call::consumer;
use crate::json;
use crate::words::Words;
use crate::world::World;

/// The views that were looked through, by what was asked, with the stamp of the last look.
#[derive(Debug, Default)]
pub(crate) struct Looks(Vec<(String, u32, u64)>);

impl World {
    /// `snapshot [as kind:id] [scope a+b] [available] [components N] [bytes N] [json]`
    pub fn snapshot(&mut self, words: &mut Words) -> Result<(), String> {
        let (mut who, mut scope, mut all, mut whole) =
            (Consumer::new("embedded", "anonymous"), Vec::new(), true, false);
        let mut budget = Budget::NONE;
        while let Some(word) = words.next() {
            match word.as_str() {
                "as" => who = consumer(&words.want("a consumer")?)?,
                "scope" => scope = words.want("prefixes")?.split('+').map(str::to_owned).collect(),
                "available" => all = false,
                "components" => budget.max_components = words.number()?,
                "bytes" => budget.max_bytes = words.number()?,
                "json" => whole = true,
                other => return Err(format!("`{other}` is not understood in a snapshot")),
            }
        }
        let key = format!("{} {} {all} {budget:?}", who.key, scope.join("+"));
        let known = self.looks.0.iter().find(|(known, _, _)| *known == key);
        let view = if let Some((_, view, _)) = known {
            *view
        } else {
            let view = self.core()?.open_view(scope, all, budget);
            self.looks.0.push((key.clone(), view, 0));
            view
        };
        if !self.look(view)? {
            self.line("reply", "snapshot under way");
            return Ok(());
        }
        let stamp = self.core()?.view_stamp(view);
        let last = self.looks.0.iter_mut().find(|(known, _, _)| *known == key);
        let same = last.is_some_and(|(_, _, last)| std::mem::replace(last, stamp) == stamp);
        let text = self.core()?.snapshot_json(view);
        if whole {
            self.line("reply", &format!("snapshot {text}"));
            return Ok(());
        }
        self.write_snapshot(&text, same)
    }

    /// Looks through a view; false when a look through it is under way.
    pub fn look(&mut self, view: u32) -> Result<bool, String> {
        let now = self.at();
        if !self.core()?.look(now, view) {
            return Ok(false);
        }
        while let Some(question) = self.core()?.next_question(view) {
            let answer = match question {
                Question::Discovery(target, policy) => Answer::Vote(self.ask_vote(target, policy)?),
                Question::When(target) => Answer::When(self.ask_when(target)?),
                Question::Reason(target) => Answer::Text(self.ask_text("reason", target)?),
                Question::Note(target) => Answer::Text(self.ask_text("note", target)?),
                Question::Route => {
                    let route = self.ask("route", &[String::from("page")])?;
                    Answer::Text(route.and_then(|mut answer| answer.text()))
                }
            };
            self.core()?.answer(view, answer);
        }
        Ok(true)
    }

    fn write_snapshot(&mut self, text: &str, same: bool) -> Result<(), String> {
        let document = json::parse(text)?;
        let root = document.root();
        let field = |value: agent_surface_json::Value<'_>, name: &str| {
            value
                .get(name)
                .and_then(|text| text.as_str().map(std::borrow::Cow::into_owned))
                .unwrap_or_default()
        };
        let state = |value: agent_surface_json::Value<'_>| {
            let mut out = String::new();
            if value
                .get("available")
                .and_then(agent_surface_json::Value::as_bool)
                == Some(false)
            {
                out.extend([format!(
                    " unavailable {}",
                    json::quoted(&field(value, "unavailableReason"))
                )]);
            }
            if value.get("contextualNote").is_some() {
                out.extend([format!(" note {}", json::quoted(&field(value, "contextualNote")))]);
            }
            out
        };
        let route = root
            .get("route")
            .map_or(String::new(), |route| format!(" route {}", route.raw()));
        let truncated = root.get("truncated").map_or(String::new(), |truncated| {
            format!(" truncated {}", truncated.raw())
        });
        let newness = if same { "same" } else { "new" };
        let version = field(root, "surfaceVersion");
        self.line(
            "reply",
            &format!("snapshot {version} {newness}{route}{truncated}"),
        );
        let lists = |value: agent_surface_json::Value<'_>, name: &str| -> Vec<String> {
            let list = value.get(name);
            list.iter()
                .flat_map(|list| list.items().map(|item| item.raw().to_owned()))
                .collect()
        };
        for component in lists(root, "components") {
            let component = json::parse(&component)?;
            let value = component.root();
            let name = format!("{} @{}", field(value, "type"), field(value, "instanceId"));
            self.line(
                "reply",
                &format!("component {name} {}", field(value, "registrationId")),
            );
            for kind in ["observations", "actions"] {
                for item in lists(value, kind) {
                    let item = json::parse(&item)?;
                    let line = format!("{}{}", field(item.root(), "capabilityId"), state(item.root()));
                    self.line("reply", &line);
                }
            }
        }
        for item in lists(root, "procedures") {
            let item = json::parse(&item)?;
            let value = item.root();
            let owner = format!("{}{}", field(value, "registrationId"), state(value));
            self.line("reply", &format!("{} of {owner}", field(value, "procedureId")));
        }
        Ok(())
    }
}
