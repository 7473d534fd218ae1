//! The parser by examples and against the reference crate.
//!
//! It holds no code of the crate. The test runner calls it.

use super::{Bounds, ParseError};
use crate::{Document, Kind};
use proptest::prelude::*;

const BOUNDS: Bounds = Bounds {
    max_bytes: 200_000,
    max_depth: 64,
    lone_surrogates: false,
};

fn error(text: &str) -> ParseError {
    Document::parse(text, BOUNDS).unwrap_err()
}

#[test]
fn size_comes_first_then_depth_then_content() {
    let bounds = Bounds {
        max_bytes: 4,
        max_depth: 1,
        lone_surrogates: false,
    };
    assert_eq!(
        Document::parse("[[[[[", bounds).unwrap_err(),
        ParseError::TooLarge {
            bytes: 5,
            max_bytes: 4
        }
    );
    assert_eq!(
        Document::parse("[[?]", bounds).unwrap_err(),
        ParseError::TooDeep { at: 1 }
    );
    assert!(Document::parse("[ 1]", bounds).is_ok());
    assert_eq!(error(&"[".repeat(100_000)), ParseError::TooDeep { at: 64 });
    assert!(Document::parse(["[".repeat(64), "]".repeat(64)].concat(), BOUNDS).is_ok());
    let unbounded = Bounds {
        max_bytes: 200_000,
        max_depth: usize::MAX,
        lone_surrogates: false,
    };
    let deep = ["[".repeat(100_000), "]".repeat(100_000)].concat();
    let document = Document::parse(deep.clone(), unbounded).unwrap();
    assert_eq!(document.root().canonical(), deep);
    assert!(
        document
            .root()
            .equals(Document::parse(deep, unbounded).unwrap().root())
    );
}

#[test]
fn every_leniency_is_refused_at_its_place() {
    for (text, at) in [
        ("", 0),
        (" ", 1),
        ("[1,]", 3),
        ("{\"a\":1,}", 7),
        ("{a:1}", 1),
        ("{\"a\" 1}", 5),
        ("[1 2]", 3),
        ("01", 1),
        ("+1", 0),
        (".5", 0),
        ("1.", 2),
        ("1e", 2),
        ("1e+", 3),
        ("-", 1),
        ("- 1", 1),
        ("0x1", 1),
        ("nul", 0),
        ("True", 0),
        ("'a'", 0),
        ("\"a", 2),
        ("\"\u{1}\"", 1),
        ("\"\\x\"", 2),
        ("\"\\u12g4\"", 5),
        ("[", 1),
        ("[1}", 2),
        ("{\"a\":1]", 6),
        ("1 1", 2),
        ("\u{feff}1", 0),
        ("NaN", 0),
        ("[1]]", 3),
        ("//", 0),
        ("\u{a0}1", 0),
        ("\"abcdefgh\ni\"", 9),
    ] {
        assert!(
            matches!(error(text), ParseError::Syntax { at: found, .. } if found == at),
            "{text:?} {:?}",
            error(text)
        );
    }
    assert_eq!(
        error("[1 2]").message(),
        "not valid JSON: expected `,` or `]` at byte 3"
    );
}

#[test]
fn lone_surrogates_are_refused_unless_allowed() {
    for (text, at) in [
        ("\"\\ud800\"", 1),
        ("\"a\\udc00\"", 2),
        ("\"\\ud800\\ud800\\udc00\"", 1),
        ("\"\\ud800a\"", 1),
    ] {
        assert_eq!(error(text), ParseError::LoneSurrogate { at });
        let bounds = Bounds {
            lone_surrogates: true,
            ..BOUNDS
        };
        assert!(Document::parse(text, bounds).is_ok());
    }
    assert_eq!(
        Document::parse("\"\\uD83D\\uDE00\"", BOUNDS)
            .unwrap()
            .root()
            .as_str()
            .unwrap(),
        "😀"
    );
}

#[test]
fn values_are_read_where_they_are() {
    let text = r#" {"a":[1,-2.5e1,"x\n"],"b":{},"a":[true,null], "\u0063":4294967295} "#;
    let document = Document::parse(text, BOUNDS).unwrap();
    let root = document.root();
    assert_eq!((root.kind(), root.len()), (Kind::Object, 4));
    assert_eq!(root.get("a").unwrap().raw(), "[true,null]");
    assert_eq!(root.get("c").unwrap().as_u32(), Some(u32::MAX));
    assert!(root.get("d").is_none());
    let keys: Vec<String> = root.entries().map(|(key, _)| key.into_owned()).collect();
    assert_eq!(keys, ["a", "b", "a", "c"]);
    let first = root.entries().next().unwrap().1;
    let items: Vec<_> = first.items().collect();
    assert_eq!(items[1].as_f64(), Some(-25.0));
    assert_eq!(items[2].as_str().unwrap(), "x\n");
    assert_eq!(
        (items[0].as_bool(), items[0].len(), items[0].get("a").is_none()),
        (None, 0, true)
    );
    assert!(root.get("b").unwrap().is_empty());
}

proptest! {
    #[test]
    fn it_accepts_what_the_reference_crate_accepts(
        text in "[\\[\\]{}\",:\\\\ntruefals0-3.eE+ \u{e9}/-]{0,12}"
    ) {
        let expected = serde_json::from_str::<serde_json::Value>(&text);
        let ours = Document::parse(text.clone(), BOUNDS);
        let is_range = expected.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
        prop_assert!(is_range || ours.is_ok() == expected.is_ok(), "{} {:?}", text, ours.err());
    }
}
