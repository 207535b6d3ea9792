package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// RuntimeClass names a way to run the containers of a pod.
// +kubebuilder:resource:path=runtimeclasses,scope=Cluster
type RuntimeClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +required
	// +validationRule="self == oldSelf",message="field is immutable"
	// +rule:required
	// +rule:format=dns-label
	Handler string `json:"handler" protobuf:"bytes,2,opt"`
	// +optional
	Overhead *Overhead `json:"overhead,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Scheduling *Scheduling `json:"scheduling,omitempty" protobuf:"bytes,4,opt"`
}

// Overhead is what running a pod in this way costs.
type Overhead struct {
	// +optional
	PodFixed corev1.ResourceList `json:"podFixed,omitempty" protobuf:"bytes,1,opt"`
}

// Scheduling says which nodes can run pods in this way.
type Scheduling struct {
	// +optional
	// +mapType=atomic
	// +rule:keys:format=qualified-name,at=^
	// +rule:values:format=label-value,at=^
	NodeSelector map[string]string `json:"nodeSelector,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +listType=atomic
	// +rule:valid
	// +rule:unique="[self.key, self.operator, self.value, self.effect]",value="self"
	Tolerations []corev1.Toleration `json:"tolerations,omitempty" protobuf:"bytes,2,rep"`
}
