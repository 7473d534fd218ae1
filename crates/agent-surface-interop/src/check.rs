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
/// Characters of a value in a message.
const MAX_ECHO: usize = 40;

/// 1 to 256 ASCII characters: a letter or digit, then letters, digits and `. _ : @ / + - =`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Identifier(Arc<str>);

impl Identifier {
    /// Checks a text; `label` is the word for it in the error.
    pub fn parse(text: &str, label: &'static str) -> Result<Self, Error> {
        Identifier::of(text).ok_or_else(|| no_identifier(label, &echo(&quoted(text))))
    }

    fn of(text: &str) -> Option<Self> {
        let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"._:@/+-=".contains(&byte);
        let starts_well = text.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
        if starts_well && text.len() <= MAX_IDENTIFIER && text.bytes().all(is_inner) {
            Some(Identifier(text.into()))
        } else {
            None
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
            Err(no_token(label))
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
        let value = self.0.get(name);
        let text = value.and_then(Value::as_str);
        Identifier::of(text.as_deref().unwrap_or_default()).ok_or_else(|| no_identifier(label, &found(value)))
    }

    pub(crate) fn digest(self, name: &'static str) -> Result<Digest, Error> {
        self.digest_if_any(name).ok_or_else(|| {
            let expected = "expected `sha256:` and 64 hexadecimal digits in lower case, found ";
            Error::Invalid(name).because([expected, &found(self.0.get(name))].concat())
        })
    }

    pub(crate) fn digest_if_any(self, name: &str) -> Option<Digest> {
        Digest::parse(&self.0.get(name)?.as_str()?)
    }

    /// `null` or a token; nothing else, and not nothing.
    pub(crate) fn token(self, name: &str, label: &'static str) -> Result<Option<Token>, Error> {
        let value = self.0.get(name).ok_or_else(|| no_token(label))?;
        if value.raw() == "null" {
            return Ok(None);
        }
        let text = value.as_str().ok_or_else(|| no_token(label))?;
        Token::parse(&text, label).map(Some)
    }

    pub(crate) fn integer(self, name: &'static str, min: u64, max: u64) -> Result<u64, Error> {
        let is_in_range = |number: &u64| (min..=max).contains(number);
        let value = self.0.get(name);
        let number = value.and_then(|value| whole(value.raw()));
        number.filter(is_in_range).ok_or_else(|| {
            let (min, max) = (decimal(min), decimal(max));
            let parts = [
                "expected a whole number from ",
                &min,
                " to ",
                &max,
                ", found ",
                &found(value),
            ];
            Error::OutOfRange(name).because(parts.concat())
        })
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

fn no_identifier(label: &'static str, found: &str) -> Error {
    let expected =
        "expected 1 to 256 characters: a letter or digit, then letters, digits and ._:@/+-=, found ";
    Error::Invalid(label).because([expected, found].concat())
}

/// What was found is a signature, or close to one: no text has it.
fn no_token(label: &'static str) -> Error {
    Error::Invalid(label).because(String::from(
        "expected `null` or a text of 8 to 16,384 characters without white space",
    ))
}

/// What there is, briefly.
pub(crate) fn found(value: Option<Value<'_>>) -> String {
    value.map_or_else(|| String::from("nothing"), |value| echo(value.raw()))
}

/// The beginning of a JSON text.
fn echo(json: &str) -> String {
    let end = json.char_indices().nth(MAX_ECHO).map(|(end, _)| end);
    match end.and_then(|end| json.get(..end)) {
        Some(start) => ["`", start, "…`"].concat(),
        None => ["`", json, "`"].concat(),
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
            let error = Identifier::parse(bad, "x").unwrap_err();
            assert_eq!(
                (error.code(), &*error.message()),
                ("INVALID_MEMBER", "x is invalid"),
                "{bad}"
            );
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
    fn what_was_found_is_said_briefly_and_a_signature_is_not() {
        let long = ["\"", &"é".repeat(100), "\""].concat();
        let text = ["{\"a\":-1,\"b\":{},\"c\":[1],\"d\":", &long, "}"].concat();
        let exact = agent_surface_json::exact::Exact::parse(text, usize::MAX).unwrap();
        let members = Members(exact.value());
        let id = "expected 1 to 256 characters: a letter or digit, then letters, digits and ._:@/+-=, found";
        let cases = [("a", "`-1`"), ("b", "`{}`"), ("c", "`[1]`"), ("e", "nothing")];
        for (name, found) in cases {
            let error = members.identifier_of(name, "x").unwrap_err();
            assert_eq!(error.message(), "x is invalid");
            assert_eq!(error.detail(), [id, " ", found].concat());
        }
        let error = members.identifier("d").unwrap_err();
        assert!(
            error.detail().ends_with(&["`\"", &"é".repeat(39), "…`"].concat()),
            "{error}"
        );
        let error = members.integer("a", 0, 9).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a is invalid: expected a whole number from 0 to 9, found `-1`"
        );
        let error = Token::parse(&"é é".repeat(9), "signature").unwrap_err();
        assert!(!error.to_string().contains('é'), "{error}");
        assert_eq!((error.code(), error.status()), ("INVALID_MEMBER", 400));
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
