//! A device: attributes, capacity, taints, counters, and which nodes can use it.

use ordain_meta::name as names;
use ordain_value::field::{self, Path};
use ordain_value::{Value, json};

use super::resource_slice::count;
use super::{allocation, capacity, name, request};
use crate::shared::access::{entries, flag_of, items, some, text, text_of, texts};
use crate::shared::node_selector;
use crate::shared::selector::Values;
use crate::shared::{internal, net, resources};

const ENTRIES_MAX: usize = 32;
const VALUES_MAX: usize = 48;
const VALUE_BYTES_MAX: usize = 64;
const TAINTS_MAX: usize = 16;
const CONSUMPTIONS_MAX: usize = 2;
const COUNTERS_MAX: usize = 32;
/// A domain, a slash and an identifier.
const KEY_BYTES_MAX: usize = 63 + 1 + name::ID_BYTES_MAX;
const LISTS: [&str; 4] = ["bools", "ints", "strings", "versions"];
/// Kinds of values in the order of the Go type.
const KINDS: [(&str, &str); 8] = [
    ("IntValue", "int"),
    ("BoolValue", "bool"),
    ("StringValue", "string"),
    ("VersionValue", "version"),
    ("IntValues", "ints"),
    ("BoolValues", "bools"),
    ("StringValues", "strings"),
    ("VersionValues", "versions"),
];

/// Whether an attribute has a list of values.
pub(super) fn has_lists(device: &Value) -> bool {
    let mut attributes = entries(device, "attributes");
    attributes.any(|(_, it)| LISTS.iter().any(|list| some(it, list).is_some()))
}

pub(super) fn has_mappings(device: &Value) -> bool {
    count(device, "nodeAllocatableResourceMappings") > 0
}

pub(super) fn drop_lists(device: &mut Value) {
    let Some(attributes) = device.get_mut("attributes").and_then(Value::as_map_mut) else { return };
    for (_, attribute) in attributes.iter_mut() {
        for list in LISTS {
            attribute.remove_path(&[list]);
        }
    }
}

pub(super) fn validate(
    device: &Value,
    old: Option<&Value>,
    per_device: bool,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    errors.extend(net::label(&path.child("name"), text(device, "name")));
    sizes(device, path, errors);
    let list = path.child("attributes");
    for (key, attribute) in entries(device, "attributes") {
        name::qualified(key, &list, errors);
        validate_attribute(attribute, &list.key(&name::shown_key(key, KEY_BYTES_MAX)), errors);
    }
    let shared = flag_of(device, "allowMultipleAllocations").unwrap_or(false);
    let list = path.child("capacity");
    for (key, value) in entries(device, "capacity") {
        name::qualified(key, &list, errors);
        let shown = name::shown_key(key, KEY_BYTES_MAX);
        capacity::validate(value, shared, &list.key(&shown), errors);
    }
    if old.is_none_or(|old| items(old, "taints") != items(device, "taints")) {
        taints(device, &path.child("taints"), errors);
    }
    let (list, consumed) = (path.child("consumesCounters"), items(device, "consumesCounters"));
    if name::fits(consumed.len(), CONSUMPTIONS_MAX, &list, errors) {
        for (at, one) in consumed.iter().enumerate() {
            counters(one, "counterSet", &list.index(at), errors);
        }
        request::once(consumed.iter().map(|it| text(it, "counterSet")), &list, errors);
    }
    if per_device {
        nodes(device, path, errors);
    } else if ["nodeName", "nodeSelector", "allNodes"].iter().any(|it| some(device, it).is_some()) {
        let why = "`nodeName`, `nodeSelector` and `allNodes` can only be set if \
                   `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
        errors.push(field::Error::invalid(path, Value::Null, why));
    }
    allocation::binding_conditions(device, path, errors);
    mappings(device, &path.child("nodeAllocatableResourceMappings"), errors);
}

fn sizes(device: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let number = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
    let total = count(device, "attributes") + count(device, "capacity");
    if total > ENTRIES_MAX {
        let why =
            format!("the total number of attributes and capacities must not exceed {ENTRIES_MAX}");
        errors.push(field::Error::invalid(path, number(total), why));
    }
    let values = |attribute: &Value| {
        let listed: usize = LISTS.iter().map(|list| items(attribute, list).len()).sum();
        listed.max(1)
    };
    let values: usize = entries(device, "attributes").map(|(_, it)| values(it)).sum();
    if values > VALUES_MAX {
        let why = format!("the total number of attribute values must not exceed {VALUES_MAX}");
        errors.push(field::Error::invalid(path, number(values), why));
    }
}

fn validate_attribute(attribute: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    if let Some(text) = text_of(attribute, "string") {
        value(text, false, &path.child("string"), errors);
    }
    if let Some(text) = text_of(attribute, "version") {
        value(text, true, &path.child("version"), errors);
    }
    for list in LISTS {
        let path = path.child(list);
        if some(attribute, list).is_some() && items(attribute, list).is_empty() {
            let shown = internal::given(attribute, list);
            let why = "must not be empty if specified";
            errors.push(field::Error::invalid(&path, shown, why));
        }
        if matches!(list, "strings" | "versions") {
            for (at, text) in texts(attribute, list).into_iter().enumerate() {
                value(text, list == "versions", &path.index(at), errors);
            }
        }
    }
    const WHY: &str = "exactly one value must be specified";
    match KINDS.iter().filter(|it| some(attribute, it.1).is_some()).count() {
        0 => errors.push(field::Error::invalid(path, "", WHY)),
        1 => {}
        _ => {
            let shown = KINDS.map(|(go, json)| (go, internal::plain(attribute.get(json))));
            errors.push(field::Error::invalid(path, internal::structure(&shown), WHY));
        }
    }
}

fn value(text: &str, version: bool, path: &Path<'_>, errors: &mut field::ErrorList) {
    if version && !is_semver(text) {
        let why = "must be a string compatible with semver.org spec 2.0.0";
        errors.push(field::Error::invalid(path, text, why));
    }
    if text.len() > VALUE_BYTES_MAX {
        errors.push(field::Error::too_long(path, 64));
    }
}

/// Three numbers, perhaps with a pre-release and a build.
fn is_semver(text: &str) -> bool {
    let (text, build) = match text.split_once('+') {
        Some((text, build)) => (text, Some(build)),
        None => (text, None),
    };
    let (core, pre) = match text.split_once('-') {
        Some((core, pre)) => (core, Some(pre)),
        None => (text, None),
    };
    let digits = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let number = |it: &str| digits(it) && (it == "0" || !it.starts_with('0'));
    let word =
        |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
    let parts: Vec<&str> = core.split('.').collect();
    parts.len() == 3
        && parts.into_iter().all(number)
        && pre.is_none_or(|it| it.split('.').all(|it| word(it) && (!digits(it) || number(it))))
        && build.is_none_or(|it| it.split('.').all(word))
}

fn taints(device: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let given = items(device, "taints");
    if !name::fits(given.len(), TAINTS_MAX, path, errors) {
        return;
    }
    for (at, taint) in given.iter().enumerate() {
        let path = path.index(at);
        let value = text(taint, "value");
        errors.extend(net::qualified_name(&path.child("key"), text(taint, "key")));
        errors.extend(net::invalid(&path.child("value"), value, names::label_value(value)));
        match text(taint, "effect") {
            "" => errors.push(field::Error::required(&path.child("effect"), "")),
            effect if !request::EFFECTS.contains(&effect) => {
                let path = path.child("effect");
                errors.push(field::Error::not_supported(&path, effect, &request::EFFECTS));
            }
            _ => {}
        }
    }
}

/// Counters by name, of a set that has a name, too.
pub(super) fn counters(owner: &Value, field: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    match text(owner, field) {
        "" => errors.push(field::Error::required(&path.child(field), "")),
        name => errors.extend(net::label(&path.child(field), name)),
    }
    let (list, total) = (path.child("counters"), count(owner, "counters"));
    if total == 0 {
        errors.push(field::Error::required(&list, ""));
    } else if name::fits(total, COUNTERS_MAX, &list, errors) {
        for (key, _) in entries(owner, "counters") {
            errors.extend(net::label(&list, key));
        }
    }
}

fn nodes(device: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    const ONE_OF: &str = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required \
                          when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    let mut set = Vec::new();
    match text_of(device, "nodeName") {
        Some("") => {
            let path = path.child("nodeName");
            errors.push(field::Error::invalid(&path, "", "must not be empty"));
        }
        Some(node) => {
            set.push("`nodeName`");
            errors.extend(net::subdomain(&path.child("nodeName"), node));
        }
        None => {}
    }
    if let Some(selector) = some(device, "nodeSelector") {
        set.push("`nodeSelector`");
        let path = path.child("nodeSelector");
        node_selector::validate(selector, Values::Checked, &path, errors);
    }
    match flag_of(device, "allNodes") {
        Some(true) => set.push("`allNodes`"),
        Some(false) => {
            let why = "must be either unset or set to true";
            errors.push(field::Error::invalid(&path.child("allNodes"), false, why));
        }
        None => {}
    }
    match set.len() {
        0 => errors.push(field::Error::required(path, ONE_OF)),
        1 => {}
        _ => {
            let shown = format!("{{{}}}", set.join(", "));
            errors.push(field::Error::invalid(path, shown, ONE_OF));
        }
    }
}

/// Resources of the node that a device stands for.
fn mappings(device: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    for (key, mapping) in entries(device, "nodeAllocatableResourceMappings") {
        let path = path.key(key);
        if !resources::is_native(key) {
            let why = "must be a node allocatable resource name";
            errors.push(field::Error::invalid(&path, key.as_str(), why));
        }
        let multiplier = some(mapping, "allocationMultiplier").map(resources::quantity);
        let capacity = text_of(mapping, "capacityKey");
        if multiplier.is_none() && capacity.is_none() {
            let why = "at least one of allocationMultiplier or capacityKey must be set";
            errors.push(field::Error::invalid(&path, "", why));
        }
        if let Some(multiplier) = multiplier.filter(|it| it.sign() <= 0) {
            let path = path.child("allocationMultiplier");
            errors.push(field::Error::invalid(&path, multiplier.to_string(), "must be positive"));
        }
        match capacity {
            Some("") => {
                let why = "capacityKey must not be an empty string";
                errors.push(field::Error::invalid(&path.child("capacityKey"), "", why));
            }
            Some(key) if !entries(device, "capacity").any(|it| it.0 == key) => {
                errors.push(field::Error::not_found(&path.child("capacityKey"), key));
            }
            _ => {}
        }
    }
}

/// The terms of a selector of nodes as Go writes its structures.
pub(super) fn shown_terms(selector: &Value) -> field::BadValue {
    let requirement = |it: &Value| {
        internal::structure_text(&[
            ("Key", json::encode_string(&text(it, "key").into())),
            ("Operator", json::encode_string(&text(it, "operator").into())),
            ("Values", internal::plain(it.get("values"))),
        ])
    };
    let list = |owner: &Value, field: &str| match some(owner, field) {
        None => "null".to_owned(),
        Some(_) => {
            let shown: Vec<String> = items(owner, field).iter().map(requirement).collect();
            format!("[{}]", shown.join(","))
        }
    };
    if some(selector, "nodeSelectorTerms").is_none() {
        return field::BadValue::Json("null".to_owned());
    }
    let terms = items(selector, "nodeSelectorTerms").iter().map(|term| {
        internal::structure_text(&[
            ("MatchExpressions", list(term, "matchExpressions")),
            ("MatchFields", list(term, "matchFields")),
        ])
    });
    field::BadValue::Json(format!("[{}]", terms.collect::<Vec<_>>().join(",")))
}
