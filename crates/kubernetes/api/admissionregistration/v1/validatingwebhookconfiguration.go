package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ValidatingWebhookConfiguration lists webhooks that judge what is written.
// +kubebuilder:resource:path=validatingwebhookconfigurations,scope=Cluster,categories=api-extensions
// What came after the first release holds for an update only if the old object kept it.
// +rule:let:allowSideEffects="oldSelf.webhooks.exists(w, !(w.sideEffects in ['None', 'NoneOnDryRun']))"
// +rule:let:allowUnknownVersions="oldSelf.webhooks.exists(w, w.admissionReviewVersions.size() > 0 && !w.admissionReviewVersions.exists(v, v in ['v1', 'v1beta1']))"
// +rule:let:allowRepeatedNames="keySet(oldSelf.webhooks.map(w, w.name)).size() < oldSelf.webhooks.size()"
// +rule:wrong:allowInvalidSelectorValues="oldSelf.webhooks.map(w, [w.namespaceSelector, w.objectSelector]).flatten()"
// +rule:let:sameConditions="isUpdate && self.webhooks.map(w, w.matchConditions) == oldSelf.webhooks.map(w, w.matchConditions)"
type ValidatingWebhookConfiguration struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=map
	// +listMapKey=name
	// +rule:unique="self.name",at=name,when="self.name != '' && !allowRepeatedNames"
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
	// +rule:required
	// +rule:format=qualified-name
	Name string `json:"name" protobuf:"bytes,1,opt"`
	// +rule:cel="self.trim() != ''",reason=Required
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
// +rule:let:resourcePlaces="firstPlaces(self.resources)"
type Rule struct {
	// +listType=atomic
	// +rule:required
	// +rule:cel="self.size() <= 1 || !('*' in self)",message="if '*' is present, must not specify other API groups"
	APIGroups []string `json:"apiGroups,omitempty" protobuf:"bytes,1,rep"`
	// +listType=atomic
	// +rule:required
	// +rule:cel="self.size() <= 1 || !('*' in self)",message="if '*' is present, must not specify other API versions"
	// +rule:each:required
	APIVersions []string `json:"apiVersions,omitempty" protobuf:"bytes,2,rep"`
	// +listType=atomic
	// +rule:required
	// +rule:cel="self.size() <= 1 || !('*/*' in self)",message="if '*/*' is present, must not specify other resources"
	// The last resource without a subresource decides.
	// +rule:cel="self.filter(r, r != '' && !r.contains('/'))[self.filter(r, r != '' && !r.contains('/')).size() - 1] == '*'",when="'*' in self",
	//   message="if '*' is present, must not specify other resources without subresources"
	// +rule:each:required
	// +rule:each:cel="!(self.split('/')[0] + '/*' in resourcePlaces) || resourcePlaces[self.split('/')[0] + '/*'] >= index",when="self.contains('/')",
	//   messageExpression=`"if '" + self.split('/')[0] + "/*' is present, must not specify " + self`
	// +rule:each:cel="!('*' + self.substring(self.indexOf('/')) in resourcePlaces) || resourcePlaces['*' + self.substring(self.indexOf('/'))] >= index",when="self.contains('/')",
	//   messageExpression=`"if '*" + self.substring(self.indexOf('/')) + "' is present, must not specify " + self`
	Resources []string `json:"resources,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +default="*"
	// +unpublishedDefault
	// +rule:oneOf=*;Cluster;Namespaced
	Scope *ScopeType `json:"scope,omitempty" protobuf:"bytes,4,rep"`
}

// RuleWithOperations names operations on resources.
// +rule:default:inResourceRules="false"
type RuleWithOperations struct {
	// +listType=atomic
	// +rule:required
	// +rule:cel="self.size() <= 1 || !('*' in self)",message="if '*' is present, must not specify other operations"
	// +rule:each:oneOf=*;CONNECT;CREATE;DELETE;UPDATE,continues
	// What is deleted cannot be changed; the path names no rule.
	// +rule:each:oneOf=*;CONNECT;CREATE;UPDATE,when="inResourceRules && kind.startsWith('Mutating')",at=^^^.operations
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
// +rule:let:versionPlaces="firstPlaces(self.admissionReviewVersions)"
type ValidatingWebhook struct {
	// +rule:required
	// +rule:cel="self.problems('dns-subdomain').size() == 0",messageExpression="self.problems('dns-subdomain').join(',')",ends
	// +rule:cel="self.split('.').size() >= 3",message="should be a domain with at least three segments separated by dots"
	Name string `json:"name" protobuf:"bytes,1,opt"`
	ClientConfig WebhookClientConfig `json:"clientConfig" protobuf:"bytes,2,opt"`
	// +listType=atomic
	Rules []RuleWithOperations `json:"rules,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +default="Fail"
	// +unpublishedDefault
	// +rule:oneOf=Fail;Ignore
	FailurePolicy *FailurePolicyType `json:"failurePolicy,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +default="Equivalent"
	// +unpublishedDefault
	// +rule:oneOf=Equivalent;Exact
	MatchPolicy *MatchPolicyType `json:"matchPolicy,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	// +default={}
	// +unpublishedDefault
	// +rule:valid
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +default={}
	// +unpublishedDefault
	// +rule:valid
	ObjectSelector *metav1.LabelSelector `json:"objectSelector,omitempty" protobuf:"bytes,10,opt"`
	// +rule:required,when="!allowSideEffects",message="must specify one of None, NoneOnDryRun"
	// +rule:required,when="allowSideEffects",message="must specify one of None, NoneOnDryRun, Some, Unknown"
	// +rule:oneOf=None;NoneOnDryRun,when="!allowSideEffects"
	// +rule:oneOf=None;NoneOnDryRun;Some;Unknown,when="allowSideEffects"
	SideEffects *SideEffectClass `json:"sideEffects" protobuf:"bytes,6,opt"`
	// +optional
	// +default=10
	// +unpublishedDefault
	// +rule:range=1..30,message="the timeout value must be between 1 and 30 seconds"
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty" protobuf:"varint,7,opt"`
	// +listType=atomic
	// +rule:required,message="must specify one of v1, v1beta1"
	// +rule:unique="self",reason=Invalid,message="duplicate version"
	// +rule:each:format=dns-1035-label,when="versionPlaces[self] == index"
	// +rule:cel="self.exists(v, v in ['v1', 'v1beta1'])",when="!allowUnknownVersions",message="must include at least one of v1, v1beta1"
	AdmissionReviewVersions []string `json:"admissionReviewVersions" protobuf:"bytes,8,rep"`
	// +listType=map
	// +listMapKey=name
	// +optional
	// +rule:skip,when="sameConditions"
	// +rule:maxItems=64
	// +rule:unique="self.name",at=name,when="self.name != ''"
	MatchConditions []MatchCondition `json:"matchConditions,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,11,opt"`
}

// WebhookClientConfig says where a webhook is and whom to trust.
// +rule:cel="has(self.url) != has(self.service)",reason=Required,message="exactly one of url or service is required",ends
type WebhookClientConfig struct {
	// +optional
	// +rule:code=webhook-url
	URL *string `json:"url,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:code=webhook-service
	Service *ServiceReference `json:"service,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	CABundle []byte `json:"caBundle,omitempty" protobuf:"bytes,2,opt"`
}
