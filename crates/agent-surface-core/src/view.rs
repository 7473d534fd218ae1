//! Snapshots: what one consumer sees, computed by plan, ask, build.
//!
//! A view remembers its last answer, so that an unchanged surface costs a comparison and a change costs its own
//! size. It asks closures through questions and never calls one; a closure that changes the registry restarts the
//! plan once. Called by the drivers and by toolsets.

mod budget;
mod cell;
mod cursor;
mod snapshot;
mod state;
mod touched;

pub use budget::Budget;
use cell::Cell;
use cursor::{Asks, Cursor, Pass, Phase};
pub(crate) use state::State;
pub(crate) use touched::Touched;

use crate::core::Core;
use crate::error::{ObjectWriter, decimal};
use crate::id::matches_scope;
use crate::message::{Target, Vote};
use crate::policy::keep_first;
use crate::registration::Member;
use crate::time::Millis;
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

/// One entry of a built view: registration slot, stamp of its content, whether it is listed as a component.
pub(crate) type Row = (u32, u64, bool);

/// What one consumer sees.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, read and set in different places"
)]
pub struct View {
    scope: Vec<String>,
    include_unavailable: bool,
    budget: Budget,
    cells: Vec<Cell>,
    cursor: Option<Cursor>,
    /// Each `when` that the last pass asked, in order, with what it said.
    whens: Vec<(Target, Option<bool>)>,
    /// Nothing else was asked: while all of them say the same again, the view stays as it is.
    only_whens: bool,
    /// Which of them is being asked again.
    again: Option<usize>,
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
    const fn is_idle(&self) -> bool {
        self.cursor.is_none() && self.again.is_none()
    }

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
            whens: Vec::new(),
            only_whens: false,
            again: None,
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
        self.views.get(view).is_some_and(View::is_idle) && self.views.discard(view)
    }

    /// Begins a look. False when one is under way (a closure of it asks for a snapshot).
    pub fn look(&mut self, now: Millis, view: u32) -> bool {
        self.now = now;
        let Some(found) = self.views.get_mut(view) else {
            return false;
        };
        if !found.is_idle() {
            return false;
        }
        let is_current = found.built && found.version == self.version;
        if is_current && found.only_whens {
            found.again = Some(0);
        } else if !is_current || found.asks || self.config.has_route {
            found.whens.clear();
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
            whens: 0,
        });
        found.only_whens = true;
    }

    /// The next question, or `None` when the view is complete.
    pub fn next_question(&mut self, view: u32) -> Option<Question> {
        loop {
            let found = self.views.get_mut(view)?;
            if let Some(at) = found.again {
                if found.version == self.version {
                    let next = found.whens.get(at).map(|&(target, _)| Question::When(target));
                    if next.is_none() {
                        found.again = None;
                    }
                    return next;
                }
                found.again = None;
                found.whens.clear();
                self.plan(view, Pass::Again);
                continue;
            }
            let cursor = found.cursor.as_mut()?;
            if cursor.version != self.version && cursor.pass < Pass::Again {
                found.whens.clear();
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
                    if let Some(asks) = cell.examine(generation, registration, cursor) {
                        let target = cursor.target();
                        found.only_whens &= matches!(asks, Asks::When);
                        return Some(match asks {
                            Asks::Vote(policy) => Question::Discovery(target, policy),
                            Asks::When => {
                                // What was heard before this pass began is not asked twice.
                                if let Some(&(_, answer)) = found.whens.get(cursor.whens) {
                                    cursor.hear(answer);
                                    continue;
                                }
                                Question::When(target)
                            }
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
                found.only_whens = false;
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
        if let (Some(at), Answer::When(answer)) = (found.again, &answer) {
            found.again = Some(at + 1);
            if let Some((_, last)) = found.whens.get_mut(at)
                && last != answer
                && found.version == self.version
            {
                *last = *answer;
                found.again = None;
                found.whens.truncate(at + 1);
                self.plan(view, Pass::All);
            }
            return;
        }
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
                found.whens.push((cursor.target(), answer));
                cursor.hear(answer);
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
