//! Compiling: every schema of the document becomes a node, every keyword is checked.
//!
//! It refuses unknown and misplaced keywords, references that lead nowhere or in a circle, and defaults
//! that break their own schema. `Schema::compile` calls it.

use super::fault::{OTHERWISE, Refusal, SchemaFault, at_keyword, at_schema};
use super::keyword::{self, Keyword};
use super::rules::{Node, ObjectRule, Property, Rule, TYPES, type_names};
use super::{Options, Schema, SchemaLimits, defaults, format, opaque, validate};
use crate::document::{Document, Kind, Value};
use crate::equality::has_same_text;
use crate::number::{Decimal, MAX_DIVISOR_DIGITS};
use crate::parse::{Bounds, narrow};
use crate::pattern::Pattern;

/// The dialect of `$schema`, which may end in `#`.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
const DEFINITIONS: &str = "#/$defs/";

struct Compiler<'a> {
    document: &'a Document,
    options: Options,
    max_depth: usize,
    /// Schemas found, compiled or not: place on the tape and depth. The node of each has the same position.
    found: Vec<(u32, usize)>,
    nodes: Vec<Node>,
    patterns: Vec<Pattern>,
    /// Node and tape index of each `$ref`.
    references: Vec<(u32, u32)>,
}

/// The parts of an object rule, gathered while the keywords of one schema are read.
#[derive(Default)]
struct Parts {
    properties: Vec<Property>,
    /// Tape indices.
    required: Vec<u32>,
    is_closed: bool,
}

pub(crate) fn compile(
    document: &Document,
    limits: SchemaLimits,
    options: Options,
) -> Result<Schema, Refusal> {
    opaque::check_size(document, limits)?;
    let mut compiler = Compiler {
        document,
        options,
        max_depth: limits.max_depth,
        found: vec![(0, 0)],
        nodes: Vec::new(),
        patterns: Vec::new(),
        references: Vec::new(),
    };
    while let Some((index, depth)) = compiler.found.get(compiler.nodes.len()).copied() {
        let node = compiler.schema(document.value_at(index), depth)?;
        compiler.nodes.push(node);
    }
    compiler.resolve()?;
    compiler.refuse_circles()?;
    let Compiler { nodes, patterns, .. } = compiler;
    let mut schema = Schema {
        document: document.clone(),
        nodes,
        patterns,
        has_defaults: false,
    };
    if options.fill_defaults {
        check_defaults(&mut schema, limits.max_bytes)?;
    }
    Ok(schema)
}

impl Compiler<'_> {
    /// Queues a schema and gives the position its node will have.
    fn child(&mut self, schema: Value<'_>, depth: usize) -> Result<u32, Refusal> {
        if depth >= self.max_depth {
            return Err(opaque::too_deep(schema, self.max_depth));
        }
        self.found.push((schema.index(), depth + 1));
        Ok(narrow(self.found.len() - 1))
    }

    fn schema(&mut self, schema: Value<'_>, depth: usize) -> Result<Node, Refusal> {
        let mut node = Node {
            index: schema.index(),
            is_never: schema.as_bool() == Some(false),
            ..Node::default()
        };
        if !matches!(schema.kind(), Kind::Object | Kind::Bool) {
            return Err(at_schema(schema, &["must be an object or a boolean"]));
        }
        let mut parts = Parts::default();
        for (key, argument) in schema.raw_entries() {
            let Some(keyword) = keyword::by_name(key) else {
                let advice = keyword::advice(key);
                return Err(at_keyword(
                    argument,
                    &["is outside the built-in schema subset; ", advice, OTHERWISE],
                ));
            };
            match keyword {
                Keyword::Properties
                | Keyword::Required
                | Keyword::AdditionalProperties
                | Keyword::Items
                | Keyword::AnyOf
                | Keyword::Defs => self.applicator(&mut node, &mut parts, keyword, argument, depth)?,
                Keyword::Ref => self.reference(argument)?,
                Keyword::Type => node.types = types(argument)?,
                Keyword::Default => node.default = Some(argument.index()),
                Keyword::Root => root_only(key, argument, depth)?,
                Keyword::Annotation => {}
                _ => {
                    let number = self.rule(keyword, argument)?;
                    node.rules.extend(number.map(|number| Rule {
                        keyword,
                        argument: argument.index(),
                        number,
                    }));
                }
            }
        }
        node.object = parts.finish(self.document);
        Ok(node)
    }

    /// Checks the argument of an assertion. `None` when it asserts nothing.
    fn rule(&mut self, keyword: Keyword, argument: Value<'_>) -> Result<Option<u32>, Refusal> {
        let mut number = Some(0);
        match keyword {
            Keyword::Const => {}
            Keyword::Enum => expect(argument, Kind::Array)?,
            Keyword::MinLength | Keyword::MaxLength | Keyword::MinItems | Keyword::MaxItems => {
                number = argument.as_u32();
                if number.is_none() {
                    return Err(at_keyword(
                        argument,
                        &["must be a whole number from 0 to 4294967295"],
                    ));
                }
            }
            Keyword::UniqueItems => {
                expect(argument, Kind::Bool)?;
                number = (argument.as_bool() == Some(true)).then_some(0);
            }
            Keyword::Pattern => {
                expect(argument, Kind::String)?;
                let pattern = Pattern::compile(&argument.as_str().unwrap_or_default()).map_err(|error| {
                    at_keyword(argument, &["is not a usable pattern: ", &error.message()])
                })?;
                number = Some(narrow(self.patterns.len()));
                self.patterns.push(pattern);
            }
            Keyword::Format => {
                let Some(format) = format::by_name(argument) else {
                    let tail = [
                        "must be `date-time`, `date`, `uuid`, `email` or `uri`; use `pattern`",
                        OTHERWISE,
                    ];
                    return Err(at_keyword(argument, &tail));
                };
                number = self.options.assert_formats.then_some(format);
            }
            _ => {
                expect(argument, Kind::Number)?;
                let decimal = Decimal::parse(argument.raw());
                let is_divisor =
                    !decimal.is_zero() && !decimal.negative && decimal.count <= MAX_DIVISOR_DIGITS;
                if keyword == Keyword::MultipleOf && !is_divisor {
                    return Err(at_keyword(
                        argument,
                        &["must be above 0 and have at most 18 significant digits"],
                    ));
                }
            }
        }
        Ok(number)
    }

    /// Keywords that hold schemas or say where they apply.
    fn applicator(
        &mut self,
        node: &mut Node,
        parts: &mut Parts,
        keyword: Keyword,
        argument: Value<'_>,
        depth: usize,
    ) -> Result<(), Refusal> {
        match keyword {
            Keyword::Items => node.items = Some(self.child(argument, depth)?),
            Keyword::AnyOf => {
                expect(argument, Kind::Array)?;
                for schema in argument.items() {
                    node.any_of.push(self.child(schema, depth)?);
                }
                if node.any_of.is_empty() {
                    return Err(at_keyword(argument, &["must hold at least one schema"]));
                }
            }
            Keyword::Required => {
                expect(argument, Kind::Array)?;
                for name in argument.items() {
                    if name.kind() != Kind::String {
                        return Err(at_keyword(argument, &["must be an array of property names"]));
                    }
                    parts.required.push(name.index());
                }
            }
            Keyword::AdditionalProperties => {
                let Some(allows) = argument.as_bool() else {
                    return Err(at_keyword(
                        argument,
                        &["must be `true` or `false`; list the properties", OTHERWISE],
                    ));
                };
                parts.is_closed = !allows;
            }
            _ => {
                expect(argument, Kind::Object)?;
                for (name, schema) in argument.raw_entries() {
                    let id = self.child(schema, depth)?;
                    if keyword == Keyword::Properties {
                        parts.properties.push(Property {
                            name: name.index(),
                            node: Some(id),
                            is_required: false,
                        });
                    }
                }
            }
        }
        Ok(())
    }

    fn reference(&mut self, argument: Value<'_>) -> Result<(), Refusal> {
        if !argument
            .as_str()
            .is_some_and(|target| target.starts_with(DEFINITIONS))
        {
            let tail = [
                "must start with `",
                DEFINITIONS,
                "`; move its target there",
                OTHERWISE,
            ];
            return Err(at_keyword(argument, &tail));
        }
        self.references.push((narrow(self.nodes.len()), argument.index()));
        Ok(())
    }

    /// Turns the texts of `$ref` into nodes.
    fn resolve(&mut self) -> Result<(), Refusal> {
        for (id, argument) in core::mem::take(&mut self.references) {
            let argument = self.document.value_at(argument);
            let text = argument.as_str().unwrap_or_default();
            let index = opaque::locate(self.document, &text).map(Value::index);
            let Some(target) = self.nodes.iter().position(|node| Some(node.index) == index) else {
                return Err(at_keyword(
                    argument,
                    &["must name a schema under `$defs`; `", &text, "` is none"],
                ));
            };
            if let Some(node) = self.nodes.get_mut(target) {
                node.is_target = true;
            }
            if let Some(node) = self.nodes.get_mut(id as usize) {
                node.reference = Some(narrow(target));
            }
        }
        Ok(())
    }

    /// `$ref` and `anyOf` alone never get deeper into a value: a circle of them has no meaning.
    fn refuse_circles(&self) -> Result<(), Refusal> {
        let mut arrivals = vec![0u32; self.nodes.len()];
        for node in &self.nodes {
            count_steps(node, &mut arrivals, &mut |count| *count += 1);
        }
        // Nodes that nothing leads to, then those that only such nodes led to, and so on.
        let mut free: Vec<usize> = (0..self.nodes.len())
            .filter(|id| arrivals.get(*id) == Some(&0))
            .collect();
        while let Some(node) = free.pop().and_then(|id| self.nodes.get(id)) {
            count_steps(node, &mut arrivals, &mut |count| *count -= 1);
            let targets = node
                .any_of
                .iter()
                .copied()
                .chain(node.reference)
                .map(|id| id as usize);
            free.extend(targets.filter(|id| arrivals.get(*id) == Some(&0)));
        }
        let Some(node) = arrivals
            .iter()
            .position(|count| *count > 0)
            .and_then(|id| self.nodes.get(id))
        else {
            return Ok(());
        };
        let schema = self.document.value_at(node.index);
        let argument = schema.get("$ref").or(schema.get("anyOf")).unwrap_or(schema);
        Err(at_keyword(
            argument,
            &["must not lead back to itself without a property or an item between"],
        ))
    }
}

/// Changes the count of every node that `$ref` or `anyOf` of `node` lead to.
fn count_steps(node: &Node, arrivals: &mut [u32], change: &mut dyn FnMut(&mut u32)) {
    for target in node.any_of.iter().copied().chain(node.reference) {
        if let Some(count) = arrivals.get_mut(target as usize) {
            change(count);
        }
    }
}

impl Parts {
    fn finish(self, document: &Document) -> Option<ObjectRule> {
        let Parts {
            mut properties,
            required,
            is_closed,
        } = self;
        for name in required {
            let is_it = |known: u32| has_same_text(document.value_at(known), document.value_at(name));
            match properties.iter_mut().find(|property| is_it(property.name)) {
                Some(property) => property.is_required = true,
                None => properties.push(Property {
                    name,
                    node: None,
                    is_required: true,
                }),
            }
        }
        let says_something = !properties.is_empty() || is_closed;
        says_something.then(|| ObjectRule::new(document, properties, !is_closed))
    }
}

fn expect(argument: Value<'_>, kind: Kind) -> Result<(), Refusal> {
    if argument.kind() == kind {
        return Ok(());
    }
    let words = match kind {
        Kind::Array => "must be an array",
        Kind::Object => "must be an object of schemas",
        Kind::String => "must be a string",
        Kind::Number => "must be a number",
        Kind::Bool | Kind::Null => "must be `true` or `false`",
    };
    Err(at_keyword(argument, &[words]))
}

/// `$id` and `$schema`.
fn root_only(key: Value<'_>, argument: Value<'_>, depth: usize) -> Result<(), Refusal> {
    expect(argument, Kind::String)?;
    if depth > 0 {
        return Err(at_keyword(
            argument,
            &["is allowed at the root of the schema only; leave it out"],
        ));
    }
    let text = argument.as_str().unwrap_or_default();
    if key.is_str("$schema") && text.strip_suffix('#').unwrap_or(&text) != DIALECT {
        return Err(at_keyword(
            argument,
            &["must be `", DIALECT, "`; leave it out", OTHERWISE],
        ));
    }
    Ok(())
}

/// The bits of `type`.
fn types(argument: Value<'_>) -> Result<u8, Refusal> {
    let bit = |name: Value<'_>| {
        TYPES
            .iter()
            .position(|known| name.is_str(known))
            .map_or(0, |place| 1u8 << place)
    };
    let mut types = bit(argument);
    for name in argument.items() {
        let one = bit(name);
        if one == 0 {
            types = 0;
            break;
        }
        types |= one;
    }
    if types == 0 {
        return Err(at_keyword(
            argument,
            &["must be ", &type_names(u8::MAX), ", or an array of these"],
        ));
    }
    Ok(types)
}

/// Prepares the defaults, each of which must pass the schema it would be filled for.
fn check_defaults(schema: &mut Schema, max_bytes: usize) -> Result<(), Refusal> {
    let fail = |schema: &Schema, id: u32, tail: &[&str]| {
        let holder = schema.chain(id).iter().find_map(|id| schema.node(*id)?.default);
        let mut refusal = at_keyword(schema.document.value_at(holder.unwrap_or(0)), tail);
        refusal.0.fault = SchemaFault::InvalidDefault;
        refusal
    };
    if let Err(id) = defaults::prepare(schema, max_bytes) {
        return Err(fail(
            schema,
            id,
            &["must stay small and end when the defaults within it are filled"],
        ));
    }
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
            return Err(fail(
                schema,
                id,
                &["breaks its own schema: ", place, " ", &issue.message],
            ));
        }
    }
    Ok(())
}
