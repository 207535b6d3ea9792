package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PersistentVolumeClaim asks for storage.
// +rule:shared
// +rule:let:knownClass="'volume.beta.kubernetes.io/storage-class' in oldSelf.metadata.annotations ? oldSelf.metadata.annotations['volume.beta.kubernetes.io/storage-class'] : ''"
// +rule:let:givenClass="'volume.beta.kubernetes.io/storage-class' in self.metadata.annotations ? self.metadata.annotations['volume.beta.kubernetes.io/storage-class'] : ''"
// +rule:let:classMoves="'volume.beta.kubernetes.io/storage-class' in oldSelf.metadata.annotations && !has(oldSelf.spec.storageClassName) && has(self.spec.storageClassName) && self.spec.storageClassName == knownClass && (!('volume.beta.kubernetes.io/storage-class' in self.metadata.annotations) || givenClass == knownClass)"
// +rule:let:knownSize="'storage' in oldSelf.spec.resources.requests ? quantity(oldSelf.spec.resources.requests['storage']) : quantity('0')"
// +rule:let:givenSize="'storage' in self.spec.resources.requests ? quantity(self.spec.resources.requests['storage']) : quantity('0')"
// +rule:let:capacity="'storage' in oldSelf.status.capacity ? quantity(oldSelf.status.capacity['storage']) : quantity('0')"
// +rule:cel="classMoves || givenClass == knownClass",when="isUpdate",at=metadata.annotations.volume.beta.kubernetes.io/storage-class,value="givenClass",message="field is immutable"
// +rule:code=claim-changes
// +rule:cel="givenSize.compareTo(knownSize) >= 0 || givenSize.isGreaterThan(capacity)",when="isUpdate",reason=Forbidden,at=spec.resources.requests.storage,message="field can not be less than status.capacity"
// +rule:cel="self.spec.volumeMode == oldSelf.spec.volumeMode && has(self.spec.volumeMode) == has(oldSelf.spec.volumeMode)",at=volumeMode,value="has(self.spec.volumeMode) ? dyn(self.spec.volumeMode) : dyn(null)",message="field is immutable"
// +rule:cel="has(self.spec.volumeAttributesClassName) || !has(oldSelf.spec.volumeAttributesClassName) || !has(oldSelf.status.currentVolumeAttributesClassName)",reason=Forbidden,at=spec.volumeAttributesClassName,message="update to nil is forbidden when status.currentVolumeAttributesClassName is not nil"
// +rule:cel="!has(self.spec.volumeAttributesClassName) || self.spec.volumeAttributesClassName != '' || (has(oldSelf.spec.volumeAttributesClassName) && oldSelf.spec.volumeAttributesClassName == '') || !has(oldSelf.status.currentVolumeAttributesClassName)",reason=Forbidden,at=spec.volumeAttributesClassName,message="update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil"
// +kubebuilder:resource:path=persistentvolumeclaims,shortName=pvc
type PersistentVolumeClaim struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:valid
	Spec PersistentVolumeClaimSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=status
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
// +rule:shared
// +rule:wrong:allowInvalidSelectorValues="[oldSelf.selector]"
// +rule:let:allowAnySourceGroup="has(oldSelf.dataSource.apiGroup) || has(oldSelf.dataSourceRef.apiGroup)"
// +rule:cel="!has(self.dataSource) || !has(self.dataSourceRef) || self.dataSourceRef.namespace == ''",value="{}",message="may not be specified when dataSourceRef.namespace is specified"
// +rule:cel="!has(self.dataSource) || !has(self.dataSourceRef) || self.dataSourceRef.namespace != '' || (self.dataSource.kind == self.dataSourceRef.kind && self.dataSource.name == self.dataSourceRef.name && has(self.dataSource.apiGroup) == has(self.dataSourceRef.apiGroup) && self.dataSource.apiGroup == self.dataSourceRef.apiGroup)",value="{}",message="must match dataSourceRef"
type PersistentVolumeClaimSpec struct {
	// +optional
	// +listType=atomic
	// +rule:required,message="at least 1 access mode is required"
	// +rule:cel="!('ReadWriteOncePod' in self) || !self.exists(m, m in ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce'])",reason=Forbidden,message="may not use ReadWriteOncePod with other access modes"
	// +rule:each:oneOf=ReadOnlyMany;ReadWriteMany;ReadWriteOnce;ReadWriteOncePod,at=^
	AccessModes []PersistentVolumeAccessMode `json:"accessModes,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +rule:valid
	Selector *metav1.LabelSelector `json:"selector,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +rule:cel="'storage' in self.requests",reason=Required,at=[storage],ends
	// +rule:cel="quantity(self.requests['storage']).isGreaterThan(quantity('0'))",at=[storage],value="self.requests['storage']",message="must be greater than zero"
	Resources VolumeResourceRequirements `json:"resources,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	VolumeName string `json:"volumeName,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:format=dns-subdomain,when="self != ''"
	StorageClassName *string `json:"storageClassName,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +default="Filesystem"
	// +unpublishedDefault
	// +rule:oneOf=Block;Filesystem
	VolumeMode *PersistentVolumeMode `json:"volumeMode,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +rule:valid
	DataSource *TypedLocalObjectReference `json:"dataSource,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	// +rule:valid
	DataSourceRef *TypedObjectReference `json:"dataSourceRef,omitempty" protobuf:"bytes,8,opt"`
	// +featureGate=VolumeAttributesClass
	// +optional
	// +rule:format=dns-subdomain,when="self != ''"
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
	// +rule:values:cel="quantity(self).isGreaterThan(quantity('-1'))",value="int(quantity(self).asApproximateFloat())",message="must be a valid resource quantity"
	Capacity ResourceList `json:"capacity,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []PersistentVolumeClaimCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,4,rep"`
	// +optional
	// +rule:keys:format=qualified-name,at=^,ends
	// +rule:keys:cel="self.problems('qualified-name').size() > 0 || self == 'storage' || (self.contains('/') && !self.contains('kubernetes.io/'))",reason=NotSupported,at=^,message="supported values: \"storage\"",ends
	// +rule:values:cel="quantity(self).isGreaterThan(quantity('-1'))",value="int(quantity(self).asApproximateFloat())",message="must be a valid resource quantity",ends
	// +rule:values:cel="!quantity(self).isLessThan(quantity('0'))",message="must be greater than or equal to 0"
	AllocatedResources ResourceList `json:"allocatedResources,omitempty" protobuf:"bytes,5,rep"`
	// +mapType=granular
	// +optional
	// +rule:keys:format=qualified-name,at=^
	// +rule:keys:cel="self.problems('qualified-name').size() > 0 || self == 'storage' || (self.contains('/') && !self.contains('kubernetes.io/'))",reason=NotSupported,at=^,message="supported values: \"storage\""
	// +rule:values:oneOf=ControllerResizeInProgress;ControllerResizeInfeasible;NodeResizeInProgress;NodeResizeInfeasible;NodeResizePending,at=^,value="key"
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
