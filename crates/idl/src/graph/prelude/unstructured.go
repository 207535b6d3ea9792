package unstructured

// +k8s:deepcopy-gen=true
type Unstructured struct {
	Object map[string]interface{}
}

func (in *Unstructured) MarshalJSON() ([]byte, error)
func (in *Unstructured) UnmarshalJSON(b []byte) error

// +k8s:deepcopy-gen=true
type UnstructuredList struct {
	Object map[string]interface{}
	Items  []Unstructured `json:"items"`
}

func (u *UnstructuredList) MarshalJSON() ([]byte, error)
func (u *UnstructuredList) UnmarshalJSON(b []byte) error
