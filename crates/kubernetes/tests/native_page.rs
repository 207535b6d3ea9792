//! `docs/native.md` says for every kind how its rules are written; this test writes the page anew and
//! fails when it is stale. `ORDAIN_BLESS=1` accepts the new one.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use ordain_kubernetes::declarations::{self, Entry};
use ordain_schema::declared::Native;
use ordain_schema::native::{Check, FuncId, Program, Rule, TypeId};
use ordain_schema::written::Test;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// How many rules of a program a root type has, each function counted once.
fn tags(program: &Program, name: &str) -> usize {
    let Some(root) = program.root(name) else { return 0 };
    let mut seen = BTreeSet::new();
    let mut pending = vec![root.func];
    let mut count = 0;
    while let Some(id) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        let func = program.func(id);
        let fields = func.fields.iter().flat_map(|it| [&it.checks, &it.keys, &it.values]);
        let lists = [&func.checks, &func.keys, &func.values].into_iter().chain(fields);
        for check in lists.flatten() {
            count += leaf(check, &mut pending);
        }
        pending.extend(func.fields.iter().filter_map(|it| it.call));
    }
    count
}

/// Whether a check is a rule of its own, and not only the way to another function.
fn leaf(check: &Check, pending: &mut Vec<FuncId>) -> usize {
    match &check.rule {
        Rule::Call(id) => {
            pending.push(*id);
            0
        }
        Rule::EachValue { inner, .. }
        | Rule::EachMapValue { inner, .. }
        | Rule::EachKey { inner }
        | Rule::Subfield { inner, .. }
        | Rule::Item { inner, .. }
        | Rule::IfOption { inner, .. } => leaf(inner, pending),
        Rule::Optional(_) => 0,
        _ => 1,
    }
}

/// The written rules that a kind reaches, each named by its type, field and place there; whether it
/// is an expression; those in code are left to [`in_rust`].
fn written(program: &Program, root: Option<TypeId>) -> BTreeMap<String, bool> {
    let mut out = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut pending: Vec<TypeId> = root.into_iter().collect();
    while let Some(ty) = pending.pop() {
        let rules = program.written.rules_of(ty).filter(|_| seen.insert(ty));
        let Some(rules) = rules else { continue };
        let of_struct = ("", &rules.rules);
        let of_fields = rules.fields.iter().map(|it| (it.json.as_str(), &it.rules));
        for (field, rules) in std::iter::once(of_struct).chain(of_fields) {
            for (at, rule) in rules.iter().enumerate() {
                let is_expression = match rule.test {
                    Test::Optional | Test::Skip | Test::Code(_) => continue,
                    Test::Expression(_) | Test::Unique { .. } => true,
                    _ => false,
                };
                let place = format!("{}.{field}[{at}]", program.ty(ty).name);
                out.insert(place, is_expression);
            }
        }
        pending.extend(rules.fields.iter().filter_map(|it| it.below.ty()));
    }
    out
}

/// How many errors the Rust code of a kind can make: places where one is constructed.
fn in_rust(path: &Path) -> usize {
    if path.is_dir() {
        return fs::read_dir(path).unwrap().map(|it| in_rust(&it.unwrap().path())).sum();
    }
    let Ok(text) = fs::read_to_string(path) else { return 0 };
    let code = text.split("#[cfg(test)]").next().unwrap_or("");
    let made = ["invalid(", "required(", "forbidden(", "not_supported(", "duplicate(", "too_long("];
    let others = ["too_many(", "not_found(", "too_few(", "type_invalid("];
    made.iter().chain(&others).map(|it| code.matches(&format!("Error::{it}")).count()).sum()
}

/// `PersistentVolumeClaim` as `persistent_volume_claim`, `CSIDriver` as `csi_driver`.
fn snake(kind: &str) -> String {
    let letters: Vec<char> = kind.chars().collect();
    let mut out = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let next_is_lower = letters.get(at + 1).is_some_and(|it| it.is_lowercase());
        let after_lower = at > 0 && letters[at - 1].is_lowercase();
        if letter.is_uppercase() && at > 0 && (after_lower || next_is_lower) {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

/// The folder of a group's modules.
fn folder(group: &str) -> &str {
    match group.split('.').next().unwrap() {
        "" => "core",
        group => group,
    }
}

/// The places in modules that several kinds use: those of groups that are named after no kind, and
/// those that all groups share.
fn in_shared_rust() -> usize {
    let of_kinds: BTreeSet<PathBuf> = declarations::all()
        .iter()
        .map(|it| root().join("src").join(folder(it.group)).join(snake(it.kind)))
        .collect();
    let folders: BTreeSet<&str> = declarations::all().iter().map(|it| folder(it.group)).collect();
    let modules = folders.into_iter().map(|it| root().join("src").join(it));
    let files = modules.filter(|it| it.is_dir()).flat_map(|it| fs::read_dir(it).unwrap());
    let others = files.map(|it| it.unwrap().path());
    let others = others.filter(|it| !of_kinds.contains(&it.with_extension("")));
    let of_groups: usize = others.map(|it| in_rust(&it)).sum();
    let client = root().join("../schema/src/admission/client.rs");
    of_groups + in_rust(&root().join("src/shared")) + in_rust(&client)
}

fn row(entry: &Entry, once: &mut BTreeSet<String>, out: &mut String) -> [usize; 3] {
    let kind = entry.open().unwrap();
    let version = kind.versions.last().unwrap();
    let native = version.native.as_ref();
    let of_root = |it: &Native| written(&it.program, it.program.written.root(&it.root));
    let written = native.map(of_root).unwrap_or_default();
    let expressions = written.values().filter(|it| **it).count();
    let by_tag = native.map_or(0, |it| tags(&it.program, &it.root)) + written.len() - expressions;
    let by_schema: usize = version.schema.nodes().iter().map(|node| node.rules.len()).sum();
    let by_cel = by_schema + expressions;
    once.extend(written.into_keys());
    let of_schema = |at| format!("{}/{} schema[{at}]", entry.group, entry.kind);
    once.extend((0..by_schema).map(of_schema));
    let module = root().join("src").join(folder(entry.group));
    let name = snake(entry.kind);
    let by_rust = in_rust(&module.join(&name)) + in_rust(&module.join(format!("{name}.rs")));
    let shown = if entry.group.is_empty() { "core" } else { entry.group };
    writeln!(out, "| {shown} | {} | {by_tag} | {by_cel} | {by_rust} |", entry.kind).unwrap();
    [by_tag, by_cel, by_rust]
}

#[test]
fn the_page_of_native_kinds_is_up_to_date() {
    let served: BTreeSet<(String, String)> = ordain_kubernetes::all()
        .iter()
        .map(|it| (it.group.to_string(), it.kind.to_string()))
        .collect();
    let mut rows = String::new();
    let mut once = BTreeSet::new();
    let mut sum = [0; 3];
    for entry in declarations::all() {
        if served.contains(&(entry.group.to_owned(), entry.kind.to_owned())) {
            let counted = row(entry, &mut once, &mut rows);
            sum.iter_mut().zip(counted).for_each(|(sum, it)| *sum += it);
        }
    }
    let shared = in_shared_rust();
    let declared = sum[0] + sum[1];
    let percent = 100 * declared / (declared + sum[2] + shared);
    let in_code = sum[2] + shared;
    let single_percent = 100 * once.len() / (once.len() + in_code);
    let page = format!(
        "# The Kubernetes API, declared\n\n\
         Generated by `crates/kubernetes/tests/native_page.rs`; do not edit.\n\n\
         Every kind is declared in `crates/kubernetes/api` as tagged Go types. A rule is a tag where \
         a tag can say it, a CEL rule where CEL can, and Rust otherwise. Tags and CEL rules are \
         counted where a kind reaches them, those of shared types for each kind that uses them; \
         Rust rules are counted as places that make an error: in the row of a kind those of its \
         module; {shared} more such places are in modules that several kinds use. That makes \
         {percent} % declared; with each `+rule:` tag (docs/rules.md) and CEL rule counted once, \
         however many kinds reach it, and `+k8s:` tags left out, {} of {} or {single_percent} %.\n\n\
         | group | kind | by tag | by CEL | in Rust |\n|---|---|---|---|---|\n{rows}\
         | | all | {} | {} | {} |\n",
        once.len(),
        once.len() + in_code,
        sum[0],
        sum[1],
        sum[2]
    );
    let path = root().join("../../docs/native.md");
    if std::env::var_os("ORDAIN_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/native.md is stale; ORDAIN_BLESS=1 writes it anew");
}
