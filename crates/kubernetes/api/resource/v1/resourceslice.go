package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	v1 "k8s.io/api/core/v1"
)

// ResourceSlice is a part of the devices that a driver offers.
// +kubebuilder:resource:path=resourceslices,scope=Cluster
type ResourceSlice struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +required
	Spec ResourceSliceSpec `json:"spec" protobuf:"bytes,2,name=spec"`
}

// CapacityRequestPolicy is how much of a capacity requests may take.
type CapacityRequestPolicy struct {
	// +optional
	Default *resource.Quantity `json:"default" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	// +oneOf=ValidRequestValues
	ValidValues []resource.Quantity `json:"validValues,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +oneOf=ValidRequestValues
	ValidRange *CapacityRequestPolicyRange `json:"validRange,omitempty" protobuf:"bytes,4,opt"`
}

// CapacityRequestPolicyRange is a range of amounts.
type CapacityRequestPolicyRange struct {
	// +required
	Min *resource.Quantity `json:"min,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Max *resource.Quantity `json:"max,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Step *resource.Quantity `json:"step,omitempty" protobuf:"bytes,3,opt"`
}

// Counter is an amount that devices share.
type Counter struct {
	// +required
	Value resource.Quantity `json:"value" protobuf:"bytes,1,rep"`
}

// CounterSet is counters that devices take from.
type CounterSet struct {
	// +required
	// +k8s:required
	// +k8s:format=k8s-short-name
	Name string `json:"name" protobuf:"bytes,1,name=name"`
	// +required
	// +k8s:required
	// +k8s:eachKey=+k8s:format=k8s-short-name
	Counters map[string]Counter `json:"counters,omitempty" protobuf:"bytes,2,name=counters"`
}

// Device is a device with its properties.
type Device struct {
	// +required
	Name string `json:"name" protobuf:"bytes,1,name=name"`
	// +optional
	// +k8s:optional
	Attributes map[QualifiedName]DeviceAttribute `json:"attributes,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	Capacity map[QualifiedName]DeviceCapacity `json:"capacity,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +k8s:optional
	// +listType=atomic
	// +k8s:listType=atomic
	// +featureGate=DRAPartitionableDevices
	// +k8s:maxItems=2
	ConsumesCounters []DeviceCounterConsumption `json:"consumesCounters,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	// +oneOf=DeviceNodeSelection
	// +featureGate=DRAPartitionableDevices
	NodeName *string `json:"nodeName,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +oneOf=DeviceNodeSelection
	// +featureGate=DRAPartitionableDevices
	NodeSelector *v1.NodeSelector `json:"nodeSelector,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +oneOf=DeviceNodeSelection
	// +featureGate=DRAPartitionableDevices
	AllNodes *bool `json:"allNodes,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	// +listType=atomic
	// +featureGate=DRADeviceTaints
	// +k8s:optional
	Taints []DeviceTaint `json:"taints,omitempty" protobuf:"bytes,8,rep"`
	// +optional
	// +featureGate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
	BindsToNode *bool `json:"bindsToNode,omitempty" protobuf:"varint,9,opt"`
	// +optional
	// +listType=atomic
	// +featureGate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
	// +k8s:optional
	// +k8s:maxItems=4
	BindingConditions []string `json:"bindingConditions,omitempty" protobuf:"bytes,10,rep"`
	// +optional
	// +listType=atomic
	// +featureGate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
	// +k8s:optional
	// +k8s:maxItems=4
	BindingFailureConditions []string `json:"bindingFailureConditions,omitempty" protobuf:"bytes,11,rep"`
	// +optional
	// +featureGate=DRAConsumableCapacity
	AllowMultipleAllocations *bool `json:"allowMultipleAllocations,omitempty" protobuf:"bytes,12,opt"`
	// +optional
	// +featureGate=DRANodeAllocatableResources
	NodeAllocatableResourceMappings map[v1.ResourceName]NodeAllocatableResourceMapping `json:"nodeAllocatableResourceMappings,omitempty" protobuf:"bytes,13,opt"`
}

// DeviceAttribute is a property of a device.
type DeviceAttribute struct {
	// +optional
	// +k8s:optional
	IntValue *int64 `json:"int,omitempty" protobuf:"varint,2,opt"`
	// +optional
	// +k8s:optional
	BoolValue *bool `json:"bool,omitempty" protobuf:"varint,3,opt"`
	// +optional
	// +k8s:optional
	StringValue *string `json:"string,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +k8s:optional
	VersionValue *string `json:"version,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +listType=atomic
	// +k8s:listType=atomic
	// +k8s:optional
	// +featureGate=DRAListTypeAttributes
	IntValues []int64 `json:"ints,omitempty" protobuf:"varint,6,opt"`
	// +optional
	// +listType=atomic
	// +k8s:listType=atomic
	// +k8s:optional
	// +featureGate=DRAListTypeAttributes
	BoolValues []bool `json:"bools,omitempty" protobuf:"varint,7,opt"`
	// +optional
	// +listType=atomic
	// +k8s:listType=atomic
	// +k8s:optional
	// +featureGate=DRAListTypeAttributes
	StringValues []string `json:"strings,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	// +listType=atomic
	// +k8s:listType=atomic
	// +k8s:optional
	// +featureGate=DRAListTypeAttributes
	VersionValues []string `json:"versions,omitempty" protobuf:"bytes,9,opt"`
}

// DeviceCapacity is an amount that a device has.
type DeviceCapacity struct {
	// +required
	Value resource.Quantity `json:"value" protobuf:"bytes,1,rep"`
	// +optional
	// +featureGate=DRAConsumableCapacity
	RequestPolicy *CapacityRequestPolicy `json:"requestPolicy,omitempty" protobuf:"bytes,2,opt"`
}

// DeviceCounterConsumption is what a device takes from counters.
type DeviceCounterConsumption struct {
	// +required
	// +k8s:required
	// +k8s:format=k8s-short-name
	CounterSet string `json:"counterSet" protobuf:"bytes,1,opt"`
	// +required
	// +k8s:required
	// +k8s:eachKey=+k8s:format=k8s-short-name
	Counters map[string]Counter `json:"counters,omitempty" protobuf:"bytes,2,opt"`
}

// DeviceTaint is a mark that keeps claims away which do not tolerate it.
type DeviceTaint struct {
	// +required
	Key string `json:"key" protobuf:"bytes,1,name=key"`
	// +optional
	Value string `json:"value,omitempty" protobuf:"bytes,2,opt"`
	// +required
	// +k8s:required
	Effect DeviceTaintEffect `json:"effect" protobuf:"bytes,3,name=effect"`
	// +optional
	TimeAdded *metav1.Time `json:"timeAdded,omitempty" protobuf:"bytes,4,opt"`
}

// NodeAllocatableResourceMapping is which resource of the node a device stands for.
type NodeAllocatableResourceMapping struct {
	// +optional
	CapacityKey *QualifiedName `json:"capacityKey,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	AllocationMultiplier *resource.Quantity `json:"allocationMultiplier,omitempty" protobuf:"bytes,2,opt"`
}

// ResourcePool is the pool that a slice belongs to.
type ResourcePool struct {
	// +required
	Name string `json:"name" protobuf:"bytes,1,name=name"`
	// +required
	Generation int64 `json:"generation" protobuf:"bytes,2,name=generation"`
	// +required
	ResourceSliceCount int64 `json:"resourceSliceCount" protobuf:"bytes,3,name=resourceSliceCount"`
}

// ResourceSliceSpec is driver, pool, nodes and devices of a slice.
type ResourceSliceSpec struct {
	// +required
	Driver string `json:"driver" protobuf:"bytes,1,name=driver"`
	// +required
	Pool ResourcePool `json:"pool" protobuf:"bytes,2,name=pool"`
	// +optional
	// +oneOf=NodeSelection
	NodeName *string `json:"nodeName,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +oneOf=NodeSelection
	NodeSelector *v1.NodeSelector `json:"nodeSelector,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +oneOf=NodeSelection
	AllNodes *bool `json:"allNodes,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +zeroOrOneOf=ResourceSliceType
	Devices []Device `json:"devices,omitempty" protobuf:"bytes,6,name=devices"`
	// +optional
	// +oneOf=NodeSelection
	// +featureGate=DRAPartitionableDevices
	PerDeviceNodeSelection *bool `json:"perDeviceNodeSelection,omitempty" protobuf:"bytes,7,name=perDeviceNodeSelection"`
	// +optional
	// +k8s:optional
	// +listType=atomic
	// +k8s:listType=atomic
	// +featureGate=DRAPartitionableDevices
	// +zeroOrOneOf=ResourceSliceType
	// +k8s:maxItems=8
	SharedCounters []CounterSet `json:"sharedCounters,omitempty" protobuf:"bytes,8,name=sharedCounters"`
}
