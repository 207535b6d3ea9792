//! Which checks a standard consists of. A check may change from one release to the next, and a
//! restricted one may stand in for one of the baseline.

use super::policy::{Level, Standard};
use super::view::{Finding, Pod};
use super::{baseline, restricted};

type Run = for<'a> fn(Pod<'a>) -> Option<Finding>;

struct Check {
    /// Checks are reported in the order of their names.
    id: &'static str,
    /// How it works from each minor release on.
    since: &'static [(u32, Run)],
    /// The check of the baseline that it stands in for.
    instead_of: &'static str,
}

const fn check(id: &'static str, since: &'static [(u32, Run)]) -> Check {
    Check { id, since, instead_of: "" }
}

const fn stricter(
    id: &'static str,
    instead_of: &'static str,
    since: &'static [(u32, Run)],
) -> Check {
    Check { id, since, instead_of }
}

const BASELINE: [Check; 12] = [
    check("appArmorProfile", &[(0, baseline::app_armor_profile)]),
    check("capabilities_baseline", &[(0, baseline::capabilities)]),
    check("hostNamespaces", &[(0, baseline::host_namespaces)]),
    check("hostPathVolumes", &[(0, baseline::host_path_volumes)]),
    check("hostPorts", &[(0, baseline::host_ports)]),
    check("hostProbesAndHostLifecycle", &[(34, baseline::probe_hosts)]),
    check("privileged", &[(0, baseline::privileged)]),
    check("procMount", &[(0, baseline::proc_mount), (35, baseline::proc_mount_on_host)]),
    check("seLinuxOptions", &[(0, baseline::se_linux), (31, baseline::se_linux_engine)]),
    check(
        "seccompProfile_baseline",
        &[(0, baseline::seccomp_annotations), (19, baseline::seccomp_profile)],
    ),
    check(
        "sysctls",
        &[
            (0, baseline::sysctls_0),
            (27, baseline::sysctls_27),
            (29, baseline::sysctls_29),
            (32, baseline::sysctls_32),
        ],
    ),
    check("windowsHostProcess", &[(0, baseline::windows_host_process)]),
];

const RESTRICTED: [Check; 7] = [
    check(
        "allowPrivilegeEscalation",
        &[(8, restricted::privilege_escalation), (25, restricted::privilege_escalation_linux)],
    ),
    stricter(
        "capabilities_restricted",
        "capabilities_baseline",
        &[(22, restricted::capabilities), (25, restricted::capabilities_linux)],
    ),
    stricter("procMount_restricted", "procMount", &[(35, baseline::proc_mount)]),
    stricter("restrictedVolumes", "hostPathVolumes", &[(0, restricted::volumes)]),
    check("runAsNonRoot", &[(0, restricted::non_root), (35, restricted::non_root_on_host)]),
    check("runAsUser", &[(23, restricted::user), (35, restricted::user_on_host)]),
    stricter(
        "seccompProfile_restricted",
        "seccompProfile_baseline",
        &[(19, restricted::seccomp), (25, restricted::seccomp_linux)],
    ),
];

impl Check {
    fn at(&self, minor: Option<u32>) -> Option<Run> {
        let reached =
            self.since.iter().rev().find(|(since, _)| minor.is_none_or(|it| *since <= it));
        reached.map(|(_, run)| *run)
    }
}

/// How a pod violates a standard.
pub(super) fn run(standard: Standard, pod: Pod<'_>) -> Vec<Finding> {
    if standard.level == Level::Privileged {
        return Vec::new();
    }
    let strict: &[Check] = if standard.level == Level::Restricted { &RESTRICTED } else { &[] };
    let strict = || strict.iter().filter(|it| it.at(standard.minor).is_some());
    let basic = BASELINE.iter().filter(|it| strict().all(|other| other.instead_of != it.id));
    basic.chain(strict()).filter_map(|it| it.at(standard.minor)?(pod)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_stand_in_the_order_of_their_names() {
        for checks in [&BASELINE[..], &RESTRICTED[..]] {
            assert!(checks.windows(2).all(|pair| pair[0].id < pair[1].id));
            let increasing = |it: &Check| it.since.windows(2).all(|pair| pair[0].0 < pair[1].0);
            assert!(checks.iter().all(increasing));
        }
        let known = |id: &str| id.is_empty() || BASELINE.iter().any(|it| it.id == id);
        assert!(RESTRICTED.iter().all(|it| known(it.instead_of)));
    }
}
