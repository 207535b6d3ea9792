package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MutatingAdmissionPolicyBinding puts a policy into force with parameters.
// +kubebuilder:resource:path=mutatingadmissionpolicybindings,scope=Cluster,categories=api-extensions
type MutatingAdmissionPolicyBinding struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec MutatingAdmissionPolicyBindingSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
}

// MutatingAdmissionPolicyBindingSpec names the policy, its parameters and what it is limited to.
type MutatingAdmissionPolicyBindingSpec struct {
	PolicyName string `json:"policyName,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	ParamRef *ParamRef `json:"paramRef,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	MatchResources *MatchResources `json:"matchResources,omitempty" protobuf:"bytes,3,rep"`
}

// ParamRef names the objects that give parameters.
// +structType=atomic
type ParamRef struct {
	Name string `json:"name,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty" protobuf:"bytes,3,rep"`
	ParameterNotFoundAction *ParameterNotFoundActionType `json:"parameterNotFoundAction,omitempty" protobuf:"bytes,4,rep"`
}

// ParameterNotFoundActionType says what follows when there are no parameters.
type ParameterNotFoundActionType string

const (
	ParameterNotFoundActionTypeAllow ParameterNotFoundActionType = "Allow"
	ParameterNotFoundActionTypeDeny ParameterNotFoundActionType = "Deny"
)
