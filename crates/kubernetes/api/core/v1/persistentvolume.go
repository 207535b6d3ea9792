package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PersistentVolume is a piece of storage and who has it.
// +kubebuilder:resource:path=persistentvolumes,scope=Cluster,shortName=pv
type PersistentVolume struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec PersistentVolumeSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status PersistentVolumeStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// AzureFilePersistentVolumeSource is a file share of Azure.
type AzureFilePersistentVolumeSource struct {
	SecretName string `json:"secretName" protobuf:"bytes,1,opt"`
	ShareName string `json:"shareName" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
	// +optional
	SecretNamespace *string `json:"secretNamespace" protobuf:"bytes,4,opt"`
}

// CSIPersistentVolumeSource is storage that a CSI driver brings.
type CSIPersistentVolumeSource struct {
	Driver string `json:"driver" protobuf:"bytes,1,opt"`
	VolumeHandle string `json:"volumeHandle" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	VolumeAttributes map[string]string `json:"volumeAttributes,omitempty" protobuf:"bytes,5,rep"`
	// +optional
	ControllerPublishSecretRef *SecretReference `json:"controllerPublishSecretRef,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	NodeStageSecretRef *SecretReference `json:"nodeStageSecretRef,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	NodePublishSecretRef *SecretReference `json:"nodePublishSecretRef,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	ControllerExpandSecretRef *SecretReference `json:"controllerExpandSecretRef,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	NodeExpandSecretRef *SecretReference `json:"nodeExpandSecretRef,omitempty" protobuf:"bytes,10,opt"`
}

// CephFSPersistentVolumeSource is a file system of Ceph.
type CephFSPersistentVolumeSource struct {
	// +listType=atomic
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
	VolumeID string `json:"volumeID" protobuf:"bytes,1,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
	// +optional
	SecretRef *SecretReference `json:"secretRef,omitempty" protobuf:"bytes,4,opt"`
}

// FlexPersistentVolumeSource is storage that a program on the node brings.
type FlexPersistentVolumeSource struct {
	Driver string `json:"driver" protobuf:"bytes,1,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	SecretRef *SecretReference `json:"secretRef,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,4,opt"`
	// +optional
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
	EndpointsName string `json:"endpoints" protobuf:"bytes,1,opt"`
	Path string `json:"path" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
	// +optional
	EndpointsNamespace *string `json:"endpointsNamespace,omitempty" protobuf:"bytes,4,opt"`
}

// ISCSIPersistentVolumeSource is a disk behind iSCSI.
type ISCSIPersistentVolumeSource struct {
	TargetPortal string `json:"targetPortal" protobuf:"bytes,1,opt"`
	IQN string `json:"iqn" protobuf:"bytes,2,opt"`
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
	SecretRef *SecretReference `json:"secretRef,omitempty" protobuf:"bytes,10,opt"`
	// +optional
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
type PersistentVolumeSource struct {
	// +optional
	GCEPersistentDisk *GCEPersistentDiskVolumeSource `json:"gcePersistentDisk,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	AWSElasticBlockStore *AWSElasticBlockStoreVolumeSource `json:"awsElasticBlockStore,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	HostPath *HostPathVolumeSource `json:"hostPath,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Glusterfs *GlusterfsPersistentVolumeSource `json:"glusterfs,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	NFS *NFSVolumeSource `json:"nfs,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	RBD *RBDPersistentVolumeSource `json:"rbd,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	ISCSI *ISCSIPersistentVolumeSource `json:"iscsi,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	Cinder *CinderPersistentVolumeSource `json:"cinder,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	CephFS *CephFSPersistentVolumeSource `json:"cephfs,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	FC *FCVolumeSource `json:"fc,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	Flocker *FlockerVolumeSource `json:"flocker,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	FlexVolume *FlexPersistentVolumeSource `json:"flexVolume,omitempty" protobuf:"bytes,12,opt"`
	// +optional
	AzureFile *AzureFilePersistentVolumeSource `json:"azureFile,omitempty" protobuf:"bytes,13,opt"`
	// +optional
	VsphereVolume *VsphereVirtualDiskVolumeSource `json:"vsphereVolume,omitempty" protobuf:"bytes,14,opt"`
	// +optional
	Quobyte *QuobyteVolumeSource `json:"quobyte,omitempty" protobuf:"bytes,15,opt"`
	// +optional
	AzureDisk *AzureDiskVolumeSource `json:"azureDisk,omitempty" protobuf:"bytes,16,opt"`
	PhotonPersistentDisk *PhotonPersistentDiskVolumeSource `json:"photonPersistentDisk,omitempty" protobuf:"bytes,17,opt"`
	// +optional
	PortworxVolume *PortworxVolumeSource `json:"portworxVolume,omitempty" protobuf:"bytes,18,opt"`
	// +optional
	ScaleIO *ScaleIOPersistentVolumeSource `json:"scaleIO,omitempty" protobuf:"bytes,19,opt"`
	// +optional
	Local *LocalVolumeSource `json:"local,omitempty" protobuf:"bytes,20,opt"`
	// +optional
	StorageOS *StorageOSPersistentVolumeSource `json:"storageos,omitempty" protobuf:"bytes,21,opt"`
	// +optional
	CSI *CSIPersistentVolumeSource `json:"csi,omitempty" protobuf:"bytes,22,opt"`
}

// PersistentVolumeSpec describes a volume.
type PersistentVolumeSpec struct {
	// +optional
	Capacity ResourceList `json:"capacity,omitempty" protobuf:"bytes,1,rep"`
	PersistentVolumeSource `json:",inline" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	AccessModes []PersistentVolumeAccessMode `json:"accessModes,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +structType=granular
	ClaimRef *ObjectReference `json:"claimRef,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	PersistentVolumeReclaimPolicy PersistentVolumeReclaimPolicy `json:"persistentVolumeReclaimPolicy,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	StorageClassName string `json:"storageClassName,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +listType=atomic
	MountOptions []string `json:"mountOptions,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	VolumeMode *PersistentVolumeMode `json:"volumeMode,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	NodeAffinity *VolumeNodeAffinity `json:"nodeAffinity,omitempty" protobuf:"bytes,9,opt"`
	// +featureGate=VolumeAttributesClass
	// +optional
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
	CephMonitors []string `json:"monitors" protobuf:"bytes,1,rep"`
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
	Gateway string `json:"gateway" protobuf:"bytes,1,opt"`
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
	VolumeName string `json:"volumeName,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	// +default="xfs"
	FSType string `json:"fsType,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,10,opt"`
}

// StorageOSPersistentVolumeSource is a volume of StorageOS.
type StorageOSPersistentVolumeSource struct {
	VolumeName string `json:"volumeName,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	VolumeNamespace string `json:"volumeNamespace,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,4,opt"`
	// +optional
	SecretRef *ObjectReference `json:"secretRef,omitempty" protobuf:"bytes,5,opt"`
}

// VolumeNodeAffinity says which nodes can reach a volume.
type VolumeNodeAffinity struct {
	Required *NodeSelector `json:"required,omitempty" protobuf:"bytes,1,opt"`
}
