package v1

// ValidatingAdmissionPolicyConditionType names an aspect of a policy.
type ValidatingAdmissionPolicyConditionType string
