//! Rules that depend on a discriminator's value.

use std::collections::BTreeMap;

use ordain_schema::native::{Check, DiscriminatedRule, Level, Rule, Setness};
use ordain_value::Value;
use smol_str::SmolStr;

use super::check::Outcome;
use super::context::{Context, LineTag, Refusal};
use super::discover::Discovery;
use super::gotype::{GoKind, go_json_name};
use super::limits::{parse_bool, parse_int};
use super::rule::{Function, Rules};
use crate::graph::{Field, TypeId};
use crate::tags::codetag::{TagValue, go_quote};

/// The groups of one struct by name.
pub(super) type Groups<'u> = BTreeMap<String, Group<'u>>;

/// A discriminator and the fields that depend on it.
#[derive(Clone, Debug, Default)]
pub(super) struct Group<'u> {
    discriminator: Option<&'u Field>,
    members: BTreeMap<SmolStr, (Option<&'u Field>, Vec<MemberRule>)>,
}

#[derive(Clone, Debug)]
struct MemberRule {
    value: String,
    rules: Rules,
    level: Option<Level>,
}

const DEFAULT: &str = "default";

impl<'u> Discovery<'u> {
    pub(super) fn discriminator(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        let refuse = |message: String| Err(Refusal::new(tag.pos(), message));
        if self.universe.native_kind(context.ty) == GoKind::Pointer {
            return refuse("can only be used on non-pointer types".into());
        }
        let base = self.universe.native_base(context.ty);
        let universe = self.universe;
        if !(universe.is_go_string(base)
            || universe.is_go_bool(base)
            || universe.is_go_integer(base))
        {
            return self.only_on(context, tag, "string, bool or integer types");
        }
        let name = tag.tag.named("name").map_or("", |arg| arg.value.as_str());
        let mut letters = name.chars();
        let sound = letters.next().is_none_or(|first| first.is_ascii_alphabetic())
            && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        if !sound {
            return refuse(format!(
                "discriminator group name must match ^[a-zA-Z][a-zA-Z0-9_]*$, got {}",
                go_quote(name)
            ));
        }
        let member = context.member;
        let group = self.group(context, tag, name)?;
        let same = |a: &Field, b: &Field| a.pos == b.pos && a.name == b.name;
        if let (Some(known), Some(member)) = (group.discriminator, member)
            && !same(known, member)
        {
            return refuse(format!("duplicate discriminator: {}", go_quote(name)));
        }
        group.discriminator = member;
        Ok(Rules::default())
    }

    fn group(
        &mut self,
        context: &Context<'u>,
        tag: &LineTag,
        name: &str,
    ) -> Result<&mut Group<'u>, Refusal> {
        if name == DEFAULT {
            let message = format!("discriminator group name {} is reserved", go_quote(name));
            return Err(Refusal::new(tag.pos(), message).help("choose another name"));
        }
        let key = if name.is_empty() { DEFAULT } else { name };
        let groups = self.groups.entry(context.parent.clone()).or_default();
        Ok(groups.entry(key.to_string()).or_default())
    }

    pub(super) fn member(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        let TagValue::Tag(inner) = &tag.tag.value else {
            return Err(Refusal::new(tag.pos(), "missing required payload"));
        };
        let name = tag.tag.named("discriminator").map_or("", |arg| arg.value.as_str());
        let value = tag.tag.named("value").or_else(|| tag.tag.positional());
        if name != DEFAULT && value.is_none() {
            return Err(Refusal::new(tag.pos(), "missing required value")
                .help("write it like `+k8s:member(\"Value\")=+k8s:required`"));
        }
        let value = value.map_or(String::new(), |arg| arg.value.clone());
        let field = context.member;
        let key = field.map_or(SmolStr::default(), |field| field.name.clone());
        self.group(context, tag, name)?.members.entry(key.clone()).or_default().0 = field;
        let rules = self.tag_rules(context, &[tag.inner(inner)])?;
        let rule = MemberRule { value, rules, level: context.level };
        self.group(context, tag, name)?.members.entry(key).or_default().1.push(rule);
        Ok(Rules::default())
    }

    /// The rules of the groups gathered under a path.
    pub(super) fn discriminator_rules(&mut self, context: &Context<'u>) -> Outcome {
        let base = self.universe.native_base(context.ty);
        if self.universe.go_kind(base) != GoKind::Struct {
            return Ok(Rules::default());
        }
        let Some(groups) = self.groups.get(&context.path).cloned() else {
            return Ok(Rules::default());
        };
        let mut out = Rules::default();
        for (name, group) in &groups {
            let Some(discriminator) = group.discriminator else {
                if group.members.is_empty() {
                    continue;
                }
                let message = if name == DEFAULT {
                    "missing discriminator".to_string()
                } else {
                    format!("missing discriminator for group {}", go_quote(name))
                };
                return Err(Refusal::new(context.pos, message)
                    .help("add +k8s:discriminator to the field that decides"));
            };
            for (field, rules) in group.members.values() {
                if let Some(field) = field {
                    out.add(self.member_rules(context, discriminator, field, rules)?);
                }
            }
        }
        Ok(out)
    }

    fn member_rules(
        &self,
        context: &Context<'u>,
        discriminator: &'u Field,
        field: &'u Field,
        rules: &[MemberRule],
    ) -> Outcome {
        let presence = match self.universe.native_kind(field.ty) {
            GoKind::Slice => Setness::List,
            GoKind::Map => Setness::Map,
            GoKind::Pointer => Setness::Pointer,
            GoKind::Struct => {
                let message = "discriminated member fields of struct type must be pointers";
                return Err(Refusal::new(field.pos, message).help("make the field a pointer"));
            }
            _ => Setness::Value,
        };
        let first = rules.first().and_then(|rule| rule.level);
        let uniform = if rules.iter().all(|rule| rule.level == first) { first } else { None };
        let default = Function::new(Rule::Forbidden(presence)).level(uniform);
        let mut by_value: BTreeMap<&str, Vec<Check>> = BTreeMap::new();
        for rule in rules {
            let checks = rule.rules.functions.iter().map(|it| {
                let level = rule.level.or(it.check.level);
                Check { level, ..it.check.clone() }
            });
            by_value.entry(&rule.value).or_default().extend(checks);
        }
        let mut declared = Vec::new();
        for (value, checks) in by_value {
            let value = self.discriminator_value(value, discriminator.ty).map_err(|error| {
                let message = format!("invalid discriminator value {}: {error}", go_quote(value));
                Refusal::new(field.pos, message)
            })?;
            declared.push((value, checks));
        }
        let json = go_json_name(field);
        let rule = Rule::Discriminated(DiscriminatedRule {
            json: json.into(),
            go: field.name.clone(),
            discriminator: discriminator.name.clone(),
            equality: self.equality(Some(field.ty)),
            otherwise: vec![default.check],
            rules: declared,
        });
        let mut function = Function::new(rule);
        function.pos = Some(context.pos);
        Ok(Rules::of(function))
    }

    fn discriminator_value(&self, text: &str, ty: TypeId) -> Result<Value, String> {
        let base = self.universe.native_base(ty);
        let quoted = go_quote(text);
        if self.universe.is_go_string(base) {
            Ok(Value::str(text))
        } else if self.universe.is_go_bool(base) {
            parse_bool(text)
                .map(Value::Bool)
                .map_err(|error| format!("cannot parse {quoted} as bool: {error}"))
        } else {
            parse_int(text)
                .map(Value::Int)
                .map_err(|error| format!("cannot parse {quoted} as integer: {error}"))
        }
    }
}
