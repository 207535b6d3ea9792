//! Reports, byte for byte. `ORDAIN_BLESS=1` writes what is there now.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use ordain_check::report::{Format, Style, write};
use ordain_check::{Options, Outcome, Severity, Source, validate};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/check/validate")
}

fn outcome() -> Outcome {
    let source = |name: &str| Source::new(name, std::fs::read(folder().join(name)).unwrap());
    let sources =
        [source("broken.yaml"), source("crd.yaml"), source("widget.json"), source("widgets.yaml")];
    validate(&sources, &[], &Options::default())
}

fn same(name: &str, found: &str) {
    let path = folder().join(name);
    if std::env::var_os("ORDAIN_BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, wanted, "{name} differs; ORDAIN_BLESS=1 accepts it");
}

#[test]
fn every_format_says_what_it_said() {
    let outcome = outcome();
    for (name, format) in Format::ALL {
        let ending = match format {
            Format::Junit => "xml",
            Format::Yaml => "yaml.out",
            _ => "out",
        };
        let style = Style { colours: false, summary: true };
        same(&format!("report.{name}.{ending}"), &write(&outcome, format, style));
    }
    let style = Style { colours: true, summary: true };
    same("report.colours.out", &write(&outcome, Format::Text, style));
}

#[test]
fn clean_input_has_a_clean_report() {
    let source = |name: &str| Source::new(name, std::fs::read(folder().join(name)).unwrap());
    let outcome = validate(&[source("crd.yaml")], &[], &Options::default());
    assert_eq!(outcome.findings, []);
    assert_eq!(outcome.judged, 1);
    assert_eq!(write(&outcome, Format::Text, Style::default()), "");
}

#[test]
fn kinds_without_a_schema_are_reported_unless_ignored() {
    let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n";
    let source = [Source::new("web.yaml", text)];
    let told = validate(&source, &[], &Options::default());
    assert_eq!(told.findings.len(), 1);
    assert_eq!(told.findings[0].id, "no-schema");
    assert_eq!(told.findings[0].severity, Severity::Error);
    let options = Options { ignore_missing_schemas: true, ..Options::default() };
    let ignored = validate(&source, &[], &options);
    assert_eq!((ignored.findings.len(), ignored.missing, ignored.judged), (0, 1, 0));
    let options = Options { skip: vec!["apps/Deployment".into()], ..Options::default() };
    assert_eq!(validate(&source, &[], &options).skipped, 1);
}
