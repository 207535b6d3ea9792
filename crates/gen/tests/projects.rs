//! Projects as they are laid out: modules, vendored and cached packages, build tags, generics.

use ordain_gen::{crd, openapi};
use ordain_idl::{Loader, MemorySource, Universe};
use ordain_value::Value;

const GO_MOD: &str = "module example.com/app

go 1.26

require (
\texample.com/vendored v1.0.0
\texample.com/Cached v1.2.3
\texample.com/replaced v0.1.0
)

replace example.com/replaced => ../replaced
";

const TYPES: &str = "// Package v1 is an API.
// +groupName=app.example.com
// +k8s:openapi-gen=true
package v1

import (
\t\"example.com/Cached/parts\"
\t\"example.com/app/internal/shared\"
\trenamed \"example.com/replaced\"
\t\"example.com/vendored\"
\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"
)

// +kubebuilder:object:root=true

// Widget comes from many packages.
type Widget struct {
\tmetav1.TypeMeta   `json:\",inline\"`
\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`

\t// Spec is wanted.
\tSpec WidgetSpec `json:\"spec\"`
}

// WidgetSpec takes types from everywhere.
type WidgetSpec struct {
\t// Own is of the same module.
\tOwn shared.Own `json:\"own\"`
\t// Vendored is in vendor/.
\tVendored vendored.Part `json:\"vendored\"`
\t// Cached is in the module cache.
\tCached parts.Part `json:\"cached\"`
\t// Replaced is in another directory.
\tReplaced renamed.Part `json:\"replaced\"`
\t// Same is an alias of a type elsewhere.
\tSame Same `json:\"same\"`
}

// Same is the very same type.
type Same = shared.Own
";

fn part(package: &str, limit: &str) -> String {
    format!(
        "package {package}\n\n// Part is a part.\ntype Part struct {{\n\t// Name is short.\n\t// +kubebuilder:validation:MaxLength={limit}\n\tName string `json:\"name\"`\n}}\n"
    )
}

fn project() -> MemorySource {
    MemorySource::new()
        .with("/src/app/go.mod", GO_MOD)
        .with("/src/app/api/v1/doc.go", "// +k8s:openapi-gen=true\npackage v1\n")
        .with("/src/app/api/v1/types.go", TYPES)
        .with("/src/app/api/v1/types_test.go", "package v1_test\n\nbroken(\n")
        .with("/src/app/api/v1/types_windows.go", "package v1\n\ntype Widget struct{}\n")
        .with("/src/app/api/v1/old.go", "//go:build legacy\n\npackage v1\n\ntype Widget int\n")
        .with(
            "/src/app/internal/shared/shared.go",
            "package shared\n\n// Own is a word.\n// +kubebuilder:validation:MinLength=2\ntype Own string\n",
        )
        .with("/src/app/vendor/example.com/vendored/part.go", part("vendored", "11"))
        .with("/cache/example.com/!cached@v1.2.3/parts/part.go", part("parts", "12"))
        .with("/src/replaced/part.go", part("replaced", "13"))
}

fn load(source: &MemorySource) -> Universe {
    let universe = Loader::new(source).module_cache("/cache").package("/src/app/api/v1").load();
    let found: Vec<String> =
        universe.diagnostics().iter().map(|it| universe.locate(it).to_string()).collect();
    assert!(found.is_empty(), "{found:#?}");
    universe
}

#[test]
fn types_of_other_packages_bring_their_markers_along() {
    let universe = load(&project());
    let output = crd::generate(&universe, &crd::Options::default());
    assert!(!output.has_errors(), "{:?}", output.diagnostics);
    let versions = output.files[0].crd.get_path(&["spec", "versions"]).expect("versions");
    let spec = versions.as_list().expect("a list").as_slice()[0]
        .get_path(&["schema", "openAPIV3Schema", "properties", "spec", "properties"])
        .expect("fields");
    for (field, limit) in [("vendored", 11), ("cached", 12), ("replaced", 13)] {
        let found = spec.get_path(&[field, "properties", "name", "maxLength"]);
        assert_eq!(found, Some(&Value::Int(limit)), "{field}");
    }
    for field in ["own", "same"] {
        assert_eq!(spec.get_path(&[field, "minLength"]), Some(&Value::Int(2)), "{field}");
    }
}

#[test]
fn definitions_of_other_packages_follow_when_asked_for() {
    let universe = load(&project());
    let options = openapi::Options { dependencies: true, ..openapi::Options::default() };
    let output = openapi::generate(&universe, options);
    assert!(!output.has_errors(), "{:?}", output.diagnostics);
    for name in [
        "example.com/app/api/v1.WidgetSpec",
        "example.com/vendored.Part",
        "example.com/Cached/parts.Part",
        "example.com/replaced.Part",
        "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
    ] {
        assert!(output.definitions.contains_key(name), "{name}");
    }
}

#[test]
fn build_tags_choose_the_files() {
    let source = project();
    let mut build = ordain_idl::go::build_constraint::BuildContext::default();
    build.tags.push("legacy".into());
    let universe =
        Loader::new(&source).module_cache("/cache").build(build).package("/src/app/api/v1").load();
    let found: Vec<&str> = universe.diagnostics().iter().map(|it| it.code).collect();
    assert_eq!(found, ["redeclared"], "the older file declares the type again");
}

#[test]
fn instances_of_generic_types_are_defined_under_names_of_their_own() {
    let text = "package v1\n\n// Box holds something.\ntype Box[T any] struct {\n\t// Item is inside.\n\tItem T `json:\"item\"`\n}\n\n// Shelf has boxes.\ntype Shelf struct {\n\tWords Box[string] `json:\"words\"`\n\tNumbers []Box[int32] `json:\"numbers,omitempty\"`\n\tPair struct {\n\t\tA string `json:\"a\"`\n\t} `json:\"pair\"`\n}\n";
    let source = MemorySource::new().with("v1/types.go", text);
    let universe = Loader::new(&source).package_as("v1", "example.com/v1").load();
    let options = openapi::Options { untagged: true, ..openapi::Options::default() };
    let output = openapi::generate(&universe, options);
    assert!(!output.has_errors(), "{:?}", output.diagnostics);
    let names: Vec<&str> = output.definitions.keys().map(|it| it.as_str()).collect();
    assert_eq!(
        names,
        ["example.com/v1.Box_int32", "example.com/v1.Box_string", "example.com/v1.Shelf"]
    );
    let v3 = output.v3();
    let item = |name: &str| {
        v3.get_path(&["components", "schemas", name, "properties", "item", "type"]).cloned()
    };
    assert_eq!(item("example.com/v1.Box_int32"), Some(Value::from("integer")));
    assert_eq!(item("example.com/v1.Box_string"), Some(Value::from("string")));
    let shelf = v3.get_path(&["components", "schemas", "example.com/v1.Shelf"]).expect("shelf");
    let pair = shelf.get_path(&["properties", "pair", "properties", "a", "type"]);
    assert_eq!(pair, Some(&Value::from("string")));
}

#[test]
fn a_package_without_source_is_reported_where_it_is_needed() {
    let text = TYPES.replace("example.com/vendored", "example.com/nowhere/vendored");
    let source = project().with("/src/app/api/v1/types.go", text);
    let universe = Loader::new(&source).module_cache("/cache").package("/src/app/api/v1").load();
    let output = crd::generate(&universe, &crd::Options::default());
    let errors: Vec<String> = output
        .diagnostics
        .iter()
        .filter(|it| it.is_error())
        .map(|it| universe.locate(it).to_string())
        .collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(
        errors[0].starts_with(
            "/src/app/api/v1/types.go:30:11: error: no source found for package \
             `example.com/nowhere/vendored`, which is needed for vendored.Part"
        ),
        "{errors:?}"
    );
}
