package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClusterRoleBinding gives a role to somebody everywhere.
// +kubebuilder:resource:path=clusterrolebindings,scope=Cluster
type ClusterRoleBinding struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	Subjects []Subject `json:"subjects,omitempty" protobuf:"bytes,2,rep"`
	// +required
	// +rule:immutable,message="cannot change roleRef"
	RoleRef RoleRef `json:"roleRef" protobuf:"bytes,3,opt"`
}
