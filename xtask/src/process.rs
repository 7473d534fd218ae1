//! Running other programs, with errors that name the whole command, and printing for people.
//!
//! No shell is ever involved. Every command calls it.

use std::{
    collections::VecDeque,
    io::{self, BufRead as _, BufReader, IsTerminal as _, PipeReader, Write as _},
    mem,
    process::{Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

/// Prints a line to standard output; a closed pipe is no error.
macro_rules! say {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        drop(writeln!(std::io::stdout().lock(), $($argument)*));
    }};
}
pub(crate) use say;

/// The command as one would type it.
pub fn shown(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}

/// Runs to the end, its output on ours. Where nobody watches (a log), the last lines of a failure are kept for `last_words`.
pub fn run(command: &mut Command) -> Result<()> {
    command.stdin(Stdio::null());
    let status = if io::stdout().is_terminal() {
        command.status()
    } else {
        run_and_keep(command)
    }
    .with_context(|| format!("cannot start `{}`", shown(command)))?;
    if status.success() {
        return Ok(());
    }
    bail!("`{}` failed ({status})", shown(command))
}

/// Lines of a failed command that are kept, and how long each may be, in characters.
const KEPT: usize = 20;
const LONGEST: usize = 160;

static WORDS: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());

/// What the command that failed last printed at its end; empty where nothing was kept. Taken by the caller.
pub fn last_words() -> Vec<String> {
    mem::take(&mut *WORDS.lock().unwrap_or_else(PoisonError::into_inner)).into()
}

fn run_and_keep(command: &mut Command) -> io::Result<ExitStatus> {
    let (reader, writer) = io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let child = command.spawn();
    // The command holds the pipe's other end until it is given something else.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child?;
    let kept = Arc::default();
    let passing = thread::spawn({
        let kept = Arc::clone(&kept);
        move || pass_on(reader, &kept)
    });
    let status = child.wait()?;
    // A process that the child left behind may hold the pipe: it is not waited for.
    let give_up = Instant::now() + Duration::from_secs(3);
    while !passing.is_finished() && Instant::now() < give_up {
        thread::sleep(Duration::from_millis(5));
    }
    if !status.success() {
        let words = mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner));
        *WORDS.lock().unwrap_or_else(PoisonError::into_inner) = words;
    }
    Ok(status)
}

/// Prints what comes, line by line, and keeps the last ones that say something.
fn pass_on(reader: PipeReader, kept: &Mutex<VecDeque<String>>) {
    for line in BufReader::new(reader).split(b'\n') {
        let Ok(line) = line else { return };
        let mut out = io::stdout().lock();
        drop(out.write_all(&line).and_then(|()| out.write_all(b"\n")));
        let text = String::from_utf8_lossy(&line);
        if says_something(&text) {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() == KEPT {
                kept.pop_front();
            }
            kept.push_back(text.chars().take(LONGEST).collect());
        }
    }
}

/// Not an empty line, nor a frame of a stack (`12: name`, `at path`).
fn says_something(line: &str) -> bool {
    let line = line.trim();
    let is_frame = line.starts_with("at ")
        || line
            .split_once(": ")
            .is_some_and(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
    !line.is_empty() && !is_frame
}

/// Runs to the end and answers with its standard output; its standard error goes into the error, if it fails.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start `{}`", shown(command)))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    bail!(
        "`{}` failed ({})\n{}{}",
        shown(command),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// `1.2 s`, or `3 min 04 s` from a minute on.
pub fn seconds(duration: Duration) -> String {
    let whole = duration.as_secs();
    if whole < 60 {
        format!("{:.1} s", duration.as_secs_f64())
    } else {
        format!("{} min {:02} s", whole / 60, whole % 60)
    }
}

/// Runs `act` and says what it was and how long it took.
pub fn timed<T>(what: &str, act: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let done = act().with_context(|| format!("{what} failed"))?;
    say!("{what} ({})", seconds(start.elapsed()));
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::{last_words, run_and_keep, says_something};
    use std::process::Command;

    #[test]
    fn the_last_lines_of_a_failure_are_kept_and_its_stack_is_not() {
        let mut failing = Command::new("cargo");
        failing.args(["no-such-command-of-cargo"]);
        assert!(!run_and_keep(&mut failing).expect("started").success());
        let words = last_words();
        assert!(
            words.iter().any(|line| line.contains("no-such-command-of-cargo")),
            "{words:?}"
        );
        assert!(last_words().is_empty());
        assert!(
            run_and_keep(Command::new("cargo").arg("--version"))
                .expect("started")
                .success()
        );
        assert!(last_words().is_empty());
        for (line, says) in [
            ("   4: core::panicking::panic_fmt", false),
            ("             at ./tests/model.rs:32:14", false),
            ("    at run (file.js:1:2)", false),
            ("", false),
            ("panicked at tests/model.rs:5", true),
            ("error: test failed", true),
        ] {
            assert_eq!(says_something(line), says, "{line}");
        }
    }
}
