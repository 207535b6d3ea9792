package v1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

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

type DeploymentCondition struct {
	Type DeploymentConditionType `json:"type" protobuf:"bytes,1,opt"`
	Status v1.ConditionStatus `json:"status" protobuf:"bytes,2,opt"`
	LastUpdateTime metav1.Time `json:"lastUpdateTime,omitempty" protobuf:"bytes,6,opt"`
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,7,opt"`
	Reason string `json:"reason,omitempty" protobuf:"bytes,4,opt"`
	Message string `json:"message,omitempty" protobuf:"bytes,5,opt"`
}

type DeploymentConditionType string

const (
	DeploymentConditionTypeAvailable DeploymentConditionType = "Available"
	DeploymentConditionTypeProgressing DeploymentConditionType = "Progressing"
	DeploymentConditionTypeReplicaFailure DeploymentConditionType = "ReplicaFailure"
)

type DeploymentSpec struct {
	// +optional
	Replicas *int32 `json:"replicas,omitempty" protobuf:"varint,1,opt"`
	Selector *metav1.LabelSelector `json:"selector" protobuf:"bytes,2,opt"`
	Template v1.PodTemplateSpec `json:"template" protobuf:"bytes,3,opt"`
	// +optional
	Strategy DeploymentStrategy `json:"strategy,omitempty" patchStrategy:"retainKeys" protobuf:"bytes,4,opt"`
	// +optional
	MinReadySeconds int32 `json:"minReadySeconds,omitempty" protobuf:"varint,5,opt"`
	// +optional
	RevisionHistoryLimit *int32 `json:"revisionHistoryLimit,omitempty" protobuf:"varint,6,opt"`
	// +optional
	Paused bool `json:"paused,omitempty" protobuf:"varint,7,opt"`
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty" protobuf:"varint,9,opt"`
}

type DeploymentStatus struct {
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt"`
	// +optional
	Replicas int32 `json:"replicas,omitempty" protobuf:"varint,2,opt"`
	// +optional
	UpdatedReplicas int32 `json:"updatedReplicas,omitempty" protobuf:"varint,3,opt"`
	// +optional
	ReadyReplicas int32 `json:"readyReplicas,omitempty" protobuf:"varint,7,opt"`
	// +optional
	AvailableReplicas int32 `json:"availableReplicas,omitempty" protobuf:"varint,4,opt"`
	// +optional
	UnavailableReplicas int32 `json:"unavailableReplicas,omitempty" protobuf:"varint,5,opt"`
	// +optional
	TerminatingReplicas *int32 `json:"terminatingReplicas,omitempty" protobuf:"varint,9,opt"`
	// +listType=map
	// +listMapKey=type
	Conditions []DeploymentCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,6,rep"`
	// +optional
	CollisionCount *int32 `json:"collisionCount,omitempty" protobuf:"varint,8,opt"`
}

type DeploymentStrategy struct {
	// +optional
	Type DeploymentStrategyType `json:"type,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	RollingUpdate *RollingUpdateDeployment `json:"rollingUpdate,omitempty" protobuf:"bytes,2,opt"`
}

// +enum
type DeploymentStrategyType string

const (
	DeploymentStrategyTypeRecreate DeploymentStrategyType = "Recreate"
	DeploymentStrategyTypeRollingUpdate DeploymentStrategyType = "RollingUpdate"
)

type RollingUpdateDeployment struct {
	// +optional
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty" protobuf:"bytes,2,opt"`
}
