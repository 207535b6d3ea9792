//! Labels whose values a selector takes from the new pod.

use std::collections::BTreeSet;

use ordain_passes::declared::written::Asked;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use crate::shared::access::{entries, items, some, text, texts};
use crate::shared::net;

/// The keys of a term of pod affinity.
pub(crate) fn check_keys(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    check_label_keys(&asked.value(), path, errors);
}

/// Labels whose values a selector takes from the new pod, or from any other.
pub(super) fn check_label_keys(term: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let selector = some(term, "labelSelector");
    for field in ["matchLabelKeys", "mismatchLabelKeys"] {
        let keys = texts(term, field);
        let list = path.child(field);
        if !keys.is_empty() && selector.is_none() {
            let problem = "must not be specified when labelSelector is not set";
            errors.push(Error::forbidden(&list, problem));
            continue;
        }
        for (at, key) in keys.into_iter().enumerate() {
            errors.extend(net::qualified_name(&list.index(at), key));
        }
    }
    let matching = texts(term, "matchLabelKeys");
    if let Some(selector) = selector {
        let mut selected: BTreeSet<&str> =
            entries(selector, "matchLabels").map(|(key, _)| key.as_str()).collect();
        for expression in items(selector, "matchExpressions") {
            let key = text(expression, "key");
            // Merging keys into a selector gives expressions; a key that is there twice was
            // written by hand.
            if let Some(at) = matching.iter().rposition(|it| *it == key)
                && selected.contains(key)
            {
                let problem = "exists in both matchLabelKeys and labelSelector";
                errors.push(Error::invalid(&path.index(at), key, problem));
            }
            selected.insert(key);
        }
    }
    let others = texts(term, "mismatchLabelKeys");
    let list = path.child("matchLabelKeys");
    for (at, key) in matching.into_iter().enumerate().filter(|it| others.contains(&it.1)) {
        let problem = "exists in both matchLabelKeys and mismatchLabelKeys";
        errors.push(Error::invalid(&list.index(at), key, problem));
    }
}
