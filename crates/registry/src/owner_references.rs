//! OwnerReferencesPermissionEnforcement: who changes owners must be allowed to delete the object,
//! and who keeps an owner from going must be allowed to set its finalizers.

use ordain_meta::status::Status;
use ordain_value::Value;

use crate::access;
use crate::admission::{Attributes, Operation, Plugin, Verdict};
use crate::caller;
use crate::request::Warnings;

#[derive(Debug)]
pub(crate) struct OwnerReferences;

impl OwnerReferences {
    pub(crate) const NAME: &'static str = "OwnerReferencesPermissionEnforcement";
}

fn owners(object: Option<&Value>) -> &[Value] {
    let list = object.and_then(|it| it.get_path(&["metadata", "ownerReferences"]));
    list.and_then(Value::as_list).map_or(&[], |list| list.as_slice())
}

fn is_blocking(owner: &Value) -> bool {
    owner.is_set("blockOwnerDeletion")
}

impl Plugin for OwnerReferences {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn validate<'a>(
        &'a self,
        attributes: &'a Attributes<'a>,
        object: Option<&'a Value>,
        _warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        Box::pin(async move { check(attributes, object) })
    }
}

fn check(attributes: &Attributes<'_>, object: Option<&Value>) -> Result<(), Status> {
    let (new, old) = (owners(object), owners(attributes.old));
    let resource = &attributes.target.resource;
    let status_of_pod = resource.group.is_empty()
        && resource.plural == "pods"
        && attributes.subresource() == "status";
    if new == old || status_of_pod || attributes.operation == Operation::Delete {
        return Ok(());
    }
    if attributes.operation != Operation::Create {
        let wanted = access::Attributes {
            verb: "delete",
            is_resource: true,
            group: &resource.group,
            version: &attributes.target.version,
            namespace: &attributes.target.namespace,
            resource: &resource.plural,
            subresource: attributes.subresource(),
            name: attributes.name,
            ..access::Attributes::default()
        };
        if caller::check(&wanted).is_err() {
            let why = "cannot set an ownerRef on a resource you can't delete: , <nil>";
            return Err(attributes.forbidden(why));
        }
    }
    let was_blocking =
        |owner: &Value| old.iter().any(|it| it.text("uid") == owner.text("uid") && is_blocking(it));
    for owner in new.iter().filter(|it| is_blocking(it) && !was_blocking(it)) {
        check_blocking(attributes, owner)?;
    }
    Ok(())
}

/// Refuses to keep an owner from going for who may not set its finalizers.
fn check_blocking(attributes: &Attributes<'_>, owner: &Value) -> Result<(), Status> {
    let (api_version, kind) = (owner.text("apiVersion"), owner.text("kind"));
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let wanted = |group, version, resource, name, namespace| access::Attributes {
        verb: "update",
        is_resource: true,
        group,
        version,
        namespace,
        resource,
        subresource: "finalizers",
        name,
        ..access::Attributes::default()
    };
    if caller::check(&wanted("*", "*", "*", "*", "")).is_ok() {
        return Ok(());
    }
    let catalog = attributes.registry.catalog();
    let Some(config) = catalog.by_kind(group, kind) else {
        let group_kind = ordain_meta::GroupKind::new(group, kind);
        return Err(attributes.forbidden(&format!(
            "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for \
             APIVersion {api_version} Kind {kind}: no matches for kind \"{kind}\" in group \
             \"{}\"",
            group_kind.group
        )));
    };
    let namespace = if config.namespaced { attributes.target.namespace.as_str() } else { "" };
    let request = wanted(group, version, &config.plural, owner.text("name"), namespace);
    if caller::check(&request).is_err() {
        return Err(attributes.forbidden(
            "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't \
             set finalizers on: , <nil>",
        ));
    }
    Ok(())
}
