//! A bounded number of places, where what only waits gives way: connections without a request, and bodies on their way.
//!
//! It refuses to end what works, and to let whoever sends nothing keep others out: when all places are taken, the one that
//! has waited longest is asked to go, and if none waits, the newcomer is. `serve` and the server call it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The places, and who has them.
#[derive(Debug)]
pub(crate) struct Places {
    max: usize,
    taken: Mutex<Taken>,
    emptied: Notify,
}

#[derive(Default, Debug)]
struct Taken {
    /// By the turn in which they began to wait.
    waiting: BTreeMap<u64, Arc<Notify>>,
    working: usize,
    last_turn: u64,
}

impl Taken {
    fn wait(&mut self, asked_to_go: Arc<Notify>) -> u64 {
        self.last_turn += 1;
        self.waiting.insert(self.last_turn, asked_to_go);
        self.last_turn
    }

    fn make_room(&mut self) -> Option<()> {
        let (_, longest) = self.waiting.pop_first()?;
        longest.notify_one();
        Some(())
    }
}

impl Places {
    pub(crate) fn new(max: u16) -> Arc<Self> {
        Arc::new(Places {
            max: usize::from(max),
            taken: Mutex::default(),
            emptied: Notify::new(),
        })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place, where its owner waits; none if all others work.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Place> {
        let mut taken = self.taken();
        if taken.waiting.len() + taken.working >= self.max {
            taken.make_room()?;
        }
        let asked_to_go = Arc::new(Notify::new());
        let turn = taken.wait(Arc::clone(&asked_to_go));
        Some(Place {
            places: Arc::clone(self),
            standing: Mutex::new(Standing::Waits(turn)),
            asked_to_go,
        })
    }

    /// Asks the one that has waited longest to go, if any waits: there is less room than there was thought to be.
    pub(crate) fn make_room(&self) {
        self.taken().make_room().unwrap_or_default();
    }

    /// Waits until nobody has a place.
    pub(crate) async fn until_empty(&self) {
        loop {
            let emptied = self.emptied.notified();
            if self.is_empty() {
                return;
            }
            emptied.await;
        }
    }

    fn is_empty(&self) -> bool {
        let taken = self.taken();
        taken.working == 0 && taken.waiting.is_empty()
    }
}

#[derive(Clone, Copy, Debug)]
enum Standing {
    /// Since this turn; if nobody waits since then, it has given way.
    Waits(u64),
    Works,
}

/// One's place, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    standing: Mutex<Standing>,
    asked_to_go: Arc<Notify>,
}

impl Place {
    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends when the place was given to another.
    pub(crate) async fn until_given_away(&self) {
        self.asked_to_go.notified().await;
    }

    /// From here on it does not give way. Says no if it has.
    pub(crate) fn work(&self) -> bool {
        let mut standing = self.standing();
        if let Standing::Waits(turn) = *standing {
            let mut taken = self.places.taken();
            if taken.waiting.remove(&turn).is_none() {
                return false;
            }
            taken.working += 1;
            *standing = Standing::Works;
        }
        true
    }

    /// From here on it may give way again, after all who wait already.
    pub(crate) fn wait(&self) {
        let mut standing = self.standing();
        if let Standing::Works = *standing {
            let mut taken = self.places.taken();
            taken.working = taken.working.saturating_sub(1);
            *standing = Standing::Waits(taken.wait(Arc::clone(&self.asked_to_go)));
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let standing = *self.standing();
        let mut taken = self.places.taken();
        match standing {
            Standing::Works => taken.working = taken.working.saturating_sub(1),
            Standing::Waits(turn) => drop(taken.waiting.remove(&turn)),
        }
        drop(taken);
        if self.places.is_empty() {
            self.places.emptied.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Places;

    #[test]
    fn who_has_waited_longest_gives_way_and_who_works_does_not() {
        let places = Places::new(3);
        let [first, second, third] = [(); 3].map(|()| places.take().unwrap());
        assert!(first.work());
        let fourth = places.take().unwrap();
        assert!(!second.work());
        assert!(third.work() && fourth.work());
        assert!(places.take().is_none());
        // Waiting again is waiting anew; what is dropped makes room once.
        third.wait();
        first.wait();
        drop(second);
        let fifth = places.take().unwrap();
        assert!(!third.work());
        assert!(first.work());
        drop((first, fourth));
        let sixth = places.take().unwrap();
        places.make_room();
        assert!(!fifth.work());
        assert!(sixth.work());
        places.make_room();
    }

    #[test]
    fn the_end_comes_when_nobody_has_a_place() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let places = Places::new(1);
            places.until_empty().await;
            let place = places.take().unwrap();
            let ending = tokio::spawn({
                let places = places.clone();
                async move { places.until_empty().await }
            });
            tokio::task::yield_now().await;
            assert!(!ending.is_finished());
            let next = places.take().unwrap();
            place.until_given_away().await;
            drop(place);
            tokio::task::yield_now().await;
            assert!(!ending.is_finished());
            drop(next);
            ending.await.unwrap();
        });
    }
}
