//! The compiled form of a schema.
//!
//! It refuses to hold text twice: values of keywords are indices into the schema's own document.
//! Compiling writes it, validation and default filling read it.

use crate::document::Value;
use crate::parse;
use crate::pattern::Pattern;
use crate::schema::format::Format;
use crate::sort::sort;

pub(crate) const NULL: u8 = 1;
pub(crate) const BOOLEAN: u8 = 2;
pub(crate) const NUMBER: u8 = 4;
pub(crate) const INTEGER: u8 = 8;
pub(crate) const STRING: u8 = 16;
pub(crate) const ARRAY: u8 = 32;
pub(crate) const OBJECT: u8 = 64;

/// Names of `type` and their bits.
pub(crate) const TYPES: [(&str, u8); 7] = [
    ("null", NULL),
    ("boolean", BOOLEAN),
    ("number", NUMBER),
    ("integer", INTEGER),
    ("string", STRING),
    ("array", ARRAY),
    ("object", OBJECT),
];

/// One schema of the document.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// The schema `false`.
    pub(crate) is_never: bool,
    /// Bits of `type`; 0 when any type will do.
    pub(crate) types: u8,
    pub(crate) rules: Vec<Rule>,
    pub(crate) object: Option<Box<ObjectRule>>,
    pub(crate) items: Option<u32>,
    pub(crate) any_of: Vec<u32>,
    pub(crate) reference: Option<u32>,
    /// Some `$ref` points here: verdicts are remembered, since the same value can come here often.
    pub(crate) is_target: bool,
    /// Tape index of `default`.
    pub(crate) default: Option<u32>,
    /// The default of this schema or of what it refers to, itself filled: ready to insert.
    pub(crate) filled: Option<Box<str>>,
}

/// Assertions on one value alone. A `u32` is a bound, or the tape index of a keyword's value.
#[derive(Debug)]
pub(crate) enum Rule {
    Const(u32),
    Enum(u32),
    Minimum(u32),
    Maximum(u32),
    ExclusiveMinimum(u32),
    ExclusiveMaximum(u32),
    MultipleOf(u32),
    MinLength(u32),
    MaxLength(u32),
    MinItems(u32),
    MaxItems(u32),
    UniqueItems,
    Pattern(Box<Pattern>, u32),
    Format(Format),
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

#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: Box<str>,
    /// `None`: required, but not declared.
    pub(crate) node: Option<u32>,
    pub(crate) is_required: bool,
}

impl ObjectRule {
    pub(crate) fn new(properties: Vec<Property>, allows_others: bool) -> Self {
        let mut by_name: Vec<u32> = (0..parse::narrow(properties.len())).collect();
        let name = |index: u32| properties.get(index as usize).map(|property| &*property.name);
        sort(&mut by_name, &|a, b| name(a) < name(b));
        ObjectRule {
            properties,
            by_name,
            allows_others,
        }
    }

    /// The index of a property; `expected` is looked at first, since values tend to have the schema's order.
    pub(crate) fn find(&self, name: &str, expected: usize) -> Option<usize> {
        if self
            .properties
            .get(expected)
            .is_some_and(|property| *property.name == *name)
        {
            return Some(expected);
        }
        let order = |index: &u32| {
            self.properties
                .get(*index as usize)
                .map(|property| (*property.name).cmp(name))
        };
        let found = self
            .by_name
            .binary_search_by(|index| order(index).unwrap_or(core::cmp::Ordering::Less))
            .ok()?;
        self.by_name.get(found).map(|index| *index as usize)
    }
}

/// Bits of `type` that a value satisfies; `INTEGER` is left to the caller.
pub(crate) fn type_of(value: Value<'_>) -> u8 {
    match value.tag() {
        parse::NULL => NULL,
        parse::NUMBER => NUMBER,
        parse::STRING => STRING,
        parse::ARRAY => ARRAY,
        parse::OBJECT => OBJECT,
        _ => BOOLEAN,
    }
}
