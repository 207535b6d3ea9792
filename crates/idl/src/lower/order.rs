//! Numbers nodes anew: only what the root reaches, parents before their children.
//!
//! Passes that complete defaults go from the last node to the first and rely on it. In cycles some
//! child stands before its parent; no default can complete itself there.

use std::collections::HashMap;

use ordain_schema::{Additional, Node, NodeId};

/// The nodes in their new order, the root among them, and the new number of each old one.
pub(super) fn parents_first(
    nodes: Vec<Node>,
    root: NodeId,
) -> (Vec<Node>, NodeId, HashMap<NodeId, NodeId>) {
    let mut finished: Vec<NodeId> = Vec::new();
    let mut entered = vec![false; nodes.len()];
    let mut stack: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
    let enter = |id: NodeId, entered: &mut Vec<bool>, stack: &mut Vec<(NodeId, Vec<NodeId>)>| {
        let Some(node) = nodes.get(id.index()) else { return };
        if std::mem::replace(&mut entered[id.index()], true) {
            return;
        }
        let plain = node.declared.as_ref().and_then(|it| it.type_node);
        stack.push((id, node.children().chain(plain).collect()));
    };
    enter(root, &mut entered, &mut stack);
    while let Some((id, children)) = stack.last_mut() {
        match children.pop() {
            Some(child) => enter(child, &mut entered, &mut stack),
            None => {
                finished.push(*id);
                stack.pop();
            }
        }
    }
    finished.reverse();
    let numbers: HashMap<NodeId, NodeId> =
        finished.iter().zip(0u32..).map(|(old, new)| (*old, NodeId(new))).collect();
    let mut old: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
    let ordered = (finished.iter())
        .filter_map(|id| old.get_mut(id.index()).and_then(Option::take))
        .map(|node| renumber(node, &numbers))
        .collect();
    (ordered, numbers.get(&root).copied().unwrap_or(root), numbers)
}

fn renumber(mut node: Node, numbers: &HashMap<NodeId, NodeId>) -> Node {
    let new = |id: NodeId| numbers.get(&id).copied().unwrap_or(id);
    for (_, id) in &mut node.properties {
        *id = new(*id);
    }
    node.items = node.items.map(new);
    if let Additional::Node(id) = node.additional {
        node.additional = Additional::Node(new(id));
    }
    if let Some(validation) = &mut node.validation {
        for branches in [&mut validation.all_of, &mut validation.any_of, &mut validation.one_of] {
            branches.iter_mut().for_each(|id| *id = new(*id));
        }
        validation.not = validation.not.map(new);
    }
    if let Some(declared) = &mut node.declared {
        declared.type_node = declared.type_node.map(new);
    }
    node
}
