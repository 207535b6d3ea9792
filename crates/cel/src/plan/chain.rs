//! Whole programs of tests: `self.n > 0 && (has(self.s) || self.b)`.
//!
//! Where every operand of the logical operators is a test of the input, the program is a chain of
//! tests, each of which says what comes next. It has an answer only if all tests on the way have
//! one; then no error can have been absorbed, and the cost is the sum of theirs.

use super::test::{self, Test};
use super::{Node, NodeId, Root};
use crate::program::Partly;
use crate::value::Val;

/// Tests with what follows either answer.
pub(crate) struct Chain {
    steps: Box<[Step]>,
    entry: u32,
}

struct Step {
    test: Test,
    slot: u32,
    yes: u32,
    no: u32,
}

/// The chain ends with true.
const TRUE: u32 = u32::MAX;
/// The chain ends with false.
const FALSE: u32 = u32::MAX - 1;
/// Longer programs gain nothing.
const STEPS_MAX: usize = 64;

impl Chain {
    /// The chain that a program is, if it is one.
    pub(super) fn of(nodes: &[Node], root: NodeId) -> Option<Self> {
        let mut steps = Vec::new();
        let entry = push(nodes, root, (TRUE, FALSE), &mut steps)?;
        Some(Self { steps: steps.into(), entry })
    }

    /// The outcome of the program and what it costs; none if it takes the general way. Variables
    /// are asked for as they are needed.
    #[inline(always)]
    pub(crate) fn answer<'g, 'v: 'g>(
        &self,
        get: impl Fn(usize) -> Option<&'g Val<'v>>,
        cost: &mut u64,
    ) -> Option<bool> {
        let mut at = self.entry;
        loop {
            let step = self.steps.get(at as usize)?;
            let root = get(step.slot as usize)?;
            at = if step.test.of_root(root, cost)? { step.yes } else { step.no };
            if at >= FALSE {
                return Some(at == TRUE);
            }
        }
    }
}

impl Chain {
    /// The outcome as far as it follows from what is known of variables before there is an input.
    pub(crate) fn decided<'v>(&self, known: impl Fn(usize) -> Option<Partly<'v>>) -> Option<bool> {
        let mut at = self.entry;
        loop {
            let step = self.steps.get(at as usize)?;
            let holds = step.test.decided(&known(step.slot as usize)?)?;
            at = if holds { step.yes } else { step.no };
            if at >= FALSE {
                return Some(at == TRUE);
            }
        }
    }
}

/// Adds the steps of a node with what follows it; gives where it starts.
fn push(nodes: &[Node], id: NodeId, after: (u32, u32), steps: &mut Vec<Step>) -> Option<u32> {
    let (yes, no) = after;
    match nodes.get(id as usize)? {
        Node::And(left, right) => {
            let right = push(nodes, *right, after, steps)?;
            push(nodes, *left, (right, no), steps)
        }
        Node::Or(left, right) => {
            let right = push(nodes, *right, after, steps)?;
            push(nodes, *left, (yes, right), steps)
        }
        Node::Not(arg, cost) if cost.is_one() => {
            // What is negated is one test, so that the cost of negating it has a place.
            let test = test::single(nodes, *arg)?.with_cost(1);
            step(test, (no, yes), steps)
        }
        _ => step(test::single(nodes, id)?, after, steps),
    }
}

fn step(test: Test, (yes, no): (u32, u32), steps: &mut Vec<Step>) -> Option<u32> {
    let Root::Global(slot) = test.root else { return None };
    if steps.len() >= STEPS_MAX {
        return None;
    }
    steps.push(Step { test, slot, yes, no });
    u32::try_from(steps.len() - 1).ok()
}
