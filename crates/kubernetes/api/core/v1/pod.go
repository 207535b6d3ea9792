package v1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Pod is a group of containers that run together on one node.
// +kubebuilder:resource:path=pods,shortName=po,categories=all
// +rule:as=thisPod
// +rule:let:specClaimNames="keySet(self.spec.resourceClaims.map(c, c.name))"
type Pod struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:on=main;ephemeralcontainers;resize
	// +rule:skip,when="part != 'main' && ('kubernetes.io/config.mirror' in oldThisPod.metadata.annotations || (part == 'resize' && oldThisPod.spec.os.name == 'windows'))"
	// +rule:valid
	// +rule:let:podName="self.metadata.name"
	// +rule:let:podChange="isUpdate && part == 'main'"
	// +rule:let:mirrorPod="'kubernetes.io/config.mirror' in self.metadata.annotations"
	Spec PodSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=status
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
	// +rule:required,message="type is required when appArmorProfile is set"
	// +rule:oneOf=Localhost;RuntimeDefault;Unconfined
	Type AppArmorProfileType `json:"type" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:required,when="parent.type == 'Localhost'",message="must be set when AppArmor type is Localhost"
	// +rule:cel="!(parent.type in ['RuntimeDefault', 'Unconfined'])",message="can only be set when AppArmor type is Localhost",ends
	// +rule:skip,when="parent.type != 'Localhost'"
	// +rule:cel="self != ''",reason=Required,message="must be set when AppArmor type is Localhost"
	// +rule:cel="self.trim() == self",message="must not be padded with whitespace"
	// +rule:maxBytes=4095
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
// +rule:cel="self.name != ''",reason=Required,at=name,ends
// +rule:cel="self.name.problems('dns-subdomain-prefix').size() == 0",at=name,value="self.name",messageExpression="self.name.problems('dns-subdomain-prefix')"
type ConfigMapEnvSource struct {
	LocalObjectReference `json:",inline" protobuf:"bytes,1,opt"`
	// +optional
	Optional *bool `json:"optional,omitempty" protobuf:"varint,2,opt"`
}

// ConfigMapKeySelector picks one entry of a ConfigMap.
// +structType=atomic
// +rule:cel="self.name.problems('dns-subdomain').size() == 0",at=name,value="self.name",messageExpression="self.name.problems('dns-subdomain')"
type ConfigMapKeySelector struct {
	LocalObjectReference `json:",inline" protobuf:"bytes,1,opt"`
	// +rule:required
	// +rule:format=config-key
	Key string `json:"key" protobuf:"bytes,2,opt"`
	// +optional
	Optional *bool `json:"optional,omitempty" protobuf:"varint,3,opt"`
}

// Container is one process with its image, files and limits.
// +rule:default:isInit="false"
// +rule:default:isMain="false"
// +rule:let:isSidecar="self.restartPolicy == 'Always'"
// +rule:let:privileged="self.securityContext.privileged"
// +rule:let:hasDevices="self.volumeDevices.size() > 0"
// +rule:let:deviceNames="keySet(self.volumeDevices.map(d, d.name))"
// +rule:let:devicePaths="keySet(self.volumeDevices.map(d, d.devicePath))"
// +rule:let:mountNames="keySet(self.volumeMounts.map(m, m.name))"
// +rule:let:mountPaths="keySet(self.volumeMounts.map(m, m.mountPath))"
// +rule:default:imageAgain="false"
type Container struct {
	// +rule:required
	// +rule:format=dns-label
	Name string `json:"name" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:required
	// +rule:cel="self.trim() == self",when="kind == 'Pod'",message="must not have leading or trailing whitespace"
	// +rule:twice="imageAgain"
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
	// +rule:unique="self.name",at=name,when="self.name != '' && self.name.problems('port-name').size() == 0"
	Ports []ContainerPort `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"containerPort" protobuf:"bytes,6,rep"`
	// +optional
	// +listType=atomic
	EnvFrom []EnvFromSource `json:"envFrom,omitempty" protobuf:"bytes,19,rep"`
	// +optional
	// +listType=map
	// +listMapKey=name
	Env []EnvVar `json:"env,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,7,rep"`
	// +optional
	// +rule:code=container-resources
	Resources ResourceRequirements `json:"resources,omitempty" protobuf:"bytes,8,opt"`
	// +featureGate=InPlacePodVerticalScaling
	// +optional
	// +listType=atomic
	// +rule:unique="self.resourceName"
	ResizePolicy []ContainerResizePolicy `json:"resizePolicy,omitempty" protobuf:"bytes,23,rep"`
	// +optional
	// +rule:required,when="parent.restartPolicyRules.size() > 0",message="must specify restartPolicy when restart rules are used"
	// +rule:oneOf=Always;Never;OnFailure
	RestartPolicy *ContainerRestartPolicy `json:"restartPolicy,omitempty" protobuf:"bytes,24,opt"`
	// +featureGate=ContainerRestartRules
	// +optional
	// +listType=atomic
	// +rule:skip,when="isInit && !has(parent.restartPolicy)"
	// +rule:maxItems=20
	RestartPolicyRules []ContainerRestartRule `json:"restartPolicyRules,omitempty" protobuf:"bytes,25,rep"`
	// +optional
	// +listType=map
	// +listMapKey=mountPath
	// +rule:unique="self.mountPath",at=mountPath,reason=Invalid,message="must be unique"
	VolumeMounts []VolumeMount `json:"volumeMounts,omitempty" patchStrategy:"merge" patchMergeKey:"mountPath" protobuf:"bytes,9,rep"`
	// +listType=map
	// +listMapKey=devicePath
	// +optional
	// +rule:forbidden,when="ownUsers && !allowDevicesWithUserNamespaces",message="when `hostUsers` is false",continues
	// +rule:unique="self.name",at=name,when="self.name != ''",reason=Invalid,message="must be unique"
	// +rule:unique="self.devicePath",at=devicePath,reason=Invalid,message="must be unique"
	VolumeDevices []VolumeDevice `json:"volumeDevices,omitempty" patchStrategy:"merge" patchMergeKey:"devicePath" protobuf:"bytes,21,rep"`
	// +optional
	// +rule:forbidden,when="isInit && !isSidecar",message="may not be set for init containers without restartPolicy=Always"
	// +rule:cel="self.successThreshold == 1",at=successThreshold,value="self.successThreshold",message="must be 1"
	LivenessProbe *Probe `json:"livenessProbe,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	// +rule:forbidden,when="isInit && !isSidecar",message="may not be set for init containers without restartPolicy=Always"
	// +rule:cel="!has(self.terminationGracePeriodSeconds)",at=terminationGracePeriodSeconds,value="self.terminationGracePeriodSeconds",message="must not be set for readinessProbes"
	ReadinessProbe *Probe `json:"readinessProbe,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	// +rule:forbidden,when="isInit && !isSidecar",message="may not be set for init containers without restartPolicy=Always"
	// +rule:cel="self.successThreshold == 1",at=successThreshold,value="self.successThreshold",message="must be 1"
	StartupProbe *Probe `json:"startupProbe,omitempty" protobuf:"bytes,22,opt"`
	// +optional
	// +rule:forbidden,when="isInit && !isSidecar",message="may not be set for init containers without restartPolicy=Always"
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
// +rule:let:holders="thisPod.spec.containers.filter(c, c.name == self.containerName) + thisPod.spec.initContainers.filter(c, c.name == self.containerName)"
type ContainerExtendedResourceRequest struct {
	// +rule:cel="holders.size() > 0",message="must match the name of an entry in spec.initContainers.name or spec.containers.name"
	ContainerName string `json:"containerName" protobuf:"bytes,1,name=containerName"`
	// +rule:cel="holders.size() == 0 || self in holders[0].resources.requests",message="must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests"
	ResourceName string `json:"resourceName" protobuf:"bytes,2,name=resourceName"`
	// +rule:format=dns-label,at=^^^.requestName
	RequestName string `json:"requestName" protobuf:"bytes,3,name=requestName"`
}

// ContainerPort is a port that a container listens on.
type ContainerPort struct {
	// +optional
	// +rule:optional
	// +rule:format=port-name
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:cel="self == parent.containerPort",when="isMain && pod.hostNetwork && (kind == 'Pod' || self != 0)",message="must match `containerPort` when `hostNetwork` is true"
	// +rule:optional
	// +rule:range=1..65535
	HostPort int32 `json:"hostPort,omitempty" protobuf:"varint,2,opt"`
	// +rule:required
	// +rule:range=1..65535
	ContainerPort int32 `json:"containerPort" protobuf:"varint,3,opt"`
	// +optional
	// +default="TCP"
	// +rule:required
	// +rule:oneOf=SCTP;TCP;UDP
	Protocol Protocol `json:"protocol,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	HostIP string `json:"hostIP,omitempty" protobuf:"bytes,5,opt"`
}

// ContainerResizePolicy says whether a resource can change without a restart.
type ContainerResizePolicy struct {
	// +rule:required,at=^^
	// +rule:oneOf=cpu;memory,at=^^
	ResourceName ResourceName `json:"resourceName" protobuf:"bytes,1,opt"`
	// +rule:cel="pod.restartPolicy != 'Never' || self == 'NotRequired'",at=^^,message="must be 'NotRequired' when pod `restartPolicy` is 'Never'"
	// +rule:cel="self != 'RestartContainer'",when="isInit && !isSidecar && !allowInitRestartContainer",message="must not be set to 'RestartContainer' for non-sidecar initContainers"
	// +rule:required,at=^^
	// +rule:oneOf=NotRequired;RestartContainer,at=^^
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
	// +rule:oneOf=Restart;RestartAllContainers
	Action ContainerRestartRuleAction `json:"action,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +oneOf=when
	// +rule:required,message="must be specified"
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
	// +rule:oneOf=In;NotIn
	Operator ContainerRestartRuleOnExitCodesOperator `json:"operator,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=set
	// +rule:maxItems=255
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
// +rule:default:isEphemeral="false"
// +rule:let:owner="owners.filter(c, c.name == self.name)"
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
	// +rule:forbidden,when="isEphemeral",message="must not be specified in container status"
	AllocatedResourcesStatus []ResourceStatus `json:"allocatedResourcesStatus,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,14,rep"`
	// +featureGate=ContainerStopSignals
	// +optional
	StopSignal *Signal `json:"stopSignal,omitempty" protobuf:"bytes,15,opt"`
}

// ContainerUser is the identity that a container's first process has.
type ContainerUser struct {
	// +optional
	// +rule:forbidden,when="thisPod.spec.os.name == 'windows'",message="cannot be set for a windows pod"
	// +rule:skip,when="has(thisPod.spec.os) && thisPod.spec.os.name != 'linux'"
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
// +rule:cel="has(self.configMapRef) || has(self.secretRef)",at=^,value="''",message="must specify one of: `configMapRef` or `secretRef`"
// +rule:cel="!(has(self.configMapRef) && has(self.secretRef))",at=^,value="''",message="may not have more than one field specified at a time"
type EnvFromSource struct {
	// +optional
	// +rule:optional
	// +rule:format=env-var-name
	Prefix string `json:"prefix,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	ConfigMapRef *ConfigMapEnvSource `json:"configMapRef,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	SecretRef *SecretEnvSource `json:"secretRef,omitempty" protobuf:"bytes,3,opt"`
}

// EnvVar is a variable of a container's environment.
type EnvVar struct {
	// +rule:required
	// +rule:format=env-var-name
	Name string `json:"name" protobuf:"bytes,1,opt"`
	// +optional
	Value string `json:"value,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:cel="has(self.fieldRef) || has(self.resourceFieldRef) || has(self.configMapKeyRef) || has(self.secretKeyRef) || has(self.fileKeyRef)",value="''",message="must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",ends
	// +rule:cel="parent.value == ''",value="''",message="may not be specified when `value` is not empty"
	// +rule:cel="(!has(self.fieldRef) || (!has(self.resourceFieldRef) && !has(self.configMapKeyRef) && !has(self.secretKeyRef) && !has(self.fileKeyRef))) && (!has(self.resourceFieldRef) || (!has(self.configMapKeyRef) && !has(self.secretKeyRef) && !has(self.fileKeyRef))) && (!has(self.configMapKeyRef) || (!has(self.secretKeyRef) && !has(self.fileKeyRef))) && (!has(self.secretKeyRef) || !has(self.fileKeyRef))",when="parent.value == ''",value="''",message="may not have more than one field specified at a time"
	ValueFrom *EnvVarSource `json:"valueFrom,omitempty" protobuf:"bytes,3,opt"`
}

// EnvVarSource says where the value of a variable is read.
type EnvVarSource struct {
	// +optional
	// +rule:let:inFile="false"
	FieldRef *ObjectFieldSelector `json:"fieldRef,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:let:inFile="false"
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
	// +rule:optional
	// +rule:cel="self in containerNames || self in initContainerNames",reason=NotFound
	TargetContainerName string `json:"targetContainerName,omitempty" protobuf:"bytes,2,opt"`
}

// EphemeralContainerCommon has the fields that ephemeral containers share with others.
// +rule:default:isInit="false"
// +rule:default:isMain="false"
// +rule:let:privileged="self.securityContext.privileged"
// +rule:let:hasDevices="self.volumeDevices.size() > 0"
// +rule:let:deviceNames="keySet(self.volumeDevices.map(d, d.name))"
// +rule:let:devicePaths="keySet(self.volumeDevices.map(d, d.devicePath))"
// +rule:let:mountNames="keySet(self.volumeMounts.map(m, m.name))"
// +rule:let:mountPaths="keySet(self.volumeMounts.map(m, m.mountPath))"
type EphemeralContainerCommon struct {
	// +rule:required
	// +rule:format=dns-label
	Name string `json:"name" protobuf:"bytes,1,opt"`
	// +rule:required
	// +rule:cel="self.trim() == self",message="must not have leading or trailing whitespace"
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
	// +rule:forbidden,message="cannot be set for an Ephemeral Container",continues
	// +rule:unique="self.name",at=name,when="self.name != '' && self.name.problems('port-name').size() == 0"
	Ports []ContainerPort `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"containerPort" protobuf:"bytes,6,rep"`
	// +optional
	// +listType=atomic
	EnvFrom []EnvFromSource `json:"envFrom,omitempty" protobuf:"bytes,19,rep"`
	// +optional
	// +listType=map
	// +listMapKey=name
	Env []EnvVar `json:"env,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,7,rep"`
	// +optional
	// +rule:forbidden,message="cannot be set for an Ephemeral Container",continues
	// +rule:code=container-resources
	Resources ResourceRequirements `json:"resources,omitempty" protobuf:"bytes,8,opt"`
	// +featureGate=InPlacePodVerticalScaling
	// +optional
	// +listType=atomic
	// +rule:forbidden,message="cannot be set for an Ephemeral Container",continues
	// +rule:unique="self.resourceName"
	ResizePolicy []ContainerResizePolicy `json:"resizePolicy,omitempty" protobuf:"bytes,23,rep"`
	// +optional
	// +rule:forbidden,message="cannot be set for an Ephemeral Container"
	RestartPolicy *ContainerRestartPolicy `json:"restartPolicy,omitempty" protobuf:"bytes,24,opt"`
	// +featureGate=ContainerRestartRules
	// +optional
	// +listType=atomic
	// +rule:forbidden,message="cannot be set for an Ephemeral Container"
	RestartPolicyRules []ContainerRestartRule `json:"restartPolicyRules,omitempty" protobuf:"bytes,25,rep"`
	// +optional
	// +listType=map
	// +listMapKey=mountPath
	// +rule:unique="self.mountPath",at=mountPath,reason=Invalid,message="must be unique"
	// +rule:each:cel="self.subPath == ''",reason=Forbidden,at=subPath,message="cannot be set for an Ephemeral Container"
	// +rule:each:cel="self.subPathExpr == ''",reason=Forbidden,at=subPathExpr,message="cannot be set for an Ephemeral Container"
	VolumeMounts []VolumeMount `json:"volumeMounts,omitempty" patchStrategy:"merge" patchMergeKey:"mountPath" protobuf:"bytes,9,rep"`
	// +listType=map
	// +listMapKey=devicePath
	// +optional
	// +rule:forbidden,when="ownUsers && !allowDevicesWithUserNamespaces",message="when `hostUsers` is false",continues
	// +rule:unique="self.name",at=name,when="self.name != ''",reason=Invalid,message="must be unique"
	// +rule:unique="self.devicePath",at=devicePath,reason=Invalid,message="must be unique"
	VolumeDevices []VolumeDevice `json:"volumeDevices,omitempty" patchStrategy:"merge" patchMergeKey:"devicePath" protobuf:"bytes,21,rep"`
	// +optional
	// +rule:forbidden,message="cannot be set for an Ephemeral Container"
	LivenessProbe *Probe `json:"livenessProbe,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	// +rule:forbidden,message="cannot be set for an Ephemeral Container"
	ReadinessProbe *Probe `json:"readinessProbe,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	// +rule:forbidden,message="cannot be set for an Ephemeral Container"
	StartupProbe *Probe `json:"startupProbe,omitempty" protobuf:"bytes,22,opt"`
	// +optional
	// +rule:forbidden,message="cannot be set for an Ephemeral Container"
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
	// +rule:required
	Command []string `json:"command,omitempty" protobuf:"bytes,1,rep"`
}

// FileKeySelector picks an entry of a file in a volume.
// +structType=atomic
type FileKeySelector struct {
	// +required
	// +rule:cel="self in allVolumeNames",reason=NotFound
	// +rule:cel="!(self in lastingVolumeNames)",message="referenced volume must be of type emptyDir"
	// +rule:required
	// +rule:format=dns-label
	VolumeName string `json:"volumeName" protobuf:"bytes,1,opt"`
	// +required
	// +rule:required
	// +rule:format=path-without-backsteps
	Path string `json:"path" protobuf:"bytes,2,opt"`
	// +required
	// +rule:required
	// +rule:format=env-var-name
	Key string `json:"key" protobuf:"bytes,3,opt"`
	// +optional
	// +default=false
	Optional *bool `json:"optional,omitempty" protobuf:"varint,4,opt"`
}

// GRPCAction asks the health service of a container.
type GRPCAction struct {
	// +rule:format=port-number-or-name
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
	// +rule:required
	Path string `json:"path,omitempty" protobuf:"bytes,1,opt"`
	// +rule:format=port-number-or-name
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
	// +rule:format=http-header-name,at=^^
	Name string `json:"name" protobuf:"bytes,1,opt"`
	Value string `json:"value" protobuf:"bytes,2,opt"`
}

// HostAlias is a line of the hosts file.
type HostAlias struct {
	// +required
	// +rule:format=legacy-ip
	IP string `json:"ip" protobuf:"bytes,1,opt"`
	// +listType=atomic
	// +rule:each:format=dns-subdomain
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
	// +rule:forbidden,when="!has(pod.os)",message="may not be set for containers with empty `spec.os.name`"
	StopSignal *Signal `json:"stopSignal,omitempty" protobuf:"bytes,3,opt"`
}

// LifecycleHandler is one action at a turn of a container's life.
// +rule:cel="has(self.exec) || has(self.httpGet) || has(self.tcpSocket) || has(self.sleep)",reason=Required,message="must specify a handler type"
type LifecycleHandler struct {
	// +optional
	Exec *ExecAction `json:"exec,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:forbidden,when="has(parent.exec)",message="may not specify more than 1 handler type"
	HTTPGet *HTTPGetAction `json:"httpGet,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:forbidden,when="has(parent.exec) || has(parent.httpGet)",message="may not specify more than 1 handler type"
	TCPSocket *TCPSocketAction `json:"tcpSocket,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:forbidden,when="has(parent.exec) || has(parent.httpGet) || has(parent.tcpSocket)",message="may not specify more than 1 handler type"
	// +rule:cel="!has(pod.terminationGracePeriodSeconds) || (self.seconds >= 0 && self.seconds <= pod.terminationGracePeriodSeconds)",value="self.seconds",messageExpression="'must be non-negative and less than terminationGracePeriodSeconds (' + string(pod.terminationGracePeriodSeconds) + ')'"
	Sleep *SleepAction `json:"sleep,omitempty" protobuf:"bytes,4,opt"`
}

// LinuxContainerUser has the numeric ids of a process.
type LinuxContainerUser struct {
	// +rule:range=0..2147483647
	UID int64 `json:"uid" protobuf:"varint,1,name=uid"`
	// +rule:range=0..2147483647
	GID int64 `json:"gid" protobuf:"varint,2,name=gid"`
	// +optional
	// +listType=atomic
	// +rule:each:range=0..2147483647
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
	// +rule:valid
	// +rule:let:allowInvalidNodeSelectorValues="oldPod.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.exists(t, t.matchExpressions.exists(e, e.values.exists(v, v.problems('label-value').size() > 0)))"
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
// +rule:oneOf=Honor;Ignore
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
// +rule:let:subscripted="self.fieldPath.matches('^(?s:.+)\\\\[\\'(?s:.*)\\'\\\\]$')"
// +rule:let:subscript="subscripted ? self.fieldPath.substring(self.fieldPath.indexOf(\"['\") + 2, self.fieldPath.size() - 2) : ''"
// +rule:cel="self.apiVersion != ''",reason=Required,at=apiVersion,ends
// +rule:cel="self.fieldPath != ''",reason=Required,at=fieldPath,ends
// +rule:cel="self.apiVersion == 'v1'",at=fieldPath,value="self.fieldPath",messageExpression="'error converting fieldPath: unsupported pod version: ' + self.apiVersion",ends
// +rule:cel="!subscripted || self.fieldPath.startsWith(\"metadata.annotations['\") || self.fieldPath.startsWith(\"metadata.labels['\")",at=fieldPath,value="self.fieldPath",messageExpression="'error converting fieldPath: field label does not support subscript: ' + self.fieldPath",ends
// +rule:cel="subscripted || self.fieldPath in ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid', 'spec.host', 'spec.nodeName', 'spec.restartPolicy', 'spec.serviceAccountName', 'spec.schedulerName', 'status.phase', 'status.hostIP', 'status.hostIPs', 'status.podIP', 'status.podIPs']",at=fieldPath,value="self.fieldPath",messageExpression="'error converting fieldPath: field label not supported: ' + self.fieldPath",ends
// +rule:cel="(self.fieldPath.startsWith('metadata.annotations') ? subscript.lowerAscii() : subscript).problems('qualified-name').size() == 0",when="subscripted",value="self.fieldPath.startsWith('metadata.annotations') ? subscript.lowerAscii() : subscript",messageExpression="(self.fieldPath.startsWith('metadata.annotations') ? subscript.lowerAscii() : subscript).problems('qualified-name')"
type ObjectFieldSelector struct {
	// +optional
	// +default="v1"
	// +unpublishedDefault
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,1,opt"`
	// +rule:oneOf=metadata.name;metadata.namespace;metadata.uid;spec.nodeName;spec.serviceAccountName;status.hostIP;status.hostIPs;status.podIP;status.podIPs,when="!inFile && !subscripted && self != 'spec.host'"
	// +rule:oneOf=metadata.annotations;metadata.labels;metadata.name;metadata.namespace;metadata.uid,when="inFile && !subscripted",value="self == 'spec.host' ? 'spec.nodeName' : self"
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
// +rule:code=match-label-keys
type PodAffinityTerm struct {
	// +optional
	// +rule:valid
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	// +rule:each:format=dns-label,at=^^.namespace
	Namespaces []string `json:"namespaces,omitempty" protobuf:"bytes,2,rep"`
	// +rule:required,message="can not be empty",continues
	// +rule:format=qualified-name
	TopologyKey string `json:"topologyKey" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:valid
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
	// +rule:format=qualified-name,at=^.Type,when="!(self in ['PodScheduled', 'Ready', 'Initialized'])"
	Type PodConditionType `json:"type" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:minimum=0,message="must be a non-negative integer"
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
	// +rule:cel="self.size() <= 3",message="must not have more than 3 nameservers"
	// +rule:each:format=legacy-ip
	Nameservers []string `json:"nameservers,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	// +listType=atomic
	// +rule:cel="self.size() <= 32",message="must not have more than 32 search paths"
	// +rule:cel="bytes(self.join(' ')).size() <= 2048",message="must not have more than 2048 characters (including spaces) in the search list"
	// +rule:each:format=dns-search-path,value="self.endsWith('.') ? self.substring(0, self.size() - 1) : self"
	Searches []string `json:"searches,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +listType=atomic
	Options []PodDNSConfigOption `json:"options,omitempty" protobuf:"bytes,3,rep"`
}

// PodDNSConfigOption is an option of the resolver.
type PodDNSConfigOption struct {
	// +rule:required,at=^,message="must not be empty"
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Value *string `json:"value,omitempty" protobuf:"bytes,2,opt"`
}

// PodExtendedResourceClaimStatus tells which claim stands for extended resources.
type PodExtendedResourceClaimStatus struct {
	// +listType=atomic
	// +rule:required,message="at least one request mapping is required"
	// +rule:unique="self.containerName + '/' + self.resourceName + '/' + self.requestName",at=containerName,value="self.containerName"
	// +rule:unique="self.containerName + '/' + self.resourceName + '/' + self.requestName",at=resourceName,value="self.resourceName"
	// +rule:unique="self.containerName + '/' + self.resourceName + '/' + self.requestName",at=requestName,value="self.requestName"
	RequestMappings []ContainerExtendedResourceRequest `json:"requestMappings" protobuf:"bytes,1,rep"`
	// +rule:required
	// +rule:format=dns-subdomain
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
	// +rule:required
	// +rule:oneOf=linux;windows,at=^
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
	// +rule:format=qualified-name
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
	// +rule:required
	Name string `json:"name" protobuf:"bytes,1,name=name"`
	// +rule:format=dns-subdomain
	ResourceClaimName *string `json:"resourceClaimName,omitempty" protobuf:"bytes,3,opt"`
	// +rule:format=dns-subdomain
	ResourceClaimTemplateName *string `json:"resourceClaimTemplateName,omitempty" protobuf:"bytes,4,opt"`
}

// PodResourceClaimStatus tells which claim was made.
type PodResourceClaimStatus struct {
	// +rule:cel="self in specClaimNames",message="must match the name of an entry in `spec.resourceClaims`"
	Name string `json:"name" protobuf:"bytes,1,name=name"`
	// +optional
	// +rule:format=dns-subdomain
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
	// +rule:format=qualified-name,at=^
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
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	SELinuxOptions *SELinuxOptions `json:"seLinuxOptions,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'linux'",message="windows options cannot be set for a linux pod",continues
	WindowsOptions *WindowsSecurityContextOptions `json:"windowsOptions,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	// +rule:range=0..2147483647
	RunAsUser *int64 `json:"runAsUser,omitempty" protobuf:"varint,2,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	// +rule:range=0..2147483647
	RunAsGroup *int64 `json:"runAsGroup,omitempty" protobuf:"varint,6,opt"`
	// +optional
	RunAsNonRoot *bool `json:"runAsNonRoot,omitempty" protobuf:"varint,3,opt"`
	// +optional
	// +listType=atomic
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	// +rule:each:range=0..2147483647
	SupplementalGroups []int64 `json:"supplementalGroups,omitempty" protobuf:"varint,4,rep"`
	// +featureGate=SupplementalGroupsPolicy
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	// +rule:oneOf=Merge;Strict
	SupplementalGroupsPolicy *SupplementalGroupsPolicy `json:"supplementalGroupsPolicy,omitempty" protobuf:"bytes,12,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	// +rule:range=0..2147483647
	FSGroup *int64 `json:"fsGroup,omitempty" protobuf:"varint,5,opt"`
	// +optional
	// +listType=atomic
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	// +rule:unique="self.name",at=name,when="self.name != '' && self.name.problems('sysctl-name').size() == 0"
	Sysctls []Sysctl `json:"sysctls,omitempty" protobuf:"bytes,7,rep"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	// +rule:oneOf=Always;OnRootMismatch
	FSGroupChangePolicy *PodFSGroupChangePolicy `json:"fsGroupChangePolicy,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	SeccompProfile *SeccompProfile `json:"seccompProfile,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	AppArmorProfile *AppArmorProfile `json:"appArmorProfile,omitempty" protobuf:"bytes,11,opt"`
	// +featureGate=SELinuxChangePolicy
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	// +rule:oneOf=Recursive,when="!allowAnySELinuxChangePolicy"
	// +rule:oneOf=MountOption;Recursive,when="allowAnySELinuxChangePolicy"
	SELinuxChangePolicy *PodSELinuxChangePolicy `json:"seLinuxChangePolicy,omitempty" protobuf:"bytes,13,opt"`
}

// PodSpec is what a pod is to be.
// +rule:shared
// +rule:as=pod
// +rule:default:podName="''"
// +rule:default:mirrorPod="false"
// +rule:default:podChange="false"
// +rule:let:sameContainers="self.containers.size() == oldSelf.containers.size()"
// +rule:let:sameInitContainers="sameContainers && self.initContainers.size() == oldSelf.initContainers.size()"
// +rule:let:deadlineComesNearer="!has(self.activeDeadlineSeconds) || (self.activeDeadlineSeconds >= 0 && self.activeDeadlineSeconds <= 2147483647 && (!has(oldSelf.activeDeadlineSeconds) || self.activeDeadlineSeconds <= oldSelf.activeDeadlineSeconds))"
// +rule:let:judgedChange="podChange && sameInitContainers && deadlineComesNearer"
// +rule:let:tolerationKeys="keySet(self.tolerations.map(t, [t.key, t.operator, t.value, t.effect].join('\\n')))"
// +rule:let:tolerationsKept="oldSelf.tolerations.all(t, [t.key, t.operator, t.value, t.effect].join('\\n') in tolerationKeys)"
// +rule:let:containerNames="keySet(self.containers.map(c, c.name))"
// +rule:let:initContainerNames="keySet(self.initContainers.map(c, c.name))"
// +rule:let:ephemeralContainerNames="keySet(self.ephemeralContainers.map(c, c.name))"
// +rule:let:allVolumeNames="keySet(self.volumes.map(v, v.name))"
// +rule:let:lastingVolumeNames="keySet(self.volumes.filter(v, !has(v.emptyDir)).map(v, v.name))"
// +rule:let:claimPlaces="firstPlaces(self.resourceClaims.map(c, c.name))"
// +rule:let:gatePlaces="lastPlaces(self.schedulingGates.map(g, g.name))"
// +rule:let:oldGateNames="keySet(oldSelf.schedulingGates.map(g, g.name))"
// +rule:let:volumeNames="keySet(soundVolumes.map(v, v.name))"
// +rule:let:claimNames="keySet(soundVolumes.filter(v, has(v.persistentVolumeClaim) || has(v.ephemeral)).map(v, v.name))"
// +rule:let:ownUsers="has(self.hostUsers) && !self.hostUsers"
// +rule:let:hadOwnUsers="has(oldSelf.hostUsers) && !oldSelf.hostUsers"
// +rule:let:allowHostNetworkUserNamespaces="hadOwnUsers && oldSelf.hostNetwork"
// +rule:let:allowDevicesWithUserNamespaces="hadOwnUsers && (oldSelf.containers.exists(c, c.volumeDevices.size() > 0) || oldSelf.initContainers.exists(c, c.volumeDevices.size() > 0) || oldSelf.ephemeralContainers.exists(c, c.volumeDevices.size() > 0))"
// +rule:let:allowInitRestartContainer="oldSelf.initContainers.exists(c, c.restartPolicy != 'Always' && c.resizePolicy.exists(p, p.restartPolicy == 'RestartContainer'))"
// +rule:let:allowAnySELinuxChangePolicy="has(oldSelf.securityContext.seLinuxChangePolicy)"
// +rule:let:allowComparingTolerations="oldSelf.tolerations.exists(t, t.operator in ['Lt', 'Gt'])"
// +rule:let:oldPodTerms="[oldSelf.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution, oldSelf.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution, oldSelf.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution.map(t, t.podAffinityTerm), oldSelf.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution.map(t, t.podAffinityTerm)].flatten()"
// +rule:let:allowInvalidSelectorValues="oldPodTerms.exists(t, [t.labelSelector, t.namespaceSelector].exists(s, s.matchExpressions.exists(e, e.values.exists(v, v.problems('label-value').size() > 0))))"
// +rule:let:allowInvalidSpreadSelector="oldSelf.topologySpreadConstraints.exists(t, t.labelSelector.matchExpressions.exists(e, e.values.exists(v, v.problems('label-value').size() > 0)))"
// +rule:let:allowNonlocalTokenPath="oldSelf.volumes.exists(v, v.projected.sources.exists(s, has(s.serviceAccountToken) && s.serviceAccountToken.path.problems('unreserved-path').size() > 0))"
// +rule:let:windowsOptions="self.initContainers.map(c, c.securityContext.windowsOptions) + self.containers.map(c, c.securityContext.windowsOptions) + self.ephemeralContainers.map(c, c.securityContext.windowsOptions)"
// +rule:let:speaksOfWindows="has(self.securityContext.windowsOptions) || self.containers.exists(c, has(c.securityContext.windowsOptions)) || self.initContainers.exists(c, has(c.securityContext.windowsOptions)) || self.ephemeralContainers.exists(c, has(c.securityContext.windowsOptions))"
// +rule:let:hostProcesses="speaksOfWindows ? windowsOptions.filter(w, has(w.hostProcess) ? w.hostProcess : self.securityContext.windowsOptions.hostProcess).size() : 0"
// +rule:cel="hostProcesses == 0 || hostProcesses == windowsOptions.size()",value="''",message="If pod contains any hostProcess containers then all containers must be HostProcess containers"
// +rule:cel="self.hostNetwork || hostProcesses == 0",at=hostNetwork,value="false",message="hostNetwork must be true if pod contains any hostProcess containers"
// +rule:cel="has(self.activeDeadlineSeconds) || !has(oldSelf.activeDeadlineSeconds)",when="podChange && sameInitContainers",at=activeDeadlineSeconds,value="null",message="must not update from a positive integer to nil value",updates
// +rule:code=gated-node-affinity,when="judgedChange && oldSelf.schedulingGates.size() > 0",updates
// +rule:code=pod-changes,when="judgedChange",updates
// +rule:code=ephemeral-container-changes,on=ephemeralcontainers
type PodSpec struct {
	// +optional
	// +listType=map
	// +listMapKey=name
	// +rule:sound=soundVolumes
	// +rule:unique="self.name",at=name,when="self.name != ''"
	// +rule:code=tokens-without-account,when="kind == 'Pod' && pod.serviceAccountName == ''"
	Volumes []Volume `json:"volumes,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name" protobuf:"bytes,1,rep"`
	// +listType=map
	// +listMapKey=name
	// +rule:let:isInit="true"
	// +rule:let:imageAgain="podChange && sameInitContainers"
	// +rule:cel="!podChange || !sameContainers || sameInitContainers",reason=Forbidden,message="pod updates may not add or remove containers",updates
	// +rule:unique="self.name",at=name,when="self.name != '' || '' in containerNames",among="pod.containers.map(c, c.name)"
	// +rule:each:code=init-host-ports
	InitContainers []Container `json:"initContainers,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,20,rep"`
	// +listType=map
	// +listMapKey=name
	// +rule:let:isMain="true"
	// +rule:let:imageAgain="podChange && sameContainers"
	// +rule:cel="!podChange || sameContainers",reason=Forbidden,message="pod updates may not add or remove containers",updates
	// +rule:required
	// +rule:unique="self.name",at=name
	// +rule:code=host-ports
	Containers []Container `json:"containers" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,2,rep"`
	// +optional
	// +listType=map
	// +listMapKey=name
	// +rule:unique="self.name",at=name,among="pod.containers.map(c, c.name) + pod.initContainers.map(c, c.name)"
	// +rule:forbidden,when="kind != 'Pod'",message="ephemeral containers not allowed in pod template",continues
	// +rule:forbidden,when="kind == 'Pod' && !isUpdate",message="cannot be set on create",continues
	// +rule:cel="oldSelf.all(o, o.name in ephemeralContainerNames)",on=ephemeralcontainers,reason=Forbidden,messageExpression="oldSelf.filter(o, !(o.name in ephemeralContainerNames)).map(o, 'existing ephemeral containers ' + strings.quote(o.name) + ' may not be removed\\n')"
	EphemeralContainers []EphemeralContainer `json:"ephemeralContainers,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,34,rep"`
	// +optional
	// +default="Always"
	// +unpublishedDefault
	RestartPolicy RestartPolicy `json:"restartPolicy,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +default=30
	// +unpublishedDefault
	// +rule:required
	TerminationGracePeriodSeconds *int64 `json:"terminationGracePeriodSeconds,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +rule:range=1..2147483647
	// +rule:range=0..2147483647,when="podChange && sameInitContainers",ends,updates
	// +rule:cel="!has(oldPod.activeDeadlineSeconds) || self <= oldPod.activeDeadlineSeconds",when="podChange && sameInitContainers",message="must be less than or equal to previous value",updates
	ActiveDeadlineSeconds *int64 `json:"activeDeadlineSeconds,omitempty" protobuf:"varint,5,opt"`
	// +optional
	// +default="ClusterFirst"
	// +unpublishedDefault
	// +rule:required
	// +rule:oneOf=ClusterFirstWithHostNet;ClusterFirst;Default;None
	DNSPolicy DNSPolicy `json:"dnsPolicy,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +mapType=atomic
	// +rule:keys:format=qualified-name,at=^
	// +rule:values:format=label-value,at=^
	// +rule:cel="oldPod.nodeSelector.all(k, k in self && self[k] == oldPod.nodeSelector[k])",when="judgedChange && oldPod.schedulingGates.size() > 0",message="only additions to spec.nodeSelector are allowed (no mutations or deletions)",updates
	NodeSelector map[string]string `json:"nodeSelector,omitempty" protobuf:"bytes,7,rep"`
	// +optional
	// +rule:optional
	// +rule:format=dns-subdomain
	ServiceAccountName string `json:"serviceAccountName,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	DeprecatedServiceAccount string `json:"serviceAccount,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	AutomountServiceAccountToken *bool `json:"automountServiceAccountToken,omitempty" protobuf:"varint,21,opt"`
	// +optional
	// +rule:forbidden,when="kind == 'Pod' && !isUpdate && parent.schedulingGates.size() > 0",message="cannot be set until all schedulingGates have been cleared",continues
	// +rule:optional
	// +rule:format=dns-subdomain
	NodeName string `json:"nodeName,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	// +rule:forbidden,when="ownUsers && !allowHostNetworkUserNamespaces",message="when `hostUsers` is false"
	HostNetwork bool `json:"hostNetwork,omitempty" protobuf:"varint,11,opt"`
	// +optional
	// +rule:forbidden,when="ownUsers",at=^.HostPID,message="when `hostUsers` is false",continues
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	HostPID bool `json:"hostPID,omitempty" protobuf:"varint,12,opt"`
	// +optional
	// +rule:forbidden,when="ownUsers",at=^.HostIPC,message="when `hostUsers` is false",continues
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	HostIPC bool `json:"hostIPC,omitempty" protobuf:"varint,13,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	ShareProcessNamespace *bool `json:"shareProcessNamespace,omitempty" protobuf:"varint,27,opt"`
	// +optional
	// +default={}
	// +unpublishedDefault
	// +rule:cel="!(pod.hostPID && pod.shareProcessNamespace)",at=shareProcessNamespace,value="true",message="ShareProcessNamespace and HostPID cannot both be enabled"
	SecurityContext *PodSecurityContext `json:"securityContext,omitempty" protobuf:"bytes,14,opt"`
	// +optional
	// +listType=map
	// +listMapKey=name
	ImagePullSecrets []LocalObjectReference `json:"imagePullSecrets,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,15,rep"`
	// +optional
	// +rule:optional
	// +rule:format=dns-label
	Hostname string `json:"hostname,omitempty" protobuf:"bytes,16,opt"`
	// +optional
	// +rule:optional
	// +rule:format=dns-label
	Subdomain string `json:"subdomain,omitempty" protobuf:"bytes,17,opt"`
	// +optional
	Affinity *Affinity `json:"affinity,omitempty" protobuf:"bytes,18,opt"`
	// +optional
	// +default="default-scheduler"
	// +unpublishedDefault
	SchedulerName string `json:"schedulerName,omitempty" protobuf:"bytes,19,opt"`
	// +optional
	// +listType=atomic
	// +rule:valid
	// +rule:cel="tolerationsKept",when="judgedChange",reason=Forbidden,message="existing toleration can not be modified except its tolerationSeconds",updates
	// +rule:twice="judgedChange && tolerationsKept"
	Tolerations []Toleration `json:"tolerations,omitempty" protobuf:"bytes,22,opt"`
	// +optional
	// +listType=map
	// +listMapKey=ip
	HostAliases []HostAlias `json:"hostAliases,omitempty" patchStrategy:"merge" patchMergeKey:"ip" protobuf:"bytes,23,rep"`
	// +optional
	// +rule:optional
	// +rule:format=dns-subdomain
	PriorityClassName string `json:"priorityClassName,omitempty" protobuf:"bytes,24,opt"`
	// +optional
	Priority *int32 `json:"priority,omitempty" protobuf:"bytes,25,opt"`
	// +optional
	// +rule:required,when="parent.dnsPolicy == 'None'",message="must provide `dnsConfig` when `dnsPolicy` is None"
	// +rule:cel="parent.dnsPolicy != 'None' || self.nameservers.size() > 0",reason=Required,at=nameservers,message="must provide at least one DNS nameserver when `dnsPolicy` is None",ends
	DNSConfig *PodDNSConfig `json:"dnsConfig,omitempty" protobuf:"bytes,26,opt"`
	// +optional
	// +listType=atomic
	ReadinessGates []PodReadinessGate `json:"readinessGates,omitempty" protobuf:"bytes,28,opt"`
	// +optional
	// +rule:format=dns-subdomain
	RuntimeClassName *string `json:"runtimeClassName,omitempty" protobuf:"bytes,29,opt"`
	// +optional
	EnableServiceLinks *bool `json:"enableServiceLinks,omitempty" protobuf:"varint,30,opt"`
	// +optional
	// +rule:cel="self != ''",reason=Required,ends
	// +rule:oneOf=PreemptLowerPriority;Never
	PreemptionPolicy *PreemptionPolicy `json:"preemptionPolicy,omitempty" protobuf:"bytes,31,opt"`
	// +optional
	// +rule:code=pod-overhead
	Overhead ResourceList `json:"overhead,omitempty" protobuf:"bytes,32,opt"`
	// +optional
	// +listType=map
	// +listMapKey=topologyKey
	// +listMapKey=whenUnsatisfiable
	// +rule:code=spread-pairs
	TopologySpreadConstraints []TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty" patchStrategy:"merge" patchMergeKey:"topologyKey" protobuf:"bytes,33,opt"`
	// +optional
	SetHostnameAsFQDN *bool `json:"setHostnameAsFQDN,omitempty" protobuf:"varint,35,opt"`
	// +optional
	OS *PodOS `json:"os,omitempty" protobuf:"bytes,36,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	HostUsers *bool `json:"hostUsers,omitempty" protobuf:"bytes,37,opt"`
	// +listType=map
	// +listMapKey=name
	// +optional
	// +rule:unique="self.name"
	// +rule:each:cel="self.name in oldGateNames",when="judgedChange && gatePlaces[self.name] == index",reason=Forbidden,at=name,messageExpression="'only deletion is allowed, but found new scheduling gate \\'' + self.name + '\\''",updates
	SchedulingGates []PodSchedulingGate `json:"schedulingGates,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,38,opt"`
	// +listType=map
	// +listMapKey=name
	// +featureGate=DynamicResourceAllocation
	// +optional
	// +rule:unique="self.name",when="self.name != '' && !mirrorPod",at=name
	// +rule:each:cel="!mirrorPod",reason=Forbidden,at=^^^[],message="static pods do not support resource claims",ends
	// +rule:each:cel="has(self.resourceClaimName) || has(self.resourceClaimTemplateName)",message="must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
	// +rule:each:cel="!has(self.resourceClaimName) || !has(self.resourceClaimTemplateName)",message="at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
	// +rule:each:cel="self.name.problems('dns-label').size() == 0",when="self.name != '' && claimPlaces[self.name] == index",at=name,value="self.name",messageExpression="self.name.problems('dns-label')"
	ResourceClaims []PodResourceClaim `json:"resourceClaims,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name" protobuf:"bytes,39,rep"`
	// +featureGate=PodLevelResources
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="may not be set for a windows pod"
	// +rule:code=pod-resources
	Resources *ResourceRequirements `json:"resources,omitempty" protobuf:"bytes,40,opt"`
	// +featureGate=HostnameOverride
	// +optional
	// +rule:forbidden,when="parent.setHostnameAsFQDN",message="may not be specified when setHostnameAsFQDN is true",continues
	// +rule:forbidden,when="parent.hostNetwork",message="may not be specified when hostNetwork is true",continues
	// +rule:maxBytes=64
	// +rule:format=dns-subdomain
	HostnameOverride *string `json:"hostnameOverride,omitempty" protobuf:"bytes,41,opt"`
	// +featureGate=GenericWorkload
	// +optional
	SchedulingGroup *PodSchedulingGroup `json:"schedulingGroup,omitempty" protobuf:"bytes,43,opt"`
}

// PodStatus is what became of a pod.
type PodStatus struct {
	// +optional
	// +rule:minimum=0,message="must be a non-negative integer"
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
	// +rule:skip,when="self == '' || self == oldSelf"
	// +rule:format=dns-subdomain
	// +rule:cel="oldThisPod.spec.nodeName == ''",reason=Forbidden,message="may not be set on pods that are already bound to a node"
	NominatedNodeName string `json:"nominatedNodeName,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	HostIP string `json:"hostIP,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +listType=atomic
	// +rule:each:cel="index > 0 || self.ip == parent.hostIP",at=ip,value="self.ip",message="must be equal to `hostIP`"
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
	// +rule:let:owners="thisPod.spec.initContainers"
	InitContainerStatuses []ContainerStatus `json:"initContainerStatuses,omitempty" protobuf:"bytes,10,rep"`
	// +optional
	// +listType=atomic
	// +rule:let:owners="thisPod.spec.containers"
	ContainerStatuses []ContainerStatus `json:"containerStatuses,omitempty" protobuf:"bytes,8,rep"`
	// +optional
	// +rule:immutable
	QOSClass PodQOSClass `json:"qosClass,omitempty" protobuf:"bytes,9,rep"`
	// +optional
	// +listType=atomic
	// +rule:let:owners="thisPod.spec.containers.filter(c, false)"
	// +rule:let:isEphemeral="true"
	EphemeralContainerStatuses []ContainerStatus `json:"ephemeralContainerStatuses,omitempty" protobuf:"bytes,13,rep"`
	// +featureGate=InPlacePodVerticalScaling
	// +optional
	Resize PodResizeStatus `json:"resize,omitempty" protobuf:"bytes,14,opt"`
	// +listType=map
	// +listMapKey=name
	// +featureGate=DynamicResourceAllocation
	// +optional
	// +rule:unique="self.name",at=name
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
	// +rule:cel="self >= 1 && self <= 100",message="must be in the range 1-100"
	Weight int32 `json:"weight" protobuf:"varint,1,opt"`
	// +rule:let:allowInvalidNodeSelectorValues="true"
	Preference NodeSelectorTerm `json:"preference" protobuf:"bytes,2,opt"`
}

// Probe asks a container again and again how it is.
type Probe struct {
	ProbeHandler `json:",inline" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:minimum=0
	InitialDelaySeconds int32 `json:"initialDelaySeconds,omitempty" protobuf:"varint,2,opt"`
	// +optional
	// +default=1
	// +unpublishedDefault
	// +rule:minimum=0
	TimeoutSeconds int32 `json:"timeoutSeconds,omitempty" protobuf:"varint,3,opt"`
	// +optional
	// +default=10
	// +unpublishedDefault
	// +rule:minimum=0
	PeriodSeconds int32 `json:"periodSeconds,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +default=1
	// +unpublishedDefault
	// +rule:minimum=0
	SuccessThreshold int32 `json:"successThreshold,omitempty" protobuf:"varint,5,opt"`
	// +optional
	// +default=3
	// +unpublishedDefault
	// +rule:minimum=0
	FailureThreshold int32 `json:"failureThreshold,omitempty" protobuf:"varint,6,opt"`
	// +optional
	// +rule:cel="self > 0",message="must be greater than 0"
	TerminationGracePeriodSeconds *int64 `json:"terminationGracePeriodSeconds,omitempty" protobuf:"varint,7,opt"`
}

// ProbeHandler is the question of a probe.
// +rule:cel="has(self.exec) || has(self.httpGet) || has(self.tcpSocket) || has(self.grpc)",reason=Required,message="must specify a handler type"
type ProbeHandler struct {
	// +optional
	Exec *ExecAction `json:"exec,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:forbidden,when="has(parent.exec)",message="may not specify more than 1 handler type"
	HTTPGet *HTTPGetAction `json:"httpGet,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:forbidden,when="has(parent.exec) || has(parent.httpGet)",message="may not specify more than 1 handler type"
	TCPSocket *TCPSocketAction `json:"tcpSocket,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:forbidden,when="has(parent.exec) || has(parent.httpGet) || has(parent.tcpSocket)",message="may not specify more than 1 handler type"
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
// +rule:required
// +rule:oneOf=Always;IfNotPresent;Never
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
// +rule:let:ofHugePages="self.resource.matches('^(limits|requests)\\\\.hugepages-')"
type ResourceFieldSelector struct {
	// +optional
	// +rule:required,when="inFile"
	ContainerName string `json:"containerName,omitempty" protobuf:"bytes,1,opt"`
	// +rule:skip,when="inFile && parent.containerName == ''"
	// +rule:required
	// +rule:oneOf=limits.cpu;limits.ephemeral-storage;limits.memory;requests.cpu;requests.ephemeral-storage;requests.memory,when="!ofHugePages"
	Resource string `json:"resource" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:skip,when="self in ['', '0']"
	// +rule:cel="self in ['1m', '1']",when="parent.resource in ['limits.cpu', 'requests.cpu']",value="parent.resource",message="only divisor's values 1m and 1 are supported with the cpu resource"
	// +rule:cel="self in ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']",when="parent.resource in ['limits.memory', 'requests.memory']",value="parent.resource",message="only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource"
	// +rule:cel="self in ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']",when="parent.resource in ['limits.ephemeral-storage', 'requests.ephemeral-storage']",value="parent.resource",message="only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the local ephemeral storage resource"
	// +rule:cel="self in ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']",when="ofHugePages",value="parent.resource",message="only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the hugepages resource"
	Divisor resource.Quantity `json:"divisor,omitempty" protobuf:"bytes,3,opt"`
}

// ResourceHealth tells how a device is.
type ResourceHealth struct {
	ResourceID ResourceID `json:"resourceID" protobuf:"bytes,1,opt"`
	// +rule:oneOf=Healthy;Unhealthy;Unknown
	Health ResourceHealthStatus `json:"health,omitempty" protobuf:"bytes,2,name=health"`
	// +featureGate=ResourceHealthStatusMessage
	// +optional
	// +rule:cel="self != ''",reason=Required,message="must be non-empty if specified",ends
	// +rule:maxBytes=1024
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
	// +rule:cel="owner.size() == 0 || !self.startsWith('claim:') || owner[0].resources.claims.exists(c, self == 'claim:' + (c.request == '' ? c.name : c.name + '/' + c.request))",message="must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
	// +rule:cel="owner.size() == 0 || self.startsWith('claim:') || self in owner[0].resources.requests",message="must match one of the container's resource requests"
	Name ResourceName `json:"name" protobuf:"bytes,1,opt"`
	// +listType=map
	// +listMapKey=resourceID
	// +rule:unique="self.resourceID",at=resourceID
	Resources []ResourceHealth `json:"resources,omitempty" protobuf:"bytes,2,rep"`
}

// RestartPolicy says when containers of the pod run again.
// +enum
// +rule:required
// +rule:oneOf=Always;OnFailure;Never
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
	// +rule:required,message="type is required when seccompProfile is set"
	// +rule:oneOf=Localhost;RuntimeDefault;Unconfined
	Type SeccompProfileType `json:"type" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:required,when="parent.type == 'Localhost'",message="must be set when seccomp type is Localhost"
	// +rule:cel="parent.type == 'Localhost'",value="parent",message="can only be set when seccomp type is Localhost",ends
	// +rule:format=descending-path
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
// +rule:cel="self.name != ''",reason=Required,at=name,ends
// +rule:cel="self.name.problems('dns-subdomain-prefix').size() == 0",at=name,value="self.name",messageExpression="self.name.problems('dns-subdomain-prefix')"
type SecretEnvSource struct {
	LocalObjectReference `json:",inline" protobuf:"bytes,1,opt"`
	// +optional
	Optional *bool `json:"optional,omitempty" protobuf:"varint,2,opt"`
}

// SecretKeySelector picks one entry of a Secret.
// +structType=atomic
// +rule:cel="self.name.problems('dns-subdomain').size() == 0",at=name,value="self.name",messageExpression="self.name.problems('dns-subdomain')"
type SecretKeySelector struct {
	LocalObjectReference `json:",inline" protobuf:"bytes,1,opt"`
	// +rule:required
	// +rule:format=config-key
	Key string `json:"key" protobuf:"bytes,2,opt"`
	// +optional
	Optional *bool `json:"optional,omitempty" protobuf:"varint,3,opt"`
}

// SecurityContext has what holds for one container.
// +rule:cel="!has(self.allowPrivilegeEscalation) || self.allowPrivilegeEscalation || !self.privileged",message="cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
// +rule:cel="self.allowPrivilegeEscalation || !self.capabilities.add.exists(c, c == 'CAP_SYS_ADMIN')",when="has(self.allowPrivilegeEscalation)",messageExpression="self.capabilities.add.filter(c, c == 'CAP_SYS_ADMIN').map(c, 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN')"
type SecurityContext struct {
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	Capabilities *Capabilities `json:"capabilities,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	Privileged *bool `json:"privileged,omitempty" protobuf:"varint,2,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	SELinuxOptions *SELinuxOptions `json:"seLinuxOptions,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'linux'",message="windows options cannot be set for a linux pod",continues
	WindowsOptions *WindowsSecurityContextOptions `json:"windowsOptions,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	// +rule:range=0..2147483647
	RunAsUser *int64 `json:"runAsUser,omitempty" protobuf:"varint,4,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	// +rule:range=0..2147483647
	RunAsGroup *int64 `json:"runAsGroup,omitempty" protobuf:"varint,8,opt"`
	// +optional
	RunAsNonRoot *bool `json:"runAsNonRoot,omitempty" protobuf:"varint,5,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	ReadOnlyRootFilesystem *bool `json:"readOnlyRootFilesystem,omitempty" protobuf:"varint,6,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	AllowPrivilegeEscalation *bool `json:"allowPrivilegeEscalation,omitempty" protobuf:"varint,7,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	// +rule:oneOf=Default;Unmasked
	// +rule:cel="self != 'Unmasked' || ownUsers",message="`hostUsers` must be false to use `Unmasked`"
	ProcMount *ProcMountType `json:"procMount,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
	SeccompProfile *SeccompProfile `json:"seccompProfile,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	// +rule:forbidden,when="pod.os.name == 'windows'",message="cannot be set for a windows pod",continues
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
	// +rule:code=host-sysctl
	// +rule:required
	// +rule:format=sysctl-name
	Name string `json:"name" protobuf:"bytes,1,opt"`
	Value string `json:"value" protobuf:"bytes,2,opt"`
}

// TCPSocketAction opens a connection.
type TCPSocketAction struct {
	// +rule:format=port-number-or-name
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
// +rule:required
// +rule:oneOf=File;FallbackToLogsOnError
type TerminationMessagePolicy string

const (
	TerminationMessagePolicyFile TerminationMessagePolicy = "File"
	TerminationMessagePolicyFallbackToLogsOnError TerminationMessagePolicy = "FallbackToLogsOnError"
)

// Toleration lets a pod bear a taint.
// +rule:shared
// +rule:default:allowComparingTolerations="false"
type Toleration struct {
	// +optional
	// +rule:optional
	// +rule:format=qualified-name
	Key string `json:"key,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:cel="parent.key != '' || self == 'Exists'",message="operator must be Exists when `key` is empty, which means \"match all values and all keys\""
	// +rule:cel="parent.value.problems('label-value').size() == 0",when="self in ['', 'Equal']",value="parent.value",messageExpression="parent.value.problems('label-value').join(';')"
	// +rule:cel="parent.value == ''",when="self == 'Exists'",value="parent.value",message="value must be empty when `operator` is 'Exists'"
	// +rule:skip,when="self == ''"
	// +rule:cel="allowComparingTolerations",when="self in ['Lt', 'Gt']",reason=NotSupported,message="supported values: \"Equal\", \"Exists\", \"Lt\", \"Gt\""
	// +rule:oneOf=Equal;Exists,when="!(self in ['Lt', 'Gt'])"
	Operator TolerationOperator `json:"operator,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Value string `json:"value,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:cel="!has(parent.tolerationSeconds) || self == 'NoExecute'",message="effect must be 'NoExecute' when `tolerationSeconds` is set"
	// +rule:optional
	// +rule:oneOf=NoSchedule;PreferNoSchedule;NoExecute
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
// +rule:let:allowInvalidSelectorValues="false"
// +rule:code=spread-label-keys
type TopologySpreadConstraint struct {
	// +rule:cel="self > 0",message="must be greater than zero"
	MaxSkew int32 `json:"maxSkew" protobuf:"varint,1,opt"`
	// +rule:required,message="can not be empty"
	TopologyKey string `json:"topologyKey" protobuf:"bytes,2,opt"`
	WhenUnsatisfiable UnsatisfiableConstraintAction `json:"whenUnsatisfiable" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:skip,when="allowInvalidSpreadSelector"
	// +rule:valid
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +rule:cel="self > 0",message="must be greater than zero"
	// +rule:cel="parent.whenUnsatisfiable == 'DoNotSchedule'",messageExpression="'can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ' + parent.whenUnsatisfiable"
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
// +rule:oneOf=HTTP;HTTPS
type URIScheme string

const (
	URISchemeHTTP URIScheme = "HTTP"
	URISchemeHTTPS URIScheme = "HTTPS"
)

// UnsatisfiableConstraintAction is what happens when pods cannot be spread.
// +enum
// +rule:oneOf=DoNotSchedule;ScheduleAnyway
type UnsatisfiableConstraintAction string

const (
	UnsatisfiableConstraintActionDoNotSchedule UnsatisfiableConstraintAction = "DoNotSchedule"
	UnsatisfiableConstraintActionScheduleAnyway UnsatisfiableConstraintAction = "ScheduleAnyway"
)

// VolumeDevice shows a volume as a device.
type VolumeDevice struct {
	// +rule:required,continues
	// +rule:cel="!(self in volumeNames) || self in claimNames",message="can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
	// +rule:cel="self in volumeNames",reason=NotFound
	// +rule:cel="!(self in mountNames)",message="must not already exist in volumeMounts"
	Name string `json:"name" protobuf:"bytes,1,opt"`
	// +rule:required,continues
	// +rule:cel="!self.split('/').exists(s, s == '..')",message="can not contain backsteps ('..')"
	// +rule:cel="!(self in mountPaths)",message="must not already exist as a path in volumeMounts"
	DevicePath string `json:"devicePath" protobuf:"bytes,2,opt"`
}

// VolumeMount shows a volume as a directory.
type VolumeMount struct {
	// +rule:required,continues
	// +rule:cel="self in volumeNames",reason=NotFound
	// +rule:cel="!(self in deviceNames)",when="hasDevices",message="must not already exist in volumeDevices"
	Name string `json:"name" protobuf:"bytes,1,opt"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty" protobuf:"varint,2,opt"`
	// +optional
	// +rule:oneOf=Disabled;Enabled;IfPossible,at=^^.recursiveReadOnly
	// +rule:cel="self == 'Disabled' || parent.readOnly",reason=Forbidden,at=^^.recursiveReadOnly,message="may only be specified when readOnly is true"
	// +rule:cel="self == 'Disabled' || !has(parent.mountPropagation) || parent.mountPropagation == 'None'",reason=Forbidden,at=^^.recursiveReadOnly,message="may only be specified when mountPropagation is None or not specified"
	RecursiveReadOnly *RecursiveReadOnlyMode `json:"recursiveReadOnly,omitempty" protobuf:"bytes,7,opt"`
	// +rule:required,continues
	// +rule:cel="!(self in devicePaths)",when="hasDevices",message="must not already exist as a path in volumeDevices"
	MountPath string `json:"mountPath" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:optional
	// +rule:format=descending-path,at=^^.subPath
	SubPath string `json:"subPath,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +rule:oneOf=Bidirectional;HostToContainer;None,at=^^.mountPropagation
	// +rule:cel="self != 'Bidirectional' || privileged",reason=Forbidden,at=^^.mountPropagation,message="Bidirectional mount propagation is available only to privileged containers"
	MountPropagation *MountPropagationMode `json:"mountPropagation,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +rule:optional
	// +rule:cel="parent.subPath == ''",message="subPathExpr and subPath are mutually exclusive"
	// +rule:format=descending-path,at=^^.subPathExpr
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
	// +rule:cel="self >= 1 && self <= 100",message="must be in the range 1-100"
	Weight int32 `json:"weight" protobuf:"varint,1,opt"`
	PodAffinityTerm PodAffinityTerm `json:"podAffinityTerm" protobuf:"bytes,2,opt"`
}

// WindowsSecurityContextOptions has what only Windows knows.
type WindowsSecurityContextOptions struct {
	// +optional
	// +rule:format=dns-subdomain
	GMSACredentialSpecName *string `json:"gmsaCredentialSpecName,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:cel="self != ''",message="gmsaCredentialSpec cannot be an empty string",ends
	// +rule:cel="bytes(self).size() <= 65536",message="gmsaCredentialSpec size must be under 64 KiB"
	GMSACredentialSpec *string `json:"gmsaCredentialSpec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:format=windows-user-name
	RunAsUserName *string `json:"runAsUserName,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:cel="!has(pod.securityContext.windowsOptions.hostProcess) || self == pod.securityContext.windowsOptions.hostProcess",messageExpression="'pod hostProcess value must be identical if both are specified, was ' + string(pod.securityContext.windowsOptions.hostProcess)"
	HostProcess *bool `json:"hostProcess,omitempty" protobuf:"bytes,4,opt"`
}
