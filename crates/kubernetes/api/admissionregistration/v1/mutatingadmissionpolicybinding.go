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
	// +rule:required
	// +rule:format=dns-subdomain
	PolicyName string `json:"policyName,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	ParamRef *ParamRef `json:"paramRef,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	MatchResources *MatchResources `json:"matchResources,omitempty" protobuf:"bytes,3,rep"`
}

// ParamRef names the objects that give parameters.
// +structType=atomic
// +rule:cel="self.name != '' || has(self.selector)",reason=Required,message="one of name or selector must be specified"
type ParamRef struct {
	// +rule:optional
	// +rule:format=path-segment-name
	// +rule:forbidden,when="has(parent.selector)",message="name and selector are mutually exclusive"
	Name string `json:"name,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +rule:forbidden,when="parent.name != ''",message="name and selector are mutually exclusive",continues
	// +rule:valid
	Selector *metav1.LabelSelector `json:"selector,omitempty" protobuf:"bytes,3,rep"`
	// +rule:required
	// +rule:cel="self != ''",reason=Required,ends
	// +rule:oneOf=Deny;Allow
	ParameterNotFoundAction *ParameterNotFoundActionType `json:"parameterNotFoundAction,omitempty" protobuf:"bytes,4,rep"`
}

// ParameterNotFoundActionType says what follows when there are no parameters.
type ParameterNotFoundActionType string

const (
	ParameterNotFoundActionTypeAllow ParameterNotFoundActionType = "Allow"
	ParameterNotFoundActionTypeDeny ParameterNotFoundActionType = "Deny"
)
