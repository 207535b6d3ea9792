//! `ordain gen` as a user runs it: options, where files go, `--check`, and mistakes.

use std::path::{Path, PathBuf};
use std::process::Command;

const TYPES: &str = "// +groupName=shop.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// Widget is a thing. It has a second sentence.\ntype Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec Spec `json:\"spec\"`\n}\n\n";
const SPEC: &str =
    "type Spec struct {\n\t// +kubebuilder:validation:Maximum=9\n\tSize int32 `json:\"size\"`\n}\n";

/// What a run gave.
struct Run {
    code: i32,
    out: String,
    err: String,
}

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new(spec: &str) -> Self {
        let world = World { folder: tempfile::tempdir().expect("a folder") };
        world.types(spec);
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn types(&self, spec: &str) {
        self.write("v1/types.go", &format!("{TYPES}{spec}"));
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("written");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Runs `ordain gen`, words apart by blanks, in the folder.
    fn run(&self, line: &str) -> Run {
        let output = Command::new(env!("CARGO_BIN_EXE_ordain"))
            .arg("gen")
            .args(line.split_whitespace())
            .current_dir(self.folder.path())
            .output()
            .expect("runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        Run {
            code: output.status.code().expect("a code"),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    fn good(&self, line: &str) -> String {
        let run = self.run(line);
        assert_eq!(run.code, 0, "{line}: {}", run.err);
        run.out
    }

    fn bad(&self, line: &str) -> String {
        let run = self.run(line);
        assert_eq!(run.code, 1, "{line}: {}{}", run.out, run.err);
        format!("{}{}", run.out, run.err)
    }
}

fn names(dir: &Path) -> Vec<String> {
    let mut out: Vec<String> = std::fs::read_dir(dir)
        .map(|entries| {
            entries
                .filter_map(Result::ok)
                .map(|it| it.file_name().to_string_lossy().into())
                .collect()
        })
        .unwrap_or_default();
    out.sort();
    out
}

#[test]
fn output_goes_to_a_directory_to_one_file_or_to_standard_output() {
    let world = World::new(SPEC);
    let shown = world.good("crd v1");
    assert!(shown.starts_with("---\napiVersion: apiextensions.k8s.io/v1\n"), "{shown}");
    assert_eq!(world.good("crd v1 -o -"), shown);
    let reported = world.good("crd v1 --output-dir out/crd");
    assert_eq!(reported.trim(), "out/crd/shop.example.com_widgets.yaml");
    assert_eq!(world.read("out/crd/shop.example.com_widgets.yaml"), shown);
    world.good("crd v1 -o all.yaml");
    assert_eq!(world.read("all.yaml"), shown);
    for (what, file) in [
        ("docs", "widget.shop.example.com.md"),
        ("docs --format html", "widget.shop.example.com.html"),
        ("jsonschema", "shop.example.com/widget_v1.json"),
        ("rust", "widget_v1.rs"),
    ] {
        world.good(&format!("{what} v1 --output-dir out/x"));
        assert!(
            world.path("out/x").join(file).is_file(),
            "{what}: {:?}",
            names(&world.path("out/x"))
        );
    }
    let run = world.run("crd v1 -o a --output-dir b");
    assert_eq!(run.code, 2, "two places are a mistake of use: {}", run.err);
}

#[test]
fn a_fresh_file_is_left_alone() {
    let world = World::new(SPEC);
    world.good("crd v1 -o all.yaml");
    let before = std::fs::metadata(world.path("all.yaml")).and_then(|it| it.modified());
    assert_eq!(world.good("crd v1 -o all.yaml"), "");
    let after = std::fs::metadata(world.path("all.yaml")).and_then(|it| it.modified());
    assert_eq!(before.expect("a time"), after.expect("a time"));
}

#[test]
fn check_shows_what_is_stale_missing_or_left_over_and_fails() {
    let world = World::new(SPEC);
    let reported = world.bad("crd v1 --check --output-dir out");
    assert!(reported.contains("out/shop.example.com_widgets.yaml is missing"), "{reported}");
    world.good("crd v1 --output-dir out");
    assert_eq!(world.good("crd v1 --check --output-dir out"), "");

    world.types(&SPEC.replace("Maximum=9", "Maximum=8"));
    let before = world.read("out/shop.example.com_widgets.yaml");
    let reported = world.bad("crd v1 --check --output-dir out");
    for line in [
        "--- out/shop",
        "+++ out/shop",
        "@@ -",
        "-                maximum: 9",
        "+                maximum: 8",
    ] {
        assert!(reported.contains(line), "{line:?} is not in {reported}");
    }
    assert!(reported.contains("1 file is missing, stale or left over"), "{reported}");
    assert_eq!(world.read("out/shop.example.com_widgets.yaml"), before, "nothing is written");

    world.good("crd v1 -o all.yaml");
    world.types(SPEC);
    assert!(world.bad("crd v1 --check -o all.yaml").contains("maximum: 9"));
    assert!(world.bad("crd v1 --check").contains("--check needs --output-dir or --output"));
}

#[test]
fn files_of_kinds_that_are_gone_are_told_and_pruned() {
    let world = World::new(SPEC);
    let second = format!(
        "{}\ntype Gadget struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}}\n",
        SPEC
    );
    for (what, gone) in [
        ("crd", "shop.example.com_gadgets.yaml"),
        ("docs", "gadget.shop.example.com.md"),
        ("docs --format html", "gadget.shop.example.com.html"),
        ("jsonschema", "shop.example.com/gadget_v1.json"),
        ("rust", "gadget_v1.rs"),
    ] {
        let dir = what.replace(' ', "");
        world.types(&second);
        world.good(&format!("{what} v1 --output-dir {dir}"));
        assert!(world.path(&dir).join(gone).is_file(), "{gone}");
        // Files of others stay out of it.
        world.write(&format!("{dir}/kustomization.yaml"), "resources: []\n");
        world.write(&format!("{dir}/own.md"), "# Own\n");
        world.write(&format!("{dir}/own.rs"), "// own\n");
        world.types(SPEC);
        let reported = world.bad(&format!("{what} v1 --check --output-dir {dir}"));
        assert!(reported.contains(&format!("{gone} is not generated any more")), "{reported}");
        assert!(!reported.contains("own.") && !reported.contains("kustomization"), "{reported}");
        let run = world.run(&format!("{what} v1 --output-dir {dir}"));
        assert!(run.code == 0 && run.err.contains("--prune"), "{}", run.err);
        assert!(world.path(&dir).join(gone).is_file(), "nothing is removed unasked");
        world.good(&format!("{what} v1 --output-dir {dir} --prune"));
        assert!(!world.path(&dir).join(gone).exists());
        assert_eq!(world.good(&format!("{what} v1 --check --output-dir {dir}")), "");
        assert!(world.path(&dir).join("own.md").is_file());
    }
}

#[test]
fn options_of_definitions_are_those_of_controller_gen() {
    let world = World::new(&SPEC.replace("int32", "float64"));
    let reported = world.bad("crd v1");
    assert!(
        reported.contains("v1/types.go:") && reported.contains("--allow-dangerous-types"),
        "{reported}"
    );
    assert!(world.good("crd v1 --allow-dangerous-types").contains("type: number"));
    world.types(SPEC);
    assert!(world.good("crd v1").contains("Widget is a thing. It has a second sentence."));
    let cut = world.good("crd v1 --max-desc-len 20");
    assert!(cut.contains("description: Widget is a thing.\n"), "{cut}");
    assert!(!world.good("crd v1 --max-desc-len 0").contains("description"));
    let shown = world.good("crd v1 --preserve-unknown-fields false");
    assert!(shown.contains("preserveUnknownFields: false"), "{shown}");
    let shown = world.good("crd v1 --controller-gen-version v0.19.0");
    assert!(shown.contains("controller-gen.kubebuilder.io/version: v0.19.0"), "{shown}");
    world.write("head.txt", "# Copyright YEAR nobody\n");
    let shown = world.good("crd v1 --header-file head.txt --year 2026");
    assert!(shown.starts_with("# Copyright 2026 nobody\n---\napiVersion"), "{shown}");
    assert!(world.bad("crd v1 --header-file none.txt").contains("none.txt: "));
    world.types("type Spec struct {\n\tsize int32\n\tName string `json:\"name\"`\n}\n");
    assert!(world.bad("crd v1").contains("without JSON tag"));
    assert!(world.good("crd v1 --ignore-unexported-fields").contains("name:"));
    world.types("type Spec struct {\n\tMeta metav1.ObjectMeta `json:\"meta\"`\n}\n");
    assert!(world.good("crd v1 --generate-embedded-object-meta").contains("finalizers:"));
    assert_eq!(world.run("crd v1 --max-desc-len many").code, 2);
}

#[test]
fn unknown_markers_are_errors_with_the_name_that_was_meant_unless_they_are_allowed() {
    let spec = SPEC.replace("validation:Maximum=9", "validation:nullable");
    let world = World::new(&spec);
    let reported = world.bad("crd v1");
    assert!(reported.contains("v1/types.go:15:2: error: unknown marker"), "{reported}");
    assert!(reported.contains("did you mean `+nullable`?"), "{reported}");
    let run = world.run("crd v1 --allow-unknown-markers");
    assert!(run.code == 0 && run.err.contains("warning: unknown marker"), "{}", run.err);
}

#[test]
fn types_of_kubernetes_and_of_the_library_need_no_download() {
    let world = World::new("");
    let imports = "import (\n\t\"net/netip\"\n\n\tcorev1 \"k8s.io/api/core/v1\"\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n)";
    let text = TYPES.replace("import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"", imports);
    let spec = "type Spec struct {\n\tTemplate corev1.PodTemplateSpec `json:\"template\"`\n\tAddress netip.Addr `json:\"address\"`\n}\n";
    world.write("v1/types.go", &format!("{text}{spec}"));
    let shown = world.good("crd v1");
    for part in ["terminationGracePeriodSeconds:", "address:\n                type: string"] {
        assert!(shown.contains(part), "{part}");
    }
}

#[test]
fn many_types_of_a_missing_package_are_one_message() {
    let world = World::new("");
    let text = TYPES.replace("import metav1", "import \"example.com/none\"\nimport metav1");
    let spec = "type Spec struct {\n\tA none.A `json:\"a\"`\n\tB none.B `json:\"b\"`\n\tC []none.A `json:\"c\"`\n}\n";
    world.write("v1/types.go", &format!("{text}{spec}"));
    let reported = world.bad("crd v1");
    assert_eq!(reported.matches("no source found").count(), 1, "{reported}");
    assert!(
        reported.contains("package `example.com/none`, which is needed for none.A, none.B"),
        "{reported}"
    );
}

#[test]
fn roles_webhooks_and_costs_are_of_the_binary_too() {
    let world = World::new(SPEC);
    world.write(
        "c/c.go",
        "package c\n\n// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get\n\n// Run runs.\nfunc Run() {}\n",
    );
    world.good("rbac ./... --output-dir out --role-name keeper");
    assert!(
        world.read("out/role.yaml").starts_with("---\napiVersion: rbac.authorization.k8s.io/v1")
    );
    assert!(world.read("out/role.yaml").contains("name: keeper"));
    assert!(world.run("webhook ./...").err.contains("no +kubebuilder:webhook marker"));
    let priced = Command::new(env!("CARGO_BIN_EXE_ordain"))
        .args(["cost", "v1"])
        .current_dir(world.folder.path())
        .output()
        .expect("runs");
    let shown = String::from_utf8_lossy(&priced.stdout).into_owned();
    assert!(shown.contains("widgets.shop.example.com v1"), "{shown}");
}

#[test]
fn a_definition_that_a_server_refuses_is_told() {
    let world = World::new(&SPEC.replace("validation:Maximum=9", "default=many"));
    let run = world.run("crd v1");
    assert!(run.code == 0 && run.err.contains("an API server refuses"), "{}", run.err);
}

#[test]
fn types_with_mistakes_write_nothing() {
    let world = World::new(&SPEC.replace("Maximum=9", "Maximum=many"));
    let reported = world.bad("crd v1 --output-dir out");
    assert!(
        reported.contains("v1/types.go:15:2: error: ") && reported.contains("nothing was written"),
        "{reported}"
    );
    assert!(!world.path("out").exists());
    assert!(world.bad("crd nowhere").contains("no Go files in `nowhere`"));
    assert!(world.bad("crd some.yaml").contains("this takes directories of Go packages"));
    world.write("none.yaml", "kind: Other\n");
    assert!(world.bad("docs none.yaml").contains("holds no CustomResourceDefinition"));
    // Among definitions it is a note.
    world.types(SPEC);
    world.write("some.yaml", &world.good("crd v1"));
    let run = world.run("docs some.yaml none.yaml");
    assert!(run.code == 0 && run.err.contains("note: none.yaml: holds no Custom"), "{}", run.err);
    assert_eq!(world.run("crd").code, 2);
    assert_eq!(world.run("nothing v1").code, 2);
    assert_eq!(world.run("docs v1 --format pdf").code, 2);
}

#[test]
fn definitions_of_packages_that_do_not_ask_for_them_are_made_all_the_same() {
    let world = World::new(SPEC);
    let run = world.run("openapi v1 --own-only");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("note: no type is tagged +k8s:openapi-gen=true"), "{}", run.err);
    for name in ["\"shop.example.com/v1.Widget\"", "\"shop.example.com/v1.Spec\""] {
        assert!(run.out.contains(name), "{}", run.out);
    }
    assert!(!world.run("openapi v1 --all").err.contains("note"));
    assert!(world.good("openapi v1 --version v2").contains("\"swagger\": \"2.0\""));
    assert!(world.good("openapi v1 --version raw").contains("\"dependencies\""));
    world.types(&format!("// +k8s:openapi-gen=true\n{SPEC}"));
    let run = world.run("openapi v1 --own-only");
    assert!(!run.out.contains("v1.Widget") && run.out.contains("v1.Spec"), "{}", run.out);
}

#[test]
fn unions_of_the_proposal_are_written_unless_openapi_gens_document_is_asked_for() {
    let world = World::new(
        "type Spec struct {\n\t// +unionDiscriminator\n\t// +required\n\tKind Kind `json:\"kind\"`\n\t// +unionMember\n\t// +optional\n\tA *string `json:\"a,omitempty\"`\n\t// +unionMember\n\t// +optional\n\tB *string `json:\"b,omitempty\"`\n}\n\n// +enum\ntype Kind string\n\nconst (\n\tKA Kind = \"A\"\n\tKB Kind = \"B\"\n)\n",
    );
    let plain = world.good("openapi v1 --all --own-only --like-openapi-gen");
    assert!(!plain.contains("oneOf") && !plain.contains("fieldMembers"), "{plain}");
    let shown = world.good("openapi v1 --all --own-only");
    assert!(shown.contains("oneOf") && shown.contains("fieldMembers"), "{shown}");
    assert!(world.good("jsonschema v1").contains("oneOf"));
}
