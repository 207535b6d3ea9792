//! StatefulSet: pods with lasting names and volumes of their own.

use ordain_meta::{name, object_meta};
use ordain_strategy::typed::printer;
use ordain_strategy::{Change, Part, Warnings, object};
use ordain_value::field::{self, Path};
use ordain_value::{List, Map, Value, value};

use super::workload;
use crate::core::persistent_volume_claim::spec as claim;
use crate::core::pod::template;
use crate::native::Native;
use crate::shared::table::{CONTAINERS, IMAGES};
use crate::shared::{amount, fields, internal, selector, table};

type Errors = field::ErrorList;

const UPDATE: [&str; 3] = ["spec", "updateStrategy", "rollingUpdate"];
const MAX_UNAVAILABLE: [&str; 4] = ["spec", "updateStrategy", "rollingUpdate", "maxUnavailable"];

pub(crate) fn native() -> Native {
    let mut native = workload::native("StatefulSet", |change| {
        workload::validate(change, name::label_rule, spec, status)
    });
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
    native.hooks.cells = cells;
    native.scale = Some(workload::scale());
    native.columns = table::columns(
        &[("Ready", "string", "Pods that are ready, of those wanted.")],
        &[CONTAINERS, IMAGES],
    );
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

/// What of a spec is judged; an update tolerates what cannot change any more.
#[derive(Clone, Copy, Default)]
struct Tolerance {
    service_name: bool,
    template: bool,
}

fn spec(change: &Change<'_>, spec: &Value, path: &Path<'_>, errors: &mut Errors) {
    let Some(old) = change.old else {
        let list = path.child("volumeClaimTemplates");
        for (at, claim) in fields::list(spec, &["volumeClaimTemplates"]).iter().enumerate() {
            let given = fields::at(claim, &["spec"]).unwrap_or(&Value::Null);
            let path = list.index(at);
            claim::validate(given, &claim::Rules::of(None), &path.child("spec"), errors);
        }
        return judged(change, spec, path, Tolerance::default(), errors);
    };
    let tolerance = Tolerance { service_name: true, template: false };
    let mut before = Errors::new();
    let old_spec = fields::at(old, &["spec"]).unwrap_or(&Value::Null);
    judged(change, old_spec, path, tolerance, &mut before);
    judged(change, spec, path, Tolerance { template: !before.is_empty(), ..tolerance }, errors);
    if fixed(spec) != fixed(old_spec) {
        let why = "updates to statefulset spec for fields other than 'replicas', 'ordinals', \
                   'template', 'updateStrategy', 'revisionHistoryLimit', \
                   'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
        errors.push(field::Error::forbidden(path, why));
    }
}

const CHANGEABLE: [&str; 7] = [
    "replicas",
    "template",
    "updateStrategy",
    "minReadySeconds",
    "ordinals",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
];

/// The fields of a spec that never change.
fn fixed(spec: &Value) -> Value {
    let mut fixed = spec.clone();
    if let Some(map) = fixed.as_map_mut() {
        map.retain(|key, _| !CHANGEABLE.contains(&key.as_str()));
    }
    fixed
}

fn judged(
    change: &Change<'_>,
    spec: &Value,
    path: &Path<'_>,
    tolerance: Tolerance,
    errors: &mut Errors,
) {
    policies(spec, path, errors);
    let service = fields::text(spec, &["serviceName"]);
    if !tolerance.service_name && !service.is_empty() {
        for why in name::dns_1123_label(service) {
            errors.push(field::Error::invalid(&path.child("serviceName"), service, why));
        }
    }
    workload::needed_selector(spec, "statefulset", path, errors);
    let given = fields::at(spec, &["selector"]);
    let template = fields::at(spec, &["template"]).unwrap_or(&Value::Null);
    let template_path = path.child("template");
    match selector::parse(given) {
        Err(_) => {
            let path = path.child("selector");
            errors.push(field::Error::invalid(&path, selector::shown(given), ""));
        }
        Ok(chosen) => {
            let effective = effective_template(spec, template);
            if !chosen.as_ref().is_some_and(|it| it.is_everything()) {
                workload::selects_template(chosen.as_ref(), &effective, &template_path, errors);
            }
            if !tolerance.template {
                let options = workload::options(change);
                errors.extend(template::validate(&effective, &template_path, &options));
            }
            repeated_metadata(&effective, &template_path, errors);
        }
    }
    workload::restarts_always(template, "StatefulSet", &template_path, errors);
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

fn policies(spec: &Value, path: &Path<'_>, errors: &mut Errors) {
    let management = path.child("podManagementPolicy");
    match fields::text(spec, &["podManagementPolicy"]) {
        "" => errors.push(field::Error::required(&management, "")),
        "OrderedReady" | "Parallel" => {}
        given => {
            let why = "must be 'OrderedReady' or 'Parallel'";
            errors.push(field::Error::invalid(&management, given, why));
        }
    }
    let strategy = fields::at(spec, &["updateStrategy"]).unwrap_or(&Value::Null);
    let strategy_path = path.child("updateStrategy");
    let update_path = strategy_path.child("rollingUpdate");
    let update = fields::at(strategy, &["rollingUpdate"]);
    match (fields::text(strategy, &["type"]), update) {
        ("", _) => errors.push(field::Error::required(&strategy_path, "")),
        ("OnDelete", Some(update)) => {
            let why = "only allowed for updateStrategy 'RollingUpdate'";
            errors.push(field::Error::invalid(&update_path, shown_update(update), why));
        }
        ("RollingUpdate", Some(update)) => rolling(update, &update_path, errors),
        ("OnDelete" | "RollingUpdate", None) => {}
        (ty, update) => {
            let shown = internal::structure(&[
                ("Type", internal::plain(Some(&ty.into()))),
                (
                    "RollingUpdate",
                    update.map_or("null".to_owned(), |it| internal::text(shown_update(it))),
                ),
            ]);
            let why = "must be 'RollingUpdate' or 'OnDelete'";
            errors.push(field::Error::invalid(&strategy_path, shown, why));
        }
    }
    let retention = path.child("persistentVolumeClaimRetentionPolicy");
    if let Some(policy) = fields::at(spec, &["persistentVolumeClaimRetentionPolicy"]) {
        for name in ["whenDeleted", "whenScaled"] {
            let known = ["Retain", "Delete"];
            fields::one_of(policy, &[name], &known, &retention.child(name), errors);
        }
    }
}

fn shown_update(update: &Value) -> field::BadValue {
    let partition = Value::Int(fields::count(update, &["partition"]));
    internal::structure(&[
        ("Partition", internal::plain(Some(&partition))),
        ("MaxUnavailable", internal::plain(fields::at(update, &["maxUnavailable"]))),
    ])
}

fn rolling(update: &Value, path: &Path<'_>, errors: &mut Errors) {
    let Some(most) = fields::at(update, &["maxUnavailable"]) else { return };
    let path = path.child("maxUnavailable");
    amount::count_or_percent(most, &path, errors);
    if amount::number(Some(most)) == 0 {
        errors.push(field::Error::invalid(&path, most.clone(), "cannot be 0"));
    }
    amount::at_most_all(most, &path, errors);
}

const TOO_MANY: &str = "cannot be greater than status.replicas";

fn status(status: &Value, path: &Path<'_>, errors: &mut Errors) {
    let pairs = [
        ("readyReplicas", "replicas", TOO_MANY),
        ("currentReplicas", "replicas", TOO_MANY),
        ("updatedReplicas", "replicas", TOO_MANY),
        ("availableReplicas", "replicas", TOO_MANY),
        ("availableReplicas", "readyReplicas", "cannot be greater than status.readyReplicas"),
    ];
    workload::at_most(status, &pairs, path, errors);
}

fn cells(set: &Value, now: i64) -> Vec<Value> {
    let ready = fields::count(set, &["status", "readyReplicas"]);
    let wanted = fields::count(set, &["spec", "replicas"]);
    let mut cells =
        vec![object::name(set).into(), format!("{ready}/{wanted}").into(), printer::age(set, now)];
    cells.extend(table::containers(fields::at(set, &["spec", "template", "spec"])));
    cells
}
