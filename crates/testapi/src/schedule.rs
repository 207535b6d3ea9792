//! Fuzzed schedules: when things arrive, by a seed, within what a real server may do.
//!
//! A real server keeps the order of events within one watch and promises nothing about two: so each
//! stream has its own pace, and the order changes between streams only. It may end a watch at any
//! time, and may have forgotten the version that a watch wants to go on from. Lists that accept any
//! version may be old ones. Requests may take their time. Nothing else is done.

use std::time::Duration;

use ordain_server::seam::Asked;
use ordain_value::Value;

use crate::chance::Chance;
use crate::decode::Body;

/// How far things may go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    pub seed: u64,
    /// The longest that one event is kept back.
    pub event_delay: Duration,
    /// The longest that one request waits.
    pub latency: Duration,
    /// The share of events before which the watch ends.
    pub drop: f64,
    /// The share of watches that want to go on from a version that is too old by then.
    pub expire: f64,
    /// How many revisions a list that accepts any may be behind.
    pub behind: u64,
}

impl Schedule {
    /// What a busy cluster does.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            event_delay: Duration::from_millis(150),
            latency: Duration::from_millis(20),
            drop: 0.1,
            expire: 0.25,
            behind: 5,
        }
    }

    /// Reads a schedule from the body of a call.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn decode(value: &Value) -> Result<Self, String> {
        let mut body = Body::new(value)?;
        let mut schedule = Self::new(body.count("seed")?.ok_or("seed: it must be said")?);
        schedule.event_delay =
            body.millis("eventDelayMilliseconds")?.unwrap_or(schedule.event_delay);
        schedule.latency = body.millis("latencyMilliseconds")?.unwrap_or(schedule.latency);
        schedule.drop = body.share("drop")?.unwrap_or(schedule.drop);
        schedule.expire = body.share("expire")?.unwrap_or(schedule.expire);
        schedule.behind = body.count("behind")?.unwrap_or(schedule.behind);
        body.end()?;
        Ok(schedule)
    }

    fn chance(&self, asked: &Asked) -> Chance {
        let place =
            [&asked.user_agent, &asked.group, &asked.resource, &asked.namespace, &asked.name];
        let seed = Chance(self.seed).of(asked.verb.as_str());
        place.iter().fold(seed, |chance, it| chance.of(it))
    }

    /// How long the nth request of its kind waits. Half of them do not.
    pub(crate) fn latency(&self, asked: &Asked, n: u64) -> Duration {
        let chance = self.chance(asked).of("latency").nth(n);
        if chance.below(0.5) {
            return Duration::ZERO;
        }
        self.latency.mul_f64(chance.nth(1).unit())
    }

    /// How many revisions the nth list of its kind is behind.
    pub(crate) fn behind(&self, asked: &Asked, n: u64) -> u64 {
        if asked.resource_version != "0" {
            return 0;
        }
        let chance = self.chance(asked).of("behind").nth(n);
        (self.behind as f64 * chance.unit()).round() as u64
    }

    /// The pace of the nth watch of its kind.
    pub(crate) fn pace(&self, asked: &Asked, n: u64) -> Pace {
        let chance = self.chance(asked).of("pace").nth(n);
        let goes_on = !matches!(asked.resource_version.as_str(), "" | "0");
        // A third of the streams is quick, a third somewhat slow and a third as slow as may be.
        let slowness = match (chance.of("slowness").unit() * 3.0) as u8 {
            0 => 0.0,
            1 => 0.25,
            _ => 1.0,
        };
        Pace {
            chance,
            delay: self.event_delay.mul_f64(slowness),
            drop: self.drop,
            expired: goes_on && chance.of("expired").below(self.expire),
            events: 0,
        }
    }
}

/// The pace of one watch.
#[derive(Debug, Clone)]
pub(crate) struct Pace {
    chance: Chance,
    delay: Duration,
    drop: f64,
    /// Whether it is answered that its version is too old.
    pub(crate) expired: bool,
    events: u64,
}

impl Pace {
    /// How long the next event is kept back, and whether the watch ends before it.
    pub(crate) fn next(&mut self) -> (Duration, bool) {
        self.events += 1;
        let chance = self.chance.nth(self.events);
        let delay = if chance.of("at once").below(0.5) {
            Duration::ZERO
        } else {
            self.delay.mul_f64(chance.of("delay").unit())
        };
        (delay, chance.of("drop").below(self.drop))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_server::request_info::Verb;

    fn watch(resource: &str, version: &str) -> Asked {
        Asked {
            verb: Verb::Watch,
            resource: resource.into(),
            resource_version: version.into(),
            ..Asked::default()
        }
    }

    #[test]
    fn a_seed_says_it_all() {
        let play = |seed: u64| {
            let schedule = Schedule::new(seed);
            let mut pace = schedule.pace(&watch("pods", "7"), 0);
            let events: Vec<_> = (0..50).map(|_| pace.next()).collect();
            (pace.expired, events, schedule.latency(&watch("pods", "7"), 3))
        };
        assert_eq!(play(1), play(1));
        let different = (2..20).filter(|seed| play(*seed) != play(1)).count();
        assert_eq!(different, 18);
    }

    #[test]
    fn only_what_a_real_server_may_do_is_done() {
        for seed in 0..200 {
            let schedule = Schedule::new(seed);
            assert!(!schedule.pace(&watch("pods", "0"), 0).expired, "there is nothing to forget");
            assert!(!schedule.pace(&watch("pods", ""), 0).expired);
            let exact = Asked { verb: Verb::List, ..watch("pods", "7") };
            assert_eq!(schedule.behind(&exact, 0), 0, "only lists of any version may be old");
            let any = Asked { verb: Verb::List, ..watch("pods", "0") };
            assert!(schedule.behind(&any, 0) <= schedule.behind);
            let mut pace = schedule.pace(&watch("pods", "7"), 0);
            assert!((0..50).all(|_| pace.next().0 <= schedule.event_delay));
        }
    }
}
