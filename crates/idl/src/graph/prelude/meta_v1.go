// +k8s:openapi-gen=true
// +k8s:openapi-model-package=io.k8s.apimachinery.pkg.apis.meta.v1
// +groupName=meta.k8s.io
package v1

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"time"
)

const (
	NamespaceDefault = "default"
	NamespaceAll     = ""
	NamespaceNone    = ""
	NamespaceSystem  = "kube-system"
	NamespacePublic  = "kube-public"
	ObjectNameField  = "metadata.name"

	FinalizerOrphanDependents = "orphan"
	FinalizerDeleteDependents = "foregroundDeletion"
)

// +k8s:deepcopy-gen=false
type TypeMeta struct {
	// +optional
	Kind string `json:"kind,omitempty"`
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`
}

type ListMeta struct {
	// +optional
	SelfLink string `json:"selfLink,omitempty"`
	// +optional
	ResourceVersion string `json:"resourceVersion,omitempty"`
	Continue        string `json:"continue,omitempty"`
	// +optional
	RemainingItemCount *int64 `json:"remainingItemCount,omitempty"`
	// +featureGate=ShardedListAndWatch
	// +optional
	ShardInfo *ShardInfo `json:"shardInfo,omitempty"`
}

type ShardInfo struct {
	// +required
	Selector string `json:"selector"`
}

type ObjectMeta struct {
	// +optional
	Name string `json:"name,omitempty"`
	// +optional
	GenerateName string `json:"generateName,omitempty"`
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// +optional
	SelfLink string `json:"selfLink,omitempty"`
	// +optional
	UID types.UID `json:"uid,omitempty"`
	// +optional
	ResourceVersion string `json:"resourceVersion,omitempty"`
	// +optional
	Generation int64 `json:"generation,omitempty"`
	// +optional
	CreationTimestamp Time `json:"creationTimestamp,omitempty,omitzero"`
	// +optional
	DeletionTimestamp *Time `json:"deletionTimestamp,omitempty"`
	// +optional
	DeletionGracePeriodSeconds *int64 `json:"deletionGracePeriodSeconds,omitempty"`
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// +optional
	// +patchMergeKey=uid
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=uid
	OwnerReferences []OwnerReference `json:"ownerReferences,omitempty" patchStrategy:"merge" patchMergeKey:"uid"`
	// +optional
	// +patchStrategy=merge
	// +listType=set
	Finalizers []string `json:"finalizers,omitempty" patchStrategy:"merge"`
	// +optional
	// +listType=atomic
	ManagedFields []ManagedFieldsEntry `json:"managedFields,omitempty"`
}

// +structType=atomic
type OwnerReference struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Name       string    `json:"name"`
	UID        types.UID `json:"uid"`
	// +optional
	Controller *bool `json:"controller,omitempty"`
	// +optional
	BlockOwnerDeletion *bool `json:"blockOwnerDeletion,omitempty"`
}

type ManagedFieldsEntry struct {
	Manager    string                     `json:"manager,omitempty"`
	Operation  ManagedFieldsOperationType `json:"operation,omitempty"`
	APIVersion string                     `json:"apiVersion,omitempty"`
	// +optional
	Time       *Time  `json:"time,omitempty"`
	FieldsType string `json:"fieldsType,omitempty"`
	// +optional
	FieldsV1    *FieldsV1 `json:"fieldsV1,omitempty"`
	Subresource string    `json:"subresource,omitempty"`
}

type ManagedFieldsOperationType string

const (
	ManagedFieldsOperationApply  ManagedFieldsOperationType = "Apply"
	ManagedFieldsOperationUpdate ManagedFieldsOperationType = "Update"
)

// +protobuf.options.(gogoproto.goproto_stringer)=false
type FieldsV1 struct {
	Raw []byte `json:"-"`
}

func (f FieldsV1) MarshalJSON() ([]byte, error)
func (f *FieldsV1) UnmarshalJSON(b []byte) error

// +structType=atomic
type LabelSelector struct {
	// +optional
	MatchLabels map[string]string `json:"matchLabels,omitempty"`
	// +optional
	// +listType=atomic
	MatchExpressions []LabelSelectorRequirement `json:"matchExpressions,omitempty"`
}

type LabelSelectorRequirement struct {
	Key      string                `json:"key"`
	Operator LabelSelectorOperator `json:"operator"`
	// +optional
	// +listType=atomic
	Values []string `json:"values,omitempty"`
}

type LabelSelectorOperator string

const (
	LabelSelectorOpIn           LabelSelectorOperator = "In"
	LabelSelectorOpNotIn        LabelSelectorOperator = "NotIn"
	LabelSelectorOpExists       LabelSelectorOperator = "Exists"
	LabelSelectorOpDoesNotExist LabelSelectorOperator = "DoesNotExist"
)

// +protobuf.options.marshal=false
// +protobuf.as=Timestamp
// +protobuf.options.(gogoproto.goproto_stringer)=false
type Time struct {
	time.Time
}

func (t *Time) UnmarshalJSON(b []byte) error
func (t *Time) DeepCopyInto(out *Time)
func (t Time) MarshalJSON() ([]byte, error)

func (_ Time) OpenAPISchemaType() []string { return []string{"string"} }

func (_ Time) OpenAPISchemaFormat() string { return "date-time" }

// +protobuf.options.marshal=false
// +protobuf.as=Timestamp
// +protobuf.options.(gogoproto.goproto_stringer)=false
type MicroTime struct {
	time.Time
}

func (t *MicroTime) UnmarshalJSON(b []byte) error
func (t *MicroTime) DeepCopyInto(out *MicroTime)
func (t MicroTime) MarshalJSON() ([]byte, error)

func (_ MicroTime) OpenAPISchemaType() []string { return []string{"string"} }

func (_ MicroTime) OpenAPISchemaFormat() string { return "date-time" }

type Duration struct {
	time.Duration
}

func (d *Duration) UnmarshalJSON(b []byte) error
func (d Duration) MarshalJSON() ([]byte, error)

func (_ Duration) OpenAPISchemaType() []string { return []string{"string"} }

func (_ Duration) OpenAPISchemaFormat() string { return "" }

type ConditionStatus string

const (
	ConditionTrue    ConditionStatus = "True"
	ConditionFalse   ConditionStatus = "False"
	ConditionUnknown ConditionStatus = "Unknown"
)

type Condition struct {
	// +required
	// +kubebuilder:validation:Required
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`
	// +kubebuilder:validation:MaxLength=316
	Type string `json:"type"`
	// +required
	// +kubebuilder:validation:Required
	// +kubebuilder:validation:Enum=True;False;Unknown
	Status ConditionStatus `json:"status"`
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// +required
	// +kubebuilder:validation:Required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	LastTransitionTime Time `json:"lastTransitionTime"`
	// +required
	// +kubebuilder:validation:Required
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:Pattern=`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
	Reason string `json:"reason"`
	// +required
	// +kubebuilder:validation:Required
	// +kubebuilder:validation:MaxLength=32768
	Message string `json:"message"`
}

// +protobuf.options.(gogoproto.goproto_stringer)=false
type GroupKind struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
}

// +protobuf.options.(gogoproto.goproto_stringer)=false
type GroupVersionKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// +protobuf.options.(gogoproto.goproto_stringer)=false
type GroupResource struct {
	Group    string `json:"group"`
	Resource string `json:"resource"`
}

// +protobuf.options.(gogoproto.goproto_stringer)=false
type GroupVersionResource struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

type List struct {
	TypeMeta `json:",inline"`
	// +optional
	ListMeta `json:"metadata,omitempty"`
	Items    []runtime.RawExtension `json:"items"`
}

type PartialObjectMetadata struct {
	TypeMeta `json:",inline"`
	// +optional
	ObjectMeta `json:"metadata,omitempty"`
}

type PartialObjectMetadataList struct {
	TypeMeta `json:",inline"`
	// +optional
	ListMeta `json:"metadata,omitempty"`
	Items    []PartialObjectMetadata `json:"items"`
}

type GroupVersion struct {
	Group   string `json:"group"`
	Version string `json:"version"`
}

// +protobuf.nullable=true
// +protobuf.options.(gogoproto.goproto_stringer)=false
type Verbs []string

type FieldSelectorRequirement struct {
	Key      string                `json:"key"`
	Operator FieldSelectorOperator `json:"operator"`
	// +optional
	// +listType=atomic
	Values []string `json:"values,omitempty"`
}

type FieldSelectorOperator string

const (
	FieldSelectorOpIn           FieldSelectorOperator = "In"
	FieldSelectorOpNotIn        FieldSelectorOperator = "NotIn"
	FieldSelectorOpExists       FieldSelectorOperator = "Exists"
	FieldSelectorOpDoesNotExist FieldSelectorOperator = "DoesNotExist"
)

type DeletionPropagation string

const (
	DeletePropagationOrphan     DeletionPropagation = "Orphan"
	DeletePropagationBackground DeletionPropagation = "Background"
	DeletePropagationForeground DeletionPropagation = "Foreground"
)

type Preconditions struct {
	// +optional
	UID *types.UID `json:"uid,omitempty"`
	// +optional
	ResourceVersion *string `json:"resourceVersion,omitempty"`
}

type DeleteOptions struct {
	TypeMeta `json:",inline"`
	// +optional
	GracePeriodSeconds *int64 `json:"gracePeriodSeconds,omitempty"`
	// +optional
	Preconditions *Preconditions `json:"preconditions,omitempty"`
	// +optional
	OrphanDependents *bool `json:"orphanDependents,omitempty"`
	// +optional
	PropagationPolicy *DeletionPropagation `json:"propagationPolicy,omitempty"`
	// +optional
	// +listType=atomic
	DryRun []string `json:"dryRun,omitempty"`
	// +optional
	IgnoreStoreReadErrorWithClusterBreakingPotential *bool `json:"ignoreStoreReadErrorWithClusterBreakingPotential,omitempty"`
}

type Status struct {
	TypeMeta `json:",inline"`
	// +optional
	ListMeta `json:"metadata,omitempty"`
	// +optional
	Status string `json:"status,omitempty"`
	// +optional
	Message string `json:"message,omitempty"`
	// +optional
	Reason StatusReason `json:"reason,omitempty"`
	// +optional
	// +listType=atomic
	Details *StatusDetails `json:"details,omitempty"`
	// +optional
	Code int32 `json:"code,omitempty"`
}

type StatusDetails struct {
	// +optional
	Name string `json:"name,omitempty"`
	// +optional
	Group string `json:"group,omitempty"`
	// +optional
	Kind string `json:"kind,omitempty"`
	// +optional
	UID types.UID `json:"uid,omitempty"`
	// +optional
	// +listType=atomic
	Causes []StatusCause `json:"causes,omitempty"`
	// +optional
	RetryAfterSeconds int32 `json:"retryAfterSeconds,omitempty"`
}

type StatusReason string

type CauseType string

type StatusCause struct {
	// +optional
	Type CauseType `json:"reason,omitempty"`
	// +optional
	Message string `json:"message,omitempty"`
	// +optional
	Field string `json:"field,omitempty"`
}

// +protobuf.options.marshal=false
// +protobuf.options.(gogoproto.goproto_stringer)=false
type Timestamp struct {
	Seconds int64 `json:"seconds"`
	Nanos   int32 `json:"nanos"`
}
