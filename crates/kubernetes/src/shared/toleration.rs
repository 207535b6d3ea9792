//! Tolerations of taints.

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::access::{int_of, text};
use super::net;

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// The rules of tolerations; comparing operators are taken only where the old object has some.
pub(crate) fn validate(
    tolerations: &[Value],
    comparing: bool,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    for (at, toleration) in tolerations.iter().enumerate() {
        one(toleration, comparing, &path.index(at), errors);
    }
}

fn one(toleration: &Value, comparing: bool, path: &Path<'_>, errors: &mut field::ErrorList) {
    let field = |name: &str| text(toleration, name);
    let operator_path = path.child("operator");
    match field("key") {
        "" if field("operator") != "Exists" => {
            let why = "operator must be Exists when `key` is empty, which means \"match all \
                       values and all keys\"";
            errors.push(field::Error::invalid(&operator_path, field("operator"), why));
        }
        "" => {}
        key => errors.extend(net::qualified_name(&path.child("key"), key)),
    }
    let effect = field("effect");
    if int_of(toleration, "tolerationSeconds").is_some() && effect != "NoExecute" {
        let why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
        errors.push(field::Error::invalid(&path.child("effect"), effect, why));
    }
    operator(field("operator"), field("value"), comparing, path, errors);
    if !effect.is_empty() && !EFFECTS.contains(&effect) {
        errors.push(field::Error::not_supported(&path.child("effect"), effect, &EFFECTS));
    }
}

fn operator(
    operator: &str,
    value: &str,
    comparing: bool,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let place = path.child("operator");
    match operator {
        "" | "Equal" => {
            let problems = name::label_value(value);
            if !problems.is_empty() {
                errors.push(field::Error::invalid(&place, value, problems.join(";")));
            }
        }
        "Exists" => {
            if !value.is_empty() {
                let why = "value must be empty when `operator` is 'Exists'";
                errors.push(field::Error::invalid(&place, value, why));
            }
        }
        "Lt" | "Gt" if comparing => {}
        "Lt" | "Gt" => {
            let known = ["Equal", "Exists", "Lt", "Gt"];
            errors.push(field::Error::not_supported(&place, operator, &known));
        }
        _ => errors.push(field::Error::not_supported(&place, operator, &["Equal", "Exists"])),
    }
}
