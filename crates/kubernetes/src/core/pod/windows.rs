//! Operating systems: what only one of them knows.

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::containers;
use crate::shared::access::{flag, flag_of, part, some, text, text_of};
use crate::shared::net;

/// Options for Windows in a security context.
pub(super) fn check_options(context: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const SPEC_BYTES_MAX: usize = 64 * 1024;
    let Some(options) = some(context, "windowsOptions") else { return };
    let path = path.child("windowsOptions");
    if let Some(name) = text_of(options, "gmsaCredentialSpecName") {
        let problems = name::dns_1123_subdomain(name);
        errors.extend(net::invalid(&path.child("gmsaCredentialSpecName"), name, problems));
    }
    if let Some(spec) = text_of(options, "gmsaCredentialSpec") {
        let path = path.child("gmsaCredentialSpec");
        if spec.is_empty() {
            let problem = "gmsaCredentialSpec cannot be an empty string";
            errors.push(Error::invalid(&path, spec, problem));
        } else if spec.len() > SPEC_BYTES_MAX {
            let problem = "gmsaCredentialSpec size must be under 64 KiB";
            errors.push(Error::invalid(&path, spec, problem));
        }
    }
    if let Some(user) = text_of(options, "runAsUserName") {
        let path = path.child("runAsUserName");
        for problem in user_name_problems(user) {
            errors.push(Error::invalid(&path, user, problem));
        }
    }
}

/// `DOMAIN\user` or `user`
fn user_name_problems(text: &str) -> Vec<&'static str> {
    if text.is_empty() {
        return vec!["runAsUserName cannot be an empty string"];
    }
    if text.bytes().any(|it| it.is_ascii_control()) {
        return vec!["runAsUserName cannot contain control characters"];
    }
    let parts: Vec<&str> = text.split('\\').collect();
    let (domain, user) = match parts[..] {
        [user] => (None, user),
        [domain, user] => (Some(domain), user),
        _ => return vec!["runAsUserName cannot contain more than one backslash"],
    };
    let domain_len = domain.map_or(0, str::len);
    let only_dots = !user.is_empty() && user.chars().all(|it| matches!(it, '.' | ' '));
    let problems = [
        (domain_len >= 256, "runAsUserName's Domain length must be under 256 characters"),
        (
            domain.is_some_and(|it| !is_net_bios(it) && !is_dns(it)),
            "runAsUserName's Domain doesn't match the NetBios nor the DNS format",
        ),
        (user.is_empty(), "runAsUserName's User cannot be empty"),
        (user.len() > 104, "runAsUserName's User length must not be longer than 104 characters"),
        (only_dots, "runAsUserName's User cannot contain only periods or spaces"),
        (
            user.contains(|it| "\"/\\:;|=,+*?<>@[]".contains(it)),
            "runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]",
        ),
    ];
    problems.into_iter().filter(|it| it.0).map(|it| it.1).collect()
}

fn is_net_bios(text: &str) -> bool {
    let bad = |it: char| "\\/:*?\"<>|".contains(it);
    let count = text.chars().count();
    (1..=15).contains(&count) && !text.starts_with('.') && !text.contains(bad)
}

fn is_dns(text: &str) -> bool {
    text.split('.').all(|label| {
        let bytes = label.as_bytes();
        (1..=63).contains(&bytes.len())
            && bytes.iter().all(|it| it.is_ascii_alphanumeric() || *it == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    })
}

/// In a pod with a process of the host all containers are such.
pub(super) fn check_host_process(spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let of = |holder: &Value| {
        flag_of(part(part(holder, "securityContext"), "windowsOptions"), "hostProcess")
    };
    let pod = of(spec);
    let (mut all, mut host) = (0, 0);
    containers::each(spec, path, &mut |container, path| {
        all += 1;
        let own = of(container);
        if let (Some(pod), Some(own)) = (pod, own)
            && pod != own
        {
            let problem =
                format!("pod hostProcess value must be identical if both are specified, was {pod}");
            let path = path.child("securityContext.windowsOptions.hostProcess");
            errors.push(Error::invalid(&path, own, problem));
        }
        if own.or(pod) == Some(true) {
            host += 1;
        }
    });
    if host == 0 {
        return;
    }
    if host != all {
        let problem = "If pod contains any hostProcess containers then all containers must be \
                       HostProcess containers";
        errors.push(Error::invalid(path, "", problem));
    }
    if !flag(spec, "hostNetwork") {
        let problem = "hostNetwork must be true if pod contains any hostProcess containers";
        errors.push(Error::invalid(&path.child("hostNetwork"), false, problem));
    }
}

/// A pod that names its operating system has nothing that belongs to another one.
pub(super) fn check_os(spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const KNOWN: [&str; 2] = ["linux", "windows"];
    let Some(os) = some(spec, "os") else { return };
    let os_path = path.child("os");
    match text(os, "name") {
        "" => errors.push(Error::required(&os_path.child("name"), "")),
        "linux" => check_linux(spec, path, errors),
        "windows" => check_windows(spec, path, errors),
        other => errors.push(Error::not_supported(&os_path, other, &KNOWN)),
    }
}

fn check_linux(spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let mut check = |holder: &Value, path: &Path<'_>| {
        let context = part(holder, "securityContext");
        if some(context, "windowsOptions").is_some() {
            let problem = "windows options cannot be set for a linux pod";
            errors.push(Error::forbidden(&path.child("securityContext.windowsOptions"), problem));
        }
    };
    check(spec, path);
    containers::each(spec, path, &mut check);
}

const WINDOWS_POD: [&str; 4] = ["hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"];
const WINDOWS_POD_CONTEXT: [&str; 11] = [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "runAsUser",
    "runAsGroup",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "seLinuxChangePolicy",
];
const WINDOWS_CONTAINER_CONTEXT: [&str; 10] = [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
];

fn check_windows(spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const PROBLEM: &str = "cannot be set for a windows pod";
    let mut refuse = |holder: &Value, fields: &[&str], path: &Path<'_>| {
        for field in fields {
            if some(holder, field).is_some() {
                errors.push(Error::forbidden(&path.child(field), PROBLEM));
            }
        }
    };
    refuse(spec, &WINDOWS_POD, path);
    let context = part(spec, "securityContext");
    refuse(context, &WINDOWS_POD_CONTEXT, &path.child("securityContext"));
    containers::each(spec, path, &mut |container, path| {
        let context = part(container, "securityContext");
        refuse(context, &WINDOWS_CONTAINER_CONTEXT, &path.child("securityContext"));
    });
}
