//! Rules of tags in CEL, for what no keyword of a schema says.

use ordain_idl::validation::{
    Extractor, Function, Level, Rule as Tag, Scalar, UnionKind, UpdateConstraint,
};
use ordain_schema::model::{Rule, Union};
use ordain_value::{Text, go_quote};

use ordain_idl::lower::cel_name;

/// What a value must satisfy, as an expression about `subject`; none where CEL cannot say it.
pub(super) fn predicate(rule: &Tag, subject: &str) -> Option<String> {
    Some(match rule {
        Tag::Minimum(least) => format!("{subject} >= {least}"),
        Tag::Maximum(most) => format!("{subject} <= {most}"),
        Tag::MinLength(size) | Tag::MinItems(size) => format!("size({subject}) >= {size}"),
        Tag::MaxLength(size) | Tag::MaxItems(size) => format!("size({subject}) <= {size}"),
        Tag::MaxBytes(size) => format!("size(bytes({subject})) <= {size}"),
        Tag::Neq(value) => format!("{subject} != {}", literal(value)),
        Tag::Format(name) => format_check(name, subject)?,
        Tag::Enum { values, exclusions } if exclusions.is_empty() => {
            let values: Vec<String> = values.iter().map(|it| go_quote(it)).collect();
            format!("{subject} in [{}]", values.join(", "))
        }
        Tag::EachMapKey(call) => format!("{subject}.all(key, {})", predicate(&call.rule, "key")?),
        Tag::Subfield { json_name, call, .. } => {
            let field = format!("{subject}.{}", cel_name(json_name));
            match &call.rule {
                Tag::Required(_) => format!("has({field})"),
                Tag::Forbidden(_) => format!("!has({field})"),
                inner => format!("!has({field}) || {}", predicate(inner, &field)?),
            }
        }
        Tag::SliceItem { keys, call, .. } => {
            let chosen: Vec<String> = keys
                .iter()
                .map(|(key, value)| format!("item.{} == {}", cel_name(key), literal(value)))
                .collect();
            let inner = predicate(&call.rule, "item")?;
            format!("{subject}.all(item, !({}) || ({inner}))", chosen.join(" && "))
        }
        _ => return None,
    })
}

/// A check of a named format, of `+format` or `+k8s:format`.
pub(super) fn format_check(name: &str, subject: &str) -> Option<String> {
    let known =
        |format: &str, subject: &str| format!("!format.{format}().validate({subject}).hasValue()");
    Some(match name {
        "k8s-short-name" | "dns1123label" => known("dns1123Label", subject),
        "k8s-long-name" | "dns1123subdomain" => known("dns1123Subdomain", subject),
        "k8s-long-name-caseless" => known("dns1123Subdomain", &format!("{subject}.lowerAscii()")),
        "dns1035label" => known("dns1035Label", subject),
        "k8s-label-key" | "qualifiedName" => known("qualifiedName", subject),
        "k8s-label-value" => known("labelValue", subject),
        "k8s-uuid" => known("uuid", subject),
        "k8s-path-segment-name" => format!(
            "{subject} != '.' && {subject} != '..' && !{subject}.contains('/') && \
             !{subject}.contains('%')"
        ),
        _ => return None,
    })
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
        Tag::Update(_, constraints) => constraints
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
pub(super) fn tagged_union(tag: &Tag) -> Option<Vec<Rule>> {
    let Tag::Union { kind, discriminator, members, extractors } = tag else { return None };
    let mut fields = Vec::new();
    for extractor in extractors {
        match extractor {
            Extractor::Field { json_name, .. } => fields.push(json_name.clone()),
            Extractor::Item(_) => return None,
        }
    }
    if let Some((name, _)) = discriminator {
        let union = Union {
            discriminator: Some(name.clone()),
            members: (members.iter().zip(&fields))
                .map(|(member, field)| ordain_schema::UnionMember {
                    field: field.clone(),
                    value: Text::from(member.discriminator_value.as_str()),
                    optional: false,
                })
                .collect(),
            ..Union::default()
        };
        return Some(union_rules(&union));
    }
    let set: Vec<String> = fields.iter().map(|it| format!("has(self.{})", cel_name(it))).collect();
    let names: Vec<String> = fields.iter().map(|it| format!("`{it}`")).collect();
    let (sign, count) = match kind {
        UnionKind::ExactlyOne => ("==", "exactly"),
        UnionKind::AtMostOne => ("<=", "at most"),
    };
    let expression = format!("[{}].filter(set, set).size() {sign} 1", set.join(", "));
    Some(vec![rule(expression, format!("must specify {count} one of: {}", names.join(", ")))])
}

/// The members of a union that its discriminator does and does not select.
pub(super) fn union_rules(union: &Union) -> Vec<Rule> {
    let Some(discriminator) = &union.discriminator else { return Vec::new() };
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

/// What the value of a discriminator asks of a field; none where CEL cannot say it.
pub(super) fn discriminated(tag: &Tag, discriminator: &str) -> Option<Rule> {
    let Tag::Discriminated { json_name, default, rules, .. } = tag else { return None };
    let (field, name) = (cel_name(json_name), cel_name(discriminator));
    let asked = |functions: &[Function]| -> Option<String> {
        let held = functions.iter().filter(|it| it.level != Some(Level::Alpha) && !it.non_error);
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
        Some(parts?.join(" && "))
    };
    let mut expression = String::new();
    for rule in rules {
        let value = literal(&rule.value);
        let absent = match &rule.value {
            Scalar::Str(text) => text.is_empty(),
            Scalar::Int(int) => *int == 0,
            Scalar::Bool(on) => !on,
        };
        let selected = if absent {
            format!("!has(self.{name}) || self.{name} == {value}")
        } else {
            format!("has(self.{name}) && self.{name} == {value}")
        };
        expression.push_str(&format!("({selected}) ? ({}) : ", asked(&rule.functions)?));
    }
    expression.push_str(&asked(std::slice::from_ref(default))?);
    let message = format!("must be what `{discriminator}` asks for");
    Some(Rule { field_path: format!(".{json_name}").into(), ..rule(expression, message) })
}

fn literal(value: &Scalar) -> String {
    match value {
        Scalar::Str(text) => go_quote(text),
        Scalar::Int(int) => int.to_string(),
        Scalar::Bool(on) => on.to_string(),
    }
}
