package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Job runs pods until enough of them have succeeded.
// +k8s:supportsSubresource="/status"
// +kubebuilder:resource:path=jobs,categories=all
// +rule:as=wholeJob
// +rule:let:isGeneratedSelector="has(self.spec.selector) && !self.spec.manualSelector"
// +rule:let:hasPrefixedLabels="!isUpdate || ('batch.kubernetes.io/job-name' in oldSelf.spec.template.metadata.labels && 'batch.kubernetes.io/controller-uid' in oldSelf.spec.template.metadata.labels)"
// +rule:wrong:hasWrongJobSelector="[self.spec.selector]"
// +rule:cel="self.metadata.uid != ''",when="isGeneratedSelector",at=metadata.uid,reason=Required
// +rule:cel="'controller-uid' in self.spec.template.metadata.labels",when="isGeneratedSelector",at=spec.template.metadata.labels[controller-uid],reason=Required,messageExpression=`"must be '" + self.metadata.uid + "'"`
// +rule:cel="self.spec.template.metadata.labels['controller-uid'] == self.metadata.uid",when="isGeneratedSelector && 'controller-uid' in self.spec.template.metadata.labels",at=spec.template.metadata.labels[controller-uid],value="self.spec.template.metadata.labels",messageExpression=`"must be '" + self.metadata.uid + "'"`
// +rule:cel="'job-name' in self.spec.template.metadata.labels",when="isGeneratedSelector",at=spec.template.metadata.labels[job-name],reason=Required,messageExpression=`"must be '" + self.metadata.name + "'"`
// +rule:cel="self.spec.template.metadata.labels['job-name'] == self.metadata.name",when="isGeneratedSelector && 'job-name' in self.spec.template.metadata.labels",at=spec.template.metadata.labels[job-name],value="self.spec.template.metadata.labels",messageExpression=`"must be '" + self.metadata.name + "'"`
// +rule:cel="'batch.kubernetes.io/controller-uid' in self.spec.template.metadata.labels",when="isGeneratedSelector && hasPrefixedLabels",at=spec.template.metadata.labels[batch.kubernetes.io/controller-uid],reason=Required,messageExpression=`"must be '" + self.metadata.uid + "'"`
// +rule:cel="self.spec.template.metadata.labels['batch.kubernetes.io/controller-uid'] == self.metadata.uid",when="isGeneratedSelector && hasPrefixedLabels && 'batch.kubernetes.io/controller-uid' in self.spec.template.metadata.labels",at=spec.template.metadata.labels[batch.kubernetes.io/controller-uid],value="self.spec.template.metadata.labels",messageExpression=`"must be '" + self.metadata.uid + "'"`
// +rule:cel="'batch.kubernetes.io/job-name' in self.spec.template.metadata.labels",when="isGeneratedSelector && hasPrefixedLabels",at=spec.template.metadata.labels[batch.kubernetes.io/job-name],reason=Required,messageExpression=`"must be '" + self.metadata.name + "'"`
// +rule:cel="self.spec.template.metadata.labels['batch.kubernetes.io/job-name'] == self.metadata.name",when="isGeneratedSelector && hasPrefixedLabels && 'batch.kubernetes.io/job-name' in self.spec.template.metadata.labels",at=spec.template.metadata.labels[batch.kubernetes.io/job-name],value="self.spec.template.metadata.labels",messageExpression=`"must be '" + self.metadata.name + "'"`
// +rule:cel="self.spec.selector.matchesLabels(hasPrefixedLabels ? {'controller-uid': self.metadata.uid, 'job-name': self.metadata.name, 'batch.kubernetes.io/controller-uid': self.metadata.uid, 'batch.kubernetes.io/job-name': self.metadata.name} : {'controller-uid': self.metadata.uid, 'job-name': self.metadata.name}) || hasWrongJobSelector",when="isGeneratedSelector",
//   at=spec.selector,value="self.spec.selector",message="`selector` not auto-generated"
// +rule:cel="(self.metadata.name + '-' + string(self.spec.completions - 1)).problems('dns-label').size() == 0",when="self.spec.completionMode == 'Indexed' && self.spec.completions > 0",
//   at=metadata.name,value="self.metadata.name",messageExpression="'will not able to create pod with invalid DNS label: ' + self.metadata.name + '-' + string(self.spec.completions - 1)"
// +rule:cel="has(self.spec.completions) == has(oldSelf.spec.completions) && self.spec.completions == oldSelf.spec.completions",when="self.spec.completionMode != 'Indexed'",at=spec.completions,value="has(self.spec.completions) ? dyn(self.spec.completions) : dyn(null)",message="field is immutable"
// +rule:cel="!has(self.spec.completions) || (has(self.spec.completions) == has(oldSelf.spec.completions) && self.spec.completions == oldSelf.spec.completions) || (has(self.spec.parallelism) && self.spec.completions == self.spec.parallelism)",when="self.spec.completionMode == 'Indexed'",at=spec.completions,value="self.spec.completions",
//   message="can only be modified in tandem with spec.parallelism"
// +rule:cel="has(self.spec.selector) == has(oldSelf.spec.selector) && self.spec.selector == oldSelf.spec.selector",at=spec.selector,value="has(self.spec.selector) ? dyn(self.spec.selector) : dyn(null)",message="field is immutable"
// +rule:cel="has(self.spec.completionMode) == has(oldSelf.spec.completionMode) && self.spec.completionMode == oldSelf.spec.completionMode",at=spec.completionMode,value="has(self.spec.completionMode) ? dyn(self.spec.completionMode) : dyn(null)",message="field is immutable"
// +rule:cel="has(self.spec.podFailurePolicy) == has(oldSelf.spec.podFailurePolicy) && self.spec.podFailurePolicy == oldSelf.spec.podFailurePolicy",at=spec.podFailurePolicy,value="has(self.spec.podFailurePolicy) ? dyn(self.spec.podFailurePolicy) : dyn(null)",message="field is immutable"
// +rule:cel="has(self.spec.backoffLimitPerIndex) == has(oldSelf.spec.backoffLimitPerIndex) && self.spec.backoffLimitPerIndex == oldSelf.spec.backoffLimitPerIndex",at=spec.backoffLimitPerIndex,value="has(self.spec.backoffLimitPerIndex) ? dyn(self.spec.backoffLimitPerIndex) : dyn(null)",message="field is immutable"
// +rule:cel="has(self.spec.managedBy) == has(oldSelf.spec.managedBy) && self.spec.managedBy == oldSelf.spec.managedBy",at=spec.managedBy,value="has(self.spec.managedBy) ? dyn(self.spec.managedBy) : dyn(null)",message="field is immutable"
// +rule:cel="has(self.spec.successPolicy) == has(oldSelf.spec.successPolicy) && self.spec.successPolicy == oldSelf.spec.successPolicy",at=spec.successPolicy,value="has(self.spec.successPolicy) ? dyn(self.spec.successPolicy) : dyn(null)",message="field is immutable"
// +rule:let:isComplete="self.status.conditions.exists(c, c.type == 'Complete' && c.status == 'True')"
// +rule:let:wasComplete="oldSelf.status.conditions.exists(c, c.type == 'Complete' && c.status == 'True')"
// +rule:let:isFailed="self.status.conditions.exists(c, c.type == 'Failed' && c.status == 'True')"
// +rule:let:wasFailed="oldSelf.status.conditions.exists(c, c.type == 'Failed' && c.status == 'True')"
// +rule:let:isFailureTarget="self.status.conditions.exists(c, c.type == 'FailureTarget' && c.status == 'True')"
// +rule:let:wasFailureTarget="oldSelf.status.conditions.exists(c, c.type == 'FailureTarget' && c.status == 'True')"
// +rule:let:isSuccessCriteriaMet="self.status.conditions.exists(c, c.type == 'SuccessCriteriaMet' && c.status == 'True')"
// +rule:let:wasSuccessCriteriaMet="oldSelf.status.conditions.exists(c, c.type == 'SuccessCriteriaMet' && c.status == 'True')"
// +rule:let:isFinished="isComplete || isFailed"
// +rule:let:turnedFinished="isFinished != (wasComplete || wasFailed)"
// +rule:let:startTimeChanged="has(self.status.startTime) != has(oldSelf.status.startTime) || self.status.startTime != oldSelf.status.startTime"
// +rule:let:completionTimeChanged="has(self.status.completionTime) != has(oldSelf.status.completionTime) || self.status.completionTime != oldSelf.status.completionTime"
// +rule:let:failedIndexesChanged="has(self.status.failedIndexes) != has(oldSelf.status.failedIndexes) || self.status.failedIndexes != oldSelf.status.failedIndexes"
// +rule:let:completedIndexesChanged="self.status.completedIndexes != oldSelf.status.completedIndexes"
// +rule:let:uncountedTerminatedPodsChanged="has(self.status.uncountedTerminatedPods) != has(oldSelf.status.uncountedTerminatedPods) || self.status.uncountedTerminatedPods != oldSelf.status.uncountedTerminatedPods"
// +rule:let:activeChanged="self.status.active != oldSelf.status.active"
// +rule:let:terminatingChanged="has(self.status.terminating) != has(oldSelf.status.terminating) || self.status.terminating != oldSelf.status.terminating"
// +rule:let:readyChanged="has(self.status.ready) != has(oldSelf.status.ready) || self.status.ready != oldSelf.status.ready"
type Job struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:twice="isUpdate"
	Spec JobSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=status
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
// +rule:as=job
// +rule:let:isIndexed="self.completionMode == 'Indexed'"
// +rule:let:isNotIndexed="self.completionMode in ['', 'NonIndexed']"
// +rule:let:hasManyIndexes="isIndexed && has(self.backoffLimitPerIndex) && self.completions > 100000"
// +rule:let:jobContainers="keySet(self.template.spec.containers.map(c, c.name) + self.template.spec.initContainers.map(c, c.name))"
// +rule:let:allowInvalidSelectorValues="oldSelf.selector.matchExpressions.exists(e, e.values.exists(v, v.problems('label-value').size() > 0))"
// +rule:wrong:hasWrongSelector="[self.selector]"
type JobSpec struct {
	// +optional
	// +rule:minimum=0
	// +rule:cel="self <= 100000",when="isIndexed",message="must be less than or equal to 100000 when completion mode is Indexed"
	// +rule:cel="self <= 10000",when="hasManyIndexes",message="must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index"
	Parallelism *int32 `json:"parallelism,omitempty" protobuf:"varint,1,opt"`
	// +optional
	// +rule:minimum=0
	// +rule:required,when="isIndexed",message="when completion mode is Indexed"
	Completions *int32 `json:"completions,omitempty" protobuf:"varint,2,opt"`
	// +optional
	// +rule:minimum=0
	ActiveDeadlineSeconds *int64 `json:"activeDeadlineSeconds,omitempty" protobuf:"varint,3,opt"`
	// +optional
	PodFailurePolicy *PodFailurePolicy `json:"podFailurePolicy,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	// +rule:cel="isIndexed",message="requires indexed completion mode",ends
	SuccessPolicy *SuccessPolicy `json:"successPolicy,omitempty" protobuf:"bytes,16,opt"`
	// +optional
	// +rule:minimum=0
	BackoffLimit *int32 `json:"backoffLimit,omitempty" protobuf:"varint,7,opt"`
	// +optional
	// +rule:required,when="has(parent.maxFailedIndexes)",message="when maxFailedIndexes is specified"
	// +rule:minimum=0
	// +rule:cel="!isNotIndexed",message="requires indexed completion mode"
	BackoffLimitPerIndex *int32 `json:"backoffLimitPerIndex,omitempty" protobuf:"varint,12,opt"`
	// +optional
	// +rule:required,when="hasManyIndexes",message="must be specified when completions is above 100000"
	// +rule:minimum=0
	// +rule:cel="!isNotIndexed",message="requires indexed completion mode"
	// +rule:cel="self <= parent.completions",when="isIndexed && has(parent.completions)",message="must be less than or equal to completions"
	// +rule:maximum=100000,when="isIndexed"
	// +rule:cel="self <= 10000",when="hasManyIndexes",message="must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index"
	MaxFailedIndexes *int32 `json:"maxFailedIndexes,omitempty" protobuf:"varint,13,opt"`
	// +optional
	// +rule:required,when="kind == 'Job'"
	// +rule:cel="kind == 'Job'",message="`selector` will be auto-generated",ends
	// +rule:valid
	Selector *metav1.LabelSelector `json:"selector,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +rule:cel="kind == 'Job' || !self",reason=NotSupported,message="supported values: \"nil\", \"false\""
	ManualSelector *bool `json:"manualSelector,omitempty" protobuf:"varint,5,opt"`
	// +rule:cel="has(parent.selector) && parent.selector.matchesLabels(self.metadata.labels)",when="kind == 'Job' && !hasWrongSelector",at=metadata.labels,
	//   value="self.metadata.labels",message="`selector` does not match template `labels`"
	// +rule:cel="!(self.spec.restartPolicy in ['', 'Always'])",at=spec.restartPolicy,reason=Required,message="valid values: \"OnFailure\", \"Never\""
	// +rule:cel="self.spec.restartPolicy != 'OnFailure'",when="has(parent.podFailurePolicy)",at=spec.restartPolicy,value="self.spec.restartPolicy",message="only \"Never\" is supported when podFailurePolicy is specified"
	// +rule:cel="self.spec.restartPolicy in ['', 'Always', 'OnFailure', 'Never']",at=spec.restartPolicy,reason=NotSupported,value="self.spec.restartPolicy",message="supported values: \"OnFailure\", \"Never\""
	Template corev1.PodTemplateSpec `json:"template" protobuf:"bytes,6,opt"`
	// +optional
	// +rule:minimum=0
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty" protobuf:"varint,8,opt"`
	// +optional
	// +rule:oneOf=NonIndexed;Indexed
	CompletionMode *CompletionMode `json:"completionMode,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	Suspend *bool `json:"suspend,omitempty" protobuf:"varint,10,opt"`
	// +optional
	// +rule:oneOf=Failed,when="has(parent.podFailurePolicy)"
	// +rule:oneOf=Failed;TerminatingOrFailed,when="!has(parent.podFailurePolicy)"
	PodReplacementPolicy *PodReplacementPolicy `json:"podReplacementPolicy,omitempty" protobuf:"bytes,14,opt"`
	// +optional
	// +rule:maxBytes=63
	// +rule:cel="self != ''",reason=Required,ends
	// +rule:cel="self.matches('^[^/]+/(?s:.)+$')",message="must be a domain-prefixed path (such as \"acme.io/foo\")",ends
	// +rule:cel="self.split('/')[0].problems('dns-subdomain').size() == 0",
	//   messageExpression="self.split('/')[0].problems('dns-subdomain')",value="self.split('/')[0]"
	// +rule:cel="self.matches('^[^/]+/[A-Za-z0-9/._~%!$&\\'()*+,;=:-]+$')",value="self.substring(self.indexOf('/') + 1)",
	//   message="Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"
	ManagedBy *string `json:"managedBy,omitempty" protobuf:"bytes,15,opt"`
}

// JobStatus is what the controller counted last.
type JobStatus struct {
	// +optional
	// +listType=atomic
	// +rule:cel="!(isComplete && isFailed)",when="isComplete != wasComplete || isFailed != wasFailed",valueless,message="cannot set Complete=True and Failed=true conditions"
	// +rule:cel="!(isComplete && isFailureTarget)",when="isComplete != wasComplete || isFailureTarget != wasFailureTarget",valueless,message="cannot set Complete=True and FailureTarget=true conditions"
	// +rule:cel="!isFailed || isFailureTarget",when="isFailed != wasFailed || failedIndexesChanged",valueless,message="cannot set Failed=True condition without the FailureTarget=true condition"
	// +rule:cel="!isComplete || isSuccessCriteriaMet",when="isComplete != wasComplete || isSuccessCriteriaMet != wasSuccessCriteriaMet",valueless,message="cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
	// +rule:cel="!(isSuccessCriteriaMet && isFailed)",valueless,message="cannot set SuccessCriteriaMet=True and Failed=true conditions"
	// +rule:cel="!(isSuccessCriteriaMet && isFailureTarget)",valueless,message="cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"
	// +rule:cel="!isComplete || isSuccessCriteriaMet",when="has(wholeJob.spec.successPolicy)",valueless,message="cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
	// +rule:cel="!wasFailed || isFailed",valueless,message="cannot disable the terminal Failed=True condition"
	// +rule:cel="!wasComplete || isComplete",valueless,message="cannot disable the terminal Complete=True condition"
	// +rule:cel="!wasFailureTarget || isFailureTarget",valueless,message="cannot disable the terminal FailureTarget=True condition"
	// +rule:cel="!wasSuccessCriteriaMet || isSuccessCriteriaMet",valueless,message="cannot disable the SuccessCriteriaMet=True condition"
	// +rule:cel="!wasComplete || wasSuccessCriteriaMet || !isSuccessCriteriaMet",valueless,message="cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"
	Conditions []JobCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep"`
	// +optional
	// +rule:required,when="isFinished && (turnedFinished || startTimeChanged) && !(wholeJob.spec.suspend && has(wholeJob.spec.completions) && wholeJob.spec.completions == 0)",
	//   message="startTime is required for finished job",continues
	// +rule:immutable,when="has(oldWholeJob.status.startTime) && !wholeJob.spec.suspend && !(oldWholeJob.status.conditions.exists(c, c.type == 'Suspended' && c.status == 'True') && parent.conditions.exists(c, c.type == 'Suspended' && c.status == 'False'))",
	//   message="field is immutable for unsuspended job once set"
	StartTime *metav1.Time `json:"startTime,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:required,when="isComplete && (isComplete != wasComplete || completionTimeChanged)",message="completionTime is required for Complete jobs"
	// +rule:cel="isComplete",when="isComplete != wasComplete || completionTimeChanged",message="cannot set completionTime when there is no Complete=True condition"
	// +rule:cel="timestamp(self) >= timestamp(parent.startTime)",when="has(parent.startTime) && (startTimeChanged || completionTimeChanged)",message="must be equal to or after `startTime`"
	// +rule:immutable,when="has(oldWholeJob.status.completionTime)"
	CompletionTime *metav1.Time `json:"completionTime,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +k8s:minimum=0
	// +rule:cel="self <= 0",when="isFinished && (turnedFinished || activeChanged)",message="active>0 is invalid for finished job"
	Active int32 `json:"active,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +k8s:minimum=0
	// +rule:cel="self >= oldSelf",when="!(wholeJob.spec.completionMode == 'Indexed' && has(wholeJob.spec.completions) == has(wholeJob.spec.parallelism) && wholeJob.spec.completions == wholeJob.spec.parallelism)",
	//   message="cannot decrease the succeeded counter"
	Succeeded int32 `json:"succeeded,omitempty" protobuf:"varint,5,opt"`
	// +optional
	// +k8s:minimum=0
	// +rule:cel="self >= oldSelf",message="cannot decrease the failed counter"
	Failed int32 `json:"failed,omitempty" protobuf:"varint,6,opt"`
	// +optional
	// +k8s:minimum=0
	// +rule:cel="self <= 0",when="isFinished && (turnedFinished || terminatingChanged)",message="terminating>0 is invalid for finished job"
	Terminating *int32 `json:"terminating,omitempty" protobuf:"varint,11,opt"`
	// +optional
	// +rule:skip,when="!completedIndexesChanged"
	// +rule:code=completed-indexes
	// +rule:cel="self == '' || wholeJob.spec.completionMode == 'Indexed'",message="cannot set non-empty completedIndexes when non-indexed completion mode"
	CompletedIndexes string `json:"completedIndexes,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	// +rule:cel="has(wholeJob.spec.backoffLimitPerIndex)",when="failedIndexesChanged",message="cannot set non-null failedIndexes when backoffLimitPerIndex is null"
	// +rule:code=failed-indexes,when="failedIndexesChanged && has(wholeJob.spec.backoffLimitPerIndex)"
	// +rule:code=overlapping-indexes,when="failedIndexesChanged || completedIndexesChanged"
	FailedIndexes *string `json:"failedIndexes,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	// +rule:cel="self.succeeded.size() == 0 && self.failed.size() == 0",when="isFinished && (turnedFinished || uncountedTerminatedPodsChanged)",message="must be empty for finished job"
	UncountedTerminatedPods *UncountedTerminatedPods `json:"uncountedTerminatedPods,omitempty" protobuf:"bytes,8,opt"`
	// +k8s:minimum=0
	// +rule:cel="self <= parent.active",when="readyChanged || activeChanged",message="cannot set more ready pods than active"
	Ready *int32 `json:"ready,omitempty" protobuf:"varint,9,opt"`
}

// PodFailurePolicy says which failures of pods end the job.
type PodFailurePolicy struct {
	// +listType=atomic
	// +rule:maxItems=20
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
	// +rule:cel="self in jobContainers",message="must be one of the container or initContainer names in the pod template"
	ContainerName *string `json:"containerName,omitempty" protobuf:"bytes,1,opt"`
	// +rule:required,message=`valid values: ["In" "NotIn"]`
	// +rule:oneOf=In;NotIn
	Operator PodFailurePolicyOnExitCodesOperator `json:"operator" protobuf:"bytes,2,req"`
	// +listType=set
	// +rule:cel="self.size() > 0",message="at least one value is required"
	// +rule:maxItems=255
	// +rule:each:cel="self != 0",when="parent.operator == 'In'",message="must not be 0 for the In operator"
	// +rule:unique="self"
	// +rule:cel="self.isSorted()",message="must be ordered"
	Values []int32 `json:"values" protobuf:"varint,3,rep"`
}

// PodFailurePolicyOnPodConditionsPattern matches failures by a condition of the pod.
type PodFailurePolicyOnPodConditionsPattern struct {
	// +rule:format=qualified-name
	Type corev1.PodConditionType `json:"type" protobuf:"bytes,1,req"`
	// +optional
	// +default="True"
	// +unpublishedDefault
	// +rule:required,message=`valid values: ["False" "True" "Unknown"]`
	// +rule:oneOf=False;True;Unknown
	Status corev1.ConditionStatus `json:"status" protobuf:"bytes,2,req"`
}

// PodFailurePolicyRule says what follows from some failures.
// +rule:cel="!has(self.onExitCodes) || self.onPodConditions.size() == 0",valueless,message="specifying both OnExitCodes and OnPodConditions is not supported"
// +rule:cel="has(self.onExitCodes) || self.onPodConditions.size() > 0",valueless,message="specifying one of OnExitCodes and OnPodConditions is required"
type PodFailurePolicyRule struct {
	// +rule:required,message=`valid values: ["Count" "FailIndex" "FailJob" "Ignore"]`
	// +rule:oneOf=Count;FailIndex;FailJob;Ignore
	// +rule:cel="self != 'FailIndex' || has(job.backoffLimitPerIndex)",message="requires the backoffLimitPerIndex to be set"
	Action PodFailurePolicyAction `json:"action" protobuf:"bytes,1,req"`
	// +optional
	OnExitCodes *PodFailurePolicyOnExitCodesRequirement `json:"onExitCodes,omitempty" protobuf:"bytes,2,opt"`
	// +listType=atomic
	// +optional
	// +rule:maxItems=20
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
	// +rule:required,message="at least one rules must be specified when the successPolicy is specified"
	// +rule:maxItems=20
	Rules []SuccessPolicyRule `json:"rules" protobuf:"bytes,1,opt"`
}

// SuccessPolicyRule names indexes that are enough.
// +rule:cel="has(self.succeededCount) || has(self.succeededIndexes)",reason=Required,message="at least one of succeededCount or succeededIndexes must be specified"
type SuccessPolicyRule struct {
	// +optional
	// +rule:maxBytes=65536
	// +rule:code=succeeded-indexes
	SucceededIndexes *string `json:"succeededIndexes,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:minimum=0
	// +rule:cel="self <= job.completions",messageExpression="'must be less than or equal to ' + string(job.completions) + ' (the number of specified completions)'"
	// +rule:code=succeeded-count
	SucceededCount *int32 `json:"succeededCount,omitempty" protobuf:"varint,2,opt"`
}

// UncountedTerminatedPods names pods that ended and are not in the counts yet.
type UncountedTerminatedPods struct {
	// +listType=set
	// +optional
	// +rule:each:cel="self != ''",message="must not be empty"
	// +rule:unique="self",when="self != ''"
	Succeeded []types.UID `json:"succeeded,omitempty" protobuf:"bytes,1,rep"`
	// +listType=set
	// +optional
	// +rule:each:cel="self != ''",message="must not be empty"
	// +rule:unique="self",when="self != ''",among="parent.succeeded"
	Failed []types.UID `json:"failed,omitempty" protobuf:"bytes,2,rep"`
}
