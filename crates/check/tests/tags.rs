//! No tag is lost without a word: every tag of the registry, through every output.
//!
//! Each probe of `fixtures/gen/tags.txt` is read twice, with its tag and with an empty line in the
//! tag's place. An output holds the tag when the two differ, and refuses it when it names the tag in
//! an error; anything else is a loss, unless what the tag is about is no matter of that output. The
//! verdicts are the last table of `docs/tags.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ordain_check::{Gates, diff, lint};
use ordain_gen::{crd, docs, jsonschema, kinds, openapi, rust};
use ordain_idl::tags::registry::{self, Family};
use ordain_idl::{Diagnostic, Loader, MemorySource, Universe, lower};
use ordain_value::{Value, json};

/// The outputs, in the order of the table.
const OUTPUTS: [&str; 9] =
    ["serve", "crd", "openapi v2", "openapi v3", "jsonschema", "docs", "rust", "diff", "lint"];

/// The outputs that a tag must reach by what it is about, and the words for it.
const ASPECTS: [(&str, &[&str], &str); 10] = [
    ("value", &OUTPUTS, "which values are allowed"),
    ("words", &["serve", "crd", "openapi v2", "openapi v3", "jsonschema", "docs"], "documentation"),
    ("merge", &["serve", "crd", "openapi v2", "openapi v3", "diff"], "how values are merged"),
    (
        "request",
        &["serve", "crd", "openapi v2", "openapi v3", "jsonschema", "docs", "diff"],
        "what requests may leave out",
    ),
    ("kind", &["serve", "crd", "docs", "diff"], "a kind's names, columns and subresources"),
    ("version", &["serve", "crd", "diff"], "versions of a kind"),
    ("document", &["openapi v2", "openapi v3"], "the OpenAPI document"),
    ("file", &["crd"], "the definition's own metadata"),
    ("selection", &[], "which types a generator takes"),
    ("program", &["serve"], "rules that refuse nothing by themselves"),
];

struct Probe {
    /// The name in the registry.
    name: String,
    aspect: String,
    /// The tag that is written.
    tag: String,
    parts: BTreeMap<String, String>,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn probes() -> Vec<Probe> {
    let text = std::fs::read_to_string(repository().join("fixtures/gen/tags.txt")).expect("probes");
    let mut out: Vec<Probe> = Vec::new();
    let mut part = String::new();
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("=== ") {
            let mut words = head.split(' ').map(str::to_owned);
            let name = words.next().expect("a name");
            let aspect = words.next().expect("an aspect");
            let tag = words.next().unwrap_or_else(|| name.clone());
            out.push(Probe { name, aspect, tag, parts: BTreeMap::new() });
        } else if let (Some(probe), Some(name)) = (out.last_mut(), line.strip_suffix(':')) {
            part = name.to_owned();
            probe.parts.insert(part.clone(), String::new());
        } else if let Some(probe) = out.last_mut() {
            let text = probe.parts.get_mut(&part).expect("a part");
            text.push_str(line);
            text.push('\n');
        }
    }
    out
}

impl Probe {
    fn family(&self) -> Family {
        registry::find(&self.tag).first().expect("a known tag").family
    }

    /// The package with the tag, or with an empty comment line in each of its places.
    fn universe(&self, with: bool) -> Universe {
        let part = |name: &str| self.parts.get(name).map(String::as_str).unwrap_or_default();
        let kubebuilder = self.tag.starts_with("kubebuilder:");
        let root = if kubebuilder { "// +kubebuilder:object:root=true\n" } else { "" };
        let group = if self.tag == "groupName" { "" } else { "// +groupName=shop.example.com\n" };
        let package = |name: &str, package: &str, kind: &str| {
            format!(
                "{group}{package}package {name}\n\n\
                 import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
                 {root}{kind}type Widget struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\
                 \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tSpec Spec `json:\"spec\"`\n{}}}\n\n\
                 {}type Spec struct {{\n{}}}\n\n{}",
                part("fields"),
                part("above"),
                part("spec"),
                part("types"),
            )
        };
        let as_asked = |text: String| if with { text } else { self.without(&text) };
        let text = as_asked(package("v1", "", part("kind")));
        let doc = as_asked(format!("{}package v1\n", part("package")));
        let mut source = MemorySource::new().with("v1/types.go", text).with("v1/doc.go", doc);
        if self.aspect == "version" {
            let stored = self.tag != "kubebuilder:storageversion";
            let kind = if stored { "// +kubebuilder:storageversion\n" } else { "" };
            let text = self.without(&package("v2", "", kind));
            source = source.with("v2/types.go", text);
        }
        let loader = Loader::new(&source).package_as("v1", "example.com/v1");
        let two = self.aspect == "version";
        if two { loader.package_as("v2", "example.com/v2") } else { loader }.load()
    }

    fn without(&self, text: &str) -> String {
        let is_tag = |line: &str| {
            let rest =
                line.trim_start().strip_prefix("// +").and_then(|it| it.strip_prefix(&self.tag));
            rest.is_some_and(|it| !it.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
                && !(rest.is_some_and(|it| it.starts_with(':'))
                    && registry::all().any(|it| {
                        it.name != self.name
                            && it.name.starts_with(&format!("{}:", self.tag))
                            && line.contains(it.name)
                    }))
        };
        let mut out = String::new();
        for line in text.lines() {
            out.push_str(if is_tag(line) { "//" } else { line });
            out.push('\n');
        }
        out
    }
}

/// What an output makes of a package.
#[derive(PartialEq)]
struct Made {
    text: String,
    errors: Vec<String>,
    warnings: Vec<String>,
}

fn made(universe: &Universe, text: String, diagnostics: &[Diagnostic]) -> Made {
    let reported = |error: bool| {
        let found = diagnostics.iter().filter(|it| it.is_error() == error);
        found.map(|it| universe.locate(it).to_string()).collect::<Vec<_>>()
    };
    Made { text, errors: reported(true), warnings: reported(false) }
}

fn definitions(universe: &Universe) -> (Vec<Value>, Vec<Diagnostic>) {
    let output = crd::generate(universe, &crd::Options::default());
    (output.files.into_iter().map(|it| it.crd).collect(), output.diagnostics)
}

fn served(universe: &Universe) -> Made {
    let lowered = lower::lower(universe);
    let mut text = format!("{:#?}", lowered.api);
    let mut diagnostics = lowered.diagnostics;
    if universe.requested().any(|it| lower::is_custom_style(universe, it)) {
        let (made, found) = definitions(universe);
        made.iter().for_each(|it| text.push_str(&json::encode_string(it)));
        diagnostics.extend(found);
    }
    made(universe, text, &diagnostics)
}

fn of_kinds(
    universe: &Universe,
    write: &dyn Fn(&[ordain_schema::declared::Kind]) -> String,
) -> Made {
    let found = kinds::of_types(universe);
    made(universe, write(&found.kinds), &found.diagnostics)
}

fn output(name: &str, universe: &Universe) -> Made {
    let document = |write: fn(&openapi::Output) -> Value| {
        let options = openapi::Options {
            untagged: true,
            unions: true,
            declared: true,
            ..openapi::Options::default()
        };
        let output = openapi::generate(universe, options);
        made(universe, json::encode_pretty(&write(&output)), &output.diagnostics)
    };
    match name {
        "serve" => served(universe),
        "crd" => {
            let (definitions, diagnostics) = definitions(universe);
            let text = definitions.iter().map(json::encode_pretty).collect();
            made(universe, text, &diagnostics)
        }
        "openapi v2" => document(openapi::Output::v2),
        "openapi v3" => document(openapi::Output::v3),
        "jsonschema" => of_kinds(universe, &|kinds| {
            let files = jsonschema::generate(kinds, jsonschema::Options::default());
            files.iter().map(|it| jsonschema::encode(&it.schema)).collect()
        }),
        "docs" => of_kinds(universe, &|kinds| {
            docs::generate(kinds, docs::Format::Markdown).into_iter().map(|it| it.text).collect()
        }),
        "rust" => of_kinds(universe, &|kinds| {
            rust::generate(kinds).into_iter().map(|it| it.text).collect()
        }),
        other => panic!("no output {other}"),
    }
}

/// Whether a change of definitions by this tag alone is reported.
fn compared(probe: &Probe) -> Made {
    let (with, without) = (probe.universe(true), probe.universe(false));
    let (new, diagnostics) = definitions(&with);
    let (old, _) = definitions(&without);
    let report = diff::compare(&old, &new, &Gates::default());
    let text = report.map(|it| diff::text(&it)).unwrap_or_else(|why| why);
    made(&with, text, &diagnostics)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Held,
    Refused,
    Warned,
    None,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Verdict::Held => "held",
            Verdict::Refused => "refused",
            Verdict::Warned => "warned",
            Verdict::None => "–",
        }
    }
}

fn verdict(probe: &Probe, name: &str, wrong: &mut Vec<String>) -> Verdict {
    let (with, without) = match name {
        "lint" => return lint_knows(probe, wrong),
        "diff" => (compared(probe), "0 breaking, 0 ratcheted, 0 compatible\n".to_owned()),
        name => {
            let without = output(name, &probe.universe(false));
            let text = without.text + &without.errors.join("\n");
            (output(name, &probe.universe(true)), text)
        }
    };
    let names =
        |reported: &[String]| reported.iter().any(|it| it.contains(&format!("+{}", probe.tag)));
    if names(&with.errors) || (probe.tag == "k8s:validateError" && !with.errors.is_empty()) {
        return Verdict::Refused;
    }
    if !with.errors.is_empty() {
        wrong.push(format!("+{} {name}: {:?}", probe.tag, with.errors));
        return Verdict::None;
    }
    if with.text != without {
        return Verdict::Held;
    }
    if names(&with.warnings) {
        return Verdict::Warned;
    }
    let concerned = ASPECTS.iter().find(|it| it.0 == probe.aspect);
    if concerned.unwrap_or_else(|| panic!("no aspect {}", probe.aspect)).1.contains(&name) {
        wrong.push(format!("+{} {name}: lost", probe.tag));
    }
    Verdict::None
}

/// Lint knows a tag when it knows a slip of the pen in its name.
fn lint_knows(probe: &Probe, wrong: &mut Vec<String>) -> Verdict {
    let slip = format!("{}x", probe.tag);
    if matches!(probe.family(), Family::Inert) || probe.name.ends_with('*') || probe.tag.len() < 4 {
        return Verdict::None;
    }
    let text =
        format!("package v1\n\n// +{slip}\ntype Widget struct {{\n\tA string `json:\"a\"`\n}}\n");
    let source = MemorySource::new().with("v1/types.go", text);
    let universe = Loader::new(&source).package_as("v1", "example.com/v1").load();
    let found = lint::lint_types(&universe, None);
    let reported = |it: &lint::Lint| {
        let help = it.finding.help.as_deref().unwrap_or_default();
        format!("{} {help}", it.finding.message).contains(&slip)
    };
    if !found.iter().any(reported) {
        wrong.push(format!("+{} lint: does not know +{slip}", probe.tag));
        return Verdict::None;
    }
    Verdict::Held
}

/// The table of verdicts, and what is lost.
fn table() -> (String, Vec<String>) {
    let mut wrong = Vec::new();
    let mut out = String::from(
        "\n## Through every output\n\nEvery tag is tried in a package of its own \
         (`fixtures/gen/tags.txt`), with and without it. *held*: the output says what the tag says; \
         *refused*: an error names the tag (`--allow-loss` makes it a warning); *warned*: a warning \
         names it; –: the output has no place for what the tag is about.\n\n",
    );
    let _ = writeln!(out, "| Tag | About | {} |", OUTPUTS.join(" | "));
    let _ = writeln!(out, "|---|---|{}", "---|".repeat(OUTPUTS.len()));
    for probe in probes() {
        let cells: Vec<&str> =
            OUTPUTS.iter().map(|name| verdict(&probe, name, &mut wrong).word()).collect();
        let aspect = ASPECTS.iter().find(|it| it.0 == probe.aspect).map_or("", |it| it.2);
        let _ = writeln!(out, "| `+{}` | {aspect} | {} |", probe.tag, cells.join(" | "));
    }
    (out, wrong)
}

#[test]
fn every_tag_has_a_probe() {
    let probes = probes();
    let missing: Vec<&str> = registry::all()
        .filter(|it| it.family != Family::Inert)
        .map(|it| it.name)
        .filter(|name| !probes.iter().any(|it| it.name == *name))
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn no_tag_is_lost_without_a_word_and_the_page_of_tags_is_fresh() {
    let (table, wrong) = table();
    assert!(wrong.is_empty(), "{} losses:\n{}", wrong.len(), wrong.join("\n"));
    let path = repository().join("docs/tags.md");
    let expected = registry::markdown() + &table;
    if std::env::var_os("ORDAIN_WRITE").is_some() {
        std::fs::write(&path, &expected).expect("the page is written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "docs/tags.md is stale; run this test with ORDAIN_WRITE=1");
}
