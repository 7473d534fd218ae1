//! Splits a transcript into steps: one command each, with the outputs that must follow it.
//!
//! Understands lines, not commands. Called by the crate's root.

/// One command and what must come out of it.
#[derive(Debug)]
pub(crate) struct Step {
    /// Where it begins, from 1.
    pub line: usize,
    /// The last line of the command itself, from 1.
    pub end: usize,
    /// The command, with the lines that continue it.
    pub text: String,
    pub expected: Vec<String>,
}

/// The steps of a transcript. `#` begins a comment line; an indented line continues the command above it; `<` is an
/// output; everything else is a command, `>` or not.
pub(crate) fn parse(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if line.trim().is_empty() || line.starts_with("# ") || line == "#" {
            continue;
        }
        if let Some(output) = line.strip_prefix('<') {
            if let Some(step) = steps.last_mut() {
                step.expected.push(output.trim().to_owned());
            }
        } else if line.starts_with("  ") {
            if let Some(step) = steps.last_mut() {
                step.text.push(' ');
                step.text.push_str(line.trim());
                step.end = number;
            }
        } else {
            steps.push(Step {
                line: number,
                end: number,
                text: line.strip_prefix('>').unwrap_or(line).trim().to_owned(),
                expected: Vec::new(),
            });
        }
    }
    steps
}
