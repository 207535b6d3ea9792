//! All manifests of all sources to findings.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

use rayon::prelude::*;

use ordain_meta::gvk::GroupVersion;
use ordain_value::Value;
use ordain_value::yaml::Span;

use crate::catalog::{Catalog, Missing};
use crate::collect::Findings;
use crate::finding::{Finding, Severity, location};
use crate::history::History;
use crate::kind::{Kind, Verdict, distinct, is_rules_unchecked};
use crate::locate::{Aim, field_of_unreadable};
use crate::look::{Looked, look};
use crate::manifest::{self, Manifest, is_of_tools};
use crate::policy::{Annotation, Policies, PolicyOptions};
use crate::silent::{Glance, Silent};
use crate::source::{Input, Media, Source, Unreadable};
use crate::{definition, help};

/// What to make of the manifests.
#[derive(Debug, Default)]
pub struct Options {
    /// Kinds without a schema are counted, not reported.
    pub ignore_missing_schemas: bool,
    /// Kinds that are left out: `Kind`, `group/Kind` or `group/version/Kind`.
    pub skip: Vec<String>,
    /// Kinds that must not be there, written as in `skip`.
    pub reject: Vec<String>,
    /// Judge changes against these objects.
    pub history: Option<History>,
    /// The name of the revision, for messages.
    pub base: String,
    /// Policies besides those among the inputs, and who writes.
    pub policies: PolicyOptions,
}

impl Options {
    /// Whether all objects are new ones and none is treated specially.
    pub(crate) fn is_plain(&self) -> bool {
        !self.ignore_missing_schemas
            && self.skip.is_empty()
            && self.reject.is_empty()
            && self.history.is_none()
            && self.policies.sources.is_empty()
    }
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
    /// Names of the sources, in order; empty until they are asked for.
    pub sources: Vec<String>,
    /// What policies put into the audit log.
    pub annotations: Vec<Annotation>,
    /// What a reader should know besides.
    pub notes: Vec<String>,
    /// Whose findings these are.
    pub tool: Tool,
}

/// Who finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    #[default]
    Validate,
    Lint,
    Test,
}

impl Tool {
    /// The command that finds.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tool::Validate => "validate",
            Tool::Lint => "lint",
            Tool::Test => "test",
        }
    }

    /// The ids of all findings there may be, with a line on each.
    #[must_use]
    pub fn rules(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Tool::Validate => crate::finding::RULES.to_vec(),
            Tool::Lint => crate::lint::RULES.iter().map(|it| (it.id, it.about)).collect(),
            Tool::Test => vec![
                ("case-failed", "A case of a table does not hold."),
                ("uncovered", "No case saw a constraint pass, or saw it fail."),
            ],
        }
    }
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

    /// Names all texts that were read, for reports that list them.
    pub fn name_sources(&mut self, inputs: &[Input], failed: &[Unreadable]) {
        let lost: HashSet<&str> = failed.iter().map(|it| it.path.as_str()).collect();
        let names = inputs.iter().map(Input::name);
        self.sources = names.filter(|it| !lost.contains(it.as_str())).collect();
    }

    /// Adds what came of a part.
    fn add(&mut self, mut part: Outcome) {
        self.findings.append(&mut part.findings);
        self.annotations.append(&mut part.annotations);
        self.notes.append(&mut part.notes);
        self.judged += part.judged;
        self.updates += part.updates;
        self.skipped += part.skipped;
        self.missing += part.missing;
    }

    fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|it| it.severity == severity).count()
    }
}

/// Judges every object of `sources`. Definitions among them and in `definitions` say what kinds
/// there are; those in `definitions` are not judged themselves.
#[must_use]
pub fn validate(sources: &[Source], definitions: &[Source], options: &Options) -> Outcome {
    let mut catalog = Catalog::default();
    let broken = define(&mut catalog, definitions);
    let inputs: Vec<Input> = sources.iter().cloned().map(Input::Text).collect();
    let (mut outcome, failed) = validate_inputs(&inputs, catalog, options);
    outcome.name_sources(&inputs, &failed);
    outcome.findings.splice(0..0, broken);
    outcome
}

/// Takes the definitions of texts into a catalog; returns what of the texts cannot be read.
pub fn define(catalog: &mut Catalog, texts: &[Source]) -> Vec<Finding> {
    let read: Vec<_> = texts.par_iter().map(|source| manifest::read(0, source)).collect();
    for manifest in read.iter().flat_map(|it| &it.manifests).filter(|it| it.is_definition()) {
        // One that cannot be decoded leaves its kind without a schema, which is reported.
        let _ = catalog.add_definition(&manifest.value);
    }
    let broken = texts.iter().zip(&read).flat_map(|(source, contents)| {
        contents.broken.iter().map(|it| syntax(source, &it.message, &it.span))
    });
    broken.collect()
}

/// Judges every object of the inputs by the kinds of the catalog and by those that definitions
/// among the inputs add. Files are read when their turn comes and let go again, so memory does not
/// grow with their number. Returns what could not be read as well.
#[must_use]
pub fn validate_inputs(
    inputs: &[Input],
    catalog: Catalog,
    options: &Options,
) -> (Outcome, Vec<Unreadable>) {
    // Workers are woken once for all that follows.
    rayon::scope(|_| validate_here(inputs, catalog, options))
}

fn validate_here(
    inputs: &[Input],
    mut catalog: Catalog,
    options: &Options,
) -> (Outcome, Vec<Unreadable>) {
    let looked = look(inputs, &Check { catalog: &catalog, options, policies: None });
    let (mut defined, mut redefined) = (false, false);
    for definition in looked.iter().flat_map(Looked::definitions) {
        defined = true;
        redefined |= catalog.defines(definition);
        // One that cannot be decoded is reported where it stands.
        let _ = catalog.add_definition(definition);
    }
    let policies = policies(inputs, &looked, &catalog, options);
    let judged = policies.is_some();
    let mut outcome = Outcome::default();
    let (mut told, mut open) = (Vec::new(), Vec::new());
    for (at, looked) in looked.into_iter().enumerate() {
        match looked {
            Looked::Silent(count) if !redefined && !judged => outcome.judged += count,
            Looked::Told(part) if !defined && !judged => told.push((at, Ok(*part))),
            Looked::Open { kept: Some(source), .. } => open.push((at, Some(source))),
            _ => open.push((at, None)),
        }
    }
    let check = Check { catalog: &catalog, options, policies: policies.as_ref() };
    let one = |(at, kept): (usize, Option<Cow<'_, Source>>)| {
        let source = kept.map_or_else(|| inputs[at].read(), Ok);
        (at, source.map(|it| check.source(&it)))
    };
    told.par_extend(open.into_par_iter().map(one));
    told.sort_by_key(|it| it.0);
    let mut failed = Vec::new();
    for (_, part) in told {
        match part {
            Ok(part) => outcome.add(part),
            Err(error) => failed.push(error),
        }
    }
    outcome.files = inputs.len().saturating_sub(failed.len());
    outcome.notes.extend(policies.into_iter().flat_map(|it| it.notes));
    outcome.notes.sort();
    outcome.notes.dedup();
    (outcome, failed)
}

/// The policies among the inputs and those besides, with what all inputs have that they look at.
fn policies(
    inputs: &[Input],
    looked: &[Looked<'_>],
    catalog: &Catalog,
    options: &Options,
) -> Option<Policies> {
    let besides = &options.policies.sources;
    if besides.is_empty() && !looked.iter().any(Looked::has_policies) {
        return None;
    }
    // What cannot be read is told when its turn comes.
    let texts: Vec<Cow<'_, Source>> = inputs.iter().filter_map(|it| it.read().ok()).collect();
    let texts = besides.iter().chain(texts.iter().map(AsRef::as_ref));
    Policies::gather(catalog, texts)
}

fn syntax(source: &Source, message: &str, span: &Span) -> Finding {
    Finding {
        severity: Severity::Error,
        id: "syntax",
        reason: "",
        field: String::new(),
        message: message.to_owned(),
        help: syntax_help(source, span),
        object: None,
        location: location(source, span),
        policy: None,
    }
}

/// The two mistakes that YAML's own words do not name.
fn syntax_help(source: &Source, span: &Span) -> Option<String> {
    if memchr::memmem::find(&source.text, b"{{").is_some() && source.media == Media::Yaml {
        return Some(
            "a template is no YAML: check what it makes (`helm template … | ordain validate -`)"
                .to_owned(),
        );
    }
    let start = span.bytes.start.min(source.text.len());
    let from = source.text[..start].iter().rposition(|it| *it == b'\n').map_or(0, |at| at + 1);
    let line = source.text[from..].split(|it| *it == b'\n').next().unwrap_or_default();
    let indent = line.len() - line.trim_ascii_start().len();
    line[..indent].contains(&b'\t').then(|| "YAML is indented with spaces, not tabs".to_owned())
}

/// Judges texts by the kinds of a catalog.
pub(crate) struct Check<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) options: &'a Options,
    pub(crate) policies: Option<&'a Policies>,
}

impl Check<'_> {
    /// Most texts have nothing to be told of, so places are looked up when there is something.
    fn source(&self, source: &Source) -> Outcome {
        if self.options.is_plain() && self.policies.is_none() {
            return match Silent::new(self.catalog).objects(source.text()) {
                Glance::Silent(judged) => Outcome { judged, ..Outcome::default() },
                Glance::Told(verdict) => self.told(source, verdict),
                Glance::Unknown => self.told(source, None),
            };
        }
        let outcome = self.read(source, false, None);
        let is_silent = outcome.findings.is_empty() && outcome.annotations.is_empty();
        if is_silent { outcome } else { self.told(source, None) }
    }

    /// What comes of a text, with the places of all there is to tell. The verdict on an object of
    /// it may be known already.
    pub(crate) fn told(&self, source: &Source, verdict: Option<Box<Verdict>>) -> Outcome {
        self.read(source, true, verdict)
    }

    fn read(&self, source: &Source, marks: bool, verdict: Option<Box<Verdict>>) -> Outcome {
        let contents = manifest::read_as(0, source.text(), marks);
        let mut outcome = Outcome::default();
        let parts: Vec<Outcome> = match contents.manifests.as_slice() {
            [one] => vec![self.manifest(source, one, verdict)],
            many => many.par_iter().map(|it| self.manifest(source, it, None)).collect(),
        };
        for part in parts {
            outcome.add(part);
        }
        let broken = contents.broken.iter().map(|it| syntax(source, &it.message, &it.span));
        outcome.findings.extend(broken);
        outcome.findings.sort_by_key(|it| (it.location.line, it.location.column));
        outcome
    }

    fn manifest(
        &self,
        source: &Source,
        manifest: &Manifest,
        verdict: Option<Box<Verdict>>,
    ) -> Outcome {
        let mut out = Findings { source, manifest, list: Vec::new() };
        let mut outcome = Outcome::default();
        for duplicate in &manifest.duplicates {
            let help = Some("the last one wins; remove the other".to_owned());
            out.at("duplicate-key", &duplicate.span, "", duplicate.message.clone(), help);
        }
        if names_kind(&self.options.skip, manifest) || is_never_sent(source, manifest) {
            outcome.skipped = 1;
            return outcome;
        }
        if untyped(&mut out) {
            outcome.findings = out.list;
            return outcome;
        }
        if names_kind(&self.options.reject, manifest) {
            let message = format!("kind {} is rejected", manifest.gvk.kind);
            out.push(Severity::Error, "rejected", "", "kind", Aim::Value, message, None);
        }
        let old = self.options.history.as_ref().and_then(|it| it.old(manifest, &source.name));
        outcome.updates = usize::from(old.is_some());
        if manifest.is_definition() {
            outcome.judged = 1;
            out.definition(
                &definition::judge(&manifest.value, old, self.catalog.gates()),
                old.is_some(),
                &self.options.base,
            );
        } else {
            match self.catalog.find(&manifest.gvk) {
                Ok(kind) => {
                    outcome.judged = 1;
                    self.judge(&kind, old, verdict, &mut out, &mut outcome);
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

    fn judge(
        &self,
        kind: &Kind,
        old: Option<&Value>,
        verdict: Option<Box<Verdict>>,
        out: &mut Findings<'_>,
        outcome: &mut Outcome,
    ) {
        let manifest = out.manifest;
        let verdict = match (self.policies, old, verdict) {
            (Some(policies), old, _) => {
                let mut review = policies.review(&self.options.policies.user);
                let verdict = match old {
                    Some(old) => kind.admit_update(&manifest.value, old, &mut review),
                    None => kind.admit_create(&manifest.value, &mut review),
                };
                out.reviewed(kind, review, outcome);
                verdict
            }
            (None, Some(old), _) => kind.judge_update(&manifest.value, old),
            (None, None, Some(verdict)) => *verdict,
            (None, None, None) => kind.check_create(manifest.value.clone()),
        };
        if let Some(why) = &verdict.unreadable {
            let (name, version) = (&kind.kind, ordain_value::go_quote(&kind.version));
            let field = verdict.unreadable_field.clone();
            let field = field.unwrap_or_else(|| field_of_unreadable(why));
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
        for error in &distinct(verdict.errors.clone()) {
            if is_rules_unchecked(error) {
                let (reason, body) = (error.kind.reason(), error.body());
                let id = "rules-unchecked";
                out.push(Severity::Warning, id, reason, &error.path, Aim::Value, body, None);
                continue;
            }
            let given = out.is_given(&error.path);
            out.error(error, &error.path, help::for_error(kind.schema(), error, given));
        }
        for error in &verdict.doubtful {
            let (reason, body) = (error.kind.reason(), error.body());
            let help = "the server may take it, server-side apply does not".to_owned();
            let (id, aim) = ("duplicate-item", Aim::Value);
            out.push(Severity::Warning, id, reason, &error.path, aim, body, Some(help));
        }
        out.dropped(&verdict);
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
}

/// Whether an object is read by a tool and never sent to a server: what Kustomize and ordain keep
/// beside manifests.
fn is_never_sent(source: &Source, manifest: &Manifest) -> bool {
    let gvk = &manifest.gvk;
    let name = || Path::new(&source.name).file_name().and_then(|it| it.to_str());
    is_of_tools(gvk)
        // Kustomize needs neither apiVersion nor kind.
        || (gvk.kind.is_empty() && matches!(name(), Some("kustomization.yaml" | "kustomization.yml")))
}

/// Whether a list of kinds, `Kind`, `group/Kind` or `group/version/Kind`, names that of an object.
fn names_kind(kinds: &[String], manifest: &Manifest) -> bool {
    let gvk = &manifest.gvk;
    kinds.iter().any(|named| {
        let parts: Vec<&str> = named.split('/').collect();
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
