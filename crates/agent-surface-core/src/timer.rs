//! Timers: what waits, and for how long. One for each thing that really waits at the end of a drain.
//!
//! Reads no clock: a timer that fires is believed. Armed and fired by the drivers.

use crate::core::Core;
use crate::message::Output;
use alloc::vec::Vec;

/// The longest delay that a host's timers take; a longer one would fire at once.
const LONGEST_MS: u32 = 0x7FFF_FFFF;

/// What happens when a timer fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The policies, validators and preconditions of a call took too long.
    Policies(u32),
    /// A call waited too long to be admitted.
    Queue(u32),
    /// A handler took too long.
    Handler(u32),
    /// A person took longer than the agent may wait.
    Person(u32),
    /// Confirmations expired.
    Confirmations,
}

/// Not in a slab, whose boxes would cost each call an allocation: a call that ends at once starts one, too.
#[derive(Debug)]
struct Timer {
    /// `None` while its place is free.
    owner: Option<Owner>,
    /// Of the place's present user.
    generation: u32,
    ms: u32,
    armed: bool,
}

/// All timers of a registry.
#[derive(Debug)]
pub(crate) struct Timers {
    slots: Vec<Timer>,
    free: Vec<u32>,
    to_arm: Vec<u32>,
}

impl Timers {
    pub const fn new() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            to_arm: Vec::new(),
        }
    }

    /// Starts a timer; it is armed at the end of the drain, when it is still wanted.
    pub fn start(&mut self, owner: Owner, ms: u32) -> u32 {
        let id = self.free.pop().unwrap_or_else(|| {
            let id = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
            self.slots.push(Timer {
                owner: None,
                generation: 0,
                ms: 0,
                armed: false,
            });
            id
        });
        if let Some(timer) = self.timer(id) {
            timer.owner = Some(owner);
            timer.generation = timer.generation.wrapping_add(1);
            timer.ms = ms.min(LONGEST_MS);
            timer.armed = false;
        }
        self.to_arm.push(id);
        id
    }

    /// Has it armed once more at the end of the drain: a driver keeps the one that runs, unless the page's timers are
    /// others by now.
    pub fn again(&mut self, id: u32) {
        if let Some(timer) = self.timer(id) {
            timer.armed = false;
            self.to_arm.push(id);
        }
    }

    /// Stops it; true when the driver has to be told.
    pub fn stop(&mut self, id: u32) -> bool {
        // It may stay among those to arm: what is gone, or armed for its place's next owner already, is passed over.
        let Some(timer) = self.timer(id).filter(|timer| timer.owner.is_some()) else {
            return false;
        };
        timer.owner = None;
        let armed = timer.armed;
        self.free.push(id);
        armed
    }

    /// The next timer to arm.
    pub fn next_to_arm(&mut self) -> Option<Output> {
        while let Some(id) = self.to_arm.pop() {
            let wanted = |timer: &&mut Timer| timer.owner.is_some() && !timer.armed;
            if let Some(timer) = self.timer(id).filter(wanted) {
                timer.armed = true;
                return Some(Output::Arm {
                    timer: id,
                    generation: timer.generation,
                    ms: timer.ms,
                });
            }
        }
        None
    }

    fn fire(&mut self, id: u32, generation: u32) -> Option<Owner> {
        let timer = self.timer(id).filter(|timer| timer.generation == generation)?;
        let owner = timer.owner.take()?;
        self.free.push(id);
        Some(owner)
    }

    fn timer(&mut self, id: u32) -> Option<&mut Timer> {
        self.slots.get_mut(usize::try_from(id).ok()?)
    }
}

impl Core {
    pub(crate) fn stop_timer(&mut self, timer: Option<u32>) {
        if let Some(timer) = timer
            && self.timers.stop(timer)
        {
            self.emit(Output::Disarm(timer));
        }
    }

    pub(crate) fn deadline_reached(&mut self, timer: u32, generation: u32) {
        let Some(owner) = self.timers.fire(timer, generation) else {
            return;
        };
        match owner {
            Owner::Confirmations => self.confirmations_timed_out(timer),
            Owner::Policies(slot) | Owner::Queue(slot) | Owner::Handler(slot) | Owner::Person(slot) => {
                self.with_call(slot, &mut |core, call| {
                    call.timer = None;
                    match owner {
                        Owner::Policies(_) => core.policies_timed_out(call),
                        Owner::Queue(_) => core.queue_timed_out(call),
                        Owner::Handler(_) => core.handler_timed_out(call),
                        _ => core.stop_waiting(call),
                    }
                });
            }
        }
    }
}
