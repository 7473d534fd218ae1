//! The limits of a registry: their names, defaults and overrides.
//!
//! It refuses unknown names and values that are no count. Called by the registry when it is created.

use agent_surface_json::{Kind, Value};

use crate::error::{DefinitionError, cut};

/// Writes the struct, the defaults and the two directions of the names from one list, so that they cannot disagree.
macro_rules! limits {
    ($($(#[$doc:meta])+ $field:ident $name:literal $default:literal;)+) => {
        /// Every bound of the library. Limits are inclusive; bytes are UTF-8 bytes of the compact JSON, characters
        /// are code points, times are milliseconds.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Limits {
            $($(#[$doc])+ pub $field: u32,)+
        }

        const COUNT: usize = [$($default),+].len();

        /// The public names of the limits, in the order of the documentation.
        pub const NAMES: [&str; COUNT] = [$($name),+];

        /// Their defaults, in the same order.
        pub const DEFAULTS: [u32; COUNT] = [$($default),+];

        impl From<[u32; COUNT]> for Limits {
            fn from([$($field),+]: [u32; COUNT]) -> Self {
                Self { $($field),+ }
            }
        }
    };
}

limits! {
    /// Characters of a component's description.
    max_component_description "maxComponentDescription" 500;
    /// Characters of a capability's description.
    max_capability_description "maxCapabilityDescription" 300;
    /// Bytes of a `meta`.
    max_meta_bytes "maxMetaBytes" 2048;
    /// Bytes of an output.
    max_output_bytes "maxOutputBytes" 32_768;
    /// Bytes of a schema.
    max_schema_bytes "maxSchemaBytes" 16_384;
    /// Depth of a schema; its root is 0.
    max_schema_depth "maxSchemaDepth" 8;
    /// How long an observation may take.
    observation_timeout_ms "observationTimeoutMs" 5000;
    /// How long an action may take.
    action_timeout_ms "actionTimeoutMs" 10_000;
    /// How long a procedure may take.
    procedure_timeout_ms "procedureTimeoutMs" 30_000;
    /// Actions that wait behind the running one.
    action_queue_depth "actionQueueDepth" 2;
    /// Observations of one consumer that run at once.
    max_concurrent_observations_per_consumer "maxConcurrentObservationsPerConsumer" 8;
    /// Observations that run at once.
    max_concurrent_observations_total "maxConcurrentObservationsTotal" 32;
    /// Observations of one consumer that wait.
    max_queued_observations_per_consumer "maxQueuedObservationsPerConsumer" 8;
    /// Settled calls that are remembered.
    dedupe_cache_size "dedupeCacheSize" 200;
    /// How long a settled call is remembered.
    dedupe_cache_ttl_ms "dedupeCacheTtlMs" 600_000;
    /// Ended registrations that are remembered.
    tombstone_size "tombstoneSize" 100;
    /// How long an ended registration is remembered.
    tombstone_ttl_ms "tombstoneTtlMs" 300_000;
    /// How long a confirmation may wait and its evidence lasts.
    confirmation_ttl_ms "confirmationTtlMs" 120_000;
    /// Confirmations that are pending at once.
    max_pending_confirmations "maxPendingConfirmations" 32;
    /// Bytes of an input.
    max_input_bytes "maxInputBytes" 262_144;
    /// Depth of a value.
    max_value_depth "maxValueDepth" 64;
    /// How long policies and validators together may take.
    policy_timeout_ms "policyTimeoutMs" 10_000;
    /// How long a call may wait for admission.
    max_queue_wait_ms "maxQueueWaitMs" 30_000;
    /// Characters of an invocation id.
    max_invocation_id_length "maxInvocationIdLength" 256;
}

impl Limits {
    /// The defaults with these overrides, an object of limit names and counts up to 4,294,967,295.
    ///
    /// # Errors
    /// `INVALID_DEFINITION` names what is unknown or no count.
    pub fn from_json(overrides: Value<'_>) -> Result<Self, DefinitionError> {
        if overrides.kind() != Kind::Object {
            return Err(DefinitionError::invalid(&[
                "`limits` must be an object of limit names and counts",
            ]));
        }
        let mut limits = DEFAULTS;
        for (name, value) in overrides.entries() {
            let at = NAMES.iter().position(|known| *known == name);
            let limit = at.and_then(|at| limits.get_mut(at));
            let problem = match (limit, value.as_u32()) {
                (Some(limit), Some(count)) => {
                    *limit = count;
                    continue;
                }
                (None, _) => "` is no limit; see DEFAULT_LIMITS",
                (Some(_), None) => "` must be a whole number from 0, found ",
            };
            let found = if at.is_some() { value.raw() } else { "" };
            let pieces = ["`limits.", cut(&name, 60), problem, cut(found, 40)];
            return Err(DefinitionError::invalid(&pieces));
        }
        Ok(limits.into())
    }
}

impl Default for Limits {
    fn default() -> Self {
        DEFAULTS.into()
    }
}

#[cfg(test)]
mod tests {
    use agent_surface_json::{Bounds, Document};

    use super::*;

    fn read(text: &str) -> Result<Limits, String> {
        let bounds = Bounds {
            max_bytes: 10_000,
            max_depth: 8,
            lone_surrogates: false,
        };
        Limits::from_json(Document::parse(text, bounds).expect("JSON").root()).map_err(|error| error.text())
    }

    #[test]
    fn without_overrides_the_defaults_stand() {
        assert_eq!(read("{}"), Ok(Limits::default()));
    }

    #[test]
    fn every_limit_has_its_default_and_can_be_overridden() {
        assert_eq!(NAMES.len(), 24);
        for (at, name) in NAMES.iter().enumerate() {
            let limits = read(&["{\"", name, "\":77}"].concat()).expect("a known limit");
            let mut expected = DEFAULTS;
            expected[at] = 77;
            assert_eq!(limits, expected.into());
        }
    }

    #[test]
    fn an_override_leaves_the_others_alone() {
        let limits = read(r#"{"actionQueueDepth":0}"#).expect("zero is a count");
        assert_eq!(
            limits,
            Limits {
                action_queue_depth: 0,
                ..Limits::default()
            }
        );
    }

    #[test]
    fn an_unknown_name_is_refused_by_name() {
        assert_eq!(
            read(r#"{"maxOutput":1}"#),
            Err("[INVALID_DEFINITION] `limits.maxOutput` is no limit; see DEFAULT_LIMITS".to_owned())
        );
    }

    #[test]
    fn what_is_no_count_is_refused_by_name() {
        for value in ["-1", "1.5", "\"5\"", "null", "true", "4294967296", "[]"] {
            let refusal = read(&["{\"tombstoneSize\":", value, "}"].concat()).expect_err(value);
            assert!(
                refusal.contains("`limits.tombstoneSize`") && refusal.contains(value),
                "{refusal}"
            );
        }
        assert!(read("[]").is_err());
    }
}
