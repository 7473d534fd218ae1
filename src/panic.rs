//! Keeps the message of a trap, so that the facade can say why the instance is poisoned.
//!
//! Formats nothing: `core::fmt` would cost more bytes than the message is worth. Called by the facade once, after
//! the module is instantiated.

use std::cell::RefCell;

use agent_surface_json::write_u64;
use wasm_bindgen::prelude::*;

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Installs the hook.
#[wasm_bindgen(js_name = watchPanics)]
pub fn watch_panics() {
    std::panic::set_hook(Box::new(|info| {
        let mut text = String::new();
        if let Some(message) = info.payload().downcast_ref::<&str>() {
            text.push_str(message);
        } else if let Some(message) = info.payload().downcast_ref::<String>() {
            text.push_str(message);
        }
        if let Some(place) = info.location() {
            text.push_str(" at ");
            text.push_str(place.file());
            text.push(':');
            write_u64(&mut text, u64::from(place.line()));
        }
        LAST.with(|last| {
            if let Ok(mut last) = last.try_borrow_mut() {
                *last = text;
            }
        });
    }));
}

/// The message of the last panic; empty when there was none.
#[wasm_bindgen(js_name = lastPanic)]
pub fn last_panic() -> String {
    LAST.with(|last| last.try_borrow().map(|last| last.clone()).unwrap_or_default())
}
