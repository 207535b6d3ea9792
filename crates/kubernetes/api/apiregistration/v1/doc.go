// +groupName=apiregistration.k8s.io
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=io.k8s.kube-aggregator.pkg.apis.apiregistration.v1
package v1
