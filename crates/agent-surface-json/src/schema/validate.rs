//! Checking a value against a compiled schema.
//!
//! It refuses to look for more than 32 issues, and to go deeper than 512 schemas. `Schema::validate` and
//! the check of defaults call it.

use super::Schema;
use super::issue::{Issue, Path, choices, echo, short};
use super::memo::Memo;
use super::rules::{INTEGER, NUMBER, Node, ObjectRule, Rule, TYPES, type_of};
use crate::document::Value;
use crate::number::Decimal;
use crate::{canonical, format_count, parse, sort, text};
use core::cmp::Ordering;

/// Issues reported at most.
const MAX_ISSUES: usize = 32;
/// Schemas open at once: 64 levels of a value under eight schemas each.
const MAX_DEPTH: u32 = 512;

struct Check<'s> {
    schema: &'s Schema,
    issues: Vec<Issue>,
    memo: Memo,
    depth: u32,
    /// Whether issues are kept; inside `anyOf` only the verdict counts.
    collects: bool,
}

pub(crate) fn validate(schema: &Schema, id: u32, value: Value<'_>) -> Vec<Issue> {
    let mut check = Check {
        schema,
        issues: Vec::new(),
        memo: Memo::default(),
        depth: 0,
        collects: true,
    };
    check.value(id, value, &Path::Root);
    check.issues
}

impl Check<'_> {
    /// Notes an issue; always `false`, the verdict.
    fn report(&mut self, path: &Path<'_>, message: &[&str]) -> bool {
        if self.collects && self.issues.len() < MAX_ISSUES {
            self.issues.push(path.issue(message.concat()));
        }
        false
    }

    /// Whether there is no use in going on.
    fn is_done(&self, verdict: bool) -> bool {
        !verdict && (!self.collects || self.issues.len() >= MAX_ISSUES)
    }

    fn value(&mut self, id: u32, value: Value<'_>, path: &Path<'_>) -> bool {
        let schema = self.schema;
        let Some(node) = schema.node(id) else {
            return true;
        };
        if !node.is_target {
            return self.guarded(node, value, path);
        }
        if let Some(verdict) = self.memo.find(id, value.index(), self.collects) {
            return verdict;
        }
        let verdict = self.guarded(node, value, path);
        self.memo.insert(id, value.index(), self.collects, verdict);
        verdict
    }

    fn guarded(&mut self, node: &Node, value: Value<'_>, path: &Path<'_>) -> bool {
        if self.depth >= MAX_DEPTH {
            return self.report(path, &["is nested too deeply to be checked"]);
        }
        self.depth += 1;
        let verdict = self.node(node, value, path);
        self.depth -= 1;
        verdict
    }

    fn node(&mut self, node: &Node, value: Value<'_>, path: &Path<'_>) -> bool {
        if node.is_never {
            return self.report(path, &["must be absent"]);
        }
        let mut verdict = has_type(node.types, value) || self.wrong_type(node.types, value, path);
        for rule in &node.rules {
            if self.is_done(verdict) {
                return false;
            }
            verdict &= self.rule(rule, value, path);
        }
        if let Some(items) = node.items {
            for (index, item) in value.items().enumerate() {
                if self.is_done(verdict) {
                    return false;
                }
                verdict &= self.value(items, item, &Path::Item(path, index));
            }
        }
        if let Some(rule) = &node.object
            && value.tag() == parse::OBJECT
            && !self.is_done(verdict)
        {
            verdict &= self.object(rule, value, path);
        }
        if !node.any_of.is_empty() && !self.is_done(verdict) {
            verdict &= self.any_of(&node.any_of, value, path);
        }
        if let Some(target) = node.reference
            && !self.is_done(verdict)
        {
            verdict &= self.value(target, value, path);
        }
        verdict
    }

    fn any_of(&mut self, branches: &[u32], value: Value<'_>, path: &Path<'_>) -> bool {
        let collects = core::mem::replace(&mut self.collects, false);
        let is_any = branches.iter().any(|id| self.value(*id, value, path));
        self.collects = collects;
        is_any
            || self.report(
                path,
                &[
                    "must match one of the ",
                    &format_count(branches.len()),
                    " allowed forms",
                ],
            )
    }

    fn object(&mut self, rule: &ObjectRule, value: Value<'_>, path: &Path<'_>) -> bool {
        let mut verdict = true;
        let mut seen = Bits::default();
        let mut expected = 0;
        for (key, entry) in value.raw_entries() {
            if self.is_done(verdict) {
                return false;
            }
            let name = key.as_str().unwrap_or_default();
            let found = rule.find(&name, expected);
            let mut node = None;
            if let Some(index) = found {
                seen.set(index);
                expected = index + 1;
                node = rule.properties.get(index).and_then(|property| property.node);
            }
            let path = Path::Property(path, &name);
            verdict &= match node {
                Some(id) => self.value(id, entry, &path),
                None => rule.allows_others || self.unknown(rule, &path),
            };
        }
        for (index, property) in rule.properties.iter().enumerate() {
            if property.is_required && !seen.has(index) {
                verdict = self.report(&Path::Property(path, &property.name), &["is required"]);
                if self.is_done(verdict) {
                    return false;
                }
            }
        }
        verdict
    }

    fn unknown(&mut self, rule: &ObjectRule, path: &Path<'_>) -> bool {
        if !self.collects {
            return false;
        }
        let mut known = String::new();
        for property in rule
            .properties
            .iter()
            .filter(|property| property.node.is_some())
            .take(8)
        {
            known.push_str(if known.is_empty() {
                "; expected one of `"
            } else {
                "`, `"
            });
            known.push_str(&short(&property.name));
        }
        if !known.is_empty() {
            known.push('`');
        }
        self.report(path, &["is not an allowed property", &known])
    }

    fn wrong_type(&mut self, types: u8, value: Value<'_>, path: &Path<'_>) -> bool {
        let mut expected = String::new();
        for (name, bit) in TYPES {
            if types & bit != 0 {
                expected.push_str(if expected.is_empty() { "" } else { " or " });
                expected.push_str(name);
            }
        }
        let is_close = types & INTEGER != 0 && type_of(value) == NUMBER;
        let found = if is_close {
            echo(value)
        } else {
            type_name(value).into()
        };
        self.report(path, &["must be of type ", &expected, ", not ", &found])
    }

    fn rule(&mut self, rule: &Rule, value: Value<'_>, path: &Path<'_>) -> bool {
        let document = &self.schema.document;
        match rule {
            Rule::Const(index) => {
                let expected = document.value_at(*index);
                value.equals(expected)
                    || self.report(path, &["must be ", &echo(expected), ", not ", &echo(value)])
            }
            Rule::Enum(index) => {
                let allowed = document.value_at(*index);
                allowed.items().any(|expected| value.equals(expected))
                    || self.report(
                        path,
                        &["must be one of ", &choices(allowed), ", not ", &echo(value)],
                    )
            }
            Rule::Minimum(at) => self.bound(value, *at, path, "at least", Ordering::is_ge),
            Rule::Maximum(at) => self.bound(value, *at, path, "at most", Ordering::is_le),
            Rule::ExclusiveMinimum(at) => self.bound(value, *at, path, "greater than", Ordering::is_gt),
            Rule::ExclusiveMaximum(at) => self.bound(value, *at, path, "less than", Ordering::is_lt),
            Rule::MultipleOf(at) => {
                let divisor = document.value_at(*at);
                value.tag() != parse::NUMBER
                    || Decimal::parse(value.raw()).is_multiple_of(&Decimal::parse(divisor.raw()))
                    || self.report(
                        path,
                        &["must be a multiple of ", divisor.raw(), ", not ", &echo(value)],
                    )
            }
            Rule::MinLength(_) | Rule::MaxLength(_) | Rule::Pattern(..) | Rule::Format(_) => {
                value.tag() != parse::STRING || self.string(rule, value, path)
            }
            Rule::MinItems(_) | Rule::MaxItems(_) | Rule::UniqueItems => {
                value.tag() != parse::ARRAY || self.array(rule, value, path)
            }
        }
    }

    fn bound(
        &mut self,
        value: Value<'_>,
        index: u32,
        path: &Path<'_>,
        words: &str,
        holds: fn(Ordering) -> bool,
    ) -> bool {
        let limit = self.schema.document.value_at(index).raw();
        value.tag() != parse::NUMBER
            || holds(Decimal::parse(value.raw()).compare(&Decimal::parse(limit)))
            || self.report(path, &["must be ", words, " ", limit, ", not ", &echo(value)])
    }

    fn string(&mut self, rule: &Rule, value: Value<'_>, path: &Path<'_>) -> bool {
        match rule {
            Rule::MinLength(least) => {
                let length = length(value);
                length >= *least as usize || self.size(path, "at least", *least, "character", length)
            }
            Rule::MaxLength(most) => {
                let length = length(value);
                length <= *most as usize || self.size(path, "at most", *most, "character", length)
            }
            Rule::Pattern(pattern, index) => {
                let source = self.schema.document.value_at(*index);
                pattern.is_match(&value.as_str().unwrap_or_default())
                    || self.report(
                        path,
                        &[
                            "must match the pattern ",
                            &echo(source),
                            ", not be ",
                            &echo(value),
                        ],
                    )
            }
            Rule::Format(format) => {
                (format.check)(&value.as_str().unwrap_or_default())
                    || self.report(path, &["must be ", format.words, ", not ", &echo(value)])
            }
            _ => true,
        }
    }

    fn array(&mut self, rule: &Rule, value: Value<'_>, path: &Path<'_>) -> bool {
        let length = value.len();
        match rule {
            Rule::MinItems(least) => {
                length >= *least as usize || self.size(path, "at least", *least, "item", length)
            }
            Rule::MaxItems(most) => {
                length <= *most as usize || self.size(path, "at most", *most, "item", length)
            }
            _ => match twins(value) {
                Some((a, b)) => {
                    let (a, b) = (format_count(a), format_count(b));
                    self.report(
                        path,
                        &["must not repeat items: items ", &a, " and ", &b, " are equal"],
                    )
                }
                None => true,
            },
        }
    }

    fn size(&mut self, path: &Path<'_>, words: &str, bound: u32, unit: &str, found: usize) -> bool {
        let plural = if bound == 1 { "" } else { "s" };
        let (bound, found) = (format_count(bound as usize), format_count(found));
        self.report(
            path,
            &[
                "must have ",
                words,
                " ",
                &bound,
                " ",
                unit,
                plural,
                ", not ",
                &found,
            ],
        )
    }
}

fn has_type(types: u8, value: Value<'_>) -> bool {
    let found = type_of(value);
    types == 0
        || types & found != 0
        || (types & INTEGER != 0 && found == NUMBER && Decimal::parse(value.raw()).is_integer())
}

fn type_name(value: Value<'_>) -> &'static str {
    let found = type_of(value);
    TYPES
        .iter()
        .find(|(_, bit)| *bit == found)
        .map_or("", |(name, _)| name)
}

/// Unicode code points of a string.
fn length(value: Value<'_>) -> usize {
    match value.inside() {
        Some((inside, true)) => text::Chars::new(inside).count(),
        Some((inside, false)) => inside.chars().count(),
        None => 0,
    }
}

/// The first two equal items in sorted order, found by their canonical texts with equal numbers alike.
fn twins(array: Value<'_>) -> Option<(usize, usize)> {
    let texts: Vec<String> = array.items().map(canonical::comparable).collect();
    let mut order: Vec<u32> = (0..parse::narrow(texts.len())).collect();
    let at = |index: u32| texts.get(index as usize);
    sort::sort(&mut order, &|a, b| at(a) < at(b));
    let pairs = order.iter().zip(order.iter().skip(1));
    let (a, b) = pairs.into_iter().find(|(a, b)| at(**a) == at(**b))?;
    Some((*a as usize, *b as usize))
}

/// Which properties were seen; the first 64 cost no allocation.
#[derive(Default)]
struct Bits {
    first: u64,
    more: Vec<u64>,
}

impl Bits {
    fn set(&mut self, index: usize) {
        if index < 64 {
            self.first |= 1 << index;
            return;
        }
        let word = index / 64 - 1;
        if self.more.len() <= word {
            self.more.resize(word + 1, 0);
        }
        if let Some(bits) = self.more.get_mut(word) {
            *bits |= 1 << (index % 64);
        }
    }

    fn has(&self, index: usize) -> bool {
        let bits = match index / 64 {
            0 => self.first,
            word => self.more.get(word - 1).copied().unwrap_or(0),
        };
        bits >> (index % 64) & 1 == 1
    }
}
