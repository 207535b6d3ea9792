package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ServiceCIDR is a range of addresses for services.
// +kubebuilder:resource:path=servicecidrs,scope=Cluster
type ServiceCIDR struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec ServiceCIDRSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status ServiceCIDRStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// ServiceCIDRSpec is the networks of the range.
// +rule:let:earlierCIDRs="oldSelf.cidrs"
// +rule:let:isNewSet="oldSelf.cidrs.size() != self.cidrs.size()"
type ServiceCIDRSpec struct {
	// +optional
	// +listType=atomic
	// +rule:cel="self.size() == oldSelf.size() || (oldSelf.size() == 1 && self.size() == 2)",message="field is immutable",ends
	// +rule:required,when="!isUpdate",message="at least one CIDR required"
	// +rule:cel="self.size() <= 2",when="isNewSet",value="parent",message="may only hold up to 2 values",ends
	// +rule:each:cel="index >= earlierCIDRs.size() || self == earlierCIDRs[index]",message="field is immutable"
	// +rule:each:format=canonical-cidr,when="isNewSet"
	// +rule:cel="self.size() != 2 || !self.all(c, isCIDR(c)) || cidr(self[0]).ip().family() != cidr(self[1]).ip().family()",when="isNewSet",
	//   message="may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
	CIDRs []string `json:"cidrs,omitempty" protobuf:"bytes,1,opt"`
}

// ServiceCIDRStatus is the state of the range.
type ServiceCIDRStatus struct {
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep"`
}
