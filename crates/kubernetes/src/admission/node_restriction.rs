//! NodeRestriction: a node writes its own object, its own lease and what concerns the pods that run
//! on it, and nothing else of these kinds.

use std::collections::BTreeSet;

use ordain_meta::GroupResource;
use ordain_meta::status::Status;
use ordain_value::{Value, go_quote};

use super::{Operation, Plugin, Query, Request, Verdict};
use crate::certificates::common_names;
use crate::shared::access::{annotation, entries, flag, flag_of, items, part, some, text};

const GROUP: &str = "system:nodes";
const PREFIX: &str = "system:node:";
const MIRROR: &str = "kubernetes.io/config.mirror";
const LEASES: &str = "kube-node-lease";
/// Labels that a node may set although they are Kubernetes' own.
const OWN_LABELS: [&str; 11] = [
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/instance-type",
    "beta.kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "kubernetes.io/arch",
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "node.kubernetes.io/instance-type",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
];
/// The signers of certificates of nodes.
const SIGNERS: [&str; 2] =
    ["kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"];

#[derive(Debug)]
pub(super) struct NodeRestriction;

impl NodeRestriction {
    pub(super) const NAME: &'static str = "NodeRestriction";
}

/// The node that makes a request; empty if it has no name.
fn node<'a>(request: &Request<'a>) -> Option<&'a str> {
    let user = request.user?;
    let name = user.name.strip_prefix(PREFIX)?;
    user.is_in(GROUP).then_some(name)
}

impl Plugin for NodeRestriction {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn sees_deletes(&self) -> bool {
        true
    }

    fn needs(&self, request: &Request<'_>, object: &Value) -> Vec<Query> {
        let Some(node) = node(request) else { return Vec::new() };
        let pod = |name: &str| Query::one("", "pods", request.namespace, name);
        match (request.group, request.plural, request.subresource, request.operation) {
            ("", "pods", "", Operation::Create) => vec![Query::one("", "nodes", "", node)],
            ("", "pods", "eviction", Operation::Create) => vec![pod(request.name)],
            ("", "serviceaccounts", "token", Operation::Create) => {
                let bound = part(part(object, "spec"), "boundObjectRef");
                vec![pod(text(bound, "name")), Query::all("storage.k8s.io", "csidrivers", "")]
            }
            _ => Vec::new(),
        }
    }

    fn mutate(&self, request: &Request<'_>, object: &mut Value) -> Verdict {
        let Some(node) = node(request) else { return Ok(()) };
        if node.is_empty() {
            let user = request.user.map_or("", |user| user.name.as_str());
            let why = format!("could not determine node from user {}", go_quote(user));
            return Err(request.forbidden(&why));
        }
        Write { request, node, object }.check()
    }
}

/// A write of a node.
struct Write<'a> {
    request: &'a Request<'a>,
    node: &'a str,
    object: &'a Value,
}

impl Write<'_> {
    fn check(&self) -> Verdict {
        let Request { group, plural, subresource, .. } = *self.request;
        let refused = match (group, plural, subresource) {
            ("", "pods", "") => return self.pod(),
            ("", "pods", "status") => self.pod_status(),
            ("", "pods", "eviction") => return self.eviction(),
            ("", "pods", other) => Err(format!(
                "unexpected pod subresource {}, only 'status' and 'eviction' are allowed",
                go_quote(other)
            )),
            ("", "nodes", _) => self.node(),
            ("", "persistentvolumeclaims", "status") => self.claim_status(),
            ("", "persistentvolumeclaims", _) => Err("may only update PVC status".to_owned()),
            ("", "serviceaccounts", "token") => return self.token(),
            ("coordination.k8s.io", "leases", _) => self.lease(),
            ("storage.k8s.io", "csinodes", _) => self.own("CSINode"),
            ("resource.k8s.io", "resourceslices", _) => self.slice(),
            ("certificates.k8s.io", "certificatesigningrequests", "") => self.certificate(),
            _ => Ok(()),
        };
        refused.map_err(|why| self.request.forbidden(&why))
    }

    fn quoted(&self) -> String {
        go_quote(self.node)
    }

    fn unexpected(&self) -> String {
        format!("unexpected operation {}", go_quote(self.request.operation.as_str()))
    }

    /// Whether a pod runs on the node.
    fn runs(&self, pod: &Value) -> bool {
        text(part(pod, "spec"), "nodeName") == self.node
    }

    fn pod(&self) -> Verdict {
        let quoted = self.quoted();
        let refused = match (self.request.operation, self.request.old) {
            (Operation::Create, _) => return self.mirror(),
            (Operation::Delete, Some(old)) if self.runs(old) => return Ok(()),
            (Operation::Delete, _) => {
                format!("node {quoted} can only delete pods with spec.nodeName set to itself")
            }
            (operation, _) => format!(
                "unexpected operation {}, node {quoted} can only create and delete mirror pods",
                go_quote(operation.as_str())
            ),
        };
        Err(self.request.forbidden(&refused))
    }

    /// A pod that a node makes shows one that it runs by itself.
    fn mirror(&self) -> Verdict {
        let owner = self.check_mirror().map_err(|why| self.request.forbidden(&why))?;
        let Some(node) = self.request.found("nodes").next() else {
            return Err(Status::not_found(&GroupResource::new("", "nodes"), self.node));
        };
        let (claimed, uid) = (text(owner, "uid"), text(part(node, "metadata"), "uid"));
        let why = if claimed != uid {
            format!("node {} UID mismatch: expected {claimed} got {uid}", self.node)
        } else if let Some(what) = referenced(self.object) {
            format!("node {} can not create pods that reference {what}", self.quoted())
        } else {
            return Ok(());
        };
        Err(self.request.forbidden(&why))
    }

    /// What a mirror pod says of itself; gives its owner.
    fn check_mirror(&self) -> Result<&Value, String> {
        let quoted = self.quoted();
        if annotation(self.object, MIRROR).is_none() {
            return Err(format!(
                "pod does not have {} annotation, node {quoted} can only create mirror pods",
                go_quote(MIRROR)
            ));
        }
        if !self.runs(self.object) {
            let rest = "can only create pods with spec.nodeName set to itself";
            return Err(format!("node {quoted} {rest}"));
        }
        let only = |what: &str| {
            format!("node {quoted} can only create pods with {what} owner reference set to itself")
        };
        let owner = match items(part(self.object, "metadata"), "ownerReferences") {
            [owner] => owner,
            [] => return Err(only("an")),
            _ => return Err(only("a single")),
        };
        let named = (text(owner, "apiVersion"), text(owner, "kind"), text(owner, "name"));
        if named != ("v1", "Node", self.node) {
            return Err(only("an"));
        }
        if !flag(owner, "controller") {
            return Err(only("a controller"));
        }
        if flag_of(owner, "blockOwnerDeletion") == Some(true) {
            return Err(format!(
                "node {quoted} must not set blockOwnerDeletion on an owner reference"
            ));
        }
        Ok(owner)
    }

    fn pod_status(&self) -> Result<(), String> {
        let Some(old) = self.request.old.filter(|_| self.is_update()) else {
            return Err(self.unexpected());
        };
        let quoted = self.quoted();
        if !self.runs(old) {
            let rest = "can only update pod status for pods with spec.nodeName set to itself";
            return Err(format!("node {quoted} {rest}"));
        }
        let same = |parent: &str, field: &str| {
            part(part(old, parent), field) == part(part(self.object, parent), field)
        };
        if !same("metadata", "labels") {
            return Err(format!("node {quoted} cannot update labels through pod status"));
        }
        if !same("status", "resourceClaimStatuses") {
            return Err(format!("node {quoted} cannot update resource claim statues"));
        }
        if !same("status", "extendedResourceClaimStatus") {
            return Err(format!("node {quoted} cannot update extended resource claim status"));
        }
        Ok(())
    }

    fn is_update(&self) -> bool {
        self.request.operation == Operation::Update
    }

    /// The pod that was looked up.
    fn found_pod(&self, name: &str) -> Result<&Value, Status> {
        let pods = GroupResource::new("", "pods");
        self.request.found("pods").next().ok_or_else(|| Status::not_found(&pods, name))
    }

    fn eviction(&self) -> Verdict {
        let pod = self.found_pod(self.request.name)?;
        if self.runs(pod) {
            return Ok(());
        }
        let node = self.node;
        let why = format!("node {node} can only evict pods with spec.nodeName set to itself");
        Err(self.request.forbidden(&why))
    }

    fn node(&self) -> Result<(), String> {
        let quoted = self.quoted();
        let requested = match self.request.name {
            "" => text(part(self.request.old.unwrap_or(self.object), "metadata"), "name"),
            name => name,
        };
        if requested != self.node {
            let requested = go_quote(requested);
            return Err(format!("node {quoted} is not allowed to modify node {requested}"));
        }
        let none = Value::Null;
        let old = match (self.request.operation, self.request.old) {
            (Operation::Create, _) => &none,
            (Operation::Update, Some(old)) => old,
            _ => return Ok(()),
        };
        let created = old.is_null();
        let source = |node| part(part(node, "spec"), "configSource");
        if !source(self.object).is_null() && source(self.object) != source(old) {
            return Err(match created {
                true => format!(
                    "node {quoted} is not allowed to create pods with a non-nil configSource"
                ),
                false => format!(
                    "node {quoted} is not allowed to update configSource to a new non-nil \
                     configSource"
                ),
            });
        }
        let changed = |parent: &str, field: &str| {
            items(part(old, parent), field) != items(part(self.object, parent), field)
        };
        if !created && changed("spec", "taints") {
            return Err(format!("node {quoted} is not allowed to modify taints"));
        }
        if !created && changed("metadata", "ownerReferences") {
            return Err(format!("node {quoted} is not allowed to modify ownerReferences"));
        }
        let forbidden = forbidden_labels(self.object, old);
        match (forbidden.is_empty(), created) {
            (true, _) => Ok(()),
            (false, true) => Err(format!(
                "node {quoted} is not allowed to set the following labels: {}",
                forbidden.join(", ")
            )),
            (false, false) => {
                Err(format!("is not allowed to modify labels: {}", forbidden.join(", ")))
            }
        }
    }

    fn claim_status(&self) -> Result<(), String> {
        let Some(old) = self.request.old.filter(|_| self.is_update()) else {
            return Err(self.unexpected());
        };
        let rest = |claim: &Value| {
            let mut claim = claim.clone();
            for path in [
                ["metadata", "resourceVersion"],
                ["metadata", "managedFields"],
                ["status", "capacity"],
                ["status", "conditions"],
                ["status", "allocatedResources"],
                ["status", "allocatedResourceStatuses"],
            ] {
                claim.remove_path(&path);
            }
            claim
        };
        if rest(old) == rest(self.object) {
            return Ok(());
        }
        Err(format!(
            "node {} is not allowed to update fields other than status.quantity and \
             status.conditions",
            self.quoted()
        ))
    }

    fn token(&self) -> Verdict {
        if self.request.operation != Operation::Create {
            return Ok(());
        }
        let refuse = |why: &str| Err(self.request.forbidden(why));
        let spec = part(self.object, "spec");
        let bound = part(spec, "boundObjectRef");
        let (name, uid) = (text(bound, "name"), text(bound, "uid"));
        let is_pod = (text(bound, "apiVersion"), text(bound, "kind")) == ("v1", "Pod");
        if !is_pod || name.is_empty() {
            return refuse("node requested token not bound to a pod");
        }
        if uid.is_empty() {
            return refuse("node requested token with a pod binding without a uid");
        }
        let pod = self.found_pod(name)?;
        if text(part(pod, "metadata"), "uid") != uid {
            return refuse(&format!(
                "the UID in the bound object reference ({uid}) does not match the UID in record. \
                 The object might have been deleted and then recreated"
            ));
        }
        if !self.runs(pod) {
            return refuse("node requested token bound to a pod scheduled on a different node");
        }
        let audience = match items(spec, "audiences") {
            [] => "",
            [one] => one.as_str().unwrap_or(""),
            _ => return refuse("node may only request 0 or 1 audiences"),
        };
        if self.names_audience(pod, audience) {
            return Ok(());
        }
        refuse(&format!(
            "audience {} not found in pod spec volume, {PREFIX}{} is not authorized to request \
             tokens for this audience",
            go_quote(audience),
            self.node
        ))
    }

    /// Whether a volume of a pod has tokens for an audience.
    fn names_audience(&self, pod: &Value, audience: &str) -> bool {
        let asks = |it: &Value| text(it, "audience") == audience;
        items(part(pod, "spec"), "volumes").iter().any(|volume| {
            let sources = items(part(volume, "projected"), "sources").iter();
            let mut tokens = sources.filter_map(|source| some(source, "serviceAccountToken"));
            let driver = text(part(volume, "csi"), "driver");
            let mut drivers = self
                .request
                .found("csidrivers")
                .filter(|it| !driver.is_empty() && text(part(it, "metadata"), "name") == driver);
            tokens.any(asks)
                || drivers.any(|it| items(part(it, "spec"), "tokenRequests").iter().any(asks))
        })
    }

    fn lease(&self) -> Result<(), String> {
        if self.request.namespace != LEASES {
            let namespace = go_quote(LEASES);
            return Err(format!("can only access leases in the {namespace} system namespace"));
        }
        self.own("node lease")
    }

    /// What has the name of its node.
    fn own(&self, what: &str) -> Result<(), String> {
        let name = match self.request.operation {
            Operation::Create => text(part(self.object, "metadata"), "name"),
            _ => self.request.name,
        };
        match name == self.node {
            true => Ok(()),
            false => {
                Err(format!("can only access {what} with the same name as the requesting node"))
            }
        }
    }

    fn slice(&self) -> Result<(), String> {
        let (slice, verb) = match (self.request.operation, self.request.old) {
            (Operation::Create, _) => (self.object, "create"),
            (Operation::Delete, Some(old)) => (old, "delete"),
            _ => return Ok(()),
        };
        match self.runs(slice) {
            true => Ok(()),
            false => Err(format!(
                "can only {verb} ResourceSlice with the same NodeName as the requesting node"
            )),
        }
    }

    fn certificate(&self) -> Result<(), String> {
        let spec = part(self.object, "spec");
        let signed = SIGNERS.contains(&text(spec, "signerName"));
        if self.request.operation != Operation::Create || !signed {
            return Ok(());
        }
        let wanted = format!("{PREFIX}{}", self.node);
        match common_names(text(spec, "request")).last() {
            Some(name) if *name == wanted => Ok(()),
            _ => Err(format!("can only create a node CSR with CN={wanted}")),
        }
    }
}

/// The labels that differ although only others may change them.
fn forbidden_labels<'a>(node: &'a Value, old: &'a Value) -> Vec<&'a str> {
    let labels = |node: &'a Value| entries(part(node, "metadata"), "labels");
    let keys: BTreeSet<&str> =
        labels(node).chain(labels(old)).map(|(key, _)| key.as_str()).collect();
    let value = |node: &'a Value, key: &str| part(part(node, "metadata"), "labels").get(key);
    let is_below = |domain: &str, parent: &str| {
        domain == parent || domain.strip_suffix(parent).is_some_and(|it| it.ends_with('.'))
    };
    let is_forbidden = |key: &str| {
        let domain = key.split_once('/').map_or("", |it| it.0);
        let is_of = |parents: &[&str]| parents.iter().any(|it| is_below(domain, it));
        let own =
            OWN_LABELS.contains(&key) || is_of(&["kubelet.kubernetes.io", "node.kubernetes.io"]);
        is_of(&["node-restriction.kubernetes.io"]) || (is_of(&["kubernetes.io", "k8s.io"]) && !own)
    };
    let changed = keys.into_iter().filter(|key| value(node, key) != value(old, key));
    changed.filter(|key| is_forbidden(key)).collect()
}

/// Which other objects a pod needs.
fn referenced(pod: &Value) -> Option<&'static str> {
    let spec = part(pod, "spec");
    if !text(spec, "serviceAccountName").is_empty() {
        return Some("serviceaccounts");
    }
    let lists = ["initContainers", "containers", "ephemeralContainers"];
    let containers = || lists.iter().flat_map(|list| items(spec, list));
    let from = |all: &str, one: &str| {
        containers().any(|container| {
            items(container, "envFrom").iter().any(|it| some(it, all).is_some())
                || items(container, "env")
                    .iter()
                    .any(|it| some(part(it, "valueFrom"), one).is_some())
        })
    };
    if !items(spec, "imagePullSecrets").is_empty() || from("secretRef", "secretKeyRef") {
        return Some("secrets");
    }
    if from("configMapRef", "configMapKeyRef") {
        return Some("configmaps");
    }
    if !items(spec, "resourceClaims").is_empty() {
        return Some("resourceclaims");
    }
    items(spec, "volumes").iter().find_map(|volume| {
        let has = |field: &str| some(volume, field).is_some();
        VOLUMES.iter().find(|it| has(it.0)).map(|it| it.1).or_else(|| {
            let sources = items(part(volume, "projected"), "sources").iter();
            let mut kinds = sources.filter_map(|source| {
                PROJECTED.iter().find(|it| some(source, it.0).is_some()).map(|it| it.1)
            });
            kinds.next()
        })
    })
}

/// Volumes with the objects that they need.
const VOLUMES: [(&str, &str); 7] = [
    ("configMap", "configmaps"),
    ("secret", "secrets"),
    ("csi", "csidrivers (via CSI volumes)"),
    ("glusterfs", "endpoints (via glusterFS volumes)"),
    ("persistentVolumeClaim", "persistentvolumeclaims"),
    ("ephemeral", "persistentvolumeclaims (via ephemeral volumes)"),
    ("azureFile", "secrets (via azureFile volumes)"),
];

/// Projections with the objects that they need.
const PROJECTED: [(&str, &str); 5] = [
    ("configMap", "configmaps"),
    ("secret", "secrets"),
    ("serviceAccountToken", "serviceaccounts (via projected volumes)"),
    ("clusterTrustBundle", "clustertrustbundles"),
    ("podCertificate", "podcertificates"),
];
