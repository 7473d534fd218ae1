//! The protocol's primitive forms, as types that hold only what passed: identifiers, tokens, logical times.
//!
//! It refuses to correct anything. Whoever reads an envelope, a manifest or a record calls it.

use crate::digest::Digest;
use crate::error::Error;
use agent_surface_json::Value;
use alloc::string::String;
use alloc::sync::Arc;

/// The largest safe integer of ECMAScript, and so the latest logical time.
pub const MAX_SAFE: u64 = 9_007_199_254_740_991;
const MAX_IDENTIFIER: usize = 256;
const MIN_TOKEN: usize = 8;
const MAX_TOKEN: usize = 16_384;

/// 1 to 256 ASCII characters: a letter or digit, then letters, digits and `. _ : @ / + - =`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Identifier(Arc<str>);

impl Identifier {
    /// Checks a text; `label` is the word for it in the error.
    pub fn parse(text: &str, label: &'static str) -> Result<Self, Error> {
        let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"._:@/+-=".contains(&byte);
        let starts_well = text.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
        if starts_well && text.len() <= MAX_IDENTIFIER && text.bytes().all(is_inner) {
            Ok(Identifier(text.into()))
        } else {
            Err(Error::Invalid(label))
        }
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A signature as text: 8 to 16,384 UTF-16 code units without white space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token(Arc<str>);

impl Token {
    /// Checks a text; `label` is the word for it in the error.
    pub fn parse(text: &str, label: &'static str) -> Result<Self, Error> {
        // ECMAScript's `\s`: Unicode's white space, less U+0085, and the byte order mark.
        let is_space =
            |character: char| (character.is_whitespace() && character != '\u{85}') || character == '\u{feff}';
        let units: usize = text.chars().map(char::len_utf16).sum();
        if (MIN_TOKEN..=MAX_TOKEN).contains(&units) && !text.chars().any(is_space) {
            Ok(Token(text.into()))
        } else {
            Err(Error::Invalid(label))
        }
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Logical milliseconds, 0 to `MAX_SAFE`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LogicalTime(u64);

impl LogicalTime {
    /// The end of time: the deadline of requests that have none.
    pub const MAX: LogicalTime = LogicalTime(MAX_SAFE);

    /// Checks a number.
    pub fn new(milliseconds: u64) -> Result<Self, Error> {
        if milliseconds <= MAX_SAFE {
            Ok(LogicalTime(milliseconds))
        } else {
            Err(Error::OutOfRange("logicalTimeMs"))
        }
    }

    /// The number.
    pub fn as_u64(self) -> u64 {
        self.0
    }

    /// This many milliseconds later, at most the end of time.
    pub(crate) fn after(self, milliseconds: u64) -> Self {
        LogicalTime(self.0.saturating_add(milliseconds).min(MAX_SAFE))
    }
}

/// Members of a canonical object, by name and form; a missing one has no form.
#[derive(Clone, Copy)]
pub(crate) struct Members<'a>(pub(crate) Value<'a>);

impl Members<'_> {
    pub(crate) fn identifier(self, name: &'static str) -> Result<Identifier, Error> {
        self.identifier_of(name, name)
    }

    pub(crate) fn identifier_of(self, name: &str, label: &'static str) -> Result<Identifier, Error> {
        let text = self.0.get(name).and_then(Value::as_str);
        Identifier::parse(text.as_deref().unwrap_or_default(), label)
    }

    pub(crate) fn digest(self, name: &'static str) -> Result<Digest, Error> {
        self.digest_if_any(name).ok_or(Error::Invalid(name))
    }

    pub(crate) fn digest_if_any(self, name: &str) -> Option<Digest> {
        Digest::parse(&self.0.get(name)?.as_str()?)
    }

    /// `null` or a token; nothing else, and not nothing.
    pub(crate) fn token(self, name: &str, label: &'static str) -> Result<Option<Token>, Error> {
        let value = self.0.get(name).ok_or(Error::Invalid(label))?;
        if value.raw() == "null" {
            return Ok(None);
        }
        let text = value.as_str().ok_or(Error::Invalid(label))?;
        Token::parse(&text, label).map(Some)
    }

    pub(crate) fn integer(self, name: &'static str, min: u64, max: u64) -> Result<u64, Error> {
        let is_in_range = |number: &u64| (min..=max).contains(number);
        let number = self.0.get(name).and_then(|value| whole(value.raw()));
        number.filter(is_in_range).ok_or(Error::OutOfRange(name))
    }

    pub(crate) fn time(self, name: &'static str, earliest: LogicalTime) -> Result<LogicalTime, Error> {
        self.integer(name, earliest.0, MAX_SAFE).map(LogicalTime)
    }

    pub(crate) fn is_str(self, name: &str, expected: &str) -> bool {
        self.0.get(name).is_some_and(|value| value.is_str(expected))
    }

    pub(crate) fn is_raw(self, name: &str, expected: &str) -> bool {
        self.0.get(name).is_some_and(|value| value.raw() == expected)
    }
}

/// A safe integer that is not negative, from its canonical text.
pub(crate) fn whole(canonical: &str) -> Option<u64> {
    let is_number = !canonical.is_empty() && canonical.len() <= 16;
    canonical
        .bytes()
        .try_fold(0, |number: u64, digit| {
            (is_number && digit.is_ascii_digit()).then(|| number * 10 + u64::from(digit - b'0'))
        })
        .filter(|number| is_number && *number <= MAX_SAFE)
}

/// A number as canonical text.
pub(crate) fn decimal(number: u64) -> String {
    let mut out = String::new();
    agent_surface_json::write_u64(&mut out, number);
    out
}

/// A text as a JSON string literal.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    agent_surface_json::write_string(&mut out, text);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_have_their_alphabet_and_length() {
        for good in ["a", "0", "a._:@/+-=", &"x".repeat(256)] {
            assert_eq!(Identifier::parse(good, "x").unwrap().as_str(), good);
        }
        for bad in ["", "-a", " a", "a ", "a,b", "a;b", "a<b", "é", &"x".repeat(257)] {
            assert_eq!(Identifier::parse(bad, "x"), Err(Error::Invalid("x")), "{bad}");
        }
    }

    #[test]
    fn tokens_are_counted_in_utf_16_and_have_no_white_space() {
        for good in ["12345678", "😀😀😀😀", "1234\u{85}567", &"x".repeat(16_384)] {
            assert!(Token::parse(good, "x").is_ok(), "{good}");
        }
        for bad in [
            "1234567",
            "😀😀😀1",
            "1234 5678",
            "1234\u{a0}5678",
            "1234\u{feff}5678",
            "1234\u{2028}5678",
            &"x".repeat(16_385),
        ] {
            assert!(Token::parse(bad, "x").is_err(), "{bad}");
        }
    }

    #[test]
    fn whole_numbers_are_safe_integers() {
        assert_eq!(whole("0"), Some(0));
        assert_eq!(whole("9007199254740991"), Some(MAX_SAFE));
        for text in ["", "9007199254740992", "-1", "1.5", "1e+21", "null", "\"1\""] {
            assert_eq!(whole(text), None, "{text}");
        }
    }
}
