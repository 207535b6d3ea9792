//! Volumes that put several sources into one directory.

use std::collections::BTreeSet;

use ordain_passes::declared::written::Asked;
use ordain_value::field::{Error, ErrorList, Path};

use crate::shared::access::{items, some, text};

/// The files that the sources of a volume write; errors are those of the volume.
pub(crate) fn check_files(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    let sources = asked.value();
    let path = path.parent().unwrap_or(path);
    let mut taken = BTreeSet::new();
    for source in sources.as_list().map_or(&[][..], |it| it.as_slice()) {
        for kind in ["secret", "configMap"] {
            let Some(source) = some(source, kind) else { continue };
            for item in items(source, "items") {
                take(text(item, "path"), text(source, "name"), &mut taken, path, errors);
            }
        }
        if let Some(source) = some(source, "downwardAPI") {
            for file in items(source, "items") {
                let place = text(file, "path");
                take(place, place, &mut taken, path, errors);
            }
        }
    }
}

/// Two sources do not write the same file.
fn take<'a>(
    place: &'a str,
    shown: &str,
    taken: &mut BTreeSet<&'a str>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if !place.is_empty() && !taken.insert(place) {
        errors.push(Error::invalid(path, shown, "conflicting duplicate paths"));
    }
}

/// A pod without an account has no token of one, not even in a volume that is refused.
pub(crate) fn check_no_tokens(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    let volumes = asked.value();
    for (at, volume) in volumes.as_list().into_iter().flatten().enumerate() {
        let Some(volume) = some(volume, "projected") else { continue };
        let path = path.index(at);
        let list = path.child("projected.sources");
        for (at, source) in items(volume, "sources").iter().enumerate() {
            if some(source, "serviceAccountToken").is_some() {
                let problem = "must not be specified when serviceAccountName is not set";
                let path = list.index(at);
                errors.push(Error::forbidden(&path.child("serviceAccountToken"), problem));
            }
        }
    }
}
