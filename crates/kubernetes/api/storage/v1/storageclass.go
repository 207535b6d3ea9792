package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

// StorageClass describes how volumes of one sort are made.
// +kubebuilder:resource:path=storageclasses,scope=Cluster,shortName=sc
type StorageClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +required
	// +k8s:required
	// +k8s:immutable
	// +rule:required
	// +rule:cel="self.lowerAscii().problems('qualified-name').size() == 0",value="self.lowerAscii()",messageExpression="self.lowerAscii().problems('qualified-name')"
	Provisioner string `json:"provisioner" protobuf:"bytes,2,opt"`
	// +optional
	// +k8s:immutable
	// +k8s:optional
	// +rule:cel="self.size() <= 512",reason=TooLong,value="'<value omitted>'",message="may not be more than 512 bytes",ends
	// +rule:cel="!('' in self)",value="''",message="field can not be empty."
	// +rule:cel="self.map(k, bytes(k).size() + bytes(self[k]).size()).sum() <= 262144",reason=TooLong,value="'<value omitted>'",message="may not be more than 262144 bytes"
	Parameters map[string]string `json:"parameters,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +default="Delete"
	// +unpublishedDefault
	// +k8s:immutable
	// +k8s:optional
	// +rule:oneOf=Delete;Retain,when="self != ''"
	ReclaimPolicy *v1.PersistentVolumeReclaimPolicy `json:"reclaimPolicy,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +listType=atomic
	MountOptions []string `json:"mountOptions,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	AllowVolumeExpansion *bool `json:"allowVolumeExpansion,omitempty" protobuf:"varint,6,opt"`
	// +optional
	// +default="Immediate"
	// +unpublishedDefault
	// +k8s:immutable
	// +k8s:optional
	// +rule:oneOf=Immediate;WaitForFirstConsumer
	VolumeBindingMode *VolumeBindingMode `json:"volumeBindingMode,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	// +listType=atomic
	// +rule:code=repeated-topologies
	AllowedTopologies []v1.TopologySelectorTerm `json:"allowedTopologies,omitempty" protobuf:"bytes,8,rep"`
}

// VolumeBindingMode is the moment at which a claim gets its volume.
// +enum
type VolumeBindingMode string

const (
	VolumeBindingModeImmediate VolumeBindingMode = "Immediate"
	VolumeBindingModeWaitForFirstConsumer VolumeBindingMode = "WaitForFirstConsumer"
)
