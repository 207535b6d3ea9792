//! The metadata of every object, as a declaration: for codecs and documents.

use ordain_schema::NodeId;

use super::declare::Builder;

const PUBLISHED: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// Declares metadata with its owners and managers.
///
/// A table of their fields.
pub(crate) fn declare(b: &mut Builder) -> NodeId {
    let (text, long, flag, time) = (b.string(), b.int64(), b.boolean(), b.time());
    let uid = b.named("types.UID");
    let texts = b.map(text);
    let fields_v1 = b.fields_v1();
    let owner = b.structure(
        "v1.OwnerReference",
        &format!("{PUBLISHED}.OwnerReference"),
        vec![
            b.field("apiVersion", 5, text).required().about("API version of the owner."),
            b.field("kind", 1, text).required().about("Kind of the owner."),
            b.field("name", 3, text).required().about("Name of the owner."),
            b.field("uid", 4, uid).required().about("UID of the owner."),
            b.field("controller", 6, flag)
                .pointer()
                .about("Whether the owner is the one that manages the object."),
            b.field("blockOwnerDeletion", 7, flag)
                .pointer()
                .about("Whether a foreground deletion of the owner waits for this object."),
        ],
    );
    b.atomic(owner);
    b.describe(
        owner,
        "Names an object in the same namespace, or a cluster-scoped one, that owns this one.",
    );
    let operation = b.named("v1.ManagedFieldsOperationType");
    let entry = b.structure(
        "v1.ManagedFieldsEntry",
        &format!("{PUBLISHED}.ManagedFieldsEntry"),
        vec![
            b.field("manager", 1, text).omit().about("Who manages the fields."),
            b.field("operation", 2, operation).omit().about("Apply or Update."),
            b.field("apiVersion", 3, text).omit().about("Version in which the fields are named."),
            b.field("time", 4, time).pointer().about("When the set of fields last changed."),
            b.field("fieldsType", 6, text).omit().about("Format of the field set: FieldsV1."),
            b.field("fieldsV1", 7, fields_v1).pointer().about("The set of fields."),
            b.field("subresource", 8, text).omit().about("The subresource that was written to."),
        ],
    );
    b.describe(entry, "Which fields a manager owns.");
    let (owners, finalizers, entries) = (b.list(owner), b.list(text), b.list(entry));
    let meta = b.structure(
        "v1.ObjectMeta",
        &format!("{PUBLISHED}.ObjectMeta"),
        vec![
            b.field("name", 1, text).omit().about("Unique within a namespace; cannot be changed."),
            b.field("generateName", 2, text)
                .omit()
                .about("Prefix of a name that the server completes when no name is given."),
            b.field("namespace", 3, text)
                .omit()
                .about("The namespace within which names are unique."),
            b.field("selfLink", 4, text).omit().about("No longer filled in."),
            b.field("uid", 5, uid)
                .omit()
                .about("Tells apart objects that had the same name over time."),
            b.field("resourceVersion", 6, text)
                .omit()
                .about("Opaque version of the object, for optimistic concurrency and watches."),
            b.field("generation", 7, long).omit().about("Counts the changes of the desired state."),
            b.field("creationTimestamp", 8, time)
                .omit()
                .about("CreationTimestamp is a timestamp of the creation, by the server's clock."),
            b.field("deletionTimestamp", 9, time)
                .pointer()
                .about("When the object was, or is to be, deleted. Set by the server."),
            b.field("deletionGracePeriodSeconds", 10, long)
                .pointer()
                .about("How long the object may take to end gracefully."),
            b.field("labels", 11, texts)
                .omit()
                .about("Keys and values to organise and select objects by."),
            b.field("annotations", 12, texts)
                .omit()
                .about("Unstructured keys and values of tools."),
            b.field("ownerReferences", 13, owners)
                .omit()
                .merge("uid")
                .keyed(&["uid"])
                .about("Objects that this one depends on; when all are gone it is collected."),
            b.field("finalizers", 14, finalizers)
                .omit()
                .merge("")
                .set()
                .about("What has to be done before the object is removed."),
            b.field("managedFields", 17, entries)
                .omit()
                .atomic()
                .about("Who manages which fields. Kept by the server."),
        ],
    );
    b.describe(meta, "Metadata that all stored objects have.");
    meta
}
