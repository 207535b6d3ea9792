//! The admission plugins that a default kube-apiserver runs, as far as they need no cluster.
//!
//! Pure: a plugin says what it wants to look up ([`Plugin::needs`]), whoever runs it fetches that
//! ([`Found`]), and then it changes or refuses the object. Servers fetch from their store, files
//! from what lies beside them.

mod certificate_subject;
mod configuration;
mod default_classes;
mod limit_ranger;
mod node_restriction;
mod persistent_volume_claim_resize;
mod pod_resize;
mod pod_security;
mod pod_topology;
mod priority;
mod runtime_class;
mod service_account;
mod storage_object_in_use;
mod taint_nodes;
mod tolerations;

use std::collections::BTreeMap;

use ordain_meta::GroupResource;
use ordain_meta::status::Status;
use ordain_strategy::{User, Warnings};
use ordain_value::{Text, Value};

pub use configuration::Configuration;

/// What a request does to its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Create,
    Update,
    /// Seen by plugins that ask for it ([`Plugin::sees_deletes`]).
    Delete,
}

impl Operation {
    fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}

/// A write on its way.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The group of the resource.
    pub group: &'a str,
    /// The plural name of the resource.
    pub plural: &'a str,
    /// Empty for the object itself.
    pub subresource: &'a str,
    /// The namespace; empty for cluster-wide resources.
    pub namespace: &'a str,
    /// The name of the object, also when the path has none.
    pub name: &'a str,
    /// What is done to the object.
    pub operation: Operation,
    /// The object as it is; none on creates.
    pub old: Option<&'a Value>,
    /// The authenticated identity; none when the server acts itself.
    pub user: Option<&'a User>,
    /// Five letters that make a name one of its own.
    pub suffix: &'a str,
    /// What a plugin asked for.
    pub found: &'a Found,
}

/// What a plugin has to say beside its verdict.
#[derive(Debug)]
pub struct Remarks<'a> {
    /// What the client is told besides.
    pub warnings: &'a mut Warnings,
    /// Keys and texts for the audit log.
    pub annotations: Vec<(String, String)>,
}

impl Remarks<'_> {
    fn audit(&mut self, prefix: &str, key: &str, text: String) {
        self.annotations.push((format!("{prefix}{key}"), text));
    }
}

impl<'a> Request<'a> {
    /// All that was found of a kind.
    fn found(&self, plural: &'static str) -> impl Iterator<Item = &'a Value> + use<'a> {
        let of_kind = self.found.iter().filter(move |(query, _)| query.plural == plural);
        of_kind.flat_map(|(_, items)| items)
    }

    /// Whether the request writes the object itself of a core kind or of a group's.
    fn is(&self, group: &str, plural: &str) -> bool {
        self.group == group && self.plural == plural && self.subresource.is_empty()
    }

    fn creates(&self, group: &str, plural: &str) -> bool {
        self.operation == Operation::Create && self.is(group, plural)
    }

    /// A refusal in the words of the admission chain.
    fn forbidden(&self, why: &str) -> Status {
        Status::forbidden(&GroupResource::new(self.group, self.plural), self.name, why)
    }
}

/// Objects that a plugin asks for: one by name, or all of a collection.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Query {
    /// The group of the resource.
    pub group: &'static str,
    /// The plural name of the resource.
    pub plural: &'static str,
    /// Empty for cluster-scoped kinds.
    pub namespace: Text,
    /// `None` for all of them.
    pub name: Option<Text>,
    /// Whether a controller is about to make it, so that it is worth waiting a moment.
    pub patient: bool,
}

impl Query {
    fn one(group: &'static str, plural: &'static str, namespace: &str, name: &str) -> Self {
        Self { group, plural, namespace: namespace.into(), name: Some(name.into()), patient: false }
    }

    fn all(group: &'static str, plural: &'static str, namespace: &str) -> Self {
        Self { group, plural, namespace: namespace.into(), name: None, patient: false }
    }
}

/// What was found for each query.
pub type Found = BTreeMap<Query, Vec<Value>>;

/// What a request finds that looks nothing up.
pub static NOTHING: Found = Found::new();

/// Whether a request may go on.
pub type Verdict = Result<(), Status>;

/// One member of the chain. Mutating steps come before the kind validates, validating steps after.
pub trait Plugin: std::fmt::Debug + Send + Sync + 'static {
    fn name(&self) -> &'static str;

    /// Whether it judges deletes: in [`Plugin::mutate`], with nothing as the object.
    fn sees_deletes(&self) -> bool {
        false
    }

    /// What has to be looked up for this request.
    fn needs(&self, _request: &Request<'_>, _object: &Value) -> Vec<Query> {
        Vec::new()
    }

    fn mutate(&self, _request: &Request<'_>, _object: &mut Value) -> Verdict {
        Ok(())
    }

    fn validate(&self, _: &Request<'_>, _object: &Value, _: &mut Remarks<'_>) -> Verdict {
        Ok(())
    }
}

/// Plugins that a default server does not run.
pub const OPTIONAL: [&str; 1] = [node_restriction::NodeRestriction::NAME];

/// The plugins of a server in their order, set up like this, with [`OPTIONAL`] ones.
pub fn plugins(configuration: &Configuration) -> Vec<Box<dyn Plugin>> {
    vec![
        Box::new(limit_ranger::LimitRanger),
        Box::new(service_account::ServiceAccount),
        Box::new(node_restriction::NodeRestriction),
        Box::new(taint_nodes::TaintNodesByCondition),
        Box::new(pod_security::PodSecurity(configuration.pod_security.clone())),
        Box::new(priority::Priority),
        Box::new(tolerations::DefaultTolerationSeconds),
        Box::new(storage_object_in_use::StorageObjectInUseProtection),
        Box::new(persistent_volume_claim_resize::PersistentVolumeClaimResize),
        Box::new(runtime_class::RuntimeClass),
        Box::new(certificate_subject::CertificateSubjectRestriction),
        Box::new(default_classes::STORAGE),
        Box::new(default_classes::INGRESS),
        Box::new(pod_topology::PodTopologyLabels),
        Box::new(pod_resize::PodResizeValidator),
    ]
}
