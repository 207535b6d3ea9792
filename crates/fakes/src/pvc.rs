//! Claims: each gets the volume that it names, or one of its own.

use ordain_value::{Value, value};

use crate::outcome::{Outcome, Outcomes};
use crate::status::changed;
use crate::world::{Action, CLAIMS, VOLUMES, World, name, namespace, text};

pub(crate) fn actions(world: &World, outcomes: &Outcomes) -> Vec<Action> {
    world.live(CLAIMS).flat_map(|claim| of_claim(world, outcomes, claim)).collect()
}

fn of_claim(world: &World, outcomes: &Outcomes, claim: &Value) -> Vec<Action> {
    if text(claim, &["status", "phase"]) == "Bound" {
        return Vec::new();
    }
    let (outcome, due) = outcomes.of(world, "PersistentVolumeClaim", claim);
    if !due {
        return vec![Action::Wait];
    }
    if outcome == Outcome::Pending {
        return Vec::new();
    }
    let own = format!("pvc-{}", text(claim, &["metadata", "uid"]));
    let named = match text(claim, &["spec", "volumeName"]) {
        "" => own.clone(),
        name => name.to_owned(),
    };
    let Some(found) = world.named(VOLUMES, "", &named) else {
        // A volume that a claim names is made elsewhere.
        let made = (named == own).then(|| Action::Create(VOLUMES, volume(claim, &named)));
        return made.into_iter().collect();
    };
    if !is_for(found, claim) {
        return Vec::new();
    }
    if let Some(found) = claimed(found, claim) {
        return vec![Action::Update(VOLUMES, found)];
    }
    if text(claim, &["spec", "volumeName"]).is_empty() {
        let mut claim = claim.clone();
        claim.set_path(&["spec", "volumeName"], named.into());
        return vec![Action::Update(CLAIMS, claim)];
    }
    let bound = value!({"phase": "Bound"});
    let volume = changed(found, bound).map(|it| Action::Status(VOLUMES, it));
    let spec = |path: &[&str]| found.get_path(path).cloned().unwrap_or(Value::Null);
    let status = value!({
        "phase": "Bound",
        "accessModes": (spec(&["spec", "accessModes"])),
        "capacity": (spec(&["spec", "capacity"])),
        "currentVolumeAttributesClassName": (spec(&["spec", "volumeAttributesClassName"]))
    });
    let claim = changed(claim, status).map(|it| Action::Status(CLAIMS, it));
    volume.into_iter().chain(claim).collect()
}

/// Whether no other claim has the volume.
fn is_for(volume: &Value, claim: &Value) -> bool {
    let reference = |field: &str| text(volume, &["spec", "claimRef", field]);
    let uid = reference("uid");
    reference("name").is_empty()
        || (reference("name") == name(claim)
            && reference("namespace") == namespace(claim)
            && (uid.is_empty() || uid == text(claim, &["metadata", "uid"])))
}

/// The volume with the claim that it is for, if it does not say so yet.
fn claimed(volume: &Value, claim: &Value) -> Option<Value> {
    if !text(volume, &["spec", "claimRef", "uid"]).is_empty() {
        return None;
    }
    let mut volume = volume.clone();
    volume.set_path(&["spec", "claimRef"], claim_reference(claim));
    Some(volume)
}

fn claim_reference(claim: &Value) -> Value {
    value!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": (namespace(claim)),
        "name": (name(claim)),
        "uid": (text(claim, &["metadata", "uid"]))
    })
}

fn volume(claim: &Value, name: &str) -> Value {
    let spec = |path: &[&str]| claim.get_path(path).cloned();
    let size = spec(&["spec", "resources", "requests", "storage"]);
    let mut made = value!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": (size.unwrap_or_else(|| "1Gi".into()))},
            "accessModes": (spec(&["spec", "accessModes"]).unwrap_or_else(|| value!(["ReadWriteOnce"]))),
            "persistentVolumeReclaimPolicy": "Delete",
            "hostPath": {"path": (format!("/fake/{name}"))},
            "claimRef": (claim_reference(claim))
        }
    });
    for field in ["storageClassName", "volumeMode", "volumeAttributesClassName"] {
        if let Some(value) = spec(&["spec", field]) {
            made.set_path(&["spec", field], value);
        }
    }
    made
}
