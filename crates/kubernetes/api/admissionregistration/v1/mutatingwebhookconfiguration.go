package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MutatingWebhookConfiguration lists webhooks that may change what is written.
// +kubebuilder:resource:path=mutatingwebhookconfigurations,scope=Cluster,categories=api-extensions
type MutatingWebhookConfiguration struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=map
	// +listMapKey=name
	Webhooks []MutatingWebhook `json:"webhooks,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,2,rep"`
}

// MutatingWebhook is one webhook: where it is and what it is asked about.
type MutatingWebhook struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	ClientConfig WebhookClientConfig `json:"clientConfig" protobuf:"bytes,2,opt"`
	// +listType=atomic
	Rules []RuleWithOperations `json:"rules,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +default="Fail"
	// +unpublishedDefault
	FailurePolicy *FailurePolicyType `json:"failurePolicy,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +default="Equivalent"
	// +unpublishedDefault
	MatchPolicy *MatchPolicyType `json:"matchPolicy,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	// +default={}
	// +unpublishedDefault
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +default={}
	// +unpublishedDefault
	ObjectSelector *metav1.LabelSelector `json:"objectSelector,omitempty" protobuf:"bytes,11,opt"`
	SideEffects *SideEffectClass `json:"sideEffects" protobuf:"bytes,6,opt"`
	// +optional
	// +default=10
	// +unpublishedDefault
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty" protobuf:"varint,7,opt"`
	// +listType=atomic
	AdmissionReviewVersions []string `json:"admissionReviewVersions" protobuf:"bytes,8,rep"`
	// +optional
	// +default="Never"
	// +unpublishedDefault
	ReinvocationPolicy *ReinvocationPolicyType `json:"reinvocationPolicy,omitempty" protobuf:"bytes,10,opt"`
	// +listType=map
	// +listMapKey=name
	// +optional
	MatchConditions []MatchCondition `json:"matchConditions,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,12,opt"`
}

// ReinvocationPolicyType says whether something is asked again after later changes.
// +enum
type ReinvocationPolicyType string

const (
	ReinvocationPolicyTypeNever ReinvocationPolicyType = "Never"
	ReinvocationPolicyTypeIfNeeded ReinvocationPolicyType = "IfNeeded"
)
