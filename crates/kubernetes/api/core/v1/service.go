package v1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Service is a stable address and name for a set of pods.
// +rule:as=service
// +rule:cel="!('service.kubernetes.io/topology-mode' in self.metadata.annotations) || !('service.kubernetes.io/topology-aware-hints' in self.metadata.annotations) || self.metadata.annotations['service.kubernetes.io/topology-mode'] == self.metadata.annotations['service.kubernetes.io/topology-aware-hints']",
//   at=metadata.annotations[service.kubernetes.io/topology-mode],value="self.metadata.annotations['service.kubernetes.io/topology-mode']",
//   message="must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified"
// +rule:cel="self.spec.type != 'LoadBalancer' || has(self.spec.allocateLoadBalancerNodePorts)",reason=Required,at=allocateLoadBalancerNodePorts
// +rule:code=annotated-source-ranges
// +kubebuilder:resource:path=services,shortName=svc,categories=all
type Service struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec ServiceSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=status
	Status ServiceStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// ClientIPConfig is how clients are kept at the same endpoint by their address.
type ClientIPConfig struct {
	// +optional
	// +rule:required,message="when session affinity type is ClientIP"
	// +rule:range=1..86400,message="must be greater than 0 and less than 86400"
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
	// +rule:optional
	// +rule:format=legacy-ip,when="!(self in oldBalancerIPs)"
	IP string `json:"ip,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:optional
	// +rule:format=dns-subdomain
	// +rule:cel="self.problems('legacy-ip').size() > 0",message="must be a DNS name, not an IP address"
	Hostname string `json:"hostname,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:required,when="parent.ip != ''",message="must be specified when `ip` is set"
	// +rule:forbidden,when="parent.ip == ''",message="may not be specified when `ip` is not set"
	// +rule:oneOf=Proxy;VIP
	IPMode *LoadBalancerIPMode `json:"ipMode,omitempty" protobuf:"bytes,3,opt"`
	// +listType=atomic
	// +optional
	Ports []PortStatus `json:"ports,omitempty" protobuf:"bytes,4,rep"`
}

// LoadBalancerStatus is the state of a load balancer.
type LoadBalancerStatus struct {
	// +optional
	// +listType=atomic
	// +rule:forbidden,when="service.spec.type != 'LoadBalancer'",message="may only be used when `spec.type` is 'LoadBalancer'"
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
	// +rule:required,when="service.spec.ports.size() > 1"
	// +rule:format=dns-label,when="self != ''"
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt"`
	// +default="TCP"
	// +optional
	// +rule:required
	// +rule:oneOf=SCTP;TCP;UDP
	Protocol Protocol `json:"protocol,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:format=qualified-name
	AppProtocol *string `json:"appProtocol,omitempty" protobuf:"bytes,6,opt"`
	// +rule:range=1..65535
	Port int32 `json:"port" protobuf:"varint,3,opt"`
	// +optional
	// +rule:format=port-number-or-name
	TargetPort intstr.IntOrString `json:"targetPort,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +rule:forbidden,when="service.spec.type == 'ClusterIP'",message="may not be used when `type` is 'ClusterIP'"
	NodePort int32 `json:"nodePort,omitempty" protobuf:"varint,5,opt"`
}

// ServiceSpec is what is wanted of a service.
// +rule:let:headless="self.clusterIPs == ['None']"
// +rule:let:external="self.type in ['NodePort', 'LoadBalancer'] || self.type == 'ClusterIP' && self.externalIPs.size() > 0"
// +rule:let:healthChecked="self.type == 'LoadBalancer' && self.externalTrafficPolicy == 'Local'"
// +rule:let:wasHealthChecked="oldSelf.type == 'LoadBalancer' && oldSelf.externalTrafficPolicy == 'Local'"
// +rule:let:oldExternalIPs="oldSelf.externalIPs"
// +rule:let:oldSourceRanges="oldSelf.loadBalancerSourceRanges.map(r, r.trim())"
// +rule:cel="!headless || !(self.type in ['LoadBalancer', 'NodePort'])",at=clusterIPs[0],value="'None'",
//   messageExpression=`"may not be set to 'None' for " + self.type + ' services'`
// +rule:cel="self.type != 'LoadBalancer' || oldSelf.type != 'LoadBalancer' || has(self.loadBalancerClass) == has(oldSelf.loadBalancerClass) && self.loadBalancerClass == oldSelf.loadBalancerClass",
//   at=loadBalancerClass,value="has(self.loadBalancerClass) ? dyn(self.loadBalancerClass) : dyn(null)",message="may not change once set"
type ServiceSpec struct {
	// +listType=map
	// +listMapKey=port
	// +listMapKey=protocol
	// +rule:required,when="!headless && parent.type != 'ExternalName'"
	// +rule:unique="self.name",when="self.name != ''",at=name
	// +rule:unique="self.protocol + '/' + string(self.nodePort)",when="self.nodePort != 0",at=nodePort,value="self.nodePort"
	// +rule:code=duplicate-service-ports
	Ports []ServicePort `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"port" protobuf:"bytes,1,rep"`
	// +optional
	// +mapType=atomic
	// +rule:code=labels
	Selector map[string]string `json:"selector,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	ClusterIP string `json:"clusterIP,omitempty" protobuf:"bytes,3,opt"`
	// +listType=atomic
	// +optional
	// +rule:forbidden,when="parent.type == 'ExternalName'",message="may not be set for ExternalName services"
	ClusterIPs []string `json:"clusterIPs,omitempty" protobuf:"bytes,18,opt"`
	// +default="ClusterIP"
	// +unpublishedDefault
	// +optional
	// +rule:required
	// +rule:oneOf=ClusterIP;ExternalName;LoadBalancer;NodePort
	Type ServiceType `json:"type,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +listType=atomic
	// +rule:each:format=legacy-ip,when="!(self in oldExternalIPs)"
	// +rule:each:format=endpoint-ip,when="self in oldExternalIPs || self.problems('legacy-ip').size() == 0"
	ExternalIPs []string `json:"externalIPs,omitempty" protobuf:"bytes,5,rep"`
	// +default="None"
	// +unpublishedDefault
	// +optional
	// +rule:required
	// +rule:oneOf=ClientIP;None
	SessionAffinity ServiceAffinity `json:"sessionAffinity,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	LoadBalancerIP string `json:"loadBalancerIP,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	// +listType=atomic
	// +rule:path=LoadBalancerSourceRanges
	// +rule:forbidden,when="parent.type != 'LoadBalancer'",message="may only be used when `type` is 'LoadBalancer'",continues
	// +rule:each:cel="self.trim() in oldSourceRanges || self.trim().problems('legacy-cidr').size() == 0",value="self.trim()",
	//   messageExpression="self.trim().problems('legacy-cidr')"
	LoadBalancerSourceRanges []string `json:"loadBalancerSourceRanges,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	// +rule:skip,when="parent.type != 'ExternalName'"
	// +rule:cel="!(self in ['', '.'])",reason=Required,ends
	// +rule:cel="(self.endsWith('.') ? self.substring(0, self.size() - 1) : self).problems('dns-subdomain').size() == 0",
	//   value="self.endsWith('.') ? self.substring(0, self.size() - 1) : self",
	//   messageExpression="(self.endsWith('.') ? self.substring(0, self.size() - 1) : self).problems('dns-subdomain')"
	ExternalName string `json:"externalName,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	// +rule:cel="external || self == ''",message="may only be set for externally-accessible services",ends
	// +rule:required,when="external"
	// +rule:oneOf=Cluster;Local,when="external"
	ExternalTrafficPolicy ServiceExternalTrafficPolicy `json:"externalTrafficPolicy,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	// +rule:cel="self == oldSelf",when="healthChecked && wasHealthChecked",reason=Forbidden,message="field is immutable"
	// +rule:cel="healthChecked || self == 0",message="may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",ends
	// +rule:required,when="healthChecked"
	// +rule:range=1..65535,when="healthChecked"
	HealthCheckNodePort int32 `json:"healthCheckNodePort,omitempty" protobuf:"bytes,12,opt"`
	// +optional
	PublishNotReadyAddresses bool `json:"publishNotReadyAddresses,omitempty" protobuf:"varint,13,opt"`
	// +optional
	// +rule:required,when="parent.sessionAffinity == 'ClientIP'",message="when session affinity type is ClientIP"
	// +rule:forbidden,when="parent.sessionAffinity == 'None'",message="must not be set when session affinity is None"
	// +rule:skip,when="parent.sessionAffinity != 'ClientIP'"
	SessionAffinityConfig *SessionAffinityConfig `json:"sessionAffinityConfig,omitempty" protobuf:"bytes,14,opt"`
	// +listType=atomic
	// +optional
	// +rule:forbidden,when="parent.type == 'ExternalName'",message="may not be set for ExternalName services"
	IPFamilies []IPFamily `json:"ipFamilies,omitempty" protobuf:"bytes,19,opt"`
	// +optional
	// +rule:forbidden,when="parent.type == 'ExternalName'",message="may not be set for ExternalName services"
	IPFamilyPolicy *IPFamilyPolicy `json:"ipFamilyPolicy,omitempty" protobuf:"bytes,17,opt"`
	// +optional
	// +rule:forbidden,when="parent.type != 'LoadBalancer'",message="may only be used when `type` is 'LoadBalancer'"
	AllocateLoadBalancerNodePorts *bool `json:"allocateLoadBalancerNodePorts,omitempty" protobuf:"bytes,20,opt"`
	// +optional
	// +rule:forbidden,when="parent.type != 'LoadBalancer'",message="may only be used when `type` is 'LoadBalancer'",continues
	// +rule:forbidden,when="isUpdate && parent.type != 'LoadBalancer'",message="may only be used when `type` is 'LoadBalancer'"
	// +rule:skip,when="parent.type != 'LoadBalancer'"
	// +rule:format=qualified-name
	// +rule:format=qualified-name,when="isUpdate"
	LoadBalancerClass *string `json:"loadBalancerClass,omitempty" protobuf:"bytes,21,opt"`
	// +optional
	// +rule:required,when="parent.type in ['NodePort', 'LoadBalancer', 'ClusterIP']"
	// +rule:oneOf=Cluster;Local
	InternalTrafficPolicy *ServiceInternalTrafficPolicy `json:"internalTrafficPolicy,omitempty" protobuf:"bytes,22,opt"`
	// +optional
	// +rule:oneOf=PreferClose;PreferSameZone;PreferSameNode
	TrafficDistribution *string `json:"trafficDistribution,omitempty" protobuf:"bytes,23,opt"`
}

// ServiceStatus is what is known of a service.
// +rule:let:oldBalancerIPs="oldSelf.loadBalancer.ingress.map(i, i.ip)"
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
	// +rule:required,message="when session affinity type is ClientIP"
	ClientIP *ClientIPConfig `json:"clientIP,omitempty" protobuf:"bytes,1,opt"`
}
