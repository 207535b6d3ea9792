//! Plays `fixtures/kubectl/*.console` with each kubectl that is found: the one on the PATH, and those that
//! `ORDAIN_KUBECTL` names (paths separated by colons). `product.console` is played against the example
//! API as a product serves it, from its Rust types with a typed hook.

mod support;
#[path = "../../../examples/widgets/main.rs"]
#[expect(dead_code, reason = "its main function serves until it is stopped")]
mod widgets;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Step {
    line: usize,
    command: String,
    expected: Vec<String>,
    exit: i32,
    /// The minor release of kubectl that it needs.
    since: u32,
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/kubectl")
}

fn read(name: &str) -> Vec<Step> {
    let text = std::fs::read_to_string(fixtures().join(name)).expect("the session");
    let mut steps: Vec<Step> = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with("# ")) {
        if let Some(command) = line.strip_prefix("$ ") {
            let (line, command) = (at + 1, command.to_owned());
            steps.push(Step { line, command, expected: vec![], exit: 0, since: 0 });
        } else if let Some(step) = steps.last_mut() {
            if let Some(code) = line.strip_prefix("exit ") {
                step.exit = code.parse().expect("an exit code");
            } else if let Some(minor) = line.strip_prefix("since 1.") {
                step.since = minor.parse().expect("a release");
            } else {
                step.expected.push(line.to_owned());
            }
        }
    }
    for step in &mut steps {
        while step.expected.last().is_some_and(String::is_empty) {
            step.expected.pop();
        }
    }
    assert!(!steps.is_empty(), "{name} has no steps");
    steps
}

/// `[..]` matches any text.
fn line_agrees(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split("[..]");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// `...` matches any number of lines.
fn agrees(expected: &[String], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=printed.len()).any(|skipped| agrees(rest, &printed[skipped..]))
        }
        Some((first, rest)) => printed
            .split_first()
            .is_some_and(|(line, others)| line_agrees(first, line) && agrees(rest, others)),
    }
}

/// The kubectls to play with, each with its minor version.
fn kubectls() -> Vec<(PathBuf, u32)> {
    let named = std::env::var("ORDAIN_KUBECTL").unwrap_or_default();
    let on_path = std::env::var("PATH").unwrap_or_default();
    let on_path = on_path.split(':').map(|folder| Path::new(folder).join("kubectl"));
    let mut found: Vec<(PathBuf, u32)> = named
        .split(':')
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
        .chain(on_path.filter(|path| path.is_file()).take(1))
        .map(|path| {
            let minor = minor_version(&path);
            (path, minor)
        })
        .collect();
    found.dedup_by_key(|(_, minor)| *minor);
    if found.is_empty() {
        ordain_testkit::Need::Kubectl.missing("no kubectl on the PATH or in ORDAIN_KUBECTL");
    }
    found
}

fn minor_version(kubectl: &Path) -> u32 {
    let output = Command::new(kubectl)
        .args(["version", "--client", "-o", "json"])
        .output()
        .expect("kubectl runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, rest) = text.split_once("\"minor\":").expect("a version");
    let digits: String =
        rest.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

/// Plays a session against the server of the binary.
fn play(session: &str, kubectl: &Path, minor: u32) {
    let serving = support::Serving::start();
    play_with(session, kubectl, minor, &serving.kubeconfig(), serving.folder());
}

fn play_with(session: &str, kubectl: &Path, minor: u32, kubeconfig: &Path, folder: &Path) {
    let place = folder.join("work");
    std::fs::create_dir_all(place.join("bin")).expect("a folder");
    for file in std::fs::read_dir(fixtures()).expect("fixtures") {
        let file = file.expect("a file").path();
        std::fs::copy(&file, place.join(file.file_name().expect("a name"))).expect("copied");
    }
    std::os::unix::fs::symlink(kubectl, place.join("bin/kubectl")).expect("linked");
    let path =
        format!("{}:{}", place.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let mut failures = Vec::new();
    for step in read(session).into_iter().filter(|step| step.since <= minor) {
        let output = Command::new("sh")
            .args(["-c", &format!("({}) 2>&1", step.command)])
            .current_dir(&place)
            .env("PATH", &path)
            .env("HOME", &place)
            .env("KUBECONFIG", kubeconfig)
            .output()
            .expect("sh runs");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines: Vec<&str> = printed.trim_end().lines().map(str::trim_end).collect();
        // `timeout` ends a watch with 124.
        let code = output.status.code().unwrap_or(-1);
        if !agrees(&step.expected, &lines) || code != step.exit {
            failures.push(format!(
                "{session}:{}: $ {}\nexpected (exit {}):\n{}\nprinted (exit {code}):\n{printed}",
                step.line,
                step.command,
                step.exit,
                step.expected.join("\n"),
            ));
        }
    }
    assert!(failures.is_empty(), "kubectl 1.{minor}\n{}", failures.join("\n"));
}

#[test]
fn kubectl_of_any_age_works_through_a_session() {
    for (kubectl, minor) in kubectls() {
        play("any-age.console", &kubectl, minor);
    }
}

#[test]
fn recent_kubectl_finds_what_it_learnt_since() {
    for (kubectl, minor) in kubectls().into_iter().filter(|(_, minor)| *minor >= 27) {
        play("recent.console", &kubectl, minor);
    }
}

#[test]
fn kubectl_manages_the_kinds_of_kubernetes() {
    assert!(read("native.console").len() >= 120, "the table has shrunk");
    for (kubectl, minor) in kubectls() {
        play("native.console", &kubectl, minor);
    }
}

#[test]
fn kubectl_works_with_the_kinds_of_a_product() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for (kubectl, minor) in kubectls() {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("work");
        std::fs::create_dir_all(&work).unwrap();
        let example = fixtures().join("../../examples/widgets/widget.yaml");
        std::fs::copy(example, work.join("gizmo.yaml")).unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let product = widgets::shop().address(address).data_dir(folder.path()).in_memory();
        let server = runtime.block_on(product.start()).unwrap_or_else(|error| panic!("{error}"));
        let kubeconfig = server.kubeconfig().unwrap().to_owned();
        play_with("product.console", &kubectl, minor, &kubeconfig, folder.path());
        runtime.block_on(server.stop()).unwrap();
    }
}

#[test]
fn patterns_match_what_they_say() {
    assert!(line_agrees("a[..]c", "abc"));
    assert!(line_agrees("[..]", ""));
    assert!(!line_agrees("a[..]c", "abd"));
    assert!(!line_agrees("abc", "abcd"));
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(agrees(&lines("...\nb\n..."), &["a", "b", "c"]));
    assert!(!agrees(&lines("...\nx\n..."), &["a", "b", "c"]));
    assert!(!agrees(&lines("a"), &["a", "b"]));
}
