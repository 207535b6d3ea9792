//! Where a webhook is: a URL, or a service of the cluster that is reached at some address.

use std::collections::BTreeMap;
use std::time::Duration;

use ordain_admission::webhook::{ClientConfig, Service};

/// A place to connect to, and how it is called there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// Host and port as the URL has them.
    pub(crate) authority: String,
    pub(crate) host: String,
    pub(crate) port: u16,
    path: String,
    service: Option<(String, String)>,
}

impl Address {
    pub(crate) fn of(config: &ClientConfig) -> Result<Self, String> {
        match &config.service {
            Some(service) => Self::of_service(service),
            None => Self::of_url(&config.url),
        }
    }

    fn of_service(service: &Service) -> Result<Self, String> {
        let host = format!("{}.{}.svc", service.name, service.namespace);
        let port = u16::try_from(service.port).map_err(|_| "invalid port".to_owned())?;
        let path = service.path.strip_prefix('/').unwrap_or(&service.path);
        Ok(Self {
            authority: format!("{host}:{port}"),
            host,
            port,
            path: format!("/{path}"),
            service: Some((service.namespace.to_string(), service.name.to_string())),
        })
    }

    fn of_url(url: &str) -> Result<Self, String> {
        let wrong = || format!("the URL {url:?} of the webhook cannot be used");
        let rest = url.strip_prefix("https://").ok_or_else(wrong)?;
        let (authority, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, "/"),
        };
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => {
                (host, port.parse().map_err(|_| wrong())?)
            }
            _ => (authority, 443),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            authority: authority.to_owned(),
            host: host.to_owned(),
            port,
            path: path.to_owned(),
            service: None,
        })
    }

    /// The URL that a redirect leads to; none if it leaves this host.
    pub(crate) fn elsewhere(&self, location: &str) -> Option<String> {
        let own = format!("https://{}", self.authority);
        match location.strip_prefix(&own) {
            Some(rest) if rest.starts_with('/') => Some(location.to_owned()),
            None if location.starts_with('/') && !location.starts_with("//") => {
                Some(format!("{own}{location}"))
            }
            _ => None,
        }
    }

    /// The URL of a call that may take this long.
    pub(crate) fn uri(&self, timeout: Duration) -> String {
        let separator = if self.path.contains('?') { '&' } else { '?' };
        let seconds = timeout.as_secs() + u64::from(timeout.subsec_nanos() > 0);
        format!("https://{}{}{separator}timeout={seconds}s", self.authority, self.path)
    }
}

/// Where services of the cluster are reached.
#[derive(Debug, Clone, Default)]
pub struct Services {
    /// Hosts and ports by namespace and name.
    places: BTreeMap<(String, String), (String, u16)>,
}

impl Services {
    /// Reads entries such as `namespace/name=127.0.0.1:9443`.
    ///
    /// # Errors
    /// When an entry cannot be read, in words.
    pub fn read<'a>(entries: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut places = BTreeMap::new();
        for entry in entries {
            let wrong = || format!("{entry:?} is not of the form namespace/name=host:port");
            let (service, place) = entry.split_once('=').ok_or_else(wrong)?;
            let (namespace, name) = service.split_once('/').ok_or_else(wrong)?;
            let (host, port) = place.rsplit_once(':').ok_or_else(wrong)?;
            let port = port.parse().map_err(|_| wrong())?;
            places.insert((namespace.to_owned(), name.to_owned()), (host.to_owned(), port));
        }
        Ok(Self { places })
    }

    /// The host and port to connect to.
    pub(crate) fn place(&self, address: &Address) -> Result<(String, u16), String> {
        match &address.service {
            None => Ok((address.host.clone(), address.port)),
            Some(service) => {
                let place = self.places.get(service).cloned();
                place.ok_or_else(|| format!("service {:?} not found", service.1))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Result<Address, String> {
        Address::of(&ClientConfig { url: text.into(), ..ClientConfig::default() })
    }

    #[test]
    fn urls_keep_their_path_and_query() {
        let address = url("https://hooks.example/a/b?x=1").unwrap();
        assert_eq!((address.host.as_str(), address.port), ("hooks.example", 443));
        let uri = address.uri(Duration::from_secs(5));
        assert_eq!(uri, "https://hooks.example/a/b?x=1&timeout=5s");
        let address = url("https://[::1]:8443").unwrap();
        assert_eq!((address.host.as_str(), address.port), ("::1", 8443));
        assert_eq!(address.uri(Duration::from_secs(1)), "https://[::1]:8443/?timeout=1s");
    }

    #[test]
    fn other_urls_are_refused() {
        for text in ["", "http://a/b", "https://", "https://a:port/"] {
            assert!(url(text).is_err(), "{text}");
        }
    }

    #[test]
    fn services_are_found_where_they_were_said_to_be() {
        let services = Services::read(["ns/hook=127.0.0.1:9443"]).unwrap();
        let service =
            Service { namespace: "ns".into(), name: "hook".into(), path: "v".into(), port: 443 };
        let config = ClientConfig { service: Some(service.clone()), ..ClientConfig::default() };
        let address = Address::of(&config).unwrap();
        assert_eq!(address.uri(Duration::from_secs(2)), "https://hook.ns.svc:443/v?timeout=2s");
        assert_eq!(services.place(&address), Ok(("127.0.0.1".to_owned(), 9443)));
        let other = Service { name: "other".into(), ..service };
        let config = ClientConfig { service: Some(other), ..ClientConfig::default() };
        let missing = services.place(&Address::of(&config).unwrap());
        assert_eq!(missing, Err("service \"other\" not found".to_owned()));
        assert!(Services::read(["nonsense"]).is_err());
    }
}
