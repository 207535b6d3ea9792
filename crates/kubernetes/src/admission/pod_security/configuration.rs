//! What a file says about the security of pods: the standards of namespaces without labels, and who
//! is exempt.

use ordain_value::Value;

use super::policy::{Level, Policy, Standard, minor};
use crate::admission::configuration::{expect, texts, unknown};
use crate::shared::access::{part, text, text_of};

/// The settings of the plugin.
#[derive(Debug, Clone, Default)]
pub(in crate::admission) struct Configuration {
    pub(super) defaults: Policy,
    pub(super) users: Vec<String>,
    pub(super) namespaces: Vec<String>,
    pub(super) runtime_classes: Vec<String>,
}

impl Configuration {
    /// Reads a PodSecurityConfiguration.
    pub(in crate::admission) fn decode(value: &Value) -> Result<Self, String> {
        const GROUP: &str = "pod-security.admission.config.k8s.io/v1";
        expect(value, GROUP, "PodSecurityConfiguration")?;
        unknown(value, &["apiVersion", "kind", "defaults", "exemptions"])?;
        let defaults = part(value, "defaults");
        let modes = ["enforce", "audit", "warn"];
        let versions = ["enforce-version", "audit-version", "warn-version"];
        unknown(defaults, &[modes, versions].concat()).map_err(|why| format!("defaults: {why}"))?;
        let exemptions = part(value, "exemptions");
        unknown(exemptions, &["usernames", "namespaces", "runtimeClasses"])
            .map_err(|why| format!("exemptions: {why}"))?;
        Ok(Self {
            defaults: Policy {
                enforce: standard(defaults, "enforce")?,
                audit: standard(defaults, "audit")?,
                warn: standard(defaults, "warn")?,
            },
            users: texts(exemptions, "usernames")?,
            namespaces: texts(exemptions, "namespaces")?,
            runtime_classes: texts(exemptions, "runtimeClasses")?,
        })
    }
}

fn standard(defaults: &Value, mode: &str) -> Result<Standard, String> {
    let level = match text_of(defaults, mode) {
        None => Level::Privileged,
        Some(text) => Level::parse(text).ok_or_else(|| {
            format!("defaults.{mode}: {text:?} must be one of privileged, baseline, restricted")
        })?,
    };
    let name = format!("{mode}-version");
    let minor =
        match text(defaults, &name) {
            "" | "latest" => None,
            text => Some(minor(text).ok_or_else(|| {
                format!("defaults.{name}: {text:?} must be \"latest\" or \"v1.x\"")
            })?),
        };
    Ok(Standard { level, minor })
}
