//! Which nodes are meant: topologies, and advice on the labels of selector terms.

use std::collections::{BTreeMap, BTreeSet};

use ordain_passes::declared::written::Asked;
use ordain_strategy::Warnings;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::access::{items, text, texts};
use super::reference;

/// No two topologies may ask for the same.
pub(crate) fn check_repeated(
    asked: &Asked<'_, '_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    type Terms<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;
    let value = asked.value();
    let terms = value.as_list().map_or(&[][..], |it| it.as_slice());
    // Upstream compares with as many empty terms as there are terms, before the ones seen: a term
    // that asks for nothing is reported once for each of them.
    let mut seen: Vec<Terms<'_>> = terms.iter().map(|_| Terms::new()).collect();
    for (at, term) in terms.iter().enumerate() {
        let requirements = items(term, "matchLabelExpressions").iter();
        let wanted: Terms<'_> = requirements
            .map(|it| (text(it, "key"), texts(it, "values").into_iter().collect()))
            .collect();
        let path = path.index(at);
        for _ in seen.iter().filter(|it| **it == wanted) {
            errors.push(field::Error::duplicate(&path.child("matchLabelExpressions"), ""));
        }
        seen.push(wanted);
    }
}

/// Advice on labels that have a successor.
pub(crate) fn warn(term: &Value, path: &Path<'_>, warnings: &mut Warnings) {
    let path = path.child("matchExpressions");
    for (at, requirement) in items(term, "matchExpressions").iter().enumerate() {
        let key = text(requirement, "key");
        if let Some(why) = reference::deprecated_node_label(key) {
            warnings.add(format!("{}: {key} is {why}", path.index(at).child("key")));
        }
    }
}
