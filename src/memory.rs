//! The module's memory: an allocator that never answers with nothing.
//!
//! Where the page has no more memory it throws, as a panic does, so that whoever allocates has no failure to treat:
//! the standard library's treatment brings formatting. Decides nothing else. Called by every collection.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::NonNull;

use talc::wasm::{WasmDynamicTalc, new_wasm_dynamic_allocator};

#[global_allocator]
static MEMORY: Memory = Memory(new_wasm_dynamic_allocator());

struct Memory(WasmDynamicTalc);

#[expect(unsafe_code, reason = "it is how a global allocator is declared")]
// SAFETY: it hands on to an allocator what it is asked for, and its answer.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the one asked for.
        given(unsafe { self.0.alloc(layout) }).as_ptr()
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the one asked for.
        unsafe { self.0.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise is the one asked for.
        given(unsafe { self.0.realloc(memory, layout, size) }).as_ptr()
    }
}

/// Not inlined: from its type the compiler knows that whoever allocates has nothing to check.
#[inline(never)]
fn given(memory: *mut u8) -> NonNull<u8> {
    NonNull::new(memory).unwrap_or_else(|| wasm_bindgen::throw_str("panic: out of memory"))
}
