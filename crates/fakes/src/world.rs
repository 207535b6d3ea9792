//! What controllers see and what they ask for.

use std::collections::BTreeMap;

use ordain_meta::time::Time;
use ordain_value::{Value, json};

/// A resource by its group and plural name.
pub(crate) type Resource = (&'static str, &'static str);

pub(crate) const DEPLOYMENTS: Resource = ("apps", "deployments");
pub(crate) const REPLICA_SETS: Resource = ("apps", "replicasets");
pub(crate) const REPLICATION_CONTROLLERS: Resource = ("", "replicationcontrollers");
pub(crate) const STATEFUL_SETS: Resource = ("apps", "statefulsets");
pub(crate) const DAEMON_SETS: Resource = ("apps", "daemonsets");
pub(crate) const JOBS: Resource = ("batch", "jobs");
pub(crate) const PODS: Resource = ("", "pods");
pub(crate) const NODES: Resource = ("", "nodes");
pub(crate) const SERVICES: Resource = ("", "services");
pub(crate) const ENDPOINTS: Resource = ("", "endpoints");
pub(crate) const ENDPOINT_SLICES: Resource = ("discovery.k8s.io", "endpointslices");
pub(crate) const CLAIMS: Resource = ("", "persistentvolumeclaims");
pub(crate) const VOLUMES: Resource = ("", "persistentvolumes");

/// What is reported, and not looked at.
pub(crate) const EVENTS: Resource = ("", "events");

/// Everything that controllers look at.
pub(crate) const ALL: [Resource; 13] = [
    DEPLOYMENTS,
    REPLICA_SETS,
    REPLICATION_CONTROLLERS,
    STATEFUL_SETS,
    DAEMON_SETS,
    JOBS,
    PODS,
    NODES,
    SERVICES,
    ENDPOINTS,
    ENDPOINT_SLICES,
    CLAIMS,
    VOLUMES,
];

/// What is stored at one moment, as far as controllers care.
#[derive(Debug, Clone, Default)]
pub(crate) struct World {
    pub(crate) objects: BTreeMap<Resource, Vec<Value>>,
    pub(crate) now: Time,
}

/// A write.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    Create(Resource, Value),
    /// Replaces the object, if it has not changed meanwhile.
    Update(Resource, Value),
    /// Replaces its status, if it has not changed meanwhile.
    Status(Resource, Value),
    Delete(Resource, Value),
    /// Gives a pod to the node of this name.
    Bind(Value, String),
    /// Look again: time has to pass.
    Wait,
}

impl World {
    pub(crate) fn all(&self, resource: Resource) -> &[Value] {
        self.objects.get(&resource).map(Vec::as_slice).unwrap_or_default()
    }

    /// Objects that nobody deletes.
    pub(crate) fn live(&self, resource: Resource) -> impl Iterator<Item = &Value> {
        self.all(resource)
            .iter()
            .filter(|it| text(it, &["metadata", "deletionTimestamp"]).is_empty())
    }

    pub(crate) fn named(&self, resource: Resource, namespace: &str, name: &str) -> Option<&Value> {
        self.all(resource)
            .iter()
            .find(|it| self::name(it) == name && self::namespace(it) == namespace)
    }

    /// Live objects that this one controls.
    pub(crate) fn owned(&self, resource: Resource, owner: &Value) -> Vec<&Value> {
        let uid = text(owner, &["metadata", "uid"]);
        self.live(resource).filter(|it| controller(it) == uid).collect()
    }

    pub(crate) fn time(&self) -> Value {
        self.now.encode().into()
    }

    /// How many seconds ago an object was created.
    pub(crate) fn age(&self, object: &Value) -> i64 {
        match Time::decode(text(object, &["metadata", "creationTimestamp"])) {
            Ok(created) => self.now.seconds.saturating_sub(created.seconds),
            Err(_) => i64::MAX,
        }
    }
}

pub(crate) fn text<'a>(object: &'a Value, path: &[&str]) -> &'a str {
    object.get_path(path).and_then(Value::as_str).unwrap_or("")
}

pub(crate) fn int(object: &Value, path: &[&str], otherwise: i64) -> i64 {
    object.get_path(path).and_then(Value::as_int).unwrap_or(otherwise)
}

pub(crate) fn name(object: &Value) -> &str {
    text(object, &["metadata", "name"])
}

pub(crate) fn namespace(object: &Value) -> &str {
    text(object, &["metadata", "namespace"])
}

pub(crate) fn list<'a>(object: &'a Value, path: &[&str]) -> &'a [Value] {
    object.get_path(path).and_then(Value::as_list).map(|it| it.as_slice()).unwrap_or_default()
}

/// The uid of the object that controls this one.
pub(crate) fn controller(object: &Value) -> &str {
    let references = list(object, &["metadata", "ownerReferences"]).iter();
    let mut controlling =
        references.filter(|it| it.get("controller").and_then(Value::as_bool) == Some(true));
    controlling.next().map_or("", |it| text(it, &["uid"]))
}

/// A condition of an object's status, by its type.
pub(crate) fn condition<'a>(object: &'a Value, ty: &str) -> Option<&'a Value> {
    list(object, &["status", "conditions"]).iter().find(|it| text(it, &["type"]) == ty)
}

pub(crate) fn holds(object: &Value, ty: &str) -> bool {
    condition(object, ty).is_some_and(|it| text(it, &["status"]) == "True")
}

/// FNV-1a: nobody attacks the names of fake objects.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A short name for a value, of the letters that generated names have.
pub(crate) fn short_hash(value: &Value) -> String {
    const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
    let mut hash = hash(&json::encode(value));
    let mut name = String::new();
    for _ in 0..10 {
        let letter = usize::try_from(hash % 27).unwrap_or(0);
        name.push(char::from(ALPHABET[letter]));
        hash /= 27;
    }
    name
}
