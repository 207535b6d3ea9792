//! Native defaulting against recorded results.

#[path = "support/recorded.rs"]
mod recorded;
mod support;

use ordain_check::Disk;
use ordain_idl::defaulting::{self, Options};
use ordain_idl::{Loader, MemorySource, Severity};
use ordain_value::{Value, json};
use recorded::{name_of, recorded};

/// Numbers compare by value: Go prints `2` for a float of two.
fn plain(value: &Value) -> Value {
    match value {
        Value::Int(it) => Value::Float(*it as f64),
        Value::List(list) => Value::from(list.iter().map(plain).collect::<Vec<_>>()),
        Value::Map(map) => {
            Value::Map(map.iter().map(|(key, value)| (key.clone(), plain(value))).collect())
        }
        other => other.clone(),
    }
}

#[test]
fn recorded_objects_are_defaulted_alike() {
    let (mut cases, mut wrong) = (0, Vec::new());
    for dir in recorded("defaulting") {
        let name = name_of(&dir);
        let path = format!("example.com/idl/{name}");
        let shown = dir.display().to_string();
        let universe =
            Loader::new(&Disk).module(&*path, &*shown).package_as(&*shown, &*path).load();
        let (defaults, diagnostics) = defaulting::declare(&universe, &Options::default());
        if diagnostics.iter().any(|it| it.severity == Severity::Error) {
            wrong.push(format!("{name}: {diagnostics:?}"));
        }
        let text = std::fs::read_to_string(dir.join("cases.jsonl")).expect("cases");
        for (at, line) in text.lines().enumerate() {
            cases += 1;
            let case = json::decode(line.as_bytes()).expect("case");
            let ty = case.get("type").and_then(Value::as_str).expect("type");
            let named = universe.lookup(&path, ty).expect("declared");
            let new = case.get("new").cloned().unwrap_or_default();
            let applied = case.get("applyDefaults").and_then(Value::as_bool) == Some(true);
            assert!(applied, "{name}:{at}");
            let got = defaults.apply(named, &new);
            let want = case.get("defaulted").cloned().unwrap_or_default();
            if got.as_ref().map(plain) != Ok(plain(&want)) && wrong.len() < 10 {
                wrong.push(format!(
                    "{name}:{}\n  new  {new:?}\n  want {want:?}\n  got  {got:?}",
                    at + 1
                ));
            }
        }
    }
    assert!(cases > 0, "no cases");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn misused_defaults_are_refused_and_the_others_give_upstreams_result() {
    let mut wrong = Vec::new();
    for dir in recorded("misuse-defaulting") {
        let name = name_of(&dir);
        let path = format!("example.com/idl/{}", name.replace('-', ""));
        let shown = dir.display().to_string();
        let universe =
            Loader::new(&Disk).module(&*path, &*shown).package_as(&*shown, &*path).load();
        let (defaults, diagnostics) = defaulting::declare(&universe, &Options::default());
        let errors: Vec<_> =
            diagnostics.iter().filter(|it| it.severity == Severity::Error).collect();
        let expected = std::fs::read_to_string(dir.join("error.txt")).expect("error.txt");
        let expected = expected.trim_end();
        if expected.is_empty() {
            let named = universe.lookup(&path, "Thing").expect("Thing");
            let got = defaults.apply(named, &Value::Map(ordain_value::Map::new()));
            let text = std::fs::read(dir.join("defaulted.json")).expect("defaulted.json");
            let want = json::decode(&text).expect("JSON");
            if got.as_ref() != Ok(&want) || !errors.is_empty() {
                wrong.push(format!("{name}: want {want:?}, got {got:?} {errors:?}"));
            }
            continue;
        }
        let own_words = expected.starts_with("generated code does not compile")
            || expected.starts_with("defaulting panics");
        // Upstream stops at the first mistake.
        let fine = !errors.is_empty()
            && errors.iter().all(|it| it.pos.is_some() && it.help.is_some())
            && (own_words || errors.iter().any(|it| it.message == expected));
        if !fine {
            wrong.push(format!("{name}: want {expected}, got {errors:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Types of which each has all the others as fields, all of them or none with a default.
fn all_of_all(count: usize, tag: &str) -> String {
    let mut text = String::from("// +k8s:defaulter-gen=Root\npackage p\n\n");
    text.push_str("type T struct {\n\tRoot string\n\tA *A0 `json:\"a\"`\n}\n\n");
    for own in 0..count {
        text.push_str(&format!("type A{own} struct {{\n"));
        for other in (0..count).filter(|it| *it != own) {
            text.push_str(&format!("\tF{other} *A{other} `json:\"f{other}\"`\n"));
        }
        text.push_str(&format!("{tag}\tN *int32 `json:\"n\"`\n}}\n\n"));
    }
    text
}

fn declared(text: &str) -> Vec<String> {
    let source = MemorySource::new().with("p/types.go", text);
    let universe = Loader::new(&source).package_as("p", "example.com/p").load();
    let (_, diagnostics) = defaulting::declare(&universe, &Options::default());
    diagnostics.iter().map(|it| universe.locate(it).to_string()).collect()
}

#[test]
fn types_that_hold_each_other_in_very_many_ways_end() {
    assert_eq!(declared(&all_of_all(20, "")), Vec::<String>::new());
    assert_eq!(declared(&all_of_all(4, "\t// +default=1\n")), Vec::<String>::new());
    let told = declared(&all_of_all(20, "\t// +default=1\n"));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("too many ways"), "{told:?}");
}
