package v1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

// Deployment keeps replicas of a pod and replaces them when their template changes.
// +k8s:supportsSubresource="/status"
// +kubebuilder:resource:path=deployments,shortName=deploy,categories=all
type Deployment struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec DeploymentSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
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
type DeploymentSpec struct {
	// +optional
	// +default=1
	// +unpublishedDefault
	// +k8s:minimum=0
	Replicas *int32 `json:"replicas,omitempty" protobuf:"varint,1,opt"`
	Selector *metav1.LabelSelector `json:"selector" protobuf:"bytes,2,opt"`
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
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty" protobuf:"varint,9,opt"`
}

// DeploymentStatus is what the controller counted last.
type DeploymentStatus struct {
	// +optional
	// +k8s:minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt"`
	// +optional
	// +k8s:minimum=0
	Replicas int32 `json:"replicas,omitempty" protobuf:"varint,2,opt"`
	// +optional
	// +k8s:minimum=0
	UpdatedReplicas int32 `json:"updatedReplicas,omitempty" protobuf:"varint,3,opt"`
	// +optional
	// +k8s:minimum=0
	ReadyReplicas int32 `json:"readyReplicas,omitempty" protobuf:"varint,7,opt"`
	// +optional
	// +k8s:minimum=0
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
type DeploymentStrategy struct {
	// +optional
	// +default="RollingUpdate"
	// +unpublishedDefault
	Type DeploymentStrategyType `json:"type,omitempty" protobuf:"bytes,1,opt"`
	// +optional
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
type RollingUpdateDeployment struct {
	// +optional
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty" protobuf:"bytes,2,opt"`
}
