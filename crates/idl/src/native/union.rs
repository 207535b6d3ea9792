//! Unions of fields and of list elements.

use std::collections::BTreeMap;

use ordain_schema::native::{
    Criterion, Level, Rule, UnionRule, UnionRuleMember, UnionSelect,
};
use ordain_value::{Text, Value};

use super::discover::{Context, Extractor, Validations, check};
use super::shape::{Kind, json_name};
use super::table::Scope;
use crate::tags::codetag::Tag;

/// The unions of one struct or list, by name.
pub(super) type Unions = BTreeMap<String, UnionTags>;

/// What tags said of one union.
#[derive(Clone, Debug, Default)]
pub(super) struct UnionTags {
    members: Vec<UnionRuleMember>,
    has_fields: bool,
    /// By name in messages, which is also the order of extraction.
    items: BTreeMap<String, Vec<(Text, Value)>>,
    /// JSON name and Go name.
    discriminator: Option<(Text, Text)>,
    level: Option<Level>,
}

/// Which of the two kinds of unions a tag speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arity {
    ExactlyOne,
    ZeroOrOne,
}

impl Extractor<'_> {
    fn union_entry(&mut self, arity: Arity, ctx: &Context<'_>, tag: &Tag) -> &mut UnionTags {
        let table = match arity {
            Arity::ExactlyOne => &mut self.unions,
            Arity::ZeroOrOne => &mut self.zero_or_one,
        };
        let name = tag.named("union").map_or("", |it| &it.value).to_owned();
        let union = table.entry(ctx.parent.clone()).or_default().entry(name).or_default();
        if ctx.level.is_some() {
            union.level = ctx.level;
        }
        union
    }

    pub(super) fn union_discriminator(
        &mut self,
        ctx: &Context<'_>,
        tag: &Tag,
    ) -> Result<Validations, String> {
        if !self.is_string(ctx.ty) {
            return Err(format!("can only be used on string types ({})", self.root_type(ctx.ty)));
        }
        let member = ctx.member.map(|it| (json_name(it), it.name.clone()));
        let union = self.union_entry(Arity::ExactlyOne, ctx, tag);
        if let Some((json, go)) = member {
            union.discriminator = Some((Text::new(json), go));
        }
        Ok(Validations::default())
    }

    pub(super) fn union_member(
        &mut self,
        arity: Arity,
        ctx: &Context<'_>,
        tag: &Tag,
    ) -> Result<Validations, String> {
        let member_name = tag.named("memberName").map(|it| Text::new(&it.value));
        if ctx.scope == Scope::ListValue {
            let Some(selector) = ctx.selector.clone() else {
                return Err("list-item union member has no list selector in context".into());
            };
            // The last element of the path by dots, whatever stands inside it.
            let name = ctx.path.rsplit('.').next().unwrap_or_default().to_owned();
            let union = self.union_entry(arity, ctx, tag);
            if union.items.contains_key(&name) {
                return Err(format!("list-item union member \"{name}\" already exists"));
            }
            union.members.push(UnionRuleMember {
                name: Text::new(&name),
                discriminator_value: member_name.unwrap_or_default(),
                select: UnionSelect::Item(Vec::new()),
            });
            union.items.insert(name, selector);
            return Ok(Validations::default());
        }
        let kind = self.native_kind(ctx.ty);
        if !matches!(kind, Kind::Pointer(_) | Kind::Map(..) | Kind::Slice(_) | Kind::Builtin(_)) {
            let kind = kind.name();
            return Err(format!("can only be used on nilable and primitive types ({kind})"));
        }
        let setness = self.setness(ctx.ty);
        let (Some(field), Some(setness)) = (ctx.member, setness) else {
            return Err("struct-field union member has no member info in context".into());
        };
        let json = json_name(field);
        if json.is_empty() {
            let name = &field.name;
            return Err(format!("field `{name}` is a union member but has no JSON name"));
        }
        let member = UnionRuleMember {
            name: Text::new(json),
            discriminator_value: member_name.unwrap_or_else(|| field.name.clone()),
            select: UnionSelect::Field { go: field.name.clone(), setness },
        };
        let union = self.union_entry(arity, ctx, tag);
        union.members.push(member);
        union.has_fields = true;
        Ok(Validations::default())
    }

    /// What the union tags below a type or field come to, once all are read.
    pub(super) fn union_validations(
        &mut self,
        arity: Arity,
        ctx: &Context<'_>,
    ) -> Result<Validations, String> {
        let base = self.base_kind(ctx.ty);
        let table = match arity {
            Arity::ExactlyOne => &self.unions,
            Arity::ZeroOrOne => &self.zero_or_one,
        };
        let mut result = Validations::default();
        let Some(unions) = table.get(&ctx.path).cloned() else { return Ok(result) };
        let elem = match base {
            Kind::Struct(_) => None,
            Kind::Slice(elem) => Some(elem),
            _ => return Ok(result),
        };
        for union in unions.into_values() {
            if union.has_fields && !union.items.is_empty() {
                return Err("cannot have both field members and item members".into());
            }
            if elem.is_none() && !union.items.is_empty() {
                return Err("struct type cannot have item members".into());
            }
            if elem.is_some() && union.has_fields {
                return Err("slice type cannot have field members".into());
            }
            let mut members = union.members;
            if let Some(elem) = elem {
                // Members keep the order of their tags, extractors run in the order of names:
                // they are paired by position, as upstream pairs them.
                for (member, selector) in members.iter_mut().zip(union.items.values()) {
                    let mut terms = selector.clone();
                    terms.sort_by(|a, b| a.0.cmp(&b.0));
                    let mut criteria = Vec::new();
                    for (json, value) in terms {
                        let Some(field) = self.field_by_json(elem, &json) else {
                            return Err(format!("no field with JSON name \"{json}\""));
                        };
                        if !matches!(value, Value::Str(_)) {
                            return Err(format!(
                                "union members among list items are told apart by string keys; \
                                 `{json}` is not a string"
                            ));
                        }
                        criteria.push(Criterion { go: field.name.clone(), value });
                    }
                    member.select = UnionSelect::Item(criteria);
                }
            }
            let mut rule = check(Rule::Union(UnionRule {
                discriminator: union.discriminator,
                zero_or_one: arity == Arity::ZeroOrOne,
                members,
            }));
            rule.level = union.level;
            result.add(Validations { checks: vec![rule], variables: 1, ..Validations::default() });
        }
        Ok(result)
    }
}
