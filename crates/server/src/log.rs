//! Log lines on standard error: text for people, JSON for machines. Nothing that a request
//! carries in its body, and no credential, is ever logged.

use std::fmt::{Display, Write as _};
use std::io::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use ordain_meta::time::Time;
use ordain_value::{Map, Value, json};

/// How lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    #[default]
    Text,
    Json,
}

/// Where log lines go: to standard error, as far as they are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Log {
    pub format: LogFormat,
    /// 0: what an operator must know; 1: each request; 2: what happens to connections.
    pub verbosity: u8,
}

/// What a line is about, beside its message.
pub(crate) type Fields<'a> = &'a [(&'a str, &'a dyn Display)];

impl Log {
    /// An error: an operator has to act.
    pub fn error(&self, message: &str, fields: Fields<'_>) {
        self.line("error", message, fields);
    }

    /// A warning: an operator should look into it; nothing is broken yet.
    pub(crate) fn warn(&self, message: &str, fields: Fields<'_>) {
        self.line("warn", message, fields);
    }

    /// Writes down where hand-written and declared validation differ.
    pub(crate) fn follow_rollouts(self) {
        ordain_registry::rollout::log_to(move |difference| {
            self.warn("validation", &[("difference", &difference)]);
        });
    }

    /// Writes down calls of webhooks that took long, and all calls of traced requests with `-vv`.
    pub(crate) fn follow_webhooks(self) {
        ordain_registry::trace::log_to(move |call| {
            let millis = format!("{:.3}", call.took.as_secs_f64() * 1e3);
            let fields: Fields<'_> = &[
                ("call", &call.name),
                ("configuration", &call.configuration),
                ("webhook", &call.webhook),
                ("resource", &call.resource),
                ("operation", &call.operation),
                ("uid", &call.uid),
                ("trace", &call.trace),
                ("span", &call.span),
                ("ms", &millis),
            ];
            if call.took >= ordain_registry::trace::SLOW {
                self.warn("slow webhook", fields);
            } else {
                self.debug("webhook", fields);
            }
        });
    }

    /// One line for each request, with `-v`.
    pub(crate) fn request(&self, fields: Fields<'_>) {
        if self.verbosity >= 1 {
            self.line("info", "request", fields);
        }
    }

    /// What happens below requests, with `-vv`.
    pub(crate) fn debug(&self, message: &str, fields: Fields<'_>) {
        if self.verbosity >= 2 {
            self.line("debug", message, fields);
        }
    }

    fn line(&self, level: &str, message: &str, fields: Fields<'_>) {
        let mut line = encode(self.format, &now().encode_micro(), level, message, fields);
        line.push('\n');
        let _ = std::io::stderr().lock().write_all(line.as_bytes());
    }
}

/// The present time.
pub(crate) fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time::from_unix(i64::try_from(since.as_secs()).unwrap_or(0), since.subsec_nanos())
}

fn encode(format: LogFormat, time: &str, level: &str, message: &str, fields: Fields<'_>) -> String {
    match format {
        LogFormat::Text => {
            let mut line = format!("{time} {level:5} {message}");
            for (name, value) in fields {
                let value = value.to_string();
                let plain = |letter: char| letter.is_ascii_graphic() && letter != '"';
                if !value.is_empty() && value.chars().all(plain) {
                    let _ = write!(line, " {name}={value}");
                } else {
                    // Quoting also keeps control characters out of terminals.
                    let _ = write!(line, " {name}={}", ordain_value::go_quote(&value));
                }
            }
            line
        }
        LogFormat::Json => {
            let mut map = Map::new();
            map.insert("ts", time.into());
            map.insert("level", level.into());
            map.insert("msg", message.into());
            for (name, value) in fields {
                map.insert(*name, value.to_string().into());
            }
            json::encode_string(&Value::Map(map))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let fields: Fields<'_> = &[("code", &200), ("uri", &"/a b\u{1b}[0m")];
        let text = encode(LogFormat::Text, "T", "info", "request", fields);
        assert_eq!(text, r#"T info  request code=200 uri="/a b\x1b[0m""#);
        let text = encode(LogFormat::Json, "T", "info", "request", fields);
        let value = json::decode(text.as_bytes()).unwrap();
        assert_eq!(value.get("uri").and_then(Value::as_str), Some("/a b\u{1b}[0m"));
    }
}
