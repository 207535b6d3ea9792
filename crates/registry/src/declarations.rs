//! What was declared when the store was served last, kept beside the data: a new field of a version
//! that existed before must stand behind a feature gate (KEP-5975), and nobody has to remember
//! which fields are new.
//!
//! Only names are kept: the fields of each version by path, one key for each kind, outside of
//! everything that is served.

use std::collections::BTreeMap;
use std::fmt;

use ordain_meta::status::Status;
use ordain_schema::changes::fields;
use ordain_schema::declared::{Api, Kind};
use ordain_storage::{Expect, Outcome, Write};
use ordain_value::{Value, json};

use crate::registry::{Registry, store_failed};

/// The rule by which exceptions name it.
pub const RULE: &str = "new-field-gated";

/// A new field that no gate stands before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UngatedField {
    /// `<kind>.<group>`
    pub kind: String,
    pub version: String,
    pub path: String,
}

impl fmt::Display for UngatedField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, version, path } = self;
        write!(f, "{kind} {version} {path}: new field, and no feature gate stands before it")
    }
}

/// The paths of a version's fields.
type Fields = BTreeMap<String, Vec<String>>;

fn key(kind: &Kind) -> String {
    format!("/ordain/declarations/{}/{}", kind.group, kind.kind)
}

fn encode(kind: &Kind) -> Value {
    let versions = kind.versions.iter().map(|version| {
        let paths = fields(&version.schema).into_keys().map(Value::from);
        (version.name.clone(), Value::from(paths.collect::<Vec<_>>()))
    });
    Value::Map(versions.collect())
}

/// What does not read as a declaration is as good as none: it is replaced.
fn decode(bytes: &[u8]) -> Option<Fields> {
    let value = json::decode(bytes).ok()?;
    let texts = |list: &Value| {
        let list = list.as_list()?;
        list.iter().map(|it| it.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    };
    value.as_map()?.iter().map(|(name, list)| Some((name.to_string(), texts(list)?))).collect()
}

/// The fields of a kind that are new and stand behind no gate; below a new field nothing is reported.
fn ungated(kind: &Kind, before: &Fields) -> Vec<UngatedField> {
    let mut out: Vec<UngatedField> = Vec::new();
    for version in &kind.versions {
        let Some(old) = before.get(version.name.as_str()) else { continue };
        let mut below: Option<String> = None;
        for (path, gated) in fields(&version.schema) {
            let inside = below.as_ref().is_some_and(|it| {
                path.strip_prefix(it.as_str()).is_some_and(|rest| rest.starts_with(['.', '[', '{']))
            });
            if inside || old.contains(&path) {
                continue;
            }
            below = Some(path.clone());
            if !gated {
                let kind = format!("{}.{}", kind.kind, kind.group);
                out.push(UngatedField { kind, version: version.name.to_string(), path });
            }
        }
    }
    out
}

impl Registry {
    /// Compares declared kinds with what the store was served with last. Gives the new fields that
    /// stand behind no gate.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn ungated_fields(&self, api: &Api) -> Result<Vec<UngatedField>, Status> {
        let mut out = Vec::new();
        for kind in &api.kinds {
            let read = self.store.get(&key(kind)).await.map_err(|error| store_failed(&error))?;
            let before = read.entry.and_then(|it| decode(&it.value));
            out.extend(before.iter().flat_map(|it| ungated(kind, it)));
        }
        Ok(out)
    }

    /// Keeps what is declared for the next time.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub async fn note_declarations(&self, api: &Api) -> Result<(), Status> {
        for kind in &api.kinds {
            let key = key(kind);
            let read = self.store.get(&key).await.map_err(|error| store_failed(&error))?;
            let bytes = json::encode(&encode(kind));
            let expect = match &read.entry {
                Some(entry) if entry.value == bytes => continue,
                Some(entry) => Expect::Exact(entry.mod_revision),
                None => Expect::Absent,
            };
            let write = Write::put(key, expect, bytes);
            match self.store.commit(write).await.map_err(|error| store_failed(&error))? {
                // Another server that starts with the same types has just written the same.
                Outcome::Committed(_) | Outcome::Conflict(_) => {}
            }
        }
        Ok(())
    }
}
