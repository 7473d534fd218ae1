//! Checking a value against a compiled schema.
//!
//! It refuses to look for more than 32 issues, and to go deeper than 512 schemas. `Schema::validate` and
//! the check of defaults call it.

use super::issue::{Issue, Path, push_choices, push_start};
use super::keyword::{self, Keyword};
use super::memo::Memo;
use super::{MAX_STEPS, Rule, Schema, format, types};
use crate::document::{Members, Value};
use crate::number::Decimal;
use crate::text::{concat, format_count, write_u64};
use crate::{canonical, parse, sort, text};
use alloc::string::String;
use alloc::vec::Vec;

/// Issues reported at most.
const MAX_ISSUES: usize = 32;

struct Check<'s> {
    schema: &'s Schema,
    issues: Vec<Issue>,
    memo: Memo,
    depth: usize,
    /// Whether issues are kept; inside `anyOf` only the verdict counts.
    collects: bool,
}

pub(crate) fn validate(schema: &Schema, head: u32, value: Value<'_>) -> Vec<Issue> {
    let mut check = Check {
        schema,
        issues: Vec::new(),
        memo: Memo::default(),
        depth: 0,
        collects: true,
    };
    check.value(head, value, &Path::Root);
    check.issues
}

impl<'s> Check<'s> {
    /// Notes an issue; always `false`, the verdict.
    fn report(&mut self, path: &Path<'_>, message: &str) -> bool {
        if self.collects && self.issues.len() < MAX_ISSUES {
            let issue = path.issue(message);
            // One place may be found wanting twice: by a name that `required` lists twice, or beside a `$ref`.
            if !self.issues.contains(&issue) {
                self.issues.push(issue);
            }
        }
        false
    }

    /// Whether there is no use in going on.
    fn is_done(&self, verdict: bool) -> bool {
        !verdict && (!self.collects || self.issues.len() >= MAX_ISSUES)
    }

    fn value(&mut self, head: u32, value: Value<'_>, path: &Path<'_>) -> bool {
        // The same value can come to the target of a `$ref` often.
        let is_target = self.schema.rule(head).keyword == Keyword::Target;
        if is_target && let Some(verdict) = self.memo.find(head, value.index(), self.collects) {
            return verdict;
        }
        if self.depth >= MAX_STEPS {
            return self.report(path, "is nested too deeply to be checked");
        }
        self.depth += 1;
        let verdict = self.rules(head, value, path);
        self.depth -= 1;
        if is_target {
            self.memo.insert(head, value.index(), self.collects, verdict);
        }
        verdict
    }

    fn rules(&mut self, head: u32, value: Value<'_>, path: &Path<'_>) -> bool {
        let schema = self.schema;
        let mut verdict = true;
        for rule in schema.rules.get(head as usize + 1..).unwrap_or_default() {
            let argument = schema.document.value_at(rule.argument);
            verdict &= match rule.keyword {
                Keyword::Schema | Keyword::Target => break,
                Keyword::Never => self.report(path, "must be absent"),
                Keyword::Properties => self.properties(argument, rule.number, value, path),
                Keyword::Required => self.required(argument, value, path),
                Keyword::Items => self.items(schema.head(argument), value, path),
                Keyword::AnyOf => self.any_of(argument, value, path),
                Keyword::Ref => self.value(rule.number, value, path),
                _ => self.assertion(*rule, argument, value, path),
            };
            if self.is_done(verdict) {
                break;
            }
        }
        verdict
    }

    fn items(&mut self, head: u32, value: Value<'_>, path: &Path<'_>) -> bool {
        let mut verdict = true;
        for (index, item) in value.items().enumerate() {
            verdict &= self.value(head, item, &Path::Item(path, index));
            if self.is_done(verdict) {
                break;
            }
        }
        verdict
    }

    fn any_of(&mut self, branches: Value<'s>, value: Value<'_>, path: &Path<'_>) -> bool {
        let collects = core::mem::replace(&mut self.collects, false);
        let is_any = branches
            .items()
            .any(|schema| self.value(self.schema.head(schema), value, path));
        self.collects = collects;
        if is_any || !collects {
            return is_any;
        }
        let count = format_count(branches.len());
        self.report(
            path,
            &concat(&["must match one of the ", &count, " allowed forms"]),
        )
    }

    fn properties(&mut self, properties: Value<'s>, number: u32, value: Value<'_>, path: &Path<'_>) -> bool {
        let start = (number >> 1) as usize;
        let names = self.schema.names.get(start..start + properties.len());
        let is_closed = number & 1 == 1;
        let mut verdict = true;
        let mut rest = properties.raw_entries();
        for (key, entry) in value.raw_entries() {
            let path = Path::Property(path, key);
            verdict &= match property(names.unwrap_or_default(), &mut rest, properties, key) {
                Some(schema) => self.value(self.schema.head(schema), entry, &path),
                None => !is_closed || (self.collects && self.unknown(properties, &path)),
            };
            if self.is_done(verdict) {
                break;
            }
        }
        verdict
    }

    fn required(&mut self, names: Value<'s>, value: Value<'_>, path: &Path<'_>) -> bool {
        let mut verdict = true;
        let mut rest = value.raw_entries();
        for name in names.items() {
            if value.tag() == parse::OBJECT && find(value, &mut rest, name).is_none() {
                verdict = self.report(&Path::Property(path, name), "is required");
            }
            if self.is_done(verdict) {
                break;
            }
        }
        verdict
    }

    fn unknown(&mut self, properties: Value<'s>, path: &Path<'_>) -> bool {
        let mut message = String::from("is not an allowed property");
        if !properties.is_empty() {
            message.push_str("; expected one of ");
            push_choices(&mut message, properties);
        }
        self.report(path, &message)
    }

    fn assertion(&mut self, rule: Rule, argument: Value<'s>, value: Value<'_>, path: &Path<'_>) -> bool {
        let holds = self.holds(rule, argument, value);
        if holds || !self.collects {
            return holds;
        }
        let (head, middle) = keyword::breach(rule.keyword);
        let mut message = String::from(head);
        match rule.keyword {
            Keyword::Type => types::push_names(&mut message, rule.number),
            Keyword::Enum => push_choices(&mut message, argument),
            Keyword::UniqueItems => {}
            _ => push_start(&mut message, argument),
        }
        message.push_str(middle);
        let is_number = value.tag() == parse::NUMBER;
        match rule.keyword {
            Keyword::Type if !is_number || rule.number & types::INTEGER == 0 => {
                types::push_names(&mut message, types::of(value));
            }
            Keyword::MinLength | Keyword::MaxLength | Keyword::MinItems | Keyword::MaxItems => {
                write_u64(&mut message, size(value) as u64);
            }
            Keyword::UniqueItems => {
                let (first, second) = twins(value).unwrap_or_default();
                write_u64(&mut message, u64::from(first));
                message.push_str(" and ");
                write_u64(&mut message, u64::from(second));
            }
            _ => push_start(&mut message, value),
        }
        self.report(path, &message)
    }

    /// An assertion on the value alone.
    fn holds(&self, rule: Rule, argument: Value<'s>, value: Value<'_>) -> bool {
        let bound = rule.number as usize;
        match (rule.keyword, value.tag()) {
            (Keyword::Type, _) => types::has_one(value, rule.number),
            (Keyword::Const, _) => value.equals(argument),
            (Keyword::Enum, _) => canonical::is_among(value, argument.members()),
            (Keyword::MinLength, parse::STRING) | (Keyword::MinItems, parse::ARRAY) => size(value) >= bound,
            // A character takes a byte at least: most are short enough without a count.
            (Keyword::MaxLength, parse::STRING) if value.raw().len() <= bound => true,
            (Keyword::MaxLength, parse::STRING) | (Keyword::MaxItems, parse::ARRAY) => size(value) <= bound,
            (Keyword::UniqueItems, parse::ARRAY) => twins(value).is_none(),
            (Keyword::Pattern, parse::STRING) => self.matches(bound, value),
            (Keyword::Format, parse::STRING) => match bound.checked_sub(format::FIRST_PATTERN as usize) {
                Some(pattern) => self.matches(pattern, value),
                None => format::is_valid(rule.number, &value.decoded()),
            },
            (keyword, parse::NUMBER) if Keyword::Minimum <= keyword && keyword <= Keyword::MultipleOf => {
                number_holds(keyword, value, argument)
            }
            _ => true,
        }
    }

    #[inline(never)]
    fn matches(&self, pattern: usize, value: Value<'_>) -> bool {
        let pattern = self.schema.patterns.get(pattern);
        pattern.is_none_or(|pattern| pattern.is_match(&value.decoded()))
    }
}

/// The schema of a property. `rest` is where to look first, since names tend to come in order; `names` are sorted.
fn property<'a>(
    names: &[u32],
    rest: &mut Members<'a>,
    properties: Value<'a>,
    key: Value<'_>,
) -> Option<Value<'a>> {
    if let Some((name, schema)) = rest.next()
        && name.has_same_text(key)
    {
        return Some(schema);
    }
    let at = |place: u32| properties.document().value_at(place);
    let place = names.partition_point(|name| at(*name).compare_text(key).is_lt());
    let name = at(*names.get(place)?);
    if !name.has_same_text(key) {
        return None;
    }
    let schema = at(name.next());
    rest.go_behind(schema);
    Some(schema)
}

/// The value of the entry with this name; `rest` are the entries to try first, since names tend to come in order.
fn find<'a>(object: Value<'a>, rest: &mut Members<'a>, name: Value<'_>) -> Option<Value<'a>> {
    for _ in 0..2 {
        for (key, value) in rest.by_ref() {
            if key.has_same_text(name) {
                return Some(value);
            }
        }
        *rest = object.raw_entries();
    }
    None
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

/// Items of an array, Unicode code points of a string.
fn size(value: Value<'_>) -> usize {
    match value.inside() {
        Some((inside, true)) => text::Chars::new(inside).count(),
        Some((inside, false)) => text::characters(inside),
        None => value.len(),
    }
}

/// The first two equal items in sorted order, found by their canonical texts with equal numbers alike.
fn twins(array: Value<'_>) -> Option<(u32, u32)> {
    let (mut texts, mut order) = (Vec::new(), Vec::new());
    for item in array.items() {
        order.push(parse::narrow(texts.len()));
        texts.push(canonical::comparable(item));
    }
    let at = |index: u32| texts.get(index as usize);
    sort::sort(&mut order, &|a, b| (at(a), a) < (at(b), b));
    let mut last = u32::MAX;
    for index in order {
        if at(last) == at(index) {
            return Some((last, index));
        }
        last = index;
    }
    None
}
