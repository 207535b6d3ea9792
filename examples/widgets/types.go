// Package v1 is the example API as tagged Go types: the same kind as crd.yaml and types.rs.
//
// +groupName=shop.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// A widget of the shop.
//
// +kubebuilder:resource:shortName=wd,categories=all
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
// +kubebuilder:selectablefield:JSONPath=.spec.size
// +k8s:printerColumn(name: "Size", type: "string", jsonPath: ".spec.size")
// +k8s:printerColumn(name: "Replicas", type: "integer", jsonPath: ".spec.replicas")
// +k8s:printerColumn(name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp")
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`

	// What is wanted.
	// +required
	Spec WidgetSpec `json:"spec"`
	// What is there.
	// +optional
	Status *WidgetStatus `json:"status,omitempty"`
	// A word from the makers.
	// +optional
	Comment *string `json:"comment,omitempty"`
}

// How big a widget is.
//
// +enum
type Size string

const (
	SizeSmall  Size = "Small"
	SizeMedium Size = "Medium"
	SizeLarge  Size = "Large"
)

// What is wanted of a widget.
//
// +validationRule="self.replicas <= 3 || self.size != 'Large'",message="large widgets come in threes at most"
// +validationRule="!has(oldSelf.owner) || has(self.owner)",message="a widget keeps its owner"
type WidgetSpec struct {
	// How big it is.
	// +optional
	// +default="Medium"
	Size Size `json:"size,omitempty"`
	// How many there are.
	// +optional
	// +default=1
	// +minimum=0
	// +maximum=100
	Replicas *int32 `json:"replicas,omitempty"`
	// Who it belongs to; it cannot change hands.
	// +optional
	// +maxLength=63
	// +validationRule="self == oldSelf",message="owner is immutable"
	Owner *string `json:"owner,omitempty"`
	// Stamped once and for all.
	// +optional
	// +immutable
	Serial *string `json:"serial,omitempty"`
	// Where it is shown.
	// +optional
	// +format="uri"
	Homepage *string `json:"homepage,omitempty"`
	// What it is made of, by name.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +maxItems=20
	Parts []Part `json:"parts,omitempty"`
	// Words to find it by.
	// +optional
	// +listType=set
	// +maxItems=10
	Tags []Tag `json:"tags,omitempty"`
	// How it is put together, in order.
	// +optional
	// +listType=atomic
	Steps []string `json:"steps,omitempty"`
	// Prices by currency.
	// +optional
	// +maxProperties=5
	Prices map[string]int64 `json:"prices,omitempty"`
	// How it looks.
	// +optional
	Finish *Finish `json:"finish,omitempty"`
	Dimensions `json:",inline"`
	// How many may be missing during a change: a number or a share.
	// +optional
	MaxMissing *intstr.IntOrString `json:"maxMissing,omitempty"`
	// On the left side, or on the right.
	// +optional
	// +mutually_exclusive=side
	Left *string `json:"left,omitempty"`
	// +optional
	// +mutually_exclusive=side
	Right *string `json:"right,omitempty"`
	// How high a stack of large ones may be.
	// +optional
	// +contextual(size)=Large
	StackLimit *int32 `json:"stackLimit,omitempty"`
	// Null says that nobody wants to say anything.
	// +optional
	// +nullable
	Note *string `json:"note,omitempty"`
	// Anything else.
	// +optional
	Extra *runtime.RawExtension `json:"extra,omitempty"`
	// Which widgets are made first.
	// +optional
	// +k8s:featureGate=WidgetPriority
	// +k8s:warning="spec.priority is young and may go"
	Priority *int32 `json:"priority,omitempty"`
}

// A word.
//
// +maxLength=20
// +minLength=1
type Tag string

// A part of a widget.
type Part struct {
	// +required
	// +maxLength=63
	// +pattern="^[a-z][a-z0-9-]*$"
	Name string `json:"name"`
	// +optional
	// +default=1
	// +minimum=1
	Count *int32 `json:"count,omitempty"`
}

// How big it is, in millimetres.
type Dimensions struct {
	// +optional
	// +minimum=0
	// +exclusiveMinimum
	Width *float64 `json:"width,omitempty"`
	// +optional
	// +minimum=0
	// +exclusiveMinimum
	Height *float64 `json:"height,omitempty"`
}

// +enum
type FinishType string

const (
	FinishTypePaint   FinishType = "Paint"
	FinishTypePlating FinishType = "Plating"
	FinishTypeRaw     FinishType = "Raw"
)

// The finish of a widget: paint, plating, or none.
type Finish struct {
	// +unionDiscriminator
	// +required
	Type FinishType `json:"type"`
	// A color by name or as a triple.
	// +unionMember=Paint
	// +optional
	Paint *Paint `json:"paint,omitempty"`
	// The metal.
	// +unionMember=Plating,optional
	// +optional
	Plating *string `json:"plating,omitempty"`
}

// A color.
type Paint struct {
	// +optional
	Name *string `json:"name,omitempty"`
	// +optional
	// +minItems=3
	// +maxItems=3
	RGB []Channel `json:"rgb,omitempty"`
}

// A channel of a color.
//
// +minimum=0
// +maximum=255
type Channel int32

// How far a widget is.
//
// +enum
type Phase string

const (
	PhasePending Phase = "Pending"
	PhaseReady   Phase = "Ready"
	PhaseBroken  Phase = "Broken"
)

// What there is of a widget.
type WidgetStatus struct {
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// +optional
	Phase *Phase `json:"phase,omitempty"`
}
