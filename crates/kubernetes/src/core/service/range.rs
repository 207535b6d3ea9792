//! Ranges that addresses and node ports are taken from.

use std::collections::BTreeSet;
use std::net::IpAddr;

use ordain_strategy::pool::{IpFamily, Unavailable};

use crate::shared::net::{self, Cidr};

/// The addresses of a network that services may have: all but the first, and for IPv4 the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressRange {
    cidr: Cidr,
    first: u128,
    last: u128,
}

impl AddressRange {
    /// Reads a CIDR; `None` when it is malformed or has no room for a service.
    pub fn parse(text: &str) -> Option<Self> {
        let cidr = net::parse_cidr(text)?;
        let cidr = Cidr { ip: cidr.network(), ..cidr };
        let (start, bits) = match cidr.ip {
            IpAddr::V4(ip) => (u128::from(u32::from(ip)), 32),
            IpAddr::V6(ip) => (u128::from(ip), 128),
        };
        let hosts = 1_u128.checked_shl(bits - u32::from(cidr.bits)).unwrap_or(u128::MAX);
        let end = start.saturating_add(hosts - 1);
        let last = if cidr.ip.is_ipv4() { end.checked_sub(1)? } else { end };
        let first = start + 1;
        (first <= last).then_some(Self { cidr, first, last })
    }

    /// Whether it is of IPv4 or IPv6.
    pub fn family(&self) -> IpFamily {
        IpFamily::of(self.cidr.ip)
    }

    /// The network as it is written.
    pub fn cidr(&self) -> String {
        self.cidr.canonical()
    }

    /// The first address, which the server itself has.
    pub fn first(&self) -> IpAddr {
        self.address(self.first)
    }

    /// Whether an address lies in it.
    pub fn contains(&self, ip: IpAddr) -> bool {
        IpFamily::of(ip) == self.family() && (self.first..=self.last).contains(&number(ip))
    }

    fn address(&self, number: u128) -> IpAddr {
        match self.family() {
            IpFamily::V4 => IpAddr::V4(u32::try_from(number).unwrap_or(u32::MAX).into()),
            IpFamily::V6 => IpAddr::V6(number.into()),
        }
    }

    /// A free address. The upper part of the range goes first, so that the lower addresses stay
    /// free for those that ask for one by number.
    pub fn pick(&self, taken: &BTreeSet<IpAddr>, chance: u64) -> Result<IpAddr, Unavailable> {
        let size = self.last - self.first + 1;
        let lower = if size <= 16 { 0 } else { (size / 16).clamp(16, 256).min(size - 1) };
        let upper = self.first + lower;
        let spans = [(upper, self.last), (self.first, upper.saturating_sub(1))];
        for (start, end) in spans.into_iter().filter(|(start, end)| start <= end) {
            let len = end - start + 1;
            // One more try than there are taken addresses finds a free one, if there is any.
            let tries = len.min(taken.len() as u128 + 1);
            let offset = u128::from(chance) % len;
            for step in 0..tries {
                let ip = self.address(start + (offset + step) % len);
                if !taken.contains(&ip) {
                    return Ok(ip);
                }
            }
        }
        Err(Unavailable::Full)
    }
}

fn number(ip: IpAddr) -> u128 {
    match ip {
        IpAddr::V4(ip) => u128::from(u32::from(ip)),
        IpAddr::V6(ip) => u128::from(ip),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_network_and_its_broadcast_are_no_addresses_of_services() {
        let range = AddressRange::parse("10.0.0.0/30").unwrap();
        assert_eq!(range.first().to_string(), "10.0.0.1");
        let all = ["10.0.0.0", "10.0.0.1", "10.0.0.2", "10.0.0.3"];
        let inside: Vec<bool> = all.iter().map(|ip| range.contains(ip.parse().unwrap())).collect();
        assert_eq!(inside, [false, true, true, false]);
        assert!(AddressRange::parse("10.0.0.0/32").is_none());
    }

    #[test]
    fn every_address_is_given_once() {
        let range = AddressRange::parse("10.0.0.0/24").unwrap();
        let mut taken = BTreeSet::new();
        for chance in 0..254 {
            assert!(taken.insert(range.pick(&taken, chance * 7919).unwrap()));
        }
        assert_eq!(range.pick(&taken, 0), Err(Unavailable::Full));
    }
}
