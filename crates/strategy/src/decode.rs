//! Request bodies to objects: the texts of a refusal depend on how far reading got.

use ordain_meta::gvk::GroupVersion;
use ordain_meta::status::Status;
use ordain_value::go_format::{cannot_unmarshal, cannot_unmarshal_field, json_type, within};
use ordain_value::{Value, json, yaml};

use crate::request::{FieldValidation, Warnings};
use crate::strategy::Known;
use crate::target::Target;
use crate::typed::protobuf;

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Media {
    /// JSON.
    Json,
    /// YAML 1.1.
    Yaml,
    /// Kubernetes' protobuf envelope.
    Protobuf,
}

/// A request body as it came.
#[derive(Debug, Clone, Copy)]
pub struct Body<'a> {
    /// The text.
    pub bytes: &'a [u8],
    /// How it is written.
    pub media: Media,
}

/// An object of its kind, and what strict field validation reports about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// The object.
    pub object: Value,
    /// `unknown field "…"` texts in the order in which they are reported.
    pub unknown: Vec<String>,
    /// What reading has shown of the object, should it be new.
    pub known: Known,
}

impl Decoded {
    /// An object of which nothing is known yet.
    pub fn new(object: Value, unknown: Vec<String>) -> Self {
        Self { object, unknown, known: Known::default() }
    }
}

/// Why a body is no object of the kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    /// In the words of the API.
    pub why: String,
    /// The path of the value that cannot be read, where reading knows it.
    pub field: Option<String>,
}

impl From<String> for DecodeError {
    fn from(why: String) -> Self {
        Self { why, field: None }
    }
}

/// How many findings of strict decoding are reported.
const STRICT_ERRORS_MAX: usize = 100;
/// Findings of longer texts are not put into their order.
const SORTED_BYTES_MAX: usize = 64 * 1024;

const TYPE_META: &str = "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; \
                         Kind string \"json:\\\"kind,omitempty\\\"\" }";

/// Reads the body of a create or update.
pub fn object(
    target: &Target,
    body: &Body<'_>,
    validation: FieldValidation,
    warnings: &mut Warnings,
) -> Result<Value, Status> {
    let (value, duplicates) = parse(target, body)?;
    let kind = interpret(target, body, &value)?;
    check_registered(target, &kind).map_err(|why| cannot_handle(target, &kind, &why))?;
    let mut decoded = decode_value(target, value, duplicates, validation)
        .map_err(|error| cannot_handle(target, &kind, &error.why))?;
    if target.resource.family == crate::Family::BuiltIn && body.media == Media::Json {
        sort_by_place(body.bytes, &mut decoded.unknown);
    }
    report(decoded.unknown, validation, warnings)
        .map_err(|why| cannot_handle(target, &kind, &why))?;
    let (group_version, expected) = (kind.group_version, target.group_version());
    if group_version != expected {
        return Err(Status::bad_request(format!(
            "the API version in the data ({group_version}) does not match the expected API \
             version ({expected})"
        )));
    }
    Ok(decoded.object)
}

/// Puts findings of a text into its order. The place of a field is where its name is first written,
/// for a duplicate where it is written again: near enough where names repeat elsewhere.
pub fn sort_by_place(text: &[u8], findings: &mut [String]) {
    let place = |finding: &String| {
        let path = finding.split('"').nth(1).unwrap_or("");
        let name = path.rsplit('.').next().unwrap_or("");
        let name = format!("\"{}\"", name.split('[').next().unwrap_or(""));
        let mut found = text.windows(name.len()).enumerate();
        let mut next = || found.find(|it| it.1 == name.as_bytes()).map(|it| it.0);
        let first = next();
        if finding.starts_with("duplicate") { next().or(first) } else { first }
    };
    if findings.len() > 1 && text.len() <= SORTED_BYTES_MAX {
        findings.sort_by_cached_key(|finding| place(finding).unwrap_or(usize::MAX));
    }
}

/// Reports the fields that gates keep from an object: to such an object they are unknown.
pub(crate) fn report_gated(
    target: &Target,
    object: &Value,
    old: Option<&Value>,
    validation: FieldValidation,
    warnings: &mut Warnings,
) -> Result<(), Status> {
    let findings = target.resource.strategy.gated_fields(object, old);
    report(findings, validation, warnings).map_err(|why| {
        let named =
            Named { group_version: target.group_version(), kind: target.resource.kind.to_string() };
        cannot_handle(target, &named, &why)
    })
}

/// Refuses a body of another built-in kind, in the words of the type registry.
fn check_registered(target: &Target, named: &Named) -> Result<(), String> {
    const CORE: [&str; 7] =
        ["ConfigMap", "Event", "Namespace", "Pod", "Secret", "Service", "ServiceAccount"];
    let resource = &target.resource;
    if resource.strategy.schema(&target.version).is_none() {
        return Ok(());
    }
    let (kind, version) = (named.kind.as_str(), named.group_version.to_string());
    let expected = target.group_version();
    if kind == resource.kind && named.group_version == expected {
        return Ok(());
    }
    let events = ["v1", "events.k8s.io/v1"];
    if kind == "Event" && resource.kind == "Event" && events.contains(&version.as_str()) {
        return Ok(());
    }
    if version == "v1" && CORE.contains(&kind) {
        let package = resource.group.split('.').next().filter(|group| !group.is_empty());
        let package = package.unwrap_or("core");
        let expected = &resource.kind;
        return Err(format!(
            "converting (v1.{kind}) to ({package}.{expected}): unknown conversion"
        ));
    }
    let (kind, version) = (ordain_value::go_quote(kind), ordain_value::go_quote(&version));
    Err(format!(
        "no kind {kind} is registered for version {version} in scheme \
         \"pkg/api/legacyscheme/scheme.go:30\""
    ))
}

/// Passes a value through the kind, with the duplicates of its text put before the unknown
/// fields.
pub fn decode_value(
    target: &Target,
    value: Value,
    duplicates: Vec<String>,
    validation: FieldValidation,
) -> Result<Decoded, DecodeError> {
    if target.resource.family == crate::Family::BuiltIn && !has_at_most(&value, VALUES_MAX) {
        return Err(format!("the object has more than {VALUES_MAX} values").into());
    }
    let mut decoded = target.resource.strategy.decode(&target.version, value, validation)?;
    if validation == FieldValidation::Ignore {
        decoded.unknown.clear();
        return Ok(decoded);
    }
    let mut findings = duplicates;
    findings.append(&mut decoded.unknown);
    let mut seen = std::collections::BTreeSet::new();
    findings.retain(|finding| seen.insert(finding.clone()));
    findings.truncate(STRICT_ERRORS_MAX);
    decoded.unknown = findings;
    Ok(decoded)
}

/// Values within an object of a built-in kind. Each structure that is sent empty gets the fields of
/// its type, so that an object may take a hundred times the memory of its text.
pub const VALUES_MAX: usize = 400_000;

fn has_at_most(value: &Value, most: usize) -> bool {
    let (mut pending, mut seen) = (vec![value], 0);
    while let Some(value) = pending.pop() {
        match value {
            Value::List(list) => pending.extend(list.iter()),
            Value::Map(map) => pending.extend(map.values()),
            _ => {}
        }
        seen += 1;
        if seen + pending.len() > most {
            return false;
        }
    }
    true
}

/// Turns findings into warnings, or into the text of a strict refusal.
pub fn report(
    findings: Vec<String>,
    validation: FieldValidation,
    warnings: &mut Warnings,
) -> Result<(), String> {
    if findings.is_empty() {
        return Ok(());
    }
    match validation {
        FieldValidation::Ignore => Ok(()),
        FieldValidation::Strict => Err(strict_error(&findings)),
        FieldValidation::Warn => {
            for finding in &findings {
                warn_strict(finding, warnings);
            }
            Ok(())
        }
    }
}

/// The text of a strict refusal.
pub fn strict_error(findings: &[String]) -> String {
    format!("strict decoding error: {}", findings.join(", "))
}

/// A finding of the YAML parser has several lines, each of which becomes its own warning.
pub fn warn_strict(finding: &str, warnings: &mut Warnings) {
    let mut lines: Vec<&str> = finding.split('\n').collect();
    if lines.len() > 1 && lines[0].ends_with("unmarshal errors:") {
        lines.remove(0);
    }
    for line in lines {
        warnings.add(line.trim());
    }
}

/// The group, version and kind that a body names.
struct Named {
    group_version: GroupVersion,
    kind: String,
}

fn parse(target: &Target, body: &Body<'_>) -> Result<(Value, Vec<String>), Status> {
    match body.media {
        Media::Json => {
            let limits = json::Limits::default();
            let parsed = match target.resource.family {
                crate::Family::BuiltIn => json::decode_merging(body.bytes, limits),
                crate::Family::Custom => json::decode_reporting(body.bytes, limits),
            };
            let (value, duplicates) = parsed.map_err(|error| json_refused(target, body, &error))?;
            let texts = duplicates.iter().map(|it| format!("duplicate field \"{}\"", it.path));
            Ok((value, texts.collect()))
        }
        Media::Yaml => {
            let (value, duplicates) =
                yaml_value(body.bytes).map_err(|why| unrecognized(target, body, &why))?;
            Ok((value, duplicates))
        }
        Media::Protobuf => Ok((protobuf_value(target, body)?, Vec::new())),
    }
}

/// The object in a protobuf envelope. Kinds without a declaration have no such form.
fn protobuf_value(target: &Target, body: &Body<'_>) -> Result<Value, Status> {
    let refuse = |error: protobuf::WireError| unrecognized(target, body, &error.0);
    let envelope = protobuf::open(body.bytes).map_err(refuse)?;
    let Some(schema) = target.resource.strategy.message(&target.version) else {
        return Err(Status::unsupported_media_type(&["application/json", "application/yaml"]));
    };
    protobuf::decode(schema, &envelope).map_err(refuse)
}

/// The first document of a YAML text, with its repeated keys as one finding.
pub fn yaml_value(bytes: &[u8]) -> Result<(Value, Vec<String>), String> {
    let document =
        yaml::decode_first(bytes, yaml::Options::default()).map_err(|error| error.to_string())?;
    let mut findings = Vec::new();
    if !document.duplicates.is_empty() {
        let mut text = String::from("yaml: unmarshal errors:");
        for duplicate in &document.duplicates {
            text.push_str("\n  ");
            text.push_str(&duplicate.to_string());
        }
        findings.push(text);
    }
    Ok((document.value.map_err(|error| error.to_string())?, findings))
}

/// A number beyond float64 is well-formed JSON, so the kind is known when it is refused.
fn json_refused(target: &Target, body: &Body<'_>, error: &json::Error) -> Status {
    if error.message.starts_with("json: cannot unmarshal number") {
        let named =
            top_level_text(body.bytes, "kind").zip(top_level_text(body.bytes, "apiVersion"));
        if let Some((kind, api_version)) = named {
            let group_version = GroupVersion::decode(&api_version).unwrap_or_default();
            let named = Named { group_version, kind };
            return cannot_handle(target, &named, &error.message);
        }
    }
    let why = format!("couldn't get version/kind; json parse error: {}", error.message);
    unrecognized(target, body, &why)
}

fn interpret(target: &Target, body: &Body<'_>, value: &Value) -> Result<Named, Status> {
    let not_typed = |why: String| {
        let why = format!("couldn't get version/kind; json parse error: {why}");
        unrecognized(target, body, &why)
    };
    let field = |name: &str| match value.get(name) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::Str(text)) => Ok(text.as_str()),
        Some(other) => {
            let why = cannot_unmarshal_field(json_type(other), &format!(".{name}"), "string");
            Err(not_typed(why))
        }
    };
    if !matches!(value, Value::Map(_) | Value::Null) {
        return Err(unrecognized(target, body, &not_an_object(value)));
    }
    let (api_version, kind) = (field("apiVersion")?, field("kind")?);
    let group_version = GroupVersion::decode(api_version)
        .map_err(|error| unrecognized(target, body, &error.to_string()))?;
    let mut named = Named { group_version, kind: kind.to_owned() };
    if target.resource.family == crate::Family::BuiltIn {
        // Typed kinds fill in what the body leaves out.
        if named.kind.is_empty() {
            named.kind = target.resource.kind.to_string();
        }
        if api_version.is_empty() {
            named.group_version = target.group_version();
        }
    } else if kind.is_empty() {
        let text = String::from_utf8_lossy(body.bytes);
        return Err(unrecognized(target, body, &format!("Object 'Kind' is missing in '{text}'")));
    }
    Ok(named)
}

/// The refusal of a body that is no object at all.
pub fn not_an_object(value: &Value) -> String {
    let why = cannot_unmarshal(json_type(value), TYPE_META);
    format!("couldn't get version/kind; json parse error: {why}")
}

/// The words for wrong metadata as a typed kind says them, which counts `metadata` in.
pub fn typed_metadata_error(kind: &str, why: &str) -> String {
    within(why, kind, "metadata", "v1.ObjectMeta")
}

fn cannot_handle(target: &Target, named: &Named, why: &str) -> Status {
    let (kind, expected) = (&named.kind, &target.resource.kind);
    let version = ordain_value::go_quote(&named.group_version.version);
    Status::bad_request(format!(
        "{kind} in version {version} cannot be handled as a {expected}: {why}"
    ))
}

fn unrecognized(target: &Target, body: &Body<'_>, why: &str) -> Status {
    let (expected, summary) = (&target.resource.kind, summary(body.bytes));
    Status::bad_request(format!(
        "the object provided is unrecognized (must be of type {expected}): {why} ({summary})"
    ))
}

/// The beginning of a body: as text when it looks like JSON, else in hexadecimal.
fn summary(bytes: &[u8]) -> String {
    const LEN_MAX: usize = 30;
    if bytes.is_empty() {
        return "<empty>".to_owned();
    }
    let (cut, more) = match bytes.get(..LEN_MAX) {
        Some(cut) if bytes.len() > LEN_MAX => (cut, " ..."),
        _ => (bytes, ""),
    };
    let shown = if bytes[0] == b'{' {
        String::from_utf8_lossy(cut).into_owned()
    } else {
        cut.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    format!("{shown}{more}")
}

/// A text member at the top level of well-formed JSON that could not be decoded as a whole.
fn top_level_text(bytes: &[u8], key: &str) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (mut depth, mut at) = (0_usize, 0);
    let mut last: Option<&str> = None;
    while at < text.len() {
        match text.as_bytes()[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let len = string_len(&text.as_bytes()[at..])?;
                let literal = &text[at..at + len];
                if depth == 1 && last == Some(key) {
                    let value = json::decode(literal.as_bytes()).ok()?;
                    return value.as_str().map(str::to_owned);
                }
                let follows = text[at + len..].trim_start().starts_with(':');
                last = (depth == 1 && follows).then(|| literal.trim_matches('"'));
                at += len;
                continue;
            }
            b',' if depth == 1 => last = None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The length of the string literal that the bytes begin with.
fn string_len(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_come_in_the_order_of_the_text() {
        let text = br#"{"spec": {"strange": 1, "replicas": 2, "replicas": 3, "odd": 4}}"#;
        let mut findings = [
            "duplicate field \"spec.replicas\"",
            "unknown field \"spec.odd\"",
            "unknown field \"spec.strange\"",
        ]
        .map(str::to_owned);
        sort_by_place(text, &mut findings);
        let expected = [
            "unknown field \"spec.strange\"",
            "duplicate field \"spec.replicas\"",
            "unknown field \"spec.odd\"",
        ];
        assert_eq!(findings, expected);
    }
}
