package resource

// +protobuf=true
// +protobuf.embed=string
// +protobuf.options.marshal=false
// +protobuf.options.(gogoproto.goproto_stringer)=false
// +k8s:deepcopy-gen=true
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=io.k8s.apimachinery.pkg.api.resource
type Quantity struct {
	i      int64Amount
	d      infDecAmount
	s      string
	Format Format
}

type int64Amount struct {
	value int64
	scale Scale
}

type infDecAmount struct {
	big *bigAmount
}

type bigAmount struct {
	scale Scale
}

type Scale int32

type Format string

const (
	DecimalExponent = Format("DecimalExponent")
	BinarySI        = Format("BinarySI")
	DecimalSI       = Format("DecimalSI")
)

func (q Quantity) OpenAPISchemaType() []string { return []string{"string"} }

func (q Quantity) OpenAPISchemaFormat() string { return "" }

func (q Quantity) OpenAPIV3OneOfTypes() []string { return []string{"string", "number"} }

func (q Quantity) MarshalJSON() ([]byte, error)
func (q Quantity) DeepCopy() Quantity
func (q *Quantity) UnmarshalJSON(value []byte) error
