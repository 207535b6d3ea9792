package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Event reports something that happened, for a while.
// +kubebuilder:resource:path=events,shortName=ev
type Event struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata" protobuf:"bytes,1,opt"`
	EventTime metav1.MicroTime `json:"eventTime" protobuf:"bytes,2,opt"`
	// +optional
	Series *EventSeries `json:"series,omitempty" protobuf:"bytes,3,opt"`
	ReportingController string `json:"reportingController,omitempty" protobuf:"bytes,4,opt"`
	ReportingInstance string `json:"reportingInstance,omitempty" protobuf:"bytes,5,opt"`
	Action string `json:"action,omitempty" protobuf:"bytes,6,name=action"`
	Reason string `json:"reason,omitempty" protobuf:"bytes,7,name=reason"`
	// +optional
	Regarding corev1.ObjectReference `json:"regarding,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	Related *corev1.ObjectReference `json:"related,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	Note string `json:"note,omitempty" protobuf:"bytes,10,opt"`
	Type string `json:"type,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	DeprecatedSource corev1.EventSource `json:"deprecatedSource,omitempty" protobuf:"bytes,12,opt"`
	// +optional
	DeprecatedFirstTimestamp metav1.Time `json:"deprecatedFirstTimestamp,omitempty" protobuf:"bytes,13,opt"`
	// +optional
	DeprecatedLastTimestamp metav1.Time `json:"deprecatedLastTimestamp,omitempty" protobuf:"bytes,14,opt"`
	// +optional
	DeprecatedCount int32 `json:"deprecatedCount,omitempty" protobuf:"varint,15,opt"`
}

// EventSeries counts events that keep happening.
type EventSeries struct {
	Count int32 `json:"count" protobuf:"varint,1,opt"`
	LastObservedTime metav1.MicroTime `json:"lastObservedTime" protobuf:"bytes,2,opt"`
}
