//! Parts of reviews as refusals show them.

use ordain_value::Value;
use ordain_value::field::BadValue;

use crate::shared::diff::Shape::{List, Omitted, Plain, Struct, Text};
use crate::shared::diff::{self, Shape};

/// Metadata in the order of its Go type.
const METADATA: Shape = Struct(&[
    ("name", "name", Omitted(&Plain)),
    ("generateName", "generateName", Omitted(&Plain)),
    ("namespace", "namespace", Omitted(&Plain)),
    ("selfLink", "selfLink", Omitted(&Plain)),
    ("uid", "uid", Omitted(&Plain)),
    ("resourceVersion", "resourceVersion", Omitted(&Plain)),
    ("generation", "generation", Omitted(&Plain)),
    ("creationTimestamp", "creationTimestamp", Omitted(&Plain)),
    ("deletionTimestamp", "deletionTimestamp", Omitted(&Plain)),
    ("deletionGracePeriodSeconds", "deletionGracePeriodSeconds", Omitted(&Plain)),
    ("labels", "labels", Omitted(&Plain)),
    ("annotations", "annotations", Omitted(&Plain)),
    ("ownerReferences", "ownerReferences", Omitted(&List(&OWNER))),
    ("finalizers", "finalizers", Omitted(&Plain)),
    ("managedFields", "managedFields", Omitted(&List(&MANAGED))),
]);

const OWNER: Shape = Struct(&[
    ("apiVersion", "apiVersion", Text),
    ("kind", "kind", Text),
    ("name", "name", Text),
    ("uid", "uid", Text),
    ("controller", "controller", Omitted(&Plain)),
    ("blockOwnerDeletion", "blockOwnerDeletion", Omitted(&Plain)),
]);

const MANAGED: Shape = Struct(&[
    ("manager", "manager", Omitted(&Plain)),
    ("operation", "operation", Omitted(&Plain)),
    ("apiVersion", "apiVersion", Omitted(&Plain)),
    ("time", "time", Omitted(&Plain)),
    ("fieldsType", "fieldsType", Omitted(&Plain)),
    ("fieldsV1", "fieldsV1", Omitted(&Plain)),
    ("subresource", "subresource", Omitted(&Plain)),
]);

pub(super) fn metadata(metadata: &Value) -> BadValue {
    diff::shown(metadata, &METADATA)
}
