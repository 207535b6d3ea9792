package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

// Ingress is rules by which HTTP traffic comes to services.
// +kubebuilder:resource:path=ingresses,shortName=ing
// +rule:cel="self.metadata.annotations['kubernetes.io/ingress.class'] == self.spec.ingressClassName",
//   when="!isUpdate && has(self.spec.ingressClassName) && 'kubernetes.io/ingress.class' in self.metadata.annotations",
//   at=annotations.kubernetes.io/ingress.class,value="self.metadata.annotations['kubernetes.io/ingress.class']",
//   message="must match `ingressClassName` when both are specified"
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
// +rule:cel="has(self.pathType)",reason=Required,at=pathType,message="pathType must be specified",ends
// +rule:let:isExactPath="self.pathType in ['Exact', 'Prefix']"
type HTTPIngressPath struct {
	// +optional
	// +rule:cel="self.startsWith('/')",when="isExactPath || (parent.pathType == 'ImplementationSpecific' && self != '')",message="must be an absolute path"
	// +rule:cel="['//', '/./', '/../', '%2f', '%2F'].all(s, !self.contains(s))",when="isExactPath",
	//   messageExpression=`['//', '/./', '/../', '%2f', '%2F'].filter(s, self.contains(s)).map(s, "must not contain '" + s + "'")`
	// +rule:cel="['/..', '/.'].all(s, !self.endsWith(s))",when="isExactPath",
	//   messageExpression=`['/..', '/.'].filter(s, self.endsWith(s)).map(s, "cannot end with '" + s + "'")`
	Path string `json:"path,omitempty" protobuf:"bytes,1,opt"`
	// +rule:oneOf=Exact;ImplementationSpecific;Prefix
	PathType *PathType `json:"pathType" protobuf:"bytes,3,opt"`
	Backend IngressBackend `json:"backend" protobuf:"bytes,2,opt"`
}

// HTTPIngressRuleValue is the paths of a host.
type HTTPIngressRuleValue struct {
	// +listType=atomic
	// +rule:required
	Paths []HTTPIngressPath `json:"paths" protobuf:"bytes,1,rep"`
}

// IngressBackend is where traffic goes.
// +rule:cel="!has(self.resource) || !has(self.service)",value="''",message="cannot set both resource and service backends",ends
// +rule:cel="has(self.resource) || has(self.service)",value="''",message="resource or service backend is required",ends
type IngressBackend struct {
	// +optional
	Service *IngressServiceBackend `json:"service,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +rule:cel="self.apiGroup.problems('dns-subdomain').size() == 0",when="has(self.apiGroup)",at=apiGroup,value="self.apiGroup",
	//   messageExpression="self.apiGroup.problems('dns-subdomain')"
	// +rule:cel="self.kind != ''",reason=Required,at=kind
	// +rule:cel="self.kind.problems('path-segment-name').size() == 0",at=kind,value="self.kind",messageExpression="self.kind.problems('path-segment-name')"
	// +rule:cel="self.name != ''",reason=Required,at=name
	// +rule:cel="self.name.problems('path-segment-name').size() == 0",at=name,value="self.name",messageExpression="self.name.problems('path-segment-name')"
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
// +rule:as=ingressRule
type IngressRule struct {
	// +optional
	// +rule:optional
	// +rule:cel="self.problems('legacy-ip').exists(p, p.startsWith('must be a valid IP address'))",message="must be a DNS name, not an IP address"
	// +rule:format=dns-subdomain,when="!self.contains('*')"
	// +rule:format=wildcard-dns-subdomain,when="self.contains('*')"
	Host string `json:"host,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	IngressRuleValue `json:",inline" protobuf:"bytes,2,opt"`
}

// IngressRuleValue is what a rule says for its protocol.
type IngressRuleValue struct {
	// +optional
	// +rule:skip,when="allowInvalidWildcardRules && ingressRule.host.contains('*')"
	HTTP *HTTPIngressRuleValue `json:"http,omitempty" protobuf:"bytes,1,opt"`
}

// IngressServiceBackend is a port of a service.
// +rule:cel="self.port.name != '' || self.port.number != 0",at=^,reason=Required,message="port name or number is required"
// +rule:cel="self.port.name == '' || self.port.number == 0",at=^,value="''",message="cannot set both port name & port number"
type IngressServiceBackend struct {
	// +rule:required
	// +rule:format=dns-label
	Name string `json:"name" protobuf:"bytes,1,opt"`
	Port ServiceBackendPort `json:"port,omitempty" protobuf:"bytes,2,opt"`
}

// IngressSpec is what is wanted of the ingress.
// +rule:let:allowInvalidSecretNames="oldSelf.tls.exists(t, t.secretName != '' && t.secretName.problems('dns-subdomain').size() > 0)"
// +rule:wrong:allowInvalidWildcardRules="oldSelf.rules.filter(r, r.host.contains('*') && has(r.http)).map(r, r.http)"
type IngressSpec struct {
	// +optional
	// +rule:format=dns-subdomain
	IngressClassName *string `json:"ingressClassName,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	DefaultBackend *IngressBackend `json:"defaultBackend,omitempty" protobuf:"bytes,1,opt"`
	// +listType=atomic
	// +optional
	TLS []IngressTLS `json:"tls,omitempty" protobuf:"bytes,2,rep"`
	// +listType=atomic
	// +optional
	// +rule:cel="self.size() > 0 || has(parent.defaultBackend)",at=^,message="either `defaultBackend` or `rules` must be specified"
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
	// +rule:each:format=dns-subdomain,when="!self.contains('*')"
	// +rule:each:format=wildcard-dns-subdomain,when="self.contains('*')"
	Hosts []string `json:"hosts,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +rule:optional
	// +rule:format=dns-subdomain,when="!allowInvalidSecretNames"
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
	// +rule:optional
	// +rule:format=port-name,when="parent.number == 0"
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:optional
	// +rule:range=1..65535,when="parent.name == ''"
	Number int32 `json:"number,omitempty" protobuf:"bytes,2,opt"`
}
