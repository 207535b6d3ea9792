//! State-based rules (`discriminator`, `member`) and `update` constraints, which several tags of
//! one place say together.

use std::collections::BTreeMap;

use ordain_schema::native::{
    Check, DiscriminatedRule, Level, Rule, UpdateConstraint, UpdateSetness,
};
use ordain_value::{Text, Value};

use super::discover::{Context, Extractor, Validations, check};
use super::extract::{parse_bool, parse_int};
use super::shape::{Kind, json_name};
use crate::graph::{Basic, TypeId};
use crate::tags::codetag::{Tag, TagValue};

/// A discriminator with the fields it governs.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    discriminator: Option<(Text, TypeId)>,
    /// By Go name.
    members: BTreeMap<Text, Member>,
}

#[derive(Clone, Debug)]
struct Member {
    json: Text,
    ty: TypeId,
    rules: Vec<(String, Vec<Check>, Option<Level>)>,
}

/// The `update` constraints of a field.
#[derive(Clone, Debug, Default)]
pub(super) struct Update {
    constraints: Vec<UpdateConstraint>,
    level: Option<Level>,
}

impl<'u> Extractor<'u> {
    pub(super) fn discriminator(
        &mut self,
        ctx: &Context<'_>,
        tag: &Tag,
    ) -> Result<Validations, String> {
        if matches!(self.native_kind(ctx.ty), Kind::Pointer(_)) {
            return Err("can only be used on non-pointer types".into());
        }
        match self.base_kind(ctx.ty) {
            Kind::Builtin(it) if matches!(it, Basic::String | Basic::Bool) || it.is_integer() => {}
            _ => {
                let shown = self.root_type(ctx.ty);
                return Err(format!("can only be used on string, bool or integer types ({shown})"));
            }
        }
        let name = tag.named("name").map_or("", |it| &it.value);
        let well_formed = name.is_empty()
            || (name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
        if !well_formed {
            return Err(format!(
                "discriminator group name must match ^[a-zA-Z][a-zA-Z0-9_]*$, got \"{name}\""
            ));
        }
        if name == "default" {
            return Err(format!("discriminator group name \"{name}\" is reserved"));
        }
        let go = ctx.member.map(|it| it.name.clone()).unwrap_or_default();
        let groups = self.groups.entry(ctx.parent.clone()).or_default();
        let group = groups.entry(group_key(name)).or_default();
        if group.discriminator.as_ref().is_some_and(|it| it.0 != go) {
            return Err(format!("duplicate discriminator: \"{name}\""));
        }
        group.discriminator = Some((go, ctx.ty));
        Ok(Validations::default())
    }

    pub(super) fn member(
        &mut self,
        ctx: &Context<'u>,
        tag: &Tag,
    ) -> Result<Validations, String> {
        let TagValue::Tag(payload) = &tag.value else {
            return Err("missing required payload".into());
        };
        let name = tag.named("discriminator").map_or("", |it| &it.value);
        if name == "default" {
            return Err(format!("discriminator group name \"{name}\" is reserved"));
        }
        let Some(value) = tag.named("value").or_else(|| tag.positional()) else {
            return Err("missing required value".into());
        };
        let Some(field) = ctx.member else { return Err("can only be used on fields".into()) };
        let json = json_name(field);
        let inner = self.extract_tags(ctx, &[payload])?;
        let groups = self.groups.entry(ctx.parent.clone()).or_default();
        let group = groups.entry(group_key(name)).or_default();
        let member = group.members.entry(field.name.clone()).or_insert_with(|| Member {
            json: Text::new(json),
            ty: field.ty,
            rules: Vec::new(),
        });
        member.rules.push((value.value.clone(), inner.checks, ctx.level));
        Ok(Validations::default())
    }

    /// What the groups below a struct come to, once all its fields are read.
    pub(super) fn group_validations(&mut self, ctx: &Context<'_>) -> Result<Validations, String> {
        let mut result = Validations::default();
        if !matches!(self.base_kind(ctx.ty), Kind::Struct(_)) {
            return Ok(result);
        }
        let Some(groups) = self.groups.get(&ctx.path).cloned() else { return Ok(result) };
        for (name, group) in groups {
            let Some((discriminator, discriminator_ty)) = group.discriminator else {
                if group.members.is_empty() {
                    continue;
                }
                return Err(match name.as_str() {
                    "default" => "missing discriminator".into(),
                    name => format!("missing discriminator for group \"{name}\""),
                });
            };
            for (go, member) in group.members {
                let rule = self.member_rule(go, &member, &discriminator, discriminator_ty)?;
                result.checks.push(check(Rule::Discriminated(rule)));
            }
        }
        Ok(result)
    }

    fn member_rule(
        &self,
        go: Text,
        member: &Member,
        discriminator: &Text,
        discriminator_ty: TypeId,
    ) -> Result<DiscriminatedRule, String> {
        let Some(setness) = self.setness(member.ty) else {
            return Err("discriminated member fields of struct type must be pointers".into());
        };
        let mut by_value: BTreeMap<&str, Vec<Check>> = BTreeMap::new();
        for (value, checks, level) in &member.rules {
            let marked = checks.iter().cloned().map(|mut it| {
                if level.is_some() {
                    it.level = *level;
                }
                it
            });
            by_value.entry(value).or_default().extend(marked);
        }
        let mut otherwise = check(Rule::Forbidden(setness));
        let mut levels = member.rules.iter().map(|it| it.2);
        let first = levels.next().flatten();
        if levels.all(|it| it == first) {
            otherwise.level = first;
        }
        let mut rules = Vec::new();
        for (value, checks) in by_value {
            let typed = self.discriminator_value(value, discriminator_ty)?;
            rules.push((typed, checks));
        }
        Ok(DiscriminatedRule {
            json: member.json.clone(),
            go,
            discriminator: discriminator.clone(),
            equality: self.equality(member.ty),
            rules,
            otherwise: vec![otherwise],
        })
    }

    fn discriminator_value(&self, value: &str, ty: TypeId) -> Result<Value, String> {
        let wrong = |it| format!("invalid discriminator value \"{value}\": {it}");
        match self.base_kind(ty) {
            Kind::Builtin(Basic::Bool) => parse_bool(value).map(Value::Bool).map_err(wrong),
            Kind::Builtin(it) if it.is_integer() => parse_int(value).map(Value::Int).map_err(wrong),
            _ => Ok(Value::str(value)),
        }
    }

    pub(super) fn update(&mut self, ctx: &Context<'_>, tag: &Tag) -> Result<Validations, String> {
        let word = tag.value.text();
        let constraint = match word {
            "NoSet" => UpdateConstraint::NoSet,
            "NoUnset" => UpdateConstraint::NoUnset,
            "NoModify" => UpdateConstraint::NoModify,
            other => return Err(format!("unknown +k8s:update constraint: {other}")),
        };
        if matches!(self.base_kind(ctx.ty), Kind::Slice(_) | Kind::Map(..)) {
            return Err(format!(
                "+k8s:update={word} is currently not supported on list or map fields"
            ));
        }
        let by_value = !matches!(self.kind(ctx.ty), Kind::Pointer(_));
        if by_value
            && matches!(self.base_kind(ctx.ty), Kind::Struct(_))
            && constraint != UpdateConstraint::NoModify
        {
            return Err(format!(
                "+k8s:update={word} cannot be used on non-pointer struct fields (they cannot be unset)"
            ));
        }
        let update = self.updates.entry(ctx.path.clone()).or_default();
        update.level = ctx.level;
        if !update.constraints.contains(&constraint) {
            update.constraints.push(constraint);
        }
        Ok(Validations::default())
    }

    /// What the `update` tags of a field come to.
    pub(super) fn update_validations(&mut self, ctx: &Context<'_>) -> Validations {
        let Some(update) = self.updates.get(&ctx.path) else { return Validations::default() };
        let setness = if matches!(self.kind(ctx.ty), Kind::Pointer(_)) {
            UpdateSetness::Pointer
        } else if matches!(self.base_kind(ctx.ty), Kind::Struct(_)) {
            UpdateSetness::Struct
        } else {
            UpdateSetness::Value
        };
        let mut constraints = update.constraints.clone();
        constraints.sort();
        let mut rule = check(Rule::Update { constraints, setness });
        rule.short_circuit = true;
        rule.level = ctx.level.or(update.level);
        Validations { checks: vec![rule], ..Validations::default() }
    }
}

fn group_key(name: &str) -> String {
    if name.is_empty() { "default".into() } else { name.to_owned() }
}
