//! Access to devices that others use: a namespace must allow it.

use ordain_strategy::Part;
use ordain_value::Value;

use crate::shared::access::{flag, items, part, some};

/// The label of namespaces in which claims may ask for it.
pub const LABEL: &str = "resource.kubernetes.io/admin-access";

/// Where an object of `resource.k8s.io` asks for access that its namespace must allow, if it does.
pub fn requested(plural: &str, of: Part, object: &Value, old: Option<&Value>) -> Option<String> {
    match (plural, of, old) {
        ("resourceclaims", Part::Status, Some(old)) if granted(old).is_none() => {
            let at = granted(object)?;
            Some(format!("status.allocation.devices.results[{at}].adminAccess"))
        }
        ("resourceclaims", Part::Main, None) => asked(part(object, "spec")),
        // The template's own place is left out of the path, as upstream does.
        ("resourceclaimtemplates", Part::Main, None) => asked(part(part(object, "spec"), "spec")),
        _ => None,
    }
}

fn asked(spec: &Value) -> Option<String> {
    let requests = items(part(spec, "devices"), "requests");
    let asks = |it: &Value| some(it, "exactly").is_some_and(|it| flag(it, "adminAccess"));
    let at = requests.iter().position(asks)?;
    Some(format!("spec.devices.requests[{at}].adminAccess"))
}

/// The first result that was given such access.
fn granted(claim: &Value) -> Option<usize> {
    let allocation = part(part(claim, "status"), "allocation");
    items(part(allocation, "devices"), "results").iter().position(|it| flag(it, "adminAccess"))
}
