//! Compiling: every schema of the document becomes a list of rules, every keyword is checked.
//!
//! It refuses unknown and misplaced keywords, references that lead nowhere or in a circle, and defaults
//! that break their own schema. Of a schema whose `parse` is the author's own it looks at size, depth and remote
//! references only. `Schema::compile` and `check_opaque` call it.

use super::fault::{OTHERWISE, Refusal, SchemaFault, at_keyword, at_schema, locate};
use super::keyword::{self, Entry, Keyword};
use super::{MAX_STEPS, Options, Rule, Schema, SchemaLimits, defaults, format, types, validate};
use crate::document::{Document, Value};
use crate::number::{Decimal, MAX_DIVISOR_DIGITS};
use crate::parse::{self, Bounds, narrow};
use crate::pattern::Pattern;
use crate::sort::sort;
use crate::text::{concat, format_count};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// The dialect of `$schema`, which may end in `#`.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

struct Compiler {
    schema: Schema,
    assert_formats: bool,
    /// Others evaluate it; then whether its references must be local.
    opaque: Option<bool>,
    max_depth: usize,
}

pub(crate) fn compile(
    document: &Document,
    limits: SchemaLimits,
    options: Options,
    opaque: Option<bool>,
) -> Result<Schema, Refusal> {
    let size = document.text().len();
    if size > limits.max_bytes {
        let (size, most) = (format_count(size), format_count(limits.max_bytes));
        let tail = ["must have at most ", &most, " bytes as JSON, not ", &size];
        return Err(at_schema(document.root(), &tail));
    }
    let mut compiler = Compiler {
        schema: Schema {
            document: document.clone(),
            rules: Vec::new(),
            heads: vec![0; document.nodes().len()],
            patterns: Vec::new(),
            names: Vec::new(),
            fills: Vec::new(),
        },
        assert_formats: options.assert_formats,
        opaque,
        max_depth: limits.max_depth,
    };
    compiler.schema(document.root(), 0)?;
    if opaque.is_none() {
        compiler.resolve(document)?;
        compiler.refuse_circles(document)?;
        if options.fill_defaults {
            check_defaults(&mut compiler.schema, limits.max_bytes)?;
        }
    }
    Ok(compiler.schema)
}

impl Compiler {
    /// Checks a schema and what it holds, and writes their rules.
    fn schema(&mut self, schema: Value<'_>, depth: usize) -> Result<(), Refusal> {
        if depth > self.max_depth {
            let most = format_count(self.max_depth);
            let tail = [
                "must not be more than ",
                &most,
                " schemas deep; use `$ref` with `$defs`",
            ];
            return Err(at_schema(schema, &tail));
        }
        if self.opaque.is_none() && !types::has_one(schema, types::OBJECT | types::BOOLEAN) {
            return Err(at_schema(schema, &["must be an object or a boolean"]));
        }
        let head = self.schema.rules.len();
        if let Some(known) = self.schema.heads.get_mut(schema.index() as usize) {
            *known = narrow(head);
        }
        self.schema.rules.push(Rule {
            keyword: Keyword::Schema,
            argument: schema.index(),
            number: 0,
        });
        if schema.tag() == parse::FALSE {
            self.schema.rules.push(Rule {
                keyword: Keyword::Never,
                ..Rule::default()
            });
        }
        // What the value is comes before what it holds, so that many issues below hide none of its own.
        let mut inside = self.schema.rules.len();
        let mut closing = None;
        for (key, argument) in schema.raw_entries() {
            let entry = keyword::by_name(key);
            let mut rule = Rule {
                keyword: entry.keyword,
                argument: argument.index(),
                number: 0,
            };
            if let Some(is_local) = self.opaque {
                refuse_remote(entry.keyword, argument, is_local)?;
            } else {
                match self.argument(entry, key, argument, depth)? {
                    Some(number) => rule.number = number,
                    None => continue,
                }
            }
            if rule.keyword < Keyword::Properties {
                // Always so; the compiler knows it only like this.
                if inside <= self.schema.rules.len() {
                    self.schema.rules.insert(inside, rule);
                }
                inside += 1;
            } else if rule.keyword == Keyword::AdditionalProperties && self.opaque.is_none() {
                closing = Some(rule);
            } else {
                self.schema.rules.push(rule);
            }
        }
        if let Some(mut closing) = closing {
            closing.keyword = Keyword::Properties;
            closing.number = 1;
            let own = self.schema.rules.get_mut(inside..).unwrap_or_default();
            match own.iter_mut().find(|rule| rule.keyword == Keyword::Properties) {
                Some(properties) => properties.number |= 1,
                None => self.schema.rules.push(closing),
            }
        }
        for place in inside..self.schema.rules.len() {
            let rule = self.schema.rule(narrow(place));
            let argument = schema.document().value_at(rule.argument);
            let schemas = match rule.keyword {
                Keyword::Properties | Keyword::Defs | Keyword::OtherMap => argument.raw_entries(),
                Keyword::AnyOf | Keyword::OtherSchemas if argument.tag() == parse::ARRAY => {
                    argument.members()
                }
                Keyword::Items | Keyword::AnyOf | Keyword::OtherSchemas | Keyword::AdditionalProperties => {
                    argument.alone()
                }
                _ => continue,
            };
            for (_, schema) in schemas {
                self.schema(schema, depth + 1)?;
            }
        }
        Ok(())
    }

    /// Checks the argument of a keyword and gives the number that its rule needs; `None` when it asserts nothing.
    fn argument(
        &mut self,
        entry: &Entry,
        key: Value<'_>,
        argument: Value<'_>,
        depth: usize,
    ) -> Result<Option<u32>, Refusal> {
        let mut detail = String::new();
        let text = argument.decoded();
        // What would be right, and whether a validator of one's own would be another way.
        let (reason, otherwise) = match entry.keyword {
            keyword if keyword >= Keyword::OtherSchemas => {
                detail.push_str(entry.words);
                ("is outside the built-in schema subset; ", OTHERWISE)
            }
            _ if !types::has_one(argument, entry.types) => {
                types::push_names(&mut detail, entry.types);
                ("must be of type ", "")
            }
            Keyword::Annotation => return Ok(None),
            Keyword::Type => {
                let types = types::by_names(argument);
                if types != 0 {
                    return Ok(Some(types));
                }
                types::push_names(&mut detail, types::ANY);
                ("must be one of these, or a list of them: ", "")
            }
            Keyword::MinLength | Keyword::MaxLength | Keyword::MinItems | Keyword::MaxItems => {
                let number = argument.as_u32();
                if number.is_some() {
                    return Ok(number);
                }
                ("must be a whole number from 0 to 4294967295", "")
            }
            Keyword::MultipleOf if !is_divisor(argument) => {
                ("must be above 0 and have at most 18 significant digits", "")
            }
            Keyword::UniqueItems => return Ok((argument.tag() == parse::TRUE).then_some(0)),
            Keyword::Pattern => match Pattern::compile(&text) {
                Ok(pattern) => return Ok(Some(self.pattern(pattern))),
                Err(error) => {
                    detail = error.message();
                    ("is not a usable pattern: ", "")
                }
            },
            Keyword::Format => {
                if let Some((format, pattern)) = format::by_name(argument) {
                    if !self.assert_formats || format < format::FIRST_PATTERN {
                        return Ok(self.assert_formats.then_some(format));
                    }
                    let pattern = Pattern::compile(pattern);
                    return Ok(pattern
                        .ok()
                        .map(|pattern| format::FIRST_PATTERN + self.pattern(pattern)));
                }
                let names = "must be `date-time`, `date`, `uuid`, `email` or `uri`; use `pattern`";
                (names, OTHERWISE)
            }
            Keyword::Properties => {
                let names = &mut self.schema.names;
                let start = names.len();
                for (name, _) in argument.raw_entries() {
                    names.push(name.index());
                }
                let at = |place: u32| argument.document().value_at(place);
                let own = names.get_mut(start..).unwrap_or_default();
                sort(own, &|a, b| at(a).compare_text(at(b)).is_lt());
                return Ok(Some(narrow(start) << 1));
            }
            Keyword::AnyOf if argument.is_empty() => ("must hold at least one schema", ""),
            Keyword::Required if argument.items().any(|name| name.tag() != parse::STRING) => {
                ("must be an array of property names", "")
            }
            Keyword::AdditionalProperties => {
                if let Some(allows) = argument.as_bool() {
                    return Ok((!allows).then_some(0));
                }
                ("must be `true` or `false`; list the properties", OTHERWISE)
            }
            Keyword::Ref if !text.starts_with("#/$defs/") => {
                ("must start with `#/$defs/`; move its target there", OTHERWISE)
            }
            Keyword::Root if depth > 0 => ("is allowed at the root of the schema only; leave it out", ""),
            Keyword::Root if key.is_str("$schema") && text.strip_suffix('#').unwrap_or(&text) != DIALECT => {
                detail.push_str(DIALECT);
                ("must be `", "`; leave it out")
            }
            _ => return Ok(Some(0)),
        };
        Err(at_keyword(argument, &[reason, &detail, otherwise]))
    }

    fn pattern(&mut self, pattern: Pattern) -> u32 {
        self.schema.patterns.push(pattern);
        narrow(self.schema.patterns.len() - 1)
    }

    /// Turns the texts of `$ref` into schemas.
    fn resolve(&mut self, document: &Document) -> Result<(), Refusal> {
        for place in 0..self.schema.rules.len() {
            let rule = self.schema.rule(narrow(place));
            if rule.keyword != Keyword::Ref {
                continue;
            }
            let argument = document.value_at(rule.argument);
            let text = argument.decoded();
            let target = locate(argument, &text).map_or(0, |target| self.schema.head(target));
            if target == 0 {
                let tail = ["must name a schema under `$defs`; `", &text, "` is none"];
                return Err(at_keyword(argument, &tail));
            }
            if let Some(head) = self.schema.rules.get_mut(target as usize) {
                head.keyword = Keyword::Target;
            }
            if let Some(rule) = self.schema.rules.get_mut(place) {
                rule.number = target;
            }
        }
        Ok(())
    }

    /// `$ref` and `anyOf` alone never get deeper into a value: a circle of them has no meaning.
    fn refuse_circles(&self, document: &Document) -> Result<(), Refusal> {
        // The most steps that lead to a schema; in a circle they grow without end.
        let mut steps = vec![0usize; self.schema.rules.len()];
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            let mut next = 0;
            for (place, rule) in self.schema.rules.iter().enumerate() {
                if rule.keyword >= Keyword::Schema {
                    next = steps.get(place).copied().unwrap_or(0) + 1;
                }
                let argument = document.value_at(rule.argument);
                let mut lead_to = |target: u32| {
                    if let Some(most) = steps.get_mut(target as usize)
                        && *most < next
                    {
                        *most = next;
                        is_settled = false;
                    }
                };
                match rule.keyword {
                    Keyword::Ref => lead_to(rule.number),
                    Keyword::AnyOf => argument
                        .items()
                        .for_each(|schema| lead_to(self.schema.head(schema))),
                    _ => continue,
                }
                if next > MAX_STEPS {
                    let tail = ["must not lead back to itself without a property or an item between"];
                    return Err(at_keyword(argument, &tail));
                }
            }
        }
        Ok(())
    }
}

/// Where nobody brings other documents, no reference may leave this one.
fn refuse_remote(keyword: Keyword, argument: Value<'_>, is_local: bool) -> Result<(), Refusal> {
    let is_reference = is_local && matches!(keyword, Keyword::Ref | Keyword::OtherRef);
    if is_reference && argument.tag() == parse::STRING && !argument.decoded().starts_with('#') {
        return Err(at_keyword(argument, &["must not be remote; start it with `#`"]));
    }
    Ok(())
}

fn is_divisor(argument: Value<'_>) -> bool {
    let divisor = Decimal::parse(argument.raw());
    !divisor.is_zero() && !divisor.negative && divisor.count <= MAX_DIVISOR_DIGITS
}

/// Prepares the defaults, each of which must pass the schema it would be filled for.
fn check_defaults(schema: &mut Schema, max_bytes: usize) -> Result<(), Refusal> {
    let Some((head, reason)) = broken_default(schema, max_bytes) else {
        return Ok(());
    };
    let holder = schema.default(&schema.chain(head));
    let mut refusal = at_keyword(holder.unwrap_or(schema.document.root()), &[&reason]);
    refusal.0.fault = SchemaFault::InvalidDefault;
    Err(refusal)
}

/// A schema whose default is not to be had, and why.
fn broken_default(schema: &mut Schema, max_bytes: usize) -> Option<(u32, String)> {
    if let Some(head) = defaults::prepare(schema, max_bytes) {
        let reason = "must stay small and end when the defaults within it are filled";
        return Some((head, reason.into()));
    }
    let bounds = Bounds {
        max_bytes,
        max_depth: usize::MAX,
        lone_surrogates: true,
    };
    for head in 0..narrow(schema.rules.len()) {
        // What is filled is made of slices of a valid document.
        let filled = schema.filled(head).cloned();
        let Some(document) = filled.and_then(|text| Document::parse(text, bounds).ok()) else {
            continue;
        };
        if let Some(issue) = validate::validate(schema, head, document.root()).first() {
            let place = if issue.path.is_empty() { "it" } else { &issue.path };
            let reason = concat(&["breaks its own schema: ", place, " ", &issue.message]);
            return Some((head, reason));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::check_opaque;
    use super::*;

    const LIMITS: SchemaLimits = SchemaLimits {
        max_bytes: 400,
        max_depth: 2,
    };
    const BOUNDS: Bounds = Bounds {
        max_bytes: 100_000,
        max_depth: 64,
        lone_surrogates: true,
    };

    fn message(text: &str) -> Option<String> {
        check_opaque(&Document::parse(text, BOUNDS).unwrap(), LIMITS, true)
            .err()
            .map(|error| error.message)
    }

    #[test]
    fn any_keyword_passes_but_remote_references_do_not() {
        let schema =
            r##"{"oneOf":[{"$ref":"#/x"}],"x":{"$ref":"http://a/b"},"default":{"$ref":"http://a"}}"##;
        assert_eq!(message(schema), None);
        assert_eq!(message(r#"{"properties":{"$ref":{"type":"string"}}}"#), None);
        assert_eq!(
            message(r#"{"properties":{"a/b":{"allOf":[true,{"$ref":"node.json"}]}}}"#).unwrap(),
            "`$ref` at `/properties/a~1b/allOf/1/$ref` must not be remote; start it with `#`"
        );
    }

    #[test]
    fn size_and_depth_are_bounded() {
        assert_eq!(message(r#"{"items":{"items":{"type":"string"}}}"#), None);
        assert!(
            message(r#"{"items":{"items":{"items":{}}}}"#)
                .unwrap()
                .contains("2 schemas deep")
        );
        let long = ["{\"title\":\"", &"x".repeat(400), "\"}"].concat();
        assert!(message(&long).unwrap().contains("400 bytes"));
    }

    #[test]
    fn references_are_percent_encoded_pointers() {
        let document = Document::parse(r#"{"a/b":{"c~d":[1,{"":2}]},"e f":3,"~1":4}"#, BOUNDS).unwrap();
        for (reference, expected) in [
            ("#/a~1b/c~0d/0", Some("1")),
            ("#/a~1b/c~0d/1/", Some("2")),
            ("#/e%20f", Some("3")),
            ("#/~01", Some("4")),
            ("#/a~1b/c~0d/01", None),
            ("#/a~1b/c~0d/", None),
            ("#/e%2", None),
            ("#/~", None),
            ("#", None),
            ("/e f", None),
        ] {
            assert_eq!(
                locate(document.root(), reference).map(Value::raw),
                expected,
                "{reference}"
            );
        }
    }
}
