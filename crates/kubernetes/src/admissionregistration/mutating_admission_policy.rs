//! MutatingAdmissionPolicy: changes in CEL that are made to what is written.

use ordain_strategy::Change;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::{matching, metadata, policy};
use crate::native::Native;
use crate::shared::fields;

type Errors = field::ErrorList;

const PATCH_TYPES: [&str; 2] = ["ApplyConfiguration", "JSONPatch"];

pub(crate) fn native() -> Native {
    let rules = ("Mutations", "integer", "How many changes there are.");
    let mut native = policy::native("MutatingAdmissionPolicy", rules, validate);
    native.hooks.cells = |object, now| policy::cells(object, "mutations", now);
    native
}

fn validate(change: &Change<'_>) -> Errors {
    let mut errors = metadata(change);
    let spec = fields::at(change.object, &["spec"]).unwrap_or(&Value::Null);
    let path = Path::new("spec");
    policy::validate(change, spec, &path, &mut errors);
    if let Some(constraints) = fields::at(spec, &["matchConstraints"]) {
        let path = path.child("matchConstraints");
        matching::mutable_operations(constraints, &path, &mut errors);
    }
    let mutations = fields::list(spec, &["mutations"]);
    let list = path.child("mutations");
    if mutations.is_empty() {
        errors.push(field::Error::required(&list, "mutations must contain at least one item"));
    }
    for (at, mutation) in mutations.iter().enumerate() {
        self::mutation(mutation, &list.index(at), &mut errors);
    }
    let policy = path.child("reinvocationPolicy");
    match fields::text(spec, &["reinvocationPolicy"]) {
        "" => errors.push(field::Error::required(&policy, "")),
        given if !matching::REINVOCATION_POLICIES.contains(&given) => {
            let known = &matching::REINVOCATION_POLICIES;
            errors.push(field::Error::not_supported(&policy, given, known));
        }
        _ => {}
    }
    errors
}

fn mutation(mutation: &Value, path: &Path<'_>, errors: &mut Errors) {
    let ty = fields::text(mutation, &["patchType"]);
    let (member, other) = match ty {
        "JSONPatch" => ("jsonPatch", "applyConfiguration"),
        "ApplyConfiguration" => ("applyConfiguration", "jsonPatch"),
        "" => return errors.push(field::Error::required(&path.child("patchType"), "")),
        _ => {
            let error = field::Error::not_supported(&path.child("patchType"), ty, &PATCH_TYPES);
            return errors.push(error);
        }
    };
    match fields::at(mutation, &[member]) {
        None => {
            let why = format!("must be specified when patchType is {ty}");
            errors.push(field::Error::required(&path.child(member), why));
        }
        Some(given) if fields::text(given, &["expression"]).trim().is_empty() => {
            errors.push(field::Error::required(&path.child(member).child("expression"), ""));
        }
        Some(_) => {}
    }
    if fields::at(mutation, &[other]).is_some() {
        let why = format!("must not be specified when patchType is {ty}");
        errors.push(field::Error::invalid(&path.child(other), format!("{{{other}}}"), why));
    }
}
