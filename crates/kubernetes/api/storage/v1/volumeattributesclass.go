package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// VolumeAttributesClass holds settings of volumes that may change in use.
// +validationRule="has(self.parameters) == has(oldSelf.parameters) && (!has(self.parameters) || self.parameters == oldSelf.parameters)",message="updates to parameters are forbidden.",reason="FieldValueForbidden",field="parameters"
// +kubebuilder:resource:path=volumeattributesclasses,scope=Cluster,shortName=vac
type VolumeAttributesClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +validationRule="self == oldSelf",message="updates to driverName are forbidden.",reason="FieldValueForbidden"
	// +rule:required
	// +rule:cel="self.lowerAscii().problems('qualified-name').size() == 0",value="self.lowerAscii()",messageExpression="self.lowerAscii().problems('qualified-name')"
	DriverName string `json:"driverName" protobuf:"bytes,2,opt"`
	// +rule:cel="self.size() <= 512",reason=TooLong,value="'<value omitted>'",message="may not be more than 512 bytes",ends
	// +rule:cel="!('' in self)",value="''",message="field can not be empty."
	// +rule:cel="self.map(k, bytes(k).size() + bytes(self[k]).size()).sum() <= 262144",reason=TooLong,value="'<value omitted>'",message="may not be more than 262144 bytes"
	// +rule:required,message="must contain at least one key/value pair"
	Parameters map[string]string `json:"parameters,omitempty" protobuf:"bytes,3,rep"`
}
