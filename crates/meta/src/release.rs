//! Releases of Kubernetes by number: which behaviour is shown.

use std::fmt;
use std::str::FromStr;

/// A minor release of Kubernetes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KubeVersion {
    /// The major version.
    pub major: u16,
    /// The minor version.
    pub minor: u16,
}

impl KubeVersion {
    /// The release whose behaviour is shown unless another is asked for.
    pub const CURRENT: Self = Self::new(1, 36);

    /// The releases that can be emulated: the one before, the current one, and the next as far as
    /// it is known.
    pub const EMULATED: [Self; 3] = [Self::new(1, 35), Self::CURRENT, Self::new(1, 37)];

    /// A version of these numbers.
    #[must_use]
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }
}

impl Default for KubeVersion {
    fn default() -> Self {
        Self::CURRENT
    }
}

impl fmt::Display for KubeVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for KubeVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no version such as 1.36");
        let (major, minor) = text.trim_start_matches('v').split_once('.').ok_or_else(wrong)?;
        let number = |part: &str| part.parse().map_err(|_| wrong());
        Ok(Self::new(number(major)?, number(minor)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_people_write_them() {
        assert_eq!("1.30".parse(), Ok(KubeVersion::new(1, 30)));
        assert_eq!("v1.36".parse(), Ok(KubeVersion::CURRENT));
        for wrong in ["", "1", "1.x", "one.two", "1.2.3"] {
            assert!(wrong.parse::<KubeVersion>().is_err(), "{wrong}");
        }
    }
}
