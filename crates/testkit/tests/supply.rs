//! What the workspace is built from: every crate comes from the registry with a checksum, under a
//! licence of `deny.toml`, and none of those that are banned.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use ordain_value::{Value, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// One package of a lock file.
#[derive(Debug, Default)]
struct Locked {
    name: String,
    version: String,
    source: String,
    checksum: String,
}

fn locked(path: &str) -> Vec<Locked> {
    let mut packages = Vec::new();
    for block in read(path).split("[[package]]").skip(1) {
        let field = |name: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(&format!("{name} = ")));
            line.unwrap_or_default().trim_matches('"').to_owned()
        };
        packages.push(Locked {
            name: field("name"),
            version: field("version"),
            source: field("source"),
            checksum: field("checksum"),
        });
    }
    packages
}

/// The quoted words of a list in a TOML file.
fn words(text: &str, key: &str) -> BTreeSet<String> {
    let list = text.split_once(&format!("{key} = [")).map_or("", |it| it.1);
    let list = list.split_once(']').map_or("", |it| it.0);
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Crates that never come back, and why.
const BANNED: [(&str, &str); 6] = [
    ("openssl", "TLS is rustls"),
    ("openssl-sys", "TLS is rustls"),
    ("native-tls", "TLS is rustls"),
    ("serde_yaml", "not maintained; YAML is read by our own reader"),
    ("serde_yml", "RUSTSEC-2025-0068"),
    ("libyml", "RUSTSEC-2025-0067"),
];

#[test]
fn crates_come_from_the_registry_and_are_not_banned() {
    for lock in ["Cargo.lock", "fuzz/Cargo.lock"] {
        let packages = locked(lock);
        assert!(packages.len() > 50, "{lock} was not read");
        let mut sources = BTreeSet::new();
        for package in packages {
            let Locked { name, version, source, checksum } = &package;
            let banned = BANNED.iter().find(|it| it.0 == name);
            assert!(banned.is_none(), "{lock}: {banned:?}");
            if source.is_empty() {
                assert!(name.starts_with("ordain"), "{lock}: {name} {version} is from nowhere");
                continue;
            }
            assert!(source.starts_with("registry+"), "{lock}: {name} {version} is from {source}");
            sources.insert(source.clone());
            assert_eq!(checksum.len(), 64, "{lock}: {name} {version} has no checksum");
        }
        assert_eq!(sources.len(), 1, "{lock}: {sources:?}");
    }
}

/// How many crates may be there in several versions, all of them brought by others.
const DOUBLE_MAX: usize = 12;

#[test]
fn few_crates_are_there_twice() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in locked("Cargo.lock") {
        versions.entry(package.name).or_default().insert(package.version);
    }
    let double: Vec<_> = versions.iter().filter(|(_, versions)| versions.len() > 1).collect();
    assert!(double.len() <= DOUBLE_MAX, "{} crates: {double:?}", double.len());
}

/// Whether a licence expression can be met with what is allowed.
fn is_met(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let expression = expression.replace('/', " OR ");
    let expression = expression.trim();
    // The operators bind as in SPDX: WITH, then AND, then OR; parentheses first.
    let mut depth = 0_i32;
    let mut parts = vec![String::new()];
    let mut operators = Vec::new();
    for word in expression.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
        depth += i32::from(word == "(") - i32::from(word == ")");
        if depth == 0 && matches!(word, "OR" | "AND") {
            operators.push(word.to_owned());
            parts.push(String::new());
            continue;
        }
        if let Some(part) = parts.last_mut() {
            part.push_str(word);
            part.push(' ');
        }
    }
    if operators.is_empty() {
        let part = parts[0].trim();
        return match part.strip_prefix('(').and_then(|it| it.strip_suffix(')')) {
            Some(inner) => is_met(inner, allowed),
            None => allowed.contains(part),
        };
    }
    let mut all_of = vec![vec![parts[0].clone()]];
    for (operator, part) in operators.iter().zip(&parts[1..]) {
        match (operator.as_str(), all_of.last_mut()) {
            ("AND", Some(last)) => last.push(part.clone()),
            _ => all_of.push(vec![part.clone()]),
        }
    }
    all_of.iter().any(|all| all.iter().all(|part| is_met(part, allowed)))
}

#[test]
fn licences_are_those_of_deny_toml() {
    let allowed = words(&read("deny.toml"), "allow");
    assert!(allowed.contains("Apache-2.0"), "{allowed:?}");
    for (expression, met) in [
        ("MIT OR Apache-2.0", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0", false),
        ("MIT AND GPL-3.0", false),
        ("GPL-2.0 OR (MIT AND ISC)", true),
        ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true),
    ] {
        assert_eq!(is_met(expression, &allowed), met, "{expression}");
    }
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    // Crates for other systems may never have been fetched here.
    let host = Command::new("rustc").arg("-vV").output();
    let host = host.unwrap_or_else(|error| panic!("rustc: {error}")).stdout;
    let host = String::from_utf8_lossy(&host).into_owned();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let output = Command::new(cargo)
        .current_dir(root())
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", host])
        .output();
    let output = output.unwrap_or_else(|error| panic!("cargo metadata: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata = json::decode(&output.stdout).unwrap_or(Value::Null);
    let packages = metadata.get("packages").and_then(Value::as_list);
    let packages = packages.unwrap_or_else(|| panic!("cargo metadata has no packages"));
    assert!(packages.len() > 50);
    for package in packages.iter() {
        let text = |field: &str| package.get(field).and_then(Value::as_str).unwrap_or_default();
        let (name, licence) = (text("name"), text("license"));
        assert!(is_met(licence, &allowed), "{name} {} is under {licence:?}", text("version"));
    }
}
