// Package v1beta1 is an older version of the example API: the same kind as in crd.yaml and
// v1beta1.rs. It knows fewer fields, which a write through it
// drops, and fewer limits; what was written through it stays as it is.
//
// +groupName=shop.example.com
package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A widget of the shop, as it was.
//
// +kubebuilder:resource:shortName=wd,categories=all
// +kubebuilder:deprecatedversion:warning="shop.example.com/v1beta1 Widget is old; use v1"
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`

	// What is wanted.
	// +required
	Spec WidgetSpec `json:"spec"`
	// What is there.
	// +optional
	Status *WidgetStatus `json:"status,omitempty"`
}

// What is wanted of a widget.
type WidgetSpec struct {
	// +optional
	// +default="Small"
	Size string `json:"size,omitempty"`
	// +optional
	// +default=2
	// +minimum=0
	Replicas *int32 `json:"replicas,omitempty"`
	// +optional
	Owner *string `json:"owner,omitempty"`
	// +optional
	// +listType=set
	Tags []string `json:"tags,omitempty"`
	// +optional
	// +default="gray"
	Color *string `json:"color,omitempty"`
}

// What there is of a widget.
type WidgetStatus struct {
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
}
