package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Job runs pods until enough of them have succeeded.
// +k8s:supportsSubresource="/status"
// +kubebuilder:resource:path=jobs,categories=all
type Job struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec JobSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status JobStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// CompletionMode says whether pods have indexes that must all succeed.
// +enum
type CompletionMode string

const (
	CompletionModeNonIndexed CompletionMode = "NonIndexed"
	CompletionModeIndexed CompletionMode = "Indexed"
)

// JobCondition is one aspect of how a job stands.
type JobCondition struct {
	Type JobConditionType `json:"type" protobuf:"bytes,1,opt"`
	Status corev1.ConditionStatus `json:"status" protobuf:"bytes,2,opt"`
	// +optional
	LastProbeTime metav1.Time `json:"lastProbeTime,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,6,opt"`
}

// JobConditionType names an aspect of a job.
type JobConditionType string

const (
	JobConditionTypeSuspended JobConditionType = "Suspended"
	JobConditionTypeComplete JobConditionType = "Complete"
	JobConditionTypeFailed JobConditionType = "Failed"
	JobConditionTypeFailureTarget JobConditionType = "FailureTarget"
	JobConditionTypeSuccessCriteriaMet JobConditionType = "SuccessCriteriaMet"
)

// JobSpec says which pods run, how many, and when it is enough.
type JobSpec struct {
	// +optional
	Parallelism *int32 `json:"parallelism,omitempty" protobuf:"varint,1,opt"`
	// +optional
	Completions *int32 `json:"completions,omitempty" protobuf:"varint,2,opt"`
	// +optional
	ActiveDeadlineSeconds *int64 `json:"activeDeadlineSeconds,omitempty" protobuf:"varint,3,opt"`
	// +optional
	PodFailurePolicy *PodFailurePolicy `json:"podFailurePolicy,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	SuccessPolicy *SuccessPolicy `json:"successPolicy,omitempty" protobuf:"bytes,16,opt"`
	// +optional
	BackoffLimit *int32 `json:"backoffLimit,omitempty" protobuf:"varint,7,opt"`
	// +optional
	BackoffLimitPerIndex *int32 `json:"backoffLimitPerIndex,omitempty" protobuf:"varint,12,opt"`
	// +optional
	MaxFailedIndexes *int32 `json:"maxFailedIndexes,omitempty" protobuf:"varint,13,opt"`
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	ManualSelector *bool `json:"manualSelector,omitempty" protobuf:"varint,5,opt"`
	Template corev1.PodTemplateSpec `json:"template" protobuf:"bytes,6,opt"`
	// +optional
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty" protobuf:"varint,8,opt"`
	// +optional
	CompletionMode *CompletionMode `json:"completionMode,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	Suspend *bool `json:"suspend,omitempty" protobuf:"varint,10,opt"`
	// +optional
	PodReplacementPolicy *PodReplacementPolicy `json:"podReplacementPolicy,omitempty" protobuf:"bytes,14,opt"`
	// +optional
	ManagedBy *string `json:"managedBy,omitempty" protobuf:"bytes,15,opt"`
}

// JobStatus is what the controller counted last.
type JobStatus struct {
	// +optional
	// +listType=atomic
	Conditions []JobCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep"`
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +k8s:minimum=0
	Active int32 `json:"active,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +k8s:minimum=0
	Succeeded int32 `json:"succeeded,omitempty" protobuf:"varint,5,opt"`
	// +optional
	// +k8s:minimum=0
	Failed int32 `json:"failed,omitempty" protobuf:"varint,6,opt"`
	// +optional
	// +k8s:minimum=0
	Terminating *int32 `json:"terminating,omitempty" protobuf:"varint,11,opt"`
	// +optional
	CompletedIndexes string `json:"completedIndexes,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	FailedIndexes *string `json:"failedIndexes,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	UncountedTerminatedPods *UncountedTerminatedPods `json:"uncountedTerminatedPods,omitempty" protobuf:"bytes,8,opt"`
	// +k8s:minimum=0
	Ready *int32 `json:"ready,omitempty" protobuf:"varint,9,opt"`
}

// PodFailurePolicy says which failures of pods end the job.
type PodFailurePolicy struct {
	// +listType=atomic
	Rules []PodFailurePolicyRule `json:"rules" protobuf:"bytes,1,opt"`
}

// PodFailurePolicyAction is what follows from a failure.
// +enum
type PodFailurePolicyAction string

const (
	PodFailurePolicyActionFailJob PodFailurePolicyAction = "FailJob"
	PodFailurePolicyActionFailIndex PodFailurePolicyAction = "FailIndex"
	PodFailurePolicyActionIgnore PodFailurePolicyAction = "Ignore"
	PodFailurePolicyActionCount PodFailurePolicyAction = "Count"
)

// PodFailurePolicyOnExitCodesOperator says whether exit codes are those listed or all others.
// +enum
type PodFailurePolicyOnExitCodesOperator string

const (
	PodFailurePolicyOnExitCodesOperatorIn PodFailurePolicyOnExitCodesOperator = "In"
	PodFailurePolicyOnExitCodesOperatorNotIn PodFailurePolicyOnExitCodesOperator = "NotIn"
)

// PodFailurePolicyOnExitCodesRequirement matches failures by exit code.
type PodFailurePolicyOnExitCodesRequirement struct {
	// +optional
	ContainerName *string `json:"containerName,omitempty" protobuf:"bytes,1,opt"`
	Operator PodFailurePolicyOnExitCodesOperator `json:"operator" protobuf:"bytes,2,req"`
	// +listType=set
	Values []int32 `json:"values" protobuf:"varint,3,rep"`
}

// PodFailurePolicyOnPodConditionsPattern matches failures by a condition of the pod.
type PodFailurePolicyOnPodConditionsPattern struct {
	Type corev1.PodConditionType `json:"type" protobuf:"bytes,1,req"`
	// +optional
	// +default="True"
	// +unpublishedDefault
	Status corev1.ConditionStatus `json:"status" protobuf:"bytes,2,req"`
}

// PodFailurePolicyRule says what follows from some failures.
type PodFailurePolicyRule struct {
	Action PodFailurePolicyAction `json:"action" protobuf:"bytes,1,req"`
	// +optional
	OnExitCodes *PodFailurePolicyOnExitCodesRequirement `json:"onExitCodes,omitempty" protobuf:"bytes,2,opt"`
	// +listType=atomic
	// +optional
	OnPodConditions []PodFailurePolicyOnPodConditionsPattern `json:"onPodConditions,omitempty" protobuf:"bytes,3,opt"`
}

// PodReplacementPolicy says when a pod that goes is replaced.
// +enum
type PodReplacementPolicy string

const (
	PodReplacementPolicyTerminatingOrFailed PodReplacementPolicy = "TerminatingOrFailed"
	PodReplacementPolicyFailed PodReplacementPolicy = "Failed"
)

// SuccessPolicy says when a job has succeeded before all of its pods have.
type SuccessPolicy struct {
	// +listType=atomic
	Rules []SuccessPolicyRule `json:"rules" protobuf:"bytes,1,opt"`
}

// SuccessPolicyRule names indexes that are enough.
type SuccessPolicyRule struct {
	// +optional
	SucceededIndexes *string `json:"succeededIndexes,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	SucceededCount *int32 `json:"succeededCount,omitempty" protobuf:"varint,2,opt"`
}

// UncountedTerminatedPods names pods that ended and are not in the counts yet.
type UncountedTerminatedPods struct {
	// +listType=set
	// +optional
	Succeeded []types.UID `json:"succeeded,omitempty" protobuf:"bytes,1,rep"`
	// +listType=set
	// +optional
	Failed []types.UID `json:"failed,omitempty" protobuf:"bytes,2,rep"`
}
