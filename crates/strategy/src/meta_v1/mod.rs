//! Types of `meta/v1` that requests and answers have besides objects: options of deletes, statuses,
//! objects of which only the metadata is shown.

pub(crate) mod declare;
mod object_meta;

use ordain_schema::Schema;

/// The options of a delete, which clients of built-in kinds send as protobuf too.
pub fn delete_options() -> Schema {
    let mut b = declare::Builder::default();
    let (text, long, flag) = (b.string(), b.int64(), b.boolean());
    let texts = b.list(text);
    let preconditions = b.structure(
        "v1.Preconditions",
        "io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions",
        vec![
            b.field("uid", 1, text).pointer().about("The UID the object must have."),
            b.field("resourceVersion", 2, text).pointer().about("The version it must have."),
        ],
    );
    b.describe(preconditions, "What must hold for the object to be deleted.");
    let fields = vec![
        b.field("gracePeriodSeconds", 1, long).pointer().about("How long it may take to end."),
        b.field("preconditions", 2, preconditions).pointer().about("What must hold."),
        b.field("orphanDependents", 3, flag).pointer().about("Replaced by propagationPolicy."),
        b.field("propagationPolicy", 4, text)
            .pointer()
            .about("What becomes of dependents: Orphan, Background or Foreground."),
        b.field("dryRun", 5, texts).omit().atomic().about("All: nothing is stored."),
        b.field("ignoreStoreReadErrorWithClusterBreakingPotential", 6, flag)
            .pointer()
            .about("Deletes an object that cannot be read, without its usual steps."),
    ];
    b.options("v1.DeleteOptions", "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions", fields)
}

/// The answer of requests that return no object, and of those that are refused.
pub fn status() -> Schema {
    let mut b = declare::Builder::default();
    let (text, long, short) = (b.string(), b.int64(), b.int32());
    let (reason, cause, uid) =
        (b.named("v1.StatusReason"), b.named("v1.CauseType"), b.named("types.UID"));
    let published = |name: &str| format!("io.k8s.apimachinery.pkg.apis.meta.v1.{name}");
    let shard = b.structure(
        "v1.ShardInfo",
        &published("ShardInfo"),
        vec![b.field("selector", 1, text).required().about("The selector of the request.")],
    );
    b.describe(shard, "Which part of a list this is.");
    let metadata = b.structure(
        "v1.ListMeta",
        &published("ListMeta"),
        vec![
            b.field("selfLink", 1, text).omit().about("No longer filled in."),
            b.field("resourceVersion", 2, text).omit().about("The version that the list shows."),
            b.field("continue", 3, text).omit().about("Token for the next page."),
            b.field("remainingItemCount", 4, long).pointer().about("How many items follow."),
            b.field("shardInfo", 5, shard).pointer().about("Which part of the list this is."),
        ],
    );
    b.describe(metadata, "Metadata of a list.");
    let cause = b.structure(
        "v1.StatusCause",
        &published("StatusCause"),
        vec![
            b.field("reason", 1, cause).omit().about("What happened, for machines."),
            b.field("message", 2, text).omit().about("What happened, for people."),
            b.field("field", 3, text).omit().about("Where in the object."),
        ],
    );
    b.describe(cause, "One thing that is wrong.");
    let causes = b.list(cause);
    let details = b.structure(
        "v1.StatusDetails",
        &published("StatusDetails"),
        vec![
            b.field("name", 1, text).omit().about("Name of the object."),
            b.field("group", 2, text).omit().about("Group of the kind."),
            b.field("kind", 3, text).omit().about("The kind or resource."),
            b.field("causes", 4, causes).omit().atomic().about("Everything that is wrong."),
            b.field("retryAfterSeconds", 5, short).omit().about("When to try again."),
            b.field("uid", 6, uid).omit().about("UID of the object."),
        ],
    );
    b.describe(details, "More about the reason of an answer.");
    let fields = vec![
        b.field("metadata", 1, metadata).omit().about("Metadata of the answer."),
        b.field("status", 2, text).omit().about("Success or Failure."),
        b.field("message", 3, text).omit().about("What happened, for people."),
        b.field("reason", 4, reason).omit().about("What happened, for machines."),
        b.field("details", 5, details).pointer().about("More about the reason."),
        b.field("code", 6, short).omit().about("The HTTP code."),
    ];
    b.options("v1.Status", &published("Status"), fields)
}

/// An object of which only the metadata is shown.
pub fn partial_metadata() -> Schema {
    let about = "An object of any kind, without its content.";
    let name = "io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata";
    declare::Builder::default().kind("PartialObjectMetadata", name, about, Vec::new())
}
