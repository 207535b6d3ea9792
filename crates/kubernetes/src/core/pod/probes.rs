//! Probes and lifecycle handlers of containers.

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::check::{named, required};
use crate::shared::access::{int, int_of, items, part, some, text};
use crate::shared::net;

/// The three probes of a container.
pub(super) fn check(
    container: &Value,
    grace: Option<i64>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    for kind in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let Some(probe) = some(container, kind) else { continue };
        let path = path.child(kind);
        check_probe(probe, grace, &path, errors);
        let grace = int_of(probe, "terminationGracePeriodSeconds");
        if kind == "readinessProbe" {
            if let Some(seconds) = grace {
                let path = path.child("terminationGracePeriodSeconds");
                let problem = "must not be set for readinessProbes";
                errors.push(Error::invalid(&path, seconds, problem));
            }
        } else if int(probe, "successThreshold") != 1 {
            let threshold = int(probe, "successThreshold");
            errors.push(Error::invalid(&path.child("successThreshold"), threshold, "must be 1"));
        }
    }
}

fn check_probe(probe: &Value, grace: Option<i64>, path: &Path<'_>, errors: &mut ErrorList) {
    check_handler(probe, &["exec", "httpGet", "tcpSocket", "grpc"], grace, path, errors);
    for field in [
        "initialDelaySeconds",
        "timeoutSeconds",
        "periodSeconds",
        "successThreshold",
        "failureThreshold",
    ] {
        let number = int(probe, field);
        if number < 0 {
            let problem = "must be greater than or equal to 0";
            let error = Error::invalid(&path.child(field), number, problem);
            errors.push(error.with_origin("minimum"));
        }
    }
    if let Some(seconds) = int_of(probe, "terminationGracePeriodSeconds").filter(|it| *it <= 0) {
        let path = path.child("terminationGracePeriodSeconds");
        errors.push(Error::invalid(&path, seconds, "must be greater than 0"));
    }
}

/// What runs after a container has started and before it stops.
pub(super) fn check_lifecycle(
    container: &Value,
    grace: Option<i64>,
    os: Option<&str>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let Some(lifecycle) = some(container, "lifecycle") else { return };
    let path = path.child("lifecycle");
    for hook in ["postStart", "preStop"] {
        if let Some(handler) = some(lifecycle, hook) {
            let kinds = ["exec", "httpGet", "tcpSocket", "sleep"];
            check_handler(handler, &kinds, grace, &path.child(hook), errors);
        }
    }
    if some(lifecycle, "stopSignal").is_some() && os.is_none() {
        let problem = "may not be set for containers with empty `spec.os.name`";
        errors.push(Error::forbidden(&path.child("stopSignal"), problem));
    }
}

fn check_handler(
    handler: &Value,
    kinds: &[&str],
    grace: Option<i64>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let mut handlers = 0;
    for kind in kinds {
        let Some(action) = some(handler, kind) else { continue };
        let path = path.child(kind);
        handlers += 1;
        if handlers > 1 {
            errors.push(Error::forbidden(&path, "may not specify more than 1 handler type"));
            continue;
        }
        match *kind {
            "exec" => {
                if items(action, "command").is_empty() {
                    errors.push(Error::required(&path.child("command"), ""));
                }
            }
            "httpGet" => check_http(action, &path, errors),
            "sleep" => check_sleep(int(action, "seconds"), grace, &path, errors),
            _ => errors.extend(net::port_number_or_name(&path.child("port"), part(action, "port"))),
        }
    }
    if handlers == 0 {
        errors.push(Error::required(path, "must specify a handler type"));
    }
}

fn check_http(action: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const SCHEMES: [&str; 2] = ["HTTP", "HTTPS"];
    required(action, "path", path, errors);
    errors.extend(net::port_number_or_name(&path.child("port"), part(action, "port")));
    let scheme = text(action, "scheme");
    if !SCHEMES.contains(&scheme) {
        errors.push(Error::not_supported(&path.child("scheme"), named(scheme), &SCHEMES));
    }
    for header in items(action, "httpHeaders") {
        let header = text(header, "name");
        let allowed = |it: u8| it.is_ascii_alphanumeric() || it == b'-';
        if header.is_empty() || !header.bytes().all(allowed) {
            let problem = name::pattern_message(
                "a valid HTTP header must consist of alphanumeric characters or '-'",
                "[-A-Za-z0-9]+",
                &["X-Header-Name"],
            );
            errors.push(Error::invalid(&path.child("httpHeaders"), header, problem));
        }
    }
}

fn check_sleep(seconds: i64, grace: Option<i64>, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(grace) = grace.filter(|grace| seconds < 0 || seconds > *grace) {
        let problem =
            format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})");
        errors.push(Error::invalid(path, seconds, problem));
    }
}
