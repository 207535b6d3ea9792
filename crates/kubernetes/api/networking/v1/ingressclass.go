package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// IngressClass is which controller serves ingresses of the class.
// +kubebuilder:resource:path=ingressclasses,scope=Cluster
type IngressClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec IngressClassSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
}

// IngressClassParametersReference is the object with the parameters of a class.
type IngressClassParametersReference struct {
	// +optional
	APIGroup *string `json:"apiGroup,omitempty" protobuf:"bytes,1,opt"`
	// +required
	// +k8s:required
	Kind string `json:"kind" protobuf:"bytes,2,opt"`
	// +required
	// +k8s:required
	Name string `json:"name" protobuf:"bytes,3,opt"`
	// +default="Cluster"
	// +unpublishedDefault
	// +optional
	Scope *string `json:"scope" protobuf:"bytes,4,opt"`
	// +optional
	Namespace *string `json:"namespace,omitempty" protobuf:"bytes,5,opt"`
}

// IngressClassSpec is controller and parameters of a class.
type IngressClassSpec struct {
	Controller string `json:"controller,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +k8s:optional
	Parameters *IngressClassParametersReference `json:"parameters,omitempty" protobuf:"bytes,2,opt"`
}
