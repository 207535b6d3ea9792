// Package v1 is the example API as tagged Go types: the same kind as crd.yaml.
//
// +k8s:validation-gen=*
// +k8s:validation-gen-nolint
// +groupName=shop.example.com
// +versionName=v1
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Widget is a widget of the shop.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=wd,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
// +kubebuilder:printcolumn:name=Size,type=string,JSONPath=.spec.size
// +kubebuilder:printcolumn:name=Replicas,type=integer,JSONPath=.spec.replicas
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
// +kubebuilder:selectablefield:JSONPath=.spec.size
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	Spec WidgetSpec `json:"spec"`
	// What is there.
	// +optional
	Status WidgetStatus `json:"status,omitempty"`
}

// Size is how big a widget is.
//
// +k8s:enum
// +kubebuilder:validation:Enum=Small;Medium;Large
type Size string

const (
	Small  Size = "Small"
	Medium Size = "Medium"
	Large  Size = "Large"
)

// WidgetSpec is what is wanted of a widget.
//
// +kubebuilder:validation:XValidation:rule="self.replicas <= 3 || self.size != 'Large'",message="large widgets come in threes at most"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.owner) || has(self.owner)",message="a widget keeps its owner"
type WidgetSpec struct {
	// How big it is.
	// +optional
	// +default="Medium"
	Size Size `json:"size,omitempty"`
	// How many there are.
	// +optional
	// +default=1
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Replicas *int32 `json:"replicas,omitempty"`
	// Who it belongs to; it cannot change hands.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=63
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="owner is immutable"
	Owner *string `json:"owner,omitempty"`
	// What it is made of, by name.
	// +optional
	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=name
	// +k8s:maxItems=20
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=20
	Parts []Part `json:"parts,omitempty"`
}

// Part is a part of a widget.
type Part struct {
	// +k8s:required
	// +k8s:maxLength=63
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9-]*$`
	Name string `json:"name"`
	// +optional
	// +default=1
	// +k8s:optional
	// +k8s:minimum=1
	// +kubebuilder:validation:Minimum=1
	Count *int32 `json:"count,omitempty"`
}

// WidgetStatus is what there is of a widget.
type WidgetStatus struct {
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// +optional
	Phase string `json:"phase,omitempty"`
}
