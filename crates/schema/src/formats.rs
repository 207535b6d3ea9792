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

/// A minor release of Kubernetes: `(1, 36)`.
pub type Release = (u32, u32);

/// A format that definitions may use, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewFormat {
    /// Normalised name.
    pub name: &'static str,
    /// Kept in stored definitions since this release.
    pub stored: Release,
    /// Enforced since this release.
    pub supported: Release,
}

/// Formats that are on their way (KEP-4153). A format is stored for at least one release before it
/// is enforced, so that a definition which uses it survives a downgrade.
pub const NEW_FORMATS: [NewFormat; 3] = [
    NewFormat { name: "dns1123subdomain", stored: (1, 36), supported: (1, 37) },
    NewFormat { name: "dns1123label", stored: (1, 36), supported: (1, 37) },
    NewFormat { name: "dns1035label", stored: (1, 36), supported: (1, 37) },
];

/// Formats that declared kinds check beyond those of custom resources (KEP-4153).
const DECLARED_FORMATS: [&str; 10] = [
    "dns1123subdomain",
    "dns1123label",
    "dns1035label",
    "apiversion",
    "quantity",
    "qualifiedname",
    "fullyqualifiedname",
    "fullyqualifieddomainname",
    "labelvalue",
    "integer",
];

/// Whether a format of strings is checked in declared kinds; case and dashes do not count.
#[must_use]
pub fn is_declared(format: &str) -> bool {
    let plain = format.replace('-', "").to_ascii_lowercase();
    declared_names().contains(&plain.as_str())
}

/// The formats of strings that declared kinds check.
#[must_use]
pub fn declared_names() -> Vec<&'static str> {
    DECLARED_FORMATS.iter().chain(&STRING_FORMATS).copied().collect()
}

/// What a release does with a format of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatState {
    /// Values are checked.
    Supported,
    /// It is kept in definitions; values are not checked.
    Stored,
    /// Nobody knows it; it is warned about.
    Unknown,
}

/// What a release does with a format of strings.
#[must_use]
pub fn state(format: &str, release: Release) -> FormatState {
    let plain = format.replace('-', "");
    if STRING_FORMATS.contains(&plain.as_str()) {
        return FormatState::Supported;
    }
    match NEW_FORMATS.iter().find(|it| it.name == plain) {
        Some(it) if release >= it.supported => FormatState::Supported,
        Some(it) if release >= it.stored => FormatState::Stored,
        _ => FormatState::Unknown,
    }
}

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
