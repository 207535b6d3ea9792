//! What a request path and method mean. One reading of the path serves routing and all later
//! decisions.

use std::borrow::Cow;

use ordain_value::Text;

/// A request, understood.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestInfo {
    /// Whether the path names an API resource.
    pub is_resource: bool,
    pub verb: Verb,
    /// Empty for the core group.
    pub group: Text,
    pub version: Text,
    pub namespace: Text,
    pub resource: Text,
    pub name: Text,
    pub subresource: Text,
    /// Path segments beyond the subresource.
    pub has_more: bool,
    /// The segments of the whole path, decoded.
    pub segments: Vec<Text>,
}

/// What a request wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verb {
    #[default]
    Unknown,
    Get,
    List,
    Watch,
    Create,
    Update,
    Patch,
    Delete,
    DeleteCollection,
}

impl Verb {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "",
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
        }
    }

    /// Whether it changes objects.
    pub fn writes(self) -> bool {
        !matches!(self, Self::Unknown | Self::Get | Self::List | Self::Watch)
    }
}

/// Most paths are no longer than that of an object in a namespace.
const SEGMENTS_LEN: usize = 8;

impl RequestInfo {
    /// Reads method, path and query (still encoded).
    pub fn new(method: &str, path: &str, query: &Query) -> Self {
        let inner = path.strip_prefix('/').unwrap_or(path);
        let inner = inner.strip_suffix('/').unwrap_or(inner);
        let mut segments = Vec::with_capacity(SEGMENTS_LEN);
        if !inner.is_empty() {
            let escaped = inner.as_bytes().contains(&b'%');
            let decode = |segment| match escaped {
                true => Text::from(percent_decode(segment, false)),
                false => Text::from(segment),
            };
            let mut rest = inner;
            // Segments are short: to look at each byte takes less than to start a search.
            while let Some(at) = rest.bytes().position(|byte| byte == b'/') {
                let (segment, behind) = rest.split_at(at);
                segments.push(decode(segment));
                rest = behind.strip_prefix('/').unwrap_or(behind);
            }
            segments.push(decode(rest));
        }
        let mut info = Self::default();
        info.read_path(&segments, method, query);
        Self { segments, ..info }
    }

    fn read_path(&mut self, segments: &[Text], method: &str, query: &Query) {
        let mut parts = segments;
        if parts.len() < 3 || !matches!(parts[0].as_str(), "api" | "apis") {
            return;
        }
        let grouped = parts[0] == "apis";
        parts = &parts[1..];
        if grouped {
            if parts.len() < 3 {
                return;
            }
            self.group = parts[0].clone();
            parts = &parts[1..];
        }
        self.is_resource = true;
        self.version = parts[0].clone();
        parts = &parts[1..];
        self.verb = match method {
            "POST" => Verb::Create,
            "GET" | "HEAD" => Verb::Get,
            "PUT" => Verb::Update,
            "PATCH" => Verb::Patch,
            "DELETE" => Verb::Delete,
            _ => Verb::Unknown,
        };
        if parts[0] == "watch" && parts.len() > 1 {
            self.verb = Verb::Watch;
            parts = &parts[1..];
        }
        if parts[0] == "namespaces" && parts.len() > 1 {
            self.namespace = parts[1].clone();
            if parts.len() > 2 && !matches!(parts[2].as_str(), "status" | "finalize") {
                parts = &parts[2..];
            }
        }
        self.resource = parts[0].clone();
        self.name = parts.get(1).cloned().unwrap_or_default();
        self.subresource = parts.get(2).cloned().unwrap_or_default();
        self.has_more = parts.len() > 3;
        if self.name.is_empty() {
            self.verb = match self.verb {
                Verb::Get if query.flag("watch") => Verb::Watch,
                Verb::Get => Verb::List,
                Verb::Delete => Verb::DeleteCollection,
                verb => verb,
            };
        }
    }
}

/// The query of a request, decoded, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    /// All keys and values, in order.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    pub fn new(query: &str) -> Self {
        let mut pairs = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';')) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let key = percent_decode(key, true).into_owned();
            pairs.push((key, percent_decode(value, true).into_owned()));
        }
        Self { pairs }
    }

    /// The first value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Gives a key one value in place of all that it has.
    pub fn set(&mut self, key: &str, value: &str) {
        self.pairs.retain(|(name, _)| name != key);
        self.pairs.push((key.to_owned(), value.to_owned()));
    }

    /// All values of a key.
    pub fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.pairs.iter().filter(move |(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// A boolean as query parameters are read: anything but a clear no is yes.
    pub fn flag(&self, key: &str) -> bool {
        match self.get(key) {
            None => false,
            Some(value) => !matches!(value.to_ascii_lowercase().as_str(), "false" | "0"),
        }
    }
}

/// Decodes `%41`; in queries a plus sign is a space. Broken escapes stay as they are.
pub fn percent_decode(text: &str, plus: bool) -> Cow<'_, str> {
    let has_plus = plus && text.contains('+');
    if !text.contains('%') && !has_plus {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
        match (bytes[at], hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                at += 3;
            }
            (b'+', _, _) if plus => {
                out.push(b' ');
                at += 1;
            }
            (byte, _, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(method: &str, target: &str) -> RequestInfo {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        RequestInfo::new(method, path, &Query::new(query))
    }

    #[test]
    fn namespaces_are_a_resource_and_a_scope() {
        let scoped = info("GET", "/api/v1/namespaces/ns/pods/p/status");
        assert_eq!((scoped.namespace.as_str(), scoped.resource.as_str()), ("ns", "pods"));
        assert_eq!((scoped.name.as_str(), scoped.subresource.as_str()), ("p", "status"));
        let own = info("PUT", "/api/v1/namespaces/ns/finalize");
        assert_eq!((own.resource.as_str(), own.name.as_str()), ("namespaces", "ns"));
        assert_eq!(own.subresource, "finalize");
    }

    #[test]
    fn segments_are_split_before_they_are_decoded() {
        for (path, expected) in [
            ("", [].as_slice()),
            ("/", &[]),
            ("/a/", &["a"]),
            ("//", &[]),
            ("///", &["", ""]),
            ("/a//b", &["a", "", "b"]),
            ("/a%2Fb/%41%zz/ä", &["a/b", "A%zz", "ä"]),
        ] {
            assert_eq!(info("GET", path).segments, expected, "{path}");
        }
    }

    #[test]
    fn verbs_follow_method_name_and_query() {
        assert_eq!(info("GET", "/apis/g/v1/things").verb, Verb::List);
        assert_eq!(info("GET", "/apis/g/v1/things?watch=1").verb, Verb::Watch);
        assert_eq!(info("GET", "/apis/g/v1/things?watch=maybe").verb, Verb::Watch);
        assert_eq!(info("GET", "/apis/g/v1/things?watch=false").verb, Verb::List);
        assert_eq!(info("DELETE", "/apis/g/v1/things").verb, Verb::DeleteCollection);
        assert_eq!(info("GET", "/apis/g/v1/things/x").verb, Verb::Get);
        assert!(!info("GET", "/apis/g/v1").is_resource);
    }

    #[test]
    fn queries_are_decoded() {
        let query = Query::new("a=b%3Dc+d&a=2&empty=");
        assert_eq!(query.get("a"), Some("b=c d"));
        assert_eq!(query.all("a").count(), 2);
        assert_eq!(query.get("empty"), Some(""));
    }
}
