package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SelfSubjectAccessReview asks whether one may do something oneself.
// +kubebuilder:resource:path=selfsubjectaccessreviews,scope=Cluster
type SelfSubjectAccessReview struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec SelfSubjectAccessReviewSpec `json:"spec" protobuf:"bytes,2,opt"`
	// +optional
	Status SubjectAccessReviewStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// SelfSubjectAccessReviewSpec is what one wants to do.
// +rule:cel="has(self.resourceAttributes) || has(self.nonResourceAttributes)",at=resourceAttributes,value="null",message="exactly one of nonResourceAttributes or resourceAttributes must be specified"
type SelfSubjectAccessReviewSpec struct {
	// +optional
	ResourceAttributes *ResourceAttributes `json:"resourceAttributes,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:cel="!has(parent.resourceAttributes)",message="cannot be specified in combination with resourceAttributes"
	NonResourceAttributes *NonResourceAttributes `json:"nonResourceAttributes,omitempty" protobuf:"bytes,2,opt"`
}
