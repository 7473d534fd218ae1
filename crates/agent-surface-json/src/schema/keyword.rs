//! The keywords of the subset, in one table: names, what they are, how a breach of one is worded.
//!
//! It refuses to know what they mean. Compiling looks names up, validation looks words up.

use super::host::{cut_at, parts};
use crate::document::Value;

/// Keywords that are read in the same way share a variant only if nothing tells them apart later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyword {
    Type,
    Const,
    Enum,
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
    MultipleOf,
    MinLength,
    MaxLength,
    MinItems,
    MaxItems,
    UniqueItems,
    Pattern,
    Format,
    Properties,
    Required,
    AdditionalProperties,
    Items,
    AnyOf,
    Defs,
    Ref,
    Default,
    Root,
    Annotation,
}

struct Entry {
    name: &'static str,
    keyword: Keyword,
    /// What the value must be: `%` is the keyword's argument, behind it all goes what was found.
    breach: &'static str,
}

const fn entry(name: &'static str, keyword: Keyword, breach: &'static str) -> Entry {
    Entry {
        name,
        keyword,
        breach,
    }
}

static KEYWORDS: [Entry; 32] = [
    entry("type", Keyword::Type, ""),
    entry("properties", Keyword::Properties, ""),
    entry("description", Keyword::Annotation, ""),
    entry("required", Keyword::Required, ""),
    entry("additionalProperties", Keyword::AdditionalProperties, ""),
    entry("items", Keyword::Items, ""),
    entry("enum", Keyword::Enum, "must be one of %, not "),
    entry("const", Keyword::Const, "must be %, not "),
    entry("minimum", Keyword::Minimum, "must be at least %, not "),
    entry("maximum", Keyword::Maximum, "must be at most %, not "),
    entry(
        "exclusiveMinimum",
        Keyword::ExclusiveMinimum,
        "must be greater than %, not ",
    ),
    entry(
        "exclusiveMaximum",
        Keyword::ExclusiveMaximum,
        "must be less than %, not ",
    ),
    entry("multipleOf", Keyword::MultipleOf, "must be a multiple of %, not "),
    entry(
        "minLength",
        Keyword::MinLength,
        "must be % or more characters long, not ",
    ),
    entry(
        "maxLength",
        Keyword::MaxLength,
        "must be % or fewer characters long, not ",
    ),
    entry("minItems", Keyword::MinItems, "must have % or more items, not "),
    entry("maxItems", Keyword::MaxItems, "must have % or fewer items, not "),
    entry(
        "uniqueItems",
        Keyword::UniqueItems,
        "must have no equal items%, but has them at ",
    ),
    entry("pattern", Keyword::Pattern, "must match the pattern %, not be "),
    entry("format", Keyword::Format, "must have the format %, not be "),
    entry("anyOf", Keyword::AnyOf, ""),
    entry("$defs", Keyword::Defs, ""),
    entry("$ref", Keyword::Ref, ""),
    entry("default", Keyword::Default, ""),
    entry("title", Keyword::Annotation, ""),
    entry("examples", Keyword::Annotation, ""),
    entry("deprecated", Keyword::Annotation, ""),
    entry("readOnly", Keyword::Annotation, ""),
    entry("writeOnly", Keyword::Annotation, ""),
    entry("$comment", Keyword::Annotation, ""),
    entry("$schema", Keyword::Root, ""),
    entry("$id", Keyword::Root, ""),
];

/// The keyword that this key of a schema is.
pub(crate) fn by_name(key: Value<'_>) -> Option<Keyword> {
    KEYWORDS
        .iter()
        .find(|entry| key.is_str(entry.name))
        .map(|entry| entry.keyword)
}

/// How a breach is worded: before the keyword's argument, and between it and what was found.
pub(crate) fn breach(keyword: Keyword) -> (&'static str, &'static str) {
    let entry = KEYWORDS.iter().find(|entry| entry.keyword == keyword);
    let (head, tail) = cut_at(entry.map_or("", |entry| entry.breach), b'%');
    (head, tail.unwrap_or_default())
}

/// Keywords of JSON Schema that the subset does not have, and what to write instead.
static ELSEWHERE: [(&str, &str); 9] = [
    (
        "oneOf if then else dependentRequired dependentSchemas dependencies",
        "use `anyOf`",
    ),
    ("allOf", "merge its schemas into one, or use `$ref` with siblings"),
    ("not", "say what is allowed instead, for example with `enum`"),
    (
        "patternProperties propertyNames minProperties maxProperties",
        "list the properties, or use an array",
    ),
    (
        "prefixItems additionalItems contains minContains maxContains unevaluatedItems",
        "use `items` with one schema",
    ),
    ("definitions", "use `$defs`"),
    (
        "$anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor",
        "use `$ref` with `#/$defs/…`",
    ),
    ("nullable", "add `null` to `type`"),
    ("unevaluatedProperties", "use `additionalProperties: false`"),
];

pub(crate) fn advice(key: Value<'_>) -> &'static str {
    let knows = |names: &str| parts(names, b' ', &|name| !key.is_str(name)).is_none();
    ELSEWHERE
        .iter()
        .find(|(names, _)| knows(names))
        .map_or("leave it out", |(_, advice)| advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_that_is_a_rule_has_words_for_its_breach() {
        for entry in &KEYWORDS {
            let is_rule = (Keyword::Const as u8..=Keyword::Format as u8).contains(&(entry.keyword as u8));
            assert_eq!(is_rule, !entry.breach.is_empty(), "{}", entry.name);
        }
    }
}
