//! The rules of a pod's spec, whether it stands in a pod or in a template.

use std::collections::BTreeSet;

use ordain_meta::{ObjectMeta, object_meta};
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::check::{between, required_one_of};
use super::containers::Pod;
use super::options::PodOptions;
use super::{
    affinity, annotations, containers, dns, env, security, shown, topology, volumes, windows,
};
use crate::shared::access::{
    entries, flag, flag_of, int, int_of, items, part, some, text, text_of,
};
use crate::shared::resources::{self, Requirements};
use crate::shared::{net, selector};

/// The rules of a template: metadata that its pods get, and their spec.
pub(super) fn check_template(template: &Value, path: &Path<'_>, options: &PodOptions) -> ErrorList {
    let mut errors = ErrorList::new();
    let meta = ObjectMeta::of(template);
    object_meta::labels(meta.labels(), &path.child("labels"), &mut errors);
    let path_of_annotations = path.child("annotations");
    object_meta::annotations(meta.annotations(), &path_of_annotations, &mut errors);
    annotations::check(template, &path_of_annotations, options, &mut errors);
    let spec = part(template, "spec");
    let spec_path = path.child("spec");
    check(spec, None, &spec_path, options, &mut errors);
    annotations::check_agreement(template, &spec_path, &mut errors);
    if !items(spec, "ephemeralContainers").is_empty() {
        let problem = "ephemeral containers not allowed in pod template";
        errors.push(Error::forbidden(&spec_path.child("ephemeralContainers"), problem));
    }
    errors
}

/// The rules of a spec; a pod itself is given where there is one.
pub(super) fn check(
    spec: &Value,
    pod: Option<&Value>,
    path: &Path<'_>,
    options: &PodOptions,
    errors: &mut ErrorList,
) {
    let grace = int_of(spec, "terminationGracePeriodSeconds");
    if grace.is_none() {
        errors.push(Error::required(&path.child("terminationGracePeriodSeconds"), ""));
    }
    let name = pod.map_or("", ordain_strategy::object::name);
    let pod_of_containers = Pod {
        spec,
        volumes: volumes::check(spec, name, &path.child("volumes"), options, errors),
        claims: check_claims(spec, pod, &path.child("resourceClaims"), errors),
        grace,
        host_users: flag_of(spec, "hostUsers").unwrap_or(true),
        options,
    };
    pod_of_containers.check_containers(path, errors);
    pod_of_containers.check_init_containers(path, errors);
    pod_of_containers.check_ephemeral_containers(path, errors);
    check_resources(&pod_of_containers, path, errors);
    check_host_network_ports(spec, path, options, errors);
    required_one_of(spec, "restartPolicy", &["Always", "OnFailure", "Never"], path, errors);
    let nodes = spec.get("nodeSelector").and_then(Value::as_map);
    selector::labels(nodes, &path.child("nodeSelector"), errors);
    security::check_pod(spec, path, options, errors);
    affinity::check(spec, path, options, errors);
    dns::check(spec, path, errors);
    check_gates(spec, path, errors);
    topology::check_spread(spec, path, options, errors);
    windows::check_host_process(spec, path, errors);
    security::check_host_users(spec, path, options, errors);
    security::check_hostname_override(spec, path, errors);
    check_names(spec, path, errors);
    between(spec, "activeDeadlineSeconds", (1, i64::from(i32::MAX)), path, errors);
    let tolerations = items(spec, "tolerations");
    topology::check_tolerations(tolerations, &path.child("tolerations"), options, errors);
    check_host_aliases(spec, &path.child("hostAliases"), errors);
    if some(spec, "preemptionPolicy").is_some() {
        let policies = ["PreemptLowerPriority", "Never"];
        required_one_of(spec, "preemptionPolicy", &policies, path, errors);
    }
    check_overhead(spec, path, options, errors);
    windows::check_os(spec, path, errors);
    containers::each(spec, path, &mut |container, path| {
        env::check_file_volumes(spec, container, path, errors);
    });
}

/// Claims of devices: a name, and where the claim comes from.
fn check_claims<'a>(
    spec: &'a Value,
    pod: Option<&Value>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) -> BTreeSet<&'a str> {
    let mirror =
        pod.is_some_and(|it| crate::shared::access::annotation(it, annotations::MIRROR).is_some());
    let mut names = BTreeSet::new();
    for (at, claim) in items(spec, "resourceClaims").iter().enumerate() {
        let path = path.index(at);
        let name = text(claim, "name");
        if mirror {
            let problem = "static pods do not support resource claims";
            errors.push(Error::forbidden(&Path::new(""), problem));
            names.insert(name);
            continue;
        }
        if name.is_empty() {
            errors.push(Error::required(&path.child("name"), ""));
        } else if !names.insert(name) {
            errors.push(Error::duplicate(&path.child("name"), name));
        } else {
            errors.extend(net::label(&path.child("name"), name));
        }
        let sources = ["resourceClaimName", "resourceClaimTemplateName"];
        let problem = match sources.iter().filter(|it| some(claim, it).is_some()).count() {
            0 => "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
            1 => "",
            _ => {
                "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            }
        };
        if !problem.is_empty() {
            errors.push(Error::invalid(&path, shown::resource_claim(claim), problem));
        }
        for field in sources {
            if let Some(source) = text_of(claim, field) {
                errors.extend(net::subdomain(&path.child(field), source));
            }
        }
    }
    names.remove("");
    names
}

/// What the pod as a whole asks for covers what its containers do.
fn check_resources(pod: &Pod<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let spec = pod.spec;
    let Some(own) = some(spec, "resources") else { return };
    let path = path.child("resources");
    if text(part(spec, "os"), "name") == "windows" {
        errors.push(Error::forbidden(&path, "may not be set for a windows pod"));
        return;
    }
    if some(own, "claims").is_some() {
        let problem = "claims may not be set for Resources at pod-level";
        errors.push(Error::forbidden(&path.child("claims"), problem));
    }
    let requirements = Requirements {
        check_name: resources::check_pod_name,
        claims: &pod.claims,
        allow_indivisible: pod.options.allow_indivisible_huge_pages,
    };
    requirements.check(own, &path, errors);
    for (kind, huge_only) in [("requests", false), ("limits", true)] {
        let whole = resources::amounts(own, kind);
        for (name, sum) in resources::of_containers(spec, kind) {
            if huge_only && !resources::is_huge_pages(&name) {
                continue;
            }
            if let Some(amount) = whole.get(&name).filter(|amount| sum > **amount) {
                let problem =
                    format!("must be greater than or equal to aggregate container {kind} of {sum}");
                let path = path.child(kind);
                errors.push(Error::invalid(&path.key(&name), amount.to_string(), problem));
            }
        }
    }
    let limits = resources::amounts(own, "limits");
    let list = path.child("containers");
    for (at, container) in items(spec, "containers").iter().enumerate() {
        for (name, amount) in resources::amounts(part(container, "resources"), "limits") {
            if let Some(limit) = limits.get(&name).filter(|limit| amount > **limit) {
                let problem = format!("must be less than or equal to pod limits of {limit}");
                let path = list.index(at);
                let path = path.key(&name);
                errors.push(Error::invalid(&path.child("limits"), amount.to_string(), problem));
            }
        }
    }
}

/// On the network of the host, ports are the host's.
fn check_host_network_ports(
    spec: &Value,
    path: &Path<'_>,
    options: &PodOptions,
    errors: &mut ErrorList,
) {
    if !flag(spec, "hostNetwork") {
        return;
    }
    let list = path.child("containers");
    for (at, container) in items(spec, "containers").iter().enumerate() {
        let path = list.index(at);
        let ports = path.child("ports");
        for (at, port) in items(container, "ports").iter().enumerate() {
            let host = int(port, "hostPort");
            if (options.is_pod || host != 0) && host != int(port, "containerPort") {
                let problem = "must match `containerPort` when `hostNetwork` is true";
                errors.push(Error::invalid(&ports.index(at).child("hostPort"), host, problem));
            }
        }
    }
}

/// Conditions that a pod waits for: to be ready, and to be scheduled.
fn check_gates(spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let list = path.child("readinessGates");
    for (at, gate) in items(spec, "readinessGates").iter().enumerate() {
        let path = list.index(at);
        errors
            .extend(net::qualified_name(&path.child("conditionType"), text(gate, "conditionType")));
    }
    let list = path.child("schedulingGates");
    let mut seen = BTreeSet::new();
    for (at, gate) in items(spec, "schedulingGates").iter().enumerate() {
        let name = text(gate, "name");
        errors.extend(net::qualified_name(&list.index(at), name));
        if !seen.insert(name) {
            errors.push(Error::duplicate(&list.index(at), name));
        }
    }
}

/// Names of other objects and of the pod in DNS.
fn check_names(spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    for field in ["serviceAccountName", "nodeName", "priorityClassName"] {
        let name = text(spec, field);
        if !name.is_empty() {
            errors.extend(net::subdomain(&path.child(field), name));
        }
    }
    if let Some(name) = text_of(spec, "runtimeClassName") {
        errors.extend(net::subdomain(&path.child("runtimeClassName"), name));
    }
    for field in ["hostname", "subdomain"] {
        let name = text(spec, field);
        if !name.is_empty() {
            errors.extend(net::label(&path.child(field), name));
        }
    }
}

fn check_host_aliases(spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    for (at, alias) in items(spec, "hostAliases").iter().enumerate() {
        let path = path.index(at);
        errors.extend(net::legacy_ip(&path.child("ip"), text(alias, "ip"), &[]));
        let list = path.child("hostnames");
        for (at, name) in items(alias, "hostnames").iter().enumerate() {
            errors.extend(net::subdomain(&list.index(at), name.as_str().unwrap_or("")));
        }
    }
}

/// What a pod takes besides its containers is judged as limits are.
fn check_overhead(spec: &Value, path: &Path<'_>, options: &PodOptions, errors: &mut ErrorList) {
    if entries(spec, "overhead").next().is_none() {
        return;
    }
    let requirements = Requirements {
        check_name: resources::check_container_name,
        claims: &BTreeSet::new(),
        allow_indivisible: options.allow_indivisible_huge_pages,
    };
    let mut limits = ordain_value::Map::new();
    limits.insert("limits", part(spec, "overhead").clone());
    requirements.check(&Value::Map(limits), &path.child("overhead"), errors);
}
