//! Parameters of the kernel.

use ordain_passes::declared::written::Asked;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use crate::shared::access::{flag, items, part, text};

/// Parameters that a pod shares with its host are not set, unless they were before.
pub(crate) fn check_host_sysctl(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    let (spec, old, name) = (asked.ask("pod"), asked.ask("oldPod"), asked.value());
    let name = name.as_str().unwrap_or("");
    let Some(problem) = host_sysctl_problem(&spec, name) else { return };
    let before = items(part(&old, "securityContext"), "sysctls").iter();
    if before.filter(|it| host_sysctl_problem(&old, text(it, "name")).is_some()).count() == 0 {
        errors.push(Error::invalid(path, name, problem));
    }
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
fn host_sysctl_problem(spec: &Value, name: &str) -> Option<&'static str> {
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
