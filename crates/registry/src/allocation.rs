//! Addresses and node ports that Services are given.
//!
//! What is taken is known in memory, and for addresses also in the store, as IPAddress objects.
//! Invariant: a [`Reservation`] that is not committed leaves nothing behind; a crash may leave an
//! IPAddress without its service, which a start removes a minute later.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ordain_kubernetes::service::{AddressRange, addresses_of, ip_address, node_ports_of};
use ordain_meta::status::Status;
use ordain_meta::time::Time;
use ordain_storage::Expect;
use ordain_strategy::create::{Origin, Read};
use ordain_strategy::pool::{IpFamily, Pool, Unavailable};
use ordain_strategy::{ListOptions, Part, RestConfig, Target, Warnings};
use ordain_value::Value;

use crate::WriteOptions;
use crate::create::Cause;
use crate::object;
use crate::registry::Registry;

const IP_TAKEN: &str = "provided IP is already allocated";
const PORT_TAKEN: &str = "provided port is already allocated";
const NO_SUCH_RANGE: &str = "the provided network does not match the current range";
/// How the server marks the IPAddress objects that it made.
const MANAGED_BY: (&str, &str) = ("ipaddress.kubernetes.io/managed-by", "ipallocator.k8s.io");

/// An address without its service is left over after so long; before, the service may be on its
/// way.
const CLAIM_SECONDS: i64 = 60;

/// The ranges that services are given from.
#[derive(Debug, Clone)]
pub struct ServiceRanges {
    /// One of each family at most; the first is the default.
    pub addresses: Vec<AddressRange>,
    pub node_ports: RangeInclusive<i64>,
}

impl Default for ServiceRanges {
    fn default() -> Self {
        let addresses = AddressRange::parse("10.0.0.0/24").into_iter().collect();
        Self { addresses, node_ports: 30_000..=32_767 }
    }
}

impl ServiceRanges {
    /// Reads `--service-cluster-ip-range` (one range, or one of each family separated by a comma)
    /// and `--service-node-port-range` (`30000-32767`).
    ///
    /// # Errors
    /// What is no range, in words.
    pub fn read(addresses: &str, node_ports: &str) -> Result<Self, String> {
        let mut read = Vec::new();
        for text in addresses.split(',').map(str::trim) {
            let range = AddressRange::parse(text);
            let range = range.ok_or_else(|| format!("{text:?} is no range of addresses"))?;
            if read.iter().any(|other: &AddressRange| other.family() == range.family()) {
                return Err(format!("{addresses:?} has two ranges of one family"));
            }
            read.push(range);
        }
        let bounds = node_ports.split_once('-').and_then(|(from, to)| {
            Some((from.trim().parse::<i64>().ok()?, to.trim().parse::<i64>().ok()?))
        });
        match bounds {
            Some((from, to)) if 0 < from && from <= to && to <= 65_535 => {
                Ok(Self { addresses: read, node_ports: from..=to })
            }
            _ => Err(format!("{node_ports:?} is no range of ports; write it like 30000-32767")),
        }
    }
}

/// What is taken of the ranges.
#[derive(Debug, Default)]
pub(crate) struct Allocator {
    ranges: ServiceRanges,
    families: Vec<IpFamily>,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    ips: BTreeSet<IpAddr>,
    ports: BTreeSet<i64>,
}

impl Allocator {
    pub(crate) fn new(ranges: ServiceRanges) -> Self {
        let families = ranges.addresses.iter().map(AddressRange::family).collect();
        Self { ranges, families, taken: Mutex::default() }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Knows of nothing that is taken; what is stored says so anew.
    pub(crate) fn forget(&self) {
        *self.taken() = Taken::default();
    }

    fn free(&self, ips: &[IpAddr], ports: &[i64]) {
        let mut taken = self.taken();
        taken.ips.retain(|ip| !ips.contains(ip));
        taken.ports.retain(|port| !ports.contains(port));
    }
}

/// What one write takes and gives up.
pub(crate) struct Reservation<'a> {
    registry: &'a Registry,
    dry_run: bool,
    ips: Vec<IpAddr>,
    /// Addresses that were asked for by number.
    asked: Vec<IpAddr>,
    ports: Vec<i64>,
    released_ips: Vec<IpAddr>,
    released_ports: Vec<i64>,
    /// IPAddress objects that were written.
    claimed: Vec<IpAddr>,
}

impl Pool for Reservation<'_> {
    fn families(&self) -> &[IpFamily] {
        &self.registry.allocator.families
    }

    fn take_ip(&mut self, family: IpFamily, wanted: Option<IpAddr>) -> Result<IpAddr, Unavailable> {
        let allocator = &self.registry.allocator;
        let range = allocator.ranges.addresses.iter().find(|it| it.family() == family);
        let range = range.ok_or_else(|| Unavailable::OutOfRange(NO_SUCH_RANGE.to_owned()))?;
        let mut taken = allocator.taken();
        let ip = match wanted {
            None => range.pick(&taken.ips, self.registry.entropy.next_u64())?,
            Some(ip) if !range.contains(ip) => {
                return Err(Unavailable::OutOfRange(NO_SUCH_RANGE.to_owned()));
            }
            Some(ip) => {
                self.asked.push(ip);
                ip
            }
        };
        if self.dry_run {
            return Ok(ip);
        }
        if !taken.ips.insert(ip) {
            return Err(Unavailable::Taken(IP_TAKEN.to_owned()));
        }
        self.ips.push(ip);
        Ok(ip)
    }

    fn take_port(&mut self, wanted: Option<i64>) -> Result<i64, Unavailable> {
        let allocator = &self.registry.allocator;
        let range = &allocator.ranges.node_ports;
        let mut taken = allocator.taken();
        let port = match wanted {
            None => pick_port(range, &taken.ports, self.registry.entropy.next_u64())?,
            Some(port) if range.contains(&port) => port,
            Some(_) => {
                let why = format!(
                    "provided port is not in the valid range. The range of valid ports is {}-{}",
                    range.start(),
                    range.end()
                );
                return Err(Unavailable::OutOfRange(why));
            }
        };
        let free = !taken.ports.contains(&port) && !self.ports.contains(&port);
        if !free {
            return Err(Unavailable::Taken(PORT_TAKEN.to_owned()));
        }
        if !self.dry_run {
            taken.ports.insert(port);
        }
        self.ports.push(port);
        Ok(port)
    }

    fn release_ip(&mut self, ip: IpAddr) {
        self.released_ips.push(ip);
    }

    fn release_port(&mut self, port: i64) {
        self.released_ports.push(port);
    }
}

fn pick_port(
    range: &RangeInclusive<i64>,
    taken: &BTreeSet<i64>,
    chance: u64,
) -> Result<i64, Unavailable> {
    let len = range.end() - range.start() + 1;
    let offset = i64::try_from(chance >> 1).unwrap_or(0) % len.max(1);
    let ports = (0..len).map(|step| range.start() + (offset + step) % len);
    ports.into_iter().find(|port| !taken.contains(port)).ok_or(Unavailable::Full)
}

impl Drop for Reservation<'_> {
    /// What is still here was not committed.
    fn drop(&mut self) {
        if !self.dry_run {
            self.registry.allocator.free(&self.ips, &self.ports);
        }
    }
}

impl Registry {
    /// The pools as a write of the main part of an object sees them; none for a kind that is given
    /// nothing. What is taken is given back when the pool is dropped.
    pub fn pool(&self, target: &Target) -> Option<impl Pool> {
        self.reserve(target, Part::Main, false)
    }

    /// Begins to take things for a write; `None` when its kind is given nothing.
    pub(crate) fn reserve(
        &self,
        target: &Target,
        part: Part,
        dry_run: bool,
    ) -> Option<Reservation<'_>> {
        let gives = part == Part::Main && target.resource.strategy.allocates();
        gives.then(|| Reservation {
            registry: self,
            dry_run,
            ips: Vec::new(),
            asked: Vec::new(),
            ports: Vec::new(),
            released_ips: Vec::new(),
            released_ports: Vec::new(),
            claimed: Vec::new(),
        })
    }

    /// Writes down which service has which address. False when another server gave an address away
    /// meanwhile, so that the write has to begin anew.
    pub(crate) async fn claim(
        &self,
        reservation: &mut Option<Reservation<'_>>,
        service: &Value,
    ) -> Result<bool, Status> {
        let Some(reservation) = reservation.as_mut().filter(|it| !it.dry_run) else {
            return Ok(true);
        };
        for ip in reservation.ips.clone() {
            if self.write_ip_address(ip, service).await? {
                reservation.claimed.push(ip);
                continue;
            }
            // The address stays taken here: it is someone else's.
            reservation.ips.retain(|it| *it != ip);
            self.unclaim(&reservation.claimed).await?;
            reservation.claimed.clear();
            if reservation.asked.contains(&ip) {
                return Err(taken_meanwhile(ip, service));
            }
            return Ok(false);
        }
        Ok(true)
    }

    /// The write is committed: what it took is its own, what it gave up is free.
    pub(crate) async fn keep(&self, reservation: Option<Reservation<'_>>) -> Result<(), Status> {
        let Some(mut reservation) = reservation.filter(|it| !it.dry_run) else { return Ok(()) };
        reservation.ips.clear();
        reservation.ports.clear();
        let (ips, ports) = (
            std::mem::take(&mut reservation.released_ips),
            std::mem::take(&mut reservation.released_ports),
        );
        self.unclaim(&ips).await?;
        self.allocator.free(&ips, &ports);
        Ok(())
    }

    /// The write failed: what it took is free again.
    pub(crate) async fn give_back(
        &self,
        reservation: Option<Reservation<'_>>,
    ) -> Result<(), Status> {
        match reservation {
            Some(reservation) => self.unclaim(&reservation.claimed).await,
            None => Ok(()),
        }
    }

    /// A service is gone: frees what it had, and removes the endpoints of its name, so that a new
    /// service of the name does not begin with them.
    pub(crate) async fn after_removal(&self, target: &Target, last: &Value) -> Result<(), Status> {
        if !target.resource.strategy.allocates() {
            return Ok(());
        }
        let (ips, ports) = (addresses_of(last), node_ports_of(last));
        self.unclaim(&ips).await?;
        self.allocator.free(&ips, &ports.into_iter().collect::<Vec<_>>());
        let Some(endpoints) = self.catalog().get("", "endpoints").cloned() else { return Ok(()) };
        let key = endpoints.key(object::namespace(last), object::name(last));
        if let Some(stored) = self.read(&endpoints, &key).await? {
            self.remove(&key, Expect::Exact(stored.revision)).await?;
        }
        Ok(())
    }

    fn ip_addresses(&self) -> Option<Arc<RestConfig>> {
        self.catalog().get("networking.k8s.io", "ipaddresses").cloned()
    }

    /// False when an object of the name is there already.
    async fn write_ip_address(&self, ip: IpAddr, service: &Value) -> Result<bool, Status> {
        let Some(config) = self.ip_addresses() else { return Ok(true) };
        let target = Target::stored(&config, "", ip.to_string());
        if self.read(&config, &target.key()).await?.is_some() {
            return Ok(false);
        }
        let read = Read::object(
            self.context(None, None),
            &target,
            ip_address(ip, service),
            Origin::Posted,
        )?;
        let mut warnings = Warnings::default();
        match Box::pin(self.create_object(
            &target,
            Cause::Create,
            read,
            &WriteOptions::default(),
            &mut warnings,
        ))
        .await
        {
            Ok(_) => Ok(true),
            Err(status) if status.code == Some(409) => Ok(false),
            Err(status) => Err(status),
        }
    }

    async fn unclaim(&self, ips: &[IpAddr]) -> Result<(), Status> {
        let Some(config) = self.ip_addresses() else { return Ok(()) };
        for ip in ips {
            let key = config.key("", &ip.to_string());
            if let Some(stored) = self.read(&config, &key).await? {
                self.remove(&key, Expect::Exact(stored.revision)).await?;
            }
        }
        Ok(())
    }

    /// Finds out what is taken, writes the IPAddress objects that are missing and removes those
    /// whose service is gone.
    pub(crate) async fn repair_allocations(&self) -> Result<(), Status> {
        let (Some(services), Some(addresses)) =
            (self.catalog().get("", "services").cloned(), self.ip_addresses())
        else {
            return Ok(());
        };
        let mut held: BTreeSet<IpAddr> = BTreeSet::new();
        let target = Target::stored(&services, "", "");
        for service in self.list(&target, &ListOptions::default()).await?.items.iter() {
            let ips = addresses_of(service);
            {
                let mut taken = self.allocator.taken();
                taken.ips.extend(ips.iter().copied());
                taken.ports.extend(node_ports_of(service));
            }
            for ip in ips {
                held.insert(ip);
                self.write_ip_address(ip, service).await?;
            }
        }
        let target = Target::stored(&addresses, "", "");
        for address in self.list(&target, &ListOptions::default()).await?.items.iter() {
            let Ok(ip) = object::name(address).parse::<IpAddr>() else { continue };
            let own = object::labels(address).and_then(|it| it.get(MANAGED_BY.0)?.as_str());
            if held.contains(&ip) {
                continue;
            }
            // The server's own address is claimed by servers that start, as this one does.
            let is_left = Some(ip) == self.own_address() || !self.is_new(address);
            if own == Some(MANAGED_BY.1) && is_left {
                self.unclaim(&[ip]).await?;
            } else {
                self.allocator.taken().ips.insert(ip);
            }
        }
        Ok(())
    }

    /// Whether a service may still be on its way to an address that was claimed for it, by another
    /// server.
    fn is_new(&self, address: &Value) -> bool {
        let made = address.get_path(&["metadata", "creationTimestamp"]).and_then(Value::as_str);
        let made = made.and_then(|text| Time::decode(text).ok());
        made.is_some_and(|made| self.clock.now().seconds - made.seconds < CLAIM_SECONDS)
    }

    /// The addresses that services are given, as ranges.
    pub(crate) fn service_cidrs(&self) -> Vec<Value> {
        self.allocator.ranges.addresses.iter().map(|it| it.cidr().into()).collect()
    }

    /// Whether nobody has an address, as far as the store knows.
    pub(crate) async fn is_unclaimed(&self, ip: IpAddr) -> Result<bool, Status> {
        let Some(config) = self.ip_addresses() else { return Ok(false) };
        Ok(self.read(&config, &config.key("", &ip.to_string())).await?.is_none())
    }

    /// Notes that a stored service has an address.
    pub(crate) fn note_taken(&self, ip: IpAddr) {
        self.allocator.taken().ips.insert(ip);
    }

    /// The address that the server itself goes by.
    pub(crate) fn own_address(&self) -> Option<IpAddr> {
        self.allocator.ranges.addresses.first().map(AddressRange::first)
    }
}

fn taken_meanwhile(ip: IpAddr, service: &Value) -> Status {
    let path = ordain_value::field::Path::new("spec.clusterIPs");
    let shown = service.get_path(&["spec", "clusterIPs"]).cloned().unwrap_or(Value::Null);
    let why = format!("failed to allocate IP {ip}: {IP_TAKEN}");
    let error = ordain_value::field::Error::invalid(&path, shown, why);
    let kind = ordain_meta::GroupKind::new("", "Service");
    Status::invalid(&kind, object::name(service), &error.into())
}
