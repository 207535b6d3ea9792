package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// IngressClass is which controller serves ingresses of the class.
// +kubebuilder:resource:path=ingressclasses,scope=Cluster
type IngressClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec IngressClassSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
}

// IngressClassParametersReference is the object with the parameters of a class.
type IngressClassParametersReference struct {
	// +optional
	// +rule:format=dns-subdomain
	APIGroup *string `json:"apiGroup,omitempty" protobuf:"bytes,1,opt"`
	// +required
	// +k8s:required
	// +rule:required
	// +rule:format=path-segment-name
	Kind string `json:"kind" protobuf:"bytes,2,opt"`
	// +required
	// +k8s:required
	// +rule:required
	// +rule:format=path-segment-name
	Name string `json:"name" protobuf:"bytes,3,opt"`
	// +default="Cluster"
	// +unpublishedDefault
	// +optional
	// +rule:required
	// +rule:oneOf=Cluster;Namespace
	Scope *string `json:"scope" protobuf:"bytes,4,opt"`
	// +optional
	// +rule:required,when="parent.scope == 'Namespace'",message="`parameters.scope` is set to 'Namespace'"
	// +rule:forbidden,when="parent.scope == 'Cluster'",message="`parameters.scope` is set to 'Cluster'"
	// +rule:format=dns-label,when="parent.scope == 'Namespace'"
	Namespace *string `json:"namespace,omitempty" protobuf:"bytes,5,opt"`
}

// IngressClassSpec is controller and parameters of a class.
type IngressClassSpec struct {
	// +rule:immutable
	// +rule:maxBytes=250
	// +rule:required
	// +rule:cel="self.matches('^[^/]+/(?s:.)+$')",message="must be a domain-prefixed path (such as \"acme.io/foo\")",ends
	// +rule:cel="self.split('/')[0].problems('dns-subdomain').size() == 0",
	//   messageExpression="self.split('/')[0].problems('dns-subdomain')",value="self.split('/')[0]"
	// +rule:cel="self.matches('^[^/]+/[A-Za-z0-9/._~%!$&\\'()*+,;=:-]+$')",value="self.substring(self.indexOf('/') + 1)",
	//   message="Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"
	Controller string `json:"controller,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +k8s:optional
	Parameters *IngressClassParametersReference `json:"parameters,omitempty" protobuf:"bytes,2,opt"`
}
