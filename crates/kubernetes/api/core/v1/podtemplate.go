package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PodTemplate keeps a template of pods.
// +kubebuilder:resource:path=podtemplates
type PodTemplate struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Template PodTemplateSpec `json:"template,omitempty" protobuf:"bytes,2,opt"`
}

// PodTemplateSpec is the metadata and spec that pods are made with.
type PodTemplateSpec struct {
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec PodSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
}
