//! Names of signers: a domain and a path.

use ordain_meta::name;
use ordain_value::field::{self, Path};
use ordain_value::go_quote;

const LEGACY: &str = "kubernetes.io/legacy-unknown";
const DOMAIN_BYTES_MAX: usize = 253;
const NAME_BYTES_MAX: i64 = 571;

/// The rules of a name; `known` is the one that the old object has.
pub(super) fn validate(
    signer: &str,
    known: Option<&str>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    if signer == LEGACY && known != Some(LEGACY) {
        let why = "the legacy signerName is not allowed via this API version";
        errors.push(field::Error::invalid(path, signer, why));
        return;
    }
    if signer.is_empty() {
        errors.push(field::Error::required(path, ""));
        return;
    }
    let parts: Vec<&str> = signer.split('/').collect();
    let [domain, rest] = parts[..] else {
        let why = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
        errors.push(field::Error::invalid(path, signer, why));
        return;
    };
    if domain.len() > DOMAIN_BYTES_MAX {
        errors.push(field::Error::too_long(path, 253));
    }
    segments(domain, name::dns_1123_label, path, errors);
    if !domain.contains('.') {
        let why = "should be a domain with at least two segments separated by dots";
        errors.push(field::Error::invalid(path, domain, why));
    }
    segments(rest, name::dns_1123_subdomain, path, errors);
    if i64::try_from(signer.len()).unwrap_or(i64::MAX) > NAME_BYTES_MAX {
        errors.push(field::Error::too_long(path, NAME_BYTES_MAX));
    }
}

/// Reports the first wrong segment only: the others would say the same.
fn segments(
    text: &str,
    rule: fn(&str) -> Vec<String>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    for segment in text.split('.') {
        let problems = rule(segment);
        for problem in &problems {
            let why = format!("validating label {}: {problem}", go_quote(segment));
            errors.push(field::Error::invalid(path, text, why));
        }
        if !problems.is_empty() {
            return;
        }
    }
}
