//! Struct tags as `reflect.StructTag` and `encoding/json` read them.

use smol_str::SmolStr;

use super::literal;

/// The value of a key in a struct tag: `json:"name,omitempty"` has `name,omitempty` under `json`.
#[must_use]
pub fn lookup(tag: &str, key: &str) -> Option<String> {
    let mut rest = tag;
    loop {
        rest = rest.trim_start_matches(' ');
        let name_len = rest
            .bytes()
            .position(|byte| byte <= b' ' || byte == b':' || byte == b'"' || byte == 0x7f)?;
        if name_len == 0 {
            return None;
        }
        let name = rest.get(..name_len)?;
        let quoted = rest.get(name_len..)?.strip_prefix(':')?;
        if !quoted.starts_with('"') {
            return None;
        }
        let bytes = quoted.as_bytes();
        let mut end = 1;
        while *bytes.get(end)? != b'"' {
            end += if bytes.get(end) == Some(&b'\\') { 2 } else { 1 };
        }
        let literal = quoted.get(..=end)?;
        if name == key {
            return literal::unquote(literal);
        }
        rest = quoted.get(end + 1..)?;
    }
}

/// The `json` part of a field's tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Json {
    /// Whether the key `json` is there at all.
    pub present: bool,
    /// The name as written, possibly empty.
    pub name: SmolStr,
    /// `json:"-"`: the field is not encoded.
    pub skipped: bool,
    /// `omitempty`
    pub omitempty: bool,
    /// `omitzero`
    pub omitzero: bool,
    /// `inline`
    pub inline: bool,
    /// `string`
    pub string: bool,
}

impl Json {
    /// Reads the `json` key of a struct tag.
    #[must_use]
    pub fn of(tag: &str) -> Self {
        let Some(value) = lookup(tag, "json") else { return Self::default() };
        let mut parts = value.split(',');
        let name = parts.next().unwrap_or("");
        let mut json = Json {
            present: true,
            name: SmolStr::new(name),
            skipped: value == "-",
            ..Self::default()
        };
        for option in parts {
            match option {
                "omitempty" => json.omitempty = true,
                "omitzero" => json.omitzero = true,
                "inline" => json.inline = true,
                "string" => json.string = true,
                _ => {}
            }
        }
        json
    }
}
