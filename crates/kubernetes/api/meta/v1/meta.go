package v1

import (
	"time"
	"k8s.io/apimachinery/pkg/types"
)

type CauseType string

const (
	CauseTypeFieldValueNotFound CauseType = "FieldValueNotFound"
	CauseTypeFieldValueRequired CauseType = "FieldValueRequired"
	CauseTypeFieldValueDuplicate CauseType = "FieldValueDuplicate"
	CauseTypeFieldValueInvalid CauseType = "FieldValueInvalid"
	CauseTypeFieldValueNotSupported CauseType = "FieldValueNotSupported"
	CauseTypeFieldValueForbidden CauseType = "FieldValueForbidden"
	CauseTypeFieldValueTooLong CauseType = "FieldValueTooLong"
	CauseTypeFieldValueTooMany CauseType = "FieldValueTooMany"
	CauseTypeInternalError CauseType = "InternalError"
	CauseTypeFieldValueTypeInvalid CauseType = "FieldValueTypeInvalid"
	CauseTypeUnexpectedServerResponse CauseType = "UnexpectedServerResponse"
	CauseTypeFieldManagerConflict CauseType = "FieldManagerConflict"
	CauseTypeResourceVersionTooLarge CauseType = "ResourceVersionTooLarge"
)

// +rule:shared
type Condition struct {
	// +required
	// +rule:format=qualified-name
	Type string `json:"type" protobuf:"bytes,1,opt"`
	// +required
	// +rule:oneOf=False;True;Unknown
	Status ConditionStatus `json:"status" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:minimum=0,message="must be greater than or equal to zero"
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,3,opt"`
	// +required
	// +rule:required
	LastTransitionTime Time `json:"lastTransitionTime" protobuf:"bytes,4,opt"`
	// +required
	// +rule:required
	// +rule:format=condition-reason
	// +rule:maxBytes=1024
	Reason string `json:"reason" protobuf:"bytes,5,opt"`
	// +required
	// +rule:maxBytes=32768
	Message string `json:"message" protobuf:"bytes,6,opt"`
}

type ConditionStatus string

const (
	ConditionStatusTrue ConditionStatus = "True"
	ConditionStatusFalse ConditionStatus = "False"
	ConditionStatusUnknown ConditionStatus = "Unknown"
)

type DeleteOptions struct {
	TypeMeta `json:",inline"`
	// +optional
	GracePeriodSeconds *int64 `json:"gracePeriodSeconds,omitempty" protobuf:"varint,1,opt"`
	// +optional
	Preconditions *Preconditions `json:"preconditions,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	OrphanDependents *bool `json:"orphanDependents,omitempty" protobuf:"varint,3,opt"`
	// +optional
	PropagationPolicy *DeletionPropagation `json:"propagationPolicy,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +listType=atomic
	DryRun []string `json:"dryRun,omitempty" protobuf:"bytes,5,rep"`
	// +optional
	IgnoreStoreReadErrorWithClusterBreakingPotential *bool `json:"ignoreStoreReadErrorWithClusterBreakingPotential,omitempty" protobuf:"varint,6,opt"`
}

type DeletionPropagation string

const (
	DeletionPropagationOrphan DeletionPropagation = "Orphan"
	DeletionPropagationBackground DeletionPropagation = "Background"
	DeletionPropagationForeground DeletionPropagation = "Foreground"
)

type Duration struct {
	time.Duration ` protobuf:"varint,1,opt"`
}

type FieldSelectorOperator string

const (
	FieldSelectorOperatorIn FieldSelectorOperator = "In"
	FieldSelectorOperatorNotIn FieldSelectorOperator = "NotIn"
	FieldSelectorOperatorExists FieldSelectorOperator = "Exists"
	FieldSelectorOperatorDoesNotExist FieldSelectorOperator = "DoesNotExist"
)

type FieldSelectorRequirement struct {
	Key string `json:"key" protobuf:"bytes,1,opt"`
	Operator FieldSelectorOperator `json:"operator" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	Values []string `json:"values,omitempty" protobuf:"bytes,3,rep"`
}

type FieldsV1 struct {
}

type GroupKind struct {
	Group string `json:"group" protobuf:"bytes,1,opt"`
	Kind string `json:"kind" protobuf:"bytes,2,opt"`
}

type GroupResource struct {
	Group string `json:"group" protobuf:"bytes,1,opt"`
	Resource string `json:"resource" protobuf:"bytes,2,opt"`
}

type GroupVersion struct {
	Group string `json:"group" protobuf:"bytes,1,opt"`
	Version string `json:"version" protobuf:"bytes,2,opt"`
}

type GroupVersionKind struct {
	Group string `json:"group" protobuf:"bytes,1,opt"`
	Version string `json:"version" protobuf:"bytes,2,opt"`
	Kind string `json:"kind" protobuf:"bytes,3,opt"`
}

type GroupVersionResource struct {
	Group string `json:"group" protobuf:"bytes,1,opt"`
	Version string `json:"version" protobuf:"bytes,2,opt"`
	Resource string `json:"resource" protobuf:"bytes,3,opt"`
}

// +structType=atomic
// +rule:shared
// +rule:default:allowInvalidSelectorValues="false"
type LabelSelector struct {
	// +optional
	// +rule:keys:format=qualified-name,at=^
	// +rule:values:format=label-value,at=^
	MatchLabels map[string]string `json:"matchLabels,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +listType=atomic
	// +rule:valid
	MatchExpressions []LabelSelectorRequirement `json:"matchExpressions,omitempty" protobuf:"bytes,2,rep"`
}

type LabelSelectorOperator string

const (
	LabelSelectorOperatorIn LabelSelectorOperator = "In"
	LabelSelectorOperatorNotIn LabelSelectorOperator = "NotIn"
	LabelSelectorOperatorExists LabelSelectorOperator = "Exists"
	LabelSelectorOperatorDoesNotExist LabelSelectorOperator = "DoesNotExist"
)

// +rule:shared
// +rule:default:allowInvalidSelectorValues="false"
type LabelSelectorRequirement struct {
	// +rule:format=qualified-name
	Key string `json:"key" protobuf:"bytes,1,opt"`
	// +rule:cel="self in ['In', 'NotIn', 'Exists', 'DoesNotExist']",message="not a valid selector operator"
	Operator LabelSelectorOperator `json:"operator" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	// +rule:required,when="parent.operator in ['In', 'NotIn']",message="must be specified when `operator` is 'In' or 'NotIn'"
	// +rule:forbidden,when="parent.operator in ['Exists', 'DoesNotExist']",message="may not be specified when `operator` is 'Exists' or 'DoesNotExist'",continues
	// +rule:each:format=label-value,when="!allowInvalidSelectorValues"
	Values []string `json:"values,omitempty" protobuf:"bytes,3,rep"`
}

type ListMeta struct {
	// +optional
	SelfLink string `json:"selfLink,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	ResourceVersion string `json:"resourceVersion,omitempty" protobuf:"bytes,2,opt"`
	Continue string `json:"continue,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	RemainingItemCount *int64 `json:"remainingItemCount,omitempty" protobuf:"bytes,4,opt"`
	// +featureGate=ShardedListAndWatch
	// +optional
	ShardInfo *ShardInfo `json:"shardInfo,omitempty" protobuf:"bytes,5,opt"`
}

type ManagedFieldsEntry struct {
	Manager string `json:"manager,omitempty" protobuf:"bytes,1,opt"`
	Operation ManagedFieldsOperationType `json:"operation,omitempty" protobuf:"bytes,2,opt"`
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Time *Time `json:"time,omitempty" protobuf:"bytes,4,opt"`
	FieldsType string `json:"fieldsType,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	FieldsV1 *FieldsV1 `json:"fieldsV1,omitempty" protobuf:"bytes,7,opt"`
	Subresource string `json:"subresource,omitempty" protobuf:"bytes,8,opt"`
}

type ManagedFieldsOperationType string

const (
	ManagedFieldsOperationTypeApply ManagedFieldsOperationType = "Apply"
	ManagedFieldsOperationTypeUpdate ManagedFieldsOperationType = "Update"
)

type MicroTime struct {
	time.Time ` protobuf:"-"`
}

type ObjectMeta struct {
	// +optional
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	GenerateName string `json:"generateName,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	SelfLink string `json:"selfLink,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	UID types.UID `json:"uid,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	ResourceVersion string `json:"resourceVersion,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	Generation int64 `json:"generation,omitempty" protobuf:"varint,7,opt"`
	// +optional
	CreationTimestamp Time `json:"creationTimestamp,omitempty,omitzero" protobuf:"bytes,8,opt"`
	// +optional
	DeletionTimestamp *Time `json:"deletionTimestamp,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	DeletionGracePeriodSeconds *int64 `json:"deletionGracePeriodSeconds,omitempty" protobuf:"varint,10,opt"`
	// +optional
	Labels map[string]string `json:"labels,omitempty" protobuf:"bytes,11,rep"`
	// +optional
	Annotations map[string]string `json:"annotations,omitempty" protobuf:"bytes,12,rep"`
	// +optional
	// +listType=map
	// +listMapKey=uid
	OwnerReferences []OwnerReference `json:"ownerReferences,omitempty" patchStrategy:"merge" patchMergeKey:"uid" protobuf:"bytes,13,rep"`
	// +optional
	// +listType=set
	Finalizers []string `json:"finalizers,omitempty" patchStrategy:"merge" protobuf:"bytes,14,rep"`
	// +optional
	// +listType=atomic
	ManagedFields []ManagedFieldsEntry `json:"managedFields,omitempty" protobuf:"bytes,17,rep"`
}

// +structType=atomic
type OwnerReference struct {
	APIVersion string `json:"apiVersion" protobuf:"bytes,5,opt"`
	Kind string `json:"kind" protobuf:"bytes,1,opt"`
	Name string `json:"name" protobuf:"bytes,3,opt"`
	UID types.UID `json:"uid" protobuf:"bytes,4,opt"`
	// +optional
	Controller *bool `json:"controller,omitempty" protobuf:"varint,6,opt"`
	// +optional
	BlockOwnerDeletion *bool `json:"blockOwnerDeletion,omitempty" protobuf:"varint,7,opt"`
}

type Preconditions struct {
	// +optional
	UID *types.UID `json:"uid,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	ResourceVersion *string `json:"resourceVersion,omitempty" protobuf:"bytes,2,opt"`
}

type ShardInfo struct {
	// +required
	Selector string `json:"selector" protobuf:"bytes,1,opt"`
}

type Status struct {
	TypeMeta `json:",inline"`
	// +optional
	ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Status string `json:"status,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Reason StatusReason `json:"reason,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Details *StatusDetails `json:"details,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	Code int32 `json:"code,omitempty" protobuf:"varint,6,opt"`
}

type StatusCause struct {
	// +optional
	Type CauseType `json:"reason,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Field string `json:"field,omitempty" protobuf:"bytes,3,opt"`
}

type StatusDetails struct {
	// +optional
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Group string `json:"group,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Kind string `json:"kind,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	UID types.UID `json:"uid,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +listType=atomic
	Causes []StatusCause `json:"causes,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	RetryAfterSeconds int32 `json:"retryAfterSeconds,omitempty" protobuf:"varint,5,opt"`
}

type StatusReason string

const (
	StatusReasonEmpty StatusReason = ""
	StatusReasonUnauthorized StatusReason = "Unauthorized"
	StatusReasonForbidden StatusReason = "Forbidden"
	StatusReasonNotFound StatusReason = "NotFound"
	StatusReasonAlreadyExists StatusReason = "AlreadyExists"
	StatusReasonConflict StatusReason = "Conflict"
	StatusReasonGone StatusReason = "Gone"
	StatusReasonInvalid StatusReason = "Invalid"
	StatusReasonServerTimeout StatusReason = "ServerTimeout"
	StatusReasonStorageReadError StatusReason = "StorageReadError"
	StatusReasonTimeout StatusReason = "Timeout"
	StatusReasonTooManyRequests StatusReason = "TooManyRequests"
	StatusReasonBadRequest StatusReason = "BadRequest"
	StatusReasonMethodNotAllowed StatusReason = "MethodNotAllowed"
	StatusReasonNotAcceptable StatusReason = "NotAcceptable"
	StatusReasonRequestEntityTooLarge StatusReason = "RequestEntityTooLarge"
	StatusReasonUnsupportedMediaType StatusReason = "UnsupportedMediaType"
	StatusReasonInternalError StatusReason = "InternalError"
	StatusReasonExpired StatusReason = "Expired"
	StatusReasonServiceUnavailable StatusReason = "ServiceUnavailable"
)

type Time struct {
	time.Time ` protobuf:"-"`
}

type TypeMeta struct {
	// +optional
	Kind string `json:"kind,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,2,opt"`
}
