//! Definitions of components and capabilities, read and validated as they register.
//!
//! It refuses whatever it does not know, by name, and never sees a function: a handler is a `1` here and stays with
//! the host. Called by the registry.

mod capability;
mod concurrency;
mod fields;
mod header;
mod procedure;
mod schema;
mod traits;

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use agent_surface_json::schema::Schema;

use crate::effect::{Audit, Confirmation, Effect, Kind};
use crate::error::ObjectWriter;

pub use capability::parse_capability;
pub use header::{COMPONENT_TYPE, parse_header, parse_policies};
pub use schema::compile_schema;

/// A component without its capabilities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Such as `devices.table`.
    pub component_type: String,
    /// Such as `main`; `default` when the author names none.
    pub instance_id: String,
    /// What a model reads about it.
    pub description: String,
    /// JSON text of `{type, instanceId?}`.
    pub parent: Option<String>,
    /// JSON text, as the author wrote it.
    pub meta: Option<String>,
    /// Where the definition comes from, in the author's words.
    pub origin: Option<String>,
    /// The token of the author's number. Higher comes first.
    pub priority: String,
    /// Whether it starts enabled.
    pub enabled: bool,
    /// The component's policies, outermost first.
    pub policies: Vec<PolicyRef>,
    /// Whether the host keeps an `internal` value for it.
    pub has_internal: bool,
}

/// A policy that the host keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyRef {
    /// The host's number for it.
    pub reference: u32,
    /// Its name, for audit and explanations.
    pub name: String,
    /// Bit 0 `onDiscovery`, bit 1 `onAuthorize`, bit 2 `onInvoke`.
    pub hooks: u8,
    /// Its verdict is synchronous (built-in policies).
    pub guard: bool,
}

impl PolicyRef {
    /// Bit of `onDiscovery` in `hooks`.
    pub const ON_DISCOVERY: u8 = 1;
    /// Bit of `onAuthorize` in `hooks`.
    pub const ON_AUTHORIZE: u8 = 2;
    /// Bit of `onInvoke` in `hooks`.
    pub const ON_INVOKE: u8 = 4;

    /// Whether it has all of these hooks.
    pub const fn has(&self, hooks: u8) -> bool {
        self.hooks & hooks == hooks
    }
}

/// A schema: its text, and what the core checks values with.
#[derive(Clone, Debug)]
pub struct SchemaRef {
    /// The JSON Schema as the author wrote it.
    pub text: String,
    /// `None` when the author's own `parse` decides, or the full engine.
    pub compiled: Option<Rc<Schema>>,
    /// Whether an object fits its root, so that an absent input is `{}`.
    pub object_root: bool,
}

/// When two calls wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concurrency {
    /// All actions of the registration.
    Instance,
    /// The calls of this capability in the registration.
    Capability,
    /// The calls of this capability with the same key.
    Key,
    /// None.
    Parallel,
}

/// How calls of a capability are admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConcurrencyRule {
    /// Which calls form a group.
    pub mode: Concurrency,
    /// How many of a group run at once, at least 1.
    pub max: Option<u32>,
    /// How many of a group wait; 0 means none.
    pub queue_depth: Option<u32>,
}

/// Why a capability is not available, in its author's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Always the same text; empty where the author says nothing.
    Text(String),
    /// The host has a function to ask.
    Function,
}

/// A field of a procedure's input that the page fills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Name of the field.
    pub field: String,
    /// Whether a caller that supplies it is refused.
    pub locked: bool,
}

/// One observation, action or procedure reference, with every default filled in.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says whether the host has one more function to ask"
)]
pub struct Capability {
    /// Which of the three.
    pub kind: Kind,
    /// The capability's name; for a procedure its path.
    pub name: String,
    /// The full capability id.
    pub id: String,
    /// What a model reads about it.
    pub description: String,
    /// How far a call reaches.
    pub effect: Effect,
    /// Whether a second run changes nothing more.
    pub idempotent: bool,
    /// Whether it can be undone; `None` where the question has no meaning.
    pub reversible: Option<bool>,
    /// The level after the author's wish and the floor.
    pub confirmation: Confirmation,
    /// The audit level.
    pub audit: Audit,
    /// The full input schema; `None` for observations.
    pub input: Option<SchemaRef>,
    /// What the agent sees of the input of a procedure with bound fields.
    pub reduced: Option<SchemaRef>,
    /// The output schema.
    pub output: Option<SchemaRef>,
    /// JSON text, as the author wrote it.
    pub meta: Option<String>,
    /// The author's own timeout in milliseconds.
    pub timeout_ms: Option<u32>,
    /// How calls are admitted; observations are pooled instead.
    pub concurrency: ConcurrencyRule,
    /// The capability's policies, outermost first.
    pub policies: Vec<PolicyRef>,
    /// Whether the host has a `when` to ask.
    pub has_when: bool,
    /// The author's reason for being unavailable.
    pub reason: Reason,
    /// Whether the host has a `precondition` to ask.
    pub has_precondition: bool,
    /// Whether the host has a `describe` to ask.
    pub has_describe: bool,
    /// The fields that the page fills, in the author's order.
    pub bound: Vec<Bound>,
    /// Whether the host has a `bind` to ask; true exactly when `bound` has fields.
    pub has_bind: bool,
}

impl Capability {
    /// The descriptor without its state, as JSON text: the public keys in their order, without `available`,
    /// `unavailableReason`, `contextualNote`, `registrationId` and `context`; `meta` is last.
    pub fn base_descriptor(&self) -> String {
        let mut object = ObjectWriter::new();
        if self.kind == Kind::Procedure {
            object.text("procedureId", &self.id);
        } else {
            object.text("capabilityId", &self.id).text("name", &self.name);
        }
        object.text("description", &self.description);
        if let Some(input) = self.reduced.as_ref().or(self.input.as_ref()) {
            object.raw("inputSchema", &input.text);
        }
        if let Some(output) = &self.output {
            object.raw("outputSchema", &output.text);
        }
        if self.kind != Kind::Observation {
            object.text("effect", self.effect.as_str());
        }
        if self.kind == Kind::Action {
            object
                .flag("idempotent", self.idempotent)
                .flag("reversible", self.reversible == Some(true));
        }
        if self.kind != Kind::Observation {
            object.text("confirmation", self.confirmation.as_str());
        }
        if self.kind == Kind::Procedure {
            object.raw("boundFields", &self.bound_fields());
        }
        if let Some(meta) = &self.meta {
            object.raw("meta", meta);
        }
        object.finish()
    }

    fn bound_fields(&self) -> String {
        let mut out = String::from("[");
        let mut object = ObjectWriter::new();
        for bound in &self.bound {
            if out.len() > 1 {
                out.push(',');
            }
            object
                .text("path", &bound.field)
                .flag("locked", bound.locked)
                .text("source", "ui-state");
            out.push_str(&object.finish());
        }
        out.push(']');
        out
    }
}

impl Header {
    /// The component's descriptor without its capabilities, as JSON text:
    /// `{type, instanceId, registrationId, description, parent?, meta?}`.
    pub fn base_descriptor(&self, registration_id: &str) -> String {
        let mut object = ObjectWriter::new();
        object
            .text("type", &self.component_type)
            .text("instanceId", &self.instance_id)
            .text("registrationId", registration_id)
            .text("description", &self.description);
        if let Some(parent) = &self.parent {
            object.raw("parent", parent);
        }
        if let Some(meta) = &self.meta {
            object.raw("meta", meta);
        }
        object.finish()
    }
}

#[cfg(test)]
pub(crate) mod samples {
    //! Documents for the tests of this folder.

    use alloc::rc::Rc;

    use agent_surface_json::{Bounds, Document};

    use super::{Capability, parse_capability};
    use crate::limits::Limits;

    /// A small action.
    pub const ACT: &str = r#"{"kind":"action","name":"clear","description":"Clears","effect":"local-state",
        "input":{"text":"{\"type\":\"object\"}","own":false},"execute":1}"#;

    /// The capability in a text, as one of `devices.table`.
    pub fn parse(text: &str) -> Result<Rc<Capability>, String> {
        parse_capability(&read(text), "devices.table", &Limits::default()).map_err(|error| error.text())
    }

    /// Holds that a text is refused with a code and a message that has a word.
    pub fn refused(text: &str, code: &str, word: &str) {
        let refusal = parse(text).expect_err(text);
        assert!(
            refusal.starts_with(&["[", code, "] "].concat()) && refusal.contains(word),
            "{refusal}"
        );
    }

    /// Reads JSON text.
    pub fn read(text: &str) -> Document {
        Document::parse(
            text,
            Bounds {
                max_bytes: 200_000,
                max_depth: 128,
                lone_surrogates: true,
            },
        )
        .expect("JSON")
    }

    /// An object text with one member replaced, added, or (by an empty value) left out.
    pub fn with(text: &str, key: &str, value: &str) -> String {
        let document = read(text);
        let mut object = crate::error::ObjectWriter::new();
        for (name, old) in document.root().entries().filter(|(name, _)| name != key) {
            object.given(&name, old.raw());
        }
        if !value.is_empty() {
            object.given(key, value);
        }
        object.finish()
    }
}
