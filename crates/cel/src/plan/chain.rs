//! Whole programs of tests: `self.n > 0 && (has(self.s) || self.b)`, `has(self.a) ? self.b : true`.
//!
//! Where operands of the logical operators and of conditionals are tests of the input, the program
//! is a chain of tests, each of which says what comes next. It has an answer only if all operands on
//! the way are tests and have one; then no error can have been absorbed, and the cost is the sum of
//! theirs. An operand that is no test is often not reached: in `!has(self.o) || self.o.all(…)` for
//! most inputs.

use std::borrow::Borrow;
use std::sync::Arc;

use super::test::{self, Test};
use super::{Count, Node, NodeId, Root};
use crate::program::Partly;
use crate::value::{Map, Val};

/// Tests with what follows either answer.
pub(crate) struct Chain {
    steps: Box<[Step]>,
    entry: u32,
    /// Whether all operands are tests, so that only odd inputs take the general way.
    pub(crate) is_whole: bool,
}

/// An operand. One that is no test has no answer here.
struct Step {
    test: Option<Question>,
    slot: u32,
    yes: u32,
    no: u32,
}

/// What an operand asks of a variable.
enum Question {
    Test(Test),
    /// Whether a text is among the keys of a map, which is another variable.
    Among {
        map: u32,
        cost: u64,
    },
    /// How many tests hold.
    Count {
        count: Arc<Count>,
        cost: u64,
    },
}

impl Question {
    fn with_cost(self, more: u64) -> Self {
        match self {
            Self::Test(test) => Self::Test(test.with_cost(more)),
            Self::Among { map, cost } => Self::Among { map, cost: cost + more },
            Self::Count { count, cost } => Self::Count { count, cost: cost + more },
        }
    }

    #[inline(always)]
    fn answer<'v, R: Borrow<Val<'v>>>(
        &self,
        root: &Val<'v>,
        get: impl Fn(usize) -> Option<R>,
        cost: &mut u64,
    ) -> Option<bool> {
        match self {
            Self::Test(test) => test.of_root(root, cost),
            Self::Among { map, cost: own } => {
                *cost += own;
                let map = get(*map as usize)?;
                match (root, map.borrow()) {
                    (Val::Str(_), Val::Map(map @ Map::Owned(_))) => {
                        map.find(root).ok().map(|found| found.is_some())
                    }
                    _ => None,
                }
            }
            Self::Count { count, cost: own } => {
                *cost += own;
                let ask = |test: &Test, cost: &mut u64| match test.root {
                    Root::Global(slot) => test.of_root(get(slot as usize)?.borrow(), cost),
                    _ => None,
                };
                count.answer(ask, cost)
            }
        }
    }
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
        // What begins with something else is never answered.
        steps.get(entry as usize)?.test.as_ref()?;
        let is_whole = steps.iter().all(|it| it.test.is_some());
        Some(Self { steps: steps.into(), entry, is_whole })
    }

    /// The outcome of the program and what it costs; none if it takes the general way. Variables
    /// are asked for as they are needed.
    #[inline(always)]
    pub(crate) fn answer<'v, R: Borrow<Val<'v>>>(
        &self,
        get: impl Fn(usize) -> Option<R>,
        cost: &mut u64,
    ) -> Option<bool> {
        let mut at = self.entry;
        loop {
            let step = self.steps.get(at as usize)?;
            let test = step.test.as_ref()?;
            let root = get(step.slot as usize)?;
            at = if test.answer(root.borrow(), &get, cost)? { step.yes } else { step.no };
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
            let Some(Question::Test(test)) = &step.test else { return None };
            let holds = test.decided(&known(step.slot as usize)?)?;
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
        Node::Not(arg, cost) if cost.is_one() && is_operand(nodes, *arg) => {
            // What is negated begins with one test that is always asked, which pays for it.
            let others = steps.len();
            let entry = push(nodes, *arg, (no, yes), steps)?;
            let first = steps.get_mut(entry as usize).filter(|_| entry as usize >= others)?;
            first.test = first.test.take().map(|it| it.with_cost(1));
            Some(entry)
        }
        Node::Conditional(condition, left, right) => {
            let left = push(nodes, *left, after, steps)?;
            let right = push(nodes, *right, after, steps)?;
            push(nodes, *condition, (left, right), steps)
        }
        Node::Const(Val::Bool(it)) => Some(if *it { yes } else { no }),
        _ => match among(nodes, id).or_else(|| count(nodes, id)) {
            Some((question, slot)) => add(Some(question), slot, after, steps),
            None => step(test::single(nodes, id), after, steps),
        },
    }
}

/// Whether a node is a test or made of such by logical operators.
fn is_operand(nodes: &[Node], id: NodeId) -> bool {
    matches!(nodes.get(id as usize), Some(Node::And(..) | Node::Or(..) | Node::Not(..)))
        || test::single(nodes, id).is_some()
        || among(nodes, id).is_some()
        || count(nodes, id).is_some()
}

/// The question how many tests hold that a node is, and the first of their variables.
fn count(nodes: &[Node], id: NodeId) -> Option<(Question, u32)> {
    let Node::Count(count) = nodes.get(id as usize)? else { return None };
    let first = count.tests.first().filter(|_| count.is_global())?;
    let Root::Global(slot) = first.root else { return None };
    Some((Question::Count { count: Arc::clone(count), cost: 0 }, slot))
}

/// The question that `text in map` is, and the place of the text among the variables.
fn among(nodes: &[Node], id: NodeId) -> Option<(Question, u32)> {
    let Node::In { item, list, cost } = nodes.get(id as usize)? else { return None };
    let global = |id: NodeId| match nodes.get(id as usize)? {
        Node::Global(slot, costs) => Some((*slot, u64::from(*costs))),
        _ => None,
    };
    let ((text, of_text), (map, of_map)) = (global(*item)?, global(*list)?);
    let question = Question::Among { map, cost: of_text + of_map + 1 };
    cost.is_one().then_some((question, text))
}

fn step(test: Option<Test>, after: (u32, u32), steps: &mut Vec<Step>) -> Option<u32> {
    // Variables of comprehensions are not at hand.
    let global = |it: &Test| match it.root {
        Root::Global(slot) => Some(slot),
        _ => None,
    };
    let slot = test.as_ref().and_then(global);
    let test = test.filter(|_| slot.is_some());
    add(test.map(Question::Test), slot.unwrap_or_default(), after, steps)
}

fn add(
    test: Option<Question>,
    slot: u32,
    (yes, no): (u32, u32),
    steps: &mut Vec<Step>,
) -> Option<u32> {
    if steps.len() >= STEPS_MAX {
        return None;
    }
    steps.push(Step { test, slot, yes, no });
    u32::try_from(steps.len() - 1).ok()
}
