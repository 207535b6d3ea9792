package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// CSIStorageCapacity tells how much storage of a class is left for some nodes.
// +kubebuilder:resource:path=csistoragecapacities
type CSIStorageCapacity struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	NodeTopology *metav1.LabelSelector `json:"nodeTopology,omitempty" protobuf:"bytes,2,opt"`
	// +validationRule="self == oldSelf",message="field is immutable"
	StorageClassName string `json:"storageClassName" protobuf:"bytes,3,name=storageClassName"`
	// +optional
	Capacity *resource.Quantity `json:"capacity,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	MaximumVolumeSize *resource.Quantity `json:"maximumVolumeSize,omitempty" protobuf:"bytes,5,opt"`
}
