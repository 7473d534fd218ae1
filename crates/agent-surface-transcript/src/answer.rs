//! What the page's closures answer, as the transcript sets them.
//!
//! A `when` says yes, a vote exposes, a guard passes until a command says otherwise; handlers, preconditions and
//! authors' schemas wait for a command unless they have a standing answer. Called by `drain` and `look`.

use std::collections::BTreeMap;

use agent_surface_core::error::Failure;
use agent_surface_core::message::{CallId, Input, Target, Vote};

use crate::call::failure;
use crate::words::Words;
use crate::world::World;

/// Standing answers by question and subject, and commands to run while a question is asked.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    standing: BTreeMap<(String, String), String>,
    during: Vec<(String, String, String)>,
    /// The transcript says itself which executor there is.
    executor: bool,
}

/// Questions that have a standing answer.
pub(crate) const QUESTIONS: [&str; 11] = [
    "when",
    "reason",
    "key",
    "bind",
    "note",
    "vote",
    "guard",
    "handler",
    "precondition",
    "check",
    "check-output",
];

impl Answers {
    /// `when SUBJECT answer…`; the subject is a capability, with `@instance` or without, or a policy. `waits` takes a
    /// standing answer away.
    pub fn set(&mut self, question: &str, words: &mut Words) -> Result<(), String> {
        let mut subject = words.want("a capability or a policy")?;
        if let Some(instance) = words.peek().filter(|word| word.starts_with('@')) {
            subject.push_str(instance);
            words.next();
        }
        let answer = words.rest();
        if answer == "waits" {
            self.standing.remove(&(question.to_owned(), subject));
            return Ok(());
        }
        self.standing.insert((question.to_owned(), subject), answer);
        Ok(())
    }

    /// `during QUESTION SUBJECT command…`: run once, while that question is asked next.
    pub fn interrupt(&mut self, words: &mut Words) -> Result<(), String> {
        let question = words.want("a question")?;
        let subject = words.want("a subject")?;
        let command = words.rest();
        self.during.push((question, subject, command));
        Ok(())
    }

    pub const fn set_executor(&mut self) {
        self.executor = true;
    }

    pub const fn executor_set(&self) -> bool {
        self.executor
    }

    fn get(&self, question: &str, subjects: &[String]) -> Option<Words> {
        subjects
            .iter()
            .find_map(|subject| self.standing.get(&(question.to_owned(), subject.clone())))
            .map(|answer| Words::new(answer))
    }

    fn interruption(&mut self, question: &str, subjects: &[String]) -> Option<String> {
        let at = self
            .during
            .iter()
            .position(|(asked, subject, _)| asked == question && subjects.contains(subject))?;
        Some(self.during.remove(at).2)
    }
}

impl World {
    /// Capability id with and without its instance, most exact first.
    pub fn subjects(&self, target: Target) -> Vec<String> {
        let Some(mounted) = self.mounted_at(target.registration) else {
            return Vec::new();
        };
        let id = usize::try_from(target.capability)
            .ok()
            .and_then(|at| mounted.capabilities.get(at))
            .cloned()
            .unwrap_or_default();
        vec![format!("{id}@{}", mounted.instance), id]
    }

    /// Asks: shows the question, runs what interrupts it, gives the standing answer.
    pub fn ask(&mut self, question: &str, subjects: &[String]) -> Result<Option<Words>, String> {
        let subject = subjects.first().cloned().unwrap_or_default();
        self.line("ask", &format!("ask {question} {subject}"));
        while let Some(command) = self.answers.interruption(question, subjects) {
            let command = self.names.reveal(&command);
            self.obey(Words::new(&command))?;
        }
        Ok(self.answers.get(question, subjects))
    }

    pub fn ask_vote(&mut self, target: Target, policy: u32) -> Result<Vote, String> {
        let name = self
            .policies
            .get(policy)
            .map_or(String::new(), |policy| policy.name.clone());
        let mut subjects: Vec<String> = self
            .subjects(target)
            .iter()
            .map(|subject| format!("{name}:{subject}"))
            .collect();
        subjects.push(name);
        let Some(mut answer) = self.ask("vote", &subjects)? else {
            return Ok(Vote::Expose);
        };
        match answer.want("a vote")?.as_str() {
            "expose" => Ok(Vote::Expose),
            "hide" => Ok(Vote::Hide),
            "disable" => Ok(Vote::Disable(answer.text().unwrap_or_default())),
            other => Err(format!("`{other}` is no vote")),
        }
    }

    pub fn ask_when(&mut self, target: Target) -> Result<Option<bool>, String> {
        let subjects = self.subjects(target);
        let Some(mut answer) = self.ask("when", &subjects)? else {
            return Ok(Some(true));
        };
        match answer.want("an answer")?.as_str() {
            "yes" => Ok(Some(true)),
            "no" => Ok(Some(false)),
            "throws" => Ok(None),
            other => Err(format!("`{other}`: a `when` says yes, no or throws")),
        }
    }

    /// The answer of a function that gives a text: a JSON string, or nothing.
    pub fn ask_text(&mut self, question: &str, target: Target) -> Result<Option<String>, String> {
        let subjects = self.subjects(target);
        Ok(self
            .ask(question, &subjects)?
            .and_then(|mut answer| answer.text()))
    }

    /// The key of a call: `field NAME` of its input, a text, or `throws`.
    pub fn ask_key(&mut self, target: Target, input: &str) -> Result<Option<String>, String> {
        let subjects = self.subjects(target);
        let Some(mut answer) = self.ask("key", &subjects)? else {
            return Ok(Some(String::new()));
        };
        if answer.take("field") {
            let document = crate::json::parse(input)?;
            let value = document.root().get(&answer.want("a field")?);
            return Ok(Some(value.map_or(String::new(), |value| value.raw().to_owned())));
        }
        Ok(answer.text())
    }

    pub fn ask_bind(&mut self, target: Target) -> Result<Result<String, Option<String>>, String> {
        let subjects = self.subjects(target);
        let Some(mut answer) = self.ask("bind", &subjects)? else {
            return Ok(Ok(String::from("{}")));
        };
        if answer.take("throws") {
            return Ok(Err(answer.next()));
        }
        Ok(Ok(answer.want("JSON")?))
    }

    pub fn ask_guard(&mut self, id: CallId, policy: u32) -> Result<Option<Failure>, String> {
        let name = self
            .policies
            .get(policy)
            .map_or(String::new(), |policy| policy.name.clone());
        let Some(mut answer) = self.ask("guard", &[name])? else {
            return Ok(None);
        };
        match answer.want("a verdict")?.as_str() {
            "passes" => Ok(None),
            "refuses" => Ok(Some(failure(&mut answer)?)),
            "confirms" => {
                self.input(Input::Escalate(id, answer.text()))?;
                Ok(None)
            }
            other => Err(format!("`{other}` is no verdict")),
        }
    }
}
