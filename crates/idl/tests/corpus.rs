//! The front end on real trees: the recorded corpus and, when it is at hand, `k8s.io/api`.

mod support;

use std::time::Instant;

use ordain_check::Disk;
use ordain_idl::Loader;
use ordain_idl::graph::Type;
use ordain_testkit::transcript;
use support::{folders, kubernetes};

#[test]
fn every_recorded_package_is_read_without_errors() {
    let Some(recorded) = transcript::outside("idl") else { return };
    let mut packages = 0;
    let mut unread = Vec::new();
    for family in [
        "validation",
        "defaulting",
        "misuse",
        "misuse-defaulting",
        "openapi",
        "openapi-misuse",
        "crd",
    ] {
        for name in folders(&recorded.join(family)) {
            if name.starts_with('_') {
                continue;
            }
            let dir = format!("{}/{family}/{name}", recorded.display());
            let universe = Loader::new(&Disk)
                .module("idl.example.dev", recorded.display().to_string())
                .packages_below(&dir)
                .load();
            let found = universe.diagnostics().iter().map(|it| universe.locate(it).to_string());
            // Types of k8s.io/api are not built in and no source of theirs is at hand.
            unread.extend(
                found.filter(|it| !it.contains("no source found for package `k8s.io/api/")),
            );
            packages += universe.requested().count();
        }
    }
    assert!(unread.is_empty(), "{unread:#?}");
    assert!(packages > 300, "only {packages} packages found");
}

#[test]
fn kubernetes_api_is_read_and_resolved_in_under_a_second() {
    let Some(tree) = kubernetes() else { return };
    let started = Instant::now();
    let universe =
        Loader::new(&Disk).packages_below(&format!("{tree}/staging/src/k8s.io/api")).load();
    let elapsed = started.elapsed();
    let texts: Vec<String> =
        universe.diagnostics().iter().map(|it| universe.locate(it).to_string()).collect();
    println!(
        "{} packages, {} types, {:?}",
        universe.packages().len(),
        universe.all_named().count(),
        elapsed
    );
    assert!(texts.is_empty(), "{texts:#?}");
    let pod = universe.lookup("k8s.io/api/core/v1", "PodSpec").expect("PodSpec");
    let Type::Struct(fields) = universe.ty(universe.named(pod).target) else { panic!("no struct") };
    assert!(universe.struct_type(*fields).fields.len() > 30);
    let protocol = universe.lookup("k8s.io/api/core/v1", "Protocol").expect("Protocol");
    let values: Vec<&str> =
        universe.constants_of(protocol).iter().map(|constant| constant.name.as_str()).collect();
    assert_eq!(values, ["ProtocolSCTP", "ProtocolTCP", "ProtocolUDP"]);
    if !cfg!(debug_assertions) {
        assert!(elapsed.as_secs_f64() < 1.0, "took {elapsed:?}");
    }
}

/// Every package of a tree is lowered without an error, kinds of all versions included.
#[test]
fn kubernetes_api_is_lowered_as_it_is() {
    let Some(tree) = kubernetes() else { return };
    let root = std::path::PathBuf::from(format!("{tree}/staging/src/k8s.io/api"));
    let mut kinds = 0;
    let mut errors = Vec::new();
    for group in folders(&root) {
        for version in folders(&root.join(&group)) {
            let dir = root.join(&group).join(version);
            let universe = Loader::new(&Disk).package(dir.to_string_lossy()).load();
            let lowered = ordain_idl::lower::lower(&universe);
            kinds += lowered.api.kinds.len();
            let found = lowered.diagnostics.iter().filter(|it| it.is_error());
            let found = found.filter(|it| it.code != "no-go-files");
            errors.extend(found.map(|it| universe.locate(it).to_string()));
        }
    }
    assert!(errors.is_empty(), "{}: {:#?}", errors.len(), &errors[..errors.len().min(40)]);
    assert!(kinds > 120, "only {kinds} kinds");
}
