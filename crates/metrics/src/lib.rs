//! Metrics about a running server, in the text form that Prometheus reads.
//!
//! A metric is a `static` of the module that knows it, and is shown once it is registered:
//!
//! ```
//! use ordain_metrics::{Counter, register, encode};
//!
//! static EVENTS: Counter = Counter::new("example_events_total", "Events seen.", &["kind"]);
//! register(&[&EVENTS]);
//! EVENTS.add(&["new"], 1);
//! assert!(encode().contains("example_events_total{kind=\"new\"} 1\n"));
//! ```
//!
//! Values of labels must come from a bounded set: names of served resources, never what a request
//! makes up. As a last resort a metric takes no more than [`SERIES_MAX`] combinations of them.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The most combinations of label values that one metric keeps.
pub const SERIES_MAX: usize = 5000;

/// Something that can be shown.
pub trait Family: Send + Sync {
    fn name(&self) -> &'static str;

    /// Writes itself with its description.
    fn write(&self, out: &mut String);
}

static FAMILIES: Mutex<Vec<&'static dyn Family>> = Mutex::new(Vec::new());

/// Shows metrics from now on. Registering again changes nothing.
pub fn register(families: &[&'static dyn Family]) {
    let mut known = FAMILIES.lock().unwrap_or_else(PoisonError::into_inner);
    for family in families {
        if !known.iter().any(|it| it.name() == family.name()) {
            known.push(*family);
        }
    }
    known.sort_by_key(|family| family.name());
}

/// All registered metrics.
pub fn encode() -> String {
    let known = FAMILIES.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut out = String::new();
    for family in known {
        family.write(&mut out);
    }
    out
}

/// The head of a metric in the text form.
pub fn write_head(out: &mut String, name: &str, help: &str, kind: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// One line of a metric; `extra` is a label after the others.
pub fn write_line(
    out: &mut String,
    name: &str,
    labels: &[&str],
    values: &[impl AsRef<str>],
    extra: Option<(&str, &str)>,
    value: impl std::fmt::Display,
) {
    out.push_str(name);
    let mut open = '{';
    let own = labels.iter().copied().zip(values.iter().map(AsRef::as_ref));
    for (label, text) in own.chain(extra) {
        let _ = write!(out, "{open}{label}=\"");
        for letter in text.chars() {
            match letter {
                '\\' => out.push_str("\\\\"),
                '"' => out.push_str("\\\""),
                '\n' => out.push_str("\\n"),
                letter => out.push(letter),
            }
        }
        out.push('"');
        open = ',';
    }
    if open == ',' {
        out.push('}');
    }
    let _ = writeln!(out, " {value}");
}

/// The combinations of label values that have been seen, each with what is counted. Sorted, so
/// that a known one is found without making a key of it.
struct Series<T> {
    by_values: RwLock<Vec<(Vec<Box<str>>, Arc<T>)>>,
}

impl<T> Series<T> {
    const fn new() -> Self {
        Self { by_values: RwLock::new(Vec::new()) }
    }

    /// What is counted for these values; `None` when there are too many already.
    fn get(&self, values: &[&str], new: impl FnOnce() -> T) -> Option<Arc<T>> {
        let find = |known: &[(Vec<Box<str>>, Arc<T>)]| {
            known.binary_search_by(|(own, _)| {
                own.iter().map(AsRef::as_ref).cmp(values.iter().copied())
            })
        };
        let known = self.by_values.read().unwrap_or_else(PoisonError::into_inner);
        if let Ok(at) = find(&known) {
            return Some(Arc::clone(&known[at].1));
        }
        drop(known);
        let mut known = self.by_values.write().unwrap_or_else(PoisonError::into_inner);
        match find(&known) {
            Ok(at) => Some(Arc::clone(&known[at].1)),
            Err(_) if known.len() >= SERIES_MAX => None,
            Err(at) => {
                let key = values.iter().map(|value| Box::from(*value)).collect();
                let counted = Arc::new(new());
                known.insert(at, (key, Arc::clone(&counted)));
                Some(counted)
            }
        }
    }

    fn each(&self, mut visit: impl FnMut(&[Box<str>], &T)) {
        let known = self.by_values.read().unwrap_or_else(PoisonError::into_inner);
        for (values, counted) in known.iter() {
            visit(values, counted);
        }
    }
}

/// A number that only grows.
pub struct Counter {
    name: &'static str,
    help: &'static str,
    labels: &'static [&'static str],
    series: Series<AtomicU64>,
}

impl Counter {
    /// A counter with a name, what it counts, and the names of its labels.
    pub const fn new(
        name: &'static str,
        help: &'static str,
        labels: &'static [&'static str],
    ) -> Self {
        Self { name, help, labels, series: Series::new() }
    }

    /// Counts so many more for these values of the labels.
    pub fn add(&self, values: &[&str], count: u64) {
        if let Some(counted) = self.series.get(values, AtomicU64::default) {
            counted.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// How much was counted for these values.
    pub fn get(&self, values: &[&str]) -> u64 {
        let counted = self.series.get(values, AtomicU64::default);
        counted.map_or(0, |counted| counted.load(Ordering::Relaxed))
    }
}

impl Family for Counter {
    fn name(&self) -> &'static str {
        self.name
    }

    fn write(&self, out: &mut String) {
        write_head(out, self.name, self.help, "counter");
        self.series.each(|values, counted| {
            let count = counted.load(Ordering::Relaxed);
            write_line(out, self.name, self.labels, values, None, count);
        });
    }
}

/// A number that goes up and down.
pub struct Gauge {
    name: &'static str,
    help: &'static str,
    labels: &'static [&'static str],
    series: Series<AtomicI64>,
}

impl Gauge {
    /// A gauge with a name, what it shows, and the names of its labels.
    pub const fn new(
        name: &'static str,
        help: &'static str,
        labels: &'static [&'static str],
    ) -> Self {
        Self { name, help, labels, series: Series::new() }
    }

    /// Changes the value for these values of the labels.
    pub fn add(&self, values: &[&str], change: i64) {
        if let Some(counted) = self.series.get(values, AtomicI64::default) {
            counted.fetch_add(change, Ordering::Relaxed);
        }
    }

    /// Sets the value for these values of the labels.
    pub fn set(&self, values: &[&str], value: i64) {
        if let Some(counted) = self.series.get(values, AtomicI64::default) {
            counted.store(value, Ordering::Relaxed);
        }
    }
}

impl Family for Gauge {
    fn name(&self) -> &'static str {
        self.name
    }

    fn write(&self, out: &mut String) {
        write_head(out, self.name, self.help, "gauge");
        self.series.each(|values, counted| {
            let count = counted.load(Ordering::Relaxed);
            write_line(out, self.name, self.labels, values, None, count);
        });
    }
}

/// How often values fell into each of some ranges.
pub struct Histogram {
    name: &'static str,
    help: &'static str,
    labels: &'static [&'static str],
    /// Upper bounds, growing.
    bounds: &'static [f64],
    series: Series<Ranges>,
}

struct Ranges {
    /// One more than there are bounds.
    counts: Vec<AtomicU64>,
    /// The bits of a float.
    sum: AtomicU64,
}

impl Histogram {
    /// A histogram with a name, what it measures, the names of its labels and its bounds.
    pub const fn new(
        name: &'static str,
        help: &'static str,
        labels: &'static [&'static str],
        bounds: &'static [f64],
    ) -> Self {
        Self { name, help, labels, bounds, series: Series::new() }
    }

    /// Counts one measured value for these values of the labels.
    pub fn observe(&self, values: &[&str], value: f64) {
        let new = || Ranges {
            counts: (0..=self.bounds.len()).map(|_| AtomicU64::default()).collect(),
            sum: AtomicU64::default(),
        };
        let Some(ranges) = self.series.get(values, new) else { return };
        let at = self.bounds.iter().position(|bound| value <= *bound);
        ranges.counts[at.unwrap_or(self.bounds.len())].fetch_add(1, Ordering::Relaxed);
        let add = |bits: u64| Some((f64::from_bits(bits) + value).to_bits());
        let _ = ranges.sum.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }
}

impl Family for Histogram {
    fn name(&self) -> &'static str {
        self.name
    }

    fn write(&self, out: &mut String) {
        write_head(out, self.name, self.help, "histogram");
        let bucket = format!("{}_bucket", self.name);
        self.series.each(|values, ranges| {
            let mut total = 0;
            for (at, count) in ranges.counts.iter().enumerate() {
                total += count.load(Ordering::Relaxed);
                let bound = self.bounds.get(at).map_or("+Inf".to_owned(), f64::to_string);
                write_line(out, &bucket, self.labels, values, Some(("le", &bound)), total);
            }
            let sum = f64::from_bits(ranges.sum.load(Ordering::Relaxed));
            write_line(out, &format!("{}_sum", self.name), self.labels, values, None, sum);
            write_line(out, &format!("{}_count", self.name), self.labels, values, None, total);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_add_up_to_infinity() {
        static TIMES: Histogram = Histogram::new("t_seconds", "Times.", &["verb"], &[0.1, 1.0]);
        for value in [0.05, 0.5, 5.0] {
            TIMES.observe(&["get"], value);
        }
        let mut out = String::new();
        TIMES.write(&mut out);
        let expected = "# HELP t_seconds Times.\n# TYPE t_seconds histogram\n\
            t_seconds_bucket{verb=\"get\",le=\"0.1\"} 1\n\
            t_seconds_bucket{verb=\"get\",le=\"1\"} 2\n\
            t_seconds_bucket{verb=\"get\",le=\"+Inf\"} 3\n\
            t_seconds_sum{verb=\"get\"} 5.55\nt_seconds_count{verb=\"get\"} 3\n";
        assert_eq!(out, expected);
    }

    #[test]
    fn label_values_are_escaped_and_bounded() {
        static ODD: Counter = Counter::new("odd_total", "Odd.", &["text"]);
        ODD.add(&["a\"b\\c\nd"], 2);
        let mut out = String::new();
        ODD.write(&mut out);
        assert!(out.ends_with("odd_total{text=\"a\\\"b\\\\c\\nd\"} 2\n"), "{out}");
        for number in 0..SERIES_MAX * 2 {
            ODD.add(&[&number.to_string()], 1);
        }
        let mut out = String::new();
        ODD.write(&mut out);
        assert_eq!(out.lines().count(), SERIES_MAX + 2);
    }

    #[test]
    fn figures_without_labels_have_no_braces() {
        static PLAIN: Gauge = Gauge::new("plain", "Plain.", &[]);
        PLAIN.add(&[], 3);
        PLAIN.add(&[], -1);
        let mut out = String::new();
        PLAIN.write(&mut out);
        assert!(out.ends_with("\nplain 2\n"), "{out}");
    }
}
