//! What the dialects without lists of types make of them: one schema for each type, and `nullable`.
//!
//! It refuses to widen a type. Called by `node` for Gemini's `parameters` and for the strict schemas of Anthropic.

use super::node::speaks_of;
use super::types::{self, Types};
use super::{Change, Outcome, Projector, described};
use crate::json::{Json, Members};
use crate::keyword::treatment;
use crate::target::Dialect;
use alloc::vec::Vec;

impl Projector<'_> {
    /// A schema of Gemini's without `anyOf`.
    pub(super) fn openapi(&mut self, source: &Members, depth: usize) -> Outcome<Option<Json>> {
        let stated = types::about(source);
        let rest = stated.without(types::NULL);
        if stated.is_empty() {
            return Ok(Some(self.anything(source)));
        }
        if rest.is_empty() {
            return Ok(Some(Json::object([("type", Json::text("NULL"))])));
        }
        if matches!(source.get("type"), Some(Json::List(_))) {
            self.note_loss("type", Change::Rewritten, "one type each, and `nullable`");
        }
        let is_nullable = stated.has(types::NULL) && takes_null(source);
        let projected = self.by_type(source, rest, depth)?;
        Ok(projected.map(|schema| if is_nullable { with_null(schema) } else { schema }))
    }

    /// A strict schema of Anthropic's: keywords have to stand beside the one type that they are about.
    pub(super) fn literal_grammar(&mut self, source: &Members, depth: usize) -> Outcome<Option<Json>> {
        let stated = types::about(source);
        let says_more = source.0.iter().any(|(key, _)| {
            !matches!(
                key.as_str(),
                "type" | "title" | "description" | "const" | "enum" | "anyOf" | "allOf"
            )
        });
        if stated.each().count() > 1 && says_more {
            self.note_loss("type", Change::Rewritten, "one schema for each type");
            return self.by_type(source, stated, depth);
        }
        let literal = source.get("const").or_else(|| source.get("enum"));
        if literal.is_some() {
            let mut words = source.clone();
            words
                .0
                .retain(|(key, _)| treatment(Dialect::Full, key).1 == b'*' || key == "description");
            words.0.retain(|(key, _)| {
                !matches!(key.as_str(), "format" | "properties" | "items" | "prefixItems")
            });
            return self.typed(&words, depth);
        }
        match (stated.each().count(), source.get("anyOf")) {
            (1, None) => match narrowed(source, stated) {
                Some(of_one) => self.typed(&of_one, depth),
                None => Ok(None),
            },
            _ => self.typed(source, depth),
        }
    }

    fn by_type(&mut self, source: &Members, types: Types, depth: usize) -> Outcome<Option<Json>> {
        let mut branches = Vec::new();
        for (one, _) in types.each() {
            let of_one = if types.each().count() == 1 {
                Some(only(source, one))
            } else {
                narrowed(source, one)
            };
            let Some(of_one) = of_one else { continue };
            branches.extend(self.typed(&of_one, depth)?);
        }
        self.any_of(branches)
    }

    /// Any value at all, as far as that can be said.
    pub(super) fn anything(&mut self, source: &Members) -> Json {
        if self.dialect != Dialect::Gemini {
            return Json::Object(source.clone());
        }
        self.note_loss(
            "",
            Change::Narrowed,
            "a value of any type: arrays cannot be offered",
        );
        let mut branches = Vec::new();
        for name in ["STRING", "NUMBER", "BOOLEAN", "OBJECT"] {
            let mut branch = Members::default();
            branch.set("type", Json::text(name));
            if branches.is_empty() {
                branch.set_if("description", described(source.get("description"), &[]));
            }
            branches.push(with_null(Json::Object(branch)));
        }
        Json::object([("anyOf", Json::List(branches))])
    }

    /// Branches of a union of Gemini's: null among them becomes `nullable` of the others.
    pub(super) fn without_null(&mut self, branches: Vec<Json>) -> Vec<Json> {
        let is_null = |branch: &Json| branch.at("type").is("NULL");
        if branches.iter().all(is_null) || !branches.iter().any(is_null) {
            return branches;
        }
        self.note_loss("anyOf", Change::Rewritten, "`nullable` stands for null");
        branches
            .into_iter()
            .filter(|branch| !is_null(branch))
            .map(with_null)
            .collect()
    }
}

/// Whether a list of values, where there is one, has null.
fn takes_null(source: &Members) -> bool {
    match (source.get("const"), source.get("enum")) {
        (Some(value), _) => value.is_null(),
        (None, Some(values)) => values.items().iter().any(Json::is_null),
        (None, None) => true,
    }
}

/// With null allowed, as Gemini says it.
fn with_null(schema: Json) -> Json {
    let Json::Object(mut members) = schema else {
        return schema;
    };
    if let Some(Json::List(branches)) = members.take("anyOf") {
        let branches = branches.into_iter().map(with_null).collect();
        members.set("anyOf", Json::List(branches));
    } else if !members.get("type").is_some_and(|name| name.is("NULL")) {
        members.set("nullable", Json::Bool(true));
    }
    Json::Object(members)
}

fn only(source: &Members, one: Types) -> Members {
    let mut out = source.clone();
    out.set("type", one.json());
    out
}

/// What a schema says about one of its types; nothing where no value of the type is valid.
fn narrowed(source: &Members, one: Types) -> Option<Members> {
    let is_one = |value: &Json| !types::of(value).common(one).is_empty();
    let mut out = Members::default();
    out.set("type", one.json());
    for (key, value) in &source.0 {
        let about = match key.as_str() {
            "type" => continue,
            "const" if !is_one(value) => return None,
            "enum" => {
                let values: Vec<Json> = value
                    .items()
                    .iter()
                    .filter(|value| is_one(value))
                    .cloned()
                    .collect();
                if values.is_empty() {
                    return None;
                }
                out.set(key, Json::List(values));
                continue;
            }
            "properties" | "required" | "additionalProperties" => b'o',
            "items" | "prefixItems" => b'a',
            "format" => b's',
            _ => treatment(Dialect::Full, key).1,
        };
        if speaks_of(about, one) {
            out.set(key, value.clone());
        }
    }
    Some(out)
}
