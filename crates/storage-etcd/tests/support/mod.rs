//! A real etcd on free loopback ports, and a wire to it that can be cut.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ordain_storage::Store;
use ordain_storage_etcd::{EtcdOptions, EtcdStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::task::JoinHandle;

pub(crate) struct Etcd {
    name: String,
    directory: tempfile::TempDir,
    client_port: u16,
    peer_port: u16,
    /// All members, as etcd knows them.
    cluster: String,
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

/// False, with a message, if there is no etcd on this machine.
pub(crate) fn is_installed() -> bool {
    let found = Command::new("etcd").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        let why = "no `etcd` in the PATH (Debian: apt-get install etcd-server)";
        ordain_testkit::Need::Etcd.missing(why);
    }
    found
}

impl Etcd {
    /// None, with a message, if there is no etcd on this machine.
    pub(crate) async fn start(arguments: &[&str]) -> Option<Self> {
        let mut etcd = Self::prepare(arguments)?;
        etcd.run().await;
        Some(etcd)
    }

    /// One that does not run yet.
    pub(crate) fn prepare(arguments: &[&str]) -> Option<Self> {
        is_installed().then(|| Self::member("default", arguments))
    }

    /// Several members of one cluster.
    pub(crate) async fn start_cluster(members: usize) -> Option<Vec<Self>> {
        if !is_installed() {
            return None;
        }
        let mut all: Vec<Self> =
            (0..members).map(|at| Self::member(&format!("m{at}"), &[])).collect();
        let cluster: Vec<String> = all.iter().map(|it| it.cluster.clone()).collect();
        for etcd in &mut all {
            etcd.cluster = cluster.join(",");
            etcd.launch();
        }
        for etcd in &all {
            etcd.answers().await;
        }
        Some(all)
    }

    fn member(name: &str, arguments: &[&str]) -> Self {
        let peer_port = free_port();
        Self {
            name: name.to_owned(),
            directory: tempfile::tempdir().unwrap(),
            client_port: free_port(),
            peer_port,
            cluster: format!("{name}=http://127.0.0.1:{peer_port}"),
            arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
            process: None,
        }
    }

    /// Starts it, again or for the first time, on the same data and ports.
    pub(crate) async fn run(&mut self) {
        self.launch();
        self.answers().await;
    }

    fn launch(&mut self) {
        let client = self.url();
        let peer = format!("http://127.0.0.1:{}", self.peer_port);
        let process = Command::new("etcd")
            .args(["--name", &self.name])
            .arg("--data-dir")
            .arg(self.directory.path())
            .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
            .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
            .args(["--initial-cluster", &self.cluster])
            .args(&self.arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.process = Some(process);
    }

    async fn answers(&self) {
        let store = self.store();
        let start = Instant::now();
        while let Err(error) = store.current_revision().await {
            assert!(start.elapsed() < Duration::from_secs(60), "etcd does not start: {error}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    fn signal(&self, signal: &str) {
        let process = self.process.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args([signal, &process]).status().unwrap().success());
    }

    /// Stops its clock, as a machine that is overloaded does.
    pub(crate) fn pause(&self) {
        self.signal("-STOP");
    }

    pub(crate) fn resume(&self) {
        self.signal("-CONT");
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.client_port)
    }

    pub(crate) fn store(&self) -> EtcdStore {
        store(&self.url())
    }

    /// A wire to it.
    pub(crate) async fn wire(&self) -> Wire {
        Wire::to(self.client_port).await
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
    /// How long each piece is on its way, in milliseconds.
    delay: Arc<AtomicU64>,
}

impl Wire {
    async fn to(target: u16) -> Self {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(Mutex::new(Vec::new()));
        let (open, delay) = (connections.clone(), Arc::new(AtomicU64::new(0)));
        let late = delay.clone();
        let accepting = tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let late = late.clone();
                let connection = tokio::spawn(async move {
                    let address = (Ipv4Addr::LOCALHOST, target);
                    let Ok(far) = tokio::net::TcpStream::connect(address).await else { return };
                    let ((near_in, near_out), (far_in, far_out)) =
                        (near.into_split(), far.into_split());
                    tokio::select! {
                        () = carry(near_in, far_out, &late) => {}
                        () = carry(far_in, near_out, &late) => {}
                    }
                });
                open.lock().unwrap().push(connection);
            }
        });
        Self { port, connections, accepting, delay }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// From now on everything takes so long to arrive.
    pub(crate) fn delay(&self, time: Duration) {
        self.delay.store(time.as_millis() as u64, Ordering::Relaxed);
    }

    /// Ends all connections; new ones are accepted.
    pub(crate) fn cut(&self) {
        for connection in self.connections.lock().unwrap().drain(..) {
            connection.abort();
        }
    }
}

async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, delay: &AtomicU64) {
    let mut piece = vec![0; 64 * 1024];
    while let Ok(len @ 1..) = from.read(&mut piece).await {
        let late = delay.load(Ordering::Relaxed);
        if late > 0 {
            tokio::time::sleep(Duration::from_millis(late)).await;
        }
        if to.write_all(&piece[..len]).await.is_err() {
            return;
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut();
    }
}
