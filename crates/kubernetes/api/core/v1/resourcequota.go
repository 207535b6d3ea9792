package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ResourceQuota limits what a namespace may use.
// +kubebuilder:resource:path=resourcequotas,shortName=quota
type ResourceQuota struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec ResourceQuotaSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=main;status
	Status ResourceQuotaStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// ResourceQuotaScope is a set of objects that a quota counts.
// +enum
type ResourceQuotaScope string

const (
	ResourceQuotaScopeTerminating ResourceQuotaScope = "Terminating"
	ResourceQuotaScopeNotTerminating ResourceQuotaScope = "NotTerminating"
	ResourceQuotaScopeBestEffort ResourceQuotaScope = "BestEffort"
	ResourceQuotaScopeNotBestEffort ResourceQuotaScope = "NotBestEffort"
	ResourceQuotaScopePriorityClass ResourceQuotaScope = "PriorityClass"
	ResourceQuotaScopeCrossNamespacePodAffinity ResourceQuotaScope = "CrossNamespacePodAffinity"
	ResourceQuotaScopeVolumeAttributesClass ResourceQuotaScope = "VolumeAttributesClass"
)

// ResourceQuotaSpec is the limits and what they are about.
// +rule:as=quotaSpec
// +rule:let:standardResources="self.hard.filter(r, !r.contains('/') && r.problems('quota-resource-name').size() == 0)"
// +rule:let:notComputed="standardResources.filter(r, !(r in ['pods', 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']))"
// +rule:let:uncounted="{'Terminating': notComputed, 'NotTerminating': notComputed, 'NotBestEffort': notComputed, 'PriorityClass': notComputed, 'CrossNamespacePodAffinity': notComputed, 'BestEffort': standardResources.filter(r, r != 'pods'), 'VolumeAttributesClass': standardResources.filter(r, !(r in ['persistentvolumeclaims', 'requests.storage']))}"
type ResourceQuotaSpec struct {
	// +optional
	// +rule:keys:format=quota-resource-name
	// +rule:code=resource-amounts
	Hard ResourceList `json:"hard,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +listType=atomic
	// +rule:each:cel="self in uncounted",at=^,value="parent.scopes",message="unsupported scope"
	// +rule:each:cel="!(self in uncounted) || uncounted[self].size() == 0",at=^,value="parent.scopes",messageExpression="uncounted[self].map(r, 'unsupported scope applied to resource')"
	// +rule:cel="!('BestEffort' in self && 'NotBestEffort' in self)",message="conflicting scopes"
	// +rule:cel="!('Terminating' in self && 'NotTerminating' in self)",message="conflicting scopes"
	// +rule:cel="self.all(s, s in oldSelf) && oldSelf.all(s, s in self)",message="field is immutable"
	Scopes []ResourceQuotaScope `json:"scopes,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	ScopeSelector *ScopeSelector `json:"scopeSelector,omitempty" protobuf:"bytes,3,opt"`
}

// ResourceQuotaStatus is the limits in force and what is used.
type ResourceQuotaStatus struct {
	// +optional
	// +rule:skip,when="part == 'main' && isUpdate"
	// +rule:keys:format=quota-resource-name
	// +rule:code=resource-amounts
	Hard ResourceList `json:"hard,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +rule:skip,when="part == 'main' && isUpdate"
	// +rule:keys:format=quota-resource-name
	// +rule:code=resource-amounts
	Used ResourceList `json:"used,omitempty" protobuf:"bytes,2,rep"`
}
