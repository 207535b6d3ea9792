package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ReplicationController keeps a number of pods running.
// +k8s:supportsSubresource="/scale"
// +kubebuilder:resource:path=replicationcontrollers,shortName=rc,categories=all
type ReplicationController struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	// +k8s:subfield(name)=+k8s:optional
	// +k8s:subfield(name)=+k8s:format=k8s-long-name
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec ReplicationControllerSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=status
	Status ReplicationControllerStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// ReplicationControllerCondition is one aspect of how a controller stands.
type ReplicationControllerCondition struct {
	Type ReplicationControllerConditionType `json:"type" protobuf:"bytes,1,opt"`
	Status ConditionStatus `json:"status" protobuf:"bytes,2,opt"`
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,5,opt"`
}

// ReplicationControllerConditionType names an aspect of a controller.
type ReplicationControllerConditionType string

const (
	ReplicationControllerConditionTypeReplicaFailure ReplicationControllerConditionType = "ReplicaFailure"
)

// ReplicationControllerSpec is how many pods of which template are wanted.
type ReplicationControllerSpec struct {
	// +optional
	// +k8s:optional
	// +default=1
	// +k8s:minimum=0
	// +rule:minimum=0
	Replicas *int32 `json:"replicas,omitempty" protobuf:"varint,1,opt"`
	// +optional
	// +k8s:optional
	// +default=0
	// +k8s:minimum=0
	// +rule:minimum=0
	MinReadySeconds int32 `json:"minReadySeconds,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +mapType=atomic
	// +rule:required
	Selector map[string]string `json:"selector,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +rule:required
	// +rule:cel="parent.selector.all(k, k in self.metadata.labels && self.metadata.labels[k] == parent.selector[k])",at=metadata.labels,value="self.metadata.labels",message="`selector` does not match template `labels`"
	Template *PodTemplateSpec `json:"template,omitempty" protobuf:"bytes,3,opt"`
}

// ReplicationControllerStatus is how many pods there are.
type ReplicationControllerStatus struct {
	// +rule:minimum=0
	Replicas int32 `json:"replicas" protobuf:"varint,1,opt"`
	// +optional
	// +rule:minimum=0
	// +rule:cel="self <= parent.replicas",message="cannot be greater than status.replicas"
	FullyLabeledReplicas int32 `json:"fullyLabeledReplicas,omitempty" protobuf:"varint,2,opt"`
	// +optional
	// +rule:minimum=0
	// +rule:cel="self <= parent.replicas",message="cannot be greater than status.replicas"
	ReadyReplicas int32 `json:"readyReplicas,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +rule:minimum=0
	// +rule:cel="self <= parent.replicas",message="cannot be greater than status.replicas"
	// +rule:cel="self <= parent.readyReplicas",message="cannot be greater than readyReplicas"
	AvailableReplicas int32 `json:"availableReplicas,omitempty" protobuf:"varint,5,opt"`
	// +optional
	// +rule:minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,3,opt"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []ReplicationControllerCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,6,rep"`
}
