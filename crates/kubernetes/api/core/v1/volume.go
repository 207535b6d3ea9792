package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// Volume is storage that containers of a pod may mount.
// +rule:let:ownClaim="podName + '-' + self.name"
// +rule:cel="podName == '' || !has(self.persistentVolumeClaim) || !pod.volumes.exists(v, has(v.ephemeral) && podName + '-' + v.name == self.persistentVolumeClaim.claimName)",at=persistentVolumeClaim.claimName,value="self.persistentVolumeClaim.claimName",message="must not reference a PVC that gets created for an ephemeral volume"
// +rule:cel="podName == '' || !has(self.ephemeral) || self.name == '' || ownClaim.problems('dns-subdomain').size() == 0",at=name,value="self.name",messageExpression="ownClaim.problems('dns-subdomain').map(p, 'PVC name ' + strings.quote(ownClaim) + ': ' + p)"
// +rule:cel="!has(self.iscsi.initiatorName) || bytes(self.name + ':' + self.iscsi.targetPortal).size() <= 64",at=name,value="self.name",message="Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified."
type Volume struct {
	// +rule:required
	// +rule:format=dns-label
	Name string `json:"name" protobuf:"bytes,1,opt"`
	VolumeSource `json:",inline" protobuf:"bytes,2,opt"`
}

// AWSElasticBlockStoreVolumeSource is a disk of AWS.
// +rule:shared
type AWSElasticBlockStoreVolumeSource struct {
	// +rule:required
	VolumeID string `json:"volumeID" protobuf:"bytes,1,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:cel="self >= 0 && self <= 255",message="must be between 1 and 255, inclusive"
	Partition int32 `json:"partition,omitempty" protobuf:"varint,3,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,4,opt"`
}

// AzureDiskVolumeSource is a disk of Azure.
// +rule:shared
type AzureDiskVolumeSource struct {
	// +rule:required
	DiskName string `json:"diskName" protobuf:"bytes,1,opt"`
	// +rule:required,continues
	// +rule:cel="!has(parent.kind) || parent.kind != 'Managed' || self.startsWith('/subscriptions/')",reason=NotSupported,message="supported values: \"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}\""
	// +rule:cel="!has(parent.kind) || parent.kind == 'Managed' || self.startsWith('https://')",reason=NotSupported,message="supported values: \"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd\""
	DataDiskURI string `json:"diskURI" protobuf:"bytes,2,opt"`
	// +optional
	// +default="ReadWrite"
	// +rule:oneOf=None;ReadOnly;ReadWrite
	CachingMode *AzureDataDiskCachingMode `json:"cachingMode,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +default="ext4"
	FSType *string `json:"fsType,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +default=false
	ReadOnly *bool `json:"readOnly,omitempty" protobuf:"varint,5,opt"`
	// +default="Shared"
	// +rule:oneOf=Dedicated;Managed;Shared
	Kind *AzureDataDiskKind `json:"kind,omitempty" protobuf:"bytes,6,opt"`
}

// AzureFileVolumeSource is a share of Azure.
type AzureFileVolumeSource struct {
	// +rule:required
	SecretName string `json:"secretName" protobuf:"bytes,1,opt"`
	// +rule:required
	ShareName string `json:"shareName" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
}

// CSIVolumeSource is a volume that a CSI driver makes for the pod.
type CSIVolumeSource struct {
	// +rule:required
	// +rule:maxBytes=63
	// +rule:cel="self.lowerAscii().problems('dns-subdomain').size() == 0",messageExpression="self.lowerAscii().problems('dns-subdomain')"
	Driver string `json:"driver" protobuf:"bytes,1,opt"`
	// +optional
	ReadOnly *bool `json:"readOnly,omitempty" protobuf:"varint,2,opt"`
	// +optional
	FSType *string `json:"fsType,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	VolumeAttributes map[string]string `json:"volumeAttributes,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	// +rule:cel="self.name != ''",reason=Required,at=name
	// +rule:cel="self.name == '' || self.name.problems('dns-subdomain').size() == 0",at=^.name,value="self.name",messageExpression="self.name.problems('dns-subdomain')"
	NodePublishSecretRef *LocalObjectReference `json:"nodePublishSecretRef,omitempty" protobuf:"bytes,5,opt"`
}

// CephFSVolumeSource is a file system of Ceph.
type CephFSVolumeSource struct {
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
	SecretRef *LocalObjectReference `json:"secretRef,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,6,opt"`
}

// CinderVolumeSource is a volume of OpenStack.
type CinderVolumeSource struct {
	// +rule:required
	VolumeID string `json:"volumeID" protobuf:"bytes,1,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
	// +optional
	// +rule:cel="self.name != ''",reason=Required,at=name
	SecretRef *LocalObjectReference `json:"secretRef,omitempty" protobuf:"bytes,4,opt"`
}

// ConfigMapVolumeSource shows entries of a ConfigMap as files.
// +rule:cel="self.name != ''",reason=Required,at=name
type ConfigMapVolumeSource struct {
	LocalObjectReference `json:",inline" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	Items []KeyToPath `json:"items,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +default=420
	// +unpublishedDefault
	// +rule:cel="self >= 0 && self <= 511",message="must be a number between 0 and 0777 (octal), both inclusive"
	DefaultMode *int32 `json:"defaultMode,omitempty" protobuf:"varint,3,opt"`
	// +optional
	Optional *bool `json:"optional,omitempty" protobuf:"varint,4,opt"`
}

// DownwardAPIVolumeFile is a file with a field or resource of the pod.
// +rule:cel="!(has(self.fieldRef) && has(self.resourceFieldRef))",value="'resource'",message="fieldRef and resourceFieldRef can not be specified simultaneously"
// +rule:cel="has(self.fieldRef) || has(self.resourceFieldRef)",reason=Required,message="one of fieldRef and resourceFieldRef is required"
type DownwardAPIVolumeFile struct {
	// +rule:required,continues
	// +rule:format=unreserved-path
	Path string `json:"path" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:let:inFile="true"
	FieldRef *ObjectFieldSelector `json:"fieldRef,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:let:inFile="true"
	// +rule:skip,when="has(parent.fieldRef)"
	ResourceFieldRef *ResourceFieldSelector `json:"resourceFieldRef,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:cel="self >= 0 && self <= 511",message="must be a number between 0 and 0777 (octal), both inclusive"
	Mode *int32 `json:"mode,omitempty" protobuf:"varint,4,opt"`
}

// DownwardAPIVolumeSource shows parts of the pod as files.
type DownwardAPIVolumeSource struct {
	// +optional
	// +listType=atomic
	// +rule:path=.
	Items []DownwardAPIVolumeFile `json:"items,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +default=420
	// +unpublishedDefault
	// +rule:cel="self >= 0 && self <= 511",message="must be a number between 0 and 0777 (octal), both inclusive"
	DefaultMode *int32 `json:"defaultMode,omitempty" protobuf:"varint,2,opt"`
}

// EmptyDirVolumeSource is a directory that lives as long as the pod.
type EmptyDirVolumeSource struct {
	// +optional
	Medium StorageMedium `json:"medium,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:cel="!quantity(self).isLessThan(quantity('0'))",reason=Forbidden,message="SizeLimit field must be a valid resource quantity"
	SizeLimit *resource.Quantity `json:"sizeLimit,omitempty" protobuf:"bytes,2,opt"`
}

// EphemeralVolumeSource is a claim that lives as long as the pod.
type EphemeralVolumeSource struct {
	// +rule:required
	// +rule:code=claim-template
	VolumeClaimTemplate *PersistentVolumeClaimTemplate `json:"volumeClaimTemplate,omitempty" protobuf:"bytes,1,opt"`
}

// FCVolumeSource is a Fibre Channel device.
// +rule:shared
type FCVolumeSource struct {
	// +optional
	// +listType=atomic
	// +rule:cel="self.size() > 0 || parent.wwids.size() > 0",reason=Required,message="must specify either targetWWNs or wwids, but not both"
	// +rule:cel="self.size() == 0 || parent.wwids.size() == 0",message="targetWWNs and wwids can not be specified simultaneously"
	TargetWWNs []string `json:"targetWWNs,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +rule:required,when="parent.targetWWNs.size() > 0",message="lun is required if targetWWNs is specified"
	// +rule:range=0..255,when="parent.targetWWNs.size() > 0"
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
	// +rule:required
	Driver string `json:"driver" protobuf:"bytes,1,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	SecretRef *LocalObjectReference `json:"secretRef,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +rule:keys:cel="!('.' + self.split('/')[0].lowerAscii()).matches('[.](kubernetes|k8s)[.]io$')",message="kubernetes.io and k8s.io namespaces are reserved"
	Options map[string]string `json:"options,omitempty" protobuf:"bytes,5,rep"`
}

// FlockerVolumeSource is a dataset of Flocker.
// +rule:shared
// +rule:cel="self.datasetName != '' || self.datasetUUID != ''",reason=Required,message="one of datasetName and datasetUUID is required"
// +rule:cel="self.datasetName == '' || self.datasetUUID == ''",value="'resource'",message="datasetName and datasetUUID can not be specified simultaneously"
type FlockerVolumeSource struct {
	// +optional
	// +rule:cel="!self.contains('/')",message="must not contain '/'"
	DatasetName string `json:"datasetName,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	DatasetUUID string `json:"datasetUUID,omitempty" protobuf:"bytes,2,opt"`
}

// GitRepoVolumeSource is a checkout of a repository.
type GitRepoVolumeSource struct {
	// +rule:required
	Repository string `json:"repository" protobuf:"bytes,1,opt"`
	// +optional
	Revision string `json:"revision,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:format=descending-path
	Directory string `json:"directory,omitempty" protobuf:"bytes,3,opt"`
}

// GlusterfsVolumeSource is a volume of Glusterfs.
type GlusterfsVolumeSource struct {
	// +rule:required
	EndpointsName string `json:"endpoints" protobuf:"bytes,1,opt"`
	// +rule:required
	Path string `json:"path" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
}

// HostPathVolumeSource is a file or directory of the node.
// +rule:shared
type HostPathVolumeSource struct {
	// +rule:required
	// +rule:format=path-without-backsteps
	Path string `json:"path" protobuf:"bytes,1,opt"`
	// +optional
	// +default=""
	// +unpublishedDefault
	// +rule:skip,when="parent.path == ''"
	// +rule:oneOf=;BlockDevice;CharDevice;Directory;DirectoryOrCreate;File;FileOrCreate;Socket
	Type *HostPathType `json:"type,omitempty" protobuf:"bytes,2,opt"`
}

// ISCSIVolumeSource is an iSCSI device.
type ISCSIVolumeSource struct {
	// +rule:required
	TargetPortal string `json:"targetPortal" protobuf:"bytes,1,opt"`
	// +rule:required
	// +rule:format=iscsi-name
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
	SecretRef *LocalObjectReference `json:"secretRef,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	// +rule:path=initiatorname
	// +rule:format=iscsi-name
	InitiatorName *string `json:"initiatorName,omitempty" protobuf:"bytes,12,opt"`
}

// ImageVolumeSource shows the files of an image.
type ImageVolumeSource struct {
	// +optional
	// +rule:required,when="kind == 'Pod'"
	Reference string `json:"reference,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	PullPolicy PullPolicy `json:"pullPolicy,omitempty" protobuf:"bytes,2,opt"`
}

// KeyToPath gives an entry a place as a file.
type KeyToPath struct {
	// +rule:required
	Key string `json:"key" protobuf:"bytes,1,opt"`
	// +rule:required,continues
	// +rule:format=unreserved-path
	Path string `json:"path" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:cel="self >= 0 && self <= 511",message="must be a number between 0 and 0777 (octal), both inclusive"
	Mode *int32 `json:"mode,omitempty" protobuf:"varint,3,opt"`
}

// LocalVolumeSource is storage of one node.
type LocalVolumeSource struct {
	// +rule:required
	// +rule:format=path-without-backsteps
	Path string `json:"path" protobuf:"bytes,1,opt"`
	// +optional
	FSType *string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
}

// NFSVolumeSource is an export of an NFS server.
// +rule:shared
type NFSVolumeSource struct {
	// +rule:required
	Server string `json:"server" protobuf:"bytes,1,opt"`
	// +rule:required,continues
	// +rule:cel="self.startsWith('/')",message="must be an absolute path"
	Path string `json:"path" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
}

// PortworxVolumeSource is a volume of Portworx.
// +rule:shared
type PortworxVolumeSource struct {
	// +rule:required
	VolumeID string `json:"volumeID" protobuf:"bytes,1,opt"`
	FSType string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
}

// ProjectedVolumeSource puts several sources into one directory.
type ProjectedVolumeSource struct {
	// +optional
	// +listType=atomic
	// +rule:code=projected-paths
	Sources []VolumeProjection `json:"sources" protobuf:"bytes,1,rep"`
	// +optional
	// +default=420
	// +unpublishedDefault
	// +rule:cel="self >= 0 && self <= 511",message="must be a number between 0 and 0777 (octal), both inclusive"
	DefaultMode *int32 `json:"defaultMode,omitempty" protobuf:"varint,2,opt"`
}

// QuobyteVolumeSource is a volume of Quobyte.
// +rule:shared
type QuobyteVolumeSource struct {
	// +rule:required,message="must be a host:port pair or multiple pairs separated by commas"
	// +rule:skip,when="bytes(parent.tenant).size() >= 65"
	// +rule:cel="!self.split(',').exists(p, !p.matches('^(\\\\[[^\\\\[\\\\]]*\\\\]|[^:\\\\[\\\\]]*):[^:\\\\[\\\\]]*$'))",messageExpression="self.split(',').filter(p, !p.matches('^(\\\\[[^\\\\[\\\\]]*\\\\]|[^:\\\\[\\\\]]*):[^:\\\\[\\\\]]*$')).map(p, 'must be a host:port pair or multiple pairs separated by commas')"
	Registry string `json:"registry" protobuf:"bytes,1,opt"`
	// +rule:required
	Volume string `json:"volume" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
	// +optional
	User string `json:"user,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Group string `json:"group,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +rule:cel="parent.registry == '' || bytes(self).size() < 65",reason=Required,message="must be a UUID and may not exceed a length of 64 characters"
	Tenant string `json:"tenant,omitempty" protobuf:"bytes,6,opt"`
}

// RBDVolumeSource is a block device of Ceph.
type RBDVolumeSource struct {
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
	SecretRef *LocalObjectReference `json:"secretRef,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,8,opt"`
}

// ScaleIOVolumeSource is a volume of ScaleIO.
type ScaleIOVolumeSource struct {
	// +rule:required
	Gateway string `json:"gateway" protobuf:"bytes,1,opt"`
	// +rule:required
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
	// +rule:required
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
	// +rule:required
	SecretName string `json:"secretName,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	Items []KeyToPath `json:"items,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +default=420
	// +unpublishedDefault
	// +rule:cel="self >= 0 && self <= 511",message="must be a number between 0 and 0777 (octal), both inclusive"
	DefaultMode *int32 `json:"defaultMode,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Optional *bool `json:"optional,omitempty" protobuf:"varint,4,opt"`
}

// StorageOSVolumeSource is a volume of StorageOS.
type StorageOSVolumeSource struct {
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
	SecretRef *LocalObjectReference `json:"secretRef,omitempty" protobuf:"bytes,5,opt"`
}

// VolumeProjection is one source of a projected volume.
// +rule:cel="(!has(self.secret) || (!has(self.configMap) && !has(self.downwardAPI) && !has(self.serviceAccountToken) && !has(self.clusterTrustBundle) && !has(self.podCertificate))) && (!has(self.configMap) || (!has(self.downwardAPI) && !has(self.serviceAccountToken) && !has(self.clusterTrustBundle) && !has(self.podCertificate))) && (!has(self.downwardAPI) || (!has(self.serviceAccountToken) && !has(self.clusterTrustBundle) && !has(self.podCertificate))) && (!has(self.serviceAccountToken) || (!has(self.clusterTrustBundle) && !has(self.podCertificate))) && (!has(self.clusterTrustBundle) || !has(self.podCertificate))",reason=Forbidden,message="may not specify more than 1 volume type per source"
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
// +rule:let:firstSource="has(self.emptyDir) ? 'emptyDir' : has(self.hostPath) ? 'hostPath' : has(self.gitRepo) ? 'gitRepo' : has(self.gcePersistentDisk) ? 'gcePersistentDisk' : has(self.awsElasticBlockStore) ? 'awsElasticBlockStore' : has(self.secret) ? 'secret' : has(self.nfs) ? 'nfs' : has(self.iscsi) ? 'iscsi' : has(self.glusterfs) ? 'glusterfs' : has(self.flocker) ? 'flocker' : has(self.persistentVolumeClaim) ? 'persistentVolumeClaim' : has(self.rbd) ? 'rbd' : has(self.cinder) ? 'cinder' : has(self.cephfs) ? 'cephfs' : has(self.quobyte) ? 'quobyte' : has(self.downwardAPI) ? 'downwardAPI' : has(self.fc) ? 'fc' : has(self.flexVolume) ? 'flexVolume' : has(self.configMap) ? 'configMap' : has(self.azureFile) ? 'azureFile' : has(self.vsphereVolume) ? 'vsphereVolume' : has(self.photonPersistentDisk) ? 'photonPersistentDisk' : has(self.portworxVolume) ? 'portworxVolume' : has(self.azureDisk) ? 'azureDisk' : has(self.storageos) ? 'storageos' : has(self.projected) ? 'projected' : has(self.scaleIO) ? 'scaleIO' : has(self.csi) ? 'csi' : has(self.ephemeral) ? 'ephemeral' : has(self.image) ? 'image' : ''"
// +rule:cel="firstSource != ''",reason=Required,message="must specify a volume type"
type VolumeSource struct {
	// +optional
	// +rule:forbidden,when="firstSource != 'hostPath'",message="may not specify more than 1 volume type"
	// +rule:valid
	HostPath *HostPathVolumeSource `json:"hostPath,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	EmptyDir *EmptyDirVolumeSource `json:"emptyDir,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:path=persistentDisk
	// +rule:forbidden,when="firstSource != 'gcePersistentDisk'",at=^.gcePersistentDisk,message="may not specify more than 1 volume type"
	// +rule:valid
	GCEPersistentDisk *GCEPersistentDiskVolumeSource `json:"gcePersistentDisk,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'awsElasticBlockStore'",message="may not specify more than 1 volume type"
	// +rule:valid
	AWSElasticBlockStore *AWSElasticBlockStoreVolumeSource `json:"awsElasticBlockStore,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'gitRepo'",message="may not specify more than 1 volume type"
	GitRepo *GitRepoVolumeSource `json:"gitRepo,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'secret'",message="may not specify more than 1 volume type"
	Secret *SecretVolumeSource `json:"secret,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'nfs'",message="may not specify more than 1 volume type"
	// +rule:valid
	NFS *NFSVolumeSource `json:"nfs,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'iscsi'",message="may not specify more than 1 volume type"
	ISCSI *ISCSIVolumeSource `json:"iscsi,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'glusterfs'",message="may not specify more than 1 volume type"
	Glusterfs *GlusterfsVolumeSource `json:"glusterfs,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'persistentVolumeClaim'",message="may not specify more than 1 volume type"
	PersistentVolumeClaim *PersistentVolumeClaimVolumeSource `json:"persistentVolumeClaim,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'rbd'",message="may not specify more than 1 volume type"
	RBD *RBDVolumeSource `json:"rbd,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'flexVolume'",message="may not specify more than 1 volume type"
	FlexVolume *FlexVolumeSource `json:"flexVolume,omitempty" protobuf:"bytes,12,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'cinder'",message="may not specify more than 1 volume type"
	Cinder *CinderVolumeSource `json:"cinder,omitempty" protobuf:"bytes,13,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'cephfs'",at=^.cephFS,message="may not specify more than 1 volume type"
	CephFS *CephFSVolumeSource `json:"cephfs,omitempty" protobuf:"bytes,14,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'flocker'",message="may not specify more than 1 volume type"
	// +rule:valid
	Flocker *FlockerVolumeSource `json:"flocker,omitempty" protobuf:"bytes,15,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'downwardAPI'",at=^.downwarAPI,message="may not specify more than 1 volume type"
	DownwardAPI *DownwardAPIVolumeSource `json:"downwardAPI,omitempty" protobuf:"bytes,16,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'fc'",message="may not specify more than 1 volume type"
	// +rule:valid
	FC *FCVolumeSource `json:"fc,omitempty" protobuf:"bytes,17,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'azureFile'",message="may not specify more than 1 volume type"
	AzureFile *AzureFileVolumeSource `json:"azureFile,omitempty" protobuf:"bytes,18,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'configMap'",message="may not specify more than 1 volume type"
	ConfigMap *ConfigMapVolumeSource `json:"configMap,omitempty" protobuf:"bytes,19,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'vsphereVolume'",message="may not specify more than 1 volume type"
	// +rule:valid
	VsphereVolume *VsphereVirtualDiskVolumeSource `json:"vsphereVolume,omitempty" protobuf:"bytes,20,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'quobyte'",message="may not specify more than 1 volume type"
	// +rule:valid
	Quobyte *QuobyteVolumeSource `json:"quobyte,omitempty" protobuf:"bytes,21,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'azureDisk'",message="may not specify more than 1 volume type"
	// +rule:valid
	AzureDisk *AzureDiskVolumeSource `json:"azureDisk,omitempty" protobuf:"bytes,22,opt"`
	// +rule:forbidden,when="firstSource != 'photonPersistentDisk'",message="may not specify more than 1 volume type"
	// +rule:valid
	PhotonPersistentDisk *PhotonPersistentDiskVolumeSource `json:"photonPersistentDisk,omitempty" protobuf:"bytes,23,opt"`
	// +rule:forbidden,when="firstSource != 'projected'",message="may not specify more than 1 volume type"
	Projected *ProjectedVolumeSource `json:"projected,omitempty" protobuf:"bytes,26,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'portworxVolume'",message="may not specify more than 1 volume type"
	// +rule:valid
	PortworxVolume *PortworxVolumeSource `json:"portworxVolume,omitempty" protobuf:"bytes,24,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'scaleIO'",message="may not specify more than 1 volume type"
	ScaleIO *ScaleIOVolumeSource `json:"scaleIO,omitempty" protobuf:"bytes,25,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'storageos'",message="may not specify more than 1 volume type"
	StorageOS *StorageOSVolumeSource `json:"storageos,omitempty" protobuf:"bytes,27,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'csi'",message="may not specify more than 1 volume type"
	CSI *CSIVolumeSource `json:"csi,omitempty" protobuf:"bytes,28,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'ephemeral'",message="may not specify more than 1 volume type"
	Ephemeral *EphemeralVolumeSource `json:"ephemeral,omitempty" protobuf:"bytes,29,opt"`
	// +optional
	// +rule:forbidden,when="firstSource != 'image'",message="may not specify more than 1 volume type"
	Image *ImageVolumeSource `json:"image,omitempty" protobuf:"bytes,30,opt"`
}

// VsphereVirtualDiskVolumeSource is a disk of vSphere.
// +rule:shared
type VsphereVirtualDiskVolumeSource struct {
	// +rule:required
	VolumePath string `json:"volumePath" protobuf:"bytes,1,opt"`
	// +optional
	FSType string `json:"fsType,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	StoragePolicyName string `json:"storagePolicyName,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	StoragePolicyID string `json:"storagePolicyID,omitempty" protobuf:"bytes,4,opt"`
}
