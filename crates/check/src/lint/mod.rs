//! The reviewer's eye: what is legal and still a mistake in definitions and in tagged Go types.
//!
//! Rules have stable ids ([`rules`]); a finding names the place by object path
//! (`widgets.shop.example.com/v1:spec.ports`, `example.com/api/v1.WidgetSpec.Ports`), so that
//! exceptions ([`exceptions`]) and baselines survive moved lines and reworded messages.

mod baseline;
mod definition;
mod drift;
mod exceptions;
mod fix;
mod go;
mod made;
mod rules;
mod taste;

pub use baseline::Baseline;
pub use exceptions::Exceptions;
pub use fix::{Fix, apply};
pub use go::lint as lint_types;
pub use made::lint_made;
pub use rules::{RULES, Rule, Subject, find, markdown};
pub use taste::lint_markers;

use ordain_value::yaml::Span;

use crate::finding::{Finding, location};
use crate::manifest;
use crate::source::Source;
use ordain_strategy::gates::Gates;

/// A finding and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lint {
    pub finding: Finding,
    pub fix: Option<Fix>,
}

impl Lint {
    /// A finding of a rule at a place of a text.
    pub(crate) fn new(
        id: &'static str,
        source: &Source,
        span: &Span,
        path: impl Into<String>,
        message: impl Into<String>,
    ) -> Lint {
        let severity = find(id).map_or(crate::Severity::Warning, |rule| rule.severity);
        let finding = Finding::new(severity, id, message, location(source, span));
        Lint { finding: Finding { field: path.into(), ..finding }, fix: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Lint {
        self.finding.help = Some(help.into());
        self
    }
}

/// Looks at the definitions in a text. Other objects are none of its business.
#[must_use]
pub fn lint_definitions(source: &Source, gates: &Gates) -> Vec<Lint> {
    let contents = manifest::read(0, source);
    let mut lints: Vec<Lint> = contents
        .broken
        .iter()
        .map(|it| Lint::new("syntax", source, &it.span, "", it.message.clone()))
        .collect();
    for manifest in contents.manifests.iter().filter(|it| it.is_definition()) {
        lints.extend(definition::lint(source, manifest, gates));
        lints.extend(drift::lint(source, manifest));
    }
    lints
}
