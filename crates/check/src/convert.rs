//! Objects of files in another version, and whether that loses anything.
//!
//! [`convert`] is the conversion that a server would make: of built-in kinds, of custom ones with a
//! declared conversion or none, of declared ones by the names of their fields. [`prove`] looks for
//! objects that do not come back from another version as they were.

use std::fmt;
use std::sync::Arc;

use ordain_meta::GroupVersionKind;
use ordain_meta::gvk::GroupVersion;
use ordain_strategy::{Family, FieldValidation, RestConfig};
use ordain_value::{Value, json, value};

use crate::catalog::{Catalog, Missing};
use crate::diff::sample;
use crate::kind::Kind;
use crate::manifest::Manifest;

/// Converts an object to a version of its kind: `v2`, or `example.com/v2`.
///
/// # Errors
/// When its kind or the version is not known, or the conversion fails; in words.
pub fn convert(catalog: &Catalog, manifest: &Manifest, wanted: &str) -> Result<Value, String> {
    let gvk = &manifest.gvk;
    let version = wanted_version(gvk, wanted)?;
    let kind = found(catalog, gvk)?;
    let resource = kind.resource().ok_or_else(|| {
        format!(
            "only an OpenAPI document describes {}, which does not say how to convert it",
            gvk.kind
        )
    })?;
    if resource.version(&version).is_none() {
        let known: Vec<&str> = resource.versions.iter().map(|it| it.name.as_str()).collect();
        return Err(format!("{} has no version {version}; it has {}", gvk.kind, known.join(", ")));
    }
    in_version(resource, &gvk.version, &manifest.value, &version)
}

fn found(catalog: &Catalog, gvk: &GroupVersionKind) -> Result<Arc<Kind>, String> {
    let (kind, version) = (&gvk.kind, gvk.group_version());
    catalog.find(gvk).map_err(|missing| match missing {
        Missing::Broken(why) => format!("the definition of {kind} cannot be used: {why}"),
        _ => format!("no schema for kind \"{kind}\" in \"{version}\""),
    })
}

/// The version that is meant by `v2` or `example.com/v2`.
fn wanted_version(gvk: &GroupVersionKind, wanted: &str) -> Result<String, String> {
    if !wanted.contains('/') {
        return Ok(wanted.to_owned());
    }
    let named = GroupVersion::decode(wanted).map_err(|error| error.to_string())?;
    if named.group != gvk.group {
        return Err(format!("{} is of {}, not of {}", gvk.kind, gvk.group, named.group));
    }
    Ok(named.version.to_string())
}

fn in_version(
    resource: &RestConfig,
    from: &str,
    object: &Value,
    version: &str,
) -> Result<Value, String> {
    let object = match resource.family {
        // Typed kinds convert what was read into their types.
        Family::BuiltIn => {
            let strategy = &resource.strategy;
            let read = strategy.decode(from, object.clone(), FieldValidation::Ignore);
            read.map_err(|error| error.why)?.object
        }
        Family::Custom => object.clone(),
    };
    resource.strategy.convert(&object, version)
}

/// An object that does not come back as it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Loss {
    pub kind: String,
    /// The versions on the way: there, and back to the first.
    pub from: String,
    pub through: String,
    pub object: Value,
    /// What is different, or why there is nothing to compare.
    pub why: String,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, from, through, object, why } = self;
        let shown = json::encode_string(object);
        write!(f, "{kind} {from} → {through} → {from}: {why}\n  for example {shown}")
    }
}

/// What a proof looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proof {
    /// Pairs of versions, each way counted.
    pub pairs: usize,
    pub objects: usize,
    pub losses: Vec<Loss>,
}

/// Objects that are tried of each version.
const SAMPLES: u32 = 256;

/// Tries objects of every served version of a definition: to each other version and back. Of each pair the
/// first object that does not come back is reported.
///
/// # Errors
/// When the definition cannot be used, in words.
pub fn prove(catalog: &Catalog, definition: &Value) -> Result<Proof, String> {
    let text = |path: &[&str]| definition.text_at(path).to_owned();
    let (group, name) = (text(&["spec", "group"]), text(&["spec", "names", "kind"]));
    let versions = definition.items_at(&["spec", "versions"]);
    let mut kinds = Vec::new();
    for version in versions.iter() {
        let named = version.text("name");
        let gvk = GroupVersionKind::new(group.as_str(), named, name.as_str());
        if version.get("served") != Some(&Value::Bool(true)) {
            continue;
        }
        let kind = found(catalog, &gvk)?;
        let schema = version.get_path(&["schema", "openAPIV3Schema"]).cloned().unwrap_or_default();
        kinds.push((kind, schema));
    }
    let mut proof = Proof::default();
    for (kind, schema) in &kinds {
        for (other, _) in kinds.iter().filter(|(other, _)| other.version != kind.version) {
            proof.pairs += 1;
            try_pair(kind, schema, other, &mut proof)?;
        }
    }
    Ok(proof)
}

fn try_pair(kind: &Kind, schema: &Value, other: &Kind, proof: &mut Proof) -> Result<(), String> {
    let resource = kind.resource().ok_or("the kind is not served")?;
    for variant in 0..SAMPLES {
        let mut object = sample::value(schema, variant, 0);
        kind.frame(&mut object);
        // As it is accepted, and not as it is read back: storing may convert it.
        let verdict = kind.check_create(object);
        let accepted = verdict.is_accepted();
        let Some(object) = verdict.object.filter(|_| accepted) else { continue };
        proof.objects += 1;
        let there = in_version(resource, &kind.version, &object, &other.version);
        let why = match there {
            Err(why) => Some(why),
            Ok(there) => match in_version(resource, &other.version, &there, &kind.version) {
                Err(why) => Some(format!("on the way back: {why}")),
                Ok(back) => difference(&without_empty(&object), &without_empty(&back), ""),
            },
        };
        if let Some(why) = why {
            proof.losses.push(Loss {
                kind: kind.kind.to_string(),
                from: kind.version.to_string(),
                through: other.version.to_string(),
                object: shown(object),
                why,
            });
            return Ok(());
        }
    }
    Ok(())
}

/// An object without what a server adds.
fn shown(mut object: Value) -> Value {
    object.set_path(&["metadata"], value!({"name": "example"}));
    object
}

/// An object in which empty mappings count as absent: a field that moves out of one leaves nothing.
fn without_empty(value: &Value) -> Value {
    match value {
        Value::Map(map) => {
            let kept = map.iter().map(|(key, value)| (key.clone(), without_empty(value)));
            let is_empty = |it: &Value| it.as_map().is_some_and(|map| map.is_empty());
            Value::Map(kept.filter(|(_, value)| !is_empty(value)).collect())
        }
        Value::List(list) => list.iter().map(without_empty).collect::<Vec<Value>>().into(),
        other => other.clone(),
    }
}

/// The first place where two values differ, in words.
fn difference(before: &Value, after: &Value, path: &str) -> Option<String> {
    let join = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match (before, after) {
        (Value::Map(old), Value::Map(new)) => {
            let lost = old.keys().find(|key| !new.contains_key(key));
            if let Some(key) = lost {
                return Some(format!("{} is lost", join(key)));
            }
            let added = new.keys().find(|key| !old.contains_key(key));
            if let Some(key) = added {
                return Some(format!("{} was not there before", join(key)));
            }
            old.iter().find_map(|(key, value)| difference(value, new.get(key)?, &join(key)))
        }
        (Value::List(old), Value::List(new)) if old.len() == new.len() => {
            let mut pairs = old.iter().zip(new.iter()).enumerate();
            pairs.find_map(|(at, (old, new))| difference(old, new, &format!("{path}[{at}]")))
        }
        _ if before == after => None,
        _ => {
            let (old, new) = (json::encode_string(before), json::encode_string(after));
            Some(format!("{path} is {new}, and was {old}"))
        }
    }
}
