//! ServiceAccount: pods run as an account of their namespace, with its pull secrets and a token of
//! it mounted.

use std::collections::BTreeSet;

use ordain_meta::status::Status;
use ordain_value::{List, Value, value};

use super::{Operation, Plugin, Query, Remarks, Request, Verdict};
use crate::shared::access::{annotation, flag_of, items, items_mut, part, some, text};

/// The account of pods that name none; every namespace has it.
const DEFAULT: &str = "default";
const MOUNT_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
const VOLUME: &str = "kube-api-access-";
/// A token that a pod holds for longer is warned of.
const EXPIRATION_SECONDS: i64 = 3607;
const MIRROR: &str = "kubernetes.io/config.mirror";
const ONLY_OWN_SECRETS: &str = "kubernetes.io/enforce-mountable-secrets";

#[derive(Debug)]
pub(super) struct ServiceAccount;

impl Plugin for ServiceAccount {
    fn name(&self) -> &'static str {
        "ServiceAccount"
    }

    fn needs(&self, request: &Request<'_>, object: &Value) -> Vec<Query> {
        if !is_concerned(request) || is_mirror(object) {
            return Vec::new();
        }
        let name = account_name(object);
        let name = if name.is_empty() { DEFAULT } else { name };
        let query = Query::one("", "serviceaccounts", request.namespace, name);
        vec![Query { patient: name == DEFAULT, ..query }]
    }

    fn mutate(&self, request: &Request<'_>, object: &mut Value) -> Verdict {
        if !request.creates("", "pods") || is_mirror(object) {
            return Ok(());
        }
        if account_name(object).is_empty() {
            // The old name of the field is shown beside the new one.
            for field in ["serviceAccountName", "serviceAccount"] {
                object.set_path(&["spec", field], DEFAULT.into());
            }
        }
        let account = account(request, object)?;
        let wanted = flag_of(part(object, "spec"), "automountServiceAccountToken")
            .or_else(|| flag_of(account, "automountServiceAccountToken"));
        if wanted.unwrap_or(true) {
            mount_token(object, request.suffix);
        }
        if items(part(object, "spec"), "imagePullSecrets").is_empty() {
            let secrets = items(account, "imagePullSecrets").iter();
            let secrets: Vec<Value> =
                secrets.map(|secret| value!({"name": (text(secret, "name"))})).collect();
            if !secrets.is_empty() {
                object.set_path(&["spec", "imagePullSecrets"], secrets.into());
            }
        }
        Ok(())
    }

    fn validate(&self, request: &Request<'_>, object: &Value, _: &mut Remarks<'_>) -> Verdict {
        if !is_concerned(request) {
            return Ok(());
        }
        let spec = part(object, "spec");
        if is_mirror(object) {
            return check_mirror(object).map_err(|why| request.forbidden(why));
        }
        if account_name(object).is_empty() {
            let (namespace, name) = (request.namespace, text(part(object, "metadata"), "name"));
            let why = format!("no service account specified for pod {namespace}/{name}");
            return Err(request.forbidden(&why));
        }
        let account = account(request, object)?;
        let enforced = annotation(account, ONLY_OWN_SECRETS).unwrap_or("");
        if !matches!(enforced, "1" | "t" | "T" | "true" | "TRUE" | "True") {
            return Ok(());
        }
        let own = Secrets::of(account);
        let problem = match request.operation {
            Operation::Create => own.problem_of_pod(spec),
            Operation::Update | Operation::Delete => {
                own.problem_of(spec, "ephemeralContainers", "ephemeral container")
            }
        };
        problem.map_or(Ok(()), |why| Err(request.forbidden(&why)))
    }
}

fn is_concerned(request: &Request<'_>) -> bool {
    let ephemeral =
        (request.group, request.plural, request.subresource) == ("", "pods", "ephemeralcontainers");
    request.creates("", "pods") || (ephemeral && request.operation == Operation::Update)
}

fn account_name(pod: &Value) -> &str {
    text(part(pod, "spec"), "serviceAccountName")
}

/// Whether a pod only shows one that a node runs by itself.
fn is_mirror(pod: &Value) -> bool {
    annotation(pod, MIRROR).is_some()
}

fn check_mirror(pod: &Value) -> Result<(), &'static str> {
    let spec = part(pod, "spec");
    if !account_name(pod).is_empty() {
        return Err("a mirror pod may not reference service accounts");
    }
    let sources = |volume| items(part(volume, "projected"), "sources");
    let volumes = items(spec, "volumes");
    let secret_in_volumes = volumes.iter().any(|volume| {
        some(volume, "secret").is_some()
            || sources(volume).iter().any(|source| some(source, "secret").is_some())
    });
    let lists = ["initContainers", "containers", "ephemeralContainers"];
    let mut containers = lists.iter().flat_map(|list| items(spec, list));
    if secret_in_volumes
        || !items(spec, "imagePullSecrets").is_empty()
        || containers.any(|container| !secrets_of(container).is_empty())
    {
        return Err("a mirror pod may not reference secrets");
    }
    let token = |source: &Value| some(source, "serviceAccountToken").is_some();
    if volumes.iter().any(|volume| sources(volume).iter().any(token)) {
        return Err("a mirror pod may not use ServiceAccountToken volume projections");
    }
    Ok(())
}

fn account<'a>(request: &Request<'a>, pod: &Value) -> Result<&'a Value, Status> {
    request.found("serviceaccounts").next().ok_or_else(|| {
        let (namespace, name) = (request.namespace, account_name(pod));
        request.forbidden(&format!(
            "error looking up service account {namespace}/{name}: serviceaccount {} not found",
            ordain_value::go_quote(name)
        ))
    })
}

/// Mounts a token into every container that has nothing at its place.
fn mount_token(pod: &mut Value, suffix: &str) {
    let volumes = items(part(pod, "spec"), "volumes").iter();
    let mut known = volumes.map(|it| text(it, "name")).filter(|it| it.starts_with(VOLUME));
    let known = known.next().map(str::to_owned);
    let name = known.clone().unwrap_or_else(|| format!("{VOLUME}{suffix}"));
    let mut mounted = false;
    for list in ["initContainers", "containers"] {
        let Some(spec) = pod.get_mut("spec") else { continue };
        for container in items_mut(spec, list) {
            let there = items(container, "volumeMounts").iter();
            if there.map(|it| text(it, "mountPath")).any(|it| it == MOUNT_PATH) {
                continue;
            }
            let mount =
                value!({"name": (name.as_str()), "readOnly": true, "mountPath": MOUNT_PATH});
            push(container, &["volumeMounts"], mount);
            mounted = true;
        }
    }
    if mounted && known.is_none() {
        push(pod, &["spec", "volumes"], token_volume(&name));
    }
}

fn push(holder: &mut Value, path: &[&str], value: Value) {
    let list = holder.get_path(path).and_then(Value::as_list);
    let mut list = list.cloned().unwrap_or_else(List::default);
    list.push(value);
    holder.set_path(path, Value::List(list));
}

/// A token, the authority of the server and the namespace, as files.
fn token_volume(name: &str) -> Value {
    value!({
        "name": name,
        "projected": {
            "defaultMode": 420,
            "sources": [
                {"serviceAccountToken": {"expirationSeconds": EXPIRATION_SECONDS, "path": "token"}},
                {"configMap": {
                    "name": "kube-root-ca.crt",
                    "items": [{"key": "ca.crt", "path": "ca.crt"}]
                }},
                {"downwardAPI": {"items": [{
                    "path": "namespace",
                    "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
                }]}}
            ]
        }
    })
}

/// The secrets that the environment of a container refers to: the variable, if it is one alone,
/// and the secret.
fn secrets_of(container: &Value) -> Vec<(Option<&str>, &str)> {
    let single = items(container, "env").iter().filter_map(|variable| {
        let reference = some(part(variable, "valueFrom"), "secretKeyRef")?;
        Some((Some(text(variable, "name")), text(reference, "name")))
    });
    let whole = items(container, "envFrom").iter().filter_map(|source| {
        some(source, "secretRef").map(|reference| (None, text(reference, "name")))
    });
    single.chain(whole).collect()
}

/// The secrets that an account lets its pods use.
struct Secrets<'a> {
    account: &'a str,
    mountable: BTreeSet<&'a str>,
    pulling: BTreeSet<&'a str>,
}

impl<'a> Secrets<'a> {
    fn of(account: &'a Value) -> Self {
        let names = |list| items(account, list).iter().map(|it| text(it, "name")).collect();
        Self {
            account: text(part(account, "metadata"), "name"),
            mountable: names("secrets"),
            pulling: names("imagePullSecrets"),
        }
    }

    fn problem_of_pod(&self, spec: &Value) -> Option<String> {
        let account = self.account;
        let volumes = items(spec, "volumes").iter().filter_map(|volume| some(volume, "secret"));
        let mut volumes = volumes.map(|secret| text(secret, "secretName"));
        if let Some(secret) = volumes.find(|secret| !self.mountable.contains(secret)) {
            return Some(format!(
                "volume with secret.secretName=\"{secret}\" is not allowed because service \
                 account {account} does not reference that secret"
            ));
        }
        let problem = self
            .problem_of(spec, "initContainers", "init container")
            .or_else(|| self.problem_of(spec, "containers", "container"));
        problem.or_else(|| {
            let wanted = items(spec, "imagePullSecrets").iter().map(|it| text(it, "name"));
            let mut wanted = wanted.enumerate();
            let (at, secret) = wanted.find(|(_, secret)| !self.pulling.contains(secret))?;
            Some(format!(
                "imagePullSecrets[{at}].name=\"{secret}\" is not allowed because service account \
                 {account} does not reference that imagePullSecret"
            ))
        })
    }

    fn problem_of(&self, spec: &Value, list: &str, what: &str) -> Option<String> {
        let account = self.account;
        items(spec, list).iter().find_map(|container| {
            let name = text(container, "name");
            let mut used = secrets_of(container).into_iter();
            let (variable, secret) = used.find(|(_, secret)| !self.mountable.contains(secret))?;
            let place = match variable {
                Some(variable) => format!("envVar {variable}"),
                None => "envFrom".to_owned(),
            };
            Some(format!(
                "{what} {name} with {place} referencing secret.secretName=\"{secret}\" is not \
                 allowed because service account {account} does not reference that secret"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Found;
    use super::*;

    fn request(found: &Found) -> Request<'_> {
        Request {
            group: "",
            plural: "pods",
            subresource: "",
            namespace: "ns",
            name: "p",
            operation: Operation::Create,
            old: None,
            user: None,
            suffix: "abcde",
            found,
        }
    }

    fn with_account(account: Value) -> Found {
        Found::from([(Query::one("", "serviceaccounts", "ns", DEFAULT), vec![account])])
    }

    #[test]
    fn a_pod_gets_the_default_account_and_its_token() {
        let mut pod = value!({"spec": {"containers": [{"name": "a"}]}});
        let account =
            value!({"metadata": {"name": "default"}, "imagePullSecrets": [{"name": "pull"}]});
        ServiceAccount.mutate(&request(&with_account(account)), &mut pod).unwrap();
        let spec = part(&pod, "spec");
        assert_eq!(text(spec, "serviceAccountName"), DEFAULT);
        assert_eq!(text(&items(spec, "imagePullSecrets")[0], "name"), "pull");
        assert_eq!(text(&items(spec, "volumes")[0], "name"), "kube-api-access-abcde");
        let mounts = items(&items(spec, "containers")[0], "volumeMounts");
        assert_eq!(text(&mounts[0], "mountPath"), MOUNT_PATH);
        let again = pod.clone();
        ServiceAccount.mutate(&request(&with_account(value!({}))), &mut pod).unwrap();
        assert_eq!(pod, again);
    }

    #[test]
    fn an_account_may_keep_its_token() {
        let mut pod = value!({"spec": {"containers": [{"name": "a"}]}});
        let account = value!({"automountServiceAccountToken": false});
        ServiceAccount.mutate(&request(&with_account(account)), &mut pod).unwrap();
        assert!(items(part(&pod, "spec"), "volumes").is_empty());
    }

    #[test]
    fn an_account_that_is_not_there_is_told() {
        let mut pod = value!({"spec": {"serviceAccountName": "robot"}});
        let refused = ServiceAccount.mutate(&request(&Found::new()), &mut pod).unwrap_err();
        assert_eq!(
            refused.message,
            "pods \"p\" is forbidden: error looking up service account ns/robot: serviceaccount \
             \"robot\" not found"
        );
    }
}
