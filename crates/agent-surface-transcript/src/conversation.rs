//! What a transcript is held with: something that is told commands and says what came of them.
//!
//! Knows steps and lines, no subject. Implemented by `world` and `surface`; called by the crate's root.

use crate::{compare, script};

/// The other side of a transcript.
pub(crate) trait Conversation {
    /// Obeys a command, and whatever follows from it at once.
    fn say(&mut self, command: &str) -> Result<(), String>;
    /// What came out since the last time.
    fn take_lines(&mut self) -> Vec<String>;
    /// What must hold at the end.
    fn verdict(&self) -> Result<(), String>;
}

/// Runs a transcript to its end, or to the first step that differs.
pub(crate) fn run(mut with: impl Conversation, name: &str, text: &str) -> Result<(), String> {
    for step in script::parse(text) {
        let place = format!("{name}:{}", step.line);
        let lines =
            outputs(&mut with, &step).map_err(|error| format!("{place}: {error}\n  > {}", step.text))?;
        if let Some(difference) = compare::difference(&step.expected, &lines) {
            return Err(format!("{place}\n  > {}\n{difference}", step.text));
        }
    }
    with.verdict().map_err(|error| format!("{name}: {error}"))
}

/// The transcript with what comes out. Lines that use a pattern are kept while they hold.
pub(crate) fn rewrite(mut with: impl Conversation, text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut number = 0;
    let mut lines = text.lines();
    for step in script::parse(text) {
        while number < step.end {
            number += 1;
            let line = lines.next().unwrap_or_default();
            if !line.starts_with('<') {
                out.push_str(line);
                out.push('\n');
            }
        }
        let came = outputs(&mut with, &step).map_err(|error| format!("line {}: {error}", step.line))?;
        let holds = compare::difference(&step.expected, &came).is_none();
        for line in if holds { &step.expected } else { &came } {
            out.push_str("< ");
            out.push_str(line);
            out.push('\n');
        }
    }
    for line in lines.filter(|line| !line.starts_with('<')) {
        out.push_str(line);
        out.push('\n');
    }
    Ok(out)
}

/// `repeat N COMMAND`: how often, and the command.
pub(crate) fn repeated(command: &str) -> Result<(u32, &str), String> {
    let Some(rest) = command.strip_prefix("repeat ") else {
        return Ok((1, command));
    };
    let (count, command) = rest
        .split_once(' ')
        .ok_or("`repeat` needs a number and a command")?;
    let count = count
        .parse()
        .map_err(|error| format!("`{count}` is no number: {error}"))?;
    Ok((count, command))
}

fn outputs(with: &mut impl Conversation, step: &script::Step) -> Result<Vec<String>, String> {
    with.say(&step.text)?;
    Ok(with.take_lines())
}
