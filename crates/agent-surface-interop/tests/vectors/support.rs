//! Reading vectors, and what several of their files share: keys, scripted schemas, comparing errors.
//!
//! It refuses to guess: a member that is not there fails the test. The other files here call it.

use agent_surface_interop::ed25519::{Keyring, PrivateKey, PublicKey};
use agent_surface_interop::{Error, Exact};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A file of the vectors.
pub fn vectors(name: &str) -> Value {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/interop");
    let folder = std::env::var_os("INTEROP_VECTORS").map_or(default, PathBuf::from);
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}

/// The items of a list that must not be empty.
pub fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    let items = value[name]
        .as_array()
        .unwrap_or_else(|| panic!("no list `{name}`"));
    assert!(!items.is_empty(), "`{name}` is empty");
    items
}

pub fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name]
        .as_str()
        .unwrap_or_else(|| panic!("no text `{name}` in {value}"))
}

pub fn exact(value: &Value) -> Exact {
    Exact::parse(value.to_string(), usize::MAX).unwrap()
}

/// That an error is the one the vectors name.
pub fn assert_error(found: &Error, expected: &Value, about: &str) {
    assert_eq!(
        found.class().name(),
        text(expected, "errorName"),
        "{about}: {found:?}"
    );
    if let Some(message) = expected["message"].as_str() {
        assert_eq!(found.message(), message, "{about}: {found:?}");
    }
}

/// Keys by their owner's id.
pub struct Keys {
    private: BTreeMap<String, PrivateKey>,
    public: Keyring,
}

fn bytes(hex: &str) -> [u8; 32] {
    let digits: Vec<u32> = hex.chars().map(|digit| digit.to_digit(16).unwrap()).collect();
    std::array::from_fn(|at| u8::try_from(digits[2 * at] * 16 + digits[2 * at + 1]).unwrap())
}

impl Keys {
    pub fn read(keys: &Value) -> Self {
        let mut private = BTreeMap::new();
        let mut public = Keyring::default();
        for (owner, key) in keys.as_object().into_iter().flatten() {
            let own = PrivateKey::from_seed(&bytes(text(key, "seedHex")));
            let expected = PublicKey::from_bytes(&bytes(text(key, "publicRawHex"))).unwrap();
            assert_eq!(own.public_key(), expected, "{owner}");
            public.add(owner, expected).unwrap();
            private.insert(owner.clone(), own);
        }
        Keys { private, public }
    }

    pub fn has(&self, owner: &str) -> bool {
        self.private.contains_key(owner)
    }

    pub fn private(&self, owner: &str) -> &PrivateKey {
        &self.private[owner]
    }

    pub fn public(&self) -> &Keyring {
        &self.public
    }
}

/// A scripted schema: whether it exists, and whether it accepts a payload.
pub fn accepts(schema: &Value, payload: &Exact) -> bool {
    let member = |payload: &Exact| payload.member(schema["key"].as_str().unwrap());
    match text(schema, "mode") {
        "any" => true,
        "none" | "unavailable" => false,
        "object" => payload.text().starts_with('{'),
        "requiresTrue" => member(payload).is_some_and(|found| found.text() == "true"),
        "requiresKey" => member(payload).is_some(),
        other => panic!("no schema mode `{other}`"),
    }
}
