//! What one more registration, a look after one change and one call cost in a large registry: as much as in a small one.
//!
//! Counts work instead of time: allocations, outputs, and the bytes that cross to the host. Called by `cargo test`.
#![expect(
    clippy::expect_used,
    clippy::disallowed_macros,
    reason = "a test all of it: what is not as expected must fail, with its words"
)]
#![expect(unsafe_code, reason = "an allocator that counts: it hands on to the system's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agent_surface_core::message::{Input, Output, Returned};
use agent_surface_core::time::Millis;
use agent_surface_core::{Admitted, Budget, Config, Consumer, Core, Registered, Request, Route};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes on to the system's allocator, unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What an act cost.
#[derive(Debug, PartialEq)]
struct Work {
    allocations: usize,
    outputs: usize,
    bytes: usize,
}

struct Page {
    core: Core,
    slots: Vec<u32>,
    view: u32,
}

const CAPABILITIES: usize = 10;

impl Page {
    fn new(components: usize) -> Self {
        let noise: Vec<u8> = (0..60_000_u32)
            .map(|at| at.wrapping_mul(2_654_435_761).to_le_bytes()[3])
            .collect();
        let mut core = Core::new(Config::default(), &noise).expect("enough randomness");
        core.set_audience(true, true, 1);
        let view = core.open_view(Vec::new(), true, Budget::NONE);
        let mut page = Self {
            core,
            slots: Vec::new(),
            view,
        };
        for at in 0..components {
            page.register(at);
        }
        page.drain();
        page.look();
        page
    }

    fn register(&mut self, at: usize) {
        // Names of one length: a longer number must not count as more work.
        let component = format!("t{at:05}");
        let mut specs = Vec::with_capacity(CAPABILITIES);
        for number in 0..CAPABILITIES {
            let text = format!(
                r#"{{"kind":"action","name":"a{number}","description":"Number {at:05}","effect":"local-state","input":{{"text":"{{}}","own":false}},"execute":1}}"#
            );
            specs.push(self.core.spec(&component, &text).expect("a capability"));
        }
        let header = format!(r#"{{"type":"{component}","description":"d"}}"#);
        let prepared = self.core.prepare(&header, &specs).expect("a component");
        let Registered::Live(slot) = self.core.commit(Millis(1.0), prepared, true) else {
            return;
        };
        self.slots.push(slot);
    }

    /// How many outputs came, and the bytes of the texts among them.
    fn drain(&mut self) -> (usize, usize) {
        let (mut outputs, mut bytes) = (0, 0);
        while let Some(output) = self.core.poll_output() {
            outputs += 1;
            match output {
                Output::Event(text) | Output::Audit(text, _) => bytes += text.len(),
                Output::CallHandler(id, ..) => self
                    .core
                    .handle(Millis(1.0), Input::HandlerDone(id, Returned::Value(None))),
                Output::Schedule => self.core.handle(Millis(1.0), Input::Tick),
                _ => {}
            }
        }
        (outputs, bytes)
    }

    fn look(&mut self) -> usize {
        assert!(self.core.look(Millis(1.0), self.view));
        assert!(
            self.core.next_question(self.view).is_none(),
            "nothing here has to be asked"
        );
        self.core.view_news(self.view).len()
    }

    fn work(&mut self, act: impl FnOnce(&mut Self) -> usize) -> Work {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let crossed = act(self);
        let (outputs, bytes) = self.drain();
        let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
        Work {
            allocations,
            outputs,
            bytes: bytes + crossed,
        }
    }
}

/// Registering one more, a look after one change, one call.
fn works(components: usize) -> [Work; 3] {
    let mut page = Page::new(components);
    let middle = components / 2;
    let registered = page.work(|page| {
        page.register(components);
        0
    });
    page.look();
    let changed = page.work(|page| {
        let (slot, core) = (*page.slots.get(middle).expect("one"), &mut page.core);
        let generation = core.registration_generation(slot);
        assert_eq!(
            core.update(Millis(1.0), slot, generation, Some(false), None),
            Ok(true)
        );
        page.look()
    });
    let route = Route::new(&format!("view:t{:05}.a7", middle + 1), Consumer::new("test", "c"));
    let called = page.work(|page| {
        let request = Request {
            route: Rc::clone(&route),
            instance_id: None,
            registration_id: None,
            surface_version: None,
            invocation_id: Some("c1"),
            confirmation_id: None,
            input: page.core.empty_input(),
            timeout_ms: None,
            aborted: false,
            reads_only: false,
        };
        assert!(matches!(
            page.core.invoke(Millis(1.0), request),
            Admitted::Fresh(_)
        ));
        0
    });
    [registered, changed, called]
}

#[test]
fn a_thousand_components_cost_an_act_what_a_hundred_cost_it() {
    let (small, large) = (works(100), works(1000));
    for (small, large) in small.iter().zip(&large) {
        println!("{small:?}\n{large:?}");
        assert_eq!(small.outputs, large.outputs);
        // Numbers grow by a digit.
        assert!(
            large.bytes <= small.bytes + small.bytes / 4,
            "{small:?} {large:?}"
        );
        assert!(
            large.allocations <= small.allocations + small.allocations / 4 + 4,
            "{small:?} {large:?}"
        );
    }
}
