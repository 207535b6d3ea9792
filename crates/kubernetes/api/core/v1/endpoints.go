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
	// +rule:skip,when="self == oldSelf"
	Subsets []EndpointSubset `json:"subsets,omitempty" protobuf:"bytes,2,rep"`
}

// EndpointAddress is one address that takes traffic.
// +structType=atomic
type EndpointAddress struct {
	// +rule:format=legacy-ip
	// +rule:format=endpoint-ip
	IP string `json:"ip" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:optional
	// +rule:format=dns-label
	Hostname string `json:"hostname,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:format=dns-subdomain
	NodeName *string `json:"nodeName,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	TargetRef *ObjectReference `json:"targetRef,omitempty" protobuf:"bytes,2,opt"`
}

// EndpointPort is a port of all addresses of a subset.
// +structType=atomic
type EndpointPort struct {
	// +optional
	// +rule:required,when="endpointSubset.ports.size() > 1"
	// +rule:optional
	// +rule:format=dns-label
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt"`
	// +rule:range=1..65535
	Port int32 `json:"port" protobuf:"varint,2,opt"`
	// +default="TCP"
	// +unpublishedDefault
	// +optional
	// +rule:required
	// +rule:oneOf=SCTP;TCP;UDP
	Protocol Protocol `json:"protocol,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:format=qualified-name
	AppProtocol *string `json:"appProtocol,omitempty" protobuf:"bytes,4,opt"`
}

// EndpointSubset is addresses with the same ports.
// +rule:as=endpointSubset
// +rule:cel="self.addresses.size() > 0 || self.notReadyAddresses.size() > 0",reason=Required,message="must specify `addresses` or `notReadyAddresses`"
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
