//! What the tests share: files on a disk and the recorded data.

#![allow(dead_code, reason = "each test uses its part of it")]

use std::path::{Path, PathBuf};

pub(crate) use ordain_check::Disk;
use ordain_idl::Loader;
use ordain_value::Value;

/// A folder of the recorded data.
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    ordain_testkit::transcript::outside(folder)?.canonicalize().ok()
}

/// A Kubernetes source tree, for the types of its API.
pub(crate) fn tree() -> Option<String> {
    std::env::var("ORDAIN_K8S_TREE").ok()
}

/// A loader that finds the modules of a Kubernetes tree, when one is given.
pub(crate) fn loader(source: &Disk) -> Loader<'_> {
    let mut loader = Loader::new(source);
    if let Some(tree) = tree() {
        for module in ["api", "apimachinery", "apiextensions-apiserver", "kube-aggregator"] {
            loader = loader
                .module(format!("k8s.io/{module}"), format!("{tree}/staging/src/k8s.io/{module}"));
        }
    }
    loader
}

/// The folders at and below `root` that hold a file with this ending, by name.
pub(crate) fn folders_with(root: &Path, ending: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut waiting = vec![root.to_path_buf()];
    while let Some(dir) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&dir) else { continue };
        let mut here = false;
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            if path.is_dir() {
                waiting.push(path);
            } else {
                here |= path.extension().is_some_and(|found| found == ending);
            }
        }
        if here {
            out.push(dir);
        }
    }
    out.sort();
    out
}

/// The first few places where two values differ.
pub(crate) fn differences(path: &str, expected: &Value, ours: &Value, out: &mut Vec<String>) {
    match (expected, ours) {
        _ if expected == ours => {}
        (Value::Map(left), Value::Map(right)) => {
            let keys: std::collections::BTreeSet<_> =
                left.iter().chain(right.iter()).map(|(key, _)| key.clone()).collect();
            for key in keys {
                let path = format!("{path}.{key}");
                match (left.get(&key), right.get(&key)) {
                    (Some(left), Some(right)) => differences(&path, left, right, out),
                    (left, right) => out.push(format!("{path}: {left:?} / {right:?}")),
                }
            }
        }
        (Value::List(left), Value::List(right)) if left.len() == right.len() => {
            for (at, (left, right)) in left.iter().zip(right.iter()).enumerate() {
                differences(&format!("{path}[{at}]"), left, right, out);
            }
        }
        _ => out.push(format!("{path}: {expected:?} / {ours:?}")),
    }
}

/// Descriptions of types that are not the package's own come from source that may be absent.
pub(crate) fn forgive_descriptions(expected: &Value, ours: &Value) -> Value {
    match (expected, ours) {
        (Value::Map(expected), Value::Map(ours)) => Value::Map(
            expected
                .iter()
                .filter(|(key, value)| {
                    *key != "description" || value.as_str().is_none() || ours.contains_key(key)
                })
                .map(|(key, value)| {
                    let ours = ours.get(key).unwrap_or(&Value::Null);
                    (key.clone(), forgive_descriptions(value, ours))
                })
                .collect(),
        ),
        (Value::List(expected), Value::List(ours)) => Value::from(
            expected
                .iter()
                .enumerate()
                .map(|(at, value)| {
                    forgive_descriptions(value, ours.get(at).unwrap_or(&Value::Null))
                })
                .collect::<Vec<_>>(),
        ),
        _ => expected.clone(),
    }
}
