//! Whatever `gen crd` writes, a server takes: over all fixtures, and the probes of single tags.

use std::path::{Path, PathBuf};

use ordain_check::{Disk, Gates, Source, lint};
use ordain_gen::crd;
use ordain_idl::{Loader, MemorySource, Universe};
use ordain_value::yaml;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a server refuses of the definitions that types make.
fn refused(name: &str, universe: &Universe) -> (usize, Vec<String>) {
    let options = crd::Options { allow_loss: true, ..crd::Options::default() };
    let made = crd::generate(universe, &options);
    // A type that contains itself is cut off, as controller-gen does it, and told.
    let cut = made.diagnostics.iter().any(|it| it.code == "recursion");
    if made.has_errors() || cut {
        return (0, Vec::new());
    }
    let mut out = Vec::new();
    for file in &made.files {
        let source = Source::new(&file.name, yaml::encode(&file.crd));
        for found in lint::lint_definitions(&source, &Gates::default()) {
            if found.finding.id == "refused" {
                out.push(format!("{name}: {}: {}", file.name, found.finding.message));
            }
        }
    }
    (made.files.len(), out)
}

/// The packages of a set: each folder below it with its versions.
fn sets() -> Vec<PathBuf> {
    let mut roots = vec![repository().join("fixtures/gen")];
    let beside = std::env::var_os("ORDAIN_SHARED").map(PathBuf::from);
    roots.extend(beside.map(|it| it.join("idl/crd")).filter(|it| it.is_dir()));
    let folders = roots.iter().flat_map(|it| std::fs::read_dir(it).expect("a folder"));
    let folders = folders.filter_map(Result::ok).map(|it| it.path());
    let mut folders: Vec<PathBuf> = folders.filter(|it| it.is_dir()).collect();
    folders.sort();
    folders
}

/// Sets whose types are wrong in ways that controller-gen writes down all the same.
const WRONG: [&str; 5] = ["defaults", "naming", "recursive", "rules", "validation"];

#[test]
fn definitions_of_all_fixtures_are_taken() {
    let (mut count, mut wrong) = (0, Vec::new());
    for set in sets() {
        let name = set.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        if WRONG.contains(&name) && !set.starts_with(repository()) {
            continue;
        }
        let dir = set.to_string_lossy().into_owned();
        let loader = Loader::new(&Disk).module("example.com/set", &dir).packages_below(&dir);
        let (made, refused) = refused(&dir, &loader.load());
        count += made;
        wrong.extend(refused);
    }
    // A plain checkout has one set whose types are all expressible as definitions.
    let least = if std::env::var_os("ORDAIN_SHARED").is_some() { 20 } else { 1 };
    assert!(count >= least, "{count} definitions");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_field_that_hides_one_of_an_inlined_struct_has_one_default_and_one_list_type() {
    let text = "// +groupName=shop.example.com\npackage v1\n\n\
        import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
        type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\
        \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tSpec Spec `json:\"spec\"`\n}\n\n\
        type Base struct {\n\t// +kubebuilder:default=1\n\tSize int32 `json:\"size,omitempty\"`\n\
        \t// +listType=set\n\tNames []string `json:\"names,omitempty\"`\n}\n\n\
        type Spec struct {\n\tBase `json:\",inline\"`\n\
        \t// +kubebuilder:default=2\n\tSize int32 `json:\"size,omitempty\"`\n\
        \t// +listType=atomic\n\tNames []string `json:\"names,omitempty\"`\n}\n";
    let source = MemorySource::new().with("v1/types.go", text);
    let universe = Loader::new(&source).package_as("v1", "example.com/v1").load();
    assert_eq!(refused("hidden", &universe), (1, Vec::new()));
    let made = crd::generate(&universe, &crd::Options::default());
    let text = yaml::encode(&made.files[0].crd);
    assert!(text.contains("default: 2") && !text.contains("default: 1"), "{text}");
    assert!(text.contains("list-type: atomic") && !text.contains("list-type: set"), "{text}");
}
