//! Objects of a kind in another of its versions.
//!
//! Every version is turned into the stored one and back. Fields keep their place and take the name
//! that the other version has for them (`+conversionName`); what is more than names is the author's
//! [`Config::convert`](crate::strategy::Config). Without one, a kind whose versions would lose
//! fields to each other is not served.

use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_meta::GroupVersion;
use ordain_passes::declared::version::{Renames, losses};
use ordain_passes::{Plan, Unknown};
use ordain_schema::declared::{Kind, Version};
use ordain_value::{Text, Value};

use super::BuildError;
use crate::hooks::Convert;
use crate::object;

/// The versions of a kind, as far as turning one into another goes.
pub(super) struct Conversion {
    storage: Text,
    versions: BTreeMap<Text, Side>,
    hook: Option<Convert>,
}

struct Side {
    api_version: Text,
    plan: Arc<Plan>,
    /// Names on the way to the stored version and back.
    to_stored: Option<Renames>,
    from_stored: Option<Renames>,
}

impl Conversion {
    /// Finds the names of all versions; refuses versions that would lose fields.
    pub(super) fn compile(
        kind: &Kind,
        plans: &BTreeMap<Text, Arc<Plan>>,
        hook: Option<Convert>,
    ) -> Result<Self, BuildError> {
        let Some(stored) = kind.version(&kind.storage_version) else {
            let reason = format!("it is stored in {}, which is not declared", kind.storage_version);
            return Err(BuildError { kind: format!("{}.{}", kind.kind, kind.group), reason });
        };
        let mut versions = BTreeMap::new();
        for version in &kind.versions {
            if version.name != stored.name && hook.is_none() {
                check(kind, version, stored)?;
            }
            let Some(plan) = plans.get(&version.name) else { continue };
            let api_version = GroupVersion::new(kind.group.clone(), version.name.clone());
            let side = Side {
                api_version: api_version.to_string().into(),
                plan: Arc::clone(plan),
                to_stored: Renames::compile(&version.schema, &stored.schema),
                from_stored: Renames::compile(&stored.schema, &version.schema),
            };
            versions.insert(version.name.clone(), side);
        }
        Ok(Conversion { storage: kind.storage_version.clone(), versions, hook })
    }

    /// Whether versions differ in more than the name of the version.
    pub(super) fn is_more_than_names(&self) -> bool {
        self.hook.is_some() || self.versions.values().any(|it| it.to_stored.is_some())
    }

    /// The object in another version.
    pub(super) fn convert(&self, object: &Value, version: &str) -> Value {
        let from = object::gvk(object).version;
        if from == version {
            return object.clone();
        }
        if from != self.storage && version != self.storage {
            let stored = self.step(object, &from, &self.storage);
            return self.step(&stored, &self.storage, version);
        }
        self.step(object, &from, version)
    }

    fn step(&self, object: &Value, from: &str, version: &str) -> Value {
        let mut out = object.clone();
        let Some(to) = self.versions.get(version) else { return out };
        if let Some(hook) = &self.hook {
            out = with_metadata(hook(object, version), object);
        } else {
            let renames = if version == self.storage {
                self.versions.get(from).and_then(|it| it.to_stored.as_ref())
            } else {
                to.from_stored.as_ref()
            };
            if let Some(renames) = renames {
                renames.rename(&mut out);
            }
        }
        if let Value::Map(map) = &mut out {
            map.insert("apiVersion", Value::Str(to.api_version.clone()));
        }
        // The object was in shape; the other version's schema only removes.
        let _ = to.plan.shape_request(&mut out, Unknown::Ignore);
        out
    }

    /// The same for whoever knows versions with their group.
    pub(super) fn convert_to_api_version(&self, object: &Value, api_version: &str) -> Value {
        let found = self.versions.iter().find(|(_, it)| it.api_version == api_version);
        found.map_or_else(|| object.clone(), |(version, _)| self.convert(object, version))
    }
}

/// What is lost either way, unless nobody writes that way.
fn check(kind: &Kind, version: &Version, stored: &Version) -> Result<(), BuildError> {
    let mut lost: Vec<String> = Vec::new();
    let mut report = |from: &Version, to: &Version, keeps_zeros: bool| {
        for loss in losses(&from.schema, &to.schema, keeps_zeros) {
            lost.push(format!("from {} to {}: {loss}", from.name, to.name));
        }
    };
    report(version, stored, false);
    if version.served {
        report(stored, version, true);
    }
    if lost.is_empty() {
        return Ok(());
    }
    let reason = format!(
        "conversion would lose data ({}); declare the same fields in both versions, name renamed \
         ones with +conversionName, or give a conversion function",
        lost.join("; ")
    );
    Err(BuildError { kind: format!("{}.{}/{}", kind.kind, kind.group, version.name), reason })
}

/// Identity, owners and the marks of the server stay what they are.
fn with_metadata(mut converted: Value, object: &Value) -> Value {
    let mut metadata = object.get("metadata").cloned().unwrap_or_default();
    for field in ["labels", "annotations"] {
        match converted.get_path(&["metadata", field]).cloned() {
            Some(value) => {
                metadata.set_path(&[field], value);
            }
            None => {
                metadata.remove_path(&[field]);
            }
        }
    }
    converted.set_path(&["metadata"], metadata);
    if let Some(kind) = object.get("kind").cloned() {
        converted.set_path(&["kind"], kind);
    }
    converted
}
