//! StorageObjectInUseProtection: storage objects wait for their users before they go.

use ordain_strategy::object;
use ordain_value::Value;

use super::{Plugin, Request, Verdict};

const PROTECTED: [(&str, &str, &str); 3] = [
    ("", "persistentvolumes", "kubernetes.io/pv-protection"),
    ("", "persistentvolumeclaims", "kubernetes.io/pvc-protection"),
    ("storage.k8s.io", "volumeattributesclasses", "kubernetes.io/vac-protection"),
];

#[derive(Debug)]
pub(super) struct StorageObjectInUseProtection;

impl Plugin for StorageObjectInUseProtection {
    fn name(&self) -> &'static str {
        "StorageObjectInUseProtection"
    }

    fn mutate(&self, request: &Request<'_>, object: &mut Value) -> Verdict {
        let protected = PROTECTED.iter().find(|it| request.creates(it.0, it.1));
        let Some((_, _, finalizer)) = protected else { return Ok(()) };
        let mut finalizers = object::finalizers(object);
        if !finalizers.iter().any(|it| it == finalizer) {
            finalizers.push((*finalizer).into());
            object::set_finalizers(object, finalizers);
        }
        Ok(())
    }
}
