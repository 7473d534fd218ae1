//! `wasm-pack.toml`: tool versions, flags, entries and budgets of the npm package.
//!
//! It reads and checks the file; it holds no default of its own. Called by setup, build, size, tidy and the suite.

use anyhow::{Context, Result, bail};
use toml::{Table, Value};

use crate::workspace::Workspace;

/// An entry of the package and the files that a page loads for it.
pub struct Entry {
    /// As in `exports` of package.json.
    pub name: String,
    /// Paths below the package's folder.
    pub files: Vec<String>,
    /// The most that the files may weigh together, brotli, in bytes.
    pub budget: u64,
    /// What they should come to weigh.
    pub goal: u64,
}

/// A source distribution that pip can download and that carries test data.
pub struct Suite {
    /// Its name there.
    pub package: String,
    /// The exact version.
    pub version: String,
    /// Of the archive, in hexadecimal.
    pub sha256: String,
}

/// The parsed manifest.
pub struct Manifest {
    table: Table,
}

impl Manifest {
    /// Reads the working copy's manifest.
    pub fn read(workspace: &Workspace) -> Result<Self> {
        let table = workspace
            .read("wasm-pack.toml")?
            .parse()
            .context("wasm-pack.toml is no TOML")?;
        Ok(Self { table })
    }

    /// The pinned version of a tool.
    pub fn tool(&self, name: &str) -> Result<&str> {
        text(section(&self.table, "tools")?, name)
    }

    /// Arguments of `wasm-opt`: its `passes`, or the `features` of the module.
    pub fn wasm_opt(&self, field: &str) -> Result<Vec<String>> {
        texts(section(&self.table, "wasm-opt")?, field)
    }

    /// The entries, in the file's order.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        let Some(Value::Array(items)) = self.table.get("entries") else {
            bail!("wasm-pack.toml has no [[entries]]");
        };
        items.iter().map(entry).collect()
    }

    /// The pinned JSON Schema test suite.
    pub fn suite(&self) -> Result<Suite> {
        let table = section(&self.table, "suite")?;
        let field = |name| text(table, name).map(str::to_owned);
        Ok(Suite {
            package: field("package")?,
            version: field("version")?,
            sha256: field("sha256")?,
        })
    }
}

fn entry(item: &Value) -> Result<Entry> {
    let Value::Table(table) = item else {
        bail!("an entry of wasm-pack.toml is no table")
    };
    let number = |name: &str| match table.get(name) {
        Some(Value::Integer(value)) => u64::try_from(*value).context("a budget is negative"),
        _ => bail!("wasm-pack.toml: an entry has no integer `{name}`"),
    };
    Ok(Entry {
        name: text(table, "name")?.to_owned(),
        files: texts(table, "files")?,
        budget: number("budget")?,
        goal: number("goal")?,
    })
}

fn section<'a>(table: &'a Table, name: &str) -> Result<&'a Table> {
    match table.get(name) {
        Some(Value::Table(inner)) => Ok(inner),
        _ => bail!("wasm-pack.toml has no [{name}]"),
    }
}

fn text<'a>(table: &'a Table, name: &str) -> Result<&'a str> {
    table
        .get(name)
        .and_then(Value::as_str)
        .with_context(|| format!("wasm-pack.toml has no text `{name}`"))
}

fn texts(table: &Table, name: &str) -> Result<Vec<String>> {
    let items = table
        .get(name)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    items
        .iter()
        .map(|item| {
            item.as_str()
                .map(str::to_owned)
                .with_context(|| format!("wasm-pack.toml: `{name}` holds something else than texts"))
        })
        .collect()
}
