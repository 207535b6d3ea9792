package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// IPAddress is an address that an object of the cluster has.
// +kubebuilder:resource:path=ipaddresses,scope=Cluster,shortName=ip
type IPAddress struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +required
	Spec IPAddressSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
}

// IPAddressSpec is who has the address.
type IPAddressSpec struct {
	// +required
	// +k8s:required
	// +k8s:immutable
	ParentRef *ParentReference `json:"parentRef,omitempty" protobuf:"bytes,1,opt"`
}

// ParentReference is the object that has the address.
type ParentReference struct {
	// +optional
	// +rule:optional
	// +rule:format=dns-subdomain
	Group string `json:"group,omitempty" protobuf:"bytes,1,opt"`
	// +required
	// +k8s:required
	// +rule:required
	// +rule:format=path-segment-name
	Resource string `json:"resource,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:format=path-segment-name
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,3,opt"`
	// +required
	// +k8s:required
	// +rule:required
	// +rule:format=path-segment-name
	Name string `json:"name,omitempty" protobuf:"bytes,4,opt"`
}
