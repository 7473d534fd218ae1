//! Reads the schemas of a definition and compiles those that the core checks values with.
//!
//! It refuses what lies outside the subset; of a schema whose `parse` is the author's own it looks at size, depth and
//! remote references only. Called by the capability files of this folder.

use std::rc::Rc;

use agent_surface_json::schema::{self, Schema, SchemaError, SchemaFault, SchemaLimits};
use agent_surface_json::{Bounds, Document, ParseError, Value};

use super::SchemaRef;
use super::fields::{Faults, Fields};
use crate::error::{DefinitionCode, DefinitionError};
use crate::limits::Limits;

/// Nesting of the text around a schema of legal depth, whose `enum` or `default` may nest on their own.
const MAX_TEXT_DEPTH: usize = 128;

/// A schema and whether the author's own `parse` decides.
pub(super) struct Read {
    pub schema: SchemaRef,
    pub document: Document,
    pub own: bool,
}

/// The schema in a field, `{text, own}`.
pub(super) fn read(fields: &Fields<'_>, key: &str, limits: &Limits) -> Option<Read> {
    let value = fields.raw(key)?;
    let text = value.get("text").and_then(Value::as_str);
    let (Some(text), Some(own)) = (text, value.get("own").and_then(Value::as_bool)) else {
        let expected = "must be a schema, `{ jsonSchema, parse }`; see fromJsonSchema and fromStandardSchema";
        fields.refuse_field(key, expected);
        return None;
    };
    let place = ["`", key, "` of ", fields.place()].concat();
    compile(&text, own, (&place, fields.faults), limits)
}

/// The schema in a text; errors begin with the place.
pub(super) fn compile(
    text: &str,
    own: bool,
    (place, faults): (&str, &Faults),
    limits: &Limits,
) -> Option<Read> {
    let max_bytes = size(limits.max_schema_bytes);
    let bounds = Bounds {
        max_bytes,
        max_depth: MAX_TEXT_DEPTH,
        lone_surrogates: false,
    };
    let document = match Document::parse(text, bounds) {
        Ok(document) => document,
        Err(fault) => {
            faults.add(unreadable(&fault, place));
            return None;
        }
    };
    let schema_limits = SchemaLimits {
        max_bytes,
        max_depth: size(limits.max_schema_depth),
    };
    let compiled = if own {
        schema::check_opaque(&document, schema_limits).map(|()| None)
    } else {
        Schema::compile(&document, schema_limits).map(|schema| Some(Rc::new(schema)))
    };
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(error) => {
            faults.add(refused(error, place));
            return None;
        }
    };
    let object_root = match &compiled {
        Some(compiled) => compiled.is_object_root(),
        None => is_object_type(document.root()),
    };
    Some(Read {
        schema: SchemaRef {
            text: text.to_owned(),
            compiled,
            object_root,
        },
        document,
        own,
    })
}

fn size(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// Whether `type` says object; the root of an opaque schema is read no further.
fn is_object_type(root: Value<'_>) -> bool {
    root.get("type")
        .is_some_and(|word| word.is_str("object") || word.items().any(|item| item.is_str("object")))
}

fn unreadable(fault: &ParseError, place: &str) -> DefinitionError {
    let code = match fault {
        ParseError::TooLarge { .. } | ParseError::TooDeep { .. } => DefinitionCode::UnsupportedSchema,
        _ => DefinitionCode::InvalidDefinition,
    };
    DefinitionError::new(code, &[place, ": ", &fault.message()])
}

fn refused(error: SchemaError, place: &str) -> DefinitionError {
    let code = match error.fault {
        SchemaFault::InvalidDefault => DefinitionCode::InvalidDefinition,
        SchemaFault::Unsupported => DefinitionCode::UnsupportedSchema,
    };
    DefinitionError {
        pointer: Some(error.pointer),
        keyword: Some(error.keyword),
        ..DefinitionError::new(code, &[place, ": ", &error.message])
    }
}
