//! What an autoscaler goes by: rules of metrics and their targets.

use ordain_meta::name;
use ordain_meta::quantity::Quantity;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::shared::{fields, internal, resources};

type Errors = field::ErrorList;

const TYPES: [&str; 5] = ["ContainerResource", "External", "Object", "Pods", "Resource"];
/// The members in the order in which upstream looks at them.
const MEMBERS: [&str; 5] = ["object", "external", "pods", "resource", "containerResource"];
const EITHER_RAW: &str = "must set either a target raw value or a target utilization";
const BOTH_RAW: &str = "may not set both a target raw value and a target utilization";

/// How apiVersions of references are judged.
#[derive(Clone, Copy)]
pub(super) struct References {
    pub(super) allow_core: bool,
    pub(super) allow_any: bool,
}

pub(super) fn validate(spec: &Value, references: References, path: &Path<'_>, errors: &mut Errors) {
    let path = path.child("metrics");
    let metrics = fields::list(spec, &["metrics"]);
    for (at, metric) in metrics.iter().enumerate() {
        one(metric, references, &path.index(at), errors);
    }
    let counts_others =
        metrics.iter().any(|it| matches!(fields::text(it, &["type"]), "Object" | "External"));
    if fields::int(spec, &["minReplicas"]) == Some(0) && !counts_others {
        let why = "must specify at least one Object or External metric to support scaling to zero \
                   replicas";
        errors.push(field::Error::forbidden(&path, why));
    }
}

fn one(metric: &Value, references: References, path: &Path<'_>, errors: &mut Errors) {
    let ty = fields::text(metric, &["type"]);
    let type_path = path.child("type");
    if ty.is_empty() {
        errors.push(field::Error::required(&type_path, "must specify a metric source type"));
    }
    let expected = match TYPES.contains(&ty) {
        true => MEMBERS.iter().find(|it| it.eq_ignore_ascii_case(ty)).copied().unwrap_or(""),
        false => {
            // Upstream looks twice.
            errors.push(field::Error::not_supported(&type_path, ty, &TYPES));
            errors.push(field::Error::not_supported(&type_path, ty, &TYPES));
            ""
        }
    };
    let present: Vec<&str> =
        MEMBERS.into_iter().filter(|it| fields::at(metric, &[it]).is_some()).collect();
    if let Some(first) = present.first()
        && let Some(source) = fields::at(metric, &[first])
    {
        self::source(first, source, references, &path.child(first), errors);
    }
    if !expected.is_empty() && !present.contains(&expected) {
        let why = "must populate information for the given metric source";
        errors.push(field::Error::required(&path.child(expected), why));
    }
    if present.len() != 1 {
        for name in present.into_iter().filter(|name| *name != expected) {
            let why = "must populate the given metric source only";
            errors.push(field::Error::forbidden(&path.child(name), why));
        }
    }
}

fn source(
    member: &str,
    source: &Value,
    references: References,
    path: &Path<'_>,
    errors: &mut Errors,
) {
    let target_path = path.child("target");
    let is_set = |name: &str| fields::at(source, &["target", name]).is_some();
    match member {
        "object" => {
            let described = fields::at(source, &["describedObject"]).unwrap_or(&Value::Null);
            reference(described, references, &path.child("describedObject"), errors);
            identifier(source, path, errors);
        }
        "external" | "pods" => identifier(source, path, errors),
        _ => resource(member, source, path, errors),
    }
    target(source, &target_path, errors);
    let mut missing = |name: &str, why: &str| {
        errors.push(field::Error::required(&target_path.child(name), why));
    };
    let has_value = is_set("value") || is_set("averageValue");
    match member {
        "object" if !has_value => {
            missing("averageValue", "must set either a target value or averageValue");
        }
        "external" if !has_value => {
            let why = "must set either a target value for metric or a per-pod target";
            missing("averageValue", why);
        }
        "external" if is_set("value") && is_set("averageValue") => {
            let why = "may not set both a target value for metric and a per-pod target";
            errors.push(field::Error::forbidden(&target_path.child("value"), why));
        }
        "pods" if !is_set("averageValue") => {
            missing("averageValue", "must specify a positive target averageValue");
        }
        "resource" | "containerResource" => {
            match (is_set("averageUtilization"), is_set("averageValue")) {
                (false, false) => missing("averageUtilization", EITHER_RAW),
                (true, true) => {
                    let path = target_path.child("averageValue");
                    errors.push(field::Error::forbidden(&path, BOTH_RAW));
                }
                _ => {}
            }
        }
        _ => {}
    }
}

fn resource(member: &str, source: &Value, path: &Path<'_>, errors: &mut Errors) {
    let given = fields::text(source, &["name"]);
    if given.is_empty() {
        errors.push(field::Error::required(&path.child("name"), "must specify a resource name"));
    } else if member == "containerResource" {
        resources::check_container_name(given, &path.child("name"), errors);
    }
    if member != "containerResource" {
        return;
    }
    let container = fields::text(source, &["container"]);
    let path = path.child("container");
    if container.is_empty() {
        return errors.push(field::Error::required(&path, "must specify a container"));
    }
    for why in name::dns_1123_label(container) {
        errors.push(field::Error::invalid(&path, container, why));
    }
}

fn identifier(source: &Value, path: &Path<'_>, errors: &mut Errors) {
    let given = fields::text(source, &["metric", "name"]);
    let path = path.child("metric.name");
    if given.is_empty() {
        return errors.push(field::Error::required(&path, "must specify a metric name"));
    }
    for why in name::path_segment_rule(given, false) {
        errors.push(field::Error::invalid(&path, given, why));
    }
}

fn target(source: &Value, path: &Path<'_>, errors: &mut Errors) {
    let target = fields::at(source, &["target"]).unwrap_or(&Value::Null);
    let ty = fields::text(target, &["type"]);
    let type_path = path.child("type");
    if ty.is_empty() {
        errors.push(field::Error::required(&type_path, "must specify a metric target type"));
    }
    if !matches!(ty, "Utilization" | "Value" | "AverageValue") {
        let why = "must be either Utilization, Value, or AverageValue";
        errors.push(field::Error::invalid(&type_path, ty, why));
    }
    for name in ["value", "averageValue"] {
        if let Some(text) = fields::at(target, &[name]).and_then(Value::as_str)
            && Quantity::parse(text).is_ok_and(|quantity| quantity.sign() != 1)
        {
            errors.push(field::Error::invalid(&path.child(name), text, "must be positive"));
        }
    }
    if let Some(utilization) = fields::int(target, &["averageUtilization"])
        && utilization < 1
    {
        let path = path.child("averageUtilization");
        errors.push(field::Error::invalid(&path, utilization, "must be greater than 0"));
    }
}

/// Judges a reference to an object in some version.
pub(super) fn reference(
    given: &Value,
    references: References,
    path: &Path<'_>,
    errors: &mut Errors,
) {
    for field in ["kind", "name"] {
        let text = fields::text(given, &[field]);
        let path = path.child(field);
        if text.is_empty() {
            errors.push(field::Error::required(&path, ""));
        }
        for why in name::path_segment_rule(text, false) {
            errors.push(field::Error::invalid(&path, text, why));
        }
    }
    let version = fields::text(given, &["apiVersion"]);
    if let Err(why) = api_version(version, references) {
        errors.push(field::Error::invalid(&path.child("apiVersion"), version, why));
    }
}

/// Why an apiVersion is refused.
pub(super) fn api_version(version: &str, references: References) -> Result<(), String> {
    if references.allow_any {
        return Ok(());
    }
    if version.bytes().filter(|byte| *byte == b'/').count() > 1 {
        return Err(format!("unexpected GroupVersion string: {version}"));
    }
    let group = version.split_once('/').map_or("", |(group, _)| group);
    if group.is_empty() && !references.allow_core {
        return Err("apiVersion must specify API group".to_owned());
    }
    Ok(())
}

/// The JSON text of conditions, with the order of the Go type.
pub(super) fn encode_conditions(conditions: &[Value]) -> String {
    internal::list(conditions, |condition| {
        let names = ["type", "status", "lastTransitionTime", "reason", "message"];
        let required = ["type", "status", "lastTransitionTime"];
        let members: Vec<(&str, String)> = names
            .into_iter()
            .filter(|name| required.contains(name) || fields::at(condition, &[name]).is_some())
            .map(|name| (name, internal::plain(condition.get(name))))
            .collect();
        internal::structure_text(&members)
    })
}
