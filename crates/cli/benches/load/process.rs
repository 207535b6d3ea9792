//! The server as a process of its own, with what the operating system says of it.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::client::{Access, Connection};

/// A server that is asked as fast as it answers.
pub(crate) trait Driven {
    fn access(&self) -> Access;

    /// The number of its process.
    fn id(&self) -> u32;

    /// User and system time so far.
    fn cpu(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        Duration::from_millis(ticks * 10)
    }
}

pub(crate) struct Server {
    process: Child,
    kubeconfig: std::path::PathBuf,
    pub(crate) ready_after: Duration,
}

impl Server {
    /// Starts it and waits until it says it is ready.
    pub(crate) async fn start(data: &Path) -> Self {
        Self::start_with(data, &[]).await
    }

    /// The same, with further arguments.
    pub(crate) async fn start_with(data: &Path, arguments: &[&str]) -> Self {
        let kubeconfig = data.with_extension("kubeconfig");
        let _ = std::fs::remove_file(&kubeconfig);
        let start = Instant::now();
        let process = Command::new(env!("CARGO_BIN_EXE_ordain"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(data)
            .arg("--kubeconfig")
            .arg(&kubeconfig)
            .args(arguments)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = Self { process, kubeconfig, ready_after: Duration::ZERO };
        while !server.is_ready().await {
            assert!(start.elapsed() < Duration::from_secs(30), "the server did not come up");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        server.ready_after = start.elapsed();
        server
    }

    async fn is_ready(&self) -> bool {
        let Ok(text) = std::fs::read_to_string(&self.kubeconfig) else { return false };
        if !text.contains("client-key-data") {
            return false;
        }
        let access = Access::from_kubeconfig(&text);
        if tokio::net::TcpStream::connect(&access.address).await.is_err() {
            return false;
        }
        let mut connection = Connection::open(&access).await;
        connection.exchange(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n").await == 200
    }

    pub(crate) fn resident_kib(&self) -> u64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

impl Driven for Server {
    fn access(&self) -> Access {
        Access::from_kubeconfig(&std::fs::read_to_string(&self.kubeconfig).unwrap())
    }

    fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
