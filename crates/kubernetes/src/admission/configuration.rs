//! What a file says about plugins: an AdmissionConfiguration, as kube-apiserver reads it.

use ordain_value::Value;

use super::pod_security;
use crate::shared::access::{items, part, text};

const GROUP: &str = "apiserver.config.k8s.io/v1";

/// The settings of the plugins that have some.
#[derive(Debug, Clone, Default)]
pub struct Configuration {
    pub(super) pod_security: pod_security::Configuration,
}

impl Configuration {
    /// Reads an AdmissionConfiguration; `read` gives the content of files that it names.
    ///
    /// # Errors
    /// What cannot be understood, and plugins whose settings mean nothing here.
    pub fn decode(
        file: &Value,
        read: impl Fn(&str) -> Result<Value, String>,
    ) -> Result<Self, String> {
        expect(file, GROUP, "AdmissionConfiguration")?;
        let mut configuration = Self::default();
        for plugin in items(file, "plugins") {
            let (name, path) = (text(plugin, "name"), text(plugin, "path"));
            let own = match (plugin.get("configuration"), path) {
                (Some(own), _) => own.clone(),
                (None, "") => continue,
                (None, path) => read(path)?,
            };
            if name != "PodSecurity" {
                return Err(format!("plugin {name:?} has no settings here"));
            }
            configuration.pod_security = pod_security::Configuration::decode(&own)
                .map_err(|why| format!("plugin {name}: {why}"))?;
        }
        Ok(configuration)
    }
}

/// Refuses an object of another kind.
pub(super) fn expect(value: &Value, version: &str, kind: &str) -> Result<(), String> {
    let (found, found_kind) = (text(value, "apiVersion"), text(value, "kind"));
    if (found, found_kind) == (version, kind) {
        return Ok(());
    }
    Err(format!(
        "it must be of kind {kind} in {version}, and is of kind {found_kind:?} in {found:?}"
    ))
}

/// The entries of a map that no setting is called.
pub(super) fn unknown(value: &Value, known: &[&str]) -> Result<(), String> {
    let map = value.as_map();
    let mut names = map.into_iter().flat_map(|map| map.iter()).map(|(name, _)| name.as_str());
    match names.find(|name| !known.contains(name)) {
        Some(name) => Err(format!("unknown field {name:?}")),
        None => Ok(()),
    }
}

/// A list of texts.
pub(super) fn texts(value: &Value, field: &str) -> Result<Vec<String>, String> {
    match part(value, field) {
        Value::Null => Ok(Vec::new()),
        Value::List(list) => {
            let read = |it: &Value| it.as_str().filter(|it| !it.is_empty()).map(str::to_owned);
            let read: Option<Vec<String>> = list.iter().map(read).collect();
            read.ok_or_else(|| format!("{field}: must be texts that are not empty"))
        }
        _ => Err(format!("{field}: must be a list")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    fn decode(plugins: Value) -> Result<Configuration, String> {
        let file =
            value!({"apiVersion": GROUP, "kind": "AdmissionConfiguration", "plugins": plugins});
        Configuration::decode(&file, |path| Err(format!("no file {path}")))
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert!(decode(value!([])).is_ok());
        let other = decode(value!([{"name": "EventRateLimit", "configuration": {}}]));
        assert_eq!(other.unwrap_err(), "plugin \"EventRateLimit\" has no settings here");
        let file = decode(value!([{"name": "PodSecurity", "path": "a.yaml"}]));
        assert_eq!(file.unwrap_err(), "no file a.yaml");
        let kind = decode(value!([{"name": "PodSecurity", "configuration": {"kind": "Pod"}}]));
        assert!(
            kind.unwrap_err().starts_with("plugin PodSecurity: it must be of kind PodSecurityConf")
        );
        let wrong = Configuration::decode(&value!({}), |_| Ok(Value::Null));
        assert!(
            wrong.unwrap_err().starts_with("it must be of kind AdmissionConfiguration"),
            "the file"
        );
    }
}
