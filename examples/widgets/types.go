// Package v1 is the example API as tagged Go types: the same kind as crd.yaml and types.rs. An older
// version of it is in v1beta1.
//
// +groupName=shop.example.com
package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// A widget of the shop.
//
// +kubebuilder:resource:shortName=wd,categories=all
// +kubebuilder:storageversion
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:selectablefield:JSONPath=.spec.size
// +k8s:printerColumn(name: "Size", type: "string", jsonPath: ".spec.size")
// +k8s:printerColumn(name: "Replicas", type: "integer", jsonPath: ".spec.replicas")
// +k8s:printerColumn(name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp")
type Widget struct {
	metav1.TypeMeta `json:",inline"`
	// +nameFormat=dns1123label
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`

	// What is wanted.
	// +required
	Spec WidgetSpec `json:"spec"`
	// What is there.
	// +optional
	Status *WidgetStatus `json:"status,omitempty"`
	// A word from the makers.
	// +optional
	// +conversionName=-
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
// +validationRule="!has(self.parts) || self.parts.all(part, part.count <= 50)",messageExpression="'at most 50 of each part, from ' + self.parts[0].name + ' on'",reason=Forbidden,field="parts"
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
	// +conversionName=-
	Serial *string `json:"serial,omitempty"`
	// Where it is shown.
	// +optional
	// +format="uri"
	// +conversionName=-
	Homepage *string `json:"homepage,omitempty"`
	// What it is made of, by name.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +maxItems=20
	// +conversionName=-
	Parts []Part `json:"parts,omitempty"`
	// Words to find it by.
	// +optional
	// +listType=set
	// +maxItems=10
	Tags []Tag `json:"tags,omitempty"`
	// How it is put together, in order.
	// +optional
	// +listType=atomic
	// +conversionName=-
	Steps []string `json:"steps,omitempty"`
	// Prices by currency.
	// +optional
	// +maxProperties=5
	// +conversionName=-
	Prices map[string]int64 `json:"prices,omitempty"`
	// How it looks.
	// +optional
	// +conversionName=-
	Finish *Finish `json:"finish,omitempty"`
	Dimensions `json:",inline"`
	// How many may be missing during a change: a number or a share.
	// +optional
	// +conversionName=-
	MaxMissing *intstr.IntOrString `json:"maxMissing,omitempty"`
	// On the left side, or on the right.
	// +optional
	// +mutually_exclusive=side
	// +conversionName=-
	Left *string `json:"left,omitempty"`
	// +optional
	// +mutually_exclusive=side
	// +conversionName=-
	Right *string `json:"right,omitempty"`
	// How high a stack of large ones may be.
	// +optional
	// +contextual(size)=Large
	// +conversionName=-
	StackLimit *int32 `json:"stackLimit,omitempty"`
	// Null says that nobody wants to say anything.
	// +optional
	// +nullable
	// +conversionName=-
	Note *string `json:"note,omitempty"`
	// Anything else.
	// +optional
	// +conversionName=-
	Extra *runtime.RawExtension `json:"extra,omitempty"`
	// What it looks like.
	// +optional
	// +default="gray"
	// +k8s:selectableField
	// +k8s:printerColumn(name: "Color", type: "string", priority: "1")
	Color *string `json:"color,omitempty"`
	// Whether customers see it.
	// +optional
	// +default=true
	// +conversionName=-
	Visible *bool `json:"visible,omitempty"`
	// What is left of the price.
	// +optional
	// +default=0.75
	// +minimum=0
	// +maximum=1
	// +exclusiveMaximum
	// +conversionName=-
	Rebate *float64 `json:"rebate,omitempty"`
	// Where it is sold.
	// +optional
	// +default=["shop","fair"]
	// +listType=atomic
	// +conversionName=-
	Channels []string `json:"channels,omitempty"`
	// How it is packed.
	// +optional
	// +default={"material":"wood"}
	// +conversionName=-
	Packaging *Packaging `json:"packaging,omitempty"`
	// How many may be sold in a while; written as a whole.
	// +optional
	// +mapType=atomic
	// +minProperties=1
	// +maxProperties=3
	// +validationRule="self.all(unit, unit in ['minute', 'hour', 'day'])",message="a while is a minute, an hour or a day"
	// +conversionName=-
	Limits map[string]int32 `json:"limits,omitempty"`
	// Where it is fixed; written as a whole.
	// +optional
	// +structType=atomic
	// +conversionName=-
	Anchor *Point `json:"anchor,omitempty"`
	// A part to have at hand, a few of it.
	// +optional
	// +override(count)=+maximum=5
	// +conversionName=-
	Spare *Part `json:"spare,omitempty"`
	// How heavy it is.
	// +optional
	// +conversionName=-
	Mass *resource.Quantity `json:"mass,omitempty"`
	// Since when it is made.
	// +optional
	// +conversionName=-
	Since *metav1.Time `json:"since,omitempty"`
	// How long it lasts.
	// +optional
	// +conversionName=-
	Life *metav1.Duration `json:"life,omitempty"`
	// A picture of it.
	// +optional
	// +conversionName=-
	Icon []byte `json:"icon,omitempty"`
	// What its friends call it.
	// +optional
	// +minLength=2
	// +validationError(keyword: "minLength", message: "a name has two letters at least")
	// +conversionName=-
	Nickname *string `json:"nickname,omitempty"`
	// What is written on it.
	// +optional
	// +conversionName=-
	Engraving *Engraving `json:"engraving,omitempty"`
	// Which widgets are made first.
	// +optional
	// +k8s:featureGate=WidgetPriority
	// +k8s:warning="young and may go"
	// +conversionName=-
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
	// How it is joined to the others.
	// +optional
	Joint *Joint `json:"joint,omitempty"`
}

// A joint: screws, glue, or nothing.
type Joint struct {
	// +unionDiscriminator
	// +optional
	Kind JointKind `json:"kind,omitempty"`
	// +unionMember=Glue
	// +optional
	Glue *string `json:"glue,omitempty"`
	// +unionMember=Screws
	// +optional
	Screws *int32 `json:"screws,omitempty"`
}

// +enum
type JointKind string

const (
	JointKindGlue   JointKind = "Glue"
	JointKindScrews JointKind = "Screws"
	JointKindLoose  JointKind = ""
)

// How a widget is packed.
type Packaging struct {
	// +optional
	// +default="paper"
	Material *string `json:"material,omitempty"`
	// +optional
	// +default=1
	Layers *int32 `json:"layers,omitempty"`
}

// A place in the plane.
type Point struct {
	// +required
	X int32 `json:"x"`
	// +required
	Y int32 `json:"y"`
}

// What is written on a widget, by the rules of validation-gen.
type Engraving struct {
	// +k8s:required
	// +k8s:maxLength=8
	Text string `json:"text"`
	// +k8s:optional
	// +k8s:minimum=1
	// +k8s:alpha(since: "1.36")=+k8s:maximum=9
	// +k8s:ifDisabled("WidgetPriority")=+k8s:maximum=30
	Height *int32 `json:"height,omitempty"`
	// +k8s:optional
	// +k8s:maxItems=3
	// +k8s:eachVal=+k8s:maxLength=4
	// +listType=atomic
	// +k8s:listType=atomic
	Marks []string `json:"marks,omitempty"`
}

// How big it is, in millimetres.
type Dimensions struct {
	// +optional
	// +minimum=0
	// +exclusiveMinimum
	// +conversionName=-
	Width *float64 `json:"width,omitempty"`
	// +optional
	// +minimum=0
	// +exclusiveMinimum
	// +conversionName=-
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
	Rgb []Channel `json:"rgb,omitempty"`
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
	// +conversionName=-
	Phase *Phase `json:"phase,omitempty"`
	// Which pods there are, as text.
	// +optional
	// +conversionName=-
	Selector *string `json:"selector,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=type
	// +conversionName=-
	Conditions []Condition `json:"conditions,omitempty"`
}

// One thing that is known of a widget.
type Condition struct {
	// +required
	Type string `json:"type"`
	// +required
	Status string `json:"status"`
}
