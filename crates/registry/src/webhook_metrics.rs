//! Metrics of webhooks, under the names that kube-apiserver gives them.

use std::sync::Once;
use std::time::Duration;

use ordain_admission::conversion::Fault;
use ordain_metrics::{Counter, Histogram, register};

static ADMISSION_SECONDS: Histogram = Histogram::new(
    "apiserver_admission_webhook_admission_duration_seconds",
    "How long admission webhooks took, by name, type, operation and whether they refused.",
    &["name", "type", "operation", "rejected"],
    &[0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0, 25.0],
);

static REQUESTS: Counter = Counter::new(
    "apiserver_admission_webhook_request_total",
    "Calls of admission webhooks by name, type, operation and the code of their outcome.",
    &["name", "type", "operation", "code", "rejected"],
);

static REJECTIONS: Counter = Counter::new(
    "apiserver_admission_webhook_rejection_count",
    "Refusals by admission webhooks, and by the server because one failed.",
    &["name", "type", "operation", "error_type", "rejection_code"],
);

static FAIL_OPEN: Counter = Counter::new(
    "apiserver_admission_webhook_fail_open_count",
    "Failures of admission webhooks that were ignored.",
    &["name", "type"],
);

static CONVERSIONS: Counter = Counter::new(
    "apiserver_conversion_webhook_request_total",
    "Calls of conversion webhooks by result and kind of failure.",
    &["result", "failure_type"],
);

static CONVERSION_SECONDS: Histogram = Histogram::new(
    "apiserver_conversion_webhook_duration_seconds",
    "How long conversion webhooks took, by result and kind of failure.",
    &["result", "failure_type"],
    &[0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 45.0, 60.0],
);

static CRD_CONVERSION_SECONDS: Histogram = Histogram::new(
    "apiserver_crd_conversion_webhook_duration_seconds",
    "How long conversion webhooks took, by definition and versions.",
    &["crd_name", "from_version", "to_version", "succeeded"],
    &[
        0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096,
        8.192, 16.384,
    ],
);

static CONDITION_SECONDS: Histogram = Histogram::new(
    "apiserver_admission_match_condition_evaluation_seconds",
    "How long the match conditions of a webhook took.",
    &["name", "kind", "type", "operation"],
    &[0.005, 0.025, 0.1, 0.5, 1.0, 2.5],
);

static CONDITION_EXCLUSIONS: Counter = Counter::new(
    "apiserver_admission_match_condition_exclusions_total",
    "Requests that a webhook was not asked about because of its match conditions.",
    &["name", "kind", "type", "operation"],
);

static CONDITION_ERRORS: Counter = Counter::new(
    "apiserver_admission_match_condition_evaluation_errors_total",
    "Match conditions of webhooks that failed.",
    &["name", "kind", "type", "operation"],
);

/// Shows the metrics from the first call of a webhook on.
fn shown() {
    static SHOWN: Once = Once::new();
    SHOWN.call_once(|| {
        register(&[
            &ADMISSION_SECONDS,
            &REQUESTS,
            &REJECTIONS,
            &FAIL_OPEN,
            &CONVERSIONS,
            &CONVERSION_SECONDS,
            &CRD_CONVERSION_SECONDS,
            &CONDITION_SECONDS,
            &CONDITION_EXCLUSIONS,
            &CONDITION_ERRORS,
        ]);
    });
}

/// How asking an admission webhook ended. Codes are those of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Allowed,
    /// It refused.
    Denied(u16),
    /// It could not be asked, and is one to be ignored.
    Ignored(u16),
    /// It could not be asked.
    Failed(u16),
    /// The server could not ask it, or could not use its answer.
    Unusable,
}

/// Which webhook was asked, about what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) name: &'a str,
    pub(crate) mutating: bool,
    pub(crate) operation: &'a str,
}

impl Asked<'_> {
    fn ty(self) -> &'static str {
        if self.mutating { "admit" } else { "validating" }
    }

    /// Counts a call.
    pub(crate) fn count(self, outcome: Outcome, took: Duration) {
        /// A webhook makes up its code: larger ones would be metrics without end.
        const CODE_MAX: u16 = 600;
        shown();
        let (Self { name, operation, .. }, ty) = (self, self.ty());
        let (code, refusal) = match outcome {
            Outcome::Allowed => (200, None),
            Outcome::Ignored(code) => (code, None),
            Outcome::Denied(code) => (code, Some("no_error")),
            Outcome::Failed(code) => (code, Some("calling_webhook_error")),
            Outcome::Unusable => (0, Some("apiserver_internal_error")),
        };
        let code = code.min(CODE_MAX).to_string();
        let rejected = if refusal.is_some() { "true" } else { "false" };
        ADMISSION_SECONDS.observe(&[name, ty, operation, rejected], took.as_secs_f64());
        REQUESTS.add(&[name, ty, operation, &code, rejected], 1);
        if let Some(error_type) = refusal {
            REJECTIONS.add(&[name, ty, operation, error_type, &code], 1);
        }
        if let Outcome::Ignored(_) = outcome {
            FAIL_OPEN.add(&[name, ty], 1);
        }
    }

    /// Counts the match conditions: whether the webhook is to be asked, or none if they failed.
    pub(crate) fn count_conditions(self, wanted: Option<bool>, took: Duration) {
        shown();
        let labels = [self.name, "webhook", self.ty(), self.operation];
        CONDITION_SECONDS.observe(&labels, took.as_secs_f64());
        match wanted {
            Some(true) => {}
            Some(false) => CONDITION_EXCLUSIONS.add(&labels, 1),
            None => CONDITION_ERRORS.add(&labels, 1),
        }
    }
}

/// A call of the webhook of a definition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Converted<'a> {
    pub(crate) definition: &'a str,
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
}

impl Converted<'_> {
    /// Counts a call.
    pub(crate) fn count(self, fault: Option<Fault>, took: Duration) {
        shown();
        let result = if fault.is_some() { "failure" } else { "success" };
        let failure = fault.map_or("", Fault::as_str);
        CONVERSIONS.add(&[result, failure], 1);
        CONVERSION_SECONDS.observe(&[result, failure], took.as_secs_f64());
        let succeeded = if fault.is_some() { "false" } else { "true" };
        CRD_CONVERSION_SECONDS
            .observe(&[self.definition, self.from, self.to, succeeded], took.as_secs_f64());
    }
}
