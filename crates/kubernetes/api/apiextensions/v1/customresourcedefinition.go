package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Whether a webhook converts, or nothing does.
type ConversionStrategyType string

// What a definition declares.
type CustomResourceDefinitionSpec struct {
	Group string `json:"group" protobuf:"bytes,1,opt"`
	Names CustomResourceDefinitionNames `json:"names" protobuf:"bytes,3,opt"`
	Scope ResourceScope `json:"scope" protobuf:"bytes,4,opt"`
	// +listType=atomic
	Versions []CustomResourceDefinitionVersion `json:"versions" protobuf:"bytes,7,rep"`
	// +optional
	Conversion *CustomResourceConversion `json:"conversion,omitempty" protobuf:"bytes,9,opt"`
	// +optional
	PreserveUnknownFields bool `json:"preserveUnknownFields,omitempty" protobuf:"varint,10,opt"`
}

// How objects become objects of another version.
type CustomResourceConversion struct {
	Strategy ConversionStrategyType `json:"strategy" protobuf:"bytes,1,name"`
	// +optional
	Webhook *WebhookConversion `json:"webhook,omitempty" protobuf:"bytes,2,opt"`
}

// A webhook that converts objects, and the reviews that it understands.
type WebhookConversion struct {
	// +optional
	ClientConfig *WebhookClientConfig `json:"clientConfig,omitempty" protobuf:"bytes,2,name"`
	// +listType=atomic
	ConversionReviewVersions []string `json:"conversionReviewVersions" protobuf:"bytes,3,rep"`
}

// Where a webhook is, and whom to trust there.
type WebhookClientConfig struct {
	// +optional
	URL *string `json:"url,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Service *ServiceReference `json:"service,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	CABundle []byte `json:"caBundle,omitempty" protobuf:"bytes,2,opt"`
}

// A service that answers calls of webhooks.
type ServiceReference struct {
	Namespace string `json:"namespace" protobuf:"bytes,1,opt"`
	Name string `json:"name" protobuf:"bytes,2,opt"`
	// +optional
	Path *string `json:"path,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Port *int32 `json:"port,omitempty" protobuf:"varint,4,opt"`
}

// One version of the kind.
type CustomResourceDefinitionVersion struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	Served bool `json:"served" protobuf:"varint,2,opt"`
	Storage bool `json:"storage" protobuf:"varint,3,opt"`
	// +optional
	Deprecated bool `json:"deprecated,omitempty" protobuf:"varint,7,opt"`
	// +optional
	DeprecationWarning *string `json:"deprecationWarning,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	Schema *CustomResourceValidation `json:"schema,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Subresources *CustomResourceSubresources `json:"subresources,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +listType=atomic
	AdditionalPrinterColumns []CustomResourceColumnDefinition `json:"additionalPrinterColumns,omitempty" protobuf:"bytes,6,rep"`
	// +optional
	// +listType=atomic
	SelectableFields []SelectableField `json:"selectableFields,omitempty" protobuf:"bytes,9,rep"`
}

// A field that lists can be filtered by.
type SelectableField struct {
	JSONPath string `json:"jsonPath" protobuf:"bytes,1,opt"`
}

// A column of the table form.
type CustomResourceColumnDefinition struct {
	Name string `json:"name" protobuf:"bytes,1,opt"`
	Type string `json:"type" protobuf:"bytes,2,opt"`
	// +optional
	Format string `json:"format,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Description string `json:"description,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Priority int32 `json:"priority,omitempty" protobuf:"bytes,5,opt"`
	JSONPath string `json:"jsonPath" protobuf:"bytes,6,opt"`
}

// The names that a kind goes by.
type CustomResourceDefinitionNames struct {
	Plural string `json:"plural" protobuf:"bytes,1,opt"`
	// +optional
	Singular string `json:"singular,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	ShortNames []string `json:"shortNames,omitempty" protobuf:"bytes,3,opt"`
	Kind string `json:"kind" protobuf:"bytes,4,opt"`
	// +optional
	ListKind string `json:"listKind,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	// +listType=atomic
	Categories []string `json:"categories,omitempty" protobuf:"bytes,6,rep"`
}

// Whether objects live in namespaces.
type ResourceScope string

// True, False or Unknown.
type ConditionStatus string

// What a condition is about.
type CustomResourceDefinitionConditionType string

// One observation about a definition.
type CustomResourceDefinitionCondition struct {
	Type CustomResourceDefinitionConditionType `json:"type" protobuf:"bytes,1,opt"`
	Status ConditionStatus `json:"status" protobuf:"bytes,2,opt"`
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,6,opt"`
}

// What the server made of a definition.
type CustomResourceDefinitionStatus struct {
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []CustomResourceDefinitionCondition `json:"conditions" protobuf:"bytes,1,opt"`
	// +optional
	AcceptedNames CustomResourceDefinitionNames `json:"acceptedNames" protobuf:"bytes,2,opt"`
	// +optional
	// +listType=atomic
	StoredVersions []string `json:"storedVersions" protobuf:"bytes,3,rep"`
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,4,opt"`
}

// Defines a kind, of which the server then serves objects.
// +kubebuilder:resource:path=customresourcedefinitions,scope=Cluster,shortName=crd;crds,categories=api-extensions
type CustomResourceDefinition struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	Spec CustomResourceDefinitionSpec `json:"spec" protobuf:"bytes,2,opt"`
	// +optional
	Status CustomResourceDefinitionStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// The schema of a version.
type CustomResourceValidation struct {
	// +optional
	OpenAPIV3Schema *JSONSchemaProps `json:"openAPIV3Schema,omitempty" protobuf:"bytes,1,opt"`
}

// The subresources of a version.
type CustomResourceSubresources struct {
	// +optional
	Status *CustomResourceSubresourceStatus `json:"status,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Scale *CustomResourceSubresourceScale `json:"scale,omitempty" protobuf:"bytes,2,opt"`
}

// Where replicas are found in an object.
type CustomResourceSubresourceScale struct {
	SpecReplicasPath string `json:"specReplicasPath" protobuf:"bytes,1,name"`
	StatusReplicasPath string `json:"statusReplicasPath" protobuf:"bytes,2,opt"`
	// +optional
	LabelSelectorPath *string `json:"labelSelectorPath,omitempty" protobuf:"bytes,3,opt"`
}

// Status as an endpoint of its own.
type CustomResourceSubresourceStatus struct {
}
