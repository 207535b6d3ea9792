//! The sources of volumes: where their content comes from.

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::check::{mode, optional_one_of, required, required_one_of};
use super::options::PodOptions;
use super::{claim, downward, paths};
use crate::shared::access::{entries, flag, int, int_of, items, some, text, text_of};
use crate::shared::{net, resources};

pub(super) const PULL_POLICIES: [&str; 3] = ["Always", "IfNotPresent", "Never"];

pub(super) fn empty_dir(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    if some(source, "sizeLimit").is_some_and(|it| resources::quantity(it).sign() < 0) {
        let problem = "SizeLimit field must be a valid resource quantity";
        errors.push(Error::forbidden(&path.child("sizeLimit"), problem));
    }
}

pub(super) fn host_path(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    const TYPES: [&str; 8] = [
        "",
        "BlockDevice",
        "CharDevice",
        "Directory",
        "DirectoryOrCreate",
        "File",
        "FileOrCreate",
        "Socket",
    ];
    let place = text(source, "path");
    if place.is_empty() {
        errors.push(Error::required(&path.child("path"), ""));
        return;
    }
    paths::no_backsteps(place, &path.child("path"), errors);
    optional_one_of(source, "type", &TYPES, path, errors);
}

pub(super) fn git_repo(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    required(source, "repository", path, errors);
    paths::descending(text(source, "directory"), &path.child("directory"), errors);
}

/// Numbers of partitions start at one; zero stands for none.
fn partition(source: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let number = int(source, "partition");
    if !(0..=255).contains(&number) {
        let problem = "must be between 1 and 255, inclusive";
        errors.push(Error::invalid(&path.child("partition"), number, problem));
    }
}

pub(super) fn gce_persistent_disk(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    required(source, "pdName", path, errors);
    partition(source, path, errors);
}

pub(super) fn aws_elastic_block_store(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    required(source, "volumeID", path, errors);
    partition(source, path, errors);
}

/// The files that a volume makes of keys.
pub(super) fn keys_to_paths(source: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let path = path.child("items");
    for (at, item) in items(source, "items").iter().enumerate() {
        let path = path.index(at);
        required(item, "key", &path, errors);
        required(item, "path", &path, errors);
        paths::not_reserved(text(item, "path"), &path.child("path"), errors);
        mode(item, "mode", &path, errors);
    }
}

pub(super) fn secret(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    required(source, "secretName", path, errors);
    mode(source, "defaultMode", path, errors);
    keys_to_paths(source, path, errors);
}

pub(super) fn config_map(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    required(source, "name", path, errors);
    mode(source, "defaultMode", path, errors);
    keys_to_paths(source, path, errors);
}

pub(super) fn nfs(source: &Value, path: &Path<'_>, _options: &PodOptions, errors: &mut ErrorList) {
    required(source, "server", path, errors);
    required(source, "path", path, errors);
    let place = text(source, "path");
    if !place.starts_with('/') {
        errors.push(Error::invalid(&path.child("path"), place, "must be an absolute path"));
    }
}

pub(super) fn iscsi(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    required(source, "targetPortal", path, errors);
    required(source, "iqn", path, errors);
    let iqn = text(source, "iqn");
    if !iqn.is_empty() {
        check_initiator(iqn, &path.child("iqn"), errors);
    }
    lun(Some(int(source, "lun")), path, errors);
    let authenticated = flag(source, "chapAuthDiscovery") || flag(source, "chapAuthSession");
    if authenticated && some(source, "secretRef").is_none() {
        errors.push(Error::required(&path.child("secretRef"), ""));
    }
    if let Some(initiator) = text_of(source, "initiatorName") {
        check_initiator(initiator, &path.child("initiatorname"), errors);
    }
}

fn lun(number: Option<i64>, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(number) = number.filter(|it| !(0..=255).contains(it)) {
        let problem = "must be between 0 and 255, inclusive";
        errors.push(Error::invalid(&path.child("lun"), number, problem));
    }
}

/// Names of iSCSI nodes have one of three forms.
fn check_initiator(text: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let all_alphanumeric = |rest: &str, len: usize| {
        let mut chars = rest.chars();
        let separator = chars.next().is_some_and(|it| it != '\n');
        let rest = chars.as_str();
        separator && rest.len() == len && rest.bytes().all(|it| it.is_ascii_alphanumeric())
    };
    let sound = match text.get(..3) {
        Some("iqn") => has_iqn(text),
        Some("eui") => all_alphanumeric(&text[3..], 16),
        Some("naa") => all_alphanumeric(&text[3..], 32),
        _ => {
            let problem = "must be valid format starting with iqn, eui, or naa";
            errors.push(Error::invalid(path, text, problem));
            return;
        }
    };
    if !sound {
        errors.push(Error::invalid(path, text, "must be valid format"));
    }
}

/// Whether a text ends in `iqn.<year>-<month>.<authority>:<name>`.
fn has_iqn(text: &str) -> bool {
    let is_date = |date: &str| {
        let bytes = date.as_bytes();
        bytes.len() == 8
            && bytes[4] == b'-'
            && bytes[7] == b'.'
            && [0, 1, 2, 3, 5, 6].iter().all(|at| bytes[*at].is_ascii_digit())
    };
    let is_rest = |rest: &str| {
        let authority = |it: &str| {
            !it.is_empty()
                && it.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
        };
        let is_name = |it: &str| {
            let bad =
                |c: char| ",;*&$|".contains(c) || matches!(c, '\t' | '\n' | '\x0c' | '\r' | ' ');
            !it.is_empty() && !it.contains(bad)
        };
        rest.split_once(':').is_some_and(|(before, after)| authority(before) && is_name(after))
    };
    text.match_indices("iqn.").any(|(at, _)| {
        let rest = &text[at + 4..];
        rest.get(..8).is_some_and(is_date) && rest.get(8..).is_some_and(is_rest)
    })
}

pub(super) fn glusterfs(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    required(source, "endpoints", path, errors);
    required(source, "path", path, errors);
}

pub(super) fn flocker(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    let (name, uuid) = (text(source, "datasetName"), text(source, "datasetUUID"));
    if name.is_empty() && uuid.is_empty() {
        errors.push(Error::required(path, "one of datasetName and datasetUUID is required"));
    }
    if !name.is_empty() && !uuid.is_empty() {
        let problem = "datasetName and datasetUUID can not be specified simultaneously";
        errors.push(Error::invalid(path, "resource", problem));
    }
    if name.contains('/') {
        errors.push(Error::invalid(&path.child("datasetName"), name, "must not contain '/'"));
    }
}

pub(super) fn persistent_volume_claim(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    required(source, "claimName", path, errors);
}

fn monitors(source: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    if items(source, "monitors").is_empty() {
        errors.push(Error::required(&path.child("monitors"), ""));
    }
}

pub(super) fn rbd(source: &Value, path: &Path<'_>, _options: &PodOptions, errors: &mut ErrorList) {
    monitors(source, path, errors);
    required(source, "image", path, errors);
}

pub(super) fn cephfs(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    monitors(source, path, errors);
}

/// A reference to a secret, if there is one, has a name.
fn secret_ref(source: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(reference) = some(source, "secretRef") {
        required(reference, "name", &path.child("secretRef"), errors);
    }
}

pub(super) fn cinder(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    required(source, "volumeID", path, errors);
    secret_ref(source, path, errors);
}

pub(super) fn quobyte(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    const PAIRS: &str = "must be a host:port pair or multiple pairs separated by commas";
    let registry = text(source, "registry");
    if registry.is_empty() {
        errors.push(Error::required(&path.child("registry"), PAIRS));
    } else if text(source, "tenant").len() >= 65 {
        let problem = "must be a UUID and may not exceed a length of 64 characters";
        errors.push(Error::required(&path.child("tenant"), problem));
    } else {
        for _ in registry.split(',').filter(|pair| !is_host_and_port(pair)) {
            errors.push(Error::invalid(&path.child("registry"), registry, PAIRS));
        }
    }
    required(source, "volume", path, errors);
}

/// `host:port`, `[host]:port`; either part may be empty.
fn is_host_and_port(pair: &str) -> bool {
    let Some((host, port)) = pair.rsplit_once(':') else { return false };
    let inner = match host.strip_prefix('[') {
        Some(host) => match host.strip_suffix(']') {
            Some(host) => host,
            None => return false,
        },
        None if host.contains(':') => return false,
        None => host,
    };
    !inner.contains(['[', ']']) && !port.contains(['[', ']'])
}

pub(super) fn downward_api(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    mode(source, "defaultMode", path, errors);
    for file in items(source, "items") {
        downward::check_file(file, path, errors);
    }
}

pub(super) fn fc(source: &Value, path: &Path<'_>, _options: &PodOptions, errors: &mut ErrorList) {
    let (targets, ids) = (items(source, "targetWWNs"), items(source, "wwids"));
    if targets.is_empty() && ids.is_empty() {
        let problem = "must specify either targetWWNs or wwids, but not both";
        errors.push(Error::required(&path.child("targetWWNs"), problem));
    }
    if !targets.is_empty() && !ids.is_empty() {
        let problem = "targetWWNs and wwids can not be specified simultaneously";
        let given = source.get("targetWWNs").cloned().unwrap_or(Value::Null);
        errors.push(Error::invalid(&path.child("targetWWNs"), given, problem));
    }
    if !targets.is_empty() {
        let number = int_of(source, "lun");
        if number.is_none() {
            let problem = "lun is required if targetWWNs is specified";
            errors.push(Error::required(&path.child("lun"), problem));
        }
        lun(number, path, errors);
    }
}

pub(super) fn flex_volume(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    required(source, "driver", path, errors);
    for (key, _) in entries(source, "options") {
        let domain = key.split('/').next().unwrap_or(key).to_lowercase();
        let domain = format!(".{domain}");
        if domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io") {
            let problem = "kubernetes.io and k8s.io namespaces are reserved";
            errors.push(Error::invalid(&path.child("options").key(key), key.as_str(), problem));
        }
    }
}

pub(super) fn azure_file(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    required(source, "secretName", path, errors);
    required(source, "shareName", path, errors);
}

pub(super) fn azure_disk(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    const MANAGED: &str = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/\
                           microsoft.compute/disks/{disk-id}";
    const BLOB: &str =
        "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
    required(source, "diskName", path, errors);
    required(source, "diskURI", path, errors);
    optional_one_of(source, "cachingMode", &["None", "ReadOnly", "ReadWrite"], path, errors);
    optional_one_of(source, "kind", &["Dedicated", "Managed", "Shared"], path, errors);
    let Some(kind) = text_of(source, "kind") else { return };
    let uri = text(source, "diskURI");
    let (start, form) = match kind {
        "Managed" => ("/subscriptions/", MANAGED),
        _ => ("https://", BLOB),
    };
    if !uri.starts_with(start) {
        errors.push(Error::not_supported(&path.child("diskURI"), uri, &[form]));
    }
}

pub(super) fn vsphere_volume(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    required(source, "volumePath", path, errors);
}

pub(super) fn photon_persistent_disk(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    required(source, "pdID", path, errors);
}

pub(super) fn portworx_volume(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    required(source, "volumeID", path, errors);
}

pub(super) fn scale_io(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    required(source, "gateway", path, errors);
    required(source, "system", path, errors);
    required(source, "volumeName", path, errors);
}

pub(super) fn storageos(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    let (name, namespace) = (text(source, "volumeName"), text(source, "volumeNamespace"));
    if name.is_empty() {
        errors.push(Error::required(&path.child("volumeName"), ""));
    } else {
        errors.extend(net::label(&path.child("volumeName"), name));
    }
    if !namespace.is_empty() {
        errors.extend(net::label(&path.child("volumeNamespace"), namespace));
    }
    secret_ref(source, path, errors);
}

pub(super) fn csi(source: &Value, path: &Path<'_>, _options: &PodOptions, errors: &mut ErrorList) {
    const DRIVER_BYTES_MAX: i64 = 63;
    required(source, "driver", path, errors);
    let driver = text(source, "driver");
    let path_of_driver = path.child("driver");
    if driver.len() > 63 {
        errors.push(Error::too_long(&path_of_driver, DRIVER_BYTES_MAX));
    }
    if !driver.is_empty() {
        let problems = name::dns_1123_subdomain(&driver.to_lowercase());
        errors.extend(net::invalid(&path_of_driver, driver, problems));
    }
    if let Some(reference) = some(source, "nodePublishSecretRef") {
        required(reference, "name", &path.child("nodePublishSecretRef"), errors);
        let secret = text(reference, "name");
        if !secret.is_empty() {
            errors.extend(net::subdomain(&path.child("name"), secret));
        }
    }
}

pub(super) fn ephemeral(
    source: &Value,
    path: &Path<'_>,
    _options: &PodOptions,
    errors: &mut ErrorList,
) {
    let path = path.child("volumeClaimTemplate");
    match some(source, "volumeClaimTemplate") {
        Some(template) => claim::check_template(template, &path, errors),
        None => errors.push(Error::required(&path, "")),
    }
}

pub(super) fn image(source: &Value, path: &Path<'_>, options: &PodOptions, errors: &mut ErrorList) {
    if options.is_pod {
        required(source, "reference", path, errors);
    }
    required_one_of(source, "pullPolicy", &PULL_POLICIES, path, errors);
}
