//! Ownership of the replicas field, seen from the scale subresource.

use std::collections::BTreeMap;

use ordain_value::{Text, Value};

use crate::managed::{Managed, ManagedError, VersionedSet};
use crate::path::{Path, PathElement};
use crate::set::Set;

const SCALE_API_VERSION: &str = "autoscaling/v1";

/// Moves ownership of replicas between an object and its scale.
#[derive(Debug)]
pub struct ScaleHandler {
    parent: Managed,
    api_version: Text,
    /// The replicas path by apiVersion; None for versions without scale.
    replicas: BTreeMap<Text, Option<Path>>,
}

impl ScaleHandler {
    /// `entries` are the managed fields of the object, `api_version` is that of the request.
    pub fn new(
        entries: &[Value],
        api_version: &str,
        replicas: BTreeMap<Text, Option<Path>>,
    ) -> Result<Self, ManagedError> {
        let parent = Managed::decode(entries, true)?;
        Ok(ScaleHandler { parent, api_version: Text::new(api_version), replicas })
    }

    /// The managed fields of the scale.
    pub fn to_scale(&self) -> Option<Value> {
        let mut out = Managed::default();
        for (id, fields) in &self.parent.fields {
            let Some(Some(path)) = self.replicas.get(&fields.api_version) else { continue };
            if fields.set.has(path) {
                let mut set = Set::new();
                set.insert(&scale_path());
                let version = Text::new_static(SCALE_API_VERSION);
                out.fields.insert(id.clone(), VersionedSet::new(set, version, fields.applied));
                if let Some(time) = self.parent.times.get(id) {
                    out.times.insert(id.clone(), *time);
                }
            }
        }
        out.encode()
    }

    /// The managed fields of the object after the scale was written.
    pub fn to_parent(&self, scale_entries: &[Value]) -> Result<Option<Value>, ManagedError> {
        let mut scale = Managed::decode(scale_entries, false)?;
        let mut out = Managed::default();
        for (id, fields) in &self.parent.fields {
            let Some(path) = self.replicas.get(&fields.api_version) else { continue };
            let owned = path.as_ref().filter(|it| fields.set.has(it));
            let kept = match owned {
                // The scale was taken over by someone else.
                Some(path) if scale.fields.remove(id).is_none() => {
                    let mut stolen = Set::new();
                    stolen.insert(path);
                    fields.with_set(fields.set.difference(&stolen))
                }
                _ => fields.clone(),
            };
            if !kept.set.is_empty() {
                out.fields.insert(id.clone(), kept);
                if let Some(time) = self.parent.times.get(id) {
                    out.times.insert(id.clone(), *time);
                }
            }
        }
        for (id, fields) in scale.fields {
            if !fields.set.has(&scale_path()) {
                continue;
            }
            let Some(Some(path)) = self.replicas.get(&self.api_version) else { continue };
            let mut set = Set::new();
            set.insert(path);
            let fields = VersionedSet::new(set, self.api_version.clone(), fields.applied);
            if let Some(time) = self.parent.times.get(&id) {
                out.times.insert(id.clone(), *time);
            }
            out.fields.insert(id, fields);
        }
        Ok(out.encode())
    }
}

fn scale_path() -> Path {
    vec![PathElement::field("spec"), PathElement::field("replicas")]
}
