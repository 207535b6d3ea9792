//! What may be asked to happen to a pod: to be bound to a node, or to be evicted from it.
//!
//! Both act past the rules for updates of pods, as the scheduler and drains need it.

use ordain_meta::GroupResource;
use ordain_meta::status::Status;
use ordain_strategy::decode::{Body, Media, yaml_value};
use ordain_value::field::{self, Path};
use ordain_value::{Value, json, value};

use crate::object;
use crate::registry::{Registry, Target};
use crate::request::{DeleteOptions, Warnings, WriteKind, WriteOptions};

const CONFLICT_TRIES: usize = 64;
const SCHEDULED: &str = "PodScheduled";

impl Registry {
    /// Carries out what the body of a create on a subresource asks for.
    pub async fn act(
        &self,
        target: &Target,
        subresource: &str,
        body: &Body<'_>,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Status, Status> {
        options.check(WriteKind::Create)?;
        let asked = read(body)?;
        let named = object::name(&asked);
        if !named.is_empty() && named != target.name {
            return Err(Status::bad_request("name in URL does not match name in Binding object"));
        }
        match subresource {
            "binding" => self.bind(target, &asked, options.is_dry_run()).await,
            "eviction" => self.evict(target, &asked, options.is_dry_run(), warnings).await,
            _ => Err(Status::method_not_allowed()),
        }
    }

    async fn bind(
        &self,
        target: &Target,
        binding: &Value,
        dry_run: bool,
    ) -> Result<Status, Status> {
        let node = validate(binding).map_err(|errors| {
            let kind = ordain_meta::GroupKind::new("", "Binding");
            Status::invalid(&kind, object::name(binding), &errors)
        })?;
        let key = target.key();
        for _ in 0..CONFLICT_TRIES {
            let current = self.read(&target.resource, &key).await?;
            let current = current.ok_or_else(|| target.not_found())?;
            let refuse = |why: String| {
                let resource = GroupResource::new("", "pods/binding");
                Status::conflict(&resource, &target.name, &why)
            };
            let (mut pod, name) = (current.object.clone(), &target.name);
            if object::is_deleting(&pod) {
                return Err(refuse(format!(
                    "pod {name} is being deleted, cannot be assigned to a host"
                )));
            }
            let assigned = pod.get_path(&["spec", "nodeName"]).and_then(Value::as_str);
            if let Some(assigned) = assigned.filter(|it| !it.is_empty()) {
                let assigned = ordain_value::go_quote(assigned);
                return Err(refuse(format!("pod {name} is already assigned to node {assigned}")));
            }
            pod.set_path(&["spec", "nodeName"], node.as_str().into());
            schedule(&mut pod, &self.now());
            if self.replace(target, &current, &pod, dry_run).await?.is_some() {
                self.after_commit(target).await?;
                return Ok(Status::created());
            }
        }
        Err(Status::modified(&target.group_resource(), &target.name))
    }

    async fn evict(
        &self,
        target: &Target,
        eviction: &Value,
        dry_run: bool,
        warnings: &mut Warnings,
    ) -> Result<Status, Status> {
        let given = eviction.get("deleteOptions");
        let number = |name: &str| given.and_then(|it| it.get(name)).and_then(Value::as_int);
        let condition = |name: &str| {
            let text = given.and_then(|it| it.get_path(&["preconditions", name]));
            text.and_then(Value::as_text).cloned()
        };
        let options = DeleteOptions {
            dry_run: if dry_run { vec!["All".into()] } else { Vec::new() },
            grace_period_seconds: number("gracePeriodSeconds"),
            uid: condition("uid"),
            resource_version: condition("resourceVersion"),
            ..DeleteOptions::default()
        };
        self.delete(target, &options, warnings).await?;
        Ok(Status::created())
    }
}

fn read(body: &Body<'_>) -> Result<Value, Status> {
    match body.media {
        Media::Json => {
            json::decode(body.bytes).map_err(|error| Status::bad_request(error.to_string()))
        }
        Media::Yaml => Ok(yaml_value(body.bytes).map_err(Status::bad_request)?.0),
        Media::Protobuf => {
            Err(Status::unsupported_media_type(&["application/json", "application/yaml"]))
        }
    }
}

/// The node that a binding names.
fn validate(binding: &Value) -> Result<String, field::ErrorList> {
    let mut errors = field::ErrorList::new();
    let text = |name: &str| {
        binding.get_path(&["target", name]).and_then(Value::as_str).unwrap_or("").to_owned()
    };
    let target = Path::new("target");
    let kind = text("kind");
    if !kind.is_empty() && kind != "Node" {
        let path = target.child("kind");
        errors.push(field::Error::not_supported(&path, kind, &["Node", "<empty>"]));
    }
    let name = text("name");
    if name.is_empty() {
        errors.push(field::Error::required(&target.child("name"), ""));
    }
    if errors.is_empty() { Ok(name) } else { Err(errors) }
}

/// Says of a pod that it has a node.
fn schedule(pod: &mut Value, now: &str) {
    let condition = value!({
        "type": SCHEDULED, "status": "True", "lastProbeTime": null, "lastTransitionTime": now
    });
    let conditions = pod.get_path(&["status", "conditions"]).and_then(Value::as_list);
    let mut conditions: Vec<Value> = conditions.map(|list| list.to_vec()).unwrap_or_default();
    let known = |it: &Value| it.get("type").and_then(Value::as_str) == Some(SCHEDULED);
    match conditions.iter_mut().find(|it| known(it)) {
        Some(found) => *found = condition,
        None => conditions.push(condition),
    }
    pod.set_path(&["status", "conditions"], conditions.into());
}
