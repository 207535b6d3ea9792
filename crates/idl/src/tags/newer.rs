//! `+k8s:` tags of releases after the one whose meaning is implemented here.
//!
//! A tree of types may be newer than its reader. A tag that is none of ours is then no mistake of
//! the author: it is reported with the release that has it, if that is known, and has no effect. Who
//! wants to be sure that every tag holds reads the tree strictly ([`Loader::strict_tags`]).
//!
//! [`Loader::strict_tags`]: crate::Loader::strict_tags

use crate::diagnostic::Diagnostic;
use crate::graph::Universe;
use crate::source::Pos;

/// The code of findings about tags that a newer release may know.
pub const CODE: &str = "newer-tag";

/// Names without `k8s:`, with the release that brought them.
const RELEASES: [(&str, &str); 8] = [
    ("customValidation", "1.37"),
    ("dependentForbidden", "1.37"),
    ("dependentRequired", "1.37"),
    ("ifMode", "1.37"),
    ("maxProperties", "1.37"),
    ("minProperties", "1.37"),
    ("modeDiscriminator", "1.37"),
    ("monotonic", "1.37"),
];

/// Values of tags that a later release brought: tag without `k8s:`, value, release.
const VALUES: [(&str, &str, &str); 4] = [
    ("format", "k8s-ip", "1.37"),
    ("format", "k8s-prefixed-label-key", "1.37"),
    ("update", "NoAddItem", "1.37"),
    ("update", "NoRemoveItem", "1.37"),
];

/// The release that has a value of a tag, if that is known.
pub(crate) fn value_release(tag: &str, value: &str) -> Option<&'static str> {
    let tag = tag.strip_prefix("k8s:")?;
    VALUES.iter().find(|it| it.0 == tag && it.1 == value).map(|it| it.2)
}

/// The release that has a tag this reader does not know, if that is known.
#[must_use]
pub fn release(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix("k8s:")?;
    RELEASES.iter().find(|it| it.0 == name).map(|it| it.1)
}

/// What to say about a tag that a newer release may know.
pub(crate) fn help(name: &str) -> String {
    match release(name) {
        Some(release) => format!("Kubernetes {release} has it; here it has no effect"),
        None => "no release known here has it, and it has no effect; `ordain tags` lists the tags \
                 there are"
            .to_owned(),
    }
}

/// A finding about a tag that has no effect here: a warning, or an error for strict readers.
pub(crate) fn finding(universe: &Universe, pos: Pos, message: String, help: String) -> Diagnostic {
    let finding = if universe.strict_tags {
        Diagnostic::error(CODE, pos, message)
    } else {
        Diagnostic::warning(CODE, pos, message)
    };
    finding.help(help)
}
