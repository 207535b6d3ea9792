package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LimitRange limits what single pods, containers and claims may ask for.
// +kubebuilder:resource:path=limitranges,shortName=limits
type LimitRange struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec LimitRangeSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
}

// LimitRangeItem is the limits of one sort of object.
// +rule:cel="self.type != 'PersistentVolumeClaim' || 'storage' in self.min || 'storage' in self.max",reason=Required,at=limits,
//   message="either minimum or maximum storage value is required, but neither was provided"
type LimitRangeItem struct {
	// +rule:format=qualified-name,ends
	// +rule:cel="self.contains('/') || self in ['Pod', 'Container', 'PersistentVolumeClaim']",message="must be a standard limit type or fully qualified"
	Type LimitType `json:"type" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:keys:format=container-resource-name,when="parent.type in ['Pod', 'Container']"
	// +rule:keys:format=resource-name,when="!(parent.type in ['Pod', 'Container'])"
	Max ResourceList `json:"max,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +rule:keys:format=container-resource-name,when="parent.type in ['Pod', 'Container']"
	// +rule:keys:format=resource-name,when="!(parent.type in ['Pod', 'Container'])"
	// +rule:values:cel="!(key in parent.max) || !quantity(self).isGreaterThan(quantity(parent.max[key]))",messageExpression="'min value ' + self + ' is greater than max value ' + parent.max[key]"
	Min ResourceList `json:"min,omitempty" protobuf:"bytes,3,rep"`
	// +optional
	// +rule:forbidden,when="parent.type == 'Pod'",message="may not be specified when `type` is 'Pod'"
	// +rule:keys:format=container-resource-name,when="parent.type in ['Pod', 'Container']"
	// +rule:keys:format=resource-name,when="!(parent.type in ['Pod', 'Container'])"
	// +rule:values:cel="!(key in parent.min) || !quantity(parent.min[key]).isGreaterThan(quantity(self))",value="parent.min[key]",messageExpression="'min value ' + parent.min[key] + ' is greater than default value ' + self"
	// +rule:values:cel="!(key in parent.max) || !quantity(self).isGreaterThan(quantity(parent.max[key]))",value="parent.max[key]",messageExpression="'default value ' + self + ' is greater than max value ' + parent.max[key]"
	Default ResourceList `json:"default,omitempty" protobuf:"bytes,4,rep"`
	// +optional
	// +rule:forbidden,when="parent.type == 'Pod'",message="may not be specified when `type` is 'Pod'"
	// +rule:keys:format=container-resource-name,when="parent.type in ['Pod', 'Container']"
	// +rule:keys:format=resource-name,when="!(parent.type in ['Pod', 'Container'])"
	// +rule:values:cel="!(key in parent.min) || !quantity(parent.min[key]).isGreaterThan(quantity(self))",messageExpression="'min value ' + parent.min[key] + ' is greater than default request value ' + self"
	// +rule:values:cel="!(key in parent.max) || !quantity(self).isGreaterThan(quantity(parent.max[key]))",messageExpression="'default request value ' + self + ' is greater than max value ' + parent.max[key]"
	// +rule:values:cel="!(key in parent.default) || !quantity(self).isGreaterThan(quantity(parent.default[key]))",messageExpression="'default request value ' + self + ' is greater than default limit value ' + parent.default[key]"
	// +rule:values:cel="!(key in parent.default) || quantity(self).compareTo(quantity(parent.default[key])) == 0",when="key.startsWith('hugepages-') || (key.contains('/') && !key.contains('kubernetes.io/'))",messageExpression="'default value ' + parent.default[key] + ' must equal to defaultRequest value ' + self + ' in ' + key"
	DefaultRequest ResourceList `json:"defaultRequest,omitempty" protobuf:"bytes,5,rep"`
	// +optional
	// +rule:keys:format=container-resource-name,when="parent.type in ['Pod', 'Container']"
	// +rule:keys:format=resource-name,when="!(parent.type in ['Pod', 'Container'])"
	// +rule:values:cel="!quantity(self).isLessThan(quantity('1'))",messageExpression="'ratio ' + self + ' is less than 1'"
	// +rule:values:cel="!(key in parent.max) || !(key in parent.min) || quantity(self).asApproximateFloat() <= quantity(parent.max[key]).asApproximateFloat() / quantity(parent.min[key]).asApproximateFloat()",messageExpression="'ratio ' + self + ' is greater than max/min = ' + '%.6f'.format([quantity(parent.max[key]).asApproximateFloat() / quantity(parent.min[key]).asApproximateFloat()])"
	MaxLimitRequestRatio ResourceList `json:"maxLimitRequestRatio,omitempty" protobuf:"bytes,6,rep"`
}

// LimitRangeSpec holds the limits.
type LimitRangeSpec struct {
	// +listType=atomic
	// +rule:unique="self.type",at=type
	Limits []LimitRangeItem `json:"limits" protobuf:"bytes,1,rep"`
}

// LimitType is what a limit is about.
type LimitType string

const (
	LimitTypePod LimitType = "Pod"
	LimitTypeContainer LimitType = "Container"
	LimitTypePersistentVolumeClaim LimitType = "PersistentVolumeClaim"
)
