//! Checking a value against a compiled schema.
//!
//! It refuses to look for more than 32 issues, and to go deeper than 512 schemas. `Schema::validate` and
//! the check of defaults call it.

use super::Schema;
use super::format;
use super::issue::{Issue, Path, choices, echo, short};
use super::keyword::{self, Keyword};
use super::memo::Memo;
use super::rules::{INTEGER, NUMBER, Node, ObjectRule, Rule, type_names, type_of};
use crate::document::Value;
use crate::number::Decimal;
use crate::text::format_count;
use crate::{canonical, parse, sort, text};

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
            verdict &= self.rule(*rule, value, path);
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
            let found = rule.find(&self.schema.document, key, expected);
            let mut node = None;
            if let Some(index) = found {
                seen.set(index);
                expected = index + 1;
                node = rule.properties.get(index).and_then(|property| property.node);
            }
            let path = Path::Property(path, key);
            verdict &= match node {
                Some(id) => self.value(id, entry, &path),
                None => rule.allows_others || self.unknown(rule, &path),
            };
        }
        for (index, property) in rule.properties.iter().enumerate() {
            if property.is_required && !seen.has(index) {
                let name = self.schema.document.value_at(property.name);
                verdict = self.report(&Path::Property(path, name), &["is required"]);
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
            let name = self.schema.document.value_at(property.name);
            known.push_str(&short(&name.as_str().unwrap_or_default()));
        }
        if !known.is_empty() {
            known.push('`');
        }
        self.report(path, &["is not an allowed property", &known])
    }

    fn wrong_type(&mut self, types: u8, value: Value<'_>, path: &Path<'_>) -> bool {
        let found = type_of(value);
        let is_close = types & INTEGER != 0 && found == NUMBER;
        let found = if is_close { echo(value) } else { type_names(found) };
        self.report(path, &["must be of type ", &type_names(types), ", not ", &found])
    }

    fn rule(&mut self, rule: Rule, value: Value<'_>, path: &Path<'_>) -> bool {
        let argument = self.schema.document.value_at(rule.argument);
        let mut found = None;
        let holds = match rule.keyword {
            Keyword::Const => value.equals(argument),
            Keyword::Enum => is_among(value, argument),
            Keyword::MinItems | Keyword::MaxItems | Keyword::UniqueItems if value.tag() == parse::ARRAY => {
                array_holds(rule, value, &mut found)
            }
            Keyword::MinLength | Keyword::MaxLength | Keyword::Pattern | Keyword::Format
                if value.tag() == parse::STRING =>
            {
                self.string_holds(rule, value, &mut found)
            }
            Keyword::Minimum
            | Keyword::Maximum
            | Keyword::ExclusiveMinimum
            | Keyword::ExclusiveMaximum
            | Keyword::MultipleOf
                if value.tag() == parse::NUMBER =>
            {
                number_holds(rule.keyword, value, argument)
            }
            _ => true,
        };
        holds
            || self.breach(
                rule.keyword,
                argument,
                &found.unwrap_or_else(|| echo(value)),
                path,
            )
    }

    /// Reports in the words of the keyword.
    fn breach(&mut self, keyword: Keyword, argument: Value<'_>, found: &str, path: &Path<'_>) -> bool {
        if !self.collects {
            return false;
        }
        let expected = match keyword {
            Keyword::Enum => choices(argument),
            Keyword::UniqueItems => String::new(),
            _ => echo(argument),
        };
        let (head, middle) = keyword::breach(keyword);
        self.report(path, &[head, &expected, middle, found])
    }

    fn string_holds(&self, rule: Rule, value: Value<'_>, found: &mut Option<String>) -> bool {
        let text = || value.as_str().unwrap_or_default();
        match rule.keyword {
            Keyword::Pattern => {
                let pattern = self.schema.patterns.get(rule.number as usize);
                pattern.is_none_or(|pattern| pattern.is_match(&text()))
            }
            Keyword::Format => format::is_valid(rule.number, &text()),
            keyword => size_holds(keyword == Keyword::MinLength, rule.number, length(value), found),
        }
    }
}

fn array_holds(rule: Rule, value: Value<'_>, found: &mut Option<String>) -> bool {
    if rule.keyword != Keyword::UniqueItems {
        return size_holds(rule.keyword == Keyword::MinItems, rule.number, value.len(), found);
    }
    let twins = twins(value);
    if let Some((first, second)) = twins {
        *found = Some([&format_count(first), " and ", &format_count(second)].concat());
    }
    twins.is_none()
}

fn size_holds(is_least: bool, bound: u32, size: usize, found: &mut Option<String>) -> bool {
    let holds = if is_least {
        size >= bound as usize
    } else {
        size <= bound as usize
    };
    if !holds {
        *found = Some(format_count(size));
    }
    holds
}

/// A large value is put in order once, not once per allowed value.
fn is_among(value: Value<'_>, allowed: Value<'_>) -> bool {
    let is_container = matches!(value.tag(), parse::ARRAY | parse::OBJECT);
    let mut text = None;
    allowed
        .items()
        .filter(|item| item.tag() == value.tag())
        .any(|item| {
            if is_container {
                *text.get_or_insert_with(|| canonical::comparable(value)) == canonical::comparable(item)
            } else {
                value.equals(item)
            }
        })
}

fn number_holds(keyword: Keyword, value: Value<'_>, argument: Value<'_>) -> bool {
    let (value, argument) = (Decimal::parse(value.raw()), Decimal::parse(argument.raw()));
    let order = value.compare(&argument);
    match keyword {
        Keyword::Minimum => order.is_ge(),
        Keyword::Maximum => order.is_le(),
        Keyword::ExclusiveMinimum => order.is_gt(),
        Keyword::ExclusiveMaximum => order.is_lt(),
        _ => value.is_multiple_of(&argument),
    }
}

fn has_type(types: u8, value: Value<'_>) -> bool {
    let found = type_of(value);
    types == 0
        || types & found != 0
        || (types & INTEGER != 0 && found == NUMBER && Decimal::parse(value.raw()).is_integer())
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
