//! The keywords of JSON Schema in one table: names, what they are, what their arguments must be, and words.
//!
//! It refuses to know what they mean. Compiling looks names up, validation looks words up.

use super::types::{ANY, ARRAY, BOOLEAN, NUMBER, OBJECT, STRING};
use crate::document::Value;

/// Keywords that are read in the same way share a variant only if nothing tells them apart later. Their order says what
/// they are: assertions on a value alone come first, then what looks into a value or holds schemas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd)]
pub(crate) enum Keyword {
    #[default]
    Annotation,
    /// No keyword: the schema `false`.
    Never,
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
    Items,
    AnyOf,
    Ref,
    Defs,
    Default,
    AdditionalProperties,
    Root,
    /// Outside the subset: holds a schema or an array of them.
    OtherSchemas,
    /// Outside the subset: holds an object of schemas.
    OtherMap,
    /// Outside the subset: refers to a schema.
    OtherRef,
    Outside,
    /// No keyword: the head of a schema's rules.
    Schema,
    /// The head of a schema that some `$ref` names.
    Target,
}

pub(crate) struct Entry {
    /// One or more, with spaces between.
    names: &'static str,
    pub(crate) keyword: Keyword,
    /// Bits of the types that the argument may have.
    pub(crate) types: u32,
    /// Of an assertion: what the value must be; `%` is the argument, behind it all goes what was found. Of a keyword
    /// outside the subset: what to write instead.
    pub(crate) words: &'static str,
}

const fn entry(names: &'static str, keyword: Keyword, types: u32, words: &'static str) -> Entry {
    Entry {
        names,
        keyword,
        types,
        words,
    }
}

static KEYWORDS: [Entry; 42] = [
    entry("type", Keyword::Type, ANY, "must be of type %, not "),
    entry("properties", Keyword::Properties, OBJECT, ""),
    entry(
        "description title examples deprecated readOnly writeOnly $comment",
        Keyword::Annotation,
        ANY,
        "",
    ),
    entry("required", Keyword::Required, ARRAY, ""),
    entry("additionalProperties", Keyword::AdditionalProperties, ANY, ""),
    entry("items", Keyword::Items, ANY, ""),
    entry("enum", Keyword::Enum, ARRAY, "must be one of %, not "),
    entry("const", Keyword::Const, ANY, "must be %, not "),
    entry("minimum", Keyword::Minimum, NUMBER, "must be at least %, not "),
    entry("maximum", Keyword::Maximum, NUMBER, "must be at most %, not "),
    entry(
        "exclusiveMinimum",
        Keyword::ExclusiveMinimum,
        NUMBER,
        "must be greater than %, not ",
    ),
    entry(
        "exclusiveMaximum",
        Keyword::ExclusiveMaximum,
        NUMBER,
        "must be less than %, not ",
    ),
    entry(
        "multipleOf",
        Keyword::MultipleOf,
        NUMBER,
        "must be a multiple of %, not ",
    ),
    entry(
        "minLength",
        Keyword::MinLength,
        NUMBER,
        "must be % or more characters long, not ",
    ),
    entry(
        "maxLength",
        Keyword::MaxLength,
        NUMBER,
        "must be % or fewer characters long, not ",
    ),
    entry(
        "minItems",
        Keyword::MinItems,
        NUMBER,
        "must have % or more items, not ",
    ),
    entry(
        "maxItems",
        Keyword::MaxItems,
        NUMBER,
        "must have % or fewer items, not ",
    ),
    entry(
        "uniqueItems",
        Keyword::UniqueItems,
        BOOLEAN,
        "must have no equal items%, but has them at ",
    ),
    entry(
        "pattern",
        Keyword::Pattern,
        STRING,
        "must match the pattern %, not be ",
    ),
    entry("format", Keyword::Format, ANY, "must have the format %, not be "),
    entry("anyOf", Keyword::AnyOf, ARRAY, ""),
    entry("$defs", Keyword::Defs, OBJECT, ""),
    entry("$ref", Keyword::Ref, ANY, ""),
    entry("default", Keyword::Default, ANY, ""),
    entry("$schema $id", Keyword::Root, STRING, ""),
    entry("oneOf if then else", Keyword::OtherSchemas, ANY, "use `anyOf`"),
    entry(
        "dependentSchemas dependencies",
        Keyword::OtherMap,
        ANY,
        "use `anyOf`",
    ),
    entry("dependentRequired", Keyword::Outside, ANY, "use `anyOf`"),
    entry(
        "allOf",
        Keyword::OtherSchemas,
        ANY,
        "merge its schemas into one, or use `$ref` with siblings",
    ),
    entry(
        "not",
        Keyword::OtherSchemas,
        ANY,
        "say what is allowed instead, for example with `enum`",
    ),
    entry(
        "patternProperties",
        Keyword::OtherMap,
        ANY,
        "list the properties, or use an array",
    ),
    entry(
        "propertyNames",
        Keyword::OtherSchemas,
        ANY,
        "list the properties, or use an array",
    ),
    entry(
        "minProperties maxProperties",
        Keyword::Outside,
        ANY,
        "list the properties, or use an array",
    ),
    entry(
        "prefixItems additionalItems contains unevaluatedItems",
        Keyword::OtherSchemas,
        ANY,
        "use `items` with one schema",
    ),
    entry(
        "minContains maxContains",
        Keyword::Outside,
        ANY,
        "use `items` with one schema",
    ),
    entry("definitions", Keyword::OtherMap, ANY, "use `$defs`"),
    entry(
        "$dynamicRef $recursiveRef",
        Keyword::OtherRef,
        ANY,
        "use `$ref` with `#/$defs/…`",
    ),
    entry(
        "$anchor $dynamicAnchor $recursiveAnchor",
        Keyword::Outside,
        ANY,
        "use `$ref` with `#/$defs/…`",
    ),
    entry("nullable", Keyword::Outside, ANY, "add `null` to `type`"),
    entry(
        "unevaluatedProperties",
        Keyword::OtherSchemas,
        ANY,
        "use `additionalProperties: false`",
    ),
    entry("contentSchema", Keyword::OtherSchemas, ANY, "leave it out"),
    // Stands for every name that is left.
    entry("", Keyword::Outside, ANY, "leave it out"),
];

/// What this key of a schema is.
pub(crate) fn by_name(key: Value<'_>) -> &'static Entry {
    let wanted = key.decoded();
    let has_it = |entry: &&Entry| {
        let mut rest = Some(entry.names);
        while let Some(names) = rest {
            let (name, more) = cut_at(names, b' ');
            if name == wanted {
                return true;
            }
            rest = more;
        }
        false
    };
    let [.., last] = &KEYWORDS;
    KEYWORDS.iter().find(has_it).unwrap_or(last)
}

/// How a breach is worded: before the keyword's argument, and between it and what was found.
pub(crate) fn breach(keyword: Keyword) -> (&'static str, &'static str) {
    let entry = KEYWORDS.iter().find(|entry| entry.keyword == keyword);
    let (head, tail) = cut_at(entry.map_or("", |entry| entry.words), b'%');
    (head, tail.unwrap_or_default())
}

/// The text up to the first `separator`, and the text behind it if there is one.
#[inline(never)]
fn cut_at(text: &str, separator: u8) -> (&str, Option<&str>) {
    match text.bytes().position(|byte| byte == separator) {
        Some(at) => (text.get(..at).unwrap_or_default(), text.get(at + 1..)),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_that_is_a_rule_has_words_for_its_breach() {
        for entry in KEYWORDS
            .iter()
            .filter(|entry| entry.keyword < Keyword::OtherSchemas)
        {
            let is_rule = (Keyword::Type as u8..=Keyword::Format as u8).contains(&(entry.keyword as u8));
            assert_eq!(is_rule, entry.words.contains('%'), "{}", entry.names);
        }
    }
}
