package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/api/core/v1"
)

// VolumeAttachment asks for a volume to be attached to a node and tells how far that is.
// +k8s:supportsSubresource="/status"
// +kubebuilder:resource:path=volumeattachments,scope=Cluster
type VolumeAttachment struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +required
	// +rule:on=main;status
	// +rule:code=attachment-stays
	Spec VolumeAttachmentSpec `json:"spec" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=main;status
	Status VolumeAttachmentStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// VolumeAttachmentSource is the volume that is attached.
// +rule:cel="has(self.inlineVolumeSpec) || has(self.persistentVolumeName)",reason=Required,message="must specify exactly one of inlineVolumeSpec and persistentVolumeName"
// +rule:cel="!has(self.inlineVolumeSpec) || !has(self.persistentVolumeName)",reason=Forbidden,message="must specify exactly one of inlineVolumeSpec and persistentVolumeName"
type VolumeAttachmentSource struct {
	// +optional
	// +rule:cel="self != ''",when="!has(parent.inlineVolumeSpec)",reason=Required,message="must specify non empty persistentVolumeName"
	// +rule:format=dns-subdomain
	PersistentVolumeName *string `json:"persistentVolumeName,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:skip,when="has(parent.persistentVolumeName)"
	// +rule:valid
	// +rule:let:inlineVolume="true"
	InlineVolumeSpec *v1.PersistentVolumeSpec `json:"inlineVolumeSpec,omitempty" protobuf:"bytes,2,opt"`
}

// VolumeAttachmentSpec says what is attached where, and by whom.
type VolumeAttachmentSpec struct {
	// +required
	// +rule:required
	// +rule:maxBytes=63
	// +rule:cel="self.lowerAscii().problems('dns-subdomain').size() == 0",messageExpression="self.lowerAscii().problems('dns-subdomain')"
	Attacher string `json:"attacher" protobuf:"bytes,1,opt"`
	Source VolumeAttachmentSource `json:"source" protobuf:"bytes,2,opt"`
	// +rule:format=dns-subdomain
	NodeName string `json:"nodeName" protobuf:"bytes,3,opt"`
}

// VolumeAttachmentStatus is how far the attachment is.
type VolumeAttachmentStatus struct {
	Attached bool `json:"attached" protobuf:"varint,1,opt"`
	// +optional
	// +rule:cel="self.map(k, bytes(k).size() + bytes(self[k]).size()).sum() <= 262144",reason=TooLong,value="'<value omitted>'",message="may not be more than 262144 bytes"
	AttachmentMetadata map[string]string `json:"attachmentMetadata,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	AttachError *VolumeError `json:"attachError,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	DetachError *VolumeError `json:"detachError,omitempty" protobuf:"bytes,4,opt"`
}

// VolumeError is what went wrong on the way.
type VolumeError struct {
	// +optional
	Time metav1.Time `json:"time,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// The limit that the API names is not the one that holds.
	// +rule:cel="bytes(self).size() <= 1024",reason=TooLong,value="'<value omitted>'",message="may not be more than 262144 bytes"
	Message string `json:"message,omitempty" protobuf:"bytes,2,opt"`
	// +featureGate=MutableCSINodeAllocatableCount
	// +optional
	// +rule:range=0..2147483647
	ErrorCode *int32 `json:"errorCode,omitempty" protobuf:"varint,3,opt"`
}
