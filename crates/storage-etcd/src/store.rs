//! The store trait on top of etcd.

use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use ordain_storage::{
    Batch, BoxFuture, Conflict, Entry, EventLog, Expect, Op, Outcome, Page, Range, Read, Result,
    Revision, Store, StoreError, Watch, Write,
};
use tokio::sync::OnceCell;
use tokio::time::Instant;

use crate::client::{Client, EtcdOptions, to_wire};
use crate::follower::Follower;
use crate::message::{
    ALARM_NO_SPACE, COMPARE_EQUAL, COMPARE_GREATER, COMPARE_MOD, Compare, DeleteRangeRequest,
    PutRequest, RangeRequest, Request, RequestOp, TxnRequest,
};
use crate::status::Fact;
use crate::upstream::{self, Upstream};

/// A range is read from etcd in answers of at most so many entries.
const ANSWER_LEN_MAX: usize = 1000;

/// A long range whose revision is compacted while it is read begins again so many times.
const RANGE_RETRIES: usize = 3;

/// etcd takes at most so many operations in one transaction unless it is told otherwise.
const COMMIT_LEN_MAX: usize = 128;

/// How often an etcd that is waited for is asked.
const WAIT_PAUSE: Duration = Duration::from_millis(250);

/// A store whose keys are those of an etcd.
#[derive(Debug)]
pub struct EtcdStore {
    client: Client,
    options: EtcdOptions,
    /// Starts with the first watch.
    follower: OnceCell<Follower>,
}

impl EtcdStore {
    /// Connections are made when they are needed, and again when they are lost.
    pub fn new(options: EtcdOptions) -> Result<Self> {
        let client = Client::new(&options)?;
        Ok(Self { client, options, follower: OnceCell::new() })
    }

    /// Waits until etcd answers, for at most so long: it may be starting too, or be without a leader.
    /// Gives the last refusal if it does not.
    pub async fn wait(&self, patience: Duration) -> Result<()> {
        let end = Instant::now() + patience;
        loop {
            match self.client.current_revision().await {
                Ok(_) => return Ok(()),
                Err(error) if Instant::now() >= end => return Err(error),
                Err(_) => tokio::time::sleep(WAIT_PAUSE).await,
            }
        }
    }

    async fn follower(&self) -> Result<&Follower> {
        self.follower
            .get_or_try_init(|| {
                let (history, every) = (self.options.history, self.options.compact_every);
                Follower::start(self.client.clone(), history, every)
            })
            .await
    }

    async fn get_one(&self, key: &str) -> Result<Read> {
        let key = Bytes::copy_from_slice(key.as_bytes());
        let request = RangeRequest { key, ..RangeRequest::default() };
        let (answer, revision) = self.client.range(request).await?.map_err(odd)?;
        let entry = answer.kvs.into_iter().next().map(upstream::entry).transpose()?;
        Ok(Read { entry, revision })
    }

    async fn read_range(&self, range: &Range<'_>) -> Result<Page> {
        for _ in 0..RANGE_RETRIES {
            match self.read_range_once(range).await {
                // The caller did not ask for that revision.
                Err(StoreError::Compacted { .. }) if range.at.is_none() => {}
                answer => return answer,
            }
        }
        self.read_range_once(range).await
    }

    async fn read_range_once(&self, range: &Range<'_>) -> Result<Page> {
        let limit = if range.limit == 0 { usize::MAX } else { range.limit };
        let start = range.start.map_or(range.prefix, |start| start.max(range.prefix));
        let mut start = Bytes::copy_from_slice(start.as_bytes());
        let range_end = prefix_end(range.prefix);
        let mut page = Page { entries: Vec::new(), revision: 0, more: false, count: None };
        let mut at = range.at;
        if range.at == Some(0) {
            // To etcd 0 means the present.
            return Err(StoreError::Compacted { requested: 0, compacted: 1 });
        }
        loop {
            let len = (limit - page.entries.len()).min(ANSWER_LEN_MAX);
            let request = RangeRequest {
                key: if start.is_empty() { Bytes::from_static(b"\0") } else { start.clone() },
                range_end: range_end.clone(),
                limit: len as i64,
                revision: at.map_or(0, to_wire),
                count_only: false,
            };
            let (answer, current) = match self.client.range(request).await? {
                Ok(answer) => answer,
                Err(fact) => return Err(self.past_error(fact, at.unwrap_or(0)).await),
            };
            let revision = *at.get_or_insert(current);
            page.revision = revision;
            if range.count && page.count.is_none() {
                page.count = u64::try_from(answer.count).ok();
            }
            for kv in answer.kvs {
                page.entries.push(upstream::entry(kv)?);
            }
            page.more = answer.more;
            match page.entries.last() {
                Some(last) if answer.more && page.entries.len() < limit => {
                    start = Bytes::from(format!("{}\0", last.key));
                }
                _ => return Ok(page),
            }
        }
    }

    async fn past_error(&self, fact: Fact, requested: Revision) -> StoreError {
        match fact {
            Fact::Compacted => StoreError::Compacted { requested, compacted: requested + 1 },
            _ => match self.client.current_revision().await {
                Ok(current) => StoreError::FutureRevision { requested, current },
                Err(error) => error,
            },
        }
    }

    async fn commit_writes(&self, mut writes: Vec<Write>) -> Result<Outcome> {
        check_writes(&writes)?;
        writes.sort_by(|left, right| left.key.cmp(&right.key));
        let bytes = writes.iter().map(write_bytes).sum();
        let request = TxnRequest {
            compare: writes.iter().flat_map(compares).collect(),
            success: writes.iter().map(success).collect(),
            failure: writes.iter().map(failure).collect(),
        };
        let (answer, revision) = self.client.txn(request, bytes).await?;
        if answer.succeeded {
            return Ok(Outcome::Committed(revision));
        }
        let mut found = answer.responses.into_iter();
        for write in writes {
            let kv =
                found.next().and_then(|op| op.range).and_then(|range| range.kvs.into_iter().next());
            let current = kv.map(upstream::entry).transpose()?;
            if !holds(&write, current.as_ref()) {
                return Ok(Outcome::Conflict(Conflict { key: write.key, current, revision }));
            }
        }
        Err(StoreError::Corrupt("etcd refused a commit whose expectations hold".to_owned()))
    }

    async fn open_watch(&self, prefix: &str, after: Revision) -> Result<Watch> {
        let log = self.follower().await?.log.clone();
        if after >= log.compacted() {
            match log.watch(prefix, after) {
                // The log has moved on in this very moment; etcd knows more.
                Err(StoreError::Compacted { .. }) => {}
                answer => return answer,
            }
        }
        let upstream = Upstream::new(self.client.clone(), after);
        let place = Place::Past(Box::new(upstream));
        let reader = PastReader { log, prefix: prefix.to_owned(), place };
        Ok(Watch::new(stream::unfold(reader, |mut reader| async move {
            let batch = reader.next().await?;
            if batch.is_err() {
                reader.place = Place::Ended;
            }
            Some((batch, reader))
        })))
    }
}

/// A watch that begins before our log does: it reads etcd until it meets the log.
struct PastReader {
    log: EventLog,
    prefix: String,
    place: Place,
}

enum Place {
    Past(Box<Upstream>),
    Log(Watch),
    Ended,
}

impl PastReader {
    async fn next(&mut self) -> Option<Result<Batch>> {
        loop {
            match &mut self.place {
                Place::Ended => return None,
                Place::Log(watch) => return watch.next().await,
                Place::Past(upstream) => {
                    let reached = upstream.reached();
                    if reached >= self.log.compacted() {
                        match self.log.watch(&self.prefix, reached) {
                            Ok(watch) => self.place = Place::Log(watch),
                            Err(StoreError::Compacted { .. }) => {}
                            Err(error) => return Some(Err(error)),
                        }
                        continue;
                    }
                    let mut events = match upstream.next().await {
                        Ok(events) => events,
                        Err(missed) => {
                            let compacted = missed.compacted;
                            let error = StoreError::Compacted { requested: reached, compacted };
                            return Some(Err(error));
                        }
                    };
                    events.retain(|event| event.key.starts_with(&self.prefix));
                    if !events.is_empty() {
                        return Some(Ok(Batch { events, revision: upstream.reached() }));
                    }
                }
            }
        }
    }
}

fn odd(fact: Fact) -> StoreError {
    StoreError::Unavailable(format!("etcd: odd answer {fact:?}"))
}

/// The first key that is behind all keys with the prefix; `"\0"` stands for no end.
fn prefix_end(prefix: &str) -> Bytes {
    let mut end = prefix.as_bytes().to_vec();
    while let Some(last) = end.last_mut() {
        if *last < 0xff {
            *last += 1;
            return Bytes::from(end);
        }
        end.pop();
    }
    Bytes::from_static(b"\0")
}

fn check_writes(writes: &[Write]) -> Result<()> {
    let invalid = |what: String| Err(StoreError::Invalid(what));
    if writes.iter().all(|write| write.op == Op::Check) {
        return invalid("a commit needs at least one write".to_owned());
    }
    if writes.len() > COMMIT_LEN_MAX {
        return invalid(format!("etcd takes at most {COMMIT_LEN_MAX} writes in one commit"));
    }
    let mut keys = std::collections::BTreeSet::new();
    for write in writes {
        let key = &write.key;
        if key.is_empty() {
            return invalid("a key must not be empty".to_owned());
        }
        if !keys.insert(key) {
            return invalid(format!("a commit names the key {key:?} twice"));
        }
    }
    Ok(())
}

fn write_bytes(write: &Write) -> usize {
    match &write.op {
        Op::Put(value) => value.len().saturating_add(write.key.len()),
        Op::Delete | Op::Check => write.key.len(),
    }
}

fn wire_key(write: &Write) -> Bytes {
    Bytes::copy_from_slice(write.key.as_bytes())
}

/// To etcd an absent key has mod revision 0.
fn compares(write: &Write) -> impl Iterator<Item = Compare> {
    let compare = |result, revision| Compare {
        result,
        target: COMPARE_MOD,
        key: wire_key(write),
        mod_revision: Some(to_wire(revision)),
    };
    let expected = match write.expect {
        Expect::Absent => Some(compare(COMPARE_EQUAL, 0)),
        Expect::Exact(revision) => Some(compare(COMPARE_EQUAL, revision)),
        Expect::Any => None,
    };
    let present = match write.op {
        // Otherwise a delete of nothing would pass for a change, and revision 0 for a revision.
        Op::Delete => Some(compare(COMPARE_GREATER, 0)),
        Op::Put(_) | Op::Check if write.expect == Expect::Exact(0) => {
            Some(compare(COMPARE_GREATER, 0))
        }
        Op::Put(_) | Op::Check => None,
    };
    expected.into_iter().chain(present)
}

fn success(write: &Write) -> RequestOp {
    let key = wire_key(write);
    let request = match &write.op {
        Op::Put(value) => Request::Put(PutRequest { key, value: value.clone() }),
        Op::Delete => Request::DeleteRange(DeleteRangeRequest { key }),
        Op::Check => {
            Request::Range(RangeRequest { key, count_only: true, ..RangeRequest::default() })
        }
    };
    RequestOp { request: Some(request) }
}

fn failure(write: &Write) -> RequestOp {
    let request = RangeRequest { key: wire_key(write), ..RangeRequest::default() };
    RequestOp { request: Some(Request::Range(request)) }
}

fn holds(write: &Write, current: Option<&Entry>) -> bool {
    let expected = match write.expect {
        Expect::Absent => current.is_none(),
        Expect::Exact(revision) => current.is_some_and(|entry| entry.mod_revision == revision),
        Expect::Any => true,
    };
    expected && (current.is_some() || write.op != Op::Delete)
}

impl Store for EtcdStore {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Read>> {
        Box::pin(self.get_one(key))
    }

    fn range<'a>(&'a self, range: Range<'a>) -> BoxFuture<'a, Result<Page>> {
        Box::pin(async move { self.read_range(&range).await })
    }

    fn commit_all(&self, writes: Vec<Write>) -> BoxFuture<'_, Result<Outcome>> {
        Box::pin(self.commit_writes(writes))
    }

    fn watch<'a>(&'a self, prefix: &'a str, after: Revision) -> BoxFuture<'a, Result<Watch>> {
        Box::pin(self.open_watch(prefix, after))
    }

    fn request_progress(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let revision = self.client.current_revision().await?;
            // Without a follower there is no watch that could wait for progress.
            if let Some(follower) = self.follower.get() {
                follower.reach(revision).await?;
                follower.log.want_progress();
            }
            Ok(())
        })
    }

    fn current_revision(&self) -> BoxFuture<'_, Result<Revision>> {
        Box::pin(self.client.current_revision())
    }

    fn compact(&self, revision: Revision) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            match self.client.compact(revision).await? {
                None | Some(Fact::Compacted) => {}
                Some(fact) => return Err(self.past_error(fact, revision).await),
            }
            if let Some(follower) = self.follower.get() {
                // Our own log is not to know more than etcd does.
                follower.reach(revision).await?;
                follower.log.compact(revision);
            }
            Ok(())
        })
    }

    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.client.current_revision().await?;
            if self.client.alarms().await?.contains(&ALARM_NO_SPACE) {
                return Err(StoreError::NoSpace("etcd has raised its NOSPACE alarm".to_owned()));
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_before_the_next_key() {
        assert_eq!(prefix_end("/a/"), "/a0");
        assert_eq!(prefix_end(""), "\0");
        assert_eq!(prefix_end("\u{7f}"), [0x80].as_slice());
        assert_eq!(prefix_end("a\u{10ffff}"), b"a\xf4\x8f\xbf\xc0".as_slice());
    }
}
