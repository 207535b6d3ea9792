// +groupName=
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=io.k8s.api.core.v1
package v1
