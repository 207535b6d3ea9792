//! Claims that volumes of a pod make, by the names of both.

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use crate::shared::access::{items, some, text};

/// Judges the volumes of a pod with a name.
pub(super) fn check(spec: &Value, pod: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let list = items(spec, "volumes");
    let made: Vec<String> = list
        .iter()
        .filter(|it| some(it, "ephemeral").is_some())
        .map(|it| format!("{pod}-{}", text(it, "name")))
        .collect();
    for (at, volume) in list.iter().enumerate() {
        let path = path.index(at);
        let name = text(volume, "name");
        if some(volume, "ephemeral").is_some() && !name.is_empty() {
            let claim = format!("{pod}-{name}");
            for problem in name::dns_1123_subdomain(&claim) {
                let problem = format!("PVC name {}: {problem}", ordain_value::go_quote(&claim));
                errors.push(Error::invalid(&path.child("name"), name, problem));
            }
        }
        let claim = some(volume, "persistentVolumeClaim").map(|it| text(it, "claimName"));
        if let Some(claim) = claim.filter(|claim| made.iter().any(|it| it == claim)) {
            errors.push(Error::invalid(
                &path.child("persistentVolumeClaim").child("claimName"),
                claim,
                "must not reference a PVC that gets created for an ephemeral volume",
            ));
        }
    }
}
