//! What a claim was given: allocated devices, their state, and who has reserved the claim.

use std::collections::BTreeSet;

use ordain_strategy::object;
use ordain_value::field::{self, Path};
use ordain_value::{Value, json};

use super::name;
use super::request::{self, CONFIG_MAX, Names, Stored};
use crate::shared::access::{items, part, some, text, text_of, texts};
use crate::shared::node_selector;
use crate::shared::selector::Values;
use crate::shared::{condition, internal, net};

const RESERVED_MAX: usize = 256;
const RESULTS_MAX: usize = 32;
const CONDITIONS_MAX: usize = 8;
const BINDING_CONDITIONS_MAX: usize = 4;
const IPS_MAX: usize = 16;

/// Driver, pool, device and share of an allocated device.
type DeviceId = (String, String, String, Option<String>);

pub(super) fn device_id(device: &Value) -> DeviceId {
    let owned = |field: &str| text(device, field).to_owned();
    let share = text_of(device, "shareID").map(str::to_owned);
    (owned("driver"), owned("pool"), owned("device"), share)
}

pub(super) fn validate(claim: &Value, old: &Value, errors: &mut field::ErrorList) {
    let (status, before) = (part(claim, "status"), part(old, "status"));
    let path = Path::new("status");
    reserved(claim, status, before, &path.child("reservedFor"), errors);
    let allocation = some(status, "allocation");
    let results = allocation.map_or(&[][..], |it| items(part(it, "devices"), "results"));
    let allocated: BTreeSet<DeviceId> = results.iter().map(device_id).collect();
    devices(status, &allocated, &path.child("devices"), errors);
    if let Some(allocation) = allocation
        && some(before, "allocation").is_none()
    {
        let names = Names::of(part(claim, "spec"));
        validate_allocation(allocation, &names, &path.child("allocation"), errors);
    }
}

fn reserved(
    claim: &Value,
    status: &Value,
    before: &Value,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let users = items(status, "reservedFor");
    if name::fits(users.len(), RESERVED_MAX, path, errors) {
        for (at, user) in users.iter().enumerate() {
            for field in ["resource", "name", "uid"] {
                if text(user, field).is_empty() {
                    errors.push(field::Error::required(&path.index(at).child(field), ""));
                }
            }
        }
    }
    request::once(users.iter().map(|it| text(it, "uid")), path, errors);
    if users.is_empty() {
        return;
    }
    if some(status, "allocation").is_none() {
        let why = "may not be specified when `allocated` is not set";
        errors.push(field::Error::forbidden(path, why));
    } else if object::is_deleting(claim)
        && users.iter().any(|user| !items(before, "reservedFor").contains(user))
    {
        let why = "new entries may not be added while `deallocationRequested` or \
                   `deletionTimestamp` are set";
        errors.push(field::Error::forbidden(path, why));
    }
}

fn devices(
    status: &Value,
    allocated: &BTreeSet<DeviceId>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let mut seen = BTreeSet::new();
    for (at, device) in items(status, "devices").iter().enumerate() {
        let path = path.index(at);
        name::driver(text(device, "driver"), &path.child("driver"), errors);
        name::pool(text(device, "pool"), &path.child("pool"), errors);
        errors.extend(net::label(&path.child("device"), text(device, "device")));
        share(device, &path, errors);
        let id = device_id(device);
        if !seen.insert(id.clone()) {
            errors.push(field::Error::duplicate(&path, shown_id(&id)));
        }
        if !allocated.contains(&id) {
            let why = "must be an allocated device in the claim";
            errors.push(field::Error::invalid(&path, shown_id(&id), why));
        }
        let (list, given) = (path.child("conditions"), items(device, "conditions"));
        name::fits(given.len(), CONDITIONS_MAX, &list, errors);
        condition::validate(given, &list, errors);
        if let Some(data) = some(device, "data") {
            request::raw(Some(data), Stored::No, &path.child("data"), errors);
        }
        if let Some(network) = some(device, "networkData") {
            let (list, ips) = (path.child("networkData"), texts(network, "ips"));
            let list = list.child("ips");
            if name::fits(ips.len(), IPS_MAX, &list, errors) {
                for (at, ip) in ips.iter().enumerate() {
                    errors.extend(net::invalid(&list.index(at), ip, net::interface_address(ip)));
                }
            }
        }
    }
}

/// The share of a device that several claims use.
fn share(device: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    if let Some(id) = text_of(device, "shareID")
        && let Some(why) = name::uuid(id)
    {
        errors.push(field::Error::invalid(&path.child("shareID"), id, why));
    }
}

/// A device as Go writes the structure that tells it.
fn shown_id((driver, pool, device, share): &DeviceId) -> field::BadValue {
    let text = |text: &str| json::encode_string(&text.into());
    internal::structure(&[
        ("Driver", text(driver)),
        ("Pool", text(pool)),
        ("Device", text(device)),
        ("ShareID", text(share.as_deref().unwrap_or(""))),
    ])
}

fn validate_allocation(
    allocation: &Value,
    names: &Names<'_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let (devices, at) = (part(allocation, "devices"), path.child("devices"));
    let (list, results) = (at.child("results"), items(devices, "results"));
    if name::fits(results.len(), RESULTS_MAX, &list, errors) {
        for (at, result) in results.iter().enumerate() {
            validate_result(result, names, &list.index(at), errors);
        }
    }
    let (list, configs) = (at.child("config"), items(devices, "config"));
    if name::fits(configs.len(), 2 * CONFIG_MAX, &list, errors) {
        for (at, config) in configs.iter().enumerate() {
            let path = list.index(at);
            source(text(config, "source"), &path.child("source"), errors);
            names.check_all(config, &path, errors);
            request::configuration(config, Stored::No, &path, errors);
        }
    }
    if let Some(selector) = some(allocation, "nodeSelector") {
        let path = path.child("nodeSelector");
        node_selector::validate(selector, Values::Checked, &path, errors);
    }
}

fn source(text: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    const SOURCES: [&str; 2] = ["FromClaim", "FromClass"];
    if text.is_empty() {
        errors.push(field::Error::required(path, ""));
    } else if !SOURCES.contains(&text) {
        errors.push(field::Error::not_supported(path, text, &SOURCES));
    }
}

fn validate_result(
    result: &Value,
    names: &Names<'_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    names.check(text(result, "request"), &path.child("request"), errors);
    name::driver(text(result, "driver"), &path.child("driver"), errors);
    name::pool(text(result, "pool"), &path.child("pool"), errors);
    errors.extend(net::label(&path.child("device"), text(result, "device")));
    share(result, path, errors);
    binding_conditions(result, path, errors);
}

/// Conditions for a device to be ready, and for it never to be: both or none.
pub(super) fn binding_conditions(owner: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    const FIELDS: [&str; 2] = ["bindingConditions", "bindingFailureConditions"];
    let [wanted, failures] = FIELDS.map(|field| texts(owner, field));
    for (field, given) in FIELDS.into_iter().zip([&wanted, &failures]) {
        let list = path.child(field);
        if name::fits(given.len(), BINDING_CONDITIONS_MAX, &list, errors) {
            for (at, condition) in given.iter().enumerate() {
                errors.extend(net::qualified_name(&list.index(at), condition));
            }
        }
        request::once(given.iter().copied(), &list, errors);
    }
    let list = path.child("bindingFailureConditions");
    for (at, condition) in failures.iter().enumerate().filter(|it| wanted.contains(it.1)) {
        let why = "bindingFailureConditions must not overlap with bindingConditions";
        errors.push(field::Error::invalid(&list.index(at), *condition, why));
    }
    if wanted.is_empty() && !failures.is_empty() {
        let why = "bindingConditions are required to use bindingFailureConditions";
        let shown = internal::given(owner, "bindingConditions");
        errors.push(field::Error::invalid(&path.child("bindingConditions"), shown, why));
    }
    if failures.is_empty() && !wanted.is_empty() {
        let why = "bindingFailureConditions are required to use bindingConditions";
        let shown = internal::given(owner, "bindingFailureConditions");
        errors.push(field::Error::invalid(&list, shown, why));
    }
}
