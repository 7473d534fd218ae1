//! `agent-surface-fuzz <folder> [seconds] [target]`: the loop of `mutate` over the corpus in a folder, on stable Rust.
//!
//! An input that breaks something is left in `target/fuzz/<target>`, to be kept in the corpus when it is mended. Called by
//! `cargo xtask fuzz`.

use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{env, fs};

use agent_surface_fuzz::{TARGETS, mutate};

fn corpus(folder: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut inputs = Vec::new();
    for entry in fs::read_dir(folder)? {
        inputs.push(fs::read(entry?.path())?);
    }
    Ok(inputs)
}

fn main() -> io::Result<()> {
    let mut arguments = env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| String::from("fuzz/corpus"));
    let seconds: u64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(60);
    let only = arguments.next();
    let seed = env::var("FUZZ_SEED").ok().and_then(|text| text.parse().ok());
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seed = seed.unwrap_or_else(|| u64::try_from(clock.as_nanos() % u128::from(u64::MAX)).unwrap_or(1));
    for (name, target) in TARGETS {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let inputs = corpus(&Path::new(&folder).join(name))?;
        let last = Path::new("target/fuzz").join(name);
        if let Some(parent) = last.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut kept = Vec::new();
        let report = |input: &[u8]| kept = input.to_vec();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            mutate::run(target, &inputs, seed, Duration::from_secs(seconds), report)
        }));
        let Ok(count) = outcome else {
            fs::write(&last, &kept)?;
            writeln!(io::stdout(), "{name}: broken by {} (seed {seed})", last.display())?;
            return Err(io::Error::other("an input broke a target"));
        };
        writeln!(io::stdout(), "{name}: {count} inputs, seed {seed}")?;
    }
    Ok(())
}
