//! References to other objects, which several kinds hold.

use ordain_schema::NodeId;

use super::declare::Builder;

/// A reference to an object anywhere.
pub(crate) fn object(b: &mut Builder) -> NodeId {
    let (text, uid) = (b.string(), b.named("types.UID"));
    let id = b.structure(
        "v1.ObjectReference",
        "io.k8s.api.core.v1.ObjectReference",
        vec![
            b.field("kind", 1, text).omit().about("Kind of the object."),
            b.field("namespace", 2, text).omit().about("Namespace of the object."),
            b.field("name", 3, text).omit().about("Name of the object."),
            b.field("uid", 4, uid).omit().about("UID of the object."),
            b.field("apiVersion", 5, text).omit().about("API version of the object."),
            b.field("resourceVersion", 6, text)
                .omit()
                .about("Version of the object, if one is meant."),
            b.field("fieldPath", 7, text).omit().about("The part of the object that is meant."),
        ],
    );
    b.atomic(id);
    b.describe(id, "Enough to find another object.");
    id
}

/// A reference to an object in the same namespace.
pub(crate) fn local(b: &mut Builder) -> NodeId {
    let text = b.string();
    let id = b.structure(
        "v1.LocalObjectReference",
        "io.k8s.api.core.v1.LocalObjectReference",
        vec![b.field("name", 1, text).omit().about("Name of the object.")],
    );
    b.atomic(id);
    b.describe(id, "Enough to find another object of the same namespace.");
    id
}
