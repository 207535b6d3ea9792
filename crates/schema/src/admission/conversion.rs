//! Conversion between versions, and the webhook behind it.

use ordain_value::field::{Error, ErrorList, Path};

use super::{Options, client, parts};
use crate::base64;
use crate::crd::{Conversion, WebhookClient};

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
        let needed = options.require_recognized_review_version;
        client::review_versions(versions.unwrap_or_default(), needed, "", &versions_path, errors);
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
        (Some(url), None) => client::url(url, &path.child("url"), errors),
        (None, Some(service)) => client::service(service, &path.child("service"), errors),
        _ => errors.push(Error::required(path, "exactly one of url or service is required")),
    }
    if !client.ca_bundle.is_empty()
        && !options.allow_invalid_ca_bundle
        && let Err(why) = check_ca_bundle(&client.ca_bundle)
    {
        errors.push(Error::invalid(&path.child("caBundle"), client.ca_bundle.clone(), why));
    }
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
