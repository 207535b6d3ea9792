//! A store that cannot be wrong, because it is a list of all states there ever were.

use std::collections::BTreeMap;

use futures_util::FutureExt;

use super::Corner;
use crate::error::StoreError;
use crate::store::{Entry, Expect, Op, Outcome, Range, Result, Revision, Store, Write};
use crate::watch::Batch;

type State = BTreeMap<String, Entry>;

/// One operation, made of four arbitrary bytes so that any generator can make them.
pub type OpBytes = [u8; 4];

struct Model {
    /// The state after each commit, oldest first.
    states: Vec<(Revision, State)>,
    compacted: Revision,
}

impl Model {
    fn state(&self) -> &State {
        &self.states[self.states.len() - 1].1
    }

    fn at(&self, revision: Revision) -> &State {
        let position = self.states.partition_point(|(made, _)| *made <= revision);
        &self.states[position.saturating_sub(1)].1
    }

    fn current(&self) -> Revision {
        self.states[self.states.len() - 1].0
    }

    /// What the writes have to answer; the state is changed if they are made, at `revision`.
    fn commit(&mut self, writes: &[Write], revision: Revision) -> Option<Outcome> {
        let mut writes: Vec<&Write> = writes.iter().collect();
        writes.sort_by(|left, right| left.key.cmp(&right.key));
        let mut state = self.state().clone();
        for write in writes {
            let current = self.state().get(&*write.key).cloned();
            let holds = match write.expect {
                Expect::Any => true,
                Expect::Absent => current.is_none(),
                Expect::Exact(revision) => {
                    current.as_ref().is_some_and(|entry| entry.mod_revision == revision)
                }
            };
            match (&write.op, holds, &current) {
                (_, false, _) | (Op::Delete, _, None) => {
                    let key = write.key.clone();
                    let revision = self.current();
                    return Some(Outcome::Conflict(crate::Conflict { key, current, revision }));
                }
                (Op::Delete, true, Some(_)) => {
                    state.remove(&*write.key);
                }
                (Op::Check, true, _) => {}
                (Op::Put(value), true, _) => {
                    let create_revision = current.map_or(revision, |entry| entry.create_revision);
                    let (key, value) = (write.key.clone(), value.clone());
                    let entry = Entry { key, value, create_revision, mod_revision: revision };
                    state.insert(write.key.to_string(), entry);
                }
            }
        }
        self.states.push((revision, state));
        None
    }
}

/// Does the operations on the store and on the model and panics where they differ. Nobody else
/// may write to the store at the same time.
pub async fn check(store: &dyn Store, prefix: &str, ops: &[OpBytes]) {
    let corner = Corner { store, prefix: prefix.to_owned() };
    let start = corner.revision().await;
    let mut model = Model { states: vec![(start, State::new())], compacted: 0 };
    let watch = corner.watch(start).await;
    let state = State::new();
    let mut witness = Witness { watch, state, reached: start, met: 1, ended: false };
    for [kind, key, condition, value] in ops {
        match kind % 8 {
            0..=3 => {
                let write = write(&corner, &model, *key, *condition, *value);
                commit(&corner, &mut model, vec![write]).await;
            }
            4 => {
                let first = write(&corner, &model, *key, *condition, *value);
                let second = write(&corner, &model, key % 5 + 1, *condition, *value);
                commit(&corner, &mut model, vec![second, first]).await;
            }
            5 => read(&corner, &model, *key, *condition, *value).await,
            6 if value % 4 == 0 => compact(&corner, &mut model, *condition).await,
            _ => {
                let name = corner.key(&name(*key));
                let read = store.get(&name).await.expect("reading works");
                assert_eq!(read.entry.as_ref(), model.state().get(&name));
            }
        }
        assert_eq!(corner.revision().await, model.current());
        while !witness.ended
            && let Some(item) = witness.watch.next().now_or_never()
        {
            witness.take(item, &model);
        }
    }
    witness.finish(&model).await;
}

fn name(key: u8) -> String {
    ["a", "a/b", "a/c", "b", "ab"][usize::from(key) % 5].to_owned()
}

fn write(corner: &Corner<'_>, model: &Model, key: u8, condition: u8, value: u8) -> Write {
    let key = corner.key(&name(key));
    let expect = match condition % 4 {
        0 => Expect::Any,
        1 => Expect::Absent,
        2 => Expect::Exact(model.current().saturating_sub(u64::from(condition / 64))),
        _ => model.state().get(&key).map_or(Expect::Absent, |e| Expect::Exact(e.mod_revision)),
    };
    if value.is_multiple_of(4) {
        Write::delete(key, expect)
    } else {
        Write::put(key, expect, vec![value; usize::from(value % 3)])
    }
}

async fn commit(corner: &Corner<'_>, model: &mut Model, writes: Vec<Write>) {
    let outcome = corner.store.commit_all(writes.clone()).await.expect("a valid commit");
    let revision = match &outcome {
        Outcome::Committed(revision) => *revision,
        Outcome::Conflict(_) => model.current() + 1,
    };
    assert!(revision > model.current());
    match model.commit(&writes, revision) {
        Some(conflict) => assert_eq!(outcome, conflict),
        None => assert_eq!(outcome, Outcome::Committed(revision)),
    }
}

async fn read(corner: &Corner<'_>, model: &Model, key: u8, back: u8, limit: u8) {
    let prefix = corner.key(if key.is_multiple_of(2) { "a" } else { "" });
    let start = corner.key(&name(key / 2));
    let states = model.states.len();
    let revision = model.states[states - 1 - usize::from(back) % states].0;
    let limit = usize::from(limit % 4);
    let range = Range::prefix(&prefix).start(&start).limit(limit).at(revision).count();
    let answer = corner.store.range(range).await;
    if revision < model.compacted {
        assert!(matches!(answer, Err(StoreError::Compacted { .. })), "{answer:?}");
        return;
    }
    let page = answer.expect("the revision is known");
    let all: Vec<&Entry> = model
        .at(revision)
        .iter()
        .filter(|(key, _)| key.starts_with(&prefix) && **key >= start)
        .map(|(_, entry)| entry)
        .collect();
    let len = if limit == 0 { all.len() } else { all.len().min(limit) };
    assert_eq!(page.entries.iter().collect::<Vec<_>>(), all[..len]);
    assert_eq!(page.more, len < all.len());
    assert_eq!(page.count, Some(all.len() as u64));
    assert_eq!(page.revision, revision);
}

async fn compact(corner: &Corner<'_>, model: &mut Model, back: u8) {
    let states = model.states.len();
    let revision = model.states[states - 1 - usize::from(back) % states].0;
    corner.compact(revision).await;
    model.compacted = model.compacted.max(revision);
}

/// The watch that was open all the time.
struct Witness {
    watch: crate::Watch,
    state: State,
    reached: Revision,
    /// How many states of the model have been met.
    met: usize,
    ended: bool,
}

impl Witness {
    /// Each event leads from one state of the model to the next.
    fn take(&mut self, item: Option<Result<Batch>>, model: &Model) {
        let batch = match item {
            Some(Ok(batch)) => batch,
            // The model does not wait for the watch, so a compaction may overtake it.
            Some(Err(StoreError::Compacted { .. } | StoreError::WatcherTooSlow { .. })) => {
                assert!(model.compacted > self.reached, "ended without a reason");
                self.ended = true;
                return;
            }
            other => panic!("the watch has ended: {other:?}"),
        };
        for event in batch.events {
            if event.revision > self.reached {
                self.meet(model);
            }
            self.reached = event.revision;
            let key = event.key.to_string();
            let before = match event.entry() {
                Some(entry) => self.state.insert(key, entry),
                None => self.state.remove(&key),
            };
            assert_eq!(event.previous, before);
        }
        self.meet(model);
    }

    /// Between two commits the state is one of the model, and none has been left out.
    fn meet(&mut self, model: &Model) {
        let Some((revision, state)) = model.states.get(self.met) else { return };
        if *revision == self.reached {
            assert_eq!(self.state, *state, "at {revision}");
            self.met += 1;
        }
        if let Some((next, _)) = model.states.get(self.met) {
            assert!(*next > self.reached, "the change at {next} was not told");
        }
    }

    async fn finish(mut self, model: &Model) {
        while !self.ended && self.met < model.states.len() {
            let item = tokio::time::timeout(super::PATIENCE, self.watch.next()).await;
            self.take(item.expect("the rest of the history arrives"), model);
        }
    }
}
