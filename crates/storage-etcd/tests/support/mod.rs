//! A real etcd on free loopback ports, and a wire to it that can be cut.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ordain_storage::Store;
use ordain_storage_etcd::{EtcdOptions, EtcdStore};
use tokio::task::JoinHandle;

pub(crate) struct Etcd {
    directory: tempfile::TempDir,
    client_port: u16,
    peer_port: u16,
    arguments: Vec<String>,
    process: Option<Child>,
}

impl Drop for Etcd {
    fn drop(&mut self) {
        self.kill();
    }
}

fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

impl Etcd {
    /// None, with a message, if there is no etcd on this machine.
    pub(crate) async fn start(arguments: &[&str]) -> Option<Self> {
        if Command::new("etcd").arg("--version").stdout(Stdio::null()).status().is_err() {
            let why = "no `etcd` in the PATH (Debian: apt-get install etcd-server)";
            ordain_testkit::Need::Etcd.missing(why);
            return None;
        }
        let mut etcd = Self {
            directory: tempfile::tempdir().unwrap(),
            client_port: free_port(),
            peer_port: free_port(),
            arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
            process: None,
        };
        etcd.run().await;
        Some(etcd)
    }

    /// Starts it, again or for the first time, on the same data and ports.
    pub(crate) async fn run(&mut self) {
        let client = self.url();
        let peer = format!("http://127.0.0.1:{}", self.peer_port);
        let process = Command::new("etcd")
            .arg("--data-dir")
            .arg(self.directory.path())
            .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
            .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
            .args(["--initial-cluster", &format!("default={peer}")])
            .args(&self.arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.process = Some(process);
        let store = self.store();
        let start = Instant::now();
        while let Err(error) = store.current_revision().await {
            assert!(start.elapsed() < Duration::from_secs(20), "etcd does not start: {error}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.client_port)
    }

    pub(crate) fn store(&self) -> EtcdStore {
        store(&self.url())
    }

    /// A store whose connections go over a wire of their own.
    pub(crate) async fn store_over_wire(&self) -> (EtcdStore, Wire) {
        let wire = Wire::to(self.client_port).await;
        (store(&format!("http://127.0.0.1:{}", wire.port)), wire)
    }
}

pub(crate) fn store(url: &str) -> EtcdStore {
    let options = EtcdOptions { endpoints: vec![url.to_owned()], ..EtcdOptions::default() };
    EtcdStore::new(options).unwrap()
}

/// A proxy for TCP connections.
pub(crate) struct Wire {
    port: u16,
    connections: Arc<Mutex<Vec<JoinHandle<()>>>>,
    accepting: JoinHandle<()>,
}

impl Wire {
    async fn to(target: u16) -> Self {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(Mutex::new(Vec::new()));
        let open = connections.clone();
        let accepting = tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let connection = tokio::spawn(async move {
                    let address = (Ipv4Addr::LOCALHOST, target);
                    let Ok(mut far) = tokio::net::TcpStream::connect(address).await else { return };
                    let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
                });
                open.lock().unwrap().push(connection);
            }
        });
        Self { port, connections, accepting }
    }

    /// Ends all connections; new ones are accepted.
    pub(crate) fn cut(&self) {
        for connection in self.connections.lock().unwrap().drain(..) {
            connection.abort();
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut();
    }
}
