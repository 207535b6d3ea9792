//! StatefulSet: pods with lasting names and volumes of their own.

use std::sync::{Arc, OnceLock};

use ordain_meta::{name, object_meta};
use ordain_passes::declared::written::{Write, WrittenRules};
use ordain_strategy::typed::rules;
use ordain_strategy::{Change, Part, Warnings};
use ordain_value::field::{self, Path};
use ordain_value::{List, Map, Value, value};

use super::workload;
use crate::core::persistent_volume_claim::spec as claim;
use crate::core::pod::template;
use crate::native::Native;
use crate::shared::table::Cell::Of;
use crate::shared::table::{AGE, CONTAINERS, IMAGES, NAME};
use crate::shared::{fields, selector, written};

type Errors = field::ErrorList;

const UPDATE: [&str; 3] = ["spec", "updateStrategy", "rollingUpdate"];
const MAX_UNAVAILABLE: [&str; 4] = ["spec", "updateStrategy", "rollingUpdate", "maxUnavailable"];

pub(crate) fn native() -> Native {
    let mut native = workload::native("StatefulSet", validate);
    native.hooks.default = default;
    native.hooks.prepare_for_create = |set| {
        workload::drop_disabled(set);
        drop_max_unavailable(set, None);
    };
    native.hooks.prepare_for_update = |part, set, old| {
        workload::drop_disabled_in_update(part, set, old);
        drop_max_unavailable(set, Some(old));
    };
    native.hooks.warn = warn;
    native.scale = Some(workload::scale());
    native.columns = &[
        NAME,
        ("Ready", "string", 0, "Pods that are ready, of those wanted.", Of(workload::ready)),
        AGE,
        CONTAINERS,
        IMAGES,
    ];
    native
}

fn default(set: &mut Value) {
    if fields::text(set, &["spec", "updateStrategy", "type"]).is_empty() {
        set.set_path(&["spec", "updateStrategy", "type"], "RollingUpdate".into());
        fields::default(set, &UPDATE, Map::new());
    }
    if fields::text(set, &["spec", "updateStrategy", "type"]) == "RollingUpdate"
        && fields::at(set, &UPDATE).is_some()
    {
        fields::default(set, &["spec", "updateStrategy", "rollingUpdate", "partition"], 0);
    }
    workload::default_template(set);
    fields::each_mut(set, &["spec", "volumeClaimTemplates"], |claim| {
        claim.set_path(&["apiVersion"], "v1".into());
        claim.set_path(&["kind"], "PersistentVolumeClaim".into());
    });
}

/// The gate of `maxUnavailable` is off: it stays only where it was.
fn drop_max_unavailable(set: &mut Value, old: Option<&Value>) {
    if old.is_none_or(|old| fields::at(old, &MAX_UNAVAILABLE).is_none()) {
        set.remove_path(&MAX_UNAVAILABLE);
    }
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    workload::warn_of_template(change, warnings);
    if change.part == Part::Status {
        return;
    }
    let list = Path::new("spec.volumeClaimTemplates");
    let claims = fields::list(change.object, &["spec", "volumeClaimTemplates"]);
    for (at, given) in claims.iter().filter_map(|it| fields::at(it, &["spec"])).enumerate() {
        let path = list.index(at);
        // Upstream's path has another word on updates.
        match change.old {
            None => claim::warn(given, &path, warnings),
            Some(_) => claim::warn(given, &path.child("Spec"), warnings),
        }
    }
    let limit = fields::int(change.object, &["spec", "revisionHistoryLimit"]);
    if limit.is_some_and(|limit| limit < 0) {
        warnings.add(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a \
             value >= 0 is recommended",
        );
    }
}

fn validate(change: &Change<'_>) -> Errors {
    let mut errors = rules::metadata(change, true, name::label_rule);
    if change.part == Part::Status {
        return errors;
    }
    let spec = fields::at(change.object, &["spec"]).unwrap_or(&Value::Null);
    let path = Path::new("spec");
    let Some(old) = change.old else {
        let list = path.child("volumeClaimTemplates");
        for (at, claim) in fields::list(spec, &["volumeClaimTemplates"]).iter().enumerate() {
            let given = fields::at(claim, &["spec"]).unwrap_or(&Value::Null);
            let path = list.index(at);
            errors.extend(claim::validate(given, &path.child("spec")));
        }
        errors.extend(template_errors(change, spec, true));
        return errors;
    };
    // An update tolerates a template in a set that was wrong before.
    let old_spec = fields::at(old, &["spec"]).unwrap_or(&Value::Null);
    let judged = template_errors(change, old_spec, true).is_empty() && !is_wrong(old_spec);
    errors.extend(template_errors(change, spec, judged));
    errors
}

/// Whether the rules of specs have anything against one.
fn is_wrong(spec: &Value) -> bool {
    static RULES: OnceLock<Option<Arc<WrittenRules>>> = OnceLock::new();
    let rules = RULES.get_or_init(|| written::of("apps", "StatefulSet", "v1"));
    // As in an update that changes nothing, which does not judge the name of the service.
    let write = Write { kind: "StatefulSet", old: Some(spec), part: "main" };
    let found = rules
        .as_ref()
        .map(|it| it.validate_struct("v1.StatefulSetSpec", spec, write, &Path::new("spec")));
    found.is_some_and(|it| !it.is_empty())
}

fn template_errors(change: &Change<'_>, spec: &Value, judged: bool) -> Errors {
    let mut errors = Errors::new();
    if selector::parse(fields::at(spec, &["selector"])).is_ok() {
        let template = fields::at(spec, &["template"]).unwrap_or(&Value::Null);
        let effective = effective_template(spec, template);
        let path = Path::new("spec.template");
        if judged {
            errors.extend(template::validate(&effective, &path, &workload::options(change)));
        }
        repeated_metadata(&effective, &path, &mut errors);
    }
    errors
}

/// Labels and annotations of the template are judged twice, the second time under other paths.
fn repeated_metadata(template: &Value, path: &Path<'_>, errors: &mut Errors) {
    let labels = fields::map(template, &["metadata", "labels"]);
    selector::labels(labels, &path.child("labels"), errors);
    let annotations = fields::map(template, &["metadata", "annotations"]);
    let entries = annotations.into_iter().flat_map(Map::iter);
    let texts = entries.map(|(key, value)| (key.as_str(), value.as_str().unwrap_or("")));
    object_meta::annotations(texts, &path.child("annotations"), errors);
}

/// The template as its pods get it: with names from the set and volumes from its claims.
fn effective_template(spec: &Value, template: &Value) -> Value {
    let mut effective = template.clone();
    effective.remove_path(&["spec", "subdomain"]);
    effective.remove_path(&["spec", "hostname"]);
    let claims: Vec<&str> = fields::list(spec, &["volumeClaimTemplates"])
        .iter()
        .map(|claim| fields::text(claim, &["metadata", "name"]))
        .collect();
    if claims.is_empty() {
        return effective;
    }
    let mut names = claims.clone();
    names.sort_unstable();
    names.dedup();
    let mut volumes: Vec<Value> = names
        .into_iter()
        .map(|name| value!({"name": name, "persistentVolumeClaim": {"claimName": name}}))
        .collect();
    let own = fields::list(template, &["spec", "volumes"]);
    volumes.extend(own.iter().filter(|it| !claims.contains(&fields::text(it, &["name"]))).cloned());
    effective.set_path(&["spec", "volumes"], Value::List(List::from(volumes)));
    effective
}
