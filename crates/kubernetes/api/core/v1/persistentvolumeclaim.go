package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PersistentVolumeClaim asks for storage.
// +kubebuilder:resource:path=persistentvolumeclaims,shortName=pvc
type PersistentVolumeClaim struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec PersistentVolumeClaimSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status PersistentVolumeClaimStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// ClaimResourceStatus is how far a change of size is.
// +enum
type ClaimResourceStatus string

const (
	ClaimResourceStatusControllerResizeInProgress ClaimResourceStatus = "ControllerResizeInProgress"
	ClaimResourceStatusControllerResizeInfeasible ClaimResourceStatus = "ControllerResizeInfeasible"
	ClaimResourceStatusNodeResizePending ClaimResourceStatus = "NodeResizePending"
	ClaimResourceStatusNodeResizeInProgress ClaimResourceStatus = "NodeResizeInProgress"
	ClaimResourceStatusNodeResizeInfeasible ClaimResourceStatus = "NodeResizeInfeasible"
)

// ModifyVolumeStatus is how far a change of settings is.
type ModifyVolumeStatus struct {
	TargetVolumeAttributesClassName string `json:"targetVolumeAttributesClassName,omitempty" protobuf:"bytes,1,opt"`
	Status PersistentVolumeClaimModifyVolumeStatus `json:"status" protobuf:"bytes,2,opt"`
}

// PersistentVolumeClaimCondition is something that is known about a claim.
type PersistentVolumeClaimCondition struct {
	Type PersistentVolumeClaimConditionType `json:"type" protobuf:"bytes,1,opt"`
	Status ConditionStatus `json:"status" protobuf:"bytes,2,opt"`
	// +optional
	LastProbeTime metav1.Time `json:"lastProbeTime,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,6,opt"`
}

// PersistentVolumeClaimConditionType tells conditions of a claim apart.
type PersistentVolumeClaimConditionType string

const (
	PersistentVolumeClaimConditionTypeResizing PersistentVolumeClaimConditionType = "Resizing"
	PersistentVolumeClaimConditionTypeFileSystemResizePending PersistentVolumeClaimConditionType = "FileSystemResizePending"
	PersistentVolumeClaimConditionTypeControllerResizeError PersistentVolumeClaimConditionType = "ControllerResizeError"
	PersistentVolumeClaimConditionTypeNodeResizeError PersistentVolumeClaimConditionType = "NodeResizeError"
	PersistentVolumeClaimConditionTypeModifyVolumeError PersistentVolumeClaimConditionType = "ModifyVolumeError"
	PersistentVolumeClaimConditionTypeModifyingVolume PersistentVolumeClaimConditionType = "ModifyingVolume"
	PersistentVolumeClaimConditionTypeUnused PersistentVolumeClaimConditionType = "Unused"
)

// PersistentVolumeClaimModifyVolumeStatus is the state of a change of settings.
// +enum
type PersistentVolumeClaimModifyVolumeStatus string

const (
	PersistentVolumeClaimModifyVolumeStatusPending PersistentVolumeClaimModifyVolumeStatus = "Pending"
	PersistentVolumeClaimModifyVolumeStatusInProgress PersistentVolumeClaimModifyVolumeStatus = "InProgress"
	PersistentVolumeClaimModifyVolumeStatusInfeasible PersistentVolumeClaimModifyVolumeStatus = "Infeasible"
)

// PersistentVolumeClaimPhase is how far a claim is.
// +enum
type PersistentVolumeClaimPhase string

const (
	PersistentVolumeClaimPhasePending PersistentVolumeClaimPhase = "Pending"
	PersistentVolumeClaimPhaseBound PersistentVolumeClaimPhase = "Bound"
	PersistentVolumeClaimPhaseLost PersistentVolumeClaimPhase = "Lost"
)

// PersistentVolumeClaimSpec is the storage that is asked for.
type PersistentVolumeClaimSpec struct {
	// +optional
	// +listType=atomic
	AccessModes []PersistentVolumeAccessMode `json:"accessModes,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Resources VolumeResourceRequirements `json:"resources,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	VolumeName string `json:"volumeName,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	StorageClassName *string `json:"storageClassName,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +default="Filesystem"
	// +unpublishedDefault
	VolumeMode *PersistentVolumeMode `json:"volumeMode,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	DataSource *TypedLocalObjectReference `json:"dataSource,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	DataSourceRef *TypedObjectReference `json:"dataSourceRef,omitempty" protobuf:"bytes,8,opt"`
	// +featureGate=VolumeAttributesClass
	// +optional
	VolumeAttributesClassName *string `json:"volumeAttributesClassName,omitempty" protobuf:"bytes,9,opt"`
}

// PersistentVolumeClaimStatus is what a claim got.
type PersistentVolumeClaimStatus struct {
	// +optional
	// +default="Pending"
	// +unpublishedDefault
	Phase PersistentVolumeClaimPhase `json:"phase,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	AccessModes []PersistentVolumeAccessMode `json:"accessModes,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	Capacity ResourceList `json:"capacity,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []PersistentVolumeClaimCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,4,rep"`
	// +optional
	AllocatedResources ResourceList `json:"allocatedResources,omitempty" protobuf:"bytes,5,rep"`
	// +mapType=granular
	// +optional
	AllocatedResourceStatuses map[ResourceName]ClaimResourceStatus `json:"allocatedResourceStatuses,omitempty" protobuf:"bytes,7,rep"`
	// +featureGate=VolumeAttributesClass
	// +optional
	CurrentVolumeAttributesClassName *string `json:"currentVolumeAttributesClassName,omitempty" protobuf:"bytes,8,opt"`
	// +featureGate=VolumeAttributesClass
	// +optional
	ModifyVolumeStatus *ModifyVolumeStatus `json:"modifyVolumeStatus,omitempty" protobuf:"bytes,9,opt"`
}

// VolumeResourceRequirements is how much storage is asked for.
type VolumeResourceRequirements struct {
	// +optional
	Limits ResourceList `json:"limits,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	Requests ResourceList `json:"requests,omitempty" protobuf:"bytes,2,rep"`
}
