package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FlowSchema assigns requests to a priority level.
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

// ConditionStatus says whether a condition holds.
type ConditionStatus string

const (
	ConditionStatusTrue ConditionStatus = "True"
	ConditionStatusFalse ConditionStatus = "False"
	ConditionStatusUnknown ConditionStatus = "Unknown"
)

// FlowDistinguisherMethod tells flows of one schema apart.
type FlowDistinguisherMethod struct {
	Type FlowDistinguisherMethodType `json:"type" protobuf:"bytes,1,opt"`
}

// FlowDistinguisherMethodType is what flows are told apart by.
type FlowDistinguisherMethodType string

const (
	FlowDistinguisherMethodTypeByUser FlowDistinguisherMethodType = "ByUser"
	FlowDistinguisherMethodTypeByNamespace FlowDistinguisherMethodType = "ByNamespace"
)

// FlowSchemaCondition is something that is known about a schema.
type FlowSchemaCondition struct {
	Type FlowSchemaConditionType `json:"type,omitempty" protobuf:"bytes,1,opt"`
	Status ConditionStatus `json:"status,omitempty" protobuf:"bytes,2,opt"`
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,3,opt"`
	Reason string `json:"reason,omitempty" protobuf:"bytes,4,opt"`
	Message string `json:"message,omitempty" protobuf:"bytes,5,opt"`
}

// FlowSchemaConditionType tells conditions of a schema apart.
type FlowSchemaConditionType string

// FlowSchemaSpec is which requests a schema takes and where they go.
type FlowSchemaSpec struct {
	PriorityLevelConfiguration PriorityLevelConfigurationReference `json:"priorityLevelConfiguration" protobuf:"bytes,1,opt"`
	// +optional
	// +default=1000
	// +unpublishedDefault
	MatchingPrecedence int32 `json:"matchingPrecedence" protobuf:"varint,2,opt"`
	// +optional
	DistinguisherMethod *FlowDistinguisherMethod `json:"distinguisherMethod,omitempty" protobuf:"bytes,3,opt"`
	// +listType=atomic
	// +optional
	Rules []PolicyRulesWithSubjects `json:"rules,omitempty" protobuf:"bytes,4,rep"`
}

// FlowSchemaStatus is how a schema is doing.
type FlowSchemaStatus struct {
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []FlowSchemaCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep"`
}

// GroupSubject means the members of a group.
type GroupSubject struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
}

// NonResourcePolicyRule matches requests for paths.
type NonResourcePolicyRule struct {
	// +listType=set
	Verbs []string `json:"verbs" protobuf:"bytes,1,rep"`
	// +listType=set
	NonResourceURLs []string `json:"nonResourceURLs" protobuf:"bytes,6,rep"`
}

// PolicyRulesWithSubjects matches requests by who makes them and what they ask for.
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

// PriorityLevelConfigurationReference names a priority level.
type PriorityLevelConfigurationReference struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
}

// ResourcePolicyRule matches requests for resources.
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

// ServiceAccountSubject means a service account.
type ServiceAccountSubject struct {
	Namespace string `json:"namespace" protobuf:"bytes,1,opt"`
	Name string `json:"name" protobuf:"bytes,2,opt"`
}

// Subject means somebody who makes requests.
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

// SubjectKind is the sort of a subject.
type SubjectKind string

const (
	SubjectKindUser SubjectKind = "User"
	SubjectKindGroup SubjectKind = "Group"
	SubjectKindServiceAccount SubjectKind = "ServiceAccount"
)

// UserSubject means a user.
type UserSubject struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
}
