//! Rules of tags in CEL, for what no keyword of a schema says.

use ordain_schema::model::{Rule, Union};
use ordain_schema::native::{
    Check, DiscriminatedRule, Level, Rule as Tag, UnionRule, UnionSelect, UpdateConstraint,
};
use ordain_schema::rule_cel::{self, literal};
use ordain_value::{Text, Value, go_quote};

use ordain_idl::lower::cel_name;

/// What a value must satisfy, as an expression about `subject`; none where CEL cannot say it.
pub(super) fn predicate(rule: &Tag, subject: &str) -> Option<String> {
    rule_cel::predicate(rule, subject, &|name| Some(cel_name(name)))
}

/// A rule with a text for whoever breaks it.
pub(super) fn rule(expression: String, message: impl Into<Text>) -> Rule {
    Rule { rule: expression.into(), message: message.into(), ..Rule::default() }
}

/// Rules about a field that its struct has to make, since they speak of absence.
pub(super) fn field_rules(tag: &Tag, name: &str) -> Vec<Rule> {
    let field = cel_name(name);
    let at = |expression: String, message: &str| Rule {
        field_path: format!(".{name}").into(),
        ..rule(expression, message)
    };
    match tag {
        Tag::Forbidden(_) => vec![at(format!("!has(self.{field})"), "must not be specified")],
        Tag::Update { constraints, .. } => constraints
            .iter()
            .map(|it| match it {
                UpdateConstraint::NoSet => at(
                    format!("has(oldSelf.{field}) || !has(self.{field})"),
                    "field cannot be set once created",
                ),
                UpdateConstraint::NoUnset => at(
                    format!("!has(oldSelf.{field}) || has(self.{field})"),
                    "field cannot be cleared once set",
                ),
                UpdateConstraint::NoModify => at(
                    format!(
                        "!has(oldSelf.{field}) || !has(self.{field}) || self.{field} == oldSelf.{field}"
                    ),
                    "field cannot be modified once set",
                ),
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// A union of validation-gen's tags; none when its members are items of a list.
pub(super) fn tagged_union(tagged: &UnionRule) -> Option<Vec<Rule>> {
    let members = &tagged.members;
    if members.iter().any(|it| matches!(it.select, UnionSelect::Item(_))) {
        return None;
    }
    if let Some((name, _)) = &tagged.discriminator {
        let union = Union {
            discriminator: Some(name.clone()),
            members: (members.iter())
                .map(|member| ordain_schema::UnionMember {
                    field: member.name.clone(),
                    value: member.discriminator_value.clone(),
                    optional: false,
                })
                .collect(),
            ..Union::default()
        };
        return Some(union_rules(&union));
    }
    let (sign, count) = if tagged.zero_or_one { ("<=", "at most") } else { ("==", "exactly") };
    Some(vec![how_many(members.iter().map(|it| &it.name), sign, count)])
}

/// The members of a union that its discriminator does and does not select.
pub(super) fn union_rules(union: &Union) -> Vec<Rule> {
    let Some(discriminator) = &union.discriminator else { return Vec::new() };
    if union.inferred {
        return inferred_rules(union, discriminator);
    }
    let name = cel_name(discriminator);
    let member = |it: &ordain_schema::UnionMember| {
        let (field, value) = (cel_name(&it.field), go_quote(&it.value));
        let selected = format!("(has(self.{name}) && self.{name} == {value})");
        let (expression, message) = if it.optional {
            let message = format!("may only be specified when `{discriminator}` is {value}");
            (format!("!has(self.{field}) || {selected}"), message)
        } else {
            let message = format!("must be specified exactly when `{discriminator}` is {value}");
            (format!("has(self.{field}) == {selected}"), message)
        };
        Rule { field_path: format!(".{}", it.field).into(), ..rule(expression, message) }
    };
    union.members.iter().map(member).collect()
}

/// No rule can set a field, so a discriminator that a server infers may be absent in a definition.
fn inferred_rules(union: &Union, discriminator: &str) -> Vec<Rule> {
    let name = cel_name(discriminator);
    let mut rules = vec![how_many(union.members.iter().map(|it| &it.field), "<=", "at most")];
    for it in &union.members {
        let (field, value) = (cel_name(&it.field), go_quote(&it.value));
        let at = |expression, message| Rule {
            field_path: format!(".{}", it.field).into(),
            ..rule(expression, message)
        };
        rules.push(at(
            format!("!has(self.{field}) || !has(self.{name}) || self.{name} in [\"\", {value}]"),
            format!("may only be specified when `{discriminator}` is {value} or not given"),
        ));
        if !it.optional {
            rules.push(at(
                format!("has(self.{field}) || !has(self.{name}) || self.{name} != {value}"),
                format!("must be specified when `{discriminator}` is {value}"),
            ));
        }
    }
    rules
}

/// How many of these fields may be set.
fn how_many<'a>(fields: impl Iterator<Item = &'a Text>, sign: &str, count: &str) -> Rule {
    let fields: Vec<&Text> = fields.collect();
    let set: Vec<String> = fields.iter().map(|it| format!("has(self.{})", cel_name(it))).collect();
    let names: Vec<String> = fields.iter().map(|it| format!("`{it}`")).collect();
    let expression = format!("[{}].filter(set, set).size() {sign} 1", set.join(", "));
    rule(expression, format!("must specify {count} one of: {}", names.join(", ")))
}

/// What the value of a discriminator asks of a field; none where CEL cannot say it.
pub(super) fn discriminated(tagged: &DiscriminatedRule, discriminator: &str) -> Option<Rule> {
    let (field, name) = (cel_name(&tagged.json), cel_name(discriminator));
    let asked = |checks: &[Check]| -> Option<String> {
        let held = checks.iter().filter(|it| it.level != Some(Level::Alpha) && !it.non_error);
        let parts: Option<Vec<String>> = held
            .map(|it| match &it.rule {
                Tag::Required(_) => Some(format!("has(self.{field})")),
                Tag::Forbidden(_) => Some(format!("!has(self.{field})")),
                Tag::Optional(_) => Some("true".to_owned()),
                rule => Some(format!(
                    "(!has(self.{field}) || {})",
                    predicate(rule, &format!("self.{field}"))?
                )),
            })
            .collect();
        // Where nothing is asked, everything is right.
        Some(parts?.join(" && ")).map(|it| if it.is_empty() { "true".to_owned() } else { it })
    };
    let mut expression = String::new();
    for (selecting, checks) in &tagged.rules {
        let value = literal(selecting);
        let absent = match selecting {
            Value::Str(text) => text.is_empty(),
            other => *other == Value::Int(0) || *other == Value::Bool(false),
        };
        let selected = if absent {
            format!("!has(self.{name}) || self.{name} == {value}")
        } else {
            format!("has(self.{name}) && self.{name} == {value}")
        };
        expression.push_str(&format!("({selected}) ? ({}) : ", asked(checks)?));
    }
    expression.push_str(&asked(&tagged.otherwise)?);
    let message = format!("must be what `{discriminator}` asks for");
    Some(Rule { field_path: format!(".{}", tagged.json).into(), ..rule(expression, message) })
}
