//! Kinds that only an OpenAPI document describes: read as Go reads its types, judged by the
//! document's schemas. What a server checks in code beyond them is not known here.

use std::sync::Arc;

use ordain_meta::{ObjectMeta, name, object_meta};
use ordain_passes::{Plan, RuleOptions, RuleSet, Rules};
use ordain_schema::{Node, NodeId, Schema};
use ordain_strategy::typed::codec;
use ordain_strategy::typed::form::Forms;
use ordain_value::field::{ErrorList, Path};
use ordain_value::{Map, Value};

use crate::kind::{Kind, Verdict, distinct, unknown_path};
use crate::metadata::{SYSTEM_FIELDS, dedup_owners, meta, remove_meta, set_meta, start_meta};
use crate::openapi::Entry;

/// A kind of a document, compiled.
#[derive(Debug)]
pub(crate) struct Documented {
    forms: Forms,
    plan: Arc<Plan>,
    rules: RuleSet,
    /// Whether it is known if objects live in namespaces.
    scoped: bool,
}

impl Documented {
    pub(crate) fn compile(entry: &Entry, schema: Schema) -> Result<Documented, String> {
        let plan = Arc::new(Plan::compile(&schema).map_err(|error| error.to_string())?);
        let ruled = schema.nodes().iter().any(|node| !node.rules.is_empty());
        let empty = Schema::new(vec![Node::default()], NodeId(0)).map_err(|it| it.to_string())?;
        let rules = if ruled {
            RuleSet::compile(&schema, RuleOptions::crd(), Some(Arc::clone(&plan)))
        } else {
            RuleSet::compile(&empty, RuleOptions::crd(), None)
        };
        let forms = Forms::as_sent(Arc::new(schema));
        Ok(Documented { forms, plan, rules, scoped: entry.namespaced.is_some() })
    }

    pub(crate) fn schema(&self) -> &Schema {
        self.forms.schema()
    }

    pub(crate) fn create(&self, kind: &Kind, object: Value) -> Verdict {
        let mut verdict = Verdict::default();
        let Some(mut object) = self.read(&object, &mut verdict) else { return verdict };
        self.place(kind, &mut object);
        start_meta(&mut object);
        if kind.has_status
            && let Value::Map(map) = &mut object
        {
            map.remove("status");
        }
        verdict.errors = self.errors(kind, &object, None);
        self.finish(object, verdict)
    }

    pub(crate) fn update(&self, kind: &Kind, object: &Value, old: &Value) -> Verdict {
        let mut verdict = Verdict::default();
        let Some(mut object) = self.read(object, &mut verdict) else { return verdict };
        let old = self.stored(kind, old);
        self.place(kind, &mut object);
        dedup_owners(&mut object);
        if kind.has_status {
            keep(&mut object, &old, "status");
        }
        let kept = ["resourceVersion", "generation", "managedFields"];
        for field in SYSTEM_FIELDS.into_iter().chain(kept) {
            match meta(&old, field).cloned() {
                Some(value) => set_meta(&mut object, field, value),
                None => remove_meta(&mut object, field),
            }
        }
        verdict.errors = self.change_errors(kind, &object, &old);
        self.finish(object, verdict)
    }

    pub(crate) fn status(&self, kind: &Kind, object: &Value, old: &Value) -> Verdict {
        let mut verdict = Verdict::default();
        let Some(written) = self.read(object, &mut verdict) else { return verdict };
        let old = self.stored(kind, old);
        let mut object = old.clone();
        keep(&mut object, &written, "status");
        verdict.errors = self.change_errors(kind, &object, &old);
        verdict.object = Some(object);
        verdict
    }

    fn finish(&self, mut object: Value, mut verdict: Verdict) -> Verdict {
        self.plan.default(&mut object);
        verdict.doubtful = self.plan.validate_list_types(&object);
        verdict.object = Some(object);
        verdict
    }

    fn change_errors(&self, kind: &Kind, object: &Value, old: &Value) -> ErrorList {
        let (new, before) = (ObjectMeta::of(object), ObjectMeta::of(old));
        let mut errors = object_meta::validate_update(new, before, &Path::new("metadata"));
        errors.extend(self.errors(kind, object, Some(old)));
        distinct(errors)
    }

    /// What is wrong with an object that could be read.
    fn errors(&self, kind: &Kind, object: &Value, old: Option<&Value>) -> ErrorList {
        let namespaced =
            if self.scoped { kind.namespaced } else { meta(object, "namespace").is_some() };
        let mut errors = validate_meta(object, &kind.group, &kind.kind, namespaced);
        let mut completed = object.clone();
        self.plan.default(&mut completed);
        errors.extend(self.plan.validate_schema(&completed, None));
        if self.rules.any() {
            errors.extend(self.rules.evaluate(&completed, old).errors);
        }
        errors
    }

    fn stored(&self, kind: &Kind, old: &Value) -> Value {
        let none = Map::new();
        let given = old.as_map().unwrap_or(&none);
        let read = codec::decode(&self.forms, given, &[]);
        let mut old = Value::Map(read.map(|(map, _)| map).unwrap_or_default());
        if let Value::Map(map) = &mut old {
            map.insert("apiVersion", kind.api_version().into());
        }
        for field in SYSTEM_FIELDS {
            remove_meta(&mut old, field);
        }
        self.place(kind, &mut old);
        dedup_owners(&mut old);
        set_meta(&mut old, "resourceVersion", "1".into());
        old
    }

    fn read(&self, object: &Value, verdict: &mut Verdict) -> Option<Value> {
        let none = Map::new();
        match codec::decode(&self.forms, object.as_map().unwrap_or(&none), &[]) {
            Ok((map, findings)) => {
                verdict.unknown = findings.unknown.iter().map(|it| unknown_path(it)).collect();
                Some(Value::Map(map))
            }
            Err(error) => {
                (verdict.unreadable, verdict.unreadable_field) = (Some(error.why), error.field);
                None
            }
        }
    }

    /// Puts the object into the namespace that a client would choose.
    fn place(&self, kind: &Kind, object: &mut Value) {
        if !self.scoped {
            return;
        }
        let given = meta(object, "namespace").and_then(Value::as_str).unwrap_or_default();
        match (kind.namespaced, given.is_empty()) {
            (true, true) => set_meta(object, "namespace", "default".into()),
            (false, false) => remove_meta(object, "namespace"),
            _ => {}
        }
    }
}

/// Takes a field from another object, or removes it when it is absent there.
fn keep(object: &mut Value, from: &Value, field: &str) {
    let Value::Map(map) = object else { return };
    match from.get(field) {
        Some(value) => drop(map.insert(field, value.clone())),
        None => drop(map.remove(field)),
    }
}

/// The checks of metadata, with the rule for names that the kind has.
fn validate_meta(object: &Value, group: &str, kind: &str, namespaced: bool) -> ErrorList {
    object_meta::validate(
        ObjectMeta::of(object),
        namespaced,
        name_rule(group, kind),
        &Path::new("metadata"),
    )
}

fn name_rule(group: &str, kind: &str) -> fn(&str, bool) -> Vec<String> {
    match (group, kind) {
        ("", "Service") => name::label_1035_rule,
        ("", "Namespace") => name::label_rule,
        ("rbac.authorization.k8s.io", _) => name::path_segment_rule,
        ("", _) | ("apps" | "batch" | "policy" | "autoscaling" | "extensions", _) => {
            name::subdomain_rule
        }
        (group, _) if group.ends_with(".k8s.io") => name::subdomain_rule,
        // Of others only what every name must be is known.
        _ => name::path_segment_rule,
    }
}
