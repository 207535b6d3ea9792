//! Certificates of webhooks and extension servers that will not do, counted under the names that
//! kube-apiserver gives them, and noted in the audit log of the request that met them.

use std::sync::Once;

use ordain_go::x509::Certificate;
use ordain_metrics::{Counter, register};
use ordain_registry::caller;

static WEBHOOKS: Counters = Counters {
    missing_san: Counter::new(
        "apiserver_webhooks_x509_missing_san_total",
        "Calls of webhooks whose certificate has no subject alternative name.",
        &[],
    ),
    sha1: Counter::new(
        "apiserver_webhooks_x509_insecure_sha1_total",
        "Calls of webhooks whose certificate is signed over SHA-1.",
        &[],
    ),
};

static AGGREGATOR: Counters = Counters {
    missing_san: Counter::new(
        "apiserver_kube_aggregator_x509_missing_san_total",
        "Requests to extension servers whose certificate has no subject alternative name.",
        &[],
    ),
    sha1: Counter::new(
        "apiserver_kube_aggregator_x509_insecure_sha1_total",
        "Requests to extension servers whose certificate is signed over SHA-1.",
        &[],
    ),
};

struct Counters {
    missing_san: Counter,
    sha1: Counter,
}

/// Whom a certificate is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    Webhook,
    Extension,
}

impl Whose {
    fn counters(self) -> &'static Counters {
        static SHOWN: Once = Once::new();
        SHOWN.call_once(|| {
            register(&[
                &WEBHOOKS.missing_san,
                &WEBHOOKS.sha1,
                &AGGREGATOR.missing_san,
                &AGGREGATOR.sha1,
            ]);
        });
        match self {
            Self::Webhook => &WEBHOOKS,
            Self::Extension => &AGGREGATOR,
        }
    }

    /// Shows the metrics, at nothing, before anything was counted.
    pub(crate) fn show(self) {
        let counters = self.counters();
        counters.missing_san.add(&[], 0);
        counters.sha1.add(&[], 0);
    }

    /// Counts a host without alternative names.
    pub(crate) fn missing_san(self, host: &str) {
        self.counters().missing_san.add(&[], 1);
        let reason = "relies on a legacy Common Name field instead of the SAN extension for subject validation";
        caller::annotate(&format!("missing-san.invalid-cert.kubernetes.io/{host}"), reason);
    }

    /// Counts a certificate that someone signed over SHA-1.
    pub(crate) fn sha1(self, host: &str) {
        self.counters().sha1.add(&[], 1);
        let reason = "uses an insecure SHA-1 signature";
        caller::annotate(&format!("insecure-sha1.invalid-cert.kubernetes.io/{host}"), reason);
    }

    /// Counts what is wrong with a certificate that nobody looked at.
    pub(crate) fn note(self, certificate: &Certificate, host: &str) {
        if !certificate.has_names {
            self.missing_san(host);
        }
        if certificate.is_sha1 {
            self.sha1(host);
        }
    }
}
