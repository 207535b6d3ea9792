package v1

// The reason that a failed rule is reported with.
// +enum
type FieldValueErrorReason string

const (
	FieldValueErrorReasonRequired FieldValueErrorReason = "FieldValueRequired"
	FieldValueErrorReasonDuplicate FieldValueErrorReason = "FieldValueDuplicate"
	FieldValueErrorReasonInvalid FieldValueErrorReason = "FieldValueInvalid"
	FieldValueErrorReasonForbidden FieldValueErrorReason = "FieldValueForbidden"
)

// A schema, which describes a value.
type JSONSchemaProps struct {
	ID string `json:"id,omitempty" protobuf:"bytes,1,opt"`
	Schema JSONSchemaURL `json:"$schema,omitempty" protobuf:"bytes,2,opt"`
	Ref *string `json:"$ref,omitempty" protobuf:"bytes,3,opt"`
	Description string `json:"description,omitempty" protobuf:"bytes,4,opt"`
	Type string `json:"type,omitempty" protobuf:"bytes,5,opt"`
	Format string `json:"format,omitempty" protobuf:"bytes,6,opt"`
	Title string `json:"title,omitempty" protobuf:"bytes,7,opt"`
	Default *JSON `json:"default,omitempty" protobuf:"bytes,8,opt"`
	Maximum *float64 `json:"maximum,omitempty" protobuf:"bytes,9,opt"`
	ExclusiveMaximum bool `json:"exclusiveMaximum,omitempty" protobuf:"bytes,10,opt"`
	Minimum *float64 `json:"minimum,omitempty" protobuf:"bytes,11,opt"`
	ExclusiveMinimum bool `json:"exclusiveMinimum,omitempty" protobuf:"bytes,12,opt"`
	MaxLength *int64 `json:"maxLength,omitempty" protobuf:"bytes,13,opt"`
	MinLength *int64 `json:"minLength,omitempty" protobuf:"bytes,14,opt"`
	Pattern string `json:"pattern,omitempty" protobuf:"bytes,15,opt"`
	MaxItems *int64 `json:"maxItems,omitempty" protobuf:"bytes,16,opt"`
	MinItems *int64 `json:"minItems,omitempty" protobuf:"bytes,17,opt"`
	UniqueItems bool `json:"uniqueItems,omitempty" protobuf:"bytes,18,opt"`
	MultipleOf *float64 `json:"multipleOf,omitempty" protobuf:"bytes,19,opt"`
	// +listType=atomic
	Enum []JSON `json:"enum,omitempty" protobuf:"bytes,20,rep"`
	MaxProperties *int64 `json:"maxProperties,omitempty" protobuf:"bytes,21,opt"`
	MinProperties *int64 `json:"minProperties,omitempty" protobuf:"bytes,22,opt"`
	// +listType=atomic
	Required []string `json:"required,omitempty" protobuf:"bytes,23,rep"`
	Items *JSONSchemaPropsOrArray `json:"items,omitempty" protobuf:"bytes,24,opt"`
	// +listType=atomic
	AllOf []JSONSchemaProps `json:"allOf,omitempty" protobuf:"bytes,25,rep"`
	// +listType=atomic
	OneOf []JSONSchemaProps `json:"oneOf,omitempty" protobuf:"bytes,26,rep"`
	// +listType=atomic
	AnyOf []JSONSchemaProps `json:"anyOf,omitempty" protobuf:"bytes,27,rep"`
	Not *JSONSchemaProps `json:"not,omitempty" protobuf:"bytes,28,opt"`
	Properties map[string]JSONSchemaProps `json:"properties,omitempty" protobuf:"bytes,29,rep"`
	AdditionalProperties *JSONSchemaPropsOrBool `json:"additionalProperties,omitempty" protobuf:"bytes,30,opt"`
	PatternProperties map[string]JSONSchemaProps `json:"patternProperties,omitempty" protobuf:"bytes,31,rep"`
	Dependencies JSONSchemaDependencies `json:"dependencies,omitempty" protobuf:"bytes,32,opt"`
	AdditionalItems *JSONSchemaPropsOrBool `json:"additionalItems,omitempty" protobuf:"bytes,33,opt"`
	Definitions JSONSchemaDefinitions `json:"definitions,omitempty" protobuf:"bytes,34,opt"`
	ExternalDocs *ExternalDocumentation `json:"externalDocs,omitempty" protobuf:"bytes,35,opt"`
	Example *JSON `json:"example,omitempty" protobuf:"bytes,36,opt"`
	Nullable bool `json:"nullable,omitempty" protobuf:"bytes,37,opt"`
	XPreserveUnknownFields *bool `json:"x-kubernetes-preserve-unknown-fields,omitempty" protobuf:"bytes,38,opt"`
	XEmbeddedResource bool `json:"x-kubernetes-embedded-resource,omitempty" protobuf:"bytes,39,opt"`
	XIntOrString bool `json:"x-kubernetes-int-or-string,omitempty" protobuf:"bytes,40,opt"`
	// +optional
	// +listType=atomic
	XListMapKeys []string `json:"x-kubernetes-list-map-keys,omitempty" protobuf:"bytes,41,rep"`
	// +optional
	XListType *string `json:"x-kubernetes-list-type,omitempty" protobuf:"bytes,42,opt"`
	// +optional
	XMapType *string `json:"x-kubernetes-map-type,omitempty" protobuf:"bytes,43,opt"`
	// +listType=map
	// +listMapKey=rule
	XValidations ValidationRules `json:"x-kubernetes-validations,omitempty" patchStrategy:"merge" patchMergeKey:"rule" protobuf:"bytes,44,rep"`
}

// The CEL rules of one place.
type ValidationRules []ValidationRule

// A CEL rule on a value.
type ValidationRule struct {
	Rule string `json:"rule" protobuf:"bytes,1,opt"`
	Message string `json:"message,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	MessageExpression string `json:"messageExpression,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Reason *FieldValueErrorReason `json:"reason,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	FieldPath string `json:"fieldPath,omitempty" protobuf:"bytes,5,opt"`
	// +optional
	OptionalOldSelf *bool `json:"optionalOldSelf,omitempty" protobuf:"bytes,6,opt"`
}

// Any JSON value.
type JSON struct {
	Raw []byte `json:"-" protobuf:"bytes,1,opt"`
}

// The dialect of a schema.
type JSONSchemaURL string

// A schema, or a list of them.
type JSONSchemaPropsOrArray struct {
	Schema *JSONSchemaProps `protobuf:"bytes,1,opt"`
	// +listType=atomic
	JSONSchemas []JSONSchemaProps `protobuf:"bytes,2,rep"`
}

// A schema, or yes or no.
type JSONSchemaPropsOrBool struct {
	Allows bool `protobuf:"varint,1,opt"`
	Schema *JSONSchemaProps `protobuf:"bytes,2,opt"`
}

// Dependencies between properties, by property.
type JSONSchemaDependencies map[string]JSONSchemaPropsOrStringArray

// A schema, or names of properties.
type JSONSchemaPropsOrStringArray struct {
	Schema *JSONSchemaProps `protobuf:"bytes,1,opt"`
	// +listType=atomic
	Property []string `protobuf:"bytes,2,rep"`
}

// Schemas by name.
type JSONSchemaDefinitions map[string]JSONSchemaProps

// A place with more documentation.
type ExternalDocumentation struct {
	Description string `json:"description,omitempty" protobuf:"bytes,1,opt"`
	URL string `json:"url,omitempty" protobuf:"bytes,2,opt"`
}
