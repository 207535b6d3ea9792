//! What is wrong with a declaration although it can be compiled: rules that may cost too much, and
//! defaults that their own field refuses. `+k8s:` tags count as the keywords of a schema do.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use ordain_passes::declared::strip_zero::is_zero;
use ordain_passes::rules::{EXPRESSION_COST_MAX, RuleCost, SCHEMA_COST_MAX, rule_costs};
use ordain_passes::{Plan, RuleOptions};
use ordain_schema::declared::Version;
use ordain_schema::folding::fold;
use ordain_schema::{Node, NodeId, Schema, Type};
use ordain_value::{Text, Value, json};

/// Looks at the version of a kind.
///
/// # Errors
/// The first thing that is wrong, in words.
pub(super) fn check(version: &Version, schema: &Schema) -> Result<(), String> {
    let folded = version.native.as_ref().map(|it| fold(schema, it));
    let folded = folded.as_ref().unwrap_or(schema);
    check_costs(version, schema, folded)?;
    check_defaults(folded)
}

/// How much more than rules of definitions those of declared kinds may cost: whoever declares a kind
/// runs the server, and a rule that reads one long text once is no danger. What a write really costs
/// is counted as it runs.
const GRANTED: u64 = 10;

/// Rules that may cost far more than a write is granted are refused, as definitions with such rules
/// are. Messages are made for one error and not counted.
fn check_costs(version: &Version, schema: &Schema, folded: &Schema) -> Result<(), String> {
    let mut costs = rule_costs(folded, RuleOptions::declared());
    costs.retain(|it| !it.path.ends_with("messageExpression"));
    let expensive = costs.iter().find(|it| it.cost > EXPRESSION_COST_MAX * GRANTED);
    if let Some(rule) = expensive {
        return Err(too_expensive(version, schema, rule));
    }
    let total = costs.iter().fold(0_u64, |sum, it| sum.saturating_add(it.cost));
    if total > SCHEMA_COST_MAX * GRANTED {
        let times = total / SCHEMA_COST_MAX;
        let words = "its rules together may cost more than is granted";
        return Err(format!("{words} (by a factor of more than {times})"));
    }
    Ok(())
}

fn too_expensive(version: &Version, schema: &Schema, cost: &RuleCost) -> String {
    let has_rule = |node: NodeId, rule: usize| {
        let rule = schema.node(node).rules.get(rule);
        rule.is_some_and(|it| [&it.rule, &it.message_expression].contains(&&cost.expression))
    };
    let at = version.rule_places.iter().find(|it| has_rule(it.node, it.rule));
    let place = at.map_or(String::new(), |it| format!("{}: ", it.place));
    let bounds: Vec<String> = (cost.advice.iter())
        .map(|it| format!("{}: {} to {}", it.keyword, it.bound, it.path))
        .collect();
    let help = match bounds.is_empty() {
        true => "make it simpler".to_owned(),
        false => format!("add {}", bounds.join(" and ")),
    };
    let times = cost.cost / EXPRESSION_COST_MAX;
    format!(
        "{place}rule `{}` may cost more than is granted (by a factor of more than {times}): {help}",
        cost.expression
    )
}

/// The name of the field in an object that holds a default.
const FIELD: Text = Text::new_static("value");

/// A default that the rules of its own field refuse would make invalid what nobody wrote. Zero
/// values follow from Go's types as well, and are judged where objects are.
fn check_defaults(schema: &Schema) -> Result<(), String> {
    let written = schema.iter().filter_map(|(id, node)| Some((id, node, node.default.as_ref()?)));
    let mut paths = None;
    for (id, node, default) in written.filter(|it| !is_zero(it.2)) {
        // An object with the field alone; most fields have nothing below them.
        let alone = node.children().next().is_none();
        let mut nodes = if alone { vec![node.clone()] } else { schema.nodes().to_vec() };
        let field = if alone { NodeId(0) } else { id };
        let root = NodeId(u32::try_from(nodes.len()).unwrap_or(u32::MAX));
        let mut holder = Node { ty: Type::Object, ..Node::default() };
        holder.set_property(FIELD, field);
        nodes.push(holder);
        let part = Schema::new(nodes, root).map_err(|error| error.to_string())?;
        let plan = Plan::compile(&Arc::new(part)).map_err(|error| error.to_string())?;
        let mut object = Value::Map([(FIELD, default.clone())].into_iter().collect());
        plan.default(&mut object);
        if let Some(error) = plan.validate_schema(&object, None).iter().next() {
            let paths = paths.get_or_insert_with(|| places(schema));
            let path = paths.get(&id).map_or("", String::as_str);
            let shown = json::encode_string(default);
            return Err(format!("the default {shown} of `{path}` is refused: {}", error.detail()));
        }
    }
    Ok(())
}

/// The nodes with the way to them.
fn places(schema: &Schema) -> HashMap<NodeId, String> {
    let mut out = HashMap::from([(schema.root(), String::new())]);
    let mut waiting = VecDeque::from([schema.root()]);
    while let Some(id) = waiting.pop_front() {
        let (node, path) = (schema.node(id), out.get(&id).cloned().unwrap_or_default());
        let fields = node.properties.iter().map(|(name, child)| (*child, format!("{path}.{name}")));
        let items = node.items.map(|it| (it, format!("{path}[]")));
        let values = node.additional_node().map(|it| (it, format!("{path}{{}}")));
        let below: Vec<(NodeId, String)> = fields.chain(items).chain(values).collect();
        for (child, path) in below {
            if let Entry::Vacant(vacant) = out.entry(child) {
                vacant.insert(path.trim_start_matches('.').to_owned());
                waiting.push_back(child);
            }
        }
    }
    out
}
