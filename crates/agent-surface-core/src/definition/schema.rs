//! Reads the schemas of a definition and compiles those that the core checks values with.
//!
//! It refuses what lies outside the subset; of a schema whose `parse` is the author's own it looks at size, depth and
//! remote references only, of one that the full engine evaluates at size and depth. Called by the capability files of this folder and, for single schemas, by the boundary.

use alloc::borrow::ToOwned as _;
use alloc::rc::Rc;

use agent_surface_json::schema::{self, Schema, SchemaFault, SchemaLimits};
use agent_surface_json::{Bounds, Document, ParseError, Value, concat};

use super::SchemaRef;
use super::fields::Fields;
use crate::error::{DefinitionCode, DefinitionError};
use crate::limits::Limits;

/// Nesting of the text around a schema of legal depth, whose `enum` or `default` may nest on their own.
const MAX_TEXT_DEPTH: usize = 128;

/// A schema and its document.
pub(super) struct Read {
    pub schema: SchemaRef,
    pub document: Document,
}

/// The schema in a field, `{text, own}`: `own` says whether the author's `parse` decides, and is null where the full
/// engine does.
pub(super) fn read(fields: &Fields<'_>, key: &str, limits: &Limits) -> Option<Read> {
    let value = fields.raw(key)?;
    let text = value.get("text")?.as_str()?;
    compile_at(
        fields,
        &["`", key, "`"],
        &text,
        value.get("own")?.as_bool(),
        limits,
    )
}

/// The schema in a text; errors begin with these pieces and the place of the fields.
pub(super) fn compile_at(
    fields: &Fields<'_>,
    what: &[&str],
    text: &str,
    own: Option<bool>,
    limits: &Limits,
) -> Option<Read> {
    let compiled = compile(text, own, limits);
    if let Err(mut error) = compiled {
        error.message = concat(&[&concat(what), " of ", fields.place(), ": ", &error.message]);
        fields.faults.add(error);
        return None;
    }
    compiled.ok()
}

/// The schema in a text.
fn compile(text: &str, own: Option<bool>, limits: &Limits) -> Result<Read, DefinitionError> {
    let max_bytes = size(limits.max_schema_bytes);
    let bounds = Bounds {
        max_bytes,
        max_depth: MAX_TEXT_DEPTH,
        lone_surrogates: false,
    };
    let document = Document::parse(text, bounds).map_err(|fault| unreadable(&fault))?;
    let limits = SchemaLimits {
        max_bytes,
        max_depth: size(limits.max_schema_depth),
    };
    let compiled = match own {
        Some(false) => Schema::compile(&document, limits).map(|schema| Some(Rc::new(schema))),
        _ => schema::check_opaque(&document, limits, own.is_some()).map(|()| None),
    };
    let compiled = compiled.map_err(|error| DefinitionError {
        code: match error.fault {
            SchemaFault::InvalidDefault => DefinitionCode::InvalidDefinition,
            SchemaFault::Unsupported => DefinitionCode::UnsupportedSchema,
        },
        message: error.message,
        pointer: Some(error.pointer),
        keyword: Some(error.keyword),
    })?;
    let object_root = match &compiled {
        Some(compiled) => compiled.is_object_root(),
        None => is_object_type(document.root()),
    };
    let schema = SchemaRef {
        text: text.to_owned(),
        compiled,
        object_root,
    };
    Ok(Read { schema, document })
}

/// The schema in a text by the default limits, for checks of single values.
///
/// # Errors
/// `INVALID_DEFINITION` or `UNSUPPORTED_SCHEMA`, with keyword and pointer where there is one.
pub fn compile_schema(text: &str) -> Result<Rc<Schema>, DefinitionError> {
    let read = compile(text, Some(false), &Limits::default())?;
    let nothing = || DefinitionError::new(DefinitionCode::UnsupportedSchema, &[]);
    read.schema.compiled.ok_or_else(nothing)
}

fn size(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// Whether `type` says object; the root of an opaque schema is read no further.
fn is_object_type(root: Value<'_>) -> bool {
    root.get("type")
        .is_some_and(|word| word.is_str("object") || word.items().any(|item| item.is_str("object")))
}

fn unreadable(fault: &ParseError) -> DefinitionError {
    let code = match fault {
        ParseError::TooLarge { .. } | ParseError::TooDeep { .. } => DefinitionCode::UnsupportedSchema,
        _ => DefinitionCode::InvalidDefinition,
    };
    DefinitionError::new(code, &[&fault.message()])
}
