//! A clock that tests move.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ordain_meta::time::Time;
use ordain_registry::source::Clock;

const NANOS_PER_SECOND: i128 = 1_000_000_000;

/// Shows the time of another clock, ahead or behind by as much as it was moved, or stands still.
#[derive(Debug)]
pub struct TestClock {
    base: Arc<dyn Clock>,
    hands: Mutex<Hands>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Hands {
    /// How far ahead of the base it is, in nanoseconds.
    ahead: i128,
    /// The time at which it stands still.
    stopped: Option<Time>,
}

impl TestClock {
    pub fn new(base: Arc<dyn Clock>) -> Self {
        Self { base, hands: Mutex::default() }
    }

    fn hands(&self) -> MutexGuard<'_, Hands> {
        self.hands.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves it on.
    pub fn advance(&self, by: Duration) {
        let by = i128::try_from(by.as_nanos()).unwrap_or(i128::MAX);
        let mut hands = self.hands();
        match hands.stopped {
            Some(time) => hands.stopped = Some(moved(time, by)),
            None => hands.ahead = hands.ahead.saturating_add(by),
        }
    }

    /// Makes it show this time now, and go on from there unless it stands still.
    pub fn set(&self, time: Time) {
        let mut hands = self.hands();
        match hands.stopped {
            Some(_) => hands.stopped = Some(time),
            None => hands.ahead = nanos(time).saturating_sub(nanos(self.base.now())),
        }
    }

    /// Stops it at what it shows.
    pub fn stop(&self) {
        let now = self.now();
        self.hands().stopped = Some(now);
    }

    /// Lets it go on from what it shows.
    pub fn run(&self) {
        let mut hands = self.hands();
        if let Some(time) = hands.stopped.take() {
            hands.ahead = nanos(time).saturating_sub(nanos(self.base.now()));
        }
    }

    /// Shows the time of its base again.
    pub fn reset(&self) {
        *self.hands() = Hands::default();
    }

    pub fn is_stopped(&self) -> bool {
        self.hands().stopped.is_some()
    }
}

impl Clock for TestClock {
    fn now(&self) -> Time {
        let hands = *self.hands();
        hands.stopped.unwrap_or_else(|| moved(self.base.now(), hands.ahead))
    }
}

fn nanos(time: Time) -> i128 {
    i128::from(time.seconds) * NANOS_PER_SECOND + i128::from(time.nanos)
}

/// The years that API times can show; a clock does not leave them.
const SECONDS_MIN: i64 = -62_135_596_800;
const SECONDS_MAX: i64 = 253_402_300_799;

fn moved(time: Time, by: i128) -> Time {
    let sum = nanos(time).saturating_add(by);
    let seconds = i64::try_from(sum.div_euclid(NANOS_PER_SECOND)).unwrap_or(SECONDS_MAX);
    let rest = u32::try_from(sum.rem_euclid(NANOS_PER_SECOND)).unwrap_or(0);
    Time::from_unix(seconds.clamp(SECONDS_MIN, SECONDS_MAX), rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_registry::source::FixedClock;

    #[test]
    fn it_moves_stops_and_comes_back() {
        let clock = TestClock::new(Arc::new(FixedClock(Time::from_unix(100, 500_000_000))));
        clock.advance(Duration::from_millis(700));
        assert_eq!(clock.now(), Time::from_unix(101, 200_000_000));
        clock.stop();
        clock.advance(Duration::from_secs(10));
        assert_eq!(clock.now(), Time::from_unix(111, 200_000_000));
        clock.set(Time::from_unix(5, 0));
        clock.run();
        assert_eq!(clock.now(), Time::from_unix(5, 0));
        clock.advance(Duration::MAX);
        assert_eq!(clock.now().seconds, SECONDS_MAX);
        clock.reset();
        assert_eq!(clock.now(), Time::from_unix(100, 500_000_000));
    }
}
