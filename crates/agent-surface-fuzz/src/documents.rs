//! JSON texts: what is parsed has one canonical text, equals itself, and is read to the end without a panic.

use agent_surface_json::{Bounds, Document, Value, compare_numbers};

pub(crate) const BOUNDS: Bounds = Bounds {
    max_bytes: 1 << 16,
    max_depth: 32,
    lone_surrogates: true,
};

pub(crate) fn fuzz(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let document = match Document::parse(text.as_str(), BOUNDS) {
        Ok(document) => document,
        Err(error) => {
            assert!(!error.message().is_empty());
            return;
        }
    };
    assert_eq!(document.text(), text);
    walk(document.root(), 0);
    let canonical = document.canonical().into_owned();
    let again = Document::parse(canonical.as_str(), BOUNDS);
    let again = again.unwrap_or_else(|error| unreadable(&canonical, &error.message()));
    assert_eq!(again.canonical(), canonical, "canonical text is its own");
    assert!(again.is_canonical() && document.root().equals(again.root()));
}

fn walk(value: Value<'_>, depth: usize) {
    assert!(depth <= 33, "deeper than it may be");
    let (mut items, mut entries) = (0, 0);
    for item in value.items() {
        items += 1;
        walk(item, depth + 1);
    }
    for (key, member) in value.entries() {
        entries += 1;
        assert!(key.contains('\u{fffd}') || value.get(&key).is_some());
        walk(member, depth + 1);
    }
    assert_eq!(items + entries, value.len());
    if value.as_f64().is_some() {
        assert_eq!(
            compare_numbers(value.raw(), value.raw()),
            core::cmp::Ordering::Equal
        );
    }
    // An unpaired surrogate is no character, and equals none.
    let is_whole = |text: &str| text.contains('\u{fffd}') || value.is_str(text);
    assert!(value.as_str().is_none_or(|text| is_whole(&text)));
}

#[expect(clippy::panic, reason = "a finding is a panic")]
fn unreadable(text: &str, error: &str) -> ! {
    panic!("canonical text does not parse: {error}\n{text}")
}
