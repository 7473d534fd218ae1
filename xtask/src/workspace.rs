//! Where things are in a working copy: the root, the folders of made files, and the walk over sources.
//!
//! Made files always go to `<root>/target`, even where `CARGO_TARGET_DIR` moves cargo's own. Every command calls it.

use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::process::say;

/// A working copy.
pub struct Workspace {
    /// The folder of the workspace's `Cargo.toml`.
    pub root: PathBuf,
}

impl Workspace {
    /// The copy that this program was started in by `cargo run`, else the one it was compiled in.
    pub fn find() -> Result<Self> {
        let own = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = own
            .parent()
            .context("the folder of xtask has no parent")?
            .to_path_buf();
        Ok(Self { root })
    }

    /// A path below the root, `/` between its parts.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// The assembled npm package.
    pub fn package(&self) -> PathBuf {
        self.path("target/pkg")
    }

    /// Where cargo puts what it compiles.
    pub fn cargo_target(&self) -> PathBuf {
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| self.path("target"), |dir| self.root.join(dir))
    }

    /// Waits until no other command holds `name`; it is held as long as the file that comes back. Two commands at once
    /// would replace the folders that the other one reads.
    pub fn hold(&self, name: &str) -> Result<File> {
        let path = self.path("target").join(["hold-", name].concat());
        write(&path, "")?;
        let file = File::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
        if file.try_lock().is_err() {
            say!("{name}: another command does this; waiting for it");
            file.lock()
                .with_context(|| format!("cannot hold {}", path.display()))?;
        }
        Ok(file)
    }

    /// A file's text, with its path in the error.
    pub fn read(&self, relative: &str) -> Result<String> {
        read(&self.path(relative))
    }
}

/// A file's text, with its path in the error.
pub fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file and the folders above it, with its path in the error.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    }
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

/// All files at or below `path`, sorted, without made ones (`target`, `node_modules`) and hidden tool folders. A path
/// that does not exist has none.
pub fn files(path: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![path.to_path_buf()];
    while let Some(next) = open.pop() {
        if next.is_file() {
            found.push(next);
        } else if next.is_dir() {
            let entries = fs::read_dir(&next).with_context(|| format!("cannot list {}", next.display()))?;
            for entry in entries {
                let entry = entry?;
                let name = entry.file_name();
                if !["target", "node_modules", ".git"]
                    .iter()
                    .any(|skipped| name == *skipped)
                {
                    open.push(entry.path());
                }
            }
        }
    }
    found.sort();
    Ok(found)
}
