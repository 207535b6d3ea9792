//! The managers of one kind, version and subresource.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::LazyLock;

use ordain_meta::object_meta::ObjectMeta;
use ordain_meta::time::Time;
use ordain_meta::{GroupVersion, GroupVersionKind};
use ordain_value::{Text, Value, value};

use crate::conflict::Conflicts;
use crate::last_applied;
use crate::managed::{
    Managed, ManagerId, OPERATION_APPLY, OPERATION_UPDATE, is_reset, managed_fields,
    set_managed_fields, without_managed_fields,
};
use crate::set::Set;
use crate::typed::{self, Duplicates};
use crate::types::Types;
use crate::updater::{Conversion, Updater, UpdaterError};

pub use crate::updater::{Convert, UnknownVersion};

/// The name of the owner of fields that were there before anyone was recorded.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";
/// Longest manager name, in bytes.
const MANAGER_BYTES_MAX: usize = 128;

/// Fields that nobody owns.
static STRIPPED: LazyLock<Set> = LazyLock::new(|| {
    Set::of_fields(&[
        &["apiVersion"],
        &["kind"],
        &["metadata"],
        &["metadata", "name"],
        &["metadata", "namespace"],
        &["metadata", "creationTimestamp"],
        &["metadata", "selfLink"],
        &["metadata", "uid"],
        &["metadata", "clusterName"],
        &["metadata", "generation"],
        &["metadata", "managedFields"],
        &["metadata", "resourceVersion"],
    ])
});

/// What a [`FieldManager`] is for.
#[derive(Debug)]
pub struct FieldManagerConfig {
    /// Kind and version of the requests.
    pub gvk: GroupVersionKind,
    /// Subresource, empty for the object itself.
    pub subresource: Text,
    /// Types of all versions of the kind, by apiVersion.
    pub versions: Arc<BTreeMap<Text, Arc<Types>>>,
    /// Fields that the strategy of this endpoint wipes, by apiVersion.
    pub reset_fields: Arc<BTreeMap<Text, Set>>,
    /// What ownership in other versions means.
    pub unknown_version: UnknownVersion,
}

/// Keeps `metadata.managedFields` and merges applied configurations. Clones share the types.
#[derive(Clone, Debug)]
pub struct FieldManager {
    gvk: GroupVersionKind,
    api_version: Text,
    subresource: Text,
    updater: Updater,
}

/// Why an apply was refused, by the class of answer it gets.
#[derive(Clone, Debug)]
pub enum ApplyError {
    /// 400 with this message.
    BadRequest(String),
    /// 409 with the causes and message of the conflicts.
    Conflicts(Conflicts),
    /// 500 with this message, without a reason.
    Internal(String),
}

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApplyError::BadRequest(it) | ApplyError::Internal(it) => f.write_str(it),
            ApplyError::Conflicts(it) => f.write_str(&it.message()),
        }
    }
}

impl std::error::Error for ApplyError {}

impl FieldManager {
    /// A manager for one endpoint of a kind.
    pub fn new(config: FieldManagerConfig) -> Self {
        let FieldManagerConfig { gvk, subresource, versions, reset_fields, unknown_version } =
            config;
        let api_version = Text::from(gvk.group_version().to_string());
        let updater = Updater { versions, reset_fields, unknown_version, conversion: None };
        FieldManager { gvk, api_version, subresource, updater }
    }

    /// The same for a kind whose versions differ in more than their name: what it gets is an object
    /// and the apiVersion in which it is wanted.
    #[must_use]
    pub fn with_conversion(mut self, convert: Arc<Convert>) -> Self {
        self.updater.conversion = Some(Conversion(convert));
        self
    }

    /// The live object of a create: what upstream compares a new custom resource with.
    pub fn empty_object(&self) -> Value {
        value!({"apiVersion": &self.api_version, "kind": &self.gvk.kind})
    }

    /// `new` with its managed fields after a create, update or patch. Never fails: an object that
    /// does not fit its types is stored without owners.
    ///
    /// `live` is the object before (see [`FieldManager::empty_object`] for creates), `manager` the
    /// name given by the request or by [`manager_name`].
    #[must_use]
    pub fn update(&self, live: &Value, mut new: Value, manager: &str, now: Time) -> Value {
        let managed = self.decode_live_or_new(live, &new);
        new.remove_path(&["metadata", "managedFields"]);
        let live = without_managed_fields(live);
        let managed = self.track_update(&live, &new, managed, manager, now);
        set_managed_fields(&mut new, managed.ok().and_then(|it| it.encode()));
        new
    }

    /// The owners to start from: those of the request, if it has any that can be read.
    fn decode_live_or_new(&self, live: &Value, new: &Value) -> Managed {
        let of_live = || {
            let entries = managed_fields(live).map(|it| it.as_slice()).unwrap_or_default();
            Managed::decode(entries, true).unwrap_or_default()
        };
        if !self.subresource.is_empty() {
            return of_live();
        }
        let Some(entries) = managed_fields(new) else { return of_live() };
        if is_reset(entries) {
            return Managed::default();
        }
        let canonical = managed_fields(live).is_some_and(|it| it.ptr_eq(entries) || it == entries);
        match Managed::decode(entries, canonical) {
            Ok(managed) if !managed.fields.is_empty() => managed,
            _ => of_live(),
        }
    }

    /// Objects that were never tracked stay untracked until the first apply.
    fn track_update(
        &self,
        live: &Value,
        new: &Value,
        managed: Managed,
        manager: &str,
        now: Time,
    ) -> Result<Managed, String> {
        if managed.fields.is_empty() && !ObjectMeta::of(live).uid().is_empty() {
            return Ok(managed);
        }
        self.record_update(live, new, managed, manager, now)
    }

    fn record_update(
        &self,
        live: &Value,
        new: &Value,
        mut managed: Managed,
        manager: &str,
        now: Time,
    ) -> Result<Managed, String> {
        let types = self.own_types()?;
        typed::validate(types, new, Duplicates::Allowed).map_err(|it| {
            format!("failed to convert new object ({}) to smd typed: {it}", describe(new))
        })?;
        if !live_is_new(live, new) {
            typed::validate(types, live, Duplicates::Allowed).map_err(|it| {
                format!("failed to convert live object ({}) to smd typed: {it}", describe(live))
            })?;
        }
        let current = ManagerId::current();
        let fields = std::mem::take(&mut managed.fields);
        let fields =
            self.updater.update(live, new, &self.api_version, fields, &current).map_err(|it| {
                match it {
                    UpdaterError::Failed(it) => it,
                    UpdaterError::Conflicts(it) => it.message(),
                }
            });
        managed.fields = fields
            .map_err(|it| format!("failed to update ManagedFields ({}): {it}", describe(new)))?;
        if let Some(mut own) = managed.fields.remove(&current) {
            let set = std::mem::take(&mut own.set).without(&STRIPPED);
            if !set.is_empty() {
                let id = self.manager_id(manager, OPERATION_UPDATE);
                let set = match managed.fields.get(&id) {
                    Some(previous) => set.union(&previous.set),
                    None => set,
                };
                managed.fields.insert(id.clone(), own.with_set(set));
                managed.times.insert(id, now);
            }
        }
        managed.cap_updaters();
        Ok(managed)
    }

    /// The live object with an applied configuration merged in, and its managed fields. Defaults
    /// are not applied yet.
    pub fn apply(
        &self,
        live: &Value,
        applied: &Value,
        manager: &str,
        force: bool,
        now: Time,
    ) -> Result<Value, ApplyError> {
        self.apply_over(&self.empty_object(), live, applied, manager, force, now)
    }

    /// The same for a kind whose empty object has fields: what a live object without owners has
    /// beyond it belongs to whoever came first.
    pub fn apply_over(
        &self,
        empty: &Value,
        live: &Value,
        applied: &Value,
        manager: &str,
        force: bool,
        now: Time,
    ) -> Result<Value, ApplyError> {
        let entries = managed_fields(live).map(|it| it.as_slice()).unwrap_or_default();
        let managed = Managed::decode(entries, true)
            .map_err(|it| ApplyError::Internal(format!("failed to decode managed fields: {it}")))?;
        self.check_version(applied)?;
        let live = without_managed_fields(live);
        let kubectl = manager == last_applied::KUBECTL;
        let again = kubectl.then(|| managed.clone());
        let known = |managed: Managed| self.with_first_owner(empty, &live, managed, now);
        let result = known(managed)
            .and_then(|managed| self.apply_tracked(&live, applied, managed, manager, force, now));
        let (mut object, managed) = match (result, again) {
            (Err(ApplyError::Conflicts(conflicts)), Some(managed)) => {
                self.allow_conflicts(&live, conflicts)?;
                self.apply_tracked(&live, applied, known(managed)?, manager, true, now)?
            }
            (result, _) => result?,
        };
        if kubectl {
            last_applied::update(&mut object, applied);
        }
        set_managed_fields(&mut object, managed.encode());
        Ok(object)
    }

    /// Fields of a live object that nobody owns get an owner.
    fn with_first_owner(
        &self,
        empty: &Value,
        live: &Value,
        managed: Managed,
        now: Time,
    ) -> Result<Managed, ApplyError> {
        if !managed.fields.is_empty() {
            return Ok(managed);
        }
        self.record_update(empty, live, managed, BEFORE_FIRST_APPLY, now).map_err(|it| {
            let message = format!("failed to create manager for existing fields: {it}");
            ApplyError::Internal(message)
        })
    }

    fn check_version(&self, applied: &Value) -> Result<(), ApplyError> {
        let gvk = gvk_of(applied);
        if gvk != self.gvk {
            return Err(ApplyError::BadRequest(format!("invalid object type: {gvk}")));
        }
        if managed_fields(applied).is_some() {
            let message = "metadata.managedFields must be nil".to_owned();
            return Err(ApplyError::BadRequest(message));
        }
        Ok(())
    }

    /// Passes if client-side apply accounts for all conflicts; else gives the others.
    fn allow_conflicts(&self, live: &Value, conflicts: Conflicts) -> Result<(), ApplyError> {
        let types = self.own_types().map_err(ApplyError::Internal)?;
        let allowed = last_applied::allowed_conflicts(types, &self.api_version, live);
        let Some(allowed) = allowed else { return Err(ApplyError::Conflicts(conflicts)) };
        if conflicts.to_set().difference(&allowed).is_empty() {
            return Ok(());
        }
        Err(ApplyError::Conflicts(conflicts.without(&allowed)))
    }

    fn apply_tracked(
        &self,
        live: &Value,
        applied: &Value,
        mut managed: Managed,
        manager: &str,
        force: bool,
        now: Time,
    ) -> Result<(Value, Managed), ApplyError> {
        let types = self.own_types().map_err(ApplyError::Internal)?;
        typed::validate(types, applied, Duplicates::Refused).map_err(|it| {
            let object = describe(applied);
            ApplyError::Internal(format!("failed to create typed patch object ({object}): {it}"))
        })?;
        typed::validate(types, live, Duplicates::Allowed).map_err(|it| {
            let object = describe(live);
            ApplyError::Internal(format!("failed to create typed live object ({object}): {it}"))
        })?;
        let id = self.manager_id(manager, OPERATION_APPLY);
        let fields = std::mem::take(&mut managed.fields);
        let (object, fields) = self
            .updater
            .apply(live, applied, &self.api_version, fields, &id, force)
            .map_err(|it| match it {
                UpdaterError::Conflicts(it) => ApplyError::Conflicts(it),
                UpdaterError::Failed(it) => ApplyError::Internal(it),
            })?;
        managed.fields = fields;
        if let Some(own) = managed.fields.get(&id) {
            let set = own.set.difference(&STRIPPED);
            if set.is_empty() {
                managed.fields.remove(&id);
            } else {
                let own = own.with_set(set);
                managed.fields.insert(id.clone(), own);
            }
        }
        let object = match object {
            Some(object) => {
                managed.times.insert(id, now);
                object
            }
            None => live.clone(),
        };
        Ok((object, managed))
    }

    /// The types of the version of the requests.
    pub fn types(&self) -> Option<&Types> {
        self.updater.types(&self.api_version).map(Arc::as_ref)
    }

    /// The same, to keep.
    pub fn shared_types(&self) -> Option<Arc<Types>> {
        self.updater.types(&self.api_version).cloned()
    }

    fn own_types(&self) -> Result<&Types, String> {
        self.types().ok_or_else(|| format!("no corresponding type for {}", self.gvk))
    }

    fn manager_id(&self, manager: &str, operation: &str) -> ManagerId {
        let manager = if manager.is_empty() { "unknown" } else { manager };
        ManagerId::new(manager, operation, &self.api_version, &self.subresource)
    }
}

/// True where one walk over the new object is enough: the live one is a part of it or empty.
fn live_is_new(live: &Value, new: &Value) -> bool {
    live.same(new) || live.as_map().is_some_and(|it| it.len() <= 2 && !it.contains_key("metadata"))
}

fn gvk_of(object: &Value) -> GroupVersionKind {
    let text = |key| object.get(key).and_then(Value::as_str).unwrap_or_default();
    match GroupVersion::decode(text("apiVersion")) {
        Ok(gv) => gv.with_kind(text("kind")),
        Err(_) => GroupVersionKind::new("", "", ""),
    }
}

/// An object as messages name it: `namespace/name; group/version, Kind=kind`.
fn describe(object: &Value) -> String {
    let meta = ObjectMeta::of(object);
    format!("{}/{}; {}", meta.namespace(), meta.name(), gvk_of(object))
}

/// The manager of a request: the given name, or the user agent up to the first slash.
pub fn manager_name(field_manager: &str, user_agent: &str) -> Text {
    if !field_manager.is_empty() {
        return Text::new(field_manager);
    }
    let product = user_agent.split('/').next().unwrap_or_default();
    let mut name = String::new();
    for character in product.chars() {
        let printable = character == ' ' || !(character.is_control() || character.is_whitespace());
        if !printable {
            continue;
        }
        if name.len() + character.len_utf8() > MANAGER_BYTES_MAX {
            break;
        }
        name.push(character);
    }
    Text::from(name)
}
