//! Patches of Kustomize, checked as what they are: fields that their target's kind knows, values of
//! the right types, and nothing required.

use std::sync::Arc;

use ordain_meta::GroupVersionKind;
use ordain_meta::gvk::GroupVersion;
use ordain_schema::{NodeId, Schema};
use ordain_value::field::Kind as ErrorKind;
use ordain_value::{Map, Value, value, yaml};

use crate::catalog::Catalog;
use crate::collect::Findings;
use crate::definition;
use crate::finding::{Severity, location};
use crate::foreign::{self, Foreign};
use crate::help;
use crate::kind::{Kind, Verdict};
use crate::kustomize;
use crate::locate::{Aim, field_of_unreadable, locate};
use crate::manifest::{self, Manifest};
use crate::outcome::Outcome;
use crate::role::Target;
use crate::source::Source;
use crate::validate::is_encrypted;

/// Checks a file of patches. Where the kind of the target is not known, nothing is reported.
pub(crate) fn judge(catalog: &Catalog, source: &Source, target: &Target) -> Outcome {
    let mut outcome = Outcome::of_other(source.name.clone(), Foreign::Patch);
    outcome.add(documents(catalog, source, target));
    outcome
}

/// Checks the patches that stand in a kustomization itself; all that is found is reported at the key of
/// the patch.
pub(crate) fn judge_inline(catalog: &Catalog, source: &Source) -> Outcome {
    let contents = manifest::read(0, source);
    let mut outcome = Outcome::default();
    let Some(root) = contents.manifests.first() else { return outcome };
    for list in ["patches", "patchesJson6902", "patchesStrategicMerge"] {
        let entries = root.value.items(list).iter();
        for (at, entry) in entries.enumerate() {
            let path = match entry {
                Value::Str(_) => format!("{list}[{at}]"),
                _ => format!("{list}[{at}].patch"),
            };
            let text = entry.as_str().or_else(|| entry.get("patch").and_then(Value::as_str));
            // A name of a file is one line.
            let Some(text) = text.filter(|it| it.contains('\n') || it.starts_with(['[', '{']))
            else {
                continue;
            };
            let inner = Source::new(source.name.clone(), text);
            let mut part = documents(catalog, &inner, &kustomize::target(entry));
            let place = locate(root, &source.text, &path, Aim::Key);
            for finding in &mut part.findings {
                finding.location = location(source, &place.span);
            }
            outcome.add(part);
        }
    }
    outcome
}

fn documents(catalog: &Catalog, source: &Source, target: &Target) -> Outcome {
    let mut outcome = Outcome::default();
    for manifest in &manifest::read(0, source).manifests {
        if is_encrypted(&manifest.value) {
            outcome.encrypted += 1;
            continue;
        }
        outcome.add(strategic(catalog, source, manifest, target));
    }
    let documents = yaml::decode_documents(&source.text, yaml::Options { marks: true });
    for document in documents.into_iter().flatten() {
        let Ok(list) = &document.value else { continue };
        if let Some(operations) = foreign::operations(list) {
            let manifest = Manifest {
                source: 0,
                value: Value::Null,
                gvk: GroupVersionKind::default(),
                marks: Arc::new(document.marks),
                prefix: String::new(),
                start: document.start,
                duplicates: Vec::new(),
            };
            outcome.add(json(catalog, source, &manifest, operations, target));
        }
    }
    outcome
}

/// The kind that a patch is for; the patch's own words go before those of its kustomization.
fn kind_of(catalog: &Catalog, gvk: &GroupVersionKind, target: &Target) -> Option<Arc<Kind>> {
    if !gvk.kind.is_empty() && !gvk.version.is_empty() {
        return catalog.get(gvk);
    }
    let fits = |it: &&GroupVersionKind| {
        it.kind == target.kind.as_str()
            && target.group.as_ref().is_none_or(|group| it.group == group.as_str())
            && target.version.as_ref().is_none_or(|version| it.version == version.as_str())
    };
    let names = catalog.names();
    let named: Vec<&GroupVersionKind> = names.iter().filter(fits).collect();
    let first = named.first()?;
    // A kind that several groups have is none for certain.
    let is_certain = named.iter().all(|it| it.group == first.group);
    is_certain.then(|| named.iter().find_map(|it| catalog.get(it))).flatten()
}

/// A patch that looks like the object.
fn strategic(catalog: &Catalog, source: &Source, manifest: &Manifest, target: &Target) -> Outcome {
    let mut out = Findings { source, manifest, list: Vec::new() };
    let mut outcome = Outcome::default();
    if manifest.is_definition() {
        let verdict = definition::judge(&plain(&manifest.value, 0), None, catalog.gates());
        outcome.patches = 1;
        for path in &verdict.unknown {
            out.unknown(path, None);
        }
        outcome.findings = out.list;
        return outcome;
    }
    let Some(kind) = kind_of(catalog, &manifest.gvk, target) else { return outcome };
    outcome.patches = 1;
    let verdict = kind.check_create(whole(&kind, plain(&manifest.value, 0)));
    if let Some((field, message)) = unreadable(&kind, &verdict) {
        out.push(Severity::Error, "unreadable", "", &field, Aim::Value, message, None);
    }
    for path in &verdict.unknown {
        out.unknown(path, help::for_unknown(kind.schema(), path));
    }
    for error in verdict.errors.iter().filter(|it| it.kind == ErrorKind::TypeInvalid) {
        out.error(error, &error.path, help::for_error(kind.schema(), error, true));
    }
    outcome.findings = out.list;
    outcome
}

/// The field and the words of a verdict on what cannot be read.
pub(crate) fn unreadable(kind: &Kind, verdict: &Verdict) -> Option<(String, String)> {
    let why = verdict.unreadable.as_ref()?;
    let field = verdict.unreadable_field.clone().unwrap_or_else(|| field_of_unreadable(why));
    let name = &kind.kind;
    let version = ordain_value::go_quote(&kind.version);
    Some((field, format!("{name} in version {version} cannot be handled as a {name}: {why}")))
}

/// The object of a patch: with what every object has, so that only its own words are judged.
fn whole(kind: &Kind, mut object: Value) -> Value {
    let version = GroupVersion::new(kind.group.clone(), kind.version.clone());
    object.set_path(&["apiVersion"], Value::str(version.to_string()));
    object.set_path(&["kind"], Value::str(kind.kind.as_str()));
    object.set_path(&["metadata", "name"], Value::str("patched"));
    object
}

/// Patches nested deeper than this are left as they are; no kind is.
const DEPTH_MAX: usize = 256;

/// A patch without its directives, and without the nulls that take fields out. Items stay where
/// they are, so that paths lead to their places.
fn plain(patch: &Value, depth: usize) -> Value {
    if depth > DEPTH_MAX {
        return Value::Null;
    }
    match patch {
        Value::Map(map) => {
            let kept = map.iter().filter(|(key, it)| !key.starts_with('$') && !it.is_null());
            let mut out = Map::new();
            for (key, it) in kept {
                out.insert(key.clone(), plain(it, depth + 1));
            }
            Value::Map(out)
        }
        Value::List(list) => {
            Value::from(list.iter().map(|it| plain(it, depth + 1)).collect::<Vec<Value>>())
        }
        other => other.clone(),
    }
}

/// The operations that RFC 6902 has.
const OPERATIONS: [&str; 6] = ["add", "remove", "replace", "move", "copy", "test"];

/// A list of operations.
fn json(
    catalog: &Catalog,
    source: &Source,
    manifest: &Manifest,
    operations: &[Value],
    target: &Target,
) -> Outcome {
    let mut out = Findings { source, manifest, list: Vec::new() };
    let kind = kind_of(catalog, &GroupVersionKind::default(), target);
    for (at, operation) in operations.iter().enumerate() {
        let text = |key: &str| operation.text(key);
        let (op, pointer) = (text("op"), text("path"));
        let mut report = |id: &'static str, part: &str, field: &str, message, help| {
            let place = locate(manifest, &source.text, &format!("[{at}].{part}"), Aim::Value);
            out.at(id, &place.span, field, message, help);
        };
        if !OPERATIONS.contains(&op) {
            let known = help::nearest(op, &OPERATIONS).map(|it| format!("did you mean \"{it}\"?"));
            report("invalid", "op", "", format!("unknown operation \"{op}\""), known);
            continue;
        }
        if !pointer.starts_with('/') {
            let message = format!("the path \"{pointer}\" does not start with \"/\"");
            report("invalid", "path", "", message, None);
            continue;
        }
        let (Some(kind), Some(given)) = (&kind, operation.get("value")) else { continue };
        if !matches!(op, "add" | "replace") || given.is_null() {
            continue;
        }
        let object = built(kind.schema(), pointer, given.clone());
        let verdict = kind.check_create(whole(kind, object));
        if let Some((field, message)) = unreadable(kind, &verdict) {
            report("unreadable", "value", &field, message, None);
        }
        for path in &verdict.unknown {
            let help = help::for_unknown(kind.schema(), path);
            report("unknown-field", "path", path, format!("unknown field \"{path}\""), help);
        }
        for error in verdict.errors.iter().filter(|it| it.kind == ErrorKind::TypeInvalid) {
            let help = help::for_error(kind.schema(), error, true);
            report("invalid", "value", &error.path, error.body(), help);
        }
    }
    let mut findings = out.list;
    // Operations have no object of their own.
    findings.iter_mut().for_each(|it| it.object = None);
    Outcome { patches: usize::from(kind.is_some()), findings, ..Outcome::default() }
}

/// An object with nothing in it but a value at the end of a JSON pointer.
fn built(schema: &Schema, pointer: &str, value: Value) -> Value {
    let unescape = |it: &str| it.replace("~1", "/").replace("~0", "~");
    let steps: Vec<String> = pointer.split('/').skip(1).map(unescape).collect();
    // Whether a step is the place of an item or a name is for the schema to say.
    let mut node: Option<NodeId> = Some(schema.root());
    let mut is_item = Vec::with_capacity(steps.len());
    for step in &steps {
        let at = node.map(|it| schema.node(it));
        let items = at.and_then(|it| it.items);
        is_item.push(items.is_some());
        node = items.or_else(|| {
            let named = at?.properties.iter().find(|it| it.0 == step.as_str()).map(|it| it.1);
            named.or_else(|| at?.additional_node())
        });
    }
    let wrap = |inner: Value, (step, is_item): (&String, &bool)| {
        if *is_item {
            return Value::from(vec![inner]);
        }
        let mut map = Map::new();
        map.insert(step.as_str(), inner);
        Value::Map(map)
    };
    let object = steps.iter().zip(&is_item).rev().fold(value, wrap);
    if object.as_map().is_some() { object } else { value!({}) }
}
