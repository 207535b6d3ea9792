//! Every rule fires where it should, and only there; exceptions, baselines and fixes do their work.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use ordain_check::lint::{self, Baseline, Exceptions, Lint, lint_definitions, lint_types};
use ordain_check::{Gates, Severity, Source};
use ordain_idl::{Loader, MemorySource, Universe};

const CRD: &str = include_str!("../../../fixtures/check/lint/crd.yaml");
const TYPES: &str = include_str!("../../../fixtures/check/lint/types.go.txt");

fn of_crd(text: &str) -> Vec<Lint> {
    lint_definitions(&Source::new("crd.yaml", text), &Gates::default())
}

fn universe(files: &[(&str, &str)]) -> Universe {
    let mut memory = MemorySource::new();
    memory.insert("go.mod", "module example.com/shop\n");
    let mut folders = BTreeSet::new();
    for (name, text) in files {
        memory.insert(*name, *text);
        folders.insert(name.rsplit_once('/').unwrap().0.to_owned());
    }
    let mut loader = Loader::new(&memory);
    for folder in folders {
        loader = loader.package(folder);
    }
    loader.load()
}

fn reported(lints: &[Lint]) -> Vec<String> {
    let mut reported: Vec<String> = lints
        .iter()
        .map(|it| {
            format!(
                "{}:{} {} {}",
                it.finding.location.line,
                it.finding.location.column,
                it.finding.id,
                it.finding.text()
            )
        })
        .collect();
    reported.sort();
    reported
}

/// Compares with a file; `ORDAIN_BLESS=1` writes it.
fn same(name: &str, found: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../").join(name);
    if std::env::var_os("ORDAIN_BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    assert_eq!(found, std::fs::read_to_string(&path).unwrap_or_default(), "{name}");
}

#[test]
fn definitions_are_reviewed() {
    same("fixtures/check/lint/crd.out", &(reported(&of_crd(CRD)).join("\n") + "\n"));
}

#[test]
fn go_types_are_reviewed() {
    let found = lint_types(&universe(&[("v1/types.go", TYPES)]), None);
    same("fixtures/check/lint/types.out", &(reported(&found).join("\n") + "\n"));
}

#[test]
fn every_rule_has_fired() {
    let old = TYPES.replace("Extra *string `json:\"extra,omitempty\"`", "");
    let beta = TYPES
        .replace("package v1", "package v1beta1")
        .replace("+kubebuilder:validation:Maximum=10", "+kubebuilder:validation:Maximum=11");
    let new = universe(&[("v1/types.go", TYPES), ("v1beta1/types.go", &beta)]);
    let before = universe(&[("v1/types.go", &old)]);
    let mut found = lint_types(&new, Some(&before));
    let (plain, union) = (
        "package v1\n\n// S is.\ntype S struct {\n\tA *int32 `json:\"a,omitempty\"`\n}\n",
        "package v1\n\n// S is.\ntype S struct {\n\t// +k8s:unionDiscriminator\n\tType string `json:\"type\"`\n\t// +k8s:unionMember\n\tA *int32 `json:\"a,omitempty\"`\n}\n",
    );
    let [plain, union] = [plain, union].map(|it| universe(&[("v1/types.go", it)]));
    found.extend(lint_types(&union, Some(&plain)));
    found.extend(of_crd(CRD));
    found.extend(of_crd("a: [\n"));
    let better = ("kubebuilder:validation:Optional".to_owned(), "optional".to_owned());
    found.extend(lint::lint_markers(&new, &["listMapKey".to_owned()], &[better]));
    found.extend(of_crd(&CRD.replace("type: number", "type: numbr")));
    let exceptions = "kind: LintExceptions\nexceptions:\n\
        - {rule: float-used, path: '*', owner: a, reason: b, expires: '2020-01-01'}\n\
        - {rule: float-used, path: nowhere, owner: a, reason: b}\n";
    Exceptions::decode(Source::new("e.yaml", exceptions)).unwrap().apply(&mut found, "2026-01-01");
    let fired: BTreeSet<&str> = found.iter().map(|it| it.finding.id).collect();
    let all: BTreeSet<&str> = lint::RULES.iter().map(|it| it.id).collect();
    assert_eq!(all.difference(&fired).collect::<Vec<_>>(), Vec::<&&str>::new());
    assert_eq!(fired.difference(&all).collect::<Vec<_>>(), Vec::<&&str>::new());
    let ids: Vec<&str> = lint::RULES.iter().map(|it| it.id).collect();
    assert!(ids.is_sorted(), "rules stand in the order of their ids");
}

#[test]
fn a_discriminator_that_comes_to_existing_members_has_to_be_inferred() {
    let state = |discriminator: &str| {
        format!(
            "package v1\n\n// State is one of several.\ntype State struct {{\n{discriminator}\t// waiting is set first.\n\t// +unionMember\n\t// +optional\n\tWaiting *string `json:\"waiting,omitempty\"`\n}}\n"
        )
    };
    let tagged = |more: &str| {
        state(&format!(
            "\t// type names the member.\n\t// +unionDiscriminator\n{more}\t// +optional\n\tType StateType `json:\"type,omitempty\"`\n"
        )) + "\n// StateType is a name.\n// +enum\ntype StateType string\n\nconst (\n\tWaiting StateType = \"Waiting\"\n\tNone StateType = \"\"\n)\n"
    };
    let before = state("").replace("\t// +unionMember\n", "");
    let count = |old: &str, new: &str| {
        let (old, new) = (universe(&[("v1/types.go", old)]), universe(&[("v1/types.go", new)]));
        let found = lint_types(&new, Some(&old));
        found.iter().filter(|it| it.finding.id == "union-older-members").count()
    };
    assert_eq!(count(&before, &tagged("")), 1);
    assert_eq!(count(&before, &tagged("\t// +unionInferred\n")), 0);
    assert_eq!(count(&tagged(""), &tagged("")), 0);
}

#[test]
fn exceptions_hold_until_their_day() {
    let text = |expires: &str| {
        format!(
            "kind: LintExceptions\nexceptions:\n- rule: float-used\n  path: 'lamps.shop.example.com/v1:spec.*'\n  owner: me\n  reason: old\n  expires: {expires}\n"
        )
    };
    let count = |found: &[Lint], id: &str| found.iter().filter(|it| it.finding.id == id).count();
    let mut found = of_crd(CRD);
    assert!(count(&found, "float-used") > 0);
    let exceptions = Exceptions::decode(Source::new("e.yaml", text("2027-01-01"))).unwrap();
    assert!(exceptions.apply(&mut found, "2026-11-16") > 0);
    assert_eq!(count(&found, "float-used"), 0);
    let mut found = of_crd(CRD);
    let exceptions = Exceptions::decode(Source::new("e.yaml", text("2026-11-15"))).unwrap();
    assert_eq!(exceptions.apply(&mut found, "2026-11-16"), 0);
    assert!(count(&found, "float-used") > 0);
    assert_eq!(count(&found, "exception-expired"), 1);
    for (from, to) in
        [("owner: me", "owner: ''"), ("rule: float-used", "rule: flat-used"), ("reason", "raeson")]
    {
        assert!(
            Exceptions::decode(Source::new("e.yaml", text("2027-01-01").replace(from, to)))
                .is_err()
        );
    }
}

#[test]
fn a_baseline_hides_what_was_there_and_nothing_else() {
    let baseline = Baseline::decode(Baseline::of(&of_crd(CRD)).encode().as_bytes()).unwrap();
    let mut found = of_crd(CRD);
    baseline.drop_known(&mut found);
    assert_eq!(reported(&found), Vec::<String>::new());
    let worse = CRD.replace("brightness:", "Brightness:");
    let mut found = of_crd(&worse);
    baseline.drop_known(&mut found);
    assert!(found.iter().any(|it| it.finding.id == "field-name-case"));
}

#[test]
fn fixes_mend_and_change_nothing_else() {
    let found = of_crd(CRD);
    let fixes: Vec<_> = found.iter().filter_map(|it| it.fix.as_ref()).collect();
    let (mended, made) = lint::apply(CRD.as_bytes(), &fixes);
    assert!(made > 0);
    let mended = String::from_utf8(mended).unwrap();
    let again = of_crd(&mended);
    assert!(!again.iter().any(|it| it.finding.id == "list-type-missing" && it.fix.is_some()));
    assert!(!again.iter().any(|it| it.finding.id == "syntax"));

    let found = lint_types(&universe(&[("v1/types.go", TYPES)]), None);
    let fixes: Vec<_> = found.iter().filter_map(|it| it.fix.as_ref()).collect();
    let (mended, made) = lint::apply(TYPES.as_bytes(), &fixes);
    assert!(made >= 2);
    let mended = String::from_utf8(mended).unwrap();
    let again = lint_types(&universe(&[("v1/types.go", &mended)]), None);
    assert!(!again.iter().any(|it| it.fix.is_some()), "{:?}", reported(&again));
}

#[test]
fn the_page_of_rules_is_that_of_the_registry() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lint.md");
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    const START: &str = "<!-- rules: made by the test in crates/check/tests/lint.rs -->\n";
    let head = page.split(START).next().unwrap_or_default();
    let wanted = format!("{head}{START}{}", lint::markdown());
    if std::env::var_os("ORDAIN_BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/lint.md is stale; ORDAIN_BLESS=1 writes it");
}

#[test]
fn a_sound_definition_has_few_remarks() {
    let found = of_crd(include_str!("../../../fixtures/check/lint/sound.yaml"));
    assert_eq!(reported(&found), Vec::<String>::new());
    assert!(found.iter().all(|it| it.finding.severity == Severity::Warning));
}

#[test]
fn rules_are_known_by_the_names_of_kube_api_linter() {
    for (name, id) in [("nobools", "bool-used"), ("ssatags", "list-type-missing")] {
        assert_eq!(lint::find(name).unwrap().id, id);
    }
    assert!(lint::find("version-drift").unwrap().opt_in);
}

#[test]
fn versions_that_say_the_same_in_other_words_do_not_drift() {
    let spec = |tags: &str| {
        format!(
            "// +groupName=shop.example.com\npackage v1\n\ntype Spec struct {{\n{tags}\tNames []string `json:\"names,omitempty\"`\n}}\n"
        )
    };
    let drifts = |here: &str, there: &str| {
        let beta = spec(here).replace("package v1", "package v1beta1");
        let types = universe(&[("v1/types.go", &spec(there)), ("v1beta1/types.go", &beta)]);
        lint_types(&types, None).iter().any(|it| it.finding.id == "version-drift")
    };
    assert!(!drifts("\t// +optional\n", "\t// +optional\n\t// +listType=atomic\n"));
    assert!(!drifts(
        "\t// +optional\n\t// +maxItems=3\n",
        "\t// +k8s:optional\n\t// +kubebuilder:validation:MaxItems=3\n"
    ));
    assert!(drifts("\t// +optional\n\t// +maxItems=3\n", "\t// +optional\n\t// +maxItems=4\n"));
    assert!(drifts("\t// +optional\n", "\t// +optional\n\t// +k8s:maxItems=4\n"));
    assert!(drifts(
        "\t// +optional\n",
        "\t// +optional\n\t// +validationRule=\"size(self) > 1\",message=\"more\"\n"
    ));
}
