//! The compiled form of a schema.
//!
//! It refuses to hold text twice: arguments of keywords are indices into the schema's own document.
//! Compiling writes it, validation and default filling read it.

use super::keyword::Keyword;
use crate::document::{Document, Value};
use crate::equality::compare_text;
use crate::parse;
use crate::sort::sort;
use core::cmp::Ordering;

pub(crate) const NUMBER: u8 = 4;
pub(crate) const INTEGER: u8 = 8;
pub(crate) const OBJECT: u8 = 64;

/// Names of `type`; the bit of a name is its place.
pub(crate) const TYPES: [&str; 7] = [
    "null", "boolean", "number", "integer", "string", "array", "object",
];

/// One schema of the document.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// Its place on the tape.
    pub(crate) index: u32,
    /// The schema `false`.
    pub(crate) is_never: bool,
    /// Some `$ref` points here: verdicts are remembered, since the same value can come here often.
    pub(crate) is_target: bool,
    /// Bits of `type`; 0 when any type will do.
    pub(crate) types: u8,
    pub(crate) rules: Vec<Rule>,
    pub(crate) object: Option<ObjectRule>,
    pub(crate) items: Option<u32>,
    pub(crate) any_of: Vec<u32>,
    pub(crate) reference: Option<u32>,
    /// Tape index of `default`.
    pub(crate) default: Option<u32>,
    /// The default of this schema or of what it refers to, itself filled: ready to insert.
    pub(crate) filled: Option<Box<str>>,
}

/// An assertion on one value alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) keyword: Keyword,
    /// Tape index of the argument.
    pub(crate) argument: u32,
    /// The argument as a number: a count, a pattern of the schema, a format.
    pub(crate) number: u32,
}

/// `properties`, `required` and `additionalProperties` of one schema.
#[derive(Debug)]
pub(crate) struct ObjectRule {
    /// In the order of the schema; names that are only required come last.
    pub(crate) properties: Vec<Property>,
    /// Indices of `properties` by name.
    by_name: Vec<u32>,
    pub(crate) allows_others: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Property {
    /// Tape index of its key, or of its name under `required`.
    pub(crate) name: u32,
    /// `None`: required, but not declared.
    pub(crate) node: Option<u32>,
    pub(crate) is_required: bool,
}

impl ObjectRule {
    pub(crate) fn new(document: &Document, properties: Vec<Property>, allows_others: bool) -> Self {
        let mut by_name: Vec<u32> = (0..parse::narrow(properties.len())).collect();
        let mut rule = ObjectRule {
            properties,
            by_name: Vec::new(),
            allows_others,
        };
        let name = |index: u32| rule.name(document, index as usize);
        sort(&mut by_name, &|a, b| {
            name(a)
                .zip(name(b))
                .is_some_and(|(a, b)| compare_text(a, b).is_lt())
        });
        rule.by_name = by_name;
        rule
    }

    /// The name of the property with this index, a string of the schema.
    fn name<'a>(&self, document: &'a Document, index: usize) -> Option<Value<'a>> {
        let property = self.properties.get(index)?;
        Some(document.value_at(property.name))
    }

    /// The index of a property; `expected` is looked at first, since values tend to have the schema's order.
    pub(crate) fn find(&self, document: &Document, name: Value<'_>, expected: usize) -> Option<usize> {
        let order = |index: usize| {
            self.name(document, index)
                .map_or(Ordering::Less, |known| compare_text(known, name))
        };
        if order(expected).is_eq() {
            return Some(expected);
        }
        let place = self
            .by_name
            .partition_point(|index| order(*index as usize).is_lt());
        let found = *self.by_name.get(place)? as usize;
        order(found).is_eq().then_some(found)
    }
}

/// The bit of `TYPES` that a value has; a number has that of `number`.
pub(crate) fn type_of(value: Value<'_>) -> u8 {
    match value.tag() {
        parse::NULL => 1,
        parse::NUMBER => NUMBER,
        parse::STRING => 16,
        parse::ARRAY => 32,
        parse::OBJECT => OBJECT,
        _ => 2,
    }
}

/// The names of these types, ` or ` between them.
pub(crate) fn type_names(types: u8) -> String {
    let mut out = String::new();
    for (place, name) in TYPES.iter().enumerate() {
        if types >> place & 1 == 1 {
            out.push_str(if out.is_empty() { "" } else { " or " });
            out.push_str(name);
        }
    }
    out
}
