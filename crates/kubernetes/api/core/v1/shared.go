package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
)

type AvoidPods struct {
	// +optional
	// +listType=atomic
	PreferAvoidPods []PreferAvoidPodsEntry `json:"preferAvoidPods,omitempty" protobuf:"bytes,1,rep"`
}

// +enum
type AzureDataDiskCachingMode string

const (
	AzureDataDiskCachingModeNone AzureDataDiskCachingMode = "None"
	AzureDataDiskCachingModeReadOnly AzureDataDiskCachingMode = "ReadOnly"
	AzureDataDiskCachingModeReadWrite AzureDataDiskCachingMode = "ReadWrite"
)

// +enum
type AzureDataDiskKind string

const (
	AzureDataDiskKindShared AzureDataDiskKind = "Shared"
	AzureDataDiskKindDedicated AzureDataDiskKind = "Dedicated"
	AzureDataDiskKindManaged AzureDataDiskKind = "Managed"
)

type ClusterTrustBundleProjection struct {
	// +optional
	Name *string `json:"name,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	SignerName *string `json:"signerName,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	Optional *bool `json:"optional,omitempty" protobuf:"varint,5,opt"`
	Path string `json:"path" protobuf:"bytes,4,rep"`
}

type ConditionStatus string

const (
	ConditionStatusTrue ConditionStatus = "True"
	ConditionStatusFalse ConditionStatus = "False"
	ConditionStatusUnknown ConditionStatus = "Unknown"
)

// +rule:cel="self.name != ''",reason=Required,at=name
type ConfigMapProjection struct {
	LocalObjectReference `json:",inline" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	Items []KeyToPath `json:"items,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	Optional *bool `json:"optional,omitempty" protobuf:"varint,4,opt"`
}

type DownwardAPIProjection struct {
	// +optional
	// +listType=atomic
	// +rule:path=.
	Items []DownwardAPIVolumeFile `json:"items,omitempty" protobuf:"bytes,1,rep"`
}

// +enum
type HostPathType string

const (
	HostPathTypeEmpty HostPathType = ""
	HostPathTypeDirectoryOrCreate HostPathType = "DirectoryOrCreate"
	HostPathTypeDirectory HostPathType = "Directory"
	HostPathTypeFileOrCreate HostPathType = "FileOrCreate"
	HostPathTypeFile HostPathType = "File"
	HostPathTypeSocket HostPathType = "Socket"
	HostPathTypeCharDevice HostPathType = "CharDevice"
	HostPathTypeBlockDevice HostPathType = "BlockDevice"
)

// +enum
type IPFamilyPolicyType IPFamilyPolicy

// +structType=atomic
type LocalObjectReference struct {
	// +optional
	// +default=""
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt"`
}

type NodeProxyOptions struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	Path string `json:"path,omitempty" protobuf:"bytes,1,opt"`
}

// +structType=atomic
// +rule:shared
type NodeSelector struct {
	// +listType=atomic
	// +rule:required,message="must have at least one node selector term"
	NodeSelectorTerms []NodeSelectorTerm `json:"nodeSelectorTerms" protobuf:"bytes,1,rep"`
}

// +enum
type NodeSelectorOperator string

const (
	NodeSelectorOperatorIn NodeSelectorOperator = "In"
	NodeSelectorOperatorNotIn NodeSelectorOperator = "NotIn"
	NodeSelectorOperatorExists NodeSelectorOperator = "Exists"
	NodeSelectorOperatorDoesNotExist NodeSelectorOperator = "DoesNotExist"
	NodeSelectorOperatorGt NodeSelectorOperator = "Gt"
	NodeSelectorOperatorLt NodeSelectorOperator = "Lt"
)

// +rule:default:inFields="false"
// +rule:default:allowInvalidNodeSelectorValues="false"
type NodeSelectorRequirement struct {
	// +rule:format=qualified-name,when="!inFields"
	// +rule:cel="self == 'metadata.name'",when="inFields",message="not a valid field selector key"
	Key string `json:"key" protobuf:"bytes,1,opt"`
	// +rule:cel="self in ['In', 'NotIn'] || (!inFields && self in ['Exists', 'DoesNotExist', 'Gt', 'Lt'])",message="not a valid selector operator"
	Operator NodeSelectorOperator `json:"operator" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	// +rule:required,when="!inFields && parent.operator in ['In', 'NotIn']",message="must be specified when `operator` is 'In' or 'NotIn'"
	// +rule:forbidden,when="!inFields && parent.operator in ['Exists', 'DoesNotExist']",message="may not be specified when `operator` is 'Exists' or 'DoesNotExist'",continues
	// +rule:cel="self.size() == 1",when="!inFields && parent.operator in ['Gt', 'Lt']",reason=Required,message="must be specified single value when `operator` is 'Lt' or 'Gt'"
	// +rule:cel="self.size() == 1",when="inFields && parent.operator in ['In', 'NotIn']",reason=Required,message="must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
	// +rule:each:format=label-value,when="!inFields && !allowInvalidNodeSelectorValues"
	// +rule:each:format=dns-subdomain,when="inFields && parent.key == 'metadata.name'"
	Values []string `json:"values,omitempty" protobuf:"bytes,3,rep"`
}

// +structType=atomic
type NodeSelectorTerm struct {
	// +optional
	// +listType=atomic
	MatchExpressions []NodeSelectorRequirement `json:"matchExpressions,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +listType=atomic
	// +rule:let:inFields="true"
	MatchFields []NodeSelectorRequirement `json:"matchFields,omitempty" protobuf:"bytes,2,rep"`
}

// +structType=atomic
type ObjectReference struct {
	// +optional
	Kind string `json:"kind,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Name string `json:"name,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	UID types.UID `json:"uid,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	ResourceVersion string `json:"resourceVersion,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	FieldPath string `json:"fieldPath,omitempty" protobuf:"bytes,7,opt"`
}

type PersistentVolumeClaimTemplate struct {
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec PersistentVolumeClaimSpec `json:"spec" protobuf:"bytes,2,name=spec"`
}

type PersistentVolumeClaimVolumeSource struct {
	// +rule:required
	ClaimName string `json:"claimName" protobuf:"bytes,1,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,2,opt"`
}

type PodAttachOptions struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	Stdin bool `json:"stdin,omitempty" protobuf:"varint,1,opt"`
	// +optional
	Stdout bool `json:"stdout,omitempty" protobuf:"varint,2,opt"`
	// +optional
	Stderr bool `json:"stderr,omitempty" protobuf:"varint,3,opt"`
	// +optional
	TTY bool `json:"tty,omitempty" protobuf:"varint,4,opt"`
	// +optional
	Container string `json:"container,omitempty" protobuf:"bytes,5,opt"`
}

type PodCertificateProjection struct {
	// +required
	SignerName string `json:"signerName,omitempty" protobuf:"bytes,1,rep"`
	// +required
	KeyType string `json:"keyType,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	MaxExpirationSeconds *int32 `json:"maxExpirationSeconds,omitempty" protobuf:"varint,3,opt"`
	// +optional
	CredentialBundlePath string `json:"credentialBundlePath,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	KeyPath string `json:"keyPath,omitempty" protobuf:"bytes,5,rep"`
	// +optional
	CertificateChainPath string `json:"certificateChainPath,omitempty" protobuf:"bytes,6,rep"`
	UserAnnotations map[string]string `json:"userAnnotations,omitempty" protobuf:"bytes,7,rep"`
}

type PodExecOptions struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	Stdin bool `json:"stdin,omitempty" protobuf:"varint,1,opt"`
	// +optional
	Stdout bool `json:"stdout,omitempty" protobuf:"varint,2,opt"`
	// +optional
	Stderr bool `json:"stderr,omitempty" protobuf:"varint,3,opt"`
	// +optional
	TTY bool `json:"tty,omitempty" protobuf:"varint,4,opt"`
	// +optional
	Container string `json:"container,omitempty" protobuf:"bytes,5,opt"`
	// +listType=atomic
	Command []string `json:"command" protobuf:"bytes,6,rep"`
}

type PodLogOptions struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	Container string `json:"container,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Follow bool `json:"follow,omitempty" protobuf:"varint,2,opt"`
	// +optional
	Previous bool `json:"previous,omitempty" protobuf:"varint,3,opt"`
	// +optional
	SinceSeconds *int64 `json:"sinceSeconds,omitempty" protobuf:"varint,4,opt"`
	// +optional
	SinceTime *metav1.Time `json:"sinceTime,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	Timestamps bool `json:"timestamps,omitempty" protobuf:"varint,6,opt"`
	// +optional
	TailLines *int64 `json:"tailLines,omitempty" protobuf:"varint,7,opt"`
	// +optional
	LimitBytes *int64 `json:"limitBytes,omitempty" protobuf:"varint,8,opt"`
	// +optional
	InsecureSkipTLSVerifyBackend bool `json:"insecureSkipTLSVerifyBackend,omitempty" protobuf:"varint,9,opt"`
	// +featureGate=PodLogsQuerySplitStreams
	// +optional
	Stream *string `json:"stream,omitempty" protobuf:"varint,10,opt"`
}

type PodPortForwardOptions struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	// +listType=atomic
	Ports []int32 `json:"ports,omitempty" protobuf:"varint,1,rep"`
}

type PodProxyOptions struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	Path string `json:"path,omitempty" protobuf:"bytes,1,opt"`
}

type PodSignature struct {
	// +optional
	PodController *metav1.OwnerReference `json:"podController,omitempty" protobuf:"bytes,1,opt"`
}

type PodStatusResult struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Status PodStatus `json:"status,omitempty" protobuf:"bytes,2,opt"`
}

// +k8s:openapi-gen=false
type Preconditions struct {
	// +optional
	UID *types.UID `json:"uid,omitempty" protobuf:"bytes,1,opt"`
}

type PreferAvoidPodsEntry struct {
	PodSignature PodSignature `json:"podSignature" protobuf:"bytes,1,opt"`
	// +optional
	EvictionTime metav1.Time `json:"evictionTime,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,4,opt"`
}

// +enum
type Protocol string

const (
	ProtocolTCP Protocol = "TCP"
	ProtocolUDP Protocol = "UDP"
	ProtocolSCTP Protocol = "SCTP"
)

type RangeAllocation struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Range string `json:"range" protobuf:"bytes,2,opt"`
	Data []byte `json:"data" protobuf:"bytes,3,opt"`
}

type ResourceList map[ResourceName]resource.Quantity

type ResourceName string

const (
	ResourceNameCpu ResourceName = "cpu"
	ResourceNameMemory ResourceName = "memory"
	ResourceNameStorage ResourceName = "storage"
	ResourceNameEphemeralStorage ResourceName = "ephemeral-storage"
	ResourceNamePods ResourceName = "pods"
	ResourceNameServices ResourceName = "services"
	ResourceNameReplicationcontrollers ResourceName = "replicationcontrollers"
	ResourceNameResourcequotas ResourceName = "resourcequotas"
	ResourceNameSecrets ResourceName = "secrets"
	ResourceNameConfigmaps ResourceName = "configmaps"
	ResourceNamePersistentvolumeclaims ResourceName = "persistentvolumeclaims"
	ResourceNameServicesNodeports ResourceName = "services.nodeports"
	ResourceNameServicesLoadbalancers ResourceName = "services.loadbalancers"
	ResourceNameRequestsCpu ResourceName = "requests.cpu"
	ResourceNameRequestsMemory ResourceName = "requests.memory"
	ResourceNameRequestsStorage ResourceName = "requests.storage"
	ResourceNameRequestsEphemeralStorage ResourceName = "requests.ephemeral-storage"
	ResourceNameLimitsCpu ResourceName = "limits.cpu"
	ResourceNameLimitsMemory ResourceName = "limits.memory"
	ResourceNameLimitsEphemeralStorage ResourceName = "limits.ephemeral-storage"
)

// +structType=atomic
type ScopeSelector struct {
	// +optional
	// +listType=atomic
	// +rule:cel="!(self.exists(e, e.scopeName == 'BestEffort') && self.exists(e, e.scopeName == 'NotBestEffort'))",value="has(quotaSpec.scopes) ? dyn(quotaSpec.scopes) : dyn(null)",message="conflicting scopes"
	// +rule:cel="!(self.exists(e, e.scopeName == 'Terminating') && self.exists(e, e.scopeName == 'NotTerminating'))",value="has(quotaSpec.scopes) ? dyn(quotaSpec.scopes) : dyn(null)",message="conflicting scopes"
	// +rule:each:cel="self.scopeName in uncounted",at=^.scopeName,value="self.scopeName",message="unsupported scope"
	// +rule:each:cel="!(self.scopeName in uncounted) || uncounted[self.scopeName].size() == 0",at=^,value="parent",messageExpression="uncounted[self.scopeName].map(r, 'unsupported scope applied to resource')"
	// +rule:each:cel="!(self.scopeName in uncounted) || self.scopeName in ['PriorityClass', 'VolumeAttributesClass'] || self.operator == 'Exists'",at=^.operator,value="self.operator",message="must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
	// +rule:each:cel="!(self.operator in ['In', 'NotIn']) || self.values.size() > 0",at=^.values,reason=Required,message="must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
	// +rule:each:cel="!(self.operator in ['Exists', 'DoesNotExist']) || self.values.size() == 0",at=^.values,value="self.values",message="must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
	// +rule:each:cel="self.operator in ['In', 'NotIn', 'Exists', 'DoesNotExist']",at=^.operator,value="self.operator",message="not a valid selector operator"
	MatchExpressions []ScopedResourceSelectorRequirement `json:"matchExpressions,omitempty" protobuf:"bytes,1,rep"`
}

// +enum
type ScopeSelectorOperator string

const (
	ScopeSelectorOperatorIn ScopeSelectorOperator = "In"
	ScopeSelectorOperatorNotIn ScopeSelectorOperator = "NotIn"
	ScopeSelectorOperatorExists ScopeSelectorOperator = "Exists"
	ScopeSelectorOperatorDoesNotExist ScopeSelectorOperator = "DoesNotExist"
)

type ScopedResourceSelectorRequirement struct {
	ScopeName ResourceQuotaScope `json:"scopeName" protobuf:"bytes,1,opt"`
	Operator ScopeSelectorOperator `json:"operator" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	Values []string `json:"values,omitempty" protobuf:"bytes,3,rep"`
}

// +rule:cel="self.name != ''",reason=Required,at=name
type SecretProjection struct {
	LocalObjectReference `json:",inline" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	Items []KeyToPath `json:"items,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	Optional *bool `json:"optional,omitempty" protobuf:"varint,4,opt"`
}

// +structType=atomic
// +rule:shared
// +rule:default:judgeSecretNames="false"
type SecretReference struct {
	// +optional
	// +rule:required
	// +rule:format=dns-subdomain,when="judgeSecretNames"
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:required
	// +rule:format=dns-label,when="judgeSecretNames"
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,2,opt"`
}

type SerializedReference struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	Reference ObjectReference `json:"reference,omitempty" protobuf:"bytes,1,opt"`
}

type ServiceAccountTokenProjection struct {
	// +optional
	Audience string `json:"audience,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +default=3600
	// +unpublishedDefault
	// +rule:cel="self >= 600",message="may not specify a duration less than 10 minutes"
	// +rule:cel="self <= 4294967296",message="may not specify a duration larger than 2^32 seconds"
	ExpirationSeconds *int64 `json:"expirationSeconds,omitempty" protobuf:"varint,2,opt"`
	// +rule:required,at=^^^^.path
	// +rule:format=unreserved-path,at=^^^^.path,when="!allowNonlocalTokenPath"
	Path string `json:"path" protobuf:"bytes,3,opt"`
}

// +enum
type ServiceExternalTrafficPolicyType ServiceExternalTrafficPolicy

// +enum
type ServiceInternalTrafficPolicyType ServiceInternalTrafficPolicy

type ServiceProxyOptions struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	Path string `json:"path,omitempty" protobuf:"bytes,1,opt"`
}

type StorageMedium string

const (
	StorageMediumEmpty StorageMedium = ""
	StorageMediumMemory StorageMedium = "Memory"
	StorageMediumHugePages StorageMedium = "HugePages"
	StorageMediumHugePagesX StorageMedium = "HugePages-"
)

type TopologySelectorLabelRequirement struct {
	// +rule:format=qualified-name
	Key string `json:"key" protobuf:"bytes,1,opt"`
	// +listType=atomic
	// +rule:required
	// +rule:unique="self"
	Values []string `json:"values" protobuf:"bytes,2,rep"`
}

// +structType=atomic
type TopologySelectorTerm struct {
	// +optional
	// +listType=atomic
	// +rule:unique="self.key",at=key
	MatchLabelExpressions []TopologySelectorLabelRequirement `json:"matchLabelExpressions,omitempty" protobuf:"bytes,1,rep"`
}

// +structType=atomic
// +rule:shared
// +rule:default:allowAnySourceGroup="false"
// +rule:cel="self.apiGroup != '' || self.kind == 'PersistentVolumeClaim'",value="self.kind",message="must be 'PersistentVolumeClaim' when referencing the default apiGroup"
type TypedLocalObjectReference struct {
	// +optional
	// +rule:format=dns-subdomain,when="self != '' && !allowAnySourceGroup"
	APIGroup *string `json:"apiGroup" protobuf:"bytes,1,opt"`
	// +rule:required
	Kind string `json:"kind" protobuf:"bytes,2,opt"`
	// +rule:required
	Name string `json:"name" protobuf:"bytes,3,opt"`
}

// +rule:shared
// +rule:default:allowAnySourceGroup="false"
// +rule:cel="self.apiGroup != '' || self.kind == 'PersistentVolumeClaim'",value="self.kind",message="must be 'PersistentVolumeClaim' when referencing the default apiGroup"
type TypedObjectReference struct {
	// +optional
	// +rule:format=dns-subdomain,when="self != '' && !allowAnySourceGroup"
	APIGroup *string `json:"apiGroup" protobuf:"bytes,1,opt"`
	// +rule:required
	Kind string `json:"kind" protobuf:"bytes,2,opt"`
	// +rule:required
	Name string `json:"name" protobuf:"bytes,3,opt"`
	// +featureGate=CrossNamespaceVolumeDataSource
	// +optional
	// +rule:format=dns-label,when="self != ''"
	Namespace *string `json:"namespace,omitempty" protobuf:"bytes,4,opt"`
}
