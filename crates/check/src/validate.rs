//! All manifests of all sources to findings.

use std::borrow::Cow;

use rayon::prelude::*;

use ordain_meta::gvk::GroupVersion;
use ordain_value::Value;
use ordain_value::yaml::Span;

use crate::catalog::{Catalog, Missing};
use crate::collect::Findings;
use crate::finding::{Finding, Severity, location};
use crate::foreign::{self, Foreign, Other};
use crate::history::History;
use crate::kind::{Kind, Verdict, distinct, is_rules_unchecked};
use crate::locate::{Aim, beginning};
use crate::look::{Looked, look};
use crate::manifest::{self, Contents, Manifest};
use crate::openapi::json_schema;
use crate::outcome::Outcome;
use crate::policy::{Policies, PolicyOptions};
use crate::rivals::{Judges, Rivals};
use crate::role::Role;
use crate::silent::{Glance, Silent};
use crate::source::{Input, Media, Source, Unreadable};
use crate::{definition, help, overlay, patch};

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
    /// Objects that SOPS has encrypted are judged as they stand.
    pub judge_encrypted: bool,
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

/// Judges every object of `sources`. Definitions among them and in `definitions` say what kinds
/// there are; those in `definitions` are not judged themselves.
#[must_use]
pub fn validate(sources: &[Source], definitions: &[Source], options: &Options) -> Outcome {
    let mut catalog = Catalog::default();
    let broken = define(&mut catalog, definitions);
    let inputs: Vec<Input> = sources.iter().cloned().map(Input::text).collect();
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
    for schema in read.iter().flat_map(|it| &it.manifests).map(|it| &it.value) {
        if json_schema::is_schema(schema)
            && let Some(gvk) = json_schema::gvk(schema)
            && let Ok(definition) = json_schema::definition(schema, &gvk)
        {
            let _ = catalog.add_definition(&definition);
        }
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
    let named = |(at, it): (usize, &Looked<'_>)| {
        let name = if it.definitions().is_empty() { String::new() } else { inputs[at].name() };
        it.definitions().iter().map(move |it| (name.clone(), it.clone())).collect::<Vec<_>>()
    };
    let definitions: Vec<(String, Value)> = looked.iter().enumerate().flat_map(named).collect();
    let defined = !definitions.is_empty();
    let mut redefined = false;
    let rivals = Rivals::among(&definitions, &catalog);
    for (_, definition) in definitions.iter().filter(|(_, it)| !rivals.settles(it)) {
        redefined |= catalog.defines(definition);
        // One that cannot be decoded is reported where it stands.
        let _ = catalog.add_definition(definition);
    }
    let policies = policies(inputs, &looked, &catalog, options);
    let judged = policies.is_some();
    let mut outcome = Outcome { notes: rivals.notes(), ..Outcome::default() };
    let (mut reported, mut open) = (Vec::new(), Vec::new());
    for (at, looked) in looked.into_iter().enumerate() {
        match looked {
            Looked::Silent(count) if !redefined && !judged => outcome.judged += count,
            Looked::Reported(part) if !defined && !judged => reported.push((at, Ok(*part))),
            Looked::Open { kept: Some(source), .. } => open.push((at, Some(source))),
            _ => open.push((at, None)),
        }
    }
    let names = open.iter().map(|(at, _)| inputs[*at].name());
    let judges = Judges::new(&catalog, rivals, names);
    let one = |(at, kept): (usize, Option<Cow<'_, Source>>)| {
        let input = &inputs[at];
        if let Role::Foreign(what) = input.role {
            return (at, Ok(Outcome::of_other(input.name(), what)));
        }
        let source = kept.map_or_else(|| input.read(), Ok);
        let judged = source.map(|it| {
            let judge = judges.of(&it.name);
            let policies = policies.as_ref();
            let check = Check { catalog: judge.catalog, options, policies };
            let mut outcome = check.source(&it, &input.role);
            judge.explain(&mut outcome.findings);
            outcome
        });
        (at, judged)
    };
    reported.par_extend(open.into_par_iter().map(one));
    reported.sort_by_key(|it| it.0);
    let mut failed = Vec::new();
    for (at, part) in reported {
        match part {
            Ok(mut part) => {
                overlay::relent(&inputs[at].completion, &mut part.findings);
                outcome.add(part);
            }
            Err(error) => failed.push(error),
        }
    }
    let others = outcome.others.iter().filter(|it| it.line.is_none()).count();
    outcome.files = inputs.len().saturating_sub(failed.len() + others);
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
    // What cannot be read is reported when its turn comes.
    let texts: Vec<Cow<'_, Source>> =
        inputs.iter().filter(|it| it.role.is_judged()).filter_map(|it| it.read().ok()).collect();
    let texts = besides.iter().chain(texts.iter().map(AsRef::as_ref));
    Policies::gather(catalog, texts)
}

fn syntax(source: &Source, message: &str, span: &Span) -> Finding {
    let finding = Finding::new(Severity::Error, "syntax", message, location(source, span));
    Finding { help: syntax_help(source, span), ..finding }
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
    /// Most texts have nothing to be reported, so places are looked up when there is something.
    fn source(&self, source: &Source, role: &Role) -> Outcome {
        if let Role::Patch(target) = role {
            return patch::judge(self.catalog, source, target);
        }
        if self.options.is_plain() && self.policies.is_none() {
            return match Silent::new(self.catalog).objects(source.text()) {
                Glance::Silent(judged) => Outcome { judged, ..Outcome::default() },
                Glance::Reported(verdict) => self.reported(source, role, verdict),
                Glance::Unknown => self.reported(source, role, None),
            };
        }
        let outcome = self.read(source, role, false, None);
        let is_silent = outcome.findings.is_empty() && outcome.annotations.is_empty();
        if is_silent { outcome } else { self.reported(source, role, None) }
    }

    /// What comes of a text, with the places of all there is to report. The verdict on an object of
    /// it may be known already.
    pub(crate) fn reported(
        &self,
        source: &Source,
        role: &Role,
        verdict: Option<Box<Verdict>>,
    ) -> Outcome {
        self.read(source, role, true, verdict)
    }

    fn read(
        &self,
        source: &Source,
        role: &Role,
        marks: bool,
        verdict: Option<Box<Verdict>>,
    ) -> Outcome {
        let contents = manifest::read_as(0, source.text(), marks);
        if let Some(what) = foreign_file(source, role, &contents) {
            return self.foreign(source, role, what);
        }
        if role.is_lenient() && foreign::is_to_fill_in(&contents) {
            return self.foreign(source, role, Foreign::Template);
        }
        let mut outcome = Outcome::default();
        let parts: Vec<Outcome> = match contents.manifests.as_slice() {
            [one] => vec![self.manifest(source, role, one, verdict)],
            many => many.par_iter().map(|it| self.manifest(source, role, it, None)).collect(),
        };
        for part in parts {
            outcome.add(part);
        }
        let broken = contents.broken.iter().map(|it| syntax(source, &it.message, &it.span));
        outcome.findings.extend(broken);
        outcome.findings.sort_by_key(|it| (it.location.line, it.location.column));
        outcome
    }

    /// A file without manifests: counted where it was found, an error where it was named.
    fn foreign(&self, source: &Source, role: &Role, what: Foreign) -> Outcome {
        if role.is_lenient() {
            let mut outcome = Outcome::of_other(source.name.clone(), what);
            if what == Foreign::Kustomization {
                outcome.add(patch::judge_inline(self.catalog, source));
            }
            return outcome;
        }
        let message = format!("the file holds no manifest: {}", what.name());
        let place = location(source, &beginning(&source.text));
        let finding = Finding::new(Severity::Error, "not-manifest", message, place);
        let help = what.help().map(ToOwned::to_owned);
        Outcome { findings: vec![Finding { help, ..finding }], ..Outcome::default() }
    }

    fn manifest(
        &self,
        source: &Source,
        role: &Role,
        manifest: &Manifest,
        verdict: Option<Box<Verdict>>,
    ) -> Outcome {
        let mut out = Findings { source, manifest, list: Vec::new() };
        let mut outcome = Outcome::default();
        if !self.options.judge_encrypted && is_encrypted(&manifest.value) {
            outcome.encrypted = 1;
            return outcome;
        }
        if role.is_lenient()
            && let Some(what) = foreign::of_manifest(source, manifest)
        {
            let line = Some(manifest.start.line);
            outcome.others.push(Other { file: source.name.clone(), line, what });
            return outcome;
        }
        for duplicate in &manifest.duplicates {
            let help = Some("the last one wins; remove the other".to_owned());
            out.at("duplicate-key", &duplicate.span, "", duplicate.message.clone(), help);
        }
        let is_never_sent = foreign::of_kind(&manifest.gvk).is_some();
        if names_kind(&self.options.skip, manifest) || is_never_sent {
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
        if let Some((field, message)) = patch::unreadable(kind, &verdict) {
            let help = help::for_unreadable(kind.schema(), &field, &manifest.value);
            out.push(Severity::Error, "unreadable", "", &field, Aim::Value, message, help);
            return;
        }
        for path in &verdict.unknown {
            out.unknown(path, help::for_unknown(kind.schema(), path));
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
        out.refused(&verdict);
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

/// What a file is instead of one with manifests. A text that somebody hands over is said to have
/// them.
fn foreign_file(source: &Source, role: &Role, contents: &Contents) -> Option<Foreign> {
    match role {
        Role::Found | Role::Named => foreign::of_contents(source, contents),
        Role::Given | Role::Foreign(_) | Role::Patch(_) => None,
    }
}

/// Whether SOPS has encrypted values of a document: it keeps the keys and a sum beside them.
pub(crate) fn is_encrypted(value: &Value) -> bool {
    let note = value.get("sops").and_then(Value::as_map);
    note.is_some_and(|it| it.contains_key("mac") || it.contains_key("lastmodified"))
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
    let text = |field: &str| value.text(field);
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
