//! The body of an apply request: YAML, read leniently; what strict reading would say comes along.

use ordain_value::go_format::{cannot_unmarshal, json_type};
use ordain_value::{Value, yaml};

use super::PatchError;

/// Reads an applied configuration. The second part is the error that strict reading gives
/// (duplicate keys): field validation refuses it after the merge, or warns.
pub fn decode(bytes: &[u8]) -> Result<(Value, Option<String>), PatchError> {
    let bad = |message: String| PatchError::BadRequest(format!("error decoding YAML: {message}"));
    let document = yaml::decode_first(bytes, yaml::Options::default())
        .map_err(|it| bad(format!("error converting YAML to JSON: {it}")))?;
    let value = document.value.map_err(|it| bad(format!("error converting YAML to JSON: {it}")))?;
    let value = match value {
        Value::Null => Value::Map(ordain_value::Map::new()),
        Value::Map(map) => Value::Map(map),
        other => {
            let why = cannot_unmarshal(json_type(&other), "map[string]interface {}");
            return Err(bad(format!("error unmarshaling JSON: while decoding JSON: {why}")));
        }
    };
    let lines: Vec<String> = document.duplicates.iter().map(|it| format!("\n  {it}")).collect();
    let strict = (!lines.is_empty()).then(|| {
        format!("error converting YAML to JSON: yaml: unmarshal errors:{}", lines.concat())
    });
    Ok((value, strict))
}
