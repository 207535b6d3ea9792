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
        for file in &package.files {
            let _ = ordain_idl::graph::FileMarkers::of(universe.file(*file));
        }
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        read(&text);
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
