//! The root of a tool's input without `$ref`, `allOf`, `anyOf` and `oneOf`: one object with the fields of all branches.
//!
//! It refuses branches that are no objects: no tool is called with them. The choice goes into the description. Called for
//! the root of every dialect but JSON Schema itself.

use super::{Change, MAX_SCHEMAS, Outcome, Projector, types};
use crate::json::{Json, Members};
use crate::target::Dialect;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

/// References that lead to references, and unions within unions.
const MAX_CHAIN: usize = 32;

impl Projector<'_> {
    /// The root as one object.
    pub(super) fn flatten(&mut self, schema: &Json, depth: usize) -> Outcome<Members> {
        if depth > MAX_CHAIN {
            return self.quarantine("", "its references go in a circle");
        }
        self.schemas += 1;
        if self.schemas > MAX_SCHEMAS {
            return self.quarantine("", "too large once its references are written out");
        }
        let mut members = match schema {
            Json::Object(members) => members.clone(),
            Json::Bool(true) | Json::Null => Members::default(),
            _ => return self.quarantine("", "the input of a tool must be an object"),
        };
        if let Some(reference) = members.take("$ref") {
            let (_, target) = self.target(reference.str())?;
            let target = self.flatten(&target, depth + 1)?;
            self.note_loss(
                "$ref",
                Change::Rewritten,
                "the root must be an object itself: written out",
            );
            members = self.merged(members, target);
        }
        if let Some(all) = members.take("allOf") {
            self.note_loss("allOf", Change::Rewritten, "the root must be one object: merged");
            for (at, branch) in all.items().iter().enumerate() {
                let flat = self.inside(&["allOf", &index(at)], |walk| walk.flatten(branch, depth + 1))?;
                members = self.merged(members, flat);
            }
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(union) = members.take(keyword) {
                members = self.united(members, keyword, &union, depth)?;
            }
        }
        if depth == 0 {
            self.rooted(&mut members)?;
        }
        Ok(members)
    }

    /// Says that it is an object.
    fn rooted(&mut self, members: &mut Members) -> Outcome<()> {
        let types = types::stated(members);
        let literal = types::literal(members);
        if [types, literal]
            .iter()
            .any(|types| !types.is_empty() && !types.has(types::OBJECT))
        {
            return self.quarantine("type", "the input of a tool must be an object");
        }
        for key in ["const", "enum"] {
            if let Some(values) = members.take(key) {
                self.note_loss(
                    key,
                    Change::Weakened,
                    "the root is an object of fields: the description has the values",
                );
                let text = super::described(members.get("description"), &[super::note(key, &values)]);
                members.set_if("description", text);
            }
        }
        if !members.get("type").is_some_and(|stated| stated.is("object")) {
            let mut found = Vec::new();
            super::reference::references(self.root, &mut found);
            self.rooted_loss(&found);
        }
        members.take("type");
        members.0.insert(0, ("type".to_owned(), types::OBJECT.json()));
        if self.dialect != Dialect::Gemini && members.get("properties").is_none() {
            members.set("properties", Json::Object(Members::default()));
        }
        Ok(())
    }

    /// The base with the fields of all branches.
    fn united(&mut self, base: Members, keyword: &str, union: &Json, depth: usize) -> Outcome<Members> {
        let mut branches = Vec::new();
        for (at, branch) in union.items().iter().enumerate() {
            if *branch == Json::Bool(false) {
                continue;
            }
            let flat = self.inside(&[keyword, &index(at)], |walk| walk.flatten(branch, depth + 1))?;
            let types = types::stated(&flat);
            if types.is_empty() || types.has(types::OBJECT) {
                branches.push(flat);
            }
        }
        match branches.len() {
            0 => return self.quarantine(keyword, "the input of a tool must be an object"),
            1 => {
                self.note_loss(
                    keyword,
                    Change::Rewritten,
                    "one branch is left: merged into the root",
                );
                return Ok(self.merged(base, branches.remove(0)));
            }
            _ => {}
        }
        self.note_loss(
            keyword,
            Change::Weakened,
            "the root takes no union: it has the fields of all branches, and the description has the choice",
        );
        if leaves_open(&branches) {
            self.note_loss(
                keyword,
                Change::Narrowed,
                "a field is always what the branches that name it say",
            );
        }
        let choice = choice(keyword, &branches);
        let mut sum = fields(&branches);
        let known = base.get("description").map(Json::str).unwrap_or_default();
        let space = if known.is_empty() { "" } else { " " };
        sum.set("description", Json::Text([known, space, &choice].concat()));
        let mut base = base;
        base.take("description");
        Ok(self.merged(base, sum))
    }
}

fn index(at: usize) -> String {
    let mut out = String::new();
    agent_surface_json::write_u64(&mut out, at as u64);
    out
}

/// Whether an open branch does not name a field of another.
fn leaves_open(branches: &[Members]) -> bool {
    let named = |branch: &Members, name: &str| {
        branch
            .get("properties")
            .is_some_and(|all| all.get(name).is_some())
    };
    let fields = || {
        branches
            .iter()
            .filter_map(|branch| branch.get("properties"))
            .flat_map(Json::members)
    };
    branches.iter().any(|branch| {
        let is_open = branch.get("additionalProperties") != Some(&Json::Bool(false));
        is_open && fields().any(|(name, _)| !named(branch, name))
    })
}

/// One object for several: every field, what all of them require, closed if all are.
fn fields(branches: &[Members]) -> Members {
    let mut variants: Vec<(String, Vec<Json>)> = Vec::new();
    for (name, schema) in branches
        .iter()
        .flat_map(|branch| branch.get("properties").map_or(&[][..], Json::members))
    {
        match variants.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) if known.contains(schema) => {}
            Some((_, known)) => known.push(schema.clone()),
            None => variants.push((name.clone(), Vec::from([schema.clone()]))),
        }
    }
    let properties = variants
        .into_iter()
        .map(|(name, schemas)| (name, any_of(schemas)));
    let mut out = Members::default();
    out.set("properties", Json::Object(properties.collect()));
    let requires = |branch: &Members, name: &Json| {
        branch
            .get("required")
            .is_some_and(|names| names.items().contains(name))
    };
    let first = branches.first().and_then(|branch| branch.get("required"));
    let common: Vec<Json> = first
        .map_or(&[][..], Json::items)
        .iter()
        .filter(|name| branches.iter().all(|branch| requires(branch, name)))
        .cloned()
        .collect();
    if !common.is_empty() {
        out.set("required", Json::List(common));
    }
    if branches
        .iter()
        .all(|branch| branch.get("additionalProperties") == Some(&Json::Bool(false)))
    {
        out.set("additionalProperties", Json::Bool(false));
    }
    out
}

/// One schema for several: one list of values where they are nothing else.
fn any_of(mut schemas: Vec<Json>) -> Json {
    if schemas.len() == 1 {
        return schemas.remove(0);
    }
    let mut values: Vec<Json> = Vec::new();
    let mut types = types::Types::default();
    for schema in &schemas {
        let is_literal = schema
            .members()
            .iter()
            .all(|(key, _)| matches!(key.as_str(), "const" | "enum" | "type"));
        let own = match (schema.get("const"), schema.get("enum")) {
            (Some(value), None) if is_literal => core::slice::from_ref(value),
            (None, Some(list)) if is_literal => list.items(),
            _ => return Json::object([("anyOf", Json::List(schemas))]),
        };
        for value in own {
            types = types.with(types::of(value));
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
    }
    Json::object([("type", types.json()), ("enum", Json::List(values))])
}

/// What a description says instead of the union.
fn choice(keyword: &str, branches: &[Members]) -> String {
    let mut out = (if keyword == "oneOf" {
        "Give exactly one of these sets of fields: "
    } else {
        "Give one or more of these sets of fields: "
    })
    .to_owned();
    for (at, branch) in branches.iter().enumerate() {
        out.push_str(if at == 0 { "(" } else { " or (" });
        let names = branch.get("required").map_or(&[][..], Json::items);
        for (at, name) in names.iter().map(Json::str).enumerate() {
            out.push_str(if at == 0 { "" } else { ", " });
            out.push_str(name);
            if let Some(value) = branch.get("properties").and_then(|all| all.at(name).get("const")) {
                out.push_str(": ");
                out.push_str(&value.write());
            }
        }
        out.push(')');
    }
    out.push('.');
    out
}

#[cfg(test)]
mod tests {
    use crate::json::Json;
    use crate::schema::{Refusal, project};
    use crate::target::Dialect;

    #[test]
    fn unions_of_references_to_unions_multiply_up_to_a_bound() {
        let mut schema = String::from(r##"{"$ref":"#/$defs/0","$defs":{"14":{"type":"object"}"##);
        for at in 0..14 {
            let next = [r##"{"$ref":"#/$defs/"##, &(at + 1).to_string(), r#""}"#].concat();
            let branches = [next.as_str(); 9].join(",");
            schema += &[",\"", &at.to_string(), "\":{\"anyOf\":[", &branches, "]}"].concat();
        }
        let schema = Json::parse(&(schema + "}}")).unwrap();
        let refusal = project(&schema, Dialect::Anthropic).unwrap_err();
        let Refusal::Quarantine { reason, .. } = refusal else {
            panic!("{refusal:?}");
        };
        assert_eq!(reason, "too large once its references are written out");
    }
}
