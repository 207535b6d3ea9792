// +groupName=autoscaling
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=io.k8s.api.autoscaling.v2
package v2
