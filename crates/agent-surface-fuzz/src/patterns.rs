//! Patterns against texts, parted by a zero byte: the same verdict twice, and one for a text that grew.

use agent_surface_json::pattern::Pattern;

use crate::bytes::halves;

pub(crate) fn fuzz(bytes: &[u8]) {
    let (source, text) = halves(bytes);
    match Pattern::compile(&source) {
        Ok(pattern) => {
            let matches = pattern.is_match(&text);
            assert_eq!(matches, pattern.is_match(&text), "another verdict");
            // What would explode does so on more of the same.
            pattern.is_match(&text.repeat(8));
        }
        Err(error) => assert!(!error.message().is_empty()),
    }
}
