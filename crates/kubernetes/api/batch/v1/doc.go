// +groupName=batch
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=io.k8s.api.batch.v1
package v1
