//! Waiting for a condition on the watch, without polling.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use ordain_cel::program::EvalOptions;
use ordain_cel::value::Val;
use ordain_meta::Status;
use ordain_meta::selector::{FieldSelector, LabelSelector};
use ordain_passes::cel_library::{Environment, KubeVersion, PER_CALL_LIMIT};
use ordain_passes::rules::probe::{Probe, Probed};
use ordain_registry::{EventType, ListOptions, Registry, Target, Watcher, object};
use ordain_value::{Text, Value};

use crate::decode::Body;

/// What is waited for.
///
/// ```
/// use ordain_testapi::Wait;
///
/// let wait = Wait::new("apps", "deployments")
///     .namespace("default")
///     .name("web")
///     .until("self.status.?readyReplicas.orValue(0) == self.spec.replicas");
/// ```
#[derive(Debug, Clone)]
pub struct Wait {
    pub group: String,
    pub resource: String,
    /// The storage version if it is empty.
    pub version: String,
    pub namespace: String,
    pub name: String,
    pub label_selector: String,
    /// A CEL expression on `self`, one of the objects. Existence is enough if it is empty.
    pub condition: String,
    /// Waits until no such object is there.
    pub gone: bool,
    pub timeout: Duration,
}

impl Wait {
    pub fn new(group: impl Into<String>, resource: impl Into<String>) -> Self {
        Self {
            group: group.into(),
            resource: resource.into(),
            version: String::new(),
            namespace: String::new(),
            name: String::new(),
            label_selector: String::new(),
            condition: String::new(),
            gone: false,
            timeout: Duration::from_secs(10),
        }
    }

    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = namespace.into();
        self
    }

    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Until this expression is true of one of the objects.
    #[must_use]
    pub fn until(mut self, condition: impl Into<String>) -> Self {
        self.condition = condition.into();
        self
    }

    /// Until there is no such object.
    #[must_use]
    pub fn until_gone(mut self) -> Self {
        self.gone = true;
        self
    }

    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    pub(crate) fn decode(value: &Value) -> Result<Self, String> {
        let mut body = Body::new(value)?;
        let resource = body.text("resource")?.ok_or("resource: it must be said")?;
        let mut wait = Self::new(body.text("group")?.unwrap_or_default(), resource);
        wait.version = body.text("version")?.unwrap_or_default();
        wait.namespace = body.text("namespace")?.unwrap_or_default();
        wait.name = body.text("name")?.unwrap_or_default();
        wait.label_selector = body.text("labelSelector")?.unwrap_or_default();
        wait.condition = body.text("condition")?.unwrap_or_default();
        wait.gone = body.flag("gone")?.unwrap_or(false);
        wait.timeout = body.millis("timeoutMilliseconds")?.unwrap_or(wait.timeout);
        body.end()?;
        Ok(wait)
    }
}

/// Waits. The answer is the object that fulfils the condition, null when it is about absence.
pub(crate) async fn wait(registry: &Arc<Registry>, wait: &Wait) -> Result<Value, Status> {
    let condition = Condition::new(&wait.condition)?;
    let mut last = Last::default();
    let waiting = follow(registry, wait, &condition, &mut last);
    match tokio::time::timeout(wait.timeout, waiting).await {
        Ok(found) => found,
        Err(_) => Err(Status::timeout(&last.explain(wait), 0)),
    }
}

/// What was seen last, to say why it took too long.
#[derive(Default)]
struct Last {
    seen: Option<Value>,
    error: String,
    live: BTreeSet<(String, String)>,
}

impl Last {
    fn explain(&self, wait: &Wait) -> String {
        let Wait { resource, namespace, name, condition, .. } = wait;
        let what = format!("{resource} {namespace}/{name}");
        if wait.gone {
            return format!("{what}: {} are still there", self.live.len());
        }
        match &self.seen {
            None => format!("{what}: there is no such object"),
            Some(_) if !self.error.is_empty() => {
                format!("{what}: {condition:?} is not true: {}", self.error)
            }
            Some(seen) => {
                let status = seen.get("status").map(ordain_value::json::encode_string);
                let status = status.unwrap_or_else(|| "none".to_owned());
                format!("{what}: {condition:?} is not true; its status is {status}")
            }
        }
    }
}

async fn follow(
    registry: &Arc<Registry>,
    wait: &Wait,
    condition: &Condition,
    last: &mut Last,
) -> Result<Value, Status> {
    loop {
        let mut watcher = open(registry, wait).await?;
        last.live.clear();
        let mut listed = false;
        while let Some(event) = watcher.next().await {
            let object = watcher.object(&event)?;
            let key = (object::namespace(&object).to_owned(), object::name(&object).to_owned());
            match event.ty {
                EventType::Error => break,
                EventType::Bookmark => listed = true,
                EventType::Deleted => drop(last.live.remove(&key)),
                EventType::Added | EventType::Modified => {
                    last.live.insert(key);
                    if !wait.gone {
                        match condition.holds(&object) {
                            Ok(true) => return Ok(object),
                            Ok(false) => last.error.clear(),
                            Err(why) => last.error = why,
                        }
                    }
                    last.seen = Some(object);
                }
            }
            if wait.gone && listed && last.live.is_empty() {
                return Ok(Value::Null);
            }
        }
        // The definition changed, or history is gone: begin anew.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn open(registry: &Arc<Registry>, wait: &Wait) -> Result<Watcher, Status> {
    let found = registry.catalog().get(&wait.group, &wait.resource).cloned();
    let Some(resource) = found else {
        let (resource, group) = (&wait.resource, &wait.group);
        return Err(Status::bad_request(format!("{resource} of group {group:?} is not served")));
    };
    let version = match wait.version.as_str() {
        "" => resource.storage_version.clone(),
        version if resource.served(version).is_some() => version.into(),
        other => return Err(Status::bad_request(format!("version {other:?} is not served"))),
    };
    let refuse = |why: String| Status::bad_request(why);
    let labels = LabelSelector::decode(&wait.label_selector).map_err(|error| refuse(error.0))?;
    let fields = match wait.name.as_str() {
        "" => FieldSelector::default(),
        name => FieldSelector::decode(&format!("metadata.name={name}"))
            .map_err(|error| refuse(error.0))?,
    };
    let target = Target {
        resource,
        version,
        namespace: wait.namespace.as_str().into(),
        name: Text::default(),
    };
    let options = ListOptions {
        labels,
        fields,
        resource_version_match: "NotOlderThan".into(),
        send_initial_events: Some(true),
        allow_watch_bookmarks: true,
        watch: true,
        ..ListOptions::default()
    };
    registry.watch(&target, &options).await
}

/// A compiled expression.
struct Condition {
    probe: Probe,
    probed: Option<Probed>,
}

impl Condition {
    fn new(text: &str) -> Result<Self, Status> {
        let probe = Probe::untyped(Environment::crd_at(KubeVersion::default()));
        let probed = match text {
            "" => None,
            text => Some(
                probe
                    .compile(text, false)
                    .map_err(|error| Status::bad_request(format!("condition: {error}")))?,
            ),
        };
        Ok(Self { probe, probed })
    }

    fn holds(&self, object: &Value) -> Result<bool, String> {
        let Some(probed) = &self.probed else { return Ok(true) };
        let options = EvalOptions { cost_limit: Some(PER_CALL_LIMIT), ..EvalOptions::default() };
        match self.probe.evaluate(probed, Some(object), None, options).value {
            Ok(Val::Bool(holds)) => Ok(holds),
            Ok(_) => Err("it is neither true nor false".to_owned()),
            Err(error) => Err(error.message().to_owned()),
        }
    }
}
