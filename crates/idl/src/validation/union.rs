//! Unions: members, discriminators, and the rule they amount to.

use std::collections::BTreeMap;

use ordain_schema::native::{
    Criterion, Level, Rule, Setness, UnionRule, UnionRuleMember, UnionSelect,
};
use ordain_value::{Text, Value};
use smol_str::SmolStr;

use super::check::Outcome;
use super::context::{Context, LineTag, Refusal};
use super::discover::Discovery;
use super::gotype::{GoKind, go_json_name};
use super::rule::{Function, Rules};
use crate::graph::Field;
use crate::tags::codetag::go_quote;
use crate::tags::registry::Place;

/// The unions of one struct or list by name.
pub(super) type Unions<'u> = BTreeMap<String, Union<'u>>;

/// What the tags of a union said so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Union<'u> {
    members: Vec<Member>,
    fields: Vec<&'u Field>,
    discriminator: Option<&'u Field>,
    items: BTreeMap<String, Vec<Criterion>>,
    level: Option<Level>,
}

/// How many members of a union are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnionKind {
    ExactlyOne,
    AtMostOne,
}

/// A member by the word of messages, and its discriminator's value.
#[derive(Clone, Debug)]
struct Member {
    field: String,
    discriminator_value: String,
}

impl<'u> Discovery<'u> {
    fn union_named(
        &mut self,
        context: &Context<'u>,
        tag: &LineTag,
        kind: UnionKind,
    ) -> &mut Union<'u> {
        let name = tag.tag.named("union").map_or(String::new(), |arg| arg.value.clone());
        let shared = match kind {
            UnionKind::ExactlyOne => &mut self.unions,
            UnionKind::AtMostOne => &mut self.zero_or_one,
        };
        let union = shared.entry(context.parent.clone()).or_default().entry(name).or_default();
        union.level = context.level.or(union.level);
        union
    }

    pub(super) fn union_discriminator(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        if !self.universe.is_go_string(self.universe.native_base(context.ty)) {
            return self.only_on(context, tag, "string types");
        }
        let Some(member) = context.member else {
            // Upstream crashes on a discriminator among list items.
            return Err(Refusal::new(tag.pos(), "can only be used on struct fields"));
        };
        self.union_named(context, tag, UnionKind::ExactlyOne).discriminator = Some(member);
        Ok(Rules::default())
    }

    pub(super) fn union_member(
        &mut self,
        context: &Context<'u>,
        tag: &LineTag,
        kind: UnionKind,
    ) -> Outcome {
        let given = tag.tag.named("memberName").map(|arg| arg.value.clone());
        if context.place == Place::ListValue {
            return self.union_item(context, tag, kind, given.unwrap_or_default());
        }
        let Some(member) = context.member else {
            let message = "struct-field union member has no member info in context";
            return Err(Refusal::new(tag.pos(), message));
        };
        let native = self.universe.native_kind(member.ty);
        if !matches!(native, GoKind::Pointer | GoKind::Map | GoKind::Slice | GoKind::Builtin) {
            let message =
                format!("can only be used on nilable and primitive types ({})", native.name());
            return Err(Refusal::new(tag.pos(), message).help("make the field a pointer"));
        }
        let field = go_json_name(member).to_string();
        if field.is_empty() {
            let shown = format!("{} {}", member.name, self.universe.go_display(member.ty));
            let message =
                format!("field {} is a union member but has no JSON name", go_quote(&shown));
            return Err(Refusal::new(tag.pos(), message).help("give the field a json tag"));
        }
        let discriminator_value = given.unwrap_or_else(|| member.name.to_string());
        let union = self.union_named(context, tag, kind);
        union.members.push(Member { field, discriminator_value });
        union.fields.push(member);
        Ok(Rules::default())
    }

    fn union_item(
        &mut self,
        context: &Context<'u>,
        tag: &LineTag,
        kind: UnionKind,
        discriminator_value: String,
    ) -> Outcome {
        let Some(selector) = context.selector.clone() else {
            let message = "list-item union member has no list selector in context";
            return Err(Refusal::new(tag.pos(), message));
        };
        let field = context.path.rsplit('.').next().unwrap_or("").to_string();
        let union = self.union_named(context, tag, kind);
        if union.items.contains_key(&field) {
            let message = format!("list-item union member {} already exists", go_quote(&field));
            return Err(Refusal::new(tag.pos(), message));
        }
        union.members.push(Member { field: field.clone(), discriminator_value });
        union.items.insert(field, selector);
        Ok(Rules::default())
    }

    /// The rules of the unions gathered under a path.
    pub(super) fn union_rules(&mut self, context: &Context<'u>, kind: UnionKind) -> Outcome {
        let base_kind = self.universe.go_kind(self.universe.native_base(context.ty));
        if !matches!(base_kind, GoKind::Struct | GoKind::Slice) {
            return Ok(Rules::default());
        }
        let shared = match kind {
            UnionKind::ExactlyOne => &self.unions,
            UnionKind::AtMostOne => &self.zero_or_one,
        };
        let Some(unions) = shared.get(&context.path) else { return Ok(Rules::default()) };
        let mut out = Rules::default();
        for union in unions.values() {
            self.union_fits(context, union, base_kind)?;
            // The n-th choice belongs to the n-th member.
            let mut choices: Vec<UnionSelect> =
                union.fields.iter().map(|field| self.select_field(field)).collect();
            if base_kind == GoKind::Slice {
                for selector in union.items.values() {
                    choices.push(self.select_item(context, selector)?);
                }
            }
            let discriminator = union
                .discriminator
                .map(|field| (SmolStr::new(go_json_name(field)), field.name.clone()));
            let members = union.members.iter().zip(choices).map(|(member, select)| {
                let name = Text::new(&member.field);
                let discriminator_value = Text::new(&member.discriminator_value);
                UnionRuleMember { name, discriminator_value, select }
            });
            let rule = Rule::Union(UnionRule {
                discriminator,
                zero_or_one: kind == UnionKind::AtMostOne,
                members: members.collect(),
            });
            out.functions.push(Function::new(rule).level(union.level));
            out.variables += 1;
        }
        Ok(out)
    }

    fn union_fits(
        &self,
        context: &Context<'u>,
        union: &Union<'u>,
        kind: GoKind,
    ) -> Result<(), Refusal> {
        let message = if !union.fields.is_empty() && !union.items.is_empty() {
            "cannot have both field members and item members"
        } else if kind == GoKind::Struct && !union.items.is_empty() {
            "struct type cannot have item members"
        } else if kind == GoKind::Slice && !union.fields.is_empty() {
            "slice type cannot have field members"
        } else {
            return Ok(());
        };
        Err(Refusal::new(context.pos, message))
    }

    fn select_field(&self, field: &Field) -> UnionSelect {
        let setness = match self.universe.native_kind(field.ty) {
            GoKind::Map | GoKind::Slice => Setness::List,
            GoKind::Builtin => Setness::Value,
            _ => Setness::Pointer,
        };
        UnionSelect::Field { go: field.name.clone(), setness }
    }

    /// Upstream writes the keys as text, so only string keys work.
    fn select_item(
        &self,
        context: &Context<'u>,
        selector: &[Criterion],
    ) -> Result<UnionSelect, Refusal> {
        let mut keys = selector.to_vec();
        keys.sort_by(|a, b| a.json.cmp(&b.json));
        let elem = self.universe.go_elem(self.universe.native_base(context.ty));
        for Criterion { json: key, value } in &keys {
            let member = elem.and_then(|elem| self.universe.member_by_json(elem, key));
            let base = member.map(|member| self.universe.native_base(member.ty));
            let what = match base {
                Some(base) if self.universe.is_go_bool(base) => "bool",
                Some(base) if self.universe.is_go_integer(base) => "int",
                _ => continue,
            };
            let shown = match value {
                Value::Str(text) => text.to_string(),
                other => super::each::scalar_text(other),
            };
            let message = format!("type mismatch, field is {what} but value is not: {shown}");
            return Err(Refusal::new(context.pos, message)
                .help("union members among list items need string keys"));
        }
        Ok(UnionSelect::Item(keys))
    }
}
