//! Sets of threads already seen and where each code point led from them: the deterministic automaton, as far as
//! one text needs it.
//!
//! It refuses to grow past a few megabytes: then it starts anew, and after some times stays empty. The machine
//! calls it inside a text, where neither end is near.

use alloc::vec::Vec;
/// Threads kept in all sets together.
const MAX_THREADS: usize = 1 << 20;
/// Code points remembered per set.
const MAX_LINKS: usize = 128;
/// After this many fresh starts the sets of a pattern are too many to come again.
const MAX_RESETS: u32 = 3;

struct Set {
    threads: Vec<u32>,
    accepts: bool,
    hash: u32,
    links: Vec<(u32, u32)>,
}

pub(super) struct Cache {
    sets: Vec<Set>,
    size: usize,
    resets: u32,
}

impl Cache {
    /// A cache that stays empty where what follows depends on more than the set of threads.
    pub(super) fn new(is_useful: bool) -> Self {
        Cache {
            sets: Vec::new(),
            size: 0,
            resets: if is_useful { 0 } else { MAX_RESETS },
        }
    }

    /// The number of this set, to which `point` led from `origin`; `None` when it is not kept.
    pub(super) fn intern(
        &mut self,
        threads: &[u32],
        accepts: bool,
        origin: Option<u32>,
        point: u32,
    ) -> Option<u32> {
        if self.resets >= MAX_RESETS {
            return None;
        }
        let hash = threads.iter().fold(0u32, |hash, thread| {
            (hash.rotate_left(5) ^ thread).wrapping_mul(0x9E37_79B9)
        });
        let known = self
            .sets
            .iter()
            .position(|set| set.hash == hash && set.accepts == accepts && set.threads == threads);
        let number = crate::parse::narrow(known.unwrap_or(self.sets.len()));
        if known.is_none() {
            self.size += threads.len();
            if self.size > MAX_THREADS {
                // All numbers are void, that of the origin too.
                *self = Cache {
                    sets: Vec::new(),
                    size: 0,
                    resets: self.resets + 1,
                };
                return None;
            }
            self.sets.push(Set {
                threads: threads.to_vec(),
                accepts,
                hash,
                links: Vec::new(),
            });
        }
        if let Some(set) = origin.and_then(|origin| self.sets.get_mut(origin as usize))
            && set.links.len() < MAX_LINKS
        {
            set.links.push((point, number));
        }
        Some(number)
    }

    /// Where `point` led from this set, and whether a match ends there.
    pub(super) fn step(&self, set: u32, point: u32) -> Option<(u32, bool)> {
        let links = &self.sets.get(set as usize)?.links;
        let (_, next) = links.iter().find(|(known, _)| *known == point)?;
        Some((*next, self.sets.get(*next as usize)?.accepts))
    }

    pub(super) fn threads(&self, set: u32) -> &[u32] {
        self.sets
            .get(set as usize)
            .map(|set| &*set.threads)
            .unwrap_or_default()
    }
}
