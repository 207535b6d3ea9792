//! Native kinds: creates, replacements, merge patches and status writes of recorded objects,
//! judged offline.

use ordain_check::{Catalog, Kind, Verdict};
use ordain_merge::patch::json_merge;
use ordain_meta::gvk::GroupVersion;
use ordain_testkit::level::{Observed, level, same_warnings};
use ordain_testkit::normal::rewrite;
use ordain_testkit::{Level, native, transcript};
use ordain_value::{Value, json};

use super::{answer, text};

/// The shares that the server's answers are to be met by.
const SHARES: [(&str, f64); 4] =
    [("code", 99.5), ("causes", 98.5), ("exact", 97.5), ("warnings", 99.0)];
/// One case of so many is judged, unless all are asked for.
const ONE_OF: usize = 11;

/// What objects are given by admission plugins and allocators, which files do not meet, as
/// `kind path`.
const GIVEN: &[(&str, &[&str])] = &[
    ("Pod", &["spec", "priority"]),
    ("Pod", &["spec", "preemptionPolicy"]),
    ("Pod", &["spec", "tolerations"]),
    ("PersistentVolumeClaim", &["metadata", "finalizers"]),
    ("PersistentVolume", &["metadata", "finalizers"]),
    ("VolumeAttributesClass", &["metadata", "finalizers"]),
    ("Service", &["spec", "clusterIP"]),
    ("Service", &["spec", "clusterIPs"]),
    ("Service", &["spec", "ports"]),
    ("Service", &["spec", "healthCheckNodePort"]),
    ("Node", &["spec", "taints"]),
    ("CertificateSigningRequest", &["spec", "username"]),
    ("CertificateSigningRequest", &["spec", "uid"]),
    ("CertificateSigningRequest", &["spec", "groups"]),
];
/// What recordings call the uid of an object, and one that can be read.
const UID: (&str, &str) = ("<uid>", "6b5ac9b4-0b0e-4a59-8d3b-1f3e1d2c3b4a");
/// Refusals by pools of addresses and ports, which are states of a server, and of patches as such.
const ELSEWHERE: [&str; 4] =
    ["failed to allocate", "provided port", "not configured on this cluster", "invalid: patch:"];

#[derive(Default)]
struct Tally {
    steps: usize,
    met: [usize; 4],
    shown: Vec<String>,
}

impl Tally {
    fn add(&mut self, what: &str, step: &Value, observed: &Observed) {
        let reached = level(step, observed);
        let warned = same_warnings(step, observed);
        self.steps += 1;
        let met = [Level::Code, Level::Causes, Level::Exact].map(|it| reached >= it);
        for (count, met) in self.met.iter_mut().zip(met.into_iter().chain([warned])) {
            *count += usize::from(met);
        }
        if reached < Level::Exact || !warned {
            let cut = |text: String| text.chars().take(1500).collect::<String>();
            let of = |name: &str| step.get(name).map(json::encode_string).unwrap_or_default();
            self.shown.push(format!(
                "{what} {reached:?} {warned}\n  want {} {} {}\n  got  {} {} {:?}",
                of("code"),
                cut(of("response")),
                of("warnings"),
                observed.code,
                cut(json::encode_string(&observed.response)),
                observed.warnings
            ));
        }
    }
}

#[test]
fn offline_verdicts_on_native_kinds_agree_with_recorded_answers() {
    let Some(folder) = transcript::set("native") else { return };
    let every = if std::env::var_os("ORDAIN_ALL_TRANSCRIPTS").is_some() { 1 } else { ONE_OF };
    let catalog = Catalog::default();
    let mut tally = Tally::default();
    // `ORDAIN_NATIVE=core.pods,apps` plays the files whose names have one of these words.
    let words = std::env::var("ORDAIN_NATIVE").unwrap_or_default();
    let is_wanted = |name: &str| words.is_empty() || words.split(',').any(|it| name.contains(it));
    for file in transcript::files(&folder).unwrap() {
        if !file.file_name().and_then(|it| it.to_str()).is_some_and(is_wanted) {
            continue;
        }
        for case in transcript::read(&file).unwrap().iter().step_by(every) {
            judge(&catalog, case, &mut tally);
        }
    }
    let show = std::env::var("ORDAIN_SHOW").ok().and_then(|it| it.parse().ok()).unwrap_or(5);
    for shown in tally.shown.iter().take(show) {
        eprintln!("{shown}");
    }
    let count = |it: usize| f64::from(u32::try_from(it).unwrap());
    let shares = tally.met.map(|it| 100.0 * count(it) / count(tally.steps.max(1)));
    eprintln!("offline native: {} steps, wanted {SHARES:?}, met {shares:.2?}", tally.steps);
    assert!(!words.is_empty() || tally.steps > 500);
    for ((name, least), share) in SHARES.iter().zip(shares) {
        assert!(share >= *least, "{name}: {share:.2} % of {least} %");
    }
}

/// Judges the steps of a case that a file can stand for, each against the recorded state.
fn judge(catalog: &Catalog, case: &Value, tally: &mut Tally) {
    let steps = case.get("steps").and_then(Value::as_list).unwrap();
    let what = text(case, "kind");
    let mut current: Option<Value> = None;
    for step in steps.iter() {
        let code = step.get("code").and_then(Value::as_int).unwrap_or_default();
        let response = step.get("response").unwrap_or(&Value::Null);
        // Other refusals are those of rights, plugins and states of the server.
        let message = text(response, "message");
        if matches!(code, 200 | 201 | 400 | 422)
            && !ELSEWHERE.iter().any(|it| message.contains(it))
            && let Some((kind, verdict, sent)) = verdict(catalog, step, current.as_ref())
        {
            tally.add(what, &stripped(step), &observed(&kind, &verdict, &sent, step));
        }
        let kept = (200..300).contains(&code) && response.get_path(&["metadata", "name"]).is_some();
        current = if kept { Some(readable(response)) } else { current };
    }
}

/// A recorded object with values for the names of what the server made up.
fn readable(object: &Value) -> Value {
    let mut object = values(object);
    object.set_path(&["metadata", "uid"], UID.1.into());
    object
}

fn values(value: &Value) -> Value {
    match value {
        Value::Str(text) => match text.as_str() {
            "<time>" => "2026-01-02T03:04:05Z".into(),
            "<ip>" => "10.0.0.10".into(),
            "<port>" => Value::Int(30_007),
            text => text.replace(UID.0, UID.1).into(),
        },
        Value::List(list) => list.iter().map(values).collect::<Vec<_>>().into(),
        Value::Map(map) => {
            Value::Map(map.iter().map(|(key, it)| (key.clone(), values(it))).collect())
        }
        other => other.clone(),
    }
}

/// The name of the uid again, where a part of the object is made of it.
fn unread(object: &Value) -> Value {
    rewrite(object, &|text| text.replace(UID.1, UID.0))
}

/// What plugins put back when a replacement leaves it out.
fn with_given(mut object: Value, old: &Value) -> Value {
    let kind = text(old, "kind").to_owned();
    for (_, path) in GIVEN.iter().filter(|(of, _)| *of == kind) {
        if let (None, Some(value)) = (object.get_path(path), old.get_path(path)) {
            object.set_path(path, value.clone());
        }
    }
    object
}

type Judged = (std::sync::Arc<Kind>, Verdict, Value);

/// The verdict on what a step asks for, with the object it sends; `None` for what is no matter of
/// files.
fn verdict(catalog: &Catalog, step: &Value, current: Option<&Value>) -> Option<Judged> {
    let path = text(step, "path").split('?').next().unwrap_or_default();
    if step.get("headers").is_some() || text(step, "path").contains("dryRun") {
        return None;
    }
    let body = step.get("body").filter(|it| matches!(it, Value::Map(_)))?;
    let (namespace, name, part) = place(path);
    let find = |object: &Value| -> Option<std::sync::Arc<Kind>> {
        let version = GroupVersion::decode(text(object, "apiVersion")).ok()?;
        catalog.find(&version.with_kind(text(object, "kind"))).ok()
    };
    let is_status = part == Some("status");
    match (text(step, "method"), name) {
        ("POST", None) => {
            // Reviews are answered, by what the server knows.
            let kind = find(body).filter(|it| !it.kind.ends_with("Review"))?;
            let sent = placed(body, namespace);
            let verdict = kind.judge_create(&sent);
            Some((kind, verdict, sent))
        }
        (method @ ("PUT" | "PATCH"), Some(_)) if part.is_none() || is_status => {
            let old = current?;
            let sent = match (method, text(step, "contentType")) {
                ("PUT", _) => with_given(placed(body, namespace), old),
                (_, "application/merge-patch+json") => json_merge::apply(old, body),
                _ => return None,
            };
            let kind = find(old)?;
            let mut sent = sent;
            sent.remove_path(&["metadata", "uid"]);
            let verdict = match is_status {
                true => kind.judge_status(&sent, old),
                false => kind.judge_update(&sent, old),
            };
            Some((kind, verdict, sent))
        }
        _ => None,
    }
}

/// Namespace, name and subresource of a path.
fn place(path: &str) -> (&str, Option<&str>, Option<&str>) {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let base = if parts.first() == Some(&"api") { 2 } else { 3 };
    let scoped = parts.get(base) == Some(&"namespaces") && parts.len() > base + 2;
    let namespace = if scoped { parts[base + 1] } else { "" };
    let at = if scoped { base + 2 } else { base };
    (namespace, parts.get(at + 1).copied(), parts.get(at + 2).copied())
}

/// An object with the namespace of its path and without the version that a test fills in.
fn placed(body: &Value, namespace: &str) -> Value {
    let mut body = body.clone();
    if body.get_path(&["metadata", "resourceVersion"]).and_then(Value::as_str) == Some("$RV") {
        body.remove_path(&["metadata", "resourceVersion"]);
    }
    let given = body.get_path(&["metadata", "namespace"]).and_then(Value::as_str);
    if !namespace.is_empty()
        && given.is_none_or(str::is_empty)
        && matches!(body.get("metadata"), Some(Value::Map(_)))
    {
        body.set_path(&["metadata", "namespace"], namespace.into());
    }
    body
}

/// What the server would answer, in the form of the recordings.
fn observed(kind: &Kind, verdict: &Verdict, sent: &Value, step: &Value) -> Observed {
    let (code, body) = answer(verdict, sent, text(step, "path"));
    let success = step.get("code").and_then(Value::as_int).filter(|code| *code < 300);
    let code = if code == 0 { success.unwrap_or(200) } else { code };
    let asked = step.get("body").unwrap_or(&Value::Null);
    let response = without_given(unread(&native::normal(&body, asked)));
    let deprecated = kind.deprecation.clone().into_iter();
    let unknown = verdict.unknown.iter().map(|it| format!("unknown field \"{it}\""));
    let mut warnings: Vec<String> = deprecated.collect();
    if code != 400 && !text(step, "path").contains("fieldValidation=Ignore") {
        warnings.extend(unknown);
    }
    if code < 300 {
        warnings.extend(verdict.warnings.iter().cloned());
    }
    let warnings = warnings.iter().map(|it| format!("299 - {}", ordain_value::go_quote(it)));
    let warnings = warnings.collect();
    Observed { code, response, warnings, ..Observed::default() }
}

/// A recorded step without what files do not meet.
fn stripped(step: &Value) -> Value {
    let mut step = step.clone();
    if let Some(response) = step.get("response").cloned() {
        step.set_path(&["response"], without_given(response));
    }
    step
}

fn without_given(mut object: Value) -> Value {
    let kind = text(&object, "kind").to_owned();
    if kind == "Status" {
        return object;
    }
    object.remove_path(&["metadata", "managedFields"]);
    for (_, path) in GIVEN.iter().filter(|(of, _)| *of == kind) {
        object.remove_path(path);
    }
    object
}
