//! What may change in a claim: little, and more when it is bound.

use ordain_passes::declared::written::Asked;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::super::volume;
use crate::shared::access::{annotation, part, text, text_of};
use crate::shared::diff;
use crate::shared::fields;

const SIZE: [&str; 3] = ["resources", "requests", "storage"];
const CLASS: &str = "storageClassName";
const ATTRIBUTES: &str = "volumeAttributesClassName";

/// A refusal shows what changed.
pub(crate) fn check(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let Some(old) = asked.old_object() else { return };
    let claim = asked.value();
    let (new_spec, old_spec) = (part(&claim, "spec"), part(old, "spec"));
    let (mut new_rest, mut old_rest) = (new_spec.clone(), old_spec.clone());
    if text(old_spec, "volumeName").is_empty() {
        // A claim gets its volume once.
        take(&mut old_rest, new_spec, &["volumeName"]);
    }
    if may_set_class(&claim, old, asked.is("classMoves")) {
        new_rest.remove_path(&[CLASS]);
    }
    if fields::text(&claim, &["status", "phase"]) == "Bound" {
        if fields::at(new_spec, &["resources", "requests"]).is_some() {
            take(&mut new_rest, old_spec, &SIZE);
        }
        take(&mut new_rest, old_spec, &[ATTRIBUTES]);
    }
    if !same(&new_rest, &old_rest) {
        let why = format!(
            "spec is immutable after creation except resources.requests and \
             volumeAttributesClassName for bound claims\n{}",
            diff::diff(&old_rest, &new_rest, "=PersistentVolumeClaimSpec")
        );
        errors.push(field::Error::forbidden(&path.child("spec"), why));
    }
}

/// Gives a field the value that another specification has.
fn take(spec: &mut Value, other: &Value, path: &[&str]) {
    match fields::at(other, path) {
        Some(value) => spec.set_path(path, value.clone()),
        None => drop(spec.remove_path(path)),
    }
}

/// Whether two specifications say the same; quantities are compared by what they amount to.
fn same(new: &Value, old: &Value) -> bool {
    let lists = [["resources", "limits"], ["resources", "requests"]];
    let amounts = |spec: &Value| {
        lists.map(|[holder, list]| crate::shared::resources::amounts(part(spec, holder), list))
    };
    let rest = |spec: &Value| {
        let mut spec = spec.clone();
        spec.remove_path(&["resources"]);
        spec
    };
    amounts(new) == amounts(old) && rest(new) == rest(old)
}

/// The storage class may be moved from the annotation to the field, or set once where there was
/// none.
fn may_set_class(claim: &Value, old: &Value, moves: bool) -> bool {
    let known = annotation(old, volume::CLASS);
    let old_class = text_of(part(old, "spec"), CLASS);
    let new_class = text_of(part(claim, "spec"), CLASS);
    let set = old_class.is_none() && new_class.is_some();
    moves || set && (known.is_none() || known == new_class)
}
