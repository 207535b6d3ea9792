//! kube-apiserver's command line as one of `ordain serve`.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use ordain_registry::SERVICE_ACCOUNT;

use super::flags::{self, Meaning};

/// What a command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// To print this and exit.
    Text(String),
    /// To serve with these arguments of `ordain serve`, and to print these notes.
    Serve { arguments: Vec<String>, notes: Vec<String> },
}

/// Feature gates of kube-apiserver that are not of this server are left out with a note; these are
/// its own.
const OWN_GATES: [&str; 11] = [
    "AllAlpha",
    "AllBeta",
    "APIUnions",
    "CRDRulesInQuantifiers",
    "CRDDeclarativeConversion",
    "CRDStripZero",
    "CRDValidationErrors",
    "DeclarativeDefaults",
    "DeclarativeValidation",
    "DeclarativeValidationBeta",
    "DeclarativeValidationExtensionsInOpenAPI",
];

/// Flags that mean the same to `ordain serve`.
const SAME: [&str; 19] = [
    "admission-control-config-file",
    "advertise-address",
    "audit-log-maxage",
    "audit-log-maxbackup",
    "audit-log-maxsize",
    "audit-log-path",
    "audit-policy-file",
    "client-ca-file",
    "enable-bootstrap-token-auth",
    "max-mutating-requests-inflight",
    "max-requests-inflight",
    "request-timeout",
    "runtime-config",
    "service-account-jwks-uri",
    "service-account-max-token-expiration",
    "service-account-signing-key-file",
    "service-cluster-ip-range",
    "service-node-port-range",
    "token-auth-file",
];

/// Flags that mean the same and may be repeated.
const SAME_LISTS: [&str; 3] =
    ["api-audiences", "service-account-issuer", "service-account-key-file"];

#[derive(Debug, Default)]
struct Flags(Vec<(String, String)>);

impl Flags {
    /// The last value counts, as it does for kube-apiserver.
    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|it| it.0 == name).map(|it| it.1.as_str())
    }

    /// The values of all occurrences of a flag that takes a list.
    fn list(&self, name: &str) -> Vec<&str> {
        let values = self.0.iter().filter(|it| it.0 == name).flat_map(|it| it.1.split(','));
        values.map(str::trim).filter(|it| !it.is_empty()).collect()
    }
}

/// Translates the arguments after the program's name.
///
/// # Errors
/// A flag that kube-apiserver does not have, one without its value, or one whose meaning cannot be
/// kept, with the reason.
pub(crate) fn serve_arguments(given: &[String]) -> Result<Asked, String> {
    let mut notes = Vec::new();
    let flags = read(given, &mut notes)?;
    if flags.get("help").is_some() {
        return Ok(Asked::Text(help()));
    }
    if flags.get("version").is_some() {
        return Ok(Asked::Text(format!("Kubernetes v{}", super::RELEASE)));
    }
    let mut out: Vec<String> = vec!["ordain".into(), "serve".into(), "--controllers=none".into()];
    let address = flags.get("bind-address").unwrap_or("0.0.0.0");
    let port = flags.get("secure-port").unwrap_or("6443");
    let host = if address.contains(':') { format!("[{address}]") } else { address.to_owned() };
    out.push(format!("--listen={host}:{port}"));
    out.extend(store(&flags)?);
    let dir = flags.get("cert-dir").unwrap_or("/var/run/kubernetes");
    out.push(format!("--data-dir={dir}"));
    out.extend(serving_pair(&flags, dir));
    for name in SAME {
        out.extend(flags.get(name).map(|value| format!("--{name}={value}")));
    }
    for name in SAME_LISTS {
        out.extend(flags.list(name).iter().map(|value| format!("--{name}={value}")));
    }
    authorization(&flags)?;
    for name in ["enable-admission-plugins", "disable-admission-plugins"] {
        let mut plugins = flags.list(name);
        // On by default, though no controller runs here that would make its accounts.
        let left_out = flags.list("disable-admission-plugins").contains(&SERVICE_ACCOUNT);
        if name == "enable-admission-plugins" && !left_out {
            plugins.push(SERVICE_ACCOUNT);
        }
        if !plugins.is_empty() {
            out.push(format!("--{name}={}", plugins.join(",")));
        }
    }
    let (own, others): (Vec<&str>, Vec<&str>) = flags
        .list("feature-gates")
        .into_iter()
        .partition(|gate| OWN_GATES.contains(&gate.split('=').next().unwrap_or("").trim()));
    if !own.is_empty() {
        out.push(format!("--feature-gates={}", own.join(",")));
    }
    notes.extend(others.iter().map(|gate| format!("feature gate {gate} has no effect here")));
    // Suites start the server often: notes are for those who ask for them.
    let wants_notes = flags.get("v").and_then(|it| it.parse().ok()).is_some_and(|it: u32| it > 0);
    if !wants_notes {
        notes.clear();
    }
    Ok(Asked::Serve { arguments: out, notes })
}

fn read(given: &[String], notes: &mut Vec<String>) -> Result<Flags, String> {
    let mut flags = Flags::default();
    let mut rest = given.iter();
    while let Some(argument) = rest.next() {
        let Some(flag) = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-')) else {
            return Err(format!("unexpected argument {argument:?}: only flags are taken"));
        };
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (flag, None),
        };
        let name = if name == "h" { "help" } else { name };
        let meaning = flags::meaning(name).ok_or_else(|| {
            format!("unknown flag --{name}: kube-apiserver {} has no such flag", super::RELEASE)
        })?;
        if let Meaning::Refused(why) = meaning {
            return Err(format!("--{name} cannot be kept: {why}"));
        }
        let is_switch = matches!(name, "help" | "version");
        let value = match value {
            Some(value) => value,
            None if is_switch => "true".to_owned(),
            // A switch without a value is on; a value may also stand behind a blank.
            None => match rest.as_slice().first().filter(|next| !next.starts_with('-')) {
                Some(next) => {
                    let value = next.clone();
                    rest.next();
                    value
                }
                None => "true".to_owned(),
            },
        };
        if meaning == Meaning::Inert {
            notes.push(format!("--{name} has no effect here"));
        }
        flags.0.push((name.to_owned(), value));
    }
    Ok(flags)
}

/// Objects are kept in memory, unless a real etcd is named.
fn store(flags: &Flags) -> Result<Vec<String>, String> {
    let servers = flags.list("etcd-servers");
    let Some(first) = servers.first() else { return Ok(vec!["--store=memory".into()]) };
    match version_of(first) {
        Some(version) if version.contains("ordain") => Ok(vec!["--store=memory".into()]),
        Some(_) => {
            for name in ["etcd-cafile", "etcd-certfile", "etcd-keyfile"] {
                if flags.get(name).is_some() {
                    return Err(format!("--{name} cannot be kept: etcd is reached without TLS"));
                }
            }
            let servers = format!("--etcd-servers={}", servers.join(","));
            Ok(vec!["--store=etcd".into(), servers])
        }
        None => Err(format!("no etcd answers at {first}")),
    }
}

/// What an etcd says of its version; `None` when nobody answers.
fn version_of(url: &str) -> Option<String> {
    let address = url.strip_prefix("http://").unwrap_or(url).trim_end_matches('/');
    let address = std::net::ToSocketAddrs::to_socket_addrs(address).ok()?.next()?;
    let limit = Duration::from_secs(5);
    let mut stream = TcpStream::connect_timeout(&address, limit).ok()?;
    stream.set_read_timeout(Some(limit)).ok()?;
    let request = "GET /version HTTP/1.1\r\nHost: etcd\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    // An answer is short; what is longer is no etcd's.
    stream.take(16 * 1024).read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// The certificate that is named, or the pair in the certificate folder, which needs no flag.
fn serving_pair(flags: &Flags, dir: &str) -> Vec<String> {
    let (cert, key) = match (flags.get("tls-cert-file"), flags.get("tls-private-key-file")) {
        (Some(cert), Some(key)) => (cert.to_owned(), key.to_owned()),
        _ => (format!("{dir}/apiserver.crt"), format!("{dir}/apiserver.key")),
    };
    if !Path::new(&cert).exists() {
        return Vec::new();
    }
    vec![format!("--tls-cert-file={cert}"), format!("--tls-private-key-file={key}")]
}

fn authorization(flags: &Flags) -> Result<(), String> {
    let modes = flags.list("authorization-mode");
    let unknown = modes.iter().find(|mode| !matches!(**mode, "RBAC" | "Node"));
    if let Some(mode) = unknown {
        return Err(format!(
            "--authorization-mode={mode} cannot be kept: roles (RBAC) decide here, and nothing else"
        ));
    }
    Ok(())
}

fn help() -> String {
    let mut text = String::from(
        "The Kubernetes API for tests, served by ordain.\n\nUsage:\n  kube-apiserver [flags]\n\n\
         Flags of kube-apiserver; those in brackets have no effect, those with a cross are \
         refused:\n\n",
    );
    for name in flags::names() {
        let line = match flags::meaning(name) {
            Some(Meaning::Taken) => format!("      --{name}\n"),
            Some(Meaning::Inert) => format!("      [--{name}]\n"),
            Some(Meaning::Refused(why)) => format!("    x --{name}: {why}\n"),
            None => continue,
        };
        text.push_str(&line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments_of(given: &[&str]) -> Result<Asked, String> {
        serve_arguments(&given.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_flags_of_envtest_are_translated() {
        let asked = arguments_of(&[
            "--allow-privileged=true",
            "--authorization-mode=RBAC",
            "--bind-address=127.0.0.1",
            "--cert-dir=/nowhere",
            "--client-ca-file=/nowhere/ca.crt",
            "--disable-admission-plugins=ServiceAccount",
            "--secure-port=1234",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--v=1",
        ]);
        let Ok(Asked::Serve { arguments, notes }) = asked else { panic!("{asked:?}") };
        for wanted in [
            "--listen=127.0.0.1:1234",
            "--store=memory",
            "--controllers=none",
            "--client-ca-file=/nowhere/ca.crt",
            "--disable-admission-plugins=ServiceAccount",
        ] {
            assert!(arguments.iter().any(|it| it == wanted), "{wanted}: {arguments:?}");
        }
        assert_eq!(notes, ["--allow-privileged has no effect here"]);
        let asked = arguments_of(&["--allow-privileged=true"]);
        assert!(matches!(asked, Ok(Asked::Serve { notes, .. }) if notes.is_empty()), "unasked");
    }

    #[test]
    fn what_cannot_be_kept_is_refused_with_the_reason() {
        let unknown = arguments_of(&["--no-such-flag=1"]).unwrap_err();
        assert!(unknown.contains("unknown flag --no-such-flag"), "{unknown}");
        let mode = arguments_of(&["--authorization-mode=AlwaysAllow"]).unwrap_err();
        assert!(mode.contains("AlwaysAllow cannot be kept"), "{mode}");
        let refused = arguments_of(&["--encryption-provider-config=x"]).unwrap_err();
        assert!(refused.contains("not encrypted"), "{refused}");
    }

    #[test]
    fn help_has_no_insecure_port() {
        let Ok(Asked::Text(text)) = arguments_of(&["--help"]) else { panic!("no text") };
        assert!(!text.contains("--insecure-port"));
        assert!(text.contains("--secure-port"));
    }
}
