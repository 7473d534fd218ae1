//! The machine: all threads of a program in step over the text, so that time is linear in it.
//!
//! It refuses to remember where a match began: there is one thread per instruction at most.
//! `Pattern::is_match` calls it.

use super::ast::Anchor;
use super::cache::Cache;
use super::class::is_word;
use super::program::{Program, Step};

/// One run over a text.
struct Run<'p> {
    program: &'p Program,
    text: &'p [u32],
    /// Per lookaround: whether it holds at each position.
    looks: Vec<Vec<bool>>,
}

pub(super) fn is_match(program: &Program, text: &[u32]) -> bool {
    let mut run = Run {
        program,
        text,
        looks: Vec::new(),
    };
    for look in &program.looks {
        let mut holds = vec![false; text.len() + 1];
        run.scan(&look.code, !look.is_behind, &mut |at| {
            if let Some(slot) = holds.get_mut(at) {
                *slot = true;
            }
            false
        });
        run.looks.push(holds);
    }
    let mut is_found = false;
    run.scan(&program.code, false, &mut |_| {
        is_found = true;
        true
    });
    is_found
}

/// Whether what a thread does depends on its neighbourhood, and not only on being at an end of the text.
fn depends_on_place(step: &Step) -> bool {
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
    /// Per instruction the last round that followed it.
    followed: Vec<usize>,
}

impl Run<'_> {
    /// Runs unanchored code over the whole text and calls `accept` at every position where some match ends,
    /// until it answers `true`.
    fn scan(&self, code: &[Step], is_backward: bool, accept: &mut dyn FnMut(usize) -> bool) {
        let length = self.text.len();
        let mut threads = Threads {
            waiting: Vec::new(),
            pending: Vec::new(),
            followed: vec![0; code.len()],
        };
        let is_anchored = !is_backward && code.first() == Some(&Step::Anchor(Anchor::Start));
        let mut cache = Cache::new(code.iter().all(|step| !depends_on_place(step)));
        // The set before this position and the code point between.
        let mut origin = None;
        let mut round = 0;
        loop {
            let position = |round: usize| if is_backward { length - round } else { round };
            if round == 0 || !is_anchored {
                threads.pending.push(0);
            }
            if threads.pending.is_empty() {
                return;
            }
            let accepts = self.follow(code, position(round), round + 1, &mut threads);
            if accepts && accept(position(round)) {
                return;
            }
            // Ends of the text are seen by anchors, so sets are only the same within.
            let mut set = None;
            if round > 0 && round < length {
                set = cache.intern(&threads.waiting, accepts);
                if let (Some((set, point)), Some(next)) = (origin, set) {
                    cache.link(set, point, next);
                }
            }
            while let Some(current) = set
                && round + 1 < length
                && let Some(point) = self.point_after(position(round), is_backward)
                && let Some((next, accepts)) = cache.step(current, point)
            {
                round += 1;
                set = Some(next);
                if accepts && accept(position(round)) {
                    return;
                }
            }
            if let Some(current) = set {
                threads.waiting.clear();
                threads.waiting.extend_from_slice(cache.threads(current));
            }
            let Some(point) = self.point_after(position(round), is_backward) else {
                return;
            };
            origin = set.map(|set| ((set, cache.resets()), point));
            self.consume(code, point, &mut threads);
            round += 1;
        }
    }

    fn point_after(&self, at: usize, is_backward: bool) -> Option<u32> {
        let next = if is_backward { at.checked_sub(1) } else { Some(at) };
        next.and_then(|index| self.text.get(index)).copied()
    }

    /// Moves the waiting threads over `point`.
    fn consume(&self, code: &[Step], point: u32, threads: &mut Threads) {
        let Threads { waiting, pending, .. } = threads;
        for instruction in waiting.drain(..) {
            let is_hit = match code.get(instruction as usize) {
                Some(Step::Point(wanted)) => *wanted == point,
                Some(Step::Set(set)) => self
                    .program
                    .sets
                    .get(*set as usize)
                    .is_some_and(|set| set.has(point)),
                _ => false,
            };
            if is_hit {
                pending.push(instruction + 1);
            }
        }
    }

    /// Follows what consumes nothing. `true` when some thread accepts here.
    fn follow(&self, code: &[Step], at: usize, round: usize, threads: &mut Threads) -> bool {
        let mut accepts = false;
        let Threads {
            waiting,
            pending,
            followed,
        } = threads;
        while let Some(instruction) = pending.pop() {
            match followed.get_mut(instruction as usize) {
                Some(last) if *last != round => *last = round,
                _ => continue,
            }
            match code.get(instruction as usize) {
                Some(Step::Point(_) | Step::Set(_)) => waiting.push(instruction),
                Some(Step::Split(a, b)) => pending.extend([*b, *a]),
                Some(Step::Jump(target)) => pending.push(*target),
                Some(Step::Anchor(anchor)) if self.holds(*anchor, at) => pending.push(instruction + 1),
                Some(Step::Look { look, is_negative }) => {
                    let bits = self.looks.get(*look as usize);
                    let holds = bits.and_then(|bits| bits.get(at)).copied().unwrap_or(false);
                    if holds != *is_negative {
                        pending.push(instruction + 1);
                    }
                }
                Some(Step::Accept) => accepts = true,
                Some(Step::Anchor(_)) | None => {}
            }
        }
        accepts
    }

    fn holds(&self, anchor: Anchor, at: usize) -> bool {
        let is_word_at = |index: Option<usize>| {
            index
                .and_then(|index| self.text.get(index))
                .is_some_and(|point| is_word(*point))
        };
        match anchor {
            Anchor::Start => at == 0,
            Anchor::End => at == self.text.len(),
            Anchor::Word => is_word_at(at.checked_sub(1)) != is_word_at(Some(at)),
            Anchor::NotWord => is_word_at(at.checked_sub(1)) == is_word_at(Some(at)),
        }
    }
}
