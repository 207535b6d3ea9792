//! kubeconfig files: which server, which authority, which credentials.

use std::path::{Path, PathBuf};
use std::process::Command;

use ordain_schema::base64;
use ordain_value::{Value, json, value, yaml};

/// How a cluster is reached.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    pub(crate) server: String,
    /// PEM of the authority, when one is named.
    pub(crate) authority: Option<Vec<u8>>,
    pub(crate) insecure: bool,
    /// PEM of certificate and key.
    pub(crate) identity: Option<(Vec<u8>, Vec<u8>)>,
    /// Value of the `Authorization` header.
    pub(crate) authorization: Option<String>,
    /// Headers of the user who is stood in for.
    pub(crate) headers: Vec<(String, String)>,
    /// The namespace of objects that name none.
    pub(crate) namespace: String,
    /// The proxy of this cluster.
    pub(crate) proxy: Option<String>,
    /// The name in the server's certificate, when it is not that of its address.
    pub(crate) server_name: Option<String>,
}

/// One file and what it says.
struct File {
    folder: PathBuf,
    value: Value,
}

/// Reads `--kubeconfig`, else `$KUBECONFIG`, else `~/.kube/config`.
///
/// # Errors
/// When no usable context is there; in words.
pub(crate) fn read(file: Option<&Path>, context: Option<&str>) -> Result<Access, String> {
    let files = match files(file) {
        Ok(files) => files,
        // Inside of a cluster its service account will do, as for kubectl.
        Err(why) => match (file, context) {
            (None, None) => return inside().unwrap_or(Err(why)),
            _ => return Err(why),
        },
    };
    let current = files.iter().find_map(|it| text(&it.value, "current-context"));
    let name = context
        .map(ToOwned::to_owned)
        .or(current)
        .ok_or("no context: name one with --context, or set current-context in the kubeconfig")?;
    let (_, context) = named(&files, "contexts", "context", &name)?;
    let of =
        |key: &str| text(context, key).ok_or_else(|| format!("context {name:?} names no {key}"));
    let (at, cluster) = named(&files, "clusters", "cluster", &of("cluster")?)?;
    let server = text(cluster, "server").ok_or("the cluster has no server")?;
    let mut access = Access {
        server: server.trim_end_matches('/').to_owned(),
        authority: pem(&at.folder, cluster, "certificate-authority")?,
        insecure: cluster.get("insecure-skip-tls-verify").and_then(Value::as_bool) == Some(true),
        namespace: text(context, "namespace").unwrap_or_else(|| "default".to_owned()),
        proxy: text(cluster, "proxy-url"),
        server_name: text(cluster, "tls-server-name"),
        ..Access::default()
    };
    if let Some(user) = text(context, "user") {
        let (at, user) = named(&files, "users", "user", &user)?;
        credentials(&at.folder, user, cluster, &mut access)?;
    }
    Ok(access)
}

/// The access of a pod; none when this is not one.
fn inside() -> Option<Result<Access, String>> {
    const FOLDER: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
    let variable = |name: &str| std::env::var(name).ok().filter(|it| !it.is_empty());
    let host = variable("KUBERNETES_SERVICE_HOST")?;
    let port = variable("KUBERNETES_SERVICE_PORT")?;
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    let read = |name: &str| {
        let path = Path::new(FOLDER).join(name);
        std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let access = || {
        let token = String::from_utf8_lossy(&read("token")?).trim().to_owned();
        let namespace = read("namespace").unwrap_or_default();
        let namespace = String::from_utf8_lossy(&namespace).trim().to_owned();
        Ok(Access {
            server: format!("https://{host}:{port}"),
            authority: Some(read("ca.crt")?),
            authorization: Some(format!("Bearer {token}")),
            namespace: if namespace.is_empty() { "default".to_owned() } else { namespace },
            ..Access::default()
        })
    };
    Some(access())
}

fn files(file: Option<&Path>) -> Result<Vec<File>, String> {
    let from_list = std::env::var_os("KUBECONFIG").filter(|it| !it.is_empty());
    let paths: Vec<PathBuf> = match (file, from_list) {
        (Some(file), _) => vec![file.to_path_buf()],
        // Files of the list that are not there are passed over, as kubectl does.
        (None, Some(list)) => std::env::split_paths(&list).filter(|it| it.is_file()).collect(),
        (None, None) => {
            let home = std::env::var_os("HOME").ok_or("no kubeconfig: HOME is not set")?;
            vec![Path::new(&home).join(".kube/config")]
        }
    };
    let mut files = Vec::new();
    for path in paths {
        let fail = |why: String| format!("{}: {why}", path.display());
        let bytes = std::fs::read(&path).map_err(|error| fail(error.to_string()))?;
        let document = yaml::decode_first(&bytes, yaml::Options::default());
        let value = document.and_then(|it| it.value).map_err(|error| fail(error.to_string()))?;
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        files.push(File { folder, value });
    }
    if files.is_empty() { Err("no kubeconfig was found".to_owned()) } else { Ok(files) }
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).filter(|it| !it.is_empty()).map(ToOwned::to_owned)
}

/// The entry of a list with a name; of several files the first wins.
fn named<'a>(
    files: &'a [File],
    list: &str,
    key: &str,
    name: &str,
) -> Result<(&'a File, &'a Value), String> {
    for file in files {
        let entries = file.value.get(list).and_then(Value::as_list);
        let entry = entries
            .into_iter()
            .flat_map(|entries| entries.iter())
            .find(|it| it.get("name").and_then(Value::as_str) == Some(name));
        if let Some(value) = entry.and_then(|it| it.get(key)) {
            return Ok((file, value));
        }
    }
    Err(format!("the kubeconfig has no {key} {name:?}"))
}

/// `<key>-data` in base64, or the file that `<key>` names.
fn pem(folder: &Path, value: &Value, key: &str) -> Result<Option<Vec<u8>>, String> {
    if let Some(data) = text(value, &format!("{key}-data")) {
        let bytes = base64::decode(&data).map_err(|at| format!("{key}-data: no base64 at {at}"))?;
        return Ok(Some(bytes));
    }
    let Some(file) = text(value, key) else { return Ok(None) };
    let path = folder.join(file);
    std::fs::read(&path).map(Some).map_err(|error| format!("{}: {error}", path.display()))
}

fn credentials(
    folder: &Path,
    user: &Value,
    cluster: &Value,
    access: &mut Access,
) -> Result<(), String> {
    access.headers = impersonation(user);
    let certificate = pem(folder, user, "client-certificate")?;
    let key = pem(folder, user, "client-key")?;
    access.identity = certificate.zip(key);
    if let Some(token) = text(user, "token") {
        access.authorization = Some(format!("Bearer {token}"));
    } else if let Some(file) = text(user, "tokenFile") {
        let path = folder.join(file);
        let token = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        access.authorization = Some(format!("Bearer {}", token.trim()));
    } else if let Some(name) = text(user, "username") {
        let password = text(user, "password").unwrap_or_default();
        let basic = base64::encode(format!("{name}:{password}").as_bytes());
        access.authorization = Some(format!("Basic {basic}"));
    }
    if let Some(exec) = user.get("exec") {
        return run_plugin(folder, exec, cluster, access);
    }
    if user.get("auth-provider").is_some() && access.authorization.is_none() {
        return Err("auth-provider is gone from Kubernetes; use an exec plugin".to_owned());
    }
    Ok(())
}

/// The headers for another user, whom the credentials may stand in for.
fn impersonation(user: &Value) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    let mut put = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
    if let Some(name) = text(user, "as") {
        put("Impersonate-User", &name);
    }
    if let Some(uid) = text(user, "as-uid") {
        put("Impersonate-Uid", &uid);
    }
    let groups = user.get("as-groups").and_then(Value::as_list).into_iter();
    for group in groups.flat_map(|it| it.iter()).filter_map(Value::as_str) {
        put("Impersonate-Group", group);
    }
    let extra = user.get("as-user-extra").and_then(Value::as_map).into_iter();
    for (key, values) in extra.flat_map(ordain_value::Map::iter) {
        for value in values.as_list().into_iter().flat_map(|it| it.iter()).filter_map(Value::as_str)
        {
            put(&format!("Impersonate-Extra-{key}"), value);
        }
    }
    headers
}

/// Asks a credential plugin.
fn run_plugin(
    folder: &Path,
    exec: &Value,
    cluster: &Value,
    access: &mut Access,
) -> Result<(), String> {
    let name = text(exec, "command").ok_or("the exec plugin names no command")?;
    // A path is relative to the file; a bare name is looked up.
    let program =
        if name.contains('/') { folder.join(&name) } else { PathBuf::from(name.as_str()) };
    let version =
        text(exec, "apiVersion").unwrap_or_else(|| "client.authentication.k8s.io/v1".to_owned());
    let mut command = Command::new(program);
    let list = |key: &str| exec.get(key).and_then(Value::as_list).into_iter();
    command.args(list("args").flat_map(|it| it.iter()).filter_map(Value::as_str));
    for variable in list("env").flat_map(|it| it.iter()) {
        if let (Some(key), Some(value)) = (text(variable, "name"), text(variable, "value")) {
            command.env(key, value);
        }
    }
    if text(exec, "interactiveMode").as_deref() == Some("Always") {
        return Err(format!("exec plugin {name}: it insists on a terminal"));
    }
    let mut info = value!({
        "apiVersion": version, "kind": "ExecCredential", "spec": {"interactive": false}
    });
    if exec.get("provideClusterInfo").and_then(Value::as_bool) == Some(true) {
        let mut about = cluster.clone();
        if let Some(authority) = &access.authority {
            about.set_path(&["certificate-authority-data"], base64::encode(authority).into());
        }
        about.remove_path(&["certificate-authority"]);
        info.set_path(&["spec", "cluster"], about);
    }
    let output = command
        .env("KUBERNETES_EXEC_INFO", json::encode_string(&info))
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| format!("exec plugin {name}: {error}"))?;
    if !output.status.success() {
        return Err(format!("exec plugin {name}: {}", output.status));
    }
    let answer =
        json::decode(&output.stdout).map_err(|error| format!("exec plugin {name}: {error}"))?;
    let status = answer.get("status").cloned().unwrap_or_default();
    if let Some(token) = text(&status, "token") {
        access.authorization = Some(format!("Bearer {token}"));
    }
    let part = |key: &str| text(&status, key).map(String::into_bytes);
    if let Some(identity) = part("clientCertificateData").zip(part("clientKeyData")) {
        access.identity = Some(identity);
    }
    Ok(())
}
