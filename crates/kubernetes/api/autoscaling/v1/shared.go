package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	v1 "k8s.io/api/core/v1"
)

// ContainerResourceMetricSource goes by a resource of one container in all pods.
type ContainerResourceMetricSource struct {
	Name v1.ResourceName `json:"name" protobuf:"bytes,1,name=name"`
	// +optional
	TargetAverageUtilization *int32 `json:"targetAverageUtilization,omitempty" protobuf:"varint,2,opt"`
	// +optional
	TargetAverageValue *resource.Quantity `json:"targetAverageValue,omitempty" protobuf:"bytes,3,opt"`
	Container string `json:"container" protobuf:"bytes,5,opt"`
}

// ContainerResourceMetricStatus is what one container of all pods uses of a resource.
type ContainerResourceMetricStatus struct {
	Name v1.ResourceName `json:"name" protobuf:"bytes,1,name=name"`
	// +optional
	CurrentAverageUtilization *int32 `json:"currentAverageUtilization,omitempty" protobuf:"bytes,2,opt"`
	CurrentAverageValue resource.Quantity `json:"currentAverageValue" protobuf:"bytes,3,name=currentAverageValue"`
	Container string `json:"container" protobuf:"bytes,4,opt"`
}

// ExternalMetricSource goes by a metric of something outside the cluster.
type ExternalMetricSource struct {
	MetricName string `json:"metricName" protobuf:"bytes,1,name=metricName"`
	// +optional
	MetricSelector *metav1.LabelSelector `json:"metricSelector,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	TargetValue *resource.Quantity `json:"targetValue,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	TargetAverageValue *resource.Quantity `json:"targetAverageValue,omitempty" protobuf:"bytes,4,opt"`
}

// ExternalMetricStatus is the value of an external metric.
type ExternalMetricStatus struct {
	MetricName string `json:"metricName" protobuf:"bytes,1,name=metricName"`
	// +optional
	MetricSelector *metav1.LabelSelector `json:"metricSelector,omitempty" protobuf:"bytes,2,opt"`
	CurrentValue resource.Quantity `json:"currentValue" protobuf:"bytes,3,name=currentValue"`
	// +optional
	CurrentAverageValue *resource.Quantity `json:"currentAverageValue,omitempty" protobuf:"bytes,4,opt"`
}

// HorizontalPodAutoscalerCondition is one aspect of how the autoscaler stands.
type HorizontalPodAutoscalerCondition struct {
	Type HorizontalPodAutoscalerConditionType `json:"type" protobuf:"bytes,1,name=type"`
	Status v1.ConditionStatus `json:"status" protobuf:"bytes,2,name=status"`
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,5,opt"`
}

// HorizontalPodAutoscalerConditionType names an aspect of an autoscaler.
type HorizontalPodAutoscalerConditionType string

const (
	HorizontalPodAutoscalerConditionTypeScalingActive HorizontalPodAutoscalerConditionType = "ScalingActive"
	HorizontalPodAutoscalerConditionTypeAbleToScale HorizontalPodAutoscalerConditionType = "AbleToScale"
	HorizontalPodAutoscalerConditionTypeScalingLimited HorizontalPodAutoscalerConditionType = "ScalingLimited"
	HorizontalPodAutoscalerConditionTypeScaledToZero HorizontalPodAutoscalerConditionType = "ScaledToZero"
)

// MetricSourceType names a sort of metric.
// +enum
type MetricSourceType string

const (
	MetricSourceTypeObject MetricSourceType = "Object"
	MetricSourceTypePods MetricSourceType = "Pods"
	MetricSourceTypeResource MetricSourceType = "Resource"
	MetricSourceTypeContainerResource MetricSourceType = "ContainerResource"
	MetricSourceTypeExternal MetricSourceType = "External"
)

// MetricSpec is one metric with its target.
type MetricSpec struct {
	Type MetricSourceType `json:"type" protobuf:"bytes,1,name=type"`
	// +optional
	Object *ObjectMetricSource `json:"object,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Pods *PodsMetricSource `json:"pods,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Resource *ResourceMetricSource `json:"resource,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	ContainerResource *ContainerResourceMetricSource `json:"containerResource,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	External *ExternalMetricSource `json:"external,omitempty" protobuf:"bytes,5,opt"`
}

// MetricStatus is one metric with its value.
type MetricStatus struct {
	Type MetricSourceType `json:"type" protobuf:"bytes,1,name=type"`
	// +optional
	Object *ObjectMetricStatus `json:"object,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Pods *PodsMetricStatus `json:"pods,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Resource *ResourceMetricStatus `json:"resource,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	ContainerResource *ContainerResourceMetricStatus `json:"containerResource,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	External *ExternalMetricStatus `json:"external,omitempty" protobuf:"bytes,5,opt"`
}

// ObjectMetricSource goes by a metric of one object.
type ObjectMetricSource struct {
	Target CrossVersionObjectReference `json:"target" protobuf:"bytes,1,name=target"`
	MetricName string `json:"metricName" protobuf:"bytes,2,name=metricName"`
	TargetValue resource.Quantity `json:"targetValue" protobuf:"bytes,3,name=targetValue"`
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty" protobuf:"bytes,4,name=selector"`
	// +optional
	AverageValue *resource.Quantity `json:"averageValue,omitempty" protobuf:"bytes,5,name=averageValue"`
}

// ObjectMetricStatus is the value of a metric of one object.
type ObjectMetricStatus struct {
	Target CrossVersionObjectReference `json:"target" protobuf:"bytes,1,name=target"`
	MetricName string `json:"metricName" protobuf:"bytes,2,name=metricName"`
	CurrentValue resource.Quantity `json:"currentValue" protobuf:"bytes,3,name=currentValue"`
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty" protobuf:"bytes,4,name=selector"`
	// +optional
	AverageValue *resource.Quantity `json:"averageValue,omitempty" protobuf:"bytes,5,name=averageValue"`
}

// PodsMetricSource goes by a metric that all pods have.
type PodsMetricSource struct {
	MetricName string `json:"metricName" protobuf:"bytes,1,name=metricName"`
	TargetAverageValue resource.Quantity `json:"targetAverageValue" protobuf:"bytes,2,name=targetAverageValue"`
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty" protobuf:"bytes,3,name=selector"`
}

// PodsMetricStatus is the average of a metric of all pods.
type PodsMetricStatus struct {
	MetricName string `json:"metricName" protobuf:"bytes,1,name=metricName"`
	CurrentAverageValue resource.Quantity `json:"currentAverageValue" protobuf:"bytes,2,name=currentAverageValue"`
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty" protobuf:"bytes,3,name=selector"`
}

// ResourceMetricSource goes by a resource that all pods use.
type ResourceMetricSource struct {
	Name v1.ResourceName `json:"name" protobuf:"bytes,1,name=name"`
	// +optional
	TargetAverageUtilization *int32 `json:"targetAverageUtilization,omitempty" protobuf:"varint,2,opt"`
	// +optional
	TargetAverageValue *resource.Quantity `json:"targetAverageValue,omitempty" protobuf:"bytes,3,opt"`
}

// ResourceMetricStatus is what all pods use of a resource.
type ResourceMetricStatus struct {
	Name v1.ResourceName `json:"name" protobuf:"bytes,1,name=name"`
	// +optional
	CurrentAverageUtilization *int32 `json:"currentAverageUtilization,omitempty" protobuf:"bytes,2,opt"`
	CurrentAverageValue resource.Quantity `json:"currentAverageValue" protobuf:"bytes,3,name=currentAverageValue"`
}

// Scale is the count of replicas of some object.
// +k8s:isSubresource="/scale"
type Scale struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec ScaleSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status ScaleStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// ScaleSpec is the count that is wanted.
type ScaleSpec struct {
	// +optional
	// +k8s:optional
	// +default=0
	// +k8s:minimum=0
	Replicas int32 `json:"replicas,omitempty" protobuf:"varint,1,opt"`
}

// ScaleStatus is the count that there is, and of which pods.
type ScaleStatus struct {
	Replicas int32 `json:"replicas" protobuf:"varint,1,opt"`
	// +optional
	Selector string `json:"selector,omitempty" protobuf:"bytes,2,opt"`
}
