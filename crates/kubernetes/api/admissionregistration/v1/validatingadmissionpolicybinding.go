package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ValidatingAdmissionPolicyBinding puts a policy into force with parameters.
// +kubebuilder:resource:path=validatingadmissionpolicybindings,scope=Cluster,categories=api-extensions
type ValidatingAdmissionPolicyBinding struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +required
	Spec ValidatingAdmissionPolicyBindingSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
}

// ValidatingAdmissionPolicyBindingSpec names the policy, its parameters, its limits and what follows from a violation.
type ValidatingAdmissionPolicyBindingSpec struct {
	// +required
	// +k8s:required
	// +rule:required
	// +rule:format=dns-subdomain
	PolicyName string `json:"policyName,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	ParamRef *ParamRef `json:"paramRef,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	MatchResources *MatchResources `json:"matchResources,omitempty" protobuf:"bytes,3,rep"`
	// +listType=set
	// +required
	// +rule:required,message="at least one validation action is required"
	// +rule:each:oneOf=Audit;Deny;Warn
	// +rule:unique="self"
	// +rule:cel="!('Deny' in self && 'Warn' in self)",
	//   message="must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)"
	ValidationActions []ValidationAction `json:"validationActions,omitempty" protobuf:"bytes,4,rep"`
}

// ValidationAction is what follows from a violation.
// +enum
type ValidationAction string

const (
	ValidationActionDeny ValidationAction = "Deny"
	ValidationActionWarn ValidationAction = "Warn"
	ValidationActionAudit ValidationAction = "Audit"
)
