package runtime

// +k8s:deepcopy-gen=true
// +protobuf=true
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=io.k8s.apimachinery.pkg.runtime
type TypeMeta struct {
	// +optional
	APIVersion string `json:"apiVersion,omitempty" yaml:"apiVersion,omitempty"`
	// +optional
	Kind string `json:"kind,omitempty" yaml:"kind,omitempty"`
}

// +k8s:deepcopy-gen=true
// +protobuf=true
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=io.k8s.apimachinery.pkg.runtime
type RawExtension struct {
	Raw    []byte `json:"-"`
	Object Object `json:"-"`
}

func (re *RawExtension) UnmarshalJSON(in []byte) error
func (re RawExtension) MarshalJSON() ([]byte, error)

// +k8s:deepcopy-gen=true
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=io.k8s.apimachinery.pkg.runtime
type Unknown struct {
	TypeMeta        `json:",inline"`
	Raw             []byte
	ContentEncoding string
	ContentType     string
}

type Object interface {
	DeepCopyObject() Object
}
