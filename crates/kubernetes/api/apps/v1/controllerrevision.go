package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// ControllerRevision keeps an earlier state of a workload to go back to.
// +kubebuilder:resource:path=controllerrevisions
type ControllerRevision struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +rule:code=revision-data
	// +rule:immutable
	Data runtime.RawExtension `json:"data,omitempty" protobuf:"bytes,2,opt"`
	// +k8s:minimum=0
	Revision int64 `json:"revision" protobuf:"varint,3,opt"`
}
