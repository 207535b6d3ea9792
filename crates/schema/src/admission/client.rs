//! Where a webhook is: rules that conversion and admission webhooks share.

use std::collections::BTreeSet;

use ordain_meta::name::{dns_1035_label, dns_1123_subdomain};
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Text, Value};

use crate::crd::Service;

const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];
const FORM: &str = "; desired format: https://host[/path]";

/// Judges the address of a webhook.
pub fn url(text: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let url = match super::url::parse(text) {
        Ok(url) => url,
        Err(why) => {
            let detail = format!("url must be a valid URL: {why}{FORM}");
            return errors.push(Error::required(path, detail));
        }
    };
    let mut invalid =
        |value: &str, detail: String| errors.push(Error::invalid(path, value, detail));
    if url.scheme != "https" {
        invalid(&url.scheme, format!("'https' is the only allowed URL scheme{FORM}"));
    }
    if url.host.is_empty() {
        invalid(url.host, format!("host must be specified{FORM}"));
    }
    if let Some(user) = url.user {
        invalid(user, "user information is not permitted in the URL".to_owned());
    }
    if !url.fragment.is_empty() {
        invalid(url.fragment, "fragments are not permitted in the URL".to_owned());
    }
    if !url.query.is_empty() {
        invalid(url.query, "query parameters are not permitted in the URL".to_owned());
    }
}

/// Judges the service in front of a webhook.
pub fn service(service: &Service, path: &Path<'_>, errors: &mut ErrorList) {
    // Upstream hands the two over in the wrong order, so each is reported as the other.
    if service.namespace.is_empty() {
        errors.push(Error::required(&path.child("name"), ""));
    }
    if service.name.is_empty() {
        errors.push(Error::required(&path.child("namespace"), ""));
    }
    let port = service.port.unwrap_or_default();
    if !(1..=65535).contains(&port) {
        let detail = "port is not valid: must be between 1 and 65535, inclusive";
        errors.push(Error::invalid(&path.child("port"), port, detail));
    }
    if let Some(url_path) = service.path.as_ref().filter(|p| !p.is_empty() && *p != "/") {
        service_path(url_path, &path.child("path"), errors);
    }
}

fn service_path(text: &Text, path: &Path<'_>, errors: &mut ErrorList) {
    let mut invalid = |detail: String| errors.push(Error::invalid(path, text.clone(), detail));
    if text == "//" {
        return invalid("segment[0] may not be empty".to_owned());
    }
    if !text.starts_with('/') {
        invalid("must start with a '/'".to_owned());
    }
    // The first byte goes, whatever it is.
    let first = text.chars().next().map_or(0, char::len_utf8);
    let segments = &text[first..];
    let segments = segments.strip_suffix('/').unwrap_or(segments);
    for (at, segment) in segments.split('/').enumerate() {
        if segment.is_empty() {
            invalid(format!("segment[{at}] may not be empty"));
            continue;
        }
        for why in dns_1123_subdomain(segment) {
            invalid(format!("segment[{at}]: {why}"));
        }
    }
}

/// Judges the versions of reviews that a webhook understands; `missing` is said when it names none.
pub fn review_versions(
    list: &[Text],
    require_recognized: bool,
    missing: &str,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if list.is_empty() {
        return errors.push(Error::required(path, missing));
    }
    let mut seen = BTreeSet::new();
    for (at, version) in list.iter().enumerate() {
        let path = path.index(at);
        if !seen.insert(version) {
            errors.push(Error::invalid(&path, version.clone(), "duplicate version"));
            continue;
        }
        for why in dns_1035_label(version) {
            errors.push(Error::invalid(&path, version.clone(), why));
        }
    }
    if require_recognized && !list.iter().any(|v| is_recognized(v)) {
        let shown = Value::from(list.iter().cloned().map(Value::from).collect::<Vec<_>>());
        let detail = format!("must include at least one of {}", REVIEW_VERSIONS.join(", "));
        errors.push(Error::invalid(path, shown, detail));
    }
}

/// Whether this version of reviews is understood.
pub fn is_recognized(version: &str) -> bool {
    REVIEW_VERSIONS.contains(&version)
}
