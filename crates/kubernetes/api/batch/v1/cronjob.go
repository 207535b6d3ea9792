package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:resource:path=cronjobs,shortName=cj,categories=all
type CronJob struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +required
	Spec CronJobSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
	// +optional
	Status CronJobStatus `json:"status,omitempty" protobuf:"bytes,3,opt"`
}

// +enum
type ConcurrencyPolicy string

const (
	ConcurrencyPolicyAllow ConcurrencyPolicy = "Allow"
	ConcurrencyPolicyForbid ConcurrencyPolicy = "Forbid"
	ConcurrencyPolicyReplace ConcurrencyPolicy = "Replace"
)

type CronJobSpec struct {
	// +required
	// +k8s:required
	Schedule string `json:"schedule" protobuf:"bytes,1,opt"`
	// +optional
	TimeZone *string `json:"timeZone,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	StartingDeadlineSeconds *int64 `json:"startingDeadlineSeconds,omitempty" protobuf:"varint,2,opt"`
	// +optional
	ConcurrencyPolicy ConcurrencyPolicy `json:"concurrencyPolicy,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	Suspend *bool `json:"suspend,omitempty" protobuf:"varint,4,opt"`
	JobTemplate JobTemplateSpec `json:"jobTemplate" protobuf:"bytes,5,opt"`
	// +optional
	SuccessfulJobsHistoryLimit *int32 `json:"successfulJobsHistoryLimit,omitempty" protobuf:"varint,6,opt"`
	// +optional
	FailedJobsHistoryLimit *int32 `json:"failedJobsHistoryLimit,omitempty" protobuf:"varint,7,opt"`
}

type CronJobStatus struct {
	// +optional
	// +listType=atomic
	Active []corev1.ObjectReference `json:"active,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	LastScheduleTime *metav1.Time `json:"lastScheduleTime,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	LastSuccessfulTime *metav1.Time `json:"lastSuccessfulTime,omitempty" protobuf:"bytes,5,opt"`
}

type JobTemplateSpec struct {
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec JobSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
}
