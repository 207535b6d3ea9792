//! Traces: a call of a webhook is a span of the trace that its request belongs to.
//!
//! A client that traces sends `traceparent` (W3C Trace Context). The webhook gets it with the span
//! of the call in place of the client's, so that what it does appears below the request. Calls that
//! took long are logged whether tracing is on or not.

use std::fmt;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use ordain_strategy::source::{Entropy, new_uid};
use tokio::time::Instant;

use crate::caller;

/// Headers of a request to a webhook.
pub type Headers = Vec<(&'static str, String)>;

/// A call that takes this long is slow.
pub const SLOW: Duration = Duration::from_millis(500);

/// The trace that a request belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// 32 digits.
    id: String,
    flags: String,
    /// What other tracing systems add, passed on as it is.
    state: String,
}

impl Trace {
    /// Reads `traceparent` and `tracestate`; what cannot be read is no trace.
    #[must_use]
    pub fn read(parent: &str, state: &str) -> Option<Self> {
        let mut parts = parent.trim().split('-');
        let (version, id) = (parts.next()?, parts.next()?);
        let (span, flags) = (parts.next()?, parts.next()?);
        let is_known = version != "00" || parts.next().is_none();
        let is_number = is_hex(version, 2) && is_hex(flags, 2) && version != "ff";
        let is_named = is_hex(id, 32) && is_hex(span, 16) && !is_zero(id) && !is_zero(span);
        (is_known && is_number && is_named).then(|| Self {
            id: id.to_owned(),
            flags: flags.to_owned(),
            state: state.trim().to_owned(),
        })
    }
}

fn is_hex(text: &str, len: usize) -> bool {
    text.len() == len && text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_zero(text: &str) -> bool {
    text.bytes().all(|it| it == b'0')
}

/// One call of a webhook, while it lasts.
#[derive(Debug)]
pub(crate) struct Span {
    /// 16 digits; only a trace has use for it.
    traced: Option<(Arc<Trace>, String)>,
    started: Instant,
}

/// What a call is about, as upstream's spans have it.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    /// `Call validating webhook`
    pub(crate) name: &'static str,
    pub(crate) configuration: &'a str,
    pub(crate) webhook: &'a str,
    /// The resource with its group and version.
    pub(crate) resource: &'a dyn fmt::Display,
    pub(crate) operation: &'a str,
    pub(crate) uid: &'a str,
}

/// A call that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub name: &'static str,
    pub configuration: String,
    pub webhook: String,
    pub resource: String,
    pub operation: String,
    pub uid: String,
    /// Trace and span, empty for a request that nobody traces.
    pub trace: String,
    pub span: String,
    pub took: Duration,
}

impl Span {
    /// Begins a span of the present request's trace.
    pub(crate) fn start(entropy: &dyn Entropy) -> Self {
        let traced = caller::trace().map(|trace| {
            let mut id = new_uid(entropy).replace('-', "");
            id.truncate(16);
            (trace, id)
        });
        Self { traced, started: Instant::now() }
    }

    /// What the webhook gets to know of the trace.
    pub(crate) fn headers(&self) -> Headers {
        let Some((trace, id)) = &self.traced else { return Headers::new() };
        let mut headers = vec![("traceparent", format!("00-{}-{id}-{}", trace.id, trace.flags))];
        if !trace.state.is_empty() {
            headers.push(("tracestate", trace.state.clone()));
        }
        headers
    }

    /// Ends it. Only what someone may want to see is reported.
    pub(crate) fn end(self, call: Call<'_>) {
        let took = self.started.elapsed();
        if self.traced.is_none() && took < SLOW {
            return;
        }
        let log = LOG.load();
        let Some(report) = log.as_ref() else { return };
        let (trace, span) =
            self.traced.map_or_else(Default::default, |(trace, span)| (trace.id.clone(), span));
        report(&Ended {
            name: call.name,
            configuration: call.configuration.to_owned(),
            webhook: call.webhook.to_owned(),
            resource: call.resource.to_string(),
            operation: call.operation.to_owned(),
            uid: call.uid.to_owned(),
            trace,
            span,
            took,
        });
    }
}

type Tell = Box<dyn Fn(&Ended) + Send + Sync>;

static LOG: LazyLock<ArcSwapOption<Tell>> = LazyLock::new(ArcSwapOption::empty);

/// Tells spans of traces, and slow calls, here from now on.
pub fn log_to(report: impl Fn(&Ended) + Send + Sync + 'static) {
    LOG.store(Some(Arc::new(Box::new(report))));
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    #[test]
    fn traces_are_read_as_the_standard_says() {
        let good = format!("00-{ID}-00f067aa0ba902b7-01");
        let trace = Trace::read(&good, " a=b ").expect("a trace");
        assert_eq!(
            (trace.id.as_str(), trace.flags.as_str(), trace.state.as_str()),
            (ID, "01", "a=b")
        );
        assert!(Trace::read(&format!("01-{ID}-00f067aa0ba902b7-01-more"), "").is_some());
        for bad in [
            String::new(),
            format!("00-{ID}-00f067aa0ba902b7"),
            format!("00-{ID}-00f067aa0ba902b7-01-more"),
            format!("ff-{ID}-00f067aa0ba902b7-01"),
            format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)),
            format!("00-{ID}-0000000000000000-01"),
            format!("00-{}-00f067aa0ba902b7-01", ID.to_uppercase()),
            format!("00-{ID}\r\n-00f067aa0ba902b7-01"),
        ] {
            assert_eq!(Trace::read(&bad, ""), None, "{bad}");
        }
    }
}
