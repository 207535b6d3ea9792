//! PodSecurity: pods must keep to the standard that their namespace names by its labels.
//!
//! What violates the enforced standard is refused, what violates the others is warned of and noted
//! in the audit log. Workloads are never refused, for the sake of their pods they are warned of.

mod baseline;
mod checks;
mod configuration;
mod policy;
mod restricted;
mod view;

use std::collections::{BTreeMap, BTreeSet};

use ordain_meta::GroupKind;
use ordain_meta::status::Status;
use ordain_value::{Value, go_quote};

use super::{Operation, Plugin, Query, Remarks, Request, Verdict};
use crate::shared::access::{items, part, text};
pub(super) use configuration::Configuration;
use policy::{Policy, Standard};
use view::{Finding, Pod};

const ANNOTATIONS: &str = "pod-security.kubernetes.io/";
/// Subresources of pods that change nothing that is checked.
const IGNORED: [&str; 8] =
    ["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"];
/// How many pods are looked at when a namespace gets stricter.
const PODS_MAX: usize = 3000;

#[derive(Debug)]
pub(super) struct PodSecurity(pub(super) Configuration);

/// What a request is about.
enum About<'a> {
    Namespace,
    Pod(Pod<'a>),
    Workload(Pod<'a>),
}

fn about<'a>(request: &Request<'_>, object: &'a Value) -> Option<About<'a>> {
    let pod =
        |holder: &'a Value| Pod { metadata: part(holder, "metadata"), spec: part(holder, "spec") };
    let template =
        |holder: &'a Value| Some(About::Workload(pod(part(part(holder, "spec"), "template"))));
    match (request.group, request.plural) {
        ("", "pods") => (!IGNORED.contains(&request.subresource)).then(|| About::Pod(pod(object))),
        _ if !request.subresource.is_empty() => None,
        ("", "namespaces") => Some(About::Namespace),
        ("", "podtemplates") => Some(About::Workload(pod(part(object, "template")))),
        ("", "replicationcontrollers") | ("batch", "jobs") => template(object),
        ("apps", "deployments" | "replicasets" | "statefulsets" | "daemonsets") => template(object),
        ("batch", "cronjobs") => template(part(part(object, "spec"), "jobTemplate")),
        _ => None,
    }
}

impl Plugin for PodSecurity {
    fn name(&self) -> &'static str {
        "PodSecurity"
    }

    fn needs(&self, request: &Request<'_>, object: &Value) -> Vec<Query> {
        match about(request, object) {
            Some(About::Namespace) if request.operation == Operation::Update => {
                match self.tightened(request, object) {
                    Some(_) => vec![Query::all("", "pods", request.name)],
                    None => Vec::new(),
                }
            }
            Some(About::Pod(_) | About::Workload(_)) => {
                vec![Query::one("", "namespaces", "", request.namespace)]
            }
            _ => Vec::new(),
        }
    }

    fn validate(
        &self,
        request: &Request<'_>,
        object: &Value,
        remarks: &mut Remarks<'_>,
    ) -> Verdict {
        let (pod, enforced) = match about(request, object) {
            None => return Ok(()),
            Some(About::Namespace) => {
                return self.check_namespace(request, object, remarks);
            }
            Some(About::Pod(_) | About::Workload(_)) if self.is_exempt(request, remarks) => {
                return Ok(());
            }
            Some(About::Pod(pod)) => {
                if request.old.is_some_and(|old| !is_significant(object, old)) {
                    return Ok(());
                }
                (pod, true)
            }
            Some(About::Workload(pod)) => (pod, false),
        };
        let Some(namespace) = request.found("namespaces").next() else { return Ok(()) };
        let (policy, errors) = policy::of_namespace(namespace, &self.0.defaults);
        if let Some(text) = ordain_meta::status::aggregate(&errors) {
            remarks.audit(ANNOTATIONS, "error", format!("Failed to parse policy: {text}"));
        }
        if self.is_exempt_class(pod) && !policy.is_open() {
            remarks.audit(ANNOTATIONS, "exempt", "runtimeClass".to_owned());
            return Ok(());
        }
        judge(request, policy, pod, enforced, remarks)
    }
}

impl PodSecurity {
    /// Whether the namespace or the user of a request may do what they like; notes that it is so.
    fn is_exempt(&self, request: &Request<'_>, remarks: &mut Remarks<'_>) -> bool {
        let user = request.user.map_or("", |user| user.name.as_str());
        let Configuration { namespaces, users, .. } = &self.0;
        let why = if namespaces.iter().any(|it| it == request.namespace) {
            "namespace"
        } else if users.iter().any(|it| it == user) {
            "user"
        } else {
            return false;
        };
        remarks.audit(ANNOTATIONS, "exempt", why.to_owned());
        true
    }

    fn is_exempt_class(&self, pod: Pod<'_>) -> bool {
        let class = text(pod.spec, "runtimeClassName");
        self.0.runtime_classes.iter().any(|it| it == class)
    }

    fn check_namespace(
        &self,
        request: &Request<'_>,
        namespace: &Value,
        remarks: &mut Remarks<'_>,
    ) -> Verdict {
        let defaults = &self.0.defaults;
        let (policy, errors) = policy::of_namespace(namespace, defaults);
        let known = request.old.map(|old| policy::of_namespace(old, defaults).1);
        if !errors.is_empty() && known.is_none_or(|known| !same(&known, &errors)) {
            return Err(Status::invalid(&GroupKind::new("", "Namespace"), request.name, &errors));
        }
        let created = request.operation == Operation::Create;
        let standard = self.tightened(request, namespace);
        if self.0.namespaces.iter().any(|it| it == request.name) {
            if (created || standard.is_some()) && !policy.is_open() && policy != *defaults {
                remarks.warnings.add(exempt_warning(request.name, namespace, &policy));
            }
            return Ok(());
        }
        if let Some(standard) = standard {
            let pods = request.found("pods");
            let judged = |pod: &&Value| {
                let view = Pod { metadata: part(pod, "metadata"), spec: part(pod, "spec") };
                !self.is_exempt_class(view)
            };
            let pods: Vec<&Value> = pods.filter(judged).collect();
            violations(request.name, standard, &pods, remarks);
        }
        Ok(())
    }

    /// The standard that a namespace newly enforces, if pods may violate it that did not before.
    fn tightened(&self, request: &Request<'_>, namespace: &Value) -> Option<Standard> {
        let defaults = &self.0.defaults;
        let old = policy::of_namespace(request.old?, defaults).0.enforce;
        let new = policy::of_namespace(namespace, defaults).0.enforce;
        let looser = new.minor == old.minor && new.level <= old.level;
        (new != old && !new.is_open() && !looser).then_some(new)
    }
}

/// Tells that the labels of a namespace mean nothing because it is exempt.
fn exempt_warning(name: &str, namespace: &Value, policy: &Policy) -> String {
    let modes = policy.modes();
    let meant = modes.iter().filter(|(mode, it)| !it.is_open() && policy::names(namespace, mode));
    let meant: Vec<String> = meant.map(|(mode, standard)| format!("{mode}={standard}")).collect();
    format!(
        "namespace {} is exempt from Pod Security, and the policy ({}) will be ignored",
        go_quote(name),
        meant.join(", ")
    )
}

fn judge(
    request: &Request<'_>,
    policy: Policy,
    pod: Pod<'_>,
    enforced: bool,
    remarks: &mut Remarks<'_>,
) -> Verdict {
    let Policy { enforce, audit, warn } = policy;
    if policy.is_open() {
        if enforced {
            remarks.audit(ANNOTATIONS, "enforce-policy", enforce.to_string());
        }
        return Ok(());
    }
    let would = |standard: Standard| {
        let findings = checks::run(standard, pod);
        let shown = go_quote(&standard.to_string());
        (!findings.is_empty())
            .then(|| format!("violate PodSecurity {shown}: {}", details(&findings)))
    };
    if let Some(violation) = would(audit) {
        remarks.audit(ANNOTATIONS, "audit-violations", format!("would {violation}"));
    }
    if enforced {
        remarks.audit(ANNOTATIONS, "enforce-policy", enforce.to_string());
        let findings = checks::run(enforce, pod);
        if !findings.is_empty() {
            let standard = go_quote(&enforce.to_string());
            let why = format!("violates PodSecurity {standard}: {}", details(&findings));
            return Err(request.forbidden(&why));
        }
    }
    if let Some(violation) = would(warn) {
        remarks.warnings.add(format!("would {violation}"));
    }
    Ok(())
}

fn details(findings: &[Finding]) -> String {
    let texts = findings.iter().map(|it| match it.detail.as_str() {
        "" => it.reason.clone(),
        detail => format!("{} ({detail})", it.reason),
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// Only what runs in a pod can make it violate a standard that it kept before.
fn is_significant(pod: &Value, old: &Value) -> bool {
    let (spec, old) = (part(pod, "spec"), part(old, "spec"));
    let image = |container: &Value| text(container, "image").to_owned();
    let changed = ["containers", "initContainers"].iter().any(|list| {
        let (new, old) = (items(spec, list), items(old, list));
        new.len() != old.len() || new.iter().zip(old).any(|(new, old)| image(new) != image(old))
    });
    changed
        || items(spec, "ephemeralContainers").iter().any(|container| {
            let name = text(container, "name");
            let known = items(old, "ephemeralContainers").iter();
            let known = known.filter(|it| text(it, "name") == name).map(image).next();
            known != Some(image(container))
        })
}

fn same(a: &ordain_value::field::ErrorList, b: &ordain_value::field::ErrorList) -> bool {
    let texts = |list: &ordain_value::field::ErrorList| {
        list.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    texts(a) == texts(b)
}

/// Warns of the pods in a namespace that violate what it enforces from now on.
fn violations(namespace: &str, standard: Standard, pods: &[&Value], remarks: &mut Remarks<'_>) {
    let chosen = distinct(pods);
    let total = chosen.len();
    let mut reasons: BTreeMap<String, (&str, usize)> = BTreeMap::new();
    for pod in chosen.into_iter().take(PODS_MAX) {
        let view = Pod { metadata: part(pod, "metadata"), spec: part(pod, "spec") };
        let findings = checks::run(standard, view);
        if findings.is_empty() {
            continue;
        }
        let reason = findings.iter().map(|it| it.reason.as_str()).collect::<Vec<_>>().join(", ");
        let name = text(view.metadata, "name");
        let (first, count) = reasons.entry(reason).or_insert((name, 0));
        *first = name.min(first);
        *count += 1;
    }
    if total > PODS_MAX {
        remarks.warnings.add(format!(
            "new PodSecurity enforce level only checked against the first {PODS_MAX} of {total} \
             existing pods"
        ));
    }
    if reasons.is_empty() {
        return;
    }
    remarks.warnings.add(format!(
        "existing pods in namespace {} violate the new PodSecurity enforce level {}",
        go_quote(namespace),
        go_quote(&standard.to_string())
    ));
    let mut texts: Vec<String> = reasons
        .into_iter()
        .map(|(reason, (first, count))| match count {
            1 => format!("{first}: {reason}"),
            2 => format!("{first} (and 1 other pod): {reason}"),
            _ => format!("{first} (and {} other pods): {reason}", count - 1),
        })
        .collect();
    texts.sort();
    texts.into_iter().for_each(|text| remarks.warnings.add(text));
}

/// Of the pods of one controller one comes first, the others behind everything else.
fn distinct<'a>(pods: &[&'a Value]) -> Vec<&'a Value> {
    let mut seen = BTreeSet::new();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for pod in pods {
        let owners = items(part(pod, "metadata"), "ownerReferences").iter();
        let mut owners = owners.filter(|it| crate::shared::access::flag(it, "controller"));
        match owners.next().map(|owner| text(owner, "uid")) {
            Some(owner) if !seen.insert(owner) => rest.push(*pod),
            _ => first.push(*pod),
        }
    }
    first.append(&mut rest);
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    fn findings(standard: Standard, spec: Value) -> String {
        let pod = value!({"metadata": {}, "spec": spec});
        let view = Pod { metadata: part(&pod, "metadata"), spec: part(&pod, "spec") };
        details(&checks::run(standard, view))
    }

    fn standard(level: policy::Level) -> Standard {
        Standard { level, minor: None }
    }

    #[test]
    fn a_plain_pod_keeps_to_the_baseline_and_not_to_the_restricted_level() {
        let spec = value!({"containers": [{"name": "a", "image": "i"}]});
        assert_eq!(findings(standard(policy::Level::Baseline), spec.clone()), "");
        assert_eq!(
            findings(standard(policy::Level::Restricted), spec),
            "allowPrivilegeEscalation != false (container \"a\" must set \
             securityContext.allowPrivilegeEscalation=false), unrestricted capabilities \
             (container \"a\" must set securityContext.capabilities.drop=[\"ALL\"]), \
             runAsNonRoot != true (pod or container \"a\" must set \
             securityContext.runAsNonRoot=true), seccompProfile (pod or container \"a\" must set \
             securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\")"
        );
    }

    #[test]
    fn power_over_the_node_violates_the_baseline() {
        let spec = value!({
            "hostNetwork": true,
            "volumes": [{"name": "v", "hostPath": {"path": "/"}}],
            "containers": [
                {"name": "a", "securityContext": {"privileged": true}, "ports": [{"hostPort": 80}]},
                {"name": "b", "securityContext": {"capabilities": {"add": ["SYS_ADMIN", "KILL"]}}}
            ]
        });
        assert_eq!(
            findings(standard(policy::Level::Baseline), spec),
            "non-default capabilities (container \"b\" must not include \"SYS_ADMIN\" in \
             securityContext.capabilities.add), host namespaces (hostNetwork=true), hostPath \
             volumes (volume \"v\"), hostPort (container \"a\" uses hostPort 80), privileged \
             (container \"a\" must not set securityContext.privileged=true)"
        );
    }

    #[test]
    fn who_is_exempt_may_do_what_they_like() {
        let file = value!({
            "apiVersion": "pod-security.admission.config.k8s.io/v1",
            "kind": "PodSecurityConfiguration",
            "defaults": {"enforce": "baseline"},
            "exemptions": {
                "usernames": ["root"], "namespaces": ["free"], "runtimeClasses": ["sandbox"]
            }
        });
        let plugin = PodSecurity(Configuration::decode(&file).unwrap());
        let judge = |namespace: &str, user: &str, class: &str| {
            let pod = value!({
                "metadata": {"name": "p"},
                "spec": {"hostNetwork": true, "runtimeClassName": class, "containers": []}
            });
            let user = ordain_strategy::User { name: user.into(), ..Default::default() };
            let query = Query::one("", "namespaces", "", namespace);
            let looked_up = super::super::Found::from([(
                query,
                vec![value!({"metadata": {"name": namespace}})],
            )]);
            let request = Request {
                group: "",
                plural: "pods",
                subresource: "",
                namespace,
                name: "p",
                operation: Operation::Create,
                old: None,
                user: Some(&user),
                suffix: "",
                found: &looked_up,
            };
            let mut warnings = ordain_strategy::Warnings::default();
            let mut remarks = Remarks { warnings: &mut warnings, annotations: Vec::new() };
            let verdict = plugin.validate(&request, &pod, &mut remarks);
            (verdict.is_ok(), remarks.annotations.pop().map(|it| it.1).unwrap_or_default())
        };
        assert!(!judge("shop", "bob", "").0);
        assert_eq!(judge("free", "bob", ""), (true, "namespace".to_owned()));
        assert_eq!(judge("shop", "root", ""), (true, "user".to_owned()));
        assert_eq!(judge("shop", "bob", "sandbox"), (true, "runtimeClass".to_owned()));
        let mut wrong = file;
        wrong.set_path(&["defaults", "warn"], "high".into());
        let why = Configuration::decode(&wrong).unwrap_err();
        assert_eq!(why, "defaults.warn: \"high\" must be one of privileged, baseline, restricted");
    }

    #[test]
    fn a_standard_is_that_of_its_release() {
        let spec = value!({
            "hostUsers": false,
            "containers": [{"name": "a", "securityContext": {"procMount": "Unmasked"}}]
        });
        let old = Standard { level: policy::Level::Baseline, minor: Some(34) };
        assert!(findings(old, spec.clone()).starts_with("procMount"));
        assert_eq!(findings(standard(policy::Level::Baseline), spec), "");
    }
}
