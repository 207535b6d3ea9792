//! No text, however broken or deep, makes the reader panic or run away.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

#[path = "support/survive.rs"]
mod survive;

use survive::go_file as read;

/// Real declarations to start from: our own, and the recorded ones when they are at hand.
fn seeds() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut waiting = vec![root.join("fixtures/idl"), root.join("fixtures/proposals")];
    waiting.push(match std::env::var_os("ORDAIN_SHARED") {
        Some(dir) => PathBuf::from(dir).join("idl"),
        None => root.join("../shared/idl"),
    });
    let mut files = Vec::new();
    while let Some(dir) = waiting.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|it| it == "go") {
                files.push(path);
            }
        }
    }
    files.sort();
    files.iter().filter_map(|it| std::fs::read_to_string(it).ok()).collect()
}

/// How often each property is tried: `ORDAIN_FUZZ` times, or as often as a test run bears.
fn cases(usual: u32) -> ProptestConfig {
    let cases = std::env::var("ORDAIN_FUZZ").ok().and_then(|it| it.parse().ok()).unwrap_or(usual);
    ProptestConfig { cases, max_shrink_time: 20_000, ..ProptestConfig::default() }
}

/// One change to a text: what is cut out, and what is put there.
#[derive(Clone, Debug)]
struct Change {
    at: prop::sample::Index,
    cut: usize,
    put: String,
    /// Where the text that is put there is taken from, if from the file itself.
    from: Option<(prop::sample::Index, usize)>,
}

fn change() -> impl Strategy<Value = Change> {
    let huge = prop::sample::select(HUGE).prop_map(ToString::to_string);
    let word = prop::sample::select(WORDS).prop_map(ToString::to_string);
    let put = prop_oneof![4 => word, 3 => tag(), 2 => huge, 1 => any::<String>(), 2 => Just(String::new())];
    let from = prop::option::weighted(0.3, (any::<prop::sample::Index>(), 1..400usize));
    (any::<prop::sample::Index>(), 0..30usize, put, from).prop_map(|(at, cut, put, from)| Change {
        at,
        cut,
        put,
        from,
    })
}

fn apply(text: &str, changes: &[Change]) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for change in changes {
        let at = change.at.index(letters.len() + 1);
        let put: Vec<char> = match &change.from {
            Some((from, len)) => {
                let from = from.index(letters.len() + 1);
                letters[from..letters.len().min(from + len)].to_vec()
            }
            None => change.put.chars().collect(),
        };
        let end = letters.len().min(at + change.cut);
        letters.splice(at..end, put);
    }
    letters.into_iter().collect()
}

/// Numbers at and beyond the edges of what Go and we can hold.
const HUGE: &[&str] = &[
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "1e400",
    "1e-400",
    "0x1p16384",
    "1 << 1000000",
    "1 << 62 << 62",
    "-1 >> 70",
    "1 / 0",
    "1 % 0",
    "-9223372036854775808 / -1",
    "[9223372036854775807]string",
    "[1 << 40][1 << 40]string",
    "'\\U0010ffff' + 1",
    "99999999999999999999999999999999999999999999999999999999999999999999999999999999",
    "\"\\xff\\377\\ud800\"",
];

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
    #![proptest_config(cases(200))]

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
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_sequence_of_words_is_survived(words in prop::collection::vec(prop::sample::select(WORDS), 0..80)) {
        read(&format!("package p\n{}", words.concat()));
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn any_tag_text_is_survived(text in "[ -~é]{0,60}", known in tag(), cut in any::<prop::sample::Index>()) {
        survive::tag(&text);
        let letters: Vec<char> = known.chars().collect();
        let (head, tail) = letters.split_at(cut.index(letters.len() + 1));
        survive::tag(&format!("{}{text}{}", head.iter().collect::<String>(), tail.iter().collect::<String>()));
    }

    #[test]
    fn changed_declarations_are_survived(
        seed in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..12),
    ) {
        let seeds = SEEDS.get_or_init(seeds);
        let text: &String = seed.get(seeds);
        read(&apply(text, &changes));
    }
}

static SEEDS: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();

#[test]
fn depth_is_bounded_everywhere() {
    let deep = 200_000;
    let texts = [
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
        format!(
            "package p\ntype A struct {{\n// +k8s:{}required\nF string\n}}",
            "eachVal=+k8s:".repeat(deep)
        ),
        format!(
            "package p\ntype A struct {{\n// +k8s:item({})=+k8s:required\nF []A\n}}",
            "a: 1,".repeat(deep)
        ),
        format!("package p\ntype A struct {{\n// +default={}\nF []A\n}}", "[".repeat(deep)),
        format!("package p\ntype A struct {{\n// +default={}\nF *A\n}}", "{\"F\":".repeat(deep)),
        format!(
            "package p\ntype A struct {{\n// +kubebuilder:default={}\nF []A\n}}",
            "{a:".repeat(5_000)
        ),
        format!(
            "package p\ntype A0 A1\n{}",
            (0..5_000).map(|at| format!("type A{at} []A{}\n", at + 1)).collect::<String>()
        ),
        format!(
            "package p\n{}",
            (0..500).map(|at| format!("type A{at} struct {{ A{} }}\n", at + 1)).collect::<String>()
        ),
        format!(
            "package p\n{}",
            (0..40)
                .map(|at| format!("type A{at} struct {{ X, Y A{} }}\n", at + 1))
                .collect::<String>()
        ),
        format!(
            "package p\nconst A0 = 1\n{}",
            (0..5_000).map(|at| format!("const A{} = A{at} + A{at}\n", at + 1)).collect::<String>()
        ),
        format!("package p\nconst A = \"{}\"", "x".repeat(deep)),
        format!("package p\n//{}\ntype A string", " +k8s:neq=\"".repeat(deep)),
    ];
    for (at, text) in texts.iter().enumerate() {
        let start = std::time::Instant::now();
        read(text);
        println!("text {at}: {:?}", start.elapsed());
    }
}

#[test]
fn structs_that_embed_each_other_in_many_ways_are_read_in_time() {
    // Each level doubles the number of ways to the next one.
    let mut text = String::from("package p\n\ntype Own struct { Own; *Own; Name string }\n");
    for level in 0..30 {
        let next = level + 1;
        text += &format!("type T{level} struct {{ A{level}; B{level} }}\n");
        text +=
            &format!("type A{level} struct {{ T{next} }}\ntype B{level} struct {{ T{next} }}\n");
    }
    text += "type T30 struct { Name string }\n";
    read(&text);
}
