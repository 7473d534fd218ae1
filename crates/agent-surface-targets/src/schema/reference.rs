//! What a `$ref` names, and whether it comes back to itself.
//!
//! It refuses to leave the document. Called by `node`, `openapi` and `union`, and by `argument` for the original schema.

use super::{Change, Outcome, Projector};
use crate::json::{Json, Members};
use crate::target::Dialect;
use agent_surface_json::schema::push_token;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

/// Where definitions stand.
const PLACES: [&str; 2] = ["$defs", "definitions"];

impl Projector<'_> {
    /// The schema that a reference names, by its JSON Pointer.
    pub(super) fn target(&self, reference: &str) -> Outcome<(String, Json)> {
        match located(self.root, reference) {
            Some((pointer, target)) => Ok((pointer, target.clone())),
            None => self.quarantine("$ref", "the reference leads nowhere in this schema"),
        }
    }

    /// A definition by its name, and its JSON Pointer.
    pub(super) fn definition(&self, name: &str) -> Outcome<(String, Json)> {
        for place in PLACES {
            if let Some(found) = self.root.at(place).get(name) {
                let mut pointer = String::new();
                push_token(&mut pointer, place);
                push_token(&mut pointer, name);
                return Ok((pointer, found.clone()));
            }
        }
        self.quarantine("$ref", "the reference leads nowhere in this schema")
    }

    /// The name of the definition that a reference names, if it names one in the usual place.
    pub(super) fn definition_name<'r>(&self, reference: &'r str) -> Option<&'r str> {
        for place in PLACES {
            let name = reference
                .strip_prefix("#/")
                .and_then(|rest| rest.strip_prefix(place))
                .and_then(|rest| rest.strip_prefix('/'));
            // A name that needs escapes, or one that both places have, is written out instead.
            if let Some(name) = name
                && !name.contains(['/', '~', '%'])
                && self.root.at(place).get(name).is_some()
                && (place == "$defs" || self.root.at("$defs").get(name).is_none())
            {
                return Some(name);
            }
        }
        None
    }

    /// Whether what a reference names refers to itself, by whatever way.
    pub(super) fn is_recursive(&self, reference: &str) -> bool {
        self.leads(reference, reference)
    }

    /// Whether what a reference names refers to another, by whatever way.
    fn leads(&self, reference: &str, to: &str) -> bool {
        let mut seen: Vec<String> = Vec::new();
        let mut next = Vec::from([reference.to_owned()]);
        while let Some(at) = next.pop() {
            let Ok((_, target)) = self.target(&at) else {
                continue;
            };
            let mut found = Vec::new();
            references(&target, &mut found);
            for other in found {
                if other == to {
                    return true;
                }
                if !seen.contains(&other) {
                    seen.push(other.clone());
                    next.push(other);
                }
            }
        }
        false
    }

    /// Whether a schema leads back to the definition that is being walked through.
    pub(super) fn recurs(&self, schema: &Json) -> bool {
        let Some(within) = &self.within else { return false };
        let mut found = Vec::new();
        references(schema, &mut found);
        found
            .iter()
            .any(|reference| reference == within || self.leads(reference, within))
    }

    /// A node with a `$ref`, and the other keywords beside it.
    pub(super) fn reference(
        &mut self,
        reference: &Json,
        mut beside: Members,
        depth: usize,
    ) -> Outcome<Option<Json>> {
        let Some(text) = reference.as_text() else {
            return self.quarantine("$ref", "a reference must be a string");
        };
        let dialect = self.dialect;
        let named = self.definition_name(text).map(str::to_owned);
        let stays =
            dialect != Dialect::Gemini && (named.is_some() || (text == "#" && dialect.takes_root_ref()));
        let is_alone = beside.0.is_empty();
        if stays && (is_alone || dialect.takes_ref_siblings()) {
            let kept = self.kept(named.as_deref());
            if is_alone {
                return Ok(Some(Json::Object(
                    [("$ref".to_owned(), kept)].into_iter().collect(),
                )));
            }
            let mut out = self.node_of(beside, depth)?;
            if let Some(Json::Object(members)) = &mut out {
                members.0.insert(0, ("$ref".to_owned(), kept));
            }
            return Ok(out);
        }
        if stays && self.is_recursive(text) {
            for (key, _) in beside.0 {
                let known = crate::keyword::treatment(Dialect::Full, &key).0;
                let is_annotation =
                    key == "description" || key == "title" || known == crate::keyword::Treatment::Omit;
                let change = if is_annotation {
                    Change::Omitted
                } else {
                    Change::Weakened
                };
                self.note_loss(
                    &key,
                    change,
                    "nothing may stand beside a reference that comes back to itself",
                );
            }
            let kept = self.kept(named.as_deref());
            return Ok(Some(Json::Object(
                [("$ref".to_owned(), kept)].into_iter().collect(),
            )));
        }
        if self.open.iter().any(|open| open == text) {
            if dialect.is_strict() {
                return self.not_strict("$ref", "this recursion has no strict form");
            }
            self.note_loss(
                "$ref",
                Change::Weakened,
                "recursion is cut here: any value of the type is accepted",
            );
            return Ok(Some(self.cut(text, &beside)));
        }
        let (pointer, target) = self.target(text)?;
        let target = match target {
            Json::Object(members) => members,
            Json::Bool(true) => Members::default(),
            _ => return Ok(None),
        };
        let merged = core::mem::take(&mut beside);
        let merged = self.merged(merged, target);
        let before = core::mem::replace(&mut self.pointer, pointer);
        self.open.push(text.to_owned());
        let result = self.node_of(merged, depth);
        self.open.pop();
        self.pointer = before;
        result
    }

    /// The reference as the result has it: to a definition, which is then wanted, or to the root.
    pub(super) fn kept(&mut self, name: Option<&str>) -> Json {
        let Some(name) = name else {
            return Json::text("#");
        };
        if !self.wanted.iter().any(|known| known == name) {
            self.wanted.push(name.to_owned());
        }
        Json::Text(["#/$defs/", name].concat())
    }

    /// What stands for a schema that would go on for ever.
    fn cut(&mut self, reference: &str, beside: &Members) -> Json {
        let target = self
            .target(reference)
            .map(|(_, target)| target)
            .unwrap_or_default();
        let empty = Members::default();
        let types = super::types::about(target.as_object().unwrap_or(&empty));
        let name = reference.rsplit('/').next().unwrap_or_default();
        let note = if name == "#" {
            "as the whole input".to_owned()
        } else {
            ["as `", name, "` above"].concat()
        };
        let mut out = Members::default();
        out.set_if(
            "description",
            super::described(beside.get("description"), &[note]),
        );
        let types = if types.is_empty() {
            super::types::OBJECT
        } else {
            types
        };
        let is_gemini = self.dialect == Dialect::Gemini;
        if is_gemini && types.each().count() > 1 {
            return self.anything(&out);
        }
        self.set_type(&mut out, types);
        if types.has(super::types::ARRAY) && self.dialect.needs_items() {
            let any = self.anything(&Members::default());
            out.set("items", any);
        }
        Json::Object(out)
    }
}

/// What a reference names in a document, and its JSON Pointer; nothing where it leads nowhere, to an anchor or elsewhere.
pub(crate) fn located<'d>(root: &'d Json, reference: &str) -> Option<(String, &'d Json)> {
    let pointer = percent_decoded(reference.strip_prefix('#')?);
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return None;
    }
    let mut at = root;
    for token in pointer.split('/').skip(1) {
        let plain = token.split("~1").collect::<Vec<_>>().join("/");
        let plain = plain.split("~0").collect::<Vec<_>>().join("~");
        at = match at {
            Json::List(items) => {
                let index = Json::Number(plain).as_count()?;
                items.get(index as usize)?
            }
            _ => at.get(&plain)?,
        };
    }
    Some((pointer, at))
}

/// Every reference in a schema, in whatever keyword.
pub(super) fn references(schema: &Json, found: &mut Vec<String>) {
    for (key, value) in schema.members() {
        match value.as_text() {
            Some(text) if key == "$ref" => found.push(text.to_owned()),
            _ => references(value, found),
        }
    }
    for item in schema.items() {
        references(item, found);
    }
}

/// The JSON Pointer of the first schema that has this reference.
pub(super) fn place_of(schema: &Json, reference: &str, place: &mut String) -> bool {
    if schema.at("$ref").is(reference) {
        return true;
    }
    let length = place.len();
    for (key, value) in schema.members() {
        push_token(place, key);
        if place_of(value, reference, place) {
            return true;
        }
        place.truncate(length);
    }
    for (at, item) in schema.items().iter().enumerate() {
        place.push('/');
        agent_surface_json::write_u64(place, at as u64);
        if place_of(item, reference, place) {
            return true;
        }
        place.truncate(length);
    }
    false
}

/// A URI fragment without its percent-encoding.
fn percent_decoded(text: &str) -> String {
    let mut bytes = text.bytes();
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        let mut ahead = bytes.clone();
        let mut digit = || ahead.next().and_then(|byte| char::from(byte).to_digit(16));
        if byte == b'%'
            && let (Some(high), Some(low)) = (digit(), digit())
        {
            out.push(u8::try_from(high * 16 + low).unwrap_or(byte));
            bytes = ahead;
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).unwrap_or_default()
}
