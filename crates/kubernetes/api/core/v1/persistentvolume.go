package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PersistentVolume is a piece of storage and who has it.
// +rule:cel="!('volume.beta.kubernetes.io/mount-options' in self.metadata.annotations) || has(self.spec.gcePersistentDisk) || has(self.spec.awsElasticBlockStore) || has(self.spec.glusterfs) || has(self.spec.nfs) || has(self.spec.rbd) || has(self.spec.quobyte) || has(self.spec.iscsi) || has(self.spec.cinder) || has(self.spec.cephfs) || has(self.spec.azureFile) || has(self.spec.vsphereVolume) || has(self.spec.azureDisk) || has(self.spec.photonPersistentDisk)",reason=Forbidden,at=metadata.annotations.volume.beta.kubernetes.io/mount-options,message="may not specify mount options for this volume type"
// +rule:code=volume-source-changes
// +rule:cel="self.spec.volumeMode == oldSelf.spec.volumeMode",at=volumeMode,value="self.spec.volumeMode",message="field is immutable"
// +rule:code=volume-affinity-changes
// +rule:cel="!has(oldSelf.spec.volumeAttributesClassName) || has(self.spec.volumeAttributesClassName)",reason=Forbidden,at=spec.volumeAttributesClassName,message="update from non-nil value to nil is forbidden"
// +kubebuilder:resource:path=persistentvolumes,scope=Cluster,shortName=pv
type PersistentVolume struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:valid
	// +rule:twice="isUpdate"
	// +rule:let:volumeName="self.metadata.name"
	Spec PersistentVolumeSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status PersistentVolumeStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// AzureFilePersistentVolumeSource is a file share of Azure.
type AzureFilePersistentVolumeSource struct {
	// +rule:required
	SecretName string `json:"secretName" protobuf:"bytes,1,opt"`
	// +rule:required
	ShareName string `json:"shareName" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
	// +optional
	// +rule:cel="self != ''",reason=Required
	SecretNamespace *string `json:"secretNamespace" protobuf:"bytes,4,opt"`
}

// CSIPersistentVolumeSource is storage that a CSI driver brings.
// +rule:let:judgeSecretNames="true"
type CSIPersistentVolumeSource struct {
	// +rule:required
	// +rule:maxBytes=63
	// +rule:cel="self.lowerAscii().problems('dns-subdomain').size() == 0",messageExpression="self.lowerAscii().problems('dns-subdomain')"
	Driver string `json:"driver" protobuf:"bytes,1,opt"`
	// +rule:required
	VolumeHandle string `json:"volumeHandle" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	VolumeAttributes map[string]string `json:"volumeAttributes,omitempty" protobuf:"bytes,5,rep"`
	// +optional
	// +rule:valid
	ControllerPublishSecretRef *SecretReference `json:"controllerPublishSecretRef,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	NodeStageSecretRef *SecretReference `json:"nodeStageSecretRef,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	// +rule:valid
	NodePublishSecretRef *SecretReference `json:"nodePublishSecretRef,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	// +rule:valid
	ControllerExpandSecretRef *SecretReference `json:"controllerExpandSecretRef,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	// +rule:valid
	NodeExpandSecretRef *SecretReference `json:"nodeExpandSecretRef,omitempty" protobuf:"bytes,10,opt"`
}

// CephFSPersistentVolumeSource is a file system of Ceph.
type CephFSPersistentVolumeSource struct {
	// +listType=atomic
	// +rule:required
	Monitors []string `json:"monitors" protobuf:"bytes,1,rep"`
	// +optional
	Path string `json:"path,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	User string `json:"user,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	SecretFile string `json:"secretFile,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	SecretRef *SecretReference `json:"secretRef,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,6,opt"`
}

// CinderPersistentVolumeSource is a volume of OpenStack.
type CinderPersistentVolumeSource struct {
	// +rule:required
	VolumeID string `json:"volumeID" protobuf:"bytes,1,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
	// +optional
	// +rule:valid
	SecretRef *SecretReference `json:"secretRef,omitempty" protobuf:"bytes,4,opt"`
}

// FlexPersistentVolumeSource is storage that a program on the node brings.
type FlexPersistentVolumeSource struct {
	// +rule:required
	Driver string `json:"driver" protobuf:"bytes,1,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	SecretRef *SecretReference `json:"secretRef,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +rule:keys:cel="!('.' + self.split('/')[0].lowerAscii()).matches('[.](kubernetes|k8s)[.]io$')",message="kubernetes.io and k8s.io namespaces are reserved"
	Options map[string]string `json:"options,omitempty" protobuf:"bytes,5,rep"`
}

// GCEPersistentDiskVolumeSource is a disk of Google Cloud.
// +rule:shared
type GCEPersistentDiskVolumeSource struct {
	// +rule:required
	PDName string `json:"pdName" protobuf:"bytes,1,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:cel="self >= 0 && self <= 255",message="must be between 1 and 255, inclusive"
	Partition int32 `json:"partition,omitempty" protobuf:"varint,3,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,4,opt"`
}

// GlusterfsPersistentVolumeSource is a volume of Gluster.
type GlusterfsPersistentVolumeSource struct {
	// +rule:required
	EndpointsName string `json:"endpoints" protobuf:"bytes,1,opt"`
	// +rule:required
	Path string `json:"path" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
	// +optional
	// +rule:cel="self != ''",message="if the endpointnamespace is set, it must be a valid namespace name",ends
	// +rule:format=dns-label
	EndpointsNamespace *string `json:"endpointsNamespace,omitempty" protobuf:"bytes,4,opt"`
}

// ISCSIPersistentVolumeSource is a disk behind iSCSI.
// +rule:cel="!has(self.initiatorName) || bytes(volumeName + ':' + self.targetPortal).size() <= 64",at=targetportal,value="self.targetPortal",message="Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified."
type ISCSIPersistentVolumeSource struct {
	// +rule:required
	TargetPortal string `json:"targetPortal" protobuf:"bytes,1,opt"`
	// +rule:required
	// +rule:format=iscsi-name,message="must be valid format"
	IQN string `json:"iqn" protobuf:"bytes,2,opt"`
	// +rule:range=0..255
	Lun int32 `json:"lun" protobuf:"varint,3,opt"`
	// +optional
	// +default="default"
	ISCSIInterface string `json:"iscsiInterface,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,6,opt"`
	// +optional
	// +listType=atomic
	Portals []string `json:"portals,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	DiscoveryCHAPAuth bool `json:"chapAuthDiscovery,omitempty" protobuf:"varint,8,opt"`
	// +optional
	SessionCHAPAuth bool `json:"chapAuthSession,omitempty" protobuf:"varint,11,opt"`
	// +optional
	// +rule:required,when="parent.chapAuthDiscovery || parent.chapAuthSession"
	// +rule:cel="self.name != ''",reason=Required,at=name
	SecretRef *SecretReference `json:"secretRef,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	// +rule:path=initiatorname
	// +rule:format=iscsi-name,message="must be valid format"
	InitiatorName *string `json:"initiatorName,omitempty" protobuf:"bytes,12,opt"`
}

// PersistentVolumeAccessMode is how many may use a volume, and how.
// +enum
type PersistentVolumeAccessMode string

const (
	PersistentVolumeAccessModeReadWriteOnce PersistentVolumeAccessMode = "ReadWriteOnce"
	PersistentVolumeAccessModeReadOnlyMany PersistentVolumeAccessMode = "ReadOnlyMany"
	PersistentVolumeAccessModeReadWriteMany PersistentVolumeAccessMode = "ReadWriteMany"
	PersistentVolumeAccessModeReadWriteOncePod PersistentVolumeAccessMode = "ReadWriteOncePod"
)

// PersistentVolumeMode is whether a volume is a file system or a device.
// +enum
type PersistentVolumeMode string

const (
	PersistentVolumeModeBlock PersistentVolumeMode = "Block"
	PersistentVolumeModeFilesystem PersistentVolumeMode = "Filesystem"
)

// PersistentVolumePhase is how far a volume is in its life.
// +enum
type PersistentVolumePhase string

const (
	PersistentVolumePhasePending PersistentVolumePhase = "Pending"
	PersistentVolumePhaseAvailable PersistentVolumePhase = "Available"
	PersistentVolumePhaseBound PersistentVolumePhase = "Bound"
	PersistentVolumePhaseReleased PersistentVolumePhase = "Released"
	PersistentVolumePhaseFailed PersistentVolumePhase = "Failed"
)

// PersistentVolumeReclaimPolicy is what becomes of a volume that nobody claims any more.
// +enum
type PersistentVolumeReclaimPolicy string

const (
	PersistentVolumeReclaimPolicyRecycle PersistentVolumeReclaimPolicy = "Recycle"
	PersistentVolumeReclaimPolicyDelete PersistentVolumeReclaimPolicy = "Delete"
	PersistentVolumeReclaimPolicyRetain PersistentVolumeReclaimPolicy = "Retain"
)

// PersistentVolumeSource is where the storage comes from.
// +rule:let:firstVolumeSource="has(self.hostPath) ? 'hostPath' : has(self.gcePersistentDisk) ? 'gcePersistentDisk' : has(self.awsElasticBlockStore) ? 'awsElasticBlockStore' : has(self.glusterfs) ? 'glusterfs' : has(self.flocker) ? 'flocker' : has(self.nfs) ? 'nfs' : has(self.rbd) ? 'rbd' : has(self.quobyte) ? 'quobyte' : has(self.cephfs) ? 'cephfs' : has(self.iscsi) ? 'iscsi' : has(self.cinder) ? 'cinder' : has(self.fc) ? 'fc' : has(self.flexVolume) ? 'flexVolume' : has(self.azureFile) ? 'azureFile' : has(self.vsphereVolume) ? 'vsphereVolume' : has(self.photonPersistentDisk) ? 'photonPersistentDisk' : has(self.portworxVolume) ? 'portworxVolume' : has(self.azureDisk) ? 'azureDisk' : has(self.scaleIO) ? 'scaleIO' : has(self.local) ? 'local' : has(self.storageos) ? 'storageos' : has(self.csi) ? 'csi' : ''"
// +rule:cel="firstVolumeSource != ''",reason=Required,message="must specify a volume type"
type PersistentVolumeSource struct {
	// +optional
	// +rule:path=persistentDisk
	// +rule:forbidden,when="firstVolumeSource != 'gcePersistentDisk'",at=^.gcePersistentDisk,message="may not specify more than 1 volume type"
	// +rule:valid
	GCEPersistentDisk *GCEPersistentDiskVolumeSource `json:"gcePersistentDisk,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'awsElasticBlockStore'",message="may not specify more than 1 volume type"
	// +rule:valid
	AWSElasticBlockStore *AWSElasticBlockStoreVolumeSource `json:"awsElasticBlockStore,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'hostPath'",message="may not specify more than 1 volume type"
	// +rule:valid
	HostPath *HostPathVolumeSource `json:"hostPath,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'glusterfs'",message="may not specify more than 1 volume type"
	Glusterfs *GlusterfsPersistentVolumeSource `json:"glusterfs,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'nfs'",message="may not specify more than 1 volume type"
	// +rule:valid
	NFS *NFSVolumeSource `json:"nfs,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'rbd'",message="may not specify more than 1 volume type"
	RBD *RBDPersistentVolumeSource `json:"rbd,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'iscsi'",message="may not specify more than 1 volume type"
	ISCSI *ISCSIPersistentVolumeSource `json:"iscsi,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'cinder'",message="may not specify more than 1 volume type"
	Cinder *CinderPersistentVolumeSource `json:"cinder,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'cephfs'",at=^.cephFS,message="may not specify more than 1 volume type"
	CephFS *CephFSPersistentVolumeSource `json:"cephfs,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'fc'",message="may not specify more than 1 volume type"
	// +rule:valid
	FC *FCVolumeSource `json:"fc,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'flocker'",message="may not specify more than 1 volume type"
	// +rule:valid
	Flocker *FlockerVolumeSource `json:"flocker,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	FlexVolume *FlexPersistentVolumeSource `json:"flexVolume,omitempty" protobuf:"bytes,12,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'azureFile'",message="may not specify more than 1 volume type"
	AzureFile *AzureFilePersistentVolumeSource `json:"azureFile,omitempty" protobuf:"bytes,13,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'vsphereVolume'",message="may not specify more than 1 volume type"
	// +rule:valid
	VsphereVolume *VsphereVirtualDiskVolumeSource `json:"vsphereVolume,omitempty" protobuf:"bytes,14,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'quobyte'",message="may not specify more than 1 volume type"
	// +rule:valid
	Quobyte *QuobyteVolumeSource `json:"quobyte,omitempty" protobuf:"bytes,15,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'azureDisk'",message="may not specify more than 1 volume type"
	// +rule:valid
	AzureDisk *AzureDiskVolumeSource `json:"azureDisk,omitempty" protobuf:"bytes,16,opt"`
	// +rule:forbidden,when="firstVolumeSource != 'photonPersistentDisk'",message="may not specify more than 1 volume type"
	// +rule:valid
	PhotonPersistentDisk *PhotonPersistentDiskVolumeSource `json:"photonPersistentDisk,omitempty" protobuf:"bytes,17,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'portworxVolume'",message="may not specify more than 1 volume type"
	// +rule:valid
	PortworxVolume *PortworxVolumeSource `json:"portworxVolume,omitempty" protobuf:"bytes,18,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'scaleIO'",message="may not specify more than 1 volume type"
	ScaleIO *ScaleIOPersistentVolumeSource `json:"scaleIO,omitempty" protobuf:"bytes,19,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'local'",message="may not specify more than 1 volume type"
	// +rule:cel="!inlineVolume && has(volumeSpec.nodeAffinity)",reason=Required,at=^.nodeAffinity,message="Local volume requires node affinity"
	Local *LocalVolumeSource `json:"local,omitempty" protobuf:"bytes,20,opt"`
	// +optional
	// +rule:forbidden,when="firstVolumeSource != 'storageos'",message="may not specify more than 1 volume type"
	StorageOS *StorageOSPersistentVolumeSource `json:"storageos,omitempty" protobuf:"bytes,21,opt"`
	// +optional
	// +rule:required,when="inlineVolume",message="has to be specified in the context of inline volumes"
	// +rule:forbidden,when="firstVolumeSource != 'csi'",message="may not specify more than 1 volume type"
	CSI *CSIPersistentVolumeSource `json:"csi,omitempty" protobuf:"bytes,22,opt"`
}

// PersistentVolumeSpec describes a volume.
// +rule:shared
// +rule:as=volumeSpec
// +rule:default:inlineVolume="false"
// +rule:default:volumeName="''"
// +rule:let:allowInvalidNodeSelectorValues="oldSelf.nodeAffinity.required.nodeSelectorTerms.exists(t, t.matchExpressions.exists(e, e.values.exists(v, v.problems('label-value').size() > 0)))"
type PersistentVolumeSpec struct {
	// +optional
	// +rule:forbidden,when="inlineVolume",message="may not be specified in the context of inline volumes"
	// +rule:skip,when="inlineVolume"
	// +rule:required,continues
	// +rule:cel="'storage' in self && self.size() == 1",reason=NotSupported,message="supported values: \"storage\""
	// +rule:values:cel="quantity(self).isGreaterThan(quantity('-1'))",value="int(quantity(self).asApproximateFloat())",message="must be a valid resource quantity"
	// +rule:values:cel="quantity(self).isGreaterThan(quantity('0'))",message="must be greater than zero"
	Capacity ResourceList `json:"capacity,omitempty" protobuf:"bytes,1,rep"`
	PersistentVolumeSource `json:",inline" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	// +rule:required
	// +rule:cel="!('ReadWriteOncePod' in self) || !self.exists(m, m in ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce'])",reason=Forbidden,message="may not use ReadWriteOncePod with other access modes"
	// +rule:each:oneOf=ReadOnlyMany;ReadWriteMany;ReadWriteOnce;ReadWriteOncePod,at=^
	AccessModes []PersistentVolumeAccessMode `json:"accessModes,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +structType=granular
	// +rule:forbidden,when="inlineVolume",message="may not be specified in the context of inline volumes"
	ClaimRef *ObjectReference `json:"claimRef,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +rule:optional
	// +rule:oneOf=Delete;Recycle;Retain,when="!inlineVolume"
	// +rule:cel="self == 'Retain'",when="inlineVolume",reason=Forbidden,message="may only be Retain in the context of inline volumes"
	// +rule:cel="self != 'Recycle' || parent.hostPath.path.cleanPath() != '/'",reason=Forbidden,message="may not be 'recycle' for a hostPath mount of '/'"
	PersistentVolumeReclaimPolicy PersistentVolumeReclaimPolicy `json:"persistentVolumeReclaimPolicy,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +rule:forbidden,when="inlineVolume",message="may not be specified in the context of inline volumes"
	// +rule:optional
	// +rule:format=dns-subdomain
	StorageClassName string `json:"storageClassName,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +listType=atomic
	MountOptions []string `json:"mountOptions,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	// +rule:oneOf=Block;Filesystem,when="!inlineVolume"
	// +rule:cel="self == 'Filesystem'",when="inlineVolume",reason=Forbidden,message="may not specify volumeMode other than Filesystem in the context of inline volumes"
	VolumeMode *PersistentVolumeMode `json:"volumeMode,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	// +rule:forbidden,when="inlineVolume",message="may not be specified in the context of inline volumes"
	NodeAffinity *VolumeNodeAffinity `json:"nodeAffinity,omitempty" protobuf:"bytes,9,opt"`
	// +featureGate=VolumeAttributesClass
	// +optional
	// +rule:cel="has(parent.csi)",reason=Required,at=^.csi,message="has to be specified when using volumeAttributesClassName"
	// +rule:cel="self != ''",reason=Required,message="an empty string is disallowed",ends
	// +rule:format=dns-subdomain
	VolumeAttributesClassName *string `json:"volumeAttributesClassName,omitempty" protobuf:"bytes,10,opt"`
}

// PersistentVolumeStatus is how a volume is.
type PersistentVolumeStatus struct {
	// +optional
	// +default="Pending"
	// +unpublishedDefault
	Phase PersistentVolumePhase `json:"phase,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	LastPhaseTransitionTime *metav1.Time `json:"lastPhaseTransitionTime,omitempty" protobuf:"bytes,4,opt"`
}

// PhotonPersistentDiskVolumeSource is a disk of Photon.
// +rule:shared
type PhotonPersistentDiskVolumeSource struct {
	// +rule:required
	PdID string `json:"pdID" protobuf:"bytes,1,opt"`
	FSType string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
}

// RBDPersistentVolumeSource is a block device of Ceph.
type RBDPersistentVolumeSource struct {
	// +listType=atomic
	// +rule:required
	CephMonitors []string `json:"monitors" protobuf:"bytes,1,rep"`
	// +rule:required
	RBDImage string `json:"image" protobuf:"bytes,2,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +default="rbd"
	RBDPool string `json:"pool,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +default="admin"
	RadosUser string `json:"user,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +default="/etc/ceph/keyring"
	Keyring string `json:"keyring,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	SecretRef *SecretReference `json:"secretRef,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,8,opt"`
}

// ScaleIOPersistentVolumeSource is a volume of ScaleIO.
type ScaleIOPersistentVolumeSource struct {
	// +rule:required
	Gateway string `json:"gateway" protobuf:"bytes,1,opt"`
	// +rule:required
	System string `json:"system" protobuf:"bytes,2,opt"`
	SecretRef *SecretReference `json:"secretRef" protobuf:"bytes,3,opt"`
	// +optional
	SSLEnabled bool `json:"sslEnabled,omitempty" protobuf:"varint,4,opt"`
	// +optional
	ProtectionDomain string `json:"protectionDomain,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	StoragePool string `json:"storagePool,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +default="ThinProvisioned"
	StorageMode string `json:"storageMode,omitempty" protobuf:"bytes,7,opt"`
	// +rule:required
	VolumeName string `json:"volumeName,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	// +default="xfs"
	FSType string `json:"fsType,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,10,opt"`
}

// StorageOSPersistentVolumeSource is a volume of StorageOS.
type StorageOSPersistentVolumeSource struct {
	// +rule:required
	// +rule:format=dns-label
	VolumeName string `json:"volumeName,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:optional
	// +rule:format=dns-label
	VolumeNamespace string `json:"volumeNamespace,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +rule:cel="self.name != ''",reason=Required,at=name
	// +rule:cel="self.namespace != ''",reason=Required,at=namespace
	SecretRef *ObjectReference `json:"secretRef,omitempty" protobuf:"bytes,5,opt"`
}

// VolumeNodeAffinity says which nodes can reach a volume.
type VolumeNodeAffinity struct {
	// +rule:required,message="must specify required node constraints"
	// +rule:valid
	Required *NodeSelector `json:"required,omitempty" protobuf:"bytes,1,opt"`
}
