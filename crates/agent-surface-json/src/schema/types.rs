//! The types of JSON Schema as bits.
//!
//! It refuses to judge. Compiling and validation call it.

use crate::document::Value;
use crate::number::Decimal;
use crate::parse;
use alloc::string::String;

pub(crate) const BOOLEAN: u32 = 2;
pub(crate) const NUMBER: u32 = 4;
pub(crate) const INTEGER: u32 = 8;
pub(crate) const STRING: u32 = 16;
pub(crate) const ARRAY: u32 = 32;
pub(crate) const OBJECT: u32 = 64;
pub(crate) const ANY: u32 = 127;

/// Names of `type`; the bit of a name is its place.
static NAMES: [&str; 7] = [
    "null", "boolean", "number", "integer", "string", "array", "object",
];

/// The bit that a value has; a number has that of `number`.
pub(crate) fn of(value: Value<'_>) -> u32 {
    match value.tag() {
        parse::NULL => 1,
        parse::NUMBER => NUMBER,
        parse::STRING => STRING,
        parse::ARRAY => ARRAY,
        parse::OBJECT => OBJECT,
        _ => BOOLEAN,
    }
}

/// The bits of a type's name, or of an array of them; 0 when there is none, or another thing among them.
pub(crate) fn by_names(names: Value<'_>) -> u32 {
    let mut types = 0;
    let names = match names.tag() {
        parse::ARRAY => names.members(),
        _ => names.alone(),
    };
    for (name, _) in names {
        let Some(place) = NAMES.iter().position(|known| name.is_str(known)) else {
            return 0;
        };
        types |= 1 << place;
    }
    types
}

/// Whether the value has one of these types.
pub(crate) fn has_one(value: Value<'_>, types: u32) -> bool {
    let found = of(value);
    types & found != 0
        || (types & INTEGER != 0 && found == NUMBER && Decimal::parse(value.raw()).is_integer())
}

/// Appends the names of these types, ` or ` between them.
pub(crate) fn push_names(out: &mut String, types: u32) {
    let mut joint = "";
    for (place, name) in NAMES.iter().enumerate() {
        if types >> place & 1 == 1 {
            out.push_str(joint);
            out.push_str(name);
            joint = " or ";
        }
    }
}
