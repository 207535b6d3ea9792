package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CronJob starts a job again and again by a schedule.
// +kubebuilder:resource:path=cronjobs,shortName=cj,categories=all
// Jobs get the name with a suffix of 11 characters.
// +rule:cel="bytes(self.metadata.name).size() <= 52",when="!isUpdate",at=metadata.name,value="self.metadata.name",message="must be no more than 52 characters"
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
// +rule:let:allowZoneInSchedule="oldSelf.schedule.contains('TZ')"
// +rule:let:isSameZone="isUpdate && has(self.timeZone) == has(oldSelf.timeZone) && self.timeZone == oldSelf.timeZone"
type CronJobSpec struct {
	// +required
	// +k8s:required
	// +rule:optional
	// +rule:code=cron-schedule
	// +rule:cel="!self.contains('TZ') || !has(parent.timeZone)",when="allowZoneInSchedule",message="cannot use both timeZone field and TZ or CRON_TZ in schedule"
	// +rule:cel="!self.contains('TZ')",when="!allowZoneInSchedule",message="cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
	Schedule string `json:"schedule" protobuf:"bytes,1,opt"`
	// +optional
	// +rule:skip,when="isSameZone"
	// +rule:cel="self != ''",message="timeZone must be nil or non-empty string",ends
	// +rule:cel="self.split('/').all(p, p.matches('^[A-Za-z0-9._+-]{1,14}$') && !(p in ['.', '..']) && !p.startsWith('-'))",messageExpression="'unknown time zone ' + self",ends
	// +rule:cel="self.lowerAscii() != 'local'",message="timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
	// +rule:code=time-zone
	TimeZone *string `json:"timeZone,omitempty" protobuf:"bytes,8,opt"`
	// +optional
	// +k8s:minimum=0
	StartingDeadlineSeconds *int64 `json:"startingDeadlineSeconds,omitempty" protobuf:"varint,2,opt"`
	// +optional
	// +default="Allow"
	// +unpublishedDefault
	// +rule:oneOf=Allow;Forbid;Replace
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
