// +groupName=policy
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=io.k8s.api.policy.v1
package v1
