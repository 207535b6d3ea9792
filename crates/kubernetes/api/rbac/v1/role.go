package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Role lists what may be done in a namespace.
// +kubebuilder:resource:path=roles
type Role struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	Rules []PolicyRule `json:"rules" protobuf:"bytes,2,rep"`
}

// PolicyRule is one thing that may be done.
type PolicyRule struct {
	// +listType=atomic
	// +required
	// +rule:required,message="verbs must contain at least one value"
	Verbs []string `json:"verbs" protobuf:"bytes,1,rep"`
	// +optional
	// +listType=atomic
	// +rule:required,when="parent.nonResourceURLs.size() == 0",message="resource rules must supply at least one api group"
	APIGroups []string `json:"apiGroups,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +listType=atomic
	// +rule:required,when="parent.nonResourceURLs.size() == 0",message="resource rules must supply at least one resource"
	Resources []string `json:"resources,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +listType=atomic
	ResourceNames []string `json:"resourceNames,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	// +listType=atomic
	// +rule:cel="self.size() == 0 || kind != 'Role'",message="namespaced rules cannot apply to non-resource URLs"
	// +rule:cel="self.size() == 0 || parent.apiGroups.size() + parent.resources.size() + parent.resourceNames.size() == 0",
	//   message="rules cannot apply to both regular resources and non-resource URLs"
	NonResourceURLs []string `json:"nonResourceURLs,omitempty" protobuf:"bytes,5,rep"`
}
