//! The core of one registry: its state, its entry points and its queue of outputs.
//!
//! Decides everything and does nothing: no clock, no randomness, no callback. Every mutation goes through a method
//! that takes `now`; the driver then drains `poll_output` to the end before it mutates again from outside.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use agent_surface_json::{Bounds, Document, concat};

use crate::admission::Observations;
use crate::call::{Call, Sent};
use crate::confirmation::Confirmations;
use crate::definition::PolicyRef;
use crate::entropy::Entropy;
use crate::limits::Limits;
use crate::message::{Input, Output};
use crate::policy::escalate;
use crate::registration::{Prepared, Registration, Spec};
use crate::resolve::Names;
use crate::table::{Slab, Table};
use crate::time::Millis;
use crate::timer::Timers;
use crate::toolset::Toolset;
use crate::view::{Touched, View};

/// What a second registration of one instance means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDuplicate {
    /// The first one stays; the second handle is `rejected`.
    #[default]
    Reject,
    /// The first one unregisters.
    Replace,
}

/// What the same name in both planes means: `view:a.b` beside `domain:a.b`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnCollision {
    /// Nothing.
    Ignore,
    /// It is told.
    #[default]
    Warn,
    /// The second one is a defect.
    Refuse,
}

/// What a registry is made with.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Numbers that bound everything.
    pub limits: Box<Limits>,
    /// Policies of the whole registry, outermost first.
    pub policies: Vec<PolicyRef>,
    /// What a duplicate instance means.
    pub on_duplicate: OnDuplicate,
    /// What one name in both planes means.
    pub on_collision: OnCollision,
    /// Whether a call that needs a person fails at once while nobody could approve.
    pub require_approver: bool,
    /// Whether the host gives a route with each snapshot.
    pub has_route: bool,
}

/// One registry.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, read and set in different places"
)]
pub struct Core {
    pub(crate) config: Config,
    pub(crate) registry_chain: Rc<Vec<PolicyRef>>,
    pub(crate) surface_id: String,
    pub(crate) seed: [u64; 2],
    pub(crate) entropy: Entropy,
    pub(crate) now: Millis,
    pub(crate) version: u64,
    pub(crate) touched: Touched,
    pub(crate) registered: u64,
    pub(crate) invoked: u64,
    /// `{}`, for every call that is sent just that.
    pub(crate) empty: Rc<Document>,
    /// Random characters that the ids of registrations and the generated ids of calls carry.
    pub(crate) mark: String,
    pub(crate) revisions: u64,
    pub(crate) disposed: bool,

    pub(crate) specs: Slab<Spec>,
    pub(crate) prepared: Slab<Prepared>,
    pub(crate) registrations: Slab<Registration>,
    /// Live registrations by type and instance.
    pub(crate) keys: Table,
    /// Registrations and tombstones by id.
    pub(crate) ids: Table,
    pub(crate) names: Names,
    /// Live registrations in the order of a snapshot.
    pub(crate) order: Vec<u32>,
    pub(crate) tombstones: VecDeque<u32>,
    /// The procedure executor: absent, or with the paths it knows (`None`: any).
    #[expect(
        clippy::option_option,
        reason = "no executor, one for any path, one for these paths"
    )]
    pub(crate) executor: Option<Option<Vec<String>>>,

    pub(crate) calls: Slab<Call>,
    pub(crate) identities: Table,
    /// Calls that are kept for replays, the oldest first.
    pub(crate) settled: VecDeque<u32>,
    pub(crate) lingering: Vec<u32>,
    pub(crate) ready: VecDeque<u32>,
    /// Calls whose outcome is fixed and waits for the next tick.
    pub(crate) fixed: Vec<u32>,
    pub(crate) observations: Observations,
    pub(crate) confirmations: Confirmations,
    pub(crate) timers: Timers,

    pub(crate) views: Slab<View>,
    pub(crate) toolsets: Slab<Toolset>,

    pub(crate) outputs: VecDeque<Output>,
    pub(crate) scheduled: bool,
    pub(crate) surface_moved: bool,
    pub(crate) look_again: bool,
    /// Somebody listens to events.
    pub(crate) has_listeners: bool,
    /// Somebody reads the audit.
    pub(crate) has_audit: bool,
    /// How many could approve: connected elements, confirmation listeners, registry listeners.
    pub(crate) approvers: u32,
}

impl Core {
    /// A registry with no component. `entropy` is at least 512 bytes of cryptographic randomness; `None` when it
    /// is not.
    pub fn new(mut config: Config, entropy: &[u8]) -> Option<Self> {
        let mut pool = Entropy::new();
        pool.fill(entropy);
        let seed = [pool.u64()?, pool.u64()?];
        let surface_id = concat(&["srf_", &pool.base62(22)?]);
        let mark = pool.base62(16)?;
        let bounds = Bounds {
            max_bytes: 2,
            max_depth: 1,
            lone_surrogates: false,
        };
        let empty = Rc::new(Document::parse("{}", bounds).ok()?);
        let registry_chain: Rc<Vec<PolicyRef>> = Rc::new(core::mem::take(&mut config.policies));
        Some(Self {
            config,
            registry_chain,
            surface_id,
            seed,
            entropy: pool,
            now: Millis(0.0),
            version: 0,
            touched: Touched::default(),
            registered: 0,
            invoked: 0,
            empty,
            mark,
            revisions: 0,
            disposed: false,
            specs: Slab::new(),
            prepared: Slab::new(),
            registrations: Slab::new(),
            keys: Table::new(),
            ids: Table::new(),
            names: Names::new(),
            order: Vec::new(),
            tombstones: VecDeque::new(),
            executor: None,
            calls: Slab::new(),
            identities: Table::new(),
            settled: VecDeque::new(),
            lingering: Vec::new(),
            ready: VecDeque::new(),
            fixed: Vec::new(),
            observations: Observations::new(),
            confirmations: Confirmations::new(),
            timers: Timers::new(),
            views: Slab::new(),
            toolsets: Slab::new(),
            outputs: VecDeque::new(),
            scheduled: false,
            surface_moved: false,
            look_again: false,
            has_listeners: false,
            has_audit: false,
            approvers: 0,
        })
    }

    /// `srf_` and 22 random characters.
    pub fn surface_id(&self) -> &str {
        &self.surface_id
    }

    /// The input `{}`: it is parsed once.
    pub fn empty_input(&self) -> Sent {
        Sent::Json(Rc::clone(&self.empty))
    }

    /// The surface's version; printed in decimal.
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// This core takes the place of others that broke under the same registry, so many: its versions go on above theirs.
    pub const fn recovered(&mut self, times: u32) {
        self.version = (times as u64) << 40;
    }

    /// Whether the driver has to give more randomness before the next mutation.
    pub const fn needs_entropy(&self) -> bool {
        self.entropy.is_low()
    }

    /// Adds cryptographic randomness.
    pub fn add_entropy(&mut self, bytes: &[u8]) {
        self.entropy.fill(bytes);
    }

    /// Says who listens: events and audit records are built only for somebody; `approvers` counts those who could
    /// approve.
    pub const fn set_audience(&mut self, listeners: bool, audit: bool, approvers: u32) {
        self.has_listeners = listeners;
        self.has_audit = audit;
        self.approvers = approvers;
    }

    /// Sets or removes the procedure executor; `paths` are those it knows, `None` means any.
    pub fn set_executor(&mut self, executor: Option<Option<Vec<String>>>) {
        self.executor = executor;
    }

    /// One answer or request. The driver drains `poll_output` afterwards.
    pub fn handle(&mut self, now: Millis, input: Input) {
        self.now = now;
        match input {
            Input::Tick => self.tick(),
            Input::DeadlineReached { timer, generation } => self.deadline_reached(timer, generation),
            input => self.answer_to_call(input),
        }
        self.run();
    }

    /// An input that belongs to a call; one for a slot's former user is dropped.
    fn answer_to_call(&mut self, input: Input) {
        let Some(id) = input.call() else { return };
        let Some(mut lent) = self.calls.lend(id.slot) else {
            return;
        };
        let call = &mut *lent;
        if call.id == id {
            match input {
                Input::HandlerDone(_, returned) => self.handler_done(call, returned),
                Input::Abort(_) => self.abort(call),
                Input::PolicyDone(_, frame, threw) => self.policy_done(call, frame, threw),
                Input::PolicyNext(_, frame) => self.policy_next(call, frame),
                Input::Escalate(_, summary) => escalate(call, summary),
                Input::Audit(_, full) => self.raise_audit(call, full),
                // Answers to what the call asked: they are taken only while it waits for them.
                _ if !call.waits => {}
                Input::Vote(_, vote) => self.vote(call, vote),
                Input::WhenIs(_, answer) => self.when_is(call, answer),
                Input::ReasonIs(_, reason) => self.reason_is(call, reason.as_deref()),
                Input::KeyIs(_, key) => self.key_is(call, key),
                Input::Verdict(_, verdict) => self.verdict(call, verdict),
                Input::Checked(_, checked) => self.checked(call, checked),
                Input::Bound(_, bound) => self.bound(call, bound),
                Input::PreconditionDone(_, refusal) => self.precondition_done(call, refusal),
                Input::Tick | Input::DeadlineReached { .. } => {}
            }
        }
        self.calls.bring(id.slot, lent);
    }

    /// The next thing to do, or `None` when the core waits for an input. Timers are armed last, so that a call
    /// that ended within the drain never arms one.
    pub fn poll_output(&mut self) -> Option<Output> {
        loop {
            if self.outputs.is_empty() {
                self.run();
            }
            let Some(output) = self.outputs.pop_front() else {
                return self.timers.next_to_arm();
            };
            if self.lets_go(&output) {
                return Some(output);
            }
        }
    }

    /// Frees the id that an output gives back. Not before the driver has it: it would take the id's next user for the
    /// one to forget. False when there is nothing to forget after all.
    fn lets_go(&mut self, output: &Output) -> bool {
        match *output {
            Output::Forget(slot) => self.calls.discard(slot),
            Output::ForgetRegistration(slot) => self.registrations.discard(slot),
            Output::ForgetComponent(id) => self.forget_component(id),
            Output::ForgetSpec(id) => self.forget_spec(id),
            _ => true,
        }
    }

    pub(crate) fn emit(&mut self, output: Output) {
        self.outputs.push_back(output);
    }

    /// Asks for a tick, once until it comes.
    pub(crate) fn schedule(&mut self) {
        if !self.scheduled {
            self.scheduled = true;
            self.emit(Output::Schedule);
        }
    }

    fn tick(&mut self) {
        if self.surface_moved {
            self.surface_moved = false;
            self.look_again = true;
            self.event_surface_changed();
        }
        let fixed = core::mem::take(&mut self.fixed);
        for slot in fixed {
            self.with_call(slot, &mut Self::deliver);
        }
        if core::mem::take(&mut self.look_again) {
            self.refresh_toolsets();
        }
        self.scheduled = false;
        if self.surface_moved || !self.fixed.is_empty() {
            self.schedule();
        }
    }

    /// The version moves on, and everything that shows the surface looks again: at one registration, or at all.
    pub(crate) fn move_version(&mut self, changed: Option<u32>) {
        self.version += 1;
        self.touched.note(changed, self.version);
        self.surface_moved = true;
        self.schedule();
    }

    pub(crate) const fn next_revision(&mut self) -> u64 {
        self.revisions += 1;
        self.revisions
    }

    /// Settles what is in flight, expires what is pending and empties the registry. Safe to repeat.
    pub fn dispose(&mut self, now: Millis) {
        if self.disposed {
            return;
        }
        self.now = now;
        self.disposed = true;
        self.cancel_all();
        self.expire_all_confirmations();
        let toolsets: Vec<u32> = self.toolsets.iter().map(|(id, _)| id).collect();
        for id in toolsets {
            self.close_toolset(now, id);
        }
        self.has_listeners = false;
        self.run();
    }
}
