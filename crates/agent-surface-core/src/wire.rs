//! Tool names on the wire: capability ids in the alphabet and length that every provider takes.
//!
//! It refuses to decode a name that could be read two ways. Called by the toolset, the `WebMCP` adapter and the
//! boundary's id helpers.
