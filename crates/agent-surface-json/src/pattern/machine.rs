//! The machine: all threads of a program in step over the text, so that time is linear in it.
//!
//! It refuses to remember where a match began: there is one thread per instruction at most.
//! `Pattern::is_match` calls it.

use super::cache::Cache;
use super::class::{has, is_word};
use super::program::{Anchor, Look, Program, Step};
use alloc::vec;
use alloc::vec::Vec;

/// One run over a text.
struct Run<'p> {
    program: &'p Program,
    text: &'p [char],
    /// Per lookaround: whether it holds at each position.
    holds: Vec<Vec<bool>>,
}

pub(super) fn is_match(program: &Program, text: &[char]) -> bool {
    let mut run = Run {
        program,
        text,
        holds: Vec::new(),
    };
    let mut is_found = false;
    let last = program.looks.len().saturating_sub(1);
    for (number, look) in program.looks.iter().enumerate() {
        let is_last = number == last;
        let mut holds = vec![false; if is_last { 0 } else { text.len() + 1 }];
        is_found = run.scan(look, is_last, &mut holds);
        run.holds.push(holds);
    }
    is_found
}

/// Whether what a thread does depends on its neighbourhood, and not only on being at an end of the text.
fn depends_on_place(step: Step) -> bool {
    matches!(
        step,
        Step::Look { .. } | Step::Anchor(Anchor::Word | Anchor::NotWord)
    )
}

/// The threads of one position.
struct Threads {
    /// Instructions that consume a code point.
    waiting: Vec<u32>,
    /// Instructions still to follow.
    pending: Vec<u32>,
    /// Per instruction the last round that followed it, counted from 1.
    followed: Vec<usize>,
}

impl Run<'_> {
    /// Runs unanchored code over the whole text and notes in `holds` every position where some match ends, or
    /// only says whether there is one.
    fn scan(&self, look: &Look, stops_early: bool, holds: &mut [bool]) -> bool {
        let code = &look.code;
        let length = self.text.len();
        let mut threads = Threads {
            waiting: Vec::new(),
            pending: Vec::new(),
            followed: vec![0; code.len()],
        };
        let is_anchored = !look.is_backward && matches!(code.first(), Some(Step::Anchor(Anchor::Start)));
        let mut cache = Cache::new(!code.iter().copied().any(depends_on_place));
        // The number of the set of threads here, where it is kept.
        let mut set = None;
        for round in 0..=length {
            let at = if look.is_backward { length - round } else { round };
            // The code point between the last position and this one.
            let before = if look.is_backward {
                Some(at)
            } else {
                at.checked_sub(1)
            };
            let point = before
                .and_then(|index| self.text.get(index))
                .map_or(0, |char| u32::from(*char));
            // Ends of the text are seen by anchors, so sets are only the same within.
            let is_inside = round > 0 && round < length;
            let known = set.filter(|_| is_inside).and_then(|set| cache.step(set, point));
            let accepts = if let Some((next, accepts)) = known {
                set = Some(next);
                accepts
            } else {
                if let Some(threads_of) = set.map(|set| cache.threads(set)) {
                    threads.waiting.clear();
                    threads.waiting.extend_from_slice(threads_of);
                }
                self.consume(code, point, &mut threads);
                if round == 0 || !is_anchored {
                    threads.pending.push(0);
                }
                if threads.pending.is_empty() {
                    return false;
                }
                let accepts = self.follow(code, at, round + 1, &mut threads);
                let origin = set;
                set = if is_inside {
                    cache.intern(&threads.waiting, accepts, origin, point)
                } else {
                    None
                };
                accepts
            };
            if accepts {
                if stops_early {
                    return true;
                }
                if let Some(slot) = holds.get_mut(at) {
                    *slot = true;
                }
            }
        }
        false
    }

    /// Moves the waiting threads over `point`.
    fn consume(&self, code: &[Step], point: u32, threads: &mut Threads) {
        for instruction in &threads.waiting {
            let is_hit = match code.get(*instruction as usize) {
                Some(Step::Range(low, high)) => *low <= point && point <= *high,
                Some(Step::Set(set)) => {
                    let ranges = self.program.sets.get(*set as usize);
                    ranges.is_some_and(|ranges| has(ranges, point))
                }
                _ => false,
            };
            if is_hit {
                threads.pending.push(instruction + 1);
            }
        }
        threads.waiting.clear();
    }

    /// Follows what consumes nothing. `true` when some thread accepts here.
    fn follow(&self, code: &[Step], at: usize, round: usize, threads: &mut Threads) -> bool {
        let mut accepts = false;
        while let Some(instruction) = threads.pending.pop() {
            match threads.followed.get_mut(instruction as usize) {
                Some(last) if *last != round => *last = round,
                _ => continue,
            }
            let mut goes_on = false;
            match code.get(instruction as usize) {
                Some(Step::Range(..) | Step::Set(_)) => threads.waiting.push(instruction),
                Some(Step::Split(distance)) => {
                    threads.pending.push(instruction.wrapping_add(*distance));
                    goes_on = true;
                }
                Some(Step::Jump(distance)) => threads.pending.push(instruction.wrapping_add(*distance)),
                Some(Step::Anchor(anchor)) => goes_on = self.is_at(*anchor, at),
                Some(Step::Look { look, is_negative }) => {
                    let holds = self.holds.get(*look as usize).and_then(|holds| holds.get(at));
                    goes_on = holds != Some(is_negative);
                }
                Some(Step::Accept) => accepts = true,
                None => {}
            }
            if goes_on {
                threads.pending.push(instruction + 1);
            }
        }
        accepts
    }

    fn is_at(&self, anchor: Anchor, at: usize) -> bool {
        let is_word_at = |index: usize| self.text.get(index).is_some_and(|char| is_word(u32::from(*char)));
        let is_edge = || is_word_at(at.wrapping_sub(1)) != is_word_at(at);
        match anchor {
            Anchor::Start => at == 0,
            Anchor::End => at == self.text.len(),
            Anchor::Word => is_edge(),
            Anchor::NotWord => !is_edge(),
        }
    }
}
