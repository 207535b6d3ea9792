package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ValidatingAdmissionPolicy holds conditions in CEL that writes must meet.
// +kubebuilder:resource:path=validatingadmissionpolicies,scope=Cluster,categories=api-extensions
type ValidatingAdmissionPolicy struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec ValidatingAdmissionPolicySpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status ValidatingAdmissionPolicyStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// AuditAnnotation is an expression whose value is added to the audit log.
type AuditAnnotation struct {
	Key string `json:"key" protobuf:"bytes,1,opt"`
	ValueExpression string `json:"valueExpression" protobuf:"bytes,2,opt"`
}

// ExpressionWarning is what type checking found in an expression.
type ExpressionWarning struct {
	FieldRef string `json:"fieldRef" protobuf:"bytes,2,opt"`
	Warning string `json:"warning" protobuf:"bytes,3,opt"`
}

// MatchResources says which requests are meant.
// +structType=atomic
type MatchResources struct {
	// +optional
	// +default={}
	// +unpublishedDefault
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +default={}
	// +unpublishedDefault
	ObjectSelector *metav1.LabelSelector `json:"objectSelector,omitempty" protobuf:"bytes,2,opt"`
	// +listType=atomic
	// +optional
	ResourceRules []NamedRuleWithOperations `json:"resourceRules,omitempty" protobuf:"bytes,3,rep"`
	// +listType=atomic
	// +optional
	ExcludeResourceRules []NamedRuleWithOperations `json:"excludeResourceRules,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	// +default="Equivalent"
	// +unpublishedDefault
	MatchPolicy *MatchPolicyType `json:"matchPolicy,omitempty" protobuf:"bytes,7,opt"`
}

// NamedRuleWithOperations is a rule for objects of some names.
// +structType=atomic
type NamedRuleWithOperations struct {
	// +listType=atomic
	// +optional
	ResourceNames []string `json:"resourceNames,omitempty" protobuf:"bytes,1,rep"`
	RuleWithOperations `json:",inline" protobuf:"bytes,2,opt"`
}

// ParamKind is the kind of objects that give parameters.
// +structType=atomic
type ParamKind struct {
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,1,rep"`
	Kind string `json:"kind,omitempty" protobuf:"bytes,2,rep"`
}

// TypeChecking lists what type checking found.
type TypeChecking struct {
	// +optional
	// +listType=atomic
	ExpressionWarnings []ExpressionWarning `json:"expressionWarnings,omitempty" protobuf:"bytes,1,rep"`
}

// ValidatingAdmissionPolicySpec says what is matched and which conditions hold.
type ValidatingAdmissionPolicySpec struct {
	// +optional
	ParamKind *ParamKind `json:"paramKind,omitempty" protobuf:"bytes,1,rep"`
	MatchConstraints *MatchResources `json:"matchConstraints,omitempty" protobuf:"bytes,2,rep"`
	// +listType=atomic
	// +optional
	Validations []Validation `json:"validations,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +default="Fail"
	// +unpublishedDefault
	FailurePolicy *FailurePolicyType `json:"failurePolicy,omitempty" protobuf:"bytes,4,opt"`
	// +listType=atomic
	// +optional
	AuditAnnotations []AuditAnnotation `json:"auditAnnotations,omitempty" protobuf:"bytes,5,rep"`
	// +listType=map
	// +listMapKey=name
	// +optional
	MatchConditions []MatchCondition `json:"matchConditions,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,6,rep"`
	// +listType=map
	// +listMapKey=name
	// +optional
	Variables []Variable `json:"variables,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,7,rep"`
}

// ValidatingAdmissionPolicyStatus is what the server found out about the policy.
type ValidatingAdmissionPolicyStatus struct {
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt"`
	// +optional
	TypeChecking *TypeChecking `json:"typeChecking,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty" protobuf:"bytes,3,rep"`
}

// Validation is one condition with the words of its refusal.
type Validation struct {
	Expression string `json:"expression" protobuf:"bytes,1,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Reason *metav1.StatusReason `json:"reason,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	MessageExpression string `json:"messageExpression,omitempty" protobuf:"bytes,4,opt"`
}

// Variable is a named expression that others may use.
// +structType=atomic
type Variable struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	Expression string `json:"expression" protobuf:"bytes,2,opt"`
}
