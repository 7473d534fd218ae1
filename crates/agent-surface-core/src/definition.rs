//! Definitions of components and capabilities, read and validated as they register.
//!
//! It refuses whatever it does not know, by name. Called by the registry.
