//! Skips a step whose inputs are those of its last success.
//!
//! Compares contents, not times: a fresh checkout or a `touch` costs nothing. Called by build and setup.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::{
    process::timed,
    workspace::{self, Workspace},
};

/// A step of a build.
pub struct Step<'a> {
    /// Its name, and that of its stamp.
    pub name: &'a str,
    /// Files and folders that it reads.
    pub inputs: &'a [PathBuf],
    /// What else decides its result: versions, arguments.
    pub settings: &'a str,
    /// Files that must be there for the step to count as done.
    pub outputs: &'a [PathBuf],
}

/// Runs `act` unless the last success of this step had the same inputs and its outputs are still there.
pub fn step(workspace: &Workspace, step: &Step<'_>, act: impl FnOnce() -> Result<()>) -> Result<()> {
    let file: String = step
        .name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let stamp = workspace.path("target/xtask").join(file + ".stamp");
    let hash = hash(step)?;
    let known = fs::read_to_string(&stamp).is_ok_and(|old| old == hash);
    if known && step.outputs.iter().all(|output| output.exists()) {
        return Ok(());
    }
    timed(step.name, act)?;
    workspace::write(&stamp, hash)
}

fn hash(step: &Step<'_>) -> Result<String> {
    let mut hasher = Sha256::new();
    absorb(&mut hasher, step.settings.as_bytes());
    for input in step.inputs {
        for file in workspace::files(input)? {
            absorb(&mut hasher, file.to_string_lossy().as_bytes());
            let content = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
            absorb(&mut hasher, &content);
        }
    }
    Ok(hex(&hasher.finalize()))
}

/// The length goes first, so that two lists of parts never look alike.
fn absorb(hasher: &mut Sha256, part: &[u8]) {
    hasher.update((part.len() as u64).to_le_bytes());
    hasher.update(part);
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('?');
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// SHA-256 of a file, in hexadecimal.
pub fn sha256_of(path: &Path) -> Result<String> {
    let content = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(hex(&Sha256::digest(content)))
}
