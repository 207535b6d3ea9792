package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

// Ingress is rules by which HTTP traffic comes to services.
// +kubebuilder:resource:path=ingresses,shortName=ing
type Ingress struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec IngressSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=status
	Status IngressStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// HTTPIngressPath is a path and where its traffic goes.
type HTTPIngressPath struct {
	// +optional
	Path string `json:"path,omitempty" protobuf:"bytes,1,opt"`
	PathType *PathType `json:"pathType" protobuf:"bytes,3,opt"`
	Backend IngressBackend `json:"backend" protobuf:"bytes,2,opt"`
}

// HTTPIngressRuleValue is the paths of a host.
type HTTPIngressRuleValue struct {
	// +listType=atomic
	Paths []HTTPIngressPath `json:"paths" protobuf:"bytes,1,rep"`
}

// IngressBackend is where traffic goes.
type IngressBackend struct {
	// +optional
	Service *IngressServiceBackend `json:"service,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Resource *v1.TypedLocalObjectReference `json:"resource,omitempty" protobuf:"bytes,3,opt"`
}

// IngressLoadBalancerIngress is a point at which the load balancer takes traffic.
type IngressLoadBalancerIngress struct {
	// +optional
	// +rule:optional
	// +rule:format=legacy-ip,when="!(self in oldBalancerIPs)"
	IP string `json:"ip,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:optional
	// +rule:format=dns-subdomain
	// +rule:cel="self.problems('legacy-ip').size() > 0",message="must be a DNS name, not an IP address"
	Hostname string `json:"hostname,omitempty" protobuf:"bytes,2,opt"`
	// +listType=atomic
	// +optional
	Ports []IngressPortStatus `json:"ports,omitempty" protobuf:"bytes,4,rep"`
}

// IngressLoadBalancerStatus is the state of the load balancer.
type IngressLoadBalancerStatus struct {
	// +optional
	// +listType=atomic
	Ingress []IngressLoadBalancerIngress `json:"ingress,omitempty" protobuf:"bytes,1,rep"`
}

// IngressPortStatus is the state of a port of the load balancer.
type IngressPortStatus struct {
	Port int32 `json:"port" protobuf:"varint,1,opt"`
	Protocol v1.Protocol `json:"protocol" protobuf:"bytes,2,opt"`
	// +optional
	Error *string `json:"error,omitempty" protobuf:"bytes,3,opt"`
}

// IngressRule is the paths of one host.
type IngressRule struct {
	// +optional
	Host string `json:"host,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	IngressRuleValue `json:",inline" protobuf:"bytes,2,opt"`
}

// IngressRuleValue is what a rule says for its protocol.
type IngressRuleValue struct {
	// +optional
	HTTP *HTTPIngressRuleValue `json:"http,omitempty" protobuf:"bytes,1,opt"`
}

// IngressServiceBackend is a port of a service.
type IngressServiceBackend struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	Port ServiceBackendPort `json:"port,omitempty" protobuf:"bytes,2,opt"`
}

// IngressSpec is what is wanted of the ingress.
type IngressSpec struct {
	// +optional
	IngressClassName *string `json:"ingressClassName,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	DefaultBackend *IngressBackend `json:"defaultBackend,omitempty" protobuf:"bytes,1,opt"`
	// +listType=atomic
	// +optional
	TLS []IngressTLS `json:"tls,omitempty" protobuf:"bytes,2,rep"`
	// +listType=atomic
	// +optional
	Rules []IngressRule `json:"rules,omitempty" protobuf:"bytes,3,rep"`
}

// IngressStatus is what is known of the ingress.
// +rule:let:oldBalancerIPs="oldSelf.loadBalancer.ingress.map(i, i.ip)"
type IngressStatus struct {
	// +optional
	LoadBalancer IngressLoadBalancerStatus `json:"loadBalancer,omitempty" protobuf:"bytes,1,opt"`
}

// IngressTLS is hosts with their certificate.
type IngressTLS struct {
	// +listType=atomic
	// +optional
	Hosts []string `json:"hosts,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	SecretName string `json:"secretName,omitempty" protobuf:"bytes,2,opt"`
}

// PathType is how a path is compared.
// +enum
type PathType string

const (
	PathTypeExact PathType = "Exact"
	PathTypePrefix PathType = "Prefix"
	PathTypeImplementationSpecific PathType = "ImplementationSpecific"
)

// ServiceBackendPort is a port by name or number.
// +structType=atomic
type ServiceBackendPort struct {
	// +optional
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Number int32 `json:"number,omitempty" protobuf:"bytes,2,opt"`
}
