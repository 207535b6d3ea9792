//! The rules of a schema, compiled once and laid out along the places where they hold.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use ordain_cel::value::{ViewId, Views};
use ordain_schema::{NodeId, Rule, Schema};
use ordain_value::Text;

use super::compile::{Compiled, Compiler, Expression};
use super::types::{Place, Types};
use super::views::views;
use crate::cel_library::Environment;
use crate::plan::{DEPTH_MAX, Id, Plan};

/// All rules of a schema. Immutable; evaluation only borrows.
pub struct RuleSet {
    pub(super) views: Views,
    pub(super) nodes: Vec<RuleNode>,
    /// By schema node: where its own rules are, if there are any at it or below.
    pub(super) by_node: Vec<Option<u32>>,
    pub(super) root: Option<u32>,
    /// Knows what did not change; without it nothing is forgiven.
    pub(super) plan: Option<Arc<Plan>>,
}

impl fmt::Debug for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuleSet").field("nodes", &self.nodes.len()).finish_non_exhaustive()
    }
}

/// The rules at one place.
pub(super) struct RuleNode {
    pub(super) rules: Box<[NodeRule]>,
    /// Why none of the rules can be evaluated.
    pub(super) error: Option<&'static str>,
    /// Whether any rule here looks at the old value.
    pub(super) uses_old_self: bool,
    /// Whether any rule here or below does.
    pub(super) old_below: bool,
    /// Whether there is any rule here or below.
    pub(super) below: bool,
    pub(super) type_name: &'static str,
    /// How values are presented.
    pub(super) view: ViewId,
    /// The place in the plan.
    pub(super) id: Id,
    pub(super) items: Option<u32>,
    pub(super) additional: Option<u32>,
    /// Sorted by name.
    pub(super) properties: Box<[(Text, u32)]>,
    pub(super) branches: Box<[(Junctor, Box<[Branch]>)]>,
}

/// A branch of a junctor.
#[derive(Clone, Copy)]
pub(super) struct Branch {
    /// Its rules.
    pub(super) at: u32,
    /// Its place in the plan.
    pub(super) id: Id,
}

/// A rule with its program.
pub(super) struct NodeRule {
    pub(super) rule: Rule,
    pub(super) compiled: Compiled,
}

/// How the branches of a node go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Junctor {
    AllOf,
    AnyOf,
    OneOf,
    Not,
}

/// What rules of a schema may be and use.
#[derive(Clone, Copy)]
pub struct RuleOptions {
    /// The environment of expressions.
    pub environment: &'static Environment,
    /// Whether rules in branches of junctors count.
    pub junctors: bool,
}

impl RuleOptions {
    /// As custom resources have them: their definitions are stored.
    #[must_use]
    pub fn crd() -> Self {
        RuleOptions { environment: Environment::stored(), junctors: false }
    }

    /// As declared kinds have them.
    #[must_use]
    pub fn declared() -> Self {
        RuleOptions { environment: Environment::declared(), junctors: true }
    }
}

impl RuleSet {
    /// Compiles all rules of a schema that was accepted; what does not compile fails when it is evaluated.
    /// `plan` is that of the same schema and forgives failures on what did not change.
    #[must_use]
    pub fn compile(schema: &Schema, options: RuleOptions, plan: Option<Arc<Plan>>) -> Self {
        let nodes = schema.nodes().len();
        let mut set = RuleSet {
            views: Views::new(),
            nodes: Vec::new(),
            by_node: vec![None; nodes],
            root: None,
            plan,
        };
        if !schema.nodes().iter().any(|node| !node.rules.is_empty()) {
            return set;
        }
        set.views = views(schema);
        let environment = |_: Expression<'_>| options.environment;
        let mut builder = Builder {
            schema,
            options,
            compiler: Compiler {
                schema,
                types: Arc::new(Types::new(schema)),
                environment: &environment,
                with_cost: false,
                patterns: Cell::default(),
            },
            nodes: Vec::new(),
            places: HashMap::new(),
        };
        builder.node(schema.root(), schema.root(), 0);
        join_below(&mut builder.nodes);
        for ((validation, node), at) in builder.places {
            if validation == node && builder.nodes[at as usize].below {
                set.by_node[node.index()] = Some(at);
            }
        }
        set.nodes = builder.nodes;
        trim(&mut set.nodes);
        set.root = set.by_node[schema.root().index()];
        set
    }
}

/// A rule that does not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// The node it stands on.
    pub node: NodeId,
    /// Its place among the node's rules.
    pub rule: usize,
    /// The expression.
    pub text: String,
    /// What is wrong with it.
    pub message: String,
}

impl RuleSet {
    /// The rules that did not compile; at run time each of them would be an error.
    #[must_use]
    pub fn compile_errors(&self) -> Vec<RuleError> {
        let mut out = Vec::new();
        for node in &self.nodes {
            let at = NodeId(node.id.0);
            if let Some(message) = node.error {
                let (text, message) = (String::new(), message.to_owned());
                out.push(RuleError { node: at, rule: 0, text, message });
            }
            for (rule, it) in node.rules.iter().enumerate() {
                let errors = [
                    (&it.rule.rule, &it.compiled.error),
                    (&it.rule.message_expression, &it.compiled.message_error),
                ];
                for (text, message) in errors {
                    if let Some(message) = message.clone() {
                        out.push(RuleError { node: at, rule, text: text.to_string(), message });
                    }
                }
            }
        }
        out
    }
}

struct Builder<'s> {
    schema: &'s Schema,
    options: RuleOptions,
    compiler: Compiler<'s>,
    nodes: Vec<RuleNode>,
    /// By the node that says the rules and the node that says the type.
    places: HashMap<(NodeId, NodeId), u32>,
}

impl Builder<'_> {
    fn node(&mut self, validation: NodeId, node: NodeId, depth: usize) -> Option<u32> {
        if let Some(at) = self.places.get(&(validation, node)) {
            return Some(*at);
        }
        if depth > DEPTH_MAX {
            return None;
        }
        let at = u32::try_from(self.nodes.len()).ok()?;
        self.places.insert((validation, node), at);
        self.nodes.push(self.rules(validation, node));
        let (says, typed) = (self.schema.node(validation), self.schema.node(node));
        let seen = self.compiler.types.of(node);
        let mut properties = Vec::new();
        for (name, child) in &says.properties {
            // A place that has no type in its parent is left out, unless it only cannot be named.
            let Some(own) = typed.property(name).filter(|own| self.sees(seen, *own)) else {
                continue;
            };
            if let Some(at) = self.node(*child, own, depth + 1) {
                properties.push((name.clone(), at));
            }
        }
        let items = match (says.items, typed.items) {
            (Some(items), Some(own)) => self.node(items, own, depth + 1),
            _ => None,
        };
        let additional = match (says.additional_node(), typed.additional_node()) {
            (Some(values), Some(own)) => self.node(values, own, depth + 1),
            _ => None,
        };
        let branches = self.branches(validation, node, depth);
        let slot = &mut self.nodes[at as usize];
        slot.properties = properties.into();
        slot.items = items;
        slot.additional = additional;
        slot.branches = branches;
        Some(at)
    }

    fn sees(&self, parent: Option<Place>, child: NodeId) -> bool {
        parent.is_some() && self.compiler.types.of(child).is_some()
    }

    fn branches(
        &mut self,
        validation: NodeId,
        node: NodeId,
        depth: usize,
    ) -> Box<[(Junctor, Box<[Branch]>)]> {
        let schema = self.schema;
        let says = schema.node(validation).validation.as_deref().filter(|_| self.options.junctors);
        let Some(says) = says else { return Box::default() };
        let lists = [
            (Junctor::AllOf, says.all_of.as_slice()),
            (Junctor::AnyOf, says.any_of.as_slice()),
            (Junctor::OneOf, says.one_of.as_slice()),
            (Junctor::Not, says.not.as_slice()),
        ];
        let mut found = Vec::new();
        for (junctor, list) in lists {
            let branches: Box<[Branch]> = list
                .iter()
                .filter_map(|branch| {
                    let at = self.node(*branch, node, depth + 1)?;
                    Some(Branch { at, id: Id(branch.0) })
                })
                .collect();
            if !branches.is_empty() {
                found.push((junctor, branches));
            }
        }
        found.into()
    }

    fn rules(&self, validation: NodeId, node: NodeId) -> RuleNode {
        let rules = &self.schema.node(validation).rules;
        let compiled =
            if rules.is_empty() { Some(Vec::new()) } else { self.compiler.compile(node, rules) };
        let error =
            compiled.is_none().then_some("failed to convert to declType for CEL validation rules");
        let rules: Box<[NodeRule]> = rules
            .iter()
            .zip(compiled.unwrap_or_default())
            .map(|(rule, compiled)| NodeRule { rule: rule.clone(), compiled })
            .collect();
        let uses_old_self = rules.iter().any(|rule| rule.compiled.uses_old_self);
        RuleNode {
            below: !rules.is_empty() || error.is_some(),
            old_below: uses_old_self,
            uses_old_self,
            rules,
            error,
            type_name: self.schema.node(node).ty.name(),
            view: ViewId(node.0),
            id: Id(node.0),
            items: None,
            additional: None,
            properties: Box::default(),
            branches: Box::default(),
        }
    }
}

fn children(node: &RuleNode) -> impl Iterator<Item = u32> {
    let branches = node.branches.iter().flat_map(|(_, branches)| branches.iter().map(|it| it.at));
    (node.properties.iter().map(|(_, at)| *at))
        .chain(node.items)
        .chain(node.additional)
        .chain(branches)
}

/// Carries up what there is below, until nothing changes: declared kinds may be recursive.
fn join_below(nodes: &mut [RuleNode]) {
    let mut changed = true;
    while changed {
        changed = false;
        for at in (0..nodes.len()).rev() {
            let (mut below, mut old_below) = (nodes[at].below, nodes[at].old_below);
            for child in children(&nodes[at]) {
                below |= nodes[child as usize].below;
                old_below |= nodes[child as usize].old_below;
            }
            changed |= below != nodes[at].below || old_below != nodes[at].old_below;
            nodes[at].below = below;
            nodes[at].old_below = old_below;
        }
    }
}

/// Takes out the ways that lead to no rule.
fn trim(nodes: &mut [RuleNode]) {
    let below: Vec<bool> = nodes.iter().map(|node| node.below).collect();
    let leads = |at: &u32| below.get(*at as usize).copied().unwrap_or(false);
    for node in nodes {
        node.items = node.items.filter(leads);
        node.additional = node.additional.filter(leads);
        let properties = std::mem::take(&mut node.properties);
        node.properties = properties.into_iter().filter(|(_, at)| leads(at)).collect();
        let branches = std::mem::take(&mut node.branches);
        node.branches = branches
            .into_iter()
            .map(|(junctor, list)| match junctor {
                Junctor::AllOf => (junctor, list.into_iter().filter(|it| leads(&it.at)).collect()),
                // The branches without rules count as well.
                _ => (junctor, list),
            })
            .filter(|(_, list)| list.iter().any(|it| leads(&it.at)))
            .collect();
    }
}
