package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConfigMap holds configuration for others to read.
// +rule:as=configMap
// +rule:cel="!oldSelf.immutable || self.immutable",reason=Forbidden,at=immutable,message="field is immutable when `immutable` is set"
// +rule:code=config-map-size
// +kubebuilder:resource:path=configmaps,shortName=cm
type ConfigMap struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Immutable *bool `json:"immutable,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +rule:cel="!oldConfigMap.immutable || self == oldSelf",reason=Forbidden,message="field is immutable when `immutable` is set"
	// +rule:keys:format=config-key
	// +rule:keys:cel="!(self in parent.binaryData)",message="duplicate of key present in binaryData"
	Data map[string]string `json:"data,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +rule:cel="!oldConfigMap.immutable || self == oldSelf",reason=Forbidden,message="field is immutable when `immutable` is set"
	// +rule:keys:format=config-key
	BinaryData map[string][]byte `json:"binaryData,omitempty" protobuf:"bytes,3,rep"`
}
