//! Clusters behind HTTPS, reached as their kubeconfig says: authorities, certificates, tokens,
//! plugins, contexts, proxies, names.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ordain_schema::base64;
use ordain_value::{Value, json, value, yaml};

/// A server with the example API behind HTTPS, stopped when it goes out of scope.
struct Server {
    child: Child,
    folder: tempfile::TempDir,
    address: String,
    authority: String,
    certificate: String,
    key: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const WIDGET: &str =
    "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {replicas: 2}\n";

fn text(value: &Value, list: &str, part: &str, key: &str) -> String {
    let entry = value.get(list).unwrap().as_list().unwrap()[0].clone();
    entry.get_path(&[part, key]).and_then(Value::as_str).unwrap().to_owned()
}

impl Server {
    fn start() -> Server {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::fs::write(path.join("tokens"), "secret,ann,1,\"system:masters\"\n").unwrap();
        std::fs::write(path.join("w.yaml"), WIDGET).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_ordain"))
            .current_dir(path)
            .args(["serve", "--store", "memory", "--demo", "--listen", "127.0.0.1:0"])
            .args(["--kubeconfig", "admin.yaml", "--token-auth-file", "tokens"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = lines.any(|line| line.unwrap().contains("https://"));
        assert!(ready, "the server does not say where it is");
        std::thread::spawn(move || lines.for_each(drop));
        let admin = std::fs::read(path.join("admin.yaml")).unwrap();
        let admin = yaml::decode_first(&admin, yaml::Options::default()).unwrap().value.unwrap();
        Server {
            address: text(&admin, "clusters", "cluster", "server"),
            authority: text(&admin, "clusters", "cluster", "certificate-authority-data"),
            certificate: text(&admin, "users", "user", "client-certificate-data"),
            key: text(&admin, "users", "user", "client-key-data"),
            child,
            folder,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn cluster(&self) -> Value {
        value!({
            "server": (self.address.as_str()),
            "certificate-authority-data": (self.authority.as_str())
        })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
        for name in ["KUBECONFIG", "ORDAIN_CONFIG", "ORDAIN_SCHEMAS", "NO_PROXY", "no_proxy"] {
            command.env_remove(name);
        }
        command.current_dir(self.folder.path()).env("HOME", self.folder.path());
        command.args(arguments);
        command
    }

    /// Writes a kubeconfig.
    fn config(&self, name: &str, cluster: &Value, user: &Value) {
        let config = value!({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "here",
            "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": cluster.clone()}],
            "users": [{"name": "u", "user": user.clone()}]
        });
        std::fs::write(self.path(name), json::encode(&config)).unwrap();
    }

    fn judge(&self, cluster: &Value, user: &Value) -> Output {
        self.config("config", cluster, user);
        self.command(&["validate", "--cluster", "--kubeconfig", "config", "--summary", "w.yaml"])
            .output()
            .unwrap()
    }

    /// The widget is judged by what the cluster says, so the cluster was reached.
    fn reached(&self, cluster: &Value, user: &Value) {
        let output = self.judge(cluster, user);
        let reported = String::from_utf8_lossy(&output.stdout);
        let wrong = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{reported}{wrong}");
        assert!(reported.contains("1 object in 1 file: 0 errors"), "{reported}{wrong}");
    }

    fn refused(&self, cluster: &Value, user: &Value, words: &str) {
        let output = self.judge(cluster, user);
        let wrong = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
        assert!(wrong.contains(words), "{words}: {wrong}");
    }

    fn script(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.path(name), mode).unwrap();
    }
}

fn credential(status: &Value) -> String {
    json::encode_string(&value!({
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": status.clone()
    }))
}

/// A proxy that knows CONNECT; counts what goes through it.
fn start_proxy() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            counter.fetch_add(1, Ordering::SeqCst);
            std::thread::spawn(move || tunnel(client));
        }
    });
    (address, count)
}

fn tunnel(mut client: TcpStream) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && client.read(&mut byte).unwrap_or(0) == 1 {
        head.push(byte[0]);
    }
    let line = String::from_utf8_lossy(&head);
    let Some(target) = line.split(' ').nth(1).and_then(|it| TcpStream::connect(it).ok()) else {
        return;
    };
    let mut target = target;
    client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
    let (mut from, mut to) = (client.try_clone().unwrap(), target.try_clone().unwrap());
    std::thread::spawn(move || std::io::copy(&mut from, &mut to));
    let _ = std::io::copy(&mut target, &mut client);
}

#[test]
fn a_cluster_is_reached_as_its_kubeconfig_says() {
    let server = Server::start();
    let (cluster, nobody) = (server.cluster(), value!({}));
    let data = value!({
        "client-certificate-data": (server.certificate.as_str()),
        "client-key-data": (server.key.as_str())
    });
    server.reached(&cluster, &data);
    // Files, named from the folder of the kubeconfig.
    let decoded = |text: &str| base64::decode(text).unwrap();
    std::fs::write(server.path("ca.pem"), decoded(&server.authority)).unwrap();
    std::fs::write(server.path("cert.pem"), decoded(&server.certificate)).unwrap();
    std::fs::write(server.path("key.pem"), decoded(&server.key)).unwrap();
    let by_file = value!({"server": (server.address.as_str()), "certificate-authority": "ca.pem"});
    server.reached(&by_file, &value!({"client-certificate": "cert.pem", "client-key": "key.pem"}));
    // Tokens.
    server.reached(&cluster, &value!({"token": "secret"}));
    std::fs::write(server.path("token"), "secret\n").unwrap();
    server.reached(&cluster, &value!({"tokenFile": "token"}));
    server.refused(&cluster, &value!({"token": "wrong"}), "401");
    server.refused(&cluster, &nobody, "40");
    server.refused(&cluster, &value!({"tokenFile": "nowhere"}), "nowhere");
    // Trust.
    let bare = value!({"server": (server.address.as_str())});
    let token = value!({"token": "secret"});
    server.refused(&bare, &token, "certificate");
    let mut insecure = bare.clone();
    insecure.set_path(&["insecure-skip-tls-verify"], Value::Bool(true));
    server.reached(&insecure, &token);
    let mut broken = bare.clone();
    broken.set_path(&["certificate-authority-data"], "bm9uc2Vuc2U=".into());
    server.refused(&broken, &token, "certificate-authority: no certificate");
    let mut other = cluster.clone();
    other.set_path(&["tls-server-name"], "elsewhere.example.com".into());
    server.refused(&other, &token, "certificate");
    other.set_path(&["tls-server-name"], "localhost".into());
    server.reached(&other, &token);
}

#[test]
fn plugins_give_credentials() {
    let server = Server::start();
    let cluster = server.cluster();
    let token = credential(&value!({"token": "secret"}));
    server.script(
        "token.sh",
        &format!("#!/bin/sh\n[ \"$1:$WHO\" = get:ann ] || exit 7\ncat <<'E'\n{token}\nE\n"),
    );
    let exec = value!({
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "./token.sh", "args": ["get"], "env": [{"name": "WHO", "value": "ann"}]
    });
    server.reached(&cluster, &value!({"exec": exec.clone()}));
    let mut lost = exec.clone();
    lost.set_path(&["args"], Value::from(Vec::new()));
    server.refused(&cluster, &value!({"exec": lost}), "exit status: 7");
    let mut gone = exec.clone();
    gone.set_path(&["command"], "./gone.sh".into());
    server.refused(&cluster, &value!({"exec": gone}), "gone.sh");
    let mut interactive = exec;
    interactive.set_path(&["interactiveMode"], "Always".into());
    server.refused(&cluster, &value!({"exec": interactive}), "terminal");
    // Certificates, by a plugin that is told which cluster it is.
    let plain = |text: &str| String::from_utf8(base64::decode(text).unwrap()).unwrap();
    let identity = credential(&value!({
        "clientCertificateData": (plain(&server.certificate)), "clientKeyData": (plain(&server.key))
    }));
    server.script(
        "cert.sh",
        &format!(
            "#!/bin/sh\ncase \"$KUBERNETES_EXEC_INFO\" in *'\"server\":\"https://'*) ;; *) exit 8;; esac\ncat <<'E'\n{identity}\nE\n"
        ),
    );
    let exec = value!({"command": "./cert.sh", "provideClusterInfo": true});
    server.reached(&cluster, &value!({"exec": exec}));
}

#[test]
fn contexts_files_and_proxies_are_followed() {
    let server = Server::start();
    let token = value!({"token": "secret"});
    let status = |mut command: Command| {
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let judge = ["validate", "--cluster", "w.yaml"];
    // Contexts of one file; the current one leads nowhere.
    let config = value!({
        "current-context": "away",
        "contexts": [
            {"name": "away", "context": {"cluster": "gone", "user": "u"}},
            {"name": "here", "context": {"cluster": "c", "user": "u"}}
        ],
        "clusters": [{"name": "c", "cluster": server.cluster()}],
        "users": [{"name": "u", "user": token.clone()}]
    });
    std::fs::write(server.path("config"), json::encode(&config)).unwrap();
    let named = |context: &str| {
        let mut command = server.command(&judge);
        command.args(["--kubeconfig", "config", "--context", context]);
        status(command)
    };
    assert_eq!(named("here").0, Some(0), "{}", named("here").1);
    assert!(named("away").1.contains("no cluster \"gone\""), "{}", named("away").1);
    assert_eq!(named("nowhere").0, Some(2));
    // Several files are one: the first has the context, the second the rest.
    let first = value!({
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}]
    });
    std::fs::write(server.path("first"), json::encode(&first)).unwrap();
    let mut command = server.command(&judge);
    command.env("KUBECONFIG", "first:missing:config");
    let merged = status(command);
    assert_eq!(merged.0, Some(0), "{}", merged.1);
    // A proxy of the cluster is used; one of the environment is not, on the way to this machine.
    let (proxy, count) = start_proxy();
    let mut cluster = server.cluster();
    cluster.set_path(&["proxy-url"], proxy.as_str().into());
    server.reached(&cluster, &token);
    assert!(count.load(Ordering::SeqCst) > 0);
    let before = count.load(Ordering::SeqCst);
    server.config("config", &server.cluster(), &token);
    let mut command =
        server.command(&["validate", "--cluster", "--kubeconfig", "config", "w.yaml"]);
    command.env("HTTPS_PROXY", &proxy).env("https_proxy", &proxy);
    assert_eq!(status(command).0, Some(0));
    assert_eq!(count.load(Ordering::SeqCst), before);
    cluster.set_path(&["proxy-url"], "http://127.0.0.1:1".into());
    server.refused(&cluster, &token, "127.0.0.1");
    cluster.set_path(&["proxy-url"], "socks5://127.0.0.1:1".into());
    server.refused(&cluster, &token, "only HTTP proxies");
    against_the_cluster(&server);
}

/// A change of what the cluster holds, over the same way.
fn against_the_cluster(server: &Server) {
    let gizmo = "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: gizmo}\nspec: {owner: eve}\n";
    std::fs::write(server.path("gizmo.yaml"), gizmo).unwrap();
    server.config("config", &server.cluster(), &value!({"token": "secret"}));
    let output = server
        .command(&["validate", "--cluster", "--against-cluster", "--kubeconfig", "config"])
        .arg("gizmo.yaml")
        .output()
        .unwrap();
    let reported = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{reported}");
    assert!(
        reported.contains("owner is immutable") && reported.contains("judged as a change"),
        "{reported}"
    );
    let kept = server.command(&["schemas", "add", "--cluster", "--kubeconfig", "config"]);
    let mut kept = kept;
    kept.env("XDG_DATA_HOME", Path::new(&server.path("data")));
    assert_eq!(kept.output().unwrap().status.code(), Some(0));
}
