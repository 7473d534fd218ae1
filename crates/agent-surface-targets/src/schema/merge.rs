//! Two schemas that both apply, as one.
//!
//! It refuses to lose a difference in silence: where only one side can stand, the report says so. Called wherever `allOf`,
//! `$ref` and the keywords beside a union meet.

use super::{Change, Projector, types};
use crate::json::{Json, Members, stronger};

impl Projector<'_> {
    /// Both schemas; of annotations the first's.
    pub(super) fn merged(&mut self, mut first: Members, second: Members) -> Members {
        for (key, value) in second.0 {
            let Some(mine) = first.get(&key) else {
                first.set(&key, value);
                continue;
            };
            if *mine == value {
                continue;
            }
            let mine = mine.clone();
            if let Some(both) = self.both(&key, mine, value) {
                first.set(&key, both);
            }
        }
        first
    }

    /// Both schemas, either of which may be a boolean.
    pub(super) fn merged_schemas(&mut self, first: Json, second: Json) -> Json {
        match (first, second) {
            (Json::Object(first), Json::Object(second)) => Json::Object(self.merged(first, second)),
            (Json::Bool(false), _) | (_, Json::Bool(false)) => Json::Bool(false),
            (Json::Object(only), _) | (_, Json::Object(only)) => Json::Object(only),
            _ => Json::Bool(true),
        }
    }

    /// One keyword that differs; nothing where the first stands.
    fn both(&mut self, key: &str, mine: Json, other: Json) -> Option<Json> {
        match key {
            "title" | "description" | "default" | "examples" | "deprecated" | "readOnly" | "writeOnly"
            | "$comment" | "$schema" | "$id" => None,
            "properties" | "patternProperties" | "$defs" | "definitions" => Some(self.both_maps(mine, other)),
            "items" | "propertyNames" | "contains" => Some(self.merged_schemas(mine, other)),
            "additionalProperties" | "unevaluatedProperties" if other == Json::Bool(false) => Some(other),
            "additionalProperties" | "unevaluatedProperties" if mine == Json::Bool(false) => None,
            "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
                Some(stronger(&mine, &other, true))
            }
            "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
                Some(stronger(&mine, &other, false))
            }
            "uniqueItems" => Some(Json::Bool(true)),
            "required" => {
                let mut names = mine.items().to_vec();
                names.extend(
                    other
                        .items()
                        .iter()
                        .filter(|name| !mine.items().contains(name))
                        .cloned(),
                );
                Some(Json::List(names))
            }
            "allOf" => Some(Json::List([mine.items(), other.items()].concat())),
            "enum" => {
                let common = mine.items().iter().filter(|value| other.items().contains(value));
                Some(Json::List(common.cloned().collect()))
            }
            "type" => {
                let common = types::named(Some(&mine)).common(types::named(Some(&other)));
                if common.is_empty() {
                    self.conflict(key)
                } else {
                    Some(common.json())
                }
            }
            _ => self.conflict(key),
        }
    }

    fn both_maps(&mut self, mine: Json, other: Json) -> Json {
        let (Json::Object(mut mine), Json::Object(other)) = (mine, other) else {
            return Json::Object(Members::default());
        };
        for (name, schema) in other.0 {
            let both = match mine.get(&name).cloned() {
                Some(known) => self.merged_schemas(known, schema),
                None => schema,
            };
            mine.set(&name, both);
        }
        Json::Object(mine)
    }

    fn conflict(&mut self, key: &str) -> Option<Json> {
        self.note_loss(
            key,
            Change::Weakened,
            "two schemas that both apply differ here: the first is kept",
        );
        None
    }
}
