// +groupName=apiextensions.k8s.io
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1
package v1
