package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// HorizontalPodAutoscaler makes a count of replicas follow metrics.
// +k8s:supportsSubresource="/status"
// +kubebuilder:resource:path=horizontalpodautoscalers,shortName=hpa,categories=all
type HorizontalPodAutoscaler struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +required
	Spec HorizontalPodAutoscalerSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status HorizontalPodAutoscalerStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// CrossVersionObjectReference names an object by kind, name and version.
// +structType=atomic
type CrossVersionObjectReference struct {
	Kind string `json:"kind" protobuf:"bytes,1,opt"`
	Name string `json:"name" protobuf:"bytes,2,opt"`
	// +optional
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,3,opt"`
}

// HorizontalPodAutoscalerSpec says what is scaled, between which counts and by what.
type HorizontalPodAutoscalerSpec struct {
	ScaleTargetRef CrossVersionObjectReference `json:"scaleTargetRef" protobuf:"bytes,1,opt"`
	// +optional
	// +k8s:optional
	// +default=1
	// +unpublishedDefault
	MinReplicas *int32 `json:"minReplicas,omitempty" protobuf:"varint,2,opt"`
	// +required
	MaxReplicas int32 `json:"maxReplicas" protobuf:"varint,3,opt"`
	// +optional
	TargetCPUUtilizationPercentage *int32 `json:"targetCPUUtilizationPercentage,omitempty" protobuf:"varint,4,opt"`
}

// HorizontalPodAutoscalerStatus is what was measured and decided last.
type HorizontalPodAutoscalerStatus struct {
	// +optional
	ObservedGeneration *int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt"`
	// +optional
	LastScaleTime *metav1.Time `json:"lastScaleTime,omitempty" protobuf:"bytes,2,opt"`
	// +k8s:minimum=0
	CurrentReplicas int32 `json:"currentReplicas" protobuf:"varint,3,opt"`
	// +k8s:minimum=0
	DesiredReplicas int32 `json:"desiredReplicas" protobuf:"varint,4,opt"`
	// +optional
	CurrentCPUUtilizationPercentage *int32 `json:"currentCPUUtilizationPercentage,omitempty" protobuf:"varint,5,opt"`
}
