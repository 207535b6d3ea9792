//! The schema in a version of a definition. It is JSON until it is looked into: most that is done
//! with a definition does not, and a schema read takes many times the memory of its text.

use std::ops::Deref;
use std::sync::{Arc, LazyLock, OnceLock};

use ordain_value::Value;

use crate::raw::Raw;

/// `openAPIV3Schema`; copies share what was read or written of it.
#[derive(Clone, Debug)]
pub struct OpenApi(Arc<Forms>);

/// INVARIANT: one of both is there.
#[derive(Debug, Default)]
struct Forms {
    /// None inside if the JSON is no schema.
    raw: OnceLock<Option<Raw>>,
    json: OnceLock<Value>,
}

static EMPTY: LazyLock<Raw> = LazyLock::new(Raw::default);

impl OpenApi {
    /// A schema that was read.
    #[must_use]
    pub fn new(raw: Raw) -> Self {
        Self(Arc::new(Forms { raw: Some(raw).into(), json: OnceLock::new() }))
    }

    /// The schema of a definition that was accepted before, so that there is nothing to report.
    pub(crate) fn accepted(json: &Value) -> Self {
        Self(Arc::new(Forms { raw: OnceLock::new(), json: json.clone().into() }))
    }

    fn read(&self) -> Option<&Raw> {
        let read = || Raw::decode(self.0.json.get()?).ok().map(|(raw, _)| raw);
        self.0.raw.get_or_init(read).as_ref()
    }

    /// Whether it is a schema. One that was stored by another server may be something else, which
    /// reads as an empty schema.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.read().is_some()
    }

    /// The schema as JSON.
    #[must_use]
    pub fn encode(&self) -> Value {
        self.0.json.get_or_init(|| self.encode_raw()).clone()
    }

    fn encode_raw(&self) -> Value {
        Raw::encode(self)
    }

    /// Changes the schema.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Raw)) {
        let own = Arc::get_mut(&mut self.0).and_then(|forms| forms.raw.take()).flatten();
        let mut raw = own.unwrap_or_else(|| Raw::clone(self));
        change(&mut raw);
        *self = Self::new(raw);
    }

    /// Whether the schema may use this keyword; false is certain. Nothing is read for it.
    #[must_use]
    pub fn may_use(&self, keyword: &str) -> bool {
        self.0.json.get().is_none_or(|json| has_key(json, &[keyword]))
    }
}

impl Deref for OpenApi {
    type Target = Raw;

    fn deref(&self) -> &Raw {
        self.read().unwrap_or(&EMPTY)
    }
}

impl PartialEq for OpenApi {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}

/// Whether some map in a value has one of these keys.
pub(crate) fn has_key(value: &Value, keys: &[&str]) -> bool {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Map(map) => {
                if map.keys().any(|key| keys.contains(&key.as_str())) {
                    return true;
                }
                let inner = map.iter().map(|(_, value)| value);
                pending.extend(inner.filter(|it| matches!(it, Value::Map(_) | Value::List(_))));
            }
            Value::List(list) => pending.extend(list.iter()),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    #[test]
    fn a_schema_is_read_when_it_is_looked_at() {
        let json = value!({"type": "object", "properties": {"a": {"type": "string"}}});
        let mut schema = OpenApi::accepted(&json);
        let copy = schema.clone();
        assert_eq!(schema.encode(), json);
        assert!(schema.0.raw.get().is_none(), "nobody looked");
        assert_eq!(copy.property("a").map(|it| it.ty.as_str()), Some("string"));
        assert!(schema.0.raw.get().is_some(), "copies share it");
        schema.change(|raw| raw.nullable = true);
        assert_eq!(schema.encode().get("nullable"), Some(&value!(true)));
        assert_eq!(copy.encode(), json);
        assert!(schema != copy);
        assert!(schema.is_readable());
    }

    #[test]
    fn keywords_that_are_not_used_are_known_without_reading() {
        let schema =
            OpenApi::accepted(&value!({"properties": {"a": {"anyOf": [{"format": "x"}]}}}));
        assert!(schema.may_use("format"));
        assert!(!schema.may_use("default"));
        assert!(schema.0.raw.get().is_none());
    }

    #[test]
    fn what_is_no_schema_reads_as_an_empty_one() {
        let schema = OpenApi::accepted(&value!({"type": 1}));
        assert!(!schema.is_readable());
        assert_eq!(*schema, Raw::default());
    }
}
