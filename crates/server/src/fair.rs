//! Places for work, shared fairly between users: no user takes more than their share, and who waits
//! is served in turns, one of each user.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ordain_value::Text;
use tokio::sync::oneshot;

/// How many may work and wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Places in all; 0 is no limit.
    pub(crate) places: usize,
    /// How many of one user may wait for a place.
    pub(crate) queue: usize,
    /// How long a request waits.
    pub(crate) wait: Duration,
}

impl Room {
    /// What one user may have at a time. The rest is there for the others.
    fn share(&self) -> usize {
        self.places.div_ceil(2)
    }
}

/// Places and those who wait for one.
#[derive(Debug, Default)]
pub(crate) struct Places {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    taken: usize,
    users: BTreeMap<Text, Share>,
    /// Users that wait, in the order of their turns.
    turns: VecDeque<Text>,
}

#[derive(Debug, Default)]
struct Share {
    taken: usize,
    waiting: VecDeque<oneshot::Sender<Place>>,
}

/// The place of one request; given on when it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    state: Arc<Mutex<State>>,
    user: Text,
    room: Room,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Places {
    /// Takes a place, after waiting for one if need be; `None` when there is none. Who is exempt
    /// is counted and never waits.
    pub(crate) async fn enter(&self, user: &Text, room: Room, exempt: bool) -> Option<Place> {
        let granted = {
            let mut state = lock(&self.state);
            if exempt || room.places == 0 || state.has_room(user, room) {
                state.take(user);
                return Some(self.place(user, room));
            }
            state.queue(user, room)?
        };
        tokio::time::timeout(room.wait, granted).await.ok()?.ok()
    }

    /// How many are taken.
    pub(crate) fn taken(&self) -> usize {
        lock(&self.state).taken
    }

    fn place(&self, user: &Text, room: Room) -> Place {
        Place { state: Arc::clone(&self.state), user: user.clone(), room }
    }
}

impl State {
    fn has_room(&self, user: &Text, room: Room) -> bool {
        let own = self.users.get(user).map_or(0, |share| share.taken);
        self.taken < room.places && own < room.share()
    }

    fn take(&mut self, user: &Text) {
        self.taken += 1;
        self.users.entry(user.clone()).or_default().taken += 1;
    }

    fn queue(&mut self, user: &Text, room: Room) -> Option<oneshot::Receiver<Place>> {
        let share = self.users.entry(user.clone()).or_default();
        share.waiting.retain(|waiting| !waiting.is_closed());
        if share.waiting.len() >= room.queue {
            self.forget(user);
            return None;
        }
        let (grant, granted) = oneshot::channel();
        share.waiting.push_back(grant);
        if share.waiting.len() == 1 && !self.turns.contains(user) {
            self.turns.push_back(user.clone());
        }
        Some(granted)
    }

    fn forget(&mut self, user: &Text) {
        let idle = |share: &Share| share.taken == 0 && share.waiting.is_empty();
        if self.users.get(user).is_some_and(idle) {
            self.users.remove(user);
        }
    }

    /// The next one who waits and may work now.
    fn next(&mut self, room: Room) -> Option<(Text, oneshot::Sender<Place>)> {
        for _ in 0..self.turns.len() {
            let user = self.turns.pop_front()?;
            let share = self.users.entry(user.clone()).or_default();
            share.waiting.retain(|waiting| !waiting.is_closed());
            if share.waiting.is_empty() {
                self.forget(&user);
                continue;
            }
            let grant = if self.has_room(&user, room) {
                self.users.get_mut(&user).and_then(|share| share.waiting.pop_front())
            } else {
                None
            };
            self.turns.push_back(user.clone());
            if let Some(grant) = grant {
                self.take(&user);
                return Some((user, grant));
            }
        }
        None
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let next = {
            let mut state = lock(&self.state);
            state.taken = state.taken.saturating_sub(1);
            if let Some(share) = state.users.get_mut(&self.user) {
                share.taken = share.taken.saturating_sub(1);
            }
            let next = state.next(self.room);
            state.forget(&self.user);
            next
        };
        if let Some((user, grant)) = next {
            let place = Place { state: Arc::clone(&self.state), user, room: self.room };
            // One who left in the meantime drops it, which gives it to the next.
            let _ = grant.send(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { places: 4, queue: 100, wait: Duration::from_secs(5) };

    #[tokio::test]
    async fn one_user_leaves_room_for_others() {
        let places = Places::default();
        let (flood, other) = (Text::from("flood"), Text::from("other"));
        let first = places.enter(&flood, ROOM, false).await;
        let second = places.enter(&flood, ROOM, false).await;
        assert!(first.is_some() && second.is_some());
        let hasty = Room { wait: Duration::from_millis(10), ..ROOM };
        assert!(places.enter(&flood, hasty, false).await.is_none());
        assert!(places.enter(&other, hasty, false).await.is_some());
        assert!(places.enter(&flood, hasty, true).await.is_some());
    }

    #[tokio::test]
    async fn places_go_round_and_come_back() {
        let places = Arc::new(Places::default());
        let one = Room { places: 1, ..ROOM };
        let order = Arc::new(Mutex::new(Vec::new()));
        let held = places.enter(&Text::from("a"), one, false).await;
        let mut tasks = Vec::new();
        for user in ["a", "a", "a", "a", "b", "b"] {
            let (places, order) = (Arc::clone(&places), Arc::clone(&order));
            tasks.push(tokio::spawn(async move {
                let place = places.enter(&Text::from(user), one, false).await;
                assert!(place.is_some());
                order.lock().unwrap().push(user);
            }));
            tokio::task::yield_now().await;
        }
        drop(held);
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*order.lock().unwrap(), ["a", "b", "a", "b", "a", "a"]);
        assert!(lock(&places.state).users.is_empty());
    }

    #[tokio::test]
    async fn who_left_the_queue_blocks_nobody() {
        let places = Places::default();
        let one = Room { places: 1, ..ROOM };
        let (a, b) = (Text::from("a"), Text::from("b"));
        let held = places.enter(&a, one, false).await;
        let hasty = Room { wait: Duration::from_millis(5), ..one };
        assert!(places.enter(&b, hasty, false).await.is_none());
        let full = Room { queue: 0, ..one };
        assert!(places.enter(&b, full, false).await.is_none());
        drop(held);
        assert!(places.enter(&b, one, false).await.is_some());
    }
}
