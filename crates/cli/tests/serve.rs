//! `ordain serve` as people start it: what it prints and writes, what it refuses, how it stops.

#![cfg(unix)]
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn command(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command.arg("serve").arg("--data-dir").arg(dir).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts a server and waits until it says where it is.
fn start(command: &mut Command) -> (Child, SocketAddr, Duration) {
    let began = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let ready = began.elapsed();
    let address = line.split("://").nth(1).and_then(|rest| rest.split(' ').next());
    let address = address.unwrap_or_else(|| panic!("it said {line:?}")).parse().unwrap();
    (child, address, ready)
}

/// Sends SIGTERM and tells how long the end took.
fn terminate(mut child: Child) -> Duration {
    let began = Instant::now();
    let killed = Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(killed.success());
    let status = child.wait().unwrap();
    assert!(status.success(), "{status}");
    began.elapsed()
}

#[test]
fn a_first_start_makes_keys_for_the_owner_alone_and_a_second_one_keeps_them() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let listen = ["--listen", "127.0.0.1:0"];
    let (child, address, ready) = start(command(&data).args(listen));
    println!("first start: ready after {ready:?}");
    let kubeconfig = data.join("kubeconfig");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&kubeconfig), 0o600);
    assert_eq!(mode(&data.join("pki/ca.key")), 0o600);
    assert_eq!(mode(&data.join("pki")), 0o700);
    let text = std::fs::read_to_string(&kubeconfig).unwrap();
    assert!(text.contains(&format!("https://{address}")), "{text}");
    let authority = std::fs::read(data.join("pki/ca.crt")).unwrap();
    // The port speaks TLS alone.
    let mut plain = TcpStream::connect(address).unwrap();
    plain.write_all(b"GET /version HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP/"), "{answer:?}");
    println!("stopped after {:?}", terminate(child));

    let (child, _, ready) = start(command(&data).args(listen));
    println!("second start: ready after {ready:?}");
    assert_eq!(authority, std::fs::read(data.join("pki/ca.crt")).unwrap());
    terminate(child);
}

#[test]
fn plain_http_stays_on_this_machine() {
    let dir = tempfile::tempdir().unwrap();
    let output = command(dir.path()).args(["--insecure-http", "0.0.0.0:0"]).output().unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("would let everybody on the network do everything"), "{text}");
    assert!(!dir.path().join("pki").exists());
}

#[test]
fn sigterm_ends_watches_and_the_server_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["--insecure-http", "127.0.0.1:0", "--store", "memory"];
    let (child, address, _) = start(command(dir.path()).args(args));
    let watches: Vec<TcpStream> = (0..10)
        .map(|_| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            let request = "GET /api/v1/namespaces?watch=true HTTP/1.1\r\nhost: localhost\r\n\r\n";
            stream.write_all(request.as_bytes()).unwrap();
            let mut head = [0; 12];
            stream.read_exact(&mut head).unwrap();
            assert_eq!(&head, b"HTTP/1.1 200");
            stream
        })
        .collect();
    let took = terminate(child);
    println!("stopped after {took:?} with ten watches open");
    // The bar is 100 ms; a busy machine gets ten times as much.
    assert!(took < Duration::from_secs(1), "{took:?}");
    for mut stream in watches {
        let mut rest = String::new();
        stream.read_to_string(&mut rest).unwrap();
        assert!(rest.ends_with("\r\n0\r\n\r\n"), "a watch was cut off: {rest:?}");
    }
}

#[test]
fn a_snapshot_is_for_the_owner_alone_and_replaces_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (data, file) = (dir.path().join("data"), dir.path().join("snapshot"));
    let (child, _, _) = start(command(&data).args(["--listen", "127.0.0.1:0"]));
    terminate(child);
    // Whatever the shell would let others do with new files.
    let save = format!(
        "umask 000; exec '{}' snapshot save '{}' --data-dir '{}'",
        env!("CARGO_BIN_EXE_ordain"),
        file.display(),
        data.display()
    );
    let save = || Command::new("sh").args(["-c", &save]).output().unwrap();
    let saved = save();
    assert!(saved.status.success(), "{saved:?}");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let bytes = std::fs::read(&file).unwrap();
    assert!(!save().status.success());
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
}
