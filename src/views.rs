//! The exported part of a registry that concerns snapshots.
//!
//! Same rules as in `registry`. Called by the facade's `snapshot`.

use agent_surface_core::{Answer, Budget, Question};
use alloc::string::String;
use wasm_bindgen::prelude::*;

use crate::convert::Act;
use crate::drain::{self, NOBODY, NOWHERE};
use crate::registry::{Registry, texts};

#[wasm_bindgen]
impl Registry {
    /// A view; `scope` is a JSON array of prefixes.
    #[wasm_bindgen(js_name = openView)]
    pub fn open_view(
        &self,
        scope: Option<String>,
        include_unavailable: bool,
        max_components: u32,
        max_bytes: u32,
    ) -> Result<u32, JsValue> {
        let scope = scope.map(texts).transpose()?.unwrap_or_default();
        let budget = Budget {
            max_components,
            max_bytes,
        };
        Ok(self.core_mut().open_view(scope, include_unavailable, budget))
    }
}

impl Registry {
    /// Looks through a view, asking whatever has to be asked. The stamp of its content; -1 while a look through it
    /// is under way.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a stamp past 2^53 would take centuries of changes"
    )]
    pub(crate) fn look(&self, view: u32) -> f64 {
        let now = self.now();
        if !self.core_mut().look(now, view) {
            return -1.0;
        }
        let mut question = self.core_mut().next_question(view);
        while let Some(asked) = question {
            let answer = self.put(asked);
            let mut core = self.core_mut();
            core.answer(view, answer);
            question = core.next_question(view);
        }
        self.core().view_stamp(view) as f64
    }

    fn put(&self, question: Question) -> Answer {
        match question {
            Question::Discovery(target, policy) => {
                let answer = self.ask(Act::Discovery, NOBODY, target, policy, 0);
                Answer::Vote(self.vote(answer))
            }
            Question::When(target) => Answer::When(drain::when(self.ask(Act::When, NOBODY, target, 0, 0))),
            Question::Reason(target) => Answer::Text(self.ask_text(Act::Reason, NOBODY, target)),
            Question::Note(target) => Answer::Text(self.ask_text(Act::Note, NOBODY, target)),
            Question::Route => Answer::Text(self.ask_text(Act::Route, NOBODY, NOWHERE)),
        }
    }
}
