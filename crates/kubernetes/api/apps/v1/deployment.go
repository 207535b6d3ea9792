package v1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

// Deployment keeps replicas of a pod and replaces them when their template changes.
// +k8s:supportsSubresource="/status"
// +kubebuilder:resource:path=deployments,shortName=deploy,categories=all
// Older versions of the API had a field for it.
// +rule:cel="!self.metadata.annotations['deprecated.deployment.rollback.to'].matches('^-0*[1-9][0-9]{0,17}$')",when="'deprecated.deployment.rollback.to' in self.metadata.annotations",
//   at=spec.rollback.version,value="int(self.metadata.annotations['deprecated.deployment.rollback.to'])",message="must be greater than or equal to 0"
type Deployment struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec DeploymentSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=status
	Status DeploymentStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// DeploymentCondition is one aspect of how the rollout stands.
type DeploymentCondition struct {
	Type DeploymentConditionType `json:"type" protobuf:"bytes,1,opt"`
	Status v1.ConditionStatus `json:"status" protobuf:"bytes,2,opt"`
	LastUpdateTime metav1.Time `json:"lastUpdateTime,omitempty" protobuf:"bytes,6,opt"`
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,7,opt"`
	Reason string `json:"reason,omitempty" protobuf:"bytes,4,opt"`
	Message string `json:"message,omitempty" protobuf:"bytes,5,opt"`
}

// DeploymentConditionType names an aspect of a rollout.
type DeploymentConditionType string

const (
	DeploymentConditionTypeAvailable DeploymentConditionType = "Available"
	DeploymentConditionTypeProgressing DeploymentConditionType = "Progressing"
	DeploymentConditionTypeReplicaFailure DeploymentConditionType = "ReplicaFailure"
)

// DeploymentSpec is the wanted state of a Deployment.
// +rule:wrong:hasWrongSelector="[self.selector]"
type DeploymentSpec struct {
	// +optional
	// +default=1
	// +unpublishedDefault
	// +k8s:minimum=0
	Replicas *int32 `json:"replicas,omitempty" protobuf:"varint,1,opt"`
	// +rule:immutable
	// +rule:required
	// +rule:valid
	// +rule:cel="self.matchLabels.size() + self.matchExpressions.size() > 0",message="empty selector is invalid for deployment"
	// +rule:cel="!hasWrongSelector",message="invalid label selector"
	Selector *metav1.LabelSelector `json:"selector" protobuf:"bytes,2,opt"`
	// +rule:cel="has(parent.selector) && (parent.selector.matchesLabels(self.metadata.labels) || hasWrongSelector)",at=metadata.labels,
	//   value="self.metadata.labels",message="`selector` does not match template `labels`"
	// +rule:cel="self.spec.restartPolicy == 'Always' || hasWrongSelector",at=spec.restartPolicy,reason=NotSupported,value="self.spec.restartPolicy",message="supported values: \"Always\""
	// +rule:cel="!has(self.spec.activeDeadlineSeconds) || hasWrongSelector",at=spec.activeDeadlineSeconds,reason=Forbidden,message="activeDeadlineSeconds in ReplicaSet is not Supported"
	Template v1.PodTemplateSpec `json:"template" protobuf:"bytes,3,opt"`
	// +optional
	Strategy DeploymentStrategy `json:"strategy,omitempty" patchStrategy:"retainKeys" protobuf:"bytes,4,opt"`
	// +optional
	// +k8s:minimum=0
	MinReadySeconds int32 `json:"minReadySeconds,omitempty" protobuf:"varint,5,opt"`
	// +optional
	// +default=10
	// +unpublishedDefault
	// +k8s:minimum=0
	RevisionHistoryLimit *int32 `json:"revisionHistoryLimit,omitempty" protobuf:"varint,6,opt"`
	// +optional
	Paused bool `json:"paused,omitempty" protobuf:"varint,7,opt"`
	// +default=600
	// +unpublishedDefault
	// +k8s:minimum=0
	// +rule:cel="self > parent.minReadySeconds",message="must be greater than minReadySeconds"
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty" protobuf:"varint,9,opt"`
}

// DeploymentStatus is what the controller counted last.
// +rule:cel="!has(oldSelf.collisionCount) || (has(self.collisionCount) && self.collisionCount >= oldSelf.collisionCount)",at=collisionCount,value="self.collisionCount",message="cannot be decremented"
type DeploymentStatus struct {
	// +optional
	// +k8s:minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt"`
	// +optional
	// +k8s:minimum=0
	Replicas int32 `json:"replicas,omitempty" protobuf:"varint,2,opt"`
	// +optional
	// +k8s:minimum=0
	// +rule:cel="self <= parent.replicas",message="cannot be greater than status.replicas"
	UpdatedReplicas int32 `json:"updatedReplicas,omitempty" protobuf:"varint,3,opt"`
	// +optional
	// +k8s:minimum=0
	// +rule:cel="self <= parent.replicas",message="cannot be greater than status.replicas"
	ReadyReplicas int32 `json:"readyReplicas,omitempty" protobuf:"varint,7,opt"`
	// +optional
	// +k8s:minimum=0
	// +rule:cel="self <= parent.replicas",message="cannot be greater than status.replicas"
	// +rule:cel="self <= parent.readyReplicas",message="cannot be greater than readyReplicas"
	AvailableReplicas int32 `json:"availableReplicas,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +k8s:minimum=0
	UnavailableReplicas int32 `json:"unavailableReplicas,omitempty" protobuf:"varint,5,opt"`
	// +optional
	// +k8s:minimum=0
	TerminatingReplicas *int32 `json:"terminatingReplicas,omitempty" protobuf:"varint,9,opt"`
	// +listType=map
	// +listMapKey=type
	Conditions []DeploymentCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,6,rep"`
	// +optional
	// +k8s:minimum=0
	CollisionCount *int32 `json:"collisionCount,omitempty" protobuf:"varint,8,opt"`
}

// DeploymentStrategy says how old pods are replaced by new ones.
// +rule:cel="self.type in ['Recreate', 'RollingUpdate']",reason=NotSupported,message="supported values: \"Recreate\", \"RollingUpdate\"",
//   value="{'Type': dyn(self.type), 'RollingUpdate': has(self.rollingUpdate) ? dyn({'MaxUnavailable': self.rollingUpdate.maxUnavailable, 'MaxSurge': self.rollingUpdate.maxSurge}) : dyn(null)}"
type DeploymentStrategy struct {
	// +optional
	// +default="RollingUpdate"
	// +unpublishedDefault
	Type DeploymentStrategyType `json:"type,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:forbidden,when="parent.type == 'Recreate'",message="may not be specified when strategy `type` is 'Recreate'"
	// +rule:required,when="parent.type == 'RollingUpdate'",message="this should be defaulted and never be nil"
	// +rule:skip,when="parent.type != 'RollingUpdate'"
	RollingUpdate *RollingUpdateDeployment `json:"rollingUpdate,omitempty" protobuf:"bytes,2,opt"`
}

// DeploymentStrategyType names a way of replacing pods.
// +enum
type DeploymentStrategyType string

const (
	DeploymentStrategyTypeRecreate DeploymentStrategyType = "Recreate"
	DeploymentStrategyTypeRollingUpdate DeploymentStrategyType = "RollingUpdate"
)

// RollingUpdateDeployment bounds how far a rollout may leave the wanted count.
// +rule:let:mayBeUnavailable="type(self.maxUnavailable) == int ? self.maxUnavailable != 0 : self.maxUnavailable.matches('^([0-9]*[1-9][0-9]*%?|[+-][0-9]*[1-9][0-9]*)$')"
// +rule:let:maySurge="type(self.maxSurge) == int ? self.maxSurge != 0 : self.maxSurge.matches('^([0-9]*[1-9][0-9]*%?|[+-][0-9]*[1-9][0-9]*)$')"
// +rule:cel="mayBeUnavailable || maySurge",at=maxUnavailable,value="self.maxUnavailable",message="may not be 0 when `maxSurge` is 0"
type RollingUpdateDeployment struct {
	// +optional
	// +rule:format=percent
	// +rule:minimum=0
	// +rule:cel="type(self) == int || !self.matches('^[0-9]+%$') || self.matches('^0*(100|[0-9]{1,2})%$')",message="must not be greater than 100%"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:format=percent
	// +rule:minimum=0
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty" protobuf:"bytes,2,opt"`
}
