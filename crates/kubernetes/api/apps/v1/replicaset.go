package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

// ReplicaSet keeps a number of pods of one template.
// +k8s:supportsSubresource="/status"
// +kubebuilder:resource:path=replicasets,shortName=rs,categories=all
type ReplicaSet struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec ReplicaSetSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=status
	Status ReplicaSetStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// ReplicaSetCondition is one aspect of how the set stands.
type ReplicaSetCondition struct {
	Type ReplicaSetConditionType `json:"type" protobuf:"bytes,1,opt"`
	Status v1.ConditionStatus `json:"status" protobuf:"bytes,2,opt"`
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,5,opt"`
}

// ReplicaSetConditionType names an aspect of a set.
type ReplicaSetConditionType string

const (
	ReplicaSetConditionTypeReplicaFailure ReplicaSetConditionType = "ReplicaFailure"
)

// ReplicaSetSpec is the wanted state of a ReplicaSet.
// +rule:wrong:hasWrongSelector="[self.selector]"
type ReplicaSetSpec struct {
	// +optional
	// +default=1
	// +unpublishedDefault
	// +k8s:minimum=0
	Replicas *int32 `json:"replicas,omitempty" protobuf:"varint,1,opt"`
	// +optional
	// +k8s:minimum=0
	MinReadySeconds int32 `json:"minReadySeconds,omitempty" protobuf:"varint,4,opt"`
	// +rule:immutable
	// +rule:required
	// +rule:valid
	// +rule:cel="self.matchLabels.size() + self.matchExpressions.size() > 0",message="empty selector is invalid for deployment"
	// +rule:cel="!hasWrongSelector",message="invalid label selector"
	Selector *metav1.LabelSelector `json:"selector" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:cel="has(parent.selector) && (parent.selector.matchesLabels(self.metadata.labels) || hasWrongSelector)",at=metadata.labels,
	//   value="self.metadata.labels",message="`selector` does not match template `labels`"
	// +rule:cel="self.spec.restartPolicy == 'Always' || hasWrongSelector",at=spec.restartPolicy,reason=NotSupported,value="self.spec.restartPolicy",message="supported values: \"Always\""
	// +rule:cel="!has(self.spec.activeDeadlineSeconds) || hasWrongSelector",at=spec.activeDeadlineSeconds,reason=Forbidden,message="activeDeadlineSeconds in ReplicaSet is not Supported"
	Template v1.PodTemplateSpec `json:"template,omitempty" protobuf:"bytes,3,opt"`
}

// ReplicaSetStatus is what the controller counted last.
type ReplicaSetStatus struct {
	// +k8s:minimum=0
	Replicas int32 `json:"replicas" protobuf:"varint,1,opt"`
	// +optional
	// +k8s:minimum=0
	// +rule:cel="self <= parent.replicas",message="cannot be greater than status.replicas"
	FullyLabeledReplicas int32 `json:"fullyLabeledReplicas,omitempty" protobuf:"varint,2,opt"`
	// +optional
	// +k8s:minimum=0
	// +rule:cel="self <= parent.replicas",message="cannot be greater than status.replicas"
	ReadyReplicas int32 `json:"readyReplicas,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +k8s:minimum=0
	// +rule:cel="self <= parent.replicas",message="cannot be greater than status.replicas"
	// +rule:cel="self <= parent.readyReplicas",message="cannot be greater than readyReplicas"
	AvailableReplicas int32 `json:"availableReplicas,omitempty" protobuf:"varint,5,opt"`
	// +optional
	// +k8s:minimum=0
	TerminatingReplicas *int32 `json:"terminatingReplicas,omitempty" protobuf:"varint,7,opt"`
	// +optional
	// +k8s:minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,3,opt"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []ReplicaSetCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,6,rep"`
}
