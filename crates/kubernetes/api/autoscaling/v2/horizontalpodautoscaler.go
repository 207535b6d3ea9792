package v2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	v1 "k8s.io/api/core/v1"
)

// HorizontalPodAutoscaler makes a count of replicas follow metrics.
// +k8s:supportsSubresource="/status"
// +kubebuilder:resource:path=horizontalpodautoscalers,shortName=hpa,categories=all
// +kubebuilder:storageversion
type HorizontalPodAutoscaler struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +required
	Spec HorizontalPodAutoscalerSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status HorizontalPodAutoscalerStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// ContainerResourceMetricSource goes by a resource of one container in all pods.
type ContainerResourceMetricSource struct {
	Name v1.ResourceName `json:"name" protobuf:"bytes,1,name=name"`
	Target MetricTarget `json:"target" protobuf:"bytes,2,name=target"`
	Container string `json:"container" protobuf:"bytes,3,opt"`
}

// ContainerResourceMetricStatus is what one container of all pods uses of a resource.
type ContainerResourceMetricStatus struct {
	Name v1.ResourceName `json:"name" protobuf:"bytes,1,name=name"`
	Current MetricValueStatus `json:"current" protobuf:"bytes,2,name=current"`
	Container string `json:"container" protobuf:"bytes,3,opt"`
}

// CrossVersionObjectReference names an object by kind, name and version.
type CrossVersionObjectReference struct {
	Kind string `json:"kind" protobuf:"bytes,1,opt"`
	Name string `json:"name" protobuf:"bytes,2,opt"`
	// +optional
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,3,opt"`
}

// ExternalMetricSource goes by a metric of something outside the cluster.
type ExternalMetricSource struct {
	Metric MetricIdentifier `json:"metric" protobuf:"bytes,1,name=metric"`
	Target MetricTarget `json:"target" protobuf:"bytes,2,name=target"`
}

// ExternalMetricStatus is the value of an external metric.
type ExternalMetricStatus struct {
	Metric MetricIdentifier `json:"metric" protobuf:"bytes,1,name=metric"`
	Current MetricValueStatus `json:"current" protobuf:"bytes,2,name=current"`
}

// HPAScalingPolicy bounds a change within a time.
type HPAScalingPolicy struct {
	Type HPAScalingPolicyType `json:"type" protobuf:"bytes,1,opt"`
	Value int32 `json:"value" protobuf:"varint,2,opt"`
	PeriodSeconds int32 `json:"periodSeconds" protobuf:"varint,3,opt"`
}

// HPAScalingPolicyType says whether a bound is a count or a share.
type HPAScalingPolicyType string

const (
	HPAScalingPolicyTypePods HPAScalingPolicyType = "Pods"
	HPAScalingPolicyTypePercent HPAScalingPolicyType = "Percent"
)

// HPAScalingRules bounds changes in one direction.
type HPAScalingRules struct {
	// +optional
	StabilizationWindowSeconds *int32 `json:"stabilizationWindowSeconds,omitempty" protobuf:"varint,3,opt"`
	// +optional
	SelectPolicy *ScalingPolicySelect `json:"selectPolicy,omitempty" protobuf:"bytes,1,opt"`
	// +listType=atomic
	// +optional
	Policies []HPAScalingPolicy `json:"policies,omitempty" protobuf:"bytes,2,rep"`
	// +featureGate=HPAConfigurableTolerance
	// +optional
	Tolerance *resource.Quantity `json:"tolerance,omitempty" protobuf:"bytes,4,opt"`
}

// HorizontalPodAutoscalerBehavior bounds changes in both directions.
type HorizontalPodAutoscalerBehavior struct {
	// +optional
	ScaleUp *HPAScalingRules `json:"scaleUp,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	ScaleDown *HPAScalingRules `json:"scaleDown,omitempty" protobuf:"bytes,2,opt"`
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
	// +listType=atomic
	// +optional
	Metrics []MetricSpec `json:"metrics,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	Behavior *HorizontalPodAutoscalerBehavior `json:"behavior,omitempty" protobuf:"bytes,5,opt"`
}

// HorizontalPodAutoscalerStatus is what was measured and decided last.
type HorizontalPodAutoscalerStatus struct {
	// +optional
	ObservedGeneration *int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt"`
	// +optional
	LastScaleTime *metav1.Time `json:"lastScaleTime,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +k8s:minimum=0
	CurrentReplicas int32 `json:"currentReplicas,omitempty" protobuf:"varint,3,opt"`
	// +k8s:minimum=0
	DesiredReplicas int32 `json:"desiredReplicas" protobuf:"varint,4,opt"`
	// +listType=atomic
	// +optional
	CurrentMetrics []MetricStatus `json:"currentMetrics" protobuf:"bytes,5,rep"`
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []HorizontalPodAutoscalerCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,6,rep"`
}

// MetricIdentifier names a metric.
type MetricIdentifier struct {
	Name string `json:"name" protobuf:"bytes,1,name=name"`
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty" protobuf:"bytes,2,name=selector"`
}

// MetricSourceType names a sort of metric.
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

// MetricTarget is the value that is aimed at.
type MetricTarget struct {
	Type MetricTargetType `json:"type" protobuf:"bytes,1,name=type"`
	// +optional
	Value *resource.Quantity `json:"value,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	AverageValue *resource.Quantity `json:"averageValue,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	AverageUtilization *int32 `json:"averageUtilization,omitempty" protobuf:"bytes,4,opt"`
}

// MetricTargetType says how a target is measured.
type MetricTargetType string

const (
	MetricTargetTypeUtilization MetricTargetType = "Utilization"
	MetricTargetTypeValue MetricTargetType = "Value"
	MetricTargetTypeAverageValue MetricTargetType = "AverageValue"
)

// MetricValueStatus is the value that was measured.
type MetricValueStatus struct {
	// +optional
	Value *resource.Quantity `json:"value,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	AverageValue *resource.Quantity `json:"averageValue,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	AverageUtilization *int32 `json:"averageUtilization,omitempty" protobuf:"bytes,3,opt"`
}

// ObjectMetricSource goes by a metric of one object.
type ObjectMetricSource struct {
	DescribedObject CrossVersionObjectReference `json:"describedObject" protobuf:"bytes,1,name=describedObject"`
	Target MetricTarget `json:"target" protobuf:"bytes,2,name=target"`
	Metric MetricIdentifier `json:"metric" protobuf:"bytes,3,name=metric"`
}

// ObjectMetricStatus is the value of a metric of one object.
type ObjectMetricStatus struct {
	Metric MetricIdentifier `json:"metric" protobuf:"bytes,1,name=metric"`
	Current MetricValueStatus `json:"current" protobuf:"bytes,2,name=current"`
	DescribedObject CrossVersionObjectReference `json:"describedObject" protobuf:"bytes,3,name=describedObject"`
}

// PodsMetricSource goes by a metric that all pods have.
type PodsMetricSource struct {
	Metric MetricIdentifier `json:"metric" protobuf:"bytes,1,name=metric"`
	Target MetricTarget `json:"target" protobuf:"bytes,2,name=target"`
}

// PodsMetricStatus is the average of a metric of all pods.
type PodsMetricStatus struct {
	Metric MetricIdentifier `json:"metric" protobuf:"bytes,1,name=metric"`
	Current MetricValueStatus `json:"current" protobuf:"bytes,2,name=current"`
}

// ResourceMetricSource goes by a resource that all pods use.
type ResourceMetricSource struct {
	Name v1.ResourceName `json:"name" protobuf:"bytes,1,name=name"`
	Target MetricTarget `json:"target" protobuf:"bytes,2,name=target"`
}

// ResourceMetricStatus is what all pods use of a resource.
type ResourceMetricStatus struct {
	Name v1.ResourceName `json:"name" protobuf:"bytes,1,name=name"`
	Current MetricValueStatus `json:"current" protobuf:"bytes,2,name=current"`
}

// ScalingPolicySelect says which of several bounds counts.
type ScalingPolicySelect string

const (
	ScalingPolicySelectMax ScalingPolicySelect = "Max"
	ScalingPolicySelectMin ScalingPolicySelect = "Min"
	ScalingPolicySelectDisabled ScalingPolicySelect = "Disabled"
)
