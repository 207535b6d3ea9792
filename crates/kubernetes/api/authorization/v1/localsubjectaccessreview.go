package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LocalSubjectAccessReview asks whether somebody may do something in one namespace.
// +kubebuilder:resource:path=localsubjectaccessreviews
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
type FieldSelectorAttributes struct {
	// +optional
	RawSelector string `json:"rawSelector,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	Requirements []metav1.FieldSelectorRequirement `json:"requirements,omitempty" protobuf:"bytes,2,rep"`
}

// LabelSelectorAttributes is the label selector of a request.
type LabelSelectorAttributes struct {
	// +optional
	RawSelector string `json:"rawSelector,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
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
type SubjectAccessReviewSpec struct {
	// +optional
	ResourceAttributes *ResourceAttributes `json:"resourceAttributes,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	NonResourceAttributes *NonResourceAttributes `json:"nonResourceAttributes,omitempty" protobuf:"bytes,2,opt"`
	// +optional
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
