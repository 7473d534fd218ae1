//! Small helpers over the project's JSON layer.
//!
//! Reads and writes texts of transcripts; judges nothing. Called by the other files of this crate.

use agent_surface_json::{Bounds, Document, write_string};

/// More than any transcript needs.
pub(crate) const BOUNDS: Bounds = Bounds {
    max_bytes: 4_194_304,
    max_depth: 64,
    lone_surrogates: false,
};

pub(crate) fn parse(text: &str) -> Result<Document, String> {
    Document::parse(text, BOUNDS).map_err(|error| format!("`{text}`: {}", error.message()))
}

/// The content of a JSON string.
pub(crate) fn string(text: &str) -> Option<String> {
    let document = Document::parse(text, BOUNDS).ok()?;
    let content = document.root().as_str()?;
    Some(content.into_owned())
}

pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::new();
    write_string(&mut out, text);
    out
}

/// The fields of an object as `name=value`, texts without quotes; issues by their paths alone.
pub(crate) fn pairs(object: &str) -> Result<String, String> {
    let document = parse(object)?;
    let mut out = String::new();
    for (key, value) in document.root().entries() {
        let value = if key == "issues" {
            let paths: Vec<String> = value
                .items()
                .filter_map(|issue| issue.get("path")?.as_str().map(std::borrow::Cow::into_owned))
                .map(|path| {
                    if path.is_empty() {
                        "(root)".to_owned()
                    } else {
                        path
                    }
                })
                .collect();
            paths.join(",")
        } else {
            match value.as_str() {
                Some(text) if text.contains(' ') => value.raw().to_owned(),
                Some(text) => text.into_owned(),
                None => value.raw().to_owned(),
            }
        };
        out.extend([format!(" {key}={value}")]);
    }
    Ok(out)
}
