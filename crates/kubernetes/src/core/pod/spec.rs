//! The rules of a pod's spec, whether it stands in a pod or in a template.

use std::collections::BTreeSet;

use ordain_meta::{ObjectMeta, object_meta};
use ordain_passes::declared::written::Write;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::options::PodOptions;
use super::{annotations, shown, volumes};
use crate::shared::access::{items, part, some, text, text_of};
use crate::shared::{net, written};

/// The rules of a template: metadata that its pods get, and their spec.
pub(super) fn check_template(template: &Value, path: &Path<'_>, options: &PodOptions) -> ErrorList {
    let mut errors = ErrorList::new();
    let meta = ObjectMeta::of(template);
    object_meta::labels(meta.labels(), &path.child("labels"), &mut errors);
    let path_of_annotations = path.child("annotations");
    object_meta::annotations(meta.annotations(), &path_of_annotations, &mut errors);
    annotations::check(template, &path_of_annotations, options, &mut errors);
    let spec = part(template, "spec");
    let spec_path = path.child("spec");
    check(spec, None, &spec_path, options, &mut errors);
    annotations::check_agreement(template, &spec_path, &mut errors);
    errors
}

/// The rules of a spec; a pod itself is given where there is one.
pub(super) fn check(
    spec: &Value,
    pod: Option<&Value>,
    path: &Path<'_>,
    options: &PodOptions,
    errors: &mut ErrorList,
) {
    let kind = if options.is_pod { "Pod" } else { "PodTemplate" };
    let write = Write { kind, old: options.old.as_ref(), part: "main" };
    errors.extend(written::structure("v1.PodSpec", spec, write, path));
    check_claims(spec, pod, &path.child("resourceClaims"), errors);
    let name = pod.map_or("", ordain_strategy::object::name);
    if !name.is_empty() {
        volumes::check(spec, name, &path.child("volumes"), errors);
    }
}

/// Claims of devices: a name, and where the claim comes from.
fn check_claims(spec: &Value, pod: Option<&Value>, path: &Path<'_>, errors: &mut ErrorList) {
    let mirror =
        pod.is_some_and(|it| crate::shared::access::annotation(it, annotations::MIRROR).is_some());
    let mut names = BTreeSet::new();
    for (at, claim) in items(spec, "resourceClaims").iter().enumerate() {
        let path = path.index(at);
        let name = text(claim, "name");
        if mirror {
            let problem = "static pods do not support resource claims";
            errors.push(Error::forbidden(&Path::new(""), problem));
            names.insert(name);
            continue;
        }
        if name.is_empty() {
            errors.push(Error::required(&path.child("name"), ""));
        } else if !names.insert(name) {
            errors.push(Error::duplicate(&path.child("name"), name));
        } else {
            errors.extend(net::label(&path.child("name"), name));
        }
        let sources = ["resourceClaimName", "resourceClaimTemplateName"];
        let problem = match sources.iter().filter(|it| some(claim, it).is_some()).count() {
            0 => "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
            1 => "",
            _ => {
                "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            }
        };
        if !problem.is_empty() {
            errors.push(Error::invalid(&path, shown::resource_claim(claim), problem));
        }
        for field in sources {
            if let Some(source) = text_of(claim, field) {
                errors.extend(net::subdomain(&path.child(field), source));
            }
        }
    }
}
