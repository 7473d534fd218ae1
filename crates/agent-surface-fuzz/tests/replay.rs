//! Runs every input of the corpus, or of the folder that `FUZZ_CORPUS` names, and a little of what the loop makes of it.
//!
//! It refuses to pass on a target without inputs. Called by `cargo test`.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use agent_surface_fuzz::{TARGETS, mutate, target};

fn folder() -> PathBuf {
    let checked_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    std::env::var_os("FUZZ_CORPUS").map_or(checked_in, PathBuf::from)
}

#[test]
fn every_target_survives_its_corpus() -> io::Result<()> {
    for (name, target) in TARGETS {
        let mut inputs = Vec::new();
        for entry in fs::read_dir(folder().join(name))? {
            let path = entry?.path();
            let input = fs::read(&path)?;
            println!("{}", path.display());
            target(&input);
            inputs.push(input);
        }
        assert!(!inputs.is_empty(), "no input of {name}");
        mutate::run(target, &inputs, 7, Duration::from_millis(300), |_| ());
    }
    Ok(())
}

#[test]
fn a_target_is_found_by_its_name() {
    assert!(target("step").is_some() && target("no such").is_none());
}
