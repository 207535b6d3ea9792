package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +kubebuilder:resource:path=deviceclasses,scope=Cluster
type DeviceClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	// +k8s:subfield(name)=+k8s:optional
	// +k8s:subfield(name)=+k8s:format=k8s-long-name
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec DeviceClassSpec `json:"spec" protobuf:"bytes,2,name=spec"`
}

type CELDeviceSelector struct {
	// +required
	Expression string `json:"expression" protobuf:"bytes,1,name=expression"`
}

type DeviceClassConfiguration struct {
	DeviceConfiguration `json:",inline" protobuf:"bytes,1,opt"`
}

type DeviceClassSpec struct {
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=32
	Selectors []DeviceSelector `json:"selectors,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=32
	Config []DeviceClassConfiguration `json:"config,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +featureGate=DRAExtendedResource
	// +k8s:optional
	ExtendedResourceName *string `json:"extendedResourceName,omitempty" protobuf:"bytes,4,opt"`
}

type DeviceConfiguration struct {
	// +optional
	// +oneOf=ConfigurationType
	// +k8s:optional
	Opaque *OpaqueDeviceConfiguration `json:"opaque,omitempty" protobuf:"bytes,1,opt"`
}

type DeviceSelector struct {
	// +optional
	// +oneOf=SelectorType
	CEL *CELDeviceSelector `json:"cel,omitempty" protobuf:"bytes,1,opt"`
}

type OpaqueDeviceConfiguration struct {
	// +required
	// +k8s:required
	// +k8s:maxLength=63
	Driver string `json:"driver" protobuf:"bytes,1,name=driver"`
	// +required
	Parameters runtime.RawExtension `json:"parameters" protobuf:"bytes,2,name=parameters"`
}
