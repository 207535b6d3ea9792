package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConfigMap holds configuration for others to read.
// +kubebuilder:resource:path=configmaps,shortName=cm
type ConfigMap struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Immutable *bool `json:"immutable,omitempty" protobuf:"varint,4,opt"`
	// +optional
	Data map[string]string `json:"data,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	BinaryData map[string][]byte `json:"binaryData,omitempty" protobuf:"bytes,3,rep"`
}
