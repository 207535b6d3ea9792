package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:resource:path=ipaddresses,scope=Cluster,shortName=ip
type IPAddress struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +required
	Spec IPAddressSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
}

type IPAddressSpec struct {
	// +required
	// +k8s:required
	// +k8s:immutable
	ParentRef *ParentReference `json:"parentRef,omitempty" protobuf:"bytes,1,opt"`
}

type ParentReference struct {
	// +optional
	Group string `json:"group,omitempty" protobuf:"bytes,1,opt"`
	// +required
	// +k8s:required
	Resource string `json:"resource,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,3,opt"`
	// +required
	// +k8s:required
	Name string `json:"name,omitempty" protobuf:"bytes,4,opt"`
}
