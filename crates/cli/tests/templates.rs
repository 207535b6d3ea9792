//! The GitHub action, the GitLab template and the pre-commit hooks: their steps, run as their hosts
//! run them.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ordain_value::{Value, json, yaml};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> Value {
    let text = std::fs::read(root().join(name)).unwrap();
    yaml::decode_first(&text, yaml::Options::default()).unwrap().value.unwrap()
}

fn text<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    value.get_path(path).and_then(Value::as_str).unwrap_or_default()
}

/// A project with a definition, a good object and a bad one.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let crd = std::fs::read(root().join("fixtures/check/validate/crd.yaml")).unwrap();
    std::fs::create_dir_all(path.join("crds")).unwrap();
    std::fs::create_dir_all(path.join("deploy")).unwrap();
    std::fs::write(path.join("crds/crd.yaml"), crd).unwrap();
    let object = |name: &str, size: u32| {
        format!(
            "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {{name: {name}}}\nspec: {{owner: ann, size: {size}}}\n"
        )
    };
    std::fs::write(path.join("deploy/good.yaml"), object("good", 3)).unwrap();
    std::fs::write(path.join("deploy/bad.yaml"), object("bad", 30)).unwrap();
    folder
}

/// `PATH` with the command in front.
fn search_path() -> String {
    let own = Path::new(env!("CARGO_BIN_EXE_ordain")).parent().unwrap();
    format!("{}:{}", own.display(), std::env::var("PATH").unwrap_or_default())
}

/// A shell command in a folder, with nothing of the user's.
fn shell(folder: &Path, program: &str, arguments: &[&str], script: &str) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg(script).current_dir(folder);
    for name in ["KUBECONFIG", "ORDAIN_CONFIG", "ORDAIN_SCHEMAS"] {
        command.env_remove(name);
    }
    command.env("HOME", folder).env("XDG_DATA_HOME", folder.join("data"));
    command.env("PATH", search_path());
    command
}

fn step(action: &Value, id: &str) -> Value {
    let steps = action.get_path(&["runs", "steps"]).and_then(Value::as_list).unwrap();
    steps.iter().find(|it| text(it, &["id"]) == id).unwrap().clone()
}

/// Runs a step as GitHub does: inputs become the step's environment, the shell is strict.
fn run_step(folder: &Path, id: &str, inputs: &[(&str, &str)]) -> Output {
    let action = read("action.yml");
    let step = step(&action, id);
    assert_eq!(text(&step, &["shell"]), "bash");
    let strict = ["--noprofile", "--norc", "-eo", "pipefail", "-c"];
    let mut command = shell(folder, "bash", &strict, text(&step, &["run"]));
    for (name, value) in step.get("env").and_then(Value::as_map).unwrap().iter() {
        let expression = value.as_str().unwrap();
        let input = expression.trim_start_matches("${{ inputs.").trim_end_matches(" }}");
        let given = inputs.iter().find(|(name, _)| *name == input).map(|(_, value)| *value);
        let default = action.get_path(&["inputs", input]).unwrap_or_else(|| panic!("{input}"));
        command.env(name.as_str(), given.unwrap_or_else(|| text(default, &["default"])));
    }
    command
        .env("GITHUB_OUTPUT", folder.join("outputs"))
        .env("GITHUB_PATH", folder.join("paths"))
        .env("GITHUB_ACTION_PATH", root())
        .env("RUNNER_TEMP", folder.join("temp"))
        .output()
        .unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_action_annotates_lines() {
    let place = project();
    let folder = place.path();
    let found = run_step(folder, "run", &[("paths", "deploy/"), ("args", "--crds crds/")]);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let reported = out(&found);
    assert!(reported.starts_with("::error file=deploy/bad.yaml,line=4,col=26,"), "{reported}");
    // Several lines are several arguments.
    let clean = run_step(
        folder,
        "run",
        &[("paths", "deploy/good.yaml\ncrds/crd.yaml\n"), ("args", "--summary\n--color never")],
    );
    assert_eq!((clean.status.code(), out(&clean).as_str()), (Some(0), ""), "{clean:?}");
    let other = run_step(folder, "run", &[("command", "serve; true")]);
    assert_eq!(other.status.code(), Some(2));
    let lint = run_step(folder, "run", &[("command", "lint"), ("paths", "crds/")]);
    assert!(out(&lint).starts_with("::warning file=crds/crd.yaml"), "{lint:?}");
}

#[test]
fn the_action_writes_sarif() {
    let place = project();
    let folder = place.path();
    let inputs = [
        ("paths", "deploy/"),
        ("args", "--crds crds/"),
        ("output", "sarif"),
        ("sarif-file", "o.json"),
    ];
    assert_eq!(run_step(folder, "run", &inputs).status.code(), Some(1));
    let report = json::decode(&std::fs::read(folder.join("o.json")).unwrap()).unwrap();
    assert_eq!(text(&report, &["version"]), "2.1.0");
    let outputs = std::fs::read_to_string(folder.join("outputs")).unwrap();
    assert_eq!(outputs, "sarif-file=o.json\n");
}

#[test]
fn the_action_installs_what_is_missing() {
    let place = project();
    let folder = place.path();
    let there = run_step(folder, "install", &[]);
    assert_eq!(there.status.code(), Some(0), "{there:?}");
    assert!(!folder.join("paths").exists());
    // Without the command cargo is asked: here one that writes down what it was asked.
    let bin = folder.join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(bin.join("cargo"), "#!/bin/sh\necho \"$@\" > \"$HOME/asked\"\n").unwrap();
    std::fs::set_permissions(bin.join("cargo"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let action = read("action.yml");
    let script = step(&action, "install");
    for (version, wanted) in [
        ("latest", "--path"),
        ("v1.2.3", "--git https://github.com/ordain-dev/ordain --tag v1.2.3"),
    ] {
        let strict = ["--noprofile", "--norc", "-eo", "pipefail", "-c"];
        let mut command = shell(folder, "/bin/bash", &strict, text(&script, &["run"]));
        let output = command
            .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
            .env("VERSION", version)
            .env("GITHUB_PATH", folder.join("paths"))
            .env("GITHUB_ACTION_PATH", root())
            .env("RUNNER_TEMP", folder.join("temp"))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let asked = std::fs::read_to_string(folder.join("asked")).unwrap();
        assert!(asked.starts_with("install --locked") && asked.contains(wanted), "{asked}");
    }
    let paths = std::fs::read_to_string(folder.join("paths")).unwrap();
    assert!(paths.trim_end().ends_with("temp/ordain-bin/bin"), "{paths}");
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let who = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    let run = Command::new("git").current_dir(folder).args(who).args(arguments).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    out(&run).trim().to_owned()
}

#[test]
fn the_gitlab_template_reports_code_quality() {
    let place = project();
    let folder = place.path();
    git(folder, &["init", "-q"]);
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-qm", "base"]);
    let base = git(folder, &["rev-parse", "HEAD"]);
    let template = read("templates/ordain.gitlab-ci.yml");
    let job = |name: &str, lint: &str| {
        let lines = template.get_path(&[name, "script"]).and_then(Value::as_list).unwrap();
        let script: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
        let mut command = shell(folder, "sh", &["-ec"], &script.join("\n"));
        for (key, value) in template.get("variables").and_then(Value::as_map).unwrap().iter() {
            command.env(key.as_str(), value.as_str().unwrap());
        }
        let output = command
            .env("ORDAIN_PATHS", "deploy/")
            .env("ORDAIN_ARGS", "--crds crds/")
            .env("ORDAIN_LINT_PATHS", lint)
            .env("CI_MERGE_REQUEST_DIFF_BASE_SHA", &base)
            .output()
            .unwrap();
        let file = text(&template, &[".ordain", "artifacts", "reports", "codequality"]);
        let report = json::decode(&std::fs::read(folder.join(file)).unwrap()).unwrap();
        (output.status.code(), report.as_list().unwrap().to_vec())
    };
    let (code, report) = job("ordain-validate", "");
    assert_eq!((code, report.len()), (Some(1), 1));
    assert_eq!(text(&report[0], &["location", "path"]), "deploy/bad.yaml");
    assert!(
        ["info", "minor", "major", "critical", "blocker"]
            .contains(&text(&report[0], &["severity"]))
    );
    assert!(!text(&report[0], &["fingerprint"]).is_empty());
    // As a change nothing new is wrong.
    let (code, report) = job("ordain-validate-change", "");
    assert_eq!((code, report.len()), (Some(0), 1));
    let (code, report) = job("ordain-lint", "crds/");
    assert_eq!(code, Some(0));
    assert!(report.len() > 3);
}

#[test]
fn every_hook_is_a_command_that_is_there() {
    let hooks = read(".pre-commit-hooks.yaml");
    let place = project();
    for hook in hooks.as_list().unwrap().iter() {
        let entry = text(hook, &["entry"]);
        let help = shell(place.path(), "sh", &["-c"], &format!("{entry} --help")).output().unwrap();
        assert_eq!(help.status.code(), Some(0), "{entry}: {help:?}");
        assert_eq!(text(hook, &["language"]), "system");
        if text(hook, &["id"]).starts_with("ordain-validate") {
            let excluded = regex::Regex::new(text(hook, &["exclude"])).unwrap();
            for other in [".pre-commit-config.yaml", ".github/workflows/ci.yml", "a/w.cases.yaml"] {
                assert!(excluded.is_match(other), "{other} is no manifest");
            }
            assert!(!excluded.is_match("deploy/good.yaml"));
        }
    }
    let files = |entry: &str, file: &str| {
        let script = format!("{entry} {file}");
        shell(place.path(), "sh", &["-c"], &script).output().unwrap().status.code()
    };
    assert_eq!(files("ordain validate --crds crds/", "deploy/good.yaml"), Some(0));
    assert_eq!(files("ordain validate --crds crds/", "deploy/bad.yaml"), Some(1));
}
