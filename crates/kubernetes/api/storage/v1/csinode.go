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
	// +rule:required
	// +rule:maxBytes=63
	// +rule:cel="self.lowerAscii().problems('dns-subdomain').size() == 0",messageExpression="self.lowerAscii().problems('dns-subdomain')"
	Name string `json:"name" protobuf:"bytes,1,opt"`
	// +rule:required
	// +rule:cel="bytes(self).size() <= 256",message="must be 256 characters or less"
	NodeID string `json:"nodeID" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	// +rule:each:cel="self != ''",reason=Required,at=^^
	// +rule:each:format=qualified-name,at=^^
	// +rule:unique="self",at=^^
	TopologyKeys []string `json:"topologyKeys" protobuf:"bytes,3,rep"`
	// +optional
	Allocatable *VolumeNodeResources `json:"allocatable,omitempty" protobuf:"bytes,4,opt"`
}

// CSINodeSpec holds the drivers of a node.
// +rule:let:oldDrivers="oldSelf.drivers"
type CSINodeSpec struct {
	// +listType=map
	// +listMapKey=name
	// +rule:unique="self.name",at=name
	// +rule:each:code=driver-stays
	Drivers []CSINodeDriver `json:"drivers" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,1,rep"`
}

// VolumeNodeResources is how many volumes a node takes.
type VolumeNodeResources struct {
	// +optional
	// +rule:minimum=0
	Count *int32 `json:"count,omitempty" protobuf:"varint,1,opt"`
}
