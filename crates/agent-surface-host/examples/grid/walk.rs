//! One agent's walk through a world: what it does, what it sees, and how it is kept and gone back to.
//!
//! It refuses to believe a snapshot: a walk is its seed and its actions, which are walked again, so that a forged one
//! leads nowhere that steps do not. `endpoint` calls it.

use crate::world::{Cell, Direction, Kind, World};
use agent_surface_interop::{Exact, Value};
use agent_surface_json::{hex, sha256};

/// The most actions of a walk.
pub const MAX_ACTIONS: usize = 1000;
/// How far the agent sees, in each direction.
const SIGHT: usize = 2;
/// What a snapshot says that it is.
pub const FORMAT: &str = "grid-snapshot/1";

/// What happened at a step, and what it is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    Moved,
    Bumped,
    KeyTaken,
    ExitLocked,
    ExitReached,
}

impl Event {
    pub fn name(self) -> &'static str {
        match self {
            Event::Moved => "moved",
            Event::Bumped => "bumped",
            Event::KeyTaken => "key-taken",
            Event::ExitLocked => "exit-locked",
            Event::ExitReached => "exit-reached",
        }
    }

    fn reward(self) -> &'static str {
        match self {
            Event::Moved => "-0.01",
            Event::Bumped | Event::ExitLocked => "-0.05",
            Event::KeyTaken => "0.5",
            Event::ExitReached => "1",
        }
    }
}

/// A walk under way, or at its end.
#[derive(Debug)]
pub struct Walk {
    world: World,
    at: Cell,
    has_key: bool,
    is_done: bool,
    actions: String,
    events: Vec<Event>,
}

/// Why an action was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    Finished,
    OutOfActions,
}

impl Walk {
    pub fn new(seed: u32, size: usize) -> Option<Self> {
        let world = World::new(seed, size)?;
        Some(Walk {
            at: world.start,
            world,
            has_key: false,
            is_done: false,
            actions: String::new(),
            events: Vec::new(),
        })
    }

    /// Takes a step, or tries to.
    pub fn act(&mut self, direction: Direction) -> Result<Event, Stop> {
        if self.is_done {
            return Err(Stop::Finished);
        }
        if self.events.len() >= MAX_ACTIONS {
            return Err(Stop::OutOfActions);
        }
        let event = match self.world.step(self.at, direction) {
            None => Event::Bumped,
            Some(next) if next == self.world.exit && !self.has_key => Event::ExitLocked,
            Some(next) => self.enter(next),
        };
        self.actions.push(direction.letter());
        self.events.push(event);
        Ok(event)
    }

    fn enter(&mut self, cell: Cell) -> Event {
        self.at = cell;
        match self.world.kind(cell) {
            Kind::Exit => {
                self.is_done = true;
                Event::ExitReached
            }
            Kind::Key if !self.has_key => {
                self.has_key = true;
                Event::KeyTaken
            }
            _ => Event::Moved,
        }
    }

    /// What the agent sees and what happened since a tick, as the members of a payload.
    pub fn observation(&self, since: usize) -> String {
        let (x, y) = self.at;
        let tick = self.events.len();
        let events: Vec<String> = self
            .events
            .iter()
            .enumerate()
            .skip(since)
            .map(|(at, event)| format!("{{\"tick\":{},\"event\":\"{}\"}}", at + 1, event.name()))
            .collect();
        let rows: Vec<String> = (0..=2 * SIGHT)
            .map(|row| format!("\"{}\"", self.row(row)))
            .collect();
        format!(
            "\"tick\":{tick},\"cursor\":\"{tick}\",\"at\":{{\"x\":{x},\"y\":{y}}},\"hasKey\":{},\"isDone\":{},\
             \"events\":[{}],\"view\":[{}]",
            self.has_key,
            self.is_done,
            events.join(","),
            rows.join(",")
        )
    }

    /// A row of the window around the agent; `@` is the agent itself.
    fn row(&self, row: usize) -> String {
        let (x, y) = self.at;
        let look = |column: usize| {
            let cell = ((x + column).checked_sub(SIGHT)?, (y + row).checked_sub(SIGHT)?);
            Some(if cell == self.at { '@' } else { self.letter(cell) })
        };
        (0..=2 * SIGHT)
            .map(|column| look(column).unwrap_or('#'))
            .collect()
    }

    fn letter(&self, cell: Cell) -> char {
        match self.world.kind(cell) {
            Kind::Wall => '#',
            Kind::Key if !self.has_key => 'k',
            Kind::Exit => 'E',
            Kind::Floor | Kind::Key => '.',
        }
    }

    /// The payload after a step.
    pub fn stepped(&self, event: Event) -> String {
        let last = self.events.len().saturating_sub(1);
        format!(
            "{{\"event\":\"{}\",\"reward\":{},{}}}",
            event.name(),
            event.reward(),
            self.observation(last)
        )
    }

    /// The payload of a beginning: a seed's, or where a snapshot was taken.
    pub fn begun(&self) -> String {
        format!(
            "{{\"world\":{{\"seed\":{},\"size\":{},\"maxActions\":{MAX_ACTIONS}}},{}}}",
            self.world.seed,
            self.world.size,
            self.observation(self.events.len())
        )
    }

    /// All it takes to come back here.
    pub fn snapshot(&self) -> String {
        format!(
            "{{\"format\":\"{FORMAT}\",\"seed\":{},\"size\":{},\"actions\":\"{}\",\"stateDigest\":\"{}\"}}",
            self.world.seed,
            self.world.size,
            self.actions,
            self.state_digest()
        )
    }

    /// The walk of a snapshot, unless it does not lead where it says.
    pub fn restore(snapshot: Value<'_>) -> Option<Self> {
        let seed = snapshot.get("seed")?.as_u32()?;
        let size = snapshot.get("size")?.as_u32()?;
        let mut walk = Walk::new(seed, usize::try_from(size).ok()?)?;
        for letter in snapshot.get("actions")?.as_str()?.chars() {
            let is_it = |direction: &Direction| direction.letter() == letter;
            walk.act(Direction::ALL.into_iter().find(is_it)?).ok()?;
        }
        (snapshot.get("stateDigest")?.as_str()? == walk.state_digest()).then_some(walk)
    }

    /// SHA-256 over the canonical text of the state.
    fn state_digest(&self) -> String {
        let (x, y) = self.at;
        let state = format!(
            "{{\"at\":{{\"x\":{x},\"y\":{y}}},\"hasKey\":{},\"isDone\":{},\"seed\":{},\"size\":{},\"tick\":{}}}",
            self.has_key,
            self.is_done,
            self.world.seed,
            self.world.size,
            self.events.len()
        );
        ["sha256:", &hex(&sha256(state.as_bytes()))].concat()
    }
}

/// The tick that a cursor names; nothing came before the first.
pub fn tick_of(payload: &Exact) -> usize {
    let cursor = payload.member("cursor");
    let text = cursor.as_ref().and_then(|cursor| cursor.value().as_str());
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}
