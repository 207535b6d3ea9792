//! The findings of one object: verdicts with places, the server's words and help.

use ordain_value::field::Error;
use ordain_value::yaml::Span;

use crate::catalog::Missing;
use crate::finding::{Finding, ObjectRef, Severity, location};
use crate::kind::{Kind, Verdict, distinct};
use crate::locate::{Aim, definition_path, field_of_unreadable, locate};
use crate::manifest::Manifest;
use crate::outcome::Outcome;
use crate::policy::{Annotation, Reported, Review};
use crate::source::Source;

/// Findings of one object.
pub(crate) struct Findings<'a> {
    pub(crate) source: &'a Source,
    pub(crate) manifest: &'a Manifest,
    pub(crate) list: Vec<Finding>,
}

impl Findings<'_> {
    pub(crate) fn is_given(&self, path: &str) -> bool {
        locate(self.manifest, &self.source.text, path, Aim::Value).exact
    }

    pub(crate) fn at(
        &mut self,
        id: &'static str,
        span: &Span,
        field: &str,
        message: String,
        help: Option<String>,
    ) {
        let (field, object) = (field.to_owned(), Some(ObjectRef::of(self.manifest)));
        let finding = Finding::new(Severity::Error, id, message, location(self.source, span));
        self.list.push(Finding { field, help, object, ..finding });
    }

    pub(crate) fn push(
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
        let (field, object) = (field.to_owned(), Some(ObjectRef::of(self.manifest)));
        let finding = Finding::new(severity, id, message, location(self.source, &place.span));
        self.list.push(Finding { reason, field, help, object, ..finding });
    }

    pub(crate) fn error(&mut self, error: &Error, path: &str, help: Option<String>) {
        let (reason, body) = (error.kind.reason(), error.body());
        self.push(Severity::Error, "invalid", reason, path, Aim::Value, body, help);
    }

    /// A field that the schema does not know.
    pub(crate) fn unknown(&mut self, path: &str, help: Option<String>) {
        let message = format!("unknown field \"{path}\"");
        self.push(Severity::Error, "unknown-field", "", path, Aim::Key, message, help);
    }

    /// What the server takes out without a word.
    pub(crate) fn dropped(&mut self, verdict: &Verdict) {
        for dropped in &verdict.dropped {
            let message = format!("the server drops the field: {}", dropped.why);
            let (field, aim) = (dropped.field.as_str(), Aim::Key);
            self.push(Severity::Warning, "dropped-field", "", field, aim, message, None);
        }
    }

    pub(crate) fn ratcheted(&mut self, verdict: &Verdict, base: &str) {
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

    pub(crate) fn definition(&mut self, verdict: &Verdict, update: bool, base: &str) {
        if let Some(why) = &verdict.unreadable {
            let message = format!(
                "CustomResourceDefinition in version \"v1\" cannot be handled as a CustomResourceDefinition: {why}"
            );
            let field = field_of_unreadable(why);
            self.push(Severity::Error, "unreadable", "", &field, Aim::Value, message, None);
            return;
        }
        for path in &verdict.unknown {
            let help = ordain_schema::extensions::gate_of(path)
                .map(|gate| format!("it counts with --feature-gates {gate}=true"));
            self.unknown(path, help);
        }
        for error in &distinct(verdict.errors.clone()) {
            self.error(error, &error.path, None);
        }
        self.refused(verdict);
        self.ratcheted(verdict, base);
        if !update {
            self.resource_version();
        }
    }

    /// A refusal that is none of the object's fields, or of fields that it names.
    pub(crate) fn refused(&mut self, verdict: &Verdict) {
        let Some(status) = &verdict.refusal else { return };
        // Told at its place, also beside errors that come before it.
        if self.manifest.has_resource_version() && verdict.object.is_some() {
            return;
        }
        let causes = status.details.as_ref().map(|it| it.causes.as_slice()).unwrap_or_default();
        for cause in causes {
            let (field, message) = (cause.field.clone(), cause.message.clone());
            self.push(Severity::Error, "invalid", "", &field, Aim::Value, message, None);
        }
        if causes.is_empty() {
            let message = status.message.clone();
            self.push(Severity::Error, "refused", "", "", Aim::Value, message, None);
        }
    }

    /// What policies said about the object.
    pub(crate) fn reviewed(&mut self, kind: &Kind, review: Review<'_>, outcome: &mut Outcome) {
        if kind.resource().is_none() {
            let kind = &kind.kind;
            outcome.notes.push(format!(
                "policies do not judge {kind}: only an OpenAPI document describes it"
            ));
        }
        for reported in review.reported {
            self.reported(reported);
        }
        outcome.notes.extend(review.notes);
        let place = locate(self.manifest, &self.source.text, "", Aim::Value).span;
        let annotation = |(key, value): (String, String)| Annotation {
            object: ObjectRef::of(self.manifest),
            location: location(self.source, &place),
            key,
            value,
        };
        outcome.annotations.extend(review.annotations.into_iter().map(annotation));
    }

    /// What one policy said, at the field that it is most likely about: the first that the policy
    /// reads and the text has, or what is around the first that it reads.
    fn reported(&mut self, reported: Reported) {
        let is_prefix = |field: &str| {
            let below = |it: &String| {
                let rest = it.strip_prefix(field);
                rest.is_some_and(|it| it.starts_with(['.', '['])) && self.is_given(it)
            };
            reported.fields.iter().any(below)
        };
        let given = reported.fields.iter().find(|it| self.is_given(it) && !is_prefix(it));
        let field = given.or(reported.fields.first()).cloned().unwrap_or_default();
        self.push(
            reported.severity,
            reported.id,
            "",
            &field,
            Aim::Value,
            reported.message,
            reported.help,
        );
        if let Some(last) = self.list.last_mut() {
            // The server names no field.
            last.field = String::new();
            last.policy = Some(Box::new(reported.policy));
        }
    }

    /// An object that was taken from a server cannot be created.
    pub(crate) fn resource_version(&mut self) {
        if self.manifest.has_resource_version() {
            let message = "resourceVersion should not be set on objects to be created".to_owned();
            let help = Some("remove metadata.resourceVersion".to_owned());
            let field = "metadata.resourceVersion";
            self.push(Severity::Error, "invalid", "", field, Aim::Value, message, help);
        }
    }

    pub(crate) fn missing(&mut self, missing: &Missing) {
        let gvk = &self.manifest.gvk;
        let (kind, version) = (&gvk.kind, gvk.group_version());
        let (field, message, help) = match missing {
            Missing::Unknown { versions, similar } => {
                let message = format!("no matches for kind \"{kind}\" in version \"{version}\"");
                let is_old =
                    gvk.group == "apiextensions.k8s.io" && kind == "CustomResourceDefinition";
                let help = if is_old {
                    "not checked: servers take definitions as apiextensions.k8s.io/v1 only"
                        .to_owned()
                } else if !versions.is_empty() {
                    format!("not checked: no schema; {kind} is known in {}", versions.join(", "))
                } else if let Some(similar) = similar {
                    format!("not checked: no schema; did you mean \"{similar}\"?")
                } else {
                    "not checked: no schema; name its definition with --crds, import it with \
                     `ordain schemas add`, or pass \
                     --ignore-missing-schemas"
                        .to_owned()
                };
                let field = if versions.is_empty() && !is_old { "kind" } else { "apiVersion" };
                (field, message, help)
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
