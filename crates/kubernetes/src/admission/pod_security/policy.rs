//! The policy of a namespace: a level of security with its version for each of three modes, from
//! the labels of the namespace.

use ordain_value::Value;
use ordain_value::field::{self, Path};

const PREFIX: &str = "pod-security.kubernetes.io/";

/// How much a pod may do, the strictest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Privileged,
    Baseline,
    Restricted,
}

impl Level {
    fn as_str(self) -> &'static str {
        match self {
            Self::Privileged => "privileged",
            Self::Baseline => "baseline",
            Self::Restricted => "restricted",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        [Self::Privileged, Self::Baseline, Self::Restricted]
            .into_iter()
            .find(|level| level.as_str() == text)
    }
}

/// A level as some minor release of Kubernetes understands it; the latest if none is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standard {
    pub(super) level: Level,
    pub(super) minor: Option<u32>,
}

impl Standard {
    pub(super) fn is_open(self) -> bool {
        self.level == Level::Privileged
    }
}

impl std::fmt::Display for Standard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let level = self.level.as_str();
        match self.minor {
            Some(minor) => write!(f, "{level}:v1.{minor}"),
            None => write!(f, "{level}:latest"),
        }
    }
}

impl Default for Standard {
    fn default() -> Self {
        Self { level: Level::Privileged, minor: None }
    }
}

/// What a namespace asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Policy {
    /// What violates it is refused.
    pub(super) enforce: Standard,
    /// What violates it is noted in the audit log.
    pub(super) audit: Standard,
    /// What violates it is warned of.
    pub(super) warn: Standard,
}

impl Policy {
    /// The standards by their modes.
    pub(super) fn modes(&self) -> [(&'static str, Standard); 3] {
        [("enforce", self.enforce), ("audit", self.audit), ("warn", self.warn)]
    }

    pub(super) fn is_open(&self) -> bool {
        self.modes().iter().all(|(_, standard)| standard.is_open())
    }
}

/// Whether a namespace has labels of its own for a mode.
pub(super) fn names(namespace: &Value, mode: &str) -> bool {
    let has = |name: &str| label(namespace, name).is_some();
    has(mode) || has(&format!("{mode}-version"))
}

fn label<'a>(namespace: &'a Value, name: &str) -> Option<&'a str> {
    crate::shared::access::label(namespace, &format!("{PREFIX}{name}"))
}

/// The minor release of Kubernetes that a text like `v1.30` names.
pub(super) fn minor(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("v1.").filter(|digits| {
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        plain && (*digits == "0" || !digits.starts_with('0'))
    });
    digits.and_then(|digits| digits.parse().ok())
}

/// Reads the labels of a namespace; what they do not say is as the defaults say. A mode whose label
/// cannot be read is open, but for enforcement, which is strict then.
pub(super) fn of_namespace(namespace: &Value, defaults: &Policy) -> (Policy, field::ErrorList) {
    let mut reader = Reader { namespace, errors: field::ErrorList::new() };
    let enforced = reader.level("enforce");
    let enforce = Standard {
        level: match enforced {
            Read::Absent => defaults.enforce.level,
            Read::Good(level) => level,
            Read::Bad => Level::Restricted,
        },
        minor: reader.version("enforce").unwrap_or(defaults.enforce.minor),
    };
    let audit = Standard {
        level: reader.level("audit").or(defaults.audit.level),
        minor: reader.version("audit").unwrap_or(defaults.audit.minor),
    };
    let warned = reader.level("warn");
    let warn_version = reader.version("warn");
    let mut warn = Standard {
        level: warned.or(defaults.warn.level),
        minor: warn_version.unwrap_or(defaults.warn.minor),
    };
    // Who is refused something is warned of it in workloads, unless the namespace says otherwise.
    let stricter = enforce.level > warn.level;
    if matches!((warned, enforced), (Read::Absent, Read::Good(_))) && stricter {
        warn.level = enforce.level;
        warn.minor = warn_version.unwrap_or(enforce.minor);
    }
    (Policy { enforce, audit, warn }, reader.errors)
}

#[derive(Clone, Copy)]
enum Read {
    Absent,
    Good(Level),
    Bad,
}

impl Read {
    /// The level; what cannot be read is open.
    fn or(self, absent: Level) -> Level {
        match self {
            Self::Good(level) => level,
            Self::Absent => absent,
            Self::Bad => Level::Privileged,
        }
    }
}

struct Reader<'a> {
    namespace: &'a Value,
    errors: field::ErrorList,
}

impl<'a> Reader<'a> {
    fn label(&self, name: &str) -> Option<&'a str> {
        label(self.namespace, name)
    }

    fn refuse(&mut self, name: &str, value: &str, why: &str) {
        let labels = Path::new("metadata");
        let labels = labels.child("labels");
        let key = format!("{PREFIX}{name}");
        let error = field::Error::invalid(&labels.key(&key), Value::from(value), why);
        self.errors.push(error);
    }

    fn level(&mut self, mode: &str) -> Read {
        let Some(text) = self.label(mode) else { return Read::Absent };
        match Level::parse(text) {
            Some(level) => Read::Good(level),
            None => {
                self.refuse(mode, text, "must be one of privileged, baseline, restricted");
                Read::Bad
            }
        }
    }

    /// The minor release that a mode names; `None` inside for the latest.
    fn version(&mut self, mode: &str) -> Option<Option<u32>> {
        let name = format!("{mode}-version");
        let text = self.label(&name)?;
        if text == "latest" {
            return Some(None);
        }
        let minor = minor(text);
        if minor.is_none() {
            self.refuse(&name, text, "must be \"latest\" or \"v1.x\"");
        }
        Some(minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::Map;

    fn namespace(labels: &[(&str, &str)]) -> Value {
        let labels = labels
            .iter()
            .map(|(name, value)| (format!("{PREFIX}{name}").into(), Value::from(*value)));
        let mut namespace = Value::Map(Map::new());
        let labels = Value::Map(Map::from_entries(labels.collect()));
        namespace.set_path(&["metadata", "labels"], labels);
        namespace
    }

    fn read(labels: &[(&str, &str)]) -> (Policy, field::ErrorList) {
        of_namespace(&namespace(labels), &Policy::default())
    }

    #[test]
    fn what_is_enforced_is_warned_of() {
        let (policy, errors) = read(&[("enforce", "baseline"), ("enforce-version", "v1.30")]);
        assert!(errors.is_empty());
        assert_eq!(policy.enforce.to_string(), "baseline:v1.30");
        assert_eq!(policy.warn.to_string(), "baseline:v1.30");
        assert_eq!(policy.audit.to_string(), "privileged:latest");
        let (policy, _) = read(&[("enforce", "baseline"), ("warn", "privileged")]);
        assert!(policy.warn.is_open());
    }

    #[test]
    fn labels_that_cannot_be_read_are_told() {
        let (policy, errors) =
            read(&[("enforce", "high"), ("warn", "high"), ("audit-version", "1.2")]);
        assert_eq!(policy.enforce.level, Level::Restricted);
        assert!(policy.warn.is_open());
        assert_eq!(errors.len(), 3);
    }
}
