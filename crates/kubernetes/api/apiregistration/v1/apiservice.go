package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// APIService says who serves a version of a group.
// +rule:cel="self.metadata.name == '' || self.metadata.name.problems('path-segment-name').size() > 0 || self.metadata.name == self.spec.version + '.' + self.spec.group",
//   at=metadata.name,value="self.metadata.name",
//   messageExpression=`'must be \u0060spec.version+"."+spec.group\u0060: ' + strings.quote(self.spec.version + '.' + self.spec.group)`
// +k8s:supportsSubresource="/status"
// +kubebuilder:resource:path=apiservices,scope=Cluster,categories=api-extensions
type APIService struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec APIServiceSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=status
	Status APIServiceStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// ServiceReference names a service of the cluster.
type ServiceReference struct {
	// +optional
	// +rule:required
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:required
	Name string `json:"name,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +default=443
	// +unpublishedDefault
	// +rule:range=1..65535,message="port is not valid: must be between 1 and 65535, inclusive"
	Port *int32 `json:"port,omitempty" protobuf:"varint,3,opt"`
}

// APIServiceSpec names the version, how important it is and where it is served.
type APIServiceSpec struct {
	// +optional
	Service *ServiceReference `json:"service,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:required,when="parent.version != 'v1'",message="only v1 may have an empty group and it better be legacy kube"
	// +rule:format=dns-subdomain,when="self != ''"
	Group string `json:"group,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:format=dns-1035-label
	Version string `json:"version,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:cel="!self || has(parent.service)",message="local APIServices may not have insecureSkipTLSVerify"
	// +rule:cel="!self || !has(parent.service) || !has(parent.caBundle)",message="may not be true if caBundle is present"
	InsecureSkipTLSVerify bool `json:"insecureSkipTLSVerify,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +listType=atomic
	// +rule:code=local-ca-bundle
	CABundle []byte `json:"caBundle,omitempty" protobuf:"bytes,5,opt"`
	// +rule:range=1..20000,message="must be positive and less than 20000"
	GroupPriorityMinimum int32 `json:"groupPriorityMinimum" protobuf:"varint,7,opt"`
	// +rule:range=1..1000,message="must be positive and less than 1000"
	VersionPriority int32 `json:"versionPriority" protobuf:"varint,8,opt"`
}

// APIServiceCondition is a fact about a service at some time.
type APIServiceCondition struct {
	Type APIServiceConditionType `json:"type" protobuf:"bytes,1,opt,casttype=APIServiceConditionType"`
	// +rule:oneOf=True;False;Unknown
	Status ConditionStatus `json:"status" protobuf:"bytes,2,opt,casttype=ConditionStatus"`
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,5,opt"`
}

// APIServiceStatus tells whether the service answers.
type APIServiceStatus struct {
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []APIServiceCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep"`
}

// APIServiceConditionType names a condition.
type APIServiceConditionType string

// ConditionStatus is True, False or Unknown.
type ConditionStatus string
