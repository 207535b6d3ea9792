package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PriorityLevelConfiguration limits the requests of one priority.
// +rule:as=level
// +rule:cel="!('flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares' in self.metadata.annotations)",reason=Forbidden,at=metadata.annotations,
//   message="annotation 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares' is forbidden"
// +kubebuilder:resource:path=prioritylevelconfigurations,scope=Cluster
type PriorityLevelConfiguration struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:code=mandatory-priority-level
	Spec PriorityLevelConfigurationSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=main;status
	Status PriorityLevelConfigurationStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// ExemptPriorityLevelConfiguration is the share of a level that has no limit.
type ExemptPriorityLevelConfiguration struct {
	// +optional
	// +default=0
	// +unpublishedDefault
	// +rule:minimum=0,message="must be a non-negative integer"
	NominalConcurrencyShares *int32 `json:"nominalConcurrencyShares,omitempty" protobuf:"varint,1,opt"`
	// +optional
	// +default=0
	// +unpublishedDefault
	// +rule:range=0..100
	LendablePercent *int32 `json:"lendablePercent,omitempty" protobuf:"varint,2,opt"`
}

// LimitResponse is what happens to requests beyond the limit.
// +union
type LimitResponse struct {
	// +unionDiscriminator
	// +rule:required
	// +rule:oneOf=Queue;Reject
	Type LimitResponseType `json:"type" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:forbidden,when="parent.type == 'Reject'",message="must be nil if limited.limitResponse.type is not Limited"
	// +rule:required,when="parent.type == 'Queue'",message="must not be empty if limited.limitResponse.type is Limited"
	// +rule:skip,when="parent.type != 'Queue'"
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
	// +rule:minimum=0,message="must be a non-negative integer"
	NominalConcurrencyShares *int32 `json:"nominalConcurrencyShares" protobuf:"varint,1,opt"`
	LimitResponse LimitResponse `json:"limitResponse,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +default=0
	// +unpublishedDefault
	// +rule:range=0..100
	LendablePercent *int32 `json:"lendablePercent,omitempty" protobuf:"varint,3,opt"`
	// +optional
	// +rule:minimum=0,message="if specified, must be a non-negative integer"
	BorrowingLimitPercent *int32 `json:"borrowingLimitPercent,omitempty" protobuf:"varint,4,opt"`
}

// PriorityLevelConfigurationCondition is something that is known about a level.
type PriorityLevelConfigurationCondition struct {
	// +rule:required
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
	// +rule:cel="(level.metadata.name == 'exempt') == (self == 'Exempt')",message="must be 'Exempt' if and only if `name` is 'exempt'"
	// +rule:required
	// +rule:oneOf=Exempt;Limited
	Type PriorityLevelEnablement `json:"type" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:forbidden,when="parent.type == 'Exempt'",message="must be nil if the type is not Limited"
	// +rule:required,when="parent.type == 'Limited'",message="must not be empty when type is Limited"
	// +rule:skip,when="parent.type != 'Limited'"
	Limited *LimitedPriorityLevelConfiguration `json:"limited,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:forbidden,when="parent.type == 'Limited'",message="must be nil if the type is Limited"
	// +rule:skip,when="parent.type != 'Exempt'"
	Exempt *ExemptPriorityLevelConfiguration `json:"exempt,omitempty" protobuf:"bytes,3,opt"`
}

// PriorityLevelConfigurationStatus is how a level is doing.
type PriorityLevelConfigurationStatus struct {
	// +listType=map
	// +listMapKey=type
	// +optional
	// +rule:unique="self.type",at=type
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
	// +rule:cel="self > 0",message="must be positive",ends
	// +rule:cel="self <= 10000000",message="must not be greater than 10000000"
	Queues int32 `json:"queues" protobuf:"varint,1,opt"`
	// +optional
	// +default=8
	// +unpublishedDefault
	// +rule:cel="self > 0",message="must be positive",ends
	// +rule:cel="self <= parent.queues",messageExpression="'should not be greater than queues (' + string(parent.queues) + ')'",ends
	// +rule:code=hand-size-entropy
	HandSize int32 `json:"handSize" protobuf:"varint,2,opt"`
	// +optional
	// +default=50
	// +unpublishedDefault
	// +rule:cel="self > 0",message="must be positive"
	QueueLengthLimit int32 `json:"queueLengthLimit" protobuf:"varint,3,opt"`
}
