//! `x-kubernetes-unions` of custom resources (KEP-1027): read where it is written, on the
//! discriminator's property, and judged when a definition is admitted.
//!
//! Kubernetes does not know the extension, so it counts as an unknown field and is taken out again
//! unless the gate for it is on.

use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Text, Value};

use crate::crd::Crd;
use crate::model::{Union, UnionMember};
use crate::raw::{BoolOr, Items, Raw};

pub(crate) const KEY: &str = "x-kubernetes-unions";

/// Whether an unknown field is this extension.
#[must_use]
pub fn is_extension(path: &str) -> bool {
    path.rsplit('.').next() == Some(KEY)
}

/// Takes the extension out of all schemas of a definition.
pub fn strip(crd: &mut Crd) {
    for version in crd.spec.versions.iter_mut().flatten() {
        if let Some(raw) = version.schema.as_mut().and_then(|it| it.open_api.as_mut()) {
            strip_schema(raw);
        }
    }
}

fn strip_schema(raw: &mut Raw) {
    raw.unions = None;
    for child in children_mut(raw) {
        strip_schema(child);
    }
}

fn children_mut(raw: &mut Raw) -> Vec<&mut Raw> {
    let mut out: Vec<&mut Raw> = Vec::new();
    for map in [&mut raw.properties, &mut raw.pattern_properties, &mut raw.definitions] {
        out.extend(map.iter_mut().flat_map(|it| it.values_mut()).map(|it| &mut **it));
    }
    for list in [&mut raw.all_of, &mut raw.any_of, &mut raw.one_of] {
        out.extend(list.iter_mut().flatten());
    }
    match &mut raw.items {
        Some(Items::One(item)) => out.push(item),
        Some(Items::Many(items)) => out.extend(items),
        _ => {}
    }
    for either in [&mut raw.additional_properties, &mut raw.additional_items] {
        if let Some(BoolOr::Schema(schema)) = either {
            out.push(schema);
        }
    }
    out.extend(raw.not.as_deref_mut());
    out
}

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

/// What is wrong with the unions of a definition.
#[must_use]
pub fn validate(crd: &Crd) -> ErrorList {
    let mut errors = ErrorList::new();
    for (at, version) in crd.spec.versions().iter().enumerate() {
        if let Some(raw) = version.raw() {
            let versions = Path::new("spec.versions");
            let version = versions.index(at);
            let schema = version.child("schema.openAPIV3Schema");
            walk(raw, &schema, &mut errors);
        }
    }
    errors
}

fn walk(raw: &Raw, path: &Path<'_>, errors: &mut ErrorList) {
    for (name, property) in raw.properties() {
        let properties = path.child("properties");
        let here = properties.key(name);
        if let Some(value) = &property.unions {
            let at = here.child(KEY);
            check(raw, name, property, value, &at, errors);
        }
        walk(property, &here, errors);
    }
    if let Some(item) = raw.item() {
        walk(item, &path.child("items"), errors);
    }
    if let Some(value) = raw.additional() {
        walk(value, &path.child("additionalProperties"), errors);
    }
}

fn check(
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
    for member in &union.members {
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
