package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MutatingAdmissionPolicy holds changes in CEL that are made to what is written.
// +kubebuilder:resource:path=mutatingadmissionpolicies,scope=Cluster,categories=api-extensions
type MutatingAdmissionPolicy struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec MutatingAdmissionPolicySpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
}

// ApplyConfiguration is an expression that gives the fields to apply.
type ApplyConfiguration struct {
	Expression string `json:"expression,omitempty" protobuf:"bytes,1,opt"`
}

// JSONPatch is an expression that gives the operations of a JSON patch.
type JSONPatch struct {
	Expression string `json:"expression,omitempty" protobuf:"bytes,1,opt"`
}

// MutatingAdmissionPolicySpec says what is matched and how it is changed.
type MutatingAdmissionPolicySpec struct {
	// +optional
	ParamKind *ParamKind `json:"paramKind,omitempty" protobuf:"bytes,1,rep"`
	MatchConstraints *MatchResources `json:"matchConstraints,omitempty" protobuf:"bytes,2,rep"`
	// +listType=atomic
	// +optional
	Variables []Variable `json:"variables,omitempty" protobuf:"bytes,3,rep"`
	// +listType=atomic
	// +optional
	Mutations []Mutation `json:"mutations,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	// +default="Fail"
	// +unpublishedDefault
	FailurePolicy *FailurePolicyType `json:"failurePolicy,omitempty" protobuf:"bytes,5,opt"`
	// +listType=map
	// +listMapKey=name
	// +optional
	MatchConditions []MatchCondition `json:"matchConditions,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,6,rep"`
	ReinvocationPolicy ReinvocationPolicyType `json:"reinvocationPolicy,omitempty" protobuf:"bytes,7,opt"`
}

// Mutation is one change.
type Mutation struct {
	// +unionDiscriminator
	PatchType PatchType `json:"patchType" protobuf:"bytes,2,opt"`
	ApplyConfiguration *ApplyConfiguration `json:"applyConfiguration,omitempty" protobuf:"bytes,3,opt"`
	JSONPatch *JSONPatch `json:"jsonPatch,omitempty" protobuf:"bytes,4,opt"`
}

// PatchType names the form of a change.
// +enum
type PatchType string

const (
	PatchTypeApplyConfiguration PatchType = "ApplyConfiguration"
	PatchTypeJSONPatch PatchType = "JSONPatch"
)
