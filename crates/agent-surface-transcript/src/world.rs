//! The host that a transcript stands in for: a page in virtual time, with the core in its middle.
//!
//! Holds state and the loop; what commands mean is in `command`, `call`, `look` and `tool`, what outputs mean in
//! `drain`. It also holds every transcript to what must always be true: one settlement per call, one start at most, no
//! word about a forgotten call.

use std::collections::{BTreeMap, BTreeSet};

use agent_surface_core::message::{CallId, Input};
use agent_surface_core::time::Millis;
use agent_surface_core::{Config, Core};

use crate::answer::Answers;
use crate::call::HostCall;
use crate::conversation::{Conversation, repeated};
use crate::look::Looks;
use crate::names::Names;
use crate::policy::Policies;
use crate::tool::Toolsets;
use crate::words::Words;

/// One mount lifetime, as its handle in the page knows it.
#[derive(Clone, Debug)]
pub(crate) struct Mounted {
    pub slot: u32,
    pub generation: u32,
    pub component_type: String,
    pub instance: String,
    pub id: String,
    /// Full capability ids, in order.
    pub capabilities: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Armed {
    pub timer: u32,
    pub generation: u32,
    pub due: f64,
}

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct World {
    pub config: Config,
    core: Option<Core>,
    /// What `Date.now()` says.
    pub now: f64,
    /// What timers run on.
    pub clock: f64,
    pub timers: Vec<Armed>,
    pub lines: Vec<String>,
    pub names: Names,
    pub mounted: Vec<Mounted>,
    /// Specs by component type and text, as long as the core knows them.
    pub specs: BTreeMap<(String, String), u32>,
    pub policies: Policies,
    pub answers: Answers,
    pub calls: BTreeMap<u32, HostCall>,
    pub settled: BTreeSet<(u32, u32)>,
    pub started: BTreeSet<(u32, u32)>,
    pub looks: Looks,
    pub toolsets: Toolsets,
    pub shown: BTreeSet<String>,
    pub full_payloads: bool,
    pub ticks_by_itself: bool,
    pub scheduled: bool,
    draining: bool,
    broken: Option<String>,
}

impl World {
    pub fn new() -> Self {
        let shown = [
            "settled", "join", "effect", "late", "warn", "refresh", "offer", "withdraw", "reply",
        ];
        Self {
            config: Config::default(),
            core: None,
            now: 0.0,
            clock: 0.0,
            timers: Vec::new(),
            lines: Vec::new(),
            names: Names::default(),
            mounted: Vec::new(),
            specs: BTreeMap::new(),
            policies: Policies::default(),
            answers: Answers::default(),
            calls: BTreeMap::new(),
            settled: BTreeSet::new(),
            started: BTreeSet::new(),
            looks: Looks::default(),
            toolsets: Toolsets::default(),
            shown: shown.into_iter().map(str::to_owned).collect(),
            full_payloads: false,
            ticks_by_itself: true,
            scheduled: false,
            draining: false,
            broken: None,
        }
    }

    /// The core, made when the first command needs it.
    pub fn core(&mut self) -> Result<&mut Core, String> {
        if self.core.is_none() {
            let mut core = Core::new(self.config.clone(), &entropy(7)).ok_or("no core without randomness")?;
            core.set_audience(true, true, 1);
            self.core = Some(core);
        }
        let core = self.core.as_mut().ok_or("no core")?;
        if core.needs_entropy() {
            core.add_entropy(&entropy(11));
        }
        Ok(core)
    }

    pub fn has_core(&self) -> bool {
        self.core.is_some()
    }

    pub fn at(&self) -> Millis {
        Millis(self.now)
    }

    /// One input, without a drain.
    pub fn input(&mut self, input: Input) -> Result<(), String> {
        let now = self.at();
        self.core()?.handle(now, input);
        Ok(())
    }

    pub fn tick(&mut self) -> Result<(), String> {
        self.scheduled = false;
        self.input(Input::Tick)?;
        self.drain()?;
        self.run_refreshes()?;
        self.drain()
    }

    /// Polls outputs to the end, never nested.
    pub fn drain(&mut self) -> Result<(), String> {
        if self.draining || !self.has_core() {
            return Ok(());
        }
        self.draining = true;
        let mut result = Ok(());
        while result.is_ok() {
            let output = self.core().map(Core::poll_output);
            match output {
                Ok(Some(output)) => result = self.run(output),
                Ok(None) => break,
                Err(error) => result = Err(error),
            }
        }
        self.draining = false;
        result
    }

    /// An output line, unless its kind is hidden.
    pub fn line(&mut self, kind: &str, text: &str) {
        // What nobody sees still gives its ids their numbers.
        let hidden = self.names.hide(text);
        if self.shown.contains(kind) {
            self.lines.push(hidden);
        }
    }

    /// Something that must never happen did.
    pub fn breach(&mut self, what: &str, id: CallId) {
        let name = self.names.call(id);
        self.broken
            .get_or_insert_with(|| format!("{what}: {name} (slot {})", id.slot));
    }

    /// The latest registration of `TYPE [@instance]`, or of `reg#n`.
    pub fn handle_of(&self, words: &mut Words) -> Result<Mounted, String> {
        let word = words.want("a component")?;
        let instance = words
            .peek()
            .and_then(|word| word.strip_prefix('@'))
            .map(str::to_owned);
        if instance.is_some() {
            words.next();
        }
        let wanted = instance.as_deref().unwrap_or("default");
        self.mounted
            .iter()
            .rev()
            .find(|one| one.id == word || (one.component_type == word && one.instance == wanted))
            .cloned()
            .ok_or_else(|| format!("`{word} @{wanted}` was never registered"))
    }

    /// What stands in a slot now.
    pub fn mounted_at(&self, slot: u32) -> Option<&Mounted> {
        self.mounted.iter().rev().find(|one| one.slot == slot)
    }
}

/// Bytes that look random and are always the same.
fn entropy(seed: u32) -> Vec<u8> {
    let mut state = seed;
    (0..4096)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            u8::try_from(state >> 24).unwrap_or(0)
        })
        .collect()
}

impl Conversation for World {
    fn say(&mut self, command: &str) -> Result<(), String> {
        let (times, command) = repeated(command)?;
        for turn in 1..=times {
            let command = self.names.reveal(&command.replace("{n}", &turn.to_string()));
            self.obey(Words::new(&command))?;
            self.drain()?;
            while self.ticks_by_itself && self.scheduled {
                self.tick()?;
            }
        }
        self.broken.clone().map_or(Ok(()), Err)
    }

    fn take_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    fn verdict(&self) -> Result<(), String> {
        self.broken.clone().map_or(Ok(()), Err)
    }
}
