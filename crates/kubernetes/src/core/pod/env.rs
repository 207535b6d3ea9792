//! Environment variables of containers.

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::{downward, paths};
use crate::shared::access::{items, some, text};
use crate::shared::net;

/// The variables of a container, each with a value or a source of one.
pub(super) fn check(container: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let list = path.child("env");
    for (at, variable) in items(container, "env").iter().enumerate() {
        let path = list.index(at);
        let name = text(variable, "name");
        if name.is_empty() {
            errors.push(Error::required(&path.child("name"), ""));
        } else {
            check_name(name, &path.child("name"), errors);
        }
        if let Some(source) = some(variable, "valueFrom") {
            let with_value = !text(variable, "value").is_empty();
            check_source(source, with_value, &path.child("valueFrom"), errors);
        }
    }
    let list = path.child("envFrom");
    for (at, source) in items(container, "envFrom").iter().enumerate() {
        check_all_from(source, &list, &list.index(at), errors);
    }
}

/// Printable ASCII but `=`.
fn check_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if name.chars().any(|it| !matches!(it, ' '..='~') || it == '=') {
        let problem = "a valid environment variable name must consist only of printable ASCII \
                       characters other than '='";
        errors.push(Error::invalid(path, name, problem));
    }
}

fn check_source(source: &Value, with_value: bool, path: &Path<'_>, errors: &mut ErrorList) {
    let mut sources = 0;
    if let Some(field) = some(source, "fieldRef") {
        sources += 1;
        downward::check_field(field, &downward::ENV_FIELDS, &path.child("fieldRef"), errors);
    }
    if let Some(resource) = some(source, "resourceFieldRef") {
        sources += 1;
        downward::check_resource(resource, false, &path.child("resourceFieldRef"), errors);
    }
    for kind in ["configMapKeyRef", "secretKeyRef"] {
        if let Some(key) = some(source, kind) {
            sources += 1;
            downward::check_key(key, &path.child(kind), errors);
        }
    }
    if let Some(file) = some(source, "fileKeyRef") {
        sources += 1;
        check_file_key(file, &path.child("fileKeyRef"), errors);
    }
    let problem = match sources {
        0 => {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, \
             `secretKeyRef` or `fileKeyRef`"
        }
        _ if with_value => "may not be specified when `value` is not empty",
        1 => return,
        _ => "may not have more than one field specified at a time",
    };
    errors.push(Error::invalid(path, "", problem));
}

fn check_file_key(selector: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let mut given =
        |field: &str, rule: fn(&str, &Path<'_>, &mut ErrorList)| match text(selector, field) {
            "" => errors.push(Error::required(&path.child(field), "")),
            value => rule(value, &path.child(field), errors),
        };
    given("key", check_name);
    given("volumeName", |value, path, errors| errors.extend(net::label(path, value)));
    given("path", paths::no_backsteps);
}

/// All keys of a config map or secret.
fn check_all_from(source: &Value, list: &Path<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let prefix = text(source, "prefix");
    if !prefix.is_empty() {
        check_name(prefix, &path.child("prefix"), errors);
    }
    let mut sources = 0;
    for kind in ["configMapRef", "secretRef"] {
        if let Some(reference) = some(source, kind) {
            sources += 1;
            let path = path.child(kind);
            match text(reference, "name") {
                "" => errors.push(Error::required(&path.child("name"), "")),
                name => {
                    let problems = name::subdomain_rule(name, true);
                    errors.extend(net::invalid(&path.child("name"), name, problems));
                }
            }
        }
    }
    let problem = match sources {
        0 => "must specify one of: `configMapRef` or `secretRef`",
        1 => return,
        _ => "may not have more than one field specified at a time",
    };
    errors.push(Error::invalid(list, "", problem));
}

/// Variables that are read from files refer to volumes that are empty directories.
pub(super) fn check_file_volumes(
    spec: &Value,
    container: &Value,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let list = path.child("env");
    for (at, variable) in items(container, "env").iter().enumerate() {
        let key = some(variable, "valueFrom").and_then(|it| some(it, "fileKeyRef"));
        let Some(key) = key else { continue };
        let item = list.index(at);
        let path = item.child("valueFrom.fileKeyRef.volumeName");
        let wanted = text(key, "volumeName");
        // Of volumes with the same name the last one counts.
        let volume = items(spec, "volumes").iter().rfind(|it| text(it, "name") == wanted);
        match volume {
            None => errors.push(Error::not_found(&path, wanted)),
            Some(volume) if some(volume, "emptyDir").is_none() => {
                let problem = "referenced volume must be of type emptyDir";
                errors.push(Error::invalid(&path, wanted, problem));
            }
            Some(_) => {}
        }
    }
}
