package v1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Service is a stable address and name for a set of pods.
// +kubebuilder:resource:path=services,shortName=svc,categories=all
type Service struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec ServiceSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status ServiceStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// ClientIPConfig is how clients are kept at the same endpoint by their address.
type ClientIPConfig struct {
	// +optional
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty" protobuf:"varint,1,opt"`
}

// IPFamily is a family of IP addresses.
// +enum
type IPFamily string

const (
	IPFamilyIPv4 IPFamily = "IPv4"
	IPFamilyIPv6 IPFamily = "IPv6"
	IPFamilyEmpty IPFamily = ""
)

// IPFamilyPolicy is how many families a service wants or needs.
// +enum
type IPFamilyPolicy string

const (
	IPFamilyPolicySingleStack IPFamilyPolicy = "SingleStack"
	IPFamilyPolicyPreferDualStack IPFamilyPolicy = "PreferDualStack"
	IPFamilyPolicyRequireDualStack IPFamilyPolicy = "RequireDualStack"
)

// LoadBalancerIPMode is how a load balancer treats the address it reports.
type LoadBalancerIPMode string

const (
	LoadBalancerIPModeVIP LoadBalancerIPMode = "VIP"
	LoadBalancerIPModeProxy LoadBalancerIPMode = "Proxy"
)

// LoadBalancerIngress is a point at which a load balancer takes traffic.
type LoadBalancerIngress struct {
	// +optional
	IP string `json:"ip,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Hostname string `json:"hostname,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	IPMode *LoadBalancerIPMode `json:"ipMode,omitempty" protobuf:"bytes,3,opt"`
	// +listType=atomic
	// +optional
	Ports []PortStatus `json:"ports,omitempty" protobuf:"bytes,4,rep"`
}

// LoadBalancerStatus is the state of a load balancer.
type LoadBalancerStatus struct {
	// +optional
	// +listType=atomic
	Ingress []LoadBalancerIngress `json:"ingress,omitempty" protobuf:"bytes,1,rep"`
}

// PortStatus is the state of a port of a load balancer.
type PortStatus struct {
	Port int32 `json:"port" protobuf:"varint,1,opt"`
	Protocol Protocol `json:"protocol" protobuf:"bytes,2,opt"`
	// +optional
	Error *string `json:"error,omitempty" protobuf:"bytes,3,opt"`
}

// ServiceAffinity is whether clients stay with an endpoint.
// +enum
type ServiceAffinity string

const (
	ServiceAffinityClientIP ServiceAffinity = "ClientIP"
	ServiceAffinityNone ServiceAffinity = "None"
)

// ServiceExternalTrafficPolicy is which endpoints get traffic from outside.
// +enum
type ServiceExternalTrafficPolicy string

const (
	ServiceExternalTrafficPolicyCluster ServiceExternalTrafficPolicy = "Cluster"
	ServiceExternalTrafficPolicyLocal ServiceExternalTrafficPolicy = "Local"
)

// ServiceInternalTrafficPolicy is which endpoints get traffic from inside.
// +enum
type ServiceInternalTrafficPolicy string

const (
	ServiceInternalTrafficPolicyCluster ServiceInternalTrafficPolicy = "Cluster"
	ServiceInternalTrafficPolicyLocal ServiceInternalTrafficPolicy = "Local"
)

// ServicePort is a port of a service.
type ServicePort struct {
	// +optional
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt"`
	// +default="TCP"
	// +optional
	Protocol Protocol `json:"protocol,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	AppProtocol *string `json:"appProtocol,omitempty" protobuf:"bytes,6,opt"`
	Port int32 `json:"port" protobuf:"varint,3,opt"`
	// +optional
	TargetPort intstr.IntOrString `json:"targetPort,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	NodePort int32 `json:"nodePort,omitempty" protobuf:"varint,5,opt"`
}

// ServiceSpec is what is wanted of a service.
type ServiceSpec struct {
	// +listType=map
	// +listMapKey=port
	// +listMapKey=protocol
	Ports []ServicePort `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"port" protobuf:"bytes,1,rep"`
	// +optional
	// +mapType=atomic
	Selector map[string]string `json:"selector,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	ClusterIP string `json:"clusterIP,omitempty" protobuf:"bytes,3,opt"`
	// +listType=atomic
	// +optional
	ClusterIPs []string `json:"clusterIPs,omitempty" protobuf:"bytes,18,opt"`
	// +default="ClusterIP"
	// +unpublishedDefault
	// +optional
	Type ServiceType `json:"type,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +listType=atomic
	ExternalIPs []string `json:"externalIPs,omitempty" protobuf:"bytes,5,rep"`
	// +default="None"
	// +unpublishedDefault
	// +optional
	SessionAffinity ServiceAffinity `json:"sessionAffinity,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	LoadBalancerIP string `json:"loadBalancerIP,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	// +listType=atomic
	LoadBalancerSourceRanges []string `json:"loadBalancerSourceRanges,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	ExternalName string `json:"externalName,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	ExternalTrafficPolicy ServiceExternalTrafficPolicy `json:"externalTrafficPolicy,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	HealthCheckNodePort int32 `json:"healthCheckNodePort,omitempty" protobuf:"bytes,12,opt"`
	// +optional
	PublishNotReadyAddresses bool `json:"publishNotReadyAddresses,omitempty" protobuf:"varint,13,opt"`
	// +optional
	SessionAffinityConfig *SessionAffinityConfig `json:"sessionAffinityConfig,omitempty" protobuf:"bytes,14,opt"`
	// +listType=atomic
	// +optional
	IPFamilies []IPFamily `json:"ipFamilies,omitempty" protobuf:"bytes,19,opt"`
	// +optional
	IPFamilyPolicy *IPFamilyPolicy `json:"ipFamilyPolicy,omitempty" protobuf:"bytes,17,opt"`
	// +optional
	AllocateLoadBalancerNodePorts *bool `json:"allocateLoadBalancerNodePorts,omitempty" protobuf:"bytes,20,opt"`
	// +optional
	LoadBalancerClass *string `json:"loadBalancerClass,omitempty" protobuf:"bytes,21,opt"`
	// +optional
	InternalTrafficPolicy *ServiceInternalTrafficPolicy `json:"internalTrafficPolicy,omitempty" protobuf:"bytes,22,opt"`
	// +optional
	TrafficDistribution *string `json:"trafficDistribution,omitempty" protobuf:"bytes,23,opt"`
}

// ServiceStatus is what is known of a service.
type ServiceStatus struct {
	// +optional
	LoadBalancer LoadBalancerStatus `json:"loadBalancer,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,2,rep"`
}

// ServiceType is how a service is exposed.
// +enum
type ServiceType string

const (
	ServiceTypeClusterIP ServiceType = "ClusterIP"
	ServiceTypeNodePort ServiceType = "NodePort"
	ServiceTypeLoadBalancer ServiceType = "LoadBalancer"
	ServiceTypeExternalName ServiceType = "ExternalName"
)

// SessionAffinityConfig is details of session affinity.
type SessionAffinityConfig struct {
	// +optional
	ClientIP *ClientIPConfig `json:"clientIP,omitempty" protobuf:"bytes,1,opt"`
}
