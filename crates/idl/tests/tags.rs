//! Tags on real and on misused packages: markers read alike, unknown and misplaced ones told.

mod support;

use ordain_check::Disk;
use ordain_idl::tags::lint::lint;
use ordain_idl::tags::marker::PackageMarkers;
use ordain_idl::{Loader, MemorySource, Severity, Universe};
use ordain_testkit::transcript;
use support::{folders, kubernetes};

fn load(dir: &str, path: &str) -> Universe {
    Loader::new(&Disk).module(path, dir).packages_below(dir).load()
}

fn marker_errors(universe: &Universe) -> Vec<String> {
    let mut out = Vec::new();
    for package in universe.requested() {
        for diagnostic in PackageMarkers::read(universe, package).diagnostics {
            let position = universe.position(diagnostic.pos.expect("a place"));
            let file = position.path.rsplit('/').next().unwrap_or("").to_string();
            out.push(format!(
                "{file}:{}:{}: {}",
                position.line, position.column, diagnostic.message
            ));
        }
    }
    out.sort();
    out.dedup();
    out
}

#[test]
fn markers_of_sound_packages_are_read() {
    let Some(recorded) = transcript::outside("idl") else { return };
    let root = recorded.join("crd");
    for name in folders(&root) {
        let dir = root.join(&name).display().to_string();
        let errors = marker_errors(&load(&dir, &format!("idl.example.dev/crd/{name}")));
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

#[test]
fn markers_that_upstream_cannot_parse_are_refused_in_its_words() {
    let Some(recorded) = transcript::outside("idl") else { return };
    let root = recorded.join("crd-misuse");
    let (mut compared, mut wrong) = (0, Vec::new());
    for name in folders(&root) {
        let dir = root.join(&name);
        let expected = std::fs::read_to_string(dir.join("error.txt")).unwrap_or_default();
        let mut expected: Vec<String> = expected
            .lines()
            .filter(|line| line.contains("(at <input>") || line.contains("invalid character"))
            .map(|line| line.rsplit_once('/').map_or(line, |(_, line)| line).to_string())
            .collect();
        expected.sort();
        expected.dedup();
        compared += usize::from(!expected.is_empty());
        let found = marker_errors(&load(
            &dir.display().to_string(),
            &format!("idl.example.dev/crd-misuse/{name}"),
        ));
        if found != expected {
            wrong.push(format!("{name}\n  want {expected:?}\n  got  {found:?}"));
        }
    }
    assert!(compared > 15, "only {compared} cases");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn kubernetes_own_types_have_no_mistaken_tags() {
    let Some(tree) = kubernetes() else { return };
    let universe =
        Loader::new(&Disk).packages_below(&format!("{tree}/staging/src/k8s.io/api")).load();
    let errors: Vec<String> = lint(&universe)
        .iter()
        .filter(|it| it.severity == Severity::Error)
        .map(|it| universe.locate(it).to_string())
        .collect();
    assert!(errors.is_empty(), "{}: {:#?}", errors.len(), &errors[..errors.len().min(40)]);
}

#[test]
fn unknown_misplaced_and_contradicting_tags_are_told_with_a_fix() {
    let source = MemorySource::new().with(
        "p/types.go",
        "package p\n\n// +kubebuilder:subresource:status\n// +k8s:required\ntype T struct {\n\t// +k8s:minimun=3\n\tA int `json:\"a\"`\n\t// +defaut=3\n\t// +k8s:minimum=5\n\t// +k8s:maximum=4\n\tB int `json:\"b\"`\n\t// +k8s:required\n\t// +k8s:optional\n\t// +acme:colour=red\n\tC string `json:\"c\"`\n\t// +kubebuilder:printcolumn:name=X,type=string,JSONPath=.x\n\tD string `json:\"d\"`\n}\n",
    );
    let universe = Loader::new(&source).package_as("p", "example.com/p").load();
    let found: Vec<String> =
        lint(&universe).iter().map(|it| universe.locate(it).to_string()).collect();
    assert_eq!(
        found,
        [
            "p/types.go:4:5: error: tag `+k8s:required` has no effect on type definitions (help: it belongs on struct fields)",
            "p/types.go:6:6: error: unknown tag `+k8s:minimun` (help: did you mean `+k8s:minimum`?)",
            "p/types.go:8:6: error: unknown tag `+defaut` (help: did you mean `+default`?)",
            "p/types.go:10:6: error: no value satisfies both `+k8s:minimum=5` and `+k8s:maximum=4` (help: exchange the limits)",
            "p/types.go:13:6: error: tags `+k8s:required` and `+k8s:optional` contradict each other (help: keep one of them)",
            "p/types.go:14:6: warning: unknown tag `+acme:colour` (help: no reader here knows it; it has no effect)",
            "p/types.go:16:6: error: tag `+kubebuilder:printcolumn:name` has no effect on struct fields (help: it belongs on type definitions)",
        ]
    );
}
