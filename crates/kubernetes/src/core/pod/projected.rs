//! Volumes that put several sources into one directory.

use std::collections::BTreeSet;

use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::check::{mode, required};
use super::options::PodOptions;
use super::{downward, paths, sources};
use crate::shared::access::{int, items, some, text};

const KINDS: [&str; 6] = [
    "secret",
    "configMap",
    "downwardAPI",
    "serviceAccountToken",
    "clusterTrustBundle",
    "podCertificate",
];

pub(super) fn check(volume: &Value, path: &Path<'_>, options: &PodOptions, errors: &mut ErrorList) {
    mode(volume, "defaultMode", path, errors);
    let mut taken = BTreeSet::new();
    for (at, source) in items(volume, "sources").iter().enumerate() {
        let sources_path = path.child("sources");
        let source_path = sources_path.index(at);
        for kind in ["secret", "configMap"] {
            if let Some(source) = some(source, kind) {
                let place = source_path.child(kind);
                required(source, "name", &place, errors);
                sources::keys_to_paths(source, &place, errors);
                for item in items(source, "items") {
                    take(text(item, "path"), text(source, "name"), &mut taken, path, errors);
                }
            }
        }
        if let Some(source) = some(source, "downwardAPI") {
            for file in items(source, "items") {
                downward::check_file(file, &source_path.child("downwardAPI"), errors);
                let place = text(file, "path");
                take(place, place, &mut taken, path, errors);
            }
        }
        if let Some(token) = some(source, "serviceAccountToken") {
            check_token(token, &source_path.child("serviceAccountToken"), path, options, errors);
        }
        if KINDS.iter().filter(|kind| some(source, kind).is_some()).count() > 1 {
            let problem = "may not specify more than 1 volume type per source";
            errors.push(Error::forbidden(&source_path, problem));
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

fn check_token(
    token: &Value,
    path: &Path<'_>,
    volume: &Path<'_>,
    options: &PodOptions,
    errors: &mut ErrorList,
) {
    let seconds = int(token, "expirationSeconds");
    let expiration = path.child("expirationSeconds");
    if seconds < 600 {
        let problem = "may not specify a duration less than 10 minutes";
        errors.push(Error::invalid(&expiration, seconds, problem));
    }
    if seconds > 1 << 32 {
        let problem = "may not specify a duration larger than 2^32 seconds";
        errors.push(Error::invalid(&expiration, seconds, problem));
    }
    let place = text(token, "path");
    if place.is_empty() {
        errors.push(Error::required(&volume.child("path"), ""));
    } else if !options.allow_nonlocal_token_path {
        paths::not_reserved(place, &volume.child("path"), errors);
    }
}

/// Whether a volume puts a token at a path outside of it.
pub(super) fn has_nonlocal_token(volume: &Value) -> bool {
    let sources = some(volume, "projected").map_or(&[][..], |it| items(it, "sources"));
    sources.iter().filter_map(|it| some(it, "serviceAccountToken")).any(|token| {
        let mut errors = ErrorList::new();
        paths::not_reserved(text(token, "path"), &Path::root(), &mut errors);
        !errors.is_empty()
    })
}

/// A pod without an account has no token of one.
pub(super) fn check_no_tokens(spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    for (at, volume) in items(spec, "volumes").iter().enumerate() {
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
