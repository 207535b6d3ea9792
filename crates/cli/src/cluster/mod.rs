//! Asking a live cluster, when and only when it is asked for: schemas and old objects.

mod kubeconfig;
mod onward;

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::time::Duration;

use ordain_check::openapi::{self, Document};
use ordain_meta::{GroupVersion, GroupVersionKind};
use ordain_value::{Value, json};
use ureq::Proxy;
use ureq::tls::{Certificate, ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};

use kubeconfig::Access;

/// The largest answer that is read.
const BYTES_MAX: u64 = 256 * 1024 * 1024;
const TIMEOUT: Duration = Duration::from_secs(60);

/// A cluster.
pub(crate) struct Cluster {
    agent: ureq::Agent,
    server: String,
    authorization: Option<String>,
    headers: Vec<(String, String)>,
    namespace: String,
}

/// The kinds that a cluster serves.
pub(crate) struct Schemas {
    pub(crate) definitions: Vec<Value>,
    pub(crate) documents: Vec<Document>,
    /// What could not be asked.
    pub(crate) notes: Vec<String>,
}

/// How the objects of a kind are reached.
#[derive(Clone, Debug)]
struct Resource {
    plural: String,
    namespaced: bool,
}

impl Cluster {
    /// Finds the cluster of a kubeconfig.
    ///
    /// # Errors
    /// When the file, the context or the credentials cannot be used; in words.
    pub(crate) fn connect(file: Option<&Path>, context: Option<&str>) -> Result<Cluster, String> {
        Self::open(file, context, Some(TIMEOUT))
    }

    /// As [`Cluster::connect`], for answers that may go on and on.
    ///
    /// # Errors
    /// When the file, the context or the credentials cannot be used; in words.
    pub(crate) fn follow(file: Option<&Path>, context: Option<&str>) -> Result<Cluster, String> {
        Self::open(file, context, None)
    }

    fn open(
        file: Option<&Path>,
        context: Option<&str>,
        timeout: Option<Duration>,
    ) -> Result<Cluster, String> {
        let access = kubeconfig::read(file, context)?;
        let (server, pinned) = reached(&access)?;
        let mut tls = TlsConfig::builder().disable_verification(access.insecure);
        if let Some(authority) = &access.authority {
            let certificates = certificates(authority, "certificate-authority")?;
            tls = tls.root_certs(RootCerts::new_with_certs(&certificates));
        }
        if let Some((certificate, key)) = &access.identity {
            let certificates = certificates(certificate, "client-certificate")?;
            let key = PrivateKey::from_pem(key).map_err(|error| format!("client-key: {error}"))?;
            tls = tls.client_cert(Some(ClientCert::new_with_certs(&certificates, key)));
        }
        let config = ureq::Agent::config_builder()
            .proxy(proxy(&access)?)
            .tls_config(tls.build())
            .timeout_global(timeout)
            .timeout_connect(Some(TIMEOUT))
            .http_status_as_error(false)
            .user_agent(concat!("ordain/", env!("CARGO_PKG_VERSION")))
            .build();
        let agent = match pinned {
            Some(resolver) => {
                ureq::Agent::with_parts(config, DefaultConnector::default(), resolver)
            }
            None => config.new_agent(),
        };
        Ok(Cluster {
            agent,
            server,
            authorization: access.authorization,
            headers: access.headers,
            namespace: access.namespace,
        })
    }

    /// A value, or nothing when there is none.
    fn get(&self, path: &str) -> Result<Option<Value>, String> {
        let url = format!("{}{path}", self.server);
        let mut request = self.agent.get(&url).header("Accept", "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header("Authorization", authorization);
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let mut answer = request.call().map_err(|error| format!("{url}: {error}"))?;
        let code = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(BYTES_MAX).read_to_vec();
        let body = body.map_err(|error| format!("{url}: {error}"))?;
        match code {
            200 => json::decode(&body).map(Some).map_err(|error| format!("{url}: {error}")),
            404 => Ok(None),
            code => {
                let status = json::decode(&body).unwrap_or_default();
                let message = status.get("message").and_then(Value::as_str).unwrap_or_default();
                Err(format!("{url}: {code} {message}"))
            }
        }
    }

    /// The kinds of the cluster; with `wanted` only those group versions are asked for.
    ///
    /// # Errors
    /// When the cluster does not answer or publishes nothing.
    pub(crate) fn schemas(
        &self,
        wanted: Option<&BTreeSet<GroupVersion>>,
    ) -> Result<Schemas, String> {
        let mut schemas =
            Schemas { definitions: Vec::new(), documents: Vec::new(), notes: Vec::new() };
        match self.definitions() {
            Ok(definitions) => schemas.definitions = definitions,
            Err(why) => schemas.notes.push(format!("definitions were not read: {why}")),
        }
        let Some(index) = self.get("/openapi/v3")? else {
            let document = self.get("/openapi/v2")?;
            let document = document.ok_or("the cluster publishes no OpenAPI document")?;
            schemas.documents.push(openapi::read(&document)?);
            return Ok(schemas);
        };
        let paths = index.get("paths").and_then(Value::as_map).cloned().unwrap_or_default();
        for (name, about) in paths.iter() {
            let gv = name.strip_prefix("apis/").or_else(|| name.strip_prefix("api/"));
            let Some(Ok(gv)) = gv.map(GroupVersion::decode) else { continue };
            if wanted.is_some_and(|wanted| !wanted.contains(&gv)) || gv.version.is_empty() {
                continue;
            }
            let path = about.get("serverRelativeURL").and_then(Value::as_str);
            let Some(document) = self.get(path.unwrap_or_default())? else { continue };
            schemas
                .documents
                .push(openapi::read(&document).map_err(|why| format!("{name}: {why}"))?);
        }
        Ok(schemas)
    }

    fn definitions(&self) -> Result<Vec<Value>, String> {
        const PATH: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=250";
        let mut definitions = Vec::new();
        let mut path = PATH.to_owned();
        loop {
            let Some(list) = self.get(&path)? else { return Ok(definitions) };
            for item in
                list.get("items").and_then(Value::as_list).into_iter().flat_map(|it| it.iter())
            {
                let mut item = item.clone();
                item.set_path(&["apiVersion"], "apiextensions.k8s.io/v1".into());
                item.set_path(&["kind"], "CustomResourceDefinition".into());
                definitions.push(item);
            }
            let next = list.get_path(&["metadata", "continue"]).and_then(Value::as_str);
            match next.filter(|it| !it.is_empty()) {
                Some(next) => path = format!("{PATH}&continue={}", escape(next)),
                None => return Ok(definitions),
            }
        }
    }

    /// Objects as the cluster holds them; those that it does not have are left out.
    ///
    /// # Errors
    /// When the cluster does not answer.
    pub(crate) fn objects(
        &self,
        wanted: &BTreeSet<(GroupVersionKind, String, String)>,
    ) -> Result<Vec<Value>, String> {
        let mut resources: BTreeMap<GroupVersion, BTreeMap<String, Resource>> = BTreeMap::new();
        let mut objects = Vec::new();
        for (gvk, namespace, name) in wanted {
            let gv = gvk.group_version();
            if !resources.contains_key(&gv) {
                resources.insert(gv.clone(), self.resources(&gv)?);
            }
            let Some(resource) = resources.get(&gv).and_then(|it| it.get(gvk.kind.as_str())) else {
                continue;
            };
            let namespace = if namespace.is_empty() { &self.namespace } else { namespace };
            let space = match resource.namespaced {
                true => format!("/namespaces/{}", escape(namespace)),
                false => String::new(),
            };
            let path = format!("{}{space}/{}/{}", base(&gv), resource.plural, escape(name));
            objects.extend(self.get(&path)?);
        }
        Ok(objects)
    }

    fn resources(&self, gv: &GroupVersion) -> Result<BTreeMap<String, Resource>, String> {
        let list = self.get(&base(gv))?.unwrap_or_default();
        let mut resources = BTreeMap::new();
        for it in
            list.get("resources").and_then(Value::as_list).into_iter().flat_map(|it| it.iter())
        {
            let text = |key: &str| it.get(key).and_then(Value::as_str).unwrap_or_default();
            if !text("name").contains('/') {
                let namespaced = it.get("namespaced").and_then(Value::as_bool) == Some(true);
                let resource = Resource { plural: text("name").to_owned(), namespaced };
                resources.insert(text("kind").to_owned(), resource);
            }
        }
        Ok(resources)
    }
}

/// The host of an address, without brackets, and what stands before and behind it.
fn host(server: &str) -> Option<(&str, &str, &str)> {
    let start = server.find("://")? + 3;
    let end = server[start..].find('/').map_or(server.len(), |at| start + at);
    let authority = &server[start..end];
    let length = match authority.find(']') {
        Some(close) => close + 1,
        None => authority.find(':').unwrap_or(authority.len()),
    };
    let name = authority[..length].trim_start_matches('[').trim_end_matches(']');
    Some((name, &server[..start], &server[start + length..]))
}

/// The proxy: the cluster's own, else that of the environment, but none on the way to this machine.
fn proxy(access: &Access) -> Result<Option<Proxy>, String> {
    if let Some(url) = &access.proxy {
        if url.starts_with("socks") {
            return Err(format!("proxy-url {url}: only HTTP proxies are supported"));
        }
        return Proxy::new(url).map(Some).map_err(|error| format!("proxy-url {url}: {error}"));
    }
    let name = host(&access.server).map_or("", |it| it.0);
    let here = name == "localhost" || name.parse::<IpAddr>().is_ok_and(|it| it.is_loopback());
    Ok(if here { None } else { Proxy::try_from_env() })
}

/// The address to ask, and where that is when the certificate is for another name.
fn reached(access: &Access) -> Result<(String, Option<Pinned>), String> {
    let Some(name) = &access.server_name else { return Ok((access.server.clone(), None)) };
    if access.proxy.is_some() {
        return Err("tls-server-name with proxy-url is not supported".to_owned());
    }
    let (given, before, behind) =
        host(&access.server).ok_or_else(|| format!("{}: no address", access.server))?;
    let port = behind.strip_prefix(':').and_then(|it| it.split('/').next()?.parse().ok());
    let port = port.unwrap_or(if before.starts_with("https") { 443 } else { 80 });
    let found = (given, port).to_socket_addrs().map_err(|error| format!("{given}: {error}"))?;
    Ok((format!("{before}{name}{behind}"), Some(Pinned(found.collect()))))
}

/// Leads every name to the address of the cluster.
#[derive(Debug)]
struct Pinned(Vec<SocketAddr>);

impl Resolver for Pinned {
    fn resolve(
        &self,
        _: &ureq::http::Uri,
        _: &ureq::config::Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut addresses = self.empty();
        self.0.iter().take(4).for_each(|it| addresses.push(*it));
        if self.0.is_empty() { Err(ureq::Error::HostNotFound) } else { Ok(addresses) }
    }
}

fn base(gv: &GroupVersion) -> String {
    match gv.group.as_str() {
        "" => format!("/api/{}", gv.version),
        group => format!("/apis/{group}/{}", gv.version),
    }
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn certificates(pem: &[u8], what: &str) -> Result<Vec<Certificate<'static>>, String> {
    let mut certificates = Vec::new();
    for item in parse_pem(pem) {
        if let PemItem::Certificate(certificate) =
            item.map_err(|error| format!("{what}: {error}"))?
        {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() { Err(format!("{what}: no certificate")) } else { Ok(certificates) }
}
