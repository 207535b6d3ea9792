package v1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PodDisruptionBudget limits how many pods of a set may be missing at a time.
// +k8s:supportsSubresource="/status"
// +kubebuilder:resource:path=poddisruptionbudgets,shortName=pdb
type PodDisruptionBudget struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec PodDisruptionBudgetSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:on=status
	Status PodDisruptionBudgetStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// PodDisruptionBudgetSpec names the pods and how many of them must stay.
// +rule:cel="!has(self.minAvailable) || !has(self.maxUnavailable)",message="minAvailable and maxUnavailable cannot be both set"
// +rule:let:allowInvalidSelectorValues="oldSelf.selector.matchExpressions.exists(e, e.values.exists(v, v.problems('label-value').size() > 0))"
type PodDisruptionBudgetSpec struct {
	// +optional
	// +rule:format=percent
	// +rule:minimum=0
	// +rule:cel="!string(self).matches('^[0-9]+%$') || string(self).matches('^0*([0-9]{1,2}|100)%$')",message="must not be greater than 100%"
	MinAvailable *intstr.IntOrString `json:"minAvailable,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:valid
	Selector *metav1.LabelSelector `json:"selector,omitempty" patchStrategy:"replace" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:format=percent
	// +rule:minimum=0
	// +rule:cel="!string(self).matches('^[0-9]+%$') || string(self).matches('^0*([0-9]{1,2}|100)%$')",message="must not be greater than 100%"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	UnhealthyPodEvictionPolicy *UnhealthyPodEvictionPolicyType `json:"unhealthyPodEvictionPolicy,omitempty" protobuf:"bytes,4,opt"`
}

// PodDisruptionBudgetStatus is what the disruption controller counted last.
type PodDisruptionBudgetStatus struct {
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt"`
	// +optional
	DisruptedPods map[string]metav1.Time `json:"disruptedPods,omitempty" protobuf:"bytes,2,rep"`
	// +optional
	// +k8s:minimum=0
	DisruptionsAllowed int32 `json:"disruptionsAllowed" protobuf:"varint,3,opt"`
	// +optional
	// +k8s:minimum=0
	CurrentHealthy int32 `json:"currentHealthy" protobuf:"varint,4,opt"`
	// +optional
	// +k8s:minimum=0
	DesiredHealthy int32 `json:"desiredHealthy" protobuf:"varint,5,opt"`
	// +optional
	// +k8s:minimum=0
	ExpectedPods int32 `json:"expectedPods" protobuf:"varint,6,opt"`
	// +optional
	// +listType=map
	// +listMapKey=type
	// +rule:unique="self.type",at=type
	// +rule:valid
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,7,rep"`
}

// UnhealthyPodEvictionPolicyType says when pods that are not healthy may be evicted.
// +enum
// +k8s:enum
type UnhealthyPodEvictionPolicyType string

const (
	UnhealthyPodEvictionPolicyTypeIfHealthyBudget UnhealthyPodEvictionPolicyType = "IfHealthyBudget"
	UnhealthyPodEvictionPolicyTypeAlwaysAllow UnhealthyPodEvictionPolicyType = "AlwaysAllow"
)
