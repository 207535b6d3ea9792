//! The `+rule:` tags of the declarations: every expression compiles, every name is known.

use std::collections::BTreeSet;

use ordain_kubernetes::{declarations, rule_in_code};
use ordain_passes::declared::written::{Write, WrittenRules};
use ordain_value::field::{ErrorList, Path};
use ordain_value::{Map, Value};

#[test]
fn every_rule_compiles() {
    let mut mistakes = BTreeSet::new();
    for entry in declarations::all() {
        for version in entry.open().unwrap().versions {
            let Some(native) = version.native else { continue };
            mistakes.extend(WrittenRules::of(&native.program, rule_in_code).mistakes());
        }
    }
    let mistakes: Vec<String> = mistakes.into_iter().collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n\n"));
}

/// Absent fields are mostly passed over without asking their rules; those that are null never are.
#[test]
fn absent_fields_are_judged_as_null_ones() {
    let mut judged = 0;
    for entry in declarations::all() {
        for native in entry.open().unwrap().versions.into_iter().filter_map(|it| it.native) {
            let rules = WrittenRules::of(&native.program, rule_in_code);
            for it in &native.program.written.structs {
                let name = &native.program.ty(it.ty).name;
                let told = |value: Map| {
                    let write = Write { kind: entry.kind, old: None, part: "main" };
                    words(&rules.validate_struct(name, &Value::Map(value), write, &Path::root()))
                };
                let fields = it.fields.iter().filter(|it| !it.json.is_empty());
                let nulls = fields.map(|it| (it.json.clone(), Value::Null)).collect();
                assert_eq!(told(Map::new()), told(nulls), "{name}");
                judged += 1;
            }
        }
    }
    assert!(judged > 100, "{judged} structs");
}

fn words(errors: &ErrorList) -> Vec<String> {
    errors.iter().map(|it| format!("{} {:?} {}", it.path, it.kind, it.detail())).collect()
}
