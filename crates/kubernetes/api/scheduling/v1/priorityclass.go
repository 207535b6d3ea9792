package v1

import (
	apiv1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PriorityClass gives pods their importance by name.
// +rule:code=system-priority-class
// +kubebuilder:resource:path=priorityclasses,scope=Cluster,shortName=pc
type PriorityClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +validationRule="self == oldSelf",message="may not be changed in an update.",reason="FieldValueForbidden"
	// +rule:cel="self <= 1000000000",when="!isUpdate && !parent.metadata.name.startsWith('system-')",reason=Forbidden,
	//   message="maximum allowed value of a user defined priority is 1000000000"
	Value int32 `json:"value" protobuf:"bytes,2,opt"`
	// +optional
	GlobalDefault bool `json:"globalDefault,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Description string `json:"description,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +default="PreemptLowerPriority"
	// +unpublishedDefault
	// +rule:immutable
	// +rule:required,when="!isUpdate"
	// +rule:cel="self != ''",when="!isUpdate",reason=Required,ends
	// +rule:oneOf=PreemptLowerPriority;Never,when="!isUpdate"
	PreemptionPolicy *apiv1.PreemptionPolicy `json:"preemptionPolicy,omitempty" protobuf:"bytes,5,opt"`
}
