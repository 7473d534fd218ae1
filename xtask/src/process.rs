//! Running other programs, with errors that name the whole command, and printing for people.
//!
//! No shell is ever involved. Every command calls it.

use std::{
    process::{Command, Stdio},
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

/// Runs to the end, its output on ours.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start `{}`", shown(command)))?;
    if status.success() {
        return Ok(());
    }
    bail!("`{}` failed ({status})", shown(command))
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
