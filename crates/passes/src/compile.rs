//! [`Schema`] → [`Plan`]: formats and patterns are compiled, tables sorted, defaults pruned and completed.

use std::collections::BTreeSet;
use std::fmt;

use ordain_meta::KubeVersion;
use ordain_schema::{self as schema, ListType, NodeId, Schema, Type};
use ordain_value::{Map, Text, Value};

use crate::plan::{
    Additional, Below, DEPTH_MAX, Defaulting, Glance, Id, Kinds, Plan, PlanNode, Properties,
    Property, head,
};
use crate::validate::Checks;
use crate::{coerce, default, prune};

/// Why a schema cannot become a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError(pub String);

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CompileError {}

impl Plan {
    /// Compiles the schema of one kind in one version.
    ///
    /// Defaults lose what the schema or ObjectMeta does not know, as they would if a client had sent them; the
    /// schema itself stays as it is.
    ///
    /// # Errors
    /// When a default cannot be brought into shape.
    pub fn compile(schema: &Schema) -> Result<Plan, CompileError> {
        Plan::compile_at(schema, KubeVersion::CURRENT)
    }

    /// Compiles a schema with the formats that a release enforces.
    ///
    /// # Errors
    /// When a default cannot be brought into shape.
    pub fn compile_at(schema: &Schema, release: KubeVersion) -> Result<Plan, CompileError> {
        let nodes: Vec<PlanNode> = schema.nodes().iter().map(|it| node(it, release)).collect();
        let root = id(schema.root());
        let status = schema.root_node().property("status").map(id);
        let mut plan = Plan { nodes: nodes.into(), root, status };
        leave_junctors_to_rules(&mut plan, schema);
        join_below(&mut plan.nodes, |node| &mut node.below);
        prune_defaults(&mut plan)?;
        note_defaults(&mut plan);
        complete_defaults(&mut plan);
        note_glances(&mut plan);
        Ok(plan)
    }
}

/// Branches with rules in them are for the rules to judge. CRDs have none unless a gate allows them.
fn leave_junctors_to_rules(plan: &mut Plan, schema: &Schema) {
    let mut ruled: Vec<bool> = schema.nodes().iter().map(|node| !node.rules.is_empty()).collect();
    if !ruled.contains(&true) {
        return;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (at, node) in schema.iter().collect::<Vec<_>>().into_iter().rev() {
            if !ruled[at.index()] && node.children().any(|child| ruled[child.index()]) {
                ruled[at.index()] = true;
                changed = true;
            }
        }
    }
    for node in &mut plan.nodes {
        if let Some(checks) = &mut node.checks {
            checks.leave_to_rules(&|branch| ruled.get(branch.0 as usize).copied().unwrap_or(false));
        }
    }
}

fn id(node: NodeId) -> Id {
    Id(node.0)
}

fn node(node: &schema::Node, release: KubeVersion) -> PlanNode {
    let required = node.validation.as_ref().map_or(&[][..], |it| it.required.as_slice());
    let required: BTreeSet<&Text> = required.iter().collect();
    let properties = node
        .properties
        .iter()
        .map(|(name, node)| Property::new(name.clone(), id(*node), required.contains(name)))
        .collect();
    let checks = Checks::compile(node, release);
    let keyed = matches!(node.list_type, Some(ListType::Set | ListType::Map));
    PlanNode {
        ty: node.ty,
        nullable: node.nullable,
        preserve_unknown: node.preserve_unknown,
        embedded: node.embedded_resource,
        below: Below {
            defaults: false,
            embedded: node.embedded_resource,
            list_types: keyed,
            checks: node.ty != Type::Any
                || checks.is_some()
                || node.additional == schema::Additional::Forbidden,
        },
        glance: Glance::default(),
        plain: checks.as_ref().is_none_or(Checks::is_plain),
        ints: checks.as_ref().and_then(|it| it.sure_ints(node.ty)).unwrap_or((1, 0)),
        additional: match node.additional {
            schema::Additional::Absent => Additional::Absent,
            schema::Additional::Any => Additional::Any,
            schema::Additional::Forbidden => Additional::Forbidden,
            schema::Additional::Node(node) => Additional::Node(id(node)),
        },
        items: node.items.map(id),
        properties: Properties::new(properties),
        defaulting: Box::default(),
        list_type: node.list_type,
        list_map_keys: node.list_map_keys.iter().cloned().collect(),
        default: node.default.clone().filter(|it| !it.is_null()),
        checks: checks.map(Box::new),
    }
}

/// The places below a node that values are walked into.
fn children(node: &PlanNode) -> impl Iterator<Item = Id> {
    let additional = match node.additional {
        Additional::Node(id) => Some(id),
        _ => None,
    };
    node.properties.entries().iter().map(|it| it.node).chain(node.items).chain(additional)
}

/// Carries what subtrees hold up to their parents, until nothing changes: schemas may be cyclic.
fn join_below(nodes: &mut [PlanNode], below: impl Fn(&mut PlanNode) -> &mut Below) {
    let mut changed = true;
    while changed {
        changed = false;
        // Children come after their parents in trees, so one sweep backwards is enough for those.
        for at in (0..nodes.len()).rev() {
            let joined = children(&nodes[at])
                .map(|child| nodes[child.0 as usize].below)
                .fold(nodes[at].below, Below::join);
            let slot = below(&mut nodes[at]);
            if *slot != joined {
                *slot = joined;
                changed = true;
            }
        }
    }
}

/// One step from the root to a default.
#[derive(Clone)]
enum Step {
    Key(Text),
    Index,
}

/// Every default is put into an otherwise empty object, and what the request passes leave of it is the default.
fn prune_defaults(plan: &mut Plan) -> Result<(), CompileError> {
    let mut pruned = Vec::new();
    let mut pending = vec![(plan.root, Vec::<Step>::new())];
    // Places of recursive kinds are reached on many ways; one is enough.
    let mut seen = vec![false; plan.nodes.len()];
    while let Some((at, path)) = pending.pop() {
        if std::mem::replace(&mut seen[at.0 as usize], true) {
            continue;
        }
        let node = plan.node(at);
        if let Some(default) = node.default.as_ref().filter(|_| at != plan.root) {
            let kept = prune_default(plan, default, &path)?;
            if kept.as_ref() != Some(default) {
                pruned.push((at, kept));
            }
        }
        if path.len() >= DEPTH_MAX {
            continue;
        }
        let below = |step: Step| {
            let mut path = path.clone();
            path.push(step);
            path
        };
        if let Additional::Node(child) = node.additional {
            pending.push((child, below(Step::Key("*".into()))));
        }
        if let Some(child) = node.items {
            pending.push((child, below(Step::Index)));
        }
        for property in node.properties.entries() {
            pending.push((property.node, below(Step::Key(property.name.clone()))));
        }
    }
    for (at, default) in pruned {
        plan.nodes[at.0 as usize].default = default.filter(|it| !it.is_null());
    }
    Ok(())
}

fn prune_default(
    plan: &Plan,
    default: &Value,
    path: &[Step],
) -> Result<Option<Value>, CompileError> {
    let mut object = default.clone();
    for step in path.iter().rev() {
        object = match step {
            Step::Key(key) => Value::Map([(key.clone(), object)].into_iter().collect::<Map>()),
            Step::Index => Value::from(vec![object]),
        };
    }
    coerce::coerce_root_default(plan, &mut object)
        .map_err(|error| CompileError(format!("failed to prune default value: {error}")))?;
    prune::prune_untracked(plan, &mut object);
    let mut at = Some(&object);
    for step in path {
        at = at.and_then(|it| match step {
            Step::Key(key) => it.get(key),
            Step::Index => it.as_list().and_then(|list| list.first()),
        });
    }
    Ok(at.cloned())
}

fn note_defaults(plan: &mut Plan) {
    for node in &mut plan.nodes {
        node.below.defaults = node.default.is_some();
    }
    join_below(&mut plan.nodes, |node| &mut node.below);
    for at in 0..plan.nodes.len() {
        let defaulting = (plan.nodes[at].properties.entries().iter().enumerate())
            .filter(|(_, it)| plan.node(it.node).below.defaults)
            .map(|(property, it)| Defaulting { head: head(it.name.as_bytes()), property })
            .collect();
        plan.nodes[at].defaulting = defaulting;
    }
}

/// A default object is itself completed by the defaults inside it; once, here, instead of at every use.
fn complete_defaults(plan: &mut Plan) {
    // Deeper nodes first, so that a completed default is made of completed defaults.
    for at in (0..plan.nodes.len()).rev() {
        if let Some(mut value) = plan.nodes[at].default.clone() {
            default::default_below(plan, Id(at as u32), &mut value);
            plan.nodes[at].default = Some(value);
        }
    }
}

/// What can be determined without looking at a node is noted with the properties that lead to it.
fn note_glances(plan: &mut Plan) {
    let glances: Vec<Glance> = plan.nodes.iter().map(|node| glance(plan, node)).collect();
    for (node, glance) in plan.nodes.iter_mut().zip(&glances) {
        node.glance = *glance;
        for property in node.properties.entries_mut() {
            property.glance = glances[property.node.0 as usize];
        }
    }
}

fn glance(plan: &Plan, node: &PlanNode) -> Glance {
    let free = free_kinds(plan, node);
    let lengths = match node.checks.as_deref() {
        _ if free.has(&Value::Str(Text::default())) => Some((0, usize::MAX)),
        Some(checks) if matches!(node.ty, Type::Any | Type::String | Type::IntOrString) => {
            checks.sure_lengths()
        }
        _ => None,
    };
    let Some((from, below)) = lengths else {
        return Glance { free, ..Glance::default() };
    };
    let cut = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
    Glance { free, text_from: cut(from), text_below: cut(below) }
}

/// Kinds of values that can be passed over: of the right type, with nothing to check in or below them.
fn free_kinds(plan: &Plan, node: &PlanNode) -> Kinds {
    if !node.below.checks {
        return Kinds::ALL;
    }
    let checked = |id: Id| plan.node(id).below.checks;
    let checks = node.checks.as_deref();
    let values_free = node.additional != Additional::Forbidden && !children(node).any(checked);
    let any = node.ty == Type::Any;
    let is = |types: &[Type]| any || types.contains(&node.ty);
    let spares = |kinds: Kinds| checks.is_none_or(|it| it.spare(kinds));
    Kinds::NONE
        .with(Kinds::NULL, (any || node.nullable) && spares(Kinds::NULL))
        .with(Kinds::BOOL, is(&[Type::Boolean]) && spares(Kinds::BOOL))
        .with(
            Kinds::INT,
            is(&[Type::Integer, Type::Number, Type::IntOrString]) && spares(Kinds::INT),
        )
        .with(Kinds::FLOAT, is(&[Type::Number]) && spares(Kinds::FLOAT))
        .with(Kinds::STR, is(&[Type::String, Type::IntOrString]) && spares(Kinds::STR))
        .with(Kinds::LIST, is(&[Type::Array]) && spares(Kinds::LIST) && values_free)
        .with(Kinds::MAP, is(&[Type::Object]) && spares(Kinds::MAP) && values_free)
}
