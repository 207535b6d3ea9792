//! What may change in a claim: little, and more when it is bound.

use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::super::volume;
use crate::shared::access::{annotation, part, some, text, text_of};
use crate::shared::diff::Shape::{Plain, Pointer, Struct, Text};
use crate::shared::diff::{self, LABEL_SELECTOR, Shape};
use crate::shared::fields;
use crate::shared::resources::quantity;

const SIZE: [&str; 3] = ["resources", "requests", "storage"];
const CLASS: &str = "storageClassName";
const ATTRIBUTES: &str = "volumeAttributesClassName";

/// A specification as upstream's internal type writes it.
const SPEC: Shape = Struct(&[
    ("AccessModes", "accessModes", Plain),
    ("Selector", "selector", Pointer(&LABEL_SELECTOR)),
    (
        "Resources",
        "resources",
        Struct(&[("Limits", "limits", Plain), ("Requests", "requests", Plain)]),
    ),
    ("VolumeName", "volumeName", Text),
    ("StorageClassName", CLASS, Plain),
    ("VolumeMode", "volumeMode", Plain),
    (
        "DataSource",
        "dataSource",
        Pointer(&Struct(&[
            ("APIGroup", "apiGroup", Plain),
            ("Kind", "kind", Text),
            ("Name", "name", Text),
        ])),
    ),
    (
        "DataSourceRef",
        "dataSourceRef",
        Pointer(&Struct(&[
            ("APIGroup", "apiGroup", Plain),
            ("Kind", "kind", Text),
            ("Name", "name", Text),
            ("Namespace", "namespace", Plain),
        ])),
    ),
    ("VolumeAttributesClassName", ATTRIBUTES, Plain),
]);

pub(super) fn validate(claim: &Value, old: &Value, errors: &mut field::ErrorList) {
    let (new_spec, old_spec) = (part(claim, "spec"), part(old, "spec"));
    let (mut new_rest, mut old_rest) = (new_spec.clone(), old_spec.clone());
    if text(old_spec, "volumeName").is_empty() {
        // A claim gets its volume once.
        take(&mut old_rest, new_spec, &["volumeName"]);
    }
    class(claim, old, &mut new_rest, errors);
    if fields::text(claim, &["status", "phase"]) == "Bound" {
        if fields::at(new_spec, &["resources", "requests"]).is_some() {
            take(&mut new_rest, old_spec, &SIZE);
        }
        take(&mut new_rest, old_spec, &[ATTRIBUTES]);
    }
    if !same(&new_rest, &old_rest) {
        let why = format!(
            "spec is immutable after creation except resources.requests and \
             volumeAttributesClassName for bound claims\n{}",
            diff::diff(&old_rest, &new_rest, &SPEC)
        );
        errors.push(field::Error::forbidden(&Path::new("spec"), why));
    }
    let size =
        |spec: &Value, path: &[&str]| quantity(fields::at(spec, path).unwrap_or(&Value::Null));
    let wanted = size(new_spec, &SIZE);
    if wanted < size(old_spec, &SIZE) && wanted <= size(old, &["status", "capacity", "storage"]) {
        let path = Path::new("spec.resources.requests.storage");
        errors.push(field::Error::forbidden(&path, "field can not be less than status.capacity"));
    }
    let path = Path::new("volumeMode");
    fields::immutable(new_spec, old_spec, &["volumeMode"], &path, errors);
    attributes_class(new_spec, old, errors);
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
fn class(claim: &Value, old: &Value, rest: &mut Value, errors: &mut field::ErrorList) {
    let (known, given) = (annotation(old, volume::CLASS), annotation(claim, volume::CLASS));
    let old_class = text_of(part(old, "spec"), CLASS);
    let new_class = text_of(part(claim, "spec"), CLASS);
    let moved = known.is_some()
        && old_class.is_none()
        && new_class == known
        && (given.is_none() || given == known);
    if moved {
        rest.remove_path(&[CLASS]);
        return;
    }
    if given.unwrap_or("") != known.unwrap_or("") {
        let path = Path::new("metadata");
        let path = path.child("annotations");
        let shown = given.unwrap_or("");
        errors.push(field::Error::invalid(&path.child(volume::CLASS), shown, fields::IMMUTABLE));
    }
    if old_class.is_none() && new_class.is_some() && (known.is_none() || known == new_class) {
        rest.remove_path(&[CLASS]);
    }
}

fn attributes_class(new_spec: &Value, old: &Value, errors: &mut field::ErrorList) {
    let (new, known) = (some(new_spec, ATTRIBUTES), some(part(old, "spec"), ATTRIBUTES));
    let current = fields::at(old, &["status", "currentVolumeAttributesClassName"]);
    if new == known || current.is_none() {
        return;
    }
    let what = match new.map(|it| it.as_str().unwrap_or("")) {
        None => "nil",
        Some("") => "empty string",
        Some(_) => return,
    };
    let why = format!(
        "update to {what} is forbidden when status.currentVolumeAttributesClassName is not nil"
    );
    errors.push(field::Error::forbidden(&Path::new("spec.volumeAttributesClassName"), why));
}
