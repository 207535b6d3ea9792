//! Volumes as upstream's internal types write them, for refusals that show a change.

use ordain_value::Value;
use ordain_value::field::BadValue;

use crate::shared::access::{items, text};
use crate::shared::diff::Shape::{self, Flag, Number, Plain, Pointer, Struct, Text};
use crate::shared::{fields, internal};

/// The fields of a specification that say where the storage comes from.
pub(super) const SOURCES: [&str; 22] = [
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "hostPath",
    "glusterfs",
    "nfs",
    "rbd",
    "quobyte",
    "iscsi",
    "flexVolume",
    "cinder",
    "cephfs",
    "fc",
    "flocker",
    "azureFile",
    "vsphereVolume",
    "azureDisk",
    "photonPersistentDisk",
    "portworxVolume",
    "scaleIO",
    "local",
    "storageos",
    "csi",
];

const SECRET: Shape = Pointer(&Struct(&[("Name", "name", Text), ("Namespace", "namespace", Text)]));

const REFERENCE: Shape = Pointer(&Struct(&[
    ("Kind", "kind", Text),
    ("Namespace", "namespace", Text),
    ("Name", "name", Text),
    ("UID", "uid", Text),
    ("APIVersion", "apiVersion", Text),
    ("ResourceVersion", "resourceVersion", Text),
    ("FieldPath", "fieldPath", Text),
]));

/// All sources of a volume.
pub(super) const SOURCE: Shape = Struct(&[
    (
        "GCEPersistentDisk",
        "gcePersistentDisk",
        Pointer(&Struct(&[
            ("PDName", "pdName", Text),
            ("FSType", "fsType", Text),
            ("Partition", "partition", Number),
            ("ReadOnly", "readOnly", Flag),
        ])),
    ),
    (
        "AWSElasticBlockStore",
        "awsElasticBlockStore",
        Pointer(&Struct(&[
            ("VolumeID", "volumeID", Text),
            ("FSType", "fsType", Text),
            ("Partition", "partition", Number),
            ("ReadOnly", "readOnly", Flag),
        ])),
    ),
    ("HostPath", "hostPath", Pointer(&Struct(&[("Path", "path", Text), ("Type", "type", Plain)]))),
    (
        "Glusterfs",
        "glusterfs",
        Pointer(&Struct(&[
            ("EndpointsName", "endpoints", Text),
            ("Path", "path", Text),
            ("ReadOnly", "readOnly", Flag),
            ("EndpointsNamespace", "endpointsNamespace", Plain),
        ])),
    ),
    (
        "NFS",
        "nfs",
        Pointer(&Struct(&[
            ("Server", "server", Text),
            ("Path", "path", Text),
            ("ReadOnly", "readOnly", Flag),
        ])),
    ),
    (
        "RBD",
        "rbd",
        Pointer(&Struct(&[
            ("CephMonitors", "monitors", Plain),
            ("RBDImage", "image", Text),
            ("FSType", "fsType", Text),
            ("RBDPool", "pool", Text),
            ("RadosUser", "user", Text),
            ("Keyring", "keyring", Text),
            ("SecretRef", "secretRef", SECRET),
            ("ReadOnly", "readOnly", Flag),
        ])),
    ),
    (
        "Quobyte",
        "quobyte",
        Pointer(&Struct(&[
            ("Registry", "registry", Text),
            ("Volume", "volume", Text),
            ("ReadOnly", "readOnly", Flag),
            ("User", "user", Text),
            ("Group", "group", Text),
            ("Tenant", "tenant", Text),
        ])),
    ),
    (
        "ISCSI",
        "iscsi",
        Pointer(&Struct(&[
            ("TargetPortal", "targetPortal", Text),
            ("IQN", "iqn", Text),
            ("Lun", "lun", Number),
            ("ISCSIInterface", "iscsiInterface", Text),
            ("FSType", "fsType", Text),
            ("ReadOnly", "readOnly", Flag),
            ("Portals", "portals", Plain),
            ("DiscoveryCHAPAuth", "chapAuthDiscovery", Flag),
            ("SessionCHAPAuth", "chapAuthSession", Flag),
            ("SecretRef", "secretRef", SECRET),
            ("InitiatorName", "initiatorName", Plain),
        ])),
    ),
    (
        "FlexVolume",
        "flexVolume",
        Pointer(&Struct(&[
            ("Driver", "driver", Text),
            ("FSType", "fsType", Text),
            ("SecretRef", "secretRef", SECRET),
            ("ReadOnly", "readOnly", Flag),
            ("Options", "options", Plain),
        ])),
    ),
    (
        "Cinder",
        "cinder",
        Pointer(&Struct(&[
            ("VolumeID", "volumeID", Text),
            ("FSType", "fsType", Text),
            ("ReadOnly", "readOnly", Flag),
            ("SecretRef", "secretRef", SECRET),
        ])),
    ),
    (
        "CephFS",
        "cephfs",
        Pointer(&Struct(&[
            ("Monitors", "monitors", Plain),
            ("Path", "path", Text),
            ("User", "user", Text),
            ("SecretFile", "secretFile", Text),
            ("SecretRef", "secretRef", SECRET),
            ("ReadOnly", "readOnly", Flag),
        ])),
    ),
    (
        "FC",
        "fc",
        Pointer(&Struct(&[
            ("TargetWWNs", "targetWWNs", Plain),
            ("Lun", "lun", Plain),
            ("FSType", "fsType", Text),
            ("ReadOnly", "readOnly", Flag),
            ("WWIDs", "wwids", Plain),
        ])),
    ),
    (
        "Flocker",
        "flocker",
        Pointer(&Struct(&[
            ("DatasetName", "datasetName", Text),
            ("DatasetUUID", "datasetUUID", Text),
        ])),
    ),
    (
        "AzureFile",
        "azureFile",
        Pointer(&Struct(&[
            ("SecretName", "secretName", Text),
            ("ShareName", "shareName", Text),
            ("ReadOnly", "readOnly", Flag),
            ("SecretNamespace", "secretNamespace", Plain),
        ])),
    ),
    (
        "VsphereVolume",
        "vsphereVolume",
        Pointer(&Struct(&[
            ("VolumePath", "volumePath", Text),
            ("FSType", "fsType", Text),
            ("StoragePolicyName", "storagePolicyName", Text),
            ("StoragePolicyID", "storagePolicyID", Text),
        ])),
    ),
    (
        "AzureDisk",
        "azureDisk",
        Pointer(&Struct(&[
            ("DiskName", "diskName", Text),
            ("DataDiskURI", "diskURI", Text),
            ("CachingMode", "cachingMode", Plain),
            ("FSType", "fsType", Plain),
            ("ReadOnly", "readOnly", Plain),
            ("Kind", "kind", Plain),
        ])),
    ),
    (
        "PhotonPersistentDisk",
        "photonPersistentDisk",
        Pointer(&Struct(&[("PdID", "pdID", Text), ("FSType", "fsType", Text)])),
    ),
    (
        "PortworxVolume",
        "portworxVolume",
        Pointer(&Struct(&[
            ("VolumeID", "volumeID", Text),
            ("FSType", "fsType", Text),
            ("ReadOnly", "readOnly", Flag),
        ])),
    ),
    (
        "ScaleIO",
        "scaleIO",
        Pointer(&Struct(&[
            ("Gateway", "gateway", Text),
            ("System", "system", Text),
            ("SecretRef", "secretRef", SECRET),
            ("SSLEnabled", "sslEnabled", Flag),
            ("ProtectionDomain", "protectionDomain", Text),
            ("StoragePool", "storagePool", Text),
            ("StorageMode", "storageMode", Text),
            ("VolumeName", "volumeName", Text),
            ("FSType", "fsType", Text),
            ("ReadOnly", "readOnly", Flag),
        ])),
    ),
    ("Local", "local", Pointer(&Struct(&[("Path", "path", Text), ("FSType", "fsType", Plain)]))),
    (
        "StorageOS",
        "storageos",
        Pointer(&Struct(&[
            ("VolumeName", "volumeName", Text),
            ("VolumeNamespace", "volumeNamespace", Text),
            ("FSType", "fsType", Text),
            ("ReadOnly", "readOnly", Flag),
            ("SecretRef", "secretRef", REFERENCE),
        ])),
    ),
    (
        "CSI",
        "csi",
        Pointer(&Struct(&[
            ("Driver", "driver", Text),
            ("VolumeHandle", "volumeHandle", Text),
            ("ReadOnly", "readOnly", Flag),
            ("FSType", "fsType", Text),
            ("VolumeAttributes", "volumeAttributes", Plain),
            ("ControllerPublishSecretRef", "controllerPublishSecretRef", SECRET),
            ("NodeStageSecretRef", "nodeStageSecretRef", SECRET),
            ("NodePublishSecretRef", "nodePublishSecretRef", SECRET),
            ("ControllerExpandSecretRef", "controllerExpandSecretRef", SECRET),
            ("NodeExpandSecretRef", "nodeExpandSecretRef", SECRET),
        ])),
    ),
]);

/// Labels of nodes and their successors.
const SUCCESSORS: [(&str, &str); 5] = [
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("beta.kubernetes.io/os", "kubernetes.io/os"),
    ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
    ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
];

const TERMS: [&str; 2] = ["required", "nodeSelectorTerms"];
const REQUIREMENTS: [&str; 2] = ["matchExpressions", "matchFields"];

/// Whether two affinities are the same but for labels that got a successor.
pub(super) fn same_affinity(new: &Value, old: &Value) -> bool {
    let renamed = |new: &Value, old: &Value| {
        SUCCESSORS.contains(&(text(old, "key"), text(new, "key")))
            || text(old, "key") == text(new, "key")
    };
    let same = |new: &Value, old: &Value| {
        renamed(new, old)
            && text(new, "operator") == text(old, "operator")
            && items(new, "values") == items(old, "values")
    };
    let (new, old) = (fields::list(new, &TERMS), fields::list(old, &TERMS));
    new.len() == old.len()
        && new.iter().zip(old).all(|(new, old)| {
            REQUIREMENTS.iter().all(|name| {
                let (new, old) = (items(new, name), items(old, name));
                new.len() == old.len() && new.iter().zip(old).all(|(new, old)| same(new, old))
            })
        })
}

/// An affinity as a refusal shows it.
pub(super) fn affinity(value: Option<&Value>) -> BadValue {
    let Some(value) = value else { return BadValue::Value(Value::Null) };
    let listed = |parts: Vec<String>| match parts.is_empty() {
        true => "null".to_owned(),
        false => format!("[{}]", parts.join(",")),
    };
    let requirement = |it: &Value| {
        internal::structure_text(&[
            ("Key", internal::plain(Some(&text(it, "key").into()))),
            ("Operator", internal::plain(Some(&text(it, "operator").into()))),
            ("Values", internal::plain(it.get("values"))),
        ])
    };
    let term = |term: &Value| {
        let list = |name: &str| listed(items(term, name).iter().map(requirement).collect());
        internal::structure_text(&[
            ("MatchExpressions", list("matchExpressions")),
            ("MatchFields", list("matchFields")),
        ])
    };
    let required = match fields::at(value, &["required"]) {
        None => "null".to_owned(),
        Some(_) => {
            let terms = listed(fields::list(value, &TERMS).iter().map(term).collect());
            internal::structure_text(&[("NodeSelectorTerms", terms)])
        }
    };
    internal::structure(&[("Required", required)])
}
