package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Event reports something that happened, for a while.
// +rule:let:isNewEvent="self.eventTime != ''"
// +rule:cel="(isNewEvent ? self.regarding.namespace != '' || self.metadata.namespace in ['default', 'kube-system'] : self.regarding.namespace == '' ? self.metadata.namespace in ['', 'default'] : self.regarding.namespace == self.metadata.namespace)",at=involvedObject.namespace,value="self.regarding.namespace",message="does not match event.namespace"
// +rule:cel="self.metadata.namespace.problems('dns-subdomain').size() == 0",at=namespace,value="self.metadata.namespace",messageExpression="self.metadata.namespace.problems('dns-subdomain')"
// +kubebuilder:resource:path=events,shortName=ev
type Event struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata" protobuf:"bytes,1,opt"`
	// +rule:required,when="!isUpdate"
	// +rule:immutable
	EventTime metav1.MicroTime `json:"eventTime" protobuf:"bytes,2,opt"`
	// +optional
	// +rule:skip,when="self == oldSelf"
	Series *EventSeries `json:"series,omitempty" protobuf:"bytes,3,opt"`
	// +rule:required,when="isNewEvent",continues
	// +rule:format=qualified-name,when="isNewEvent"
	// +rule:immutable
	ReportingController string `json:"reportingController,omitempty" protobuf:"bytes,4,opt"`
	// +rule:required,when="isNewEvent",continues
	// +rule:cel="bytes(self).size() <= 128",when="isNewEvent",value="''",message="can have at most 128 characters"
	// +rule:immutable
	ReportingInstance string `json:"reportingInstance,omitempty" protobuf:"bytes,5,opt"`
	// +rule:required,when="isNewEvent",continues
	// +rule:cel="bytes(self).size() <= 128",when="isNewEvent",value="''",message="can have at most 128 characters"
	// +rule:immutable
	Action string `json:"action,omitempty" protobuf:"bytes,6,name=action"`
	// +rule:required,when="isNewEvent",continues
	// +rule:cel="bytes(self).size() <= 128",when="isNewEvent",value="''",message="can have at most 128 characters"
	// +rule:immutable
	// +rule:immutable
	Reason string `json:"reason,omitempty" protobuf:"bytes,7,name=reason"`
	// +optional
	// +rule:path=involvedObject
	// +rule:immutable
	Regarding corev1.ObjectReference `json:"regarding,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	// +rule:immutable
	Related *corev1.ObjectReference `json:"related,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	// +rule:path=message
	// +rule:cel="bytes(self).size() <= 1024",when="isNewEvent",value="''",message="can have at most 1024 characters"
	// +rule:immutable
	Note string `json:"note,omitempty" protobuf:"bytes,10,opt"`
	// +rule:cel="self in ['Normal', 'Warning']",when="!isUpdate",value="''",messageExpression="'has invalid value: ' + self"
	// +rule:immutable
	Type string `json:"type,omitempty" protobuf:"bytes,11,opt"`
	// +optional
	// +rule:path=source
	// +rule:cel="self.component == '' && self.host == ''",when="!isUpdate",value="''",message="needs to be unset"
	// +rule:immutable
	DeprecatedSource corev1.EventSource `json:"deprecatedSource,omitempty" protobuf:"bytes,12,opt"`
	// +optional
	// +rule:path=firstTimestamp
	// +rule:cel="self == ''",when="!isUpdate",value="''",message="needs to be unset"
	// +rule:immutable
	DeprecatedFirstTimestamp metav1.Time `json:"deprecatedFirstTimestamp,omitempty" protobuf:"bytes,13,opt"`
	// +optional
	// +rule:path=lastTimestamp
	// +rule:cel="self == ''",when="!isUpdate",value="''",message="needs to be unset"
	// +rule:immutable
	DeprecatedLastTimestamp metav1.Time `json:"deprecatedLastTimestamp,omitempty" protobuf:"bytes,14,opt"`
	// +optional
	// +rule:path=count
	// +rule:cel="self == 0",when="!isUpdate",value="''",message="needs to be unset"
	// +rule:immutable
	DeprecatedCount int32 `json:"deprecatedCount,omitempty" protobuf:"varint,15,opt"`
}

// EventSeries counts events that keep happening.
type EventSeries struct {
	// +rule:cel="self >= 2",value="''",message="should be at least 2"
	Count int32 `json:"count" protobuf:"varint,1,opt"`
	// +rule:required
	LastObservedTime metav1.MicroTime `json:"lastObservedTime" protobuf:"bytes,2,opt"`
}
