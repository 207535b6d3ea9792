package v1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

// StatefulSet keeps pods with lasting names and volumes of their own.
// +k8s:supportsSubresource="/status"
// +kubebuilder:resource:path=statefulsets,shortName=sts,categories=all
type StatefulSet struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec StatefulSetSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=status
	Status StatefulSetStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// PersistentVolumeClaimRetentionPolicyType says whether claims outlive their pods.
type PersistentVolumeClaimRetentionPolicyType string

const (
	PersistentVolumeClaimRetentionPolicyTypeRetain PersistentVolumeClaimRetentionPolicyType = "Retain"
	PersistentVolumeClaimRetentionPolicyTypeDelete PersistentVolumeClaimRetentionPolicyType = "Delete"
)

// PodManagementPolicyType says whether pods start one after the other.
// +enum
type PodManagementPolicyType string

const (
	PodManagementPolicyTypeOrderedReady PodManagementPolicyType = "OrderedReady"
	PodManagementPolicyTypeParallel PodManagementPolicyType = "Parallel"
)

// RollingUpdateStatefulSetStrategy says which pods are replaced, and how many at a time.
type RollingUpdateStatefulSetStrategy struct {
	// +optional
	// +k8s:minimum=0
	Partition *int32 `json:"partition,omitempty" protobuf:"varint,1,opt"`
	// +featureGate=MaxUnavailableStatefulSet
	// +optional
	// +rule:format=percent
	// +rule:minimum=0
	// +rule:cel="type(self) == int ? self != 0 : self.matches('^([0-9]*[1-9][0-9]*%?|[+-][0-9]*[1-9][0-9]*)$')",message="cannot be 0"
	// +rule:cel="type(self) == int || !self.matches('^[0-9]+%$') || self.matches('^0*(100|[0-9]{1,2})%$')",message="must not be greater than 100%"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty" protobuf:"varint,2,opt"`
}

// StatefulSetCondition is one aspect of how the set stands.
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

// StatefulSetConditionType names an aspect of a set.
type StatefulSetConditionType string

// StatefulSetOrdinals says where the numbers of pods begin.
type StatefulSetOrdinals struct {
	// +optional
	// +k8s:minimum=0
	Start int32 `json:"start" protobuf:"varint,1,opt"`
}

// StatefulSetPersistentVolumeClaimRetentionPolicy says what becomes of claims.
type StatefulSetPersistentVolumeClaimRetentionPolicy struct {
	// +default="Retain"
	// +unpublishedDefault
	// +rule:oneOf=Retain;Delete
	WhenDeleted PersistentVolumeClaimRetentionPolicyType `json:"whenDeleted,omitempty" protobuf:"bytes,1,opt"`
	// +default="Retain"
	// +unpublishedDefault
	// +rule:oneOf=Retain;Delete
	WhenScaled PersistentVolumeClaimRetentionPolicyType `json:"whenScaled,omitempty" protobuf:"bytes,2,opt"`
}

// StatefulSetSpec is the wanted state of a StatefulSet.
// +rule:wrong:hasWrongSelector="[self.selector]"
// +rule:cel="self.serviceName == oldSelf.serviceName && self.podManagementPolicy == oldSelf.podManagementPolicy && self.selector == oldSelf.selector && self.volumeClaimTemplates == oldSelf.volumeClaimTemplates",reason=Forbidden,
//   message="updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
type StatefulSetSpec struct {
	// +optional
	// +default=1
	// +unpublishedDefault
	// +k8s:minimum=0
	Replicas *int32 `json:"replicas,omitempty" protobuf:"varint,1,opt"`
	// +rule:required
	// +rule:valid
	// +rule:cel="self.matchLabels.size() + self.matchExpressions.size() > 0",message="empty selector is invalid for statefulset"
	// +rule:cel="!hasWrongSelector"
	Selector *metav1.LabelSelector `json:"selector" protobuf:"bytes,2,opt"`
	// +rule:cel="has(parent.selector) && (parent.selector.matchesLabels(self.metadata.labels) || hasWrongSelector)",at=metadata.labels,
	//   value="self.metadata.labels",message="`selector` does not match template `labels`"
	// +rule:cel="self.spec.restartPolicy == 'Always'",at=spec.restartPolicy,reason=NotSupported,value="self.spec.restartPolicy",message="supported values: \"Always\""
	// +rule:cel="!has(self.spec.activeDeadlineSeconds)",at=spec.activeDeadlineSeconds,reason=Forbidden,message="activeDeadlineSeconds in StatefulSet is not Supported"
	Template v1.PodTemplateSpec `json:"template" protobuf:"bytes,3,opt"`
	// +optional
	// +listType=atomic
	VolumeClaimTemplates []v1.PersistentVolumeClaim `json:"volumeClaimTemplates,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	// +rule:optional
	// +rule:format=dns-label,when="!isUpdate"
	ServiceName string `json:"serviceName" protobuf:"bytes,5,opt"`
	// +optional
	// +default="OrderedReady"
	// +unpublishedDefault
	// +rule:required
	// +rule:cel="self in ['OrderedReady', 'Parallel']",message="must be 'OrderedReady' or 'Parallel'"
	PodManagementPolicy PodManagementPolicyType `json:"podManagementPolicy,omitempty" protobuf:"bytes,6,opt"`
	UpdateStrategy StatefulSetUpdateStrategy `json:"updateStrategy,omitempty" protobuf:"bytes,7,opt"`
	// +default=10
	// +unpublishedDefault
	RevisionHistoryLimit *int32 `json:"revisionHistoryLimit,omitempty" protobuf:"varint,8,opt"`
	// +optional
	// +k8s:minimum=0
	MinReadySeconds int32 `json:"minReadySeconds,omitempty" protobuf:"varint,9,opt"`
	// +optional
	// +default={}
	// +unpublishedDefault
	PersistentVolumeClaimRetentionPolicy *StatefulSetPersistentVolumeClaimRetentionPolicy `json:"persistentVolumeClaimRetentionPolicy,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	Ordinals *StatefulSetOrdinals `json:"ordinals,omitempty" protobuf:"bytes,11,opt"`
}

// StatefulSetStatus is what the controller counted last.
// +rule:cel="!has(oldSelf.collisionCount) || (has(self.collisionCount) && self.collisionCount >= oldSelf.collisionCount)",at=collisionCount,value="self.collisionCount",message="cannot be decremented"
type StatefulSetStatus struct {
	// +optional
	// +k8s:minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt"`
	// +k8s:minimum=0
	Replicas int32 `json:"replicas" protobuf:"varint,2,opt"`
	// +k8s:minimum=0
	// +rule:cel="self <= parent.replicas",message="cannot be greater than status.replicas"
	ReadyReplicas int32 `json:"readyReplicas,omitempty" protobuf:"varint,3,opt"`
	// +k8s:minimum=0
	// +rule:cel="self <= parent.replicas",message="cannot be greater than status.replicas"
	CurrentReplicas int32 `json:"currentReplicas,omitempty" protobuf:"varint,4,opt"`
	// +k8s:minimum=0
	// +rule:cel="self <= parent.replicas",message="cannot be greater than status.replicas"
	UpdatedReplicas int32 `json:"updatedReplicas,omitempty" protobuf:"varint,5,opt"`
	CurrentRevision string `json:"currentRevision,omitempty" protobuf:"bytes,6,opt"`
	UpdateRevision string `json:"updateRevision,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	// +k8s:minimum=0
	CollisionCount *int32 `json:"collisionCount,omitempty" protobuf:"varint,9,opt"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []StatefulSetCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,10,rep"`
	// +optional
	// +k8s:minimum=0
	// +rule:cel="self <= parent.replicas",message="cannot be greater than status.replicas"
	// +rule:cel="self <= parent.readyReplicas",message="cannot be greater than status.readyReplicas"
	AvailableReplicas int32 `json:"availableReplicas" protobuf:"varint,11,opt"`
}

// StatefulSetUpdateStrategy says how old pods are replaced by new ones.
// +rule:cel="self.type != ''",reason=Required,ends
// +rule:cel="self.type in ['RollingUpdate', 'OnDelete']",message="must be 'RollingUpdate' or 'OnDelete'",
//   value="{'Type': dyn(self.type), 'RollingUpdate': has(self.rollingUpdate) ? dyn({'Partition': dyn(self.rollingUpdate.partition), 'MaxUnavailable': has(self.rollingUpdate.maxUnavailable) ? dyn(self.rollingUpdate.maxUnavailable) : dyn(null)}) : dyn(null)}"
type StatefulSetUpdateStrategy struct {
	// +optional
	Type StatefulSetUpdateStrategyType `json:"type,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:cel="parent.type != 'OnDelete'",value="{'Partition': dyn(self.partition), 'MaxUnavailable': has(self.maxUnavailable) ? dyn(self.maxUnavailable) : dyn(null)}",message="only allowed for updateStrategy 'RollingUpdate'"
	// +rule:skip,when="parent.type != 'RollingUpdate'"
	RollingUpdate *RollingUpdateStatefulSetStrategy `json:"rollingUpdate,omitempty" protobuf:"bytes,2,opt"`
}

// StatefulSetUpdateStrategyType names a way of replacing pods.
// +enum
type StatefulSetUpdateStrategyType string

const (
	StatefulSetUpdateStrategyTypeRollingUpdate StatefulSetUpdateStrategyType = "RollingUpdate"
	StatefulSetUpdateStrategyTypeOnDelete StatefulSetUpdateStrategyType = "OnDelete"
)
