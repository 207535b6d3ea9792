//! Namespaces that exist from the start, and the rule that objects live in existing ones.

use ordain_meta::GroupResource;
use ordain_meta::status::{Cause, Status};
use ordain_value::Value;

use crate::admission::{Attributes, Operation, Plugin, Verdict};
use crate::request::Warnings;

/// Namespaces that exist from the start and cannot be deleted.
const IMMORTAL: [&str; 3] = ["default", "kube-system", "kube-public"];

/// Objects live in namespaces that exist, and no new ones come into those that are going.
#[derive(Debug, Default)]
pub struct NamespaceLifecycle;

impl Plugin for NamespaceLifecycle {
    fn name(&self) -> &'static str {
        "NamespaceLifecycle"
    }

    fn mutate<'a>(
        &'a self,
        attributes: &'a Attributes<'a>,
        _object: Option<&'a mut Value>,
        _warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        Box::pin(check(attributes))
    }
}

async fn check(attributes: &Attributes<'_>) -> Result<(), Status> {
    let target = attributes.target;
    let resource = target.group_resource();
    let is_namespace = resource.group.is_empty() && resource.resource == "namespaces";
    if attributes.operation == Operation::Delete {
        if is_namespace && IMMORTAL.contains(&target.name.as_str()) {
            return Err(Status::forbidden(
                &resource,
                &target.name,
                "this namespace may not be deleted",
            ));
        }
        return Ok(());
    }
    // What someone may do in a namespace can be asked whether there is one or not.
    let is_review = resource.group == "authorization.k8s.io";
    let is_elsewhere = is_namespace || !target.resource.namespaced || is_review;
    if is_elsewhere || attributes.operation == Operation::Connect {
        return Ok(());
    }
    let registry = attributes.registry;
    let Some(config) = registry.catalog().get("", "namespaces").cloned() else { return Ok(()) };
    let key = config.key("", &target.namespace);
    let namespace = registry.read(&config, &key).await?;
    let Some(namespace) = namespace else {
        return Err(Status::not_found(&GroupResource::new("", "namespaces"), &target.namespace));
    };
    let phase = namespace.object.get_path(&["status", "phase"]).and_then(Value::as_str);
    if attributes.operation == Operation::Create && phase == Some("Terminating") {
        return Err(terminating(&resource, attributes.name, &target.namespace));
    }
    Ok(())
}

fn terminating(resource: &GroupResource, name: &str, namespace: &str) -> Status {
    let why = format!(
        "unable to create new content in namespace {namespace} because it is being terminated"
    );
    let mut status = Status::forbidden(resource, name, &why);
    if let Some(details) = &mut status.details {
        details.causes.push(Cause {
            reason: "NamespaceTerminating".into(),
            message: format!("namespace {namespace} is being terminated"),
            field: "metadata.namespace".to_owned(),
        });
    }
    status
}
