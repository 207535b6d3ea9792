//! A write of the registry as admission of users sees it.

use ordain_admission::served::kind_of;
use ordain_admission::{Addressed, Operation, Request};
use ordain_meta::gvk::GroupVersionResource;
use ordain_meta::status::Status;
use ordain_strategy::scale::{paths, scale_answer};
use ordain_value::{Text, Value};

use crate::admission::{self, Asked, Attributes};
use crate::caller::User;
use crate::object;
use crate::strategy::Part;

/// The name of the subresource that a request writes; empty for the object itself.
pub(super) fn subresource(attributes: &Attributes<'_>) -> Text {
    match attributes.part {
        Part::Main => Text::default(),
        Part::Status => "status".into(),
        Part::Scale => "scale".into(),
        Part::Other(at) => {
            attributes.target.resource.subresources.get(at).cloned().unwrap_or_default()
        }
    }
}

/// The request, with its objects in the version that was asked for.
pub(super) fn request(
    attributes: &Attributes<'_>,
    object: Option<&Value>,
    user: &User,
) -> Result<Request, Status> {
    let target = attributes.target;
    let resource = &target.resource;
    let subresource = subresource(attributes);
    let (operation, options) = match (attributes.operation, attributes.options) {
        (admission::Operation::Connect, _) => (Operation::Connect, None),
        (admission::Operation::Create, Asked::Write(it)) => {
            (Operation::Create, Some(it.encode("CreateOptions")))
        }
        (_, Asked::Write(it)) => (Operation::Update, Some(it.encode("UpdateOptions"))),
        (_, Asked::Delete(it)) => (Operation::Delete, Some(it.encode())),
    };
    let shown = |object: Option<&Value>| match (attributes.part, object) {
        (Part::Scale, Some(object)) => scale_answer(object, paths(target)?).map(Some),
        // Admission sees an object as it is written: without the empty lists that Go leaves out.
        (_, Some(object)) if object::gvk(object).kind == resource.kind => {
            let written = resource.strategy.written(&target.version, object);
            Ok(Some(written.unwrap_or_else(|| object.clone())))
        }
        (_, object) => Ok(object.cloned()),
    };
    let name = match (attributes.name, object) {
        ("", Some(object)) => object::name(object),
        (name, _) => name,
    };
    let is_namespace = resource.group.is_empty() && resource.plural == "namespaces";
    // A namespace whose name is made up is in none yet: that was settled when the request came in.
    let namespace = if is_namespace { attributes.name.into() } else { target.namespace.clone() };
    Ok(Request {
        operation,
        addressed: Addressed {
            resource: GroupVersionResource::new(
                resource.group.clone(),
                target.version.clone(),
                resource.plural.clone(),
            ),
            kind: kind_of(resource, &target.version, &subresource),
        },
        subresource,
        name: name.into(),
        namespace,
        user: user.clone(),
        dry_run: attributes.options.is_dry_run(),
        options,
        object: shown(object)?,
        old: shown(attributes.old)?,
    })
}
