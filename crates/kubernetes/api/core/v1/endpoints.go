package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Endpoints is the addresses behind a service, in its older form.
// +kubebuilder:resource:path=endpoints,shortName=ep
type Endpoints struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	Subsets []EndpointSubset `json:"subsets,omitempty" protobuf:"bytes,2,rep"`
}

// EndpointAddress is one address that takes traffic.
// +structType=atomic
type EndpointAddress struct {
	IP string `json:"ip" protobuf:"bytes,1,opt"`
	// +optional
	Hostname string `json:"hostname,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	NodeName *string `json:"nodeName,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	TargetRef *ObjectReference `json:"targetRef,omitempty" protobuf:"bytes,2,opt"`
}

// EndpointPort is a port of all addresses of a subset.
// +structType=atomic
type EndpointPort struct {
	// +optional
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt"`
	Port int32 `json:"port" protobuf:"varint,2,opt"`
	// +default="TCP"
	// +unpublishedDefault
	// +optional
	Protocol Protocol `json:"protocol,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	AppProtocol *string `json:"appProtocol,omitempty" protobuf:"bytes,4,opt"`
}

// EndpointSubset is addresses with the same ports.
type EndpointSubset struct {
	// +optional
	// +listType=atomic
	Addresses []EndpointAddress `json:"addresses,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +listType=atomic
	NotReadyAddresses []EndpointAddress `json:"notReadyAddresses,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +listType=atomic
	Ports []EndpointPort `json:"ports,omitempty" protobuf:"bytes,3,rep"`
}
