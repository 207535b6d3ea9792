//! Which formats are known, by type and release; unknown ones are ignored and warned about.

use std::collections::BTreeSet;

use ordain_meta::KubeVersion;

use crate::crd::CrdSpec;
use crate::model::Schema;
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

/// A format that definitions may use, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewFormat {
    /// Normalised name.
    pub name: &'static str,
    /// Kept in stored definitions since this release.
    pub stored: KubeVersion,
    /// Enforced in custom resources since this release.
    pub supported: KubeVersion,
    /// Enforced in declared kinds since this release; the one before only stores it.
    pub declared: KubeVersion,
}

const fn new_format(name: &'static str) -> NewFormat {
    NewFormat {
        name,
        stored: KubeVersion::new(1, 36),
        supported: KubeVersion::new(1, 37),
        declared: KubeVersion::new(1, 36),
    }
}

/// Formats that are on their way (KEP-4153). A format is stored for at least one release before it
/// is enforced, so that a definition which uses it survives a downgrade.
pub const NEW_FORMATS: [NewFormat; 3] =
    [new_format("dns1123subdomain"), new_format("dns1123label"), new_format("dns1035label")];

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

/// The formats that a declared schema uses and a release only stores.
#[must_use]
pub fn only_stored(schema: &Schema, release: KubeVersion) -> BTreeSet<&str> {
    let used = schema.nodes().iter().filter_map(|it| Some(it.validation.as_ref()?.format.as_str()));
    used.filter(|it| declared_state(it, release) == FormatState::Stored).collect()
}

fn new_format_named(format: &str) -> Option<&'static NewFormat> {
    let plain = format.replace('-', "");
    NEW_FORMATS.iter().find(|it| it.name == plain)
}

/// What a release does with a format of strings in declared kinds.
#[must_use]
pub fn declared_state(format: &str, release: KubeVersion) -> FormatState {
    match new_format_named(&format.to_ascii_lowercase()) {
        Some(it) if release < it.declared => FormatState::Stored,
        _ if is_declared(format) => FormatState::Supported,
        _ => FormatState::Unknown,
    }
}

/// What a release does with a format of strings in custom resources.
#[must_use]
pub fn state(format: &str, release: KubeVersion) -> FormatState {
    let plain = format.replace('-', "");
    if STRING_FORMATS.contains(&plain.as_str()) {
        return FormatState::Supported;
    }
    match new_format_named(&plain) {
        Some(it) if release >= it.supported => FormatState::Supported,
        Some(it) if release >= it.stored => FormatState::Stored,
        _ => FormatState::Unknown,
    }
}

/// Whether a release enforces a format on values of this type. Dashes in names of string formats do
/// not count.
#[must_use]
pub fn is_recognized(ty: &str, format: &str, release: KubeVersion) -> bool {
    match ty {
        "" | "string" => state(format, release) == FormatState::Supported,
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    }
}

/// Warnings about formats that are ignored, for a definition that was accepted; on update only
/// about those that are new.
#[must_use]
pub fn warnings(spec: &CrdSpec, old: Option<&CrdSpec>, release: KubeVersion) -> Vec<String> {
    let known = old.map(|it| unrecognized(it, release)).unwrap_or_default();
    let mut known: BTreeSet<String> = known.into_iter().collect();
    let mut new = unrecognized(spec, release);
    new.retain(|format| known.insert(format.clone()));
    new.iter().map(|it| format!("unrecognized format {}", ordain_value::go_quote(it))).collect()
}

fn unrecognized(spec: &CrdSpec, release: KubeVersion) -> Vec<String> {
    let mut found = Vec::new();
    let schemas = spec.versions().iter().filter_map(|it| it.schema.as_ref()?.open_api.as_ref());
    for raw in schemas.filter(|it| it.may_use("format")) {
        raw.any(&mut |r: &Raw| {
            if !r.format.is_empty() && !is_recognized(&r.ty, &r.format, release) {
                found.push(r.format.to_string());
            }
            false
        });
    }
    found
}
