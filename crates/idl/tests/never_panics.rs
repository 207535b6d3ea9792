//! No text, however broken or deep, makes the reader panic or run away.

use ordain_idl::{Loader, MemorySource};
use proptest::prelude::*;

fn read(text: &str) {
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
        let _ = ordain_idl::tags::marker::PackageMarkers::read(&universe, package);
    }
    let _ = ordain_idl::tags::lint::lint(&universe);
    let _ = ordain_idl::defaulting::lint(&universe);
    let all = ordain_idl::validation::Options { all_types: true, no_lint: false };
    let _ = ordain_idl::validation::declare(&universe, &all);
    let all = ordain_idl::defaulting::Options { all_types: true };
    let (defaults, _) = ordain_idl::defaulting::declare(&universe, &all);
    for (id, _) in universe.all_named() {
        let _ = defaults.apply(id, &ordain_value::value!({"a": {"a": [1, "x", null]}, "b": 1}));
    }
}

const WORDS: &[&str] = &[
    "package p\n",
    "type ",
    "A",
    "B",
    "struct",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "[]",
    "*",
    "map",
    "\n",
    ";",
    ",",
    ".",
    "=",
    ":",
    "const ",
    "iota",
    "var ",
    "func ",
    "import ",
    "\"k8s.io/x\"",
    "`json:\"a\"`",
    "interface",
    "chan ",
    "<-",
    "string",
    "int8",
    "1",
    "<<",
    "+",
    "-",
    "/",
    "'a'",
    "// +tag\n",
    "/*",
    "*/",
    "...",
    "~",
    "any",
    "300",
    "1e9",
    "0x",
    "é",
    "\u{feff}",
    "\\",
    "&",
    "len",
    "len(\"a\")",
];

const TYPES: &[&str] = &[
    "A",
    "*A",
    "[]A",
    "map[string]A",
    "string",
    "*string",
    "int32",
    "bool",
    "E",
    "*E",
    "[]E",
    "L",
    "M",
    "[]string",
    "map[string]string",
    "interface{}",
    "[][]string",
    "map[int]A",
    "struct{ X A }",
    "[3]A",
    "float64",
    "[]byte",
    "chan A",
    "func()",
    "Nope",
    "**A",
    "uint8",
];

/// Tags of all families with arguments and values that fit more or less.
fn tag() -> impl Strategy<Value = String> {
    let names: Vec<&'static str> =
        ordain_idl::tags::registry::all().map(|spec| spec.name.trim_end_matches('*')).collect();
    let args = prop::sample::select(vec![
        "",
        "(x)",
        "(f0)",
        "(f0: \"x\")",
        "(name: \"a\")",
        "(1)",
        "()",
        "(",
    ]);
    let values = prop::sample::select(vec![
        "",
        "=1",
        "=x",
        "=\"x\"",
        "=-5",
        "=f0",
        "=map",
        "=set",
        "=atomic",
        "={}",
        "={\"f0\":{}}",
        "=[1]",
        "=ref(E1)",
        "=+k8s:minimum=1",
        "=+k8s:eachVal=+k8s:required",
        "=+k8s:unionMember",
        "=+",
        "=NoSet",
        "=true",
        "=a;b",
        "={a:1}",
    ]);
    (prop::sample::select(names), args, values)
        .prop_map(|(name, args, value)| format!("{name}{args}{value}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        read(&text);
    }

    #[test]
    fn any_tags_on_any_types_are_survived(
        fields in prop::collection::vec((prop::collection::vec(tag(), 0..4), prop::sample::select(TYPES)), 1..6),
        on_type in prop::collection::vec(tag(), 0..3),
    ) {
        let mut text = String::from("// +k8s:validation-gen=*\n// +k8s:defaulter-gen=A\npackage p\n\ntype E string\nconst E1 E = \"x\"\ntype L []A\ntype M map[string]A\n\n");
        for tag in on_type {
            text.push_str(&format!("// +{tag}\n"));
        }
        text.push_str("type A struct {\n");
        for (at, (tags, ty)) in fields.iter().enumerate() {
            for tag in tags {
                text.push_str(&format!("\t// +{tag}\n"));
            }
            text.push_str(&format!("\tF{at} {ty} `json:\"f{at},omitempty\"`\n"));
        }
        text.push_str("}\n");
        read(&text);
    }

    #[test]
    fn any_tag_text_is_survived(text in "[ -~é]{0,60}") {
        use ordain_idl::tags::codetag::{parse, Values};
        let _ = parse(&text, Values::Parsed);
        let _ = parse(&text, Values::Raw);
        for def in ordain_idl::tags::marker::definitions() {
            let _ = ordain_idl::tags::marker::parse(def, &format!("+{}={text}", def.name));
            let _ = ordain_idl::tags::marker::parse(def, &format!("+{}:{text}", def.name));
        }
    }

    #[test]
    fn any_sequence_of_words_is_survived(words in prop::collection::vec(prop::sample::select(WORDS), 0..80)) {
        read(&format!("package p\n{}", words.concat()));
    }
}

#[test]
fn depth_is_bounded_everywhere() {
    let deep = 200_000;
    for text in [
        format!("package p\ntype A {}string", "*".repeat(deep)),
        format!("package p\ntype A {}string", "[]".repeat(deep)),
        format!("package p\ntype A {}", "struct { F ".repeat(deep)),
        format!("package p\ntype A {}", "map[string]".repeat(deep)),
        format!("package p\ntype A {}", "B[".repeat(deep)),
        format!("package p\nconst A = {}1", "(".repeat(deep)),
        format!("package p\nconst A = {}1", "-".repeat(deep)),
        format!("package p\nconst A = 1{}", "+1".repeat(deep)),
        format!("package p\nconst A = a{}", ".a".repeat(deep)),
        format!("package p\nconst A = a{}", "(1)".repeat(deep)),
        format!("package p\nconst A = {}", "{".repeat(deep)),
        format!("package p\nfunc f() {}", "{".repeat(deep)),
        format!("package p\nfunc f(){}", " func()".repeat(deep)),
    ] {
        read(&text);
    }
}
