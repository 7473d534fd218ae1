//! How many evaluations checking a value may take: a schema that reaches itself by two ways at one place doubles them
//! with each level of a value, and an agent chooses the value.
//!
//! It refuses to estimate low: what may apply counts as applied, and a reference as the dearest of what it may mean. The
//! engine calls it.

use std::collections::HashMap;
use std::ptr::from_ref;

use serde_json::{Map, Value};

use crate::names::{Names, REFERENCES, Target};

/// Evaluations of one value.
pub(crate) const MAX_COST: usize = 1_000_000;

/// Evaluations of one value whose issues are looked for: those of every branch are kept on the way, which costs many times
/// as much as a verdict.
pub(crate) const MAX_COST_OF_ISSUES: usize = 10_000;

/// Stands for property names: what applies to one costs the same whatever it is.
const NAME: &Value = &Value::Null;

enum State {
    /// Being counted, so many levels down.
    Open(usize),
    Known(usize),
}

/// Evaluations, and the outermost level at which a circle ended; none is `usize::MAX`. What is counted within a circle is
/// not known for good.
type Cost = (usize, usize);

struct Counter<'s> {
    names: &'s Names,
    documents: &'s [&'s Value],
    states: HashMap<(*const Value, *const Value), State>,
    level: usize,
    steps: usize,
}

/// Evaluations of a value by a schema, which is the first of the documents.
pub(crate) fn of(names: &Names, documents: &[&Value], value: &Value) -> usize {
    let mut counter = Counter {
        names,
        documents,
        states: HashMap::new(),
        level: 0,
        steps: 0,
    };
    documents
        .first()
        .map_or(0, |schema| counter.cost((0, schema), value).0)
}

impl<'s> Counter<'s> {
    fn cost(&mut self, (document, schema): Target<'s>, value: &Value) -> Cost {
        let Some(keywords) = schema.as_object() else {
            return (1, usize::MAX);
        };
        let key = (from_ref(schema), from_ref(value));
        match self.states.get(&key) {
            Some(State::Known(cost)) => return (*cost, usize::MAX),
            Some(State::Open(level)) => return (1, *level),
            None => {}
        }
        self.steps += 1;
        if self.steps > MAX_COST {
            return (self.steps, usize::MAX);
        }
        let level = self.level;
        self.states.insert(key, State::Open(level));
        self.level += 1;
        let (mut total, mut low) = self.in_place(document, keywords, value);
        for (schema, child) in below(keywords, value) {
            if total > MAX_COST {
                break;
            }
            let cost = self.cost((document, schema), child);
            total += cost.0;
            low = low.min(cost.1);
        }
        self.level = level;
        let total = total.min(MAX_COST).saturating_add(usize::from(total >= MAX_COST));
        // A leaf that costs one is counted again sooner than looked up.
        if low < level || total == 1 {
            self.states.remove(&key);
        } else {
            self.states.insert(key, State::Known(total));
        }
        (total, if low < level { low } else { usize::MAX })
    }

    /// The schema itself and what applies to the same value.
    fn in_place(&mut self, document: usize, keywords: &'s Map<String, Value>, value: &Value) -> Cost {
        let (mut total, mut low) = (1, usize::MAX);
        for choices in self.alternatives(document, keywords) {
            let mut dearest = 0;
            for schema in choices {
                if total > MAX_COST {
                    break;
                }
                let cost = self.cost(schema, value);
                dearest = dearest.max(cost.0);
                low = low.min(cost.1);
            }
            total += dearest;
        }
        (total, low)
    }

    /// What applies in place; of each group one alone.
    fn alternatives(&self, document: usize, keywords: &'s Map<String, Value>) -> Vec<Vec<Target<'s>>> {
        let mut groups = Vec::new();
        let here = |schema| (document, schema);
        for (keyword, argument) in keywords {
            match keyword.as_str() {
                "allOf" | "anyOf" | "oneOf" => {
                    groups.extend(
                        argument
                            .as_array()
                            .into_iter()
                            .flatten()
                            .map(|one| vec![here(one)]),
                    );
                }
                "dependentSchemas" | "dependencies" => {
                    let schemas = argument.as_object().into_iter().flat_map(Map::values);
                    groups.extend(schemas.map(|one| vec![here(one)]));
                }
                "not" | "if" => groups.push(vec![here(argument)]),
                name if REFERENCES.contains(&name) => {
                    let reference = argument.as_str().unwrap_or_default();
                    groups.push(self.names.targets(self.documents, document, name, reference));
                }
                _ => {}
            }
        }
        let branches = ["then", "else"].into_iter();
        groups.push(
            branches
                .filter_map(|branch| keywords.get(branch))
                .map(here)
                .collect(),
        );
        groups
    }
}

/// What applies to the children of a value.
fn below<'s, 'v>(keywords: &'s Map<String, Value>, value: &'v Value) -> Vec<(&'s Value, &'v Value)> {
    match value {
        Value::Object(entries) => entries
            .iter()
            .flat_map(|(name, child)| of_property(keywords, name, child))
            .collect(),
        Value::Array(items) => of_items(keywords, items),
        _ => Vec::new(),
    }
}

fn of_property<'s, 'v>(
    keywords: &'s Map<String, Value>,
    name: &str,
    child: &'v Value,
) -> Vec<(&'s Value, &'v Value)> {
    let map = |keyword: &str| keywords.get(keyword).and_then(Value::as_object);
    let named = map("properties").and_then(|schemas| schemas.get(name));
    let patterns = map("patternProperties").into_iter().flat_map(Map::values);
    let others = ["additionalProperties", "unevaluatedProperties"]
        .into_iter()
        .filter(|_| named.is_none());
    let others = others.filter_map(|keyword| keywords.get(keyword));
    let all = named.into_iter().chain(patterns).chain(others);
    let mut pairs: Vec<_> = all.map(|schema| (schema, child)).collect();
    pairs.extend(keywords.get("propertyNames").map(|schema| (schema, NAME)));
    pairs
}

fn of_items<'s, 'v>(keywords: &'s Map<String, Value>, items: &'v [Value]) -> Vec<(&'s Value, &'v Value)> {
    let mut pairs = Vec::new();
    let mut first = 0;
    for keyword in ["prefixItems", "items"] {
        if let Some(schemas) = keywords.get(keyword).and_then(Value::as_array) {
            pairs.extend(schemas.iter().zip(items));
            first = schemas.len();
        }
    }
    for keyword in ["items", "additionalItems", "unevaluatedItems"] {
        if let Some(schema) = keywords.get(keyword).filter(|schema| !schema.is_array()) {
            pairs.extend(items.iter().skip(first).map(|item| (schema, item)));
        }
    }
    if let Some(schema) = keywords.get("contains") {
        pairs.extend(items.iter().map(|item| (schema, item)));
    }
    pairs
}
