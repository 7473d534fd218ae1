//! What is wrong with a value, in the words and places of the subset.
//!
//! It refuses to echo more of a value than a model needs: 40 characters of a value, 128 of a key. The engine calls it.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::paths::LocationSegment;
use jsonschema::{JsonType, ValidationError};
use serde::Serialize;
use serde_json::Value;

/// Issues reported at most.
const MAX_ISSUES: usize = 32;
/// Keys come from an agent: a place is not a way to echo a value back.
const MAX_KEY: usize = 128;
/// Characters of a value in a message.
const MAX_ECHO: usize = 40;
/// Allowed values in a message.
const MAX_CHOICES: usize = 12;

/// One thing that is wrong with a value. All texts are safe to show to a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// Dotted place: `ids`, `ids[0]`, `a.b`; the root is empty.
    pub path: String,
    /// The same place as a JSON Pointer (RFC 6901).
    pub pointer: String,
    /// What was expected and, briefly, what was found.
    pub message: String,
}

impl Issue {
    /// At a place that both forms name alike: the root, or one property of it.
    pub(crate) fn new(path: &str, message: String) -> Issue {
        Issue {
            path: path.to_owned(),
            pointer: path.to_owned(),
            message,
        }
    }
}

/// The first of them, each once: a schema that applies twice says what it says twice.
pub(crate) fn collect<'e>(errors: impl Iterator<Item = ValidationError<'e>>) -> Vec<Issue> {
    let mut issues: Vec<Issue> = Vec::new();
    for error in errors {
        for issue in issues_of(&error) {
            if !issues.contains(&issue) {
                issues.push(issue);
            }
        }
        if issues.len() >= MAX_ISSUES {
            break;
        }
    }
    issues.truncate(MAX_ISSUES);
    issues
}

/// Usually one; properties that must be or must not be there are reported where they are missed or found.
fn issues_of(error: &ValidationError<'_>) -> Vec<Issue> {
    let here = Issue::new("", String::new());
    let here = error.instance_path().segments().fold(here, |mut issue, segment| {
        match segment {
            LocationSegment::Property(key) => issue.go_to(&key),
            LocationSegment::Index(index) => {
                let index = index.to_string();
                issue.path.extend(["[", &index, "]"]);
                issue.pointer.extend(["/", &index]);
            }
        }
        issue
    });
    let below = |keys: &[String], message: &str| {
        let at = |key: &String| {
            let mut issue = here.clone();
            issue.go_to(key);
            issue.message.push_str(message);
            issue
        };
        keys.iter().take(MAX_ISSUES).map(at).collect()
    };
    match error.kind() {
        Kind::Required { property } => {
            below(&[property.as_str().unwrap_or_default().to_owned()], "is required")
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            below(unexpected, "is not an allowed property")
        }
        kind => {
            let message = message(kind, error.instance());
            vec![Issue { message, ..here }]
        }
    }
}

impl Issue {
    fn go_to(&mut self, key: &str) {
        let (key, tail) = cut(key, MAX_KEY);
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.extend([key, tail]);
        self.pointer.push('/');
        for point in key.chars() {
            match point {
                '~' => self.pointer.push_str("~0"),
                '/' => self.pointer.push_str("~1"),
                other => self.pointer.push(other),
            }
        }
        self.pointer.push_str(tail);
    }
}

fn message(kind: &Kind, value: &Value) -> String {
    let short = |argument: &dyn std::fmt::Display| start(&argument.to_string());
    let found = start(&value.to_string());
    let forms = |before: &str, count: usize, after: &str| {
        [before, &count.to_string(), " allowed forms", after].concat()
    };
    let pair =
        |before: &str, limit: String, after: &str, found: &str| [before, &limit, after, found].concat();
    match kind {
        Kind::FalseSchema => "must be absent".to_owned(),
        Kind::Type { kind } => pair("must be of type ", types(kind), ", not ", type_of(value)),
        Kind::Constant { expected_value } => pair("must be ", short(expected_value), ", not ", &found),
        Kind::Enum { options } => pair("must be one of ", choices(options), ", not ", &found),
        Kind::Minimum { limit } => pair("must be at least ", short(limit), ", not ", &found),
        Kind::Maximum { limit } => pair("must be at most ", short(limit), ", not ", &found),
        Kind::ExclusiveMinimum { limit } => pair("must be greater than ", short(limit), ", not ", &found),
        Kind::ExclusiveMaximum { limit } => pair("must be less than ", short(limit), ", not ", &found),
        Kind::MultipleOf { multiple_of } => {
            pair("must be a multiple of ", short(multiple_of), ", not ", &found)
        }
        Kind::MinLength { limit } => pair(
            "must be ",
            short(limit),
            " or more characters long, not ",
            &size(value),
        ),
        Kind::MaxLength { limit } => pair(
            "must be ",
            short(limit),
            " or fewer characters long, not ",
            &size(value),
        ),
        Kind::MinItems { limit } => pair("must have ", short(limit), " or more items, not ", &size(value)),
        Kind::MaxItems { limit } => pair("must have ", short(limit), " or fewer items, not ", &size(value)),
        Kind::AdditionalItems { limit } => {
            pair("must have ", short(limit), " or fewer items, not ", &size(value))
        }
        Kind::MinProperties { limit } => pair(
            "must have ",
            short(limit),
            " or more properties, not ",
            &size(value),
        ),
        Kind::MaxProperties { limit } => pair(
            "must have ",
            short(limit),
            " or fewer properties, not ",
            &size(value),
        ),
        Kind::UniqueItems => "must have no equal items".to_owned(),
        Kind::UnevaluatedItems { .. } => "has items that no schema allows".to_owned(),
        Kind::Contains => "must contain other items, or another number of them".to_owned(),
        Kind::Pattern { pattern: source } => pattern(source, value),
        Kind::Format { format } => pair("must have the format ", short(format), ", not be ", &found),
        Kind::AnyOf { context } => forms("must match one of the ", context.len(), ""),
        Kind::OneOfNotValid { context } => {
            forms("must match exactly one of the ", context.len(), ", not none")
        }
        Kind::OneOfMultipleValid { context } => {
            forms("must match exactly one of the ", context.len(), ", not several")
        }
        Kind::Not { .. } => ["must not be of the excluded form, as ", &found, " is"].concat(),
        Kind::PropertyNames { error } => [
            "has a property name that ",
            &message(error.kind(), error.instance()),
        ]
        .concat(),
        Kind::ContentEncoding {
            content_encoding: name,
        }
        | Kind::ContentMediaType {
            content_media_type: name,
        } => ["must be encoded as ", name].concat(),
        Kind::Custom { message, .. } => message.clone(),
        other => ["does not satisfy `", other.keyword(), "`"].concat(),
    }
}

/// The words for a breach of `pattern`.
pub(crate) fn pattern(source: &str, value: &Value) -> String {
    let quoted = start(&Value::from(source).to_string());
    [
        "must match the pattern ",
        &quoted,
        ", not be ",
        &start(&value.to_string()),
    ]
    .concat()
}

fn types(kind: &TypeKind) -> String {
    let names: Vec<&str> = match kind {
        TypeKind::Single(one) => vec![name(*one)],
        TypeKind::Multiple(set) => set.iter().map(name).collect(),
    };
    names.join(" or ")
}

fn name(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "array",
        JsonType::Boolean => "boolean",
        JsonType::Integer => "integer",
        JsonType::Null => "null",
        JsonType::Number => "number",
        JsonType::Object => "object",
        JsonType::String => "string",
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Items, properties, or Unicode code points.
fn size(value: &Value) -> String {
    let size = match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(entries) => entries.len(),
        _ => 0,
    };
    size.to_string()
}

fn choices(options: &Value) -> String {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut names: Vec<String> = options
        .iter()
        .take(MAX_CHOICES)
        .map(|option| start(&option.to_string()))
        .collect();
    if options.len() > MAX_CHOICES {
        names.push("…".to_owned());
    }
    names.join(", ")
}

fn start(text: &str) -> String {
    let (head, tail) = cut(text, MAX_ECHO);
    [head, tail].concat()
}

/// At most `max` characters, and what to put behind them.
fn cut(text: &str, max: usize) -> (&str, &'static str) {
    match text.char_indices().nth(max) {
        Some((end, _)) => (text.get(..end).unwrap_or_default(), "…"),
        None => (text, ""),
    }
}
