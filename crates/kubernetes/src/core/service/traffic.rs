//! The networks that a load balancer takes traffic from, as an annotation has them.

use ordain_passes::declared::written::Asked;
use ordain_value::field::{self, Path};

use super::read::Service;
use crate::shared::access::{annotation, items};
use crate::shared::net;

const SOURCE_RANGES: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";

/// The annotation counts where the field is not set.
pub(crate) fn check_annotation(asked: &Asked<'_, '_>, _: &Path<'_>, errors: &mut field::ErrorList) {
    let object = asked.value();
    let service = Service::of(&object);
    if !items(service.spec, "loadBalancerSourceRanges").is_empty() {
        return;
    }
    let Some(text) = annotation(&object, SOURCE_RANGES) else { return };
    let metadata = Path::new("metadata");
    let annotations = metadata.child("annotations");
    let path = annotations.key(SOURCE_RANGES);
    if !service.is("LoadBalancer") {
        let why = "may only be used when `type` is 'LoadBalancer'";
        errors.push(field::Error::forbidden(&path, why));
    }
    let kept = asked.old_object().is_some_and(|it| annotation(it, SOURCE_RANGES) == Some(text));
    if !kept && !text.trim().is_empty() {
        for range in text.split(',') {
            errors.extend(net::legacy_cidr(&path, range.trim(), &[]));
        }
    }
}
