//! One version of a kind, compiled, and the server's verdict on its objects.
//!
//! The steps are those of a request: default, shape (prune, nulls, metadata), prepare, validate.

use std::sync::Arc;

use ordain_meta::gvk::GroupVersion;
use ordain_meta::{ObjectMeta, name, object_meta};
use ordain_passes::{Context, Plan, RuleOptions, RuleSet, Unknown};
use ordain_schema::crd::{Crd, CrdVersion};
use ordain_schema::{Node, NodeId, Schema, Type};
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Map, Text, Value};

use crate::scale::Scaled;

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
    scale: Option<Scaled>,
}

/// What the server would say to one object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The object as it would be stored, when it was readable.
    pub object: Option<Value>,
    /// Why the body is no object of the kind (answer 400), in the words of the API.
    pub unreadable: Option<String>,
    /// Paths of fields that the schema does not know; refused by strict field validation.
    pub unknown: Vec<String>,
    /// Why the object is refused (answer 422).
    pub errors: ErrorList,
    /// Errors that are forgiven because the object had them before.
    pub ratcheted: ErrorList,
    /// Advice that comes with an accepted object.
    pub warnings: Vec<String>,
}

impl Verdict {
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
    pub fn compile(crd: &Crd, version: &CrdVersion) -> Result<Kind, String> {
        let schema = match version.raw() {
            Some(raw) => ordain_schema::resolve(raw).map_err(|error| error.to_string())?,
            None => {
                let root = Node { ty: Type::Object, ..Node::default() };
                Schema::new(vec![root], NodeId(0)).map_err(|error| error.to_string())?
            }
        };
        let plan = Arc::new(Plan::compile(&schema).map_err(|error| error.to_string())?);
        let rules = RuleSet::compile(&schema, RuleOptions::crd(), Some(Arc::clone(&plan)));
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
            scale: version.subresources.as_ref().and_then(|it| it.scale.clone()).map(Scaled),
        })
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
        let mut verdict = Verdict::default();
        let Some(mut object) = self.read(object, &mut verdict) else { return verdict };
        for field in SYSTEM_FIELDS {
            remove_meta(&mut object, field);
        }
        self.place(&mut object);
        dedup_owners(&mut object);
        name_generated(&mut object);
        if self.has_status
            && let Value::Map(map) = &mut object
        {
            map.remove("status");
        }
        set_meta(&mut object, "generation", Value::Int(1));
        let outcome = self.plan.validate_create(&object, &self.context());
        verdict.errors = outcome.errors;
        verdict.warnings = outcome.warnings;
        if verdict.errors.is_empty() {
            verdict.errors = self.path_segment(&object);
        }
        // What is stored is read back with its defaults, those of a dropped status included.
        self.plan.default(&mut object);
        verdict.object = Some(object);
        verdict
    }

    /// The verdict on a change of an object that was accepted before.
    #[must_use]
    pub fn judge_update(&self, object: &Value, old: &Value) -> Verdict {
        let mut verdict = Verdict::default();
        let Some(mut object) = self.read(object, &mut verdict) else { return verdict };
        let old = self.stored(old);
        self.place(&mut object);
        dedup_owners(&mut object);
        self.keep_from(&mut object, &old);
        let path = Path::new("metadata");
        let mut errors = self.path_segment(&object);
        errors.extend(object_meta::validate_update(
            ObjectMeta::of(&object),
            ObjectMeta::of(&old),
            &path,
        ));
        let outcome = self.plan.validate_update(&object, &old, &self.context());
        errors.extend(outcome.errors);
        verdict.errors = distinct(errors);
        verdict.warnings = outcome.warnings;
        // What a create of the same object would be refused for, and this change is not.
        let strict = self.plan.validate_create(&object, &self.context()).errors;
        let reported = |error: &Error| {
            verdict.errors.iter().any(|it| it.path == error.path && it.body() == error.body())
        };
        let mut ratcheted = ErrorList::new();
        ratcheted
            .extend(strict.iter().filter(|it| !reported(it) && !is_rules_unchecked(it)).cloned());
        verdict.ratcheted = ratcheted;
        self.plan.default(&mut object);
        verdict.object = Some(object);
        verdict
    }

    /// The object as the store holds it after a create that was accepted.
    fn stored(&self, old: &Value) -> Value {
        let mut old = old.clone();
        if let Value::Map(map) = &mut old {
            map.insert("apiVersion", self.api_version.as_str().into());
        }
        self.plan.default(&mut old);
        // Metadata that is no object at all was never stored.
        let _ = self.plan.shape_stored(&mut old);
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

    /// Defaults and shapes a body.
    fn read(&self, object: &Value, verdict: &mut Verdict) -> Option<Value> {
        let mut object = object.clone();
        self.plan.default(&mut object);
        match self.plan.shape_request(&mut object, Unknown::Tell) {
            Ok(unknown) => verdict.unknown = unknown,
            Err(why) => {
                verdict.unreadable = Some(why);
                return None;
            }
        }
        Some(object)
    }

    /// Puts the object into the namespace that a client would choose.
    fn place(&self, object: &mut Value) {
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

/// Fields of metadata that only the server sets.
const SYSTEM_FIELDS: [&str; 5] =
    ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"];

/// Whether an error only says that the others kept rules from being checked.
pub(crate) fn is_rules_unchecked(error: &Error) -> bool {
    error.path == "<nil>" && error.detail.starts_with("some validation rules were not checked")
}

/// Each error once: the verbs check metadata twice.
pub(crate) fn distinct(errors: ErrorList) -> ErrorList {
    let mut seen = std::collections::BTreeSet::new();
    errors.into_iter().filter(|error| seen.insert(error.to_string())).collect()
}

fn meta<'a>(object: &'a Value, field: &str) -> Option<&'a Value> {
    object.get("metadata")?.get(field)
}

fn set_meta(object: &mut Value, field: &str, value: Value) {
    let Value::Map(map) = object else { return };
    let slot = map.get_or_insert_null("metadata");
    if !matches!(slot, Value::Map(_)) {
        *slot = Value::Map(Map::new());
    }
    if let Value::Map(metadata) = slot {
        metadata.insert(field, value);
    }
}

fn remove_meta(object: &mut Value, field: &str) {
    if meta(object, field).is_some() {
        object.remove_path(&["metadata", field]);
    }
}

/// A name for an object that asks for a generated one.
fn name_generated(object: &mut Value) {
    let text = |field| meta(object, field).and_then(Value::as_str).unwrap_or_default();
    if text("name").is_empty() && !text("generateName").is_empty() {
        // The longest base that the server keeps whole.
        let base: String = text("generateName").chars().take(58).collect();
        set_meta(object, "name", format!("{base}00000").into());
    }
}

/// Repeated owner references are dropped before anything is checked.
fn dedup_owners(object: &mut Value) {
    let Some(list) = meta(object, "ownerReferences").and_then(Value::as_list) else { return };
    let mut kept: Vec<Value> = Vec::with_capacity(list.len());
    for owner in list.iter() {
        if !kept.contains(owner) {
            kept.push(owner.clone());
        }
    }
    if kept.len() != list.len() {
        set_meta(object, "ownerReferences", kept.into());
    }
}
