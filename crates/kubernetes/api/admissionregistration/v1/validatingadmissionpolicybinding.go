package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:resource:path=validatingadmissionpolicybindings,scope=Cluster,categories=api-extensions
type ValidatingAdmissionPolicyBinding struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +required
	Spec ValidatingAdmissionPolicyBindingSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
}

type ValidatingAdmissionPolicyBindingSpec struct {
	// +required
	// +k8s:required
	PolicyName string `json:"policyName,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	ParamRef *ParamRef `json:"paramRef,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	MatchResources *MatchResources `json:"matchResources,omitempty" protobuf:"bytes,3,rep"`
	// +listType=set
	// +required
	ValidationActions []ValidationAction `json:"validationActions,omitempty" protobuf:"bytes,4,rep"`
}

// +enum
type ValidationAction string

const (
	ValidationActionDeny ValidationAction = "Deny"
	ValidationActionWarn ValidationAction = "Warn"
	ValidationActionAudit ValidationAction = "Audit"
)
