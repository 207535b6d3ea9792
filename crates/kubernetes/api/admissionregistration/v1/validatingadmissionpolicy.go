package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ValidatingAdmissionPolicy holds conditions in CEL that writes must meet.
// +kubebuilder:resource:path=validatingadmissionpolicies,scope=Cluster,categories=api-extensions
// +rule:as=policy
type ValidatingAdmissionPolicy struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec ValidatingAdmissionPolicySpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=status
	Status ValidatingAdmissionPolicyStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// AuditAnnotation is an expression whose value is added to the audit log.
type AuditAnnotation struct {
	// +rule:cel="policy.metadata.name != ''",message="requires metadata.name be non-empty",ends
	// +rule:cel="(policy.metadata.name + '/' + self).problems('qualified-name').size() == 0",value="policy.metadata.name + '/' + self",
	//   messageExpression="(policy.metadata.name + '/' + self).problems('qualified-name')"
	Key string `json:"key" protobuf:"bytes,1,opt"`
	// +rule:cel="self.trim() != ''",reason=Required,message="valueExpression is not specified",ends
	// +rule:cel="bytes(self.trim()).size() <= 5120",reason=Required,message="must not exceed 5120 bytes in length"
	ValueExpression string `json:"valueExpression" protobuf:"bytes,2,opt"`
}

// ExpressionWarning is what type checking found in an expression.
type ExpressionWarning struct {
	// +rule:cel="self.trim() != ''",reason=Required
	FieldRef string `json:"fieldRef" protobuf:"bytes,2,opt"`
	// +rule:required
	Warning string `json:"warning" protobuf:"bytes,3,opt"`
}

// MatchResources says which requests are meant.
// +structType=atomic
type MatchResources struct {
	// +optional
	// +default={}
	// +unpublishedDefault
	// +rule:required
	// +rule:valid
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +default={}
	// +unpublishedDefault
	// +rule:required
	// +rule:valid
	ObjectSelector *metav1.LabelSelector `json:"objectSelector,omitempty" protobuf:"bytes,2,opt"`
	// +listType=atomic
	// +optional
	// +rule:let:inResourceRules="true"
	// +rule:required,when="kind.endsWith('Policy')"
	ResourceRules []NamedRuleWithOperations `json:"resourceRules,omitempty" protobuf:"bytes,3,rep"`
	// +listType=atomic
	// +optional
	ExcludeResourceRules []NamedRuleWithOperations `json:"excludeResourceRules,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	// +default="Equivalent"
	// +unpublishedDefault
	// +rule:required
	// +rule:oneOf=Equivalent;Exact
	MatchPolicy *MatchPolicyType `json:"matchPolicy,omitempty" protobuf:"bytes,7,opt"`
}

// NamedRuleWithOperations is a rule for objects of some names.
// +structType=atomic
type NamedRuleWithOperations struct {
	// +listType=atomic
	// +optional
	// +rule:each:format=path-segment-name
	// +rule:unique="self"
	ResourceNames []string `json:"resourceNames,omitempty" protobuf:"bytes,1,rep"`
	RuleWithOperations `json:",inline" protobuf:"bytes,2,opt"`
}

// ParamKind is the kind of objects that give parameters.
// +structType=atomic
// +rule:let:paramGroup="self.apiVersion.contains('/') ? self.apiVersion.split('/')[0] : ''"
// +rule:let:paramVersion="self.apiVersion.contains('/') ? self.apiVersion.split('/')[1] : self.apiVersion"
type ParamKind struct {
	// +rule:required
	// +rule:cel="self.indexOf('/') == self.lastIndexOf('/')",messageExpression="'unexpected GroupVersion string: ' + self",ends
	// +rule:cel="paramGroup.problems('dns-subdomain').size() == 0",when="paramGroup != ''",value="paramGroup",messageExpression="paramGroup.problems('dns-subdomain').join(',')"
	// +rule:cel="paramVersion != ''",message="version must be specified",ends
	// +rule:cel="paramVersion.problems('dns-1035-label').size() == 0",value="paramVersion",messageExpression="paramVersion.problems('dns-1035-label').join(',')"
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,1,rep"`
	// +rule:required
	// +rule:cel="self.lowerAscii().problems('dns-1035-label').size() == 0",
	//   messageExpression="'may have mixed case, but should otherwise match: ' + self.lowerAscii().problems('dns-1035-label').join(',')"
	Kind string `json:"kind,omitempty" protobuf:"bytes,2,rep"`
}

// TypeChecking lists what type checking found.
type TypeChecking struct {
	// +optional
	// +listType=atomic
	ExpressionWarnings []ExpressionWarning `json:"expressionWarnings,omitempty" protobuf:"bytes,1,rep"`
}

// ValidatingAdmissionPolicySpec says what is matched and which conditions hold.
// +rule:let:sameConditions="isUpdate && self.paramKind == oldSelf.paramKind && self.matchConditions == oldSelf.matchConditions"
type ValidatingAdmissionPolicySpec struct {
	// +optional
	ParamKind *ParamKind `json:"paramKind,omitempty" protobuf:"bytes,1,rep"`
	// +rule:required
	MatchConstraints *MatchResources `json:"matchConstraints,omitempty" protobuf:"bytes,2,rep"`
	// +listType=atomic
	// +optional
	// +rule:required,when="parent.auditAnnotations.size() == 0",message="validations or auditAnnotations must contain at least one item"
	Validations []Validation `json:"validations,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +default="Fail"
	// +unpublishedDefault
	// +rule:required
	// +rule:oneOf=Fail;Ignore
	FailurePolicy *FailurePolicyType `json:"failurePolicy,omitempty" protobuf:"bytes,4,opt"`
	// +listType=atomic
	// +optional
	// +rule:required,when="parent.validations.size() == 0",message="validations or auditAnnotations must contain at least one item"
	// +rule:cel="self.size() <= 20",message="must not have more than 20 auditAnnotations"
	// +rule:unique="self.key",at=key
	AuditAnnotations []AuditAnnotation `json:"auditAnnotations,omitempty" protobuf:"bytes,5,rep"`
	// +listType=map
	// +listMapKey=name
	// +optional
	// +rule:skip,when="sameConditions"
	// +rule:maxItems=64
	// +rule:unique="self.name",at=name,when="self.name != ''"
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
	// +rule:valid
	// +rule:unique="self.type",at=type
	Conditions []metav1.Condition `json:"conditions,omitempty" protobuf:"bytes,3,rep"`
}

// Validation is one condition with the words of its refusal.
type Validation struct {
	// +rule:cel="self.trim() != ''",reason=Required,message="expression is not specified"
	Expression string `json:"expression" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:cel="self == '' || self.trim() != ''",message="must be non-empty if specified",ends
	// +rule:cel=`!self.trim().matches('[\n\r]')`,message="must not contain line breaks"
	Message string `json:"message,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:oneOf=Forbidden;Invalid;RequestEntityTooLarge
	Reason *metav1.StatusReason `json:"reason,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:cel="self == '' || self.trim() != ''",message="must be non-empty if specified",ends
	MessageExpression string `json:"messageExpression,omitempty" protobuf:"bytes,4,opt"`
}

// Variable is a named expression that others may use.
// +structType=atomic
type Variable struct {
	// +rule:cel="self.trim() != ''",reason=Required,message="name is not specified",ends
	// +rule:cel="self.matches('^[_a-zA-Z][_a-zA-Z0-9]*$') && !(self in ['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while'])",
	//   message="must be a valid CEL identifier"
	Name string `json:"name" protobuf:"bytes,1,opt"`
	// +rule:cel="self.trim() != ''",reason=Required,message="expression is not specified"
	Expression string `json:"expression" protobuf:"bytes,2,opt"`
}
