//! Snapshots: what one consumer sees, computed by plan, ask, build.
//!
//! A view remembers its last answer, so that an unchanged surface costs a comparison and a change costs its own
//! size. It asks closures through questions and never calls one; a closure that changes the registry restarts the
//! plan once. Called by the drivers and by toolsets.

mod budget;
mod snapshot;
mod state;
mod touched;

pub use budget::Budget;
use state::PLAIN;
pub(crate) use state::State;
pub(crate) use touched::Touched;

use crate::core::Core;
use crate::definition::{PolicyRef, Reason};
use crate::effect::Kind;
use crate::error::{ObjectWriter, decimal};
use crate::id::matches_scope;
use crate::message::{Target, Vote};
use crate::policy::keep_first;
use crate::registration::{Member, Registration};
use crate::time::Millis;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

/// Something the driver has to find out before a view is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// A policy's `onDiscovery` for the view's consumer.
    Discovery(Target, u32),
    /// The capability's `when`.
    When(Target),
    /// The capability's reason function.
    Reason(Target),
    /// The procedure's `describe`.
    Note(Target),
    /// The registry's route.
    Route,
}

/// The answer to the question that was asked last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To `Discovery`.
    Vote(Vote),
    /// To `When`: `None` when it threw.
    When(Option<bool>),
    /// To `Reason`, `Note` and `Route`.
    Text(Option<String>),
}

/// What a consumer sees of one registration.
#[derive(Debug, Default)]
struct Cell {
    generation: u32,
    /// The registration's, when it was looked at.
    revision: u64,
    /// Some answer must be asked each time.
    asks: bool,
    /// Moves when the states differ.
    stamp: u64,
    /// Of the capabilities that are not plain, with their positions.
    states: Vec<(usize, State)>,
    /// A procedure of it is shown.
    refers: bool,
    /// It is shown as a component.
    listed: bool,
    /// UTF-8 bytes of what is shown as a component, as JSON; 0 while nobody asked.
    bytes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Votes(usize),
    When,
    Reason,
    Note,
}

#[derive(Debug)]
struct Cursor {
    plan: Vec<u32>,
    at: usize,
    /// Which capability of the registration at `at` is being asked about.
    member: usize,
    phase: Phase,
    state: State,
    /// Of those before it that are not plain, with their positions.
    states: Vec<(usize, State)>,
    /// What is found so far.
    rows: Vec<Row>,
    asks: bool,
    /// What is left of the view's budget.
    left: Budget,
    /// Components for which nothing was left.
    dropped: u64,
    route_asked: bool,
    version: u64,
    pass: Pass,
}

/// What a look goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pass {
    /// What changed since the last look; the other rows stand.
    Changes,
    All,
    /// All, once more: a closure changed the registry meanwhile.
    Again,
}

/// One entry of a built view: registration slot, stamp of its content, whether it is listed as a component.
pub(crate) type Row = (u32, u64, bool);

/// What one consumer sees.
#[derive(Debug)]
pub struct View {
    scope: Vec<String>,
    include_unavailable: bool,
    budget: Budget,
    cells: Vec<Cell>,
    cursor: Option<Cursor>,
    asks: bool,
    built: bool,
    rows: Vec<Row>,
    /// Components that the budget leaves out.
    dropped: u64,
    version: u64,
    route: Option<String>,
    pending_route: Option<String>,
    captured: Millis,
    /// The stamp of the content whose news were told last; 0 when there are other registrations since, or in another
    /// order.
    told: u64,
    /// Moves with every new content.
    pub(crate) stamp: u64,
}

impl View {
    fn cell(&self, slot: u32) -> Option<&Cell> {
        self.cells.get(usize::try_from(slot).ok()?)
    }
}

impl Core {
    /// A view for one consumer, whom the driver knows: it asks that consumer's closures. Closed by `close_view`.
    pub fn open_view(&mut self, scope: Vec<String>, include_unavailable: bool, budget: Budget) -> u32 {
        self.views.insert(View {
            scope,
            include_unavailable,
            budget,
            cells: Vec::new(),
            cursor: None,
            asks: false,
            built: false,
            rows: Vec::new(),
            dropped: 0,
            version: 0,
            route: None,
            pending_route: None,
            captured: Millis(0.0),
            told: 0,
            stamp: 0,
        })
    }

    /// Whether a view shows components of this type.
    pub(crate) fn is_in_scope(&self, view: u32, component_type: &str) -> bool {
        self.views
            .get(view)
            .is_some_and(|view| matches_scope(component_type, &view.scope))
    }

    /// Drops a view, unless it is being looked through.
    pub fn close_view(&mut self, view: u32) -> bool {
        let is_idle = |found: &View| found.cursor.is_none();
        self.views.get(view).is_some_and(is_idle) && self.views.discard(view)
    }

    /// Begins a look. False when one is under way (a closure of it asks for a snapshot).
    pub fn look(&mut self, now: Millis, view: u32) -> bool {
        self.now = now;
        let Some(found) = self.views.get(view) else {
            return false;
        };
        if found.cursor.is_some() {
            return false;
        }
        if !found.built || found.asks || found.version != self.version || self.config.has_route {
            self.plan(view, Pass::Changes);
        }
        true
    }

    fn plan(&mut self, view: u32, pass: Pass) {
        let Some(found) = self.views.get_mut(view) else {
            return;
        };
        let knows = found.built && !found.asks && found.budget == Budget::NONE;
        let (mut plan, pass) = match self.touched.since(found.version) {
            Some(changed) if knows && pass == Pass::Changes => (changed.to_vec(), pass),
            _ => (self.order.clone(), pass.max(Pass::All)),
        };
        if !found.scope.is_empty() {
            plan.retain(|&slot| {
                let registration = self.registrations.get(slot);
                registration.is_some_and(|registration| {
                    matches_scope(&registration.component.header.component_type, &found.scope)
                })
            });
        }
        found.cursor = Some(Cursor {
            plan,
            at: 0,
            member: 0,
            phase: Phase::Votes(0),
            state: State::new(true),
            states: Vec::new(),
            rows: Vec::with_capacity(found.rows.len()),
            asks: false,
            left: found.budget.list(),
            dropped: 0,
            route_asked: !self.config.has_route,
            version: self.version,
            pass,
        });
    }

    /// The next question, or `None` when the view is complete.
    pub fn next_question(&mut self, view: u32) -> Option<Question> {
        loop {
            let found = self.views.get_mut(view)?;
            let cursor = found.cursor.as_mut()?;
            if cursor.version != self.version && cursor.pass < Pass::Again {
                self.plan(view, Pass::Again);
                continue;
            }
            while let Some(&slot) = cursor.plan.get(cursor.at) {
                if let Some(registration) = self.registrations.get(slot)
                    && registration.live
                {
                    let at = usize::try_from(slot).ok()?;
                    if found.cells.len() <= at {
                        found.cells.resize_with(at + 1, Cell::default);
                    }
                    let cell = found.cells.get_mut(at)?;
                    let generation = self.registrations.generation(slot);
                    if let Some((capability, asks)) = cell.examine(generation, registration, cursor) {
                        let target = Target {
                            registration: slot,
                            capability,
                        };
                        return Some(match asks {
                            Asks::Vote(policy) => Question::Discovery(target, policy),
                            Asks::When => Question::When(target),
                            Asks::Reason => Question::Reason(target),
                            Asks::Note => Question::Note(target),
                        });
                    }
                    if cell.revision != registration.revision {
                        self.revisions += 1;
                        cell.take(registration, cursor, found.include_unavailable, self.revisions);
                    }
                    cursor.asks |= cell.asks;
                    let listed = cell.listed && {
                        let bytes = if found.budget.max_bytes < u32::MAX {
                            cell.measure(registration, found.include_unavailable)
                        } else {
                            0
                        };
                        cursor.affords(bytes)
                    };
                    if listed || cell.refers || cursor.pass == Pass::Changes {
                        cursor.rows.push((slot, cell.stamp, listed));
                    }
                }
                cursor.leave();
            }
            if !core::mem::replace(&mut cursor.route_asked, true) {
                return Some(Question::Route);
            }
            if cursor.pass == Pass::Changes && !found.patch() {
                self.plan(view, Pass::All);
                continue;
            }
            self.build(view);
            return None;
        }
    }

    /// Takes the answer to the last question.
    pub fn answer(&mut self, view: u32, answer: Answer) {
        let Some(found) = self.views.get_mut(view) else {
            return;
        };
        let Some(cursor) = found.cursor.as_mut() else {
            return;
        };
        let state = &mut cursor.state;
        match (answer, cursor.phase) {
            (Answer::Text(route), _) if cursor.at >= cursor.plan.len() => found.pending_route = route,
            (Answer::Vote(vote), Phase::Votes(at)) => {
                cursor.phase = Phase::Votes(at + 1);
                match vote {
                    Vote::Expose => {}
                    Vote::Hide => *state = State::new(false),
                    Vote::Disable(reason) => {
                        state.available = false;
                        keep_first(&mut state.reason, reason);
                    }
                }
            }
            (Answer::When(answer), Phase::When) => {
                state.available = answer == Some(true);
                if answer.is_none() {
                    state.reason = Some(String::from("when-error"));
                }
                cursor.phase = Phase::Reason;
            }
            (Answer::Text(text), Phase::Reason) => {
                state.reason = Some(text.unwrap_or_default());
                cursor.phase = Phase::Note;
            }
            (Answer::Text(text), Phase::Note) => {
                state.note = text;
                cursor.advance();
            }
            _ => {}
        }
    }

    fn build(&mut self, view: u32) {
        let Some(found) = self.views.get_mut(view) else {
            return;
        };
        let Some(mut cursor) = found.cursor.take() else {
            return;
        };
        if cursor.version != self.version {
            cursor.rows.retain(|&(slot, ..)| {
                let registration = self.registrations.get(slot);
                registration.is_some_and(|registration| registration.live)
            });
        }
        let (mut same_places, mut same) = (
            cursor.pass == Pass::Changes || found.rows.len() == cursor.rows.len(),
            true,
        );
        for (one, other) in found.rows.iter().zip(&cursor.rows) {
            same_places &= (one.0, one.2) == (other.0, other.2);
            same &= one.1 == other.1;
        }
        let same = same
            && same_places
            && found.built
            && found.version == cursor.version
            && found.dropped == cursor.dropped
            && found.route == found.pending_route;
        if !same_places {
            found.told = 0;
        }
        found.asks = cursor.asks;
        found.built = true;
        if !same {
            found.version = cursor.version;
            if cursor.pass > Pass::Changes {
                found.rows = cursor.rows;
            }
            found.dropped = cursor.dropped;
            found.route = found.pending_route.take();
            found.captured = self.now;
            self.revisions += 1;
            found.stamp = self.revisions;
        }
    }

    /// The stamp of a built view's content: equal stamps, the same snapshot.
    pub fn view_stamp(&self, view: u32) -> u64 {
        self.views.get(view).map_or(0, |view| view.stamp)
    }

    /// The surface's version as a built view shows it.
    pub fn view_version(&self, view: u32) -> u64 {
        self.views.get(view).map_or(0, |view| view.version)
    }

    pub(crate) fn shown_rows(&self, view: u32) -> &[Row] {
        self.views.get(view).map_or(&[], |view| view.rows.as_slice())
    }

    /// What is new in a built view since its news were told last, as JSON text: `{version, time, route?, dropped?}` with either
    /// `rows`, its registrations in order, two numbers for each: twice its slot, plus one where it is listed as a
    /// component, and the stamp of its content; or, where nothing but the content of some differs, `changes`: for each
    /// of those its row, the stamp, and its `view_cell`.
    pub fn view_news(&mut self, view: u32) -> String {
        let Some(found) = self.views.get_mut(view) else {
            return String::new();
        };
        let told = core::mem::replace(&mut found.told, found.stamp);
        let mut out = ObjectWriter::new();
        out.text("version", &decimal(found.version))
            .text("time", &found.captured.iso())
            .text_if("route", found.route.as_deref());
        if found.dropped > 0 {
            out.number("dropped", found.dropped);
        }
        out.open(if told == 0 { "rows" } else { "changes" }, "[");
        for (at, &(slot, stamp, listed)) in (0_u64..).zip(self.shown_rows(view)) {
            if told == 0 {
                out.number_item(u64::from(slot) * 2 + u64::from(listed))
                    .number_item(stamp);
            } else if stamp > told {
                out.number_item(at)
                    .number_item(stamp)
                    .open_item(&self.view_cell(view, slot));
            }
        }
        out.close("]").finish()
    }

    /// Calls `each` with every capability that the view shows of a registration.
    pub(crate) fn shown(&self, view: u32, slot: u32, each: &mut dyn FnMut(u32, &Member, &State)) {
        if let Some(view) = self.views.get(view)
            && let Some(cell) = view.cell(slot)
            && let Some(registration) = self.registrations.get(slot)
        {
            for (at, member) in registration.component.members.iter().enumerate() {
                let state = cell.state(at);
                if state.is_shown(view.include_unavailable) {
                    each(u32::try_from(at).unwrap_or(u32::MAX), member, state);
                }
            }
        }
    }

    /// What the view shows of one registration, as JSON text: null for all of it, with nothing to say; else
    /// `[at, reason, note, …]`, three for each capability that it shows: the position, why it is not available, null
    /// where it is, and the note.
    pub fn view_cell(&self, view: u32, slot: u32) -> String {
        let cell = self.views.get(view).and_then(|view| view.cell(slot));
        if cell.is_some_and(|cell| cell.states.is_empty()) {
            return String::from("null");
        }
        let mut out = ObjectWriter::new();
        out.open_item("[");
        self.shown(view, slot, &mut |at, _, state| {
            out.number_item(at.into());
            state.write(&mut out);
        });
        out.close("]").take()
    }
}

impl Cell {
    /// Works on its registration until that is known (`None`) or something has to be asked about a capability.
    fn examine(
        &mut self,
        generation: u32,
        registration: &Registration,
        cursor: &mut Cursor,
    ) -> Option<(u32, Asks)> {
        let members = &registration.component.members;
        if self.generation != generation {
            *self = Self {
                generation,
                asks: members.iter().any(|member| member.asks),
                ..Self::default()
            };
        }
        let is_plain = registration.is_plain();
        if !self.asks && (is_plain || self.revision == registration.revision) {
            return None;
        }
        // Whatever is asked is asked each time.
        self.revision = 0;
        while let Some(member) = members.get(cursor.member) {
            if is_plain && !member.asks {
                cursor.member += 1;
                continue;
            }
            if let Some(asks) = step(cursor, member, registration) {
                return Some((u32::try_from(cursor.member).unwrap_or(u32::MAX), asks));
            }
            cursor.advance();
        }
        None
    }

    fn state(&self, at: usize) -> &State {
        let found = self.states.binary_search_by_key(&at, |(other, _)| *other);
        let found = found.ok().and_then(|found| self.states.get(found));
        found.map_or(&PLAIN, |(_, state)| state)
    }

    /// Takes the states that were found.
    fn take(
        &mut self,
        registration: &Registration,
        cursor: &mut Cursor,
        include_unavailable: bool,
        stamp: u64,
    ) {
        self.revision = registration.revision;
        if self.stamp != 0 && self.states == cursor.states {
            return;
        }
        (self.stamp, self.bytes) = (stamp, 0);
        self.states = core::mem::take(&mut cursor.states);
        (self.refers, self.listed) = (false, registration.component.members.is_empty());
        for (at, member) in registration.component.members.iter().enumerate() {
            if self.state(at).is_shown(include_unavailable) {
                let is_procedure = member.capability.kind == Kind::Procedure;
                self.refers |= is_procedure;
                self.listed |= !is_procedure;
            }
        }
    }
}

impl Cursor {
    /// Nothing more is to be asked about the capability.
    fn advance(&mut self) {
        if !self.state.is_plain() {
            let state = core::mem::replace(&mut self.state, State::new(true));
            self.states.push((self.member, state));
        }
        self.member += 1;
        self.phase = Phase::Votes(0);
    }

    /// Nor about the registration, whatever was found.
    fn leave(&mut self) {
        self.at += 1;
        self.member = 0;
        self.phase = Phase::Votes(0);
        self.state = State::new(true);
        self.states.clear();
    }
}

enum Asks {
    Vote(u32),
    When,
    Reason,
    Note,
}

/// Moves one capability on to its next question, or to where there is none.
fn step(cursor: &mut Cursor, member: &Member, registration: &Registration) -> Option<Asks> {
    let (at, phase, state) = (cursor.member, &mut cursor.phase, &mut cursor.state);
    if let Phase::Votes(asked) = *phase {
        if !state.visible {
            return None;
        }
        let mut votes = member.chain.iter().enumerate().skip(asked);
        if let Some((at, policy)) = votes.find(|(_, policy)| policy.has(PolicyRef::ON_DISCOVERY)) {
            *phase = Phase::Votes(at);
            return Some(Asks::Vote(policy.reference));
        }
        let reason = if registration.enabled {
            registration.pushed(at)
        } else {
            Some("component-disabled")
        };
        if state.available && reason.is_some() {
            state.available = false;
            state.reason = reason.map(str::to_owned);
        }
        *phase = if state.available && member.capability.has_when {
            Phase::When
        } else {
            Phase::Note
        };
    }
    if *phase == Phase::When {
        return Some(Asks::When);
    }
    if *phase == Phase::Reason {
        if !state.available && state.reason.is_none() {
            state.reason = match &member.capability.reason {
                Reason::Function => return Some(Asks::Reason),
                Reason::Text(text) => Some(text.clone()),
                Reason::None => Some(String::new()),
            };
        }
        *phase = Phase::Note;
    }
    member.capability.has_describe.then_some(Asks::Note)
}
