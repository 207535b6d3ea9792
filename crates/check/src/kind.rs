//! One version of a kind, compiled, and the server's verdict on its objects.
//!
//! The steps are those of a request: default, shape (prune, nulls, metadata), prepare, validate.

use std::sync::Arc;

use ordain_meta::gvk::GroupVersion;
use ordain_meta::{ObjectMeta, finalizer, name, object_meta};
use ordain_passes::declared::{DeclaredPlan, strip_zero, text, union};
use ordain_passes::{Context, Known, Plan, RuleOptions, RuleSet, Rules};
use ordain_schema::crd::{Crd, CrdVersion, Scale};
use ordain_schema::extensions::Extensions;
use ordain_schema::{Node, NodeId, Schema, Type, declared};
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Text, Value};

use crate::declaration::{Declaration, Dropped, cleared};
use crate::features::Features;
use crate::metadata::{SYSTEM_FIELDS, dedup_owners, meta, remove_meta, set_meta, start_meta};
use crate::openapi::{Document, Entry, Form};
use crate::{typed, workload};

/// One version of a kind.
#[derive(Debug)]
pub struct Kind {
    pub group: Text,
    pub version: Text,
    pub kind: Text,
    pub namespaced: bool,
    /// Whether `status` is written through its own endpoint only.
    pub has_status: bool,
    /// What is told to those who use the version, when it is deprecated.
    pub deprecation: Option<String>,
    api_version: String,
    schema: Schema,
    plan: Arc<Plan>,
    rules: RuleSet,
    scale: Option<Scale>,
    /// Read as Go reads its types, and not as custom resources are.
    typed: bool,
    /// Whether it is known if objects live in namespaces.
    scoped: bool,
    /// What only declared kinds have.
    declared: Option<Declaration>,
    /// The extensions of a custom resource, as far as they count.
    extensions: Option<DeclaredPlan>,
}

/// What the server would say to one object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The object as it would be stored, when it was readable.
    pub object: Option<Value>,
    /// Why the body is no object of the kind (answer 400), in the words of the API.
    pub unreadable: Option<String>,
    /// The field that could not be read, when that is known.
    pub unreadable_field: Option<String>,
    /// Paths of fields that the schema does not know; refused by strict field validation.
    pub unknown: Vec<String>,
    /// Why the object is refused (answer 422).
    pub errors: ErrorList,
    /// Errors that are forgiven because the object had them before.
    pub ratcheted: ErrorList,
    /// What only some of the server's ways refuse, such as repeated keys under apply.
    pub doubtful: ErrorList,
    /// Fields that are taken out, though the schema knows them.
    pub dropped: Vec<Dropped>,
    /// Advice that comes with an accepted object.
    pub warnings: Vec<String>,
}

impl Verdict {
    /// Whether a strict server takes the object and there is nothing to say.
    pub(crate) fn is_silent(&self) -> bool {
        self.is_accepted()
            && self.dropped.is_empty()
            && self.ratcheted.is_empty()
            && self.doubtful.is_empty()
            && self.warnings.is_empty()
    }

    /// Whether a strict server takes the object.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.unreadable.is_none() && self.unknown.is_empty() && self.errors.is_empty()
    }
}

impl Kind {
    /// Compiles a version of a definition.
    ///
    /// # Errors
    /// When its schema is not one that the API server could serve; in words.
    pub fn compile(crd: &Crd, version: &CrdVersion, features: &Features) -> Result<Kind, String> {
        let schema = match version.raw() {
            Some(raw) => ordain_schema::resolve(raw).map_err(|error| error.to_string())?,
            None => {
                let root = Node { ty: Type::Object, ..Node::default() };
                Schema::new(vec![root], NodeId(0)).map_err(|error| error.to_string())?
            }
        };
        let plan = Arc::new(Plan::compile(&schema).map_err(|error| error.to_string())?);
        let rules = RuleSet::compile(&schema, features.rule_options(), Some(Arc::clone(&plan)));
        let extensions = (features.custom != Extensions::default()).then(|| {
            DeclaredPlan::compile(&Arc::new(schema.clone())).with_extensions(features.custom)
        });
        let spec = &crd.spec;
        let api_version = GroupVersion::new(spec.group.clone(), version.name.clone()).to_string();
        let deprecation = version.deprecated.then(|| {
            version.deprecation_warning.as_ref().map_or_else(
                || format!("{api_version} {} is deprecated", spec.names.kind),
                ToString::to_string,
            )
        });
        Ok(Kind {
            group: spec.group.clone(),
            version: version.name.clone(),
            kind: spec.names.kind.clone(),
            namespaced: spec.scope == "Namespaced",
            has_status: version.has_status(),
            deprecation,
            api_version,
            schema,
            plan,
            rules,
            scale: version.subresources.as_ref().and_then(|it| it.scale.clone()),
            typed: false,
            scoped: true,
            declared: None,
            extensions: extensions.filter(|it| !it.is_idle()),
        })
    }

    /// Compiles a kind of an OpenAPI document.
    ///
    /// # Errors
    /// When its model says something that is not understood; in words.
    pub fn of_document(
        document: &Document,
        entry: &Entry,
        features: &Features,
    ) -> Result<Kind, String> {
        let schema = match document.form(entry)? {
            Form::Custom(definition) => {
                let (mut crd, _) = Crd::decode(&definition).map_err(|error| error.0)?;
                crd.set_defaults();
                let version = crd.spec.version(&entry.gvk.version).ok_or("no such version")?;
                let mut kind = Kind::compile(&crd, version, features)?;
                kind.scoped = entry.namespaced.is_some();
                return Ok(kind);
            }
            Form::Typed(schema) => schema,
        };
        let plan = Arc::new(Plan::compile(&schema).map_err(|error| error.to_string())?);
        let ruled = schema.nodes().iter().any(|node| !node.rules.is_empty());
        let empty = Schema::new(vec![Node::default()], NodeId(0)).map_err(|it| it.to_string())?;
        let rules = if ruled {
            RuleSet::compile(&schema, RuleOptions::crd(), Some(Arc::clone(&plan)))
        } else {
            RuleSet::compile(&empty, RuleOptions::crd(), None)
        };
        let gvk = &entry.gvk;
        Ok(Kind {
            group: gvk.group.clone(),
            version: gvk.version.clone(),
            kind: gvk.kind.clone(),
            namespaced: entry.namespaced.unwrap_or(false),
            has_status: entry.has_status,
            deprecation: None,
            api_version: gvk.group_version().to_string(),
            schema,
            plan,
            rules,
            scale: None,
            typed: true,
            scoped: entry.namespaced.is_some(),
            declared: None,
            extensions: None,
        })
    }

    /// Compiles a version of a kind that types declare.
    ///
    /// # Errors
    /// When its schema cannot be compiled; in words.
    pub fn of_declared(
        kind: &declared::Kind,
        version: &declared::Version,
        features: &Arc<Features>,
    ) -> Result<Kind, String> {
        let schema = Schema::clone(&version.schema);
        let plan = Arc::new(Plan::compile(&schema).map_err(|error| error.to_string())?);
        let rules = RuleSet::compile(&schema, RuleOptions::declared(), Some(Arc::clone(&plan)));
        if let Some(error) = rules.compile_errors().first() {
            return Err(format!("rule `{}`: {}", error.text, error.message));
        }
        let api_version = GroupVersion::new(kind.group.clone(), version.name.clone()).to_string();
        let deprecation = version.deprecated.then(|| {
            version.deprecation_warning.as_ref().map_or_else(
                || format!("{api_version} {} is deprecated", kind.kind),
                ToString::to_string,
            )
        });
        let scale = version.scale.as_ref().map(|it| Scale {
            spec_replicas_path: it.spec_replicas_path.clone(),
            status_replicas_path: it.status_replicas_path.clone(),
            label_selector_path: it.label_selector_path.clone(),
        });
        Ok(Kind {
            group: kind.group.clone(),
            version: version.name.clone(),
            kind: kind.kind.clone(),
            namespaced: kind.namespaced,
            has_status: version.status,
            deprecation,
            api_version,
            schema,
            plan,
            rules,
            scale,
            typed: false,
            scoped: true,
            declared: Some(Declaration::new(version, features)?),
            extensions: None,
        })
    }

    /// Whether objects are read as Go reads its types.
    #[must_use]
    pub fn is_typed(&self) -> bool {
        self.typed
    }

    /// `group/version`
    #[must_use]
    pub fn api_version(&self) -> &str {
        &self.api_version
    }

    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The verdict on a new object.
    #[must_use]
    pub fn judge_create(&self, object: &Value) -> Verdict {
        let (mut verdict, object) = self.check_create(object.clone());
        verdict.object = object.map(|mut object| {
            if !self.typed {
                set_meta(&mut object, "generation", Value::Int(1));
            }
            // What is stored is read back with its defaults, those of a dropped status included.
            self.complete(&mut object);
            object
        });
        verdict
    }

    /// The verdict on a new object, and the object before it is stored. Those who only ask for the
    /// verdict need not pay for the rest.
    #[must_use]
    pub(crate) fn check_create(&self, object: Value) -> (Verdict, Option<Value>) {
        let mut verdict = Verdict::default();
        let Some((mut object, known)) = self.read(object, &mut verdict) else {
            return (verdict, None);
        };
        self.place(&mut object);
        if !known.metadata {
            start_meta(&mut object);
        }
        if self.has_status
            && let Value::Map(map) = &mut object
        {
            map.remove("status");
        }
        if self.typed {
            verdict.errors = self.typed_errors(&object, None);
            self.plan.default(&mut object);
            verdict.doubtful = self.plan.validate_list_types(&object);
            return (verdict, Some(object));
        }
        verdict.dropped = self.settle(&mut object, None);
        if !known.metadata {
            set_meta(&mut object, "generation", Value::Int(1));
        }
        let outcome = self.plan.validate_new(&object, &self.context(), known);
        verdict.errors = self.with_declared(outcome.errors, &object, None);
        verdict.warnings = outcome.warnings;
        if !known.metadata {
            verdict.warnings.extend(self.advice(&object, None));
        }
        // A name that is a subdomain is one segment of a path; names of declared kinds may be more.
        if verdict.errors.is_empty() && self.declared.is_some() {
            verdict.errors = self.path_segment(&object);
        }
        (verdict, Some(object))
    }

    /// The verdict on a change of an object that was accepted before.
    #[must_use]
    pub fn judge_update(&self, object: &Value, old: &Value) -> Verdict {
        let mut verdict = Verdict::default();
        let Some((mut object, _)) = self.read(object.clone(), &mut verdict) else {
            return verdict;
        };
        let old = self.stored(old);
        self.place(&mut object);
        dedup_owners(&mut object);
        self.keep_from(&mut object, &old);
        verdict.dropped = self.settle(&mut object, Some(&old));
        let path = Path::new("metadata");
        if self.typed {
            let (new, old_meta) = (ObjectMeta::of(&object), ObjectMeta::of(&old));
            let mut errors = object_meta::validate_update(new, old_meta, &path);
            errors.extend(self.typed_errors(&object, Some(&old)));
            verdict.errors = distinct(errors);
            self.plan.default(&mut object);
            verdict.doubtful = self.plan.validate_list_types(&object);
            verdict.object = Some(object);
            return verdict;
        }
        let mut errors = self.path_segment(&object);
        errors.extend(object_meta::validate_update(
            ObjectMeta::of(&object),
            ObjectMeta::of(&old),
            &path,
        ));
        let outcome = self.plan.validate_update(&object, &old, &self.context());
        errors.extend(self.with_declared(outcome.errors, &object, Some(&old)));
        verdict.errors = distinct(errors);
        verdict.warnings = outcome.warnings;
        verdict.warnings.extend(self.advice(&object, Some(&old)));
        // What a create of the same object would be refused for, and this change is not.
        let strict = self.plan.validate_create(&object, &self.context()).errors;
        let strict = self.with_declared(strict, &object, None);
        let reported = |error: &Error| {
            verdict.errors.iter().any(|it| it.path == error.path && it.body() == error.body())
        };
        let mut ratcheted = ErrorList::new();
        ratcheted
            .extend(strict.iter().filter(|it| !reported(it) && !is_rules_unchecked(it)).cloned());
        verdict.ratcheted = ratcheted;
        self.complete(&mut object);
        verdict.object = Some(object);
        verdict
    }

    /// The verdict on a write to the status of an object that was accepted before.
    #[must_use]
    pub fn judge_status(&self, object: &Value, old: &Value) -> Verdict {
        let mut verdict = Verdict::default();
        let Some((mut object, _)) = self.read(object.clone(), &mut verdict) else {
            return verdict;
        };
        let old = self.stored(old);
        verdict.dropped = self.settle(&mut object, Some(&old));
        // Nothing but the status is taken from the request.
        let status = object.get("status").cloned();
        let mut object = old.clone();
        if let Value::Map(map) = &mut object {
            match status {
                Some(status) => drop(map.insert("status", status)),
                None => drop(map.remove("status")),
            }
        }
        let (new, before) = (ObjectMeta::of(&object), ObjectMeta::of(&old));
        let mut errors = self.path_segment(&object);
        errors.extend(object_meta::validate_update(new, before, &Path::new("metadata")));
        if self.typed {
            errors.extend(self.typed_errors(&object, Some(&old)));
        } else {
            let outcome = self.plan.validate_status_update(&object, &old, &self.context());
            errors.extend(self.with_declared(outcome.errors, &object, Some(&old)));
            verdict.warnings = outcome.warnings;
        }
        verdict.errors = distinct(errors);
        self.complete(&mut object);
        verdict.object = Some(object);
        verdict
    }

    /// Takes out what unions and gates do not allow.
    fn settle(&self, object: &mut Value, old: Option<&Value>) -> Vec<Dropped> {
        match (&self.declared, &self.extensions, old) {
            (Some(declared), _, _) => declared.settle(object, old),
            (None, Some(extensions), Some(old)) => cleared(extensions, object, old),
            _ => Vec::new(),
        }
    }

    /// What the schema has against an object, and what unions and the declaration have.
    fn with_declared(&self, errors: ErrorList, object: &Value, old: Option<&Value>) -> ErrorList {
        let mut errors = errors;
        if let Some(extensions) = &self.extensions {
            errors.extend(union::validate(extensions, object, old));
            errors = text::customize(extensions, object, errors);
        }
        match &self.declared {
            Some(declared) => declared.errors(object, old, self.namespaced, errors),
            None => errors,
        }
    }

    /// Advice on an object that is taken: finalizers, and what the declaration warns of.
    fn advice(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        let mut advice = finalizer::advice(object, old);
        advice.extend(self.declared.iter().flat_map(|it| it.warnings(object)));
        advice
    }

    /// What is wrong with an object of a typed kind that could be read.
    fn typed_errors(&self, object: &Value, old: Option<&Value>) -> ErrorList {
        let namespaced =
            if self.scoped { self.namespaced } else { meta(object, "namespace").is_some() };
        let mut errors = typed::validate_meta(object, &self.group, &self.kind, namespaced);
        let mut completed = object.clone();
        self.plan.default(&mut completed);
        errors.extend(self.plan.validate_schema(&completed, None));
        if self.rules.any() {
            errors.extend(self.rules.evaluate(&completed, old).errors);
        }
        errors.extend(workload::errors(&self.group, &self.kind, &completed, old));
        errors
    }

    /// The object as the store holds it after a create that was accepted.
    fn stored(&self, old: &Value) -> Value {
        let mut old = old.clone();
        if let Value::Map(map) = &mut old {
            map.insert("apiVersion", self.api_version.as_str().into());
        }
        if self.typed {
            old = typed::read(&self.schema, &old).object;
        } else {
            if self.declared.is_none() {
                self.complete(&mut old);
            }
            // Metadata that is no object at all was never stored.
            let _ = self.plan.shape_stored(&mut old);
            if self.declared.is_some() {
                self.complete(&mut old);
            }
        }
        for field in SYSTEM_FIELDS {
            remove_meta(&mut old, field);
        }
        self.place(&mut old);
        dedup_owners(&mut old);
        set_meta(&mut old, "resourceVersion", "1".into());
        if meta(&old, "generation").is_none() {
            set_meta(&mut old, "generation", Value::Int(1));
        }
        old
    }

    /// Defaults and shapes a body; tells what is right of it already, should it be a new object's.
    fn read(&self, mut object: Value, verdict: &mut Verdict) -> Option<(Value, Known)> {
        if self.typed {
            let read = typed::read(&self.schema, &object);
            verdict.unknown = read.unknown;
            if let Some(failure) = read.failure {
                verdict.unreadable = Some(failure.message);
                verdict.unreadable_field = Some(failure.field);
                return None;
            }
            return Some((read.object, Known::default()));
        }
        // Zero values of declared kinds go before defaults come.
        if self.declared.is_none() {
            self.complete(&mut object);
        }
        let shaped = self.plan.shape_new(&mut object, self.namespaced);
        let shaped = shaped.map_err(|why| verdict.unreadable = Some(why)).ok()?;
        verdict.unknown = shaped.unknown;
        if self.declared.is_none() {
            return Some((object, shaped.known));
        }
        self.complete(&mut object);
        // What a declaration takes out later may be what the schema requires, and it has rules of
        // its own for names.
        Some((object, Known::default()))
    }

    /// Absent fields get their defaults; zero values that count as absent are.
    fn complete(&self, object: &mut Value) {
        if let Some(extensions) = &self.extensions {
            strip_zero::strip_zero(extensions, object);
        }
        if let Some(declared) = &self.declared {
            declared.strip_zero(object);
        }
        if self.declared.as_ref().is_none_or(Declaration::has_defaults) {
            self.plan.default(object);
        }
    }

    /// Puts the object into the namespace that a client would choose.
    fn place(&self, object: &mut Value) {
        if !self.scoped {
            return;
        }
        let given = meta(object, "namespace").and_then(Value::as_str).unwrap_or_default();
        match (self.namespaced, given.is_empty()) {
            (true, true) => set_meta(object, "namespace", "default".into()),
            (false, false) => remove_meta(object, "namespace"),
            _ => {}
        }
    }

    /// What a change takes over from the object it replaces.
    fn keep_from(&self, object: &mut Value, old: &Value) {
        if self.has_status
            && let Value::Map(map) = object
        {
            match old.get("status") {
                Some(status) => drop(map.insert("status", status.clone())),
                None => drop(map.remove("status")),
            }
        }
        for field in
            SYSTEM_FIELDS.into_iter().chain(["resourceVersion", "generation", "managedFields"])
        {
            match meta(old, field) {
                Some(value) => {
                    let value = value.clone();
                    set_meta(object, field, value);
                }
                None => remove_meta(object, field),
            }
        }
    }

    fn path_segment(&self, object: &Value) -> ErrorList {
        let path = Path::new("metadata");
        let meta = ObjectMeta::of(object);
        object_meta::validate(meta, self.namespaced, name::path_segment_rule, &path)
    }

    fn context(&self) -> Context<'_> {
        Context {
            api_version: &self.api_version,
            kind: &self.kind,
            namespaced: self.namespaced,
            scale: self.scale.as_ref().map(|it| it as &dyn ordain_passes::spine::Scale),
            rules: &self.rules,
        }
    }
}

/// Whether an error only says that the others kept rules from being checked.
pub(crate) fn is_rules_unchecked(error: &Error) -> bool {
    error.path == "<nil>" && error.detail().starts_with("some validation rules were not checked")
}

/// Each error once: the verbs check metadata twice.
pub(crate) fn distinct(errors: ErrorList) -> ErrorList {
    let mut seen = std::collections::BTreeSet::new();
    errors.into_iter().filter(|error| seen.insert(error.to_string())).collect()
}
