package v1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

// NetworkPolicy is which traffic pods take and send.
// +kubebuilder:resource:path=networkpolicies,shortName=netpol
type NetworkPolicy struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec NetworkPolicySpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
}

// IPBlock is a network with exceptions.
type IPBlock struct {
	// +required
	// +k8s:required
	CIDR string `json:"cidr" protobuf:"bytes,1,name=cidr"`
	// +optional
	// +listType=atomic
	Except []string `json:"except,omitempty" protobuf:"bytes,2,rep"`
}

// NetworkPolicyEgressRule is traffic that pods may send.
type NetworkPolicyEgressRule struct {
	// +optional
	// +listType=atomic
	Ports []NetworkPolicyPort `json:"ports,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	To []NetworkPolicyPeer `json:"to,omitempty" protobuf:"bytes,2,rep"`
}

// NetworkPolicyIngressRule is traffic that pods may take.
type NetworkPolicyIngressRule struct {
	// +optional
	// +listType=atomic
	Ports []NetworkPolicyPort `json:"ports,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	From []NetworkPolicyPeer `json:"from,omitempty" protobuf:"bytes,2,rep"`
}

// NetworkPolicyPeer is whom traffic comes from or goes to.
type NetworkPolicyPeer struct {
	// +optional
	PodSelector *metav1.LabelSelector `json:"podSelector,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +k8s:optional
	IPBlock *IPBlock `json:"ipBlock,omitempty" protobuf:"bytes,3,rep"`
}

// NetworkPolicyPort is ports that a rule allows.
type NetworkPolicyPort struct {
	// +default="TCP"
	// +unpublishedDefault
	// +optional
	Protocol *v1.Protocol `json:"protocol,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Port *intstr.IntOrString `json:"port,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	EndPort *int32 `json:"endPort,omitempty" protobuf:"bytes,3,opt"`
}

// NetworkPolicySpec is pods and the rules for them.
type NetworkPolicySpec struct {
	// +optional
	PodSelector metav1.LabelSelector `json:"podSelector" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	Ingress []NetworkPolicyIngressRule `json:"ingress,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	Egress []NetworkPolicyEgressRule `json:"egress,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +listType=atomic
	PolicyTypes []PolicyType `json:"policyTypes,omitempty" protobuf:"bytes,4,rep"`
}

// PolicyType is a direction of traffic.
// +enum
type PolicyType string

const (
	PolicyTypeIngress PolicyType = "Ingress"
	PolicyTypeEgress PolicyType = "Egress"
)
