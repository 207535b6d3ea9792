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

// ListMeta is what every list tells of itself.
type ListMeta struct {
	// SelfLink is no longer set.
	// +optional
	SelfLink string `json:"selfLink,omitempty" protobuf:"bytes,1,opt"`
	// ResourceVersion names the state that the list shows; a watch can begin there.
	// +optional
	ResourceVersion string `json:"resourceVersion,omitempty" protobuf:"bytes,2,opt"`
	// Continue asks for the next page when it is sent back; it is empty on the last one.
	Continue string `json:"continue,omitempty" protobuf:"bytes,3,opt"`
	// RemainingItemCount is how many items come on later pages, if that is known.
	// +optional
	RemainingItemCount *int64 `json:"remainingItemCount,omitempty" protobuf:"bytes,4,opt"`
	// +featureGate=ShardedListAndWatch
	// +optional
	ShardInfo *ShardInfo `json:"shardInfo,omitempty" protobuf:"bytes,5,opt"`
}

// ManagedFieldsEntry is a set of fields and who wrote them.
type ManagedFieldsEntry struct {
	// Manager is the name under which the fields were written.
	Manager string `json:"manager,omitempty" protobuf:"bytes,1,opt"`
	// Operation is how they were written: Apply or Update.
	Operation ManagedFieldsOperationType `json:"operation,omitempty" protobuf:"bytes,2,opt"`
	// APIVersion is the version of the object in which the fields are named.
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,3,opt"`
	// Time is when this manager last changed which fields are its own, or their values.
	// +optional
	Time *Time `json:"time,omitempty" protobuf:"bytes,4,opt"`
	// FieldsType is the form of the fields: FieldsV1 is the only one.
	FieldsType string `json:"fieldsType,omitempty" protobuf:"bytes,6,opt"`
	// FieldsV1 is the set of fields.
	// +optional
	FieldsV1 *FieldsV1 `json:"fieldsV1,omitempty" protobuf:"bytes,7,opt"`
	// Subresource is the one that was written through; it is empty for the object itself.
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

// ObjectMeta is what every stored object has: its name, its history and its ties to others.
type ObjectMeta struct {
	// Name tells the object from others of its kind in its namespace. It cannot be changed.
	// +optional
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt"`
	// GenerateName is the beginning of a name that the server completes when no name is given.
	// +optional
	GenerateName string `json:"generateName,omitempty" protobuf:"bytes,2,opt"`
	// Namespace is where the object is; objects of the whole cluster have none. It cannot be changed.
	// +optional
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,3,opt"`
	// SelfLink is no longer set.
	// +optional
	SelfLink string `json:"selfLink,omitempty" protobuf:"bytes,4,opt"`
	// UID tells the object from all others, those that had its name before it too. The server sets it.
	// +optional
	UID types.UID `json:"uid,omitempty" protobuf:"bytes,5,opt"`
	// ResourceVersion changes with every write. A write that names it is refused when the object has changed since.
	// +optional
	ResourceVersion string `json:"resourceVersion,omitempty" protobuf:"bytes,6,opt"`
	// Generation counts the changes of what is wanted. The server sets it.
	// +optional
	Generation int64 `json:"generation,omitempty" protobuf:"varint,7,opt"`
	// CreationTimestamp is a timestamp that the server sets when it stores the object for the first time.
	// +optional
	CreationTimestamp Time `json:"creationTimestamp,omitempty,omitzero" protobuf:"bytes,8,opt"`
	// DeletionTimestamp is when the object is to be gone. It is set by a deletion that has to wait, and stays until the finalizers are off.
	// +optional
	DeletionTimestamp *Time `json:"deletionTimestamp,omitempty" protobuf:"bytes,9,opt"`
	// DeletionGracePeriodSeconds is how long a deletion waits for the object to end by itself.
	// +optional
	DeletionGracePeriodSeconds *int64 `json:"deletionGracePeriodSeconds,omitempty" protobuf:"varint,10,opt"`
	// Labels are short values by which objects are selected.
	// +optional
	Labels map[string]string `json:"labels,omitempty" protobuf:"bytes,11,rep"`
	// Annotations are values that tools keep with the object; nothing is selected by them.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty" protobuf:"bytes,12,rep"`
	// OwnerReferences name the objects that this one goes with: it is deleted when none of them is left.
	// +optional
	// +listType=map
	// +listMapKey=uid
	OwnerReferences []OwnerReference `json:"ownerReferences,omitempty" patchStrategy:"merge" patchMergeKey:"uid" protobuf:"bytes,13,rep"`
	// Finalizers are names of those who have something to do before the object may go.
	// +optional
	// +listType=set
	Finalizers []string `json:"finalizers,omitempty" patchStrategy:"merge" protobuf:"bytes,14,rep"`
	// ManagedFields say who wrote which fields. The server keeps them.
	// +optional
	// +listType=atomic
	ManagedFields []ManagedFieldsEntry `json:"managedFields,omitempty" protobuf:"bytes,17,rep"`
}

// OwnerReference names an object that owns another one, in the same namespace or for the whole cluster.
// +structType=atomic
type OwnerReference struct {
	// APIVersion is the version of the owner.
	APIVersion string `json:"apiVersion" protobuf:"bytes,5,opt"`
	// Kind is the kind of the owner.
	Kind string `json:"kind" protobuf:"bytes,1,opt"`
	// Name is the name of the owner.
	Name string `json:"name" protobuf:"bytes,3,opt"`
	// UID is that of the owner: another object of the same name does not count.
	UID types.UID `json:"uid" protobuf:"bytes,4,opt"`
	// Controller says that the owner manages this object; at most one owner does.
	// +optional
	Controller *bool `json:"controller,omitempty" protobuf:"varint,6,opt"`
	// BlockOwnerDeletion keeps an owner that is deleted in the foreground until this object is gone.
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
