//! The checks of the restricted level: what a hardened pod has to say of itself.

use std::collections::BTreeSet;

use super::baseline::{is_good_seccomp, seccomp_profile, seccomp_type};
use super::view::{Finding, Pod, containers, plural, quoted, security, setters};
use crate::shared::access::{flag_of, int_of, items, part, some, text, texts};

/// Sources of volumes that any pod may use.
const VOLUMES: [&str; 9] = [
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
];
/// The others, in the order in which they are reported.
const OTHER_VOLUMES: [&str; 21] = [
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "gitRepo",
    "nfs",
    "iscsi",
    "glusterfs",
    "rbd",
    "flexVolume",
    "cinder",
    "cephfs",
    "flocker",
    "fc",
    "azureFile",
    "vsphereVolume",
    "quobyte",
    "azureDisk",
    "photonPersistentDisk",
    "portworxVolume",
    "scaleIO",
    "storageos",
];

pub(super) fn privilege_escalation(pod: Pod<'_>) -> Option<Finding> {
    let names = pod
        .wrong(|container| flag_of(security(container), "allowPrivilegeEscalation") != Some(false));
    (!names.is_empty()).then(|| {
        let who = containers(&names);
        let detail = format!("{who} must set securityContext.allowPrivilegeEscalation=false");
        Finding::new("allowPrivilegeEscalation != false", detail)
    })
}

pub(super) fn privilege_escalation_linux(pod: Pod<'_>) -> Option<Finding> {
    if pod.is_windows() { None } else { privilege_escalation(pod) }
}

pub(super) fn capabilities(pod: Pod<'_>) -> Option<Finding> {
    let of = |container, field| texts(part(security(container), "capabilities"), field);
    let keeping = pod.wrong(|container| !of(container, "drop").contains(&"ALL"));
    let mut added = BTreeSet::new();
    let adding = pod.wrong(|container| {
        let wrong: Vec<&str> =
            of(container, "add").into_iter().filter(|it| *it != "NET_BIND_SERVICE").collect();
        added.extend(wrong.iter().copied());
        !wrong.is_empty()
    });
    let mut details = Vec::new();
    if !keeping.is_empty() {
        let who = containers(&keeping);
        details.push(format!("{who} must set securityContext.capabilities.drop=[\"ALL\"]"));
    }
    if !adding.is_empty() {
        let (who, added) = (containers(&adding), quoted(added));
        details.push(format!("{who} must not include {added} in securityContext.capabilities.add"));
    }
    (!details.is_empty()).then(|| Finding::new("unrestricted capabilities", details.join("; ")))
}

pub(super) fn capabilities_linux(pod: Pod<'_>) -> Option<Finding> {
    if pod.is_windows() { None } else { capabilities(pod) }
}

pub(super) fn volumes(pod: Pod<'_>) -> Option<Finding> {
    let has = |volume, sources: &[&'static str]| -> Option<&'static str> {
        sources.iter().copied().find(|source| some(volume, source).is_some())
    };
    let wrong = items(pod.spec, "volumes").iter().filter(|it| has(it, &VOLUMES).is_none());
    let wrong: Vec<_> = wrong.collect();
    if wrong.is_empty() {
        return None;
    }
    let kinds: BTreeSet<&str> =
        wrong.iter().map(|volume| has(volume, &OTHER_VOLUMES).unwrap_or("unknown")).collect();
    let names: Vec<&str> = wrong.iter().map(|volume| text(volume, "name")).collect();
    let word = plural("volume", "volumes", names.len());
    let uses = plural("uses", "use", names.len());
    let kind = plural("restricted volume type", "restricted volume types", kinds.len());
    let detail = format!("{word} {} {uses} {kind} {}", quoted(names), quoted(kinds));
    Some(Finding::new("restricted volume types", detail))
}

pub(super) fn non_root(pod: Pod<'_>) -> Option<Finding> {
    const REASON: &str = "runAsNonRoot != true";
    let of = |holder| flag_of(security(holder), "runAsNonRoot");
    let explicit = pod.wrong(|container| of(container) == Some(false));
    if let Some(who) = setters(of(pod.spec) == Some(false), &explicit) {
        let detail = format!("{who} must not set securityContext.runAsNonRoot=false");
        return Some(Finding::new(REASON, detail));
    }
    let silent = pod.wrong(|container| of(container).is_none() && of(pod.spec) != Some(true));
    (!silent.is_empty()).then(|| {
        let who = containers(&silent);
        let detail = format!("pod or {who} must set securityContext.runAsNonRoot=true");
        Finding::new(REASON, detail)
    })
}

pub(super) fn non_root_on_host(pod: Pod<'_>) -> Option<Finding> {
    if pod.has_own_users() { None } else { non_root(pod) }
}

pub(super) fn user(pod: Pod<'_>) -> Option<Finding> {
    let is_root = |holder| int_of(security(holder), "runAsUser") == Some(0);
    let names = pod.wrong(is_root);
    let who = setters(is_root(pod.spec), &names)?;
    Some(Finding::new("runAsUser=0", format!("{who} must not set runAsUser=0")))
}

pub(super) fn user_on_host(pod: Pod<'_>) -> Option<Finding> {
    if pod.has_own_users() { None } else { user(pod) }
}

pub(super) fn seccomp(pod: Pod<'_>) -> Option<Finding> {
    let explicit = seccomp_profile(pod);
    if explicit.is_some() {
        return explicit;
    }
    let by_pod = seccomp_type(pod.spec).is_some_and(is_good_seccomp);
    let silent = pod.wrong(|container| seccomp_type(container).is_none() && !by_pod);
    (!silent.is_empty()).then(|| {
        let who = containers(&silent);
        let detail = format!(
            "pod or {who} must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \
             \"Localhost\""
        );
        Finding::new("seccompProfile", detail)
    })
}

pub(super) fn seccomp_linux(pod: Pod<'_>) -> Option<Finding> {
    if pod.is_windows() { None } else { seccomp(pod) }
}
