package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SubjectAccessReview asks whether somebody may do something.
// +kubebuilder:resource:path=subjectaccessreviews,scope=Cluster
type SubjectAccessReview struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec SubjectAccessReviewSpec `json:"spec" protobuf:"bytes,2,opt"`
	// +optional
	Status SubjectAccessReviewStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}
