//! Parts of pods as messages show them: under the field names of Go's internal types.

use ordain_value::field::BadValue;
use ordain_value::{Value, json};

use crate::shared::access::some;

/// Names of fields: as messages show them, and in the API.
type Names = &'static [(&'static str, &'static str)];

const SECURITY_CONTEXT: Names = &[
    ("Capabilities", "capabilities"),
    ("Privileged", "privileged"),
    ("SELinuxOptions", "seLinuxOptions"),
    ("WindowsOptions", "windowsOptions"),
    ("RunAsUser", "runAsUser"),
    ("RunAsGroup", "runAsGroup"),
    ("RunAsNonRoot", "runAsNonRoot"),
    ("ReadOnlyRootFilesystem", "readOnlyRootFilesystem"),
    ("AllowPrivilegeEscalation", "allowPrivilegeEscalation"),
    ("ProcMount", "procMount"),
    ("SeccompProfile", "seccompProfile"),
    ("AppArmorProfile", "appArmorProfile"),
];
const CAPABILITIES: Names = &[("Add", "add"), ("Drop", "drop")];
const PROFILE: Names = &[("Type", "type"), ("LocalhostProfile", "localhostProfile")];
const CLAIM: Names = &[
    ("Name", "name"),
    ("ResourceClaimName", "resourceClaimName"),
    ("ResourceClaimTemplateName", "resourceClaimTemplateName"),
];
const SE_LINUX: Names = &[("User", "user"), ("Role", "role"), ("Type", "type"), ("Level", "level")];
const WINDOWS: Names = &[
    ("GMSACredentialSpecName", "gmsaCredentialSpecName"),
    ("GMSACredentialSpec", "gmsaCredentialSpec"),
    ("RunAsUserName", "runAsUserName"),
    ("HostProcess", "hostProcess"),
];

/// A structure with its fields in order; absent texts are empty where Go has no pointer.
fn structure(value: &Value, names: Names, texts: &[&str]) -> String {
    let fields = names.iter().map(|(shown, name)| {
        let inner = match some(value, name) {
            Some(inner) => match *name {
                "capabilities" => structure(inner, CAPABILITIES, &[]),
                "seccompProfile" | "appArmorProfile" => structure(inner, PROFILE, &["type"]),
                "seLinuxOptions" => structure(inner, SE_LINUX, &["user", "role", "type", "level"]),
                "windowsOptions" => structure(inner, WINDOWS, &[]),
                _ => json::encode_string(inner),
            },
            None if texts.contains(name) => "\"\"".to_owned(),
            None => "null".to_owned(),
        };
        format!("\"{shown}\":{inner}")
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

pub(super) fn security_context(value: &Value) -> BadValue {
    BadValue::Json(structure(value, SECURITY_CONTEXT, &[]))
}

pub(super) fn seccomp(value: &Value) -> BadValue {
    BadValue::Json(structure(value, PROFILE, &["type"]))
}

pub(super) fn resource_claim(value: &Value) -> BadValue {
    BadValue::Json(structure(value, CLAIM, &["name"]))
}
