//! Content negotiation: in which form a client wants its answer, and in which it sends its body.

/// How bytes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    #[default]
    Json,
    Yaml,
    Protobuf,
}

impl Encoding {
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Yaml => "application/yaml",
            Self::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }
}

/// What objects are turned into before they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    #[default]
    Object,
    /// A table for people, in `meta.k8s.io/v1` or `v1beta1`.
    Table(MetaVersion),
    /// Metadata only.
    PartialMetadata(MetaVersion),
    PartialMetadataList(MetaVersion),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetaVersion {
    V1,
    V1Beta1,
}

impl MetaVersion {
    pub fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "meta.k8s.io/v1",
            Self::V1Beta1 => "meta.k8s.io/v1beta1",
        }
    }
}

/// The form and encoding of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Accepted {
    pub encoding: Encoding,
    pub form: Form,
    pub pretty: bool,
}

impl Accepted {
    /// The object itself in the shortest JSON: what is stored can be copied.
    pub fn is_plain_json(self) -> bool {
        self.is_short_json() && self.form == Form::Object
    }

    /// Some form in the shortest JSON: a list can be written item by item.
    pub fn is_short_json(self) -> bool {
        self.encoding == Encoding::Json && !self.pretty
    }

    /// The object itself in protobuf: its message can be shared.
    pub fn is_plain_message(self) -> bool {
        self.encoding == Encoding::Protobuf && self.form == Form::Object
    }
}

pub const MEDIA_TYPES: [&str; 3] =
    ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

struct Clause<'a> {
    ty: &'a str,
    subtype: &'a str,
    quality: f64,
    params: Vec<(&'a str, &'a str)>,
}

/// Chooses the answer's form. `None` when nothing that is accepted can be made.
pub fn accept(header: &str) -> Option<Accepted> {
    // What nearly every client sends.
    if header == Encoding::Json.media_type() || header.trim().is_empty() {
        return Some(Accepted::default());
    }
    let mut clauses: Vec<Clause<'_>> = header.split(',').filter_map(clause).collect();
    clauses.sort_by(|a, b| b.quality.total_cmp(&a.quality));
    for clause in &clauses {
        for encoding in ENCODINGS {
            if clause.names(encoding)
                && let Some(accepted) = transformed(clause, encoding)
            {
                return Some(accepted);
            }
        }
    }
    None
}

const ENCODINGS: [Encoding; 3] = [Encoding::Json, Encoding::Yaml, Encoding::Protobuf];

/// Whether a media type that can be made is accepted, in whatever form.
pub fn names_media_type(header: &str) -> bool {
    let mut clauses = header.split(',').filter_map(clause);
    clauses.any(|clause| ENCODINGS.into_iter().any(|encoding| clause.names(encoding)))
}

impl Clause<'_> {
    fn names(&self, encoding: Encoding) -> bool {
        let Some((ty, subtype)) = encoding.media_type().split_once('/') else { return false };
        (self.ty == "*" && self.subtype == "*")
            || (self.ty == ty && (self.subtype == subtype || self.subtype == "*"))
    }
}

fn clause(text: &str) -> Option<Clause<'_>> {
    let mut parts = text.split(';').map(str::trim);
    let media = parts.next()?;
    let (ty, subtype) = match media.split_once('/') {
        Some((ty, subtype)) => (ty.trim(), subtype.trim()),
        None if media == "*" => ("*", "*"),
        None => return None,
    };
    let mut clause = Clause { ty, subtype, quality: 1.0, params: Vec::new() };
    for part in parts {
        let Some((key, value)) = part.split_once('=') else { continue };
        if key == "q" {
            clause.quality = value.parse().unwrap_or(1.0);
        } else {
            clause.params.push((key, value));
        }
    }
    Some(clause)
}

fn transformed(clause: &Clause<'_>, encoding: Encoding) -> Option<Accepted> {
    let (mut kind, mut group, mut version, mut pretty) = ("", "", "", false);
    for (key, value) in &clause.params {
        match *key {
            "as" => kind = value,
            "g" => group = value,
            "v" => version = value,
            "pretty" => pretty = *value == "1",
            // A profile or stream form nobody defined.
            "stream" if !value.is_empty() && *value != "watch" => return None,
            _ => {}
        }
    }
    if kind.is_empty() && group.is_empty() && version.is_empty() {
        return Some(Accepted { encoding, form: Form::Object, pretty });
    }
    if group != "meta.k8s.io" {
        return None;
    }
    let version = match version {
        "v1" => MetaVersion::V1,
        "v1beta1" => MetaVersion::V1Beta1,
        _ => return None,
    };
    let form = match kind {
        "Table" => Form::Table(version),
        "PartialObjectMetadata" => Form::PartialMetadata(version),
        "PartialObjectMetadataList" => Form::PartialMetadataList(version),
        _ => return None,
    };
    Some(Accepted { encoding, form, pretty })
}

/// The encoding of a request body; no content type is JSON.
pub fn body_encoding(content_type: &str) -> Option<Encoding> {
    let media = content_type.split(';').next().unwrap_or("").trim();
    match media.to_ascii_lowercase().as_str() {
        "" | "application/json" => Some(Encoding::Json),
        "application/yaml" => Some(Encoding::Yaml),
        "application/vnd.kubernetes.protobuf" => Some(Encoding::Protobuf),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_qualities_win_and_unknown_forms_fall_through() {
        let chosen = accept("application/yaml;q=0.1, application/json;q=0.9").unwrap();
        assert_eq!(chosen.encoding, Encoding::Json);
        let chosen = accept("application/json;as=Table;v=v9;g=meta.k8s.io, application/json");
        assert_eq!(chosen.unwrap().form, Form::Object);
        let table = accept("application/json;as=Table;v=v1;g=meta.k8s.io").unwrap();
        assert_eq!(table.form, Form::Table(MetaVersion::V1));
        assert_eq!(accept("text/html"), None);
        assert_eq!(accept("application/json;as=Table;v=v1"), None);
        assert_eq!(accept("*/*"), Some(Accepted::default()));
        assert_eq!(accept("application/json"), accept(" application/json ;q=1"));
    }
}
