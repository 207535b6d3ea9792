//! Reports, byte for byte. `ORDAIN_BLESS=1` writes what is there now.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use ordain_check::report::{Format, Style, write};
use ordain_check::{Options, Outcome, Severity, Source, validate};
use ordain_value::{Value, json};

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
    let text = "apiVersion: apps.example.com/v1\nkind: Deployment\nmetadata: {name: web}\n";
    let source = [Source::new("web.yaml", text)];
    let reported = validate(&source, &[], &Options::default());
    assert_eq!(reported.findings.len(), 1);
    assert_eq!(reported.findings[0].id, "no-schema");
    assert_eq!(reported.findings[0].severity, Severity::Error);
    let options = Options { ignore_missing_schemas: true, ..Options::default() };
    let ignored = validate(&source, &[], &options);
    assert_eq!((ignored.findings.len(), ignored.missing, ignored.judged), (0, 1, 0));
    let options =
        Options { skip: vec!["apps.example.com/Deployment".into()], ..Options::default() };
    assert_eq!(validate(&source, &[], &options).skipped, 1);
}

/// Keys of an object are among those that the SARIF schema allows there, and the needed ones are
/// there.
fn keys(value: &Value, needed: &[&str], allowed: &[&str]) {
    let map = value.as_map().unwrap();
    for key in needed {
        assert!(map.contains_key(key), "{key} is missing in {value:?}");
    }
    for key in map.keys() {
        assert!(needed.contains(&key.as_str()) || allowed.contains(&key.as_str()), "{key}");
    }
}

fn sarif_is_well_formed(text: &str) -> usize {
    let log = json::decode(text.as_bytes()).unwrap();
    keys(&log, &["version", "runs"], &["$schema"]);
    assert_eq!(log.get("version").and_then(Value::as_str), Some("2.1.0"));
    let runs = log.get("runs").and_then(Value::as_list).unwrap();
    assert_eq!(runs.len(), 1);
    let run = &runs[0];
    keys(run, &["tool", "results"], &["columnKind"]);
    let kinds = ["utf16CodeUnits", "unicodeCodePoints"];
    assert!(kinds.contains(&run.get("columnKind").and_then(Value::as_str).unwrap()));
    keys(run.get("tool").unwrap(), &["driver"], &[]);
    let driver = run.get_path(&["tool", "driver"]).unwrap();
    keys(driver, &["name", "version", "rules"], &["informationUri"]);
    let rules = driver.get("rules").and_then(Value::as_list).unwrap();
    let mut ids = std::collections::BTreeSet::new();
    for rule in rules.iter() {
        keys(rule, &["id"], &["shortDescription"]);
        assert!(ids.insert(rule.get("id").and_then(Value::as_str).unwrap()));
        keys(rule.get("shortDescription").unwrap(), &["text"], &[]);
    }
    let results = run.get("results").and_then(Value::as_list).unwrap();
    for result in results.iter() {
        let allowed = ["ruleId", "ruleIndex", "level", "locations", "partialFingerprints"];
        keys(result, &["message"], &allowed);
        keys(result.get("message").unwrap(), &["text"], &[]);
        assert_ne!(result.get_path(&["message", "text"]).and_then(Value::as_str), Some(""));
        let level = result.get("level").and_then(Value::as_str).unwrap();
        assert!(["none", "note", "warning", "error"].contains(&level));
        let index =
            usize::try_from(result.get("ruleIndex").and_then(Value::as_int).unwrap()).unwrap();
        assert_eq!(rules[index].get("id"), result.get("ruleId"));
        let prints = result.get("partialFingerprints").and_then(Value::as_map).unwrap();
        assert!(prints.values().all(|it| matches!(it, Value::Str(_))));
        for location in result.get("locations").and_then(Value::as_list).unwrap().iter() {
            sarif_location(location);
        }
    }
    results.len()
}

fn sarif_location(location: &Value) {
    keys(location, &["physicalLocation"], &["logicalLocations"]);
    let physical = location.get("physicalLocation").unwrap();
    keys(physical, &["artifactLocation", "region"], &[]);
    let uri = physical.get_path(&["artifactLocation", "uri"]).and_then(Value::as_str).unwrap();
    assert!(!uri.is_empty() && uri.bytes().all(|it| it.is_ascii_graphic() && it != b'\\'), "{uri}");
    let region = physical.get("region").unwrap();
    keys(region, &["startLine", "startColumn", "endLine", "endColumn"], &[]);
    let at = |key: &str| region.get(key).and_then(Value::as_int).unwrap();
    assert!(at("startLine") >= 1 && at("startColumn") >= 1);
    assert!((at("startLine"), at("startColumn")) <= (at("endLine"), at("endColumn")));
    for logical in location.get("logicalLocations").and_then(Value::as_list).into_iter() {
        logical.iter().for_each(|it| keys(it, &["name"], &["fullyQualifiedName"]));
    }
}

#[test]
fn sarif_has_the_form_that_its_schema_asks_for() {
    let style = Style::default();
    assert!(sarif_is_well_formed(&write(&outcome(), Format::Sarif, style)) > 10);
    assert_eq!(sarif_is_well_formed(&write(&Outcome::default(), Format::Sarif, style)), 0);
    let source =
        Source::new("a b\\ü.yaml", std::fs::read(folder().join("../lint/crd.yaml")).unwrap());
    let findings = ordain_check::lint::lint_definitions(&source, &ordain_check::Gates::default());
    let findings = findings.into_iter().map(|it| it.finding).collect();
    let linted = Outcome { findings, tool: ordain_check::Tool::Lint, ..Outcome::default() };
    assert!(sarif_is_well_formed(&write(&linted, Format::Sarif, style)) > 10);
}

/// The official schema is not kept here; the crate `serde-sarif` ships it as `src/schema.json`.
#[test]
fn sarif_is_valid_by_its_official_schema() {
    let Some(file) = ordain_testkit::Need::SarifSchema.named_by("ORDAIN_SARIF_SCHEMA") else {
        return;
    };
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let mut schema = read(&std::fs::read_to_string(file).unwrap());
    // A stray bracket makes this pattern one that only some engines read; we write no language.
    for part in ["run", "toolComponent"] {
        schema["definitions"][part]["properties"]["language"] = true.into();
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let reported = |outcome: &Outcome| {
        let report = read(&write(outcome, Format::Sarif, Style::default()));
        validator.iter_errors(&report).map(|it| it.to_string()).collect::<Vec<String>>()
    };
    assert_eq!(reported(&outcome()), Vec::<String>::new());
    assert_eq!(reported(&Outcome::default()), Vec::<String>::new());
    let mut bad = read(&write(&outcome(), Format::Sarif, Style::default()));
    bad["runs"][0]["results"][0]["level"] = "fatal".into();
    assert!(!validator.is_valid(&bad));
}

#[test]
fn a_file_that_is_one_line_is_shown_in_part() {
    let items: Vec<String> = (0..3000)
        .map(|at| {
            let size = if at % 1000 == 999 { 33 } else { 3 };
            format!(
                "{{\"apiVersion\":\"shop.example.com/v1\",\"kind\":\"Widget\",\"metadata\":{{\"name\":\"w{at}\"}},\"spec\":{{\"owner\":\"änn\",\"size\":{size}}}}}"
            )
        })
        .collect();
    let text =
        format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{}]}}", items.join(","));
    let crd = Source::new("crd.yaml", std::fs::read(folder().join("crd.yaml")).unwrap());
    let source = Source::new("list.json", text.clone());
    let outcome = validate(&[source], &[crd], &Options::default());
    assert_eq!(outcome.findings.len(), 3);
    for finding in &outcome.findings {
        let at = &finding.location;
        assert!(at.excerpt.len() < 4096, "{}", at.excerpt.len());
        assert_eq!(&text[at.bytes.clone()], "33");
        let shown: String = at.excerpt.chars().skip(at.column - 1 - at.skipped).take(2).collect();
        assert_eq!(shown, "33");
        let column = text[..at.bytes.start].chars().count() + 1;
        assert_eq!((at.line, at.column), (1, column));
    }
    let shown = write(&outcome, Format::Text, Style::default());
    let caret = shown.lines().find(|it| it.contains('^')).unwrap();
    let line = shown.lines().find(|it| it.contains("…")).unwrap();
    let at = caret.chars().position(|it| it == '^').unwrap();
    assert_eq!(line.chars().skip(at).take(2).collect::<String>(), "33", "{shown}");
}

#[test]
fn definitions_of_old_versions_are_not_taken() {
    let crd = std::fs::read_to_string(folder().join("crd.yaml")).unwrap();
    let old = crd.replace("apiextensions.k8s.io/v1\n", "apiextensions.k8s.io/v1beta1\n");
    assert_ne!(crd, old);
    let widget = "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: w}\n";
    let sources = [Source::new("crd.yaml", old), Source::new("w.yaml", widget)];
    let reported = validate(&sources, &[], &Options::default());
    let ids: Vec<&str> = reported.findings.iter().map(|it| it.id).collect();
    assert_eq!(ids, ["no-schema", "no-schema"]);
    assert!(reported.findings[0].help.as_ref().unwrap().contains("apiextensions.k8s.io/v1 only"));
    assert_eq!(reported.findings[0].location.line, 1);
}
