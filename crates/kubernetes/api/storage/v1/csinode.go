package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CSINode lists the drivers that a node has.
// +kubebuilder:resource:path=csinodes,scope=Cluster
type CSINode struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec CSINodeSpec `json:"spec" protobuf:"bytes,2,opt"`
}

// CSINodeDriver is one driver on a node.
type CSINodeDriver struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	NodeID string `json:"nodeID" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	TopologyKeys []string `json:"topologyKeys" protobuf:"bytes,3,rep"`
	// +optional
	Allocatable *VolumeNodeResources `json:"allocatable,omitempty" protobuf:"bytes,4,opt"`
}

// CSINodeSpec holds the drivers of a node.
type CSINodeSpec struct {
	// +listType=map
	// +listMapKey=name
	Drivers []CSINodeDriver `json:"drivers" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,1,rep"`
}

// VolumeNodeResources is how many volumes a node takes.
type VolumeNodeResources struct {
	// +optional
	Count *int32 `json:"count,omitempty" protobuf:"varint,1,opt"`
}
