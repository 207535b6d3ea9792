//! `docs/coverage.md` names tests that exist.

use std::path::Path;

#[test]
fn every_test_that_the_page_of_coverage_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/coverage.md")).unwrap();
    let mut missing = Vec::new();
    let mut count = 0;
    for line in page.lines().filter(|line| line.starts_with("| ") && line.contains("::")) {
        let test = line.rsplit('`').nth(1).unwrap_or_default();
        let Some((file, name)) = test.split_once("::") else {
            missing.push(line.to_owned());
            continue;
        };
        count += 1;
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        // A test is a function with an attribute above it, in whatever form.
        let declared = text.lines().any(|line| {
            let line = line.trim_start();
            let line = line.strip_prefix("async ").unwrap_or(line);
            line.strip_prefix("fn ").is_some_and(|rest| rest.starts_with(&format!("{name}(")))
        });
        if !declared {
            missing.push(test.to_owned());
        }
    }
    assert!(missing.is_empty(), "no such test: {missing:#?}");
    assert!(count >= 70, "only {count} requirements are mapped");
}
