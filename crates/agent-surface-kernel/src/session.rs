//! Sessions: who a peer is, what it may use and until when.
//!
//! It refuses to authenticate anyone: a session is data, made by a transport that knows its peer. Called by `kernel` and
//! the boundary.

use agent_surface_core::time::Millis;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// What a kernel knows of its peer.
#[derive(Clone, Debug)]
pub struct Session {
    /// After this nothing is answered.
    pub expires_at: Millis,
    /// Published ids.
    pub scope: Vec<String>,
}

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It may be used.
    Live,
    /// Its time is over.
    Expired,
    /// It was ended.
    Revoked,
}

#[derive(Debug)]
struct Entry {
    id: String,
    /// Of whom a transport proved it.
    origin: Option<String>,
    expires_at: Millis,
    is_revoked: bool,
}

/// The sessions of a page. Revoked ones are known as such until their time would have been over.
#[derive(Debug)]
pub struct Sessions {
    ttl: u32,
    max: usize,
    max_of_origin: usize,
    entries: Vec<Entry>,
}

/// Revoked sessions that are remembered, for each live one that there may be.
const REVOKED_PER_LIVE: usize = 16;

impl Sessions {
    /// Sessions live for `ttl` milliseconds; at most `max` at a time, and of one origin at most `max_of_origin`, or half of all
    /// where nothing is said: no origin has them all.
    pub fn new(ttl: u32, max: usize, max_of_origin: Option<usize>) -> Sessions {
        Sessions {
            ttl,
            max,
            max_of_origin: max_of_origin.unwrap_or(max.div_ceil(2)),
            entries: Vec::new(),
        }
    }

    /// Takes in a session under a fresh id and answers with its end; nothing where there are too many, or there is one of
    /// that id, or `now` is no time. What the page makes for itself is of no origin.
    pub fn create(&mut self, now: Millis, id: &str, origin: Option<&str>) -> Option<Millis> {
        if !now.0.is_finite() {
            return None;
        }
        self.entries.retain(|entry| !is_over(now, entry.expires_at));
        let live = self.entries.iter().filter(|entry| !entry.is_revoked);
        let of_origin = live.clone().filter(|entry| entry.origin.as_deref() == origin);
        let is_share_used = origin.is_some() && of_origin.count() >= self.max_of_origin;
        if is_share_used || live.count() >= self.max || self.entries.iter().any(|entry| entry.id == id) {
            return None;
        }
        if self.entries.len() >= self.max.saturating_mul(1 + REVOKED_PER_LIVE)
            && let Some(oldest) = self.entries.iter().position(|entry| entry.is_revoked)
        {
            self.entries.remove(oldest);
        }
        let expires_at = now.plus(self.ttl);
        self.entries.push(Entry {
            id: id.to_owned(),
            origin: origin.map(str::to_owned),
            expires_at,
            is_revoked: false,
        });
        Some(expires_at)
    }

    /// Where a session stands; nothing for one that is not known (any more).
    pub fn standing(&self, now: Millis, id: &str) -> Option<Standing> {
        let entry = self.entries.iter().find(|entry| entry.id == id)?;
        Some(match entry.is_revoked {
            true => Standing::Revoked,
            false if is_over(now, entry.expires_at) => Standing::Expired,
            false => Standing::Live,
        })
    }

    /// Whether it was live, or could have been again on another clock.
    pub fn revoke(&mut self, id: &str) -> bool {
        let entry = self.entries.iter_mut().find(|entry| entry.id == id);
        entry.is_some_and(|entry| !core::mem::replace(&mut entry.is_revoked, true))
    }
}

/// The end itself still belongs to a session, as to all that expires here. What is no time is past every end.
pub(crate) fn is_over(now: Millis, expires_at: Millis) -> bool {
    now.0.partial_cmp(&expires_at.0).is_none_or(Ordering::is_gt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_expire_and_make_room() {
        let mut sessions = Sessions::new(100, 1, None);
        assert_eq!(sessions.create(Millis(0.0), "a", None), Some(Millis(100.0)));
        assert_eq!(sessions.create(Millis(100.0), "b", None), None);
        assert_eq!(sessions.standing(Millis(100.0), "a"), Some(Standing::Live));
        assert_eq!(sessions.standing(Millis(101.0), "a"), Some(Standing::Expired));
        assert_eq!(sessions.create(Millis(101.0), "b", None), Some(Millis(201.0)));
        assert_eq!(sessions.standing(Millis(101.0), "a"), None);
    }

    #[test]
    fn a_clock_without_a_time_makes_no_session_and_takes_none_away() {
        let mut sessions = Sessions::new(100, 2, None);
        assert!(sessions.create(Millis(0.0), "a", None).is_some());
        assert_eq!(sessions.create(Millis(f64::NAN), "b", None), None);
        assert_eq!(sessions.standing(Millis(1.0), "a"), Some(Standing::Live));
        assert_eq!(sessions.standing(Millis(f64::NAN), "a"), Some(Standing::Expired));
    }

    #[test]
    fn no_origin_has_all_the_sessions() {
        let mut sessions = Sessions::new(100, 5, None);
        let at = Millis(0.0);
        let made = |sessions: &mut Sessions, origin, prefix: &str| {
            let ids = (0..9).map(|number| prefix.to_owned() + &number.to_string());
            ids.filter(|id| sessions.create(at, id, origin).is_some()).count()
        };
        assert_eq!(made(&mut sessions, Some("https://a.example"), "a"), 3);
        assert!(sessions.revoke("a0"));
        assert_eq!(made(&mut sessions, Some("https://a.example"), "b"), 1);
        assert_eq!(made(&mut sessions, None, "c"), 2);
        assert_eq!(
            made(
                &mut Sessions::new(100, 5, Some(5)),
                Some("https://a.example"),
                "a"
            ),
            5
        );
        assert_eq!(
            made(&mut Sessions::new(100, 1, None), Some("https://a.example"), "a"),
            1
        );
    }

    #[test]
    fn a_revoked_session_stays_revoked_and_gives_its_place_free() {
        let mut sessions = Sessions::new(100, 1, None);
        assert!(sessions.create(Millis(0.0), "a", None).is_some());
        assert!(sessions.revoke("a") && !sessions.revoke("a") && !sessions.revoke("b"));
        assert_eq!(sessions.create(Millis(1.0), "a", None), None);
        assert!(sessions.create(Millis(1.0), "b", None).is_some());
        assert_eq!(sessions.standing(Millis(2.0), "a"), Some(Standing::Revoked));
        for number in 0..100 {
            sessions.revoke("b");
            sessions.revoke(&number.to_string());
            assert!(
                sessions
                    .create(Millis(3.0), &(number + 1).to_string(), None)
                    .is_some()
            );
            assert!(sessions.entries.len() <= 17);
        }
    }
}
