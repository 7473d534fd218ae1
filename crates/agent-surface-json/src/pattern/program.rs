//! The tree as instructions of a Pike machine (R. Cox, "Regular Expression Matching: the Virtual Machine
//! Approach", 2009).
//!
//! It refuses programs past `MAX_PROGRAM`: counted repetitions are written out. `Pattern::compile` calls it.

use super::PatternError;
use super::ast::{Anchor, Ast, Tree, UNBOUNDED};
use super::class::Set;
use crate::parse::narrow;

/// Instructions of the whole pattern, lookarounds included.
pub(super) const MAX_PROGRAM: usize = 2_500;
/// Lookarounds: each keeps a bit per position of the text.
const MAX_LOOKS: usize = 32;

/// One instruction; numbers are instructions of the same code, sets or lookarounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    Point(u32),
    Set(u32),
    Split(u32, u32),
    Jump(u32),
    Anchor(Anchor),
    Look { look: u32, is_negative: bool },
    Accept,
}

/// A lookaround: its code runs once over the whole text. Ahead runs backward, so that it ends where it is
/// asked; behind runs forward.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub(super) code: Vec<Step>,
    pub(super) is_behind: bool,
}

/// Everything the machine needs. Lookarounds come after those they contain.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) code: Vec<Step>,
    pub(super) looks: Vec<Look>,
    pub(super) sets: Vec<Set>,
}

struct Assembler<'t> {
    tree: &'t Tree,
    looks: Vec<Look>,
    /// The tree's node of each lookaround: repeated ones share it.
    origins: Vec<u32>,
    size: usize,
}

type Result<T> = core::result::Result<T, PatternError>;

pub(super) fn assemble(tree: &Tree) -> Result<Program> {
    let mut assembler = Assembler {
        tree,
        looks: Vec::new(),
        origins: Vec::new(),
        size: 0,
    };
    let code = assembler.code(tree.root, false)?;
    let sets = tree.sets.iter().map(|ranges| Set::new(ranges.clone())).collect();
    Ok(Program {
        code,
        looks: assembler.looks,
        sets,
    })
}

fn too_large<T>() -> Result<T> {
    Err(PatternError {
        at: 0,
        reason: "it is too large: shorten its repetitions, or use `maxLength`",
    })
}

impl Assembler<'_> {
    fn code(&mut self, root: u32, is_backward: bool) -> Result<Vec<Step>> {
        let mut code = Vec::new();
        self.emit(root, is_backward, &mut code)?;
        self.push(Step::Accept, &mut code)?;
        Ok(code)
    }

    fn push(&mut self, step: Step, code: &mut Vec<Step>) -> Result<usize> {
        self.size += 1;
        if self.size > MAX_PROGRAM {
            return too_large();
        }
        code.push(step);
        Ok(code.len() - 1)
    }

    fn emit(&mut self, node: u32, is_backward: bool, code: &mut Vec<Step>) -> Result<()> {
        let tree = self.tree;
        match tree.nodes.get(node as usize) {
            Some(Ast::Point(point)) => self.push(Step::Point(*point), code).map(drop),
            Some(Ast::Set(set)) => self.push(Step::Set(*set), code).map(drop),
            Some(Ast::Anchor(anchor)) => self.push(Step::Anchor(*anchor), code).map(drop),
            Some(Ast::All(terms)) if is_backward => terms
                .iter()
                .rev()
                .try_for_each(|term| self.emit(*term, is_backward, code)),
            Some(Ast::All(terms)) => terms
                .iter()
                .try_for_each(|term| self.emit(*term, is_backward, code)),
            Some(Ast::Any(branches)) => self.any(branches, is_backward, code),
            Some(Ast::Repeat { body, min, max }) => self.repeat(*body, (*min, *max), is_backward, code),
            Some(Ast::Look {
                body,
                is_behind,
                is_negative,
            }) => {
                let look = self.look(node, *body, *is_behind)?;
                self.push(
                    Step::Look {
                        look,
                        is_negative: *is_negative,
                    },
                    code,
                )
                .map(drop)
            }
            None => Ok(()),
        }
    }

    fn look(&mut self, node: u32, body: u32, is_behind: bool) -> Result<u32> {
        if let Some(known) = self.origins.iter().position(|origin| *origin == node) {
            return Ok(narrow(known));
        }
        let code = self.code(body, !is_behind)?;
        if self.looks.len() >= MAX_LOOKS {
            return too_large();
        }
        self.looks.push(Look { code, is_behind });
        self.origins.push(node);
        Ok(narrow(self.looks.len() - 1))
    }

    fn any(&mut self, branches: &[u32], is_backward: bool, code: &mut Vec<Step>) -> Result<()> {
        let mut exits = Vec::new();
        for (at, branch) in branches.iter().enumerate() {
            if at + 1 == branches.len() {
                self.emit(*branch, is_backward, code)?;
                break;
            }
            let split = self.push(Step::Split(0, 0), code)?;
            self.emit(*branch, is_backward, code)?;
            exits.push(self.push(Step::Jump(0), code)?);
            let next = narrow(code.len());
            patch(code, split, Step::Split(narrow(split + 1), next));
        }
        let end = narrow(code.len());
        for exit in exits {
            patch(code, exit, Step::Jump(end));
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        body: u32,
        (min, max): (u32, u32),
        is_backward: bool,
        code: &mut Vec<Step>,
    ) -> Result<()> {
        let mut start = code.len();
        for _ in 0..min {
            start = code.len();
            self.emit(body, is_backward, code)?;
            if code.len() == start {
                // An empty body: all its repetitions are empty.
                return Ok(());
            }
        }
        if max == UNBOUNDED {
            if min > 0 {
                let behind = narrow(code.len() + 1);
                return self.push(Step::Split(narrow(start), behind), code).map(drop);
            }
            let split = self.push(Step::Split(0, 0), code)?;
            self.emit(body, is_backward, code)?;
            self.push(Step::Jump(narrow(split)), code)?;
            let end = narrow(code.len());
            patch(code, split, Step::Split(narrow(split + 1), end));
            return Ok(());
        }
        let mut splits = Vec::new();
        for _ in min..max {
            splits.push(self.push(Step::Split(0, 0), code)?);
            self.emit(body, is_backward, code)?;
        }
        let end = narrow(code.len());
        for split in splits {
            patch(code, split, Step::Split(narrow(split + 1), end));
        }
        Ok(())
    }
}

fn patch(code: &mut [Step], at: usize, step: Step) {
    if let Some(slot) = code.get_mut(at) {
        *slot = step;
    }
}
