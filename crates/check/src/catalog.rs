//! All kinds that are known, by group, version and kind; compiled when first asked for.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use ordain_meta::GroupVersionKind;
use ordain_schema::crd::Crd;
use ordain_value::Value;

use crate::kind::Kind;

/// The known kinds.
#[derive(Debug, Default)]
pub struct Catalog {
    kinds: BTreeMap<(String, String, String), Entry>,
}

#[derive(Debug)]
struct Entry {
    crd: Arc<Crd>,
    compiled: OnceLock<Result<Arc<Kind>, String>>,
}

/// Why there is no schema for an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing is known of the kind. The versions in which it is known, if any, and similar kinds.
    Unknown { versions: Vec<String>, similar: Vec<String> },
    /// The version is there but not served.
    NotServed,
    /// Its definition does not compile.
    Broken(String),
}

impl Catalog {
    /// Takes in a definition; one that is already known is replaced.
    ///
    /// # Errors
    /// When the value is no definition at all.
    pub fn add_definition(&mut self, definition: &Value) -> Result<(), String> {
        let (mut crd, _) = Crd::decode(definition).map_err(|error| error.0)?;
        crd.set_defaults();
        let crd = Arc::new(crd);
        for version in crd.spec.versions() {
            let key = (
                crd.spec.group.to_string(),
                version.name.to_string(),
                crd.spec.names.kind.to_string(),
            );
            self.kinds.insert(key, Entry { crd: Arc::clone(&crd), compiled: OnceLock::new() });
        }
        Ok(())
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// All kinds that compile, in order.
    pub fn kinds(&self) -> impl Iterator<Item = Arc<Kind>> + '_ {
        self.kinds.iter().filter_map(|((_, version, _), entry)| entry.compiled(version).ok())
    }

    /// The kind of an object.
    ///
    /// # Errors
    /// When there is none that could judge it.
    pub fn find(&self, gvk: &GroupVersionKind) -> Result<Arc<Kind>, Missing> {
        let key = (gvk.group.to_string(), gvk.version.to_string(), gvk.kind.to_string());
        let Some(entry) = self.kinds.get(&key) else { return Err(self.missing(gvk)) };
        let served = entry.crd.spec.version(&gvk.version).is_some_and(|it| it.served);
        if !served {
            return Err(Missing::NotServed);
        }
        entry.compiled(&gvk.version).map_err(Missing::Broken)
    }

    fn missing(&self, gvk: &GroupVersionKind) -> Missing {
        let mut versions = Vec::new();
        let mut similar = Vec::new();
        for (group, version, kind) in self.kinds.keys() {
            if *group == gvk.group && *kind == gvk.kind {
                versions.push(version.clone());
            } else if *kind == gvk.kind || (*group == gvk.group && *version == gvk.version) {
                similar.push(format!("{kind} in {group}/{version}"));
            }
        }
        Missing::Unknown { versions, similar }
    }
}

impl Entry {
    fn compiled(&self, version: &str) -> Result<Arc<Kind>, String> {
        self.compiled
            .get_or_init(|| {
                let version =
                    self.crd.spec.version(version).ok_or_else(|| "no such version".to_owned())?;
                Kind::compile(&self.crd, version).map(Arc::new)
            })
            .clone()
    }
}
