//! What a Service is given: address families, cluster IPs, node ports.
//!
//! Runs between admission and preparation, on a [`Pool`] that is the write's own; what is taken
//! counts only once the write is committed.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use ordain_meta::gvk::GroupKind;
use ordain_meta::status::Status;
use ordain_strategy::object;
use ordain_strategy::pool::{IpFamily, Pool, Unavailable};
use ordain_value::field::{self, Path};
use ordain_value::{List, Map, Value};

use super::addresses::{self, list, policy};
use super::read::{NONE, PREFER, REQUIRE, SINGLE, Service, family_of};
use crate::shared::access::{int, items_mut, part_mut, text};
use crate::shared::net;

/// Gives a new service, or a changed one, what it needs.
pub(super) fn allocate(
    service: &mut Value,
    old: Option<&Value>,
    pool: &mut dyn Pool,
) -> Result<(), Status> {
    match old {
        None => {
            mirror_cluster_ip(service);
            init_families(service, None, pool)?;
            fill_cluster_ips(service, pool)?;
            init_node_ports(service, pool)?;
            if Service::of(service).needs_health_check() {
                health_check_port(service, pool)?;
            }
        }
        Some(old) => {
            keep_allocated(service, old);
            normalize_cluster_ips(service, old);
            init_families(service, Some(old), pool)?;
            update_cluster_ips(service, old, pool)?;
            update_node_ports(service, old, pool)?;
        }
    }
    Ok(())
}

fn refused(service: &Value, errors: &field::ErrorList) -> Status {
    Status::invalid(&GroupKind::new("", "Service"), object::name(service), errors)
}

fn set(service: &mut Value, field: &str, value: Value) {
    if let Some(spec) = part_mut(service, "spec") {
        spec.insert(field, value);
    }
}

fn set_list<S: AsRef<str>>(service: &mut Value, field: &str, texts: &[S]) {
    let Some(spec) = part_mut(service, "spec") else { return };
    if texts.is_empty() {
        spec.remove(field);
        return;
    }
    let list: Vec<Value> = texts.iter().map(|it| it.as_ref().into()).collect();
    spec.insert(field, Value::List(List::from(list)));
}

fn owned(texts: Vec<&str>) -> Vec<String> {
    texts.into_iter().map(str::to_owned).collect()
}

/// A client that knows `clusterIP` alone means the first of `clusterIPs`.
fn mirror_cluster_ip(service: &mut Value) {
    let read = Service::of(service);
    if !read.cluster_ip().is_empty() && read.cluster_ips().is_empty() {
        let ip = read.cluster_ip().to_owned();
        set_list(service, "clusterIPs", &[ip]);
    }
}

/// What the server once filled in stays, when a client sends its object without it.
fn keep_allocated(service: &mut Value, old: &Value) {
    let (new, before) = (Service::of(service), Service::of(old));
    let ports = new.allocates_node_ports() && before.allocates_node_ports();
    let health = new.needs_health_check() && before.needs_health_check();
    if new.needs_cluster_ip() && before.needs_cluster_ip() {
        let (no_ip, no_ips) = (new.cluster_ip().is_empty(), new.cluster_ips().is_empty());
        if no_ip && !before.cluster_ip().is_empty() {
            set(service, "clusterIP", before.cluster_ip().into());
        }
        if no_ips {
            set_list(service, "clusterIPs", &before.cluster_ips());
        }
    }
    if ports {
        keep_node_ports(service, before);
    }
    if health && Service::of(service).health_check_port() == 0 {
        set(service, "healthCheckNodePort", before.health_check_port().into());
    }
}

/// Ports are known by their name; what another port uses already is not given twice.
fn keep_node_ports(service: &mut Value, old: Service<'_>) {
    let new = Service::of(service).node_ports();
    let used: BTreeSet<i64> = old.node_ports().intersection(&new).copied().collect();
    let by_name: BTreeMap<&str, i64> =
        old.ports().iter().map(|port| (text(port, "name"), int(port, "nodePort"))).collect();
    let Some(spec) = service.get_mut("spec") else { return };
    for port in items_mut(spec, "ports") {
        let known = by_name.get(text(port, "name")).copied().unwrap_or(0);
        if int(port, "nodePort") == 0 && known != 0 && !used.contains(&known) {
            port.set_path(&["nodePort"], known.into());
        }
    }
}

/// Finds out what a client means that changes one of `clusterIP` and `clusterIPs` only.
fn normalize_cluster_ips(service: &mut Value, old: &Value) {
    let (new, before) = (Service::of(service), Service::of(old));
    let same_ip = new.cluster_ip() == before.cluster_ip();
    if new.cluster_ips().is_empty() && same_ip {
        set_list(service, "clusterIPs", &before.cluster_ips());
        return;
    }
    if same_ip || new.cluster_ips() != before.cluster_ips() {
        return;
    }
    let ip = new.cluster_ip().to_owned();
    if ip.is_empty() {
        set_list::<&str>(service, "clusterIPs", &[]);
    } else {
        set_list(service, "clusterIPs", &[ip]);
    }
}

/// A service that prefers two families and has not changed is left as it is, whatever the cluster
/// has become meanwhile.
fn is_settled(new: Service<'_>, old: Option<Service<'_>>) -> bool {
    old.is_some_and(|old| {
        new.policy() == Some(PREFER)
            && old.policy().is_none_or(|it| it == PREFER)
            && new.ty() == old.ty()
            && matches!(new.ty(), "ClusterIP" | "NodePort" | "LoadBalancer")
            && new.cluster_ips() == old.cluster_ips()
            && new.families() == old.families()
    })
}

/// Fills in `ipFamilyPolicy` and `ipFamilies`.
fn init_families(service: &mut Value, old: Option<&Value>, pool: &dyn Pool) -> Result<(), Status> {
    let old = old.map(Service::of);
    let new = Service::of(service);
    if new.is("ExternalName") || is_settled(new, old) {
        return Ok(());
    }
    if new.policy().is_none() {
        let inferred = match old.and_then(Service::policy) {
            Some(policy) => policy.to_owned(),
            None if new.is_headless_without_selector() => REQUIRE.to_owned(),
            None => SINGLE.to_owned(),
        };
        set(service, "ipFamilyPolicy", inferred.into());
    }
    let errors = addresses::validate(Service::of(service), old);
    if !errors.is_empty() {
        return Err(refused(service, &errors));
    }
    let mut errors = field::ErrorList::new();
    if let Some(old) = old {
        shrink(service, old, &mut errors);
    }
    policy_fits(Service::of(service), &mut errors);
    infer_families(service, pool, &mut errors);
    if !errors.is_empty() {
        return Err(refused(service, &errors));
    }
    if Service::of(service).is_headless_without_selector() {
        complete_headless(service, pool);
        return Ok(());
    }
    configured(Service::of(service), pool, &mut errors);
    if !errors.is_empty() {
        return Err(refused(service, &errors));
    }
    complete(service, pool);
    Ok(())
}

/// An update to one family drops the second address; any other policy may not lose one.
fn shrink(service: &mut Value, old: Service<'_>, errors: &mut field::ErrorList) {
    let spec = Path::new("spec");
    let path = spec.child("ipFamilyPolicy");
    let new = Service::of(service);
    let (ips, families) = (owned(new.cluster_ips()), owned(new.families()));
    if new.policy() == Some(SINGLE) {
        let (same_ips, same_families) =
            (new.cluster_ips() == old.cluster_ips(), new.families() == old.families());
        if same_ips && ips.len() > 1 {
            set_list(service, "clusterIPs", ips.get(..1).unwrap_or_default());
        }
        if same_families && families.len() > 1 {
            set_list(service, "ipFamilies", families.get(..1).unwrap_or_default());
        }
        return;
    }
    if !ips.is_empty() && ips.len() < old.cluster_ips().len() {
        let why = "must be 'SingleStack' to release the secondary cluster IP";
        errors.push(field::Error::invalid(&path, policy(new), why));
    }
    if !families.is_empty() && families.len() < old.families().len() {
        let why = "must be 'SingleStack' to release the secondary IP family";
        errors.push(field::Error::invalid(&path, policy(new), why));
    }
}

fn policy_fits(service: Service<'_>, errors: &mut field::ErrorList) {
    if service.policy() != Some(SINGLE) {
        return;
    }
    let spec = Path::new("spec");
    let counts =
        [(service.cluster_ips().len(), "cluster IPs"), (service.families().len(), "IP families")];
    for (_, what) in counts.into_iter().filter(|it| it.0 == 2) {
        let why = format!(
            "must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified"
        );
        errors.push(field::Error::invalid(&spec.child("ipFamilyPolicy"), policy(service), why));
    }
}

/// Families that are not given follow from the addresses that are.
fn infer_families(service: &mut Value, pool: &dyn Pool, errors: &mut field::ErrorList) {
    let new = Service::of(service);
    let (ips, mut families) = (owned(new.cluster_ips()), owned(new.families()));
    let shown = list(&new.cluster_ips());
    for (at, ip) in ips.iter().enumerate().take_while(|(_, ip)| *ip != NONE) {
        let Some(family) = family_of(ip).filter(|_| at >= families.len()) else { continue };
        if pool.families().contains(&family) {
            families.push(family.name().to_owned());
            continue;
        }
        let spec = Path::new("spec");
        let path = spec.child("clusterIPs");
        let why = format!("{} is not configured on this cluster", family.name());
        errors.push(field::Error::invalid(&path.index(at), shown.clone(), why));
    }
    set_list(service, "ipFamilies", &families);
}

fn default_family(pool: &dyn Pool) -> IpFamily {
    pool.families().first().copied().unwrap_or(IpFamily::V4)
}

fn other(family: &str) -> String {
    let family = IpFamily::from_name(family).unwrap_or(IpFamily::V6);
    family.other().name().to_owned()
}

/// Nobody knows the endpoints of a headless service without selector: they may be of any family.
fn complete_headless(service: &mut Value, pool: &dyn Pool) {
    let mut families = owned(Service::of(service).families());
    if families.is_empty() {
        families.push(default_family(pool).name().to_owned());
    }
    if families.len() < 2 && Service::of(service).policy() != Some(SINGLE) {
        families.extend(families.first().map(|it| other(it)));
    }
    set_list(service, "ipFamilies", &families);
}

fn configured(service: Service<'_>, pool: &dyn Pool, errors: &mut field::ErrorList) {
    let spec = Path::new("spec");
    if service.policy() == Some(REQUIRE) && pool.families().len() < 2 {
        let why = "this cluster is not configured for dual-stack services";
        errors.push(field::Error::invalid(&spec.child("ipFamilyPolicy"), policy(service), why));
    }
    let path = spec.child("ipFamilies");
    for (at, family) in service.families().into_iter().enumerate() {
        let known = IpFamily::from_name(family).is_some_and(|it| pool.families().contains(&it));
        if !known {
            let why = "not configured on this cluster";
            errors.push(field::Error::invalid(&path.index(at), family, why));
        }
    }
}

fn complete(service: &mut Value, pool: &dyn Pool) {
    let mut families = owned(Service::of(service).families());
    if families.is_empty() {
        families.push(default_family(pool).name().to_owned());
    }
    let both = pool.families().len() == 2 && Service::of(service).policy() != Some(SINGLE);
    if both && families.len() == 1 {
        families.extend(families.first().map(|it| other(it)));
    }
    set_list(service, "ipFamilies", &families);
}

/// An address for every family that has none yet.
fn fill_cluster_ips(service: &mut Value, pool: &mut dyn Pool) -> Result<(), Status> {
    let new = Service::of(service);
    if new.is("ExternalName") || new.cluster_ips().first() == Some(&NONE) {
        return Ok(());
    }
    let (families, mut ips) = (owned(new.families()), owned(new.cluster_ips()));
    ips.resize(ips.len().max(families.len()), String::new());
    for (at, family) in families.iter().enumerate() {
        let ip = take_ip(service, family, &ips, at, pool)?;
        if let Some(slot) = ips.get_mut(at) {
            *slot = ip;
        }
    }
    if let Some(first) = ips.first().filter(|_| !families.is_empty()) {
        set(service, "clusterIP", first.as_str().into());
    }
    set_list(service, "clusterIPs", &ips);
    Ok(())
}

/// The address at a place of the list, or a new one when that is empty.
fn take_ip(
    service: &Value,
    family: &str,
    ips: &[String],
    at: usize,
    pool: &mut dyn Pool,
) -> Result<String, Status> {
    let spec = Path::new("spec");
    let path = spec.child("clusterIPs");
    let wanted = ips.get(at).map_or("", String::as_str);
    let family = IpFamily::from_name(family).unwrap_or(IpFamily::V4);
    let shown: Vec<Value> = ips.iter().map(|it| it.as_str().into()).collect();
    if wanted.is_empty() {
        return pool.take_ip(family, None).map(|ip| ip.to_string()).map_err(|why| match why {
            Unavailable::Full => Status::internal(&format!(
                "failed to allocate a serviceIP for Service {}: {why}",
                ordain_value::go_quote(object::name(service))
            )),
            why => {
                let why = format!("failed to allocate IP: {why}");
                refused(service, &field::Error::invalid(&path, shown, why).into())
            }
        });
    }
    let Some(ip) = net::parse_ip(wanted) else {
        let quoted = ordain_value::go_quote(wanted);
        return Err(Status::internal(&format!("failed to parse service IP {quoted}")));
    };
    match pool.take_ip(family, Some(ip)) {
        Ok(_) => Ok(wanted.to_owned()),
        Err(why) => {
            let why = format!("failed to allocate IP {wanted}: {why}");
            Err(refused(service, &field::Error::invalid(&path, shown, why).into()))
        }
    }
}

fn update_cluster_ips(service: &mut Value, old: &Value, pool: &mut dyn Pool) -> Result<(), Status> {
    let (new, before) = (Service::of(service), Service::of(old));
    if is_settled(new, Some(before)) {
        return Ok(());
    }
    if before.is("ExternalName") && !new.is("ExternalName") {
        return fill_cluster_ips(service, pool);
    }
    if before.cluster_ips().first() == Some(&NONE) {
        return Ok(());
    }
    if !before.is("ExternalName") && new.is("ExternalName") {
        release_ips(before.cluster_ips().into_iter(), pool);
        return Ok(());
    }
    match (before.families().len(), new.families().len()) {
        (1, 2) => {
            let (families, mut ips) = (owned(new.families()), owned(new.cluster_ips()));
            ips.resize(ips.len().max(2), String::new());
            let second = families.get(1).map_or("", String::as_str);
            let ip = take_ip(service, second, &ips, 1, pool)?;
            if let Some(slot) = ips.get_mut(1) {
                *slot = ip;
            }
            set_list(service, "clusterIPs", &ips);
        }
        (2, 1) => release_ips(before.cluster_ips().into_iter().skip(1), pool),
        _ => {}
    }
    Ok(())
}

fn release_ips<'a>(ips: impl Iterator<Item = &'a str>, pool: &mut dyn Pool) {
    ips.filter_map(net::parse_ip).for_each(|ip| pool.release_ip(ip));
}

/// Node ports of a new service. Ports of one number share a node port, so that the same service
/// over TCP and UDP is found at one number.
fn init_node_ports(service: &mut Value, pool: &mut dyn Pool) -> Result<(), Status> {
    let new = Service::of(service);
    if !new.has_node_ports() {
        return Ok(());
    }
    let allocates = new.allocates_node_ports();
    let ports: Vec<(i64, i64)> =
        new.ports().iter().map(|port| (int(port, "port"), int(port, "nodePort"))).collect();
    let mut given: BTreeMap<i64, i64> = BTreeMap::new();
    let mut chosen = Vec::with_capacity(ports.len());
    for (at, (number, asked)) in ports.iter().enumerate() {
        if *asked == 0 && !allocates {
            chosen.push(0);
            continue;
        }
        let node_port = match given.get(number) {
            Some(shared) if *asked == 0 || asked == shared => *shared,
            Some(_) => take_port(service, at, *asked, pool)?,
            None => {
                let requested = ports.iter().find(|it| it.0 == *number && it.1 != 0);
                let taken = take_port(service, at, requested.map_or(0, |it| it.1), pool)?;
                given.insert(*number, taken);
                taken
            }
        };
        chosen.push(node_port);
    }
    set_node_ports(service, &chosen);
    Ok(())
}

fn set_node_ports(service: &mut Value, chosen: &[i64]) {
    let Some(spec) = service.get_mut("spec") else { return };
    for (port, node_port) in items_mut(spec, "ports").zip(chosen) {
        if *node_port != 0 {
            port.set_path(&["nodePort"], (*node_port).into());
        }
    }
}

/// Takes a node port: the asked one, or any when that is zero.
fn take_port(service: &Value, at: usize, asked: i64, pool: &mut dyn Pool) -> Result<i64, Status> {
    if asked == 0 {
        let taken = pool.take_port(None);
        return taken
            .map_err(|why| Status::internal(&format!("failed to allocate a nodePort: {why}")));
    }
    pool.take_port(Some(asked)).map_err(|why| {
        let (spec, ports) = (Path::new("spec"), "ports");
        let (path, why) = (spec.child(ports), why.to_string());
        let error = field::Error::invalid(&path.index(at).child("nodePort"), asked, why);
        refused(service, &error.into())
    })
}

fn health_check_port(service: &mut Value, pool: &mut dyn Pool) -> Result<(), Status> {
    let asked = Service::of(service).health_check_port();
    if asked != 0 {
        let taken = pool.take_port(Some(asked));
        return taken.map(|_| ()).map_err(|why| {
            let words = "failed to allocate requested HealthCheck NodePort";
            Status::internal(&format!("{words} {asked}: {why}"))
        });
    }
    let taken = pool.take_port(None).map_err(|why| {
        Status::internal(&format!("failed to allocate a HealthCheck NodePort 0: {why}"))
    })?;
    set(service, "healthCheckNodePort", taken.into());
    Ok(())
}

fn update_node_ports(service: &mut Value, old: &Value, pool: &mut dyn Pool) -> Result<(), Status> {
    let (new, before) = (Service::of(service), Service::of(old));
    let (needs, needed) = (new.needs_health_check(), before.needs_health_check());
    let held = before.node_ports();
    if new.has_node_ports() {
        change_node_ports(service, &held, pool)?;
        let kept = Service::of(service).node_ports();
        held.difference(&kept).for_each(|port| pool.release_port(*port));
    } else if before.has_node_ports() {
        held.iter().for_each(|port| pool.release_port(*port));
    }
    match (needed, needs) {
        (false, true) => health_check_port(service, pool),
        (true, false) => {
            pool.release_port(before.health_check_port());
            Ok(())
        }
        _ => Ok(()),
    }
}

fn change_node_ports(
    service: &mut Value,
    held: &BTreeSet<i64>,
    pool: &mut dyn Pool,
) -> Result<(), Status> {
    let new = Service::of(service);
    let allocates = new.allocates_node_ports();
    let ports: Vec<(String, i64)> = new
        .ports()
        .iter()
        .map(|port| (text(port, "protocol").to_owned(), int(port, "nodePort")))
        .collect();
    let (mut taken, mut seen, mut chosen) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for (at, (protocol, asked)) in ports.into_iter().enumerate() {
        let node_port = match asked {
            0 if !allocates => 0,
            0 => take_port(service, at, 0, pool)?,
            port => {
                if !held.contains(&port) && taken.insert(port) {
                    take_port(service, at, port, pool)?;
                }
                port
            }
        };
        if node_port != 0 && !seen.insert((protocol.clone(), node_port)) {
            return Err(Status::unclassified(format!(
                "duplicate nodePort: {{{protocol} {node_port}}}"
            )));
        }
        chosen.push(node_port);
    }
    set_node_ports(service, &chosen);
    Ok(())
}

/// The addresses that a stored service has.
pub fn addresses_of(service: &Value) -> Vec<IpAddr> {
    let service = Service::of(service);
    if service.is("ExternalName") {
        return Vec::new();
    }
    service.cluster_ips().into_iter().filter_map(net::parse_ip).collect()
}

/// The node ports that a stored service has, the one for health checks included.
pub fn node_ports_of(service: &Value) -> BTreeSet<i64> {
    let read = Service::of(service);
    let mut ports = read.node_ports();
    if read.needs_health_check() && read.health_check_port() != 0 {
        ports.insert(read.health_check_port());
    }
    ports
}

/// The IPAddress object that shows which service has an address.
pub fn ip_address(ip: IpAddr, service: &Value) -> Value {
    let mut labels = Map::new();
    labels.insert("ipaddress.kubernetes.io/ip-family", IpFamily::of(ip).name().into());
    labels.insert("ipaddress.kubernetes.io/managed-by", "ipallocator.k8s.io".into());
    ordain_value::value!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "IPAddress",
        "metadata": {"name": (ip.to_string()), "labels": (Value::Map(labels))},
        "spec": {"parentRef": {
            "resource": "services",
            "namespace": (object::namespace(service)),
            "name": (object::name(service))
        }}
    })
}
