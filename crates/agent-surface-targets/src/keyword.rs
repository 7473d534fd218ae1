//! The keywords of JSON Schema, and what becomes of each in each dialect.
//!
//! It refuses to do it: `schema` does. Sources: the converters inside the published SDKs and Google's list of what
//! `responseJsonSchema` supports. What is on no list is taken as unsafe.

use crate::target::Dialect;

/// What becomes of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// It stays.
    Keep,
    /// It goes into the description; the schema accepts more than before.
    Describe,
    /// An annotation that is left out.
    Omit,
    /// An annotation that goes into the description.
    Note,
    /// There is no strict form of it.
    Refuse,
    /// `minimum` and `maximum` stand in for it.
    Inclusive,
    /// It becomes a string of digits.
    Quoted,
    /// 0 and 1 stay.
    FewItems,
    /// The first of the list stays, as `example`.
    First,
}

/// A row: names, a letter for each dialect in the order of its declaration, and the type that it says something about
/// (`*` for every one).
struct Row(&'static str, &'static str, u8);

static ROWS: [Row; 17] = [
    Row("title", "kkkkkkkk", b'*'),
    Row("default", "knknknnk", b'*'),
    Row("examples", "knkkfnnk", b'*'),
    Row(
        "deprecated readOnly writeOnly $comment $schema $id $anchor $dynamicAnchor",
        "oooooook",
        b'*',
    ),
    Row("minLength maxLength", "kdkkqddk", b's'),
    Row("pattern", "kdkkkddk", b's'),
    Row("minimum maximum", "kdkkkkkk", b'n'),
    Row("exclusiveMinimum exclusiveMaximum", "kdkkiiik", b'n'),
    Row("multipleOf", "kdkkdddk", b'n'),
    Row("minItems", "kmkkqkkk", b'a'),
    Row("maxItems", "kdkkqkkk", b'a'),
    Row(
        "uniqueItems contains minContains maxContains unevaluatedItems",
        "kdkddddk",
        b'a',
    ),
    Row("minProperties maxProperties", "kdkdqddk", b'o'),
    Row("patternProperties", "krkrdddk", b'o'),
    Row(
        "propertyNames dependentSchemas dependentRequired dependencies unevaluatedProperties",
        "kdkddddk",
        b'o',
    ),
    Row("if then else not", "kdkddddk", b'*'),
    Row("contentEncoding contentMediaType contentSchema", "knknnnnk", b's'),
];

/// What becomes of a keyword, and the type it is about. What no row names is an annotation of somebody's own.
pub fn treatment(dialect: Dialect, keyword: &str) -> (Treatment, u8) {
    let found = ROWS
        .iter()
        .find(|Row(names, ..)| names.split(' ').any(|name| name == keyword));
    let Some(Row(_, letters, about)) = found else {
        return (Treatment::Omit, b'*');
    };
    let treatment = match letters.as_bytes().get(dialect as usize) {
        Some(b'k') => Treatment::Keep,
        Some(b'd') => Treatment::Describe,
        Some(b'n') => Treatment::Note,
        Some(b'r') => Treatment::Refuse,
        Some(b'i') => Treatment::Inclusive,
        Some(b'q') => Treatment::Quoted,
        Some(b'm') => Treatment::FewItems,
        Some(b'f') => Treatment::First,
        _ => Treatment::Omit,
    };
    (treatment, *about)
}

/// Formats of strings that stay, by dialect; the rest goes into the description.
pub fn keeps_format(dialect: Dialect, format: &str) -> bool {
    let known = match dialect {
        // `transformJSONSchema` of the SDK.
        Dialect::AnthropicStrict => "date-time time date duration email hostname uri ipv4 ipv6 uuid",
        // Structured Outputs, "Supported properties".
        Dialect::OpenaiStrict => "date-time time date duration email hostname ipv4 ipv6 uuid",
        Dialect::Gemini => "date-time",
        _ => return true,
    };
    known.split(' ').any(|name| name == format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_letter_for_each_dialect() {
        for Row(names, letters, about) in &ROWS {
            assert_eq!(letters.len(), Dialect::Full as usize + 1, "{names}");
            assert!(b"*snao".contains(about), "{names}");
        }
    }

    #[test]
    fn an_unknown_keyword_is_somebodys_own_annotation() {
        assert_eq!(treatment(Dialect::Anthropic, "x-mine").0, Treatment::Omit);
        assert_eq!(
            treatment(Dialect::Gemini, "exclusiveMinimum").0,
            Treatment::Inclusive
        );
        assert_eq!(
            treatment(Dialect::Anthropic, "exclusiveMinimum").0,
            Treatment::Keep
        );
    }
}
