//! Pools of addresses and ports that objects are given from.
//!
//! Invariant: what a write takes is its own only once the write is committed; what it gives up is
//! free only then. Whoever runs a verb hands in a [`Pool`] for one write and keeps that promise.

use std::fmt;
use std::net::IpAddr;

/// A family of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum IpFamily {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

impl IpFamily {
    /// The name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::V4 => "IPv4",
            Self::V6 => "IPv6",
        }
    }

    /// The family with this name in the API.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::V4, Self::V6].into_iter().find(|it| it.name() == name)
    }

    /// The family of an address.
    pub fn of(ip: IpAddr) -> Self {
        if ip.is_ipv4() { Self::V4 } else { Self::V6 }
    }

    /// The other family.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::V4 => Self::V6,
            Self::V6 => Self::V4,
        }
    }
}

/// Why nothing was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unavailable {
    /// Nothing is left.
    Full,
    /// Someone else has it; the text names what.
    Taken(String),
    /// It belongs to no pool; the text says what does.
    OutOfRange(String),
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("range is full"),
            Self::Taken(why) | Self::OutOfRange(why) => f.write_str(why),
        }
    }
}

/// The pools as one write sees them.
pub trait Pool: Send {
    /// The families that have a range, the default one first.
    fn families(&self) -> &[IpFamily];

    /// Takes an address: the wanted one, or any of the family.
    fn take_ip(&mut self, family: IpFamily, wanted: Option<IpAddr>) -> Result<IpAddr, Unavailable>;

    /// Takes a node port: the wanted one, or any.
    fn take_port(&mut self, wanted: Option<i64>) -> Result<i64, Unavailable>;

    /// Gives up an address that the old object has.
    fn release_ip(&mut self, ip: IpAddr);

    /// Gives up a node port that the old object has.
    fn release_port(&mut self, port: i64);
}

/// Pools without end, for judging objects where no server is: everything that is asked for is
/// given, and both families are there.
#[derive(Debug, Default)]
pub struct Unlimited {
    given: u16,
}

impl Pool for Unlimited {
    fn families(&self) -> &[IpFamily] {
        &[IpFamily::V4, IpFamily::V6]
    }

    fn take_ip(&mut self, family: IpFamily, wanted: Option<IpAddr>) -> Result<IpAddr, Unavailable> {
        self.given = self.given.wrapping_add(1);
        let [high, low] = self.given.to_be_bytes();
        let fresh = match family {
            IpFamily::V4 => IpAddr::from([10, 0, high, low]),
            IpFamily::V6 => IpAddr::from([0xfd00, 0, 0, 0, 0, 0, 0, self.given]),
        };
        Ok(wanted.unwrap_or(fresh))
    }

    fn take_port(&mut self, wanted: Option<i64>) -> Result<i64, Unavailable> {
        self.given = self.given.wrapping_add(1);
        Ok(wanted.unwrap_or(30_000 + i64::from(self.given) % 2768))
    }

    fn release_ip(&mut self, _ip: IpAddr) {}

    fn release_port(&mut self, _port: i64) {}
}
