//! What comes back from a webhook as Go's decoder reads it: a review of the kind and version that
//! was sent, with fields of the right types. Refusals are in its words.

use ordain_meta::gvk::GroupVersion;
use ordain_strategy::decode::{not_an_object, yaml_value};
use ordain_value::go_format::{cannot_unmarshal_field, json_type};
use ordain_value::{Value, go_quote, json};

use super::ReviewVersion;

/// The reviews that one kind of webhook speaks in.
#[derive(Debug)]
pub(crate) struct Envelope {
    pub(crate) group: &'static str,
    pub(crate) kind: &'static str,
    /// Other kinds that the decoder knows in the same versions.
    pub(crate) registered: &'static [&'static str],
}

impl Envelope {
    /// The apiVersion of a review.
    pub(crate) fn api_version(&self, version: ReviewVersion) -> String {
        format!("{}/{}", self.group, version.as_str())
    }

    /// Reads a review of this version. One that does not say what it is passes for it.
    pub(crate) fn decode(&self, bytes: &[u8], version: ReviewVersion) -> Result<Value, String> {
        // What does not look like JSON is taken for YAML.
        let is_json = bytes.trim_ascii_start().starts_with(b"{");
        let value = if is_json {
            json::decode(bytes).map_err(|error| error.to_string())
        } else {
            yaml_value(bytes).map(|(value, _)| value).map_err(|error| error.to_string())
        };
        let value =
            value.map_err(|why| format!("couldn't get version/kind; json parse error: {why}"))?;
        if !matches!(value, Value::Map(_) | Value::Null) {
            return Err(not_an_object(&value));
        }
        let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or("");
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let is_wanted = api_version == self.api_version(version) && kind == self.kind;
        if api_version.is_empty() || kind.is_empty() || is_wanted {
            return Ok(value);
        }
        Err(self.unexpected(api_version, kind, version))
    }

    fn unexpected(&self, api_version: &str, kind: &str, version: ReviewVersion) -> String {
        let found = GroupVersion::decode(api_version).unwrap_or_default();
        let is_known = match (found.group.as_str(), found.version.as_str()) {
            (group, "v1" | "v1beta1") if group == self.group => {
                kind == self.kind || self.registered.contains(&kind)
            }
            ("", "v1") => kind == "Status",
            _ => false,
        };
        if is_known {
            return format!(
                "converting ({}.{kind}) to ({}.{}): unknown conversion",
                found.version,
                version.as_str(),
                self.kind
            );
        }
        format!(
            "no kind {} is registered for version {} in scheme \
             \"k8s.io/apiserver/pkg/util/webhook/client.go:71\"",
            go_quote(kind),
            go_quote(api_version)
        )
    }
}

/// A field of a response that has to be of one type: its path, and what Go calls place and type.
pub(crate) type Typed = (&'static [&'static str], &'static str, &'static str);

/// Refuses a response with a field of another type, in the words of Go's decoder.
pub(crate) fn check_types(response: &Value, typed: &[Typed]) -> Result<(), String> {
    for (path, place, ty) in typed {
        let Some(value) = response.get_path(path).filter(|it| !it.is_null()) else { continue };
        let fits = match *ty {
            "bool" => value.as_bool().is_some(),
            "int32" => value.as_int().is_some(),
            list if list.starts_with("[]") => value.as_list().is_some(),
            _ => value.as_str().is_some(),
        };
        if !fits {
            return Err(cannot_unmarshal_field(json_type(value), place, ty));
        }
    }
    Ok(())
}
