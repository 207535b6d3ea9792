//! The `+rule:` tags of the declarations: every expression compiles, every name is known.

use std::collections::BTreeSet;

use ordain_kubernetes::{declarations, rule_in_code};
use ordain_passes::declared::written::WrittenRules;

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
