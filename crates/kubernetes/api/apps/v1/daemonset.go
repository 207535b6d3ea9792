package v1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

// DaemonSet keeps a pod on every node that fits.
// +k8s:supportsSubresource="/status"
// +kubebuilder:resource:path=daemonsets,shortName=ds,categories=all
type DaemonSet struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec DaemonSetSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=status
	Status DaemonSetStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// DaemonSetCondition is one aspect of how the set stands.
type DaemonSetCondition struct {
	Type DaemonSetConditionType `json:"type" protobuf:"bytes,1,opt"`
	Status v1.ConditionStatus `json:"status" protobuf:"bytes,2,opt"`
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,5,opt"`
}

// DaemonSetConditionType names an aspect of a set.
type DaemonSetConditionType string

// DaemonSetSpec is the wanted state of a DaemonSet.
// +rule:wrong:hasWrongSelector="[self.selector]"
// +rule:let:allowInvalidSelectorValues="oldSelf.selector.matchExpressions.exists(e, e.values.exists(v, v.problems('label-value').size() > 0))"
type DaemonSetSpec struct {
	// +rule:valid
	// +rule:cel="self.matchLabels.size() + self.matchExpressions.size() > 0",message="empty selector is invalid for daemonset"
	// +rule:immutable
	Selector *metav1.LabelSelector `json:"selector" protobuf:"bytes,1,opt"`
	// +rule:cel="has(parent.selector) && (parent.selector.matchesLabels(self.metadata.labels) || hasWrongSelector)",at=metadata.labels,
	//   value="self.metadata.labels",message="`selector` does not match template `labels`"
	// +rule:cel="self.spec.restartPolicy == 'Always'",at=spec.restartPolicy,reason=NotSupported,value="self.spec.restartPolicy",message="supported values: \"Always\""
	// +rule:cel="!has(self.spec.activeDeadlineSeconds)",at=spec.activeDeadlineSeconds,reason=Forbidden,message="activeDeadlineSeconds in DaemonSet is not Supported"
	Template v1.PodTemplateSpec `json:"template" protobuf:"bytes,2,opt"`
	// +optional
	UpdateStrategy DaemonSetUpdateStrategy `json:"updateStrategy,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +k8s:minimum=0
	MinReadySeconds int32 `json:"minReadySeconds,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +default=10
	// +unpublishedDefault
	// +k8s:minimum=0
	RevisionHistoryLimit *int32 `json:"revisionHistoryLimit,omitempty" protobuf:"varint,6,opt"`
}

// DaemonSetStatus is what the controller counted last.
// +rule:cel="!has(oldSelf.collisionCount) || (has(self.collisionCount) && self.collisionCount >= oldSelf.collisionCount)",at=collisionCount,value="self.collisionCount",message="cannot be decremented"
type DaemonSetStatus struct {
	// +k8s:minimum=0
	CurrentNumberScheduled int32 `json:"currentNumberScheduled" protobuf:"varint,1,opt"`
	// +k8s:minimum=0
	NumberMisscheduled int32 `json:"numberMisscheduled" protobuf:"varint,2,opt"`
	// +k8s:minimum=0
	DesiredNumberScheduled int32 `json:"desiredNumberScheduled" protobuf:"varint,3,opt"`
	// +k8s:minimum=0
	NumberReady int32 `json:"numberReady" protobuf:"varint,4,opt"`
	// +optional
	// +k8s:minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,5,opt"`
	// +optional
	// +k8s:minimum=0
	UpdatedNumberScheduled int32 `json:"updatedNumberScheduled,omitempty" protobuf:"varint,6,opt"`
	// +optional
	// +k8s:minimum=0
	NumberAvailable int32 `json:"numberAvailable,omitempty" protobuf:"varint,7,opt"`
	// +optional
	// +k8s:minimum=0
	NumberUnavailable int32 `json:"numberUnavailable,omitempty" protobuf:"varint,8,opt"`
	// +optional
	// +k8s:minimum=0
	CollisionCount *int32 `json:"collisionCount,omitempty" protobuf:"varint,9,opt"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []DaemonSetCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,10,rep"`
}

// DaemonSetUpdateStrategy says how old pods are replaced by new ones.
// +rule:cel="self.type in ['RollingUpdate', 'OnDelete']",reason=NotSupported,message="supported values: \"RollingUpdate\", \"OnDelete\"",
//   value="{'Type': dyn(self.type), 'RollingUpdate': has(self.rollingUpdate) ? dyn({'MaxUnavailable': self.rollingUpdate.maxUnavailable, 'MaxSurge': self.rollingUpdate.maxSurge}) : dyn(null)}"
type DaemonSetUpdateStrategy struct {
	// +optional
	// +default="RollingUpdate"
	// +unpublishedDefault
	Type DaemonSetUpdateStrategyType `json:"type,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:required,when="parent.type == 'RollingUpdate'"
	// +rule:skip,when="parent.type != 'RollingUpdate'"
	RollingUpdate *RollingUpdateDaemonSet `json:"rollingUpdate,omitempty" protobuf:"bytes,2,opt"`
}

// DaemonSetUpdateStrategyType names a way of replacing pods.
// +enum
type DaemonSetUpdateStrategyType string

const (
	DaemonSetUpdateStrategyTypeRollingUpdate DaemonSetUpdateStrategyType = "RollingUpdate"
	DaemonSetUpdateStrategyTypeOnDelete DaemonSetUpdateStrategyType = "OnDelete"
)

// RollingUpdateDaemonSet bounds how many nodes may be without a pod, or have two.
// +rule:let:mayBeUnavailable="type(self.maxUnavailable) == int ? self.maxUnavailable != 0 : self.maxUnavailable.matches('^([0-9]*[1-9][0-9]*%?|[+-][0-9]*[1-9][0-9]*)$')"
// +rule:let:maySurge="type(self.maxSurge) == int ? self.maxSurge != 0 : self.maxSurge.matches('^([0-9]*[1-9][0-9]*%?|[+-][0-9]*[1-9][0-9]*)$')"
// +rule:cel="!mayBeUnavailable || !maySurge",at=maxSurge,value="self.maxSurge",message="may not be set when maxUnavailable is non-zero"
// +rule:cel="mayBeUnavailable || maySurge",at=maxUnavailable,reason=Required,message="cannot be 0 when maxSurge is 0"
type RollingUpdateDaemonSet struct {
	// +optional
	// +rule:format=percent
	// +rule:minimum=0
	// +rule:cel="type(self) == int || !self.matches('^[0-9]+%$') || self.matches('^0*(100|[0-9]{1,2})%$')",message="must not be greater than 100%"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:format=percent
	// +rule:minimum=0
	// +rule:cel="type(self) == int || !self.matches('^[0-9]+%$') || self.matches('^0*(100|[0-9]{1,2})%$')",message="must not be greater than 100%"
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty" protobuf:"bytes,2,opt"`
}
