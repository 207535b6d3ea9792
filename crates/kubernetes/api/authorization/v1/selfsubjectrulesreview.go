package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SelfSubjectRulesReview asks for everything that one may do in a namespace.
// +kubebuilder:resource:path=selfsubjectrulesreviews,scope=Cluster
type SelfSubjectRulesReview struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec SelfSubjectRulesReviewSpec `json:"spec" protobuf:"bytes,2,opt"`
	// +optional
	Status SubjectRulesReviewStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// NonResourceRule is what may be done to paths.
type NonResourceRule struct {
	// +listType=atomic
	Verbs []string `json:"verbs" protobuf:"bytes,1,rep"`
	// +optional
	// +listType=atomic
	NonResourceURLs []string `json:"nonResourceURLs,omitempty" protobuf:"bytes,2,rep"`
}

// ResourceRule is what may be done to resources.
type ResourceRule struct {
	// +listType=atomic
	Verbs []string `json:"verbs" protobuf:"bytes,1,rep"`
	// +optional
	// +listType=atomic
	APIGroups []string `json:"apiGroups,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +listType=atomic
	Resources []string `json:"resources,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +listType=atomic
	ResourceNames []string `json:"resourceNames,omitempty" protobuf:"bytes,4,rep"`
}

// SelfSubjectRulesReviewSpec is the namespace in question.
type SelfSubjectRulesReviewSpec struct {
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,1,opt"`
}

// SubjectRulesReviewStatus is all that is allowed.
type SubjectRulesReviewStatus struct {
	// +listType=atomic
	ResourceRules []ResourceRule `json:"resourceRules" protobuf:"bytes,1,rep"`
	// +listType=atomic
	NonResourceRules []NonResourceRule `json:"nonResourceRules" protobuf:"bytes,2,rep"`
	Incomplete bool `json:"incomplete" protobuf:"bytes,3,rep"`
	// +optional
	EvaluationError string `json:"evaluationError,omitempty" protobuf:"bytes,4,opt"`
}
