package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LimitRange limits what single pods, containers and claims may ask for.
// +kubebuilder:resource:path=limitranges,shortName=limits
type LimitRange struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec LimitRangeSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
}

// LimitRangeItem is the limits of one sort of object.
type LimitRangeItem struct {
	Type LimitType `json:"type" protobuf:"bytes,1,opt"`
	// +optional
	Max ResourceList `json:"max,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	Min ResourceList `json:"min,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	Default ResourceList `json:"default,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	DefaultRequest ResourceList `json:"defaultRequest,omitempty" protobuf:"bytes,5,rep"`
	// +optional
	MaxLimitRequestRatio ResourceList `json:"maxLimitRequestRatio,omitempty" protobuf:"bytes,6,rep"`
}

// LimitRangeSpec holds the limits.
type LimitRangeSpec struct {
	// +listType=atomic
	Limits []LimitRangeItem `json:"limits" protobuf:"bytes,1,rep"`
}

// LimitType is what a limit is about.
type LimitType string

const (
	LimitTypePod LimitType = "Pod"
	LimitTypeContainer LimitType = "Container"
	LimitTypePersistentVolumeClaim LimitType = "PersistentVolumeClaim"
)
