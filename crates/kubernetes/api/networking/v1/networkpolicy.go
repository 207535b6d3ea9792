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
	// +rule:required
	// +rule:format=legacy-cidr,when="!(self in oldCIDRs)"
	CIDR string `json:"cidr" protobuf:"bytes,1,name=cidr"`
	// +optional
	// +listType=atomic
	// +rule:skip,when="parent.cidr.problems('legacy-cidr').exists(p, p.startsWith('must be a valid CIDR value'))"
	// +rule:each:format=legacy-cidr,when="!(self in oldCIDRs)"
	// +rule:code=ip-block-except
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
// +rule:cel="has(self.podSelector) || has(self.namespaceSelector) || has(self.ipBlock)",reason=Required,message="must specify a peer"
// +rule:cel="!has(self.ipBlock) || !(has(self.podSelector) || has(self.namespaceSelector))",reason=Forbidden,message="may not specify both ipBlock and another peer"
type NetworkPolicyPeer struct {
	// +optional
	// +rule:valid
	PodSelector *metav1.LabelSelector `json:"podSelector,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:valid
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
	// +rule:oneOf=TCP;UDP;SCTP
	Protocol *v1.Protocol `json:"protocol,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:format=port-number-or-name
	Port *intstr.IntOrString `json:"port,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:cel="has(parent.port)",message="may not be specified when `port` is not specified",ends
	// +rule:cel="type(parent.port) == int",message="may not be specified when `port` is non-numeric",ends
	// +rule:cel="self >= parent.port",message="must be greater than or equal to `port`",value="parent.port"
	// +rule:range=1..65535
	EndPort *int32 `json:"endPort,omitempty" protobuf:"bytes,3,opt"`
}

// NetworkPolicySpec is pods and the rules for them.
// +rule:let:oldBlocks="oldSelf.ingress.map(r, r.from).flatten().map(p, p.ipBlock) + oldSelf.egress.map(r, r.to).flatten().map(p, p.ipBlock)"
// +rule:let:oldCIDRs="keySet(oldBlocks.map(b, b.cidr) + oldBlocks.map(b, b.except).flatten())"
// +rule:let:allowInvalidSelectorValues="oldSelf.podSelector.matchExpressions.exists(e, e.values.exists(v, v.problems('label-value').size() > 0))"
type NetworkPolicySpec struct {
	// +optional
	// +rule:valid
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
	// +rule:cel="self.size() <= 2",message="may not specify more than two policyTypes",value="self",ends
	// +rule:each:oneOf=Ingress;Egress
	PolicyTypes []PolicyType `json:"policyTypes,omitempty" protobuf:"bytes,4,rep"`
}

// PolicyType is a direction of traffic.
// +enum
type PolicyType string

const (
	PolicyTypeIngress PolicyType = "Ingress"
	PolicyTypeEgress PolicyType = "Egress"
)
