package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SelfSubjectReview asks who one is.
// +kubebuilder:resource:path=selfsubjectreviews,scope=Cluster
type SelfSubjectReview struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Status SelfSubjectReviewStatus `json:"status,omitempty" protobuf:"bytes,2,opt"`
}

// ExtraValue holds further values that the authenticator gave.
// +protobuf.nullable=true
type ExtraValue []string

// SelfSubjectReviewStatus is the answer to it.
type SelfSubjectReviewStatus struct {
	// +optional
	UserInfo UserInfo `json:"userInfo,omitempty" protobuf:"bytes,1,opt"`
}

// UserInfo describes a user.
type UserInfo struct {
	// +optional
	Username string `json:"username,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	UID string `json:"uid,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	Groups []string `json:"groups,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	Extra map[string]ExtraValue `json:"extra,omitempty" protobuf:"bytes,4,rep"`
}
