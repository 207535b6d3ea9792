//! What the server is measured against: raw puts into a real etcd.

use std::path::Path;
use std::time::Duration;

use ordain_storage::Expect;

use crate::etcd::Etcd;
use crate::measure::puts_per_second;

const CONNECTIONS: usize = 4;

/// None when there is no etcd.
pub(crate) async fn etcd_puts_per_second(
    directory: &Path,
    clients: usize,
    duration: Duration,
) -> Option<f64> {
    let etcd = Etcd::start(directory).await?;
    let stores = etcd.connections(CONNECTIONS);
    let rate = puts_per_second(&stores, Expect::Any, clients, duration).await;
    println!("etcd, {clients} clients: {rate:.0} raw puts of 1 KiB per second");
    Some(rate)
}
