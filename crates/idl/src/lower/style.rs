//! Whom a package is written for: the API machinery, whose kinds are declared, or controller-gen,
//! whose kinds are custom resources.

use crate::graph::{Docs, Package, Universe};
use crate::tags::codetag;
use crate::tags::marker::{Marker, PackageMarkers};
use crate::tags::registry::{self, Family};

/// Whether the kinds of a package are served as the custom resources that controller-gen would
/// define: the package has kubebuilder's markers for schemas and speaks to nobody else. A marker
/// beside other tags does not switch them off: it holds in the declared kind.
#[must_use]
pub fn is_custom_style(universe: &Universe, package: &Package) -> bool {
    let markers = PackageMarkers::read(universe, package);
    let mut schema = false;
    for id in package.types.values() {
        let named = universe.named(*id);
        let fields = if named.alias { &[] } else { universe.fields(named.target) };
        schema |= markers.of_type(named).iter().any(speaks_of_schemas)
            || fields.iter().any(|field| markers.of_field(field).iter().any(speaks_of_schemas));
    }
    schema && !is_declared(universe, package)
}

fn speaks_of_schemas(marker: &Marker) -> bool {
    marker.name.starts_with("kubebuilder:validation:") || marker.name == "kubebuilder:default"
}

/// Whether a package is one that Kubernetes' own generators publish.
#[must_use]
pub fn is_published(universe: &Universe, package: &Package) -> bool {
    universe.package_lines(package).into_iter().any(|(_, line)| {
        let found = codetag::extract("+", std::slice::from_ref(&line));
        found.iter().any(|it| matches!(it.name, "k8s:openapi-gen" | "k8s:protobuf-gen"))
    })
}

/// Tags of the proposals that packages for controller-gen have as a word to their readers.
const WORDS: [&str; 1] = ["immutable"];

/// Whether a package has tags of the proposals or of validation-gen, or is one that Kubernetes'
/// own generators publish.
fn is_declared(universe: &Universe, package: &Package) -> bool {
    let declares = |docs: &Docs| {
        let lines = universe.lines(docs.file, docs.closest);
        codetag::extract("+", &lines).iter().any(|found| {
            let specs = registry::find(found.name);
            !WORDS.contains(&found.name)
                && specs.iter().any(|it| matches!(it.family, Family::Proposal | Family::Validation))
        })
    };
    is_published(universe, package)
        || package.types.values().any(|id| {
            let named = universe.named(*id);
            let fields = if named.alias { &[] } else { universe.fields(named.target) };
            declares(&named.docs) || fields.iter().any(|field| declares(&field.docs))
        })
}
