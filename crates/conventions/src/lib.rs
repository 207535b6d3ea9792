//! The conventions of APIs (KEP-5975), checked from outside: one suite that runs over every kind
//! that is served, whoever declared it.
//!
//! Objects are made from the kind's schema ([`stub()`]) and written through the verbs like any
//! client's; [`suite`] looks at what comes back. Kinds may deviate only by an [`Exception`] with an
//! owner and a reason. The suite writes into the registry, so it is run on one of its own.

#![warn(missing_docs)]

mod stub;
mod suite;

use std::fmt;
use std::sync::Arc;

use ordain_schema::declared::Api;
use ordain_schema::{Schema, resolve};
use ordain_value::Value;

use ordain_registry::declarations::{self, UngatedField};
use ordain_registry::{Registry, Target};
use ordain_strategy::{Family, RestConfig};

pub use stub::{Fill, stub};

/// The rules, by name and meaning.
pub const RULES: [(&str, &str); 15] = [
    ("validator-built", "the kind has a schema and a validator, and keeps owners of fields"),
    ("stub-validates", "an object made from the schema alone is accepted"),
    ("generation-one", "a new object has generation 1, whatever the client sent"),
    ("generation-on-spec", "generation grows by one exactly when the spec changes"),
    ("status-cleared", "a create does not set the status"),
    ("status-kept", "an update does not change the status"),
    ("status-keeps-spec", "a write to the status does not change the spec"),
    (
        "status-keeps-metadata",
        "a write to the status does not change metadata, new fields included",
    ),
    ("managed-fields-reset", "nobody owns by a write to the status what it cannot change"),
    ("create-on-update", "an update does not create"),
    ("unconditional-update", "an update without resourceVersion is accepted"),
    ("gated-fields", "fields of gates that are off are dropped, and no other field ever is"),
    (
        "versions-round-trip",
        "an object written in one version keeps its fields when it is read and written in another",
    ),
    (
        declarations::RULE,
        "a new field of a version that existed before stands behind a feature gate",
    ),
    ("garbage-collection", "dependents are deleted with their owner, unless the request says else"),
];

/// A deviation that was granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// `<kind>.<group>`, or the kind alone for the core group.
    pub kind: String,
    /// The name of the rule that may be broken.
    pub rule: String,
    /// Who answers for it.
    pub owner: String,
    /// Why it was granted.
    pub reason: String,
}

/// The reviewed file of exceptions for the kinds that every server brings.
pub const BUILT_IN_EXCEPTIONS: &str = include_str!("../conventions.exceptions");

/// Whether one of the exceptions grants a new field that no gate stands before.
#[must_use]
pub fn is_granted(field: &UngatedField, exceptions: &[Exception]) -> bool {
    exceptions.iter().any(|it| it.kind == field.kind && it.rule == declarations::RULE)
}

/// Looks for new fields that no gate stands before, and keeps what is declared for the next time.
/// `reviewed` are the exceptions of a reviewed file: with one, a field that it does not grant is
/// refused and nothing is kept; without one, the fields are given back, to be reported.
///
/// # Errors
/// When a field is refused, or the store cannot be read or written; in words.
pub async fn review(
    registry: &Registry,
    api: &Api,
    reviewed: Option<&[Exception]>,
) -> Result<Vec<UngatedField>, String> {
    let mut found = registry.ungated_fields(api).await.map_err(|status| status.message)?;
    found.retain(|it| !is_granted(it, reviewed.unwrap_or_default()));
    if reviewed.is_some() && !found.is_empty() {
        let fields: Vec<String> = found.iter().map(ToString::to_string).collect();
        let rule = declarations::RULE;
        let help = format!("add `+k8s:featureGate`, or grant the rule {rule} to the kind");
        return Err(format!("{} ({help})", fields.join("; ")));
    }
    registry.note_declarations(api).await.map_err(|status| status.message)?;
    Ok(found)
}

/// Reads the reviewed file of exceptions: `kind rule owner reason…` by line.
///
/// # Errors
/// A line that lacks one of these, or names no rule.
pub fn exceptions(text: &str) -> Result<Vec<Exception>, String> {
    let mut out = Vec::new();
    for (number, entry) in
        ordain_registry::reviewed::entries(text, 3, "kind, rule, owner and reason")?
    {
        let rule = entry[1];
        if !RULES.iter().any(|it| it.0 == rule) {
            return Err(format!("line {number}: no rule is called {rule}"));
        }
        out.push(Exception {
            kind: entry[0].into(),
            rule: rule.into(),
            owner: entry[2].into(),
            reason: entry[3].into(),
        });
    }
    Ok(out)
}

/// How a rule came out for a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The kind keeps the rule.
    Kept,
    /// The kind breaks the rule, with what was seen.
    Broken(String),
    /// Broken, and granted.
    Granted(Exception),
    /// The rule is not about such a kind.
    Beside(&'static str),
}

/// One rule of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// `<kind>.<group>`
    pub kind: String,
    /// The name of the rule.
    pub rule: &'static str,
    /// How it came out.
    pub verdict: Verdict,
}

/// What the suite found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Every rule of every kind that was looked at.
    pub outcomes: Vec<Outcome>,
    /// Exceptions that nothing needs any more.
    pub unused: Vec<Exception>,
}

impl Report {
    /// What is broken and not granted.
    pub fn broken(&self) -> impl Iterator<Item = (&Outcome, &str)> {
        self.outcomes.iter().filter_map(|it| match &it.verdict {
            Verdict::Broken(why) => Some((it, why.as_str())),
            _ => None,
        })
    }

    /// Leaves out what is said about the kinds that every server brings.
    pub fn keep_custom_kinds(&mut self, registry: &Registry) {
        let catalog = registry.catalog();
        let custom = |kind: &str| {
            let resource = catalog.iter().find(|it| kind_name(it) == kind);
            resource.is_some_and(|it| it.family == Family::Custom)
        };
        self.outcomes.retain(|it| custom(&it.kind));
    }

    /// Whether all kinds keep the conventions, and no exception is left over.
    pub fn is_clean(&self) -> bool {
        self.broken().next().is_none() && self.unused.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kinds: Vec<&str> = self.outcomes.iter().map(|it| it.kind.as_str()).collect();
        kinds.dedup();
        for kind in &kinds {
            let own = || self.outcomes.iter().filter(|it| it.kind == *kind);
            let kept = own().filter(|it| it.verdict == Verdict::Kept).count();
            let broken = own().filter(|it| matches!(it.verdict, Verdict::Broken(_))).count();
            let granted = own().filter(|it| matches!(it.verdict, Verdict::Granted(_))).count();
            writeln!(f, "{kind}: {kept} kept, {granted} granted, {broken} broken")?;
            for outcome in own() {
                match &outcome.verdict {
                    Verdict::Broken(why) => writeln!(f, "  {}: {why}", outcome.rule)?,
                    Verdict::Granted(it) => {
                        writeln!(f, "  {}: granted by {}: {}", outcome.rule, it.owner, it.reason)?;
                    }
                    _ => {}
                }
            }
        }
        for it in &self.unused {
            writeln!(f, "{} {}: the exception is not needed any more", it.kind, it.rule)?;
        }
        Ok(())
    }
}

/// The name of a kind in reports.
fn kind_name(resource: &RestConfig) -> String {
    if resource.group.is_empty() {
        resource.kind.to_string()
    } else {
        format!("{}.{}", resource.kind, resource.group)
    }
}

/// Runs the suite over every kind that is served.
pub async fn run(registry: &Registry, exceptions: &[Exception]) -> Report {
    run_with(registry, exceptions, &[]).await
}

/// The same with objects to begin with, for kinds whose rules refuse what a schema alone gives.
pub async fn run_with(registry: &Registry, exceptions: &[Exception], examples: &[Value]) -> Report {
    let mut report = Report::default();
    let mut used = vec![false; exceptions.len()];
    let resources: Vec<Arc<RestConfig>> = registry.catalog().iter().cloned().collect();
    for resource in resources.iter().filter(|it| it.verbs.read && it.verbs.create) {
        let kind = kind_name(resource);
        let found = suite::run(registry, resource, examples).await;
        for (rule, mut verdict) in found {
            if let Verdict::Broken(_) = verdict {
                let at = exceptions.iter().position(|it| it.kind == kind && it.rule == rule);
                if let Some(at) = at {
                    used[at] = true;
                    verdict = Verdict::Granted(exceptions[at].clone());
                }
            }
            report.outcomes.push(Outcome { kind: kind.clone(), rule, verdict });
        }
    }
    let served = |it: &Exception| resources.iter().any(|resource| kind_name(resource) == it.kind);
    report.unused = (exceptions.iter().zip(used))
        // Whether a field is new is known only beside the declaration before.
        .filter(|(it, used)| !used && it.rule != declarations::RULE && served(it))
        .map(|(it, _)| it.clone())
        .collect();
    report
}

/// The schema of a kind, wherever it is written.
async fn schema_of(registry: &Registry, resource: &RestConfig) -> Option<Arc<Schema>> {
    let version = &resource.storage_version;
    if let Some(kind) = resource.strategy.declared() {
        return kind.version(version).map(|it| Arc::clone(&it.schema));
    }
    for version in resource.versions.iter().filter(|it| it.served) {
        if let Some(schema) = resource.strategy.schema(&version.name) {
            return Some(Arc::new(schema.clone()));
        }
    }
    if resource.family != Family::Custom {
        return None;
    }
    let definitions = registry
        .catalog()
        .get(ordain_registry::crd::GROUP, ordain_registry::crd::PLURAL)
        .cloned()?;
    let target =
        Target::stored(&definitions, "", format!("{}.{}", resource.plural, resource.group));
    let object: Value = registry.get(&target, "").await.ok()?;
    let crd = ordain_registry::crd::read(&object);
    let versions = crd.spec.versions();
    let raw = versions.iter().find(|it| it.name == *version)?.raw()?.clone();
    resolve(&raw).ok().map(Arc::new)
}
