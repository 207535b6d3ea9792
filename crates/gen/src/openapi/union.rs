//! Unions as openapi-gen reads them: `+union` on a struct, or `+unionDeprecated` on its fields.

use std::collections::BTreeMap;

use ordain_idl::Pos;
use ordain_idl::graph::TypeId;
use ordain_idl::validation::GoKind;
use ordain_schema::Schema;
use ordain_schema::publish::union_members;
use ordain_value::{Map, Text, Value};

use super::Generator;
use super::member::{is_inlined, is_optional, property_name};
use super::tags::Lines;

const DEPTH_MAX: u32 = 32;

#[derive(Default)]
struct Union {
    discriminator: Option<String>,
    /// Go names of members by their JSON names.
    members: BTreeMap<String, String>,
}

/// Writes the unions that the tags of KEP-1027 declare, as a server publishes them.
pub(super) fn write_declared(schema: &Schema, out: &mut Map) {
    let root = schema.root_node();
    ordain_schema::one_of::write(schema, root, out);
    for (name, field) in &root.properties {
        let declared = schema.node(*field).declared.as_ref();
        let Some(union) = declared.and_then(|it| it.discriminates.as_ref()) else { continue };
        if let Some(Value::Map(properties)) = out.get_mut("properties")
            && let Some(Value::Map(property)) = properties.get_mut(name)
        {
            property.insert("x-kubernetes-unions", union_members(union));
        }
    }
}

type Wrong = Vec<(Pos, String)>;

impl Union {
    fn discriminate(&mut self, name: &str, pos: Pos, wrong: &mut Wrong) {
        if let Some(other) = &self.discriminator {
            wrong.push((pos, format!("at least two discriminators found: {name} and {other}")));
        }
        self.discriminator = Some(name.to_string());
    }

    fn encode(self) -> Value {
        let fields: Map = self
            .members
            .into_iter()
            .map(|(json, name)| (Text::from(json), Value::from(name)))
            .collect();
        let mut out = Map::new();
        if let Some(discriminator) = self.discriminator {
            out.insert("discriminator", Value::from(discriminator));
        }
        out.insert("fields-to-discriminateBy", Value::Map(fields));
        Value::Map(out)
    }
}

impl Generator<'_> {
    /// The unions of a struct: its own, those of structs it inlines, those of its fields.
    pub(super) fn unions(&self, ty: TypeId, wrong: &mut Wrong, depth: u32) -> Vec<Value> {
        let mut out = Vec::new();
        if depth > DEPTH_MAX || self.universe.go_kind(ty) != GoKind::Struct {
            return out;
        }
        out.extend(self.union_struct(ty, wrong).map(Union::encode));
        for field in self.universe.fields(ty) {
            let lines = Lines::of(self.universe, &field.docs);
            if !lines.has_openapi_gen("false") && is_inlined(field) {
                out.append(&mut self.unions(field.ty, wrong, depth + 1));
            }
        }
        out.extend(self.union_members(ty, wrong).map(Union::encode));
        out
    }

    fn union_struct(&self, ty: TypeId, wrong: &mut Wrong) -> Option<Union> {
        if !self.type_lines(ty).has("union") {
            return None;
        }
        let owner = self.universe.display(ty);
        let mut union = Union::default();
        for field in self.universe.fields(ty) {
            let lines = Lines::of(self.universe, &field.docs);
            let name = property_name(field);
            if name.is_empty() {
                continue;
            }
            let full = format!("{owner}.{}", field.name);
            if is_inlined(field) {
                let text = format!("union structures can't have embedded fields: {full}");
                wrong.push((field.pos, text));
            } else if lines.has("unionDeprecated") {
                let text = format!("union struct can't have unionDeprecated members: {full}");
                wrong.push((field.pos, text));
            } else if lines.has("unionDiscriminator") {
                union.discriminate(&name, field.pos, wrong);
            } else {
                if !is_optional(field, &lines).unwrap_or(false) {
                    wrong.push((field.pos, format!("union members must be optional: {full}")));
                }
                union.members.insert(name, field.name.to_string());
            }
        }
        Some(union)
    }

    fn union_members(&self, ty: TypeId, wrong: &mut Wrong) -> Option<Union> {
        let owner = self.universe.display(ty);
        let mut union = Union::default();
        let mut found = Wrong::new();
        for field in self.universe.fields(ty) {
            let lines = Lines::of(self.universe, &field.docs);
            let name = property_name(field);
            if name.is_empty() || is_inlined(field) {
                continue;
            }
            if lines.has("unionDiscriminator") {
                union.discriminate(&name, field.pos, &mut found);
            }
            let full = format!("{owner}.{}", field.name);
            if lines.has("union") {
                // Upstream is silent about this when there are no other members.
                let text = format!("union tag is not accepted on struct members: {full}");
                wrong.push((field.pos, text));
            } else if lines.has("unionDeprecated") {
                if !is_optional(field, &lines).unwrap_or(false) {
                    found.push((field.pos, format!("union members must be optional: {full}")));
                }
                union.members.insert(name, field.name.to_string());
            }
        }
        if union.members.is_empty() {
            return None;
        }
        if let Some(name) = &union.discriminator
            && union.members.contains_key(name)
        {
            let text = format!("{name} can't be both discriminator and part of the union");
            let named = self.universe.as_named(ty).map(|id| self.universe.named(id).pos);
            found.extend(named.map(|pos| (pos, text)));
        }
        wrong.append(&mut found);
        Some(union)
    }
}
