//! A set of tools for one target: which, under what names, with what schemas, and what was lost.
//!
//! It refuses to let one tool harm another: what has no form is put aside and named. The same tools give the same bytes.
//! Called by the module and by native hosts.

use crate::definition::definition;
use crate::json::{Json, Members};
use crate::name;
use crate::schema::{self, Change, Loss, Projected, Refusal};
use crate::sort;
use crate::target::{Dialect, Profile, by_name, no_such_dialect, no_such_target};
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

/// A tool and where it came from.
struct Candidate<'a> {
    tool: &'a Json,
    name: &'a str,
    /// Its place in the list it came from.
    at: usize,
    is_meta: bool,
}

/// A tool whose schema has a form.
struct Ready<'a> {
    candidate: Candidate<'a>,
    projected: Projected,
    is_strict: bool,
}

/// What is reported beside the definitions.
#[derive(Default)]
struct Report {
    losses: Vec<Json>,
    quarantined: Vec<Json>,
}

impl Report {
    fn loss(&mut self, tool: &str, loss: &Loss) {
        self.losses.push(Json::object([
            ("tool", Json::text(tool)),
            ("pointer", Json::text(&loss.pointer)),
            ("keyword", Json::text(&loss.keyword)),
            ("change", Json::text(loss.change.word())),
            ("reason", Json::text(loss.reason)),
        ]));
    }

    fn quarantine(&mut self, tool: &str, field: &str, reason: &str) {
        self.quarantined.push(Json::object([
            ("tool", Json::text(tool)),
            ("field", Json::text(field)),
            ("reason", Json::text(reason)),
        ]));
    }
}

/// Projects tools. The request: `{ target, tools, meta?, schema?, maxTools?, maxStrict?, relaxed? }`; a tool: `{ name,
/// description?, inputSchema?, outputSchema?, title?, effect?, strict?, priority? }`. The answer: `{ tools, names, losses,
/// quarantined, overflow }`, or `{ fault }` where the request is none.
pub fn project(request: &Json) -> Json {
    let Some(profile) = by_name(request.at("target").str()) else {
        return no_such_target(request.at("target"));
    };
    let dialect = match request.at("schema") {
        Json::Null => profile.dialect,
        named => match Dialect::by_name(named.str()) {
            Some(dialect) => dialect,
            None => return no_such_dialect(named),
        },
    };
    let count = |key: &str, most: u32| request.at(key).as_count().unwrap_or(most);
    let most = count("maxTools", profile.max_tools) as usize;
    let most_strict = if request.at("relaxed").is_true() {
        0
    } else {
        count("maxStrict", profile.max_strict)
    };
    let mut run = Run {
        profile,
        dialect,
        report: Report::default(),
        strict_left: most_strict,
        is_relaxed: request.at("relaxed").is_true(),
    };
    let mut ready = run.ready(request.at("tools").items(), false);
    let mut overflow = Vec::new();
    if ready.len() > most {
        let meta = run.ready(request.at("meta").items(), true);
        let room = most.saturating_sub(meta.len());
        for dropped in drop_least(&mut ready, room) {
            overflow.push(Json::text(dropped.candidate.name));
        }
        ready.splice(0..0, meta);
        ready.truncate(most);
    }
    run.answer(&ready, overflow)
}

struct Run {
    profile: &'static Profile,
    dialect: Dialect,
    report: Report,
    strict_left: u32,
    is_relaxed: bool,
}

impl Run {
    fn ready<'a>(&mut self, tools: &'a [Json], is_meta: bool) -> Vec<Ready<'a>> {
        let mut ready = Vec::with_capacity(tools.len());
        for (at, tool) in tools.iter().enumerate() {
            let name = tool.at("name").str();
            if name.is_empty() {
                self.report.quarantine(name, "/name", "a tool needs a name");
                continue;
            }
            let candidate = Candidate {
                tool,
                name,
                at,
                is_meta,
            };
            match self.schema(&candidate) {
                Ok((projected, is_strict)) => ready.push(Ready {
                    candidate,
                    projected,
                    is_strict,
                }),
                Err(Refusal::Quarantine { pointer, reason }) => {
                    self.report
                        .quarantine(name, &["/inputSchema", &pointer].concat(), reason);
                }
                Err(Refusal::NotStrict(loss)) => self.report.quarantine(name, &loss.pointer, loss.reason),
            }
        }
        ready
    }

    /// The schema for the target, strict if the tool asks for it and there is room and a form.
    fn schema(&mut self, candidate: &Candidate<'_>) -> Result<(Projected, bool), Refusal> {
        let original = candidate.tool.at("inputSchema");
        let whole = |reason| Loss {
            pointer: String::new(),
            keyword: "strict".to_owned(),
            change: Change::Weakened,
            reason,
        };
        let mut why = None;
        if candidate.tool.at("strict").is_true() && !self.is_relaxed {
            match self.dialect.strict() {
                None => why = Some(whole("the target has no strict schemas")),
                Some(_) if self.strict_left == 0 => {
                    why = Some(whole("there are more strict tools than one request takes"));
                }
                Some(strict) => match schema::project(original, strict) {
                    Ok(projected) => {
                        self.strict_left -= 1;
                        return Ok((projected, true));
                    }
                    Err(Refusal::NotStrict(loss)) => why = Some(loss),
                    Err(refusal) => return Err(refusal),
                },
            }
        }
        let mut projected = schema::project(original, self.dialect)?;
        if let Some(mut loss) = why {
            "strict".clone_into(&mut loss.keyword);
            projected.losses.insert(0, loss);
        }
        Ok((projected, false))
    }

    fn answer(mut self, ready: &[Ready<'_>], overflow: Vec<Json>) -> Json {
        let own: Vec<&str> = ready.iter().map(|ready| ready.candidate.name).collect();
        let assigned = name::assign(self.profile, &own);
        let (mut tools, mut names) = (Vec::new(), Vec::new());
        for (ready, assigned) in ready.iter().zip(assigned) {
            let candidate = &ready.candidate;
            let Some(assigned) = assigned else {
                self.report
                    .quarantine(candidate.name, "/name", "another tool has this name");
                continue;
            };
            for loss in &ready.projected.losses {
                self.report.loss(candidate.name, loss);
            }
            let schema = &ready.projected.schema;
            let (tool, lost) = definition(
                self.profile,
                self.dialect,
                &assigned,
                candidate.tool,
                schema,
                ready.is_strict,
            );
            if let Some(lost) = lost {
                self.report.loss(candidate.name, &lost);
            }
            tools.push(tool);
            let mut entry = Members::default();
            entry.set("name", Json::Text(assigned));
            entry.set("tool", Json::text(candidate.name));
            entry.set(if candidate.is_meta { "meta" } else { "at" }, count(candidate.at));
            if ready.is_strict {
                entry.set("strict", Json::Bool(true));
            }
            names.push(Json::Object(entry));
        }
        Json::object([
            ("tools", Json::List(tools)),
            ("names", Json::List(names)),
            ("losses", Json::List(self.report.losses)),
            ("quarantined", Json::List(self.report.quarantined)),
            ("overflow", Json::List(overflow)),
        ])
    }
}

fn count(number: usize) -> Json {
    let mut out = String::new();
    agent_surface_json::write_u64(&mut out, number as u64);
    Json::Number(out)
}

/// Takes out all but the `room` tools of highest priority, of equals the last; what stays keeps its order.
fn drop_least<'a>(ready: &mut Vec<Ready<'a>>, room: usize) -> Vec<Ready<'a>> {
    let rank = |ready: &Ready<'_>| match ready.candidate.tool.at("priority") {
        Json::Number(token) => token.clone(),
        _ => "0".to_owned(),
    };
    let ranks: Vec<String> = ready.iter().map(rank).collect();
    let is_before = |a: usize, b: usize| match (ranks.get(a), ranks.get(b)) {
        (Some(a), Some(b)) => agent_surface_json::compare_numbers(a, b).is_gt(),
        _ => false,
    };
    let mut kept = sort::order(ranks.len(), &is_before);
    kept.truncate(room);
    let (mut stay, mut go) = (Vec::new(), Vec::new());
    for (at, one) in core::mem::take(ready).into_iter().enumerate() {
        if kept.contains(&at) {
            stay.push(one);
        } else {
            go.push(one);
        }
    }
    *ready = stay;
    go
}
