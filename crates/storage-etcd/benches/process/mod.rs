//! A real etcd of one member, as a process of its own.

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use ordain_storage::Store;
use ordain_storage_etcd::{EtcdOptions, EtcdStore};

/// Stops with its end.
pub(crate) struct Etcd {
    process: Child,
    url: String,
}

impl Etcd {
    /// Starts it and waits until it answers; none, with a word why, when there is no etcd.
    pub(crate) async fn start(directory: &Path) -> Option<Self> {
        let port =
            || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        let url = format!("http://127.0.0.1:{}", port());
        let peer = format!("http://127.0.0.1:{}", port());
        let spawned = Command::new("etcd")
            .arg("--data-dir")
            .arg(directory.join("etcd"))
            .args(["--listen-client-urls", &url, "--advertise-client-urls", &url])
            .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
            .args(["--initial-cluster", &format!("default={peer}")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(process) = spawned else {
            println!("no etcd in the PATH: nothing to compare with");
            return None;
        };
        let etcd = Self { process, url };
        let store = etcd.connect();
        while store.current_revision().await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Some(etcd)
    }

    /// Several stores, each with a connection of its own.
    pub(crate) fn connections(&self, count: usize) -> Vec<Arc<dyn Store>> {
        (0..count).map(|_| self.connect()).collect()
    }

    fn connect(&self) -> Arc<dyn Store> {
        let options = EtcdOptions { endpoints: vec![self.url.clone()], ..EtcdOptions::default() };
        Arc::new(EtcdStore::new(options).unwrap())
    }
}

impl Drop for Etcd {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
