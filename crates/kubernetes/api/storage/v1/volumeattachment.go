package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

// +k8s:supportsSubresource="/status"
// +kubebuilder:resource:path=volumeattachments,scope=Cluster
type VolumeAttachment struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +required
	Spec VolumeAttachmentSpec `json:"spec" protobuf:"bytes,2,opt"`
	// +optional
	Status VolumeAttachmentStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

type VolumeAttachmentSource struct {
	// +optional
	PersistentVolumeName *string `json:"persistentVolumeName,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	InlineVolumeSpec *v1.PersistentVolumeSpec `json:"inlineVolumeSpec,omitempty" protobuf:"bytes,2,opt"`
}

type VolumeAttachmentSpec struct {
	// +required
	// +k8s:required
	// +k8s:format="k8s-long-name-caseless"
	// +k8s:maxLength=63
	Attacher string `json:"attacher" protobuf:"bytes,1,opt"`
	Source VolumeAttachmentSource `json:"source" protobuf:"bytes,2,opt"`
	NodeName string `json:"nodeName" protobuf:"bytes,3,opt"`
}

type VolumeAttachmentStatus struct {
	Attached bool `json:"attached" protobuf:"varint,1,opt"`
	// +optional
	AttachmentMetadata map[string]string `json:"attachmentMetadata,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	AttachError *VolumeError `json:"attachError,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	DetachError *VolumeError `json:"detachError,omitempty" protobuf:"bytes,4,opt"`
}

type VolumeError struct {
	// +optional
	Time metav1.Time `json:"time,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,2,opt"`
	// +featureGate=MutableCSINodeAllocatableCount
	// +optional
	ErrorCode *int32 `json:"errorCode,omitempty" protobuf:"varint,3,opt"`
}
