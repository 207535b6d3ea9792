//! Containers: those of the pod, those that run before, and those that are added for debugging.

use std::collections::BTreeSet;

use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::check::{one_of, required, required_one_of};
use super::options::PodOptions;
use super::sources::PULL_POLICIES;
use super::volumes::Volumes;
use super::{env, mounts, probes, security};
use crate::shared::access::{int, items, part, some, text, text_of};
use crate::shared::net;
use crate::shared::resources::{self, Requirements};

/// What the rules of a container need to know of its pod.
pub(super) struct Pod<'a> {
    pub(super) spec: &'a Value,
    pub(super) volumes: Volumes<'a>,
    pub(super) claims: BTreeSet<&'a str>,
    pub(super) grace: Option<i64>,
    pub(super) host_users: bool,
    pub(super) options: &'a PodOptions,
}

/// Runs over all containers of a pod: first those that run first, last those for debugging.
pub(super) fn each(spec: &Value, path: &Path<'_>, run: &mut dyn FnMut(&Value, &Path<'_>)) {
    for kind in ["initContainers", "containers", "ephemeralContainers"] {
        let list = path.child(kind);
        for (at, container) in items(spec, kind).iter().enumerate() {
            run(container, &list.index(at));
        }
    }
}

pub(super) fn restarts_always(container: &Value) -> bool {
    text(container, "restartPolicy") == "Always"
}

impl Pod<'_> {
    fn os(&self) -> Option<&str> {
        some(self.spec, "os").map(|os| text(os, "name"))
    }

    /// The containers that the pod is made for.
    pub(super) fn check_containers(&self, path: &Path<'_>, errors: &mut ErrorList) {
        let list = path.child("containers");
        let containers = items(self.spec, "containers");
        if containers.is_empty() {
            errors.push(Error::required(&list, ""));
            return;
        }
        let mut names = BTreeSet::new();
        for (at, container) in containers.iter().enumerate() {
            let path = list.index(at);
            self.check_common(container, &path, errors);
            let name = text(container, "name");
            if !names.insert(name) {
                errors.push(Error::duplicate(&path.child("name"), name));
            }
            probes::check_lifecycle(container, self.grace, self.os(), &path, errors);
            probes::check(container, self.grace, &path, errors);
            check_restart_policy(container, &path, errors);
        }
        check_host_ports(containers, &list, errors);
    }

    /// The containers that run before the others, or beside them when they restart always.
    pub(super) fn check_init_containers(&self, path: &Path<'_>, errors: &mut ErrorList) {
        let list = path.child("initContainers");
        let others = items(self.spec, "containers").iter().map(|it| text(it, "name"));
        let mut names: BTreeSet<&str> = others.collect();
        for (at, container) in items(self.spec, "initContainers").iter().enumerate() {
            let path = list.index(at);
            self.check_common(container, &path, errors);
            if some(container, "restartPolicy").is_some() {
                check_restart_policy(container, &path, errors);
            } else if !items(container, "restartPolicyRules").is_empty() {
                errors.push(Error::required(&path.child("restartPolicy"), NO_RESTART_POLICY));
            }
            let name = text(container, "name");
            if names.contains(name) {
                errors.push(Error::duplicate(&path.child("name"), name));
            } else if !name.is_empty() {
                names.insert(name);
            }
            check_host_ports(std::slice::from_ref(container), &list, errors);
            if restarts_always(container) {
                probes::check_lifecycle(container, self.grace, self.os(), &path, errors);
                probes::check(container, self.grace, &path, errors);
                continue;
            }
            for field in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
                if some(container, field).is_some() {
                    let problem = "may not be set for init containers without restartPolicy=Always";
                    errors.push(Error::forbidden(&path.child(field), problem));
                }
            }
            if !self.options.allow_init_restart_container {
                check_no_restart_on_resize(container, &path, errors);
            }
        }
    }

    /// Containers that are added to a pod while it runs.
    pub(super) fn check_ephemeral_containers(&self, path: &Path<'_>, errors: &mut ErrorList) {
        const REFUSED: &str = "cannot be set for an Ephemeral Container";
        let list = path.child("ephemeralContainers");
        let others: BTreeSet<&str> = ["containers", "initContainers"]
            .iter()
            .flat_map(|kind| items(self.spec, kind))
            .map(|it| text(it, "name"))
            .collect();
        let mut names = others.clone();
        for (at, container) in items(self.spec, "ephemeralContainers").iter().enumerate() {
            let path = list.index(at);
            self.check_common(container, &path, errors);
            check_image_padding(container, &path, errors);
            let name = text(container, "name");
            if !names.insert(name) {
                errors.push(Error::duplicate(&path.child("name"), name));
            }
            let target = text(container, "targetContainerName");
            if !target.is_empty() && !others.contains(target) {
                errors.push(Error::not_found(&path.child("targetContainerName"), target));
            }
            for field in REFUSED_IN_EPHEMERAL {
                let given = some(container, field).is_some_and(|it| !is_unset(it, field));
                if given {
                    errors.push(Error::forbidden(&path.child(field), REFUSED));
                }
            }
            let mounts = path.child("volumeMounts");
            for (at, mount) in items(container, "volumeMounts").iter().enumerate() {
                for field in ["subPath", "subPathExpr"] {
                    if !text(mount, field).is_empty() {
                        errors.push(Error::forbidden(&mounts.index(at).child(field), REFUSED));
                    }
                }
            }
        }
    }

    /// The rules of all containers.
    fn check_common(&self, container: &Value, path: &Path<'_>, errors: &mut ErrorList) {
        let name = text(container, "name");
        if name.is_empty() {
            errors.push(Error::required(&path.child("name"), ""));
        } else {
            errors.extend(net::label(&path.child("name"), name));
        }
        required(container, "image", path, errors);
        let policies = ["File", "FallbackToLogsOnError"];
        required_one_of(container, "terminationMessagePolicy", &policies, path, errors);
        check_ports(container, &path.child("ports"), errors);
        env::check(container, path, errors);
        mounts::check(container, &self.volumes, path, errors);
        required_one_of(container, "imagePullPolicy", &PULL_POLICIES, path, errors);
        let requirements = Requirements {
            check_name: resources::check_container_name,
            claims: &self.claims,
            allow_indivisible: self.options.allow_indivisible_huge_pages,
        };
        requirements.check(part(container, "resources"), &path.child("resources"), errors);
        self.check_resize_policy(container, &path.child("resizePolicy"), errors);
        security::check_container(container, self.host_users, path, errors);
    }

    fn check_resize_policy(&self, container: &Value, path: &Path<'_>, errors: &mut ErrorList) {
        let mut seen = BTreeSet::new();
        for (at, policy) in items(container, "resizePolicy").iter().enumerate() {
            let (resource, restart) = (text(policy, "resourceName"), text(policy, "restartPolicy"));
            if !seen.insert(resource) {
                errors.push(Error::duplicate(&path.index(at), resource));
            }
            let supported = ["NotRequired", "RestartContainer"];
            for (given, supported) in [(resource, ["cpu", "memory"]), (restart, supported)] {
                match given {
                    "" => errors.push(Error::required(path, "")),
                    given => one_of(given, &supported, path, errors),
                }
            }
            if text(self.spec, "restartPolicy") == "Never" && restart != "NotRequired" {
                let problem = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
                errors.push(Error::invalid(path, restart, problem));
            }
        }
    }
}

const REFUSED_IN_EPHEMERAL: [&str; 9] = [
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
];

/// Nothing is set in a list or structure that is no pointer.
fn is_unset(value: &Value, field: &str) -> bool {
    match value {
        Value::List(list) => list.is_empty(),
        Value::Map(map) => field == "resources" && map.is_empty(),
        _ => false,
    }
}

/// Pods, unlike their templates, name images without spaces around.
pub(super) fn check_image_padding(container: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let image = text(container, "image");
    if image.trim() != image {
        let problem = "must not have leading or trailing whitespace";
        errors.push(Error::invalid(&path.child("image"), image, problem));
    }
}

fn check_ports(container: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let mut names = BTreeSet::new();
    for (at, port) in items(container, "ports").iter().enumerate() {
        let path = path.index(at);
        let name = text(port, "name");
        let problems = if name.is_empty() { Vec::new() } else { net::port_name(name) };
        if !name.is_empty() && problems.is_empty() && !names.insert(name) {
            errors.push(Error::duplicate(&path.child("name"), name));
        }
        errors.extend(net::invalid(&path.child("name"), name, problems));
        let number = int(port, "containerPort");
        if number == 0 {
            errors.push(Error::required(&path.child("containerPort"), ""));
        } else if let Some(problem) = net::port_number(number) {
            errors.push(Error::invalid(&path.child("containerPort"), number, problem));
        }
        let number = int(port, "hostPort");
        if number != 0
            && let Some(problem) = net::port_number(number)
        {
            errors.push(Error::invalid(&path.child("hostPort"), number, problem));
        }
        errors.extend(net::protocol(&path.child("protocol"), text(port, "protocol")));
    }
}

/// A port of the host is taken once.
fn check_host_ports(containers: &[Value], path: &Path<'_>, errors: &mut ErrorList) {
    let mut taken = BTreeSet::new();
    for (at, container) in containers.iter().enumerate() {
        let container_path = path.index(at);
        let list = container_path.child("ports");
        for (at, port) in items(container, "ports").iter().enumerate() {
            let number = int(port, "hostPort");
            let key = format!("{}/{}/{number}", text(port, "protocol"), text(port, "hostIP"));
            if number != 0 && taken.contains(&key) {
                errors.push(Error::duplicate(&list.index(at).child("hostPort"), key));
            } else if number != 0 {
                taken.insert(key);
            }
        }
    }
}

const NO_RESTART_POLICY: &str = "must specify restartPolicy when restart rules are used";

/// When a single container is started again.
fn check_restart_policy(container: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const RULES_MAX: i64 = 20;
    let rules = items(container, "restartPolicyRules");
    let policy_path = path.child("restartPolicy");
    match text_of(container, "restartPolicy") {
        Some(policy) => one_of(policy, &["Always", "Never", "OnFailure"], &policy_path, errors),
        None if rules.is_empty() => return,
        None => {
            errors.push(Error::required(&policy_path, NO_RESTART_POLICY));
        }
    }
    let list = path.child("restartPolicyRules");
    let count = i64::try_from(rules.len()).unwrap_or(i64::MAX);
    if count > RULES_MAX {
        errors.push(Error::too_many(&list, count, RULES_MAX));
    }
    for (at, rule) in rules.iter().enumerate() {
        check_restart_rule(rule, &list.index(at), errors);
    }
}

fn check_restart_rule(rule: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const CODES_MAX: i64 = 255;
    let actions = ["Restart", "RestartAllContainers"];
    one_of(text(rule, "action"), &actions, &path.child("action"), errors);
    let path = path.child("exitCodes");
    let Some(codes) = some(rule, "exitCodes") else {
        errors.push(Error::required(&path, "must be specified"));
        return;
    };
    one_of(text(codes, "operator"), &["In", "NotIn"], &path.child("operator"), errors);
    let count = i64::try_from(items(codes, "values").len()).unwrap_or(i64::MAX);
    if count > CODES_MAX {
        errors.push(Error::too_many(&path.child("values"), count, CODES_MAX));
    }
}

fn check_no_restart_on_resize(container: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let list = path.child("resizePolicy");
    for (at, policy) in items(container, "resizePolicy").iter().enumerate() {
        if text(policy, "restartPolicy") == "RestartContainer" {
            let problem = "must not be set to 'RestartContainer' for non-sidecar initContainers";
            let path = list.index(at);
            let path = path.child("restartPolicy");
            errors.push(Error::invalid(&path, "RestartContainer", problem));
        }
    }
}
