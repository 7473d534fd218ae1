//! Snapshots: what one consumer sees, computed by plan, ask, build.
//!
//! A view remembers its last answer, so that an unchanged surface costs a comparison and a change costs its own
//! size. It asks closures through questions and never calls one; a closure that changes the registry restarts the
//! plan once. Called by the drivers and by toolsets.

use agent_surface_json::{write_string, write_u64};

use crate::confirmation::text_field;
use crate::core::Core;
use crate::definition::{PolicyRef, Reason};
use crate::effect::Kind;
use crate::effective::NO_REASON;
use crate::id::matches_scope;
use crate::message::{Target, Vote};
use crate::registration::Member;
use crate::time::Millis;

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

/// What a consumer sees of one capability.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub visible: bool,
    pub available: bool,
    pub reason: Option<String>,
    pub note: Option<String>,
}

/// What a consumer sees of one registration.
#[derive(Debug, Default)]
pub(crate) struct Cell {
    generation: u32,
    revision: u64,
    /// Some answer must be asked each time.
    asks: bool,
    /// Moves when the states differ.
    pub stamp: u64,
    pub states: Vec<State>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Votes(usize),
    When,
    Reason,
    Note,
    Done,
}

#[derive(Debug)]
struct Cursor {
    plan: Vec<u32>,
    at: usize,
    /// The states of the registration at `at` so far; the last one is being asked about.
    states: Option<Vec<State>>,
    phase: Phase,
    route_asked: bool,
    version: u64,
    restarted: bool,
}

/// One entry of a built view: registration slot, stamp of its content, whether it is listed as a component.
pub(crate) type Row = (u32, u64, bool);

/// What one consumer sees.
#[derive(Debug)]
pub struct View {
    scope: Vec<String>,
    include_unavailable: bool,
    cells: Vec<Cell>,
    cursor: Option<Cursor>,
    asks: bool,
    built: bool,
    rows: Vec<Row>,
    version: u64,
    route: Option<String>,
    pending_route: Option<String>,
    captured: Millis,
    /// Moves with every new content.
    pub(crate) stamp: u64,
}

impl Core {
    /// A view for one consumer, whom the driver knows: it asks that consumer's closures. Closed by `close_view`.
    pub fn open_view(&mut self, scope: Vec<String>, include_unavailable: bool) -> u32 {
        self.views.insert(View {
            scope,
            include_unavailable,
            cells: Vec::new(),
            cursor: None,
            asks: false,
            built: false,
            rows: Vec::new(),
            version: 0,
            route: None,
            pending_route: None,
            captured: Millis(0.0),
            stamp: 0,
        })
    }

    /// Drops a view.
    pub fn close_view(&mut self, view: u32) {
        self.views.remove(view);
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
        if found.built && !found.asks && found.version == self.version && !self.config.has_route {
            return true;
        }
        let cursor = self.plan(view, false);
        if let Some(found) = self.views.get_mut(view) {
            found.cursor = Some(cursor);
        }
        true
    }

    fn plan(&self, view: u32, restarted: bool) -> Cursor {
        let scope = self.views.get(view).map_or(&[][..], |view| view.scope.as_slice());
        let plan =
            self.order
                .iter()
                .copied()
                .filter(|&slot| {
                    scope.is_empty()
                        || self.registrations.get(slot).is_some_and(|registration| {
                            matches_scope(&registration.header.component_type, scope)
                        })
                })
                .collect();
        Cursor {
            plan,
            at: 0,
            states: None,
            phase: Phase::Votes(0),
            route_asked: !self.config.has_route,
            version: self.version,
            restarted,
        }
    }

    /// The next question, or `None` when the view is complete.
    pub fn next_question(&mut self, view: u32) -> Option<Question> {
        loop {
            let found = self.views.get(view)?;
            let cursor = found.cursor.as_ref()?;
            if cursor.version != self.version && !cursor.restarted {
                let cursor = self.plan(view, true);
                self.views.get_mut(view)?.cursor = Some(cursor);
                continue;
            }
            let Some(&slot) = cursor.plan.get(cursor.at) else {
                if !cursor.route_asked {
                    self.views.get_mut(view)?.cursor.as_mut()?.route_asked = true;
                    return Some(Question::Route);
                }
                self.build(view);
                return None;
            };
            if let Some(question) = self.question_about(view, slot) {
                return Some(question);
            }
        }
    }

    /// Works on one registration until it needs an answer or is done.
    fn question_about(&mut self, view: u32, slot: u32) -> Option<Question> {
        let generation = self.registrations.generation(slot);
        let registration = self.registrations.get(slot);
        let found = self.views.get_mut(view)?;
        let cursor = found.cursor.as_mut()?;
        let Some(registration) = registration.filter(|registration| registration.live) else {
            cursor.at += 1;
            cursor.states = None;
            return None;
        };
        let at = usize::try_from(slot).ok()?;
        if found.cells.len() <= at {
            found.cells.resize_with(at + 1, Cell::default);
        }
        let cell = found.cells.get_mut(at)?;
        if cell.generation != generation {
            *cell = Cell {
                generation,
                asks: registration.members.iter().any(asks),
                ..Cell::default()
            };
        } else if cursor.states.is_none() && cell.revision == registration.revision && !cell.asks {
            cursor.at += 1;
            return None;
        }
        let states = cursor.states.get_or_insert_with(Vec::new);
        loop {
            if states.is_empty() || (cursor.phase == Phase::Done) {
                if states.len() == registration.members.len() {
                    break;
                }
                states.push(State {
                    visible: true,
                    available: true,
                    reason: None,
                    note: None,
                });
                cursor.phase = Phase::Votes(0);
            }
            let index = states.len() - 1;
            let (Some(member), Some(state)) = (registration.members.get(index), states.last_mut()) else {
                break;
            };
            let capability = u32::try_from(index).ok()?;
            let target = Target {
                registration: slot,
                capability,
            };
            match step(&mut cursor.phase, member, state, registration.enabled) {
                Asks::Vote(policy) => return Some(Question::Discovery(target, policy)),
                Asks::When => return Some(Question::When(target)),
                Asks::Reason => return Some(Question::Reason(target)),
                Asks::Note => return Some(Question::Note(target)),
                Asks::Nothing => cursor.phase = Phase::Done,
            }
        }
        let states = cursor.states.take().unwrap_or_default();
        cursor.phase = Phase::Votes(0);
        cursor.at += 1;
        cell.revision = registration.revision;
        if cell.states != states || cell.stamp == 0 {
            cell.states = states;
            self.revisions += 1;
            cell.stamp = self.revisions;
        }
        None
    }

    /// Takes the answer to the last question.
    pub fn answer(&mut self, view: u32, answer: Answer) {
        let Some(found) = self.views.get_mut(view) else {
            return;
        };
        let Some(cursor) = found.cursor.as_mut() else {
            return;
        };
        let state = cursor.states.as_mut().and_then(|states| states.last_mut());
        match (answer, state, cursor.phase) {
            (Answer::Text(route), None, _) => found.pending_route = route,
            (Answer::Vote(vote), Some(state), Phase::Votes(at)) => {
                cursor.phase = Phase::Votes(at + 1);
                match vote {
                    Vote::Expose => {}
                    Vote::Hide => *state = State::default(),
                    Vote::Disable(reason) => {
                        state.available = false;
                        state.reason.get_or_insert(reason);
                    }
                }
            }
            (Answer::When(answer), Some(state), Phase::When) => {
                state.available = answer == Some(true);
                if answer.is_none() {
                    state.reason = Some(String::from("when-error"));
                }
                cursor.phase = Phase::Reason;
            }
            (Answer::Text(text), Some(state), Phase::Reason) => {
                state.reason = Some(text.unwrap_or_else(|| String::from(NO_REASON)));
                cursor.phase = Phase::Note;
            }
            (Answer::Text(text), Some(state), Phase::Note) => {
                state.note = text;
                cursor.phase = Phase::Done;
            }
            _ => {}
        }
    }

    fn build(&mut self, view: u32) {
        let Some(found) = self.views.get_mut(view) else {
            return;
        };
        let Some(cursor) = found.cursor.take() else { return };
        let mut rows = Vec::with_capacity(cursor.plan.len());
        let mut asking = false;
        for &slot in &cursor.plan {
            let Some(registration) = self
                .registrations
                .get(slot)
                .filter(|registration| registration.live)
            else {
                continue;
            };
            let Some(cell) = usize::try_from(slot).ok().and_then(|at| found.cells.get(at)) else {
                continue;
            };
            asking |= cell.asks;
            let all = found.include_unavailable;
            let (mut listed, mut any) = (registration.members.is_empty(), false);
            for (member, state) in registration.members.iter().zip(&cell.states) {
                let shown = state.visible && (all || state.available);
                any |= shown;
                listed |= shown && member.capability.kind != Kind::Procedure;
            }
            if listed || any {
                rows.push((slot, cell.stamp, listed));
            }
        }
        let same = found.built
            && found.version == cursor.version
            && found.rows == rows
            && found.route == found.pending_route;
        found.asks = asking;
        found.built = true;
        if !same {
            found.version = cursor.version;
            found.rows = rows;
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

    /// Version, time and route of a built view.
    pub fn view_head(&self, view: u32) -> Option<(u64, String, Option<&str>)> {
        let view = self.views.get(view)?;
        Some((view.version, view.captured.iso(), view.route.as_deref()))
    }

    /// The view's registrations, in order: slot, stamp of its content, listed as a component.
    pub fn view_rows(&self, view: u32) -> &[Row] {
        self.views.get(view).map_or(&[], |view| view.rows.as_slice())
    }

    /// Calls `each` with every capability that the view shows of a registration.
    pub(crate) fn shown(&self, view: u32, slot: u32, each: &mut dyn FnMut(u32, &Member, &State)) {
        let Some(view) = self.views.get(view) else { return };
        let Some(registration) = self.registrations.get(slot) else {
            return;
        };
        let Some(cell) = usize::try_from(slot).ok().and_then(|at| view.cells.get(at)) else {
            return;
        };
        for ((at, member), state) in (0_u32..).zip(&registration.members).zip(&cell.states) {
            if state.visible && (view.include_unavailable || state.available) {
                each(at, member, state);
            }
        }
    }

    /// What the view shows of one registration: `[[kind, spec, available, reason, note], …]` as JSON text; kind 0
    /// observation, 1 action, 2 procedure.
    pub fn view_cell(&self, view: u32, slot: u32) -> String {
        let mut out = String::from("[");
        self.shown(view, slot, &mut |_, member, state| {
            if out.len() > 1 {
                out.push(',');
            }
            out.push_str(match member.capability.kind {
                Kind::Observation => "[0,",
                Kind::Action => "[1,",
                Kind::Procedure => "[2,",
            });
            write_u64(&mut out, u64::from(member.spec));
            out.push_str(if state.available { ",true" } else { ",false" });
            for text in [
                state.reason.as_ref().filter(|_| !state.available),
                state.note.as_ref(),
            ] {
                out.push(',');
                match text {
                    Some(text) => write_string(&mut out, text),
                    None => out.push_str("null"),
                }
            }
            out.push(']');
        });
        out.push(']');
        out
    }

    /// The whole snapshot as JSON text.
    pub fn snapshot_json(&self, view: u32) -> String {
        let mut out = String::from("{");
        text_field(&mut out, "surfaceId", &self.surface_id);
        let Some((version, captured, route)) = self.view_head(view) else {
            return String::from("{}");
        };
        let mut text = String::new();
        write_u64(&mut text, version);
        text_field(&mut out, "surfaceVersion", &text);
        text_field(&mut out, "capturedAt", &captured);
        if let Some(route) = route {
            text_field(&mut out, "route", route);
        }
        let mut components = String::new();
        let mut procedures = String::new();
        for &(slot, _, listed) in self.view_rows(view) {
            self.write_registration(view, slot, listed, &mut components, &mut procedures);
        }
        out.push_str(",\"components\":[");
        out.push_str(&components);
        out.push_str("],\"procedures\":[");
        out.push_str(&procedures);
        out.push_str("]}");
        out
    }

    fn write_registration(
        &self,
        view: u32,
        slot: u32,
        listed: bool,
        components: &mut String,
        procedures: &mut String,
    ) {
        let Some(registration) = self.registrations.get(slot) else {
            return;
        };
        let (mut observations, mut actions) = (String::new(), String::new());
        self.shown(view, slot, &mut |_, member, state| {
            let list = match member.capability.kind {
                Kind::Observation => &mut observations,
                Kind::Action => &mut actions,
                Kind::Procedure => &mut *procedures,
            };
            if !list.is_empty() {
                list.push(',');
            }
            let base = member.capability.base_descriptor();
            list.push_str(base.strip_suffix('}').unwrap_or(&base));
            list.push_str(if state.available {
                ",\"available\":true"
            } else {
                ",\"available\":false"
            });
            if !state.available {
                text_field(
                    list,
                    "unavailableReason",
                    state.reason.as_deref().unwrap_or(NO_REASON),
                );
            }
            if member.capability.kind == Kind::Procedure {
                if let Some(note) = &state.note {
                    text_field(list, "contextualNote", note);
                }
                text_field(list, "registrationId", &registration.id);
                list.push_str(",\"context\":{");
                text_field(list, "type", &registration.header.component_type);
                text_field(list, "instanceId", &registration.header.instance_id);
                list.push('}');
            }
            list.push('}');
        });
        if !listed {
            return;
        }
        if !components.is_empty() {
            components.push(',');
        }
        let head = registration.header.base_descriptor(&registration.id);
        components.push_str(head.strip_suffix('}').unwrap_or(&head));
        components.push_str(",\"observations\":[");
        components.push_str(&observations);
        components.push_str("],\"actions\":[");
        components.push_str(&actions);
        components.push_str("]}");
    }
}

enum Asks {
    Vote(u32),
    When,
    Reason,
    Note,
    Nothing,
}

fn asks(member: &Member) -> bool {
    member.capability.has_when
        || member.capability.has_describe
        || member
            .chain
            .iter()
            .any(|policy| policy.has(PolicyRef::ON_DISCOVERY))
}

/// Moves one capability on to its next question.
fn step(phase: &mut Phase, member: &Member, state: &mut State, enabled: bool) -> Asks {
    if let Phase::Votes(at) = *phase {
        let next = member
            .chain
            .iter()
            .enumerate()
            .skip(at)
            .find(|(_, policy)| policy.has(PolicyRef::ON_DISCOVERY));
        if let (Some((at, policy)), true) = (next, state.visible) {
            *phase = Phase::Votes(at);
            return Asks::Vote(policy.reference);
        }
        if !state.visible {
            return Asks::Nothing;
        }
        if state.available && !enabled {
            state.available = false;
            state.reason = Some(String::from("component-disabled"));
        } else if state.available
            && let Some(pushed) = &member.pushed
        {
            state.available = false;
            state.reason = Some(pushed.clone());
        }
        *phase = if state.available && member.capability.has_when {
            Phase::When
        } else {
            Phase::Note
        };
    }
    if *phase == Phase::When {
        return Asks::When;
    }
    if *phase == Phase::Reason {
        if !state.available && state.reason.is_none() {
            match &member.capability.reason {
                Reason::Function => return Asks::Reason,
                Reason::Text(text) => state.reason = Some(text.clone()),
                Reason::None => state.reason = Some(String::from(NO_REASON)),
            }
        }
        *phase = Phase::Note;
    }
    if member.capability.has_describe {
        Asks::Note
    } else {
        Asks::Nothing
    }
}
