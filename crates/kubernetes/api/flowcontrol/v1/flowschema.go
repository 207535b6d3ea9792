package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:resource:path=flowschemas,scope=Cluster
type FlowSchema struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec FlowSchemaSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status FlowSchemaStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

type ConditionStatus string

const (
	ConditionStatusTrue ConditionStatus = "True"
	ConditionStatusFalse ConditionStatus = "False"
	ConditionStatusUnknown ConditionStatus = "Unknown"
)

type FlowDistinguisherMethod struct {
	Type FlowDistinguisherMethodType `json:"type" protobuf:"bytes,1,opt"`
}

type FlowDistinguisherMethodType string

const (
	FlowDistinguisherMethodTypeByUser FlowDistinguisherMethodType = "ByUser"
	FlowDistinguisherMethodTypeByNamespace FlowDistinguisherMethodType = "ByNamespace"
)

type FlowSchemaCondition struct {
	Type FlowSchemaConditionType `json:"type,omitempty" protobuf:"bytes,1,opt"`
	Status ConditionStatus `json:"status,omitempty" protobuf:"bytes,2,opt"`
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,3,opt"`
	Reason string `json:"reason,omitempty" protobuf:"bytes,4,opt"`
	Message string `json:"message,omitempty" protobuf:"bytes,5,opt"`
}

type FlowSchemaConditionType string

type FlowSchemaSpec struct {
	PriorityLevelConfiguration PriorityLevelConfigurationReference `json:"priorityLevelConfiguration" protobuf:"bytes,1,opt"`
	// +optional
	// +default=1000
	MatchingPrecedence int32 `json:"matchingPrecedence" protobuf:"varint,2,opt"`
	// +optional
	DistinguisherMethod *FlowDistinguisherMethod `json:"distinguisherMethod,omitempty" protobuf:"bytes,3,opt"`
	// +listType=atomic
	// +optional
	Rules []PolicyRulesWithSubjects `json:"rules,omitempty" protobuf:"bytes,4,rep"`
}

type FlowSchemaStatus struct {
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []FlowSchemaCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep"`
}

type GroupSubject struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
}

type NonResourcePolicyRule struct {
	// +listType=set
	Verbs []string `json:"verbs" protobuf:"bytes,1,rep"`
	// +listType=set
	NonResourceURLs []string `json:"nonResourceURLs" protobuf:"bytes,6,rep"`
}

type PolicyRulesWithSubjects struct {
	// +listType=atomic
	Subjects []Subject `json:"subjects" protobuf:"bytes,1,rep"`
	// +listType=atomic
	// +optional
	ResourceRules []ResourcePolicyRule `json:"resourceRules,omitempty" protobuf:"bytes,2,opt"`
	// +listType=atomic
	// +optional
	NonResourceRules []NonResourcePolicyRule `json:"nonResourceRules,omitempty" protobuf:"bytes,3,opt"`
}

type PriorityLevelConfigurationReference struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
}

type ResourcePolicyRule struct {
	// +listType=set
	Verbs []string `json:"verbs" protobuf:"bytes,1,rep"`
	// +listType=set
	APIGroups []string `json:"apiGroups" protobuf:"bytes,2,rep"`
	// +listType=set
	Resources []string `json:"resources" protobuf:"bytes,3,rep"`
	// +optional
	ClusterScope bool `json:"clusterScope,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +listType=set
	Namespaces []string `json:"namespaces" protobuf:"bytes,5,rep"`
}

type ServiceAccountSubject struct {
	Namespace string `json:"namespace" protobuf:"bytes,1,opt"`
	Name string `json:"name" protobuf:"bytes,2,opt"`
}

// +union
type Subject struct {
	// +unionDiscriminator
	Kind SubjectKind `json:"kind" protobuf:"bytes,1,opt"`
	// +optional
	User *UserSubject `json:"user,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Group *GroupSubject `json:"group,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	ServiceAccount *ServiceAccountSubject `json:"serviceAccount,omitempty" protobuf:"bytes,4,opt"`
}

type SubjectKind string

const (
	SubjectKindUser SubjectKind = "User"
	SubjectKindGroup SubjectKind = "Group"
	SubjectKindServiceAccount SubjectKind = "ServiceAccount"
)

type UserSubject struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
}
