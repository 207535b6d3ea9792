//! `[has(self.a), has(self.b)].filter(it, it == true).size() == 1`: how many of some tests hold, by
//! which rules say that one of several fields is to be set.
//!
//! Whether such an expression is true, and what it costs beside the tests, hangs on that number
//! alone. Both are asked of the general evaluation when the plan is made, once for each number.

use std::sync::Arc;

use super::test::{self, Test};
use super::{Fold, FoldKind, Node, NodeId, Root};
use crate::eval;
use crate::value::Val;

/// The question how many tests hold.
pub(crate) struct Count {
    pub(crate) tests: Box<[Test]>,
    /// For each number of tests that hold, whether the expression is true, and its cost.
    outcomes: Box<[(bool, u64)]>,
    /// The node that says the same in general.
    pub(crate) general: NodeId,
}

/// Longer lists are not asked for.
const TESTS_MAX: usize = 32;

impl Count {
    /// The answer, and what it costs; `ask` answers a test and adds its cost.
    #[inline]
    pub(crate) fn answer(
        &self,
        mut ask: impl FnMut(&Test, &mut u64) -> Option<bool>,
        cost: &mut u64,
    ) -> Option<bool> {
        let mut holding = 0;
        for test in &self.tests {
            holding += usize::from(ask(test, cost)?);
        }
        let (holds, own) = *self.outcomes.get(holding)?;
        *cost += own;
        Some(holds)
    }

    /// Whether all that is asked about are variables of the input.
    pub(super) fn is_global(&self) -> bool {
        self.tests.iter().all(|it| matches!(it.root, Root::Global(_)))
    }
}

/// Puts counts in the place of nodes that ask for the size of a filtered list of tests. The general
/// nodes stand at the end then.
pub(super) fn fuse(nodes: &mut Vec<Node>, locals: usize) {
    for at in 0..nodes.len() {
        let Some((list, tests)) = counted(nodes, at) else { continue };
        let Some(outcomes) = outcomes(nodes, at, list, tests.len(), locals) else { continue };
        let Ok(general) = NodeId::try_from(nodes.len()) else { return };
        let count = Node::Count(Arc::new(Count { tests, outcomes, general }));
        let node = std::mem::replace(&mut nodes[at], count);
        nodes.push(node);
    }
}

/// The list and the tests whose number a node asks about.
fn counted(nodes: &[Node], at: usize) -> Option<(NodeId, Box<[Test]>)> {
    let (Node::Equals { left, right, .. } | Node::Compare { left, right, .. }) = nodes.get(at)?
    else {
        return None;
    };
    let list = match (is_int(nodes, *left), is_int(nodes, *right)) {
        (false, true) => filtered(nodes, test::sized(nodes, *left)?)?,
        (true, false) => filtered(nodes, test::sized(nodes, *right)?)?,
        _ => return None,
    };
    let Some(Node::List(elements)) = nodes.get(list as usize) else { return None };
    if elements.len() > TESTS_MAX {
        return None;
    }
    let tests = elements.iter().map(|(id, optional)| {
        test::single(nodes, *id).filter(|it| !optional && !matches!(it.root, Root::Node(_)))
    });
    Some((list, tests.collect::<Option<_>>()?))
}

fn is_int(nodes: &[Node], id: NodeId) -> bool {
    matches!(nodes.get(id as usize), Some(Node::Const(Val::Int(_))))
}

/// The list that `filter(it, it)` or `filter(it, it == true)` goes through.
fn filtered(nodes: &[Node], id: NodeId) -> Option<NodeId> {
    let Some(Node::Fold(fold)) = nodes.get(id as usize) else { return None };
    let Fold { range, first, second: None, kind, .. } = &**fold else { return None };
    let FoldKind::List { filter: Some(filter), item, .. } = kind else { return None };
    let is_own =
        |id: NodeId| matches!(nodes.get(id as usize), Some(Node::Local(slot, _)) if slot == first);
    let asks_own = match nodes.get(*filter as usize)? {
        Node::Test(test) => test.asks_truth_of(*first),
        _ => is_own(*filter),
    };
    (asks_own && is_own(*item)).then_some(*range)
}

/// What comes of a node when so many items of a list are true, for each number of them.
fn outcomes(
    nodes: &mut Vec<Node>,
    at: usize,
    list: NodeId,
    count: usize,
    locals: usize,
) -> Option<Box<[(bool, u64)]>> {
    let constants = NodeId::try_from(nodes.len()).ok()?;
    nodes.extend([false, true].map(|it| Node::Const(Val::Bool(it))));
    let mut outcomes = Vec::with_capacity(count + 1);
    for holding in 0..=count {
        let item = |at: usize| (constants + NodeId::from(at < holding), false);
        let items = Node::List((0..count).map(item).collect());
        let tests = std::mem::replace(&mut nodes[list as usize], items);
        outcomes.push(eval::without_input(nodes, at as NodeId, locals));
        nodes[list as usize] = tests;
    }
    nodes.truncate(constants as usize);
    outcomes.into_iter().collect()
}
