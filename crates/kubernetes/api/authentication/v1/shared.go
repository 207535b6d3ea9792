package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// BoundObjectReference names the object that a token ends with.
type BoundObjectReference struct {
	// +optional
	Kind string `json:"kind,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Name string `json:"name,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	UID types.UID `json:"uid,omitempty" protobuf:"bytes,4,opt"`
}

// TokenRequest asks for a token of a service account.
type TokenRequest struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec TokenRequestSpec `json:"spec" protobuf:"bytes,2,opt"`
	// +optional
	Status TokenRequestStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// TokenRequestSpec is what the token is to be like.
type TokenRequestSpec struct {
	// +optional
	// +listType=atomic
	Audiences []string `json:"audiences" protobuf:"bytes,1,rep"`
	// +optional
	ExpirationSeconds *int64 `json:"expirationSeconds" protobuf:"varint,4,opt"`
	// +optional
	BoundObjectRef *BoundObjectReference `json:"boundObjectRef" protobuf:"bytes,3,opt"`
}

// TokenRequestStatus is the token that was made.
type TokenRequestStatus struct {
	// +optional
	Token string `json:"token" protobuf:"bytes,1,opt"`
	// +optional
	ExpirationTimestamp metav1.Time `json:"expirationTimestamp" protobuf:"bytes,2,opt"`
}
