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
type SelfSubjectAccessReviewSpec struct {
	// +optional
	ResourceAttributes *ResourceAttributes `json:"resourceAttributes,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	NonResourceAttributes *NonResourceAttributes `json:"nonResourceAttributes,omitempty" protobuf:"bytes,2,opt"`
}
