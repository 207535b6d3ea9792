//! Who keeps the records of field owners of a typed kind: one manager for each version and part.

use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_merge::set::Set;
use ordain_merge::types::Types;
use ordain_merge::{FieldManager, FieldManagerConfig, UnknownVersion};
use ordain_meta::GroupVersionKind;
use ordain_value::{Text, Value};

use super::{Compiled, Fields, TypedKind};

/// Who keeps the records of field owners of a version.
pub(super) struct Managers {
    pub(super) main: FieldManager,
    pub(super) status: FieldManager,
    pub(super) others: Vec<FieldManager>,
}

/// The managers of all versions.
pub(super) fn of(kind: &TypedKind, versions: &[Compiled]) -> Vec<Managers> {
    let types: BTreeMap<Text, Arc<Types>> = versions
        .iter()
        .map(|version| (version.api_version.clone(), Arc::new(Types::compile(&version.schema))))
        .collect();
    let of_version = |version: &Compiled| {
        let gvk =
            GroupVersionKind::new(kind.group.clone(), version.name.clone(), kind.kind.clone());
        let manager = |subresource: &str, reset: Fields| {
            let sets = types.keys().map(|name| (name.clone(), Set::of_fields(reset)));
            let manager = FieldManager::new(FieldManagerConfig {
                gvk: gvk.clone(),
                subresource: subresource.into(),
                versions: types.clone().into(),
                reset_fields: Arc::new(sets.collect()),
                unknown_version: UnknownVersion::Forgotten,
            });
            match kind.hooks.convert.filter(|_| types.len() > 1) {
                Some(convert) => {
                    manager.with_conversion(Arc::new(move |object: &Value, api_version: &str| {
                        let version = api_version.rsplit('/').next().unwrap_or(api_version);
                        Ok(convert(object, version))
                    }))
                }
                None => manager,
            }
        };
        let others = kind.subresources.iter().map(|(name, reset)| manager(name, reset));
        Managers {
            main: manager("", kind.reset),
            status: manager("status", kind.status_reset),
            others: others.collect(),
        }
    };
    versions.iter().map(of_version).collect()
}
