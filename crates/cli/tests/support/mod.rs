//! A server of its own for each test: the binary, over TLS, with the kubeconfig it wrote.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) struct Serving {
    process: Child,
    folder: tempfile::TempDir,
}

impl Serving {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let kubeconfig = folder.path().join("kubeconfig");
        let mut process = Command::new(env!("CARGO_BIN_EXE_ordain"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(folder.path().join("data"))
            .arg("--kubeconfig")
            .arg(&kubeconfig)
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("ordain starts");
        let deadline = Instant::now() + Duration::from_secs(30);
        while !answers(&kubeconfig) {
            assert!(process.try_wait().expect("its state").is_none(), "the server ended");
            assert!(Instant::now() < deadline, "the server did not come up");
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { process, folder }
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.folder.path().join("kubeconfig")
    }

    #[allow(dead_code, reason = "not every test file needs it")]
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Whether the address in the kubeconfig takes connections.
fn answers(kubeconfig: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(kubeconfig) else { return false };
    let Some((_, rest)) = text.split_once("https://") else { return false };
    let address = rest.split_whitespace().next().unwrap_or_default().trim_matches('"');
    std::net::TcpStream::connect(address).is_ok()
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
