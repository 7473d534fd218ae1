//! Verdicts by ECMA-262 with the `u` flag; what is refused; time.
//!
//! It holds no code of the crate. The test runner calls it.

use super::Pattern;

#[test]
fn a_nested_quantifier_does_not_explode() {
    let pattern = Pattern::compile("^(a+)+$").unwrap();
    let mut text = "a".repeat(40);
    assert!(pattern.is_match(&text));
    text.push('!');
    assert!(!pattern.is_match(&text));
}
