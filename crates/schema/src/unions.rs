//! `x-kubernetes-unions` of custom resources (KEP-1027): read where it is written, on the
//! discriminator's property, and judged when a definition is admitted.
//!
//! Kubernetes does not know the extension, so it counts as an unknown field and is taken out again
//! unless the gate for it is on.

use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Text, Value};

use crate::model::{Union, UnionMember};
use crate::raw::Raw;

pub(crate) const KEY: &str = "x-kubernetes-unions";

/// The unions of an object, by the extensions of its properties.
pub(crate) fn of(raw: &Raw) -> Vec<Union> {
    raw.properties()
        .filter_map(|(name, property)| read(name, property.unions.as_ref()?).ok())
        .collect()
}

/// Reads the extension of a discriminator.
fn read(discriminator: &Text, value: &Value) -> Result<Union, String> {
    let members = value.get("fieldMembers").and_then(Value::as_map);
    let members = members.ok_or("must have fieldMembers, a map of discriminator values")?;
    let mut union = Union {
        name: discriminator.clone(),
        discriminator: Some(discriminator.clone()),
        inferred: value.get("inferred").and_then(Value::as_bool).unwrap_or(false),
        ..Union::default()
    };
    for (value, member) in members.iter() {
        if member.is_null() {
            union.empty_values.push(value.clone());
            continue;
        }
        let name = member.get("name").and_then(Value::as_str).unwrap_or("");
        if name.is_empty() {
            return Err(format!("member {value:?} must have a name"));
        }
        let optional = member.get("optional").and_then(Value::as_bool).unwrap_or(false);
        union.members.push(UnionMember { field: name.into(), value: value.clone(), optional });
    }
    Ok(union)
}

/// What is wrong with the union of a property. A definition that could mean two things is refused:
/// what a server makes of it must not depend on the order in which it looks.
pub(crate) fn check(
    parent: &Raw,
    name: &Text,
    property: &Raw,
    value: &Value,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if property.ty != "string" {
        errors.push(Error::invalid(path, "", "must be on a property of type string"));
    }
    if property.enumeration.as_ref().is_none_or(|it| it.is_empty()) {
        errors.push(Error::required(path, "the discriminator must list its values in enum"));
    }
    let union = match read(name, value) {
        Ok(union) => union,
        Err(why) => {
            errors.push(Error::invalid(path, "", why));
            return;
        }
    };
    let listed = property.enumeration.as_ref();
    let is_value = |text: &Text| {
        listed.is_none_or(|list| list.iter().any(|it| it.as_str() == Some(text.as_str())))
    };
    check_presence(parent, property, &union, path, errors);
    for (at, member) in union.members.iter().enumerate() {
        if member.field == *name {
            let detail = "must not be the discriminator itself";
            errors.push(Error::invalid(path, member.field.as_str(), detail));
        }
        if union.members[..at].iter().any(|it| it.field == member.field) {
            errors.push(Error::duplicate(path, member.field.as_str()));
        }
        if let Some(other) = other_union(parent, name, &member.field) {
            let detail = format!("must not be a member of the union of `{other}` as well");
            errors.push(Error::invalid(path, member.field.as_str(), detail));
        }
        if parent.property(&member.field).is_none() {
            let detail = "must be a property of the same object";
            errors.push(Error::invalid(path, member.field.as_str(), detail));
        }
        if !is_value(&member.value) {
            let detail = "must be a value of the discriminator's enum";
            errors.push(Error::invalid(path, member.value.as_str(), detail));
        }
    }
    for text in union.empty_values.iter().filter(|it| !is_value(it)) {
        let detail = "must be a value of the discriminator's enum";
        errors.push(Error::invalid(path, text.as_str(), detail));
    }
}

/// A discriminator that may be absent needs a meaning for it: a default, or a value that selects no
/// member.
fn check_presence(
    parent: &Raw,
    property: &Raw,
    union: &Union,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let required =
        parent.required.iter().flatten().any(|it| Some(it) == union.discriminator.as_ref());
    if !required && property.default.is_none() && union.empty_values.is_empty() {
        let detail = "the discriminator must be required, or have a default or a value without a \
                      member, which its absence then stands for";
        errors.push(Error::invalid(path, "", detail));
    }
    if union.inferred && (required || property.default.is_some()) {
        let detail = "a discriminator that is required or has a default cannot be inferred";
        errors.push(Error::invalid(path, "", detail));
    }
}

/// Another discriminator of the same object that has the field for a member, if it comes first.
fn other_union<'a>(parent: &'a Raw, name: &Text, field: &Text) -> Option<&'a Text> {
    let others = parent.properties().filter(|(other, _)| *other < name);
    others.into_iter().find_map(|(other, property)| {
        let union = read(other, property.unions.as_ref()?).ok()?;
        union.members.iter().any(|it| it.field == *field).then_some(other)
    })
}
