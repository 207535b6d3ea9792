package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Event reports something that happened, for a while.
// +rule:let:isNewEvent="self.eventTime != ''"
// +rule:cel="(isNewEvent ? self.involvedObject.namespace != '' || self.metadata.namespace in ['default', 'kube-system'] : self.involvedObject.namespace == '' ? self.metadata.namespace in ['', 'default'] : self.involvedObject.namespace == self.metadata.namespace)",at=involvedObject.namespace,value="self.involvedObject.namespace",message="does not match event.namespace"
// +rule:cel="self.metadata.namespace.problems('dns-subdomain').size() == 0",at=namespace,value="self.metadata.namespace",messageExpression="self.metadata.namespace.problems('dns-subdomain')"
// +kubebuilder:resource:path=events,shortName=ev
type Event struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ObjectMeta `json:"metadata" protobuf:"bytes,1,opt"`
	InvolvedObject ObjectReference `json:"involvedObject" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:required,when="isNewEvent",continues
	// +rule:cel="bytes(self).size() <= 128",when="isNewEvent",value="''",message="can have at most 128 characters"
	Reason string `json:"reason,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +rule:cel="bytes(self).size() <= 1024",when="isNewEvent",value="''",message="can have at most 1024 characters"
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
	// +rule:required,when="isNewEvent",continues
	// +rule:cel="bytes(self).size() <= 128",when="isNewEvent",value="''",message="can have at most 128 characters"
	Action string `json:"action,omitempty" protobuf:"bytes,12,opt"`
	// +optional
	Related *ObjectReference `json:"related,omitempty" protobuf:"bytes,13,opt"`
	// +optional
	// +rule:required,when="isNewEvent",continues
	// +rule:format=qualified-name,when="isNewEvent"
	ReportingController string `json:"reportingComponent" protobuf:"bytes,14,opt"`
	// +optional
	// +rule:required,when="isNewEvent",continues
	// +rule:cel="bytes(self).size() <= 128",when="isNewEvent",value="''",message="can have at most 128 characters"
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
