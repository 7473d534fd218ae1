//! The types that a schema names, as bits.
//!
//! It refuses to know values. Called by everything in `schema` that asks what a node is about.

use crate::json::{Json, Members};
use alloc::borrow::ToOwned as _;
use alloc::vec::Vec;

/// The bits of some types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Types(u8);

pub(crate) const BOOLEAN: Types = Types(1);
pub(crate) const NUMBER: Types = Types(2);
pub(crate) const INTEGER: Types = Types(4);
pub(crate) const STRING: Types = Types(8);
pub(crate) const ARRAY: Types = Types(16);
pub(crate) const OBJECT: Types = Types(32);
pub(crate) const NULL: Types = Types(64);

/// Names in the order of the bits.
static NAMES: [&str; 7] = [
    "boolean", "number", "integer", "string", "array", "object", "null",
];

impl Types {
    pub(crate) fn has(self, other: Types) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn with(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    pub(crate) fn without(self, other: Types) -> Types {
        Types(self.0 & !other.0)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The types, one by one, with their names.
    pub(crate) fn each(self) -> impl Iterator<Item = (Types, &'static str)> {
        let bits = (0..7).map(|place| Types(1 << place));
        bits.zip(NAMES).filter(move |(bit, _)| self.has(*bit))
    }

    /// What both allow; an integer is a number.
    pub(crate) fn common(self, other: Types) -> Types {
        let wide = |types: Types| {
            if types.has(NUMBER) {
                types.with(INTEGER)
            } else {
                types
            }
        };
        let both = Types(wide(self).0 & wide(other).0);
        if both.has(NUMBER) {
            both.without(INTEGER)
        } else {
            both
        }
    }

    /// As `type` says it: a name, or a list of names.
    pub(crate) fn json(self) -> Json {
        let mut names: Vec<Json> = self.each().map(|(_, name)| Json::Text(name.to_owned())).collect();
        if names.len() == 1 {
            names.remove(0)
        } else {
            Json::List(names)
        }
    }
}

/// The types that `type` names.
pub(crate) fn named(names: Option<&Json>) -> Types {
    let bit = |name: &Json| {
        let place = NAMES.iter().position(|known| name.is(known));
        place.map_or(Types(0), |place| Types(1 << place))
    };
    match names {
        Some(Json::List(items)) => items.iter().fold(Types(0), |types, name| types.with(bit(name))),
        Some(name) => bit(name),
        None => Types(0),
    }
}

/// The type of a value; a whole number is an integer.
pub(crate) fn of(value: &Json) -> Types {
    match value {
        Json::Null => NULL,
        Json::Bool(_) => BOOLEAN,
        Json::Number(token) if token.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()) => INTEGER,
        Json::Number(_) => NUMBER,
        Json::Text(_) => STRING,
        Json::List(_) => ARRAY,
        Json::Object(_) => OBJECT,
    }
}

/// The types that a schema says that its values have: those it names, else those of its list of values.
pub(crate) fn stated(schema: &Members) -> Types {
    let named = named(schema.get("type"));
    if named.is_empty() { literal(schema) } else { named }
}

/// The types of its list of values, where it has one.
pub(crate) fn literal(schema: &Members) -> Types {
    if let Some(value) = schema.get("const") {
        return of(value);
    }
    let values = schema.get("enum").map_or(&[][..], Json::items);
    let types = values.iter().map(of);
    types.fold(Types(0), Types::with)
}

/// The types that a schema is about: those it states, else what its keywords speak of.
pub(crate) fn about(schema: &Members) -> Types {
    let stated = stated(schema);
    if !stated.is_empty() {
        return stated;
    }
    let speaks = |keys: &[&str]| keys.iter().any(|key| schema.get(key).is_some());
    if speaks(&["properties", "required", "additionalProperties"]) {
        OBJECT
    } else if speaks(&["items", "prefixItems"]) {
        ARRAY
    } else {
        Types(0)
    }
}
