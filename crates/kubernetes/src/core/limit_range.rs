//! LimitRange: how much a pod, a container or a claim of a namespace may ask for.

use std::collections::BTreeSet;

use ordain_meta::name;
use ordain_meta::quantity::{Format, Quantity};
use ordain_passes::declared::written::Asked;
use ordain_strategy::typed::Hooks;
use ordain_strategy::{Change, object, source};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::access::{items_mut, text};
use crate::shared::metadata;
use crate::shared::resources::{self, Amounts, amounts};

const LISTS: [&str; 5] = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"];

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.default = default;
    hooks.stamp = |context, _, range, old| {
        if old.is_none() && object::name(range).is_empty() {
            object::set(range, "name", Value::Str(source::new_uid(context.entropy)));
        }
    };
    let mut native = Native { hooks, ..Native::new("", "LimitRange") };
    native.policy.create_on_update = true;
    native
}

fn default(range: &mut Value) {
    let Some(spec) = range.get_mut("spec") else { return };
    for limit in items_mut(spec, "limits") {
        if text(limit, "type") == "Container" {
            default_container(limit);
        }
        for list in LISTS {
            resources::round(limit, list);
        }
    }
}

/// What is missing follows from what is there: the default limit from the greatest value, the
/// default request from the default limit or the least value.
fn default_container(limit: &mut Value) {
    for (list, sources) in [("default", &["max"][..]), ("defaultRequest", &["default", "min"])] {
        let mut filled = amounts(limit, list);
        for source in sources {
            for (name, amount) in amounts(limit, source) {
                filled.entry(name).or_insert(amount);
            }
        }
        if !filled.is_empty() {
            let written = resources::to_value(&filled);
            limit.set_path(&[list], written);
        }
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    metadata::whole(change, true, name::subdomain_rule)
}

/// Pods and containers have other resources than claims.
pub(crate) fn check_name(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let name = asked.value();
    let name = name.as_str().unwrap_or("");
    match text(&asked.ask("parent"), "type") {
        "Pod" | "Container" => resources::check_container_name(name, path, errors),
        _ => drop(resources::check_name(name, path, errors)),
    }
}

/// The amounts of one entry.
struct Limits {
    max: Amounts,
    min: Amounts,
    default: Amounts,
    request: Amounts,
    ratio: Amounts,
}

/// The amounts of a limit go together.
pub(crate) fn compare(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let limit = asked.value();
    let of = |list: &str| match (text(&limit, "type"), list) {
        ("Pod", "default" | "defaultRequest") => Amounts::new(),
        _ => amounts(&limit, list),
    };
    let [max, min, default, request, ratio] = LISTS.map(of);
    let limits = Limits { max, min, default, request, ratio };
    let lists = [&limits.max, &limits.min, &limits.default, &limits.request, &limits.ratio];
    let keys: BTreeSet<&String> = lists.into_iter().flat_map(Amounts::keys).collect();
    for key in keys {
        bounds(&limits, key, path, errors);
        ratio_bounds(&limits, key, path, errors);
        if let (Some(default), Some(request)) = (limits.default.get(key), limits.request.get(key))
            && !resources::is_overcommit_allowed(key)
            && default != request
        {
            let why = format!(
                "default value {default} must equal to defaultRequest value {request} in {key}"
            );
            let path = path.child("defaultRequest");
            errors.push(field::Error::invalid(&path.key(key), request.to_string(), why));
        }
    }
}

/// Each pair of values that must not be the wrong way round: the field and value that are
/// reported, and both in words.
fn bounds(limits: &Limits, key: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    type Named<'a> = (&'a Amounts, &'static str);
    let (min, max) = ((&limits.min, "min"), (&limits.max, "max"));
    let (default, request) = ((&limits.default, "default"), (&limits.request, "default request"));
    let limit = (&limits.default, "default limit");
    let pairs: [(&str, bool, Named<'_>, Named<'_>); 6] = [
        ("min", true, min, max),
        ("defaultRequest", false, min, request),
        ("defaultRequest", true, request, max),
        ("defaultRequest", true, request, limit),
        ("default", true, min, default),
        ("default", false, default, max),
    ];
    for (list, shows_low, (low, low_name), (high, high_name)) in pairs {
        let (Some(low), Some(high)) = (low.get(key), high.get(key)) else { continue };
        if low > high {
            let why = format!("{low_name} value {low} is greater than {high_name} value {high}");
            let shown = if shows_low { low } else { high };
            let path = path.child(list);
            errors.push(field::Error::invalid(&path.key(key), shown.to_string(), why));
        }
    }
}

fn ratio_bounds(limits: &Limits, key: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    let Some(ratio) = limits.ratio.get(key) else { return };
    let path = path.child("maxLimitRequestRatio");
    let path = path.key(key);
    if *ratio < Quantity::from_i64(1, Format::DecimalSi) {
        let why = format!("ratio {ratio} is less than 1");
        errors.push(field::Error::invalid(&path, ratio.to_string(), why));
    }
    if let (Some(min), Some(max)) = (limits.min.get(key), limits.max.get(key)) {
        let most = max.as_approximate_f64() / min.as_approximate_f64();
        if ratio.as_approximate_f64() > most {
            let why = format!("ratio {ratio} is greater than max/min = {most:.6}");
            errors.push(field::Error::invalid(&path, ratio.to_string(), why));
        }
    }
}
