package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

// CertificateSigningRequest asks a signer for a certificate.
// +k8s:supportsSubresource="/status"
// +k8s:supportsSubresource="/approval"
// +kubebuilder:resource:path=certificatesigningrequests,scope=Cluster,shortName=csr
type CertificateSigningRequest struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +rule:on=main;status;approval
	Spec CertificateSigningRequestSpec `json:"spec" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=main;status;approval
	Status CertificateSigningRequestStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// CertificateSigningRequestCondition is a decision about a request, or a failure.
type CertificateSigningRequestCondition struct {
	// +rule:required,when="!allowNoType"
	Type RequestConditionType `json:"type" protobuf:"bytes,1,opt"`
	// +rule:required
	// +rule:oneOf=True,when="parent.type in ['Approved', 'Denied', 'Failed']"
	// +rule:oneOf=False;True;Unknown,when="!(parent.type in ['Approved', 'Denied', 'Failed'])"
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

// CertificateSigningRequestSpec is what is asked for, and by whom.
// +rule:let:hadLegacySigner="oldSelf.signerName == 'kubernetes.io/legacy-unknown'"
// +rule:let:signerDomain="self.signerName.split('/')[0]"
// +rule:let:signerPath="self.signerName.substring(self.signerName.indexOf('/') + 1)"
// +rule:let:allowUnknownUsages="oldSelf.usages.exists(u, !(u in ['any', 'cert sign', 'client auth', 'code signing', 'content commitment', 'crl sign', 'data encipherment', 'decipher only', 'digital signature', 'email protection', 'encipher only', 'ipsec end system', 'ipsec tunnel', 'ipsec user', 'key agreement', 'key encipherment', 'microsoft sgc', 'netscape sgc', 'ocsp signing', 's/mime', 'server auth', 'signing', 'timestamping']))"
// +rule:let:allowRepeatedUsages="oldSelf.usages.exists(i, u, oldSelf.usages.exists(j, o, j < i && o == u))"
type CertificateSigningRequestSpec struct {
	// +rule:code=certificate-request
	Request []byte `json:"request" protobuf:"bytes,1,opt"`
	// +rule:cel="hadLegacySigner || self != 'kubernetes.io/legacy-unknown'",message="the legacy signerName is not allowed via this API version",ends
	// +rule:required
	// +rule:cel="self.split('/').size() == 2",message="must be a fully qualified domain and path of the form 'example.com/signer-name'",ends
	// +rule:cel="bytes(signerDomain).size() <= 253",reason=TooLong,value="'<value omitted>'",message="may not be more than 253 bytes"
	// +rule:cel="signerDomain.split('.').all(s, s.problems('dns-label').size() == 0)",value="signerDomain",
	//   messageExpression=`signerDomain.split('.').filter(s, s.problems('dns-label').size() > 0)[0].problems('dns-label').map(p, 'validating label ' + strings.quote(signerDomain.split('.').filter(s, s.problems('dns-label').size() > 0)[0]) + ': ' + p)`
	// +rule:cel="signerDomain.contains('.')",value="signerDomain",message="should be a domain with at least two segments separated by dots"
	// +rule:cel="signerPath.split('.').all(s, s.problems('dns-subdomain').size() == 0)",value="signerPath",
	//   messageExpression=`signerPath.split('.').filter(s, s.problems('dns-subdomain').size() > 0)[0].problems('dns-subdomain').map(p, 'validating label ' + strings.quote(signerPath.split('.').filter(s, s.problems('dns-subdomain').size() > 0)[0]) + ': ' + p)`
	// +rule:maxBytes=571
	SignerName string `json:"signerName" protobuf:"bytes,7,opt"`
	// +optional
	// +rule:minimum=600,message="may not specify a duration less than 600 seconds (10 minutes)"
	ExpirationSeconds *int32 `json:"expirationSeconds,omitempty" protobuf:"varint,8,opt"`
	// +listType=atomic
	// +rule:required
	// +rule:each:oneOf=any;cert sign;client auth;code signing;content commitment;crl sign;data encipherment;decipher only;digital signature;email protection;encipher only;ipsec end system;ipsec tunnel;ipsec user;key agreement;key encipherment;microsoft sgc;netscape sgc;ocsp signing;s/mime;server auth;signing;timestamping,when="!allowUnknownUsages"
	// +rule:unique="self",when="!allowRepeatedUsages"
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

// CertificateSigningRequestStatus is what became of a request.
// +rule:let:allowNoType="oldSelf.conditions.exists(c, c.type == '')"
// +rule:let:allowBothDecisions="['Approved', 'Denied'].all(t, oldSelf.conditions.exists(c, c.type == t))"
// +rule:let:allowRepeatedTypes="keySet(oldSelf.conditions.map(c, c.type)).size() < oldSelf.conditions.size()"
// +rule:let:typePlaces="firstPlaces(self.conditions.map(c, c.type))"
type CertificateSigningRequestStatus struct {
	// +listType=map
	// +listMapKey=type
	// +optional
	// +rule:cel="self.filter(c, c.type == 'Approved').size() >= oldSelf.filter(c, c.type == 'Approved').size()",reason=Forbidden,message="updates may not remove a condition of type \"Approved\""
	// +rule:cel="self.filter(c, c.type == 'Denied').size() >= oldSelf.filter(c, c.type == 'Denied').size()",reason=Forbidden,message="updates may not remove a condition of type \"Denied\""
	// +rule:cel="self.filter(c, c.type == 'Failed').size() >= oldSelf.filter(c, c.type == 'Failed').size()",reason=Forbidden,message="updates may not remove a condition of type \"Failed\""
	// +rule:cel="self.filter(c, c.type == 'Approved').size() <= oldSelf.filter(c, c.type == 'Approved').size()",when="part != 'approval'",reason=Forbidden,message="updates may not add a condition of type \"Approved\""
	// +rule:cel="self.filter(c, c.type == 'Denied').size() <= oldSelf.filter(c, c.type == 'Denied').size()",when="part != 'approval'",reason=Forbidden,message="updates may not add a condition of type \"Denied\""
	// +rule:code=decisions-stay,when="part != 'approval'"
	// +rule:unique="self.type",at=type,when="!allowRepeatedTypes"
	// +rule:each:cel="!(self.type in ['Approved', 'Denied']) || !['Approved', 'Denied'].exists(t, t != self.type && t in typePlaces && typePlaces[t] < index)",when="!allowBothDecisions",
	//   at=^,value="self.type",message="Approved and Denied conditions are mutually exclusive"
	Conditions []CertificateSigningRequestCondition `json:"conditions,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +rule:code=issued-certificate
	// +rule:cel="self == oldSelf",when="part != 'status'",reason=Forbidden,message="updates may not set certificate content"
	// +rule:cel="self == oldSelf || oldSelf == ''",when="part == 'status'",reason=Forbidden,message="updates may not modify existing certificate content"
	Certificate []byte `json:"certificate,omitempty" protobuf:"bytes,2,opt"`
}

// ExtraValue holds further values that the authenticator gave.
// +protobuf.nullable=true
type ExtraValue []string

// KeyUsage is something that a certificate may be used for.
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

// RequestConditionType tells conditions of a request apart.
type RequestConditionType string

const (
	RequestConditionTypeApproved RequestConditionType = "Approved"
	RequestConditionTypeDenied RequestConditionType = "Denied"
	RequestConditionTypeFailed RequestConditionType = "Failed"
)
