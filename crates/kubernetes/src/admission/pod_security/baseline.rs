//! The checks of the baseline level: what is known to give a pod power over its node.

use std::collections::BTreeSet;

use ordain_value::{Map, Value, go_quote};

use super::view::{Finding, Pod, containers, plural, quoted, security, setters};
use crate::shared::access::{flag, int, items, part, some, text, texts};

const APPARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const CAPABILITIES: [&str; 13] = [
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
];
/// Kernel parameters that concern a pod alone, with the minor release that came to know it.
const SYSCTLS: [(u32, &str); 12] = [
    (0, "kernel.shm_rmid_forced"),
    (0, "net.ipv4.ip_local_port_range"),
    (0, "net.ipv4.tcp_syncookies"),
    (0, "net.ipv4.ping_group_range"),
    (0, "net.ipv4.ip_unprivileged_port_start"),
    (27, "net.ipv4.ip_local_reserved_ports"),
    (29, "net.ipv4.tcp_keepalive_time"),
    (29, "net.ipv4.tcp_fin_timeout"),
    (29, "net.ipv4.tcp_keepalive_intvl"),
    (29, "net.ipv4.tcp_keepalive_probes"),
    (32, "net.ipv4.tcp_rmem"),
    (32, "net.ipv4.tcp_wmem"),
];

fn annotations<'a>(pod: Pod<'a>) -> impl Iterator<Item = (&'a str, &'a str)> {
    let map = pod.metadata.get("annotations").and_then(Value::as_map);
    let all = map.into_iter().flat_map(Map::iter);
    all.filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
}

pub(super) fn app_armor_profile(pod: Pod<'_>) -> Option<Finding> {
    let mut values = BTreeSet::new();
    let mut is_wrong = |holder| {
        let profile = some(security(holder), "appArmorProfile");
        let ty = profile.map(|profile| text(profile, "type"));
        let wrong = ty.filter(|ty| !matches!(*ty, "RuntimeDefault" | "Localhost"));
        values.extend(wrong);
        wrong.is_some()
    };
    let by_pod = is_wrong(pod.spec);
    let names = pod.wrong(is_wrong);
    let mut who: Vec<String> = setters(by_pod, &names).into_iter().collect();
    let mut forbidden: Vec<String> = annotations(pod)
        .filter(|(key, value)| {
            let good = matches!(*value, "" | "runtime/default") || value.starts_with("localhost/");
            key.starts_with(APPARMOR) && !good
        })
        .map(|(key, value)| format!("{key}={}", go_quote(value)))
        .collect();
    forbidden.sort();
    if !forbidden.is_empty() {
        who.push(plural("annotation", "annotations", forbidden.len()).to_owned());
    }
    if who.is_empty() {
        return None;
    }
    let all: Vec<&str> = values.into_iter().chain(forbidden.iter().map(String::as_str)).collect();
    let reason = plural("forbidden AppArmor profile", "forbidden AppArmor profiles", all.len());
    let (who, all) = (who.join(" and "), quoted(all.iter().copied()));
    Some(Finding::new(reason, format!("{who} must not set AppArmor profile type to {all}")))
}

pub(super) fn capabilities(pod: Pod<'_>) -> Option<Finding> {
    let mut added = BTreeSet::new();
    let names = pod.wrong(|container| {
        let wanted = texts(part(security(container), "capabilities"), "add");
        let wrong: Vec<&str> = wanted.into_iter().filter(|it| !CAPABILITIES.contains(it)).collect();
        added.extend(wrong.iter().copied());
        !wrong.is_empty()
    });
    (!names.is_empty()).then(|| {
        let (who, added) = (containers(&names), quoted(added));
        let detail = format!("{who} must not include {added} in securityContext.capabilities.add");
        Finding::new("non-default capabilities", detail)
    })
}

pub(super) fn host_namespaces(pod: Pod<'_>) -> Option<Finding> {
    let shared = ["hostNetwork", "hostPID", "hostIPC"].into_iter().filter(|it| flag(pod.spec, it));
    let shared: Vec<String> = shared.map(|it| format!("{it}=true")).collect();
    (!shared.is_empty()).then(|| Finding::new("host namespaces", shared.join(", ")))
}

pub(super) fn host_path_volumes(pod: Pod<'_>) -> Option<Finding> {
    let volumes = items(pod.spec, "volumes").iter().filter(|it| some(it, "hostPath").is_some());
    let names: Vec<&str> = volumes.map(|volume| text(volume, "name")).collect();
    (!names.is_empty()).then(|| {
        let word = plural("volume", "volumes", names.len());
        Finding::new("hostPath volumes", format!("{word} {}", quoted(names)))
    })
}

pub(super) fn host_ports(pod: Pod<'_>) -> Option<Finding> {
    let mut ports = BTreeSet::new();
    let names = pod.wrong(|container| {
        let taken = items(container, "ports").iter().map(|port| int(port, "hostPort"));
        let taken: Vec<String> = taken.filter(|it| *it != 0).map(|it| it.to_string()).collect();
        let any = !taken.is_empty();
        ports.extend(taken);
        any
    });
    (!names.is_empty()).then(|| {
        let ports: Vec<String> = ports.into_iter().collect();
        let uses = plural("uses", "use", names.len());
        let word = plural("hostPort", "hostPorts", ports.len());
        let detail = format!("{} {uses} {word} {}", containers(&names), ports.join(", "));
        Finding::new("hostPort", detail)
    })
}

pub(super) fn probe_hosts(pod: Pod<'_>) -> Option<Finding> {
    let mut hosts = BTreeSet::new();
    let names: BTreeSet<&str> = pod
        .wrong(|container| {
            let probes = ["livenessProbe", "readinessProbe", "startupProbe"];
            let probes = probes.map(|probe| part(container, probe));
            let handlers = ["postStart", "preStop"];
            let handlers = handlers.map(|handler| part(part(container, "lifecycle"), handler));
            let named: Vec<&str> = probes
                .iter()
                .chain(&handlers)
                .flat_map(|holder| ["httpGet", "tcpSocket"].map(|way| part(holder, way)))
                .map(|way| text(way, "host"))
                .filter(|host| !host.is_empty())
                .collect();
            hosts.extend(named.iter().copied());
            !named.is_empty()
        })
        .into_iter()
        .collect();
    (!names.is_empty()).then(|| {
        let names: Vec<&str> = names.into_iter().collect();
        let uses = plural("uses", "use", names.len());
        let word = plural("probe or lifecycle host", "probe or lifecycle hosts", hosts.len());
        let detail = format!("{} {uses} {word} {}", containers(&names), quoted(hosts));
        Finding::new("probe or lifecycle host", detail)
    })
}

pub(super) fn privileged(pod: Pod<'_>) -> Option<Finding> {
    let names = pod.wrong(|container| flag(security(container), "privileged"));
    (!names.is_empty()).then(|| {
        let who = containers(&names);
        Finding::new("privileged", format!("{who} must not set securityContext.privileged=true"))
    })
}

pub(super) fn proc_mount(pod: Pod<'_>) -> Option<Finding> {
    let mut kinds = BTreeSet::new();
    let names = pod.wrong(|container| {
        let kind = some(security(container), "procMount").and_then(Value::as_str);
        let wrong = kind.filter(|kind| *kind != "Default");
        kinds.extend(wrong);
        wrong.is_some()
    });
    (!names.is_empty()).then(|| {
        let (who, kinds) = (containers(&names), quoted(kinds));
        let detail = format!("{who} must not set securityContext.procMount to {kinds}");
        Finding::new("procMount", detail)
    })
}

pub(super) fn proc_mount_on_host(pod: Pod<'_>) -> Option<Finding> {
    if pod.has_own_users() { None } else { proc_mount(pod) }
}

pub(super) fn se_linux(pod: Pod<'_>) -> Option<Finding> {
    se_linux_types(pod, &["", "container_t", "container_init_t", "container_kvm_t"])
}

pub(super) fn se_linux_engine(pod: Pod<'_>) -> Option<Finding> {
    let types = ["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"];
    se_linux_types(pod, &types)
}

fn se_linux_types(pod: Pod<'_>, allowed: &[&str]) -> Option<Finding> {
    let (mut types, mut user, mut role) = (BTreeSet::new(), false, false);
    let mut is_wrong = |holder| {
        let options = part(security(holder), "seLinuxOptions");
        let ty = Some(text(options, "type")).filter(|ty| !allowed.contains(ty));
        let (by_user, by_role) =
            (!text(options, "user").is_empty(), !text(options, "role").is_empty());
        types.extend(ty);
        user |= by_user;
        role |= by_role;
        ty.is_some() || by_user || by_role
    };
    let by_pod = is_wrong(pod.spec);
    let names = pod.wrong(is_wrong);
    let who = setters(by_pod, &names)?;
    let mut what = Vec::new();
    if !types.is_empty() {
        what.push(format!("{} {}", plural("type", "types", types.len()), quoted(types)));
    }
    if user {
        what.push("user may not be set".to_owned());
    }
    if role {
        what.push("role may not be set".to_owned());
    }
    let what = what.join("; ");
    let detail = format!("{who} set forbidden securityContext.seLinuxOptions: {what}");
    Some(Finding::new("seLinuxOptions", detail))
}

pub(super) fn seccomp_annotations(pod: Pod<'_>) -> Option<Finding> {
    let names: BTreeSet<String> = pod
        .containers()
        .map(|container| format!("{SECCOMP_CONTAINER}{}", text(container, "name")))
        .chain([SECCOMP_POD.to_owned()])
        .collect();
    let good = |value: &str| {
        matches!(value, "runtime/default" | "docker/default") || value.starts_with("localhost/")
    };
    let forbidden: BTreeSet<String> = annotations(pod)
        .filter(|(key, value)| names.contains(*key) && !good(value))
        .map(|(key, value)| format!("{key}={}", go_quote(value)))
        .collect();
    (!forbidden.is_empty()).then(|| {
        let word = plural("annotation", "annotations", forbidden.len());
        let all = forbidden.into_iter().collect::<Vec<_>>().join(", ");
        Finding::new("seccompProfile", format!("forbidden {word} {all}"))
    })
}

/// The type of a seccomp profile, if one is set.
pub(super) fn seccomp_type(holder: &Value) -> Option<&str> {
    some(security(holder), "seccompProfile").map(|profile| text(profile, "type"))
}

pub(super) fn is_good_seccomp(ty: &str) -> bool {
    matches!(ty, "Localhost" | "RuntimeDefault")
}

pub(super) fn seccomp_profile(pod: Pod<'_>) -> Option<Finding> {
    let mut types = BTreeSet::new();
    let mut is_wrong = |holder| {
        let wrong = seccomp_type(holder).filter(|ty| !is_good_seccomp(ty));
        types.extend(wrong);
        wrong.is_some()
    };
    let by_pod = is_wrong(pod.spec);
    let names = pod.wrong(is_wrong);
    let who = setters(by_pod, &names)?;
    let types = quoted(types);
    let detail = format!("{who} must not set securityContext.seccompProfile.type to {types}");
    Some(Finding::new("seccompProfile", detail))
}

/// The kernel parameters that some minor release does not take for safe.
fn sysctls(pod: Pod<'_>, minor: u32) -> Option<Finding> {
    let is_safe = |name: &str| SYSCTLS.iter().any(|(since, it)| *it == name && *since <= minor);
    let set = items(pod.security(), "sysctls").iter().map(|sysctl| text(sysctl, "name"));
    let unsafe_ones: Vec<&str> = set.filter(|name| !is_safe(name)).collect();
    (!unsafe_ones.is_empty()).then(|| Finding::new("forbidden sysctls", unsafe_ones.join(", ")))
}

pub(super) fn sysctls_0(pod: Pod<'_>) -> Option<Finding> {
    sysctls(pod, 0)
}

pub(super) fn sysctls_27(pod: Pod<'_>) -> Option<Finding> {
    sysctls(pod, 27)
}

pub(super) fn sysctls_29(pod: Pod<'_>) -> Option<Finding> {
    sysctls(pod, 29)
}

pub(super) fn sysctls_32(pod: Pod<'_>) -> Option<Finding> {
    sysctls(pod, 32)
}

pub(super) fn windows_host_process(pod: Pod<'_>) -> Option<Finding> {
    let is_wrong = |holder| flag(part(security(holder), "windowsOptions"), "hostProcess");
    let names = pod.wrong(is_wrong);
    let who = setters(is_wrong(pod.spec), &names)?;
    let detail = format!("{who} must not set securityContext.windowsOptions.hostProcess=true");
    Some(Finding::new("hostProcess", detail))
}
