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
	// +rule:required,message="must specify a resource name"
	// +rule:format=container-resource-name
	Name v1.ResourceName `json:"name" protobuf:"bytes,1,name=name"`
	// +rule:cel="has(self.averageUtilization) || has(self.averageValue)",at=averageUtilization,reason=Required,message="must set either a target raw value or a target utilization"
	// +rule:cel="!has(self.averageUtilization) || !has(self.averageValue)",at=averageValue,reason=Forbidden,message="may not set both a target raw value and a target utilization"
	Target MetricTarget `json:"target" protobuf:"bytes,2,name=target"`
	// +rule:required,message="must specify a container"
	// +rule:format=dns-label
	Container string `json:"container" protobuf:"bytes,3,opt"`
}

// ContainerResourceMetricStatus is what one container of all pods uses of a resource.
type ContainerResourceMetricStatus struct {
	Name v1.ResourceName `json:"name" protobuf:"bytes,1,name=name"`
	Current MetricValueStatus `json:"current" protobuf:"bytes,2,name=current"`
	Container string `json:"container" protobuf:"bytes,3,opt"`
}

// CrossVersionObjectReference names an object by kind, name and version.
// +rule:shared
// +rule:default:allowAnyAPIVersion="false"
// +rule:default:allowCoreAPIVersion="false"
type CrossVersionObjectReference struct {
	// +rule:required
	// +rule:format=path-segment-name
	Kind string `json:"kind" protobuf:"bytes,1,opt"`
	// +rule:required
	// +rule:format=path-segment-name
	Name string `json:"name" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:skip,when="allowAnyAPIVersion"
	// +rule:cel="self.indexOf('/') == self.lastIndexOf('/')",messageExpression="'unexpected GroupVersion string: ' + self",ends
	// +rule:cel="allowCoreAPIVersion || self.indexOf('/') > 0",message="apiVersion must specify API group"
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,3,opt"`
}

// ExternalMetricSource goes by a metric of something outside the cluster.
type ExternalMetricSource struct {
	// +rule:valid
	Metric MetricIdentifier `json:"metric" protobuf:"bytes,1,name=metric"`
	// +rule:cel="has(self.value) || has(self.averageValue)",at=averageValue,reason=Required,message="must set either a target value for metric or a per-pod target"
	// +rule:cel="!has(self.value) || !has(self.averageValue)",at=value,reason=Forbidden,message="may not set both a target value for metric and a per-pod target"
	Target MetricTarget `json:"target" protobuf:"bytes,2,name=target"`
}

// ExternalMetricStatus is the value of an external metric.
type ExternalMetricStatus struct {
	Metric MetricIdentifier `json:"metric" protobuf:"bytes,1,name=metric"`
	Current MetricValueStatus `json:"current" protobuf:"bytes,2,name=current"`
}

// HPAScalingPolicy bounds a change within a time.
type HPAScalingPolicy struct {
	// +rule:oneOf=Percent;Pods
	Type HPAScalingPolicyType `json:"type" protobuf:"bytes,1,opt"`
	// +rule:minimum=1,message="must be greater than zero"
	Value int32 `json:"value" protobuf:"varint,2,opt"`
	// +rule:minimum=1,message="must be greater than zero"
	// +rule:maximum=1800
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
	// +rule:minimum=0,message="must be greater than or equal to zero"
	// +rule:maximum=3600
	StabilizationWindowSeconds *int32 `json:"stabilizationWindowSeconds,omitempty" protobuf:"varint,3,opt"`
	// +optional
	// +rule:oneOf=Disabled;Max;Min
	SelectPolicy *ScalingPolicySelect `json:"selectPolicy,omitempty" protobuf:"bytes,1,opt"`
	// +listType=atomic
	// +optional
	// +rule:required,message="must specify at least one Policy"
	Policies []HPAScalingPolicy `json:"policies,omitempty" protobuf:"bytes,2,rep"`
	// +featureGate=HPAConfigurableTolerance
	// +optional
	// +rule:cel="!quantity(self).isLessThan(quantity('0'))",message="must be greater than or equal to 0"
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
// +rule:let:hadZeroReplicas="has(oldSelf.minReplicas) && oldSelf.minReplicas == 0"
type HorizontalPodAutoscalerSpec struct {
	// A target that stays is not judged again; the only kind of the core group may name none.
	// +rule:let:allowAnyAPIVersion="isUpdate && self.scaleTargetRef.apiVersion == oldSelf.scaleTargetRef.apiVersion && self.scaleTargetRef.kind == oldSelf.scaleTargetRef.kind"
	// +rule:let:allowCoreAPIVersion="self.scaleTargetRef.kind == 'ReplicationController'"
	// +rule:valid
	ScaleTargetRef CrossVersionObjectReference `json:"scaleTargetRef" protobuf:"bytes,1,opt"`
	// +optional
	// +k8s:optional
	// +default=1
	// +unpublishedDefault
	// +rule:minimum=1,when="!hadZeroReplicas"
	// +rule:minimum=0,when="hadZeroReplicas"
	MinReplicas *int32 `json:"minReplicas,omitempty" protobuf:"varint,2,opt"`
	// +required
	// +rule:required,message="must be set and greater than 0",continues
	// +rule:minimum=1,when="self != 0"
	// +rule:cel="self >= parent.minReplicas",when="has(parent.minReplicas)",message="must be greater than or equal to `minReplicas`"
	MaxReplicas int32 `json:"maxReplicas" protobuf:"varint,3,opt"`
	// +listType=atomic
	// +optional
	// +rule:let:allowAnyAPIVersion="oldSelf.metrics.exists(m, m.object.describedObject.apiVersion.split('/').size() > 2)"
	// +rule:let:allowCoreAPIVersion="true"
	// +rule:cel="self.exists(m, m.type in ['Object', 'External'])",when="has(parent.minReplicas) && parent.minReplicas == 0",reason=Forbidden,
	//   message="must specify at least one Object or External metric to support scaling to zero replicas"
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
// +rule:shared
type MetricIdentifier struct {
	// +rule:required,message="must specify a metric name"
	// +rule:format=path-segment-name
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
// +rule:let:sources="[has(self.object), has(self.external), has(self.pods), has(self.resource), has(self.containerResource)].filter(h, h).size()"
type MetricSpec struct {
	// +rule:required,message="must specify a metric source type",continues
	// The server looks twice.
	// +rule:oneOf=ContainerResource;External;Object;Pods;Resource,continues
	// +rule:oneOf=ContainerResource;External;Object;Pods;Resource,continues
	Type MetricSourceType `json:"type" protobuf:"bytes,1,name=type"`
	// +optional
	// +rule:required,when="parent.type == 'Object'",message="must populate information for the given metric source"
	// +rule:forbidden,when="sources > 1 && parent.type != 'Object'",message="must populate the given metric source only",continues
	Object *ObjectMetricSource `json:"object,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:required,when="parent.type == 'Pods'",message="must populate information for the given metric source"
	// +rule:forbidden,when="sources > 1 && parent.type != 'Pods'",message="must populate the given metric source only",continues
	// +rule:skip,when="has(parent.object) || has(parent.external)"
	Pods *PodsMetricSource `json:"pods,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:required,when="parent.type == 'Resource'",message="must populate information for the given metric source"
	// +rule:forbidden,when="sources > 1 && parent.type != 'Resource'",message="must populate the given metric source only",continues
	// +rule:skip,when="has(parent.object) || has(parent.external) || has(parent.pods)"
	Resource *ResourceMetricSource `json:"resource,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	// +rule:required,when="parent.type == 'ContainerResource'",message="must populate information for the given metric source"
	// +rule:forbidden,when="sources > 1 && parent.type != 'ContainerResource'",message="must populate the given metric source only",continues
	// +rule:skip,when="has(parent.object) || has(parent.external) || has(parent.pods) || has(parent.resource)"
	ContainerResource *ContainerResourceMetricSource `json:"containerResource,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	// +rule:required,when="parent.type == 'External'",message="must populate information for the given metric source"
	// +rule:forbidden,when="sources > 1 && parent.type != 'External'",message="must populate the given metric source only",continues
	// +rule:skip,when="has(parent.object)"
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
	// +rule:required,message="must specify a metric target type",continues
	// +rule:cel="self in ['Utilization', 'Value', 'AverageValue']",message="must be either Utilization, Value, or AverageValue"
	Type MetricTargetType `json:"type" protobuf:"bytes,1,name=type"`
	// +optional
	// +rule:cel="quantity(self).isGreaterThan(quantity('0'))",message="must be positive"
	Value *resource.Quantity `json:"value,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:cel="quantity(self).isGreaterThan(quantity('0'))",message="must be positive"
	AverageValue *resource.Quantity `json:"averageValue,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:minimum=1,message="must be greater than 0"
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
	// +rule:valid
	DescribedObject CrossVersionObjectReference `json:"describedObject" protobuf:"bytes,1,name=describedObject"`
	// +rule:cel="has(self.value) || has(self.averageValue)",at=averageValue,reason=Required,message="must set either a target value or averageValue"
	Target MetricTarget `json:"target" protobuf:"bytes,2,name=target"`
	// +rule:valid
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
	// +rule:valid
	Metric MetricIdentifier `json:"metric" protobuf:"bytes,1,name=metric"`
	// +rule:cel="has(self.averageValue)",at=averageValue,reason=Required,message="must specify a positive target averageValue"
	Target MetricTarget `json:"target" protobuf:"bytes,2,name=target"`
}

// PodsMetricStatus is the average of a metric of all pods.
type PodsMetricStatus struct {
	Metric MetricIdentifier `json:"metric" protobuf:"bytes,1,name=metric"`
	Current MetricValueStatus `json:"current" protobuf:"bytes,2,name=current"`
}

// ResourceMetricSource goes by a resource that all pods use.
type ResourceMetricSource struct {
	// +rule:required,message="must specify a resource name"
	Name v1.ResourceName `json:"name" protobuf:"bytes,1,name=name"`
	// +rule:cel="has(self.averageUtilization) || has(self.averageValue)",at=averageUtilization,reason=Required,message="must set either a target raw value or a target utilization"
	// +rule:cel="!has(self.averageUtilization) || !has(self.averageValue)",at=averageValue,reason=Forbidden,message="may not set both a target raw value and a target utilization"
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
