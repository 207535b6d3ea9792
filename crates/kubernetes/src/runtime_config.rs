//! `--runtime-config`: which groups and versions are served, in kube-apiserver's words.
//!
//! Invariant: a name that the reference does not know, and a version that is not built in, are
//! refused; nothing is switched on or off in silence.

use std::collections::BTreeMap;

use ordain_meta::GroupVersion;
use ordain_strategy::RestConfig;
use ordain_value::Text;

use crate::group_versions;

/// Sets of versions by how mature they are, the widest first: a narrower one wins.
const SETS: [(&str, fn(&str) -> bool); 4] = [
    ("api/all", |_| true),
    ("api/ga", |version| maturity(version).is_none()),
    ("api/beta", |version| maturity(version) == Some("beta")),
    ("api/alpha", |version| maturity(version) == Some("alpha")),
];

/// `beta` of `v1beta2`; nothing of `v1`.
fn maturity(version: &str) -> Option<&'static str> {
    ["alpha", "beta"].into_iter().find(|it| version.contains(it))
}

/// What is switched on and off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuntimeConfig {
    /// By maturity, in the order of their sets.
    sets: Vec<(&'static str, bool)>,
    versions: BTreeMap<GroupVersion, bool>,
    /// By group, version and plural.
    resources: BTreeMap<(GroupVersion, Text), bool>,
}

impl RuntimeConfig {
    /// Reads pairs like `batch/v1=false`, `api/beta=true` and `apps/v1/deployments=false`.
    ///
    /// # Errors
    /// In kube-apiserver's words for what it refuses, in our own for versions that are not here.
    pub fn read<'a>(pairs: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut given = BTreeMap::new();
        for pair in pairs.into_iter().filter(|it| !it.trim().is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            given.insert(key.trim(), value.trim());
        }
        if given.len() == 1 && given.get("api/all") == Some(&"false") {
            return Err("invalid runtime-config with only api/all=false".to_owned());
        }
        let mut config = Self::default();
        for (name, _) in SETS {
            match given.remove(name) {
                None => {}
                Some("true") => config.sets.push((name, true)),
                Some("false") => config.sets.push((name, false)),
                Some(value) => return Err(format!("invalid value {name}={value}")),
            }
        }
        for (key, value) in given {
            let on = match value {
                "" | "true" | "1" | "t" | "T" | "TRUE" | "True" => true,
                "false" | "0" | "f" | "F" | "FALSE" | "False" => false,
                value => return Err(format!("invalid value of {key}: {value}")),
            };
            config.add(key, on)?;
        }
        Ok(config)
    }

    fn add(&mut self, key: &str, on: bool) -> Result<(), String> {
        let parts: Vec<&str> = key.split('/').collect();
        let (version, resource) = match parts.as_slice() {
            [version] => (GroupVersion::new("", *version), None),
            [group, version] => (GroupVersion::new(*group, *version), None),
            [group, version, resource] => (GroupVersion::new(*group, *version), Some(*resource)),
            _ => return Err(format!("invalid key {key}")),
        };
        if !group_versions::known().any(|it| it.group == version.group) {
            return Err(format!("unknown api groups {version}"));
        }
        if !group_versions::known().any(|it| it == version) {
            return Err(format!("group version {version} that has not been registered"));
        }
        if on && !group_versions::is_built_in(&version) {
            return Err(format!("group version {version} is not built in"));
        }
        match resource {
            Some(plural) if plural.to_lowercase() != plural => Err(format!(
                "invalid key {key}: group/version/resource and resource is always lowercase \
                 plural, not {}",
                ordain_value::go_quote(plural)
            )),
            Some(plural) => {
                self.resources.insert((version, plural.into()), on);
                Ok(())
            }
            None => {
                self.versions.insert(version, on);
                Ok(())
            }
        }
    }

    /// Whether a resource is served in a version.
    fn serves(&self, version: &GroupVersion, plural: &Text) -> bool {
        if let Some(on) = self.resources.get(&(version.clone(), plural.clone())) {
            return *on;
        }
        if let Some(on) = self.versions.get(version) {
            return *on;
        }
        let of = |name: &str| SETS.iter().find(|it| it.0 == name).map(|it| it.1);
        let mut matching =
            self.sets.iter().filter(|(name, _)| of(name).is_some_and(|is| is(&version.version)));
        matching.next_back().is_none_or(|(_, on)| *on)
    }

    /// A resource with the versions that are served.
    #[must_use]
    pub fn applied(&self, mut resource: RestConfig) -> RestConfig {
        for at in 0..resource.versions.len() {
            let version = resource.group_version(&resource.versions[at].name);
            let served = self.serves(&version, &resource.plural);
            resource.versions[at].served &= served;
        }
        resource
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(config: &str) -> Vec<String> {
        let config = RuntimeConfig::read(config.split(',')).unwrap();
        let all = crate::all().into_iter().map(|it| config.applied(it));
        let names = all.flat_map(|it| {
            let on = it.versions.iter().filter(|version| version.served);
            on.map(|version| format!("{}/{}", it.group_version(&version.name), it.plural))
                .collect::<Vec<_>>()
        });
        names.collect()
    }

    #[test]
    fn versions_and_resources_are_switched_and_the_narrower_wins() {
        let all = served("");
        assert!(all.contains(&"batch/v1/jobs".to_owned()));
        let left = served("batch/v1=false,batch/v1/cronjobs=true");
        assert_eq!(all.len() - left.len(), 1);
        assert!(!left.contains(&"batch/v1/jobs".to_owned()));
        let two = served("autoscaling/v1=false");
        assert!(two.contains(&"autoscaling/v2/horizontalpodautoscalers".to_owned()));
        assert!(!two.contains(&"autoscaling/v1/horizontalpodautoscalers".to_owned()));
        let only = served("api/all=false,v1=true");
        assert!(only.iter().all(|it| it.starts_with("v1/")), "{only:?}");
        assert_eq!(served("api/beta=true,api/alpha=false"), all);
    }

    #[test]
    fn what_is_not_known_or_not_here_is_refused() {
        for (config, why) in [
            ("api/all=false", "invalid runtime-config with only api/all=false"),
            ("api/ga=maybe", "invalid value api/ga=maybe"),
            ("example.com/v1=true", "unknown api groups example.com/v1"),
            ("apps/v9=true", "group version apps/v9 that has not been registered"),
            ("storage.k8s.io/v1beta1=true", "group version storage.k8s.io/v1beta1 is not built in"),
            ("batch/v1=perhaps", "invalid value of batch/v1: perhaps"),
            (
                "apps/v1/Deployments=false",
                "invalid key apps/v1/Deployments: group/version/resource and resource is always \
                 lowercase plural, not \"Deployments\"",
            ),
        ] {
            assert_eq!(RuntimeConfig::read(config.split(',')).unwrap_err(), why);
        }
    }
}
