//! Security contexts of pods and containers.

use std::collections::BTreeSet;

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::check::{between, named, optional_one_of};
use super::options::PodOptions;
use super::{paths, shown, windows};
use crate::shared::access::{flag, flag_of, items, part, some, text, text_of};
use crate::shared::net;

const IDS: (i64, i64) = (0, i32::MAX as i64);

/// The security context of a pod.
pub(super) fn check_pod(
    spec: &Value,
    path: &Path<'_>,
    options: &PodOptions,
    errors: &mut ErrorList,
) {
    let Some(context) = some(spec, "securityContext") else { return };
    let path = path.child("securityContext");
    for field in ["fsGroup", "runAsUser", "runAsGroup"] {
        between(context, field, IDS, &path, errors);
    }
    let groups = path.child("supplementalGroups");
    for (at, group) in items(context, "supplementalGroups").iter().enumerate() {
        let id = group.as_int().unwrap_or(0);
        if !(IDS.0..=IDS.1).contains(&id) {
            let problem = "must be between 0 and 2147483647, inclusive";
            errors.push(Error::invalid(&groups.index(at), id, problem));
        }
    }
    if flag(spec, "hostPID") && flag_of(spec, "shareProcessNamespace") == Some(true) {
        let problem = "ShareProcessNamespace and HostPID cannot both be enabled";
        errors.push(Error::invalid(&path.child("shareProcessNamespace"), true, problem));
    }
    check_sysctls(spec, context, &path.child("sysctls"), options, errors);
    let changes = ["Always", "OnRootMismatch"];
    optional_one_of(context, "fsGroupChangePolicy", &changes, &path, errors);
    check_seccomp(context, &path, errors);
    windows::check_options(context, &path, errors);
    check_app_armor(context, &path, errors);
    let policies = ["Merge", "Strict"];
    optional_one_of(context, "supplementalGroupsPolicy", &policies, &path, errors);
    let policies: &[&str] = match options.allow_any_selinux_change_policy {
        true => &["MountOption", "Recursive"],
        false => &["Recursive"],
    };
    optional_one_of(context, "seLinuxChangePolicy", policies, &path, errors);
}

fn check_sysctls(
    spec: &Value,
    context: &Value,
    path: &Path<'_>,
    options: &PodOptions,
    errors: &mut ErrorList,
) {
    const LEN_MAX: usize = 253;
    let mut seen = BTreeSet::new();
    for (at, sysctl) in items(context, "sysctls").iter().enumerate() {
        let path = path.index(at);
        let path = path.child("name");
        let name = text(sysctl, "name");
        if name.is_empty() {
            errors.push(Error::required(&path, ""));
        } else if name.len() > LEN_MAX || !is_sysctl(name) {
            let problem = "must have at most 253 characters and match regex \
                ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
            errors.push(Error::invalid(&path, name, problem));
        } else if seen.contains(name) {
            errors.push(Error::duplicate(&path, name));
        }
        if !options.allow_host_sysctls
            && let Some(problem) = host_sysctl_problem(spec, name)
        {
            errors.push(Error::invalid(&path, name, problem));
        }
        seen.insert(name);
    }
}

fn is_sysctl(name: &str) -> bool {
    let is_word = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit();
    name.split(['.', '/']).all(|part| {
        let bytes = part.as_bytes();
        bytes.first().is_some_and(|it| is_word(*it))
            && bytes.last().is_some_and(|it| is_word(*it))
            && bytes.iter().all(|it| is_word(*it) || matches!(it, b'-' | b'_'))
    })
}

const IPC_SYSCTLS: [&str; 10] = [
    "kernel.sem",
    "kernel.shm",
    "kernel.shmall",
    "kernel.shmmax",
    "kernel.shmmni",
    "kernel.shm_rmid_forced",
    "kernel.msg",
    "kernel.msgmax",
    "kernel.msgmnb",
    "kernel.msgmni",
];

/// Parameters of the kernel that a pod shares with its host cannot be set for it alone.
pub(super) fn host_sysctl_problem(spec: &Value, name: &str) -> Option<&'static str> {
    // A name may be written with slashes, in which dots and slashes change places.
    let slashed = name.find(['.', '/']).is_some_and(|at| name.as_bytes()[at] == b'/');
    let name = match slashed {
        true => name.replace('/', "\0").replace('.', "/").replace('\0', "."),
        false => name.to_owned(),
    };
    let name = name.split('*').next().unwrap_or_default();
    if flag(spec, "hostNetwork") && name.starts_with("net.") {
        return Some("may not be specified when 'hostNetwork' is true");
    }
    let ipc = IPC_SYSCTLS.contains(&name) || name.starts_with("fs.mqueue.");
    (flag(spec, "hostIPC") && ipc).then_some("may not be specified when 'hostIPC' is true")
}

/// The security context of a container.
pub(super) fn check_container(
    container: &Value,
    host_users: bool,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let Some(context) = some(container, "securityContext") else { return };
    let path = path.child("securityContext");
    between(context, "runAsUser", IDS, &path, errors);
    between(context, "runAsGroup", IDS, &path, errors);
    optional_one_of(context, "procMount", &["Default", "Unmasked"], &path, errors);
    if host_users && text(context, "procMount") == "Unmasked" {
        let problem = "`hostUsers` must be false to use `Unmasked`";
        errors.push(Error::invalid(&path.child("procMount"), "Unmasked", problem));
    }
    check_seccomp(context, &path, errors);
    if flag_of(context, "allowPrivilegeEscalation") == Some(false) {
        let mut refuse = |what: &str| {
            let problem = format!("cannot set `allowPrivilegeEscalation` to false and {what}");
            errors.push(Error::invalid(&path, shown::security_context(context), problem));
        };
        if flag(context, "privileged") {
            refuse("`privileged` to true");
        }
        let added = items(part(context, "capabilities"), "add");
        for _ in added.iter().filter(|it| it.as_str() == Some("CAP_SYS_ADMIN")) {
            refuse("`capabilities.Add` CAP_SYS_ADMIN");
        }
    }
    windows::check_options(context, &path, errors);
    check_app_armor(context, &path, errors);
}

fn check_seccomp(context: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const TYPES: [&str; 3] = ["Localhost", "RuntimeDefault", "Unconfined"];
    let Some(profile) = some(context, "seccompProfile") else { return };
    let path = path.child("seccompProfile");
    let ty = text(profile, "type");
    if ty.is_empty() {
        let problem = "type is required when seccompProfile is set";
        errors.push(Error::required(&path.child("type"), problem));
    } else if !TYPES.contains(&ty) {
        errors.push(Error::not_supported(&path.child("type"), named(ty), &TYPES));
    }
    let path = path.child("localhostProfile");
    match (ty == "Localhost", text_of(profile, "localhostProfile")) {
        (true, None) => {
            errors.push(Error::required(&path, "must be set when seccomp type is Localhost"));
        }
        (true, Some(file)) => paths::descending(file, &path, errors),
        (false, Some(_)) => errors.push(Error::invalid(
            &path,
            shown::seccomp(profile),
            "can only be set when seccomp type is Localhost",
        )),
        (false, None) => {}
    }
}

fn check_app_armor(context: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const TYPES: [&str; 3] = ["Localhost", "RuntimeDefault", "Unconfined"];
    const BYTES_MAX: usize = 4095;
    const NEEDED: &str = "must be set when AppArmor type is Localhost";
    let Some(profile) = some(context, "appArmorProfile") else { return };
    let path = path.child("appArmorProfile");
    let file = text_of(profile, "localhostProfile");
    let file_path = path.child("localhostProfile");
    match (text(profile, "type"), file) {
        ("Localhost", None) => errors.push(Error::required(&file_path, NEEDED)),
        ("Localhost", Some(file)) => {
            if file.trim() != file {
                let problem = "must not be padded with whitespace";
                errors.push(Error::invalid(&file_path, file, problem));
            } else if file.is_empty() {
                errors.push(Error::required(&file_path, NEEDED));
            }
            if file.len() > BYTES_MAX {
                errors.push(Error::too_long(&file_path, 4095));
            }
        }
        ("RuntimeDefault" | "Unconfined", Some(file)) => {
            let problem = "can only be set when AppArmor type is Localhost";
            errors.push(Error::invalid(&file_path, file, problem));
        }
        ("RuntimeDefault" | "Unconfined", None) => {}
        ("", _) => {
            let problem = "type is required when appArmorProfile is set";
            errors.push(Error::required(&path.child("type"), problem));
        }
        (other, _) => errors.push(Error::not_supported(&path.child("type"), named(other), &TYPES)),
    }
}

/// Pods with users of their own do not share what belongs to the host's users.
pub(super) fn check_host_users(
    spec: &Value,
    path: &Path<'_>,
    options: &PodOptions,
    errors: &mut ErrorList,
) {
    const PROBLEM: &str = "when `hostUsers` is false";
    if flag_of(spec, "hostUsers") != Some(false) {
        return;
    }
    if !options.allow_host_network_user_namespaces && flag(spec, "hostNetwork") {
        errors.push(Error::forbidden(&path.child("hostNetwork"), PROBLEM));
    }
    for (field, shown) in [("hostPID", "HostPID"), ("hostIPC", "HostIPC")] {
        if flag(spec, field) {
            errors.push(Error::forbidden(&path.child(shown), PROBLEM));
        }
    }
    if !options.allow_devices_with_user_namespaces {
        super::containers::each(spec, path, &mut |container, path| {
            if !items(container, "volumeDevices").is_empty() {
                errors.push(Error::forbidden(&path.child("volumeDevices"), PROBLEM));
            }
        });
    }
}

/// The name of a pod's host, where it is not that of the pod.
pub(super) fn check_hostname_override(spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const BYTES_MAX: i64 = 64;
    let Some(hostname) = text_of(spec, "hostnameOverride") else { return };
    let path = path.child("hostnameOverride");
    if flag(spec, "setHostnameAsFQDN") {
        let problem = "may not be specified when setHostnameAsFQDN is true";
        errors.push(Error::forbidden(&path, problem));
    }
    if flag(spec, "hostNetwork") {
        errors.push(Error::forbidden(&path, "may not be specified when hostNetwork is true"));
    }
    if hostname.len() > 64 {
        errors.push(Error::too_long(&path, BYTES_MAX));
    }
    errors.extend(net::invalid(&path, hostname, name::dns_1123_subdomain(hostname)));
}
