package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// RoleBinding gives a role to somebody in a namespace.
// +kubebuilder:resource:path=rolebindings
type RoleBinding struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	Subjects []Subject `json:"subjects,omitempty" protobuf:"bytes,2,rep"`
	// +required
	RoleRef RoleRef `json:"roleRef" protobuf:"bytes,3,opt"`
}

// RoleRef names the role that is given.
// +structType=atomic
type RoleRef struct {
	// +optional
	APIGroup string `json:"apiGroup" protobuf:"bytes,1,opt"`
	// +required
	Kind string `json:"kind" protobuf:"bytes,2,opt"`
	// +required
	Name string `json:"name" protobuf:"bytes,3,opt"`
}

// Subject names who gets it.
// +structType=atomic
type Subject struct {
	// +required
	Kind string `json:"kind" protobuf:"bytes,1,opt"`
	// +optional
	APIGroup string `json:"apiGroup,omitempty" protobuf:"bytes,2,opt"`
	// +required
	Name string `json:"name" protobuf:"bytes,3,opt"`
	// +optional
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,4,opt"`
}
