//! What this engine and the subset have in common: the five formats, and patterns as ECMA-262 has them.
//!
//! It refuses to backtrack: a pattern that the subset's engine refuses goes to the `regex` crate, which is linear too.
//! The engine calls it.

use agent_surface_json::pattern::Pattern;
use agent_surface_json::schema::{Schema, SchemaLimits};
use agent_surface_json::{Bounds, Document};
use jsonschema::paths::Location;
use jsonschema::{Keyword, PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value};

use crate::issue;

/// The formats of the subset.
pub(crate) const FORMATS: [&str; 5] = ["date-time", "date", "uuid", "email", "uri"];

const LIMITS: SchemaLimits = SchemaLimits {
    max_bytes: 100,
    max_depth: 1,
};
const BOUNDS: Bounds = Bounds {
    max_bytes: usize::MAX,
    max_depth: 2,
    lone_surrogates: false,
};

fn document(value: &Value) -> Option<Document> {
    Document::parse(value.to_string(), BOUNDS).ok()
}

/// The subset's own check of one of its formats.
pub(crate) fn format(name: &'static str) -> impl Fn(&str) -> bool + Send + Sync + 'static {
    move |text| {
        let schema = document(&serde_json::json!({ "format": name }));
        let schema = schema.and_then(|schema| Schema::compile(&schema, LIMITS).ok());
        let value = document(&Value::from(text));
        schema
            .zip(value)
            .is_some_and(|(schema, value)| schema.validate(value.root()).is_empty())
    }
}

enum Rule {
    Ours(Pattern),
    Theirs(Box<Validator>),
    /// The draft has no opinion: not a text.
    Nothing,
}

struct PatternRule {
    rule: Rule,
    source: String,
}

impl PatternRule {
    fn holds(&self, value: &Value) -> bool {
        match (&self.rule, value) {
            (Rule::Ours(pattern), Value::String(text)) => pattern.is_match(text),
            (Rule::Theirs(validator), value) => validator.is_valid(value),
            _ => true,
        }
    }
}

impl<'i> Keyword<'i> for PatternRule {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.holds(value) {
            return Ok(());
        }
        Err(ValidationError::custom(issue::pattern(&self.source, value)))
    }

    fn is_valid(&self, value: &'i Value) -> bool {
        self.holds(value)
    }
}

/// The keyword `pattern`.
pub(crate) fn pattern<'a>(
    _parent: &'a Map<String, Value>,
    value: &'a Value,
    _path: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    let source = value.as_str().unwrap_or_default();
    let rule = match Pattern::compile(source) {
        _ if !value.is_string() => Rule::Nothing,
        Ok(pattern) => Rule::Ours(pattern),
        Err(reason) => {
            let schema = serde_json::json!({ "pattern": source });
            let options = jsonschema::options()
                .offline()
                .with_pattern_options(PatternOptions::regex());
            let Ok(validator) = options.build(&schema) else {
                let message = ["is not a usable pattern: ", &reason.message()].concat();
                return Err(ValidationError::custom(message));
            };
            Rule::Theirs(Box::new(validator))
        }
    };
    Ok(Box::new(PatternRule {
        rule,
        source: source.to_owned(),
    }))
}
