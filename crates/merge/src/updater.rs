//! Ownership after a write: who loses fields, who gains them, what an applier drops.

use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_value::{Text, Value};

use crate::conflict::Conflicts;
use crate::managed::{ManagerId, Managers, VersionedSet};
use crate::path::values_equal;
use crate::set::Set;
use crate::typed::{self, Comparison, Duplicates};
use crate::types::Types;

/// What happens to ownership in a version that the kind does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownVersion {
    /// The write's bookkeeping fails, as for custom resources.
    Refused,
    /// The owner is forgotten, as for built-in kinds.
    Forgotten,
}

/// Versions of a kind and what its strategy resets.
#[derive(Clone, Debug)]
pub(crate) struct Updater {
    /// Types by apiVersion.
    pub(crate) versions: Arc<BTreeMap<Text, Arc<Types>>>,
    /// Fields that the strategy wipes, by apiVersion: nobody owns them here.
    pub(crate) reset_fields: Arc<BTreeMap<Text, Set>>,
    pub(crate) unknown_version: UnknownVersion,
    /// How an object looks in another version, where it is more than another apiVersion.
    pub(crate) conversion: Option<Conversion>,
}

/// Turns an object into one of another apiVersion, or says why it cannot.
pub type Convert = dyn Fn(&Value, &str) -> Result<Value, String> + Send + Sync;

#[derive(Clone)]
pub(crate) struct Conversion(pub(crate) Arc<Convert>);

impl std::fmt::Debug for Conversion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Conversion")
    }
}

/// Why an object could not be seen in another version.
pub(crate) enum ConvertError {
    Missing,
    Failed(String),
}

/// Why an apply failed.
pub(crate) enum UpdaterError {
    Conflicts(Conflicts),
    Failed(String),
}

impl From<String> for UpdaterError {
    fn from(message: String) -> Self {
        UpdaterError::Failed(message)
    }
}

impl Updater {
    pub(crate) fn types(&self, api_version: &str) -> Option<&Arc<Types>> {
        self.versions.get(api_version)
    }

    fn types_of(&self, object: &Value) -> Result<&Arc<Types>, String> {
        let version = api_version(object);
        self.types(version).ok_or_else(|| format!("no corresponding type for {version}"))
    }

    /// The object in another version, which must fit the types.
    fn convert(&self, object: &Value, version: &str) -> Result<Value, ConvertError> {
        if api_version(object) == version {
            return Ok(object.clone());
        }
        let Some(types) = self.types(version) else {
            return Err(match self.unknown_version {
                UnknownVersion::Forgotten => ConvertError::Missing,
                UnknownVersion::Refused => ConvertError::Failed(format!(
                    "request to convert CR to an invalid group/version: {version}"
                )),
            });
        };
        let mut object = match &self.conversion {
            Some(conversion) => (conversion.0)(object, version).map_err(ConvertError::Failed)?,
            None => object.clone(),
        };
        object.set_path(&["apiVersion"], Value::from(version));
        typed::validate(types, &object, Duplicates::Refused)
            .map_err(|it| ConvertError::Failed(it.to_string()))?;
        Ok(object)
    }

    fn filter(&self, comparison: Comparison, version: &str) -> Comparison {
        match self.reset_fields.get(version) {
            Some(reset) => comparison.exclude(reset),
            None => comparison,
        }
    }

    fn filter_set(&self, set: Set, version: &str) -> Set {
        match self.reset_fields.get(version) {
            Some(reset) => set.without_below(reset),
            None => set,
        }
    }

    /// Owners after an update, create or patch by `manager`.
    pub(crate) fn update(
        &self,
        live: &Value,
        new: &Value,
        version: &str,
        managers: Managers,
        manager: &ManagerId,
    ) -> Result<Managers, UpdaterError> {
        let managers = self.reconcile(live, managers)?;
        let (mut managers, comparison) =
            self.settle(live, new, version, managers, manager, true)?;
        let before = managers.remove(manager).map(|it| it.set).unwrap_or_default();
        let Comparison { removed, modified, added } = comparison;
        let set = before.without(&removed).joined(modified).joined(added);
        let set = self.filter_set(set, version);
        if !set.is_empty() {
            let fields = VersionedSet::new(set, Text::new(version), false);
            managers.insert(manager.clone(), fields);
        }
        Ok(managers)
    }

    /// The merged object and the owners after an apply; no object if nothing changed.
    pub(crate) fn apply(
        &self,
        live: &Value,
        config: &Value,
        version: &str,
        managers: Managers,
        manager: &ManagerId,
        force: bool,
    ) -> Result<(Option<Value>, Managers), UpdaterError> {
        let mut managers = self.reconcile(live, managers)?;
        let types = self.types_of(config)?;
        let merged = typed::merge(types, live, config);
        let set = self.filter_set(typed::field_set(types, config), version);
        let fields = VersionedSet::new(set, Text::new(version), true);
        let last = managers.insert(manager.clone(), fields);
        let new = self
            .prune(merged, &managers, manager, last)
            .map_err(|it| format!("failed to prune fields: {it}"))?;
        let (managers, _) = self.settle(live, &new, version, managers, manager, force)?;
        let new = (!values_equal(live, &new)).then_some(new);
        Ok((new, managers))
    }

    /// Takes changed and removed fields from the other owners; without `force` changed ones are
    /// conflicts.
    fn settle(
        &self,
        old: &Value,
        new: &Value,
        version: &str,
        mut managers: Managers,
        workflow: &ManagerId,
        force: bool,
    ) -> Result<(Managers, Comparison), UpdaterError> {
        let comparison = typed::compare(self.types_of(new)?, old, new);
        let own = self.filter(comparison, version);
        let mut versions: BTreeMap<Text, Change> = BTreeMap::new();
        let mut conflicts = Managers::new();
        let mut forgotten: Vec<ManagerId> = Vec::new();
        for (manager, fields) in managers.iter().filter(|it| it.0 != workflow) {
            if !versions.contains_key(&fields.api_version) {
                let change = if fields.api_version == version {
                    Change::of(&own)
                } else {
                    match self.change_in(old, new, &fields.api_version) {
                        Ok(change) => change,
                        Err(ConvertError::Missing) => {
                            forgotten.push(manager.clone());
                            continue;
                        }
                        Err(ConvertError::Failed(message)) => return Err(message.into()),
                    }
                };
                versions.insert(fields.api_version.clone(), change);
            }
            let Some(change) = versions.get(&fields.api_version) else { continue };
            let conflict = fields.set.intersection(&change.written);
            if !conflict.is_empty() {
                conflicts.insert(manager.clone(), fields.with_set(conflict));
            }
        }
        if !force && !conflicts.is_empty() {
            return Err(UpdaterError::Conflicts(Conflicts::of_managers(&conflicts)));
        }
        for manager in forgotten {
            managers.remove(&manager);
        }
        for (manager, fields) in &mut managers {
            if let Some(conflict) = conflicts.get(manager) {
                *fields = fields.with_set(fields.set.difference(&conflict.set));
            }
            if manager == workflow {
                continue;
            }
            if let Some(change) = versions.get(&fields.api_version)
                && !change.removed.is_empty()
                && !fields.set.intersection(&change.removed).is_empty()
            {
                *fields = fields.with_set(fields.set.difference(&change.removed));
            }
        }
        managers.retain(|_, it| !it.set.is_empty());
        Ok((managers, own))
    }

    fn change_in(&self, old: &Value, new: &Value, version: &str) -> Result<Change, ConvertError> {
        let convert = |object: &Value, which: &str| {
            self.convert(object, version).map_err(|it| match it {
                ConvertError::Missing => ConvertError::Missing,
                ConvertError::Failed(message) => {
                    ConvertError::Failed(format!("failed to convert {which} object: {message}"))
                }
            })
        };
        let (old, new) = (convert(old, "old")?, convert(new, "new")?);
        let types = self.types(version).ok_or(ConvertError::Missing)?;
        Ok(Change::of(&self.filter(typed::compare(types, &old, &new), version)))
    }

    /// Removes what the applier owned before and does not apply now, unless someone else owns it.
    fn prune(
        &self,
        merged: Value,
        managers: &Managers,
        applier: &ManagerId,
        last: Option<VersionedSet>,
    ) -> Result<Value, String> {
        let Some(last) = last.filter(|it| !it.set.is_empty()) else { return Ok(merged) };
        let version = last.api_version.as_str();
        let converted = match self.convert(&merged, version) {
            Ok(converted) => converted,
            Err(ConvertError::Missing) => return Ok(merged),
            Err(ConvertError::Failed(message)) => {
                return Err(format!(
                    "failed to convert merged object to last applied version: {message}"
                ));
            }
        };
        let types = self.types_of(&converted)?;
        let dropped = last.set.with_named_fields(types, Some(types.root()));
        let pruned = typed::remove(types, &converted, &dropped);
        let pruned = self
            .add_back_owned(&converted, pruned, version, managers)
            .map_err(|it| format!("failed add back owned items: {it}"))?;
        let pruned = self
            .add_back_dangling(&converted, &pruned, &last)
            .map_err(|it| format!("failed add back dangling items: {it}"))?;
        let target = managers.get(applier).map_or(version, |it| it.api_version.as_str());
        match self.convert(&pruned, target) {
            Ok(pruned) => Ok(pruned),
            Err(ConvertError::Missing) => Ok(pruned),
            Err(ConvertError::Failed(message)) => Err(message),
        }
    }

    fn add_back_owned(
        &self,
        merged: &Value,
        pruned: Value,
        pruned_version: &str,
        managers: &Managers,
    ) -> Result<Value, String> {
        let mut owned: BTreeMap<&str, Set> = BTreeMap::new();
        for fields in managers.values() {
            let set = owned.entry(&fields.api_version).or_default();
            *set = set.union(&fields.set);
        }
        let (mut merged, mut pruned) = (merged.clone(), pruned);
        if let Some(set) = owned.remove(pruned_version) {
            (merged, pruned) = self.add_back_owned_in(merged, pruned, pruned_version, &set)?;
        }
        for (version, set) in owned {
            (merged, pruned) = self.add_back_owned_in(merged, pruned, version, &set)?;
        }
        Ok(pruned)
    }

    fn add_back_owned_in(
        &self,
        merged: Value,
        pruned: Value,
        version: &str,
        owned: &Set,
    ) -> Result<(Value, Value), String> {
        let convert = |object: &Value, which: &str| match self.convert(object, version) {
            Ok(object) => Ok(Some(object)),
            Err(ConvertError::Missing) => Ok(None),
            Err(ConvertError::Failed(message)) => {
                Err(format!("failed to convert {which} object at version {version}: {message}"))
            }
        };
        let Some(merged_there) = convert(&merged, "merged")? else { return Ok((merged, pruned)) };
        let Some(pruned_there) = convert(&pruned, "pruned")? else {
            return Ok((merged_there, pruned));
        };
        let types = self.types_of(&merged_there)?;
        let root = Some(types.root());
        let merged_set = typed::field_set(types, &merged_there).with_named_fields(types, root);
        let pruned_set = typed::field_set(types, &pruned_there).with_named_fields(types, root);
        let kept = pruned_set.union(&owned.with_named_fields(types, root));
        let pruned = typed::remove(types, &merged_there, &merged_set.difference(&kept));
        Ok((merged_there, pruned))
    }

    /// Fields that went only because their parent went come back, if the applier never had them.
    fn add_back_dangling(
        &self,
        merged: &Value,
        pruned: &Value,
        last: &VersionedSet,
    ) -> Result<Value, String> {
        let pruned = match self.convert(pruned, &last.api_version) {
            Ok(pruned) => pruned,
            Err(ConvertError::Missing) => return Ok(merged.clone()),
            Err(ConvertError::Failed(message)) => {
                return Err(format!(
                    "failed to convert pruned object to last applied version: {message}"
                ));
            }
        };
        let types = self.types_of(merged)?;
        let root = Some(types.root());
        let pruned_set = typed::field_set(types, &pruned).with_named_fields(types, root);
        let merged_set = typed::field_set(types, merged).with_named_fields(types, root);
        let last = last.set.with_named_fields(types, root);
        let dropped = merged_set.difference(&pruned_set).intersection(&last);
        Ok(typed::remove(types, merged, &dropped))
    }

    /// Adjusts owners to types that have changed since they were recorded.
    fn reconcile(&self, live: &Value, managers: Managers) -> Result<Managers, UpdaterError> {
        let mut out = Managers::new();
        for (manager, fields) in managers {
            match self.convert(live, &fields.api_version) {
                Ok(_) => {}
                Err(ConvertError::Missing) => continue,
                Err(ConvertError::Failed(message)) => return Err(message.into()),
            }
            let reconciled = self
                .types(&fields.api_version)
                .and_then(|types| typed::reconcile(types, &fields.set));
            let fields = match reconciled {
                Some(set) => fields.with_set(set),
                None => fields,
            };
            out.insert(manager, fields);
        }
        Ok(out)
    }
}

/// A comparison as the other owners of one version see it.
struct Change {
    written: Set,
    removed: Set,
}

impl Change {
    fn of(comparison: &Comparison) -> Self {
        Change {
            written: comparison.modified.union(&comparison.added),
            removed: comparison.removed.clone(),
        }
    }
}

/// The apiVersion of an object.
pub(crate) fn api_version(object: &Value) -> &str {
    object.get("apiVersion").and_then(Value::as_str).unwrap_or_default()
}
