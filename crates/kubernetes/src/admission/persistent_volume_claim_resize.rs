//! PersistentVolumeClaimResize: a claim may grow when it is bound and its class allows it.

use ordain_meta::quantity::Quantity;
use ordain_value::Value;

use super::{Operation, Plugin, Query, Remarks, Request, Verdict};

#[derive(Debug)]
pub(super) struct PersistentVolumeClaimResize;

impl Plugin for PersistentVolumeClaimResize {
    fn name(&self) -> &'static str {
        "PersistentVolumeClaimResize"
    }

    fn needs(&self, request: &Request<'_>, claim: &Value) -> Vec<Query> {
        if !grows(request, claim) {
            return Vec::new();
        }
        let class = class_name(claim).filter(|name| !name.is_empty());
        let query = class.map(|name| Query::one("storage.k8s.io", "storageclasses", "", name));
        query.into_iter().collect()
    }

    fn validate(&self, request: &Request<'_>, claim: &Value, _: &mut Remarks<'_>) -> Verdict {
        if !grows(request, claim) {
            return Ok(());
        }
        let phase = |claim: &Value| {
            claim.get_path(&["status", "phase"]).and_then(Value::as_str).map(str::to_owned)
        };
        if request.old.and_then(phase).as_deref() != Some("Bound") {
            return Err(request.forbidden("only bound persistent volume claims can be expanded"));
        }
        let allows = |class: &Value| {
            class.get("allowVolumeExpansion").and_then(Value::as_bool) == Some(true)
        };
        if request.found("storageclasses").any(allows) {
            return Ok(());
        }
        Err(request.forbidden(
            "only dynamically provisioned pvc can be resized and the storageclass that \
             provisions the pvc must support resize",
        ))
    }
}

fn grows(request: &Request<'_>, claim: &Value) -> bool {
    let size = |claim: &Value| {
        let path = ["spec", "resources", "requests", "storage"];
        Quantity::parse(claim.get_path(&path)?.as_str()?).ok()
    };
    let old = request.old.filter(|_| {
        request.operation == Operation::Update && request.is("", "persistentvolumeclaims")
    });
    let (Some(before), Some(after)) = (old.and_then(size), size(claim)) else { return false };
    after.sub(&before).is_ok_and(|added| added.sign() > 0)
}

fn class_name(claim: &Value) -> Option<&str> {
    let annotations = claim.get_path(&["metadata", "annotations"]);
    let beta = annotations.and_then(|it| it.get("volume.beta.kubernetes.io/storage-class"));
    beta.or_else(|| claim.get_path(&["spec", "storageClassName"])).and_then(Value::as_str)
}
