package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CronJob starts a job again and again by a schedule.
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

// ConcurrencyPolicy says what happens while the last job still runs.
// +enum
type ConcurrencyPolicy string

const (
	ConcurrencyPolicyAllow ConcurrencyPolicy = "Allow"
	ConcurrencyPolicyForbid ConcurrencyPolicy = "Forbid"
	ConcurrencyPolicyReplace ConcurrencyPolicy = "Replace"
)

// CronJobSpec is the schedule and the job.
type CronJobSpec struct {
	// +required
	// +k8s:required
	Schedule string `json:"schedule" protobuf:"bytes,1,opt"`
	// +optional
	TimeZone *string `json:"timeZone,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	// +k8s:minimum=0
	StartingDeadlineSeconds *int64 `json:"startingDeadlineSeconds,omitempty" protobuf:"varint,2,opt"`
	// +optional
	// +default="Allow"
	// +unpublishedDefault
	ConcurrencyPolicy ConcurrencyPolicy `json:"concurrencyPolicy,omitempty" protobuf:"bytes,3,opt"`
	// +optional
	// +default=false
	// +unpublishedDefault
	Suspend *bool `json:"suspend,omitempty" protobuf:"varint,4,opt"`
	JobTemplate JobTemplateSpec `json:"jobTemplate" protobuf:"bytes,5,opt"`
	// +optional
	// +default=3
	// +unpublishedDefault
	// +k8s:minimum=0
	SuccessfulJobsHistoryLimit *int32 `json:"successfulJobsHistoryLimit,omitempty" protobuf:"varint,6,opt"`
	// +optional
	// +default=1
	// +unpublishedDefault
	// +k8s:minimum=0
	FailedJobsHistoryLimit *int32 `json:"failedJobsHistoryLimit,omitempty" protobuf:"varint,7,opt"`
}

// CronJobStatus is what was started last.
type CronJobStatus struct {
	// +optional
	// +listType=atomic
	Active []corev1.ObjectReference `json:"active,omitempty" protobuf:"bytes,1,rep"`
	// +optional
	LastScheduleTime *metav1.Time `json:"lastScheduleTime,omitempty" protobuf:"bytes,4,opt"`
	// +optional
	LastSuccessfulTime *metav1.Time `json:"lastSuccessfulTime,omitempty" protobuf:"bytes,5,opt"`
}

// JobTemplateSpec is the job that is started.
type JobTemplateSpec struct {
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt"`
	// +optional
	Spec JobSpec `json:"spec,omitempty" protobuf:"bytes,2,opt"`
}
