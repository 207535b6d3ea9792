package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClusterRole lists what may be done anywhere.
// +kubebuilder:resource:path=clusterroles,scope=Cluster
type ClusterRole struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	Rules []PolicyRule `json:"rules" protobuf:"bytes,2,rep"`
	// +optional
	AggregationRule *AggregationRule `json:"aggregationRule,omitempty" protobuf:"bytes,3,opt"`
}

// AggregationRule gathers the rules of other roles.
type AggregationRule struct {
	// +optional
	// +listType=atomic
	// +rule:required,message="at least one clusterRoleSelector required if aggregationRule is non-nil"
	// +rule:valid
	// +rule:each:code=readable-selector
	ClusterRoleSelectors []metav1.LabelSelector `json:"clusterRoleSelectors,omitempty" protobuf:"bytes,1,rep"`
}
