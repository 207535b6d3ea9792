package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FlowSchema assigns requests to a priority level.
// +rule:as=schema
// +kubebuilder:resource:path=flowschemas,scope=Cluster
type FlowSchema struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:code=mandatory-flow-schema
	Spec FlowSchemaSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=main;status
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
	// +rule:oneOf=ByNamespace;ByUser,value="parent"
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
	// +rule:required
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
	// +rule:cel="self > 0",message="must be a positive value"
	// +rule:cel="self <= 10000",message="must not be greater than 10000"
	// +rule:cel="self != 1 || schema.metadata.name == 'exempt'",message="only the schema named 'exempt' may have matchingPrecedence 1"
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
	// +rule:unique="self.type",at=type
	Conditions []FlowSchemaCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep"`
}

// GroupSubject means the members of a group.
type GroupSubject struct {
	// +rule:required
	Name string `json:"name" protobuf:"bytes,1,opt"`
}

// NonResourcePolicyRule matches requests for paths.
type NonResourcePolicyRule struct {
	// +listType=set
	// +rule:required,message="verbs must contain at least one value"
	// +rule:cel="!('*' in self) || self.size() == 1",message="if '*' is present, must not specify other verbs",ends
	// +rule:cel="'*' in self || self.all(v, v in ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'])",reason=NotSupported,
	//   message=`supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"`
	Verbs []string `json:"verbs" protobuf:"bytes,1,rep"`
	// +listType=set
	// +rule:required,message="nonResourceURLs must contain at least one value"
	// +rule:cel="!('*' in self) || self.size() == 1",message="if '*' is present, must not specify other non-resource URLs",ends
	// +rule:each:cel="self == '/' || self.startsWith('/') && !self.contains(' ') && !self.contains('//') && self.matches('^([^*]*|[^*]*/[*])$')",
	//   when="!('*' in parent.nonResourceURLs)",
	//   messageExpression="""self == '' ? 'must not be empty' : !self.startsWith('/') ? 'must start with slash' : self.contains(' ') ? 'must not contain white-space' : self.contains('//') ? 'must not contain double slash' : 'wildcard can only do suffix matching'"""
	NonResourceURLs []string `json:"nonResourceURLs" protobuf:"bytes,6,rep"`
}

// PolicyRulesWithSubjects matches requests by who makes them and what they ask for.
// +rule:cel="self.resourceRules.size() > 0 || self.nonResourceRules.size() > 0",reason=Required,
//   message="at least one of resourceRules and nonResourceRules has to be non-empty"
type PolicyRulesWithSubjects struct {
	// +listType=atomic
	// +rule:required,message="subjects must contain at least one value"
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
	// +rule:required,message="must reference a priority level"
	// +rule:format=dns-subdomain
	Name string `json:"name" protobuf:"bytes,1,opt"`
}

// ResourcePolicyRule matches requests for resources.
type ResourcePolicyRule struct {
	// +listType=set
	// +rule:required,message="verbs must contain at least one value"
	// +rule:cel="!('*' in self) || self.size() == 1",message="if '*' is present, must not specify other verbs",ends
	// +rule:cel="'*' in self || self.all(v, v in ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'])",reason=NotSupported,
	//   message=`supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"`
	Verbs []string `json:"verbs" protobuf:"bytes,1,rep"`
	// +listType=set
	// +rule:required,message="resource rules must supply at least one api group"
	// +rule:cel="!('*' in self) || self.size() == 1",message="if '*' is present, must not specify other api groups"
	APIGroups []string `json:"apiGroups" protobuf:"bytes,2,rep"`
	// +listType=set
	// +rule:required,message="resource rules must supply at least one resource"
	// +rule:cel="!('*' in self) || self.size() == 1",message="if '*' is present, must not specify other resources"
	Resources []string `json:"resources" protobuf:"bytes,3,rep"`
	// +optional
	ClusterScope bool `json:"clusterScope,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +listType=set
	// +rule:required,when="!parent.clusterScope",message="resource rules that are not cluster scoped must supply at least one namespace"
	// +rule:cel="!('*' in self) || self.size() == 1",message="if '*' is present, must not specify other namespaces",ends
	// +rule:each:cel="self == '*' || self.problems('dns-label').size() == 0",
	//   messageExpression=`self.problems('dns-label').map(p, "each member of this list must be '*' or a DNS-1123 label; " + p)`
	Namespaces []string `json:"namespaces" protobuf:"bytes,5,rep"`
}

// ServiceAccountSubject means a service account.
type ServiceAccountSubject struct {
	// +rule:required,message="must specify namespace for service account"
	// +rule:format=dns-label
	Namespace string `json:"namespace" protobuf:"bytes,1,opt"`
	// +rule:required
	// +rule:format=dns-subdomain,when="self != '*'"
	Name string `json:"name" protobuf:"bytes,2,opt"`
}

// Subject means somebody who makes requests.
// +union
type Subject struct {
	// +unionDiscriminator
	// +rule:oneOf=Group;ServiceAccount;User
	Kind SubjectKind `json:"kind" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:required,when="parent.kind == 'User'",message="user is required when subject kind is 'User'"
	// +rule:forbidden,when="parent.kind in ['Group', 'ServiceAccount']",message="user is forbidden when subject kind is not 'User'"
	// +rule:skip,when="parent.kind != 'User'"
	User *UserSubject `json:"user,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:required,when="parent.kind == 'Group'",message="group is required when subject kind is 'Group'"
	// +rule:forbidden,when="parent.kind in ['ServiceAccount', 'User']",message="group is forbidden when subject kind is not 'Group'"
	// +rule:skip,when="parent.kind != 'Group'"
	Group *GroupSubject `json:"group,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:required,when="parent.kind == 'ServiceAccount'",message="serviceAccount is required when subject kind is 'ServiceAccount'"
	// +rule:forbidden,when="parent.kind in ['Group', 'User']",message="serviceAccount is forbidden when subject kind is not 'ServiceAccount'"
	// +rule:skip,when="parent.kind != 'ServiceAccount'"
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
	// +rule:required
	Name string `json:"name" protobuf:"bytes,1,opt"`
}
