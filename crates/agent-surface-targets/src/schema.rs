//! One schema into one dialect, with a report of what changed on the way.
//!
//! It refuses to make a schema that accepts less than the original without saying so, and to guess where there is no
//! form: that is a refusal, for the tool alone. Validation stays with the original. Called by `project`.

mod merge;
mod node;
mod openapi;
mod parts;
pub(crate) mod reference;
pub(crate) mod types;
mod union;

use crate::json::{Json, Members};
use crate::target::Dialect;
use agent_surface_json::schema::push_token;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

/// Schemas within a schema that are projected before it counts as too large: references written out multiply.
const MAX_SCHEMAS: usize = 2_000;
/// What of a keyword's argument goes into a description, in bytes.
const MAX_NOTE: usize = 240;
/// Objects and arrays within each other in a strict schema of OpenAI: five were the most for some of its models.
const MAX_STRICT_DEPTH: usize = 5;
/// Schemas within schemas at all.
const MAX_DEPTH: usize = 64;

/// What a change means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Other words, the same values.
    Rewritten,
    /// The target's schema accepts more; the original is still what is checked.
    Weakened,
    /// The target's schema accepts less.
    Narrowed,
    /// Something that says nothing about values is gone, or went into the description.
    Omitted,
}

impl Change {
    /// Its word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Change::Rewritten => "rewritten",
            Change::Weakened => "weakened",
            Change::Narrowed => "narrowed",
            Change::Omitted => "omitted",
        }
    }
}

/// One difference between the original and what the target gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// JSON Pointer (RFC 6901) to the keyword in the original schema.
    pub pointer: String,
    /// The keyword; empty for a schema as a whole.
    pub keyword: String,
    /// What it means.
    pub change: Change,
    /// One clause.
    pub reason: &'static str,
}

/// Why a schema has no form in a dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The tool cannot be offered.
    Quarantine {
        /// JSON Pointer into the original schema.
        pointer: String,
        /// One clause.
        reason: &'static str,
    },
    /// The tool can be offered without `strict`.
    NotStrict(Loss),
}

/// A projected schema.
#[derive(Clone, Debug)]
pub struct Projected {
    /// What the target gets.
    pub schema: Json,
    /// In the order they were met, each once.
    pub losses: Vec<Loss>,
}

type Outcome<T> = Result<T, Refusal>;

/// Projects a schema.
pub fn project(schema: &Json, dialect: Dialect) -> Outcome<Projected> {
    let mut projector = Projector {
        dialect,
        root: schema,
        pointer: String::new(),
        losses: Vec::new(),
        open: Vec::new(),
        wanted: Vec::new(),
        within: None,
        schemas: 0,
    };
    let schema = if dialect == Dialect::Full {
        projector.full()?
    } else {
        projector.whole()?
    };
    Ok(Projected {
        schema,
        losses: projector.losses,
    })
}

/// One schema on its way.
pub(crate) struct Projector<'a> {
    dialect: Dialect,
    root: &'a Json,
    /// Where the walk is in the original.
    pointer: String,
    losses: Vec<Loss>,
    /// References that are being written out.
    open: Vec<String>,
    /// Definitions that the result refers to.
    wanted: Vec<String>,
    /// The reference to the definition that is being walked through.
    within: Option<String>,
    schemas: usize,
}

impl Projector<'_> {
    /// Any JSON Schema is welcome, if objects are what it is about.
    fn full(&mut self) -> Outcome<Json> {
        let mut out = match self.root {
            Json::Object(members) => members.clone(),
            Json::Bool(true) | Json::Null => Members::default(),
            _ => return self.quarantine("", "the input of a tool must be an object"),
        };
        let mut found = Vec::new();
        reference::references(self.root, &mut found);
        // An anchor is a matter of the client's.
        for text in found
            .iter()
            .filter(|text| !text.starts_with('#') || text.starts_with("#/"))
        {
            if let Err(refusal) = self.target(text) {
                return Err(self.placed(refusal, text));
            }
        }
        let types = types::named(out.get("type"));
        let is_object = |json: &Json| json.is("object");
        if out.get("type").is_none_or(|found| !is_object(found)) {
            if out.get("type").is_some() && !types.has(types::OBJECT) {
                return self.quarantine("type", "the input of a tool must be an object");
            }
            self.rooted_loss(&found);
            let rest = core::mem::take(&mut out.0);
            out.set("type", Json::text("object"));
            for (key, value) in rest {
                if key != "type" {
                    out.set(&key, value);
                }
            }
        }
        Ok(Json::Object(out))
    }

    /// A refusal of a reference, with the place where it stands.
    fn placed(&self, refusal: Refusal, reference: &str) -> Refusal {
        let mut place = String::new();
        match refusal {
            Refusal::Quarantine { pointer, reason }
                if reference::place_of(self.root, reference, &mut place) =>
            {
                Refusal::Quarantine {
                    pointer: [place, pointer].concat(),
                    reason,
                }
            }
            other => other,
        }
    }

    /// The root becomes an object without unions, then comes what it refers to.
    fn whole(&mut self) -> Outcome<Json> {
        let members = self.flatten(self.root, 0)?;
        for (name, _) in members.get("properties").map_or(&[][..], Json::members) {
            if !self.dialect.takes_parameter(name) {
                let mut pointer = "/properties".to_owned();
                push_token(&mut pointer, name);
                return Err(Refusal::Quarantine {
                    pointer,
                    reason: "the target does not take a parameter of this name",
                });
            }
        }
        let Some(Json::Object(mut out)) = self.node_of(members, 0)? else {
            return self.quarantine("", "no input is valid");
        };
        let mut defs = Members::default();
        let mut done = 0;
        while let Some(name) = self.wanted.get(done).cloned() {
            done += 1;
            let (pointer, target) = self.definition(&name)?;
            self.within = Some(["#", &pointer].concat());
            let before = core::mem::replace(&mut self.pointer, pointer);
            let projected = self.node(&target, 1)?;
            let schema = match projected {
                Some(schema) => schema,
                None if self.dialect.is_strict() => {
                    return self.not_strict("", "a schema that takes no value has no strict form");
                }
                None if self.dialect.takes_ref_siblings() => {
                    Json::object([("not", Json::Object(Members::default()))])
                }
                None => {
                    self.note_loss("", Change::Weakened, "it takes no value: it takes any there");
                    Json::Object(Members::default())
                }
            };
            self.pointer = before;
            defs.set(&name, schema);
        }
        if !defs.0.is_empty() {
            out.set("$defs", Json::Object(defs));
        }
        Ok(Json::Object(out))
    }

    /// The root is said to be an object, and so is whatever refers to the root.
    fn rooted_loss(&mut self, references: &[String]) {
        self.note_loss("type", Change::Rewritten, "the root says that it is an object");
        if references.iter().any(|reference| reference == "#") {
            self.note_loss(
                "",
                Change::Narrowed,
                "where it refers to itself, it is an object, too",
            );
        }
    }

    /// Walks into a member of the schema at hand.
    fn inside<T>(&mut self, keys: &[&str], walk: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        let length = self.pointer.len();
        for key in keys {
            push_token(&mut self.pointer, key);
        }
        let result = walk(self);
        self.pointer.truncate(length);
        result
    }

    fn note_loss(&mut self, keyword: &str, change: Change, reason: &'static str) {
        let loss = self.loss(keyword, change, reason);
        if !self.losses.contains(&loss) {
            self.losses.push(loss);
        }
    }

    fn loss(&self, keyword: &str, change: Change, reason: &'static str) -> Loss {
        let mut pointer = self.pointer.clone();
        if !keyword.is_empty() {
            push_token(&mut pointer, keyword);
        }
        Loss {
            pointer,
            keyword: keyword.to_owned(),
            change,
            reason,
        }
    }

    fn quarantine<T>(&self, keyword: &str, reason: &'static str) -> Outcome<T> {
        let pointer = self.loss(keyword, Change::Weakened, reason).pointer;
        Err(Refusal::Quarantine { pointer, reason })
    }

    fn not_strict<T>(&self, keyword: &str, reason: &'static str) -> Outcome<T> {
        Err(Refusal::NotStrict(self.loss(keyword, Change::Weakened, reason)))
    }
}

/// `key: value`, for a description.
fn note(key: &str, value: &Json) -> String {
    let mut text = [key, ": ", &value.write()].concat();
    if text.len() > MAX_NOTE {
        let end = (0..=MAX_NOTE).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or(0));
        text.push('…');
    }
    text
}

/// The description with what the schema cannot say behind it.
fn described(description: Option<&Json>, notes: &[String]) -> Option<Json> {
    let known = description.map(Json::str).unwrap_or_default();
    if notes.is_empty() {
        return description.filter(|json| json.as_text().is_some()).cloned();
    }
    let space = if known.is_empty() { "" } else { " " };
    Some(Json::Text([known, space, "[", &notes.join("; "), "]"].concat()))
}
