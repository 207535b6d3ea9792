//! The tables of attacks and defects in docs/security.md: each has a row, and every test it names is
//! there.

use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn every_attack_names_tests_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/security.md")).unwrap();
    let table = text.split("## Attacks and their tests").nth(1).unwrap();
    let mut cases = BTreeSet::new();
    let is_row = |line: &&str| {
        let name = line.strip_prefix("| ").unwrap_or_default();
        name.starts_with(|first: char| first == 'S' || first.is_ascii_digit())
    };
    for row in table.lines().filter(is_row) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, case, _, tests, _] = cells[..] else { panic!("{row}") };
        assert!(cases.insert(case.to_owned()), "{case} is there twice");
        let (mut file, mut named) = (String::new(), 0);
        for word in tests.split('`').skip(1).step_by(2) {
            if word.ends_with(".rs") {
                let path = root.join("crates").join(word);
                file = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{case}: {word}"));
                continue;
            }
            assert!(file.contains(&format!("fn {word}(")), "{case}: there is no test {word}");
            named += 1;
        }
        assert!(named > 0, "{case} names no test");
    }
    let attacks = (1..=48).map(|number| format!("S{number:02}"));
    let all: BTreeSet<String> = attacks.chain((1..=16).map(|it| it.to_string())).collect();
    assert_eq!(cases, all);
}
