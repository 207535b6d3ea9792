//! The whole way of a Go file through the crate, for tests and fuzz targets that feed it anything.

use ordain_idl::{Loader, MemorySource, defaulting, gojson, lower, native, tags, validation};
use ordain_value::{Value, value};

/// Reads a file, declares all its rules and defaults, lowers them, and defaults objects.
pub(crate) fn go_file(text: &str) {
    let source = MemorySource::new().with("p/types.go", text);
    let universe = Loader::new(&source).package_as("p", "example.com/p").load();
    for diagnostic in universe.diagnostics() {
        let _ = universe.locate(diagnostic).to_string();
    }
    for (id, named) in universe.all_named() {
        let _ = universe.display(named.target);
        let _ = universe.json_fields(named.target);
        let _ = universe.constants_of(id);
        let _ = universe.comment_lines(&named.docs);
    }
    for package in universe.requested() {
        let _ = tags::marker::PackageMarkers::read(&universe, package);
    }
    let mut found = tags::lint::lint(&universe);
    found.extend(defaulting::lint(&universe));
    for (all_types, no_lint) in [(true, false), (false, true)] {
        let options = validation::Options { all_types, no_lint, newer_tags_pass: no_lint };
        let (declared, diagnostics) = validation::declare(&universe, &options);
        let _ = native::lower(&universe, &declared).options();
        found.extend(diagnostics);
    }
    let (defaults, diagnostics) =
        defaulting::declare(&universe, &defaulting::Options { all_types: true });
    found.extend(diagnostics);
    let objects = [value!({"a": {"a": [1, "x", null]}, "b": 1}), Value::Null, value!([{}])];
    let codec = gojson::Codec::new(&universe);
    for (id, _) in universe.all_named() {
        for object in &objects {
            let _ = defaults.apply(id, object);
        }
        let _ = codec.decode(&objects[0], universe.type_of(id));
    }
    found.extend(lower::lower(&universe).diagnostics);
    for diagnostic in &found {
        let _ = universe.locate(diagnostic).to_string();
    }
}

/// Reads a text as a tag in both grammars, and as the tag of a field and of a type.
pub(crate) fn tag(text: &str) {
    use tags::codetag::{Values, parse};
    let _ = parse(text, Values::Parsed);
    let _ = parse(text, Values::Raw);
    for def in tags::marker::definitions() {
        let _ = tags::marker::parse(def, &format!("+{}={text}", def.name));
        let _ = tags::marker::parse(def, &format!("+{}:{text}", def.name));
    }
    let line: String = text.chars().map(|it| if it == '\n' { ' ' } else { it }).collect();
    for ty in ["string", "*int32", "[]Item", "map[Key]Item", "Item", "Key"] {
        go_file(&format!(
            "// +k8s:validation-gen=*\npackage p\n\n// +{line}\ntype Key string\n\n\
             type Item struct {{\n\tName Key `json:\"name\"`\n}}\n\n\
             type Thing struct {{\n\t// +{line}\n\tF {ty} `json:\"f\"`\n}}\n"
        ));
    }
}
