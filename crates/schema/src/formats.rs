//! Which formats are known, by type; unknown ones are ignored and warned about.

use crate::crd::{CrdSpec, CrdVersion};
use crate::raw::Raw;

/// Formats of strings, by normalised name (without dashes).
const STRING_FORMATS: [&str; 26] = [
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "password",
    "date",
    "duration",
    "datetime",
    "k8sshortname",
    "k8slongname",
];

/// Whether a format is enforced on values of this type. Dashes in names of string formats do not
/// count.
#[must_use]
pub fn is_recognized(ty: &str, format: &str) -> bool {
    match ty {
        "" | "string" => STRING_FORMATS.contains(&format.replace('-', "").as_str()),
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    }
}

/// Warnings about formats that are ignored, for a definition that was accepted; on update only
/// about those that are new.
#[must_use]
pub fn warnings(spec: &CrdSpec, old: Option<&CrdSpec>) -> Vec<String> {
    let known = old.map(unrecognized).unwrap_or_default();
    let mut out = Vec::new();
    for format in unrecognized(spec) {
        let warning = format!("unrecognized format {}", ordain_value::go_quote(&format));
        if !known.contains(&format) && !out.contains(&warning) {
            out.push(warning);
        }
    }
    out
}

fn unrecognized(spec: &CrdSpec) -> Vec<String> {
    let mut found = Vec::new();
    for raw in spec.versions().iter().filter_map(CrdVersion::raw) {
        raw.any(&mut |r: &Raw| {
            if !r.format.is_empty() && !is_recognized(&r.ty, &r.format) {
                found.push(r.format.to_string());
            }
            false
        });
    }
    found
}
