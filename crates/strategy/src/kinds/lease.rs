//! Lease: who leads, and since when.

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::Kind;
use super::declare::Builder;
use crate::object;
use crate::rest_config::RestConfig;
use crate::strategy::{Change, Policy};
use crate::typed::Hooks;
use crate::typed::{codec, printer, rules};

pub(super) fn config() -> RestConfig {
    let mut b = Builder::default();
    let (text, int, micro) = (b.string(), b.int32(), b.micro_time());
    let strategy = b.named("v1.CoordinatedLeaseStrategy");
    let spec = b.structure(
        "v1.LeaseSpec",
        "io.k8s.api.coordination.v1.LeaseSpec",
        vec![
            b.field("holderIdentity", 1, text).pointer().about("Who holds the lease."),
            b.field("leaseDurationSeconds", 2, int)
                .pointer()
                .about("How long candidates wait after the last renewal before they take it."),
            b.field("acquireTime", 3, micro).pointer().about("When the lease was acquired."),
            b.field("renewTime", 4, micro).pointer().about("When the lease was last renewed."),
            b.field("leaseTransitions", 5, int).pointer().about("How often the holder changed."),
            b.field("strategy", 6, strategy).pointer().about("How the next holder is chosen."),
            b.field("preferredHolder", 7, text).pointer().about("Who should hold it instead."),
        ],
    );
    b.describe(spec, "What a lease says.");
    let fields = vec![b.field("spec", 2, spec).omit().about("What the lease says.")];
    let about = "Something that one of many holds for a time.";
    let schema = b.kind("Lease", "io.k8s.api.coordination.v1.Lease", about, fields);
    let mut hooks = Hooks::new(validate);
    hooks.prepare_for_create = drop_gated;
    hooks.prepare_for_update = |_, object, _| drop_gated(object);
    hooks.cells = |object, now| {
        vec![
            object::name(object).into(),
            codec::text_at(object, &["spec", "holderIdentity"]).into(),
            printer::age(object, now),
        ]
    };
    let columns = printer::columns(&[(
        "Holder",
        "holderIdentity contains the identity of the holder of a current lease. If Coordinated \
         Leader Election is used, the holder identity must be equal to the elected \
         LeaseCandidate.metadata.name field.",
    )]);
    Kind {
        group: "coordination.k8s.io",
        kind: "Lease",
        plural: "leases",
        policy: Policy { create_on_update: true, ..Policy::default() },
        columns,
        ..Kind::core(schema, hooks)
    }
    .config()
}

/// Coordinated leader election is switched off: its fields do not exist.
fn drop_gated(object: &mut Value) {
    object.remove_path(&["spec", "strategy"]);
    object.remove_path(&["spec", "preferredHolder"]);
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = rules::metadata(change, true, name::subdomain_rule);
    let spec = Path::new("spec");
    let int = |name: &str| change.object.get_path(&["spec", name]).and_then(Value::as_int);
    if let Some(seconds) = int("leaseDurationSeconds").filter(|seconds| *seconds <= 0) {
        let path = spec.child("leaseDurationSeconds");
        errors.push(field::Error::invalid(&path, seconds, "must be greater than 0"));
    }
    if let Some(count) = int("leaseTransitions").filter(|count| *count < 0) {
        let path = spec.child("leaseTransitions");
        errors.push(field::Error::invalid(&path, count, "must be greater than or equal to 0"));
    }
    errors
}
