//! The exported part of a registry that concerns snapshots.
//!
//! Same rules as in `registry`. Called by the facade's `snapshot`.

use agent_surface_core::{Answer, Question};
use wasm_bindgen::prelude::*;

use crate::convert::Act;
use crate::drain::{self, NOBODY, NOWHERE};
use crate::registry::{Registry, texts};

#[wasm_bindgen]
impl Registry {
    /// A view; `scope` is a JSON array of prefixes.
    #[wasm_bindgen(js_name = openView)]
    pub fn open_view(&self, scope: Option<String>, include_unavailable: bool) -> Result<u32, JsValue> {
        let scope = scope.map(texts).transpose()?.unwrap_or_default();
        Ok(self.core.borrow_mut().open_view(scope, include_unavailable))
    }

    /// Drops a view.
    #[wasm_bindgen(js_name = closeView)]
    pub fn close_view(&self, view: u32) {
        self.core.borrow_mut().close_view(view);
    }

    /// Looks through a view, asking whatever has to be asked. The stamp of its content; -1 while a look through it
    /// is under way.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a stamp past 2^53 would take centuries of changes"
    )]
    pub fn look(&self, view: u32) -> f64 {
        let now = self.now();
        if !self.core.borrow_mut().look(now, view) {
            return -1.0;
        }
        loop {
            let question = self.core.borrow_mut().next_question(view);
            let Some(question) = question else { break };
            let answer = self.put(question);
            self.core.borrow_mut().answer(view, answer);
        }
        self.core.borrow().view_stamp(view) as f64
    }

    /// The version, the time and, where there is one, the route, with a space between.
    #[wasm_bindgen(js_name = viewHead)]
    pub fn view_head(&self, view: u32) -> String {
        self.core.borrow().view_head(view)
    }

    /// Two numbers for each registration in the view: twice its slot, plus one where it is listed as a component; and
    /// the stamp of its content.
    #[wasm_bindgen(js_name = viewRows)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "stamps are compared for equality with recent ones only"
    )]
    pub fn view_rows(&self, view: u32) -> Vec<u32> {
        let core = self.core.borrow();
        let rows = core.view_rows(view);
        let mut out = Vec::with_capacity(rows.len() * 2);
        for &(slot, stamp, listed) in rows {
            out.extend([slot * 2 + u32::from(listed), stamp as u32]);
        }
        out
    }

    /// What the view shows of one registration, as JSON text.
    #[wasm_bindgen(js_name = viewCell)]
    pub fn view_cell(&self, view: u32, slot: u32) -> String {
        self.core.borrow().view_cell(view, slot)
    }
}

impl Registry {
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
