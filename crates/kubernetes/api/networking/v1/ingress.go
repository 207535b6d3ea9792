package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

// +kubebuilder:resource:path=ingresses,shortName=ing
type Ingress struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec IngressSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status IngressStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

type HTTPIngressPath struct {
	// +optional
	Path string `json:"path,omitempty" protobuf:"bytes,1,opt"`
	PathType *PathType `json:"pathType" protobuf:"bytes,3,opt"`
	Backend IngressBackend `json:"backend" protobuf:"bytes,2,opt"`
}

type HTTPIngressRuleValue struct {
	// +listType=atomic
	Paths []HTTPIngressPath `json:"paths" protobuf:"bytes,1,rep"`
}

type IngressBackend struct {
	// +optional
	Service *IngressServiceBackend `json:"service,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Resource *v1.TypedLocalObjectReference `json:"resource,omitempty" protobuf:"bytes,3,opt"`
}

type IngressLoadBalancerIngress struct {
	// +optional
	IP string `json:"ip,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Hostname string `json:"hostname,omitempty" protobuf:"bytes,2,opt"`
	// +listType=atomic
	// +optional
	Ports []IngressPortStatus `json:"ports,omitempty" protobuf:"bytes,4,rep"`
}

type IngressLoadBalancerStatus struct {
	// +optional
	// +listType=atomic
	Ingress []IngressLoadBalancerIngress `json:"ingress,omitempty" protobuf:"bytes,1,rep"`
}

type IngressPortStatus struct {
	Port int32 `json:"port" protobuf:"varint,1,opt"`
	Protocol v1.Protocol `json:"protocol" protobuf:"bytes,2,opt"`
	// +optional
	Error *string `json:"error,omitempty" protobuf:"bytes,3,opt"`
}

type IngressRule struct {
	// +optional
	Host string `json:"host,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	IngressRuleValue `json:",inline" protobuf:"bytes,2,opt"`
}

type IngressRuleValue struct {
	// +optional
	HTTP *HTTPIngressRuleValue `json:"http,omitempty" protobuf:"bytes,1,opt"`
}

type IngressServiceBackend struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	Port ServiceBackendPort `json:"port,omitempty" protobuf:"bytes,2,opt"`
}

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

type IngressStatus struct {
	// +optional
	LoadBalancer IngressLoadBalancerStatus `json:"loadBalancer,omitempty" protobuf:"bytes,1,opt"`
}

type IngressTLS struct {
	// +listType=atomic
	// +optional
	Hosts []string `json:"hosts,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	SecretName string `json:"secretName,omitempty" protobuf:"bytes,2,opt"`
}

// +enum
type PathType string

const (
	PathTypeExact PathType = "Exact"
	PathTypePrefix PathType = "Prefix"
	PathTypeImplementationSpecific PathType = "ImplementationSpecific"
)

// +structType=atomic
type ServiceBackendPort struct {
	// +optional
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Number int32 `json:"number,omitempty" protobuf:"bytes,2,opt"`
}
