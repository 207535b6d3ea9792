//! What a client may use up: bytes, headers, time, connections, and requests at a time.

use std::time::Duration;

use ordain_go::time::parse_duration;
use ordain_meta::Status;
use ordain_value::{Text, go_quote};

use crate::fair::{self, Places, Room};
use crate::metrics;
use crate::pool::Pool;
use crate::request_info::Query;

/// Everything that a user can make big or slow has a limit here.
#[derive(Debug, Clone)]
pub struct Limits {
    pub body_bytes_max: usize,
    pub header_bytes_max: usize,
    pub headers_max: usize,
    pub header_read_timeout: Duration,
    pub handshake_timeout: Duration,
    /// A request that is not a watch is given up after this.
    pub request_timeout: Duration,
    pub connections_max: usize,
    pub http2_streams_max: u32,
    /// Streams that a client may open and reset before its connection is closed.
    pub http2_resets_max: usize,
    /// Requests at a time that read, watches not counted. 0 is no limit.
    pub reading_max: usize,
    /// Requests at a time that write. 0 is no limit.
    pub writing_max: usize,
    /// Requests of one user that wait when there is no room for more.
    pub queue_max: usize,
    /// Bytes that requests hold while their clients send or take them.
    pub held_bytes_max: u64,
    /// How long open requests may go on after the server was asked to stop.
    pub shutdown_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes_max: 3 * 1024 * 1024,
            header_bytes_max: 1024 * 1024,
            headers_max: 256,
            header_read_timeout: Duration::from_secs(32),
            handshake_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(60),
            connections_max: 20_000,
            http2_streams_max: 250,
            http2_resets_max: 100,
            reading_max: 400,
            writing_max: 200,
            queue_max: 50,
            held_bytes_max: 64 << 20,
            shutdown_timeout: Duration::from_secs(25),
        }
    }
}

impl Limits {
    /// Reads a length of time as Go writes it, `1m30s`.
    pub fn parse_timeout(text: &str) -> Result<Duration, String> {
        match parse_duration(text).and_then(|nanos| u64::try_from(nanos).ok()) {
            Some(nanos) if nanos > 0 => Ok(Duration::from_nanos(nanos)),
            Some(_) => Err("must be more than nothing".to_owned()),
            None => Err(duration_error(text)),
        }
    }
}

/// Which places a request needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Reading,
    Writing,
    /// Besides one of the others, for those that keep a processor busy.
    Heavy,
}

/// The requests that are being answered.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    reading: Places,
    writing: Places,
    heavy: Places,
}

/// The place of one request; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    _place: fair::Place,
    kind: &'static str,
}

impl InFlight {
    /// Takes a place for a request of a user; `None` when none becomes free in time. Who is
    /// exempt is counted and never refused.
    pub(crate) async fn enter(
        &self,
        limits: &Limits,
        kind: Kind,
        user: &Text,
        exempt: bool,
    ) -> Option<Place> {
        let (places, limit, kind) = match kind {
            Kind::Reading => (&self.reading, limits.reading_max, "readOnly"),
            Kind::Writing => (&self.writing, limits.writing_max, "mutating"),
            Kind::Heavy => (&self.heavy, Pool::heavy_places(), "heavy"),
        };
        let wait = limits.request_timeout / 4;
        let room = Room { places: limit, queue: limits.queue_max, wait };
        let place = places.enter(user, room, exempt).await?;
        metrics::IN_FLIGHT.add(&[kind], 1);
        Some(Place { _place: place, kind })
    }
}

impl InFlight {
    /// How many requests are being answered.
    pub(crate) fn count(&self) -> usize {
        self.reading.taken() + self.writing.taken()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        metrics::IN_FLIGHT.add(&[self.kind], -1);
    }
}

/// The time that a request asks for with `timeout=20s`.
pub(crate) fn asked_timeout(query: &Query) -> Result<Option<Duration>, Status> {
    let Some(text) = query.get("timeout").filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    match parse_duration(text) {
        Some(nanos) => Ok(Some(Duration::from_nanos(u64::try_from(nanos).unwrap_or(0)))),
        None => {
            let why = duration_error(text);
            let message = format!("invalid timeout specified in the request URL - {why}");
            Err(Status::bad_request(message))
        }
    }
}

/// Why Go does not read a text as a duration.
fn duration_error(text: &str) -> String {
    let quoted = go_quote(text);
    let rest = text.trim_start_matches(['-', '+']);
    let number = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let unit: String = rest[number..]
        .chars()
        .take_while(|letter| !letter.is_ascii_digit() && *letter != '.')
        .collect();
    let has_digits = rest[..number].bytes().any(|byte| byte.is_ascii_digit());
    if !has_digits {
        return format!("time: invalid duration {quoted}");
    }
    if unit.is_empty() {
        return format!("time: missing unit in duration {quoted}");
    }
    if !["ns", "us", "µs", "μs", "ms", "s", "m", "h"].contains(&unit.as_str()) {
        return format!("time: unknown unit {} in duration {quoted}", go_quote(&unit));
    }
    format!("time: invalid duration {quoted}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn places_are_given_back() {
        let limits = Limits { writing_max: 1, queue_max: 0, ..Limits::default() };
        let in_flight = InFlight::default();
        let user = Text::from("ann");
        let enter = |kind, exempt| in_flight.enter(&limits, kind, &user, exempt);
        let first = enter(Kind::Writing, false).await.unwrap();
        assert!(enter(Kind::Writing, false).await.is_none());
        assert!(enter(Kind::Writing, true).await.is_some());
        assert!(enter(Kind::Reading, false).await.is_some());
        drop(first);
        assert!(enter(Kind::Writing, false).await.is_some());
    }

    #[test]
    fn timeouts_are_durations_of_go() {
        let asked = |text: &str| asked_timeout(&Query::new(&format!("timeout={text}")));
        assert_eq!(asked("1m20s").unwrap(), Some(Duration::from_secs(80)));
        assert_eq!(asked("").unwrap(), None);
        assert_eq!(asked("-1s").unwrap(), Some(Duration::ZERO));
        for (text, why) in [
            ("20", "time: missing unit in duration \"20\""),
            ("x", "time: invalid duration \"x\""),
            ("1x", "time: unknown unit \"x\" in duration \"1x\""),
        ] {
            let message = asked(text).unwrap_err().message;
            let expected = format!("invalid timeout specified in the request URL - {why}");
            assert_eq!(message, expected);
        }
    }
}
