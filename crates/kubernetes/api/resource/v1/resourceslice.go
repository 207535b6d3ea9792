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
	// +rule:required
	// +rule:format=dns-label
	Name string `json:"name" protobuf:"bytes,1,name=name"`
	// +required
	// +k8s:required
	// +k8s:eachKey=+k8s:format=k8s-short-name
	// +rule:required
	// +rule:maxItems=32,ends
	// +rule:keys:format=dns-label,at=^
	Counters map[string]Counter `json:"counters,omitempty" protobuf:"bytes,2,name=counters"`
}

// Device is a device with its properties.
// +rule:as=device
// +rule:let:attributeValues="self.attributes.map(k, self.attributes[k].ints.size() + self.attributes[k].bools.size() + self.attributes[k].strings.size() + self.attributes[k].versions.size()).map(n, n < 1 ? 1 : n).sum()"
// +rule:let:deviceNodeChoices="[self.nodeName != '' ? '`nodeName`' : '', has(self.nodeSelector) ? '`nodeSelector`' : '', self.allNodes ? '`allNodes`' : ''].filter(c, c != '')"
// +rule:cel="self.attributes.size() + self.capacity.size() <= 32",value="self.attributes.size() + self.capacity.size()",message="the total number of attributes and capacities must not exceed 32"
// +rule:cel="attributeValues <= 48",value="attributeValues",message="the total number of attribute values must not exceed 48"
// +rule:cel="!has(self.nodeName) && !has(self.nodeSelector) && !has(self.allNodes)",when="!slice.perDeviceNodeSelection",value="null",
//   message="`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec"
// +rule:cel="deviceNodeChoices.size() > 0",when="slice.perDeviceNodeSelection",reason=Required,message="exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec"
// +rule:cel="deviceNodeChoices.size() <= 1",when="slice.perDeviceNodeSelection",value="'{' + deviceNodeChoices.join(', ') + '}'",message="exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec"
type Device struct {
	// +required
	// +rule:format=dns-label
	Name string `json:"name" protobuf:"bytes,1,name=name"`
	// +optional
	// +k8s:optional
	// +rule:code=device-attributes
	Attributes map[QualifiedName]DeviceAttribute `json:"attributes,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +rule:code=device-capacity
	Capacity map[QualifiedName]DeviceCapacity `json:"capacity,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +k8s:optional
	// +listType=atomic
	// +k8s:listType=atomic
	// +featureGate=DRAPartitionableDevices
	// +k8s:maxItems=2
	// +rule:maxItems=2,ends
	// +rule:unique="self.counterSet"
	ConsumesCounters []DeviceCounterConsumption `json:"consumesCounters,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	// +oneOf=DeviceNodeSelection
	// +featureGate=DRAPartitionableDevices
	// +rule:skip,when="!slice.perDeviceNodeSelection"
	// +rule:cel="self != ''",message="must not be empty",ends
	// +rule:format=dns-subdomain
	NodeName *string `json:"nodeName,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +oneOf=DeviceNodeSelection
	// +featureGate=DRAPartitionableDevices
	// +rule:skip,when="!slice.perDeviceNodeSelection"
	// +rule:valid
	NodeSelector *v1.NodeSelector `json:"nodeSelector,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +oneOf=DeviceNodeSelection
	// +featureGate=DRAPartitionableDevices
	// +rule:skip,when="!slice.perDeviceNodeSelection"
	// +rule:cel="self",message="must be either unset or set to true"
	AllNodes *bool `json:"allNodes,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	// +listType=atomic
	// +featureGate=DRADeviceTaints
	// +k8s:optional
	// +rule:skip,when="oldDevices.exists(d, d.name == parent.name && d.taints == self)"
	// +rule:maxItems=16,ends
	Taints []DeviceTaint `json:"taints,omitempty" protobuf:"bytes,8,rep"`
	// +optional
	// +featureGate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
	BindsToNode *bool `json:"bindsToNode,omitempty" protobuf:"varint,9,opt"`
	// +optional
	// +listType=atomic
	// +featureGate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
	// +k8s:optional
	// +k8s:maxItems=4
	// +rule:maxItems=4
	// +rule:each:format=qualified-name,when="parent.bindingConditions.size() <= 4"
	// +rule:unique="self"
	// +rule:cel="self.size() > 0 || parent.bindingFailureConditions.size() == 0",message="bindingConditions are required to use bindingFailureConditions"
	BindingConditions []string `json:"bindingConditions,omitempty" protobuf:"bytes,10,rep"`
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
	BindingFailureConditions []string `json:"bindingFailureConditions,omitempty" protobuf:"bytes,11,rep"`
	// +optional
	// +featureGate=DRAConsumableCapacity
	AllowMultipleAllocations *bool `json:"allowMultipleAllocations,omitempty" protobuf:"bytes,12,opt"`
	// +optional
	// +featureGate=DRANodeAllocatableResources
	// +rule:keys:cel="!self.contains('/') || self.contains('kubernetes.io/')",message="must be a node allocatable resource name"
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
	// +rule:required
	// +rule:format=dns-label
	CounterSet string `json:"counterSet" protobuf:"bytes,1,opt"`
	// +required
	// +k8s:required
	// +k8s:eachKey=+k8s:format=k8s-short-name
	// +rule:required
	// +rule:maxItems=32,ends
	// +rule:keys:format=dns-label,at=^
	Counters map[string]Counter `json:"counters,omitempty" protobuf:"bytes,2,opt"`
}

// DeviceTaint is a mark that keeps claims away which do not tolerate it.
type DeviceTaint struct {
	// +required
	// +rule:format=qualified-name
	Key string `json:"key" protobuf:"bytes,1,name=key"`
	// +optional
	// +rule:format=label-value
	Value string `json:"value,omitempty" protobuf:"bytes,2,opt"`
	// +required
	// +k8s:required
	// +rule:required
	// +rule:oneOf=NoExecute;NoSchedule;None
	Effect DeviceTaintEffect `json:"effect" protobuf:"bytes,3,name=effect"`
	// +optional
	TimeAdded *metav1.Time `json:"timeAdded,omitempty" protobuf:"bytes,4,opt"`
}

// NodeAllocatableResourceMapping is which resource of the node a device stands for.
// +rule:cel="has(self.allocationMultiplier) || has(self.capacityKey)",value="''",message="at least one of allocationMultiplier or capacityKey must be set"
type NodeAllocatableResourceMapping struct {
	// +optional
	// +rule:cel="self != ''",message="capacityKey must not be an empty string",ends
	// +rule:cel="self in device.capacity",reason=NotFound
	CapacityKey *QualifiedName `json:"capacityKey,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:cel="quantity(self).isGreaterThan(quantity('0'))",message="must be positive"
	AllocationMultiplier *resource.Quantity `json:"allocationMultiplier,omitempty" protobuf:"bytes,2,opt"`
}

// ResourcePool is the pool that a slice belongs to.
type ResourcePool struct {
	// +required
	// +rule:immutable
	// +rule:required
	// +rule:maxBytes=253
	// +rule:code=pool-name
	Name string `json:"name" protobuf:"bytes,1,name=name"`
	// +required
	// +rule:minimum=0,message="must be greater than or equal to zero"
	Generation int64 `json:"generation" protobuf:"bytes,2,name=generation"`
	// +required
	// +rule:minimum=1,message="must be greater than zero"
	ResourceSliceCount int64 `json:"resourceSliceCount" protobuf:"bytes,3,name=resourceSliceCount"`
}

// ResourceSliceSpec is driver, pool, nodes and devices of a slice.
// +rule:as=slice
// +rule:let:oldDevices="oldSelf.devices"
// +rule:let:hasAdvancedDevices="self.devices.exists(d, d.taints.size() > 0 || d.consumesCounters.size() > 0 || d.attributes.exists(k, has(d.attributes[k].ints) || has(d.attributes[k].bools) || has(d.attributes[k].strings) || has(d.attributes[k].versions)))"
// +rule:let:nodeChoices="[self.nodeName != '' ? '`nodeName`' : '', has(self.nodeSelector) ? '`nodeSelector`' : '', self.allNodes ? '`allNodes`' : '', self.perDeviceNodeSelection ? '`perDeviceNodeSelection`' : ''].filter(c, c != '')"
// +rule:cel="nodeChoices.size() > 0",reason=Required,message="exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
// +rule:cel="nodeChoices.size() <= 1",value="'{' + nodeChoices.join(', ') + '}'",message="exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set"
// +rule:cel="!has(self.sharedCounters) || !has(self.devices)",value="''",message="only one of `sharedCounters` or `devices` is allowed"
type ResourceSliceSpec struct {
	// +required
	// +rule:immutable
	// +rule:required
	// +rule:maxBytes=63
	// +rule:cel="self.lowerAscii().problems('dns-subdomain').size() == 0",messageExpression="self.lowerAscii().problems('dns-subdomain')"
	Driver string `json:"driver" protobuf:"bytes,1,name=driver"`
	// +required
	Pool ResourcePool `json:"pool" protobuf:"bytes,2,name=pool"`
	// +optional
	// +oneOf=NodeSelection
	// +rule:immutable
	// +rule:cel="self != ''",message="must be either unset or set to a non-empty string",ends
	// +rule:format=dns-subdomain
	NodeName *string `json:"nodeName,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +oneOf=NodeSelection
	// +rule:valid
	// +rule:cel="self.nodeSelectorTerms.size() == 1",at=nodeSelectorTerms,value="self.nodeSelectorTerms",message="must have exactly one node selector term"
	NodeSelector *v1.NodeSelector `json:"nodeSelector,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +oneOf=NodeSelection
	// +rule:cel="self",message="must be either unset or set to true"
	AllNodes *bool `json:"allNodes,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +zeroOrOneOf=ResourceSliceType
	// +rule:maxItems=64,when="hasAdvancedDevices",ends
	// +rule:maxItems=128,when="!hasAdvancedDevices",ends
	// +rule:unique="self.name"
	Devices []Device `json:"devices,omitempty" protobuf:"bytes,6,name=devices"`
	// +optional
	// +oneOf=NodeSelection
	// +featureGate=DRAPartitionableDevices
	// +rule:cel="self",message="must be either unset or set to true"
	PerDeviceNodeSelection *bool `json:"perDeviceNodeSelection,omitempty" protobuf:"bytes,7,name=perDeviceNodeSelection"`
	// +optional
	// +k8s:optional
	// +listType=atomic
	// +k8s:listType=atomic
	// +featureGate=DRAPartitionableDevices
	// +zeroOrOneOf=ResourceSliceType
	// +k8s:maxItems=8
	// +rule:maxItems=8,ends
	// +rule:unique="self.name"
	SharedCounters []CounterSet `json:"sharedCounters,omitempty" protobuf:"bytes,8,name=sharedCounters"`
}
