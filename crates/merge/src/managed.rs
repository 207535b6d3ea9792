//! `metadata.managedFields`: who owns which fields, and since when.

use std::collections::BTreeMap;
use std::fmt;

use ordain_meta::time::Time;
use ordain_value::{List, Map, Text, Value};

use crate::fields_v1;
use crate::set::Set;

/// Operation of appliers.
pub const OPERATION_APPLY: &str = "Apply";
/// Operation of everyone else.
pub const OPERATION_UPDATE: &str = "Update";

/// Updaters beyond this many are joined, oldest first.
const UPDATERS_MAX: usize = 10;
/// The name that joined updaters get.
const ANCIENT_CHANGES: &str = "ancient-changes";

/// What tells one owner from another. Appliers are the same across versions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ManagerId {
    pub(crate) manager: Text,
    pub(crate) operation: Text,
    pub(crate) api_version: Text,
    pub(crate) subresource: Text,
}

impl ManagerId {
    pub(crate) fn new(
        manager: &str,
        operation: &str,
        api_version: &str,
        subresource: &str,
    ) -> Self {
        let api_version = if operation == OPERATION_APPLY { "" } else { api_version };
        ManagerId {
            manager: Text::new(manager),
            operation: Text::new(operation),
            api_version: Text::new(api_version),
            subresource: Text::new(subresource),
        }
    }

    /// The operation in progress, until it is known whether it changed anything.
    pub(crate) fn current() -> Self {
        ManagerId::new("current-operation", "", "", "")
    }
}

/// Owned fields in the terms of one version.
#[derive(Clone, Debug)]
pub(crate) struct VersionedSet {
    pub(crate) set: Set,
    pub(crate) api_version: Text,
    pub(crate) applied: bool,
    /// The stored form, while the set has not been touched.
    encoded: Option<Value>,
}

impl VersionedSet {
    pub(crate) fn new(set: Set, api_version: Text, applied: bool) -> Self {
        VersionedSet { set, api_version, applied, encoded: None }
    }

    /// The same owner with other fields.
    pub(crate) fn with_set(&self, set: Set) -> Self {
        VersionedSet::new(set, self.api_version.clone(), self.applied)
    }
}

pub(crate) type Managers = BTreeMap<ManagerId, VersionedSet>;

/// The owners of an object.
#[derive(Clone, Debug, Default)]
pub struct Managed {
    pub(crate) fields: Managers,
    pub(crate) times: BTreeMap<ManagerId, Time>,
}

/// Why stored ownership cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagedError(String);

impl fmt::Display for ManagedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ManagedError {}

/// `metadata.managedFields` of an object.
pub(crate) fn managed_fields(object: &Value) -> Option<&List> {
    object.get_path(&["metadata", "managedFields"]).and_then(Value::as_list)
}

impl Managed {
    /// Reads the entries. `canonical` says that they were written by [`Managed::encode`], so that
    /// untouched ones may be written back as they are.
    pub fn decode(entries: &[Value], canonical: bool) -> Result<Self, ManagedError> {
        let mut managed = Managed::default();
        for (at, entry) in entries.iter().enumerate() {
            let text = |key| entry.get(key).and_then(Value::as_str).unwrap_or_default();
            let operation = text("operation");
            if !matches!(operation, OPERATION_APPLY | OPERATION_UPDATE) {
                return Err(ManagedError("operation must be `Apply` or `Update`".to_owned()));
            }
            let api_version = text("apiVersion");
            if api_version.is_empty() {
                return Err(ManagedError("apiVersion must not be empty".to_owned()));
            }
            match text("fieldsType") {
                "FieldsV1" => {}
                "" => {
                    let message = format!("missing fieldsType in managed fields entry {at}");
                    return Err(ManagedError(message));
                }
                other => {
                    let message =
                        format!("invalid fieldsType {other:?} in managed fields entry {at}");
                    return Err(ManagedError(message));
                }
            }
            let id = ManagerId::new(text("manager"), operation, api_version, text("subresource"));
            let fields = entry.get("fieldsV1").unwrap_or(&Value::Null);
            let set = fields_v1::decode(fields).map_err(|it| {
                ManagedError(format!("error decoding versioned set: error decoding set: {it}"))
            })?;
            let applied = operation == OPERATION_APPLY;
            let mut versioned = VersionedSet::new(set, Text::new(api_version), applied);
            if canonical && matches!(fields, Value::Map(_)) {
                versioned.encoded = Some(fields.clone());
            }
            managed.fields.insert(id.clone(), versioned);
            match Time::decode(text("time")) {
                Ok(time) => managed.times.insert(id, time),
                Err(_) => managed.times.remove(&id),
            };
        }
        Ok(managed)
    }

    /// The entries in their stored order; None without owners.
    pub fn encode(&self) -> Option<Value> {
        let mut entries: Vec<(&ManagerId, &VersionedSet, Option<Time>)> = self
            .fields
            .iter()
            .map(|(id, fields)| (id, fields, self.times.get(id).copied()))
            .collect();
        // By operation, then time in whole seconds, then name.
        entries.sort_by(|a, b| {
            let key = |it: &(&ManagerId, &VersionedSet, Option<Time>)| {
                (
                    operation(it.1),
                    it.2.map_or(0, |it| it.seconds),
                    it.0.manager.clone(),
                    it.1.api_version.clone(),
                    it.0.subresource.clone(),
                )
            };
            key(a).cmp(&key(b))
        });
        let entries: Vec<Value> =
            entries.into_iter().map(|(id, fields, time)| encode_entry(id, fields, time)).collect();
        (!entries.is_empty()).then(|| Value::from(entries))
    }

    /// Joins the oldest updaters of each version until few enough are left.
    pub(crate) fn cap_updaters(&mut self) {
        let mut updaters: Vec<ManagerId> =
            self.fields.iter().filter(|it| !it.1.applied).map(|it| it.0.clone()).collect();
        if updaters.len() <= UPDATERS_MAX {
            return;
        }
        let seconds = |id: &ManagerId| self.times.get(id).map_or(0, |it| it.seconds);
        updaters.sort_by(|a, b| seconds(a).cmp(&seconds(b)).then_with(|| a.cmp(b)));
        let mut left = updaters.len();
        let mut first_of_version: BTreeMap<Text, ManagerId> = BTreeMap::new();
        // Sets are joined at the end, all at once: there may be thousands.
        let mut joining: BTreeMap<ManagerId, Vec<Set>> = BTreeMap::new();
        for id in updaters {
            if left <= UPDATERS_MAX {
                break;
            }
            let Some(fields) = self.fields.get(&id) else { continue };
            let version = fields.api_version.clone();
            let Some(first) = first_of_version.get(&version) else {
                first_of_version.insert(version, id);
                continue;
            };
            let bucket = ManagerId::new(ANCIENT_CHANGES, OPERATION_UPDATE, &version, "");
            let set = fields.set.clone();
            if !self.fields.contains_key(&bucket)
                && let Some(oldest) = self.fields.remove(first)
            {
                self.fields.insert(bucket.clone(), oldest);
            }
            if id != bucket {
                self.fields.remove(&id);
                joining.entry(bucket.clone()).or_default().push(set);
            }
            left -= 1;
            match self.times.get(&id).copied() {
                Some(time) => self.times.insert(bucket, time),
                None => self.times.remove(&bucket),
            };
        }
        for (bucket, mut sets) in joining {
            let version = bucket.api_version.clone();
            sets.extend(self.fields.remove(&bucket).map(|it| it.set));
            self.fields.insert(bucket, VersionedSet::new(union_all(sets), version, false));
        }
    }
}

/// All sets as one, joined in pairs, so that each is gone over a few times only.
fn union_all(mut sets: Vec<Set>) -> Set {
    while sets.len() > 1 {
        let pairs = sets.chunks(2);
        sets =
            pairs.map(|pair| pair.iter().fold(Set::default(), |all, it| all.union(it))).collect();
    }
    sets.pop().unwrap_or_default()
}

fn operation(fields: &VersionedSet) -> &'static str {
    if fields.applied { OPERATION_APPLY } else { OPERATION_UPDATE }
}

fn encode_entry(id: &ManagerId, fields: &VersionedSet, time: Option<Time>) -> Value {
    let mut entry: Vec<(Text, Value)> = Vec::with_capacity(7);
    entry.push((Text::new_static("apiVersion"), Value::Str(fields.api_version.clone())));
    entry.push((Text::new_static("fieldsType"), Value::Str(Text::new_static("FieldsV1"))));
    let encoded = fields.encoded.clone().unwrap_or_else(|| fields_v1::encode(&fields.set));
    entry.push((Text::new_static("fieldsV1"), encoded));
    if !id.manager.is_empty() {
        entry.push((Text::new_static("manager"), Value::Str(id.manager.clone())));
    }
    entry.push((Text::new_static("operation"), Value::Str(Text::new_static(operation(fields)))));
    if !id.subresource.is_empty() {
        entry.push((Text::new_static("subresource"), Value::Str(id.subresource.clone())));
    }
    if let Some(time) = time {
        entry.push((Text::new_static("time"), Value::from(time.encode())));
    }
    Value::Map(Map::from_entries(entry))
}

/// True if a request asks to forget all owners: an empty list, or one empty entry.
pub(crate) fn is_reset(entries: &[Value]) -> bool {
    let is_empty = |entry: &Value| {
        entry
            .as_map()
            .is_some_and(|map| map.values().all(|it| it.is_null() || it.as_str() == Some("")))
    };
    match entries {
        [] => true,
        [only] => is_empty(only),
        _ => false,
    }
}

/// Writes owners into an object, or takes the field away.
pub(crate) fn set_managed_fields(object: &mut Value, entries: Option<Value>) {
    match entries {
        Some(entries) => object.set_path(&["metadata", "managedFields"], entries),
        None => {
            object.remove_path(&["metadata", "managedFields"]);
        }
    }
}

/// The object without owners; shares everything else.
pub(crate) fn without_managed_fields(object: &Value) -> Value {
    let mut object = object.clone();
    object.remove_path(&["metadata", "managedFields"]);
    object
}
