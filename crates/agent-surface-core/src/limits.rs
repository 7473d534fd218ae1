//! The limits of a registry: their names, defaults and overrides.
//!
//! It refuses unknown names and values that are no count. Called by the registry when it is created.
