//! A small model beside the gate: random greetings, answers and timers. Each handshake that begins ends once, by an answer or
//! by its time; what is noted is told or counted, and nothing of it is lost.
//!
//! It refuses to know how the gate keeps its books.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use agent_surface_core::time::Millis;
use agent_surface_kernel::{Gate, GateOutput, Greeted, Nonce, Noted};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Greet { origin: u8, nonce: u8, source: u8 },
    Answer { nth: usize },
    Note { key: u8 },
    Pass { ms: u16 },
    Fire,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0_u8..2, 0_u8..120, 0_u8..2)
            .prop_map(|(origin, nonce, source)| Step::Greet { origin, nonce, source }),
        3 => (0_usize..8).prop_map(|nth| Step::Answer { nth }),
        4 => (0_u8..100).prop_map(|key| Step::Note { key }),
        2 => (0_u16..8000).prop_map(|ms| Step::Pass { ms }),
        1 => Just(Step::Fire),
    ]
}

const WAIT: u32 = 5000;

struct Model {
    gate: Gate,
    now: f64,
    /// When each began, by its number.
    under_way: BTreeMap<u32, f64>,
    /// Who used a nonce first, and in which handshake.
    nonces: BTreeMap<u8, (u8, u8, u32)>,
    noted: u32,
    told: u32,
}

impl Model {
    fn drain(&mut self) {
        while let Some(output) = self.gate.poll_output() {
            match output {
                GateOutput::GiveUp(number) => {
                    assert!(self.under_way.remove(&number).is_some(), "{number} ended twice");
                    assert!(!self.gate.handle_answer(number));
                }
                GateOutput::Tell { count, .. } => {
                    assert!(count > 0);
                    self.told += count;
                }
            }
        }
    }

    fn greet(&mut self, origin: u8, nonce: u8, source: u8) {
        let text = format!("nonce-{nonce:016}");
        let name = format!("https://{origin}.example");
        let given = Nonce {
            text: &text,
            source: source.into(),
        };
        let greeted = self.gate.handle_greeting(Millis(self.now), &name, Some(given));
        match (greeted, self.nonces.get(&nonce)) {
            (Greeted::Begin(number), None) => {
                assert!(self.under_way.insert(number, self.now).is_none());
                self.nonces.insert(nonce, (origin, source, number));
            }
            (Greeted::TooMany, None) => assert!(self.under_way.len() >= 32, "refused for nothing"),
            (Greeted::Repeat, Some((first, from, number))) => {
                assert!((*first, *from) == (origin, source) && self.under_way.contains_key(number));
            }
            (Greeted::Late, Some((first, from, number))) => {
                assert!((*first, *from) == (origin, source) && !self.under_way.contains_key(number));
            }
            (Greeted::Replay, Some((first, from, _))) => assert!((*first, *from) != (origin, source)),
            (other, known) => panic!("{other:?} for {known:?}"),
        }
        assert!(self.under_way.len() <= 64);
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Greet {
                origin,
                nonce,
                source,
            } => self.greet(origin, nonce, source),
            Step::Answer { nth } => {
                if let Some(number) = self.under_way.keys().nth(nth).copied() {
                    assert!(self.gate.handle_answer(number), "it was still waited for");
                    self.under_way.remove(&number);
                }
            }
            Step::Note { key } => {
                self.noted += 1;
                let noted = self.gate.handle_note(Millis(self.now), &key.to_string(), "rest");
                self.told += u32::from(noted == Noted::Tell);
            }
            Step::Pass { ms } => {
                self.now += f64::from(ms);
                // The host's timer.
                while self.gate.poll_timeout().is_some_and(|due| due.0 < self.now) {
                    self.gate.handle_timeout(Millis(self.now));
                    self.drain();
                }
                let longest = self
                    .under_way
                    .values()
                    .map(|begun| self.now - begun)
                    .fold(0.0, f64::max);
                assert!(longest <= f64::from(WAIT), "somebody waits for {longest} ms");
            }
            Step::Fire => {
                self.gate.handle_timeout(Millis(self.now));
                self.drain();
            }
        }
    }
}

proptest! {
    #[test]
    fn each_handshake_ends_once_and_nothing_noted_is_lost(steps in prop::collection::vec(step(), 1..200)) {
        let mut model = Model {
            gate: Gate::new(WAIT),
            now: 0.0,
            under_way: BTreeMap::new(),
            nonces: BTreeMap::new(),
            noted: 0,
            told: 0,
        };
        for each in &steps {
            model.step(each);
        }
        model.gate.handle_timeout(Millis(f64::INFINITY));
        model.drain();
        prop_assert_eq!((model.under_way.len(), model.told), (0, model.noted));
        prop_assert_eq!(model.gate.poll_timeout(), None);
    }
}
