// +groupName=coordination.k8s.io
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=io.k8s.api.coordination.v1
package v1
