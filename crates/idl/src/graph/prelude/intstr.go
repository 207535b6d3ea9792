package intstr

// +protobuf=true
// +protobuf.options.(gogoproto.goproto_stringer)=false
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=io.k8s.apimachinery.pkg.util.intstr
type IntOrString struct {
	Type   Type
	IntVal int32
	StrVal string
}

type Type int64

const (
	Int Type = iota
	String
)

func (intstr *IntOrString) UnmarshalJSON(value []byte) error
func (intstr IntOrString) MarshalJSON() ([]byte, error)

func (IntOrString) OpenAPISchemaType() []string { return []string{"string"} }

func (IntOrString) OpenAPISchemaFormat() string { return "int-or-string" }

func (IntOrString) OpenAPIV3OneOfTypes() []string { return []string{"integer", "string"} }
