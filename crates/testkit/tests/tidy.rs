//! Rules of this repository that no compiler checks: the layers and invariants of
//! ARCHITECTURE.md, that its crate list is the list of crates, and how long files and functions are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn crates() -> BTreeSet<String> {
    fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// Names of the dependencies in `[dependencies]` (development dependencies are free).
fn dependencies(name: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
    let mut found = BTreeSet::new();
    let mut inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.trim() == "[dependencies]";
            continue;
        }
        let name = line.split(['.', '=', ' ']).next().unwrap_or("").trim();
        if inside && !name.is_empty() && !name.starts_with('#') {
            found.insert(name.to_owned());
        }
    }
    found
}

/// The rows of the layer table in ARCHITECTURE.md.
fn layers() -> BTreeMap<String, usize> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let table = text.split("## Layers").nth(1).unwrap().split("\n## ").next().unwrap();
    let mut layers = BTreeMap::new();
    for line in table.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let Some(Ok(row)) = cells.get(1).map(|it| it.parse::<usize>()) else { continue };
        for name in cells[2].split('`').map(str::trim).filter(|it| !it.is_empty()) {
            layers.insert(name.to_owned(), row);
        }
    }
    layers
}

#[test]
fn architecture_names_every_crate_and_no_other() {
    let named: BTreeSet<String> = layers().into_keys().collect();
    assert_eq!(named, crates());
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let table = text.split("## Crates").nth(1).unwrap().split("\n## ").next().unwrap();
    for name in crates() {
        assert!(table.contains(&format!("| `{name}` |")), "the crate table misses `{name}`");
    }
}

#[test]
fn crates_depend_only_on_rows_above_their_own() {
    let layers = layers();
    for name in crates() {
        for dependency in dependencies(&name) {
            let Some(dependency) = dependency.strip_prefix("ordain-") else { continue };
            assert!(
                layers[dependency] < layers[&name],
                "`{name}` (row {}) may not use `{dependency}` (row {})",
                layers[&name],
                layers[dependency],
            );
        }
    }
}

/// The lines of a manifest under a heading such as `[package]`.
fn section(name: &str, heading: &str) -> Vec<String> {
    let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
    let mut lines = manifest.lines().skip_while(|it| it.trim() != heading).skip(1);
    let mut found = Vec::new();
    while let Some(line) = lines.next().filter(|it| !it.starts_with('[')) {
        found.push(line.to_owned());
    }
    found
}

#[test]
fn every_crate_says_what_it_is_and_can_be_published() {
    for name in crates() {
        let package = section(&name, "[package]");
        for key in
            ["description = ", "keywords = ", "categories = ", "readme = ", "license.workspace"]
        {
            let said = package.iter().any(|it| it.starts_with(key));
            assert!(said, "crates/{name}/Cargo.toml misses `{key}`");
        }
        assert!(!package.iter().any(|it| it.starts_with("publish")), "`{name}` is not published");
        let readme = root().join("crates").join(&name).join("README.md");
        assert!(readme.is_file(), "crates/{name} has no README.md");
        for line in section(&name, "[dependencies]").iter().filter(|it| it.starts_with("ordain")) {
            // The workspace's table has the version that a published crate needs.
            assert!(line.contains("workspace = true"), "`{name}`: {line}");
        }
        let tests = section(&name, "[dev-dependencies]");
        for line in tests.iter().filter(|it| it.starts_with("ordain")) {
            // Tests may use crates of later rows; by path alone they are no part of the package.
            assert!(line.contains("path = "), "`{name}`: {line}: by path, without a version");
        }
    }
}

#[test]
fn pure_crates_have_no_async_io_clock_or_randomness() {
    for name in [
        "value",
        "go",
        "meta",
        "schema",
        "cel",
        "idl",
        "passes",
        "merge",
        "kubernetes",
        "admission",
    ] {
        for banned in ["tokio", "futures-util", "hyper", "http", "rand", "tracing", "log", "uuid"] {
            assert!(!dependencies(name).contains(banned), "`{name}` may not use `{banned}`");
        }
        for file in sources(name) {
            let text = fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or("");
            for banned in
                ["SystemTime::now", "Instant::now", "std::fs::", "std::net::Tcp", "async fn"]
            {
                assert!(!code.contains(banned), "{} uses {banned}", file.display());
            }
        }
    }
}

#[test]
fn only_the_server_and_the_webhook_client_know_http() {
    // Webhooks are the one place where the server itself asks somebody over HTTP.
    let knows = |name: &str| matches!(name, "server" | "webhook" | "testkit");
    for name in crates().into_iter().filter(|it| !knows(it)) {
        for banned in ["hyper", "http", "axum", "hyper-util"] {
            assert!(!dependencies(&name).contains(banned), "`{name}` may not use `{banned}`");
        }
    }
}

#[test]
fn cel_and_storage_stand_alone() {
    for (name, allowed) in
        [("storage", [].as_slice()), ("cel", ["ordain-go", "ordain-value"].as_slice())]
    {
        for dependency in dependencies(name).iter().filter(|it| it.starts_with("ordain-")) {
            assert!(allowed.contains(&dependency.as_str()), "`{name}` may not use `{dependency}`");
        }
    }
}

fn sources(name: &str) -> Vec<PathBuf> {
    let mut pending = vec![root().join("crates").join(name).join("src")];
    let mut files = Vec::new();
    while let Some(dir) = pending.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                files.push(path);
            }
        }
    }
    files
}

/// Lines of a product file, and of a function in it.
const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 70;
/// What a longer function says in its documentation: rows one below the other, without a decision
/// between them.
const TABLE: &str = "/// A table";

/// The lines of a file that are product code: its tests come last.
fn product_lines(path: &Path) -> Vec<String> {
    let is_tests = |it: &str| it == "tests.rs" || it.ends_with("_tests.rs");
    if is_tests(&path.file_name().unwrap().to_string_lossy()) {
        return Vec::new();
    }
    let text = fs::read_to_string(path).unwrap();
    text.lines().take_while(|line| *line != "#[cfg(test)]").map(str::to_owned).collect()
}

/// Where each function begins, with its name and length. The sources are formatted, so a function
/// ends with the first closing brace that is indented as it is.
fn functions(lines: &[String]) -> Vec<(usize, String, usize)> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        let words: Vec<&str> = code.split([' ', '(', '<']).collect();
        let Some(name_at) = words.iter().position(|it| *it == "fn") else { continue };
        let before = ["pub", "const", "async", "crate)", "super)", "in"];
        let is_function = words[..name_at].iter().all(|it| before.contains(it));
        if !is_function || line.ends_with('}') {
            continue;
        }
        let Some(name) = words.get(name_at + 1) else { continue };
        let end = lines[at..].iter().position(|it| {
            it.strip_prefix(indent)
                .is_some_and(|rest| rest == "}" || rest.ends_with(';') && !rest.starts_with(' '))
        });
        found.push((at, (*name).to_owned(), end.map_or(0, |end| end + 1)));
    }
    found
}

#[test]
fn files_and_functions_are_short() {
    let mut long = Vec::new();
    let mut count = 0;
    for name in crates() {
        for path in sources(&name) {
            let lines = product_lines(&path);
            if lines.len() > FILE_LINES_MAX {
                long.push(format!("{}: {} lines", path.display(), lines.len()));
            }
            for (at, function, len) in functions(&lines) {
                count += 1;
                let above = lines[..at].iter().rev().take_while(|it| {
                    let it = it.trim_start();
                    it.starts_with("///") || it.starts_with("#[")
                });
                let is_table = above.into_iter().any(|it| it.trim_start().starts_with(TABLE));
                if len > FUNCTION_LINES_MAX && !is_table {
                    long.push(format!(
                        "{}:{}: `{function}` has {len} lines",
                        path.display(),
                        at + 1
                    ));
                }
            }
        }
    }
    assert!(count > 10_000, "only {count} functions were found");
    assert!(long.is_empty(), "too long:\n{}", long.join("\n"));
}
