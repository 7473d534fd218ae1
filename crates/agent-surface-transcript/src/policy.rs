//! Policies as a transcript declares them, and what their functions do.
//!
//! `policy gate discovery invoke` has those two hooks and waits to be told; `guard` makes a built-in one of it.
//! Called by `command` and `drain`.

use crate::words::Words;

/// What a policy's function does when it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Runs {
    /// Waits for commands of the transcript.
    #[default]
    Waits,
    /// Calls `next` at once and ends when that gives a result.
    Passes,
    /// Calls `next` twice at once.
    Twice,
    /// Ends without `next`.
    Ends,
    /// Throws this code.
    Throws(String),
    /// Asks for a person, calls `next` and ends.
    Escalates(Option<String>),
}

#[derive(Clone, Debug)]
pub(crate) struct Policy {
    pub name: String,
    pub hooks: u8,
    pub guard: bool,
    pub runs: Runs,
}

/// All policies of a transcript; the position is the number that the core knows.
#[derive(Debug, Default)]
pub(crate) struct Policies(Vec<Policy>);

impl Policies {
    /// `NAME hook…`
    pub fn declare(&mut self, words: &mut Words) -> Result<(), String> {
        let mut policy = Policy {
            name: words.want("a name")?,
            hooks: 0,
            guard: false,
            runs: Runs::Waits,
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "discovery" => policy.hooks |= 1,
                "authorize" => policy.hooks |= 2,
                "invoke" => policy.hooks |= 4,
                "guard" => policy.guard = true,
                "passes" => policy.runs = Runs::Passes,
                other => return Err(format!("`{other}` is no hook")),
            }
        }
        self.0.push(policy);
        Ok(())
    }

    /// `NAME passes|waits|twice|ends|throws CODE|escalates ["summary"]`
    pub fn script(&mut self, words: &mut Words) -> Result<(), String> {
        let name = words.want("a policy")?;
        let runs = match words.want("what it does")?.as_str() {
            "passes" => Runs::Passes,
            "waits" => Runs::Waits,
            "twice" => Runs::Twice,
            "ends" => Runs::Ends,
            "throws" => Runs::Throws(words.want("a code")?),
            "escalates" => Runs::Escalates(words.text()),
            other => return Err(format!("`{other}` is nothing that a policy does")),
        };
        let policy = self.0.iter_mut().find(|policy| policy.name == name);
        policy.ok_or_else(|| format!("no policy `{name}`"))?.runs = runs;
        Ok(())
    }

    pub fn get(&self, reference: u32) -> Option<&Policy> {
        self.0.get(usize::try_from(reference).ok()?)
    }

    pub fn by_name(&self, name: &str) -> Option<&Policy> {
        self.0.iter().find(|policy| policy.name == name)
    }

    /// The JSON of the policies in `a+b`.
    pub fn definition(&self, names: &str) -> Result<String, String> {
        let mut parts = Vec::new();
        for name in names.split('+') {
            let (at, policy) = self
                .0
                .iter()
                .enumerate()
                .find(|(_, policy)| policy.name == name)
                .ok_or_else(|| format!("no policy `{name}`"))?;
            parts.push(format!(
                "{{\"ref\":{at},\"name\":\"{name}\",\"hooks\":{},\"guard\":{}}}",
                policy.hooks, policy.guard
            ));
        }
        Ok(format!("[{}]", parts.join(",")))
    }
}
