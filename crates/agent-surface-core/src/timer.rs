//! Timers: what waits, and for how long. One for each thing that really waits at the end of a drain.
//!
//! Reads no clock: a timer that fires is believed. Armed and fired by the drivers.

use crate::core::Core;
use crate::message::Output;
use crate::table::Slab;

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
    /// A confirmation expired.
    Confirmation(u32),
}

#[derive(Debug)]
struct Timer {
    owner: Owner,
    ms: u32,
    armed: bool,
}

/// All timers of a registry.
#[derive(Debug)]
pub(crate) struct Timers {
    timers: Slab<Timer>,
    to_arm: Vec<u32>,
}

impl Timers {
    pub const fn new() -> Self {
        Self {
            timers: Slab::new(),
            to_arm: Vec::new(),
        }
    }

    /// Starts a timer; it is armed at the end of the drain, when it is still wanted.
    pub fn start(&mut self, owner: Owner, ms: u32) -> u32 {
        let ms = ms.min(LONGEST_MS);
        let timer = self.timers.insert(Timer {
            owner,
            ms,
            armed: false,
        });
        self.to_arm.push(timer);
        timer
    }

    /// Stops it; true when the driver has to be told.
    pub fn stop(&mut self, timer: u32) -> bool {
        // It may stay among those to arm: what is gone, or armed for its slot's next owner already, is passed over.
        self.timers.remove(timer).is_some_and(|timer| timer.armed)
    }

    /// The next timer to arm.
    pub fn next_to_arm(&mut self) -> Option<Output> {
        while let Some(id) = self.to_arm.pop() {
            let generation = self.timers.generation(id);
            let Some(timer) = self.timers.get_mut(id).filter(|timer| !timer.armed) else {
                continue;
            };
            timer.armed = true;
            return Some(Output::Arm {
                timer: id,
                generation,
                ms: timer.ms,
            });
        }
        None
    }

    fn fire(&mut self, id: u32, generation: u32) -> Option<Owner> {
        if self.timers.generation(id) != generation {
            return None;
        }
        self.timers.remove(id).map(|timer| timer.owner)
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
        match self.timers.fire(timer, generation) {
            Some(Owner::Policies(slot)) => self.policies_timed_out(slot),
            Some(Owner::Queue(slot)) => self.queue_timed_out(slot),
            Some(Owner::Handler(slot)) => self.handler_timed_out(slot),
            Some(Owner::Person(slot)) => self.person_timed_out(slot),
            Some(Owner::Confirmation(slot)) => self.confirmation_timed_out(slot),
            None => {}
        }
    }
}
