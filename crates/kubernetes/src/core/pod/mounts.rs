//! Where containers see volumes: as directories or as devices.

use std::collections::{BTreeMap, BTreeSet};

use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::check::one_of;
use super::paths;
use super::volumes::Volumes;
use crate::shared::access::{flag, flag_of, items, part, some, text, text_of};

/// The mounts and devices of a container.
pub(super) fn check(
    container: &Value,
    volumes: &Volumes<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let (mounts, devices) = (items(container, "volumeMounts"), items(container, "volumeDevices"));
    let places = |list: &'_ [Value], field: &str| -> BTreeMap<String, String> {
        list.iter().map(|it| (text(it, "name").to_owned(), text(it, field).to_owned())).collect()
    };
    let mounted = places(mounts, "mountPath");
    let used = places(devices, "devicePath");
    let list = path.child("volumeMounts");
    let mut seen = BTreeSet::new();
    for (at, mount) in mounts.iter().enumerate() {
        let path = list.index(at);
        check_mount_place(mount, volumes, &used, &mut seen, &path, errors);
        check_mount_form(mount, container, &list, &path, errors);
    }
    let list = path.child("volumeDevices");
    let (mut names, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for (at, device) in devices.iter().enumerate() {
        check_device(device, volumes, &mounted, (&mut names, &mut seen), &list.index(at), errors);
    }
}

fn check_mount_place<'a>(
    mount: &'a Value,
    volumes: &Volumes<'_>,
    devices: &BTreeMap<String, String>,
    seen: &mut BTreeSet<&'a str>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let (name, place) = (text(mount, "name"), text(mount, "mountPath"));
    let (name_path, place_path) = (path.child("name"), path.child("mountPath"));
    if name.is_empty() {
        errors.push(Error::required(&name_path, ""));
    }
    if !volumes.contains_key(name) {
        errors.push(Error::not_found(&name_path, name));
    }
    if place.is_empty() {
        errors.push(Error::required(&place_path, ""));
    }
    if !seen.insert(place) {
        errors.push(Error::invalid(&place_path, place, "must be unique"));
    }
    if devices.contains_key(name) {
        errors.push(Error::invalid(&name_path, name, "must not already exist in volumeDevices"));
    }
    if devices.values().any(|it| it == place) {
        let problem = "must not already exist as a path in volumeDevices";
        errors.push(Error::invalid(&place_path, place, problem));
    }
}

fn check_mount_form(
    mount: &Value,
    container: &Value,
    list: &Path<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let (sub, expression) = (text(mount, "subPath"), text(mount, "subPathExpr"));
    if !sub.is_empty() {
        paths::descending(sub, &list.child("subPath"), errors);
    }
    if !expression.is_empty() {
        if !sub.is_empty() {
            let problem = "subPathExpr and subPath are mutually exclusive";
            errors.push(Error::invalid(&path.child("subPathExpr"), expression, problem));
        }
        paths::descending(expression, &list.child("subPathExpr"), errors);
    }
    let propagation = text_of(mount, "mountPropagation");
    if let Some(mode) = propagation {
        let path = list.child("mountPropagation");
        one_of(mode, &["Bidirectional", "HostToContainer", "None"], &path, errors);
        let privileged = flag_of(part(container, "securityContext"), "privileged");
        if mode == "Bidirectional" && privileged != Some(true) {
            let problem =
                "Bidirectional mount propagation is available only to privileged containers";
            errors.push(Error::forbidden(&path, problem));
        }
    }
    let path = list.child("recursiveReadOnly");
    match text_of(mount, "recursiveReadOnly") {
        None | Some("Disabled") => {}
        Some("Enabled" | "IfPossible") => {
            if !flag(mount, "readOnly") {
                let problem = "may only be specified when readOnly is true";
                errors.push(Error::forbidden(&path, problem));
            }
            if propagation.is_some_and(|it| it != "None") {
                let problem =
                    "may only be specified when mountPropagation is None or not specified";
                errors.push(Error::forbidden(&path, problem));
            }
        }
        Some(other) => one_of(other, &["Disabled", "Enabled", "IfPossible"], &path, errors),
    }
}

fn check_device<'a>(
    device: &'a Value,
    volumes: &Volumes<'_>,
    mounts: &BTreeMap<String, String>,
    (names, seen): (&mut BTreeSet<&'a str>, &mut BTreeSet<&'a str>),
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let (name, place) = (text(device, "name"), text(device, "devicePath"));
    let (name_path, place_path) = (path.child("name"), path.child("devicePath"));
    if name.is_empty() {
        errors.push(Error::required(&name_path, ""));
    }
    if names.contains(name) {
        errors.push(Error::invalid(&name_path, name, "must be unique"));
    }
    let is_claim = |volume: &Value| {
        some(volume, "persistentVolumeClaim").is_some() || some(volume, "ephemeral").is_some()
    };
    match volumes.get(name) {
        Some(volume) if !is_claim(volume) => errors.push(Error::invalid(
            &name_path,
            name,
            "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
        )),
        Some(_) => {}
        None => errors.push(Error::not_found(&name_path, name)),
    }
    if place.is_empty() {
        errors.push(Error::required(&place_path, ""));
    }
    if seen.contains(place) {
        errors.push(Error::invalid(&place_path, place, "must be unique"));
    }
    if paths::has_backsteps(place) {
        errors.push(Error::invalid(&place_path, place, "can not contain backsteps ('..')"));
    } else {
        seen.insert(place);
    }
    if mounts.contains_key(name) {
        errors.push(Error::invalid(&name_path, name, "must not already exist in volumeMounts"));
    }
    if mounts.values().any(|it| it == place) {
        let problem = "must not already exist as a path in volumeMounts";
        errors.push(Error::invalid(&place_path, place, problem));
    }
    if !name.is_empty() {
        names.insert(name);
    }
}
