//! What may not change in a volume, as far as refusals show the change itself.

use ordain_passes::declared::written::Asked;
use ordain_value::field::{self, Path};

use super::form;
use crate::shared::access::{part, some};
use crate::shared::{diff, fields};

/// The source stays, but for the secret for growing, which may be added later.
pub(crate) fn check_source(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    const SOURCE: &str = "PersistentVolumeSource";
    const EXPAND: [&str; 2] = ["csi", "controllerExpandSecretRef"];
    let Some(old) = asked.old_object() else { return };
    let volume = asked.value();
    let (new_spec, old_spec) = (part(&volume, "spec"), part(old, "spec"));
    let mut compared = new_spec.clone();
    if some(old_spec, "csi").is_some() && fields::at(old_spec, &EXPAND).is_none() {
        compared.remove_path(&EXPAND);
    }
    if diff::field_names(SOURCE).any(|name| some(&compared, name) != some(old_spec, name)) {
        let why = format!(
            "spec.persistentvolumesource is immutable after creation\n{}",
            diff::diff(old_spec, &compared, "=PersistentVolumeSource")
        );
        errors.push(field::Error::forbidden(&path.child("spec.persistentvolumesource"), why));
    }
}

/// The nodes that reach the volume stay, but for labels that got a successor.
pub(crate) fn check_affinity(
    asked: &Asked<'_, '_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let known = asked.old_object().and_then(|old| some(part(old, "spec"), "nodeAffinity"));
    let Some(known) = known else { return };
    let volume = asked.value();
    let affinity = some(part(&volume, "spec"), "nodeAffinity");
    if !affinity.is_some_and(|it| form::same_affinity(it, known)) {
        let why = "field is immutable, except for updating from beta label to GA";
        let shown = form::affinity(affinity);
        errors.push(field::Error::invalid(&path.child("nodeAffinity"), shown, why));
    }
}
