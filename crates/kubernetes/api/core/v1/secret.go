package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Secret holds data that few may see.
// +kubebuilder:resource:path=secrets
type Secret struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Immutable *bool `json:"immutable,omitempty" protobuf:"varint,5,opt"`
	// +optional
	Data map[string][]byte `json:"data,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	StringData map[string]string `json:"stringData,omitempty" protobuf:"bytes,4,rep"`
	// +optional
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
