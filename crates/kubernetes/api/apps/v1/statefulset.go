package v1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

// +kubebuilder:resource:path=statefulsets,shortName=sts,categories=all
type StatefulSet struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec StatefulSetSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status StatefulSetStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

type PersistentVolumeClaimRetentionPolicyType string

const (
	PersistentVolumeClaimRetentionPolicyTypeRetain PersistentVolumeClaimRetentionPolicyType = "Retain"
	PersistentVolumeClaimRetentionPolicyTypeDelete PersistentVolumeClaimRetentionPolicyType = "Delete"
)

// +enum
type PodManagementPolicyType string

const (
	PodManagementPolicyTypeOrderedReady PodManagementPolicyType = "OrderedReady"
	PodManagementPolicyTypeParallel PodManagementPolicyType = "Parallel"
)

type RollingUpdateStatefulSetStrategy struct {
	// +optional
	Partition *int32 `json:"partition,omitempty" protobuf:"varint,1,opt"`
	// +featureGate=MaxUnavailableStatefulSet
	// +optional
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty" protobuf:"varint,2,opt"`
}

type StatefulSetCondition struct {
	Type StatefulSetConditionType `json:"type" protobuf:"bytes,1,opt"`
	Status v1.ConditionStatus `json:"status" protobuf:"bytes,2,opt"`
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,5,opt"`
}

type StatefulSetConditionType string

type StatefulSetOrdinals struct {
	// +optional
	Start int32 `json:"start" protobuf:"varint,1,opt"`
}

type StatefulSetPersistentVolumeClaimRetentionPolicy struct {
	WhenDeleted PersistentVolumeClaimRetentionPolicyType `json:"whenDeleted,omitempty" protobuf:"bytes,1,opt"`
	WhenScaled PersistentVolumeClaimRetentionPolicyType `json:"whenScaled,omitempty" protobuf:"bytes,2,opt"`
}

type StatefulSetSpec struct {
	// +optional
	Replicas *int32 `json:"replicas,omitempty" protobuf:"varint,1,opt"`
	Selector *metav1.LabelSelector `json:"selector" protobuf:"bytes,2,opt"`
	Template v1.PodTemplateSpec `json:"template" protobuf:"bytes,3,opt"`
	// +optional
	// +listType=atomic
	VolumeClaimTemplates []v1.PersistentVolumeClaim `json:"volumeClaimTemplates,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	ServiceName string `json:"serviceName" protobuf:"bytes,5,opt"`
	// +optional
	PodManagementPolicy PodManagementPolicyType `json:"podManagementPolicy,omitempty" protobuf:"bytes,6,opt"`
	UpdateStrategy StatefulSetUpdateStrategy `json:"updateStrategy,omitempty" protobuf:"bytes,7,opt"`
	RevisionHistoryLimit *int32 `json:"revisionHistoryLimit,omitempty" protobuf:"varint,8,opt"`
	// +optional
	MinReadySeconds int32 `json:"minReadySeconds,omitempty" protobuf:"varint,9,opt"`
	// +optional
	PersistentVolumeClaimRetentionPolicy *StatefulSetPersistentVolumeClaimRetentionPolicy `json:"persistentVolumeClaimRetentionPolicy,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	Ordinals *StatefulSetOrdinals `json:"ordinals,omitempty" protobuf:"bytes,11,opt"`
}

type StatefulSetStatus struct {
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt"`
	Replicas int32 `json:"replicas" protobuf:"varint,2,opt"`
	ReadyReplicas int32 `json:"readyReplicas,omitempty" protobuf:"varint,3,opt"`
	CurrentReplicas int32 `json:"currentReplicas,omitempty" protobuf:"varint,4,opt"`
	UpdatedReplicas int32 `json:"updatedReplicas,omitempty" protobuf:"varint,5,opt"`
	CurrentRevision string `json:"currentRevision,omitempty" protobuf:"bytes,6,opt"`
	UpdateRevision string `json:"updateRevision,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	CollisionCount *int32 `json:"collisionCount,omitempty" protobuf:"varint,9,opt"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []StatefulSetCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,10,rep"`
	// +optional
	AvailableReplicas int32 `json:"availableReplicas" protobuf:"varint,11,opt"`
}

type StatefulSetUpdateStrategy struct {
	// +optional
	Type StatefulSetUpdateStrategyType `json:"type,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	RollingUpdate *RollingUpdateStatefulSetStrategy `json:"rollingUpdate,omitempty" protobuf:"bytes,2,opt"`
}

// +enum
type StatefulSetUpdateStrategyType string

const (
	StatefulSetUpdateStrategyTypeRollingUpdate StatefulSetUpdateStrategyType = "RollingUpdate"
	StatefulSetUpdateStrategyTypeOnDelete StatefulSetUpdateStrategyType = "OnDelete"
)
