package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Node is a machine that runs pods.
// +kubebuilder:resource:path=nodes,scope=Cluster,shortName=no
type Node struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	// +rule:on=main;status
	// +rule:twice="isUpdate && part == 'main'"
	// +rule:code=node-annotations
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:on=main;status
	Spec NodeSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=main;status
	Status NodeStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// AttachedVolume is a volume that is attached to the node.
type AttachedVolume struct {
	Name UniqueVolumeName `json:"name" protobuf:"bytes,1,rep"`
	DevicePath string `json:"devicePath" protobuf:"bytes,2,rep"`
}

// ConfigMapNodeConfigSource is a ConfigMap with the configuration of the kubelet.
// +rule:default:configInSpec="false"
type ConfigMapNodeConfigSource struct {
	// +rule:required
	// +rule:format=dns-label
	Namespace string `json:"namespace" protobuf:"bytes,1,opt"`
	// +rule:required
	// +rule:format=dns-subdomain
	Name string `json:"name" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:forbidden,when="configInSpec",message="uid must not be set in spec"
	// +rule:required,when="!configInSpec"
	UID types.UID `json:"uid,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:forbidden,when="configInSpec",message="resourceVersion must not be set in spec"
	// +rule:required,when="!configInSpec"
	ResourceVersion string `json:"resourceVersion,omitempty" protobuf:"bytes,4,opt"`
	// +rule:required
	// +rule:format=config-key
	KubeletConfigKey string `json:"kubeletConfigKey" protobuf:"bytes,5,opt"`
}

// ContainerImage is an image that the node has.
type ContainerImage struct {
	// +optional
	// +listType=atomic
	Names []string `json:"names" protobuf:"bytes,1,rep"`
	// +optional
	SizeBytes int64 `json:"sizeBytes,omitempty" protobuf:"varint,2,opt"`
}

// DaemonEndpoint is a port of a daemon.
type DaemonEndpoint struct {
	Port int32 `json:"Port" protobuf:"varint,1,opt"`
}

// NodeAddress is an address of the node.
type NodeAddress struct {
	Type NodeAddressType `json:"type" protobuf:"bytes,1,opt"`
	Address string `json:"address" protobuf:"bytes,2,opt"`
}

// NodeAddressType is what kind of address it is.
type NodeAddressType string

const (
	NodeAddressTypeHostname NodeAddressType = "Hostname"
	NodeAddressTypeInternalIP NodeAddressType = "InternalIP"
	NodeAddressTypeExternalIP NodeAddressType = "ExternalIP"
	NodeAddressTypeInternalDNS NodeAddressType = "InternalDNS"
	NodeAddressTypeExternalDNS NodeAddressType = "ExternalDNS"
)

// NodeCondition is one aspect of the state of the node.
type NodeCondition struct {
	Type NodeConditionType `json:"type" protobuf:"bytes,1,opt"`
	Status ConditionStatus `json:"status" protobuf:"bytes,2,opt"`
	// +optional
	LastHeartbeatTime metav1.Time `json:"lastHeartbeatTime,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,6,opt"`
}

// NodeConditionType is which aspect it is.
type NodeConditionType string

const (
	NodeConditionTypeReady NodeConditionType = "Ready"
	NodeConditionTypeMemoryPressure NodeConditionType = "MemoryPressure"
	NodeConditionTypeDiskPressure NodeConditionType = "DiskPressure"
	NodeConditionTypePIDPressure NodeConditionType = "PIDPressure"
	NodeConditionTypeNetworkUnavailable NodeConditionType = "NetworkUnavailable"
)

// NodeConfigSource is where a configuration comes from.
// +rule:cel="has(self.configMap)",message="exactly one reference subfield must be non-nil"
type NodeConfigSource struct {
	ConfigMap *ConfigMapNodeConfigSource `json:"configMap,omitempty" protobuf:"bytes,2,opt"`
}

// NodeConfigStatus is which configurations the node uses.
type NodeConfigStatus struct {
	// +optional
	Assigned *NodeConfigSource `json:"assigned,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Active *NodeConfigSource `json:"active,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	LastKnownGood *NodeConfigSource `json:"lastKnownGood,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Error string `json:"error,omitempty" protobuf:"bytes,4,opt"`
}

// NodeDaemonEndpoints is the ports of the daemons of the node.
type NodeDaemonEndpoints struct {
	// +optional
	KubeletEndpoint DaemonEndpoint `json:"kubeletEndpoint,omitempty" protobuf:"bytes,1,opt"`
}

// NodeFeatures is what the container runtime of the node can do.
type NodeFeatures struct {
	// +optional
	SupplementalGroupsPolicy *bool `json:"supplementalGroupsPolicy,omitempty" protobuf:"varint,1,opt"`
}

// NodePhase is the phase of a node, which is no longer set.
// +enum
type NodePhase string

const (
	NodePhasePending NodePhase = "Pending"
	NodePhaseRunning NodePhase = "Running"
	NodePhaseTerminated NodePhase = "Terminated"
)

// NodeRuntimeHandler is a handler of the container runtime.
type NodeRuntimeHandler struct {
	// +optional
	Name string `json:"name" protobuf:"bytes,1,opt"`
	// +optional
	Features *NodeRuntimeHandlerFeatures `json:"features,omitempty" protobuf:"bytes,2,opt"`
}

// NodeRuntimeHandlerFeatures is what a handler can do.
type NodeRuntimeHandlerFeatures struct {
	// +optional
	RecursiveReadOnlyMounts *bool `json:"recursiveReadOnlyMounts,omitempty" protobuf:"varint,1,opt"`
	// +optional
	UserNamespaces *bool `json:"userNamespaces,omitempty" protobuf:"varint,2,opt"`
}

// NodeSpec is what is wanted of the node.
// +rule:as=nodeSpec
type NodeSpec struct {
	// +optional
	PodCIDR string `json:"podCIDR,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=set
	// +rule:each:format=legacy-cidr,on=main
	// +rule:code=node-pod-cidrs
	// +rule:cel="oldSelf.size() == 0 || self.size() == oldSelf.size()",reason=Forbidden,message="node updates may not change podCIDR except from \"\" to valid"
	// +rule:each:cel="nodeSpec.podCIDRs.size() != oldNodeSpec.podCIDRs.size() || self == oldNodeSpec.podCIDRs[index]",when="isUpdate",at=^,reason=Forbidden,message="node updates may not change podCIDR except from \"\" to valid"
	PodCIDRs []string `json:"podCIDRs,omitempty" patchStrategy:"merge" protobuf:"bytes,7,opt"`
	// +optional
	// +rule:cel="oldSelf == '' || self == oldSelf",reason=Forbidden,message="node updates may not change providerID except from \"\" to valid"
	ProviderID string `json:"providerID,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Unschedulable bool `json:"unschedulable,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +listType=atomic
	// +rule:path=^.metadata.taints
	// +rule:twice="isUpdate && part == 'main'"
	// +rule:unique="self.key + ' ' + self.effect",value="self",message="taints must be unique by key and effect pair"
	Taints []Taint `json:"taints,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +rule:skip,when="!isUpdate"
	// +rule:let:configInSpec="true"
	ConfigSource *NodeConfigSource `json:"configSource,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +rule:immutable,reason=Forbidden,message="may not be updated"
	DoNotUseExternalID string `json:"externalID,omitempty" protobuf:"bytes,2,opt"`
}

// NodeStatus is what is known of the node.
type NodeStatus struct {
	// +optional
	// +rule:twice="isUpdate && part == 'main'"
	// +rule:code=node-amounts
	Capacity ResourceList `json:"capacity,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +rule:twice="isUpdate && part == 'main'"
	// +rule:code=node-amounts
	Allocatable ResourceList `json:"allocatable,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	Phase NodePhase `json:"phase,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []NodeCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,4,rep"`
	// +optional
	// +listType=map
	// +listMapKey=type
	// +rule:unique="self.type + ' ' + self.address",when="isUpdate",value="self"
	Addresses []NodeAddress `json:"addresses,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,5,rep"`
	// +optional
	DaemonEndpoints NodeDaemonEndpoints `json:"daemonEndpoints,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	NodeInfo NodeSystemInfo `json:"nodeInfo,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	// +listType=atomic
	Images []ContainerImage `json:"images,omitempty" protobuf:"bytes,8,rep"`
	// +optional
	// +listType=atomic
	VolumesInUse []UniqueVolumeName `json:"volumesInUse,omitempty" protobuf:"bytes,9,rep"`
	// +optional
	// +listType=atomic
	VolumesAttached []AttachedVolume `json:"volumesAttached,omitempty" protobuf:"bytes,10,rep"`
	// +optional
	// +rule:skip,when="!isUpdate"
	Config *NodeConfigStatus `json:"config,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	// +listType=atomic
	RuntimeHandlers []NodeRuntimeHandler `json:"runtimeHandlers,omitempty" protobuf:"bytes,12,rep"`
	// +featureGate=SupplementalGroupsPolicy
	// +optional
	Features *NodeFeatures `json:"features,omitempty" protobuf:"bytes,13,rep"`
	// +featureGate=NodeDeclaredFeatures
	// +optional
	// +listType=atomic
	// +rule:twice="isUpdate && part == 'main'"
	// +rule:each:format=feature-name
	// +rule:each:cel="index == 0 || self != parent.declaredFeatures[index - 1]",reason=Duplicate
	// +rule:each:cel="index == 0 || self >= parent.declaredFeatures[index - 1]",message="list must be sorted alphabetically"
	DeclaredFeatures []string `json:"declaredFeatures,omitempty" protobuf:"bytes,14,rep"`
}

// NodeSwapStatus is the swap memory of the node.
type NodeSwapStatus struct {
	// +optional
	// +rule:cel="self > 0",on=main,at=^^^^.metadata.nodeSwapStatus.capacity,message="must be greater than zero"
	Capacity *int64 `json:"capacity,omitempty" protobuf:"varint,1,opt"`
}

// NodeSystemInfo is identity and versions of the node.
type NodeSystemInfo struct {
	MachineID string `json:"machineID" protobuf:"bytes,1,opt"`
	SystemUUID string `json:"systemUUID" protobuf:"bytes,2,opt"`
	BootID string `json:"bootID" protobuf:"bytes,3,opt"`
	KernelVersion string `json:"kernelVersion" protobuf:"bytes,4,opt"`
	OSImage string `json:"osImage" protobuf:"bytes,5,opt"`
	ContainerRuntimeVersion string `json:"containerRuntimeVersion" protobuf:"bytes,6,opt"`
	KubeletVersion string `json:"kubeletVersion" protobuf:"bytes,7,opt"`
	KubeProxyVersion string `json:"kubeProxyVersion" protobuf:"bytes,8,opt"`
	OperatingSystem string `json:"operatingSystem" protobuf:"bytes,9,opt"`
	Architecture string `json:"architecture" protobuf:"bytes,10,opt"`
	Swap *NodeSwapStatus `json:"swap,omitempty" protobuf:"bytes,11,opt"`
}

// Taint is a mark that keeps pods away which do not tolerate it.
type Taint struct {
	// +rule:format=qualified-name
	Key string `json:"key" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:cel="self.problems('label-value').size() == 0",messageExpression="self.problems('label-value').join(';')"
	Value string `json:"value,omitempty" protobuf:"bytes,2,opt"`
	// +rule:required
	// +rule:oneOf=NoSchedule;PreferNoSchedule;NoExecute
	Effect TaintEffect `json:"effect" protobuf:"bytes,3,opt"`
	// +optional
	TimeAdded *metav1.Time `json:"timeAdded,omitempty" protobuf:"bytes,4,opt"`
}

// UniqueVolumeName is the name of a volume that is unique on the node.
type UniqueVolumeName string
