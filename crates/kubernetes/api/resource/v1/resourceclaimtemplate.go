package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ResourceClaimTemplate is what claims are made from.
// +kubebuilder:resource:path=resourceclaimtemplates
type ResourceClaimTemplate struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +k8s:immutable
	Spec ResourceClaimTemplateSpec `json:"spec" protobuf:"bytes,2,name=spec"`
}

// ResourceClaimTemplateSpec is labels, annotations and content of the claims.
type ResourceClaimTemplateSpec struct {
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec ResourceClaimSpec `json:"spec" protobuf:"bytes,2,name=spec"`
}
