//! Volumes: names, and one source each.

use std::collections::BTreeMap;

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::options::PodOptions;
use super::sources;
use crate::shared::access::{items, some, text};
use crate::shared::net;

/// The volumes without a fault, by name: those that mounts may refer to.
pub(super) type Volumes<'a> = BTreeMap<&'a str, &'a Value>;

/// Judges the volumes of a pod with a name (empty where it is not known).
pub(super) fn check<'a>(
    spec: &'a Value,
    pod: &str,
    path: &Path<'_>,
    options: &PodOptions,
    errors: &mut ErrorList,
) -> Volumes<'a> {
    let list = items(spec, "volumes");
    let made: Vec<String> = list
        .iter()
        .filter(|it| !pod.is_empty() && some(it, "ephemeral").is_some())
        .map(|it| format!("{pod}-{}", text(it, "name")))
        .collect();
    let mut volumes = Volumes::new();
    for (at, volume) in list.iter().enumerate() {
        let path = path.index(at);
        let mut found = ErrorList::new();
        check_source(volume, pod, &path, options, &mut found);
        let name = text(volume, "name");
        if name.is_empty() {
            found.push(Error::required(&path.child("name"), ""));
        } else {
            found.extend(net::label(&path.child("name"), name));
        }
        if volumes.contains_key(name) {
            found.push(Error::duplicate(&path.child("name"), name));
        }
        if found.is_empty() {
            volumes.insert(name, volume);
        }
        errors.extend(found);
        let claim = some(volume, "persistentVolumeClaim").map(|it| text(it, "claimName"));
        if let Some(claim) = claim.filter(|claim| made.iter().any(|it| it == claim)) {
            errors.push(Error::invalid(
                &path.child("persistentVolumeClaim").child("claimName"),
                claim,
                "must not reference a PVC that gets created for an ephemeral volume",
            ));
        }
    }
    volumes
}

/// Sources in the order in which they are judged: the field, the name under which a second
/// source is refused, and the rule.
#[expect(clippy::type_complexity, reason = "a table of rules")]
const SOURCES: [(&str, &str, fn(&Value, &Path<'_>, &PodOptions, &mut ErrorList)); 30] = [
    ("emptyDir", "emptyDir", sources::empty_dir),
    ("hostPath", "hostPath", sources::host_path),
    ("gitRepo", "gitRepo", sources::git_repo),
    ("gcePersistentDisk", "gcePersistentDisk", sources::gce_persistent_disk),
    ("awsElasticBlockStore", "awsElasticBlockStore", sources::aws_elastic_block_store),
    ("secret", "secret", sources::secret),
    ("nfs", "nfs", sources::nfs),
    ("iscsi", "iscsi", sources::iscsi),
    ("glusterfs", "glusterfs", sources::glusterfs),
    ("flocker", "flocker", sources::flocker),
    ("persistentVolumeClaim", "persistentVolumeClaim", sources::persistent_volume_claim),
    ("rbd", "rbd", sources::rbd),
    ("cinder", "cinder", sources::cinder),
    ("cephfs", "cephFS", sources::cephfs),
    ("quobyte", "quobyte", sources::quobyte),
    ("downwardAPI", "downwarAPI", sources::downward_api),
    ("fc", "fc", sources::fc),
    ("flexVolume", "flexVolume", sources::flex_volume),
    ("configMap", "configMap", sources::config_map),
    ("azureFile", "azureFile", sources::azure_file),
    ("vsphereVolume", "vsphereVolume", sources::vsphere_volume),
    ("photonPersistentDisk", "photonPersistentDisk", sources::photon_persistent_disk),
    ("portworxVolume", "portworxVolume", sources::portworx_volume),
    ("azureDisk", "azureDisk", sources::azure_disk),
    ("storageos", "storageos", sources::storageos),
    ("projected", "projected", super::projected::check),
    ("scaleIO", "scaleIO", sources::scale_io),
    ("csi", "csi", sources::csi),
    ("ephemeral", "ephemeral", sources::ephemeral),
    ("image", "image", sources::image),
];

fn check_source(
    volume: &Value,
    pod: &str,
    path: &Path<'_>,
    options: &PodOptions,
    errors: &mut ErrorList,
) {
    let mut first = None;
    for (field, refused, rule) in SOURCES {
        let Some(source) = some(volume, field) else { continue };
        if first.is_some() {
            let problem = "may not specify more than 1 volume type";
            errors.push(Error::forbidden(&path.child(refused), problem));
        } else {
            first = Some(field);
            rule(source, &path.child(place(field)), options, errors);
        }
    }
    let name = text(volume, "name");
    if let Some(iscsi) = some(volume, "iscsi")
        && some(iscsi, "initiatorName").is_some()
        && name.len() + 1 + text(iscsi, "targetPortal").len() > 64
    {
        let problem = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 \
                       characters if iscsi.initiatorName is specified.";
        errors.push(Error::invalid(&path.child("name"), name, problem));
    }
    if first == Some("ephemeral") && !pod.is_empty() && !name.is_empty() {
        let claim = format!("{pod}-{name}");
        for problem in name::dns_1123_subdomain(&claim) {
            let problem = format!("PVC name {}: {problem}", ordain_value::go_quote(&claim));
            errors.push(Error::invalid(&path.child("name"), name, problem));
        }
    }
    if first.is_none() {
        errors.push(Error::required(path, "must specify a volume type"));
    }
}

/// Where errors of a source are reported, which is not always its field.
fn place(field: &'static str) -> &'static str {
    match field {
        "gcePersistentDisk" => "persistentDisk",
        field => field,
    }
}
