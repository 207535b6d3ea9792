//! Bytes that requests hold while their clients send them or take them. No user holds all of the room
//! for long: when there is more than there is room for, it is taken from who holds most.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ordain_value::Text;
use tokio::sync::Notify;

/// All that is held.
#[derive(Debug, Default)]
pub(crate) struct Holdings {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    bytes: u64,
    /// The number of the last holding that began.
    last: u64,
    users: BTreeMap<Text, Share>,
}

#[derive(Debug, Default)]
struct Share {
    bytes: u64,
    /// By their numbers, so the oldest is first.
    held: BTreeMap<u64, Held>,
}

#[derive(Debug)]
struct Held {
    bytes: u64,
    gives_up: Arc<Notify>,
}

/// What to do when the room is taken by the one who asks for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// What is asked for is refused.
    Refuse,
    /// The oldest of the same user is given up.
    GiveUp,
}

/// What one request holds; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Holding {
    state: Arc<Mutex<State>>,
    user: Text,
    number: u64,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Holdings {
    /// Begins to hold something, nothing at first. It is told when it is to be given up.
    pub(crate) fn begin(&self, user: &Text, gives_up: Arc<Notify>) -> Holding {
        let mut state = lock(&self.state);
        state.last += 1;
        let number = state.last;
        let share = state.users.entry(user.clone()).or_default();
        share.held.insert(number, Held { bytes: 0, gives_up });
        Holding { state: Arc::clone(&self.state), user: user.clone(), number }
    }
}

impl Holding {
    /// Holds more bytes within so much room; false when that is refused.
    pub(crate) fn grow(&mut self, bytes: u64, room: u64, beyond: Beyond) -> bool {
        let mut state = lock(&self.state);
        state.add(&self.user, self.number, bytes);
        while state.bytes > room {
            let Some(most) = state.holds_most().filter(|_| !state.is_last()) else { break };
            if most == self.user && beyond == Beyond::Refuse {
                state.remove(&self.user, self.number);
                return false;
            }
            state.give_up_oldest(&most);
        }
        true
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        lock(&self.state).remove(&self.user, self.number);
    }
}

impl State {
    fn add(&mut self, user: &Text, number: u64, bytes: u64) {
        let Some(share) = self.users.get_mut(user) else { return };
        // What was given up is as good as gone.
        let Some(held) = share.held.get_mut(&number) else { return };
        held.bytes += bytes;
        share.bytes += bytes;
        self.bytes += bytes;
    }

    fn remove(&mut self, user: &Text, number: u64) {
        let Some(share) = self.users.get_mut(user) else { return };
        let bytes = share.held.remove(&number).map_or(0, |held| held.bytes);
        share.bytes -= bytes;
        self.bytes -= bytes;
        if share.held.is_empty() {
            self.users.remove(user);
        }
    }

    fn holds_most(&self) -> Option<Text> {
        self.users.iter().max_by_key(|(_, share)| share.bytes).map(|(user, _)| user.clone())
    }

    /// Whether all that is held is held by one request, which may be as large as it likes.
    fn is_last(&self) -> bool {
        let holds = |held: &&Held| held.bytes > 0;
        self.users.values().flat_map(|share| share.held.values()).filter(holds).nth(1).is_none()
    }

    fn give_up_oldest(&mut self, user: &Text) {
        let Some(share) = self.users.get(user) else { return };
        let Some((number, held)) = share.held.iter().find(|(_, held)| held.bytes > 0) else {
            return;
        };
        held.gives_up.notify_one();
        let number = *number;
        self.remove(user, number);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn begin(holdings: &Holdings, user: &str) -> (Holding, Arc<Notify>) {
        let gives_up = Arc::new(Notify::new());
        (holdings.begin(&Text::from(user), Arc::clone(&gives_up)), gives_up)
    }

    fn was_told(gives_up: &Notify) -> bool {
        gives_up.notified().now_or_never().is_some()
    }

    #[test]
    fn who_holds_most_makes_room() {
        let holdings = Holdings::default();
        let (mut first, first_told) = begin(&holdings, "flood");
        let (mut second, second_told) = begin(&holdings, "flood");
        let (mut other, other_told) = begin(&holdings, "other");
        assert!(first.grow(40, 100, Beyond::Refuse));
        assert!(second.grow(50, 100, Beyond::Refuse));
        assert!(other.grow(20, 100, Beyond::Refuse));
        assert!(was_told(&first_told) && !was_told(&second_told) && !was_told(&other_told));
        assert!(!second.grow(50, 100, Beyond::Refuse));
        assert!(other.grow(70, 100, Beyond::Refuse));
        drop((first, second, other));
        assert!(lock(&holdings.state).users.is_empty());
        assert_eq!(lock(&holdings.state).bytes, 0);
    }

    #[test]
    fn what_may_not_be_refused_takes_the_room_of_the_same_user() {
        let holdings = Holdings::default();
        let (mut first, first_told) = begin(&holdings, "a");
        let (mut second, second_told) = begin(&holdings, "a");
        assert!(first.grow(80, 100, Beyond::GiveUp));
        assert!(second.grow(200, 100, Beyond::GiveUp), "one alone may be larger than the room");
        assert!(was_told(&first_told) && !was_told(&second_told));
    }
}
