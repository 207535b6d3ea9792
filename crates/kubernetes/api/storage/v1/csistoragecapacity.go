package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// CSIStorageCapacity tells how much storage of a class is left for some nodes.
// +kubebuilder:resource:path=csistoragecapacities
// +rule:wrong:allowInvalidSelectorValues="[oldSelf.nodeTopology]"
type CSIStorageCapacity struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:valid
	// +rule:immutable
	NodeTopology *metav1.LabelSelector `json:"nodeTopology,omitempty" protobuf:"bytes,2,opt"`
	// +validationRule="self == oldSelf",message="field is immutable"
	// +rule:format=dns-subdomain
	StorageClassName string `json:"storageClassName" protobuf:"bytes,3,name=storageClassName"`
	// +optional
	// +rule:cel="!quantity(self).isLessThan(quantity('0'))",message="must be greater than or equal to 0"
	Capacity *resource.Quantity `json:"capacity,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	MaximumVolumeSize *resource.Quantity `json:"maximumVolumeSize,omitempty" protobuf:"bytes,5,opt"`
}
