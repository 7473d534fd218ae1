//! The environment of the demo's grid page: the host's example `grid`, built, started beside the servers and ended with
//! them.
//!
//! It answers pages of the demo's own origin only, and ends when this process does, however that ends: its input ends then.
//! Called by the demo.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{process, tools, workspace::Workspace};

/// The environment, as long as this lives.
pub struct Environment {
    child: Child,
    /// Where it is and what its key is: for the page.
    pub endpoint: Value,
}

/// Compiles it.
pub fn build(workspace: &Workspace) -> Result<()> {
    let mut cargo = tools::cargo(workspace)?;
    cargo.args([
        "build",
        "--quiet",
        "-p",
        "agent-surface-host",
        "--example",
        "grid",
    ]);
    process::timed("build: the environment", || process::run(&mut cargo))
}

impl Environment {
    /// Starts it for pages on a port of this machine.
    pub fn start(workspace: &Workspace, pages: u16) -> Result<Self> {
        let program = workspace
            .cargo_target()
            .join("debug/examples")
            .join(format!("grid{}", std::env::consts::EXE_SUFFIX));
        let mut command = Command::new(&program);
        for host in ["localhost", "127.0.0.1"] {
            command.args(["--origin", &format!("http://{host}:{pages}")]);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout)
                .read_line(&mut line)
                .context("cannot read what the environment says")?;
        }
        let endpoint = serde_json::from_str(&line)
            .with_context(|| format!("the environment says `{line}` instead of where it is"))?;
        Ok(Self { child, endpoint })
    }

    /// Its address, for people.
    pub fn address(&self) -> &str {
        let address = self.endpoint.get("baseUrl").and_then(Value::as_str);
        address.unwrap_or_default()
    }
}

impl Drop for Environment {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // It ends by itself; waiting only spares the system a zombie.
        drop(self.child.wait());
    }
}
