//! Compiling: every schema of the document becomes a node, every keyword is checked.
//!
//! It refuses unknown and misplaced keywords, references that lead nowhere or in a circle, and defaults
//! that break their own schema. `Schema::compile` calls it.

use super::fault::{self, FULL_ENGINE, SchemaError, SchemaFault, at_keyword};
use super::rules::{Node, ObjectRule, Property, Rule, TYPES};
use super::{Options, Schema, SchemaLimits, defaults, format, opaque, validate};
use crate::document::{Document, Kind, Value};
use crate::number::{Decimal, MAX_DIVISOR_DIGITS};
use crate::parse::{Bounds, narrow};
use crate::pattern::Pattern;

/// The dialect of `$schema`.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
const NOT_A_COUNT: &str = "must be a whole number from 0 to 4294967295";

/// A schema still to compile; its node has the same position.
struct Pending {
    index: u32,
    pointer: String,
    depth: usize,
}

struct Compiler<'a> {
    document: &'a Document,
    options: Options,
    max_depth: usize,
    found: Vec<Pending>,
    nodes: Vec<Node>,
    /// Node, the text of its `$ref`.
    references: Vec<(usize, String)>,
}

/// The parts of an object rule, gathered while the keywords of one schema are read.
#[derive(Default)]
struct Parts {
    properties: Vec<Property>,
    required: Vec<Box<str>>,
    is_closed: bool,
}

pub(crate) fn compile(
    document: &Document,
    limits: SchemaLimits,
    options: Options,
) -> Result<Schema, SchemaError> {
    opaque::check_size(document, limits)?;
    let root = Pending {
        index: 0,
        pointer: String::new(),
        depth: 0,
    };
    let mut compiler = Compiler {
        document,
        options,
        max_depth: limits.max_depth,
        found: vec![root],
        nodes: Vec::new(),
        references: Vec::new(),
    };
    while let Some(pending) = compiler.found.get(compiler.nodes.len()) {
        let (value, pointer, depth) = (
            document.value_at(pending.index),
            pending.pointer.clone(),
            pending.depth,
        );
        let node = compiler.schema(value, &pointer, depth)?;
        compiler.nodes.push(node);
    }
    compiler.resolve()?;
    compiler.refuse_circles()?;
    let Compiler { nodes, found, .. } = compiler;
    let mut schema = Schema {
        document: document.clone(),
        nodes,
        has_defaults: false,
    };
    if options.fill_defaults {
        check_defaults(&mut schema, &found, limits.max_bytes)?;
    }
    Ok(schema)
}

impl<'a> Compiler<'a> {
    /// Queues a schema and gives the position its node will have.
    fn child(
        &mut self,
        value: Value<'_>,
        pointer: &str,
        steps: &[&str],
        depth: usize,
    ) -> Result<u32, SchemaError> {
        let mut full = String::from(pointer);
        for step in steps {
            fault::push_token(&mut full, step);
        }
        if depth >= self.max_depth {
            return Err(opaque::too_deep(&full, self.max_depth));
        }
        self.found.push(Pending {
            index: value.index(),
            pointer: full,
            depth: depth + 1,
        });
        Ok(narrow(self.found.len() - 1))
    }

    fn schema(&mut self, value: Value<'a>, pointer: &str, depth: usize) -> Result<Node, SchemaError> {
        let mut node = Node::default();
        if let Some(allows) = value.as_bool() {
            node.is_never = !allows;
            return Ok(node);
        }
        if value.kind() != Kind::Object {
            return Err(fault::at_schema(pointer, &["must be an object or a boolean"]));
        }
        let mut parts = Parts::default();
        for (key, argument) in value.entries() {
            let place = Place {
                keyword: &key,
                pointer,
                depth,
            };
            let is_known = self.assertion(&mut node, &place, argument)?
                || self.applicator(&mut node, &mut parts, &place, argument)?
                || annotation(&mut node, &place, argument)?;
            if !is_known {
                let tail = [
                    "is outside the built-in schema subset; ",
                    fault::advice(&key),
                    FULL_ENGINE,
                ];
                return Err(place.fail(&tail));
            }
        }
        node.object = parts.finish();
        Ok(node)
    }

    /// Keywords that look at one value alone.
    fn assertion(&mut self, node: &mut Node, at: &Place<'_>, value: Value<'a>) -> Result<bool, SchemaError> {
        let index = value.index();
        let rule = match at.keyword {
            "type" => {
                node.types = types(at, value)?;
                return Ok(true);
            }
            "const" => Rule::Const(index),
            "enum" => {
                at.expect(value, Kind::Array, "must be an array of values")?;
                Rule::Enum(index)
            }
            "minimum" => Rule::Minimum(at.number(value)?),
            "maximum" => Rule::Maximum(at.number(value)?),
            "exclusiveMinimum" => Rule::ExclusiveMinimum(at.number(value)?),
            "exclusiveMaximum" => Rule::ExclusiveMaximum(at.number(value)?),
            "multipleOf" => Rule::MultipleOf(at.divisor(value)?),
            "minLength" => Rule::MinLength(at.count(value)?),
            "maxLength" => Rule::MaxLength(at.count(value)?),
            "minItems" => Rule::MinItems(at.count(value)?),
            "maxItems" => Rule::MaxItems(at.count(value)?),
            "uniqueItems" => {
                if !at.boolean(value)? {
                    return Ok(true);
                }
                Rule::UniqueItems
            }
            "pattern" => {
                let source = at.string(value)?;
                let pattern = Pattern::compile(&source)
                    .map_err(|error| at.fail(&["is not a usable pattern: ", &error.message()]))?;
                Rule::Pattern(Box::new(pattern), index)
            }
            "format" => {
                let name = at.string(value)?;
                let Some(format) = format::by_name(&name) else {
                    let tail = [
                        "must be one of `date-time`, `date`, `uuid`, `email`, `uri`; use `pattern`",
                        FULL_ENGINE,
                    ];
                    return Err(at.fail(&tail));
                };
                if !self.options.assert_formats {
                    return Ok(true);
                }
                Rule::Format(format)
            }
            _ => return Ok(false),
        };
        node.rules.push(rule);
        Ok(true)
    }

    /// Keywords that hold schemas or say where they apply.
    fn applicator(
        &mut self,
        node: &mut Node,
        parts: &mut Parts,
        at: &Place<'_>,
        value: Value<'a>,
    ) -> Result<bool, SchemaError> {
        match at.keyword {
            "properties" => {
                for (name, schema) in at.entries(value)? {
                    let id = self.child(schema, at.pointer, &["properties", &name], at.depth)?;
                    parts.properties.push(Property {
                        name: name.into(),
                        node: Some(id),
                        is_required: false,
                    });
                }
            }
            "$defs" => {
                for (name, schema) in at.entries(value)? {
                    self.child(schema, at.pointer, &["$defs", &name], at.depth)?;
                }
            }
            "items" => node.items = Some(self.child(value, at.pointer, &["items"], at.depth)?),
            "anyOf" => {
                at.expect(value, Kind::Array, "must be an array of schemas")?;
                if value.is_empty() {
                    return Err(at.fail(&["must hold at least one schema"]));
                }
                for (position, schema) in value.items().enumerate() {
                    let mut step = String::new();
                    crate::write_u64(&mut step, position as u64);
                    node.any_of
                        .push(self.child(schema, at.pointer, &["anyOf", &step], at.depth)?);
                }
            }
            "required" => {
                at.expect(value, Kind::Array, "must be an array of property names")?;
                for name in value.items() {
                    let Some(name) = name.as_str() else {
                        return Err(at.fail(&["must be an array of property names"]));
                    };
                    parts.required.push(name.into());
                }
            }
            "additionalProperties" => {
                let Some(allows) = value.as_bool() else {
                    return Err(at.fail(&["must be `true` or `false`; list the properties", FULL_ENGINE]));
                };
                parts.is_closed = !allows;
            }
            "$ref" => {
                let target = at.string(value)?;
                if !target.starts_with("#/$defs/") {
                    return Err(at.fail(&["must start with `#/$defs/`; move its target there", FULL_ENGINE]));
                }
                self.references.push((self.nodes.len(), target.into()));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Turns the texts of `$ref` into nodes.
    fn resolve(&mut self) -> Result<(), SchemaError> {
        for (id, text) in core::mem::take(&mut self.references) {
            let index = opaque::locate(self.document, &text).map(Value::index);
            let target = self.found.iter().position(|pending| Some(pending.index) == index);
            let Some(target) = target else {
                let pointer = self
                    .found
                    .get(id)
                    .map(|pending| &*pending.pointer)
                    .unwrap_or_default();
                return Err(at_keyword(
                    pointer,
                    "$ref",
                    &["must name a schema under `$defs`; `", &text, "` is none"],
                ));
            };
            if let Some(node) = self.nodes.get_mut(target) {
                node.is_target = true;
            }
            if let Some(node) = self.nodes.get_mut(id) {
                node.reference = Some(narrow(target));
            }
        }
        Ok(())
    }

    /// `$ref` and `anyOf` alone never get deeper into a value: a circle of them has no meaning.
    fn refuse_circles(&self) -> Result<(), SchemaError> {
        let steps = |node: &Node| {
            node.any_of
                .iter()
                .copied()
                .chain(node.reference)
                .collect::<Vec<u32>>()
        };
        let mut arrivals = vec![0u32; self.nodes.len()];
        for target in self.nodes.iter().flat_map(steps) {
            if let Some(count) = arrivals.get_mut(target as usize) {
                *count += 1;
            }
        }
        let mut free: Vec<u32> = (0..narrow(self.nodes.len())).collect();
        free.retain(|id| arrivals.get(*id as usize) == Some(&0));
        while let Some(id) = free.pop() {
            for target in self.nodes.get(id as usize).map(steps).unwrap_or_default() {
                if let Some(count) = arrivals.get_mut(target as usize) {
                    *count -= 1;
                    if *count == 0 {
                        free.push(target);
                    }
                }
            }
        }
        match arrivals.iter().position(|count| *count > 0) {
            Some(id) => {
                let pointer = self
                    .found
                    .get(id)
                    .map(|pending| &*pending.pointer)
                    .unwrap_or_default();
                Err(at_keyword(
                    pointer,
                    "$ref",
                    &["must not lead back to itself without a property or an item between"],
                ))
            }
            None => Ok(()),
        }
    }
}

impl Parts {
    fn finish(self) -> Option<Box<ObjectRule>> {
        let Parts {
            mut properties,
            required,
            is_closed,
        } = self;
        for name in required {
            match properties.iter_mut().find(|property| property.name == name) {
                Some(property) => property.is_required = true,
                None => properties.push(Property {
                    name,
                    node: None,
                    is_required: true,
                }),
            }
        }
        let says_nothing = properties.is_empty() && !is_closed;
        (!says_nothing).then(|| Box::new(ObjectRule::new(properties, !is_closed)))
    }
}

/// A keyword, the schema it stands in, and that schema's depth.
struct Place<'p> {
    keyword: &'p str,
    pointer: &'p str,
    depth: usize,
}

impl Place<'_> {
    fn fail(&self, tail: &[&str]) -> SchemaError {
        at_keyword(self.pointer, self.keyword, tail)
    }

    fn expect(&self, value: Value<'_>, kind: Kind, tail: &str) -> Result<(), SchemaError> {
        if value.kind() == kind {
            Ok(())
        } else {
            Err(self.fail(&[tail]))
        }
    }

    fn entries<'v>(&self, value: Value<'v>) -> Result<crate::document::Entries<'v>, SchemaError> {
        self.expect(value, Kind::Object, "must be an object of schemas")?;
        Ok(value.entries())
    }

    fn number(&self, value: Value<'_>) -> Result<u32, SchemaError> {
        self.expect(value, Kind::Number, "must be a number")?;
        Ok(value.index())
    }

    fn divisor(&self, value: Value<'_>) -> Result<u32, SchemaError> {
        self.number(value)?;
        let decimal = Decimal::parse(value.raw());
        if decimal.is_zero() || decimal.negative || decimal.count > MAX_DIVISOR_DIGITS {
            return Err(self.fail(&["must be greater than 0 and have at most 18 significant digits"]));
        }
        Ok(value.index())
    }

    fn count(&self, value: Value<'_>) -> Result<u32, SchemaError> {
        value.as_u32().ok_or_else(|| self.fail(&[NOT_A_COUNT]))
    }

    fn boolean(&self, value: Value<'_>) -> Result<bool, SchemaError> {
        value
            .as_bool()
            .ok_or_else(|| self.fail(&["must be `true` or `false`"]))
    }

    fn string<'v>(&self, value: Value<'v>) -> Result<std::borrow::Cow<'v, str>, SchemaError> {
        value.as_str().ok_or_else(|| self.fail(&["must be a string"]))
    }
}

/// Keywords that assert nothing.
fn annotation(node: &mut Node, at: &Place<'_>, value: Value<'_>) -> Result<bool, SchemaError> {
    match at.keyword {
        "title" | "description" | "examples" | "deprecated" | "readOnly" | "writeOnly" | "$comment" => {}
        "default" => node.default = Some(value.index()),
        "$id" | "$schema" => {
            let text = at.string(value)?;
            if at.depth > 0 {
                return Err(at.fail(&["is allowed at the root of the schema only; leave it out"]));
            }
            if at.keyword == "$schema" && text.strip_suffix('#').unwrap_or(&text) != DIALECT {
                return Err(at.fail(&["must be `", DIALECT, "`; leave it out", FULL_ENGINE]));
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn types(at: &Place<'_>, value: Value<'_>) -> Result<u8, SchemaError> {
    let bit = |name: Value<'_>| {
        TYPES
            .iter()
            .find(|(known, _)| name.is_str(known))
            .map_or(0, |(_, bit)| *bit)
    };
    let mut mask = bit(value);
    for name in value.items() {
        let one = bit(name);
        if one == 0 {
            mask = 0;
            break;
        }
        mask |= one;
    }
    if mask == 0 {
        let mut tail = String::from("must be one of, or an array of");
        for (name, _) in TYPES {
            tail.push_str(" `");
            tail.push_str(name);
            tail.push('`');
        }
        return Err(at.fail(&[&tail]));
    }
    Ok(mask)
}

/// Prepares the defaults, each of which must pass the schema it would be filled for.
fn check_defaults(schema: &mut Schema, found: &[Pending], max_bytes: usize) -> Result<(), SchemaError> {
    let fail = |id: u32, tail: &[&str]| {
        let pointer = found
            .get(id as usize)
            .map(|pending| &*pending.pointer)
            .unwrap_or_default();
        SchemaError {
            fault: SchemaFault::InvalidDefault,
            ..at_keyword(pointer, "default", tail)
        }
    };
    defaults::prepare(schema, max_bytes).map_err(|id| {
        fail(
            id,
            &["must stay small and end when the defaults within it are filled"],
        )
    })?;
    let bounds = Bounds {
        max_bytes,
        max_depth: usize::MAX,
        lone_surrogates: true,
    };
    for (id, node) in (0..).zip(&schema.nodes) {
        let Some(filled) = &node.filled else { continue };
        // It is made of slices of a valid document.
        let Ok(document) = Document::parse(filled.clone(), bounds) else {
            continue;
        };
        if let Some(issue) = validate::validate(schema, id, document.root()).first() {
            let place = if issue.path.is_empty() { "it" } else { &issue.path };
            return Err(fail(id, &["breaks its own schema: ", place, " ", &issue.message]));
        }
    }
    Ok(())
}
