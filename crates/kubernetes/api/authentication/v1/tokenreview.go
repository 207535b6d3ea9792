package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TokenReview asks whose token something is.
// +kubebuilder:resource:path=tokenreviews,scope=Cluster
type TokenReview struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +required
	Spec TokenReviewSpec `json:"spec" protobuf:"bytes,2,opt"`
	// +optional
	Status TokenReviewStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// TokenReviewSpec is the token in question.
type TokenReviewSpec struct {
	// +required
	Token string `json:"token,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	Audiences []string `json:"audiences,omitempty" protobuf:"bytes,2,rep"`
}

// TokenReviewStatus is the answer to it.
type TokenReviewStatus struct {
	// +optional
	Authenticated bool `json:"authenticated,omitempty" protobuf:"varint,1,opt"`
	// +optional
	User UserInfo `json:"user,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	Audiences []string `json:"audiences,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	Error string `json:"error,omitempty" protobuf:"bytes,3,opt"`
}
