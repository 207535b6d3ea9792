package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ValidatingWebhookConfiguration lists webhooks that judge what is written.
// +kubebuilder:resource:path=validatingwebhookconfigurations,scope=Cluster,categories=api-extensions
type ValidatingWebhookConfiguration struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=map
	// +listMapKey=name
	Webhooks []ValidatingWebhook `json:"webhooks,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,2,rep"`
}

// FailurePolicyType says what follows when an answer cannot be had.
// +enum
type FailurePolicyType string

const (
	FailurePolicyTypeIgnore FailurePolicyType = "Ignore"
	FailurePolicyTypeFail FailurePolicyType = "Fail"
)

// MatchCondition is an expression that must hold for a request to be matched.
type MatchCondition struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	Expression string `json:"expression" protobuf:"bytes,2,opt"`
}

// MatchPolicyType says whether other versions of a resource are matched, too.
// +enum
type MatchPolicyType string

const (
	MatchPolicyTypeExact MatchPolicyType = "Exact"
	MatchPolicyTypeEquivalent MatchPolicyType = "Equivalent"
)

// OperationType names what a request does.
// +enum
type OperationType string

const (
	OperationTypeEmpty OperationType = "*"
	OperationTypeCREATE OperationType = "CREATE"
	OperationTypeUPDATE OperationType = "UPDATE"
	OperationTypeDELETE OperationType = "DELETE"
	OperationTypeCONNECT OperationType = "CONNECT"
)

// Rule names groups, versions and resources.
type Rule struct {
	// +listType=atomic
	APIGroups []string `json:"apiGroups,omitempty" protobuf:"bytes,1,rep"`
	// +listType=atomic
	APIVersions []string `json:"apiVersions,omitempty" protobuf:"bytes,2,rep"`
	// +listType=atomic
	Resources []string `json:"resources,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +default="*"
	// +unpublishedDefault
	Scope *ScopeType `json:"scope,omitempty" protobuf:"bytes,4,rep"`
}

// RuleWithOperations names operations on resources.
type RuleWithOperations struct {
	// +listType=atomic
	Operations []OperationType `json:"operations,omitempty" protobuf:"bytes,1,rep"`
	Rule `json:",inline" protobuf:"bytes,2,opt"`
}

// ScopeType limits a rule to resources with or without namespaces.
// +enum
type ScopeType string

const (
	ScopeTypeCluster ScopeType = "Cluster"
	ScopeTypeNamespaced ScopeType = "Namespaced"
	ScopeTypeEmpty ScopeType = "*"
)

// ServiceReference names the service in front of a webhook.
type ServiceReference struct {
	Namespace string `json:"namespace" protobuf:"bytes,1,opt"`
	Name string `json:"name" protobuf:"bytes,2,opt"`
	// +optional
	Path *string `json:"path,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +default=443
	// +unpublishedDefault
	Port *int32 `json:"port,omitempty" protobuf:"varint,4,opt"`
}

// SideEffectClass says what a webhook does besides answering.
// +enum
type SideEffectClass string

const (
	SideEffectClassUnknown SideEffectClass = "Unknown"
	SideEffectClassNone SideEffectClass = "None"
	SideEffectClassSome SideEffectClass = "Some"
	SideEffectClassNoneOnDryRun SideEffectClass = "NoneOnDryRun"
)

// ValidatingWebhook is one webhook: where it is and what it is asked about.
type ValidatingWebhook struct {
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
	ObjectSelector *metav1.LabelSelector `json:"objectSelector,omitempty" protobuf:"bytes,10,opt"`
	SideEffects *SideEffectClass `json:"sideEffects" protobuf:"bytes,6,opt"`
	// +optional
	// +default=10
	// +unpublishedDefault
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty" protobuf:"varint,7,opt"`
	// +listType=atomic
	AdmissionReviewVersions []string `json:"admissionReviewVersions" protobuf:"bytes,8,rep"`
	// +listType=map
	// +listMapKey=name
	// +optional
	MatchConditions []MatchCondition `json:"matchConditions,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,11,opt"`
}

// WebhookClientConfig says where a webhook is and whom to trust.
type WebhookClientConfig struct {
	// +optional
	URL *string `json:"url,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Service *ServiceReference `json:"service,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	CABundle []byte `json:"caBundle,omitempty" protobuf:"bytes,2,opt"`
}
