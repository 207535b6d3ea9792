//! Rules of the `+k8s:` tags in English, for documentation. Backticks mark code.

use ordain_value::{Text, Value, json};

use crate::native::{
    Check, Criterion, DiscriminatedRule, Exclusion, Rule, UnionRule, UnionSelect, UpdateConstraint,
};

/// A rule as a sentence about `subject`, or about the place itself when that is empty. Rules that
/// say nothing by themselves have none.
#[must_use]
pub fn sentence(rule: &Rule, subject: &str) -> Option<String> {
    let words = clause(rule, subject, 0)?;
    let mut letters = words.chars();
    let first = letters.next()?;
    Some(format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

/// When a value of an enumeration is none.
pub(crate) fn exclusion(it: &Exclusion) -> String {
    let state = if it.when { "on" } else { "off" };
    format!("`{}` is no value while the feature `{}` is {state}.", it.value, it.option)
}

/// Rules in rules.
const DEPTH_MAX: u32 = 16;

fn clause(rule: &Rule, subject: &str, depth: u32) -> Option<String> {
    if depth > DEPTH_MAX {
        return None;
    }
    let inside = |inner: &Check, subject: &str| clause(&inner.rule, subject, depth + 1);
    let of = |part: &str| match subject {
        "" => part.to_string(),
        subject => format!("{part} of {subject}"),
    };
    match rule {
        Rule::EachValue { inner, .. } | Rule::EachMapValue { inner, .. } => {
            inside(inner, &of("each value"))
        }
        Rule::EachKey { inner } => inside(inner, &of("each key")),
        Rule::Subfield { json, inner, .. } => inside(inner, &of(&format!("`{json}`"))),
        Rule::Item { criteria, inner, .. } => {
            inside(inner, &of(&format!("the item with {}", self::criteria(criteria))))
        }
        Rule::IfOption { option, enabled, inner } => {
            let state = if *enabled { "on" } else { "off" };
            Some(format!("while the feature `{option}` is {state}, {}", inside(inner, subject)?))
        }
        Rule::Warn { inner, .. } => Some(format!("a warning unless {}", inside(inner, subject)?)),
        Rule::Union(union) => Some(self::union(union)),
        Rule::Discriminated(rule) => discriminated(rule, depth),
        rule => {
            let space = if subject.is_empty() { "" } else { " " };
            Some(format!("{subject}{space}must {}", predicate(rule)?))
        }
    }
}

/// What a value must do.
fn predicate(rule: &Rule) -> Option<String> {
    let count =
        |size: i64, one: &str, many: &str| format!("{size} {}", if size == 1 { one } else { many });
    Some(match rule {
        Rule::Required(_) => "be set".into(),
        Rule::Forbidden(_) => "not be set".into(),
        Rule::Minimum(least) => format!("be at least `{least}`"),
        Rule::Maximum(most) => format!("be at most `{most}`"),
        Rule::MinLength(size) => {
            format!("have at least {}", count(*size, "character", "characters"))
        }
        Rule::MaxLength(size) => {
            format!("have at most {}", count(*size, "character", "characters"))
        }
        Rule::MaxBytes(size) => format!("have at most {}", count(*size, "byte", "bytes")),
        Rule::MinItems(size) => format!("have at least {}", count(*size, "item", "items")),
        Rule::MaxItems(size) => format!("have at most {}", count(*size, "item", "items")),
        Rule::Format(format) => format!("have the format `{}`", format.name()),
        Rule::Enum { values, .. } => format!("be one of {}", list(values)),
        Rule::NotEqual(value) => format!("not be {}", shown(value)),
        Rule::Immutable => "not change after the object was created".into(),
        Rule::Update { constraints, .. } => {
            let words: Vec<&str> = constraints
                .iter()
                .map(|it| match it {
                    UpdateConstraint::NoSet => "set",
                    UpdateConstraint::NoUnset => "removed",
                    UpdateConstraint::NoModify => "modified",
                })
                .collect();
            format!("not be {} by an update", words.join(" or "))
        }
        Rule::Unique(_) => "have no item twice".into(),
        Rule::Forced { valid: false, message } => format!("never be used: {message}"),
        _ => return None,
    })
}

fn union(rule: &UnionRule) -> String {
    let names: Vec<String> = rule
        .members
        .iter()
        .map(|member| match &member.select {
            UnionSelect::Field { .. } => format!("`{}`", member.name),
            UnionSelect::Item(criteria) => format!("the item with {}", self::criteria(criteria)),
        })
        .collect();
    let count = if rule.zero_or_one { "at most one" } else { "exactly one" };
    match &rule.discriminator {
        Some((json, _)) => format!("{count} of {}, as `{json}` says", names.join(", ")),
        None => format!("{count} of {}", names.join(", ")),
    }
}

fn discriminated(rule: &DiscriminatedRule, depth: u32) -> Option<String> {
    let subject = format!("`{}`", rule.json);
    let all = |checks: &[Check]| {
        let parts: Vec<String> = checks
            .iter()
            .filter(|it| !it.non_error)
            .filter_map(|it| clause(&it.rule, &subject, depth + 1))
            .collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
    };
    let mut parts: Vec<String> = rule
        .rules
        .iter()
        .filter_map(|(value, checks)| {
            Some(format!("when `{}` is {}, {}", rule.discriminator, shown(value), all(checks)?))
        })
        .collect();
    parts.extend(all(&rule.otherwise).map(|it| format!("otherwise {it}")));
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn criteria(criteria: &[Criterion]) -> String {
    let parts: Vec<String> =
        criteria.iter().map(|it| format!("`{}` {}", it.json, shown(&it.value))).collect();
    parts.join(" and ")
}

fn list(values: &[Text]) -> String {
    values.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")
}

fn shown(value: &Value) -> String {
    format!("`{}`", json::encode_string(value))
}
