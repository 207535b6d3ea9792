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

    fn parse(text: &str) -> Option<Self> {
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
    const OPEN: Self = Self { level: Level::Privileged, minor: None };

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

/// What a namespace asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Policy {
    /// What violates it is refused.
    pub(super) enforce: Standard,
    /// What violates it is noted in the audit log.
    pub(super) audit: Standard,
    /// What violates it is warned of.
    pub(super) warn: Standard,
}

/// Reads the labels of a namespace. A mode whose label cannot be read is open, but for
/// enforcement, which is strict then.
pub(super) fn of_namespace(namespace: &Value) -> (Policy, field::ErrorList) {
    let mut reader = Reader { namespace, errors: field::ErrorList::new() };
    let enforced = reader.level("enforce");
    let enforce = Standard {
        level: match enforced {
            Read::Absent => Level::Privileged,
            Read::Good(level) => level,
            Read::Bad => Level::Restricted,
        },
        minor: reader.version("enforce").flatten(),
    };
    let audit = reader.standard("audit");
    let warned = reader.level("warn");
    let warn_version = reader.version("warn");
    let mut warn = Standard { level: warned.or(Level::Privileged), minor: warn_version.flatten() };
    // Who is refused something is warned of it in workloads, unless the namespace says otherwise.
    if matches!((warned, enforced), (Read::Absent, Read::Good(_))) && !enforce.is_open() {
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
    fn or(self, other: Level) -> Level {
        match self {
            Self::Good(level) => level,
            Self::Absent | Self::Bad => other,
        }
    }
}

struct Reader<'a> {
    namespace: &'a Value,
    errors: field::ErrorList,
}

impl<'a> Reader<'a> {
    fn label(&self, name: &str) -> Option<&'a str> {
        crate::shared::access::label(self.namespace, &format!("{PREFIX}{name}"))
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
        let minor = text.strip_prefix("v1.").filter(|digits| {
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            plain && (*digits == "0" || !digits.starts_with('0'))
        });
        let minor = minor.and_then(|digits| digits.parse().ok());
        if minor.is_none() {
            self.refuse(&name, text, "must be \"latest\" or \"v1.x\"");
        }
        Some(minor)
    }

    fn standard(&mut self, mode: &str) -> Standard {
        let level = self.level(mode).or(Standard::OPEN.level);
        Standard { level, minor: self.version(mode).flatten() }
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

    #[test]
    fn what_is_enforced_is_warned_of() {
        let (policy, errors) =
            of_namespace(&namespace(&[("enforce", "baseline"), ("enforce-version", "v1.30")]));
        assert!(errors.is_empty());
        assert_eq!(policy.enforce.to_string(), "baseline:v1.30");
        assert_eq!(policy.warn.to_string(), "baseline:v1.30");
        assert_eq!(policy.audit.to_string(), "privileged:latest");
        let (policy, _) =
            of_namespace(&namespace(&[("enforce", "baseline"), ("warn", "privileged")]));
        assert!(policy.warn.is_open());
    }

    #[test]
    fn labels_that_cannot_be_read_are_told() {
        let (policy, errors) = of_namespace(&namespace(&[
            ("enforce", "high"),
            ("warn", "high"),
            ("audit-version", "1.2"),
        ]));
        assert_eq!(policy.enforce.level, Level::Restricted);
        assert!(policy.warn.is_open());
        assert_eq!(errors.len(), 3);
    }
}
