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
type ResourceQuotaSpec struct {
	// +optional
	Hard ResourceList `json:"hard,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +listType=atomic
	Scopes []ResourceQuotaScope `json:"scopes,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	ScopeSelector *ScopeSelector `json:"scopeSelector,omitempty" protobuf:"bytes,3,opt"`
}

// ResourceQuotaStatus is the limits in force and what is used.
type ResourceQuotaStatus struct {
	// +optional
	Hard ResourceList `json:"hard,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	Used ResourceList `json:"used,omitempty" protobuf:"bytes,2,rep"`
}
