//! Documents, compiled schemas and verdicts.
//!
//! It refuses schemas that their own draft refuses and references that lead nowhere. The boundary and the tests call it.

use std::sync::Arc;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ReferencingError, Registry, ValidationError, Validator, ValidatorMap};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::cost;
use crate::defaults::{self, Default};
use crate::issue::{self, Issue};
use crate::names::{Names, REFERENCES};
use crate::rule;

/// Characters of the engine's own words about a schema.
const MAX_REASON: usize = 240;

/// Why a schema is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// `UNSUPPORTED_SCHEMA`, or `INVALID_DEFINITION` for a `default` that breaks its own schema.
    pub code: &'static str,
    /// The keyword at fault; empty when it is a schema as a whole.
    pub keyword: String,
    /// JSON Pointer (RFC 6901) to it.
    pub pointer: String,
    /// One sentence with both.
    pub message: String,
}

/// What of a schema is acted upon.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether `format` is asserted; otherwise it is an annotation.
    pub assert_formats: bool,
    /// Whether a `default` that breaks its own schema is refused.
    pub check_defaults: bool,
}

/// What a value comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Empty when it is valid; at most 32.
    pub issues: Vec<Issue>,
    /// The value with its absent defaults, when there were any and it is valid.
    pub filled: Option<String>,
}

/// Compiles schemas; holds the documents that they may refer to.
#[derive(Debug)]
pub struct Engine {
    documents: Option<Registry<'static>>,
    /// As they were handed over, for what counts the work of a check.
    sources: Arc<Map<String, Value>>,
}

/// A compiled schema.
#[derive(Debug)]
pub struct Compiled {
    validator: Validator,
    schema: Value,
    has_defaults: bool,
    /// What its references name; without references the work is bounded by the sizes.
    names: Option<Names>,
    documents: Arc<Map<String, Value>>,
}

impl Engine {
    /// `documents`: a JSON object of schemas under their absolute URIs.
    ///
    /// # Errors
    /// A text that is no such object, or a URI that is none.
    pub fn new(documents: &str) -> Result<Engine, Refusal> {
        let refuse = |reason: &dyn ToString| Refusal {
            code: "INVALID_DEFINITION",
            keyword: String::new(),
            pointer: String::new(),
            message: [
                "`documents` must be schemas under absolute URIs: ",
                &cut(&reason.to_string()),
            ]
            .concat(),
        };
        let documents: Map<String, Value> =
            serde_json::from_str(documents).map_err(|error| refuse(&error))?;
        let sources = Arc::new(documents);
        if sources.is_empty() {
            return Ok(Engine {
                documents: None,
                sources,
            });
        }
        let mut registry = Registry::new();
        for (uri, schema) in sources.iter() {
            registry = registry
                .add(uri, schema.clone())
                .map_err(|error| refuse(&error))?;
        }
        let registry = registry.prepare().map_err(|error| refuse(&error))?;
        Ok(Engine {
            documents: Some(registry),
            sources,
        })
    }

    /// The schema in a text.
    ///
    /// # Errors
    /// What its draft, or this engine, refuses.
    pub fn compile(&self, text: &str, options: Options) -> Result<Compiled, Refusal> {
        let schema: Value = serde_json::from_str(text).map_err(|error| {
            let reason = ["the schema cannot be read: ", &cut(&error.to_string())].concat();
            unsupported("", "", &reason)
        })?;
        let mut rules = jsonschema::options()
            .offline()
            .with_pattern_options(PatternOptions::regex())
            .should_validate_formats(options.assert_formats)
            .with_keyword("pattern", rule::pattern);
        for format in rule::FORMATS {
            rules = rules.with_format(format, rule::format(format));
        }
        if let Some(documents) = &self.documents {
            rules = rules.with_registry(documents);
        }
        let validator = rules.build(&schema).map_err(|error| refusal(&schema, &error))?;
        let found = defaults::find(&schema);
        if options.check_defaults && !found.is_empty() {
            let validators = rules
                .build_map(&schema)
                .map_err(|error| refusal(&schema, &error))?;
            for default in &found {
                if let Some(reason) = breach(&validators, default) {
                    let mut refusal =
                        unsupported("default", &[&default.pointer, "/default"].concat(), &reason);
                    refusal.code = "INVALID_DEFINITION";
                    return Err(refusal);
                }
            }
        }
        let has_defaults = !found.is_empty();
        let documents = self.sources.iter().map(|(uri, document)| (&**uri, document));
        let all: Vec<_> = [("", &schema)].into_iter().chain(documents).collect();
        let names = Names::collect(&all);
        Ok(Compiled {
            validator,
            schema,
            has_defaults,
            names,
            documents: self.sources.clone(),
        })
    }
}

impl Compiled {
    /// Checks the value in a text, after filling its absent defaults where `fill`.
    pub fn check(&self, text: &str, fill: bool) -> Verdict {
        let mut value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(error) => {
                let message = ["cannot be read: ", &cut(&error.to_string())].concat();
                return Verdict {
                    issues: vec![Issue::new("", message)],
                    filled: None,
                };
            }
        };
        let mut cost = self.cost(&value);
        if cost > cost::MAX_COST {
            return too_complex();
        }
        let is_filled = fill && self.has_defaults && defaults::fill(&self.schema, &mut value);
        if is_filled {
            cost = self.cost(&value);
        }
        if cost > cost::MAX_COST {
            return too_complex();
        }
        let issues = if cost <= cost::MAX_COST_OF_ISSUES {
            verdict(&self.validator, &value)
        } else if self.validator.is_valid(&value) {
            Vec::new()
        } else {
            vec![Issue::new(
                "",
                "does not match, and nests too deeply to say where".to_owned(),
            )]
        };
        let filled = (is_filled && issues.is_empty()).then(|| value.to_string());
        Verdict { issues, filled }
    }

    /// What a check may take; 0 where no schema refers to another.
    fn cost(&self, value: &Value) -> usize {
        let Some(names) = &self.names else { return 0 };
        let documents: Vec<&Value> = [&self.schema]
            .into_iter()
            .chain(self.documents.values())
            .collect();
        cost::of(names, &documents, value)
    }
}

fn too_complex() -> Verdict {
    Verdict {
        issues: vec![Issue::new("", "is too complex to be checked".to_owned())],
        filled: None,
    }
}

/// What is wrong with a default.
fn breach(validators: &ValidatorMap, default: &Default) -> Option<String> {
    let Some(value) = &default.value else {
        return Some("must stay small and end when the defaults within it are filled".to_owned());
    };
    let validator = validators.get(&["#", &default.pointer].concat())?;
    let issue = verdict(validator, value).into_iter().next()?;
    let place = if issue.path.is_empty() { "it" } else { &issue.path };
    Some(["breaks its own schema: ", place, " ", &issue.message].concat())
}

/// The quick way first: a verdict costs a fraction of its reasons.
fn verdict(validator: &Validator, value: &Value) -> Vec<Issue> {
    if validator.is_valid(value) {
        return Vec::new();
    }
    issue::collect(validator.iter_errors(value))
}

fn unsupported(keyword: &str, pointer: &str, reason: &str) -> Refusal {
    let (quote, name) = if keyword.is_empty() {
        ("", "the schema")
    } else {
        ("`", keyword)
    };
    let message = [quote, name, quote, " at `", pointer, "` ", reason].concat();
    let (keyword, pointer) = (keyword.to_owned(), pointer.to_owned());
    Refusal {
        code: "UNSUPPORTED_SCHEMA",
        keyword,
        pointer,
        message,
    }
}

/// Why the engine does not take a schema.
fn refusal(schema: &Value, error: &ValidationError<'_>) -> Refusal {
    let text = error.to_string();
    let pointer = match error.kind() {
        // It names the address and not the place.
        ValidationErrorKind::Referencing(_) => place_of_reference(schema, &text, "").unwrap_or_default(),
        ValidationErrorKind::Custom { .. } => error.schema_path().as_str().to_owned(),
        // A breach of the draft's own schema has its place in the schema as that of a value.
        _ => error.instance_path().as_str().to_owned(),
    };
    let is_remote = matches!(
        error.kind(),
        ValidationErrorKind::Referencing(ReferencingError::Unretrievable { .. })
    );
    let keyword = pointer
        .rsplit('/')
        .find(|token| !token.bytes().all(|byte| byte.is_ascii_digit()));
    let reason = match error.kind() {
        ValidationErrorKind::Custom { message, .. } => message.clone(),
        _ if is_remote => {
            "is not there; hand its document over with `installSchemaEngine({ documents })`".to_owned()
        }
        _ => ["is refused: ", &cut(&text)].concat(),
    };
    unsupported(keyword.unwrap_or_default(), &pointer, &reason)
}

/// The JSON Pointer to the first reference whose address, or fragment, an error's text has.
fn place_of_reference(schema: &Value, text: &str, pointer: &str) -> Option<String> {
    let below: Vec<(String, &Value)> = match schema {
        Value::Object(entries) => entries.iter().map(|(key, value)| (token(key), value)).collect(),
        Value::Array(items) => (0..)
            .zip(items)
            .map(|(at, item): (usize, _)| (at.to_string(), item))
            .collect(),
        _ => return None,
    };
    for (token, value) in below {
        let place = [pointer, "/", &token].concat();
        let is_reference = REFERENCES.contains(&&*token);
        let is_named = |reference: &str| {
            let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
            let part = if address.is_empty() { fragment } else { address };
            !part.is_empty() && text.contains(part)
        };
        if is_reference && value.as_str().is_some_and(is_named) {
            return Some(place);
        }
        let found = place_of_reference(value, text, &place);
        if found.is_some() {
            return found;
        }
    }
    None
}

/// A key as a token of a JSON Pointer.
pub(crate) fn token(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_REASON).collect()
}

#[cfg(test)]
mod tests;
