//! What offline commands are given that is no manifest: devices, pipes, loops, bytes of any kind,
//! names that would command a terminal or a workflow, and a great deal of nothing.

#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);

/// Waits for its end, which has to come.
fn ended(mut child: Child) -> Output {
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

fn validate(folder: &Path, arguments: &[&str]) -> Output {
    let child = Command::new(env!("CARGO_BIN_EXE_ordain"))
        .current_dir(folder)
        .arg("validate")
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    ended(child.unwrap())
}

fn is_well(output: &Output) {
    let code = output.status.code();
    let reported = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(code, Some(0..=2)), "{code:?}: {reported}");
    assert!(!reported.contains("panicked"), "{reported}");
}

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

#[test]
fn s42_devices_pipes_and_loops_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("manifests");
    std::fs::create_dir(&inside).unwrap();
    std::fs::write(inside.join("map.yaml"), MAP).unwrap();
    std::fs::write(inside.join("--help"), MAP).unwrap();
    assert!(Command::new("mkfifo").arg(inside.join("pipe.yaml")).status().unwrap().success());
    symlink("/dev/zero", inside.join("zero.yaml")).unwrap();
    symlink("/dev/stdin", inside.join("stdin.yaml")).unwrap();
    symlink(&inside, inside.join("again")).unwrap();
    symlink("loop.yaml", inside.join("loop.yaml")).unwrap();
    let output = validate(folder.path(), &["--summary", "manifests"]);
    is_well(&output);
    let reported = String::from_utf8_lossy(&output.stdout);
    assert!(reported.contains("1 object in 1 file"), "{reported}");
    is_well(&validate(folder.path(), &["manifests/loop.yaml"]));
}

#[test]
fn s42_names_command_neither_a_terminal_nor_a_workflow() {
    let folder = tempfile::tempdir().unwrap();
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"\\e[31mred\\n::error::made up\\r\\x07\"}\n\
                data: {k: 1}\n";
    std::fs::write(folder.path().join("a.yaml"), text).unwrap();
    let name = "b\n::set-output name=x::y.yaml";
    std::fs::write(folder.path().join(name), text).unwrap();
    let long = format!("c {} ::error::made up.yaml", "x ".repeat(60));
    std::fs::write(folder.path().join(long), text).unwrap();
    for output in ["text", "json", "yaml", "junit", "tap", "sarif", "github", "gitlab"] {
        let output = validate(folder.path(), &["--output", output, "."]);
        is_well(&output);
        for bytes in [&output.stdout, &output.stderr] {
            let reported = String::from_utf8_lossy(bytes);
            assert!(!reported.contains(['\u{1b}', '\u{7}', '\r']), "{reported:?}");
            // Blanks before a command do not matter.
            let made_up = reported.lines().map(str::trim_start).filter(|line| {
                line.starts_with("::error::made up") || line.starts_with("::set-output")
            });
            assert_eq!(made_up.count(), 0, "{reported}");
        }
    }
}

#[test]
fn s42_bytes_of_any_kind_are_told_of_and_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let inputs: [&[u8]; 8] = [
        b"\x93",
        b"a: \x93\n",
        b"\xff\xfe\x00a",
        b"\xef\xbb\xbf",
        b"apiVersion: v1\nkind: \x00\n",
        b"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"\xed\xa0\x80\"}}",
        b"- \t- \x85\xe2\x80\xa8",
        b"%YAML 9.9\n---\n!!x &a *a\n",
    ];
    for (at, bytes) in inputs.iter().enumerate() {
        let name = format!("{at}.yaml");
        std::fs::write(folder.path().join(&name), bytes).unwrap();
        is_well(&validate(folder.path(), &[&name]));
    }
    is_well(&validate(folder.path(), &["."]));
}

#[test]
fn s42_a_great_deal_of_nothing_stays_small() {
    let folder = tempfile::tempdir().unwrap();
    // So many documents in so few bytes are slow if any of them is looked for from the start.
    std::fs::write(folder.path().join("many.json"), "{}".repeat(100_000)).unwrap();
    let repeated = format!("{{{}}}", vec!["\"a\":1"; 100_000].join(","));
    std::fs::write(folder.path().join("repeated.json"), repeated).unwrap();
    for name in ["many.json", "repeated.json"] {
        is_well(&validate(folder.path(), &["--output", "github", name]));
    }
    std::fs::write(folder.path().join("nothing.yaml"), "---\n".repeat(500_000)).unwrap();
    // Under a limit of memory, which it would not survive if it grew.
    let script =
        format!("ulimit -v 1000000; exec {} validate nothing.yaml", env!("CARGO_BIN_EXE_ordain"));
    let child = Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", &script])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    is_well(&ended(child.unwrap()));
}
