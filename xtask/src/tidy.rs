//! `cargo xtask tidy`: the project's rules that no compiler or linter enforces. `cargo test -p xtask` runs them too.
//!
//! It reports every breach with its place and changes nothing; `--bless` writes the boundary's hash into the types.

mod boundary;
mod manifests;
mod text;

use anyhow::{Result, bail};

use crate::{
    process::say,
    workspace::{self, Workspace},
};

/// Breaches found so far, each with its place.
#[derive(Default)]
pub struct Breaches(Vec<String>);

impl Breaches {
    /// A breach in a file, or in one line of it.
    pub fn add(&mut self, file: &str, line: Option<usize>, problem: &str) {
        self.0.push(match line {
            Some(line) => format!("{file}:{line}: {problem}"),
            None => format!("{file}: {problem}"),
        });
    }
}

/// A text file of the working copy.
pub struct Source {
    /// From the root, `/` between its parts.
    pub path: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// The end of the file's name after the last point.
    pub fn extension(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(_, extension)| extension)
    }
}

/// Looks, and fails if anything was found.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    match arguments {
        [] => {}
        [only] if only == "--bless" => boundary::bless(workspace)?,
        _ => bail!("tidy expects `--bless` or nothing"),
    }
    let Breaches(found) = look(workspace)?;
    if found.is_empty() {
        say!("tidy: nothing to say");
        return Ok(());
    }
    bail!("{} breaches\n  {}", found.len(), found.join("\n  "))
}

fn look(workspace: &Workspace) -> Result<Breaches> {
    let mut breaches = Breaches::default();
    let sources = sources(workspace)?;
    for source in &sources {
        text::check(source, &mut breaches);
    }
    manifests::check(workspace, &sources, &mut breaches)?;
    boundary::check(workspace, &sources, &mut breaches)?;
    Ok(breaches)
}

/// Every text file that people write, and lock files.
fn sources(workspace: &Workspace) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for path in workspace::files(&workspace.root)? {
        let Ok(relative) = path.strip_prefix(&workspace.root) else {
            continue;
        };
        let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        let path_text = parts.join("/");
        if text::is_checked(&path_text) {
            sources.push(Source {
                path: path_text,
                text: workspace::read(&path)?,
            });
        }
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_working_copy_is_tidy() {
        let Breaches(found) = look(&Workspace::find().unwrap()).unwrap();
        assert!(found.is_empty(), "\n  {}\n", found.join("\n  "));
    }
}
