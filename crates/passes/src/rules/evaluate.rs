//! Rules against objects: in the order of the schema, within a budget, with failures on what did not change
//! turned into warnings.

use std::cmp::Ordering;

use ordain_cel::program::{Effort, EvalOptions};
use ordain_cel::value::{Error as CelError, Result as CelResult, Val};
use ordain_schema::Rule;
use ordain_value::field::{BadValue, Error, ErrorList, Kind, Path};
use ordain_value::{Text, Value, go_quote};

use super::compile::{Compiled, OLD_SELF, SELF};
use super::set::{Branch, Junctor, NodeRule, RuleNode, RuleSet};
use crate::cel_library::PER_CALL_LIMIT;
use crate::plan::{Additional, DEPTH_MAX, Id, Plan, head};
use crate::ratchet::{self, OldItems};
use crate::spine::{Outcome, Rules};

/// The origin of errors that a rule makes.
pub(crate) const ORIGIN: &str = "x-kubernetes-validations";

/// What all rules of one object may cost.
pub const OBJECT_BUDGET: i64 = 10_000_000;
/// The longest message that an expression may make.
const MESSAGE_BYTES_MAX: usize = 5 * 1024;

const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

impl Rules for RuleSet {
    fn any(&self) -> bool {
        self.root.is_some()
    }

    fn evaluate(&self, object: &Value, old: Option<&Value>) -> Outcome {
        let Some(root) = self.root else { return Outcome::default() };
        let (outcome, _) = self.run(root, object, old, None, &Path::root(), OBJECT_BUDGET);
        // Ratcheting only takes failures away, so an object without any needs no comparison.
        match (outcome.errors.is_empty(), old, &self.plan) {
            (false, Some(old), Some(plan)) => {
                let id = self.nodes[root as usize].id;
                let same =
                    Correlation { plan, here: Some(Pair { id, new: object, old }), above: None };
                self.run(root, object, Some(old), Some(same), &Path::root(), OBJECT_BUDGET).0
            }
            _ => outcome,
        }
    }
}

impl RuleSet {
    /// Evaluates the rules at one place of the schema and below; returns what is left of the budget, which is
    /// negative when nothing more may be evaluated.
    fn run<'v>(
        &'v self,
        at: u32,
        value: &'v Value,
        old: Option<&'v Value>,
        same: Option<Correlation<'v>>,
        path: &Path<'_>,
        budget: i64,
    ) -> (Outcome, i64) {
        let mut run = Run {
            set: self,
            budget,
            effort: Effort::default(),
            errors: ErrorList::new(),
            warnings: Vec::new(),
        };
        run.node(at, value, old.filter(|old| !old.is_null()), same, path, 0);
        (Outcome { errors: run.errors, warnings: run.warnings }, run.budget)
    }

    /// Evaluates the rules of a schema node on a value of it, such as its default.
    pub(crate) fn evaluate_at(
        &self,
        node: ordain_schema::NodeId,
        value: &Value,
        old: Option<&Value>,
        path: &Path<'_>,
        budget: i64,
    ) -> (ErrorList, i64) {
        match self.by_node.get(node.index()).copied().flatten() {
            None => (ErrorList::new(), budget),
            Some(at) => {
                let (outcome, left) = self.run(at, value, old, None, path, budget);
                (outcome.errors, left)
            }
        }
    }
}

/// A value and what it was before.
#[derive(Clone, Copy)]
struct Pair<'v> {
    id: Id,
    new: &'v Value,
    old: &'v Value,
}

/// What of an object can be matched with its old self.
#[derive(Clone, Copy)]
struct Correlation<'v> {
    plan: &'v Plan,
    /// The place itself; none where items have no counterpart.
    here: Option<Pair<'v>>,
    /// The nearest place above that has a counterpart; none at the root.
    above: Option<Pair<'v>>,
}

impl<'v> Correlation<'v> {
    fn unchanged(self) -> bool {
        let pair = self.here.or(self.above);
        pair.is_some_and(|pair| ratchet::unchanged(self.plan, pair.id, pair.new, pair.old))
    }

    fn key(self, key: &str) -> Self {
        let Some(here) = self.here else { return self };
        if self.above.is_none() && matches!(key, "apiVersion" | "kind") {
            return Correlation { here: None, ..self };
        }
        let child = || {
            let node = self.plan.node(here.id);
            let id = match (node.properties.get(key), node.additional) {
                (Some(property), _) => property.node,
                (None, Additional::Node(id)) => id,
                _ => return None,
            };
            Some(Pair { id, new: here.new.get(key)?, old: here.old.get(key)? })
        };
        Correlation { here: child(), above: Some(here), ..self }
    }

    fn old_items(self) -> Option<OldItems<'v>> {
        let here = self.here?;
        OldItems::new(self.plan.node(here.id), here.old)
    }

    fn item(self, new: &'v Value, old: Option<&OldItems<'v>>) -> Self {
        let Some(here) = self.here else { return self };
        let item = || {
            let id = self.plan.node(here.id).items?;
            Some(Pair { id, new, old: old?.of(new)? })
        };
        Correlation { here: item(), above: Some(here), ..self }
    }
}

struct Run<'v> {
    set: &'v RuleSet,
    budget: i64,
    /// The work with patterns so far.
    effort: Effort,
    errors: ErrorList,
    warnings: Vec<String>,
}

/// The values that expressions of one place read.
struct Scope<'v> {
    own: CelResult<Val<'v>>,
    old: Option<CelResult<Val<'v>>>,
}

impl<'v> Run<'v> {
    fn node(
        &mut self,
        at: u32,
        value: &'v Value,
        old: Option<&'v Value>,
        same: Option<Correlation<'v>>,
        path: &Path<'_>,
        depth: usize,
    ) {
        let set = self.set;
        let Some(node) = set.nodes.get(at as usize).filter(|_| depth < DEPTH_MAX) else { return };
        if value.is_null() {
            return;
        }
        self.rules(node, value, old, same, path);
        for (junctor, branches) in &node.branches {
            if self.budget < 0 {
                return;
            }
            // What stands in a branch is only forgiven with all of the parent.
            let same = same.map(|same| Correlation { here: None, ..same });
            let at = Branched { node, value, old, same, depth: depth + 1 };
            self.branches(*junctor, branches, at, path);
        }
        if self.budget < 0 {
            return;
        }
        match value {
            Value::List(_) => self.items(node, value, old, same, path, depth),
            Value::Map(_) => self.entries(node, value, old, same, path, depth),
            _ => {}
        }
    }

    fn branches(
        &mut self,
        junctor: Junctor,
        branches: &[Branch],
        at: Branched<'v>,
        path: &Path<'_>,
    ) {
        if junctor == Junctor::AllOf {
            for branch in branches {
                self.node(branch.at, at.value, at.old, at.same, path, at.depth);
                if self.budget < 0 {
                    return;
                }
            }
            return;
        }
        let mut valid = 0;
        let mut nearest: Option<ErrorList> = None;
        for branch in branches {
            let plan = self.set.plan.as_deref();
            if plan.is_some_and(|plan| !plan.validate_at(branch.id, at.value, None, "").is_empty())
            {
                continue;
            }
            let before = std::mem::take(&mut self.errors);
            self.node(branch.at, at.value, at.old, None, path, at.depth);
            let errors = std::mem::replace(&mut self.errors, before);
            if self.budget < 0 {
                return self.errors.extend(errors);
            }
            if errors.is_empty() {
                valid += 1;
            } else {
                nearest.get_or_insert(errors);
            }
        }
        let wrong = match (junctor, valid) {
            (Junctor::AnyOf, 0) => "must validate at least one schema (anyOf)".to_owned(),
            (Junctor::OneOf, 0) => {
                "must validate one and only one schema (oneOf). Found none valid".to_owned()
            }
            (Junctor::OneOf, 2..) => format!(
                "must validate one and only one schema (oneOf). Found {valid} valid alternatives"
            ),
            (Junctor::Not, 1..) => "must not validate the schema (not)".to_owned(),
            _ => return,
        };
        let forgiven = at.same.is_some_and(Correlation::unchanged);
        self.add(Error::invalid(path, shown(at.node, at.value), wrong), forgiven);
        for error in nearest.filter(|_| valid == 0).iter().flatten() {
            self.add(error.clone(), forgiven);
        }
    }

    fn entries(
        &mut self,
        node: &'v RuleNode,
        value: &'v Value,
        old: Option<&'v Value>,
        same: Option<Correlation<'v>>,
        path: &Path<'_>,
        depth: usize,
    ) {
        let Value::Map(map) = value else { return };
        let before = |key: &str| old.and_then(|old| old.get(key)).filter(|old| !old.is_null());
        if let Some(additional) = node.additional {
            for (key, value) in map.iter() {
                let same = same.map(|same| same.key(key));
                self.node(additional, value, before(key), same, &path.key(key), depth + 1);
                if self.budget < 0 {
                    return;
                }
            }
        }
        // Both are in key order.
        let mut ahead = node.properties.iter();
        for (key, value) in map.iter() {
            let Some((_, at)) = find_ahead(&mut ahead, key) else { continue };
            let same = same.map(|same| same.key(key));
            self.node(*at, value, before(key), same, &path.child(key), depth + 1);
            if self.budget < 0 {
                return;
            }
        }
    }

    fn items(
        &mut self,
        node: &'v RuleNode,
        value: &'v Value,
        old: Option<&'v Value>,
        same: Option<Correlation<'v>>,
        path: &Path<'_>,
        depth: usize,
    ) {
        let (Value::List(list), Some(items)) = (value, node.items) else { return };
        let set = self.set;
        let plan = set.plan.as_deref().filter(|_| set.nodes[items as usize].old_below);
        let old_items = match (plan, old) {
            (Some(plan), Some(old)) => OldItems::new(plan.node(node.id), old),
            _ => None,
        };
        let same_items = same.and_then(Correlation::old_items);
        for (index, item) in list.iter().enumerate() {
            let before = old_items.as_ref().and_then(|old| old.of(item));
            let same = same.map(|same| same.item(item, same_items.as_ref()));
            self.node(items, item, before, same, &path.index(index), depth + 1);
            if self.budget < 0 {
                return;
            }
        }
    }

    /// Ends the whole evaluation.
    fn stop(&mut self, error: Error) {
        self.errors.push(error);
        self.budget = -1;
    }

    fn rules(
        &mut self,
        node: &'v RuleNode,
        value: &'v Value,
        old: Option<&'v Value>,
        same: Option<Correlation<'v>>,
        path: &Path<'_>,
    ) {
        let invalid = |text: String| Error::invalid(path, node.type_name, text);
        if let Some(error) = node.error {
            self.errors.push(invalid(format!("rule compiler initialization error: {error}")));
            return;
        }
        if node.rules.is_empty() {
            return;
        }
        if self.budget <= 0 {
            return self.stop(invalid(OUT_OF_BUDGET.to_owned()));
        }
        let view = self.set.views.at(node.view);
        let scope = Scope {
            own: view.read(value),
            old: old.filter(|_| node.uses_old_self).map(|old| view.read(old)),
        };
        for rule in &node.rules {
            self.rule(node, rule, &scope, value, old.is_some(), same, path);
            if self.budget < 0 {
                return;
            }
        }
    }

    fn rule(
        &mut self,
        node: &RuleNode,
        rule: &'v NodeRule,
        scope: &Scope<'v>,
        value: &Value,
        has_old: bool,
        same: Option<Correlation<'v>>,
        path: &Path<'_>,
    ) {
        let NodeRule { rule, compiled } = rule;
        let invalid = |text: String| Error::invalid(path, node.type_name, text);
        if let Some(error) = &compiled.error {
            self.errors.push(invalid(format!("rule compile error: {error}")));
            return;
        }
        let Some(program) = &compiled.program else { return };
        let optional = rule.optional_old_self == Some(true);
        if compiled.uses_old_self && !has_old && !optional {
            return;
        }
        let options = self.options();
        let outcome =
            program.eval_with(|name| scope.find(name, optional && node.uses_old_self), options);
        self.effort = outcome.effort;
        let cost = i64::try_from(outcome.cost).unwrap_or(i64::MAX);
        if cost > self.budget {
            return self.stop(invalid(OUT_OF_BUDGET.to_owned()));
        }
        self.budget -= cost;
        match outcome.value {
            Ok(Val::Bool(true)) => return,
            Ok(_) => {}
            Err(error) => {
                let told = invalid(failure(&error, rule_text(rule)));
                match error.is_cost_limit() {
                    true => self.stop(told),
                    false => self.errors.push(told),
                }
                return;
            }
        }
        self.broken(node, rule, compiled, scope, value, same, path);
    }

    /// The bounds of the next evaluation.
    fn options(&self) -> EvalOptions<'static> {
        let cost_limit = Some(PER_CALL_LIMIT);
        EvalOptions { cost_limit, effort: self.effort, ..EvalOptions::default() }
    }

    /// Reports a rule that does not hold.
    fn broken(
        &mut self,
        node: &RuleNode,
        rule: &'v Rule,
        compiled: &'v Compiled,
        scope: &Scope<'v>,
        value: &Value,
        same: Option<Correlation<'v>>,
        path: &Path<'_>,
    ) {
        let below;
        let place = if compiled.field_path.is_empty() {
            path
        } else {
            below = path.child(&compiled.field_path);
            &below
        };
        let forgiven = !compiled.uses_old_self && same.is_some_and(Correlation::unchanged);
        let detail = match self.message(rule, compiled, scope) {
            Message::Text(text) => text,
            Message::None if rule.message.is_empty() => format!("failed rule: {}", rule_text(rule)),
            Message::None => rule.message.trim().to_owned(),
            Message::Stop(text) => {
                self.add(Error::invalid(place, node.type_name, text), forgiven);
                self.budget = -1;
                return;
            }
        };
        let shown = shown(node, value);
        let error = match rule.reason.as_deref() {
            Some("FieldValueForbidden") => Error::forbidden(place, detail),
            Some("FieldValueRequired") => Error::required(place, detail),
            Some("FieldValueDuplicate") => Error::duplicate(place, shown),
            reason => {
                // Only declared kinds may have the others.
                let kind = reason.and_then(crate::declared::text::kind_of).unwrap_or(Kind::Invalid);
                Error::at(kind, place.to_string(), shown, detail)
            }
        };
        self.add(error.with_origin(ORIGIN), forgiven);
    }

    fn add(&mut self, error: Error, forgiven: bool) {
        if forgiven {
            self.warnings.push(error.to_string());
        } else {
            self.errors.push(error);
        }
    }

    /// Asks the rule's own expression for a message.
    fn message(&mut self, rule: &Rule, compiled: &'v Compiled, scope: &Scope<'v>) -> Message {
        let Some(program) = &compiled.message else { return Message::None };
        let options = self.options();
        let outcome = program.eval_with(|name| scope.find(name, false), options);
        self.effort = outcome.effort;
        let cost = i64::try_from(outcome.cost).unwrap_or(i64::MAX);
        if cost > self.budget {
            return Message::Stop(
                "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
                    .to_owned(),
            );
        }
        let text = match outcome.value {
            Err(error) if error.is_cost_limit() => {
                return Message::Stop(format!(
                    "no further validation rules will be run due to call cost exceeds limit for messageExpression: {}",
                    go_quote(&rule.message_expression)
                ));
            }
            Ok(Val::Str(text)) => Some(text.as_str().to_owned()),
            Ok(Val::List(list)) => joined(&list),
            _ => None,
        };
        self.budget -= cost;
        let text = text.as_deref().map_or("", str::trim);
        if text.is_empty() || text.len() > MESSAGE_BYTES_MAX || text.contains('\n') {
            return Message::None;
        }
        Message::Text(text.to_owned())
    }
}

/// Several messages as one.
fn joined(list: &ordain_cel::value::List<'_>) -> Option<String> {
    let mut texts = Vec::new();
    for item in list.iter() {
        match item {
            Ok(Val::Str(text)) => texts.push(text.as_str().to_owned()),
            _ => return None,
        }
    }
    Some(texts.join("; "))
}

/// Passes over properties up to the one of a key; returns it if it is there.
fn find_ahead<'p>(
    ahead: &mut std::slice::Iter<'p, (Text, u32)>,
    key: &Text,
) -> Option<&'p (Text, u32)> {
    // Most keys differ at their start.
    let start = head(key.as_bytes());
    while let Some(first) = ahead.as_slice().first() {
        let by_start = head(first.0.as_bytes()).cmp(&start);
        match by_start.then_with(|| first.0.as_str().cmp(key)) {
            Ordering::Less => ahead.next(),
            Ordering::Equal => return ahead.next(),
            Ordering::Greater => return None,
        };
    }
    None
}

enum Message {
    /// What the expression says.
    Text(String),
    /// There is no expression, or it says nothing useful.
    None,
    /// It used up what all rules may cost.
    Stop(String),
}

impl<'v> Scope<'v> {
    fn find(&self, name: &str, optional: bool) -> Option<CelResult<Val<'v>>> {
        match name {
            SELF => Some(self.own.clone()),
            OLD_SELF if optional => Some(match &self.old {
                None => Ok(Val::Optional(None)),
                Some(Ok(old)) => Ok(Val::Optional(Some(std::sync::Arc::new(old.clone())))),
                Some(Err(error)) => Err(error.clone()),
            }),
            OLD_SELF => self.old.clone(),
            _ => None,
        }
    }
}

/// Where the branches of a junctor are tried.
#[derive(Clone, Copy)]
struct Branched<'v> {
    node: &'v RuleNode,
    value: &'v Value,
    old: Option<&'v Value>,
    same: Option<Correlation<'v>>,
    depth: usize,
}

/// The value as errors show it: only scalars are.
fn shown(node: &RuleNode, value: &Value) -> BadValue {
    match node.type_name {
        "object" | "array" => BadValue::Omitted,
        _ => BadValue::Value(value.clone()),
    }
}

/// The text for a rule that could not be evaluated.
fn failure(error: &CelError, rule: &str) -> String {
    let text = error.message();
    if error.is_cost_limit() {
        return format!(
            "'{text}': no further validation rules will be run due to call cost exceeds limit for rule: {rule}"
        );
    }
    if text.starts_with("no such overload") {
        return format!(
            "'{text}': call arguments did not match a supported operator, function or macro signature for rule: {rule}"
        );
    }
    format!("{text} evaluating rule: {rule}")
}

/// How messages name a rule.
fn rule_text(rule: &Rule) -> &str {
    if rule.message.is_empty() { rule.rule.trim() } else { rule.message.trim() }
}
