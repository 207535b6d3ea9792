//! The members of an etcd cluster: which of them is asked, and when it is given up for another.
//!
//! One member is asked as long as it answers. One that does not is set aside and probed until it
//! does again. A call moves on to the next member only if it may be made twice, or was not made at
//! all because no connection came about.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tonic::transport::Channel;
use tonic::{Code, Status};

use crate::status::never_sent;

/// How often a member that was set aside is asked whether it is back.
const PROBE_EVERY: Duration = Duration::from_secs(1);

/// Whether a call may be made again without knowing what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It only reads.
    Freely,
    /// It writes: only if it cannot have been made.
    IfNotMade,
}

#[derive(Debug, Clone)]
pub(crate) struct Endpoints(Arc<Members>);

#[derive(Debug)]
struct Members {
    list: Vec<Member>,
    /// The one that is asked.
    current: AtomicUsize,
}

#[derive(Debug)]
struct Member {
    channel: Channel,
    aside: AtomicBool,
}

impl Endpoints {
    pub(crate) fn new(channels: Vec<Channel>) -> Self {
        let member = |channel| Member { channel, aside: AtomicBool::new(false) };
        let list = channels.into_iter().map(member).collect();
        Self(Arc::new(Members { list, current: AtomicUsize::new(0) }))
    }

    /// Makes a call to a member that answers. `probe` is a cheap call that tells whether one does.
    pub(crate) async fn call<A, F, P>(
        &self,
        repeat: Repeat,
        call: impl Fn(Channel) -> F,
        probe: impl Fn(Channel) -> P + Send + Clone + 'static,
    ) -> Result<A, Status>
    where
        F: Future<Output = Result<A, Status>>,
        P: Future<Output = bool> + Send,
    {
        let mut tried = Err(Status::new(Code::Unavailable, "no member of etcd can be asked"));
        for at in self.order() {
            let Some(member) = self.0.list.get(at) else { continue };
            tried = call(member.channel.clone()).await;
            let Err(status) = &tried else {
                self.0.current.store(at, Ordering::Relaxed);
                return tried;
            };
            if !is_down(status) {
                return tried;
            }
            self.set_aside(at, probe.clone());
            if repeat == Repeat::IfNotMade && !was_not_made(status) {
                return tried;
            }
        }
        tried
    }

    /// The members in the order in which they are tried: the present one, then the others, and
    /// those that were set aside last.
    fn order(&self) -> Vec<usize> {
        let members = &self.0.list;
        let first = self.0.current.load(Ordering::Relaxed);
        let from = (0..members.len()).map(|step| (first + step) % members.len().max(1));
        let (well, aside): (Vec<usize>, Vec<usize>) =
            from.partition(|at| !members[*at].aside.load(Ordering::Relaxed));
        well.into_iter().chain(aside).collect()
    }

    fn set_aside<P>(&self, at: usize, probe: impl Fn(Channel) -> P + Send + 'static)
    where
        P: Future<Output = bool> + Send,
    {
        let Some(member) = self.0.list.get(at).filter(|_| self.0.list.len() > 1) else { return };
        if member.aside.swap(true, Ordering::Relaxed) {
            return;
        }
        let (channel, members) = (member.channel.clone(), Arc::downgrade(&self.0));
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(PROBE_EVERY).await;
                let answers = probe(channel.clone()).await;
                let Some(members) = members.upgrade() else { return };
                if answers {
                    members.list[at].aside.store(false, Ordering::Relaxed);
                    return;
                }
            }
        });
    }
}

/// Whether an answer says that the member is not there, or is none that can answer.
fn is_down(status: &Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded | Code::Unknown)
        || never_sent(status)
}

/// Whether the request cannot have reached anybody who would carry it out.
fn was_not_made(status: &Status) -> bool {
    never_sent(status) || status.message().contains("etcdserver: no leader")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoints(count: u16) -> Endpoints {
        let channel = |at| {
            let url = format!("http://127.0.0.1:{}", 1 + at);
            tonic::transport::Endpoint::from_shared(url).unwrap().connect_lazy()
        };
        Endpoints::new((0..count).map(channel).collect())
    }

    fn refused() -> Status {
        let error = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        Status::from_error(Box::new(tonic::ConnectError(Box::new(error))))
    }

    #[tokio::test]
    async fn a_write_moves_on_from_a_member_that_is_not_there() {
        let endpoints = endpoints(3);
        let calls = AtomicUsize::new(0);
        for _ in 0..10 {
            let answer = endpoints.call(
                Repeat::IfNotMade,
                |_| async {
                    match calls.fetch_add(1, Ordering::Relaxed) {
                        0 => Err(refused()),
                        _ => Ok(1),
                    }
                },
                |_| async { false },
            );
            assert_eq!(answer.await.unwrap(), 1);
        }
        // Only the first call met the dead member.
        assert_eq!(calls.load(Ordering::Relaxed), 11);
    }

    #[tokio::test]
    async fn a_write_that_may_have_been_made_is_not_made_again() {
        let endpoints = endpoints(3);
        let calls = AtomicUsize::new(0);
        let late = || Status::new(Code::DeadlineExceeded, "no answer in time");
        let call = |repeat| {
            endpoints.call(
                repeat,
                |_| async {
                    calls.fetch_add(1, Ordering::Relaxed);
                    Err::<(), _>(late())
                },
                |_| async { false },
            )
        };
        assert!(call(Repeat::IfNotMade).await.is_err());
        assert_eq!(calls.swap(0, Ordering::Relaxed), 1);
        assert!(call(Repeat::Freely).await.is_err());
        assert_eq!(calls.load(Ordering::Relaxed), 3);
    }

    #[tokio::test]
    async fn answers_that_refuse_are_answers() {
        let endpoints = endpoints(2);
        let calls = AtomicUsize::new(0);
        let answer = endpoints.call(
            Repeat::Freely,
            |_| async {
                calls.fetch_add(1, Ordering::Relaxed);
                Err::<(), _>(Status::new(Code::InvalidArgument, "no"))
            },
            |_| async { true },
        );
        assert!(answer.await.is_err());
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    }
}
