package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Eviction asks for a pod to go, unless a budget forbids it.
type Eviction struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	DeleteOptions *metav1.DeleteOptions `json:"deleteOptions,omitempty" protobuf:"bytes,2,opt"`
}
