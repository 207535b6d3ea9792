//! Bindings of policies: the rules that both kinds share.

use ordain_meta::name;
use ordain_strategy::typed::printer;
use ordain_strategy::{Change, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::{matching, metadata};
use crate::native::Native;
use crate::shared::selector::Values;
use crate::shared::{fields, selector, table};

pub(super) fn native(kind: &'static str, validate: fn(&Change<'_>) -> field::ErrorList) -> Native {
    let mut native = super::native(kind, &[&["spec"]], validate);
    native.hooks.cells = cells;
    native.columns = table::columns(
        &[
            ("PolicyName", "string", "The policy that is bound."),
            ("ParamRef", "string", "The objects that give parameters."),
        ],
        &[],
    );
    native
}

fn cells(binding: &Value, now: i64) -> Vec<Value> {
    let reference = fields::at(binding, &["spec", "paramRef"]);
    let params = reference.map_or_else(
        || "<unset>".to_owned(),
        |reference| {
            let text = |name: &str| fields::text(reference, &[name]);
            match (text("namespace"), text("name"), fields::at(reference, &["selector"])) {
                (_, "", None) => "<unset>".to_owned(),
                (_, "", Some(selector)) => go_text(selector),
                ("", name, _) => format!("*/{name}"),
                (namespace, name, _) => format!("{namespace}/{name}"),
            }
        },
    );
    vec![
        object::name(binding).into(),
        fields::text(binding, &["spec", "policyName"]).into(),
        params.into(),
        printer::age(binding, now),
    ]
}

/// A selector as Go's generated text form has it.
fn go_text(selector: &Value) -> String {
    let labels = fields::map(selector, &["matchLabels"]).into_iter().flat_map(|map| map.iter());
    let labels: String =
        labels.map(|(key, value)| format!("{key}: {},", value.as_str().unwrap_or(""))).collect();
    let expressions: String = fields::list(selector, &["matchExpressions"])
        .iter()
        .map(|it| {
            format!(
                "LabelSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},",
                fields::text(it, &["key"]),
                fields::text(it, &["operator"]),
                fields::texts(it, &["values"]).join(" "),
            )
        })
        .collect();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},MatchExpressions:\
         []LabelSelectorRequirement{{{expressions}}},}}"
    )
}

pub(super) fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = metadata(change);
    let spec = fields::at(change.object, &["spec"]).unwrap_or(&Value::Null);
    let path = Path::new("spec");
    let policy = fields::text(spec, &["policyName"]);
    let policy_path = path.child("policyName");
    if policy.is_empty() {
        errors.push(field::Error::required(&policy_path, ""));
    } else {
        for why in name::subdomain_rule(policy, false) {
            errors.push(field::Error::invalid(&policy_path, policy, why));
        }
    }
    if let Some(reference) = fields::at(spec, &["paramRef"]) {
        param_ref(reference, &path.child("paramRef"), &mut errors);
    }
    if let Some(resources) = fields::at(spec, &["matchResources"]) {
        matching::constraints(resources, &path.child("matchResources"), &mut errors);
    }
    errors
}

fn param_ref(reference: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    const EXCLUSIVE: &str = "name and selector are mutually exclusive";
    let given = fields::text(reference, &["name"]);
    let chosen = fields::at(reference, &["selector"]);
    if !given.is_empty() {
        for why in name::path_segment_rule(given, false) {
            errors.push(field::Error::invalid(&path.child("name"), given, why));
        }
    }
    selector::validate(chosen, Values::Checked, &path.child("selector"), errors);
    match (given.is_empty(), chosen) {
        (false, Some(_)) => {
            errors.push(field::Error::forbidden(&path.child("name"), EXCLUSIVE));
            errors.push(field::Error::forbidden(&path.child("selector"), EXCLUSIVE));
        }
        (true, None) => {
            errors.push(field::Error::required(path, "one of name or selector must be specified"));
        }
        _ => {}
    }
    let action = path.child("parameterNotFoundAction");
    match fields::text(reference, &["parameterNotFoundAction"]) {
        "" => errors.push(field::Error::required(&action, "")),
        "Deny" | "Allow" => {}
        given => errors.push(field::Error::not_supported(&action, given, &["Deny", "Allow"])),
    }
}
