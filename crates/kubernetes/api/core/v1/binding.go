package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Binding gives an object to a node.
// +kubebuilder:resource:path=bindings
type Binding struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Target ObjectReference `json:"target" protobuf:"bytes,2,opt"`
}
