//! Reading the bodies of calls: every member is known, or the call is refused.

use std::time::Duration;

use ordain_value::Value;

/// A body on its way to be read. What is left unread at the end is a mistake.
pub(crate) struct Body<'a> {
    value: &'a Value,
    read: Vec<&'static str>,
}

impl<'a> Body<'a> {
    pub(crate) fn new(value: &'a Value) -> Result<Self, String> {
        match value {
            Value::Map(_) | Value::Null => Ok(Self { value, read: Vec::new() }),
            other => Err(format!("an object is expected, not {}", other.kind_name())),
        }
    }

    pub(crate) fn member(&mut self, name: &'static str) -> Option<&'a Value> {
        self.read.push(name);
        self.value.get(name).filter(|it| !it.is_null())
    }

    fn typed<T>(
        &mut self,
        name: &'static str,
        expected: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, String> {
        let Some(value) = self.member(name) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| format!("{name}: {expected} is expected"))
    }

    pub(crate) fn text(&mut self, name: &'static str) -> Result<Option<String>, String> {
        self.typed(name, "a string", |it| it.as_str().map(str::to_owned))
    }

    pub(crate) fn flag(&mut self, name: &'static str) -> Result<Option<bool>, String> {
        self.typed(name, "true or false", Value::as_bool)
    }

    pub(crate) fn count(&mut self, name: &'static str) -> Result<Option<u64>, String> {
        self.typed(name, "a number from 0", |it| it.as_int().and_then(|it| it.try_into().ok()))
    }

    pub(crate) fn share(&mut self, name: &'static str) -> Result<Option<f64>, String> {
        let number = |it: &Value| it.as_float().or_else(|| it.as_int().map(|it| it as f64));
        self.typed(name, "a number from 0 to 1", |it| {
            number(it).filter(|it| (0.0..=1.0).contains(it))
        })
    }

    pub(crate) fn texts(&mut self, name: &'static str) -> Result<Vec<String>, String> {
        let texts = self.typed(name, "a list of strings", |it| {
            it.as_list()?.iter().map(|it| it.as_str().map(str::to_owned)).collect()
        })?;
        Ok(texts.unwrap_or_default())
    }

    /// A number of milliseconds.
    pub(crate) fn millis(&mut self, name: &'static str) -> Result<Option<Duration>, String> {
        Ok(self.count(name)?.map(|it| Duration::from_millis(it.min(DURATION_MS_MAX))))
    }

    /// Refuses members that nobody asked for.
    pub(crate) fn end(self) -> Result<(), String> {
        let Some(map) = self.value.as_map() else { return Ok(()) };
        match map.keys().find(|key| !self.read.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => {
                Err(format!("{key}: there is no such member; there is {}", self.read.join(", ")))
            }
        }
    }
}

/// Nothing waits for longer than an hour.
pub(crate) const DURATION_MS_MAX: u64 = 3_600_000;
