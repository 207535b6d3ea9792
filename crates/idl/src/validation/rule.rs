//! What was declared: nodes of types with the checks of the program that runs
//! ([`ordain_schema::native`]), each with its place in the source.

use std::collections::HashMap;

use ordain_schema::native::{Check, Level, Rule};
use ordain_value::Text;
use smol_str::SmolStr;

use super::gotype::GoKind;
use crate::graph::{NamedId, TypeId};
use crate::source::Pos;

/// Index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// All rules of the types that were discovered.
#[derive(Debug, Default)]
pub struct Program {
    /// The nodes.
    pub nodes: Vec<TypeNode>,
    /// The types that are validated on their own, sorted by qualified name. Those without any
    /// rule (see [`Program::has_rules`]) have no function upstream.
    pub roots: Vec<Root>,
    pub(super) by_type: HashMap<TypeId, NodeId>,
}

/// A type that is validated on its own.
#[derive(Clone, Debug)]
pub struct Root {
    /// The type.
    pub named: NamedId,
    /// Its node.
    pub node: NodeId,
    /// The subresource paths it answers for, sorted: `/` is the object itself.
    pub subresources: Vec<String>,
}

/// A type and the rules that belong to it wherever it is used. Never a pointer.
#[derive(Debug)]
pub struct TypeNode {
    /// The type, aliases removed.
    pub ty: TypeId,
    /// gengo's kind of it.
    pub kind: GoKind,
    /// Whether it has a function of its own (it is named and its package takes part).
    pub has_function: bool,
    /// Fields, for structs.
    pub fields: Vec<ChildNode>,
    /// Key, for maps.
    pub key: Option<ChildNode>,
    /// Element, for lists and maps.
    pub elem: Option<ChildNode>,
    /// Underlying type, for named types that are neither struct nor interface.
    pub underlying: Option<ChildNode>,
    /// Rules on the type.
    pub rules: Rules,
    /// Calls of the elements' functions; run only with [`TypeNode::rules`] not empty.
    pub val_iterations: Rules,
    /// Calls of the keys' functions; run only with [`TypeNode::rules`] not empty.
    pub key_iterations: Rules,
}

/// A type in use: a field, an element, a key, an underlying type.
#[derive(Debug)]
pub struct ChildNode {
    /// Go name of the field; empty for others.
    pub name: SmolStr,
    /// JSON name of the field; empty when it is inlined.
    pub json_name: SmolStr,
    /// The type as used, possibly a pointer.
    pub ty: TypeId,
    /// The node of its value; `None` when its rules are not run here.
    pub node: Option<NodeId>,
    /// Rules on the field.
    pub rules: Rules,
    /// Calls of the elements' functions.
    pub val_iterations: Rules,
    /// Calls of the keys' functions.
    pub key_iterations: Rules,
}

/// Rules in order of declaration.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The calls.
    pub functions: Vec<Function>,
    /// Tables upstream generates beside the calls.
    pub(super) variables: u32,
    /// Remarks upstream generates beside the calls.
    pub(super) comments: u32,
    /// The rules of the type are not run.
    pub opaque_type: bool,
    /// The rules of the keys' type are not run.
    pub opaque_key: bool,
    /// The rules of the elements' type are not run.
    pub opaque_val: bool,
}

impl Rules {
    /// Whether nothing was declared. Opaqueness alone counts as nothing, as upstream.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.variables == 0 && self.comments == 0
    }

    pub(super) fn of(function: Function) -> Self {
        Self { functions: vec![function], ..Self::default() }
    }

    pub(super) fn add(&mut self, other: Rules) {
        self.functions.extend(other.functions);
        self.variables += other.variables;
        self.comments += other.comments;
        self.opaque_type |= other.opaque_type;
        self.opaque_key |= other.opaque_key;
        self.opaque_val |= other.opaque_val;
    }
}

/// A check of the program that runs, with its place in the source.
#[derive(Clone, Debug)]
pub struct Function {
    /// The check.
    pub check: Check,
    /// Place of the tag, when a tag declared it.
    pub pos: Option<Pos>,
}

impl Function {
    pub(super) fn new(rule: Rule) -> Self {
        let check = Check {
            rule,
            short_circuit: false,
            non_error: false,
            cohort: Text::default(),
            level: None,
        };
        Self { check, pos: None }
    }

    pub(super) fn short_circuit(mut self) -> Self {
        self.check.short_circuit = true;
        self
    }

    pub(super) fn non_error(mut self) -> Self {
        self.check.non_error = true;
        self
    }

    pub(super) fn level(mut self, level: Option<Level>) -> Self {
        self.check.level = level;
        self
    }

    pub(super) fn cohort(mut self, name: &str) -> Self {
        self.check.cohort = Text::new(name);
        self
    }

    /// A rule around this one, with its flags. Upstream passes a rule without arguments by name,
    /// and so loses its level.
    pub(super) fn wrapped(self, around: impl FnOnce(Box<Check>) -> Rule) -> Self {
        let Function { check: mut inner, pos } = self;
        let (short_circuit, non_error) = (inner.short_circuit, inner.non_error);
        if !inner.rule.has_arguments() {
            inner.level = None;
        }
        let mut out = Self { pos, ..Self::new(around(Box::new(inner))) };
        (out.check.short_circuit, out.check.non_error) = (short_circuit, non_error);
        out
    }
}

impl Program {
    /// A node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &TypeNode {
        &self.nodes[id.0 as usize]
    }

    /// The node of a type, if it was discovered.
    #[must_use]
    pub fn node_of(&self, ty: TypeId) -> Option<NodeId> {
        self.by_type.get(&ty).copied()
    }

    /// Whether a node has rules on itself or anywhere below.
    #[must_use]
    pub fn has_rules(&self, id: NodeId) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            if std::mem::replace(&mut seen[id.0 as usize], true) {
                continue;
            }
            let node = self.node(id);
            if !node.rules.is_empty() {
                return true;
            }
            let others = [&node.key, &node.elem, &node.underlying];
            for child in node.fields.iter().chain(others.into_iter().flatten()) {
                if !child.rules.is_empty() {
                    return true;
                }
                waiting.extend(child.node);
            }
        }
        false
    }
}
