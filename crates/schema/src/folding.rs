//! The rules of the `+k8s:` tags put into the schema, for whoever reads a schema and knows no
//! program of rules: keywords where there is one, and sentences (`Declared::notes`) for the rest.
//!
//! What comes out is for publishing and for documentation; objects are validated by the program.

use std::collections::HashSet;

use ordain_value::{Text, Value};

use crate::declared::Native;
use crate::model::{self, Additional, Arity, ListType, Node, NodeId, Schema, Union, UnionMember};
use crate::native::{
    Check, FuncId, GoKind, Level, Match, Program, Rule, TypeId, UnionRule, UnionSelect,
};
use crate::rule_cel::predicate;
use crate::rule_words::{self, sentence};

/// The schema with the rules of a program in it: as keywords, and as words where there are none.
#[must_use]
pub fn fold(schema: &Schema, native: &Native) -> Schema {
    fold_as(schema, native, false)
}

/// The same for readers who judge objects: what no keyword says is a CEL rule where one can say it.
#[must_use]
pub fn fold_with_rules(schema: &Schema, native: &Native) -> Schema {
    fold_as(schema, native, true)
}

fn fold_as(schema: &Schema, native: &Native, in_cel: bool) -> Schema {
    let mut schema = schema.clone();
    if let Some(root) = native.program.root(&native.root) {
        let start = Step { node: schema.root(), ty: root.ty, func: root.func };
        let program = &native.program;
        Folding { program, schema: &mut schema, owned: HashSet::new(), in_cel }.run(start);
    }
    schema
}

/// A place and the function of its type.
#[derive(Clone, Copy)]
struct Step {
    node: NodeId,
    ty: TypeId,
    func: FuncId,
}

struct Folding<'a> {
    program: &'a Program,
    schema: &'a mut Schema,
    /// Elements that were copied, so that rules of one list do not reach the others of its type.
    owned: HashSet<NodeId>,
    /// Whether rules without a keyword become CEL where they can.
    in_cel: bool,
}

impl Folding<'_> {
    fn run(&mut self, start: Step) {
        let mut seen = HashSet::new();
        let mut fields_seen = HashSet::new();
        let mut waiting = vec![start];
        while let Some(step) = waiting.pop() {
            if !seen.insert((step.node, step.func)) {
                continue;
            }
            // What is published under the type's name is a node of its own.
            let plain = self.schema.node(step.node).declared.as_ref().and_then(|it| it.type_node);
            waiting.extend(plain.map(|node| Step { node, ..step }));
            let Some(func) = self.program.funcs.get(step.func.0 as usize) else { continue };
            self.all(step.node, step.ty, &func.checks);
            self.keys(step.node, &func.keys);
            self.values(step.node, step.ty, &func.values);
            for check in func.checks.iter().chain(&func.values) {
                waiting.extend(self.called(step.node, step.ty, check));
            }
            for (at, field) in func.fields.iter().enumerate() {
                let child = if field.inline {
                    Some(step.node)
                } else {
                    self.schema.node(step.node).property(&field.path)
                };
                let Some(child) = child else { continue };
                if field.checks.iter().any(is_required) {
                    let required = &mut self.schema.node_mut(step.node).validation_mut().required;
                    if !required.contains(&field.path) {
                        required.push(field.path.clone());
                    }
                }
                if fields_seen.insert((child, step.func, at)) {
                    self.all(child, field.ty, &field.checks);
                    self.keys(child, &field.keys);
                    self.values(child, field.ty, &field.values);
                }
                for check in field.checks.iter().chain(&field.values) {
                    waiting.extend(self.called(child, field.ty, check));
                }
                let call = field.call.map(|func| Step { node: child, ty: field.ty, func });
                waiting.extend(call);
            }
        }
    }

    /// The node of a list's items or a map's values.
    fn element(&self, node: NodeId) -> Option<NodeId> {
        let node = self.schema.node(node);
        node.items.or_else(|| node.additional_node())
    }

    /// The same, for this list or map alone.
    fn own_element(&mut self, id: NodeId) -> Option<NodeId> {
        let shared = self.element(id)?;
        if self.owned.contains(&shared) {
            return Some(shared);
        }
        let mut node = self.schema.node(shared).clone();
        if let Some(declared) = &mut node.declared
            && declared.type_name.take().is_some()
        {
            declared.type_node = Some(shared);
        }
        let own = self.schema.push(node);
        self.owned.insert(own);
        let parent = self.schema.node_mut(id);
        match parent.items {
            Some(_) => parent.items = Some(own),
            None => parent.additional = Additional::Node(own),
        }
        Some(own)
    }

    /// Functions that a check calls for the elements of a place.
    fn called(&self, node: NodeId, ty: TypeId, check: &Check) -> Option<Step> {
        let elem = self.elem_type(ty).unwrap_or(ty);
        match &check.rule {
            Rule::Call(func) => {
                let node = self.element(node).unwrap_or(node);
                Some(Step { node, ty: elem, func: *func })
            }
            Rule::EachValue { inner, .. } | Rule::EachMapValue { inner, .. } => match inner.rule {
                Rule::Call(func) => Some(Step { node: self.element(node)?, ty: elem, func }),
                _ => None,
            },
            _ => None,
        }
    }

    fn deref(&self, ty: TypeId) -> TypeId {
        match self.program.ty(ty).kind {
            GoKind::Pointer(inner) => inner,
            _ => ty,
        }
    }

    fn elem_type(&self, ty: TypeId) -> Option<TypeId> {
        match self.program.ty(self.deref(ty)).kind {
            GoKind::List(elem) | GoKind::Map(elem) => Some(elem),
            _ => None,
        }
    }

    fn all(&mut self, node: NodeId, ty: TypeId, checks: &[Check]) {
        checks.iter().for_each(|check| self.one(node, ty, check));
    }

    fn keys(&mut self, node: NodeId, checks: &[Check]) {
        for check in checks {
            self.note(node, check, "each key");
            let inner = Box::new(check.clone());
            self.rule(node, &Check { rule: Rule::EachKey { inner }, ..check.clone() });
        }
    }

    fn values(&mut self, node: NodeId, ty: TypeId, checks: &[Check]) {
        for check in checks.iter().filter(|it| !matches!(it.rule, Rule::Call(_))) {
            if let Some(inside) = self.own_element(node) {
                self.one(inside, self.elem_type(ty).unwrap_or(ty), check);
            }
        }
    }

    fn note(&mut self, id: NodeId, check: &Check, subject: &str) {
        let Some(words) = sentence(&check.rule, subject) else { return };
        let words = match check.level {
            Some(Level::Alpha) => {
                format!("{words} (Alpha: not enforced unless it is switched on.)")
            }
            Some(Level::Beta) => format!("{words} (Beta.)"),
            None => words,
        };
        let notes = &mut self.schema.node_mut(id).declared_mut().notes;
        let words = Text::from(words);
        if !notes.contains(&words) {
            notes.push(words);
        }
    }

    /// Adds a rule in CEL. Rules that name fields stay with the words: names need CEL's spelling.
    fn rule(&mut self, id: NodeId, check: &Check) {
        if !self.in_cel || check.level.is_some() || check.non_error {
            return;
        }
        let Some(expression) = predicate(&check.rule, "self", &|_| None) else { return };
        let message = sentence(&check.rule, "").unwrap_or_default();
        let message = message.trim_end_matches('.').into();
        let rule = model::Rule { rule: expression.into(), message, ..model::Rule::default() };
        let rules = &mut self.schema.node_mut(id).rules;
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }

    fn one(&mut self, id: NodeId, ty: TypeId, check: &Check) {
        if check.non_error {
            return;
        }
        match &check.rule {
            Rule::Required(_) | Rule::Optional(_) | Rule::Call(_) => {}
            Rule::EachValue { inner, .. } | Rule::EachMapValue { inner, .. } => {
                if !matches!(inner.rule, Rule::Call(_))
                    && let Some(inside) = self.own_element(id)
                {
                    self.one(inside, self.elem_type(ty).unwrap_or(ty), inner);
                }
            }
            _ if check.level.is_some() => self.note(id, check, ""),
            Rule::Subfield { json, inner, .. } => self.subfield(id, json, inner, check),
            Rule::Union(union) => self.union(id, ty, union, check),
            Rule::NotEqual(value) => {
                let mut other = Node::default();
                other.validation_mut().enumeration = vec![value.clone()];
                let other = self.schema.push(other);
                let mut branch = Node::default();
                branch.validation_mut().not = Some(other);
                self.branch(id, branch);
                self.note(id, check, "");
            }
            rule => {
                if !keyword(self.schema.node_mut(id), rule) {
                    self.note(id, check, "");
                    self.rule(id, check);
                }
                if let Rule::Enum { exclusions, .. } = rule {
                    for words in exclusions.iter().map(rule_words::exclusion) {
                        self.schema.node_mut(id).declared_mut().notes.push(words.into());
                    }
                }
            }
        }
    }

    /// A rule of a field of the object, for this place of the object alone: a branch, because the
    /// type is described elsewhere, and words.
    fn subfield(&mut self, id: NodeId, json: &Text, inner: &Check, check: &Check) {
        self.note(id, check, "");
        let mut branch = Node::default();
        let mut field = Node::default();
        if is_required(inner) {
            branch.validation_mut().required = vec![json.clone()];
        } else if inner.level.is_none() && !inner.non_error && keyword(&mut field, &inner.rule) {
            let field = self.schema.push(field);
            branch.set_property(json.clone(), field);
        } else {
            return;
        }
        self.branch(id, branch);
    }

    fn branch(&mut self, id: NodeId, branch: Node) {
        let branch = self.schema.push(branch);
        self.schema.node_mut(id).validation_mut().all_of.push(branch);
    }

    /// A union of fields is one of the schema; of items there are only words.
    fn union(&mut self, id: NodeId, ty: TypeId, rule: &UnionRule, check: &Check) {
        let GoKind::Struct(fields) = &self.program.ty(self.deref(ty)).kind else {
            return self.note(id, check, "");
        };
        let json = |go: &Text| fields.iter().find(|it| it.go == *go).map(|it| it.json.clone());
        let members: Option<Vec<UnionMember>> = (rule.members.iter())
            .map(|member| match &member.select {
                UnionSelect::Field { go, .. } => {
                    let value = member.discriminator_value.clone();
                    Some(UnionMember { field: json(go)?, value, optional: false })
                }
                UnionSelect::Item(_) => None,
            })
            .collect();
        let Some(members) = members else { return self.note(id, check, "") };
        let discriminator = rule.discriminator.as_ref().map(|it| it.0.clone());
        let union = Union {
            name: discriminator.clone().unwrap_or_default(),
            empty_values: self.other_values(id, discriminator.as_ref(), &members),
            discriminator,
            members,
            arity: if rule.zero_or_one { Arity::ZeroOrOne } else { Arity::ExactlyOne },
            inferred: false,
        };
        let unions = &mut self.schema.node_mut(id).declared_mut().unions;
        if !unions.contains(&union) {
            unions.push(union);
        }
    }

    /// Values of a discriminator that select no member.
    fn other_values(&self, id: NodeId, name: Option<&Text>, members: &[UnionMember]) -> Vec<Text> {
        let node = name.and_then(|it| self.schema.node(id).property(it));
        let Some(validation) = node.and_then(|it| self.schema.node(it).validation.as_ref()) else {
            return Vec::new();
        };
        let values = validation.enumeration.iter().filter_map(Value::as_str);
        let unknown = |it: &&str| members.iter().all(|member| member.value != *it);
        values.filter(unknown).map(Text::from).collect()
    }
}

fn is_required(check: &Check) -> bool {
    matches!(check.rule, Rule::Required(_)) && !check.non_error && check.level.is_none()
}

/// Writes a rule as a keyword; false when there is none for it.
fn keyword(node: &mut Node, rule: &Rule) -> bool {
    let most = |known: Option<i64>, own: i64| Some(known.map_or(own, |it| it.min(own)));
    let least = |known: Option<i64>, own: i64| Some(known.map_or(own, |it| it.max(own)));
    let validation = node.validation_mut();
    match rule {
        #[expect(clippy::cast_precision_loss, reason = "JSON has the same numbers")]
        Rule::Minimum(own) => {
            let own = *own as f64;
            if validation.minimum.is_none_or(|it| it < own) {
                (validation.minimum, validation.exclusive_minimum) = (Some(own), false);
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "JSON has the same numbers")]
        Rule::Maximum(own) => {
            let own = *own as f64;
            if validation.maximum.is_none_or(|it| it > own) {
                (validation.maximum, validation.exclusive_maximum) = (Some(own), false);
            }
        }
        Rule::MinLength(own) => validation.min_length = least(validation.min_length, *own),
        Rule::MaxLength(own) => validation.max_length = most(validation.max_length, *own),
        Rule::MinItems(own) => validation.min_items = least(validation.min_items, *own),
        Rule::MaxItems(own) => validation.max_items = most(validation.max_items, *own),
        Rule::Enum { values, .. } => {
            validation.enumeration = values.iter().cloned().map(Value::Str).collect();
        }
        Rule::Format(format) if validation.format.is_empty() => {
            validation.format = Text::new_static(format.name());
        }
        Rule::Unique(matching) => {
            let keyed = matches!(node.list_type, Some(ListType::Set | ListType::Map));
            if !keyed && matches!(matching, Match::Equal(_)) {
                node.validation_mut().unique_items = true;
                return true;
            }
            return keyed;
        }
        _ => return false,
    }
    true
}
