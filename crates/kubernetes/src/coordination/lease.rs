//! Lease: who leads, and since when.

use ordain_meta::name;
use ordain_strategy::typed::Hooks;
use ordain_strategy::{Change, Policy};
use ordain_value::Value;
use ordain_value::field;

use crate::native::Native;
use crate::shared::metadata;
use crate::shared::table::Cell::Text;
use crate::shared::table::{AGE, NAME};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.prepare_for_create = drop_gated;
    hooks.prepare_for_update = |_, object, _| drop_gated(object);
    const HOLDER: &str = "holderIdentity contains the identity of the holder of a current lease. \
        If Coordinated Leader Election is used, the holder identity must be equal to the elected \
        LeaseCandidate.metadata.name field.";
    Native {
        policy: Policy { create_on_update: true, ..Policy::default() },
        hooks,
        columns: &[NAME, ("Holder", "string", 0, HOLDER, Text("spec.holderIdentity")), AGE],
        ..Native::new("coordination.k8s.io", "Lease")
    }
}

/// Coordinated leader election is switched off: its fields do not exist.
fn drop_gated(object: &mut Value) {
    object.remove_path(&["spec", "strategy"]);
    object.remove_path(&["spec", "preferredHolder"]);
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = metadata::whole_any_finalizer(change, true, name::subdomain_rule);
    errors.extend(metadata::changed_any_finalizer(change));
    errors
}
