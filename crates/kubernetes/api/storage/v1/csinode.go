package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:resource:path=csinodes,scope=Cluster
type CSINode struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec CSINodeSpec `json:"spec" protobuf:"bytes,2,opt"`
}

type CSINodeDriver struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	NodeID string `json:"nodeID" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	TopologyKeys []string `json:"topologyKeys" protobuf:"bytes,3,rep"`
	// +optional
	Allocatable *VolumeNodeResources `json:"allocatable,omitempty" protobuf:"bytes,4,opt"`
}

type CSINodeSpec struct {
	// +listType=map
	// +listMapKey=name
	Drivers []CSINodeDriver `json:"drivers" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,1,rep"`
}

type VolumeNodeResources struct {
	// +optional
	Count *int32 `json:"count,omitempty" protobuf:"varint,1,opt"`
}
