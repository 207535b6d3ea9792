package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// RoleBinding gives a role to somebody in a namespace.
// +kubebuilder:resource:path=rolebindings
type RoleBinding struct {
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

// RoleRef names the role that is given.
// +structType=atomic
type RoleRef struct {
	// +optional
	// +rule:oneOf=rbac.authorization.k8s.io
	APIGroup string `json:"apiGroup" protobuf:"bytes,1,opt"`
	// +required
	// +rule:oneOf=Role;ClusterRole,when="kind == 'RoleBinding'"
	// +rule:oneOf=ClusterRole,when="kind == 'ClusterRoleBinding'"
	Kind string `json:"kind" protobuf:"bytes,2,opt"`
	// +required
	// +rule:required
	// +rule:format=path-segment-name
	Name string `json:"name" protobuf:"bytes,3,opt"`
}

// Subject names who gets it.
// +structType=atomic
type Subject struct {
	// +required
	// +rule:oneOf=ServiceAccount;User;Group
	Kind string `json:"kind" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:cel="self == ''",when="parent.kind == 'ServiceAccount'",reason=NotSupported,message=`supported values: ""`
	// +rule:oneOf=rbac.authorization.k8s.io,when="parent.kind in ['User', 'Group']"
	APIGroup string `json:"apiGroup,omitempty" protobuf:"bytes,2,opt"`
	// +required
	// +rule:required
	// +rule:format=dns-subdomain,when="parent.kind == 'ServiceAccount'"
	Name string `json:"name" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:required,when="kind == 'ClusterRoleBinding' && parent.kind == 'ServiceAccount'"
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,4,opt"`
}
