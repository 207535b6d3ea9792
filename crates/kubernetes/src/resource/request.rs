//! What a claim asks for: requests for devices, constraints between them, configuration.

use std::collections::{BTreeMap, BTreeSet};

use ordain_meta::name as names;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::{name, selector};
use crate::shared::access::{int, items, items_mut, part, some, text, text_of, texts};
use crate::shared::net;

pub(super) const REQUESTS_MAX: usize = 32;
const SUB_REQUESTS_MAX: usize = 8;
const CONSTRAINTS_MAX: usize = 32;
pub(super) const CONFIG_MAX: usize = 32;
const SELECTORS_MAX: usize = 32;
const PARAMETERS_BYTES_MAX: usize = 10 * 1024;
const NOT_A_REQUEST: &str = "must be the name of a request in the claim or the name of a request \
                             and a subrequest separated by '/'";
pub(super) const EFFECTS: [&str; 3] = ["NoExecute", "NoSchedule", "None"];

/// A request for an exact number asks for one device, unless it says how many.
pub(super) fn default(spec: &mut Value) {
    let Some(devices) = spec.get_mut("devices") else { return };
    for request in items_mut(devices, "requests") {
        if let Some(exactly) = request.get_mut("exactly") {
            default_count(exactly);
        }
        items_mut(request, "firstAvailable").for_each(default_count);
    }
}

fn default_count(request: &mut Value) {
    if text(request, "allocationMode") == "ExactCount" && int(request, "count") == 0 {
        request.set_path(&["count"], Value::Int(1));
    }
}

/// The names of requests with those of their alternatives.
pub(super) struct Names<'a>(BTreeMap<&'a str, BTreeSet<&'a str>>);

impl<'a> Names<'a> {
    pub(super) fn of(spec: &'a Value) -> Self {
        let requests = items(part(spec, "devices"), "requests").iter();
        let named = requests.map(|request| {
            let inner = items(request, "firstAvailable").iter().map(|it| text(it, "name"));
            (text(request, "name"), inner.collect())
        });
        Self(named.collect())
    }

    fn has(&self, reference: &str) -> bool {
        match reference.split('/').collect::<Vec<_>>().as_slice() {
            [request] => self.0.contains_key(request),
            [request, inner] => self.0.get(request).is_some_and(|it| it.contains(inner)),
            _ => false,
        }
    }

    /// A reference to a request of the claim.
    pub(super) fn check(&self, text: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
        let segments: Vec<&str> = text.split('/').collect();
        if segments.len() > 2 {
            errors.push(field::Error::invalid(path, text, NOT_A_REQUEST));
            return;
        }
        segments.into_iter().for_each(|segment| errors.extend(net::label(path, segment)));
        if !self.has(text) {
            errors.push(field::Error::invalid(path, text, NOT_A_REQUEST));
        }
    }

    /// A list of references, each once.
    pub(super) fn check_all(&self, owner: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
        let (list, given) = (path.child("requests"), texts(owner, "requests"));
        if !name::fits(given.len(), REQUESTS_MAX, &list, errors) {
            return;
        }
        for (at, text) in given.iter().enumerate() {
            self.check(text, &list.index(at), errors);
        }
        once(given.into_iter(), &list, errors);
    }
}

/// Each text once.
pub(super) fn once<'a>(
    texts: impl Iterator<Item = &'a str>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let mut seen = BTreeSet::new();
    for (at, text) in texts.enumerate() {
        if !seen.insert(text) {
            errors.push(field::Error::duplicate(&path.index(at), text));
        }
    }
}

/// The specification of a claim.
pub(super) fn validate(spec: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let (devices, path) = (part(spec, "devices"), path.child("devices"));
    let names = Names::of(spec);
    let (list, requests) = (path.child("requests"), items(devices, "requests"));
    if name::fits(requests.len(), REQUESTS_MAX, &list, errors) {
        for (at, request) in requests.iter().enumerate() {
            validate_request(request, &list.index(at), errors);
        }
        once(requests.iter().map(|it| text(it, "name")), &list, errors);
    }
    let (list, constraints) = (path.child("constraints"), items(devices, "constraints"));
    if name::fits(constraints.len(), CONSTRAINTS_MAX, &list, errors) {
        for (at, constraint) in constraints.iter().enumerate() {
            validate_constraint(constraint, &names, &list.index(at), errors);
        }
    }
    let (list, configs) = (path.child("config"), items(devices, "config"));
    if name::fits(configs.len(), CONFIG_MAX, &list, errors) {
        for (at, config) in configs.iter().enumerate() {
            names.check_all(config, &list.index(at), errors);
            configuration(config, Stored::No, &list.index(at), errors);
        }
    }
}

fn validate_request(request: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    errors.extend(net::label(&path.child("name"), text(request, "name")));
    let alternatives = items(request, "firstAvailable");
    match (some(request, "exactly"), alternatives.is_empty()) {
        (None, true) => {
            let why = "exactly one of `exactly` or `firstAvailable` is required";
            errors.push(field::Error::required(path, why));
        }
        (Some(_), false) => {
            let why = "exactly one of `exactly` or `firstAvailable` is required, but multiple \
                       fields are set";
            errors.push(field::Error::invalid(path, Value::Null, why));
        }
        (Some(exactly), true) => exact(exactly, &path.child("exactly"), errors),
        (None, false) => {
            let list = path.child("firstAvailable");
            if name::fits(alternatives.len(), SUB_REQUESTS_MAX, &list, errors) {
                for (at, alternative) in alternatives.iter().enumerate() {
                    let path = list.index(at);
                    errors.extend(net::label(&path.child("name"), text(alternative, "name")));
                    exact(alternative, &path, errors);
                }
                once(alternatives.iter().map(|it| text(it, "name")), &list, errors);
            }
        }
    }
}

/// What all requests for devices of a class have.
fn exact(request: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    match text(request, "deviceClassName") {
        "" => errors.push(field::Error::required(&path.child("deviceClassName"), "")),
        class => errors.extend(net::subdomain(&path.child("deviceClassName"), class)),
    }
    selectors(request, Stored::No, &path.child("selectors"), errors);
    let (mode, count) = (text(request, "allocationMode"), int(request, "count"));
    match mode {
        "All" if count != 0 => {
            let why = "must not be specified when allocationMode is 'All'";
            errors.push(field::Error::invalid(&path.child("count"), count, why));
        }
        "ExactCount" if count <= 0 => {
            let why = "must be greater than zero";
            errors.push(field::Error::invalid(&path.child("count"), count, why));
        }
        "All" | "ExactCount" => {}
        other => errors.push(field::Error::not_supported(
            &path.child("allocationMode"),
            other,
            &["All", "ExactCount"],
        )),
    }
    let list = path.child("tolerations");
    for (at, toleration) in items(request, "tolerations").iter().enumerate() {
        validate_toleration(toleration, &list.index(at), errors);
    }
}

/// Whether what is looked at was accepted before.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stored {
    Yes,
    No,
}

/// Expressions that choose devices.
pub(super) fn selectors(
    owner: &Value,
    stored: Stored,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let given = items(owner, "selectors");
    if !name::fits(given.len(), SELECTORS_MAX, path, errors) {
        return;
    }
    for (at, selector) in given.iter().enumerate() {
        let at = path.index(at);
        let path = at.child("cel");
        match some(selector, "cel") {
            None => errors.push(field::Error::required(&path, "")),
            Some(cel) => {
                let expression = text(cel, "expression");
                errors.extend(selector::check(expression, stored, &path.child("expression")));
            }
        }
    }
}

fn validate_toleration(toleration: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let (key, value) = (text(toleration, "key"), text(toleration, "value"));
    if !key.is_empty() {
        errors.extend(net::qualified_name(&path.child("key"), key));
    }
    match text(toleration, "operator") {
        "Exists" if !value.is_empty() => {
            let why = "must be empty for operator `Exists`";
            errors.push(field::Error::invalid(&path.child("value"), value, why));
        }
        "Exists" => {}
        "Equal" => {
            errors.extend(net::invalid(&path.child("value"), value, names::label_value(value)));
        }
        "" => errors.push(field::Error::required(&path.child("operator"), "")),
        other => errors.push(field::Error::not_supported(
            &path.child("operator"),
            other,
            &["Equal", "Exists"],
        )),
    }
    let effect = text(toleration, "effect");
    if !effect.is_empty() && !EFFECTS.contains(&effect) {
        errors.push(field::Error::not_supported(&path.child("effect"), effect, &EFFECTS));
    }
}

fn validate_constraint(
    constraint: &Value,
    names: &Names<'_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    names.check_all(constraint, path, errors);
    let given = ["matchAttribute", "distinctAttribute"]
        .into_iter()
        .find_map(|field| text_of(constraint, field).map(|text| (field, text)));
    match given {
        Some((field, text)) => name::fully_qualified(text, &path.child(field), errors),
        None => {
            let why = "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, \
                       but multiple fields are set";
            errors.push(field::Error::required(path, why));
        }
    }
}

/// Configuration for drivers, which only they understand.
pub(super) fn configuration(
    config: &Value,
    stored: Stored,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let path = path.child("opaque");
    let Some(opaque) = some(config, "opaque") else {
        errors.push(field::Error::required(&path, ""));
        return;
    };
    name::driver(text(opaque, "driver"), &path.child("driver"), errors);
    raw(opaque.get("parameters"), stored, &path.child("parameters"), errors);
}

/// A JSON object of limited size.
pub(super) fn raw(
    value: Option<&Value>,
    stored: Stored,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let Some(value) = value.filter(|it| !it.is_null()) else {
        errors.push(field::Error::required(path, ""));
        return;
    };
    let bytes = ordain_value::json::encode(value).len();
    if stored == Stored::No && bytes > PARAMETERS_BYTES_MAX {
        errors.push(field::Error::too_long(path, 10_240));
    } else if value.as_map().is_none() {
        let why = "must be a valid JSON object";
        errors.push(field::Error::invalid(path, "<value omitted>", why));
    }
}
