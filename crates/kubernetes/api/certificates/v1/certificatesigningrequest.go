package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

// +k8s:supportsSubresource="/status"
// +k8s:supportsSubresource="/approval"
// +kubebuilder:resource:path=certificatesigningrequests,scope=Cluster,shortName=csr
type CertificateSigningRequest struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec CertificateSigningRequestSpec `json:"spec" protobuf:"bytes,2,opt"`
	// +optional
	Status CertificateSigningRequestStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

type CertificateSigningRequestCondition struct {
	Type RequestConditionType `json:"type" protobuf:"bytes,1,opt"`
	Status v1.ConditionStatus `json:"status" protobuf:"bytes,6,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	LastUpdateTime metav1.Time `json:"lastUpdateTime,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,5,opt"`
}

type CertificateSigningRequestSpec struct {
	Request []byte `json:"request" protobuf:"bytes,1,opt"`
	SignerName string `json:"signerName" protobuf:"bytes,7,opt"`
	// +optional
	ExpirationSeconds *int32 `json:"expirationSeconds,omitempty" protobuf:"varint,8,opt"`
	// +listType=atomic
	Usages []KeyUsage `json:"usages,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	Username string `json:"username,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	UID string `json:"uid,omitempty" protobuf:"bytes,3,opt"`
	// +listType=atomic
	// +optional
	Groups []string `json:"groups,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	Extra map[string]ExtraValue `json:"extra,omitempty" protobuf:"bytes,6,rep"`
}

type CertificateSigningRequestStatus struct {
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []CertificateSigningRequestCondition `json:"conditions,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	Certificate []byte `json:"certificate,omitempty" protobuf:"bytes,2,opt"`
}

// +protobuf.nullable=true
type ExtraValue []string

// +enum
type KeyUsage string

const (
	KeyUsageSigning KeyUsage = "signing"
	KeyUsageDigitalSignature KeyUsage = "digital signature"
	KeyUsageContentCommitment KeyUsage = "content commitment"
	KeyUsageKeyEncipherment KeyUsage = "key encipherment"
	KeyUsageKeyAgreement KeyUsage = "key agreement"
	KeyUsageDataEncipherment KeyUsage = "data encipherment"
	KeyUsageCertSign KeyUsage = "cert sign"
	KeyUsageCrlSign KeyUsage = "crl sign"
	KeyUsageEncipherOnly KeyUsage = "encipher only"
	KeyUsageDecipherOnly KeyUsage = "decipher only"
	KeyUsageAny KeyUsage = "any"
	KeyUsageServerAuth KeyUsage = "server auth"
	KeyUsageClientAuth KeyUsage = "client auth"
	KeyUsageCodeSigning KeyUsage = "code signing"
	KeyUsageEmailProtection KeyUsage = "email protection"
	KeyUsageSMime KeyUsage = "s/mime"
	KeyUsageIpsecEndSystem KeyUsage = "ipsec end system"
	KeyUsageIpsecTunnel KeyUsage = "ipsec tunnel"
	KeyUsageIpsecUser KeyUsage = "ipsec user"
	KeyUsageTimestamping KeyUsage = "timestamping"
	KeyUsageOcspSigning KeyUsage = "ocsp signing"
	KeyUsageMicrosoftSgc KeyUsage = "microsoft sgc"
	KeyUsageNetscapeSgc KeyUsage = "netscape sgc"
)

type RequestConditionType string

const (
	RequestConditionTypeApproved RequestConditionType = "Approved"
	RequestConditionTypeDenied RequestConditionType = "Denied"
	RequestConditionTypeFailed RequestConditionType = "Failed"
)
