// +groupName=storage.k8s.io
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=io.k8s.api.storage.v1
package v1
