//! What goes on without being asked for: dependents of deleted owners are collected, terminating
//! namespaces are emptied.
//!
//! Accounts, published authorities, the usage of quotas and storage that is not used any more have
//! loops of their own ([`accounts`], [`quotas`], [`storage`]).
//!
//! Garbage and namespaces follow one watch of the store. Nothing is remembered beyond it: at the start, and when the
//! watch cannot go on, the store is read once and the same facts come out.

mod accounts;
mod follow;
mod garbage;
mod graph;
mod namespaces;
mod quotas;
mod storage;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::FutureExt;
use ordain_meta::status::Status;
use ordain_storage::{Event, Range, Revision, StoreError, Watch};
use tokio::time::Instant;

use crate::registry::{Registry, store_failed};
use graph::{Graph, Task};
use namespaces::Terminating;

/// Everything that is stored for clients lies below this.
const ROOT: &str = "/registry/";
/// How many entries are read at a time at the start.
const SCAN_LEN: usize = 1000;
/// How many tasks are worked on at once; their writes are committed together.
const TASKS_AT_ONCE: usize = 32;
const RETRY_FIRST: Duration = Duration::from_millis(50);
const RETRY_MAX: Duration = Duration::from_secs(30);

/// What is known and what is to be done.
#[derive(Debug, Default)]
struct State {
    graph: Graph,
    terminating: Terminating,
    tasks: BTreeSet<Task>,
    /// Tasks that failed, with the time to try them again.
    delayed: BTreeMap<Task, (Instant, Duration)>,
}

impl Registry {
    /// Runs the controllers until the store ends. Does nothing when they are switched off.
    ///
    /// # Errors
    /// When the store fails; starting again goes on with what is left to do.
    pub async fn run_controllers(&self) -> Result<(), Status> {
        if !self.options().controllers {
            return Ok(());
        }
        let mut state = State::default();
        let revision = self.scan(&mut state).await?;
        let watch = self.store.watch(ROOT, revision).await;
        let mut changes = watch.map_err(|error| store_failed(&error))?;
        loop {
            self.hear(&mut state, &mut changes).await.map_err(|error| store_failed(&error))?;
            self.work(&mut state).await;
        }
    }

    /// Reads everything once.
    async fn scan(&self, state: &mut State) -> Result<Revision, Status> {
        let revision = self.revision().await?;
        let mut start = None;
        loop {
            let range = Range {
                prefix: ROOT,
                start: start.as_deref(),
                limit: SCAN_LEN,
                at: Some(revision),
                count: false,
            };
            let page = self.store.range(range).await.map_err(|error| store_failed(&error))?;
            for entry in &page.entries {
                state.graph.note(&entry.key, Some(&entry.value), None, &mut state.tasks);
                state.terminating.note_object(&entry.key, Some(&entry.value));
            }
            start = page.entries.last().map(|entry| format!("{}\0", entry.key));
            if !page.more {
                return Ok(revision);
            }
        }
    }

    /// Takes in what happened; waits for something to happen if there is nothing to do.
    async fn hear(&self, state: &mut State, changes: &mut Watch) -> Result<(), StoreError> {
        let mut waiting = state.is_idle();
        loop {
            let next = if waiting {
                let due = state.delayed.values().map(|(due, _)| *due).min();
                let due = due.into_iter().chain(state.terminating.due()).min();
                match due {
                    Some(due) => tokio::time::timeout_at(due, changes.next()).await.ok(),
                    None => Some(changes.next().await),
                }
            } else {
                changes.next().now_or_never()
            };
            let Some(batch) = next else { break };
            let batch = batch.ok_or(StoreError::Closed)??;
            for event in &batch.events {
                state.note(event);
            }
            waiting = state.is_idle();
        }
        let now = Instant::now();
        let due = state.delayed.iter().filter(|(_, (due, _))| *due <= now);
        let due: Vec<Task> = due.map(|(task, _)| task.clone()).collect();
        state.tasks.extend(due);
        Ok(())
    }

    async fn work(&self, state: &mut State) {
        let mut tasks = Vec::new();
        while tasks.len() < TASKS_AT_ONCE {
            let Some(task) = state.tasks.pop_first() else { break };
            tasks.push(task);
        }
        let graph = &state.graph;
        let work = tasks.iter().map(|task| self.collect(graph, task));
        let outcomes = futures_util::future::join_all(work).await;
        for (task, outcome) in tasks.into_iter().zip(outcomes) {
            let before = state.delayed.remove(&task);
            if outcome.is_err() {
                let pause = before.map_or(RETRY_FIRST, |(_, pause)| (pause * 2).min(RETRY_MAX));
                state.delayed.insert(task, (Instant::now() + pause, pause));
            }
        }
        for name in state.terminating.take_due() {
            match self.finalize_namespace(&name).await {
                Ok(true) => state.terminating.done(&name),
                Ok(false) => state.terminating.wait(&name),
                Err(_) => state.terminating.retry(&name),
            }
        }
    }
}

impl State {
    fn is_idle(&self) -> bool {
        self.tasks.is_empty() && !self.terminating.is_due()
    }

    fn note(&mut self, event: &Event) {
        let old = event.previous.as_ref().map(|entry| &entry.value);
        self.graph.note(&event.key, event.value.as_ref(), old, &mut self.tasks);
        self.terminating.note_object(&event.key, event.value.as_ref());
        self.terminating.note_change(&event.key);
    }
}
