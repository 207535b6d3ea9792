//! A server as a process of its own, and requests to it.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ordain_value::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// After so long a client gives up, and does not know what became of its request.
const TIMEOUT: Duration = Duration::from_secs(5);
const PATIENCE: Duration = Duration::from_secs(90);

pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) body: Value,
}

pub(crate) struct Process {
    etcd: Vec<String>,
    folder: tempfile::TempDir,
    state: Mutex<State>,
}

struct State {
    child: Child,
    /// Known once it is ready.
    address: std::sync::mpsc::Receiver<SocketAddr>,
    known: Option<SocketAddr>,
}

impl Drop for Process {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap();
        let _ = state.child.kill();
        let _ = state.child.wait();
    }
}

impl Process {
    pub(crate) fn start(etcd: &[String]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state = Mutex::new(launch(etcd, &folder));
        Self { etcd: etcd.to_vec(), folder, state }
    }

    fn address(&self) -> Option<SocketAddr> {
        let mut state = self.state.lock().unwrap();
        if state.known.is_none() {
            state.known = state.address.try_recv().ok();
        }
        state.known
    }

    pub(crate) fn runs(&self) -> bool {
        self.state.lock().unwrap().child.try_wait().unwrap().is_none()
    }

    /// Waits until it takes requests.
    pub(crate) async fn ready(&self) {
        let began = Instant::now();
        while self.call("GET", "/readyz", None).await.is_none_or(|it| it.code != 200) {
            assert!(self.runs(), "the server ended");
            assert!(began.elapsed() < PATIENCE, "the server does not come up");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn signal(&self, signal: &str) {
        let process = self.state.lock().unwrap().child.id().to_string();
        assert!(Command::new("kill").args([signal, &process]).status().unwrap().success());
    }

    pub(crate) fn pause(&self) {
        self.signal("-STOP");
    }

    pub(crate) fn resume(&self) {
        self.signal("-CONT");
    }

    /// Kills it, in the middle of whatever it does, and starts it again.
    pub(crate) async fn restart(&self) {
        {
            let mut state = self.state.lock().unwrap();
            state.child.kill().unwrap();
            state.child.wait().unwrap();
            *state = launch(&self.etcd, &self.folder);
        }
        self.ready().await;
    }

    /// Sends a request. None if there is no answer.
    pub(crate) async fn call(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Option<Answer> {
        let address = self.address()?;
        let body = body.map(json::encode).unwrap_or_default();
        let media =
            if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
             content-type: {media}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let exchange = async {
            let mut stream = tokio::net::TcpStream::connect(address).await.ok()?;
            stream.write_all(head.as_bytes()).await.ok()?;
            stream.write_all(&body).await.ok()?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await.ok()?;
            Some(answer)
        };
        let answer = tokio::time::timeout(TIMEOUT, exchange).await.ok()??;
        let end = answer.windows(4).position(|it| it == b"\r\n\r\n")?;
        let code = std::str::from_utf8(answer.get(9..12)?).ok()?.parse().ok()?;
        let body = json::decode(&answer[end + 4..]).unwrap_or(Value::Null);
        Some(Answer { code, body })
    }

    /// Sends a request until it is answered with something else than a failure.
    pub(crate) async fn insist(&self, method: &str, path: &str, body: &Value) -> Answer {
        let began = Instant::now();
        loop {
            match self.call(method, path, Some(body)).await {
                Some(answer) if answer.code < 500 => return answer,
                _ => assert!(began.elapsed() < PATIENCE, "{method} {path} fails for good"),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// What is there now.
    pub(crate) async fn present(&self, path: &str) -> Value {
        let began = Instant::now();
        loop {
            match self.call("GET", path, None).await {
                Some(answer) if answer.code == 200 => return answer.body,
                _ => assert!(began.elapsed() < PATIENCE, "{path} cannot be read"),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

fn launch(etcd: &[String], folder: &tempfile::TempDir) -> State {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ordain"))
        .args(["serve", "--insecure-http", "127.0.0.1:0", "--store", "etcd"])
        .args(["--controllers", "none", "--etcd-servers", &etcd.join(",")])
        .arg("--data-dir")
        .arg(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (sender, address) = std::sync::mpsc::channel();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    std::thread::spawn(move || {
        while let Some(Ok(line)) = lines.next() {
            let found = line.split("http://").nth(1).and_then(|rest| rest.split(' ').next());
            if let Some(address) = found.and_then(|text| text.parse().ok()) {
                let _ = sender.send(address);
            }
        }
    });
    State { child, address, known: None }
}
