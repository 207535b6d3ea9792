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
// +rule:let:sameConditions="isUpdate && self.paramKind == oldSelf.paramKind && self.matchConditions == oldSelf.matchConditions"
type MutatingAdmissionPolicySpec struct {
	// +optional
	ParamKind *ParamKind `json:"paramKind,omitempty" protobuf:"bytes,1,rep"`
	// +rule:required
	MatchConstraints *MatchResources `json:"matchConstraints,omitempty" protobuf:"bytes,2,rep"`
	// +listType=atomic
	// +optional
	Variables []Variable `json:"variables,omitempty" protobuf:"bytes,3,rep"`
	// +listType=atomic
	// +optional
	// +rule:required,message="mutations must contain at least one item"
	Mutations []Mutation `json:"mutations,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	// +default="Fail"
	// +unpublishedDefault
	// +rule:required
	// +rule:oneOf=Fail;Ignore
	FailurePolicy *FailurePolicyType `json:"failurePolicy,omitempty" protobuf:"bytes,5,opt"`
	// +listType=map
	// +listMapKey=name
	// +optional
	// +rule:skip,when="sameConditions"
	// +rule:maxItems=64
	// +rule:unique="self.name",at=name,when="self.name != ''"
	MatchConditions []MatchCondition `json:"matchConditions,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,6,rep"`
	// +rule:required
	// +rule:oneOf=IfNeeded;Never
	ReinvocationPolicy ReinvocationPolicyType `json:"reinvocationPolicy,omitempty" protobuf:"bytes,7,opt"`
}

// Mutation is one change.
type Mutation struct {
	// +unionDiscriminator
	// +rule:required
	// +rule:oneOf=ApplyConfiguration;JSONPatch
	PatchType PatchType `json:"patchType" protobuf:"bytes,2,opt"`
	// +rule:required,when="parent.patchType == 'ApplyConfiguration'",message="must be specified when patchType is ApplyConfiguration"
	// +rule:cel="self.expression.trim() != ''",when="parent.patchType == 'ApplyConfiguration'",at=expression,reason=Required
	// +rule:cel="parent.patchType != 'JSONPatch'",value="'{applyConfiguration}'",message="must not be specified when patchType is JSONPatch"
	ApplyConfiguration *ApplyConfiguration `json:"applyConfiguration,omitempty" protobuf:"bytes,3,opt"`
	// +rule:required,when="parent.patchType == 'JSONPatch'",message="must be specified when patchType is JSONPatch"
	// +rule:cel="self.expression.trim() != ''",when="parent.patchType == 'JSONPatch'",at=expression,reason=Required
	// +rule:cel="parent.patchType != 'ApplyConfiguration'",value="'{jsonPatch}'",message="must not be specified when patchType is ApplyConfiguration"
	JSONPatch *JSONPatch `json:"jsonPatch,omitempty" protobuf:"bytes,4,opt"`
}

// PatchType names the form of a change.
// +enum
type PatchType string

const (
	PatchTypeApplyConfiguration PatchType = "ApplyConfiguration"
	PatchTypeJSONPatch PatchType = "JSONPatch"
)
