package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// DeviceClass is a kind of devices that claims ask for.
// +kubebuilder:resource:path=deviceclasses,scope=Cluster
type DeviceClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec DeviceClassSpec `json:"spec" protobuf:"bytes,2,name=spec"`
}

// CELDeviceSelector is an expression that chooses devices.
// +rule:default:isStored="false"
type CELDeviceSelector struct {
	// +required
	// +rule:code=device-expression
	Expression string `json:"expression" protobuf:"bytes,1,name=expression"`
}

// DeviceClassConfiguration is configuration for devices of a class.
type DeviceClassConfiguration struct {
	DeviceConfiguration `json:",inline" protobuf:"bytes,1,opt"`
}

// DeviceClassSpec is which devices a class has and how they are configured.
type DeviceClassSpec struct {
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=32
	// +rule:let:isStored="isUpdate && self.selectors == oldSelf.selectors"
	// +rule:maxItems=32,ends
	Selectors []DeviceSelector `json:"selectors,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=32
	// +rule:let:isStored="isUpdate && self.config == oldSelf.config"
	// +rule:maxItems=32,ends
	Config []DeviceClassConfiguration `json:"config,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +featureGate=DRAExtendedResource
	// +k8s:optional
	// +rule:cel="self.contains('/') && !self.contains('kubernetes.io/') && !self.startsWith('requests.') && ('requests.' + self).problems('qualified-name').size() == 0",message="must be a valid extended resource name"
	ExtendedResourceName *string `json:"extendedResourceName,omitempty" protobuf:"bytes,4,opt"`
}

// DeviceConfiguration is configuration of one of several forms.
type DeviceConfiguration struct {
	// +optional
	// +oneOf=ConfigurationType
	// +k8s:optional
	// +rule:required
	Opaque *OpaqueDeviceConfiguration `json:"opaque,omitempty" protobuf:"bytes,1,opt"`
}

// DeviceSelector is a choice of devices.
type DeviceSelector struct {
	// +optional
	// +oneOf=SelectorType
	// +rule:required
	CEL *CELDeviceSelector `json:"cel,omitempty" protobuf:"bytes,1,opt"`
}

// OpaqueDeviceConfiguration is configuration that only the driver understands.
// +rule:default:isStored="false"
type OpaqueDeviceConfiguration struct {
	// +required
	// +k8s:required
	// +rule:required
	// +rule:maxBytes=63
	// +rule:cel="self.lowerAscii().problems('dns-subdomain').size() == 0",messageExpression="self.lowerAscii().problems('dns-subdomain')"
	Driver string `json:"driver" protobuf:"bytes,1,name=driver"`
	// +required
	// +rule:code=device-parameters
	Parameters runtime.RawExtension `json:"parameters" protobuf:"bytes,2,name=parameters"`
}
