package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MutatingWebhookConfiguration lists webhooks that may change what is written.
// +kubebuilder:resource:path=mutatingwebhookconfigurations,scope=Cluster,categories=api-extensions
// What came after the first release holds for an update only if the old object kept it.
// +rule:let:allowSideEffects="oldSelf.webhooks.exists(w, !(w.sideEffects in ['None', 'NoneOnDryRun']))"
// +rule:let:allowUnknownVersions="oldSelf.webhooks.exists(w, w.admissionReviewVersions.size() > 0 && !w.admissionReviewVersions.exists(v, v in ['v1', 'v1beta1']))"
// +rule:let:allowRepeatedNames="keySet(oldSelf.webhooks.map(w, w.name)).size() < oldSelf.webhooks.size()"
// +rule:wrong:allowInvalidSelectorValues="oldSelf.webhooks.map(w, [w.namespaceSelector, w.objectSelector]).flatten()"
// +rule:let:sameConditions="isUpdate && self.webhooks.map(w, w.matchConditions) == oldSelf.webhooks.map(w, w.matchConditions)"
type MutatingWebhookConfiguration struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=map
	// +listMapKey=name
	// +rule:unique="self.name",at=name,when="self.name != '' && !allowRepeatedNames"
	Webhooks []MutatingWebhook `json:"webhooks,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,2,rep"`
}

// MutatingWebhook is one webhook: where it is and what it is asked about.
// +rule:let:versionPlaces="firstPlaces(self.admissionReviewVersions)"
type MutatingWebhook struct {
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
	ObjectSelector *metav1.LabelSelector `json:"objectSelector,omitempty" protobuf:"bytes,11,opt"`
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
	// +optional
	// +default="Never"
	// +unpublishedDefault
	// +rule:oneOf=IfNeeded;Never
	ReinvocationPolicy *ReinvocationPolicyType `json:"reinvocationPolicy,omitempty" protobuf:"bytes,10,opt"`
	// +listType=map
	// +listMapKey=name
	// +optional
	// +rule:skip,when="sameConditions"
	// +rule:maxItems=64
	// +rule:unique="self.name",at=name,when="self.name != ''"
	MatchConditions []MatchCondition `json:"matchConditions,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,12,opt"`
}

// ReinvocationPolicyType says whether something is asked again after later changes.
// +enum
type ReinvocationPolicyType string

const (
	ReinvocationPolicyTypeNever ReinvocationPolicyType = "Never"
	ReinvocationPolicyTypeIfNeeded ReinvocationPolicyType = "IfNeeded"
)
