package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Secret holds data that few may see.
// +rule:as=secret
// +rule:cel="!oldSelf.immutable || self.immutable",reason=Forbidden,at=immutable,message="field is immutable when `immutable` is set"
// +rule:cel="self.type != 'kubernetes.io/service-account-token' || ('kubernetes.io/service-account.name' in self.metadata.annotations && self.metadata.annotations['kubernetes.io/service-account.name'] != '')",reason=Required,at=metadata.annotations[kubernetes.io/service-account.name]
// +kubebuilder:resource:path=secrets
type Secret struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Immutable *bool `json:"immutable,omitempty" protobuf:"varint,5,opt"`
	// +optional
	// +rule:cel="!oldSecret.immutable || self == oldSelf",reason=Forbidden,message="field is immutable when `immutable` is set"
	// +rule:keys:format=config-key
	// +rule:code=secret-size
	// +rule:cel="'.dockercfg' in self",when="parent.type == 'kubernetes.io/dockercfg'",reason=Required,at=[.dockercfg]
	// +rule:cel="'.dockerconfigjson' in self",when="parent.type == 'kubernetes.io/dockerconfigjson'",reason=Required,at=[.dockerconfigjson]
	// +rule:cel="'username' in self || 'password' in self",when="parent.type == 'kubernetes.io/basic-auth'",reason=Required,at=[username]
	// +rule:cel="'username' in self || 'password' in self",when="parent.type == 'kubernetes.io/basic-auth'",reason=Required,at=[password]
	// +rule:cel="'ssh-privatekey' in self && self['ssh-privatekey'] != ''",when="parent.type == 'kubernetes.io/ssh-auth'",reason=Required,at=[ssh-privatekey]
	// +rule:cel="'tls.crt' in self",when="parent.type == 'kubernetes.io/tls'",reason=Required,at=[tls.crt]
	// +rule:cel="'tls.key' in self",when="parent.type == 'kubernetes.io/tls'",reason=Required,at=[tls.key]
	// +rule:code=docker-config
	Data map[string][]byte `json:"data,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	StringData map[string]string `json:"stringData,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	// +rule:immutable
	Type SecretType `json:"type,omitempty" protobuf:"bytes,3,opt"`
}

// SecretType is what the data of a secret is for.
type SecretType string

const (
	SecretTypeOpaque SecretType = "Opaque"
	SecretTypeKubernetesIoServiceAccountToken SecretType = "kubernetes.io/service-account-token"
	SecretTypeKubernetesIoDockercfg SecretType = "kubernetes.io/dockercfg"
	SecretTypeKubernetesIoDockerconfigjson SecretType = "kubernetes.io/dockerconfigjson"
	SecretTypeKubernetesIoBasicAuth SecretType = "kubernetes.io/basic-auth"
	SecretTypeKubernetesIoSshAuth SecretType = "kubernetes.io/ssh-auth"
	SecretTypeKubernetesIoTls SecretType = "kubernetes.io/tls"
	SecretTypeBootstrapKubernetesIoToken SecretType = "bootstrap.kubernetes.io/token"
)
