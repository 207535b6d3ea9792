package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Event reports something that happened, for a while.
// +kubebuilder:resource:path=events,shortName=ev
type Event struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ObjectMeta `json:"metadata" protobuf:"bytes,1,opt"`
	InvolvedObject ObjectReference `json:"involvedObject" protobuf:"bytes,2,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Source EventSource `json:"source,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	FirstTimestamp metav1.Time `json:"firstTimestamp,omitempty" protobuf:"bytes,6,opt"`
	// +optional
	LastTimestamp metav1.Time `json:"lastTimestamp,omitempty" protobuf:"bytes,7,opt"`
	// +optional
	Count int32 `json:"count,omitempty" protobuf:"varint,8,opt"`
	// +optional
	Type string `json:"type,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	EventTime metav1.MicroTime `json:"eventTime,omitempty" protobuf:"bytes,10,opt"`
	// +optional
	Series *EventSeries `json:"series,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	Action string `json:"action,omitempty" protobuf:"bytes,12,opt"`
	// +optional
	Related *ObjectReference `json:"related,omitempty" protobuf:"bytes,13,opt"`
	// +optional
	ReportingController string `json:"reportingComponent" protobuf:"bytes,14,opt"`
	// +optional
	ReportingInstance string `json:"reportingInstance" protobuf:"bytes,15,opt"`
}

// EventSeries counts events that keep happening.
type EventSeries struct {
	Count int32 `json:"count,omitempty" protobuf:"varint,1,name=count"`
	LastObservedTime metav1.MicroTime `json:"lastObservedTime,omitempty" protobuf:"bytes,2,name=lastObservedTime"`
}

// EventSource is who reports an event.
type EventSource struct {
	// +optional
	Component string `json:"component,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Host string `json:"host,omitempty" protobuf:"bytes,2,opt"`
}
