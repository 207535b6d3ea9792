//! Which nodes of a plan are questions about one scalar, and the tests that take their places.

use std::sync::Arc;

use memchr::memmem::Finder;

use super::{Ask, Computation, Relation, Test, TextCharge};
use crate::library::patterns::LIGHT_STATES;
use crate::plan::{
    Attr, CallCost, CallNode, Charge, FieldKey, Has, Key, Node, NodeId, Root, Target,
};
use crate::value::Val;

fn constant(nodes: &[Node], id: NodeId) -> Option<&Val<'static>> {
    match nodes.get(id as usize)? {
        Node::Const(value) => Some(value),
        _ => None,
    }
}

pub(super) fn int_of(nodes: &[Node], id: NodeId) -> Option<i64> {
    constant(nodes, id)?.as_int()
}

/// The test that a node is, or that reading it as a truth value is.
pub(in crate::plan) fn single(nodes: &[Node], id: NodeId) -> Option<Test> {
    if let Node::Test(test) = nodes.get(id as usize)? {
        return Some((**test).clone());
    }
    let Way { root, fields, cost } = way_of(nodes, id)?;
    Some(Test { root, fields, ask: Ask::Bool(true), cost, general: id })
}

/// Puts tests in the place of nodes that ask about a scalar of the input. The general nodes stand
/// at the end then.
pub(in crate::plan) fn fuse(nodes: &mut Vec<Node>) {
    for at in 0..nodes.len() {
        let Some((way, ask, call)) = ask_of(nodes, at) else { continue };
        let Ok(general) = NodeId::try_from(nodes.len()) else { return };
        let cost = way.cost + call;
        let test = Test { root: way.root, fields: way.fields, ask, cost, general };
        let node = std::mem::replace(&mut nodes[at], Node::Test(Box::new(test)));
        nodes.push(node);
    }
}

/// The way to a scalar.
struct Way {
    root: Root,
    fields: Box<[FieldKey]>,
    cost: u64,
}

fn way_of(nodes: &[Node], id: NodeId) -> Option<Way> {
    match nodes.get(id as usize)? {
        Node::Global(slot, costs) => {
            Some(Way { root: Root::Global(*slot), fields: [].into(), cost: u64::from(*costs) })
        }
        Node::Local(slot, costs) => {
            Some(Way { root: Root::Local(*slot), fields: [].into(), cost: u64::from(*costs) })
        }
        Node::Attr(attr) => way_along(attr),
        _ => None,
    }
}

fn way_along(attr: &Attr) -> Option<Way> {
    if matches!(attr.root, Root::Node(_)) {
        return None;
    }
    let fields = attr.qualifiers.iter().map(|qualifier| match &qualifier.key {
        Key::Field(field) if !qualifier.optional => Some(field.clone()),
        _ => None,
    });
    let fields: Box<[FieldKey]> = fields.collect::<Option<_>>()?;
    let cost = u64::from(attr.costs) + fields.len() as u64;
    Some(Way { root: attr.root, fields, cost })
}

/// The test that a node is, with what it costs beyond the way and the text.
fn ask_of(nodes: &[Node], at: usize) -> Option<(Way, Ask, u64)> {
    match nodes.get(at)? {
        Node::Compare { order, left, right, cost } => {
            compared(nodes, (*order).into(), *left, *right, cost)
        }
        Node::Equals { negated, left, right, cost } => {
            let relation = if *negated { Relation::NOT_EQUALS } else { Relation::EQUALS };
            compared(nodes, relation, *left, *right, cost)
        }
        Node::InSet(item, set) => Some((way_of(nodes, *item)?, Ask::In(Arc::clone(set)), 0)),
        Node::Has(has) => {
            let Has { attr, field } = &**has;
            let mut way = way_along(attr)?;
            let mut fields = Vec::from(way.fields);
            fields.push(field.clone());
            way.fields = fields.into();
            way.cost += 1;
            Some((way, Ask::Present, 0))
        }
        Node::Call(call) => called(nodes, call),
        _ => None,
    }
}

fn compared(
    nodes: &[Node],
    relation: Relation,
    left: NodeId,
    right: NodeId,
    cost: &CallCost,
) -> Option<(Way, Ask, u64)> {
    let (relation, asked, other) = match (constant(nodes, left), constant(nodes, right)) {
        (None, Some(other)) => (relation, left, other),
        (Some(other), None) => (relation.mirrored(), right, other),
        _ => return None,
    };
    let equality = relation == Relation::EQUALS || relation == Relation::NOT_EQUALS;
    let negated = relation == Relation::NOT_EQUALS;
    let charged = matches!(cost.default, Charge::One | Charge::Shorter);
    if !charged || !cost.is_default_for_scalars() {
        return None;
    }
    match other {
        Val::Int(bound) => {
            if let Some((computation, operand)) = Computation::of(nodes, asked) {
                let way = way_of(nodes, operand)?;
                return Some((way, Ask::Computed(computation, relation, *bound), 2));
            }
            if let Some(operand) = sized(nodes, asked) {
                return Some((way_of(nodes, operand)?, Ask::Size(relation, *bound), 2));
            }
            Some((way_of(nodes, asked)?, Ask::Int(relation, *bound), 1))
        }
        Val::Str(text) => {
            let (charge, text) = (TextCharge::new(cost, text.as_str())?, Box::from(text.as_str()));
            let ask = if equality {
                Ask::Text { negated, text, charge }
            } else {
                Ask::TextOrder(relation, text, charge)
            };
            Some((way_of(nodes, asked)?, ask, 0))
        }
        Val::Bool(it) if equality => Some((way_of(nodes, asked)?, Ask::Bool(*it != negated), 1)),
        _ => None,
    }
}

/// What a call of `size` takes.
pub(in crate::plan) fn sized(nodes: &[Node], id: NodeId) -> Option<NodeId> {
    match nodes.get(id as usize)? {
        Node::Call(call)
            if &*call.function == "size"
                && matches!(call.target, Target::Singleton(_))
                && call.cost.is_one() =>
        {
            match &*call.args {
                [one] => Some(*one),
                _ => None,
            }
        }
        _ => None,
    }
}

fn called(nodes: &[Node], call: &CallNode) -> Option<(Way, Ask, u64)> {
    let [asked, constant_id] = &*call.args else { return None };
    let Some(Val::Str(part)) = constant(nodes, *constant_id) else { return None };
    let part = part.as_str();
    let charge = TextCharge::new(&call.cost, part)?;
    let ask = match (&call.target, &call.regex) {
        (Target::One(bound), None) => match &*bound.id {
            "starts_with_string" => Ask::StartsWith(part.into(), charge),
            "ends_with_string" => Ask::EndsWith(part.into(), charge),
            "contains_string" => {
                Ask::Contains(Box::new(Finder::new(part.as_bytes()).into_owned()), charge)
            }
            _ => return None,
        },
        // A search with many states is counted where evaluations are.
        (Target::Singleton(_), Some(regex))
            if &*call.function == "matches" && regex.size() <= LIGHT_STATES =>
        {
            Ask::Matches(Arc::clone(regex), charge)
        }
        _ => return None,
    };
    Some((way_of(nodes, *asked)?, ask, 0))
}
