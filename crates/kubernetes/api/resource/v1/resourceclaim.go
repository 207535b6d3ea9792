package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	v1 "k8s.io/api/core/v1"
)

// ResourceClaim is a request for devices and what came of it.
// +k8s:supportsSubresource="/status"
// +kubebuilder:resource:path=resourceclaims
type ResourceClaim struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +k8s:immutable
	Spec ResourceClaimSpec `json:"spec" protobuf:"bytes,2,name=spec"`
	// +optional
	Status ResourceClaimStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// AllocatedDeviceStatus is what a driver reports of an allocated device.
type AllocatedDeviceStatus struct {
	// +required
	Driver string `json:"driver" protobuf:"bytes,1,rep"`
	// +required
	Pool string `json:"pool" protobuf:"bytes,2,rep"`
	// +required
	Device string `json:"device" protobuf:"bytes,3,rep"`
	// +optional
	// +featureGate=DRAConsumableCapacity
	// +k8s:optional
	ShareID *string `json:"shareID,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions" protobuf:"bytes,4,opt"`
	// +optional
	Data *runtime.RawExtension `json:"data,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +k8s:optional
	NetworkData *NetworkDeviceData `json:"networkData,omitempty" protobuf:"bytes,6,opt"`
}

// AllocationConfigSource is where a configuration comes from.
// +enum
// +k8s:enum
type AllocationConfigSource string

const (
	AllocationConfigSourceFromClass AllocationConfigSource = "FromClass"
	AllocationConfigSourceFromClaim AllocationConfigSource = "FromClaim"
)

// AllocationResult is what a claim was given.
type AllocationResult struct {
	// +optional
	Devices DeviceAllocationResult `json:"devices,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	NodeSelector *v1.NodeSelector `json:"nodeSelector,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +featureGate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
	AllocationTimestamp *metav1.Time `json:"allocationTimestamp,omitempty" protobuf:"bytes,5,opt"`
}

// CapacityRequirements is how much capacity of a device is needed.
type CapacityRequirements struct {
	// +optional
	Requests map[QualifiedName]resource.Quantity `json:"requests,omitempty" protobuf:"bytes,1,rep"`
}

// DeviceAllocationConfiguration is configuration with its source.
type DeviceAllocationConfiguration struct {
	// +required
	// +k8s:required
	Source AllocationConfigSource `json:"source" protobuf:"bytes,1,name=source"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:unique=set
	// +k8s:maxItems=32
	Requests []string `json:"requests,omitempty" protobuf:"bytes,2,opt"`
	DeviceConfiguration `json:",inline" protobuf:"bytes,3,name=deviceConfiguration"`
}

// DeviceAllocationMode is how devices are counted.
// +enum
type DeviceAllocationMode string

const (
	DeviceAllocationModeExactCount DeviceAllocationMode = "ExactCount"
	DeviceAllocationModeAll DeviceAllocationMode = "All"
)

// DeviceAllocationResult is the devices of an allocation.
type DeviceAllocationResult struct {
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=32
	Results []DeviceRequestAllocationResult `json:"results,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=64
	Config []DeviceAllocationConfiguration `json:"config,omitempty" protobuf:"bytes,2,opt"`
}

// DeviceClaim is requests with their constraints and configuration.
type DeviceClaim struct {
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:maxItems=32
	Requests []DeviceRequest `json:"requests" protobuf:"bytes,1,name=requests"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=32
	Constraints []DeviceConstraint `json:"constraints,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=32
	Config []DeviceClaimConfiguration `json:"config,omitempty" protobuf:"bytes,3,opt"`
}

// DeviceClaimConfiguration is configuration for some requests.
type DeviceClaimConfiguration struct {
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:unique=set
	// +k8s:maxItems=32
	Requests []string `json:"requests,omitempty" protobuf:"bytes,1,opt"`
	DeviceConfiguration `json:",inline" protobuf:"bytes,2,name=deviceConfiguration"`
}

// DeviceConstraint is what the devices of several requests have in common.
type DeviceConstraint struct {
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:unique=set
	// +k8s:maxItems=32
	Requests []string `json:"requests,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +oneOf=ConstraintType
	// +k8s:optional
	MatchAttribute *FullyQualifiedName `json:"matchAttribute,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +oneOf=ConstraintType
	// +featureGate=DRAConsumableCapacity
	DistinctAttribute *FullyQualifiedName `json:"distinctAttribute,omitempty" protobuf:"bytes,3,opt"`
}

// DeviceRequest is a request for devices, exact or by preference.
type DeviceRequest struct {
	// +required
	Name string `json:"name" protobuf:"bytes,1,name=name"`
	// +optional
	// +oneOf=deviceRequestType
	// +k8s:optional
	Exactly *ExactDeviceRequest `json:"exactly,omitempty" protobuf:"bytes,2,name=exactly"`
	// +optional
	// +oneOf=deviceRequestType
	// +listType=atomic
	// +featureGate=DRAPrioritizedList
	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:maxItems=8
	FirstAvailable []DeviceSubRequest `json:"firstAvailable,omitempty" protobuf:"bytes,3,name=firstAvailable"`
}

// DeviceRequestAllocationResult is a device that a request was given.
type DeviceRequestAllocationResult struct {
	// +required
	Request string `json:"request" protobuf:"bytes,1,name=request"`
	// +required
	// +k8s:required
	Driver string `json:"driver" protobuf:"bytes,2,name=driver"`
	// +required
	// +k8s:required
	Pool string `json:"pool" protobuf:"bytes,3,name=pool"`
	// +required
	Device string `json:"device" protobuf:"bytes,4,name=device"`
	// +optional
	// +featureGate=DRAAdminAccess
	AdminAccess *bool `json:"adminAccess,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +listType=atomic
	// +featureGate=DRADeviceTaints
	// +k8s:optional
	Tolerations []DeviceToleration `json:"tolerations,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +listType=atomic
	// +featureGate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
	// +k8s:optional
	// +k8s:maxItems=4
	BindingConditions []string `json:"bindingConditions,omitempty" protobuf:"bytes,7,rep"`
	// +optional
	// +listType=atomic
	// +featureGate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
	// +k8s:optional
	// +k8s:maxItems=4
	BindingFailureConditions []string `json:"bindingFailureConditions,omitempty" protobuf:"bytes,8,rep"`
	// +optional
	// +featureGate=DRAConsumableCapacity
	// +k8s:optional
	ShareID *types.UID `json:"shareID,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	// +featureGate=DRAConsumableCapacity
	ConsumedCapacity map[QualifiedName]resource.Quantity `json:"consumedCapacity,omitempty" protobuf:"bytes,10,rep"`
}

// DeviceSubRequest is one alternative of a request.
type DeviceSubRequest struct {
	// +required
	Name string `json:"name" protobuf:"bytes,1,name=name"`
	// +required
	// +k8s:required
	// +k8s:format=k8s-long-name
	DeviceClassName string `json:"deviceClassName" protobuf:"bytes,2,name=deviceClassName"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=32
	Selectors []DeviceSelector `json:"selectors,omitempty" protobuf:"bytes,3,name=selectors"`
	// +default="ExactCount"
	// +unpublishedDefault
	// +optional
	// +k8s:optional
	AllocationMode DeviceAllocationMode `json:"allocationMode,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +oneOf=AllocationMode
	Count int64 `json:"count,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +listType=atomic
	// +featureGate=DRADeviceTaints
	// +k8s:optional
	Tolerations []DeviceToleration `json:"tolerations,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +featureGate=DRAConsumableCapacity
	Capacity *CapacityRequirements `json:"capacity,omitempty" protobuf:"bytes,7,opt"`
}

// DeviceTaintEffect is what a taint does to claims that do not tolerate it.
// +enum
type DeviceTaintEffect string

const (
	DeviceTaintEffectNone DeviceTaintEffect = "None"
	DeviceTaintEffectNoSchedule DeviceTaintEffect = "NoSchedule"
	DeviceTaintEffectNoExecute DeviceTaintEffect = "NoExecute"
)

// DeviceToleration is a taint that a request accepts.
type DeviceToleration struct {
	// +optional
	// +k8s:optional
	// +k8s:format=k8s-label-key
	Key string `json:"key,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +default="Equal"
	// +k8s:optional
	Operator DeviceTolerationOperator `json:"operator,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Value string `json:"value,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +k8s:optional
	Effect DeviceTaintEffect `json:"effect,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty" protobuf:"varint,5,opt"`
}

// DeviceTolerationOperator is how key and value are compared.
// +enum
type DeviceTolerationOperator string

const (
	DeviceTolerationOperatorExists DeviceTolerationOperator = "Exists"
	DeviceTolerationOperatorEqual DeviceTolerationOperator = "Equal"
)

// ExactDeviceRequest is a request for devices of one class.
type ExactDeviceRequest struct {
	// +required
	DeviceClassName string `json:"deviceClassName" protobuf:"bytes,1,name=deviceClassName"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=32
	Selectors []DeviceSelector `json:"selectors,omitempty" protobuf:"bytes,2,name=selectors"`
	// +default="ExactCount"
	// +unpublishedDefault
	// +optional
	// +k8s:optional
	AllocationMode DeviceAllocationMode `json:"allocationMode,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +oneOf=AllocationMode
	Count int64 `json:"count,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +featureGate=DRAAdminAccess
	AdminAccess *bool `json:"adminAccess,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +listType=atomic
	// +featureGate=DRADeviceTaints
	// +k8s:optional
	Tolerations []DeviceToleration `json:"tolerations,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +featureGate=DRAConsumableCapacity
	Capacity *CapacityRequirements `json:"capacity,omitempty" protobuf:"bytes,7,opt"`
}

// FullyQualifiedName is a name with its domain.
type FullyQualifiedName string

// NetworkDeviceData is addresses of a network device.
type NetworkDeviceData struct {
	// +optional
	// +k8s:optional
	// +k8s:maxBytes=256
	InterfaceName string `json:"interfaceName,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:unique=set
	// +k8s:maxItems=16
	IPs []string `json:"ips,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +k8s:optional
	// +k8s:maxBytes=128
	HardwareAddress string `json:"hardwareAddress,omitempty" protobuf:"bytes,3,opt"`
}

// QualifiedName is a name, perhaps with a domain.
type QualifiedName string

// ResourceClaimConsumerReference is who has reserved a claim.
type ResourceClaimConsumerReference struct {
	// +optional
	APIGroup string `json:"apiGroup,omitempty" protobuf:"bytes,1,opt"`
	// +required
	Resource string `json:"resource" protobuf:"bytes,3,name=resource"`
	// +required
	Name string `json:"name" protobuf:"bytes,4,name=name"`
	// +required
	UID types.UID `json:"uid" protobuf:"bytes,5,name=uid"`
}

// ResourceClaimSpec is what a claim asks for.
type ResourceClaimSpec struct {
	// +optional
	Devices DeviceClaim `json:"devices" protobuf:"bytes,1,name=devices"`
}

// ResourceClaimStatus is what a claim was given and who uses it.
type ResourceClaimStatus struct {
	// +optional
	// +k8s:optional
	// +k8s:update=NoModify
	Allocation *AllocationResult `json:"allocation,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=map
	// +listMapKey=uid
	// +k8s:optional
	// +k8s:maxItems=256
	ReservedFor []ResourceClaimConsumerReference `json:"reservedFor,omitempty" patchStrategy:"merge" patchMergeKey:"uid" protobuf:"bytes,2,opt"`
	// +optional
	// +k8s:optional
	// +listType=map
	// +listMapKey=driver
	// +listMapKey=device
	// +listMapKey=pool
	// +listMapKey=shareID
	// +featureGate=DRAResourceClaimDeviceStatus
	Devices []AllocatedDeviceStatus `json:"devices,omitempty" protobuf:"bytes,4,opt"`
}
