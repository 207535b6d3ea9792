//! What persistent volume claims take of quotas, in all and by their storage class.

use ordain_meta::quantity::Quantity;
use ordain_value::Value;

use super::scope::attributes_classes;
use super::{Amounts, count_name, one};
use crate::shared::access::{annotation, part, text};
use crate::shared::resources::{amounts, is_whole};

const CLAIMS: &str = "persistentvolumeclaims";
const STORAGE: &str = "requests.storage";
const BY_CLASS: &str = ".storageclass.storage.k8s.io/";
/// Where the class stood before it had a field.
const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

pub(super) fn counts(name: &str) -> bool {
    let by_class = |what: &str| name.strip_suffix(what).is_some_and(|it| it.ends_with(BY_CLASS));
    name == count_name("", CLAIMS)
        || [CLAIMS, STORAGE].iter().any(|what| name == *what || by_class(what))
}

pub(super) fn usage(claim: &Value) -> Amounts {
    let mut out = Amounts::from([(count_name("", CLAIMS), one()), (CLAIMS.to_owned(), one())]);
    let class = class(claim);
    let by_class = |what: &str| format!("{class}{BY_CLASS}{what}");
    if !class.is_empty() {
        out.insert(by_class(CLAIMS), one());
    }
    if let Some(storage) = storage(claim) {
        if !class.is_empty() {
            out.insert(by_class(STORAGE), storage.clone());
        }
        out.insert(STORAGE.to_owned(), storage);
    }
    out
}

fn class(claim: &Value) -> &str {
    match annotation(claim, CLASS_ANNOTATION) {
        Some(class) => class,
        None => text(part(claim, "spec"), "storageClassName"),
    }
}

/// What is asked for, or what was allocated if that is more; in whole bytes.
fn storage(claim: &Value) -> Option<Quantity> {
    let requests = amounts(part(part(claim, "spec"), "resources"), "requests");
    let requested = requests.get("storage")?;
    let allocated = amounts(part(claim, "status"), "allocatedResources");
    let allocated = allocated.get("storage").filter(|it| *it > requested);
    let wanted = allocated.unwrap_or(requested);
    if is_whole(wanted) {
        return Some(wanted.clone());
    }
    Some(Quantity::from_i64(wanted.value(), wanted.format()))
}

/// Whether a new status changes what the claim takes.
pub(super) fn grows(claim: &Value, old: &Value) -> bool {
    let of = |claim: &Value| amounts(part(claim, "status"), "allocatedResources");
    of(claim).get("storage") != of(old).get("storage")
        || attributes_classes(claim) != attributes_classes(old)
}
