//! Runs transcripts: conversations with the core, in virtual time, written as text (`tests/transcripts/*.txt`).
//!
//! It is the host of the core that tests use: it answers questions as the transcript says, fires timers when it is told
//! to, and compares what comes out line by line. It refuses to sleep and to guess: a line that nobody expected is a
//! failure. Called by the tests of the core natively and by those of the root package in the browser; the language is
//! described in `tests/transcripts/README.md`.

mod answer;
mod call;
mod command;
mod compare;
mod declare;
mod drain;
mod json;
mod look;
mod names;
mod policy;
mod script;
mod tool;
mod words;
mod world;

use script::{Step, parse};
use world::World;

/// Runs one transcript.
///
/// # Errors
/// A readable account of the first step whose outputs are not the expected ones, or that could not be run.
pub fn run(name: &str, text: &str) -> Result<(), String> {
    let mut world = World::new();
    for step in parse(text) {
        let place = format!("{name}:{}", step.line);
        let lines =
            outputs(&mut world, &step).map_err(|error| format!("{place}: {error}\n  > {}", step.text))?;
        if let Some(difference) = compare::difference(&step.expected, &lines) {
            return Err(format!("{place}\n  > {}\n{difference}", step.text));
        }
    }
    world.verdict().map_err(|error| format!("{name}: {error}"))
}

/// The transcript with what really comes out in the place of what was expected. Lines that use a pattern are kept
/// while they hold.
///
/// # Errors
/// A step that could not be run.
pub fn rewrite(text: &str) -> Result<String, String> {
    let mut world = World::new();
    let mut out = String::new();
    let mut number = 0;
    let mut lines = text.lines();
    for step in parse(text) {
        while number < step.end {
            number += 1;
            let line = lines.next().unwrap_or_default();
            if !line.starts_with('<') {
                out.push_str(line);
                out.push('\n');
            }
        }
        let came = outputs(&mut world, &step).map_err(|error| format!("line {}: {error}", step.line))?;
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

fn outputs(world: &mut World, step: &Step) -> Result<Vec<String>, String> {
    world.say(&step.text)?;
    Ok(world.take_lines())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: &str = "register greeter\n  action hello: local-state\n\
        > invoke view:greeter.hello id c1 {\"name\":\"Ada\"}\n< effect call_handler #1 {\"name\":\"Ada\"}\n\
        > returned #1 \"Hello, Ada\"\n< settled c1 ok \"Hello, Ada\"\n";

    #[test]
    fn what_comes_out_as_written_passes() {
        assert_eq!(run("hello", HELLO), Ok(()));
    }

    #[test]
    fn a_line_that_nobody_expected_is_shown() {
        let silent = HELLO.replace("< effect call_handler #1 {\"name\":\"Ada\"}\n", "");
        let error = run("hello", &silent).unwrap_err();
        assert!(
            error.starts_with("hello:3\n") && error.contains("+ effect call_handler #1"),
            "{error}"
        );
    }

    #[test]
    fn a_line_that_does_not_come_is_shown() {
        let error = run("hello", &HELLO.replace("Ada\"}\n> ret", "Bob\"}\n> ret")).unwrap_err();
        assert!(
            error.contains("- effect call_handler #1 {\"name\":\"Bob\"}"),
            "{error}"
        );
    }

    #[test]
    fn a_word_that_is_no_command_is_named() {
        let error = run("hello", "> greet everyone\n").unwrap_err();
        assert!(error.contains("`greet`"), "{error}");
    }

    #[test]
    fn rewriting_what_holds_changes_nothing() {
        assert_eq!(rewrite(HELLO).as_deref(), Ok(HELLO));
        let wrong = HELLO.replace("settled c1 ok", "settled c9 ok");
        assert_eq!(rewrite(&wrong).as_deref(), Ok(HELLO));
    }
}
