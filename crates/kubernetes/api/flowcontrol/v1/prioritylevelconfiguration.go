package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PriorityLevelConfiguration limits the requests of one priority.
// +kubebuilder:resource:path=prioritylevelconfigurations,scope=Cluster
type PriorityLevelConfiguration struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec PriorityLevelConfigurationSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status PriorityLevelConfigurationStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// ExemptPriorityLevelConfiguration is the share of a level that has no limit.
type ExemptPriorityLevelConfiguration struct {
	// +optional
	// +default=0
	// +unpublishedDefault
	NominalConcurrencyShares *int32 `json:"nominalConcurrencyShares,omitempty" protobuf:"varint,1,opt"`
	// +optional
	// +default=0
	// +unpublishedDefault
	LendablePercent *int32 `json:"lendablePercent,omitempty" protobuf:"varint,2,opt"`
}

// LimitResponse is what happens to requests beyond the limit.
// +union
type LimitResponse struct {
	// +unionDiscriminator
	Type LimitResponseType `json:"type" protobuf:"bytes,1,opt"`
	// +optional
	Queuing *QueuingConfiguration `json:"queuing,omitempty" protobuf:"bytes,2,opt"`
}

// LimitResponseType is whether such requests wait or are refused.
type LimitResponseType string

const (
	LimitResponseTypeQueue LimitResponseType = "Queue"
	LimitResponseTypeReject LimitResponseType = "Reject"
)

// LimitedPriorityLevelConfiguration is the share and the limits of a level.
type LimitedPriorityLevelConfiguration struct {
	// +optional
	// +default=30
	// +unpublishedDefault
	NominalConcurrencyShares *int32 `json:"nominalConcurrencyShares" protobuf:"varint,1,opt"`
	LimitResponse LimitResponse `json:"limitResponse,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +default=0
	// +unpublishedDefault
	LendablePercent *int32 `json:"lendablePercent,omitempty" protobuf:"varint,3,opt"`
	// +optional
	BorrowingLimitPercent *int32 `json:"borrowingLimitPercent,omitempty" protobuf:"varint,4,opt"`
}

// PriorityLevelConfigurationCondition is something that is known about a level.
type PriorityLevelConfigurationCondition struct {
	Type PriorityLevelConfigurationConditionType `json:"type,omitempty" protobuf:"bytes,1,opt"`
	Status ConditionStatus `json:"status,omitempty" protobuf:"bytes,2,opt"`
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,3,opt"`
	Reason string `json:"reason,omitempty" protobuf:"bytes,4,opt"`
	Message string `json:"message,omitempty" protobuf:"bytes,5,opt"`
}

// PriorityLevelConfigurationConditionType tells conditions of a level apart.
type PriorityLevelConfigurationConditionType string

// PriorityLevelConfigurationSpec is how a level treats its requests.
// +union
type PriorityLevelConfigurationSpec struct {
	// +unionDiscriminator
	Type PriorityLevelEnablement `json:"type" protobuf:"bytes,1,opt"`
	// +optional
	Limited *LimitedPriorityLevelConfiguration `json:"limited,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Exempt *ExemptPriorityLevelConfiguration `json:"exempt,omitempty" protobuf:"bytes,3,opt"`
}

// PriorityLevelConfigurationStatus is how a level is doing.
type PriorityLevelConfigurationStatus struct {
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []PriorityLevelConfigurationCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep"`
}

// PriorityLevelEnablement is whether a level has limits.
type PriorityLevelEnablement string

const (
	PriorityLevelEnablementExempt PriorityLevelEnablement = "Exempt"
	PriorityLevelEnablementLimited PriorityLevelEnablement = "Limited"
)

// QueuingConfiguration is how requests of a level wait.
type QueuingConfiguration struct {
	// +optional
	// +default=64
	// +unpublishedDefault
	Queues int32 `json:"queues" protobuf:"varint,1,opt"`
	// +optional
	// +default=8
	// +unpublishedDefault
	HandSize int32 `json:"handSize" protobuf:"varint,2,opt"`
	// +optional
	// +default=50
	// +unpublishedDefault
	QueueLengthLimit int32 `json:"queueLengthLimit" protobuf:"varint,3,opt"`
}
