//! What becomes of a panic: an error with its place, by which the facade knows that the instance is broken.
//!
//! Leaves the message alone: that it might be read is enough to bring `core::fmt`, 0.6 kB for what the place tells as well.
//! Only the npm package's module has it; with the standard library, which tests have, that library's own handler stands.

use alloc::string::String;
use core::sync::atomic::{AtomicBool, Ordering};

use agent_surface_json::write_u64;

/// What the text of the error starts with.
const MARK: &str = "panic: ";

/// There was a panic: what panics now is the text of its error.
static IS_SPOKEN: AtomicBool = AtomicBool::new(false);

// Within what panics the compiler sees that nobody reads the message.
#[expect(
    unused_attributes,
    clippy::inline_always,
    reason = "the compiler warns that it ignores `inline` here, and does not"
)]
#[inline(always)]
#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    if IS_SPOKEN.swap(true, Ordering::Relaxed) {
        wasm_bindgen::throw_str(MARK)
    }
    let mut text = String::from(MARK);
    if let Some(place) = info.location() {
        text.push_str(place.file());
        text.push(':');
        write_u64(&mut text, u64::from(place.line()));
    }
    wasm_bindgen::throw_str(&text)
}
