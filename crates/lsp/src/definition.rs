//! Where something is defined: the kind of an object, and the objects that it names.

use ordain_check::go_type::GoType;
use ordain_check::workspace::Object;
use ordain_check::{Manifest, Source, manifest};
use ordain_meta::GroupVersionKind;
use ordain_value::{Value, value};

use crate::place::{self, Step};
use crate::symbol::location;
use crate::text::{Text, int};
use crate::uri;

/// Fields that hold the name of an object, and its kind.
const NAMES: [(&str, &str); 9] = [
    ("secretName", "Secret"),
    ("configMapName", "ConfigMap"),
    ("serviceAccountName", "ServiceAccount"),
    ("serviceName", "Service"),
    ("claimName", "PersistentVolumeClaim"),
    ("storageClassName", "StorageClass"),
    ("ingressClassName", "IngressClass"),
    ("priorityClassName", "PriorityClass"),
    ("runtimeClassName", "RuntimeClass"),
];

/// Mappings whose `name` is that of an object, and its kind.
const REFERENCES: [(&str, &str); 10] = [
    ("configMap", "ConfigMap"),
    ("configMapRef", "ConfigMap"),
    ("configMapKeyRef", "ConfigMap"),
    ("secret", "Secret"),
    ("secretRef", "Secret"),
    ("secretKeyRef", "Secret"),
    ("service", "Service"),
    ("serviceRef", "Service"),
    ("serviceAccountRef", "ServiceAccount"),
    ("imagePullSecrets", "Secret"),
];

/// Finds the Go types of a kind.
pub(crate) type FindTypes<'a> = &'a dyn Fn(&GroupVersionKind) -> Vec<GoType>;

/// The places that the thing under the cursor leads to.
pub(crate) fn at(objects: &[Object], types: FindTypes<'_>, text: &Text, offset: usize) -> Value {
    find(objects, types, text, offset).unwrap_or_default().into()
}

fn find(
    objects: &[Object],
    types: FindTypes<'_>,
    text: &Text,
    offset: usize,
) -> Option<Vec<Value>> {
    let place = place::at(&text.content, offset)?;
    let contents = manifest::read(0, &Source::new("a.yaml", text.content.as_bytes()));
    let around = |it: &&Manifest| {
        let mark = it.marks.find(&it.prefix).map(|it| it.mark.value.bytes.clone());
        mark.is_some_and(|it| it.start <= offset && offset <= it.end)
    };
    let manifest = contents.manifests.iter().rfind(around)?;
    let way = place::path(&place.steps);
    let inside = way.strip_prefix(manifest.prefix.as_str()).unwrap_or(&way);
    if matches!(inside.trim_start_matches('.'), "kind" | "apiVersion") {
        let defines = |it: &&Object| it.definition.as_ref().is_some_and(|it| is_of(it, manifest));
        let definitions = objects.iter().filter(defines).map(location);
        let declared = types(&manifest.gvk);
        return Some(definitions.chain(declared.iter().map(declaration)).collect());
    }
    let (kind, name) = referred(&manifest.value, &place.steps, manifest)?;
    let named = |it: &&Object| it.gvk.kind == kind.as_str() && it.name == name;
    let all: Vec<&Object> = objects.iter().filter(named).collect();
    let own = |it: &&&Object| it.namespace == manifest.namespace();
    let near: Vec<&Object> = all.iter().filter(own).copied().collect();
    let found = if near.is_empty() { all } else { near };
    Some(found.into_iter().map(location).collect())
}

/// Where a Go type is declared.
fn declaration(declared: &GoType) -> Value {
    let at = value!({
        "line": int(declared.line.saturating_sub(1)),
        "character": int(declared.column.saturating_sub(1))
    });
    value!({"uri": (uri::of(&declared.file)), "range": {"start": at.clone(), "end": at}})
}

/// Whether a definition is that of an object's kind.
fn is_of(definition: &Value, manifest: &Manifest) -> bool {
    let text = |path: &[&str]| definition.get_path(path).and_then(Value::as_str);
    text(&["spec", "group"]) == Some(manifest.gvk.group.as_str())
        && text(&["spec", "names", "kind"]) == Some(manifest.gvk.kind.as_str())
}

/// Kind and name of the object that a field names.
fn referred(object: &Value, steps: &[Step], manifest: &Manifest) -> Option<(String, String)> {
    // The way into an item of a list starts at the item.
    let skipped = if manifest.prefix.is_empty() { 0 } else { 2 };
    let steps = steps.get(skipped..)?;
    let (Step::Key(key), above) = steps.split_last()? else { return None };
    let owner = above.iter().try_fold(object, |at, step| match step {
        Step::Key(key) => at.get(key),
        Step::Item(at_index) => at.as_list()?.as_slice().get(*at_index),
    })?;
    let name = owner.get(key)?.as_str()?.to_owned();
    if let Some((_, kind)) = NAMES.iter().find(|it| it.0 == key) {
        return Some(((*kind).to_owned(), name));
    }
    if key != "name" {
        return None;
    }
    // Owners, targets and backends say of what kind they are.
    if let Some(kind) = owner.get("kind").and_then(Value::as_str).filter(|_| !above.is_empty()) {
        return Some((kind.to_owned(), name));
    }
    let holder = above.iter().rev().find_map(|it| match it {
        Step::Key(key) => Some(key.as_str()),
        Step::Item(_) => None,
    })?;
    let (_, kind) = REFERENCES.iter().find(|it| it.0 == holder)?;
    Some(((*kind).to_owned(), name))
}
