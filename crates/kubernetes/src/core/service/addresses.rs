//! Cluster IPs and the families they belong to.

use ordain_value::Value;
use ordain_value::field::{self, BadValue, Path};

use super::read::{NONE, PREFER, REQUIRE, SINGLE, Service, family_of};
use crate::shared::net;
use ordain_strategy::pool::IpFamily;

const FAMILIES: [&str; 2] = ["IPv4", "IPv6"];
const POLICIES: [&str; 3] = [PREFER, REQUIRE, SINGLE];
const SET_ONCE: &str = "may not change once set";

/// How addresses, families and policy agree. Allocation asks this before it adds to them.
pub(super) fn validate(service: Service<'_>, old: Option<Service<'_>>) -> field::ErrorList {
    let mut errors = field::ErrorList::new();
    if service.is("ExternalName") {
        return errors;
    }
    let spec = Path::new("spec");
    primary(service, &spec, &mut errors);
    families(service, &spec, &mut errors);
    if let Some(policy) = service.policy()
        && !POLICIES.contains(&policy)
    {
        errors.push(field::Error::not_supported(
            &spec.child("ipFamilyPolicy"),
            BadValue::named(policy),
            &POLICIES,
        ));
    }
    if ips(service, old, &spec, &mut errors) {
        family_of_each(service, &spec, &mut errors);
    }
    errors
}

/// `clusterIP` and the first of `clusterIPs` are the same.
fn primary(service: Service<'_>, spec: &Path<'_>, errors: &mut field::ErrorList) {
    let (path, ip, ips) = (spec.child("clusterIPs"), service.cluster_ip(), service.cluster_ips());
    let shown = || list(&ips);
    match (ip, ips.first()) {
        ("", Some(_)) => {
            let why = "must be empty when `clusterIP` is not specified";
            errors.push(field::Error::invalid(&path, shown(), why));
        }
        ("", None) => {}
        (_, None) => errors.push(field::Error::required(&path, "")),
        (ip, Some(first)) if ip != *first => {
            errors.push(field::Error::invalid(
                &path,
                shown(),
                "first value must match `clusterIP`",
            ));
        }
        _ => {}
    }
}

fn families(service: Service<'_>, spec: &Path<'_>, errors: &mut field::ErrorList) {
    let (path, given) = (spec.child("ipFamilies"), service.families());
    for (at, family) in given.iter().enumerate() {
        if !FAMILIES.contains(family) {
            errors.push(field::Error::not_supported(
                &path.index(at),
                BadValue::named(family),
                &FAMILIES,
            ));
        }
        if given.iter().take(at).any(|it| it == family) {
            errors.push(field::Error::duplicate(&path.index(at), BadValue::named(family)));
        }
    }
}

/// Each address on its own. Tells whether they may be compared with their families.
fn ips(
    service: Service<'_>,
    old: Option<Service<'_>>,
    spec: &Path<'_>,
    errors: &mut field::ErrorList,
) -> bool {
    let (path, ips) = (spec.child("clusterIPs"), service.cluster_ips());
    let known = old.map(Service::cluster_ips).unwrap_or_default();
    let mut valid = true;
    for (at, ip) in ips.iter().enumerate() {
        if at == 0 && *ip == NONE {
            if ips.len() > 1 {
                valid = false;
                let why = "'None' must be the first and only value";
                errors.push(field::Error::invalid(&path, list(&ips), why));
            }
            continue;
        }
        let found = net::legacy_ip(&path.index(at), ip, &known);
        valid &= found.is_empty();
        errors.extend(found);
    }
    if ips.len() > 2 {
        errors.push(field::Error::invalid(&path, list(&ips), "may only hold up to 2 values"));
    }
    valid
}

fn family_of_each(service: Service<'_>, spec: &Path<'_>, errors: &mut field::ErrorList) {
    let (path, ips) = (spec.child("clusterIPs"), service.cluster_ips());
    let has = |family| ips.iter().any(|ip| family_of(ip) == Some(family));
    if ips.len() > 1 && !(has(IpFamily::V4) && has(IpFamily::V6)) {
        let why = "may specify no more than one IP for each IP family";
        errors.push(field::Error::invalid(&path, list(&ips), why));
    }
    if service.is_headless() {
        return;
    }
    for (at, (ip, family)) in ips.iter().zip(service.families()).enumerate() {
        let Some(expected) = IpFamily::from_name(family) else { continue };
        if (expected == IpFamily::V6) != (family_of(ip) == Some(IpFamily::V6)) {
            let why = format!("expected an {family} value as indicated by `ipFamilies[{at}]`");
            errors.push(field::Error::invalid(&path.index(at), *ip, why));
        }
    }
}

/// Addresses stay; a second one may come and go.
pub(super) fn validate_update(service: Service<'_>, old: Service<'_>) -> field::ErrorList {
    let mut errors = field::ErrorList::new();
    if service.is("ExternalName") || old.is("ExternalName") {
        return errors;
    }
    if !(old.is_headless() && service.is_headless()) {
        ips_update(service, old, &mut errors);
    }
    if !old.is_headless() && !service.is_headless() {
        families_update(service, old, &mut errors);
    }
    errors
}

fn ips_update(service: Service<'_>, old: Service<'_>, errors: &mut field::ErrorList) {
    let spec = Path::new("spec");
    let path = spec.child("clusterIPs");
    let (new, before) = (service.cluster_ips(), old.cluster_ips());
    if new.len() == before.len() {
        for (at, (now, then)) in new.iter().zip(&before).enumerate() {
            if now != then {
                errors.push(field::Error::invalid(&path.index(at), list(&new), SET_ONCE));
            }
        }
        return;
    }
    let first = path.index(0);
    if new.is_empty() {
        let why = "primary clusterIP can not be unset";
        errors.push(field::Error::invalid(&first, list(&new), why));
    } else if !before.is_empty() && new.first() != before.first() {
        errors.push(field::Error::invalid(&first, list(&new), SET_ONCE));
    }
    if new.len() < before.len() && new.len() == 1 && service.policy() != Some(SINGLE) {
        let why = "must be set to 'SingleStack' when releasing the secondary clusterIP";
        errors.push(field::Error::invalid(&spec.child("ipFamilyPolicy"), policy(service), why));
    }
}

fn families_update(service: Service<'_>, old: Service<'_>, errors: &mut field::ErrorList) {
    let spec = Path::new("spec");
    let path = spec.child("ipFamilies");
    let first = path.index(0);
    let (new, before) = (service.families(), old.families());
    if new.len() == before.len() {
        for _ in new.iter().zip(&before).filter(|(now, then)| now != then) {
            errors.push(field::Error::invalid(&first, list(&new), SET_ONCE));
        }
        return;
    }
    let ips = service.cluster_ips();
    if new.len() < before.len() && ips.is_empty() {
        let why = "primary ipFamily can not be unset";
        errors.push(field::Error::invalid(&first, list(&new), why));
    }
    if !new.is_empty() && !before.is_empty() && new.first() != before.first() {
        errors.push(field::Error::invalid(&first, list(&ips), SET_ONCE));
    }
    if new.len() < before.len() && new.len() == 1 && service.policy() != Some(SINGLE) {
        let why = "must be set to 'SingleStack' when releasing the secondary ipFamily";
        errors.push(field::Error::invalid(&spec.child("ipFamilyPolicy"), policy(service), why));
    }
}

/// A list as errors show it; Go shows a list that was never made as null.
pub(super) fn list(texts: &[&str]) -> Value {
    if texts.is_empty() {
        return Value::Null;
    }
    texts.iter().map(|it| Value::from(*it)).collect::<Vec<_>>().into()
}

pub(super) fn policy(service: Service<'_>) -> Value {
    service.policy().map_or(Value::Null, Value::from)
}
