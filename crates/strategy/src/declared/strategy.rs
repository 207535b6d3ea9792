//! The behaviour of a declared kind: what follows from its declaration, with hooks beside it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ordain_merge::FieldManager;
use ordain_meta::object_meta::{self, ObjectMeta};
use ordain_passes::declared::{
    DeclaredPlan, format, native, settle, strip_zero, text, union, warning,
};
use ordain_passes::{Context, Unknown};
use ordain_schema::Schema;
use ordain_schema::declared::{Kind, Native};
use ordain_schema::native::Program;
use ordain_schema::publish::{self, Published};
use ordain_value::field::{self, ErrorList, Path};
use ordain_value::{Text, Value};

use super::BuildError;
use super::compile::{self, Compiled};
use super::conversion::Conversion;
use crate::context::Caller;
use crate::custom::{coerce_metadata, field_text, unknown_field, warn_finalizers};
use crate::decode::{DecodeError, Decoded};
use crate::gates::{API_UNIONS, DECLARATIVE_VALIDATION, EXTENSIONS_IN_OPENAPI, Gates};
use crate::hooks::{Config, DeleteStrategy};
use crate::object;
use crate::request::{FieldValidation, Warnings};
use crate::rest_config::VersionConfig;
use crate::rollout::{Declarative, Found, Rollout, Subject};
use crate::source::{self, Entropy};
use crate::strategy::{Change, Dropped, Part, Policy, Strategy};

/// A declared kind, compiled.
pub(crate) struct DeclaredStrategy {
    kind: Arc<Kind>,
    versions: BTreeMap<Text, Compiled>,
    conversion: Arc<Conversion>,
    config: Config,
    delete: Option<Arc<dyn DeleteStrategy>>,
    rollout: Rollout,
    gates: Arc<Gates>,
    /// The gates that are on, for rules that ask.
    options: Vec<Text>,
}

impl fmt::Debug for DeclaredStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeclaredStrategy")
            .field("group", &self.kind.group)
            .field("kind", &self.kind.kind)
            .finish_non_exhaustive()
    }
}

impl DeclaredStrategy {
    pub(super) fn compile(
        kind: &Arc<Kind>,
        config: Config,
        delete: Option<Arc<dyn DeleteStrategy>>,
        rollout: Rollout,
        configs: &[VersionConfig],
        gates: &Arc<Gates>,
    ) -> Result<Self, BuildError> {
        let (versions, conversion) =
            compile::versions(kind, configs, config.convert.clone(), gates)?;
        Ok(DeclaredStrategy {
            kind: Arc::clone(kind),
            versions,
            conversion,
            config,
            delete,
            rollout,
            gates: Arc::clone(gates),
            options: gates.enabled(),
        })
    }

    fn version(&self, version: &str) -> Option<&Compiled> {
        self.versions.get(version)
    }

    /// Unions of declared kinds count unless someone switched them off.
    fn has_unions(&self) -> bool {
        self.gates.choice(API_UNIONS) != Some(false)
    }

    /// Zero values go, then defaults come: a typed client that sends `""` gets the default.
    fn fill(&self, version: &Compiled, object: &mut Value) {
        strip_zero::strip_zero(&version.declared, object);
        version.plan.default(object);
        if let Some(default) = &self.config.default {
            default(object);
        }
    }

    /// All errors of the declared rules in a change.
    fn declarative(
        &self,
        version: &Compiled,
        change: &Change<'_>,
        warnings: &mut Vec<String>,
    ) -> Vec<Declarative> {
        let scale = version.config.scale.as_ref();
        let context = Context {
            api_version: &version.api_version,
            kind: &self.kind.kind,
            namespaced: self.kind.namespaced,
            scale: scale.map(|it| it as &dyn ordain_passes::spine::Scale),
            rules: version.rules.as_ref(),
        };
        let (object, plan) = (change.object, &version.plan);
        let outcome = match (change.old, change.part) {
            (None, _) => plan.validate_create(object, &context),
            (Some(old), Part::Status) => plan.validate_status_update(object, old, &context),
            (Some(old), _) => plan.validate_update(object, old, &context),
        };
        warnings.extend(outcome.warnings);
        let mut errors = outcome.errors;
        self.judge_name(version, change, &mut errors);
        if self.gates.is_on(DECLARATIVE_VALIDATION) {
            errors.extend(format::validate(&version.declared, object, change.old));
        }
        if self.has_unions() {
            errors.extend(union::validate(&version.declared, object, change.old));
        }
        // Without the gate only what every object is held to is left.
        let rules = version.native.as_ref().filter(|_| self.gates.is_on(DECLARATIVE_VALIDATION));
        let findings = self.native(rules, change);
        // What a `+k8s:` rule says of a place, it says in its own words.
        let said = |error: &field::Error| {
            findings.iter().any(|it| {
                it.level.is_none() && it.error.kind == error.kind && it.error.path == error.path
            })
        };
        let errors: ErrorList = errors.into_iter().filter(|error| !said(error)).collect();
        let errors = text::customize(&version.declared, object, text::with_origins(errors));
        let plain = errors.into_iter().map(|error| Declarative { error, level: None });
        plain.chain(findings).collect()
    }

    fn native(&self, program: Option<&Native>, change: &Change<'_>) -> Vec<Declarative> {
        let Some(Native { program, root }) = program else { return Vec::new() };
        let operation = self.operation(program, root, change);
        let findings = native::validate(program, root, change.object, operation);
        findings.into_iter().map(|it| Declarative { error: it.error, level: it.level }).collect()
    }

    fn operation<'a>(
        &'a self,
        program: &Program,
        root: &str,
        change: &Change<'a>,
    ) -> native::Operation<'a> {
        let supports = |name: &str| {
            program.root(root).is_some_and(|it| it.subresources.iter().any(|it| it == name))
        };
        let subresource = match change.part {
            Part::Status if supports("/status") => "/status",
            Part::Scale if supports("/scale") => "/scale",
            _ => "/",
        };
        native::Operation { old: change.old, subresource, options: &self.options }
    }

    /// A name format takes the place of the rule that names have without one.
    fn judge_name(&self, version: &Compiled, change: &Change<'_>, errors: &mut ErrorList) {
        let (Some(rule), None) = (version.name_rule, change.old) else { return };
        let (meta, namespaced) = (ObjectMeta::of(change.object), self.kind.namespaced);
        let metadata = Path::new("metadata");
        let usual = ordain_meta::name::subdomain_rule;
        let usual = object_meta::validate(meta, namespaced, usual, &metadata);
        let own = object_meta::validate(meta, namespaced, rule, &metadata);
        let before = std::mem::take(errors);
        let replaced = |it: &field::Error| {
            usual.iter().any(|known| known == it) && !own.iter().any(|known| known == it)
        };
        errors.extend(before.into_iter().filter(|it| !replaced(it)));
        let more = own.into_iter().filter(|it| !usual.iter().any(|known| known == it));
        errors.extend(more);
    }

    fn hand_written(&self, change: &Change<'_>) -> Found {
        let caller = &change.caller;
        match (change.old, change.part) {
            (None, _) => self.config.validate.as_ref().map(|it| it(change.object, caller)),
            (Some(old), Part::Status) => {
                let hook = &self.config.status.validate_update;
                hook.as_ref().map(|it| it(change.object, old, caller))
            }
            (Some(old), _) => {
                let hook = &self.config.validate_update;
                hook.as_ref().map(|it| it(change.object, old, caller))
            }
        }
        .unwrap_or_default()
    }

    fn plan_of(&self, version: &str) -> Option<&DeclaredPlan> {
        self.version(version).map(|it| &it.declared)
    }
}

impl Strategy for DeclaredStrategy {
    fn shape(&self, version: &str) -> Option<&Schema> {
        self.version(version).map(|it| it.schema.as_ref())
    }

    fn policy(&self) -> Policy {
        Policy { unconditional_update: true, ..Policy::default() }
    }

    fn decode(
        &self,
        _version: &str,
        mut body: Value,
        validation: FieldValidation,
    ) -> Result<Decoded, DecodeError> {
        let gvk = object::gvk(&body);
        let own = gvk.group == self.kind.group && gvk.kind == self.kind.kind;
        let Some(version) = self.version(&gvk.version).filter(|_| own) else {
            let unknown = coerce_metadata(&mut body)?;
            return Ok(Decoded::new(body, unknown));
        };
        let report = match validation {
            FieldValidation::Ignore => Unknown::Ignore,
            FieldValidation::Warn | FieldValidation::Strict => Unknown::Tell,
        };
        let paths = version.plan.shape_request(&mut body, report)?;
        self.fill(version, &mut body);
        let unknown = paths.iter().map(|path| unknown_field(path)).collect();
        Ok(Decoded::new(body, unknown))
    }

    fn default_applied(&self, version: &str, mut object: Value) -> Result<Value, DecodeError> {
        if let Some(version) = self.version(version) {
            self.fill(version, &mut object);
        }
        Ok(object)
    }

    fn read(&self, mut stored: Value) -> Value {
        let name = object::gvk(&stored).version;
        if let Some(version) = self.version(&name) {
            // Metadata that is no object at all was refused before it was stored.
            let _ = version.plan.shape_stored(&mut stored);
            self.fill(version, &mut stored);
        }
        if name == self.kind.storage_version {
            return stored;
        }
        self.conversion.convert(&stored, &self.kind.storage_version)
    }

    fn convert(&self, object: &Value, version: &str) -> Result<Value, String> {
        Ok(self.conversion.convert(object, version))
    }

    fn keep_members(&self, version: &str, object: &mut Value, old: &Value) -> Vec<String> {
        let plan = self.plan_of(version).filter(|it| self.has_unions() && it.has_unions());
        let kept = plan.map(|plan| union::keep(plan, object, old)).unwrap_or_default();
        kept.iter().map(ToString::to_string).collect()
    }

    fn settle(
        &self,
        version: &str,
        part: Part,
        object: &mut Value,
        old: Option<&Value>,
    ) -> Vec<Dropped> {
        let Some(plan) = self.plan_of(version) else { return Vec::new() };
        let gates = &self.gates;
        let is_on = |name: &str| gates.is_on(name);
        let removed = settle::settle(plan, self.has_unions(), &is_on, object, old);
        let mut removed: Vec<Dropped> = removed.into_iter().map(Dropped::from).collect();
        let main = self.config.drop_disabled_fields.as_ref();
        let hook = match part {
            Part::Status => self.config.status.drop_disabled_fields.as_ref().or(main),
            Part::Scale => None,
            Part::Main | Part::Other(_) => main,
        };
        if let Some(drop) = hook {
            let before = object.clone();
            drop(object, old, gates);
            if *object != before {
                removed
                    .push(Dropped { field: String::new(), why: "a hook of its kind dropped it" });
            }
        }
        removed
    }

    fn prepare_for_create(&self, version: &str, object: &mut Value, caller: &Caller<'_>) {
        if self.version(version).is_some_and(|it| it.config.status) {
            object::set_status(object, None);
        }
        object::set_generation(object, 1);
        if let Some(prepare) = &self.config.prepare_for_create {
            prepare(object, caller);
        }
    }

    fn prepare_for_update(
        &self,
        version: &str,
        part: Part,
        object: &mut Value,
        old: &Value,
        caller: &Caller<'_>,
    ) {
        let Some(version) = self.version(version) else { return };
        if part == Part::Status {
            object::keep_all_but_status(object, old);
            if let Some(prepare) = &self.config.status.prepare_for_update {
                prepare(object, old, caller);
            }
            return;
        }
        if version.config.status {
            object::set_status(object, old.get("status").cloned());
        }
        if version.has_spec {
            // The generation counts changes of the spec, and of nothing else.
            let changed = object.get("spec") != old.get("spec");
            object::set_generation(object, object::generation(old) + i64::from(changed));
        }
        if let Some(prepare) = &self.config.prepare_for_update {
            prepare(object, old, caller);
        }
    }

    fn validate(&self, change: &Change<'_>, warnings: &mut Warnings) -> ErrorList {
        let Some(version) = self.version(change.version) else { return ErrorList::new() };
        let subresource = match change.part {
            Part::Status => "/status",
            Part::Scale => "/scale",
            Part::Main | Part::Other(_) => "",
        };
        let update = change.old.is_some();
        let subject = Subject { kind: &self.kind.kind, subresource, update };
        let hand_written = match self.rollout.guarded(subject, || self.hand_written(change)) {
            Ok(found) => found,
            Err(error) => Found::from(ErrorList::from(error)),
        };
        let mut advice = Vec::new();
        let declarative = if self.rollout.asks(&self.gates) {
            self.rollout.guarded(subject, || {
                self.rollout.measured(|| self.declarative(version, change, &mut advice))
            })
        } else {
            Ok(Vec::new())
        };
        advice.into_iter().for_each(|it| warnings.add(it));
        self.rollout.decide(&self.gates, subject, hand_written, declarative)
    }

    fn warn(&self, change: &Change<'_>, warnings: &mut Warnings) {
        if change.part != Part::Status {
            warn_finalizers(change, warnings);
        }
        if let Some(version) = self.version(change.version) {
            let declared = warning::warnings(&version.declared, change.object);
            declared.into_iter().for_each(|it| warnings.add(it));
            if let Some(Native { program, root }) =
                version.native.as_ref().filter(|_| version.warns)
            {
                let operation = self.operation(program, root, change);
                let found = native::warnings(program, root, change.object, operation);
                found.into_iter().for_each(|it| warnings.add(it));
            }
        }
        let caller = &change.caller;
        let reported = match (change.old, change.part) {
            (None, _) => {
                self.config.warnings_on_create.as_ref().map(|it| it(change.object, caller))
            }
            (Some(old), Part::Status) => {
                let hook = &self.config.status.warnings_on_update;
                hook.as_ref().map(|it| it(change.object, old, caller))
            }
            (Some(old), _) => {
                let hook = &self.config.warnings_on_update;
                hook.as_ref().map(|it| it(change.object, old, caller))
            }
        };
        reported.into_iter().flatten().for_each(|it| warnings.add(it));
    }

    fn cells(&self, object: &Value, now_seconds: i64) -> Option<Vec<Value>> {
        self.config.cells.as_ref().map(|it| it(object, now_seconds))
    }

    fn field_manager(&self, version: &str, part: Part) -> Option<&FieldManager> {
        let version = self.version(version)?;
        Some(match part {
            Part::Status => &version.status,
            Part::Main | Part::Scale | Part::Other(_) => &version.main,
        })
    }

    fn field(&self, version: &str, object: &Value, field: &str) -> Option<Text> {
        match field {
            "metadata.name" => Some(object::name(object).into()),
            "metadata.namespace" if self.kind.namespaced => Some(object::namespace(object).into()),
            _ => {
                let fields = &self.version(version)?.config.selectable_fields;
                fields.iter().any(|known| known == field).then(|| field_text(object, field))
            }
        }
    }

    fn declared(&self) -> Option<&Kind> {
        Some(&self.kind)
    }

    fn published(&self, version: &str, options: publish::Options) -> Option<Published> {
        let version = self.version(version)?;
        let extensions = options.extensions && self.gates.is_on(EXTENSIONS_IN_OPENAPI);
        let options = publish::Options { extensions, ..options };
        let published = publish::publish_with(&version.schema, version.native.as_ref(), options);
        Some(match version.name_format.as_deref().filter(|_| extensions) {
            Some(format) => published.with_name_format(format),
            None => published,
        })
    }

    fn generate_name(&self, entropy: &dyn Entropy, base: &str) -> Text {
        match &self.config.name_generator {
            Some(generate) => generate(entropy, base),
            None => source::generate_name(entropy, base),
        }
    }

    fn delete_strategy(&self) -> Option<&dyn DeleteStrategy> {
        self.delete.as_deref()
    }
}
