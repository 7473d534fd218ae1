//! Runs every transcript of `tests/transcripts/surface`, or of the folder that `SURFACE_TRANSCRIPTS` names.
//!
//! It refuses to pass on an empty folder. With `UPDATE_EXPECT=1` it writes what really came out into the files, to be
//! read before it is kept. Called by `cargo test`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

/// In the order of their names.
fn files(folder: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    paths
        .filter(
            |path| !matches!(path, Ok(path) if path.extension().is_none_or(|extension| extension != "txt")),
        )
        .collect()
}

#[test]
fn every_transcript_goes_as_written() -> io::Result<()> {
    let folder = std::env::var_os("SURFACE_TRANSCRIPTS")
        .map_or_else(|| tests().join("transcripts/surface"), PathBuf::from);
    let files = files(&folder)?;
    assert!(!files.is_empty(), "no transcript in {}", folder.display());
    let update = std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1");
    let mut failures = Vec::new();
    for path in &files {
        let text = fs::read_to_string(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if update {
            match agent_surface_transcript::rewrite_surface(&text) {
                Ok(renewed) => fs::write(path, renewed)?,
                Err(error) => failures.push(format!("{name}: {error}")),
            }
        } else if let Err(error) = agent_surface_transcript::run_surface(&name, &text) {
            failures.push(error);
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    Ok(())
}

#[test]
fn the_browser_runs_every_transcript_too() -> io::Result<()> {
    let list = fs::read_to_string(tests().join("transcripts.rs"))?;
    for path in files(&tests().join("transcripts/surface"))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        assert!(
            list.contains(&format!("\"surface/{name}\"")),
            "surface/{name} is not in tests/transcripts.rs"
        );
    }
    Ok(())
}
