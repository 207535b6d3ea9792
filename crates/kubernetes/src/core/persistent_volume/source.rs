//! Where the storage of a volume comes from: one source, each with rules of its own.

use ordain_value::Value;
use ordain_value::field::{self, Error, ErrorList, Path};

use crate::shared::access::{entries, flag, int, int_of, items, some, text, text_of};
use crate::shared::{fields, net, reference};

type Check = fn(&Value, &Path<'_>, &mut ErrorList);

/// A source: its field, the name by which refusals of its content call it, and its rules.
struct Source(&'static str, &'static str, Check);

/// In the order in which upstream looks for them: the first one found is the source.
const SOURCES: [Source; 22] = [
    Source("hostPath", "hostPath", host_path),
    Source("gcePersistentDisk", "persistentDisk", |it, path, errors| {
        disk(it, "pdName", path, errors)
    }),
    Source("awsElasticBlockStore", "awsElasticBlockStore", |it, path, errors| {
        disk(it, "volumeID", path, errors);
    }),
    Source("glusterfs", "glusterfs", glusterfs),
    Source("flocker", "flocker", flocker),
    Source("nfs", "nfs", nfs),
    Source("rbd", "rbd", |it, path, errors| {
        some_items(it, "monitors", path, errors);
        reference::named(it, &["image"], path, errors);
    }),
    Source("quobyte", "quobyte", quobyte),
    Source("cephfs", "cephfs", |it, path, errors| some_items(it, "monitors", path, errors)),
    Source("iscsi", "iscsi", iscsi),
    Source("cinder", "cinder", |it, path, errors| {
        reference::named(it, &["volumeID"], path, errors);
        secret(it, path, errors);
    }),
    Source("fc", "fc", fibre_channel),
    Source("flexVolume", "flexVolume", flex),
    Source("azureFile", "azureFile", azure_file),
    Source("vsphereVolume", "vsphereVolume", |it, path, errors| {
        reference::named(it, &["volumePath"], path, errors);
    }),
    Source("photonPersistentDisk", "photonPersistentDisk", |it, path, errors| {
        reference::named(it, &["pdID"], path, errors);
    }),
    Source("portworxVolume", "portworxVolume", |it, path, errors| {
        reference::named(it, &["volumeID"], path, errors);
    }),
    Source("azureDisk", "azureDisk", azure_disk),
    Source("scaleIO", "scaleIO", |it, path, errors| {
        reference::named(it, &["gateway", "system", "volumeName"], path, errors);
    }),
    Source("local", "local", local),
    Source("storageos", "storageos", storage_os),
    Source("csi", "csi", csi),
];

/// Exactly one source, and its rules. `affine` tells whether the volume says where it is.
pub(super) fn validate(
    spec: &Value,
    volume: &str,
    affine: bool,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let mut found = false;
    for Source(name, shown, check) in SOURCES {
        let Some(source) = some(spec, name) else { continue };
        // Two quirks of upstream: the second of two sources passes when it is a flex volume, and
        // one name has another form in this refusal.
        if found && name != "flexVolume" {
            let name = if name == "cephfs" { "cephFS" } else { name };
            let why = "may not specify more than 1 volume type";
            errors.push(Error::forbidden(&path.child(name), why));
            continue;
        }
        found = true;
        check(source, &path.child(shown), errors);
        if name == "iscsi" {
            portal_length(source, volume, &path.child(shown), errors);
        }
        if name == "local" && !affine {
            let why = "Local volume requires node affinity";
            errors.push(Error::required(&path.child("nodeAffinity"), why));
        }
    }
    if !found {
        errors.push(Error::required(path, "must specify a volume type"));
    }
}

/// Whether a path stands for the root, however it is written.
pub(super) fn is_root(path: &str) -> bool {
    let mut depth = 0_usize;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => depth = depth.saturating_sub(1),
            _ => depth += 1,
        }
    }
    path.starts_with('/') && depth == 0
}

fn no_steps_back(it: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let target = text(it, "path");
    if target.split('/').any(|part| part == "..") {
        errors.push(Error::invalid(&path.child("path"), target, "must not contain '..'"));
    }
}

fn host_path(it: &Value, path: &Path<'_>, errors: &mut ErrorList) {
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
    if text(it, "path").is_empty() {
        errors.push(Error::required(&path.child("path"), ""));
        return;
    }
    no_steps_back(it, path, errors);
    fields::one_of(it, &["type"], &TYPES, &path.child("type"), errors);
}

fn local(it: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    reference::named(it, &["path"], path, errors);
    no_steps_back(it, path, errors);
}

fn disk(it: &Value, name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    reference::named(it, &[name], path, errors);
    let partition = int(it, "partition");
    if !(0..=255).contains(&partition) {
        let why = "must be between 1 and 255, inclusive";
        errors.push(Error::invalid(&path.child("partition"), partition, why));
    }
}

fn glusterfs(it: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    reference::named(it, &["endpoints", "path"], path, errors);
    let place = path.child("endpointsNamespace");
    match text_of(it, "endpointsNamespace") {
        None => {}
        Some("") => {
            let why = "if the endpointnamespace is set, it must be a valid namespace name";
            errors.push(Error::invalid(&place, "", why));
        }
        Some(namespace) => errors.extend(net::label(&place, namespace)),
    }
}

fn flocker(it: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let (name, uuid) = (text(it, "datasetName"), text(it, "datasetUUID"));
    match (name.is_empty(), uuid.is_empty()) {
        (true, true) => {
            let why = "one of datasetName and datasetUUID is required";
            errors.push(Error::required(path, why));
        }
        (false, false) => {
            let why = "datasetName and datasetUUID can not be specified simultaneously";
            errors.push(Error::invalid(path, "resource", why));
        }
        _ => {}
    }
    if name.contains('/') {
        errors.push(Error::invalid(&path.child("datasetName"), name, "must not contain '/'"));
    }
}

fn nfs(it: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    reference::named(it, &["server", "path"], path, errors);
    let target = text(it, "path");
    if !target.starts_with('/') {
        errors.push(Error::invalid(&path.child("path"), target, "must be an absolute path"));
    }
}

fn some_items(it: &Value, name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if items(it, name).is_empty() {
        errors.push(Error::required(&path.child(name), ""));
    }
}

fn quobyte(it: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const PAIRS: &str = "must be a host:port pair or multiple pairs separated by commas";
    let (registry, tenant) = (text(it, "registry"), text(it, "tenant"));
    if registry.is_empty() {
        errors.push(Error::required(&path.child("registry"), PAIRS));
    } else if tenant.len() > 64 {
        let why = "must be a UUID and may not exceed a length of 64 characters";
        errors.push(Error::required(&path.child("tenant"), why));
    } else {
        for _ in registry.split(',').filter(|pair| !is_host_and_port(pair)) {
            errors.push(Error::invalid(&path.child("registry"), registry, PAIRS));
        }
    }
    reference::named(it, &["volume"], path, errors);
}

/// `host:port` as Go splits it: brackets around a host with colons, no colon elsewhere.
fn is_host_and_port(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else { return false };
    let bracketed = host.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let host_fits = match bracketed {
        Some(inner) => !inner.contains(['[', ']']),
        None => !host.contains([':', '[', ']']),
    };
    host_fits && !port.contains(['[', ']'])
}

fn iscsi(it: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const FORM: &str = "must be valid format";
    reference::named(it, &["targetPortal", "iqn"], path, errors);
    let iqn = text(it, "iqn");
    if !iqn.is_empty() && !is_initiator(iqn) {
        errors.push(Error::invalid(&path.child("iqn"), iqn, FORM));
    }
    let lun = int(it, "lun");
    if !(0..=255).contains(&lun) {
        errors.push(Error::invalid(&path.child("lun"), lun, LUN));
    }
    let place = path.child("secretRef");
    match some(it, "secretRef") {
        Some(secret) => reference::named(secret, &["name"], &place, errors),
        None if flag(it, "chapAuthDiscovery") || flag(it, "chapAuthSession") => {
            errors.push(Error::required(&place, ""));
        }
        None => {}
    }
    if let Some(initiator) = text_of(it, "initiatorName").filter(|it| !is_initiator(it)) {
        errors.push(Error::invalid(&path.child("initiatorname"), initiator, FORM));
    }
}

const LUN: &str = "must be between 0 and 255, inclusive";

fn portal_length(it: &Value, volume: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let portal = text(it, "targetPortal");
    if text_of(it, "initiatorName").is_some() && volume.len() + 1 + portal.len() > 64 {
        let why = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters \
                   if iscsi.initiatorName is specified.";
        errors.push(Error::invalid(&path.child("targetportal"), portal, why));
    }
}

/// A qualified name, an EUI or an NAA identifier.
fn is_initiator(text: &str) -> bool {
    let id = |rest: &str, len: usize| {
        let mut letters = rest.chars();
        let any = letters.next().is_some_and(|it| it != '\n');
        any && rest.len() > 1
            && letters.clone().count() == len
            && letters.all(|it| it.is_ascii_alphanumeric())
    };
    if let Some(rest) = text.strip_prefix("eui") {
        return id(rest, 16);
    }
    if let Some(rest) = text.strip_prefix("naa") {
        return id(rest, 32);
    }
    // The qualified name may stand anywhere in the text, up to its end.
    text.starts_with("iqn")
        && text.match_indices("iqn.").any(|(at, _)| is_qualified(&text[at + 4..]))
}

/// `yyyy-mm.domain:rest`
fn is_qualified(text: &str) -> bool {
    let Some((date, rest)) = text.split_once('.') else { return false };
    let digits =
        |part: &str, len: usize| part.len() == len && part.bytes().all(|it| it.is_ascii_digit());
    let dated =
        date.split_once('-').is_some_and(|(year, month)| digits(year, 4) && digits(month, 2));
    let Some((domain, tail)) = rest.split_once(':') else { return false };
    let wrong =
        |it: char| matches!(it, ',' | ';' | '*' | '&' | '$' | '|') || it.is_ascii_whitespace();
    dated
        && !domain.is_empty()
        && domain.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'.'))
        && !tail.is_empty()
        && !tail.contains(wrong)
}

fn secret(it: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(secret) = some(it, "secretRef") {
        reference::named(secret, &["name", "namespace"], &path.child("secretRef"), errors);
    }
}

fn fibre_channel(it: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let (targets, ids) = (items(it, "targetWWNs"), items(it, "wwids"));
    let place = path.child("targetWWNs");
    if targets.is_empty() && ids.is_empty() {
        let why = "must specify either targetWWNs or wwids, but not both";
        errors.push(Error::required(&place, why));
    }
    if targets.is_empty() {
        return;
    }
    if !ids.is_empty() {
        let why = "targetWWNs and wwids can not be specified simultaneously";
        let shown = it.get("targetWWNs").cloned().unwrap_or(Value::Null);
        errors.push(Error::invalid(&place, shown, why));
    }
    match int_of(it, "lun") {
        None => {
            let why = "lun is required if targetWWNs is specified";
            errors.push(Error::required(&path.child("lun"), why));
        }
        Some(lun) if !(0..=255).contains(&lun) => {
            errors.push(Error::invalid(&path.child("lun"), lun, LUN));
        }
        Some(_) => {}
    }
}

fn flex(it: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    reference::named(it, &["driver"], path, errors);
    for (key, _) in entries(it, "options") {
        let domain = key.split_once('/').map_or(key.as_str(), |it| it.0);
        let domain = format!(".{}", domain.to_lowercase());
        if domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io") {
            let why = "kubernetes.io and k8s.io namespaces are reserved";
            errors.push(Error::invalid(&path.child("options").key(key), key.as_str(), why));
        }
    }
}

fn azure_file(it: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    reference::named(it, &["secretName", "shareName"], path, errors);
    if text_of(it, "secretNamespace") == Some("") {
        errors.push(Error::required(&path.child("secretNamespace"), ""));
    }
}

fn azure_disk(it: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    reference::named(it, &["diskName", "diskURI"], path, errors);
    let modes = ["None", "ReadOnly", "ReadWrite"];
    fields::one_of(it, &["cachingMode"], &modes, &path.child("cachingMode"), errors);
    let kinds = ["Dedicated", "Managed", "Shared"];
    fields::one_of(it, &["kind"], &kinds, &path.child("kind"), errors);
    let Some(kind) = text_of(it, "kind") else { return };
    let (prefix, form) = match kind {
        "Managed" => (
            "/subscriptions/",
            "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/\
             disks/{disk-id}",
        ),
        _ => (
            "https://",
            "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",
        ),
    };
    let uri = text(it, "diskURI");
    if !uri.starts_with(prefix) {
        errors.push(Error::not_supported(&path.child("diskURI"), uri, &[form]));
    }
}

fn storage_os(it: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    reference::named(it, &["volumeName"], path, errors);
    for name in ["volumeName", "volumeNamespace"] {
        let text = text(it, name);
        if !text.is_empty() {
            errors.extend(net::label(&path.child(name), text));
        }
    }
    secret(it, path, errors);
}

fn csi(it: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    reference::driver_name(text(it, "driver"), &path.child("driver"), errors);
    reference::named(it, &["volumeHandle"], path, errors);
    let secrets = [
        "controllerPublishSecretRef",
        "controllerExpandSecretRef",
        "nodePublishSecretRef",
        "nodeExpandSecretRef",
    ];
    for name in secrets {
        if let Some(secret) = some(it, name) {
            reference::secret(secret, &path.child(name), errors);
        }
    }
}
