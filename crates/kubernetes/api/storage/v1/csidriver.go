package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CSIDriver tells what a driver of volumes can do and what it needs.
// +kubebuilder:resource:path=csidrivers,scope=Cluster
type CSIDriver struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec CSIDriverSpec `json:"spec" protobuf:"bytes,2,opt"`
}

// CSIDriverSpec is what a driver declares of itself.
// +validationRule="!has(self.serviceAccountTokenInSecrets) || has(self.tokenRequests)",message="serviceAccountTokenInSecrets is set but no tokenRequests are specified",field="serviceAccountTokenInSecrets"
type CSIDriverSpec struct {
	// +optional
	// +default=true
	// +unpublishedDefault
	// +rule:path=attachedRequired
	// +rule:immutable
	AttachRequired *bool `json:"attachRequired,omitempty" protobuf:"varint,1,opt"`
	// +optional
	// +default=false
	// +unpublishedDefault
	PodInfoOnMount *bool `json:"podInfoOnMount,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=set
	// +default=["Persistent"]
	// +unpublishedDefault
	// +rule:each:oneOf=Persistent;Ephemeral,at=^
	// +rule:immutable
	VolumeLifecycleModes []VolumeLifecycleMode `json:"volumeLifecycleModes,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +featureGate=CSIStorageCapacity
	// +default=false
	// +unpublishedDefault
	StorageCapacity *bool `json:"storageCapacity,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +default="ReadWriteOnceWithFSType"
	// +unpublishedDefault
	// +rule:oneOf=File;None;ReadWriteOnceWithFSType
	FSGroupPolicy *FSGroupPolicy `json:"fsGroupPolicy,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +listType=atomic
	// +rule:unique="self.audience",at=audience
	TokenRequests []TokenRequest `json:"tokenRequests,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	// +default=false
	// +unpublishedDefault
	RequiresRepublish *bool `json:"requiresRepublish,omitempty" protobuf:"varint,7,opt"`
	// +featureGate=SELinuxMountReadWriteOncePod
	// +optional
	// +default=false
	// +unpublishedDefault
	SELinuxMount *bool `json:"seLinuxMount,omitempty" protobuf:"varint,8,opt"`
	// +featureGate=MutableCSINodeAllocatableCount
	// +optional
	// +validationRule="self >= 10",message="must be greater than or equal to 10 seconds"
	NodeAllocatableUpdatePeriodSeconds *int64 `json:"nodeAllocatableUpdatePeriodSeconds,omitempty" protobuf:"varint,9,opt"`
	// +featureGate=CSIServiceAccountTokenSecrets
	// +optional
	ServiceAccountTokenInSecrets *bool `json:"serviceAccountTokenInSecrets,omitempty" protobuf:"varint,10,opt"`
	// +featureGate=VolumeLimitScaling
	// +optional
	PreventPodSchedulingIfMissing *bool `json:"preventPodSchedulingIfMissing,omitempty" protobuf:"varint,11,opt"`
}

// FSGroupPolicy says whose job the group of files on a volume is.
type FSGroupPolicy string

const (
	FSGroupPolicyReadWriteOnceWithFSType FSGroupPolicy = "ReadWriteOnceWithFSType"
	FSGroupPolicyFile FSGroupPolicy = "File"
	FSGroupPolicyNone FSGroupPolicy = "None"
)

// TokenRequest asks for a token that the driver gets with a volume.
type TokenRequest struct {
	Audience string `json:"audience" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:cel="self >= 600",message="may not specify a duration less than 10 minutes"
	// +rule:cel="self <= 4294967296",message="may not specify a duration larger than 2^32 seconds"
	ExpirationSeconds *int64 `json:"expirationSeconds,omitempty" protobuf:"varint,2,opt"`
}

// VolumeLifecycleMode is how long a volume of the driver lives.
type VolumeLifecycleMode string

const (
	VolumeLifecycleModePersistent VolumeLifecycleMode = "Persistent"
	VolumeLifecycleModeEphemeral VolumeLifecycleMode = "Ephemeral"
)
