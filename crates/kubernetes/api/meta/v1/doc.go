// +groupName=meta.k8s.io
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=io.k8s.apimachinery.pkg.apis.meta.v1
package v1
