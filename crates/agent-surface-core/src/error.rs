//! Error codes, retry hints and the payloads of refused calls and refused definitions.
//!
//! It refuses to carry the text of an unknown cause: what leaves here is safe to show a model. Called by every module
//! of the core that refuses something.
