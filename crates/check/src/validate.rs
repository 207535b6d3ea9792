//! All manifests of all sources to findings.

use rayon::prelude::*;

use ordain_meta::gvk::GroupVersion;
use ordain_value::Value;
use ordain_value::field::Error;
use ordain_value::yaml::Span;

use crate::catalog::{Catalog, Missing};
use crate::finding::{Finding, ObjectRef, Severity, location};
use crate::history::History;
use crate::kind::{Kind, Verdict, is_rules_unchecked};
use crate::locate::{Aim, definition_path, field_of_unreadable, locate};
use crate::manifest::{self, Contents, Manifest};
use crate::source::Source;
use crate::{definition, help};

/// What to make of the manifests.
#[derive(Debug, Default)]
pub struct Options {
    /// Kinds without a schema are counted, not reported.
    pub ignore_missing_schemas: bool,
    /// Kinds that are left out: `Kind`, `group/Kind` or `group/version/Kind`.
    pub skip: Vec<String>,
    /// Judge changes against these objects.
    pub history: Option<History>,
    /// The name of the revision, for messages.
    pub base: String,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// In the order of sources and places.
    pub findings: Vec<Finding>,
    /// Objects that were judged.
    pub judged: usize,
    /// Objects judged as a change.
    pub updates: usize,
    /// Objects that were left out as asked.
    pub skipped: usize,
    /// Objects without a schema.
    pub missing: usize,
    pub files: usize,
    /// Names of the sources, in order.
    pub sources: Vec<String>,
}

impl Outcome {
    #[must_use]
    pub fn errors(&self) -> usize {
        self.count(Severity::Error)
    }

    #[must_use]
    pub fn warnings(&self) -> usize {
        self.count(Severity::Warning)
    }

    fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|it| it.severity == severity).count()
    }
}

/// Judges every object of `sources`. Definitions among them and in `definitions` say what kinds
/// there are; those in `definitions` are not judged themselves.
#[must_use]
pub fn validate(sources: &[Source], definitions: &[Source], options: &Options) -> Outcome {
    let contents: Vec<Contents> = sources
        .par_iter()
        .enumerate()
        .map(|(index, source)| manifest::read(index, source))
        .collect();
    let mut catalog = Catalog::default();
    let beside: Vec<Contents> =
        definitions.par_iter().map(|source| manifest::read(0, source)).collect();
    for manifest in beside.iter().chain(&contents).flat_map(|it| &it.manifests) {
        if manifest.is_definition() {
            // One that cannot be read is reported where it stands.
            let _ = catalog.add_definition(&manifest.value);
        }
    }
    let check = Check { sources, catalog: &catalog, options };
    let names = sources.iter().map(|source| source.name.clone()).collect();
    let mut outcome = Outcome { files: sources.len(), sources: names, ..Outcome::default() };
    let broken_definitions = definitions.iter().zip(&beside).flat_map(|(source, contents)| {
        contents.broken.iter().map(|it| syntax(source, &it.message, &it.span))
    });
    outcome.findings.extend(broken_definitions);
    let judged: Vec<Vec<Outcome>> = contents
        .par_iter()
        .zip(sources)
        .map(|(contents, source)| {
            let broken = Outcome {
                findings: contents
                    .broken
                    .iter()
                    .map(|it| syntax(source, &it.message, &it.span))
                    .collect(),
                ..Outcome::default()
            };
            let mut all: Vec<Outcome> =
                contents.manifests.par_iter().map(|it| check.manifest(it)).collect();
            all.push(broken);
            all
        })
        .collect();
    for of_source in judged {
        let mut findings = Vec::new();
        for mut part in of_source {
            findings.append(&mut part.findings);
            outcome.judged += part.judged;
            outcome.updates += part.updates;
            outcome.skipped += part.skipped;
            outcome.missing += part.missing;
        }
        findings.sort_by_key(|it| (it.location.line, it.location.column));
        outcome.findings.append(&mut findings);
    }
    outcome
}

fn syntax(source: &Source, message: &str, span: &Span) -> Finding {
    Finding {
        severity: Severity::Error,
        id: "syntax",
        reason: "",
        field: String::new(),
        message: message.to_owned(),
        help: None,
        object: None,
        location: location(source, span),
    }
}

struct Check<'a> {
    sources: &'a [Source],
    catalog: &'a Catalog,
    options: &'a Options,
}

impl Check<'_> {
    fn manifest(&self, manifest: &Manifest) -> Outcome {
        let mut out =
            Findings { source: &self.sources[manifest.source], manifest, list: Vec::new() };
        let mut outcome = Outcome::default();
        for duplicate in &manifest.duplicates {
            let help = Some("the last one wins; remove the other".to_owned());
            out.at("duplicate-key", &duplicate.span, "", duplicate.message.clone(), help);
        }
        if self.is_skipped(manifest) {
            outcome.skipped = 1;
            return outcome;
        }
        if untyped(&mut out) {
            outcome.findings = out.list;
            return outcome;
        }
        let old = self.options.history.as_ref().and_then(|it| it.old(manifest));
        outcome.updates = usize::from(old.is_some());
        if manifest.is_definition() {
            outcome.judged = 1;
            out.definition(
                &definition::judge(&manifest.value, old),
                old.is_some(),
                &self.options.base,
            );
        } else {
            match self.catalog.find(&manifest.gvk) {
                Ok(kind) => {
                    outcome.judged = 1;
                    self.judge(&kind, old, &mut out);
                }
                Err(missing) => {
                    outcome.missing = 1;
                    outcome.updates = 0;
                    if !self.options.ignore_missing_schemas || matches!(missing, Missing::Broken(_))
                    {
                        out.missing(&missing);
                    }
                }
            }
        }
        outcome.findings = out.list;
        outcome
    }

    fn judge(&self, kind: &Kind, old: Option<&Value>, out: &mut Findings<'_>) {
        let manifest = out.manifest;
        let verdict = match old {
            Some(old) => kind.judge_update(&manifest.value, old),
            None => kind.judge_create(&manifest.value),
        };
        if let Some(why) = &verdict.unreadable {
            let (name, version) = (&kind.kind, ordain_value::go_quote(&kind.version));
            let field = field_of_unreadable(why);
            let message =
                format!("{name} in version {version} cannot be handled as a {name}: {why}");
            out.push(Severity::Error, "unreadable", "", &field, Aim::Value, message, None);
            return;
        }
        for path in &verdict.unknown {
            let help = help::for_unknown(kind.schema(), path);
            let message = format!("unknown field \"{path}\"");
            out.push(Severity::Error, "unknown-field", "", path, Aim::Key, message, help);
        }
        for error in &verdict.errors {
            if is_rules_unchecked(error) {
                let (reason, body) = (error.kind.reason(), error.body());
                let id = "rules-unchecked";
                out.push(Severity::Warning, id, reason, &error.path, Aim::Value, body, None);
                continue;
            }
            let given = out.is_given(&error.path);
            out.error(error, &error.path, help::for_error(kind.schema(), error, given));
        }
        out.ratcheted(&verdict, &self.options.base);
        if old.is_none() {
            out.resource_version();
        }
        if let Some(deprecation) = &kind.deprecation {
            let message = deprecation.clone();
            let field = "apiVersion";
            out.push(Severity::Warning, "deprecated-version", "", field, Aim::Value, message, None);
        }
    }

    fn is_skipped(&self, manifest: &Manifest) -> bool {
        let gvk = &manifest.gvk;
        self.options.skip.iter().any(|skip| {
            let parts: Vec<&str> = skip.split('/').collect();
            match parts.as_slice() {
                [kind] => gvk.kind == *kind,
                [group, kind] => {
                    gvk.kind == *kind
                        && (gvk.group == *group || (gvk.group.is_empty() && gvk.version == *group))
                }
                [group, version, kind] => {
                    gvk.kind == *kind && gvk.group == *group && gvk.version == *version
                }
                _ => false,
            }
        })
    }
}

/// Reports an object that does not say what it is.
fn untyped(out: &mut Findings<'_>) -> bool {
    let value = &out.manifest.value;
    let text = |field: &str| match value.get(field) {
        Some(Value::Str(text)) => text.as_str(),
        _ => "",
    };
    let message = if text("kind").is_empty() {
        "Object 'Kind' is missing".to_owned()
    } else if text("apiVersion").is_empty() {
        "Object 'apiVersion' is missing".to_owned()
    } else if let Err(error) = GroupVersion::decode(text("apiVersion")) {
        error.to_string()
    } else {
        return false;
    };
    let field = if text("kind").is_empty() { "kind" } else { "apiVersion" };
    let help = Some("every object names its apiVersion and its kind".to_owned());
    out.push(Severity::Error, "no-type", "", field, Aim::Value, message, help);
    if let Some(last) = out.list.last_mut() {
        last.field = String::new();
    }
    true
}

/// Findings of one object.
struct Findings<'a> {
    source: &'a Source,
    manifest: &'a Manifest,
    list: Vec<Finding>,
}

impl Findings<'_> {
    fn object(&self) -> ObjectRef {
        let gvk = &self.manifest.gvk;
        ObjectRef {
            api_version: gvk.group_version().to_string(),
            kind: gvk.kind.to_string(),
            namespace: self.manifest.namespace().to_owned(),
            name: self.manifest.name().to_owned(),
        }
    }

    fn is_given(&self, path: &str) -> bool {
        locate(self.manifest, &self.source.text, path, Aim::Value).exact
    }

    fn at(
        &mut self,
        id: &'static str,
        span: &Span,
        field: &str,
        message: String,
        help: Option<String>,
    ) {
        self.list.push(Finding {
            severity: Severity::Error,
            id,
            reason: "",
            field: field.to_owned(),
            message,
            help,
            object: Some(self.object()),
            location: location(self.source, span),
        });
    }

    fn push(
        &mut self,
        severity: Severity,
        id: &'static str,
        reason: &'static str,
        field: &str,
        aim: Aim,
        message: String,
        help: Option<String>,
    ) {
        let path =
            if self.manifest.is_definition() { definition_path(field) } else { field.to_owned() };
        let place = locate(self.manifest, &self.source.text, &path, aim);
        self.list.push(Finding {
            severity,
            id,
            reason,
            field: field.to_owned(),
            message,
            help,
            object: Some(self.object()),
            location: location(self.source, &place.span),
        });
    }

    fn error(&mut self, error: &Error, path: &str, help: Option<String>) {
        let (reason, body) = (error.kind.reason(), error.body());
        self.push(Severity::Error, "invalid", reason, path, Aim::Value, body, help);
    }

    fn ratcheted(&mut self, verdict: &Verdict, base: &str) {
        for error in &verdict.ratcheted {
            let help = format!("already so at {base} and unchanged: the server lets it pass");
            let (reason, body) = (error.kind.reason(), error.body());
            let path = error.path.clone();
            self.push(Severity::Warning, "ratcheted", reason, &path, Aim::Value, body, Some(help));
        }
        for warning in &verdict.warnings {
            let known = verdict.ratcheted.iter().any(|it| warning.contains(&it.path));
            if !known {
                self.push(Severity::Warning, "warning", "", "", Aim::Value, warning.clone(), None);
            }
        }
    }

    fn definition(&mut self, verdict: &Verdict, update: bool, base: &str) {
        if let Some(why) = &verdict.unreadable {
            let message = format!(
                "CustomResourceDefinition in version \"v1\" cannot be handled as a CustomResourceDefinition: {why}"
            );
            let field = field_of_unreadable(why);
            self.push(Severity::Error, "unreadable", "", &field, Aim::Value, message, None);
            return;
        }
        for path in &verdict.unknown {
            let message = format!("unknown field \"{path}\"");
            self.push(Severity::Error, "unknown-field", "", path, Aim::Key, message, None);
        }
        for error in &verdict.errors {
            self.error(error, &error.path, None);
        }
        self.ratcheted(verdict, base);
        if !update {
            self.resource_version();
        }
    }

    /// An object that was taken from a server cannot be created.
    fn resource_version(&mut self) {
        let version = self.manifest.value.get_path(&["metadata", "resourceVersion"]);
        if !matches!(version.and_then(Value::as_str).unwrap_or_default(), "" | "0") {
            let message = "resourceVersion should not be set on objects to be created".to_owned();
            let help = Some("remove metadata.resourceVersion".to_owned());
            let field = "metadata.resourceVersion";
            self.push(Severity::Error, "invalid", "", field, Aim::Value, message, help);
        }
    }

    fn missing(&mut self, missing: &Missing) {
        let gvk = &self.manifest.gvk;
        let (kind, version) = (&gvk.kind, gvk.group_version());
        let (field, message, help) = match missing {
            Missing::Unknown { versions, similar } => {
                let message = format!("no matches for kind \"{kind}\" in version \"{version}\"");
                let help = if !versions.is_empty() {
                    format!("{kind} is known in version {}", versions.join(", "))
                } else if let Some(similar) = similar.first() {
                    format!(
                        "not checked: no schema; a kind like it is {similar}; name its definition with --crds"
                    )
                } else {
                    "not checked: no schema; name its definition with --crds, or pass \
                     --ignore-missing-schemas"
                        .to_owned()
                };
                (if versions.is_empty() { "kind" } else { "apiVersion" }, message, help)
            }
            Missing::NotServed => (
                "apiVersion",
                format!("no matches for kind \"{kind}\" in version \"{version}\""),
                "the definition has this version but does not serve it".to_owned(),
            ),
            Missing::Broken(why) => (
                "kind",
                format!("the definition of {kind} in {version} cannot be used: {why}"),
                "mend the definition first".to_owned(),
            ),
        };
        self.push(Severity::Error, "no-schema", "", field, Aim::Value, message, Some(help));
        if let Some(last) = self.list.last_mut() {
            last.field = String::new();
        }
    }
}
