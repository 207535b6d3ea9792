//! What a named type, or a use of a type, adds to the node it is made of.

use ordain_schema::{Declared, MapType, Node, NodeId, Rule, Type, Validation};
use ordain_value::{Text, Value};

use super::Lowering;
use super::author::Written;
use super::markers::Marked;
use super::tags::{Tags, wire_reason};
use super::types::{anything, list_type};
use crate::diagnostic::Diagnostic;
use crate::graph::{ConstValue, Docs, NamedId, TypeId};
use crate::model_name::model_package;
use crate::proposals::{Constraints, ValidationRule, constraints, joined};
use crate::tags::codetag;
use crate::validation::GoKind;

/// A node that is a copy of another one with something added.
pub(super) struct Pending {
    pub base: NodeId,
    pub overlay: Option<Box<Overlay>>,
}

impl Pending {
    pub(super) fn copy(base: NodeId) -> Self {
        Pending { base, overlay: None }
    }
}

/// What is added.
#[derive(Default)]
pub(super) struct Overlay {
    pub constraints: Constraints,
    pub tags: Tags,
    pub description: Text,
    pub enumeration: Vec<Value>,
    pub default: Option<Value>,
    /// A default that counts only when the type has none of its own.
    pub implied: Option<Value>,
    /// The name under which the type is published.
    pub type_name: Option<Text>,
    /// What the use declares; merged into what the type declares.
    pub declared: Declared,
    /// The value travels as text (`json:",string"`).
    pub as_text: bool,
    /// The value has this type in JSON, whatever its Go type is.
    pub as_type: Option<Type>,
    /// What is looked at when all is put together.
    pub written: Written,
    /// What kubebuilder's markers say besides.
    pub marked: Marked,
    /// What markers say about the items of a list.
    pub items: Option<Box<Overlay>>,
}

impl Lowering<'_> {
    /// What a named type adds to the type it is made of.
    pub(super) fn type_overlay(&mut self, named: NamedId) -> Overlay {
        let universe = self.universe;
        let declaration = universe.named(named);
        let mut overlay = self.overlay(&declaration.docs, declaration.ty, true);
        if overlay.tags.enumeration {
            overlay.enumeration = self.enumeration(named);
        }
        if universe.package_of(named).requested {
            overlay.written.pos = Some(declaration.pos);
            overlay.written.enumeration = overlay.tags.enumeration;
        }
        if universe.go_kind(declaration.ty) == GoKind::Struct && !declaration.alias {
            overlay.type_name = Some(self.published_name(named).into());
        }
        overlay.declared.go_type = Some(super::types::go_type(self, declaration.ty));
        overlay
    }

    /// The name of a type's model: what the package states, or its path with the domain turned
    /// round (`example.com/api/v1` and `Widget` as `com.example.api.v1.Widget`).
    fn published_name(&mut self, id: NamedId) -> String {
        let universe = self.universe;
        let name = &universe.named(id).name;
        match model_package(universe, id) {
            Ok(Some(stated)) => return format!("{stated}.{name}"),
            Ok(None) => {}
            Err(finding) => self.diagnostics.push(finding),
        }
        let path = &universe.package_of(id).path;
        let (domain, rest) = path.split_once('/').unwrap_or((path, ""));
        let mut parts: Vec<&str> = domain.split('.').rev().filter(|it| !it.is_empty()).collect();
        parts.extend(rest.split('/').filter(|it| !it.is_empty()));
        parts.push(name);
        parts.join(".")
    }

    /// What the comment of a type or field adds.
    pub(super) fn overlay(&mut self, docs: &Docs, ty: TypeId, of_type: bool) -> Overlay {
        let universe = self.universe;
        let lines = if of_type {
            universe.comment_lines(docs)
        } else {
            universe.lines(docs.file, docs.closest)
        };
        let tags = Tags::read(docs.file, &lines, &mut self.diagnostics);
        let (constraints, found) = constraints(universe, docs, ty);
        self.diagnostics.extend(found);
        let default = match &tags.default {
            Some((text, pos)) => self.written_default(text, *pos),
            None => None,
        };
        let mut overlay = Overlay {
            description: description(&universe.doc_lines(docs)),
            constraints,
            tags,
            default,
            ..Overlay::default()
        };
        self.markers(docs.file, &lines, of_type, &mut overlay);
        overlay.written = Written {
            default: overlay.tags.default.as_ref().map(|it| it.1),
            limits: overlay.constraints != Constraints::default(),
            ..Written::default()
        };
        overlay
    }

    /// The values of an enum, in order.
    fn enumeration(&mut self, named: NamedId) -> Vec<Value> {
        let mut values: Vec<Text> = (self.universe.constants_of(named).iter())
            .filter(|constant| !self.is_excluded(&constant.docs))
            .filter_map(|constant| match &constant.value {
                ConstValue::Str(text) => Some(text.clone()),
                _ => None,
            })
            .collect();
        values.sort();
        values.dedup();
        values.into_iter().map(Value::Str).collect()
    }

    /// Whether a constant is no value of its enum, whatever option is on.
    fn is_excluded(&self, docs: &Docs) -> bool {
        let lines = self.universe.lines(docs.file, docs.closest);
        codetag::extract("+", &lines).iter().any(|it| it.name == "k8s:enumExclude")
    }

    /// Makes every pending node from what it is made of.
    pub(super) fn resolve_all(&mut self) {
        let mut waiting: Vec<NodeId> = self.pending.keys().copied().collect();
        waiting.sort_unstable();
        for id in waiting {
            self.resolve_chain(id);
        }
        // Items that markers speak of are nodes of their own, made on the way.
        while let Some(id) = self.added.pop() {
            self.resolve_chain(id);
        }
        self.apply_overrides();
    }

    fn resolve_chain(&mut self, id: NodeId) {
        let mut chain = vec![id];
        // A chain of names ends; one that does not is cut at its own beginning.
        while let Some(next) = chain.last().and_then(|it| self.pending.get(it)) {
            if chain.contains(&next.base) {
                break;
            }
            chain.push(next.base);
        }
        for id in chain.into_iter().rev() {
            self.resolve(id);
        }
    }

    fn resolve(&mut self, id: NodeId) {
        let Some(pending) = self.pending.remove(&id) else { return };
        if self.pending.contains_key(&pending.base) {
            self.nodes[id.index()] = anything();
            return;
        }
        let mut node = self.nodes[pending.base.index()].clone();
        let plain = node
            .declared
            .as_ref()
            .and_then(|it| it.type_node.or_else(|| it.type_name.as_ref().map(|_| pending.base)));
        if let Some(plain) = plain {
            node.declared_mut().type_node = Some(plain);
        }
        let inherited: Vec<_> = (self.places.iter())
            .filter(|it| it.0 == pending.base)
            .map(|(_, rule, pos)| (id, *rule, *pos))
            .collect();
        self.places.extend(inherited);
        if let Some(overlay) = pending.overlay {
            self.apply(id, &mut node, *overlay);
        }
        self.nodes[id.index()] = node;
    }

    pub(super) fn apply(&mut self, id: NodeId, node: &mut Node, overlay: Overlay) {
        if overlay.as_text {
            *node = Node { ty: Type::String, ..Node::default() };
        }
        if let Some(ty) = overlay.as_type.filter(|ty| *ty != node.ty) {
            *node = Node { ty, ..Node::default() };
        }
        if !overlay.description.is_empty() {
            node.docs_mut().description = overlay.description;
        }
        overlay.marked.apply(node);
        if let Some(items) = overlay.items {
            self.own_items(node, *items);
        }
        if !overlay.enumeration.is_empty() {
            node.validation_mut().enumeration = overlay.enumeration;
        }
        if overlay.default.is_some() {
            node.default = overlay.default;
        } else if node.default.is_none() {
            node.default = overlay.implied;
        }
        self.apply_constraints(node, &overlay.constraints);
        for rule in &overlay.constraints.rules {
            if let Some(pos) = rule.pos {
                self.places.push((id, node.rules.len(), pos));
            }
            node.rules.push(rule_of(rule));
        }
        self.apply_tags(node, &overlay.tags);
        self.look_at(node, overlay.written);
        if let Some(name) = overlay.type_name {
            let declared = node.declared_mut();
            (declared.type_name, declared.type_node) = (Some(name), None);
        }
        merge_declared(node, overlay.declared);
        if node.default.as_ref().is_some_and(Value::is_null) {
            node.default = None;
        }
    }

    /// Gives a list items of its own, which a marker says more about than their type does.
    fn own_items(&mut self, node: &mut Node, overlay: Overlay) {
        let Some(base) = node.items else { return };
        let own = self.add(Node::default());
        self.pending.insert(own, Pending { base, overlay: Some(Box::new(overlay)) });
        self.added.push(own);
        node.items = Some(own);
    }

    fn apply_tags(&mut self, node: &mut Node, tags: &Tags) {
        node.nullable |= tags.nullable;
        if let Some((text, pos)) = &tags.list_type {
            match list_type(text) {
                Some(ty) if node.ty == Type::Array => node.list_type = Some(ty),
                // Published APIs have it on fields that are no lists, where nobody reads it.
                Some(_) => {
                    let message = "tag `+listType` has no effect on what is no list";
                    let finding = Diagnostic::warning("lower", *pos, message);
                    self.diagnostics.push(finding.help("remove the tag"));
                }
                None => {
                    let message = format!("list type `{text}` is none of atomic, set, map");
                    self.error(*pos, message, "write atomic, set or map");
                }
            }
        }
        if !tags.list_map_keys.is_empty() {
            node.list_map_keys = tags.list_map_keys.clone();
        }
        if let Some((text, pos)) = &tags.map_type {
            match text.trim_matches('"') {
                "atomic" => node.map_type = Some(MapType::Atomic),
                "granular" => node.map_type = Some(MapType::Granular),
                other => {
                    let message = format!("map type `{other}` is none of atomic, granular");
                    self.error(*pos, message, "write atomic or granular");
                }
            }
        }
        if tags.default_hidden {
            node.declared_mut().default_hidden = true;
        }
        if let Some(name) = &tags.conversion_name {
            node.declared_mut().conversion_name = Some(name.clone());
        }
        if tags.gates.is_empty() && tags.warnings.is_empty() && tags.texts.is_empty() {
            return;
        }
        let declared = node.declared_mut();
        declared.gates.extend(tags.gates.iter().cloned());
        declared.warnings.extend(tags.warnings.iter().cloned());
        for (keyword, message, reason) in &tags.texts {
            declared.texts.retain(|it| it.0 != *keyword);
            declared.reasons.retain(|it| it.0 != *keyword);
            declared.texts.push((*keyword, message.clone()));
            declared.reasons.extend(reason.iter().map(|it| (*keyword, it.clone())));
        }
    }

    /// Constraints of a type and of its use both hold: of limits the tighter one stands, of
    /// formats and patterns the second becomes a branch.
    pub(super) fn apply_constraints(&mut self, node: &mut Node, added: &Constraints) {
        let mut own = Validation {
            format: added.format.as_deref().map(Text::from).unwrap_or_default(),
            pattern: added.pattern.as_deref().map(Text::from).unwrap_or_default(),
            maximum: added.maximum,
            exclusive_maximum: added.exclusive_maximum,
            minimum: added.minimum,
            exclusive_minimum: added.exclusive_minimum,
            max_length: added.max_length,
            min_length: added.min_length,
            max_items: added.max_items,
            min_items: added.min_items,
            max_properties: added.max_properties,
            min_properties: added.min_properties,
            ..Validation::default()
        };
        if own == Validation::default() {
            return;
        }
        let before = node.validation.get_or_insert_default();
        let integer_format = matches!(node.ty, Type::Integer | Type::Number);
        for (old, new) in
            [(&mut before.format, &mut own.format), (&mut before.pattern, &mut own.pattern)]
        {
            if old.is_empty() || integer_format {
                *old = if new.is_empty() { old.clone() } else { std::mem::take(new) };
            } else if old == new {
                *new = Text::default();
            }
        }
        let tighter = |a: Option<i64>, b: Option<i64>, less: bool| match (a, b) {
            (Some(a), Some(b)) => Some(if less { a.min(b) } else { a.max(b) }),
            (a, b) => a.or(b),
        };
        before.max_length = tighter(before.max_length, own.max_length, true);
        before.min_length = tighter(before.min_length, own.min_length, false);
        before.max_items = tighter(before.max_items, own.max_items, true);
        before.min_items = tighter(before.min_items, own.min_items, false);
        before.max_properties = tighter(before.max_properties, own.max_properties, true);
        before.min_properties = tighter(before.min_properties, own.min_properties, false);
        let maximum = own.maximum.filter(|new| before.maximum.is_none_or(|old| *new <= old));
        if let Some(new) = maximum {
            let same = before.maximum == Some(new);
            before.exclusive_maximum = own.exclusive_maximum || (same && before.exclusive_maximum);
            before.maximum = Some(new);
        } else if own.maximum.is_none() {
            before.exclusive_maximum |= own.exclusive_maximum;
        }
        let minimum = own.minimum.filter(|new| before.minimum.is_none_or(|old| *new >= old));
        if let Some(new) = minimum {
            let same = before.minimum == Some(new);
            before.exclusive_minimum = own.exclusive_minimum || (same && before.exclusive_minimum);
            before.minimum = Some(new);
        } else if own.minimum.is_none() {
            before.exclusive_minimum |= own.exclusive_minimum;
        }
        if !own.format.is_empty() || !own.pattern.is_empty() {
            let (format, pattern) = (own.format, own.pattern);
            let validation = Validation { format, pattern, ..Validation::default() };
            let branch = Node { validation: Some(Box::new(validation)), ..Node::default() };
            let branch = self.add(branch);
            node.validation_mut().all_of.push(branch);
        }
    }
}

fn merge_declared(node: &mut Node, used: Declared) {
    if used == Declared::default() {
        return;
    }
    let own = node.declared_mut();
    own.presence = used.presence;
    own.strip_zero |= used.strip_zero;
    own.pointer |= used.pointer;
    own.optional |= used.optional;
    own.go_type = used.go_type.or(own.go_type.take());
    own.gates.extend(used.gates);
    own.patch_merge_key = used.patch_merge_key.or(own.patch_merge_key.take());
    if !used.patch_strategy.is_empty() {
        own.patch_strategy = used.patch_strategy;
    }
    own.protobuf = used.protobuf.or(own.protobuf);
    own.protobuf_through = used.protobuf_through;
    own.embedded = used.embedded;
    own.omit_zero = used.omit_zero;
    own.discriminates = used.discriminates.or(own.discriminates.take());
}

/// A written rule as schemas hold it.
#[must_use]
pub fn rule_of(rule: &ValidationRule) -> Rule {
    Rule {
        rule: rule.rule.as_str().into(),
        message: rule.message.clone().unwrap_or_default().into(),
        message_expression: rule.message_expression.clone().unwrap_or_default().into(),
        reason: rule.reason.as_deref().and_then(wire_reason),
        field_path: rule.field.as_deref().map(field_path).unwrap_or_default(),
        optional_old_self: None,
    }
}

/// A field path of a rule: `rollingUpdate` and `.rollingUpdate` are the same.
fn field_path(text: &str) -> Text {
    if text.is_empty() || text.starts_with(['.', '[']) {
        Text::from(text)
    } else {
        Text::from(format!(".{text}"))
    }
}

/// The paragraph that a doc comment makes, tags and remarks left out.
fn description(lines: &[crate::go::comment::DocLine<'_>]) -> Text {
    let mut out: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let text = line.text.trim();
        if text.starts_with('+') {
            // A rule may go over several lines.
            at += joined(lines, at).1;
            continue;
        }
        at += 1;
        if text.starts_with("---") {
            break;
        }
        if !text.starts_with("TODO") {
            out.push(text);
        }
    }
    while out.last().is_some_and(|it| it.is_empty()) {
        out.pop();
    }
    Text::from(out.join("\n").trim())
}
