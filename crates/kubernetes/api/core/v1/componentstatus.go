package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ComponentStatus tells how a part of the control plane is.
// +kubebuilder:resource:path=componentstatuses,scope=Cluster,shortName=cs
type ComponentStatus struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []ComponentCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,2,rep"`
}

// ComponentCondition is something that is known about a component.
type ComponentCondition struct {
	Type ComponentConditionType `json:"type" protobuf:"bytes,1,opt"`
	Status ConditionStatus `json:"status" protobuf:"bytes,2,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Error string `json:"error,omitempty" protobuf:"bytes,4,opt"`
}

// ComponentConditionType tells conditions of a component apart.
type ComponentConditionType string

const (
	ComponentConditionTypeHealthy ComponentConditionType = "Healthy"
)
