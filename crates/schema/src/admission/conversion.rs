//! Conversion between versions, and the webhook behind it.

use std::collections::BTreeSet;

use ordain_meta::name::{dns_1035_label, dns_1123_subdomain};
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Text, Value};

use super::{Options, parts, url};
use crate::base64;
use crate::crd::{Conversion, Service, WebhookClient};

const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];
const FORM: &str = "; desired format: https://host[/path]";

/// Judges `spec.conversion`.
pub(super) fn validate(
    conversion: &Conversion,
    options: &Options,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let strategies = ["None", "Webhook"];
    parts::one_of(&conversion.strategy, &strategies, &path.child("strategy"), errors);
    let client = conversion.webhook.as_ref().and_then(|w| w.client.as_ref());
    let versions = conversion.webhook.as_ref().and_then(|w| w.review_versions.as_deref());
    let client_path = path.child("webhookClientConfig");
    let versions_path = path.child("conversionReviewVersions");
    if conversion.strategy == "Webhook" {
        match client {
            None => {
                let detail = "required when strategy is set to Webhook";
                errors.push(Error::required(&client_path, detail));
            }
            Some(client) => client_config(client, options, &client_path, errors),
        }
        review_versions(versions.unwrap_or_default(), options, &versions_path, errors);
        return;
    }
    let detail = "should not be set when strategy is not set to Webhook";
    if client.is_some() {
        errors.push(Error::forbidden(&client_path, detail));
    }
    if versions.is_some_and(|v| !v.is_empty()) {
        errors.push(Error::forbidden(&versions_path, detail));
    }
}

fn client_config(
    client: &WebhookClient,
    options: &Options,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    match (&client.url, &client.service) {
        (Some(url), None) => webhook_url(url, &path.child("url"), errors),
        (None, Some(service)) => webhook_service(service, &path.child("service"), errors),
        _ => errors.push(Error::required(path, "exactly one of url or service is required")),
    }
    if !client.ca_bundle.is_empty()
        && !options.allow_invalid_ca_bundle
        && let Err(why) = check_ca_bundle(&client.ca_bundle)
    {
        errors.push(Error::invalid(&path.child("caBundle"), client.ca_bundle.clone(), why));
    }
}

fn webhook_url(text: &Text, path: &Path<'_>, errors: &mut ErrorList) {
    let url = match url::parse(text) {
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

fn webhook_service(service: &Service, path: &Path<'_>, errors: &mut ErrorList) {
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

fn review_versions(list: &[Text], options: &Options, path: &Path<'_>, errors: &mut ErrorList) {
    if list.is_empty() {
        return errors.push(Error::required(path, ""));
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
    if options.require_recognized_review_version && !list.iter().any(|v| is_recognized(v)) {
        let shown = Value::from(list.iter().cloned().map(Value::from).collect::<Vec<_>>());
        let detail = format!("must include at least one of {}", REVIEW_VERSIONS.join(", "));
        errors.push(Error::invalid(path, shown, detail));
    }
}

/// Whether this version of the conversion review is understood.
pub(super) fn is_recognized(version: &str) -> bool {
    REVIEW_VERSIONS.contains(&version)
}

/// Whether a bundle of certificates (base64 of PEM) holds at least one certificate. Certificates
/// are recognised by their outer shape; their content is not judged.
///
/// # Errors
/// When no certificate can be found.
pub fn check_ca_bundle(bundle: &str) -> Result<(), String> {
    let load = |why: &str| Err(format!("unable to load root certificates: {why}"));
    let bytes = base64::decode(bundle).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let mut rest = text.as_ref();
    let mut blocks = 0;
    while let Some((_, after)) = rest.split_once("-----BEGIN ") {
        let Some((label, body)) = after.split_once("-----") else { break };
        let close = format!("-----END {label}-----");
        let Some((body, after)) = body.split_once(close.as_str()) else { break };
        blocks += 1;
        rest = after;
        let encoded: String = body.chars().filter(|c| !c.is_whitespace()).collect();
        let Ok(der) = base64::decode(&encoded) else { continue };
        if label != "CERTIFICATE" {
            continue;
        }
        if is_der_sequence(&der) {
            return Ok(());
        }
        return load("failed to parse certificate: x509: malformed certificate");
    }
    if blocks == 0 || !rest.is_empty() {
        return load("unable to parse bytes as PEM block");
    }
    load("no valid certificate authority data seen")
}

/// A DER sequence whose length fits its content.
fn is_der_sequence(der: &[u8]) -> bool {
    let [0x30, length, rest @ ..] = der else { return false };
    if *length < 0x80 {
        return rest.len() == usize::from(*length);
    }
    let count = usize::from(length & 0x7f);
    if count == 0 || count > 4 || rest.len() < count {
        return false;
    }
    let length = rest[..count].iter().fold(0usize, |sum, b| sum << 8 | usize::from(*b));
    rest.len() - count == length
}
