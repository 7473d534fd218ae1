//! Runs transcripts: conversations with the core (`tests/transcripts/*.txt`) and with the external surface's kernel
//! (`tests/transcripts/surface/*.txt`), in virtual time, written as text.
//!
//! It is the host that tests use: it answers questions as the transcript says, fires timers when it is told to, and
//! compares what comes out line by line. It refuses to sleep and to guess: a line that nobody expected is a failure. Called
//! by the tests of both crates natively and by those of the root package in the browser; the languages are described in
//! `tests/transcripts/README.md`.

mod answer;
mod call;
mod command;
mod compare;
mod conversation;
mod declare;
mod drain;
mod json;
mod look;
mod names;
mod policy;
mod script;
mod surface;
mod tool;
mod words;
mod world;

use surface::Surface;
use world::World;

/// Runs one transcript of the core.
///
/// # Errors
/// A readable account of the first step whose outputs are not the expected ones, or that could not be run.
pub fn run(name: &str, text: &str) -> Result<(), String> {
    conversation::run(World::new(), name, text)
}

/// The transcript with what really comes out in the place of what was expected. Lines that use a pattern are kept
/// while they hold.
///
/// # Errors
/// A step that could not be run.
pub fn rewrite(text: &str) -> Result<String, String> {
    conversation::rewrite(World::new(), text)
}

/// [`run`] for one of the external surface's kernel.
///
/// # Errors
/// As [`run`].
pub fn run_surface(name: &str, text: &str) -> Result<(), String> {
    conversation::run(Surface::new(), name, text)
}

/// [`rewrite`] for one of the external surface's kernel.
///
/// # Errors
/// As [`rewrite`].
pub fn rewrite_surface(text: &str) -> Result<String, String> {
    conversation::rewrite(Surface::new(), text)
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
