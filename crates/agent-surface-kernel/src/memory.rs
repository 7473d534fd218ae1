//! What was asked before: ids with what they belong to, and the answers.
//!
//! It refuses to grow: answers are forgotten first, and what is left of a request says that it was answered. Called by
//! `kernel`.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;

use crate::write;

/// Ids that are known.
pub(crate) const MAX_IDS: usize = 16_384;
/// Answers that are kept, and their bytes.
pub(crate) const MAX_ANSWERS: usize = 256;
const MAX_BYTES: usize = 1 << 20;

/// A response, and the code of the error that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) code: Option<String>,
}

impl Answer {
    /// To a request that succeeded; `result` is JSON.
    pub(crate) fn of(id: &str, result: &str, code: Option<&str>) -> Answer {
        Answer {
            text: write::answered(id, result),
            code: code.map(String::from),
        }
    }
}

#[derive(Debug)]
struct Known {
    content: [u8; 32],
    answer: Option<Answer>,
}

/// What is known of an id.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Recall<'a> {
    New,
    /// The same request, answered so.
    Answer(&'a Answer),
    /// The same request; its answer is gone.
    Forgotten,
    /// Another request.
    Other,
}

/// The requests of one session that were answered.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    known: BTreeMap<String, Known>,
    /// Oldest first.
    ids: VecDeque<String>,
    /// Those with an answer, oldest first.
    answers: VecDeque<String>,
    bytes: usize,
}

impl Memory {
    pub(crate) fn recall(&self, id: &str, content: &[u8; 32]) -> Recall<'_> {
        match self.known.get(id) {
            None => Recall::New,
            Some(known) if known.content != *content => Recall::Other,
            Some(known) => known.answer.as_ref().map_or(Recall::Forgotten, Recall::Answer),
        }
    }

    pub(crate) fn remember(&mut self, id: &str, content: [u8; 32], answer: Answer) {
        self.bytes += answer.text.len();
        let answer = Some(answer);
        self.known.insert(String::from(id), Known { content, answer });
        self.ids.push_back(String::from(id));
        self.answers.push_back(String::from(id));
        while self.answers.len() > MAX_ANSWERS || self.bytes > MAX_BYTES {
            let Some(oldest) = self.answers.pop_front() else {
                break;
            };
            let answer = self.known.get_mut(&oldest).and_then(|known| known.answer.take());
            self.bytes -= answer.map_or(0, |answer| answer.text.len());
        }
        if self.ids.len() > MAX_IDS
            && let Some(oldest) = self.ids.pop_front()
        {
            self.known.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: impl Into<String>) -> Answer {
        let text = text.into();
        Answer { text, code: None }
    }

    #[test]
    fn answers_are_forgotten_before_ids_are() {
        let mut memory = Memory::default();
        for number in 0..=MAX_IDS {
            memory.remember(&number.to_string(), [1; 32], answer("answer"));
        }
        let recall = |id: usize| memory.recall(&id.to_string(), &[1; 32]);
        assert_eq!([recall(0), recall(1)], [Recall::New, Recall::Forgotten]);
        assert_eq!(recall(MAX_IDS), Recall::Answer(&answer("answer")));
        assert_eq!(recall(MAX_IDS - MAX_ANSWERS), Recall::Forgotten);
        assert_eq!(memory.recall("1", &[2; 32]), Recall::Other);
        assert_eq!(memory.bytes, MAX_ANSWERS * "answer".len());
    }

    #[test]
    fn large_answers_are_kept_within_a_number_of_bytes() {
        let mut memory = Memory::default();
        for id in ["a", "b", "c"] {
            memory.remember(id, [0; 32], answer("x".repeat(MAX_BYTES / 2)));
        }
        assert_eq!(memory.recall("a", &[0; 32]), Recall::Forgotten);
        assert!(matches!(memory.recall("b", &[0; 32]), Recall::Answer(_)));
        memory.remember("d", [0; 32], answer("x".repeat(MAX_BYTES + 1)));
        assert_eq!(
            [memory.recall("d", &[0; 32]), memory.recall("c", &[0; 32])],
            [Recall::Forgotten, Recall::Forgotten]
        );
    }
}
