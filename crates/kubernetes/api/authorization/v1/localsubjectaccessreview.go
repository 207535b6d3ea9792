package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LocalSubjectAccessReview asks whether somebody may do something in one namespace.
// +kubebuilder:resource:path=localsubjectaccessreviews
// +rule:cel="!has(self.spec.resourceAttributes) || self.spec.resourceAttributes.namespace == self.metadata.namespace",at=spec.resourceAttributes.namespace,value="self.spec.resourceAttributes.namespace",message="must match metadata.namespace"
// +rule:cel="!has(self.spec.nonResourceAttributes)",at=spec.nonResourceAttributes,value="self.spec.nonResourceAttributes",message="disallowed on this kind of request"
type LocalSubjectAccessReview struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec SubjectAccessReviewSpec `json:"spec" protobuf:"bytes,2,opt"`
	// +optional
	Status SubjectAccessReviewStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// ExtraValue holds further values that the authenticator gave.
// +protobuf.nullable=true
type ExtraValue []string

// FieldSelectorAttributes is the field selector of a request.
// +rule:cel="self.rawSelector == '' || self.requirements.size() == 0",at=rawSelector,value="self.rawSelector",message="may not specified at the same time as requirements"
// +rule:cel="self.rawSelector != '' || self.requirements.size() > 0",at=requirements,reason=Required,message="when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required"
type FieldSelectorAttributes struct {
	// +optional
	RawSelector string `json:"rawSelector,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	// Operators that are not known pass: newer clients may have some.
	// +rule:each:cel="!(self.operator in ['In', 'NotIn']) || self.values.size() > 0",at=values,reason=Required,message="must be specified when `operator` is 'In' or 'NotIn'"
	// +rule:each:cel="!(self.operator in ['Exists', 'DoesNotExist']) || self.values.size() == 0",at=values,reason=Forbidden,message="may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
	// +rule:each:cel="self.key != ''",at=key,reason=Required,message="must be specified"
	Requirements []metav1.FieldSelectorRequirement `json:"requirements,omitempty" protobuf:"bytes,2,rep"`
}

// LabelSelectorAttributes is the label selector of a request.
// +rule:cel="self.rawSelector == '' || self.requirements.size() == 0",at=rawSelector,value="self.rawSelector",message="may not specified at the same time as requirements"
// +rule:cel="self.rawSelector != '' || self.requirements.size() > 0",at=requirements,reason=Required,message="when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required"
type LabelSelectorAttributes struct {
	// +optional
	RawSelector string `json:"rawSelector,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	// Operators that are not known pass: newer clients may have some.
	// +rule:each:cel="!(self.operator in ['In', 'NotIn']) || self.values.size() > 0",at=values,reason=Required,message="must be specified when `operator` is 'In' or 'NotIn'"
	// +rule:each:cel="!(self.operator in ['Exists', 'DoesNotExist']) || self.values.size() == 0",at=values,reason=Forbidden,message="may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
	// +rule:each:code=selector-labels
	Requirements []metav1.LabelSelectorRequirement `json:"requirements,omitempty" protobuf:"bytes,2,rep"`
}

// NonResourceAttributes describes a request for a path.
type NonResourceAttributes struct {
	// +optional
	Path string `json:"path,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Verb string `json:"verb,omitempty" protobuf:"bytes,2,opt"`
}

// ResourceAttributes describes a request for a resource.
type ResourceAttributes struct {
	// +optional
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Verb string `json:"verb,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Group string `json:"group,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Version string `json:"version,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Resource string `json:"resource,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	Subresource string `json:"subresource,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	Name string `json:"name,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	FieldSelector *FieldSelectorAttributes `json:"fieldSelector,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	LabelSelector *LabelSelectorAttributes `json:"labelSelector,omitempty" protobuf:"bytes,9,opt"`
}

// SubjectAccessReviewSpec is who wants to do what.
// +rule:cel="has(self.resourceAttributes) || has(self.nonResourceAttributes)",at=resourceAttributes,value="null",message="exactly one of nonResourceAttributes or resourceAttributes must be specified"
type SubjectAccessReviewSpec struct {
	// +optional
	ResourceAttributes *ResourceAttributes `json:"resourceAttributes,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:cel="!has(parent.resourceAttributes)",message="cannot be specified in combination with resourceAttributes"
	NonResourceAttributes *NonResourceAttributes `json:"nonResourceAttributes,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:cel="self != '' || parent.groups.size() > 0",message="at least one of user or group must be specified"
	User string `json:"user,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +listType=atomic
	Groups []string `json:"groups,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	Extra map[string]ExtraValue `json:"extra,omitempty" protobuf:"bytes,5,rep"`
	// +optional
	UID string `json:"uid,omitempty" protobuf:"bytes,6,opt"`
}

// SubjectAccessReviewStatus is whether it is allowed.
type SubjectAccessReviewStatus struct {
	Allowed bool `json:"allowed" protobuf:"varint,1,opt"`
	// +optional
	Denied bool `json:"denied,omitempty" protobuf:"varint,4,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	EvaluationError string `json:"evaluationError,omitempty" protobuf:"bytes,3,opt"`
}
