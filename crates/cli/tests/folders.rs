//! `ordain validate` on folders as people have them: manifests among other files.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A folder of files, with the command run in it.
struct Folder(tempfile::TempDir);

/// What a run of the command told.
struct Reported {
    code: Option<i32>,
    out: String,
    err: String,
}

impl From<Output> for Reported {
    fn from(output: Output) -> Reported {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Reported {
            code: output.status.code(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }
}

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
        command.current_dir(self.path()).arg("validate").args(arguments);
        for name in ["KUBECONFIG", "ORDAIN_CONFIG", "ORDAIN_SCHEMAS"] {
            command.env_remove(name);
        }
        command.env("HOME", self.path()).env("XDG_DATA_HOME", self.path().join("data"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Reported {
        self.command(arguments).stdin(Stdio::null()).output().expect("the command runs").into()
    }

    fn piped(&self, arguments: &[&str], text: &str) -> Reported {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command runs");
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it is read");
        child.wait_with_output().expect("the command ends").into()
    }
}

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
";

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";

#[test]
fn what_is_no_manifest_is_counted_by_sort() {
    let folder = Folder::new(&[
        (
            "base/kustomization.yaml",
            "resources: [web.yaml]\nconfigMapGenerator:\n- name: c\n  files: [app.yaml, key=other.yaml]\nconfigurations: [names.yaml]\n",
        ),
        ("base/web.yaml", DEPLOYMENT),
        ("base/app.yaml", "level: high\n"),
        ("base/other.yaml", "a: 1\n"),
        ("base/names.yaml", "nameReference: [{kind: ConfigMap}]\n"),
        ("chart/Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n"),
        ("chart/values.yaml", "size: 1\n"),
        ("chart/templates/web.yaml", "kind: {{ .Values.kind }}\n{{ end }}\n"),
        ("compose.yaml", "services: {web: {image: web}}\n"),
        ("ci.yaml", "on: push\njobs: {build: {}}\n"),
        ("web.cases.yaml", "cases: []\n"),
        ("notes.yaml", "just: notes\n"),
        ("people.yaml", "- name: ann\n  kind: person\n"),
        ("cluster.yaml", "apiVersion: kind.x-k8s.io/v1alpha4\nkind: Cluster\n"),
    ]);
    let reported = folder.run(&["--summary", "."]);
    assert_eq!(reported.code, Some(0), "{}{}", reported.out, reported.err);
    assert!(reported.out.contains("1 object in 1 file"), "{}", reported.out);
    for part in [
        "13 files are not manifests",
        "2 kustomize generator inputs",
        "1 kustomize configuration",
        "1 kustomization,",
        "1 Helm chart",
        "1 Helm values file",
        "1 template",
        "1 workflow",
        "1 compose file",
        "1 table of cases",
        "1 configuration of a program",
        "2 documents without apiVersion and kind",
        "-v lists them",
    ] {
        assert!(reported.err.contains(part), "{part}: {}", reported.err);
    }
    let listed = folder.run(&["-v", "."]);
    assert!(listed.err.contains("chart/values.yaml: Helm values file"), "{}", listed.err);
    let report = folder.run(&["-o", "json", "."]);
    assert!(report.out.contains("\"what\": \"compose file\""), "{}", report.out);
    // Who is named is meant.
    let named = folder.run(&["chart/values.yaml", "base/web.yaml"]);
    assert_eq!(named.code, Some(1), "{}", named.out);
    assert!(named.out.contains("error[not-manifest]"), "{}", named.out);
    let hook = folder.run(&["--skip-others", "chart/values.yaml", "base/web.yaml"]);
    assert_eq!(hook.code, Some(0), "{}{}", hook.out, hook.err);
}

#[test]
fn what_test_tools_compare_with_is_no_manifest() {
    let test = "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: t}\nspec:\n  steps:\n  - try:\n    - apply: {file: web.yaml}\n    - assert: {file: expected/*.yaml}\n  - catch:\n    - error: {file: gone.yaml}\n";
    let part = "apiVersion: apps/v1\nkind: Deployment\nstatus: {(length(conditions)): 1}\n";
    let folder = Folder::new(&[
        ("chainsaw/chainsaw-test.yaml", test),
        ("chainsaw/web.yaml", DEPLOYMENT),
        ("chainsaw/expected/web.yaml", part),
        ("chainsaw/gone.yaml", part),
        ("kuttl/suite/00-install.yaml", CONFIG_MAP),
        ("kuttl/suite/00-assert.yaml", part),
        ("kuttl/suite/01-errors.yaml", part),
        ("kuttl/suite/01-step.yaml", "apiVersion: kuttl.dev/v1beta1\nkind: TestStep\n"),
    ]);
    let reported = folder.run(&["--summary", "."]);
    assert_eq!(reported.code, Some(0), "{}{}", reported.out, reported.err);
    assert!(reported.out.contains("2 objects in 2 files"), "{}", reported.out);
    assert!(reported.err.contains("4 expectations of tests"), "{}", reported.err);
    assert!(reported.err.contains("2 configurations of programs"), "{}", reported.err);
    // The name alone says nothing where no tool reads it.
    let other = Folder::new(&[("gone.yaml", part)]);
    assert_eq!(other.run(&["."]).code, Some(1));
}

#[test]
fn what_is_to_be_filled_in_and_what_others_own_is_not_judged() {
    let cluster = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"${NAME}\"}\ndata: 1\n";
    let label =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, labels: {env: \"{{ env }}\"}}\n";
    let script =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {run: 'echo ${HOME}'}\n";
    let bad = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: C_D}\n";
    let folder = Folder::new(&[
        ("cluster.yaml", cluster),
        ("label.yaml", label),
        ("raw.yaml", "{% raw %}\napiVersion: v1\nkind: ConfigMap\n{% endraw %}\n"),
        ("script.yaml", script),
        (
            "step.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: ($namespace)}\n",
        ),
        ("address.yaml", "apiVersion: v1\nkind: Service\nspec:\n  clusterIP: {IP_PREFIX}.16\n"),
        ("vendor/modules.txt", "# example.com/other v1.0.0\n"),
        ("vendor/example.com/other/bad.yaml", bad),
        ("node_modules/other/bad.yaml", bad),
        ("metadata.yaml", "apiVersion: clusterctl.cluster.x-k8s.io/v1alpha3\nkind: Metadata\n"),
    ]);
    let reported = folder.run(&["--summary", "."]);
    assert_eq!(reported.code, Some(0), "{}{}", reported.out, reported.err);
    assert!(reported.out.contains("1 object in 1 file"), "{}", reported.out);
    assert!(reported.err.contains("5 templates"), "{}", reported.err);
    // Who is named is judged as it stands.
    assert_eq!(folder.run(&["cluster.yaml"]).code, Some(1));
    assert_eq!(folder.run(&["vendor"]).code, Some(1));
}

#[test]
fn help_is_about_the_place() {
    let helps = |text: &str| {
        let folder = Folder::new(&[("m.yaml", text)]);
        let reported = folder.run(&["m.yaml"]);
        let lines = reported.out.lines().filter_map(|it| it.trim().strip_prefix("= help: "));
        lines.map(ToOwned::to_owned).collect::<Vec<String>>()
    };
    // What the type has is more than what this place takes.
    let never = DEPLOYMENT.replace("{containers:", "{restartPolicy: Never, containers:");
    assert_eq!(helps(&never), [] as [String; 0]);
    let always = DEPLOYMENT.replace("image: web", "image: web, imagePullPolicy: always");
    assert_eq!(helps(&always), ["did you mean \"Always\"?"]);
    let quoted = DEPLOYMENT.replace("spec:\n  selector", "spec:\n  replicas: \"3\"\n  selector");
    assert_eq!(helps(&quoted).len(), 1);
    assert!(helps(&quoted)[0].starts_with("write it without quotes; expected integer"));
    let number = CONFIG_MAP.to_owned() + "data: {a: 1}\n";
    assert_eq!(helps(&number), ["quote the value to make it text"]);
}

#[test]
fn a_broken_manifest_in_a_folder_is_an_error_still() {
    let folder = Folder::new(&[
        ("a.yaml", "apiVersion: v1\nkind: ConfigMap\n bad: [\n"),
        ("b.yaml", "kind: ConfigMap\nmetadata: {name: b}\n"),
        ("c.yaml", CONFIG_MAP),
    ]);
    let reported = folder.run(&["."]);
    assert_eq!(reported.code, Some(1));
    assert!(
        reported.out.contains("error[syntax]") && reported.out.contains("a.yaml"),
        "{}",
        reported.out
    );
    assert!(reported.out.contains("Object 'apiVersion' is missing"), "{}", reported.out);
}

#[test]
fn bases_are_completed_by_overlays() {
    let bare = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec: {containers: [{name: web}]}\n";
    let binding = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: b}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}\nsubjects: [{kind: ServiceAccount, name: s}]\n";
    let patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec: {containers: [{name: web, image: web}]}\n";
    let port =
        "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 70000}]}\n";
    let folder = Folder::new(&[
        ("base/kustomization.yaml", "resources: [web.yaml, binding.yaml]\n"),
        ("base/web.yaml", bare),
        ("base/binding.yaml", binding),
    ]);
    // Nobody mends it.
    let reported = folder.run(&["base"]);
    assert_eq!(reported.code, Some(1), "{}", reported.out);
    folder.write("labels/kustomization.yaml", "kind: Component\ncommonLabels: {app: web}\n");
    folder.write(
        "overlays/prod/kustomization.yaml",
        "resources: [../../base]\ncomponents: [../../labels]\nnamespace: prod\npatches: [{path: image.yaml}]\n",
    );
    folder.write("overlays/prod/image.yaml", patch);
    let reported = folder.run(&["."]);
    assert_eq!(reported.code, Some(0), "{}{}", reported.out, reported.err);
    assert!(reported.out.contains("warning[left-to-overlay]"), "{}", reported.out);
    assert!(reported.out.contains("with --kustomize overlays/prod"), "{}", reported.out);
    assert!(reported.out.contains("subjects[0].namespace: Required value"), "{}", reported.out);
    // What no layer changes is judged as it stands, and so is what the kind does not know.
    folder.write("base/kustomization.yaml", "resources: [web.yaml, binding.yaml, port.yaml]\n");
    folder.write("base/port.yaml", port);
    let reported = folder.run(&["."]);
    assert_eq!(reported.code, Some(1), "{}", reported.out);
    let errors: Vec<&str> = reported.out.lines().filter(|it| it.starts_with("error")).collect();
    assert!(errors.iter().all(|it| it.contains("spec.ports[0]")), "{errors:?}");
    folder.write("base/port.yaml", &bare.replace("template", "templates"));
    assert!(folder.run(&["."]).out.contains("error[unknown-field]"));
}

const OVERLAY: &str = "\
resources: [../base]
patches:
- path: patches/size.yaml
- path: operations.yaml
  target: {kind: Deployment, name: web}
- target: {kind: Deployment}
  patch: |-
    - op: replace
      path: /spec/replica
      value: 3
";

#[test]
fn patches_are_checked_as_patches() {
    let folder = Folder::new(&[
        ("overlay/kustomization.yaml", OVERLAY),
        (
            "overlay/patches/size.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3\n  templat: {}\n  template:\n    spec:\n      containers:\n      - $patch: delete\n        name: old\n      - {name: web, image: null, prots: []}\n",
        ),
        (
            "overlay/operations.yaml",
            "- op: add\n  path: /spec/template/spec/containers/0/imag\n  value: x\n- op: replace\n  path: /spec/replicas\n  value: many\n- {op: ad, path: /spec}\n",
        ),
        ("overlay/patches/unused.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n"),
        ("base/kustomization.yaml", "resources: [web.yaml]\n"),
        ("base/web.yaml", DEPLOYMENT),
    ]);
    let reported = folder.run(&["."]);
    assert_eq!(reported.code, Some(1), "{}", reported.err);
    for part in [
        "unknown field \"spec.templat\"",
        "unknown field \"spec.template.spec.containers[1].prots\"",
        "unknown field \"spec.template.spec.containers[0].imag\"",
        "unknown operation \"ad\"",
        "operations.yaml:6:10",
        "unknown field \"spec.replica\"",
        "kustomization.yaml:7:3",
    ] {
        assert!(reported.out.contains(part), "{part}: {}", reported.out);
    }
    assert!(!reported.out.contains("Required"), "{}", reported.out);
    assert!(reported.err.contains("3 kustomize patches"), "{}", reported.err);
}

#[test]
fn encrypted_documents_are_left_out_and_counted() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {key: 'ENC[AES256_GCM,data:x]'}\nsops: {mac: 'ENC[x]', version: 3.9.0}\n";
    let folder = Folder::new(&[("s.yaml", secret)]);
    let reported = folder.run(&["."]);
    assert_eq!(reported.code, Some(0), "{}{}", reported.out, reported.err);
    assert!(reported.err.contains("1 document is encrypted by SOPS"), "{}", reported.err);
    let strict = folder.run(&["--strict-sops", "s.yaml"]);
    assert_eq!(strict.code, Some(1));
    assert!(strict.out.contains("unknown field \"sops\""), "{}", strict.out);
}

#[test]
fn nothing_to_judge_is_no_success() {
    let folder = Folder::new(&[("a/c.yaml", CONFIG_MAP), ("b/notes.txt", "x")]);
    assert_eq!(folder.run(&["b"]).code, Some(2));
    assert_eq!(folder.run(&["--allow-empty", "b"]).code, Some(0));
    for text in ["", "\n", "# only a comment\n---\n"] {
        let reported = folder.piped(&["-"], text);
        assert_eq!(reported.code, Some(2), "{text:?}");
        assert!(reported.err.contains("--allow-empty"), "{}", reported.err);
        assert_eq!(folder.piped(&["a", "-"], text).code, Some(2));
        assert_eq!(folder.piped(&["--allow-empty", "-"], text).code, Some(0));
    }
}

#[test]
fn patterns_that_no_shell_expanded_are_expanded() {
    let folder = Folder::new(&[
        ("apps/a/c.yaml", CONFIG_MAP),
        ("apps/b/c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndate: {}\n"),
    ]);
    let reported = folder.run(&["--summary", "apps/**/*.yaml"]);
    assert!(reported.out.contains("2 objects in 2 files"), "{}{}", reported.out, reported.err);
    let reported = folder.run(&["--summary", "apps/a/*.yaml"]);
    assert_eq!(reported.code, Some(0), "{}", reported.out);
    let none = folder.run(&["apps/*.json"]);
    assert_eq!(none.code, Some(2));
    assert!(none.err.contains("no file matches"), "{}", none.err);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_a_warning() {
    let folder = Folder::new(&[("c.yaml", CONFIG_MAP)]);
    std::os::unix::fs::symlink("nowhere.yaml", folder.path().join("l.yaml")).expect("a link");
    let reported = folder.run(&["."]);
    assert_eq!(reported.code, Some(0), "{}", reported.err);
    assert!(reported.out.contains("warning[dangling-link]"), "{}", reported.out);
}

fn definition(limit: u32) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: boxes.example.com}}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {{plural: boxes, singular: box, kind: Box, listKind: BoxList}}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {{size: {{type: integer, maximum: {limit}}}}}}}}}}}\n"
    )
}

const BOX: &str = "apiVersion: example.com/v1\nkind: Box\nmetadata: {name: b}\nspec: {size: 5}\n";

#[test]
fn of_two_definitions_the_nearest_counts_unless_one_is_named() {
    let folder = Folder::new(&[
        ("small/crd.yaml", &definition(3)),
        ("small/box.yaml", BOX),
        ("large/crd.yaml", &definition(9)),
        ("large/box.yaml", BOX),
        ("given/crd.yaml", &definition(4)),
    ]);
    let reported = folder.run(&["small", "large"]);
    assert_eq!(reported.code, Some(1));
    assert!(reported.out.contains("small/box.yaml:4:14"), "{}", reported.out);
    assert!(
        reported.out.contains("judged by small/crd.yaml, the nearest of 2"),
        "{}",
        reported.out
    );
    assert!(!reported.out.contains("large/box.yaml"), "{}", reported.out);
    assert!(
        reported.err.contains("Box.example.com has 2 definitions that differ"),
        "{}",
        reported.err
    );
    let reported = folder.run(&["--crds", "given", "small", "large"]);
    assert!(reported.out.contains("large/box.yaml"), "{}", reported.out);
    assert!(reported.out.contains("less than or equal to 4"), "{}", reported.out);
    // Copies are no rivals.
    folder.write("large/crd.yaml", &definition(3));
    let reported = folder.run(&["small", "large"]);
    assert!(!reported.err.contains("definitions that differ"), "{}", reported.err);
}

#[test]
fn suggestions_come_from_all_fields() {
    let service = "# who wrote this\napiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec:\n  # the family\n  ipFamily: [IPv4] # why\n  ports: [{port: 1}]\n";
    let folder = Folder::new(&[
        ("s.yaml", service),
        ("d.yaml", &DEPLOYMENT.replace("  selector:", "  containers: []\n  selector:")),
    ]);
    let reported = folder.run(&["s.yaml", "d.yaml"]);
    assert!(reported.out.contains("did you mean \"ipFamilies\"?"), "{}", reported.out);
    let place = "\"containers\" is a field of \"spec.template.spec\"";
    assert!(reported.out.contains(place), "{}", reported.out);
}

/// The line of the excerpt above the carets of each finding.
fn pointed_at(report: &str) -> Vec<String> {
    let lines: Vec<&str> = report.lines().collect();
    let mut found = Vec::new();
    for pair in lines.windows(2) {
        let (Some((_, line)), Some((_, carets))) =
            (pair[0].split_once(" | "), pair[1].split_once(" | "))
        else {
            continue;
        };
        if let Some(from) = carets.find('^') {
            found.push(line.chars().skip(from).collect());
        }
    }
    found
}

#[test]
fn carets_never_point_at_a_comment() {
    let folder = Folder::new(&[
        (
            "a.yaml",
            "# a header\n# of two lines\n\napiVersion: v1\nkind: Service\nmetadata: # none\nspec: # empty\n",
        ),
        ("b.yaml", "# one\n---\n# two\n# three\nkind: ConfigMap\nmetadata: {name: x}\n"),
        (
            "c.yaml",
            "---\n# two\napiVersion: apps/v1\nkind: Deployment\nspec:\n  # nothing\n  template: # nothing\n    # at all\n",
        ),
        ("d.yaml", "# list\n- 1\n"),
        ("e.yaml", "# nobody\napiVersion: example.com/v1\nkind: None\n"),
    ]);
    let reported = folder.run(&["a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml"]);
    let pointed = pointed_at(&reported.out);
    assert!(pointed.len() > 6, "{}", reported.out);
    assert!(pointed.iter().all(|it| !it.starts_with('#')), "{}", reported.out);
}

#[cfg(unix)]
#[test]
fn what_tools_render_is_judged() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new(&[
        ("bin/kustomize", "#!/bin/sh\n[ \"$1\" = build ] && cat \"$2/out\"\n"),
        (
            "bin/helm",
            "#!/bin/sh\n[ \"$5\" = prod.yaml ] || { echo no values >&2; exit 1; }\nprintf -- '---\\n# Source: web/templates/c.yaml\\napiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: c}\\ndate: {}\\n'\n",
        ),
        ("good/out", CONFIG_MAP),
        ("empty/out", ""),
    ]);
    for tool in ["kustomize", "helm"] {
        let path = folder.path().join("bin").join(tool);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    }
    let bin = folder.path().join("bin");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let run = |arguments: &[&str], path: &str| -> Reported {
        let mut command = folder.command(arguments);
        command.env("PATH", path).stdin(Stdio::null()).output().expect("it runs").into()
    };
    let reported = run(&["--summary", "--kustomize", "good"], &path);
    assert_eq!(reported.code, Some(0), "{}{}", reported.out, reported.err);
    assert!(reported.out.contains("1 object in 1 file"), "{}", reported.out);
    let reported = run(&["--kustomize", "empty"], &path);
    assert_eq!(reported.code, Some(2), "{}", reported.out);
    let reported = run(&["--helm", "web", "--values", "prod.yaml"], &path);
    assert_eq!(reported.code, Some(1), "{}{}", reported.out, reported.err);
    assert!(reported.out.contains("web/templates/c.yaml (rendered):5:1"), "{}", reported.out);
    let reported = run(&["--helm", "web"], &path);
    assert_eq!(reported.code, Some(2));
    assert!(reported.err.contains("helm failed: no values"), "{}", reported.err);
    let reported = run(&["--kustomize", "good"], "/nowhere");
    assert_eq!(reported.code, Some(2));
    assert!(reported.err.contains("needs `kustomize` or `kubectl`"), "{}", reported.err);
}

const BOX_SCHEMA: &str = r##"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["spec"],
  "properties": {
    "apiVersion": {"const": "example.com/v1"},
    "kind": {"const": "Box"},
    "metadata": {"$ref": "#/$defs/Meta"},
    "spec": {
      "type": ["object", "null"],
      "additionalProperties": false,
      "properties": {
        "size": {"type": "integer", "exclusiveMaximum": 5},
        "port": {"oneOf": [{"type": "string"}, {"type": "integer"}]}
      }
    }
  },
  "$defs": {"Meta": {"type": "object"}}
}"##;

#[test]
fn json_schemas_of_other_tools_are_taken() {
    let folder = Folder::new(&[
        ("catalog/example.com/box_v1.json", BOX_SCHEMA),
        ("box.yaml", BOX),
        ("good.yaml", &BOX.replace("size: 5", "size: 4, port: 80")),
        ("typo.yaml", &BOX.replace("size: 5", "siez: 4")),
        ("notes/readme.yaml", "a: 1\n"),
    ]);
    let template = "catalog/{{ .Group }}/{{ .ResourceKind }}_{{ .ResourceAPIVersion }}.json";
    for place in [template, "catalog"] {
        let reported = folder.run(&["--schema-location", place, "box.yaml", "good.yaml"]);
        assert_eq!(reported.code, Some(1), "{place}: {}{}", reported.out, reported.err);
        assert!(reported.out.contains("box.yaml:4"), "{}", reported.out);
        assert!(reported.out.contains("should be less than 5"), "{}", reported.out);
        assert!(!reported.out.contains("good.yaml"), "{}", reported.out);
    }
    let typo = folder.run(&["--crds", "catalog", "typo.yaml"]);
    assert!(typo.out.contains("did you mean \"size\"?"), "{}{}", typo.out, typo.err);
    let schemas = |arguments: &[&str]| -> Reported {
        let mut command = folder.command(&[]);
        let program = command.get_program().to_owned();
        command = Command::new(program);
        command.current_dir(folder.path()).env("XDG_DATA_HOME", folder.path().join("data"));
        command.arg("schemas").args(arguments).output().expect("the command runs").into()
    };
    let added = schemas(&["add", "catalog"]);
    assert_eq!(added.code, Some(0), "{}", added.err);
    assert!(added.out.starts_with("1 kinds in"), "{}", added.out);
    assert_eq!(folder.run(&["good.yaml"]).code, Some(0));
    let none = schemas(&["add", "notes"]);
    assert_eq!(none.code, Some(2), "{}", none.out);
    let none = folder.run(&["--crds", "notes", "good.yaml"]);
    assert_eq!(none.code, Some(2), "{}", none.out);
    assert!(none.err.contains("there is no definition in it"), "{}", none.err);
}
