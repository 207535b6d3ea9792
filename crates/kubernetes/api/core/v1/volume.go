package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// Volume is storage that containers of a pod may mount.
type Volume struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	VolumeSource `json:",inline" protobuf:"bytes,2,opt"`
}

// AWSElasticBlockStoreVolumeSource is a disk of AWS.
type AWSElasticBlockStoreVolumeSource struct {
	VolumeID string `json:"volumeID" protobuf:"bytes,1,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Partition int32 `json:"partition,omitempty" protobuf:"varint,3,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,4,opt"`
}

// AzureDiskVolumeSource is a disk of Azure.
type AzureDiskVolumeSource struct {
	DiskName string `json:"diskName" protobuf:"bytes,1,opt"`
	DataDiskURI string `json:"diskURI" protobuf:"bytes,2,opt"`
	// +optional
	// +default="ReadWrite"
	CachingMode *AzureDataDiskCachingMode `json:"cachingMode,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +default="ext4"
	FSType *string `json:"fsType,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +default=false
	ReadOnly *bool `json:"readOnly,omitempty" protobuf:"varint,5,opt"`
	// +default="Shared"
	Kind *AzureDataDiskKind `json:"kind,omitempty" protobuf:"bytes,6,opt"`
}

// AzureFileVolumeSource is a share of Azure.
type AzureFileVolumeSource struct {
	SecretName string `json:"secretName" protobuf:"bytes,1,opt"`
	ShareName string `json:"shareName" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
}

// CSIVolumeSource is a volume that a CSI driver makes for the pod.
type CSIVolumeSource struct {
	Driver string `json:"driver" protobuf:"bytes,1,opt"`
	// +optional
	ReadOnly *bool `json:"readOnly,omitempty" protobuf:"varint,2,opt"`
	// +optional
	FSType *string `json:"fsType,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	VolumeAttributes map[string]string `json:"volumeAttributes,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	NodePublishSecretRef *LocalObjectReference `json:"nodePublishSecretRef,omitempty" protobuf:"bytes,5,opt"`
}

// CephFSVolumeSource is a file system of Ceph.
type CephFSVolumeSource struct {
	// +listType=atomic
	Monitors []string `json:"monitors" protobuf:"bytes,1,rep"`
	// +optional
	Path string `json:"path,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	User string `json:"user,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	SecretFile string `json:"secretFile,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	SecretRef *LocalObjectReference `json:"secretRef,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,6,opt"`
}

// CinderVolumeSource is a volume of OpenStack.
type CinderVolumeSource struct {
	VolumeID string `json:"volumeID" protobuf:"bytes,1,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
	// +optional
	SecretRef *LocalObjectReference `json:"secretRef,omitempty" protobuf:"bytes,4,opt"`
}

// ConfigMapVolumeSource shows entries of a ConfigMap as files.
type ConfigMapVolumeSource struct {
	LocalObjectReference `json:",inline" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	Items []KeyToPath `json:"items,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +default=420
	// +unpublishedDefault
	DefaultMode *int32 `json:"defaultMode,omitempty" protobuf:"varint,3,opt"`
	// +optional
	Optional *bool `json:"optional,omitempty" protobuf:"varint,4,opt"`
}

// DownwardAPIVolumeFile is a file with a field or resource of the pod.
type DownwardAPIVolumeFile struct {
	Path string `json:"path" protobuf:"bytes,1,opt"`
	// +optional
	FieldRef *ObjectFieldSelector `json:"fieldRef,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	ResourceFieldRef *ResourceFieldSelector `json:"resourceFieldRef,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Mode *int32 `json:"mode,omitempty" protobuf:"varint,4,opt"`
}

// DownwardAPIVolumeSource shows parts of the pod as files.
type DownwardAPIVolumeSource struct {
	// +optional
	// +listType=atomic
	Items []DownwardAPIVolumeFile `json:"items,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +default=420
	// +unpublishedDefault
	DefaultMode *int32 `json:"defaultMode,omitempty" protobuf:"varint,2,opt"`
}

// EmptyDirVolumeSource is a directory that lives as long as the pod.
type EmptyDirVolumeSource struct {
	// +optional
	Medium StorageMedium `json:"medium,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	SizeLimit *resource.Quantity `json:"sizeLimit,omitempty" protobuf:"bytes,2,opt"`
}

// EphemeralVolumeSource is a claim that lives as long as the pod.
type EphemeralVolumeSource struct {
	VolumeClaimTemplate *PersistentVolumeClaimTemplate `json:"volumeClaimTemplate,omitempty" protobuf:"bytes,1,opt"`
}

// FCVolumeSource is a Fibre Channel device.
type FCVolumeSource struct {
	// +optional
	// +listType=atomic
	TargetWWNs []string `json:"targetWWNs,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	Lun *int32 `json:"lun,omitempty" protobuf:"varint,2,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +listType=atomic
	WWIDs []string `json:"wwids,omitempty" protobuf:"bytes,5,rep"`
}

// FlexVolumeSource is a volume of an exec plugin.
type FlexVolumeSource struct {
	Driver string `json:"driver" protobuf:"bytes,1,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	SecretRef *LocalObjectReference `json:"secretRef,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,4,opt"`
	// +optional
	Options map[string]string `json:"options,omitempty" protobuf:"bytes,5,rep"`
}

// FlockerVolumeSource is a dataset of Flocker.
type FlockerVolumeSource struct {
	// +optional
	DatasetName string `json:"datasetName,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	DatasetUUID string `json:"datasetUUID,omitempty" protobuf:"bytes,2,opt"`
}

// GitRepoVolumeSource is a checkout of a repository.
type GitRepoVolumeSource struct {
	Repository string `json:"repository" protobuf:"bytes,1,opt"`
	// +optional
	Revision string `json:"revision,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Directory string `json:"directory,omitempty" protobuf:"bytes,3,opt"`
}

// GlusterfsVolumeSource is a volume of Glusterfs.
type GlusterfsVolumeSource struct {
	EndpointsName string `json:"endpoints" protobuf:"bytes,1,opt"`
	Path string `json:"path" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
}

// HostPathVolumeSource is a file or directory of the node.
type HostPathVolumeSource struct {
	Path string `json:"path" protobuf:"bytes,1,opt"`
	// +optional
	// +default=""
	// +unpublishedDefault
	Type *HostPathType `json:"type,omitempty" protobuf:"bytes,2,opt"`
}

// ISCSIVolumeSource is an iSCSI device.
type ISCSIVolumeSource struct {
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
	SecretRef *LocalObjectReference `json:"secretRef,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	InitiatorName *string `json:"initiatorName,omitempty" protobuf:"bytes,12,opt"`
}

// ImageVolumeSource shows the files of an image.
type ImageVolumeSource struct {
	// +optional
	Reference string `json:"reference,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	PullPolicy PullPolicy `json:"pullPolicy,omitempty" protobuf:"bytes,2,opt"`
}

// KeyToPath gives an entry a place as a file.
type KeyToPath struct {
	Key string `json:"key" protobuf:"bytes,1,opt"`
	Path string `json:"path" protobuf:"bytes,2,opt"`
	// +optional
	Mode *int32 `json:"mode,omitempty" protobuf:"varint,3,opt"`
}

// LocalVolumeSource is storage of one node.
type LocalVolumeSource struct {
	Path string `json:"path" protobuf:"bytes,1,opt"`
	// +optional
	FSType *string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
}

// NFSVolumeSource is an export of an NFS server.
type NFSVolumeSource struct {
	Server string `json:"server" protobuf:"bytes,1,opt"`
	Path string `json:"path" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
}

// PortworxVolumeSource is a volume of Portworx.
type PortworxVolumeSource struct {
	VolumeID string `json:"volumeID" protobuf:"bytes,1,opt"`
	FSType string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
}

// ProjectedVolumeSource puts several sources into one directory.
type ProjectedVolumeSource struct {
	// +optional
	// +listType=atomic
	Sources []VolumeProjection `json:"sources" protobuf:"bytes,1,rep"`
	// +optional
	// +default=420
	// +unpublishedDefault
	DefaultMode *int32 `json:"defaultMode,omitempty" protobuf:"varint,2,opt"`
}

// QuobyteVolumeSource is a volume of Quobyte.
type QuobyteVolumeSource struct {
	Registry string `json:"registry" protobuf:"bytes,1,opt"`
	Volume string `json:"volume" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
	// +optional
	User string `json:"user,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Group string `json:"group,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	Tenant string `json:"tenant,omitempty" protobuf:"bytes,6,opt"`
}

// RBDVolumeSource is a block device of Ceph.
type RBDVolumeSource struct {
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
	SecretRef *LocalObjectReference `json:"secretRef,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,8,opt"`
}

// ScaleIOVolumeSource is a volume of ScaleIO.
type ScaleIOVolumeSource struct {
	Gateway string `json:"gateway" protobuf:"bytes,1,opt"`
	System string `json:"system" protobuf:"bytes,2,opt"`
	SecretRef *LocalObjectReference `json:"secretRef" protobuf:"bytes,3,opt"`
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

// SecretVolumeSource shows entries of a Secret as files.
type SecretVolumeSource struct {
	// +optional
	SecretName string `json:"secretName,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	Items []KeyToPath `json:"items,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +default=420
	// +unpublishedDefault
	DefaultMode *int32 `json:"defaultMode,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Optional *bool `json:"optional,omitempty" protobuf:"varint,4,opt"`
}

// StorageOSVolumeSource is a volume of StorageOS.
type StorageOSVolumeSource struct {
	VolumeName string `json:"volumeName,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	VolumeNamespace string `json:"volumeNamespace,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,4,opt"`
	// +optional
	SecretRef *LocalObjectReference `json:"secretRef,omitempty" protobuf:"bytes,5,opt"`
}

// VolumeProjection is one source of a projected volume.
type VolumeProjection struct {
	// +optional
	Secret *SecretProjection `json:"secret,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	DownwardAPI *DownwardAPIProjection `json:"downwardAPI,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	ConfigMap *ConfigMapProjection `json:"configMap,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	ServiceAccountToken *ServiceAccountTokenProjection `json:"serviceAccountToken,omitempty" protobuf:"bytes,4,opt"`
	// +featureGate=ClusterTrustBundleProjection
	// +optional
	ClusterTrustBundle *ClusterTrustBundleProjection `json:"clusterTrustBundle,omitempty" protobuf:"bytes,5,opt"`
	// +featureGate=PodCertificateProjection
	// +optional
	PodCertificate *PodCertificateProjection `json:"podCertificate,omitempty" protobuf:"bytes,6,opt"`
}

// VolumeSource says where the content of a volume comes from.
type VolumeSource struct {
	// +optional
	HostPath *HostPathVolumeSource `json:"hostPath,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	EmptyDir *EmptyDirVolumeSource `json:"emptyDir,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	GCEPersistentDisk *GCEPersistentDiskVolumeSource `json:"gcePersistentDisk,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	AWSElasticBlockStore *AWSElasticBlockStoreVolumeSource `json:"awsElasticBlockStore,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	GitRepo *GitRepoVolumeSource `json:"gitRepo,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	Secret *SecretVolumeSource `json:"secret,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	NFS *NFSVolumeSource `json:"nfs,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	ISCSI *ISCSIVolumeSource `json:"iscsi,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	Glusterfs *GlusterfsVolumeSource `json:"glusterfs,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	PersistentVolumeClaim *PersistentVolumeClaimVolumeSource `json:"persistentVolumeClaim,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	RBD *RBDVolumeSource `json:"rbd,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	FlexVolume *FlexVolumeSource `json:"flexVolume,omitempty" protobuf:"bytes,12,opt"`
	// +optional
	Cinder *CinderVolumeSource `json:"cinder,omitempty" protobuf:"bytes,13,opt"`
	// +optional
	CephFS *CephFSVolumeSource `json:"cephfs,omitempty" protobuf:"bytes,14,opt"`
	// +optional
	Flocker *FlockerVolumeSource `json:"flocker,omitempty" protobuf:"bytes,15,opt"`
	// +optional
	DownwardAPI *DownwardAPIVolumeSource `json:"downwardAPI,omitempty" protobuf:"bytes,16,opt"`
	// +optional
	FC *FCVolumeSource `json:"fc,omitempty" protobuf:"bytes,17,opt"`
	// +optional
	AzureFile *AzureFileVolumeSource `json:"azureFile,omitempty" protobuf:"bytes,18,opt"`
	// +optional
	ConfigMap *ConfigMapVolumeSource `json:"configMap,omitempty" protobuf:"bytes,19,opt"`
	// +optional
	VsphereVolume *VsphereVirtualDiskVolumeSource `json:"vsphereVolume,omitempty" protobuf:"bytes,20,opt"`
	// +optional
	Quobyte *QuobyteVolumeSource `json:"quobyte,omitempty" protobuf:"bytes,21,opt"`
	// +optional
	AzureDisk *AzureDiskVolumeSource `json:"azureDisk,omitempty" protobuf:"bytes,22,opt"`
	PhotonPersistentDisk *PhotonPersistentDiskVolumeSource `json:"photonPersistentDisk,omitempty" protobuf:"bytes,23,opt"`
	Projected *ProjectedVolumeSource `json:"projected,omitempty" protobuf:"bytes,26,opt"`
	// +optional
	PortworxVolume *PortworxVolumeSource `json:"portworxVolume,omitempty" protobuf:"bytes,24,opt"`
	// +optional
	ScaleIO *ScaleIOVolumeSource `json:"scaleIO,omitempty" protobuf:"bytes,25,opt"`
	// +optional
	StorageOS *StorageOSVolumeSource `json:"storageos,omitempty" protobuf:"bytes,27,opt"`
	// +optional
	CSI *CSIVolumeSource `json:"csi,omitempty" protobuf:"bytes,28,opt"`
	// +optional
	Ephemeral *EphemeralVolumeSource `json:"ephemeral,omitempty" protobuf:"bytes,29,opt"`
	// +optional
	Image *ImageVolumeSource `json:"image,omitempty" protobuf:"bytes,30,opt"`
}

// VsphereVirtualDiskVolumeSource is a disk of vSphere.
type VsphereVirtualDiskVolumeSource struct {
	VolumePath string `json:"volumePath" protobuf:"bytes,1,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	StoragePolicyName string `json:"storagePolicyName,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	StoragePolicyID string `json:"storagePolicyID,omitempty" protobuf:"bytes,4,opt"`
}
