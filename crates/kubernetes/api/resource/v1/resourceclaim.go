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
// +rule:as=wholeClaim
// +rule:let:requestNames="self.spec.devices.requests.map(r, [r.name] + r.firstAvailable.map(a, r.name + '/' + a.name)).flatten()"
type ResourceClaim struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +k8s:immutable
	// +rule:skip,when="isUpdate"
	Spec ResourceClaimSpec `json:"spec" protobuf:"bytes,2,name=spec"`
	// +optional
	// +rule:on=status
	Status ResourceClaimStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// AllocatedDeviceStatus is what a driver reports of an allocated device.
type AllocatedDeviceStatus struct {
	// +required
	// +rule:required
	// +rule:maxBytes=63
	// +rule:cel="self.lowerAscii().problems('dns-subdomain').size() == 0",messageExpression="self.lowerAscii().problems('dns-subdomain')"
	Driver string `json:"driver" protobuf:"bytes,1,rep"`
	// +required
	// +rule:required
	// +rule:maxBytes=253
	// +rule:code=pool-name
	Pool string `json:"pool" protobuf:"bytes,2,rep"`
	// +required
	// +rule:format=dns-label
	Device string `json:"device" protobuf:"bytes,3,rep"`
	// +optional
	// +featureGate=DRAConsumableCapacity
	// +k8s:optional
	// +rule:format=share-id
	ShareID *string `json:"shareID,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	// +listType=map
	// +listMapKey=type
	// +rule:maxItems=8
	// +rule:valid
	// +rule:unique="self.type",at=type
	Conditions []metav1.Condition `json:"conditions" protobuf:"bytes,4,opt"`
	// +optional
	// +rule:code=device-parameters
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
	// +rule:valid
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
	// +rule:required
	// +rule:oneOf=FromClaim;FromClass
	Source AllocationConfigSource `json:"source" protobuf:"bytes,1,name=source"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:unique=set
	// +k8s:maxItems=32
	// +rule:maxItems=32,ends
	// +rule:each:code=request-reference
	// +rule:unique="self"
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
	// +rule:maxItems=32,ends
	Results []DeviceRequestAllocationResult `json:"results,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=64
	// +rule:maxItems=64,ends
	Config []DeviceAllocationConfiguration `json:"config,omitempty" protobuf:"bytes,2,opt"`
}

// DeviceClaim is requests with their constraints and configuration.
type DeviceClaim struct {
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:maxItems=32
	// +rule:maxItems=32,ends
	// +rule:unique="self.name"
	Requests []DeviceRequest `json:"requests" protobuf:"bytes,1,name=requests"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=32
	// +rule:maxItems=32,ends
	Constraints []DeviceConstraint `json:"constraints,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=32
	// +rule:maxItems=32,ends
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
	// +rule:maxItems=32,ends
	// +rule:each:code=request-reference
	// +rule:unique="self"
	Requests []string `json:"requests,omitempty" protobuf:"bytes,1,opt"`
	DeviceConfiguration `json:",inline" protobuf:"bytes,2,name=deviceConfiguration"`
}

// DeviceConstraint is what the devices of several requests have in common.
// +rule:cel="has(self.matchAttribute) || has(self.distinctAttribute)",reason=Required,message="exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are set"
type DeviceConstraint struct {
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:unique=set
	// +k8s:maxItems=32
	// +rule:maxItems=32,ends
	// +rule:each:code=request-reference
	// +rule:unique="self"
	Requests []string `json:"requests,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +oneOf=ConstraintType
	// +k8s:optional
	// +rule:code=fully-qualified-device-name
	MatchAttribute *FullyQualifiedName `json:"matchAttribute,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +oneOf=ConstraintType
	// +featureGate=DRAConsumableCapacity
	// +rule:skip,when="has(parent.matchAttribute)"
	// +rule:code=fully-qualified-device-name
	DistinctAttribute *FullyQualifiedName `json:"distinctAttribute,omitempty" protobuf:"bytes,3,opt"`
}

// DeviceRequest is a request for devices, exact or by preference.
// +rule:cel="has(self.exactly) || self.firstAvailable.size() > 0",reason=Required,message="exactly one of `exactly` or `firstAvailable` is required"
// +rule:cel="!has(self.exactly) || self.firstAvailable.size() == 0",value="null",message="exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set"
type DeviceRequest struct {
	// +required
	// +rule:format=dns-label
	Name string `json:"name" protobuf:"bytes,1,name=name"`
	// +optional
	// +oneOf=deviceRequestType
	// +k8s:optional
	// +rule:skip,when="parent.firstAvailable.size() > 0"
	Exactly *ExactDeviceRequest `json:"exactly,omitempty" protobuf:"bytes,2,name=exactly"`
	// +optional
	// +oneOf=deviceRequestType
	// +listType=atomic
	// +featureGate=DRAPrioritizedList
	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:maxItems=8
	// +rule:skip,when="has(parent.exactly)"
	// +rule:maxItems=8,ends
	// +rule:unique="self.name"
	FirstAvailable []DeviceSubRequest `json:"firstAvailable,omitempty" protobuf:"bytes,3,name=firstAvailable"`
}

// DeviceRequestAllocationResult is a device that a request was given.
type DeviceRequestAllocationResult struct {
	// +required
	// +rule:code=request-reference
	Request string `json:"request" protobuf:"bytes,1,name=request"`
	// +required
	// +k8s:required
	// +rule:required
	// +rule:maxBytes=63
	// +rule:cel="self.lowerAscii().problems('dns-subdomain').size() == 0",messageExpression="self.lowerAscii().problems('dns-subdomain')"
	Driver string `json:"driver" protobuf:"bytes,2,name=driver"`
	// +required
	// +k8s:required
	// +rule:required
	// +rule:maxBytes=253
	// +rule:code=pool-name
	Pool string `json:"pool" protobuf:"bytes,3,name=pool"`
	// +required
	// +rule:format=dns-label
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
	// +rule:maxItems=4
	// +rule:each:format=qualified-name,when="parent.bindingConditions.size() <= 4"
	// +rule:unique="self"
	// +rule:cel="self.size() > 0 || parent.bindingFailureConditions.size() == 0",message="bindingConditions are required to use bindingFailureConditions"
	BindingConditions []string `json:"bindingConditions,omitempty" protobuf:"bytes,7,rep"`
	// +optional
	// +listType=atomic
	// +featureGate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
	// +k8s:optional
	// +k8s:maxItems=4
	// +rule:maxItems=4
	// +rule:each:format=qualified-name,when="parent.bindingFailureConditions.size() <= 4"
	// +rule:unique="self"
	// +rule:each:cel="!(self in parent.bindingConditions)",message="bindingFailureConditions must not overlap with bindingConditions"
	// +rule:cel="self.size() > 0 || parent.bindingConditions.size() == 0",message="bindingFailureConditions are required to use bindingConditions"
	BindingFailureConditions []string `json:"bindingFailureConditions,omitempty" protobuf:"bytes,8,rep"`
	// +optional
	// +featureGate=DRAConsumableCapacity
	// +k8s:optional
	// +rule:format=share-id
	ShareID *types.UID `json:"shareID,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	// +featureGate=DRAConsumableCapacity
	ConsumedCapacity map[QualifiedName]resource.Quantity `json:"consumedCapacity,omitempty" protobuf:"bytes,10,rep"`
}

// DeviceSubRequest is one alternative of a request.
type DeviceSubRequest struct {
	// +required
	// +rule:format=dns-label
	Name string `json:"name" protobuf:"bytes,1,name=name"`
	// +required
	// +rule:required
	// +rule:format=dns-subdomain
	DeviceClassName string `json:"deviceClassName" protobuf:"bytes,2,name=deviceClassName"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=32
	// +rule:maxItems=32,ends
	Selectors []DeviceSelector `json:"selectors,omitempty" protobuf:"bytes,3,name=selectors"`
	// +default="ExactCount"
	// +unpublishedDefault
	// +optional
	// +k8s:optional
	// +rule:oneOf=All;ExactCount
	AllocationMode DeviceAllocationMode `json:"allocationMode,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +oneOf=AllocationMode
	// +rule:cel="self == 0",when="parent.allocationMode == 'All'",message="must not be specified when allocationMode is 'All'"
	// +rule:minimum=1,when="parent.allocationMode == 'ExactCount'",message="must be greater than zero"
	Count int64 `json:"count,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +listType=atomic
	// +featureGate=DRADeviceTaints
	// +k8s:optional
	// +rule:valid
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
// +rule:shared
type DeviceToleration struct {
	// +optional
	// +k8s:optional
	// +k8s:format=k8s-label-key
	// +rule:optional
	// +rule:format=qualified-name
	Key string `json:"key,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +default="Equal"
	// +k8s:optional
	// +rule:required
	// +rule:oneOf=Equal;Exists
	Operator DeviceTolerationOperator `json:"operator,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:cel="self == ''",when="parent.operator == 'Exists'",message="must be empty for operator `Exists`"
	// +rule:format=label-value,when="parent.operator == 'Equal'"
	Value string `json:"value,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +k8s:optional
	// +rule:optional
	// +rule:oneOf=NoExecute;NoSchedule;None
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
	// +rule:required
	// +rule:format=dns-subdomain
	DeviceClassName string `json:"deviceClassName" protobuf:"bytes,1,name=deviceClassName"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=32
	// +rule:maxItems=32,ends
	Selectors []DeviceSelector `json:"selectors,omitempty" protobuf:"bytes,2,name=selectors"`
	// +default="ExactCount"
	// +unpublishedDefault
	// +optional
	// +k8s:optional
	// +rule:oneOf=All;ExactCount
	AllocationMode DeviceAllocationMode `json:"allocationMode,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +oneOf=AllocationMode
	// +rule:cel="self == 0",when="parent.allocationMode == 'All'",message="must not be specified when allocationMode is 'All'"
	// +rule:minimum=1,when="parent.allocationMode == 'ExactCount'",message="must be greater than zero"
	Count int64 `json:"count,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +featureGate=DRAAdminAccess
	AdminAccess *bool `json:"adminAccess,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +listType=atomic
	// +featureGate=DRADeviceTaints
	// +k8s:optional
	// +rule:valid
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
	// +rule:maxItems=16,ends
	// +rule:each:format=interface-address
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
	// +rule:required
	Resource string `json:"resource" protobuf:"bytes,3,name=resource"`
	// +required
	// +rule:required
	Name string `json:"name" protobuf:"bytes,4,name=name"`
	// +required
	// +rule:required
	UID types.UID `json:"uid" protobuf:"bytes,5,name=uid"`
}

// ResourceClaimSpec is what a claim asks for.
// +rule:let:requestNames="self.devices.requests.map(r, [r.name] + r.firstAvailable.map(a, r.name + '/' + a.name)).flatten()"
type ResourceClaimSpec struct {
	// +optional
	Devices DeviceClaim `json:"devices" protobuf:"bytes,1,name=devices"`
}

// ResourceClaimStatus is what a claim was given and who uses it.
type ResourceClaimStatus struct {
	// +optional
	// +k8s:optional
	// +k8s:update=NoModify
	// +rule:skip,when="has(oldWholeClaim.status.allocation)"
	Allocation *AllocationResult `json:"allocation,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=map
	// +listMapKey=uid
	// +k8s:optional
	// +k8s:maxItems=256
	// +rule:unique="self.uid"
	// +rule:forbidden,when="!has(parent.allocation)",message="may not be specified when `allocated` is not set",continues
	// +rule:cel="self.all(u, u in oldWholeClaim.status.reservedFor)",when="has(parent.allocation) && has(wholeClaim.metadata.deletionTimestamp)",reason=Forbidden,
	//   message="new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"
	// +rule:maxItems=256,ends
	ReservedFor []ResourceClaimConsumerReference `json:"reservedFor,omitempty" patchStrategy:"merge" patchMergeKey:"uid" protobuf:"bytes,2,opt"`
	// +optional
	// +k8s:optional
	// +listType=map
	// +listMapKey=driver
	// +listMapKey=device
	// +listMapKey=pool
	// +listMapKey=shareID
	// +featureGate=DRAResourceClaimDeviceStatus
	// +rule:unique="[self.driver, self.pool, self.device, has(self.shareID) ? '/' + self.shareID : '']",value="{'Driver': self.driver, 'Pool': self.pool, 'Device': self.device, 'ShareID': self.shareID}"
	// +rule:each:cel="parent.allocation.devices.results.exists(r, r.driver == self.driver && r.pool == self.pool && r.device == self.device && has(r.shareID) == has(self.shareID) && r.shareID == self.shareID)",
	//   value="{'Driver': self.driver, 'Pool': self.pool, 'Device': self.device, 'ShareID': self.shareID}",message="must be an allocated device in the claim"
	Devices []AllocatedDeviceStatus `json:"devices,omitempty" protobuf:"bytes,4,opt"`
}
