package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Lease is something that one of many holds for a time.
// +kubebuilder:resource:path=leases
type Lease struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec LeaseSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
}

// CoordinatedLeaseStrategy is how the next holder is chosen.
type CoordinatedLeaseStrategy string

const (
	CoordinatedLeaseStrategyOldestEmulationVersion CoordinatedLeaseStrategy = "OldestEmulationVersion"
)

// LeaseSpec is who holds a lease and since when.
type LeaseSpec struct {
	// +optional
	HolderIdentity *string `json:"holderIdentity,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +validationRule="self > 0",message="must be greater than 0"
	LeaseDurationSeconds *int32 `json:"leaseDurationSeconds,omitempty" protobuf:"varint,2,opt"`
	// +optional
	AcquireTime *metav1.MicroTime `json:"acquireTime,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	RenewTime *metav1.MicroTime `json:"renewTime,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +validationRule="self >= 0",message="must be greater than or equal to 0"
	LeaseTransitions *int32 `json:"leaseTransitions,omitempty" protobuf:"varint,5,opt"`
	// +featureGate=CoordinatedLeaderElection
	// +optional
	Strategy *CoordinatedLeaseStrategy `json:"strategy,omitempty" protobuf:"bytes,6,opt"`
	// +featureGate=CoordinatedLeaderElection
	// +optional
	PreferredHolder *string `json:"preferredHolder,omitempty" protobuf:"bytes,7,opt"`
}
