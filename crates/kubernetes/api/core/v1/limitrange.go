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
// +rule:cel="self.type != 'PersistentVolumeClaim' || 'storage' in self.min || 'storage' in self.max",reason=Required,at=limits,
//   message="either minimum or maximum storage value is required, but neither was provided"
// +rule:code=limit-range-amounts
type LimitRangeItem struct {
	// +rule:format=qualified-name,ends
	// +rule:cel="self.contains('/') || self in ['Pod', 'Container', 'PersistentVolumeClaim']",message="must be a standard limit type or fully qualified"
	Type LimitType `json:"type" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:keys:code=limit-resource-name
	Max ResourceList `json:"max,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +rule:keys:code=limit-resource-name
	Min ResourceList `json:"min,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +rule:forbidden,when="parent.type == 'Pod'",message="may not be specified when `type` is 'Pod'"
	// +rule:keys:code=limit-resource-name
	Default ResourceList `json:"default,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	// +rule:forbidden,when="parent.type == 'Pod'",message="may not be specified when `type` is 'Pod'"
	// +rule:keys:code=limit-resource-name
	DefaultRequest ResourceList `json:"defaultRequest,omitempty" protobuf:"bytes,5,rep"`
	// +optional
	// +rule:keys:code=limit-resource-name
	MaxLimitRequestRatio ResourceList `json:"maxLimitRequestRatio,omitempty" protobuf:"bytes,6,rep"`
}

// LimitRangeSpec holds the limits.
type LimitRangeSpec struct {
	// +listType=atomic
	// +rule:unique="self.type",at=type
	Limits []LimitRangeItem `json:"limits" protobuf:"bytes,1,rep"`
}

// LimitType is what a limit is about.
type LimitType string

const (
	LimitTypePod LimitType = "Pod"
	LimitTypeContainer LimitType = "Container"
	LimitTypePersistentVolumeClaim LimitType = "PersistentVolumeClaim"
)
