package v1

// +k8s:openapi-model-package=io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1
type JSON struct {
	Raw []byte `json:"-"`
}

func (_ JSON) OpenAPISchemaType() []string { return nil }

func (_ JSON) OpenAPISchemaFormat() string { return "" }

func (s JSON) MarshalJSON() ([]byte, error)
func (s *JSON) UnmarshalJSON(data []byte) error
