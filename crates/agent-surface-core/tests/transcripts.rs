//! Runs every transcript of `tests/transcripts`, or of the folder that `TRANSCRIPTS` names.
//!
//! It refuses to pass on an empty folder. With `UPDATE_EXPECT=1` it writes what really came out into the files, to be
//! read before it is kept. Called by `cargo test`.
#![expect(clippy::disallowed_methods, reason = "natively, joining texts costs nothing")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

fn folder() -> PathBuf {
    let checked_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/transcripts");
    std::env::var_os("TRANSCRIPTS").map_or(checked_in, PathBuf::from)
}

/// In the order of their names.
fn files(folder: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            found.insert(path);
        }
    }
    Ok(found)
}

#[test]
fn every_transcript_goes_as_written() -> io::Result<()> {
    let folder = folder();
    let files = files(&folder)?;
    assert!(!files.is_empty(), "no transcript in {}", folder.display());
    let update = std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1");
    let mut failures = Vec::new();
    for path in &files {
        let text = fs::read_to_string(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if update {
            match agent_surface_transcript::rewrite(&text) {
                Ok(renewed) => fs::write(path, renewed)?,
                Err(error) => failures.push([&*name, ": ", &error].concat()),
            }
        } else if let Err(error) = agent_surface_transcript::run(&name, &text) {
            failures.push(error);
        }
    }
    println!("{} transcripts in {}", files.len(), folder.display());
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    Ok(())
}

#[test]
fn the_browser_runs_every_transcript_too() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let list = fs::read_to_string(root.join("transcripts.rs"))?;
    for path in files(&root.join("transcripts"))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        assert!(
            list.contains(&["\"", &*name, "\""].concat()),
            "{name} is not in tests/transcripts.rs"
        );
    }
    Ok(())
}
