//! What the rules of a schema can cost, and which bounds would make an expensive rule cheap enough.

use std::cell::Cell;
use std::sync::Arc;

use ordain_cel::check::Checked;
use ordain_schema::{Additional, Node, NodeId, Schema, Type};
use ordain_value::Text;

use super::compile::{Compiler, Expression, estimated};
use super::session::EXPRESSION_COST_MAX;
use super::set::RuleOptions;
use super::types::{Place, Types};
use crate::plan::DEPTH_MAX;

/// The estimated cost of one expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleCost {
    /// The place of the expression in the schema, such as `spec.items.x-kubernetes-validations[0].rule`.
    pub path: String,
    /// The text of the expression.
    pub expression: Text,
    /// The most that one evaluation can cost.
    pub evaluation: u64,
    /// How often it can be evaluated for one object; messages are made once.
    pub evaluations: u64,
    /// The product, which is held against [`EXPRESSION_COST_MAX`].
    pub cost: u64,
    /// Bounds that would bring the cost down to what is allowed; empty when it is, or when no bound helps.
    pub advice: Vec<Advice>,
}

/// A bound to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The place of the list, map or string in the schema.
    pub path: String,
    /// `maxItems`, `maxProperties` or `maxLength`
    pub keyword: &'static str,
    /// The largest bound that does it, given the bounds before this one.
    pub bound: i64,
    /// What the rule would cost with this bound and those before it.
    pub cost: u64,
}

/// Bounds that leave room to live in, tried before the last one is made as large as possible.
const ROOMY: i64 = 64;
/// How many bounds are suggested at most.
const ADVICE_MAX: usize = 8;
/// How many places are tried at most.
const CANDIDATES_MAX: usize = 200;

/// Estimates every expression of a schema that compiles.
#[must_use]
pub fn rule_costs(schema: &Schema, options: RuleOptions) -> Vec<RuleCost> {
    if schema.nodes().iter().all(|node| node.rules.is_empty()) {
        return Vec::new();
    }
    let environment = |_: Expression<'_>| options.environment;
    let mut walk = Walk {
        schema,
        compiler: Compiler {
            schema,
            types: Arc::new(Types::new(schema)),
            environment: &environment,
            with_cost: true,
            patterns: Cell::default(),
        },
        above: Vec::new(),
        found: Vec::new(),
    };
    walk.node(schema.root(), String::new());
    walk.found
}

/// A list, map or string without a bound.
struct Candidate {
    node: NodeId,
    path: String,
    keyword: &'static str,
}

struct Walk<'s> {
    schema: &'s Schema,
    compiler: Compiler<'s>,
    /// The nodes above the one that is looked at, with their paths.
    above: Vec<(NodeId, String)>,
    found: Vec<RuleCost>,
}

fn join(path: &str, step: &str) -> String {
    match (path.is_empty(), step.starts_with('[')) {
        (true, _) => step.to_owned(),
        (_, true) => format!("{path}{step}"),
        _ => format!("{path}.{step}"),
    }
}

/// The places below a node, with their steps.
fn children(node: &Node) -> Vec<(NodeId, String)> {
    let properties = node.properties.iter().map(|(name, id)| (*id, name.to_string()));
    let items = node.items.map(|id| (id, "items".to_owned()));
    let values = node.additional_node().map(|id| (id, "additionalProperties".to_owned()));
    properties.chain(items).chain(values).collect()
}

/// The keyword that would bound a node which has no bound.
fn missing_bound(node: &Node) -> Option<&'static str> {
    let validation = node.validation.as_deref();
    let is_set =
        |get: fn(&ordain_schema::Validation) -> Option<i64>| validation.and_then(get).is_some();
    let format = validation.map_or("", |it| it.format.as_str());
    let is_listed = validation.is_some_and(|it| !it.enumeration.is_empty());
    match node.ty {
        Type::Array if !is_set(|it| it.max_items) => Some("maxItems"),
        Type::Object
            if matches!(node.additional, Additional::Node(_))
                && !is_set(|it| it.max_properties) =>
        {
            Some("maxProperties")
        }
        Type::String | Type::IntOrString
            if !is_set(|it| it.max_length)
                && !is_listed
                && !matches!(format, "date" | "date-time" | "duration") =>
        {
            Some("maxLength")
        }
        _ => None,
    }
}

/// How many values each child of a node can have, none if that is unbounded.
fn factor(node: &Node, bounds: &[(NodeId, i64)], id: NodeId) -> Option<u64> {
    let validation = node.validation.as_deref();
    let given = bounds.iter().find(|(bounded, _)| *bounded == id).map(|(_, bound)| *bound);
    let max = match node.ty {
        Type::Array => given.or(validation.and_then(|it| it.max_items))?,
        Type::Object if node.additional != Additional::Absent => {
            given.or(validation.and_then(|it| it.max_properties))?
        }
        _ => return Some(1),
    };
    Some(u64::try_from(max).unwrap_or(0))
}

impl Walk<'_> {
    fn node(&mut self, id: NodeId, path: String) {
        let node = self.schema.node(id);
        if self.above.len() > DEPTH_MAX || self.above.iter().any(|(above, _)| *above == id) {
            return;
        }
        if let (false, Some(place)) = (node.rules.is_empty(), self.compiler.types.of(id)) {
            self.rules(id, place, &path);
        }
        self.above.push((id, path.clone()));
        for (child, step) in children(node) {
            self.node(child, join(&path, &step));
        }
        self.above.pop();
    }

    fn rules(&mut self, id: NodeId, place: Place, path: &str) {
        let rules = &self.schema.node(id).rules;
        for (index, checked) in self.compiler.check(id, rules).into_iter().enumerate() {
            let path = join(path, &format!("x-kubernetes-validations[{index}]"));
            let texts = [&rules[index].rule, &rules[index].message_expression];
            let parts = [("rule", checked.rule), ("messageExpression", checked.message)];
            for ((keyword, checked), text) in parts.into_iter().zip(texts) {
                let Some(checked) = checked else { continue };
                let counted = keyword == "rule";
                let cost = self.cost(&checked, place, counted, &self.compiler.types, &[]);
                let evaluation = estimated(&checked, &self.compiler.types, place);
                let mut found = RuleCost {
                    path: join(&path, keyword),
                    expression: text.clone(),
                    evaluation,
                    evaluations: if counted { self.evaluations(place, &[]) } else { 1 },
                    cost,
                    advice: Vec::new(),
                };
                if cost > EXPRESSION_COST_MAX {
                    found.advice = self.advise(&checked, id, place, counted);
                }
                self.found.push(found);
            }
        }
    }

    fn evaluations(&self, place: Place, bounds: &[(NodeId, i64)]) -> u64 {
        let mut count = Some(1_u64);
        for (id, _) in &self.above {
            let here = factor(self.schema.node(*id), bounds, *id);
            count = count.zip(here).map(|(count, here)| count.saturating_mul(here));
        }
        count.unwrap_or_else(|| self.compiler.types.cardinality_max(place))
    }

    fn cost(
        &self,
        checked: &Checked,
        place: Place,
        counted: bool,
        types: &Types,
        bounds: &[(NodeId, i64)],
    ) -> u64 {
        let evaluation = estimated(checked, types, place);
        if counted {
            evaluation.saturating_mul(self.evaluations(place, bounds))
        } else {
            evaluation
        }
    }

    /// Everything without a bound that the rule can look at or that repeats it.
    fn candidates(&self, id: NodeId, path: &str) -> Vec<Candidate> {
        let mut places: Vec<(NodeId, String)> = self.above.clone();
        let mut pending = vec![(id, path.to_owned())];
        while let Some((at, path)) = pending.pop() {
            if places.len() >= CANDIDATES_MAX || places.iter().any(|(seen, _)| *seen == at) {
                continue;
            }
            let below = children(self.schema.node(at));
            pending.extend(below.into_iter().map(|(child, step)| (child, join(&path, &step))));
            places.push((at, path));
        }
        let candidate = |(node, path): (NodeId, String)| {
            let keyword = missing_bound(self.schema.node(node))?;
            Some(Candidate { node, path, keyword })
        };
        places.into_iter().filter_map(candidate).collect()
    }

    fn advise(&self, checked: &Checked, id: NodeId, place: Place, counted: bool) -> Vec<Advice> {
        let path = self.above.last().map_or(String::new(), |(_, path)| path.clone());
        let own = self.above.last().and_then(|(above, _)| {
            let mut steps = children(self.schema.node(*above)).into_iter();
            steps.find(|(child, _)| *child == id).map(|(_, step)| join(&path, &step))
        });
        let mut left = self.candidates(id, &own.unwrap_or_default());
        let mut types = (*self.compiler.types).clone();
        let mut bounds: Vec<(NodeId, i64)> = Vec::new();
        let mut advice = Vec::new();
        let mut current = self.cost(checked, place, counted, &types, &bounds);
        while current > EXPRESSION_COST_MAX && advice.len() < ADVICE_MAX {
            let mut try_bound = |node: NodeId, bound: i64, bounds: &mut Vec<(NodeId, i64)>| {
                let before = types.set_bound(node, bound);
                bounds.push((node, bound));
                let cost = self.cost(checked, place, counted, &types, bounds);
                bounds.pop();
                types.restore_bound(node, before);
                cost
            };
            let best = left
                .iter()
                .enumerate()
                .map(|(at, it)| (try_bound(it.node, ROOMY, &mut bounds), at))
                .min();
            let Some((cost, at)) = best.filter(|(cost, _)| *cost < current) else { break };
            let chosen = left.swap_remove(at);
            let (mut bound, mut cost) = (ROOMY, cost);
            // The last bound is made as large as it may be, or as small as it must be.
            let (mut low, mut high) = (1, super::types::REQUEST_BYTES_MAX);
            if try_bound(chosen.node, low, &mut bounds) <= EXPRESSION_COST_MAX {
                while low < high {
                    let middle = low + (high - low + 1) / 2;
                    if try_bound(chosen.node, middle, &mut bounds) <= EXPRESSION_COST_MAX {
                        low = middle;
                    } else {
                        high = middle - 1;
                    }
                }
                // A bound too small to live with is left for others to relax.
                if low >= ROOMY || left.is_empty() || cost <= EXPRESSION_COST_MAX {
                    bound = low;
                    cost = try_bound(chosen.node, low, &mut bounds);
                }
            }
            types.set_bound(chosen.node, bound);
            bounds.push((chosen.node, bound));
            current = cost;
            advice.push(Advice { path: chosen.path, keyword: chosen.keyword, bound, cost });
        }
        if current > EXPRESSION_COST_MAX { Vec::new() } else { advice }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_schema::{Raw, resolve};
    use ordain_value::value;

    fn costs(schema: &ordain_value::Value) -> Vec<RuleCost> {
        let (raw, _) = Raw::decode(schema).expect("a schema");
        rule_costs(&resolve(&raw).expect("a structural schema"), RuleOptions::crd())
    }

    #[test]
    fn a_cheap_rule_needs_no_advice() {
        let found = costs(&value!({"type": "object", "properties": {"n": {"type": "integer",
            "x-kubernetes-validations": [{"rule": "self > 1"}]}}}));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].cost, found[0].evaluations), (2, 1));
        assert!(found[0].advice.is_empty());
    }

    #[test]
    fn the_bound_that_makes_a_rule_cheap_is_named_with_its_cost() {
        let found = costs(&value!({"type": "object", "properties": {"list": {"type": "array",
            "items": {"type": "string", "maxLength": 10},
            "x-kubernetes-validations": [{"rule": "self.all(x, self.all(y, x == y))"}]}}}));
        assert!(found[0].cost > EXPRESSION_COST_MAX);
        let [advice] = found[0].advice.as_slice() else { panic!("one bound: {found:?}") };
        assert_eq!((advice.path.as_str(), advice.keyword), ("list", "maxItems"));
        assert!(advice.cost <= EXPRESSION_COST_MAX);
        let with = |bound: i64| {
            costs(&value!({"type": "object", "properties": {"list": {"type": "array",
                "maxItems": bound, "items": {"type": "string", "maxLength": 10},
                "x-kubernetes-validations": [{"rule": "self.all(x, self.all(y, x == y))"}]}}}))
        };
        assert_eq!(with(advice.bound)[0].cost, advice.cost);
        assert!(with(advice.bound + 1)[0].cost > EXPRESSION_COST_MAX, "the largest bound");
    }

    #[test]
    fn a_rule_that_is_repeated_without_bound_gets_the_bound_of_its_list() {
        let found = costs(&value!({"type": "object", "properties": {"list": {"type": "array",
            "items": {"type": "object", "properties": {"s": {"type": "string"}},
                "x-kubernetes-validations": [{"rule": "self.s.contains('x')"}]}}}}));
        assert!(found[0].cost > EXPRESSION_COST_MAX);
        let paths: Vec<&str> = found[0].advice.iter().map(|it| it.path.as_str()).collect();
        assert!(paths.contains(&"list") || paths.contains(&"list.items.s"), "{found:?}");
    }
}
