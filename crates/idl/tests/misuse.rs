//! Misused validation tags: what upstream refuses is refused here, in its words and with a place.

#[path = "support/recorded.rs"]
mod recorded;
mod support;

use ordain_check::Disk;
use ordain_idl::validation::{self, Options};
use ordain_idl::{Diagnostic, Loader, Universe};
use recorded::{name_of, recorded};

fn declare(dir: &str, name: &str) -> (Universe, Vec<Diagnostic>) {
    let path = format!("example.com/idl/{}", name.replace('-', ""));
    let universe = Loader::new(&Disk).module(&*path, dir).package_as(dir, &*path).load();
    let (_, diagnostics) = validation::declare(&universe, &Options::default());
    (universe, diagnostics)
}

/// Upstream's texts without the words of the program around them. It stops at the first mistake,
/// except that lint tells all.
fn wanted(text: &str) -> Vec<String> {
    let text = text.trim_end();
    let text = text.strip_prefix("failed to generate validations: ").unwrap_or(text);
    let text = text.strip_prefix("Error discovering constants: ").unwrap_or(text);
    let Some(lint) = text.strip_prefix("lint failed:\n") else { return vec![text.to_string()] };
    let mut out = Vec::new();
    let mut of = "";
    for line in lint.lines() {
        match line.strip_prefix("    ") {
            Some(problem) => out.push(format!("{of} {problem}")),
            None => of = line.trim(),
        }
    }
    out
}

#[test]
fn what_upstream_refuses_is_refused_in_its_words() {
    let mut wrong = Vec::new();
    let dirs = recorded("misuse");
    assert!(!dirs.is_empty(), "no cases");
    for dir in &dirs {
        let name = &name_of(dir);
        let expected = std::fs::read_to_string(dir.join("error.txt")).expect("error.txt");
        let (universe, diagnostics) = declare(&dir.display().to_string(), name);
        let found: Vec<&str> = diagnostics.iter().map(|it| it.message.as_str()).collect();
        let placed = diagnostics
            .iter()
            .all(|it| it.pos.is_some_and(|pos| universe.position(pos).path.ends_with("types.go")));
        let refused_by_us = expected.starts_with("panic:")
            || expected.starts_with("generated code does not compile");
        let fine = if refused_by_us {
            // Ours is a clear error or a sensible meaning.
            true
        } else if expected.trim().is_empty() {
            found.is_empty()
        } else {
            let wanted = wanted(&expected);
            let lint = expected.starts_with("lint failed");
            wanted.iter().all(|it| found.iter().any(|found| found.trim_end() == it))
                && (!lint || found.len() == wanted.len())
        };
        if !fine || !placed {
            wrong.push(format!("{name}\n  want {:?}\n  got  {found:?}", wanted(&expected)));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), dirs.len(), wrong.join("\n"));
}

#[test]
fn sound_packages_are_accepted_and_their_roots_known() {
    let mut wrong = Vec::new();
    for dir in recorded("validation") {
        let name = name_of(&dir);
        let path = format!("example.com/idl/{name}");
        let shown = dir.display().to_string();
        let universe =
            Loader::new(&Disk).module(&*path, &*shown).package_as(&*shown, &*path).load();
        let (program, diagnostics) = validation::declare(&universe, &Options::default());
        for diagnostic in &diagnostics {
            wrong.push(universe.locate(diagnostic).to_string());
        }
        let text = std::fs::read_to_string(dir.join("roots.json")).expect("roots.json");
        let roots: Vec<String> = program
            .roots
            .iter()
            .filter(|root| program.has_rules(root.node))
            .map(|root| universe.named(root.named).name.to_string())
            .collect();
        let mut expected: Vec<String> =
            text.split('"').skip(1).step_by(2).map(ToString::to_string).collect();
        expected.sort();
        if roots != expected {
            wrong.push(format!("{name}: roots {roots:?}, want {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
