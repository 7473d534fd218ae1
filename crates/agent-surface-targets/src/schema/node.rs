//! One schema, keyword by keyword.
//!
//! It refuses to touch the original: it builds the target's. Called by the walk in `schema`, and by itself.

use super::types::{self, Types};
use super::{Change, MAX_DEPTH, MAX_SCHEMAS, MAX_STRICT_DEPTH, Outcome, Projector, described, note};
use crate::json::{Json, Members, step, stronger};
use crate::keyword::{Treatment, keeps_format, treatment};
use crate::target::Dialect;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

pub(super) const IN_DESCRIPTION: &str = "not accepted there: it went into the description";

/// What a schema is once what it combines is one.
enum Combined {
    /// What its keywords say.
    Schema,
    /// Besides, what this names.
    Reference(Json),
    /// No value is valid.
    Never,
}

/// A schema in the making.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) out: Members,
    pub(super) notes: Vec<String>,
    pub(super) types: Types,
}

impl Draft {
    /// Sets a bound, the stronger of two.
    fn bound(&mut self, key: &str, value: &Json) {
        let both = self
            .out
            .get(key)
            .map_or_else(|| value.clone(), |old| stronger(old, value, key == "minimum"));
        self.out.set(key, both);
    }
}

impl Projector<'_> {
    /// The schema for the target; nothing where no value is valid.
    pub(super) fn node(&mut self, schema: &Json, depth: usize) -> Outcome<Option<Json>> {
        match schema {
            Json::Object(members) => self.node_of(members.clone(), depth),
            Json::Bool(true) => self.node_of(Members::default(), depth),
            Json::Bool(false) => Ok(None),
            _ => self.quarantine("", "a schema must be an object or a boolean"),
        }
    }

    /// The same for a schema's keywords.
    pub(super) fn node_of(&mut self, mut source: Members, depth: usize) -> Outcome<Option<Json>> {
        self.schemas += 1;
        if self.schemas > MAX_SCHEMAS || depth > MAX_DEPTH {
            return self.quarantine("", "too large once its references are written out");
        }
        if self.dialect == Dialect::OpenaiStrict && depth > MAX_STRICT_DEPTH {
            return self.not_strict("", "strict schemas are at most five levels deep");
        }
        if let Some(reference) = source.take("$ref") {
            return self.reference(&reference, source, depth);
        }
        match self.combine(&mut source)? {
            Combined::Schema => {}
            Combined::Reference(reference) => return self.reference(&reference, source, depth),
            Combined::Never => return Ok(None),
        }
        let splits = matches!(
            self.dialect,
            Dialect::Gemini | Dialect::AnthropicStrict | Dialect::OpenaiStrict
        );
        match source.get("anyOf") {
            Some(_) if splits && says_more_than_its_union(&source, self.dialect) => {
                self.spread(source, depth)
            }
            _ if self.dialect == Dialect::Gemini => self.openapi(&source, depth),
            _ if self.dialect == Dialect::AnthropicStrict => self.literal_grammar(&source, depth),
            _ => self.typed(&source, depth),
        }
    }

    /// `allOf` into the schema itself, `oneOf` into `anyOf`, a list of `items` into `prefixItems`, where the dialect has no such
    /// keyword.
    fn combine(&mut self, source: &mut Members) -> Outcome<Combined> {
        if let Some(Json::List(_)) = source.get("items")
            && let Some(list) = source.take("items")
        {
            self.note_loss(
                "items",
                Change::Rewritten,
                "a list of schemas is `prefixItems` now",
            );
            source.set("prefixItems", list);
        }
        let keeps_all = matches!(self.dialect, Dialect::Anthropic | Dialect::Openai);
        while !keeps_all && let Some(Json::List(all)) = source.take("allOf") {
            self.note_loss("allOf", Change::Rewritten, "merged into one schema");
            if let [Json::Object(only)] = all.as_slice()
                && let Some(reference) = only.get("$ref")
            {
                let mut rest = only.clone();
                rest.take("$ref");
                *source = self.merged(core::mem::take(source), rest);
                return Ok(Combined::Reference(reference.clone()));
            }
            for branch in all {
                let branch = self.resolved(branch)?;
                let merged = self.merged_schemas(Json::Object(core::mem::take(source)), branch);
                match merged {
                    Json::Object(members) => *source = members,
                    _ => return Ok(Combined::Never),
                }
            }
        }
        let keeps_one = matches!(self.dialect, Dialect::Anthropic | Dialect::Openai);
        if !keeps_one && let Some(union) = source.take("oneOf") {
            if source.get("anyOf").is_some() {
                self.note_loss("oneOf", Change::Weakened, "left out beside `anyOf`");
            } else {
                self.note_loss(
                    "oneOf",
                    Change::Weakened,
                    "`anyOf` stands for it: more than one may hold",
                );
                source.set("anyOf", union);
            }
        }
        Ok(Combined::Schema)
    }

    /// A branch of `allOf` with its own reference written out, unless that comes back to itself.
    fn resolved(&mut self, branch: Json) -> Outcome<Json> {
        let Json::Object(mut members) = branch else {
            return Ok(branch);
        };
        let Some(reference) = members.take("$ref") else {
            return Ok(Json::Object(members));
        };
        if self.is_recursive(reference.str()) {
            self.note_loss(
                "allOf",
                Change::Weakened,
                "a recursive reference beside others is left out",
            );
            return Ok(Json::Object(members));
        }
        let (_, target) = self.target(reference.str())?;
        let target = self.resolved(target)?;
        Ok(self.merged_schemas(Json::Object(members), target))
    }

    /// Every branch of `anyOf` with the keywords beside it.
    fn spread(&mut self, mut source: Members, depth: usize) -> Outcome<Option<Json>> {
        let union = source.take("anyOf").unwrap_or_default();
        let mut branches = Vec::new();
        for (at, branch) in union.items().iter().enumerate() {
            let mut place = String::new();
            agent_surface_json::write_u64(&mut place, at as u64);
            let beside = Json::Object(source.clone());
            let projected = self.inside(&["anyOf", &place], |walk| {
                let whole = match branch {
                    Json::Object(own)
                        if own.get("$ref").is_some()
                            && !walk.is_recursive(own.get("$ref").map(Json::str).unwrap_or_default()) =>
                    {
                        let own = walk.resolved(branch.clone())?;
                        walk.merged_schemas(own, beside)
                    }
                    _ => walk.merged_schemas(branch.clone(), beside),
                };
                walk.node(&whole, depth)
            })?;
            branches.extend(projected);
        }
        self.any_of(branches)
    }

    /// A union of what is left of its branches.
    pub(super) fn any_of(&mut self, branches: Vec<Json>) -> Outcome<Option<Json>> {
        let mut flat: Vec<Json> = Vec::new();
        for branch in branches {
            let only_union = branch.members().len() == 1;
            match branch.get("anyOf") {
                Some(inner) if only_union => flat.extend(inner.items().iter().cloned()),
                _ => flat.push(branch),
            }
        }
        if self.dialect == Dialect::Gemini {
            flat = self.without_null(flat);
        }
        if self.dialect == Dialect::OpenaiStrict {
            let first_key = |schema: &Json| Some(schema.at("properties").members().first()?.0.clone());
            let keys: Vec<String> = flat.iter().filter_map(first_key).collect();
            if keys
                .iter()
                .enumerate()
                .any(|(at, key)| keys.iter().skip(at + 1).any(|other| other == key))
            {
                return self.not_strict("anyOf", "objects of a union may not begin with the same property");
            }
        }
        Ok(match flat.len() {
            0 => None,
            1 => flat.pop(),
            _ => Some(Json::object([("anyOf", Json::List(flat))])),
        })
    }

    /// One schema whose keywords stay together.
    pub(super) fn typed(&mut self, source: &Members, depth: usize) -> Outcome<Option<Json>> {
        let mut draft = Draft {
            types: types::about(source),
            ..Draft::default()
        };
        let literal = source.get("const").is_some() || source.get("enum").is_some();
        let union = ["anyOf", "oneOf", "allOf"]
            .iter()
            .any(|key| source.get(key).is_some());
        let is_free = matches!(self.dialect, Dialect::Anthropic | Dialect::Openai);
        if draft.types.is_empty() && !union && !literal && self.dialect.is_strict() {
            return self.not_strict("", "a schema that takes any value has no strict form");
        }
        if source.get("type").is_none() && !draft.types.is_empty() && !is_free {
            if !literal {
                self.note_loss("", Change::Narrowed, "its type is taken from its keywords");
            }
            self.set_type(&mut draft.out, draft.types);
        }
        for (key, value) in &source.0 {
            if !self.keyword(key, value, source, &mut draft, depth)? {
                return Ok(None);
            }
        }
        self.finish(source, &mut draft, depth)?;
        let text = described(source.get("description"), &draft.notes);
        draft.out.take("description");
        draft.out.set_if("description", text);
        Ok(Some(Json::Object(draft.out)))
    }

    /// One keyword; false where it makes every value invalid.
    fn keyword(
        &mut self,
        key: &str,
        value: &Json,
        source: &Members,
        draft: &mut Draft,
        depth: usize,
    ) -> Outcome<bool> {
        match key {
            "description" | "$defs" | "definitions" | "required" | "additionalProperties" => {}
            // As the author ordered them.
            "type" if matches!(value, Json::List(names) if names.len() > 1) => {
                draft.out.set(key, value.clone());
            }
            "type" => self.set_type(&mut draft.out, draft.types),
            "properties" => self.properties(value, source, draft, depth)?,
            "items" => self.items(value, source, draft, depth)?,
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                return self.list(key, value, source, draft, depth);
            }
            "const" => self.constant(value, draft),
            "enum" if value.items().is_empty() => return Ok(false),
            "enum" => self.enumeration(value, draft),
            "format" => {
                let number = draft.types.has(types::NUMBER) || draft.types.has(types::INTEGER);
                let own = self.dialect == Dialect::Gemini && number;
                if keeps_format(self.dialect, value.str())
                    || (own && matches!(value.str(), "float" | "double" | "int32" | "int64"))
                {
                    draft.out.set(key, value.clone());
                } else {
                    self.describe(key, value, draft);
                }
            }
            _ => self.plain(key, value, draft)?,
        }
        Ok(true)
    }

    /// It goes into the description.
    pub(super) fn describe(&mut self, key: &str, value: &Json, draft: &mut Draft) {
        draft.notes.push(note(key, value));
        self.note_loss(key, Change::Weakened, IN_DESCRIPTION);
    }

    /// A keyword that holds no schema which is walked into.
    pub(super) fn plain(&mut self, key: &str, value: &Json, draft: &mut Draft) -> Outcome<()> {
        let (treatment, about) = treatment(self.dialect, key);
        if self.dialect == Dialect::Gemini && !speaks_of(about, draft.types) {
            return Ok(());
        }
        match treatment {
            Treatment::Keep if self.keeps_references_of(value) => draft.bound_or_set(key, value),
            Treatment::Keep | Treatment::Describe => self.describe(key, value, draft),
            Treatment::Omit => self.note_loss(key, Change::Omitted, "the target does not know it"),
            Treatment::Note => {
                draft.notes.push(note(key, value));
                self.note_loss(key, Change::Omitted, "it went into the description");
            }
            Treatment::Refuse => return self.not_strict(key, "it has no strict form"),
            Treatment::Inclusive => self.inclusive(key, value, draft),
            Treatment::Quoted => match value.as_count() {
                Some(_) => draft.out.set(key, Json::Text(value.write())),
                None => self.describe(key, value, draft),
            },
            Treatment::FewItems => match value.as_count() {
                Some(0 | 1) => draft.out.set(key, value.clone()),
                _ => self.describe(key, value, draft),
            },
            Treatment::First => {
                if let Some(first) = value.items().first() {
                    draft.out.set("example", first.clone());
                }
            }
        }
        Ok(())
    }

    /// `exclusiveMinimum` as `minimum`: exact for integers, and so for the other side.
    fn inclusive(&mut self, key: &str, value: &Json, draft: &mut Draft) {
        let is_lower = key == "exclusiveMinimum";
        let bound = if is_lower { "minimum" } else { "maximum" };
        let Json::Number(token) = value else {
            return self.describe(key, value, draft);
        };
        let is_whole = draft.types.has(types::INTEGER) && !draft.types.has(types::NUMBER);
        if let Some(next) = step(token, is_lower).filter(|_| is_whole) {
            draft.bound(bound, &Json::Number(next));
            self.note_loss(key, Change::Rewritten, "the next whole number, inclusive");
        } else {
            draft.bound(bound, value);
            self.describe(key, value, draft);
        }
    }

    /// Where a kept keyword holds references, the definitions they name have to come along.
    fn keeps_references_of(&mut self, value: &Json) -> bool {
        let mut found = Vec::new();
        super::reference::references(value, &mut found);
        let known = found.iter().all(|reference| {
            reference.strip_prefix("#/$defs/").is_some() && self.definition_name(reference).is_some()
        });
        if known {
            for reference in &found {
                let name = self.definition_name(reference).map(str::to_owned);
                self.kept(name.as_deref());
            }
        }
        known
    }

    pub(super) fn set_type(&self, out: &mut Members, types: Types) {
        if types.is_empty() {
            return;
        }
        let mut json = types.json();
        if self.dialect == Dialect::Gemini
            && let Json::Text(name) = &mut json
        {
            name.make_ascii_uppercase();
        }
        out.set("type", json);
    }
}

impl Draft {
    fn bound_or_set(&mut self, key: &str, value: &Json) {
        if matches!(key, "minimum" | "maximum") {
            self.bound(key, value);
        } else {
            self.out.set(key, value.clone());
        }
    }
}

/// Whether the keywords beside `anyOf` have to go into its branches.
fn says_more_than_its_union(source: &Members, dialect: Dialect) -> bool {
    let is_beside = |key: &str| match key {
        "anyOf" | "$defs" | "definitions" => false,
        "title" | "description" => dialect == Dialect::Gemini,
        _ => true,
    };
    dialect == Dialect::Gemini || source.0.iter().any(|(key, _)| is_beside(key))
}

/// Whether a keyword about this type says something here.
pub(super) fn speaks_of(about: u8, types: Types) -> bool {
    match about {
        b's' => types.has(types::STRING),
        b'n' => types.has(types::NUMBER) || types.has(types::INTEGER),
        b'a' => types.has(types::ARRAY),
        b'o' => types.has(types::OBJECT),
        _ => true,
    }
}
