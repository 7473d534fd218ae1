//! Which call is which: ids that the target takes and that no other call of the turn has, and keys under which the surface
//! knows a call, so that it runs once.
//!
//! It refuses to take a counter for a name: many servers begin each turn with `call_0`, and the surface would answer with
//! what an earlier turn had. Called by `call` and `argument`.

use crate::index::Index;
use crate::json::Json;
use crate::target::Target;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

/// The longest id of an invocation.
const MAX_KEY: usize = 256;
/// A call as the model made it.
pub(crate) struct Given<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub arguments: &'a Json,
}

/// Id and key of each call.
pub(crate) fn identify(target: Target, turn: &str, given: &[Given<'_>]) -> Vec<(String, String)> {
    let bases: Vec<String> = given
        .iter()
        .enumerate()
        .map(|(at, call)| base(target, turn, call.id, at))
        .collect();
    let index = Index::new(bases.iter().map(String::as_str).collect());
    let repeats = index.repeats();
    // The next number of each base, at its first place.
    let mut next: Vec<u64> = alloc::vec![2; bases.len()];
    let mut known = Vec::with_capacity(given.len());
    for ((call, base), repeats) in given.iter().zip(&bases).zip(repeats) {
        let mut id = base.clone();
        if repeats > 0
            && let Some(next) = index.find(base).and_then(|first| next.get_mut(first))
        {
            // No other base leads to the same text, so only a base can be in the way.
            loop {
                id = numbered(base, *next);
                *next += 1;
                if index.find(&id).is_none() {
                    break;
                }
            }
        }
        let key = if repeats == 0 && is_drawn(call.id, call.name) {
            call.id.to_owned()
        } else if call.id.is_empty() || id.len() > MAX_KEY / 2 {
            numbered(&["call_", turn].concat(), known.len() as u64)
        } else {
            ["call_", turn, "_", &id].concat()
        };
        known.push((id, key));
    }
    known
}

/// Whether an id was drawn at random, so that it names one call for ever: a long run of letters and digits that is neither
/// the tool's name nor a word with a number behind it.
pub(crate) fn is_drawn(id: &str, name: &str) -> bool {
    // By bytes: searching in texts is dear in the module.
    let (id, name) = (id.as_bytes(), name.as_bytes());
    if id.len() > MAX_KEY || (!name.is_empty() && id.windows(name.len()).any(|part| part == name)) {
        return false;
    }
    id.split(|byte| !byte.is_ascii_alphanumeric()).any(|run| {
        let (mut is_mixed, mut turns) = (false, 0);
        for pair in run.windows(2) {
            if let [left, right] = pair {
                is_mixed |= left.is_ascii_digit() && right.is_ascii_alphabetic();
                turns += usize::from(left.is_ascii_uppercase() != right.is_ascii_uppercase());
            }
        }
        (run.len() >= 8 && is_mixed) || (run.len() >= 16 && turns > run.len() / 3)
    })
}

/// Id and key of each call, if these are calls of an earlier answer given again: all of them are among those, in their order.
pub(crate) fn again(past: &[Json], given: &[Given<'_>]) -> Option<Vec<(String, String)>> {
    if past.is_empty() || given.is_empty() {
        return None;
    }
    let mut past = past.iter();
    let same = |call: &Given<'_>| {
        past.find(|other| {
            other.at("given").str() == call.id
                && other.at("name").is(call.name)
                && other.at("arguments") == call.arguments
        })
        .map(|other| (other.at("id").str().to_owned(), other.at("key").str().to_owned()))
    };
    given.iter().map(same).collect()
}

/// The id as the target takes it; one that is made up where there is none.
fn base(target: Target, turn: &str, given: &str, at: usize) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if given.is_empty() {
        return numbered(&["call_", turn].concat(), at as u64);
    }
    match target {
        Target::Anthropic => given.chars().map(|c| if is_safe(c) { c } else { '_' }).collect(),
        _ => given.to_owned(),
    }
}

fn numbered(base: &str, count: u64) -> String {
    let mut out = [base, "_"].concat();
    agent_surface_json::write_u64(&mut out, count);
    out
}
