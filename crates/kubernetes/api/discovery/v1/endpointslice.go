package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

// EndpointSlice is a part of the endpoints of a service.
// +rule:as=slice
// +kubebuilder:resource:path=endpointslices
type EndpointSlice struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +required
	// +k8s:required
	// +k8s:immutable
	// +rule:oneOf=FQDN;IPv4;IPv6,when="self != ''"
	AddressType AddressType `json:"addressType" protobuf:"bytes,4,rep"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +rule:skip,when="self == oldSelf"
	// +rule:maxItems=1000,ends
	Endpoints []Endpoint `json:"endpoints" protobuf:"bytes,2,rep"`
	// +optional
	// +listType=atomic
	// +rule:maxItems=20000,ends
	// +rule:unique="self.name",at=name
	Ports []EndpointPort `json:"ports" protobuf:"bytes,3,rep"`
}

// AddressType is what the addresses of a slice are.
// +enum
// +k8s:enum
type AddressType string

const (
	AddressTypeIPv4 AddressType = "IPv4"
	AddressTypeIPv6 AddressType = "IPv6"
	AddressTypeFQDN AddressType = "FQDN"
)

// Endpoint is one backend with its addresses.
type Endpoint struct {
	// +listType=set
	// +required
	// +k8s:maxItems=100
	// +rule:required,message="must contain at least 1 address"
	// +rule:each:format=legacy-ip,when="slice.addressType == 'IPv4'",ends
	// +rule:each:format=canonical-ip,when="slice.addressType == 'IPv6'",ends
	// +rule:each:cel="self.contains(':') == (slice.addressType == 'IPv6')",when="slice.addressType in ['IPv4', 'IPv6']",at=^,messageExpression="'must be an ' + slice.addressType + ' address'"
	// +rule:each:format=endpoint-ip,when="slice.addressType in ['IPv4', 'IPv6']"
	// +rule:each:required,when="slice.addressType == 'FQDN'"
	// +rule:each:cel="(self.endsWith('.') ? self.substring(0, self.size() - 1) : self).problems('dns-subdomain').size() == 0",when="slice.addressType == 'FQDN'",value="(self.endsWith('.') ? self.substring(0, self.size() - 1) : self)",
	//   messageExpression="(self.endsWith('.') ? self.substring(0, self.size() - 1) : self).problems('dns-subdomain').join(',')",ends
	// +rule:each:cel="(self.endsWith('.') ? self.substring(0, self.size() - 1) : self).contains('.')",when="slice.addressType == 'FQDN'",value="(self.endsWith('.') ? self.substring(0, self.size() - 1) : self)",message="should be a domain with at least two segments separated by dots",ends
	// +rule:each:cel="(self.endsWith('.') ? self.substring(0, self.size() - 1) : self).split('.').all(l, l.problems('dns-label').size() == 0)",when="slice.addressType == 'FQDN'",value="(self.endsWith('.') ? self.substring(0, self.size() - 1) : self).split('.').filter(l, l.problems('dns-label').size() > 0)[0]",
	//   messageExpression="(self.endsWith('.') ? self.substring(0, self.size() - 1) : self).split('.').filter(l, l.problems('dns-label').size() > 0)[0].problems('dns-label').join(',')"
	Addresses []string `json:"addresses" protobuf:"bytes,1,rep"`
	Conditions EndpointConditions `json:"conditions,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:format=dns-label
	Hostname *string `json:"hostname,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	TargetRef *v1.ObjectReference `json:"targetRef,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +rule:maxItems=16
	// +rule:code=labels
	DeprecatedTopology map[string]string `json:"deprecatedTopology,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +rule:format=dns-subdomain
	NodeName *string `json:"nodeName,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	Zone *string `json:"zone,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	Hints *EndpointHints `json:"hints,omitempty" protobuf:"bytes,8,opt"`
}

// EndpointConditions is whether an endpoint can take traffic.
type EndpointConditions struct {
	// +optional
	Ready *bool `json:"ready,omitempty" protobuf:"bytes,1,name=ready"`
	// +optional
	Serving *bool `json:"serving,omitempty" protobuf:"bytes,2,name=serving"`
	// +optional
	Terminating *bool `json:"terminating,omitempty" protobuf:"bytes,3,name=terminating"`
}

// EndpointHints is who had better use the endpoint.
type EndpointHints struct {
	// +listType=atomic
	// +rule:maxItems=8,ends
	// +rule:unique="self.name",at=name
	ForZones []ForZone `json:"forZones,omitempty" protobuf:"bytes,1,name=forZones"`
	// +listType=atomic
	// +rule:skip,when="parent.forZones.size() > 8"
	// +rule:maxItems=8,ends
	// +rule:unique="self.name",at=name
	ForNodes []ForNode `json:"forNodes,omitempty" protobuf:"bytes,2,name=forNodes"`
}

// EndpointPort is a port of all endpoints of the slice.
// +structType=atomic
type EndpointPort struct {
	// +default=""
	// +unpublishedDefault
	// +rule:format=dns-label,when="self != ''"
	Name *string `json:"name,omitempty" protobuf:"bytes,1,name=name"`
	// +default="TCP"
	// +unpublishedDefault
	// +rule:required
	// +rule:oneOf=SCTP;TCP;UDP
	Protocol *v1.Protocol `json:"protocol,omitempty" protobuf:"bytes,2,name=protocol"`
	Port *int32 `json:"port,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:format=qualified-name
	AppProtocol *string `json:"appProtocol,omitempty" protobuf:"bytes,4,name=appProtocol"`
}

// ForNode is a node that had better use the endpoint.
type ForNode struct {
	// +rule:format=dns-subdomain
	Name string `json:"name" protobuf:"bytes,1,name=name"`
}

// ForZone is a zone that had better use the endpoint.
type ForZone struct {
	// +rule:format=label-value
	Name string `json:"name" protobuf:"bytes,1,name=name"`
}
