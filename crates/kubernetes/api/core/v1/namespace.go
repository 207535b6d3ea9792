package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Namespace is a scope for names.
// +rule:cel="self.status.phase == (has(self.metadata.deletionTimestamp) ? 'Terminating' : 'Active')",on=status,at=status.Phase,value="self.status.phase",messageExpression="has(self.metadata.deletionTimestamp) ? \"may only be 'Terminating' if `deletionTimestamp` is not empty\" : \"may only be 'Active' if `deletionTimestamp` is empty\""
// +kubebuilder:resource:path=namespaces,scope=Cluster,shortName=ns
type Namespace struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec NamespaceSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status NamespaceStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// FinalizerName names something that has to be done before a namespace goes.
type FinalizerName string

const (
	FinalizerNameKubernetes FinalizerName = "kubernetes"
)

// NamespaceCondition is something that is known about a namespace.
type NamespaceCondition struct {
	Type NamespaceConditionType `json:"type" protobuf:"bytes,1,opt"`
	Status ConditionStatus `json:"status" protobuf:"bytes,2,opt"`
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,6,opt"`
}

// NamespaceConditionType tells conditions of a namespace apart.
type NamespaceConditionType string

const (
	NamespaceConditionTypeNamespaceDeletionDiscoveryFailure NamespaceConditionType = "NamespaceDeletionDiscoveryFailure"
	NamespaceConditionTypeNamespaceDeletionContentFailure NamespaceConditionType = "NamespaceDeletionContentFailure"
	NamespaceConditionTypeNamespaceDeletionGroupVersionParsingFailure NamespaceConditionType = "NamespaceDeletionGroupVersionParsingFailure"
	NamespaceConditionTypeNamespaceContentRemaining NamespaceConditionType = "NamespaceContentRemaining"
	NamespaceConditionTypeNamespaceFinalizersRemaining NamespaceConditionType = "NamespaceFinalizersRemaining"
)

// NamespacePhase is whether a namespace is in use or on its way out.
// +enum
type NamespacePhase string

const (
	NamespacePhaseActive NamespacePhase = "Active"
	NamespacePhaseTerminating NamespacePhase = "Terminating"
)

// NamespaceSpec is what holds a namespace.
type NamespaceSpec struct {
	// +optional
	// +listType=atomic
	// +rule:each:format=qualified-name,when="!isUpdate",at=^
	// +rule:each:cel="self.contains('/') || self in ['kubernetes', 'orphan', 'foregroundDeletion']",when="!isUpdate",at=^,message="name is neither a standard finalizer name nor is it fully qualified"
	// +rule:each:format=qualified-name,on=finalize
	// +rule:each:cel="self.contains('/') || self in ['kubernetes', 'orphan', 'foregroundDeletion']",on=finalize,message="name is neither a standard finalizer name nor is it fully qualified"
	Finalizers []FinalizerName `json:"finalizers,omitempty" protobuf:"bytes,1,rep"`
}

// NamespaceStatus is how far a namespace is.
type NamespaceStatus struct {
	// +optional
	Phase NamespacePhase `json:"phase,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []NamespaceCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,2,rep"`
}
