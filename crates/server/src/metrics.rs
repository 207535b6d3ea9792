//! Figures about requests, under the names that kube-apiserver gives them, and the answer to
//! `/metrics`.

use std::sync::Once;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use http::Response;
use ordain_registry::metrics::{self, Counter, Gauge, Histogram, write_head, write_line};
use ordain_registry::{ListOptions, Target};

use crate::app::App;
use crate::response::{self, Body};

const LABELS: &[&str] =
    &["verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component"];

pub(crate) static REQUESTS: Counter = Counter::new(
    "apiserver_request_total",
    "Requests by verb, resource, scope and the code of their answer.",
    &[
        "verb",
        "dry_run",
        "group",
        "version",
        "resource",
        "subresource",
        "scope",
        "component",
        "code",
    ],
);

pub(crate) static REQUEST_SECONDS: Histogram = Histogram::new(
    "apiserver_request_duration_seconds",
    "How long answers took, watches not counted.",
    LABELS,
    &[
        0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0,
        10.0, 15.0, 20.0, 30.0, 45.0, 60.0,
    ],
);

pub(crate) static RESPONSE_BYTES: Histogram = Histogram::new(
    "apiserver_response_sizes",
    "How many bytes answers had, watches not counted.",
    &["verb", "group", "version", "resource", "subresource", "scope", "component"],
    &[1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9],
);

pub(crate) static LONG_RUNNING: Gauge = Gauge::new(
    "apiserver_longrunning_requests",
    "Open watches.",
    &["verb", "group", "version", "resource", "subresource", "scope", "component"],
);

pub(crate) static PANICS: Counter =
    Counter::new("ordain_handler_panics_total", "Requests whose handler panicked.", &[]);

pub(crate) static STALLED_READERS: Counter = Counter::new(
    "ordain_stalled_readers_total",
    "Connections that were cut because their client did not take an answer in time.",
    &[],
);

pub(crate) static STORE_READY: Gauge =
    Gauge::new("ordain_store_ready", "Whether the store takes writes.", &[]);

pub(crate) static STORE_FAILURES: Counter =
    Counter::new("ordain_store_failures_total", "How often the store began to fail.", &[]);

pub(crate) static IN_FLIGHT: Gauge = Gauge::new(
    "apiserver_current_inflight_requests",
    "Requests that are being answered, watches not counted.",
    &["request_kind"],
);

pub(crate) static TERMINATIONS: Counter = Counter::new(
    "apiserver_request_terminations_total",
    "Requests that were given up in self-defence.",
    &["verb", "group", "version", "resource", "subresource", "scope", "component", "code"],
);

pub(crate) static WATCH_EVENTS: Counter = Counter::new(
    "apiserver_watch_events_total",
    "Events that were sent to watches.",
    &["group", "version", "resource"],
);

pub(crate) static WATCH_EVENT_BYTES: Histogram = Histogram::new(
    "apiserver_watch_events_sizes",
    "How many bytes events had.",
    &["group", "version", "resource"],
    &[1024.0, 2048.0, 4096.0, 8192.0, 16384.0, 32768.0, 65536.0, 131_072.0],
);

pub(crate) static TLS_ERRORS: Counter = Counter::new(
    "apiserver_tls_handshake_errors_total",
    "Connections whose handshake failed.",
    &[],
);

pub(crate) static AUTHENTICATED: Counter = Counter::new(
    "authenticated_user_requests",
    "Requests of users who proved who they are.",
    &["username"],
);

pub(crate) static AUTHENTICATION_ATTEMPTS: Counter = Counter::new(
    "authentication_attempts",
    "Requests that could not prove who made them.",
    &["result"],
);

pub(crate) static AUTHORIZATION_DECISIONS: Counter = Counter::new(
    "apiserver_authorization_decisions_total",
    "Decisions about what is allowed.",
    &["type", "name", "decision"],
);

pub(crate) static AUDIT_EVENTS: Counter =
    Counter::new("apiserver_audit_event_total", "Lines of the audit log.", &[]);

pub(crate) static AUDIT_ERRORS: Counter = Counter::new(
    "apiserver_audit_error_total",
    "Lines of the audit log that could not be written.",
    &["plugin"],
);

/// Registers the metrics.
pub(crate) fn register() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        metrics::register(&[
            &REQUESTS,
            &REQUEST_SECONDS,
            &RESPONSE_BYTES,
            &LONG_RUNNING,
            &IN_FLIGHT,
            &TERMINATIONS,
            &PANICS,
            &STALLED_READERS,
            &STORE_READY,
            &STORE_FAILURES,
            &WATCH_EVENTS,
            &WATCH_EVENT_BYTES,
            &TLS_ERRORS,
            &AUTHENTICATED,
            &AUTHENTICATION_ATTEMPTS,
            &AUTHORIZATION_DECISIONS,
            &AUDIT_EVENTS,
            &AUDIT_ERRORS,
        ]);
        START.get_or_init(|| (Instant::now(), SystemTime::now()));
        // Both kinds are there from the start.
        IN_FLIGHT.set(&["mutating"], 0);
        IN_FLIGHT.set(&["readOnly"], 0);
    });
}

static START: std::sync::OnceLock<(Instant, SystemTime)> = std::sync::OnceLock::new();

/// Answers `/metrics`.
pub(crate) async fn answer(app: &App) -> Response<Body> {
    let mut text = metrics::encode();
    write_objects(app, &mut text).await;
    write_process(&mut text);
    page(&text)
}

/// Figures as an answer.
pub(crate) fn page(text: &str) -> Response<Body> {
    let mut answer = response::text(200, text);
    let form = http::HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    answer.headers_mut().insert(http::header::CONTENT_TYPE, form);
    answer
}

/// How many objects of each resource are stored.
async fn write_objects(app: &App, out: &mut String) {
    const NAME: &str = "apiserver_storage_objects";
    const NEW_NAME: &str = "apiserver_resource_objects";
    let mut counts = Vec::new();
    for resource in app.registry.catalog().iter().filter(|it| it.verbs.read) {
        let target = Target::stored(resource, "", "");
        let options = ListOptions { limit: 1, ..ListOptions::default() };
        if let Ok(listed) = app.registry.list(&target, &options).await {
            let count = listed.items.len() as u64 + listed.remaining.unwrap_or(0);
            counts.push((resource.group.clone(), resource.plural.clone(), count));
        }
    }
    write_head(out, NAME, "Stored objects.", "gauge");
    for (group, plural, count) in &counts {
        let name = if group.is_empty() { plural.to_string() } else { format!("{plural}.{group}") };
        write_line(out, NAME, &["resource"], &[name], None, count);
    }
    write_head(out, NEW_NAME, "Stored objects.", "gauge");
    for (group, plural, count) in &counts {
        write_line(out, NEW_NAME, &["group", "resource"], &[group, plural], None, count);
    }
}

/// What the operating system says about this process.
fn write_process(out: &mut String) {
    let mut gauge = |name: &str, help: &str, kind: &str, value: Option<f64>| {
        if let Some(value) = value {
            write_head(out, name, help, kind);
            write_line(out, name, &[], &[] as &[&str], None, value);
        }
    };
    let started = START.get().and_then(|(_, at)| at.duration_since(UNIX_EPOCH).ok());
    let name = "process_start_time_seconds";
    gauge(name, "When the process started.", "gauge", started.map(|at| at.as_secs_f64()));
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let mut pages = statm.split(' ').map(|text| text.trim().parse::<f64>().ok());
    const PAGE_BYTES: f64 = 4096.0;
    let bytes = |pages: Option<Option<f64>>| pages.flatten().map(|pages| pages * PAGE_BYTES);
    let name = "process_virtual_memory_bytes";
    gauge(name, "Virtual memory.", "gauge", bytes(pages.next()));
    let name = "process_resident_memory_bytes";
    gauge(name, "Resident memory.", "gauge", bytes(pages.next()));
    let open = std::fs::read_dir("/proc/self/fd").map(|entries| entries.count()).ok();
    let name = "process_open_fds";
    gauge(name, "Open file descriptors.", "gauge", open.map(|count| count as f64));
    let name = "process_cpu_seconds_total";
    gauge(name, "Processor time used.", "counter", cpu_seconds());
}

fn cpu_seconds() -> Option<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in parentheses, may hold spaces.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) / TICKS_PER_SECOND)
}
