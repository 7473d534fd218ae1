//! The exported part of a registry that concerns snapshots.
//!
//! Same rules as in `registry`. Called by the facade's `snapshot`.

use agent_surface_core::message::Target;
use agent_surface_core::{Answer, Question};
use wasm_bindgen::prelude::*;

use crate::drain;
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
            let answer = self.ask(question);
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
    fn ask(&self, question: Question) -> Answer {
        match question {
            Question::Discovery(
                Target {
                    registration,
                    capability,
                },
                policy,
            ) => {
                let answer = self
                    .host
                    .discovery(-1, registration, capability, policy)
                    .unwrap_or(1);
                Answer::Vote(self.vote(answer))
            }
            Question::When(Target {
                registration,
                capability,
            }) => Answer::When(drain::when(self.host.when(registration, capability).unwrap_or(2))),
            Question::Reason(Target {
                registration,
                capability,
            }) => {
                let given = self.host.reason(registration, capability).unwrap_or(0);
                Answer::Text(self.text_if(given != 0))
            }
            Question::Note(Target {
                registration,
                capability,
            }) => {
                let given = self.host.note(registration, capability).unwrap_or(0);
                Answer::Text(self.text_if(given != 0))
            }
            Question::Route => {
                let given = self.host.route().unwrap_or(0);
                Answer::Text(self.text_if(given != 0))
            }
        }
    }
}
