package v1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Pod is a group of containers that run together on one node.
// +kubebuilder:resource:path=pods,shortName=po,categories=all
type Pod struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec PodSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status PodStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// Affinity says which nodes and neighbours a pod prefers or needs.
type Affinity struct {
	// +optional
	NodeAffinity *NodeAffinity `json:"nodeAffinity,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	PodAffinity *PodAffinity `json:"podAffinity,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	PodAntiAffinity *PodAntiAffinity `json:"podAntiAffinity,omitempty" protobuf:"bytes,3,opt"`
}

// AppArmorProfile names the AppArmor confinement of processes.
// +union
type AppArmorProfile struct {
	// +unionDiscriminator
	Type AppArmorProfileType `json:"type" protobuf:"bytes,1,opt"`
	// +optional
	LocalhostProfile *string `json:"localhostProfile,omitempty" protobuf:"bytes,2,opt"`
}

// AppArmorProfileType says where the AppArmor confinement comes from.
// +enum
type AppArmorProfileType string

const (
	AppArmorProfileTypeUnconfined AppArmorProfileType = "Unconfined"
	AppArmorProfileTypeRuntimeDefault AppArmorProfileType = "RuntimeDefault"
	AppArmorProfileTypeLocalhost AppArmorProfileType = "Localhost"
)

// Capabilities are rights of the kernel that a container gains or loses.
type Capabilities struct {
	// +optional
	// +listType=atomic
	Add []Capability `json:"add,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +listType=atomic
	Drop []Capability `json:"drop,omitempty" protobuf:"bytes,2,rep"`
}

// Capability is a right of the kernel by name.
type Capability string

// ConfigMapEnvSource makes variables of all entries of a ConfigMap.
type ConfigMapEnvSource struct {
	LocalObjectReference `json:",inline" protobuf:"bytes,1,opt"`
	// +optional
	Optional *bool `json:"optional,omitempty" protobuf:"varint,2,opt"`
}

// ConfigMapKeySelector picks one entry of a ConfigMap.
// +structType=atomic
type ConfigMapKeySelector struct {
	LocalObjectReference `json:",inline" protobuf:"bytes,1,opt"`
	Key string `json:"key" protobuf:"bytes,2,opt"`
	// +optional
	Optional *bool `json:"optional,omitempty" protobuf:"varint,3,opt"`
}

// Container is one process with its image, files and limits.
type Container struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	// +optional
	Image string `json:"image,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	Command []string `json:"command,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +listType=atomic
	Args []string `json:"args,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	WorkingDir string `json:"workingDir,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +listType=map
	// +listMapKey=containerPort
	// +listMapKey=protocol
	Ports []ContainerPort `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"containerPort" protobuf:"bytes,6,rep"`
	// +optional
	// +listType=atomic
	EnvFrom []EnvFromSource `json:"envFrom,omitempty" protobuf:"bytes,19,rep"`
	// +optional
	// +listType=map
	// +listMapKey=name
	Env []EnvVar `json:"env,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,7,rep"`
	// +optional
	Resources ResourceRequirements `json:"resources,omitempty" protobuf:"bytes,8,opt"`
	// +featureGate=InPlacePodVerticalScaling
	// +optional
	// +listType=atomic
	ResizePolicy []ContainerResizePolicy `json:"resizePolicy,omitempty" protobuf:"bytes,23,rep"`
	// +optional
	RestartPolicy *ContainerRestartPolicy `json:"restartPolicy,omitempty" protobuf:"bytes,24,opt"`
	// +featureGate=ContainerRestartRules
	// +optional
	// +listType=atomic
	RestartPolicyRules []ContainerRestartRule `json:"restartPolicyRules,omitempty" protobuf:"bytes,25,rep"`
	// +optional
	// +listType=map
	// +listMapKey=mountPath
	VolumeMounts []VolumeMount `json:"volumeMounts,omitempty" patchStrategy:"merge" patchMergeKey:"mountPath" protobuf:"bytes,9,rep"`
	// +listType=map
	// +listMapKey=devicePath
	// +optional
	VolumeDevices []VolumeDevice `json:"volumeDevices,omitempty" patchStrategy:"merge" patchMergeKey:"devicePath" protobuf:"bytes,21,rep"`
	// +optional
	LivenessProbe *Probe `json:"livenessProbe,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	ReadinessProbe *Probe `json:"readinessProbe,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	StartupProbe *Probe `json:"startupProbe,omitempty" protobuf:"bytes,22,opt"`
	// +optional
	Lifecycle *Lifecycle `json:"lifecycle,omitempty" protobuf:"bytes,12,opt"`
	// +optional
	// +default="/dev/termination-log"
	// +unpublishedDefault
	TerminationMessagePath string `json:"terminationMessagePath,omitempty" protobuf:"bytes,13,opt"`
	// +optional
	// +default="File"
	// +unpublishedDefault
	TerminationMessagePolicy TerminationMessagePolicy `json:"terminationMessagePolicy,omitempty" protobuf:"bytes,20,opt"`
	// +optional
	ImagePullPolicy PullPolicy `json:"imagePullPolicy,omitempty" protobuf:"bytes,14,opt"`
	// +optional
	SecurityContext *SecurityContext `json:"securityContext,omitempty" protobuf:"bytes,15,opt"`
	// +optional
	Stdin bool `json:"stdin,omitempty" protobuf:"varint,16,opt"`
	// +optional
	StdinOnce bool `json:"stdinOnce,omitempty" protobuf:"varint,17,opt"`
	// +optional
	TTY bool `json:"tty,omitempty" protobuf:"varint,18,opt"`
}

// ContainerExtendedResourceRequest maps a container's resource to a request of a claim.
type ContainerExtendedResourceRequest struct {
	ContainerName string `json:"containerName" protobuf:"bytes,1,name=containerName"`
	ResourceName string `json:"resourceName" protobuf:"bytes,2,name=resourceName"`
	RequestName string `json:"requestName" protobuf:"bytes,3,name=requestName"`
}

// ContainerPort is a port that a container listens on.
type ContainerPort struct {
	// +optional
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	HostPort int32 `json:"hostPort,omitempty" protobuf:"varint,2,opt"`
	ContainerPort int32 `json:"containerPort" protobuf:"varint,3,opt"`
	// +optional
	// +default="TCP"
	Protocol Protocol `json:"protocol,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	HostIP string `json:"hostIP,omitempty" protobuf:"bytes,5,opt"`
}

// ContainerResizePolicy says whether a resource can change without a restart.
type ContainerResizePolicy struct {
	ResourceName ResourceName `json:"resourceName" protobuf:"bytes,1,opt"`
	RestartPolicy ResourceResizeRestartPolicy `json:"restartPolicy" protobuf:"bytes,2,opt"`
}

// ContainerRestartPolicy says when one container runs again.
type ContainerRestartPolicy string

const (
	ContainerRestartPolicyAlways ContainerRestartPolicy = "Always"
	ContainerRestartPolicyNever ContainerRestartPolicy = "Never"
	ContainerRestartPolicyOnFailure ContainerRestartPolicy = "OnFailure"
)

// ContainerRestartRule decides about a restart by how the container ended.
type ContainerRestartRule struct {
	// +required
	Action ContainerRestartRuleAction `json:"action,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +oneOf=when
	ExitCodes *ContainerRestartRuleOnExitCodes `json:"exitCodes,omitempty" protobuf:"bytes,2,opt"`
}

// ContainerRestartRuleAction is what a restart rule does.
type ContainerRestartRuleAction string

const (
	ContainerRestartRuleActionRestart ContainerRestartRuleAction = "Restart"
	ContainerRestartRuleActionRestartAllContainers ContainerRestartRuleAction = "RestartAllContainers"
)

// ContainerRestartRuleOnExitCodes picks exit codes.
type ContainerRestartRuleOnExitCodes struct {
	// +required
	Operator ContainerRestartRuleOnExitCodesOperator `json:"operator,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=set
	Values []int32 `json:"values,omitempty" protobuf:"varint,2,rep"`
}

// ContainerRestartRuleOnExitCodesOperator compares an exit code with a list.
type ContainerRestartRuleOnExitCodesOperator string

const (
	ContainerRestartRuleOnExitCodesOperatorIn ContainerRestartRuleOnExitCodesOperator = "In"
	ContainerRestartRuleOnExitCodesOperatorNotIn ContainerRestartRuleOnExitCodesOperator = "NotIn"
)

// ContainerState is where a container stands in its life.
type ContainerState struct {
	// +optional
	Waiting *ContainerStateWaiting `json:"waiting,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Running *ContainerStateRunning `json:"running,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Terminated *ContainerStateTerminated `json:"terminated,omitempty" protobuf:"bytes,3,opt"`
}

// ContainerStateRunning tells since when a container runs.
type ContainerStateRunning struct {
	// +optional
	StartedAt metav1.Time `json:"startedAt,omitempty" protobuf:"bytes,1,opt"`
}

// ContainerStateTerminated tells how a container ended.
type ContainerStateTerminated struct {
	ExitCode int32 `json:"exitCode" protobuf:"varint,1,opt"`
	// +optional
	Signal int32 `json:"signal,omitempty" protobuf:"varint,2,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	StartedAt metav1.Time `json:"startedAt,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	FinishedAt metav1.Time `json:"finishedAt,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	ContainerID string `json:"containerID,omitempty" protobuf:"bytes,7,opt"`
}

// ContainerStateWaiting tells what keeps a container from running.
type ContainerStateWaiting struct {
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,2,opt"`
}

// ContainerStatus is what a node reports of a container.
type ContainerStatus struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	// +optional
	State ContainerState `json:"state,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	LastTerminationState ContainerState `json:"lastState,omitempty" protobuf:"bytes,3,opt"`
	Ready bool `json:"ready" protobuf:"varint,4,opt"`
	RestartCount int32 `json:"restartCount" protobuf:"varint,5,opt"`
	Image string `json:"image" protobuf:"bytes,6,opt"`
	ImageID string `json:"imageID" protobuf:"bytes,7,opt"`
	// +optional
	ContainerID string `json:"containerID,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	Started *bool `json:"started,omitempty" protobuf:"varint,9,opt"`
	// +optional
	AllocatedResources ResourceList `json:"allocatedResources,omitempty" protobuf:"bytes,10,rep"`
	// +featureGate=InPlacePodVerticalScaling
	// +optional
	Resources *ResourceRequirements `json:"resources,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	// +listType=map
	// +listMapKey=mountPath
	VolumeMounts []VolumeMountStatus `json:"volumeMounts,omitempty" patchStrategy:"merge" patchMergeKey:"mountPath" protobuf:"bytes,12,rep"`
	// +featureGate=SupplementalGroupsPolicy
	// +optional
	User *ContainerUser `json:"user,omitempty" protobuf:"bytes,13,opt"`
	// +featureGate=ResourceHealthStatus
	// +optional
	// +listType=map
	// +listMapKey=name
	AllocatedResourcesStatus []ResourceStatus `json:"allocatedResourcesStatus,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,14,rep"`
	// +featureGate=ContainerStopSignals
	// +optional
	StopSignal *Signal `json:"stopSignal,omitempty" protobuf:"bytes,15,opt"`
}

// ContainerUser is the identity that a container's first process has.
type ContainerUser struct {
	// +optional
	Linux *LinuxContainerUser `json:"linux,omitempty" protobuf:"bytes,1,opt"`
}

// DNSPolicy says how a pod resolves names.
// +enum
type DNSPolicy string

const (
	DNSPolicyClusterFirstWithHostNet DNSPolicy = "ClusterFirstWithHostNet"
	DNSPolicyClusterFirst DNSPolicy = "ClusterFirst"
	DNSPolicyDefault DNSPolicy = "Default"
	DNSPolicyNone DNSPolicy = "None"
)

// EnvFromSource makes variables of all entries of another object.
type EnvFromSource struct {
	// +optional
	Prefix string `json:"prefix,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	ConfigMapRef *ConfigMapEnvSource `json:"configMapRef,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	SecretRef *SecretEnvSource `json:"secretRef,omitempty" protobuf:"bytes,3,opt"`
}

// EnvVar is a variable of a container's environment.
type EnvVar struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	// +optional
	Value string `json:"value,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	ValueFrom *EnvVarSource `json:"valueFrom,omitempty" protobuf:"bytes,3,opt"`
}

// EnvVarSource says where the value of a variable is read.
type EnvVarSource struct {
	// +optional
	FieldRef *ObjectFieldSelector `json:"fieldRef,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	ResourceFieldRef *ResourceFieldSelector `json:"resourceFieldRef,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	ConfigMapKeyRef *ConfigMapKeySelector `json:"configMapKeyRef,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	SecretKeyRef *SecretKeySelector `json:"secretKeyRef,omitempty" protobuf:"bytes,4,opt"`
	// +featureGate=EnvFiles
	// +optional
	FileKeyRef *FileKeySelector `json:"fileKeyRef,omitempty" protobuf:"bytes,5,opt"`
}

// EphemeralContainer is added to a running pod to look into it.
type EphemeralContainer struct {
	EphemeralContainerCommon `json:",inline" protobuf:"bytes,1,req"`
	// +optional
	TargetContainerName string `json:"targetContainerName,omitempty" protobuf:"bytes,2,opt"`
}

// EphemeralContainerCommon has the fields that ephemeral containers share with others.
type EphemeralContainerCommon struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	Image string `json:"image,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	Command []string `json:"command,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +listType=atomic
	Args []string `json:"args,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	WorkingDir string `json:"workingDir,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +listType=map
	// +listMapKey=containerPort
	// +listMapKey=protocol
	Ports []ContainerPort `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"containerPort" protobuf:"bytes,6,rep"`
	// +optional
	// +listType=atomic
	EnvFrom []EnvFromSource `json:"envFrom,omitempty" protobuf:"bytes,19,rep"`
	// +optional
	// +listType=map
	// +listMapKey=name
	Env []EnvVar `json:"env,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,7,rep"`
	// +optional
	Resources ResourceRequirements `json:"resources,omitempty" protobuf:"bytes,8,opt"`
	// +featureGate=InPlacePodVerticalScaling
	// +optional
	// +listType=atomic
	ResizePolicy []ContainerResizePolicy `json:"resizePolicy,omitempty" protobuf:"bytes,23,rep"`
	// +optional
	RestartPolicy *ContainerRestartPolicy `json:"restartPolicy,omitempty" protobuf:"bytes,24,opt"`
	// +featureGate=ContainerRestartRules
	// +optional
	// +listType=atomic
	RestartPolicyRules []ContainerRestartRule `json:"restartPolicyRules,omitempty" protobuf:"bytes,25,rep"`
	// +optional
	// +listType=map
	// +listMapKey=mountPath
	VolumeMounts []VolumeMount `json:"volumeMounts,omitempty" patchStrategy:"merge" patchMergeKey:"mountPath" protobuf:"bytes,9,rep"`
	// +listType=map
	// +listMapKey=devicePath
	// +optional
	VolumeDevices []VolumeDevice `json:"volumeDevices,omitempty" patchStrategy:"merge" patchMergeKey:"devicePath" protobuf:"bytes,21,rep"`
	// +optional
	LivenessProbe *Probe `json:"livenessProbe,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	ReadinessProbe *Probe `json:"readinessProbe,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	StartupProbe *Probe `json:"startupProbe,omitempty" protobuf:"bytes,22,opt"`
	// +optional
	Lifecycle *Lifecycle `json:"lifecycle,omitempty" protobuf:"bytes,12,opt"`
	// +optional
	// +default="/dev/termination-log"
	// +unpublishedDefault
	TerminationMessagePath string `json:"terminationMessagePath,omitempty" protobuf:"bytes,13,opt"`
	// +optional
	// +default="File"
	// +unpublishedDefault
	TerminationMessagePolicy TerminationMessagePolicy `json:"terminationMessagePolicy,omitempty" protobuf:"bytes,20,opt"`
	// +optional
	ImagePullPolicy PullPolicy `json:"imagePullPolicy,omitempty" protobuf:"bytes,14,opt"`
	// +optional
	SecurityContext *SecurityContext `json:"securityContext,omitempty" protobuf:"bytes,15,opt"`
	// +optional
	Stdin bool `json:"stdin,omitempty" protobuf:"varint,16,opt"`
	// +optional
	StdinOnce bool `json:"stdinOnce,omitempty" protobuf:"varint,17,opt"`
	// +optional
	TTY bool `json:"tty,omitempty" protobuf:"varint,18,opt"`
}

// ExecAction runs a command in the container.
type ExecAction struct {
	// +optional
	// +listType=atomic
	Command []string `json:"command,omitempty" protobuf:"bytes,1,rep"`
}

// FileKeySelector picks an entry of a file in a volume.
// +structType=atomic
type FileKeySelector struct {
	// +required
	VolumeName string `json:"volumeName" protobuf:"bytes,1,opt"`
	// +required
	Path string `json:"path" protobuf:"bytes,2,opt"`
	// +required
	Key string `json:"key" protobuf:"bytes,3,opt"`
	// +optional
	// +default=false
	Optional *bool `json:"optional,omitempty" protobuf:"varint,4,opt"`
}

// GRPCAction asks the health service of a container.
type GRPCAction struct {
	Port int32 `json:"port" protobuf:"bytes,1,opt"`
	// +optional
	// +default=""
	Service *string `json:"service" protobuf:"bytes,2,opt"`
}

// HTTPGetAction asks a container by HTTP.
type HTTPGetAction struct {
	// +optional
	// +default="/"
	// +unpublishedDefault
	Path string `json:"path,omitempty" protobuf:"bytes,1,opt"`
	Port intstr.IntOrString `json:"port" protobuf:"bytes,2,opt"`
	// +optional
	Host string `json:"host,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +default="HTTP"
	// +unpublishedDefault
	Scheme URIScheme `json:"scheme,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +listType=atomic
	HTTPHeaders []HTTPHeader `json:"httpHeaders,omitempty" protobuf:"bytes,5,rep"`
}

// HTTPHeader is sent along with a request.
type HTTPHeader struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	Value string `json:"value" protobuf:"bytes,2,opt"`
}

// HostAlias is a line of the hosts file.
type HostAlias struct {
	// +required
	IP string `json:"ip" protobuf:"bytes,1,opt"`
	// +listType=atomic
	Hostnames []string `json:"hostnames,omitempty" protobuf:"bytes,2,rep"`
}

// HostIP is an address of the node.
type HostIP struct {
	// +required
	IP string `json:"ip" protobuf:"bytes,1,opt"`
}

// ImageVolumeStatus tells which image a volume shows.
type ImageVolumeStatus struct {
	// +required
	ImageRef string `json:"imageRef,omitempty" protobuf:"bytes,1,opt"`
}

// Lifecycle has what runs at the start and the end of a container.
type Lifecycle struct {
	// +optional
	PostStart *LifecycleHandler `json:"postStart,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	PreStop *LifecycleHandler `json:"preStop,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	StopSignal *Signal `json:"stopSignal,omitempty" protobuf:"bytes,3,opt"`
}

// LifecycleHandler is one action at a turn of a container's life.
type LifecycleHandler struct {
	// +optional
	Exec *ExecAction `json:"exec,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	HTTPGet *HTTPGetAction `json:"httpGet,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	TCPSocket *TCPSocketAction `json:"tcpSocket,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Sleep *SleepAction `json:"sleep,omitempty" protobuf:"bytes,4,opt"`
}

// LinuxContainerUser has the numeric ids of a process.
type LinuxContainerUser struct {
	UID int64 `json:"uid" protobuf:"varint,1,name=uid"`
	GID int64 `json:"gid" protobuf:"varint,2,name=gid"`
	// +optional
	// +listType=atomic
	SupplementalGroups []int64 `json:"supplementalGroups,omitempty" protobuf:"varint,3,rep"`
}

// MountPropagationMode says how later mounts spread.
// +enum
type MountPropagationMode string

const (
	MountPropagationModeNone MountPropagationMode = "None"
	MountPropagationModeHostToContainer MountPropagationMode = "HostToContainer"
	MountPropagationModeBidirectional MountPropagationMode = "Bidirectional"
)

// NodeAffinity picks nodes by label.
type NodeAffinity struct {
	// +optional
	RequiredDuringSchedulingIgnoredDuringExecution *NodeSelector `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	PreferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm `json:"preferredDuringSchedulingIgnoredDuringExecution,omitempty" protobuf:"bytes,2,rep"`
}

// NodeAllocatableResourceClaimStatus tells which resources of the node a claim stands for.
type NodeAllocatableResourceClaimStatus struct {
	// +required
	ResourceClaimName string `json:"resourceClaimName" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=set
	Containers []string `json:"containers,omitempty" protobuf:"bytes,2,rep"`
	// +required
	Resources map[ResourceName]resource.Quantity `json:"resources" protobuf:"bytes,3,rep"`
}

// NodeInclusionPolicy says whether nodes count for spreading.
// +enum
type NodeInclusionPolicy string

const (
	NodeInclusionPolicyIgnore NodeInclusionPolicy = "Ignore"
	NodeInclusionPolicyHonor NodeInclusionPolicy = "Honor"
)

// OSName names an operating system.
type OSName string

const (
	OSNameLinux OSName = "linux"
	OSNameWindows OSName = "windows"
)

// ObjectFieldSelector picks a field of the pod.
// +structType=atomic
type ObjectFieldSelector struct {
	// +optional
	// +default="v1"
	// +unpublishedDefault
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,1,opt"`
	FieldPath string `json:"fieldPath" protobuf:"bytes,2,opt"`
}

// PodAffinity asks for nodes with certain pods.
type PodAffinity struct {
	// +optional
	// +listType=atomic
	RequiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +listType=atomic
	PreferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm `json:"preferredDuringSchedulingIgnoredDuringExecution,omitempty" protobuf:"bytes,2,rep"`
}

// PodAffinityTerm picks pods and the places that count as near them.
type PodAffinityTerm struct {
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	Namespaces []string `json:"namespaces,omitempty" protobuf:"bytes,2,rep"`
	TopologyKey string `json:"topologyKey" protobuf:"bytes,3,opt"`
	// +optional
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty" protobuf:"bytes,4,opt"`
	// +listType=atomic
	// +optional
	MatchLabelKeys []string `json:"matchLabelKeys,omitempty" protobuf:"bytes,5,opt"`
	// +listType=atomic
	// +optional
	MismatchLabelKeys []string `json:"mismatchLabelKeys,omitempty" protobuf:"bytes,6,opt"`
}

// PodAntiAffinity asks for nodes without certain pods.
type PodAntiAffinity struct {
	// +optional
	// +listType=atomic
	RequiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +listType=atomic
	PreferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm `json:"preferredDuringSchedulingIgnoredDuringExecution,omitempty" protobuf:"bytes,2,rep"`
}

// PodCondition is one aspect of how a pod stands.
type PodCondition struct {
	Type PodConditionType `json:"type" protobuf:"bytes,1,opt"`
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,7,opt"`
	Status ConditionStatus `json:"status" protobuf:"bytes,2,opt"`
	// +optional
	LastProbeTime metav1.Time `json:"lastProbeTime,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,6,opt"`
}

// PodConditionType names an aspect of a pod.
type PodConditionType string

const (
	PodConditionTypeContainersReady PodConditionType = "ContainersReady"
	PodConditionTypeInitialized PodConditionType = "Initialized"
	PodConditionTypeReady PodConditionType = "Ready"
	PodConditionTypePodScheduled PodConditionType = "PodScheduled"
	PodConditionTypeDisruptionTarget PodConditionType = "DisruptionTarget"
	PodConditionTypePodReadyToStartContainers PodConditionType = "PodReadyToStartContainers"
	PodConditionTypePodResizePending PodConditionType = "PodResizePending"
	PodConditionTypePodResizeInProgress PodConditionType = "PodResizeInProgress"
	PodConditionTypeAllContainersRestarting PodConditionType = "AllContainersRestarting"
)

// PodDNSConfig has settings of the resolver.
type PodDNSConfig struct {
	// +optional
	// +listType=atomic
	Nameservers []string `json:"nameservers,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +listType=atomic
	Searches []string `json:"searches,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +listType=atomic
	Options []PodDNSConfigOption `json:"options,omitempty" protobuf:"bytes,3,rep"`
}

// PodDNSConfigOption is an option of the resolver.
type PodDNSConfigOption struct {
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Value *string `json:"value,omitempty" protobuf:"bytes,2,opt"`
}

// PodExtendedResourceClaimStatus tells which claim stands for extended resources.
type PodExtendedResourceClaimStatus struct {
	// +listType=atomic
	RequestMappings []ContainerExtendedResourceRequest `json:"requestMappings" protobuf:"bytes,1,rep"`
	ResourceClaimName string `json:"resourceClaimName" protobuf:"bytes,2,name=resourceClaimName"`
}

// PodFSGroupChangePolicy says when the owner of files is changed.
// +enum
type PodFSGroupChangePolicy string

const (
	PodFSGroupChangePolicyOnRootMismatch PodFSGroupChangePolicy = "OnRootMismatch"
	PodFSGroupChangePolicyAlways PodFSGroupChangePolicy = "Always"
)

// PodIP is an address of the pod.
type PodIP struct {
	// +required
	IP string `json:"ip" protobuf:"bytes,1,opt"`
}

// PodOS is the operating system that a pod is made for.
type PodOS struct {
	Name OSName `json:"name" protobuf:"bytes,1,opt"`
}

// PodPhase is the pod's state in a word.
// +enum
type PodPhase string

const (
	PodPhasePending PodPhase = "Pending"
	PodPhaseRunning PodPhase = "Running"
	PodPhaseSucceeded PodPhase = "Succeeded"
	PodPhaseFailed PodPhase = "Failed"
	PodPhaseUnknown PodPhase = "Unknown"
)

// PodQOSClass says who gives way first when a node is short.
// +enum
type PodQOSClass string

const (
	PodQOSClassGuaranteed PodQOSClass = "Guaranteed"
	PodQOSClassBurstable PodQOSClass = "Burstable"
	PodQOSClassBestEffort PodQOSClass = "BestEffort"
)

// PodReadinessGate names a condition that readiness waits for.
type PodReadinessGate struct {
	ConditionType PodConditionType `json:"conditionType" protobuf:"bytes,1,opt"`
}

// PodResizeStatus tells how a resize goes.
type PodResizeStatus string

const (
	PodResizeStatusInProgress PodResizeStatus = "InProgress"
	PodResizeStatusDeferred PodResizeStatus = "Deferred"
	PodResizeStatusInfeasible PodResizeStatus = "Infeasible"
)

// PodResourceClaim is a claim of devices that containers may refer to.
type PodResourceClaim struct {
	Name string `json:"name" protobuf:"bytes,1,name=name"`
	ResourceClaimName *string `json:"resourceClaimName,omitempty" protobuf:"bytes,3,opt"`
	ResourceClaimTemplateName *string `json:"resourceClaimTemplateName,omitempty" protobuf:"bytes,4,opt"`
}

// PodResourceClaimStatus tells which claim was made.
type PodResourceClaimStatus struct {
	Name string `json:"name" protobuf:"bytes,1,name=name"`
	// +optional
	ResourceClaimName *string `json:"resourceClaimName,omitempty" protobuf:"bytes,2,opt"`
}

// PodSELinuxChangePolicy says how files get their SELinux label.
type PodSELinuxChangePolicy string

const (
	PodSELinuxChangePolicyRecursive PodSELinuxChangePolicy = "Recursive"
	PodSELinuxChangePolicyMountOption PodSELinuxChangePolicy = "MountOption"
)

// PodSchedulingGate holds a pod back from scheduling.
type PodSchedulingGate struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
}

// PodSchedulingGroup names the group that a pod is scheduled with.
// +union
type PodSchedulingGroup struct {
	// +optional
	// +oneOf=GroupSelection
	PodGroupName *string `json:"podGroupName,omitempty" protobuf:"bytes,1,opt"`
}

// PodSecurityContext has what holds for all containers of a pod.
type PodSecurityContext struct {
	// +optional
	SELinuxOptions *SELinuxOptions `json:"seLinuxOptions,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	WindowsOptions *WindowsSecurityContextOptions `json:"windowsOptions,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	RunAsUser *int64 `json:"runAsUser,omitempty" protobuf:"varint,2,opt"`
	// +optional
	RunAsGroup *int64 `json:"runAsGroup,omitempty" protobuf:"varint,6,opt"`
	// +optional
	RunAsNonRoot *bool `json:"runAsNonRoot,omitempty" protobuf:"varint,3,opt"`
	// +optional
	// +listType=atomic
	SupplementalGroups []int64 `json:"supplementalGroups,omitempty" protobuf:"varint,4,rep"`
	// +featureGate=SupplementalGroupsPolicy
	// +optional
	SupplementalGroupsPolicy *SupplementalGroupsPolicy `json:"supplementalGroupsPolicy,omitempty" protobuf:"bytes,12,opt"`
	// +optional
	FSGroup *int64 `json:"fsGroup,omitempty" protobuf:"varint,5,opt"`
	// +optional
	// +listType=atomic
	Sysctls []Sysctl `json:"sysctls,omitempty" protobuf:"bytes,7,rep"`
	// +optional
	FSGroupChangePolicy *PodFSGroupChangePolicy `json:"fsGroupChangePolicy,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	SeccompProfile *SeccompProfile `json:"seccompProfile,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	AppArmorProfile *AppArmorProfile `json:"appArmorProfile,omitempty" protobuf:"bytes,11,opt"`
	// +featureGate=SELinuxChangePolicy
	// +optional
	SELinuxChangePolicy *PodSELinuxChangePolicy `json:"seLinuxChangePolicy,omitempty" protobuf:"bytes,13,opt"`
}

// PodSpec is what a pod is to be.
type PodSpec struct {
	// +optional
	// +listType=map
	// +listMapKey=name
	Volumes []Volume `json:"volumes,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name" protobuf:"bytes,1,rep"`
	// +listType=map
	// +listMapKey=name
	InitContainers []Container `json:"initContainers,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,20,rep"`
	// +listType=map
	// +listMapKey=name
	Containers []Container `json:"containers" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,2,rep"`
	// +optional
	// +listType=map
	// +listMapKey=name
	EphemeralContainers []EphemeralContainer `json:"ephemeralContainers,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,34,rep"`
	// +optional
	// +default="Always"
	// +unpublishedDefault
	RestartPolicy RestartPolicy `json:"restartPolicy,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +default=30
	// +unpublishedDefault
	TerminationGracePeriodSeconds *int64 `json:"terminationGracePeriodSeconds,omitempty" protobuf:"varint,4,opt"`
	// +optional
	ActiveDeadlineSeconds *int64 `json:"activeDeadlineSeconds,omitempty" protobuf:"varint,5,opt"`
	// +optional
	// +default="ClusterFirst"
	// +unpublishedDefault
	DNSPolicy DNSPolicy `json:"dnsPolicy,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +mapType=atomic
	NodeSelector map[string]string `json:"nodeSelector,omitempty" protobuf:"bytes,7,rep"`
	// +optional
	ServiceAccountName string `json:"serviceAccountName,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	DeprecatedServiceAccount string `json:"serviceAccount,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	AutomountServiceAccountToken *bool `json:"automountServiceAccountToken,omitempty" protobuf:"varint,21,opt"`
	// +optional
	NodeName string `json:"nodeName,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	HostNetwork bool `json:"hostNetwork,omitempty" protobuf:"varint,11,opt"`
	// +optional
	HostPID bool `json:"hostPID,omitempty" protobuf:"varint,12,opt"`
	// +optional
	HostIPC bool `json:"hostIPC,omitempty" protobuf:"varint,13,opt"`
	// +optional
	ShareProcessNamespace *bool `json:"shareProcessNamespace,omitempty" protobuf:"varint,27,opt"`
	// +optional
	// +default={}
	// +unpublishedDefault
	SecurityContext *PodSecurityContext `json:"securityContext,omitempty" protobuf:"bytes,14,opt"`
	// +optional
	// +listType=map
	// +listMapKey=name
	ImagePullSecrets []LocalObjectReference `json:"imagePullSecrets,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,15,rep"`
	// +optional
	Hostname string `json:"hostname,omitempty" protobuf:"bytes,16,opt"`
	// +optional
	Subdomain string `json:"subdomain,omitempty" protobuf:"bytes,17,opt"`
	// +optional
	Affinity *Affinity `json:"affinity,omitempty" protobuf:"bytes,18,opt"`
	// +optional
	// +default="default-scheduler"
	// +unpublishedDefault
	SchedulerName string `json:"schedulerName,omitempty" protobuf:"bytes,19,opt"`
	// +optional
	// +listType=atomic
	Tolerations []Toleration `json:"tolerations,omitempty" protobuf:"bytes,22,opt"`
	// +optional
	// +listType=map
	// +listMapKey=ip
	HostAliases []HostAlias `json:"hostAliases,omitempty" patchStrategy:"merge" patchMergeKey:"ip" protobuf:"bytes,23,rep"`
	// +optional
	PriorityClassName string `json:"priorityClassName,omitempty" protobuf:"bytes,24,opt"`
	// +optional
	Priority *int32 `json:"priority,omitempty" protobuf:"bytes,25,opt"`
	// +optional
	DNSConfig *PodDNSConfig `json:"dnsConfig,omitempty" protobuf:"bytes,26,opt"`
	// +optional
	// +listType=atomic
	ReadinessGates []PodReadinessGate `json:"readinessGates,omitempty" protobuf:"bytes,28,opt"`
	// +optional
	RuntimeClassName *string `json:"runtimeClassName,omitempty" protobuf:"bytes,29,opt"`
	// +optional
	EnableServiceLinks *bool `json:"enableServiceLinks,omitempty" protobuf:"varint,30,opt"`
	// +optional
	PreemptionPolicy *PreemptionPolicy `json:"preemptionPolicy,omitempty" protobuf:"bytes,31,opt"`
	// +optional
	Overhead ResourceList `json:"overhead,omitempty" protobuf:"bytes,32,opt"`
	// +optional
	// +listType=map
	// +listMapKey=topologyKey
	// +listMapKey=whenUnsatisfiable
	TopologySpreadConstraints []TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty" patchStrategy:"merge" patchMergeKey:"topologyKey" protobuf:"bytes,33,opt"`
	// +optional
	SetHostnameAsFQDN *bool `json:"setHostnameAsFQDN,omitempty" protobuf:"varint,35,opt"`
	// +optional
	OS *PodOS `json:"os,omitempty" protobuf:"bytes,36,opt"`
	// +optional
	HostUsers *bool `json:"hostUsers,omitempty" protobuf:"bytes,37,opt"`
	// +listType=map
	// +listMapKey=name
	// +optional
	SchedulingGates []PodSchedulingGate `json:"schedulingGates,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,38,opt"`
	// +listType=map
	// +listMapKey=name
	// +featureGate=DynamicResourceAllocation
	// +optional
	ResourceClaims []PodResourceClaim `json:"resourceClaims,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name" protobuf:"bytes,39,rep"`
	// +featureGate=PodLevelResources
	// +optional
	Resources *ResourceRequirements `json:"resources,omitempty" protobuf:"bytes,40,opt"`
	// +featureGate=HostnameOverride
	// +optional
	HostnameOverride *string `json:"hostnameOverride,omitempty" protobuf:"bytes,41,opt"`
	// +featureGate=GenericWorkload
	// +optional
	SchedulingGroup *PodSchedulingGroup `json:"schedulingGroup,omitempty" protobuf:"bytes,43,opt"`
}

// PodStatus is what became of a pod.
type PodStatus struct {
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,17,opt"`
	// +optional
	Phase PodPhase `json:"phase,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []PodCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,2,rep"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	NominatedNodeName string `json:"nominatedNodeName,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	HostIP string `json:"hostIP,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +listType=atomic
	HostIPs []HostIP `json:"hostIPs,omitempty" patchStrategy:"merge" patchMergeKey:"ip" protobuf:"bytes,16,rep"`
	// +optional
	PodIP string `json:"podIP,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +listType=map
	// +listMapKey=ip
	PodIPs []PodIP `json:"podIPs,omitempty" patchStrategy:"merge" patchMergeKey:"ip" protobuf:"bytes,12,rep"`
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty" protobuf:"bytes,7,opt"`
	// +listType=atomic
	InitContainerStatuses []ContainerStatus `json:"initContainerStatuses,omitempty" protobuf:"bytes,10,rep"`
	// +optional
	// +listType=atomic
	ContainerStatuses []ContainerStatus `json:"containerStatuses,omitempty" protobuf:"bytes,8,rep"`
	// +optional
	QOSClass PodQOSClass `json:"qosClass,omitempty" protobuf:"bytes,9,rep"`
	// +optional
	// +listType=atomic
	EphemeralContainerStatuses []ContainerStatus `json:"ephemeralContainerStatuses,omitempty" protobuf:"bytes,13,rep"`
	// +featureGate=InPlacePodVerticalScaling
	// +optional
	Resize PodResizeStatus `json:"resize,omitempty" protobuf:"bytes,14,opt"`
	// +listType=map
	// +listMapKey=name
	// +featureGate=DynamicResourceAllocation
	// +optional
	ResourceClaimStatuses []PodResourceClaimStatus `json:"resourceClaimStatuses,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name" protobuf:"bytes,15,rep"`
	// +featureGate=DRAExtendedResource
	// +optional
	ExtendedResourceClaimStatus *PodExtendedResourceClaimStatus `json:"extendedResourceClaimStatus,omitempty" protobuf:"bytes,18,opt"`
	// +featureGate=InPlacePodLevelResourcesVerticalScaling
	// +optional
	AllocatedResources ResourceList `json:"allocatedResources,omitempty" protobuf:"bytes,19,rep"`
	// +featureGate=InPlacePodLevelResourcesVerticalScaling
	// +optional
	Resources *ResourceRequirements `json:"resources,omitempty" protobuf:"bytes,20,opt"`
	// +featureGate=DRANodeAllocatableResources
	// +optional
	// +listType=atomic
	NodeAllocatableResourceClaimStatuses []NodeAllocatableResourceClaimStatus `json:"nodeAllocatableResourceClaimStatuses,omitempty" protobuf:"bytes,21,rep"`
}

// PreemptionPolicy says whether a pod may push others aside.
// +enum
type PreemptionPolicy string

const (
	PreemptionPolicyPreemptLowerPriority PreemptionPolicy = "PreemptLowerPriority"
	PreemptionPolicyNever PreemptionPolicy = "Never"
)

// PreferredSchedulingTerm is a wish for nodes with its weight.
type PreferredSchedulingTerm struct {
	Weight int32 `json:"weight" protobuf:"varint,1,opt"`
	Preference NodeSelectorTerm `json:"preference" protobuf:"bytes,2,opt"`
}

// Probe asks a container again and again how it is.
type Probe struct {
	ProbeHandler `json:",inline" protobuf:"bytes,1,opt"`
	// +optional
	InitialDelaySeconds int32 `json:"initialDelaySeconds,omitempty" protobuf:"varint,2,opt"`
	// +optional
	// +default=1
	// +unpublishedDefault
	TimeoutSeconds int32 `json:"timeoutSeconds,omitempty" protobuf:"varint,3,opt"`
	// +optional
	// +default=10
	// +unpublishedDefault
	PeriodSeconds int32 `json:"periodSeconds,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +default=1
	// +unpublishedDefault
	SuccessThreshold int32 `json:"successThreshold,omitempty" protobuf:"varint,5,opt"`
	// +optional
	// +default=3
	// +unpublishedDefault
	FailureThreshold int32 `json:"failureThreshold,omitempty" protobuf:"varint,6,opt"`
	// +optional
	TerminationGracePeriodSeconds *int64 `json:"terminationGracePeriodSeconds,omitempty" protobuf:"varint,7,opt"`
}

// ProbeHandler is the question of a probe.
type ProbeHandler struct {
	// +optional
	Exec *ExecAction `json:"exec,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	HTTPGet *HTTPGetAction `json:"httpGet,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	TCPSocket *TCPSocketAction `json:"tcpSocket,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	GRPC *GRPCAction `json:"grpc,omitempty" protobuf:"bytes,4,opt"`
}

// ProcMountType says how much of the proc file system is seen.
// +enum
type ProcMountType string

const (
	ProcMountTypeDefault ProcMountType = "Default"
	ProcMountTypeUnmasked ProcMountType = "Unmasked"
)

// PullPolicy says when an image is fetched.
// +enum
type PullPolicy string

const (
	PullPolicyAlways PullPolicy = "Always"
	PullPolicyNever PullPolicy = "Never"
	PullPolicyIfNotPresent PullPolicy = "IfNotPresent"
)

// RecursiveReadOnlyMode says whether nested mounts are read-only too.
type RecursiveReadOnlyMode string

const (
	RecursiveReadOnlyModeDisabled RecursiveReadOnlyMode = "Disabled"
	RecursiveReadOnlyModeIfPossible RecursiveReadOnlyMode = "IfPossible"
	RecursiveReadOnlyModeEnabled RecursiveReadOnlyMode = "Enabled"
)

// ResourceClaim refers to a claim of the pod.
type ResourceClaim struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	// +optional
	Request string `json:"request,omitempty" protobuf:"bytes,2,opt"`
}

// ResourceFieldSelector picks a resource of a container.
// +structType=atomic
type ResourceFieldSelector struct {
	// +optional
	ContainerName string `json:"containerName,omitempty" protobuf:"bytes,1,opt"`
	Resource string `json:"resource" protobuf:"bytes,2,opt"`
	// +optional
	Divisor resource.Quantity `json:"divisor,omitempty" protobuf:"bytes,3,opt"`
}

// ResourceHealth tells how a device is.
type ResourceHealth struct {
	ResourceID ResourceID `json:"resourceID" protobuf:"bytes,1,opt"`
	Health ResourceHealthStatus `json:"health,omitempty" protobuf:"bytes,2,name=health"`
	// +featureGate=ResourceHealthStatusMessage
	// +optional
	Message *string `json:"message,omitempty" protobuf:"bytes,6,opt"`
}

// ResourceHealthStatus is the health of a device in a word.
type ResourceHealthStatus string

const (
	ResourceHealthStatusHealthy ResourceHealthStatus = "Healthy"
	ResourceHealthStatusUnhealthy ResourceHealthStatus = "Unhealthy"
	ResourceHealthStatusUnknown ResourceHealthStatus = "Unknown"
)

// ResourceID names a device.
type ResourceID string

// ResourceRequirements are what is asked for and what is the most.
type ResourceRequirements struct {
	// +optional
	Limits ResourceList `json:"limits,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	Requests ResourceList `json:"requests,omitempty" protobuf:"bytes,2,rep"`
	// +listType=map
	// +listMapKey=name
	// +featureGate=DynamicResourceAllocation
	// +optional
	Claims []ResourceClaim `json:"claims,omitempty" protobuf:"bytes,3,opt"`
}

// ResourceResizeRestartPolicy says whether a resize restarts the container.
type ResourceResizeRestartPolicy string

const (
	ResourceResizeRestartPolicyNotRequired ResourceResizeRestartPolicy = "NotRequired"
	ResourceResizeRestartPolicyRestartContainer ResourceResizeRestartPolicy = "RestartContainer"
)

// ResourceStatus tells of the devices of one resource.
type ResourceStatus struct {
	// +required
	Name ResourceName `json:"name" protobuf:"bytes,1,opt"`
	// +listType=map
	// +listMapKey=resourceID
	Resources []ResourceHealth `json:"resources,omitempty" protobuf:"bytes,2,rep"`
}

// RestartPolicy says when containers of the pod run again.
// +enum
type RestartPolicy string

const (
	RestartPolicyAlways RestartPolicy = "Always"
	RestartPolicyOnFailure RestartPolicy = "OnFailure"
	RestartPolicyNever RestartPolicy = "Never"
)

// SELinuxOptions are the parts of an SELinux label.
type SELinuxOptions struct {
	// +optional
	User string `json:"user,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Role string `json:"role,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Type string `json:"type,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Level string `json:"level,omitempty" protobuf:"bytes,4,opt"`
}

// SeccompProfile names the filter of system calls.
// +union
type SeccompProfile struct {
	// +unionDiscriminator
	Type SeccompProfileType `json:"type" protobuf:"bytes,1,opt"`
	// +optional
	LocalhostProfile *string `json:"localhostProfile,omitempty" protobuf:"bytes,2,opt"`
}

// SeccompProfileType says where the filter of system calls comes from.
// +enum
type SeccompProfileType string

const (
	SeccompProfileTypeUnconfined SeccompProfileType = "Unconfined"
	SeccompProfileTypeRuntimeDefault SeccompProfileType = "RuntimeDefault"
	SeccompProfileTypeLocalhost SeccompProfileType = "Localhost"
)

// SecretEnvSource makes variables of all entries of a Secret.
type SecretEnvSource struct {
	LocalObjectReference `json:",inline" protobuf:"bytes,1,opt"`
	// +optional
	Optional *bool `json:"optional,omitempty" protobuf:"varint,2,opt"`
}

// SecretKeySelector picks one entry of a Secret.
// +structType=atomic
type SecretKeySelector struct {
	LocalObjectReference `json:",inline" protobuf:"bytes,1,opt"`
	Key string `json:"key" protobuf:"bytes,2,opt"`
	// +optional
	Optional *bool `json:"optional,omitempty" protobuf:"varint,3,opt"`
}

// SecurityContext has what holds for one container.
type SecurityContext struct {
	// +optional
	Capabilities *Capabilities `json:"capabilities,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Privileged *bool `json:"privileged,omitempty" protobuf:"varint,2,opt"`
	// +optional
	SELinuxOptions *SELinuxOptions `json:"seLinuxOptions,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	WindowsOptions *WindowsSecurityContextOptions `json:"windowsOptions,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	RunAsUser *int64 `json:"runAsUser,omitempty" protobuf:"varint,4,opt"`
	// +optional
	RunAsGroup *int64 `json:"runAsGroup,omitempty" protobuf:"varint,8,opt"`
	// +optional
	RunAsNonRoot *bool `json:"runAsNonRoot,omitempty" protobuf:"varint,5,opt"`
	// +optional
	ReadOnlyRootFilesystem *bool `json:"readOnlyRootFilesystem,omitempty" protobuf:"varint,6,opt"`
	// +optional
	AllowPrivilegeEscalation *bool `json:"allowPrivilegeEscalation,omitempty" protobuf:"varint,7,opt"`
	// +optional
	ProcMount *ProcMountType `json:"procMount,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	SeccompProfile *SeccompProfile `json:"seccompProfile,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	AppArmorProfile *AppArmorProfile `json:"appArmorProfile,omitempty" protobuf:"bytes,12,opt"`
}

// Signal is sent to a container to stop it.
// +enum
type Signal string

const (
	SignalSIGABRT Signal = "SIGABRT"
	SignalSIGALRM Signal = "SIGALRM"
	SignalSIGBUS Signal = "SIGBUS"
	SignalSIGCHLD Signal = "SIGCHLD"
	SignalSIGCLD Signal = "SIGCLD"
	SignalSIGCONT Signal = "SIGCONT"
	SignalSIGFPE Signal = "SIGFPE"
	SignalSIGHUP Signal = "SIGHUP"
	SignalSIGILL Signal = "SIGILL"
	SignalSIGINT Signal = "SIGINT"
	SignalSIGIO Signal = "SIGIO"
	SignalSIGIOT Signal = "SIGIOT"
	SignalSIGKILL Signal = "SIGKILL"
	SignalSIGPIPE Signal = "SIGPIPE"
	SignalSIGPOLL Signal = "SIGPOLL"
	SignalSIGPROF Signal = "SIGPROF"
	SignalSIGPWR Signal = "SIGPWR"
	SignalSIGQUIT Signal = "SIGQUIT"
	SignalSIGSEGV Signal = "SIGSEGV"
	SignalSIGSTKFLT Signal = "SIGSTKFLT"
	SignalSIGSTOP Signal = "SIGSTOP"
	SignalSIGSYS Signal = "SIGSYS"
	SignalSIGTERM Signal = "SIGTERM"
	SignalSIGTRAP Signal = "SIGTRAP"
	SignalSIGTSTP Signal = "SIGTSTP"
	SignalSIGTTIN Signal = "SIGTTIN"
	SignalSIGTTOU Signal = "SIGTTOU"
	SignalSIGURG Signal = "SIGURG"
	SignalSIGUSR1 Signal = "SIGUSR1"
	SignalSIGUSR2 Signal = "SIGUSR2"
	SignalSIGVTALRM Signal = "SIGVTALRM"
	SignalSIGWINCH Signal = "SIGWINCH"
	SignalSIGXCPU Signal = "SIGXCPU"
	SignalSIGXFSZ Signal = "SIGXFSZ"
	SignalSIGRTMIN Signal = "SIGRTMIN"
	SignalSIGRTMIN1 Signal = "SIGRTMIN+1"
	SignalSIGRTMIN2 Signal = "SIGRTMIN+2"
	SignalSIGRTMIN3 Signal = "SIGRTMIN+3"
	SignalSIGRTMIN4 Signal = "SIGRTMIN+4"
	SignalSIGRTMIN5 Signal = "SIGRTMIN+5"
	SignalSIGRTMIN6 Signal = "SIGRTMIN+6"
	SignalSIGRTMIN7 Signal = "SIGRTMIN+7"
	SignalSIGRTMIN8 Signal = "SIGRTMIN+8"
	SignalSIGRTMIN9 Signal = "SIGRTMIN+9"
	SignalSIGRTMIN10 Signal = "SIGRTMIN+10"
	SignalSIGRTMIN11 Signal = "SIGRTMIN+11"
	SignalSIGRTMIN12 Signal = "SIGRTMIN+12"
	SignalSIGRTMIN13 Signal = "SIGRTMIN+13"
	SignalSIGRTMIN14 Signal = "SIGRTMIN+14"
	SignalSIGRTMIN15 Signal = "SIGRTMIN+15"
	SignalSIGRTMAX14 Signal = "SIGRTMAX-14"
	SignalSIGRTMAX13 Signal = "SIGRTMAX-13"
	SignalSIGRTMAX12 Signal = "SIGRTMAX-12"
	SignalSIGRTMAX11 Signal = "SIGRTMAX-11"
	SignalSIGRTMAX10 Signal = "SIGRTMAX-10"
	SignalSIGRTMAX9 Signal = "SIGRTMAX-9"
	SignalSIGRTMAX8 Signal = "SIGRTMAX-8"
	SignalSIGRTMAX7 Signal = "SIGRTMAX-7"
	SignalSIGRTMAX6 Signal = "SIGRTMAX-6"
	SignalSIGRTMAX5 Signal = "SIGRTMAX-5"
	SignalSIGRTMAX4 Signal = "SIGRTMAX-4"
	SignalSIGRTMAX3 Signal = "SIGRTMAX-3"
	SignalSIGRTMAX2 Signal = "SIGRTMAX-2"
	SignalSIGRTMAX1 Signal = "SIGRTMAX-1"
	SignalSIGRTMAX Signal = "SIGRTMAX"
)

// SleepAction waits.
type SleepAction struct {
	Seconds int64 `json:"seconds" protobuf:"bytes,1,opt"`
}

// SupplementalGroupsPolicy says which further groups a process is in.
// +enum
type SupplementalGroupsPolicy string

const (
	SupplementalGroupsPolicyMerge SupplementalGroupsPolicy = "Merge"
	SupplementalGroupsPolicyStrict SupplementalGroupsPolicy = "Strict"
)

// Sysctl is a parameter of the kernel.
type Sysctl struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	Value string `json:"value" protobuf:"bytes,2,opt"`
}

// TCPSocketAction opens a connection.
type TCPSocketAction struct {
	Port intstr.IntOrString `json:"port" protobuf:"bytes,1,opt"`
	// +optional
	Host string `json:"host,omitempty" protobuf:"bytes,2,opt"`
}

// TaintEffect is what a taint does to pods.
// +enum
type TaintEffect string

const (
	TaintEffectNoSchedule TaintEffect = "NoSchedule"
	TaintEffectPreferNoSchedule TaintEffect = "PreferNoSchedule"
	TaintEffectNoExecute TaintEffect = "NoExecute"
)

// TerminationMessagePolicy says where the last words of a container are found.
// +enum
type TerminationMessagePolicy string

const (
	TerminationMessagePolicyFile TerminationMessagePolicy = "File"
	TerminationMessagePolicyFallbackToLogsOnError TerminationMessagePolicy = "FallbackToLogsOnError"
)

// Toleration lets a pod bear a taint.
type Toleration struct {
	// +optional
	Key string `json:"key,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Operator TolerationOperator `json:"operator,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Value string `json:"value,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Effect TaintEffect `json:"effect,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty" protobuf:"varint,5,opt"`
}

// TolerationOperator compares a toleration with a taint.
// +enum
type TolerationOperator string

const (
	TolerationOperatorExists TolerationOperator = "Exists"
	TolerationOperatorEqual TolerationOperator = "Equal"
	TolerationOperatorLt TolerationOperator = "Lt"
	TolerationOperatorGt TolerationOperator = "Gt"
)

// TopologySpreadConstraint limits how uneven pods are spread.
type TopologySpreadConstraint struct {
	MaxSkew int32 `json:"maxSkew" protobuf:"varint,1,opt"`
	TopologyKey string `json:"topologyKey" protobuf:"bytes,2,opt"`
	WhenUnsatisfiable UnsatisfiableConstraintAction `json:"whenUnsatisfiable" protobuf:"bytes,3,opt"`
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	MinDomains *int32 `json:"minDomains,omitempty" protobuf:"varint,5,opt"`
	// +optional
	NodeAffinityPolicy *NodeInclusionPolicy `json:"nodeAffinityPolicy,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	NodeTaintsPolicy *NodeInclusionPolicy `json:"nodeTaintsPolicy,omitempty" protobuf:"bytes,7,opt"`
	// +listType=atomic
	// +optional
	MatchLabelKeys []string `json:"matchLabelKeys,omitempty" protobuf:"bytes,8,opt"`
}

// URIScheme is the scheme of a request.
// +enum
type URIScheme string

const (
	URISchemeHTTP URIScheme = "HTTP"
	URISchemeHTTPS URIScheme = "HTTPS"
)

// UnsatisfiableConstraintAction is what happens when pods cannot be spread.
// +enum
type UnsatisfiableConstraintAction string

const (
	UnsatisfiableConstraintActionDoNotSchedule UnsatisfiableConstraintAction = "DoNotSchedule"
	UnsatisfiableConstraintActionScheduleAnyway UnsatisfiableConstraintAction = "ScheduleAnyway"
)

// VolumeDevice shows a volume as a device.
type VolumeDevice struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	DevicePath string `json:"devicePath" protobuf:"bytes,2,opt"`
}

// VolumeMount shows a volume as a directory.
type VolumeMount struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,2,opt"`
	// +optional
	RecursiveReadOnly *RecursiveReadOnlyMode `json:"recursiveReadOnly,omitempty" protobuf:"bytes,7,opt"`
	MountPath string `json:"mountPath" protobuf:"bytes,3,opt"`
	// +optional
	SubPath string `json:"subPath,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	MountPropagation *MountPropagationMode `json:"mountPropagation,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	SubPathExpr string `json:"subPathExpr,omitempty" protobuf:"bytes,6,opt"`
}

// VolumeMountStatus tells how a volume was mounted.
type VolumeMountStatus struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	MountPath string `json:"mountPath" protobuf:"bytes,2,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,3,opt"`
	// +optional
	RecursiveReadOnly *RecursiveReadOnlyMode `json:"recursiveReadOnly,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	VolumeStatus *VolumeStatus `json:"volumeStatus,omitempty" protobuf:"bytes,5,opt"`
}

// VolumeStatus tells of the volume behind a mount.
type VolumeStatus struct {
	// +featureGate=ImageVolumeWithDigest
	// +optional
	Image *ImageVolumeStatus `json:"image,omitempty" protobuf:"bytes,1,opt"`
}

// WeightedPodAffinityTerm is a wish about neighbours with its weight.
type WeightedPodAffinityTerm struct {
	Weight int32 `json:"weight" protobuf:"varint,1,opt"`
	PodAffinityTerm PodAffinityTerm `json:"podAffinityTerm" protobuf:"bytes,2,opt"`
}

// WindowsSecurityContextOptions has what only Windows knows.
type WindowsSecurityContextOptions struct {
	// +optional
	GMSACredentialSpecName *string `json:"gmsaCredentialSpecName,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	GMSACredentialSpec *string `json:"gmsaCredentialSpec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	RunAsUserName *string `json:"runAsUserName,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	HostProcess *bool `json:"hostProcess,omitempty" protobuf:"bytes,4,opt"`
}
