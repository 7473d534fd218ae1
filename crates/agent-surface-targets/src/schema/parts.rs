//! What an object, an array or a list of values is made of.
//!
//! It refuses to decide which keyword it is: `node` calls the function for it.

use super::node::{Draft, IN_DESCRIPTION};
use super::types;
use super::{Change, Outcome, Projector};
use crate::json::{Json, Members, stronger};
use crate::target::Dialect;
use alloc::string::String;
use alloc::vec::Vec;

impl Projector<'_> {
    pub(super) fn properties(
        &mut self,
        value: &Json,
        source: &Members,
        draft: &mut Draft,
        depth: usize,
    ) -> Outcome<()> {
        if self.dialect == Dialect::Gemini && !draft.types.has(types::OBJECT) {
            return Ok(());
        }
        // Where no other fields are taken, one that is left out is still refused.
        let is_closed = source.get("additionalProperties") == Some(&Json::Bool(false))
            && source.get("patternProperties").is_none()
            && self.dialect != Dialect::Gemini;
        let left_out = if is_closed {
            Change::Rewritten
        } else {
            Change::Weakened
        };
        let mut out = Members::default();
        for (name, schema) in value.members() {
            let projected = self.inside(&["properties", name], |walk| {
                let projected = walk.node(schema, depth + 1)?;
                if projected.is_none() {
                    walk.note_loss("", left_out, "it takes no value: left out");
                }
                Ok(projected)
            })?;
            out.set_if(name, projected);
        }
        draft.out.set("properties", Json::Object(out));
        Ok(())
    }

    pub(super) fn items(
        &mut self,
        value: &Json,
        source: &Members,
        draft: &mut Draft,
        depth: usize,
    ) -> Outcome<()> {
        if self.dialect == Dialect::Gemini && !draft.types.has(types::ARRAY) {
            return Ok(());
        }
        let projected = self.inside(&["items"], |walk| walk.node(value, depth + 1))?;
        let Some(items) = projected else {
            self.note_loss(
                "items",
                Change::Rewritten,
                "no more items are valid: at most so many",
            );
            let named = source.get("prefixItems").map_or(0, |list| list.items().len());
            let mut most = String::new();
            agent_surface_json::write_u64(&mut most, named as u64);
            let most = source.get("maxItems").map_or_else(
                || Json::Number(most.clone()),
                |stated| stronger(stated, &Json::Number(most.clone()), false),
            );
            return self.plain("maxItems", &most, draft);
        };
        draft.out.set("items", items);
        Ok(())
    }

    /// A list of schemas; false where none of a union is left.
    pub(super) fn list(
        &mut self,
        key: &str,
        value: &Json,
        source: &Members,
        draft: &mut Draft,
        depth: usize,
    ) -> Outcome<bool> {
        let is_tuple = key == "prefixItems";
        if is_tuple && self.dialect == Dialect::Gemini && !draft.types.has(types::ARRAY) {
            return Ok(true);
        }
        if is_tuple {
            match self.dialect {
                Dialect::OpenaiStrict => return self.not_strict(key, "it has no strict form").map(|()| true),
                Dialect::AnthropicStrict => {
                    self.describe(key, value, draft);
                    return Ok(true);
                }
                _ => {}
            }
        }
        let mut branches = Vec::new();
        for (at, branch) in value.items().iter().enumerate() {
            let mut place = String::new();
            agent_surface_json::write_u64(&mut place, at as u64);
            let deeper = depth + usize::from(is_tuple);
            let projected = self.inside(&[key, &place], |walk| walk.node(branch, deeper))?;
            if projected.is_none() && key == "allOf" {
                return Ok(false);
            }
            branches.extend(projected);
        }
        if is_tuple && self.dialect == Dialect::Gemini {
            self.note_loss(
                key,
                Change::Weakened,
                "one schema for all items: places are not told apart",
            );
            if let (Some(rest), true) = (source.get("items"), draft.types.has(types::ARRAY)) {
                branches.extend(self.inside(&["items"], |walk| walk.node(rest, depth + 1))?);
            }
            draft.out.set_if("items", self.any_of(branches)?);
            return Ok(true);
        }
        if branches.is_empty() {
            return Ok(key != "anyOf" && key != "oneOf");
        }
        if key == "anyOf" && self.dialect == Dialect::OpenaiStrict {
            // Says whether it may stand so.
            self.any_of(branches.clone())?;
        }
        draft.out.set(key, Json::List(branches));
        Ok(true)
    }

    pub(super) fn constant(&mut self, value: &Json, draft: &mut Draft) {
        let is_plain = !matches!(value, Json::List(_) | Json::Object(_));
        match self.dialect {
            Dialect::Gemini => self.gemini_constant(value, draft),
            Dialect::AnthropicStrict if is_plain => {
                draft.out.set("const", value.clone());
                draft.out.take("type");
            }
            Dialect::AnthropicStrict => self.describe("const", value, draft),
            Dialect::GeminiJson | Dialect::Portable => {
                draft.out.set("enum", Json::List(Vec::from([value.clone()])));
                self.note_loss("const", Change::Rewritten, "a list of one value");
            }
            _ => draft.out.set("const", value.clone()),
        }
    }

    fn gemini_constant(&mut self, value: &Json, draft: &mut Draft) {
        match value {
            Json::Text(text) if !text.is_empty() && draft.types.has(types::STRING) => {
                draft.out.set("enum", Json::List(Vec::from([value.clone()])));
                self.note_loss("const", Change::Rewritten, "a list of one value");
            }
            Json::Number(_) if draft.types.has(types::NUMBER) || draft.types.has(types::INTEGER) => {
                draft.out.set("minimum", value.clone());
                draft.out.set("maximum", value.clone());
                self.note_loss("const", Change::Rewritten, "both bounds are this number");
            }
            Json::Null => {}
            _ => self.describe("const", value, draft),
        }
    }

    pub(super) fn enumeration(&mut self, value: &Json, draft: &mut Draft) {
        match self.dialect {
            Dialect::Gemini => {
                let texts: Vec<Json> = value
                    .items()
                    .iter()
                    .filter(|item| item.as_text().is_some())
                    .cloned()
                    .collect();
                let fits = !texts.is_empty()
                    && texts.iter().all(|text| !text.is(""))
                    && draft.types.has(types::STRING);
                if fits {
                    draft.out.set("enum", Json::List(texts));
                } else {
                    draft.notes.push(super::note("enum", value));
                    self.note_loss(
                        "enum",
                        Change::Weakened,
                        "a list of values holds strings only: it went into the description",
                    );
                }
            }
            Dialect::AnthropicStrict => {
                let is_plain = |item: &Json| !matches!(item, Json::List(_) | Json::Object(_));
                if !value.items().is_empty() && value.items().iter().all(is_plain) {
                    draft.out.set("enum", value.clone());
                    draft.out.take("type");
                } else {
                    self.describe("enum", value, draft);
                }
            }
            _ => draft.out.set("enum", value.clone()),
        }
    }

    /// What can be said only when the rest is there.
    pub(super) fn finish(&mut self, source: &Members, draft: &mut Draft, depth: usize) -> Outcome<()> {
        let is_literal = draft.out.get("const").is_some() || draft.out.get("enum").is_some();
        if is_literal && self.dialect == Dialect::AnthropicStrict {
            // The values are listed, so nothing is said about their type, nor what only goes with one.
            draft.out.take("type");
            for key in ["format", "items", "minItems", "properties"] {
                if let Some(value) = draft.out.take(key) {
                    self.describe(key, &value, draft);
                }
            }
            return Ok(());
        }
        if draft.types.has(types::OBJECT) {
            self.close(source, draft, depth)?;
            self.require(source, draft)?;
        }
        let needs_items =
            self.dialect.needs_items() && draft.types.has(types::ARRAY) && draft.out.get("items").is_none();
        if needs_items
            && (draft.out.get("prefixItems").is_none() || self.dialect != Dialect::Portable)
            && !is_literal
        {
            let any = self.node_of(Members::default(), depth + 1)?;
            draft.out.set_if("items", any);
        }
        Ok(())
    }

    /// Whether an object takes other fields.
    fn close(&mut self, source: &Members, draft: &mut Draft, depth: usize) -> Outcome<()> {
        let key = "additionalProperties";
        let others = source.get(key);
        if self.dialect.is_strict() {
            let has_none = source
                .get("properties")
                .is_none_or(|all| all.members().is_empty());
            match others {
                Some(Json::Bool(false)) => {}
                None if has_none && depth > 0 => {
                    return self.not_strict("", "an object of any fields has no strict form");
                }
                None => self.note_loss("", Change::Narrowed, "strict objects are closed"),
                Some(_) => return self.not_strict(key, "fields of any name have no strict form"),
            }
            if draft.out.get("properties").is_none() {
                draft.out.set("properties", Json::Object(Members::default()));
            }
            draft.out.set(key, Json::Bool(false));
            return Ok(());
        }
        match (others, self.dialect) {
            (None, _) => {}
            (Some(Json::Object(map)), Dialect::Gemini) => {
                let text = Json::Object(map.clone());
                draft.notes.push(super::note("any other field", &text));
                self.note_loss(key, Change::Weakened, IN_DESCRIPTION);
            }
            (Some(Json::Bool(true)), Dialect::Gemini) => {
                self.note_loss(key, Change::Omitted, "not accepted there");
            }
            (Some(_), Dialect::Gemini) => {
                self.note_loss(
                    key,
                    Change::Weakened,
                    "not accepted there: other fields are still refused",
                );
            }
            (Some(Json::Object(map)), _) => {
                let map = map.clone();
                let projected = self.inside(&[key], |walk| walk.node_of(map, depth + 1))?;
                draft.out.set(key, projected.unwrap_or(Json::Bool(false)));
            }
            (Some(other), _) => draft.out.set(key, other.clone()),
        }
        Ok(())
    }

    /// Which fields have to be there.
    fn require(&mut self, source: &Members, draft: &mut Draft) -> Outcome<()> {
        let empty = Members::default();
        let known = draft
            .out
            .get("properties")
            .and_then(Json::as_object)
            .unwrap_or(&empty)
            .clone();
        let original = source.get("properties");
        let named: Vec<Json> = source.get("required").map_or(&[][..], Json::items).to_vec();
        let is_known = |name: &Json| name.as_text().is_some_and(|text| known.get(text).is_some());
        let mut required: Vec<Json> = Vec::new();
        for name in named.iter().filter(|name| name.as_text().is_some()) {
            let recurs = self.dialect.recurs_optionally()
                && original.is_some_and(|all| all.get(name.str()).is_some_and(|schema| self.recurs(schema)));
            if recurs {
                self.note_loss(
                    "required",
                    Change::Weakened,
                    "what refers to itself may not be required",
                );
            } else if is_known(name) || matches!(self.dialect, Dialect::Anthropic | Dialect::Openai) {
                required.push(name.clone());
            } else if self.dialect.is_strict() {
                return self.not_strict("required", "a required field without a schema has no strict form");
            } else {
                self.note_loss(
                    "required",
                    Change::Weakened,
                    "a name without a property is left out",
                );
            }
        }
        if self.dialect == Dialect::OpenaiStrict {
            let mut all = Members::default();
            for (name, schema) in known.0 {
                let is_optional = !required.iter().any(|other| other.is(&name));
                if is_optional {
                    self.inside(&["properties", &name], |walk| {
                        walk.note_loss("", Change::Rewritten, "it may be left out: null stands for that");
                        Ok(())
                    })?;
                }
                let schema = if is_optional { nullable(schema) } else { schema };
                all.set(&name, schema);
            }
            required = all.0.iter().map(|(name, _)| Json::text(name)).collect();
            draft.out.set("properties", Json::Object(all));
            draft.out.set("required", Json::List(required));
            return Ok(());
        }
        if !required.is_empty() {
            draft.out.set("required", Json::List(required));
        }
        Ok(())
    }
}

/// The schema with null allowed.
fn nullable(schema: Json) -> Json {
    let null = || Json::object([("type", Json::text("null"))]);
    let Json::Object(mut members) = schema else {
        return schema;
    };
    let is_literal = members.get("const").is_some() || members.get("enum").is_some();
    if members
        .get("enum")
        .is_some_and(|values| values.items().contains(&Json::Null))
    {
        return Json::Object(members);
    }
    let types = types::named(members.get("type"));
    if types.has(types::NULL) && !is_literal {
        return Json::Object(members);
    }
    if !is_literal && !types.is_empty() && members.get("anyOf").is_none() {
        members.set("type", types.with(types::NULL).json());
        return Json::Object(members);
    }
    if let Some(Json::List(branches)) = members.get_mut("anyOf") {
        if !branches
            .iter()
            .any(|branch| types::named(branch.get("type")).has(types::NULL))
        {
            branches.push(null());
        }
        return Json::Object(members);
    }
    Json::object([("anyOf", Json::List(Vec::from([Json::Object(members), null()])))])
}
