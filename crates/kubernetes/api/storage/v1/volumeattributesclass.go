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
	DriverName string `json:"driverName" protobuf:"bytes,2,opt"`
	Parameters map[string]string `json:"parameters,omitempty" protobuf:"bytes,3,rep"`
}
