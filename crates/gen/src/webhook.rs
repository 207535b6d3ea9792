//! Webhook configurations from `+kubebuilder:webhook` markers, as controller-gen writes them.
//!
//! All mutating webhooks of the packages at hand go into one configuration and all validating ones
//! into another, by name.

use ordain_idl::tags::marker::{Marker, MarkerValue, WEBHOOK, package_markers};
use ordain_idl::{Diagnostic, Universe};
use ordain_value::{Text, Value, json};

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The mutating configuration, then the validating one, where there are such webhooks.
    pub configurations: Vec<Value>,
    /// What is wrong, by place. With an error in it the configurations are not to be used.
    pub diagnostics: Vec<Diagnostic>,
}

/// The webhooks of one sort.
struct Sort {
    kind: &'static str,
    name: String,
    webhooks: Vec<(String, Value)>,
}

/// Makes the configurations of the markers in the packages that were asked for.
#[must_use]
pub fn generate(universe: &Universe) -> Output {
    let sort =
        |kind: &'static str, name: &str| Sort { kind, name: name.to_owned(), webhooks: Vec::new() };
    let mut sorts = [
        sort("MutatingWebhookConfiguration", "mutating-webhook-configuration"),
        sort("ValidatingWebhookConfiguration", "validating-webhook-configuration"),
    ];
    let mut out = Output::default();
    for package in universe.requested() {
        let (markers, diagnostics) = package_markers(universe, package, WEBHOOK);
        out.diagnostics.extend(diagnostics);
        let mut named = [false, false];
        for marker in &markers {
            let mutating = flag(marker, "mutating");
            let at = usize::from(!mutating);
            let error = |message: String| Diagnostic::error("marker", marker.pos, message);
            if marker.name == "kubebuilder:webhookconfiguration" {
                let name = text(marker, "name");
                if std::mem::replace(&mut named[at], true) {
                    let word = if mutating { "mutating" } else { "validating" };
                    let message = format!("duplicate {word} {} with name {name}", marker.name);
                    out.diagnostics.push(error(message));
                } else if !name.is_empty() {
                    name.clone_into(&mut sorts[at].name);
                }
                continue;
            }
            match webhook(marker) {
                Ok(made) => sorts[at].webhooks.push((text(marker, "name").to_owned(), made)),
                Err(message) => out.diagnostics.push(error(message)),
            }
        }
    }
    for mut sort in sorts.into_iter().filter(|it| !it.webhooks.is_empty()) {
        sort.webhooks.sort_by(|a, b| a.0.cmp(&b.0));
        let webhooks: Vec<Value> = sort.webhooks.into_iter().map(|it| it.1).collect();
        out.configurations.push(map([
            ("apiVersion", Some(Value::from("admissionregistration.k8s.io/v1"))),
            ("kind", Some(Value::from(sort.kind))),
            ("metadata", Some(map([("name", Some(Value::from(sort.name)))]))),
            ("webhooks", Some(Value::from(webhooks))),
        ]));
    }
    out
}

fn text<'m>(marker: &'m Marker, name: &str) -> &'m str {
    marker.arg(name).and_then(MarkerValue::as_str).unwrap_or("")
}

fn flag(marker: &Marker, name: &str) -> bool {
    marker.arg(name).and_then(MarkerValue::as_bool).unwrap_or(false)
}

fn texts<'m>(marker: &'m Marker, name: &str) -> Vec<&'m str> {
    marker.arg(name).map(MarkerValue::as_strings).unwrap_or_default()
}

fn map<const N: usize>(entries: [(&'static str, Option<Value>); N]) -> Value {
    let given =
        entries.into_iter().filter_map(|(key, value)| Some((Text::new_static(key), value?)));
    Value::Map(given.collect())
}

/// The word of the API for one that people write in any case.
fn word(written: &str, known: &[&'static str]) -> Option<&'static str> {
    known.iter().copied().find(|it| it.eq_ignore_ascii_case(written))
}

fn webhook(marker: &Marker) -> Result<Value, String> {
    let arg = |name| text(marker, name);
    if let Some(version) = texts(marker, "webhookVersions").iter().find(|it| **it != "v1") {
        return Err(format!("unsupported webhook version: {version}"));
    }
    let match_policy = word(arg("matchPolicy"), &["Exact", "Equivalent"]);
    if match_policy.is_none() && !arg("matchPolicy").is_empty() {
        return Err(format!("unknown value {:?} for matchPolicy", arg("matchPolicy")));
    }
    let failure_policy =
        word(arg("failurePolicy"), &["Ignore", "Fail"]).unwrap_or(arg("failurePolicy"));
    let timeout = marker.arg("timeoutSeconds").and_then(MarkerValue::as_int).unwrap_or(0);
    let mutating = flag(marker, "mutating");
    let reinvocation = word(arg("reinvocationPolicy"), &["Never", "IfNeeded"]).filter(|_| mutating);
    let side_effects = word(arg("sideEffects"), &["None", "NoneOnDryRun", "Some"]);
    let versions = texts(marker, "admissionReviewVersions");
    let made = map([
        ("admissionReviewVersions", Some(crate::texts(versions.iter().copied()))),
        ("clientConfig", Some(client_config(marker)?)),
        ("failurePolicy", Some(Value::from(failure_policy))),
        ("matchPolicy", match_policy.map(Value::from)),
        ("name", Some(Value::from(arg("name")))),
        ("reinvocationPolicy", reinvocation.map(Value::from)),
        ("rules", Some(Value::from(vec![rules(marker)]))),
        ("sideEffects", side_effects.map(Value::from)),
        ("timeoutSeconds", (timeout != 0).then_some(Value::Int(timeout))),
    ]);
    let made = patched(made, arg("patch"))?;
    check(&made)?;
    Ok(made)
}

fn rules(marker: &Marker) -> Value {
    let operations = ["CREATE", "UPDATE", "DELETE", "CONNECT", "*"];
    let verbs = texts(marker, "verbs");
    let verbs = verbs.iter().map(|it| word(it, &operations).unwrap_or(it));
    let groups = texts(marker, "groups").into_iter();
    let groups = groups.map(|it| if it == "core" { "" } else { it });
    map([
        ("apiGroups", Some(crate::texts(groups))),
        ("apiVersions", Some(crate::texts(texts(marker, "versions")))),
        ("operations", Some(crate::texts(verbs))),
        ("resources", Some(crate::texts(texts(marker, "resources")))),
    ])
}

fn client_config(marker: &Marker) -> Result<Value, String> {
    let arg = |name| text(marker, name);
    let path = match (arg("path"), arg("url")) {
        (path, "") if !path.is_empty() => path,
        ("", url) if !url.is_empty() => return Ok(map([("url", Some(Value::from(url)))])),
        _ => return Err("`url` or `path` markers are required and mutually exclusive".into()),
    };
    let or = |given: &'static str, usual: &'static str| {
        let given = arg(given);
        Some(Value::from(if given.is_empty() { usual } else { given }))
    };
    let port = marker.arg("servicePort").and_then(MarkerValue::as_int);
    let service = map([
        ("name", or("serviceName", "webhook-service")),
        ("namespace", or("serviceNamespace", "system")),
        ("path", Some(Value::from(path))),
        ("port", port.map(Value::Int)),
    ]);
    Ok(map([("service", Some(service))]))
}

/// Applies a patch. What a marker makes has no list that a strategic merge would merge by key, so
/// lists are replaced; directives are refused.
fn patched(made: Value, patch: &str) -> Result<Value, String> {
    if patch.trim().is_empty() {
        return Ok(made);
    }
    let failed = |why: String| format!("failed to apply patch: {why}");
    let patch = json::decode(patch.as_bytes()).map_err(|error| failed(error.to_string()))?;
    let mut made = made;
    merge(&mut made, &patch).map_err(failed)?;
    Ok(made)
}

fn merge(into: &mut Value, patch: &Value) -> Result<(), String> {
    let (Value::Map(map), Value::Map(changes)) = (&mut *into, patch) else {
        *into = patch.clone();
        return Ok(());
    };
    for (key, value) in changes.iter() {
        if key.starts_with('$') {
            return Err(format!("the directive {key} is not supported"));
        }
        match (map.get_mut(key), value) {
            (_, Value::Null) => drop(map.remove(key)),
            (Some(known @ Value::Map(_)), Value::Map(_)) => merge(known, value)?,
            _ => drop(map.insert(key.clone(), value.clone())),
        }
    }
    Ok(())
}

/// What the API asks of every webhook.
fn check(made: &Value) -> Result<(), String> {
    let of = "v1 {Mutating,Validating}WebhookConfiguration";
    match made.get("sideEffects").and_then(Value::as_str) {
        None => return Err(format!("SideEffects is required for creating {of}")),
        Some("Some" | "Unknown") => {
            return Err(format!("SideEffects should not be set to `Some` or `Unknown` for {of}"));
        }
        Some(_) => {}
    }
    let timeout = made.get("timeoutSeconds").and_then(Value::as_int);
    if timeout.is_some_and(|it| !(1..=30).contains(&it)) {
        return Err("TimeoutSeconds must be between 1 and 30 seconds".into());
    }
    let versions = made.get("admissionReviewVersions").and_then(Value::as_list);
    if versions.is_none_or(|it| it.is_empty()) {
        return Err(format!("AdmissionReviewVersions is mandatory for {of}"));
    }
    Ok(())
}
