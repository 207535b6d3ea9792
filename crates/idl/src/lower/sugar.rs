//! Sugar that KEP-4153 foresees: `+immutable`, `+mutually_exclusive` and `+contextual` become CEL
//! rules of the struct, and `+override` changes a shared type where it is used.

use std::collections::BTreeMap;

use ordain_schema::{Node, NodeId, Rule};
use ordain_value::{Text, go_quote};

use super::Lowering;
use super::overlay::Overlay;
use super::tags::{Override, Tags};
use crate::graph::{JsonField, TypeId};
use crate::proposals;
use crate::source::Pos;

impl Lowering<'_> {
    /// The rules that tags of fields make for their struct.
    pub(super) fn struct_rules(&mut self, id: NodeId, uses: &[(&JsonField<'_>, NodeId)]) {
        let mut groups: BTreeMap<String, (Vec<Text>, Pos)> = BTreeMap::new();
        for (entry, child) in uses {
            let pos = entry.field.pos;
            let Some(overlay) = self.pending.get(child).and_then(|it| it.overlay.as_deref()) else {
                continue;
            };
            let immutable = overlay.constraints.immutable;
            let exclusive = overlay.constraints.mutually_exclusive.clone();
            let contexts = overlay.tags.contextual.clone();
            if immutable {
                self.rule(id, pos, immutable_rule(&entry.key));
            }
            for (field, value) in contexts {
                self.rule(id, pos, contextual_rule(&entry.key, &field, &value));
            }
            if let Some(group) = exclusive {
                let found = groups.entry(group).or_insert_with(|| (Vec::new(), pos));
                found.0.push(entry.key.clone());
            }
        }
        for (fields, pos) in groups.into_values() {
            self.rule(id, pos, exclusive_rule(&fields));
        }
    }

    pub(super) fn rule(&mut self, id: NodeId, pos: Pos, rule: Rule) {
        let node = &mut self.nodes[id.index()];
        self.places.push((id, node.rules.len(), pos));
        node.rules.push(rule);
    }

    /// Applies `+override` tags, each to a copy of what it changes.
    pub(super) fn apply_overrides(&mut self) {
        let overrides = std::mem::take(&mut self.overrides);
        for (id, ty, found) in overrides {
            if let Err(message) = self.apply_override(id, ty, &found) {
                let help = "name fields by their JSON names, from the field with the tag on";
                self.error(found.pos, message, help);
            }
        }
    }

    fn apply_override(&mut self, id: NodeId, ty: TypeId, wanted: &Override) -> Result<(), String> {
        let universe = self.universe;
        let (mut at, mut ty) = (id, ty);
        for (step, name) in wanted.path.iter().enumerate() {
            // Lists are stepped through: the override is for each item.
            while let Some(items) = self.nodes[at.index()].items {
                let copy = self.copy_for_override(items);
                self.nodes[at.index()].items = Some(copy);
                at = copy;
                ty = universe.go_elem(universe.native_base(ty)).unwrap_or(ty);
            }
            let missing =
                || format!("`+override` names `{}`, which is no field", wanted.path.join("."));
            let child = self.nodes[at.index()].property(name).ok_or_else(missing)?;
            let fields = universe.json_fields(universe.native_base(ty));
            let field = fields.iter().find(|it| it.key == *name).ok_or_else(missing)?;
            ty = field.field.ty;
            let copy = self.copy_for_override(child);
            let parent = &mut self.nodes[at.index()];
            parent.declared_mut().type_node = None;
            parent.declared_mut().type_name = None;
            parent.set_property(name.clone(), copy);
            if step + 1 == wanted.path.len() {
                return self.override_field(at, copy, name, ty, wanted);
            }
            at = copy;
        }
        Ok(())
    }

    fn copy_for_override(&mut self, id: NodeId) -> NodeId {
        let node = self.nodes[id.index()].clone();
        self.add(node)
    }

    fn override_field(
        &mut self,
        parent: NodeId,
        id: NodeId,
        name: &Text,
        ty: TypeId,
        wanted: &Override,
    ) -> Result<(), String> {
        let (tag, value) = wanted.tag.split_once('=').unwrap_or((&wanted.tag, ""));
        let required = &mut self.nodes[parent.index()].validation_mut().required;
        match tag {
            "optional" => {
                required.retain(|it| it != name);
                return Ok(());
            }
            "required" => {
                if !required.contains(name) {
                    required.push(name.clone());
                }
                self.nodes[id.index()].default = None;
                return Ok(());
            }
            "default" => {
                let default = self.written_default(value, wanted.pos);
                let default = default.ok_or("the default of an `+override` is one line of JSON")?;
                self.nodes[id.index()].default = Some(default);
                return Ok(());
            }
            _ => {}
        }
        let (constraints, found) =
            proposals::constraint_line(self.universe, ty, tag, value, wanted.pos);
        let known = constraints != proposals::Constraints::default();
        self.diagnostics.extend(found);
        let mut tags = Tags::default();
        tags.line(tag, &wanted.tag, wanted.pos, &mut self.diagnostics);
        if !known && !matches!(tag, "listType" | "listMapKey" | "k8s:warning" | "k8s:featureGate") {
            return Err(format!("tag `+{tag}` cannot be overridden"));
        }
        let mut node = std::mem::take(&mut self.nodes[id.index()]);
        replace_limits(&mut node, &constraints);
        let overlay = Overlay { constraints, tags, ..Overlay::default() };
        self.apply(id, &mut node, overlay);
        self.nodes[id.index()] = node;
        Ok(())
    }
}

/// Takes out what an override is about, so that it may loosen what the shared type says.
fn replace_limits(node: &mut Node, by: &proposals::Constraints) {
    let Some(own) = node.validation.as_mut() else { return };
    let clear = |own: &mut Option<i64>, new: Option<i64>| {
        if new.is_some() {
            *own = None;
        }
    };
    clear(&mut own.min_length, by.min_length);
    clear(&mut own.max_length, by.max_length);
    clear(&mut own.min_items, by.min_items);
    clear(&mut own.max_items, by.max_items);
    clear(&mut own.min_properties, by.min_properties);
    clear(&mut own.max_properties, by.max_properties);
    if by.minimum.is_some() {
        (own.minimum, own.exclusive_minimum) = (None, false);
    }
    if by.maximum.is_some() {
        (own.maximum, own.exclusive_maximum) = (None, false);
    }
    if by.format.is_some() && node.ty == ordain_schema::Type::String {
        own.format = Text::default();
    }
    if by.pattern.is_some() {
        own.pattern = Text::default();
    }
}

/// Set or not, and which value: neither may change.
fn immutable_rule(name: &Text) -> Rule {
    let field = cel_name(name);
    Rule {
        rule: format!(
            "has(self.{field}) == has(oldSelf.{field}) && (!has(self.{field}) || self.{field} == oldSelf.{field})"
        )
        .into(),
        message: "field is immutable".into(),
        field_path: format!(".{name}").into(),
        reason: Some("FieldValueInvalid".into()),
        ..Rule::default()
    }
}

fn contextual_rule(name: &Text, field: &Text, value: &Text) -> Rule {
    let (own, other) = (cel_name(name), cel_name(field));
    let quoted = go_quote(value);
    Rule {
        rule: format!("!has(self.{own}) || (has(self.{other}) && self.{other} == {quoted})").into(),
        message: format!("may only be specified when `{field}` is {quoted}").into(),
        field_path: format!(".{name}").into(),
        reason: Some("FieldValueForbidden".into()),
        ..Rule::default()
    }
}

fn exclusive_rule(fields: &[Text]) -> Rule {
    let set: Vec<String> = fields.iter().map(|it| format!("has(self.{})", cel_name(it))).collect();
    let names: Vec<String> = fields.iter().map(|it| format!("`{it}`")).collect();
    Rule {
        rule: format!("[{}].filter(set, set).size() <= 1", set.join(", ")).into(),
        message: format!("must specify at most one of: {}", names.join(", ")).into(),
        reason: Some("FieldValueInvalid".into()),
        ..Rule::default()
    }
}

/// A field's name as CEL writes it.
#[must_use]
pub fn cel_name(name: &str) -> String {
    if ordain_cel::syntax::is_reserved(name) {
        return format!("__{name}__");
    }
    let mut out = name.replace("__", "__underscores__");
    for (sign, word) in [('.', "__dot__"), ('-', "__dash__"), ('/', "__slash__")] {
        out = out.replace(sign, word);
    }
    out
}
