//! Hand-written and declarative validation side by side, until the second can replace the first
//! (KEP-4153's rollout).
//!
//! Both run; [`Rollout::decide`] says whose errors the client sees, by the gates and by the
//! alpha, beta or stable mark of each rule, and compares the two. Errors are the same when kind,
//! field and origin are; texts may differ. What is known to differ is in a reviewed list of
//! [`Exception`]s. Differences and panics are counted and logged.

pub mod cases;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use arc_swap::ArcSwapOption;
use ordain_passes::spine::UNCHECKED;
use ordain_schema::native::Level;
use ordain_value::field::{self, ErrorList, Kind, Path};

use crate::gates::{DECLARATIVE_VALIDATION, DECLARATIVE_VALIDATION_BETA, Gates};
use ordain_metrics::{Counter, Histogram, register};

/// An error of hand-written validation, with what is known about its declarative twin.
#[derive(Debug, Clone, PartialEq)]
pub struct Marked {
    /// The error.
    pub error: field::Error,
    /// A declared rule finds it too.
    pub covered: bool,
    /// How far that rule is; stable when none.
    pub level: Option<Level>,
}

/// What hand-written validation found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found(pub Vec<Marked>);

/// The origin of an error that says that typed code could not read an object.
pub const UNREADABLE: &str = "unreadable";

/// Without the complaint of typed code that it could not read the object, when there is a better
/// one: the errors of its schema.
fn reported_once(errors: ErrorList) -> ErrorList {
    let reads = |it: &field::Error| it.origin != UNREADABLE;
    if !errors.iter().any(reads) {
        return errors;
    }
    errors.into_iter().filter(reads).collect()
}

impl From<ErrorList> for Found {
    fn from(errors: ErrorList) -> Self {
        let marked = |error| Marked { error, covered: false, level: None };
        Found(errors.into_iter().map(marked).collect())
    }
}

impl Found {
    /// Marks all errors as found by declared rules too.
    #[must_use]
    pub fn covered(mut self) -> Self {
        self.0.iter_mut().for_each(|it| it.covered = true);
        self
    }

    /// Marks how far the declared rules of these errors are.
    #[must_use]
    pub fn at(mut self, level: Level) -> Self {
        self.0.iter_mut().for_each(|it| it.level = Some(level));
        self
    }

    /// Adds what else was found.
    #[must_use]
    pub fn and(mut self, other: Found) -> Self {
        self.0.extend(other.0);
        self
    }
}

/// An error of declarative validation with the mark of its rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Declarative {
    /// The error.
    pub error: field::Error,
    /// How far its rule has come; none for rules that decide.
    pub level: Option<Level>,
}

/// Who decides for a kind with hand-written validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Authority {
    /// Hand-written validation decides; declared rules are compared only.
    #[default]
    HandWritten,
    /// Declared rules decide, as far as they are; what they do not cover stays hand-written.
    Declarative,
}

/// A difference that was looked at and is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// `<kind>` or `*`.
    pub kind: String,
    /// The field of the error; `*` for any index or key in it.
    pub field: String,
    /// The rule that it is about.
    pub origin: String,
    /// Who answers for it.
    pub owner: String,
    /// Why it was granted.
    pub reason: String,
}

/// The reviewed list of exceptions: one line each, `kind field origin owner reason…`.
///
/// # Errors
/// A line with less than that.
pub fn exceptions(text: &str) -> Result<Vec<Exception>, String> {
    let wanted = "kind, field, origin, owner and reason";
    let entries = crate::reviewed::entries(text, 4, wanted)?;
    let exception = |(_, entry): (usize, Vec<&str>)| Exception {
        kind: entry[0].into(),
        field: entry[1].into(),
        origin: entry[2].into(),
        owner: entry[3].into(),
        reason: entry[4].into(),
    };
    Ok(entries.into_iter().map(exception).collect())
}

/// Bounds of the histograms, in seconds.
const BUCKETS: &[f64] = &[0.000_01, 0.000_05, 0.000_1, 0.000_5, 0.001, 0.005, 0.01, 0.1];
const IDENTIFIER: &[&str] = &["validation_identifier"];

static DIFFERENCES: Counter = Counter::new(
    "apiserver_declarative_validation_difference_total",
    "Requests on which hand-written and declarative validation differ.",
    &[],
);
static DIFFERENCE_SECONDS: Histogram = Histogram::new(
    "apiserver_declarative_validation_difference_seconds",
    "Time that comparing hand-written and declarative validation took.",
    &[],
    BUCKETS,
);
static SECONDS: Histogram = Histogram::new(
    "apiserver_declarative_validation_seconds",
    "Time that declarative validation took.",
    &[],
    BUCKETS,
);
static MISMATCHES: Counter = Counter::new(
    "apiserver_validation_declarative_validation_mismatch_total",
    "Requests on which hand-written and declarative validation differ.",
    &[],
);
static DISCREPANCIES: Counter = Counter::new(
    "apiserver_validation_declarative_validation_parity_discrepancies_total",
    "Requests on which hand-written and declarative validation differ, by kind and operation.",
    IDENTIFIER,
);
static PANICS: Counter = Counter::new(
    "apiserver_validation_declarative_validation_panic_total",
    "Panics during validation.",
    &[],
);
static PANICS_BY_IDENTIFIER: Counter = Counter::new(
    "apiserver_validation_declarative_validation_panics_total",
    "Panics during validation, by kind and operation.",
    IDENTIFIER,
);
static DUPLICATES: Counter = Counter::new(
    "apiserver_validation_duplicate_validation_error_total",
    "Errors that both sides reported in the same words.",
    &[],
);

/// What one rollout counted; the metrics of the server are the sums of all.
#[derive(Debug, Default)]
pub struct Metrics {
    differences: AtomicU64,
    panics: AtomicU64,
}

impl Metrics {
    /// Differences so far.
    pub fn differences(&self) -> u64 {
        self.differences.load(Ordering::Relaxed)
    }

    /// Panics so far.
    pub fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }

    /// Shows the metrics from now on, in the names of KEP-4153 and in those of Kubernetes 1.36.
    pub fn register() {
        register(&[
            &DIFFERENCES,
            &DIFFERENCE_SECONDS,
            &SECONDS,
            &MISMATCHES,
            &DISCREPANCIES,
            &PANICS,
            &PANICS_BY_IDENTIFIER,
            &DUPLICATES,
        ]);
    }

    fn differ(&self, subject: Subject<'_>) {
        self.differences.fetch_add(1, Ordering::Relaxed);
        DIFFERENCES.add(&[], 1);
        MISMATCHES.add(&[], 1);
        DISCREPANCIES.add(&[&subject.identifier()], 1);
    }

    fn panicked(&self, subject: Subject<'_>) {
        self.panics.fetch_add(1, Ordering::Relaxed);
        PANICS.add(&[], 1);
        PANICS_BY_IDENTIFIER.add(&[&subject.identifier()], 1);
    }
}

/// How the two validations of a kind live side by side.
#[derive(Clone, Default)]
pub struct Rollout {
    /// Which side decides.
    pub authority: Authority,
    /// Differences that were granted.
    pub exceptions: Arc<Vec<Exception>>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Where differences are reported; the log of the server when nothing is said.
    pub report: Option<Arc<dyn Fn(&str) + Send + Sync>>,
}

impl std::fmt::Debug for Rollout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rollout").field("authority", &self.authority).finish_non_exhaustive()
    }
}

/// What is validated, for counters and logs.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The kind of the object.
    pub kind: &'a str,
    /// The subresource that is written; empty for the object itself.
    pub subresource: &'a str,
    /// Whether there was an object before.
    pub update: bool,
}

impl Subject<'_> {
    /// `<kind>[_<subresource>]_<create|update>`
    pub fn identifier(&self) -> String {
        let mut out = self.kind.to_lowercase();
        let subresource = self.subresource.trim_matches('/');
        if !subresource.is_empty() {
            out.push('_');
            out.push_str(&subresource.replace('/', "_"));
        }
        out.push_str(if self.update { "_update" } else { "_create" });
        out
    }
}

impl Rollout {
    /// Runs one side; a panic in it is caught, counted, and an error when the side decides.
    pub fn guarded<T: Default>(
        &self,
        subject: Subject<'_>,
        run: impl FnOnce() -> T,
    ) -> Result<T, field::Error> {
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(found) => Ok(found),
            Err(panic) => {
                let text = panic
                    .downcast_ref::<&str>()
                    .map(|it| (*it).to_owned())
                    .or_else(|| panic.downcast_ref::<String>().cloned())
                    .unwrap_or_default();
                self.metrics.panicked(subject);
                let message = format!("panic during validation: {text}");
                self.say(&format!("{}: {message}", subject.identifier()));
                Err(field::Error::internal(&Path::root(), message))
            }
        }
    }

    /// Runs declarative validation and measures it.
    pub fn measured<T>(&self, run: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let found = run();
        SECONDS.observe(&[], begin.elapsed().as_secs_f64());
        found
    }

    /// The errors that the client sees, of what both sides found.
    ///
    /// Declarative rules are asked only when their gate is on or when they decide; the caller
    /// need not run them otherwise ([`Rollout::asks`]).
    pub fn decide(
        &self,
        gates: &Gates,
        subject: Subject<'_>,
        hand_written: Found,
        declarative: Result<Vec<Declarative>, field::Error>,
    ) -> ErrorList {
        let enforced = self.authority == Authority::Declarative;
        if !self.asks(gates) {
            return hand_written.0.into_iter().map(|it| it.error).collect();
        }
        let (declarative, failed) = match declarative {
            Ok(found) => (found, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        if gates.is_on(DECLARATIVE_VALIDATION) && failed.is_none() {
            self.compare(subject, &hand_written.0, &declarative, enforced);
        }
        if !enforced {
            return hand_written.0.into_iter().map(|it| it.error).collect();
        }
        let beta = gates.is_on(DECLARATIVE_VALIDATION_BETA);
        let takes = |it: &&Declarative| match it.level {
            _ if it.error.kind == Kind::Internal => true,
            Some(Level::Alpha) => false,
            Some(Level::Beta) => beta,
            None => true,
        };
        let taken: Vec<&Declarative> = declarative.iter().filter(takes).collect();
        let mut errors = ErrorList::new();
        for found in hand_written.0 {
            // What a declared rule says too, it says in its own words, and alone.
            let said = taken.iter().any(|it| matches(&found.error, &it.error));
            let beta = found.level == Some(Level::Beta) && beta;
            if !(found.covered && (beta || said)) {
                errors.push(found.error);
            }
        }
        errors.extend(failed);
        for found in taken.into_iter().cloned() {
            // A rule that both sides have is reported once.
            if errors.iter().any(|it| is_twin(it, &found.error)) {
                DUPLICATES.add(&[], u64::from(subject.update));
            } else {
                errors.push(found.error);
            }
        }
        reported_once(errors)
    }

    /// Whether declarative validation is run at all.
    pub fn asks(&self, gates: &Gates) -> bool {
        self.authority == Authority::Declarative || gates.is_on(DECLARATIVE_VALIDATION)
    }

    /// Counts and reports what one side found and the other did not.
    fn compare(
        &self,
        subject: Subject<'_>,
        hand_written: &[Marked],
        declarative: &[Declarative],
        enforced: bool,
    ) {
        let begin = Instant::now();
        // Rules that decide alone may have no twin.
        let compared: Vec<&Declarative> =
            (declarative.iter().filter(|it| !enforced || it.level.is_some()))
                .filter(|it| it.error.origin != UNCHECKED)
                .collect();
        let mut missing = Vec::new();
        let mut matched = vec![false; compared.len()];
        for found in hand_written {
            let mut any = false;
            for (at, other) in compared.iter().enumerate() {
                if matches(&found.error, &other.error) || is_twin(&found.error, &other.error) {
                    matched[at] = true;
                    any = true;
                }
            }
            let standard = enforced && found.level.is_none();
            if found.covered && !any && !standard && !self.is_known(subject, &found.error) {
                missing.push(&found.error);
            }
        }
        let extra: Vec<&field::Error> = (compared.iter().zip(&matched))
            .filter(|(it, matched)| !**matched && !self.is_known(subject, &it.error))
            .map(|(it, _)| &it.error)
            .collect();
        DIFFERENCE_SECONDS.observe(&[], begin.elapsed().as_secs_f64());
        if !missing.is_empty() || !extra.is_empty() {
            self.metrics.differ(subject);
        }
        for error in missing {
            self.say(&format!(
                "{}: unmatched error(s) found: declarative validation does not find {}",
                subject.identifier(),
                about(error)
            ));
        }
        for error in extra {
            self.say(&format!(
                "{}: extra error(s) found: only declarative validation finds {}",
                subject.identifier(),
                about(error)
            ));
        }
    }

    fn is_known(&self, subject: Subject<'_>, error: &field::Error) -> bool {
        self.exceptions.iter().any(|it| {
            (it.kind == "*" || it.kind == subject.kind)
                && (it.field == "*" || it.field == general(&error.path))
                && (it.origin == "*" || it.origin == error.origin)
        })
    }

    fn say(&self, text: &str) {
        match (&self.report, LOG.load().as_ref()) {
            (Some(report), _) => report(text),
            (None, Some(log)) => log(text),
            (None, None) => {}
        }
    }
}

type Tell = Box<dyn Fn(&str) + Send + Sync>;

/// The log of the server, which kinds of any origin share.
static LOG: LazyLock<ArcSwapOption<Tell>> = LazyLock::new(ArcSwapOption::empty);

/// Tells differences and panics here from now on, as far as a kind has no place of its own.
pub fn log_to(report: impl Fn(&str) + Send + Sync + 'static) {
    LOG.store(Some(Arc::new(Box::new(report))));
}

/// An error for logs, which hold nothing of what a request carries.
fn about(error: &field::Error) -> String {
    let place = general(&error.path);
    match error.origin {
        "" => format!("{place}: {}", error.kind.text()),
        origin => format!("{place}: {} ({origin})", error.kind.text()),
    }
}

/// The same failure: kind, field and origin. Malformed values need an origin to be compared at all.
fn matches(a: &field::Error, b: &field::Error) -> bool {
    a.kind == b.kind
        && a.path == b.path
        && a.origin == b.origin
        && (a.kind != Kind::Invalid || !a.origin.is_empty())
}

/// The same failure in the same words, where one side does not say where it comes from.
fn is_twin(a: &field::Error, b: &field::Error) -> bool {
    let origins = a.origin == b.origin || a.origin.is_empty() || b.origin.is_empty();
    origins && a.kind == b.kind && a.path == b.path && a.detail() == b.detail()
}

/// A path with `*` for every index and key.
fn general(path: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for letter in path.chars() {
        match letter {
            '[' => {
                inside = true;
                out.push_str("[*");
            }
            ']' => {
                inside = false;
                out.push(']');
            }
            _ if inside => {}
            _ => out.push(letter),
        }
    }
    out
}
