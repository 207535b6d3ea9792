//! The test API as the seam of a server: what befalls requests and events, and what is noted of
//! them.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use ordain_meta::Status;
use ordain_registry::source::Clock;
use ordain_server::request_info::Verb;
use ordain_server::seam::{Answered, Asked, BoxFuture, Call, Pace, Passage, Reply, Seam, Step};

use crate::activity::Activity;
use crate::faults::Struck;
use crate::journal::Exchange;
use crate::rule::{self, Fault};
use crate::{PATH, TestApi, endpoint, schedule};

impl Seam for TestApi {
    fn owns(&self, path: &str) -> bool {
        path.starts_with(PATH)
    }

    fn token(&self) -> &str {
        &self.token
    }

    fn call<'a>(&'a self, call: Call) -> BoxFuture<'a, Reply> {
        Box::pin(endpoint::call(self, call))
    }

    fn enter<'a>(&'a self, asked: &'a Asked) -> BoxFuture<'a, Passage> {
        Box::pin(async move {
            self.activity.begin();
            let before = self.revision().await.unwrap_or(0);
            let struck = self.faults.strike(asked);
            let planned = self.faults.plan(asked);
            self.journal.begin(Exchange {
                asked: Arc::new(asked.clone()),
                answered: None,
                began: self.clock.now(),
                before,
                after: before,
                events: Vec::new(),
                faults: struck.iter().map(described).collect(),
            });
            tokio::time::sleep(planned.latency).await;
            let passage = befall(asked, &struck, before).await;
            if asked.verb == Verb::Watch && matches!(passage, Passage::Go) {
                self.state().watches.insert(asked.number, struck);
            }
            match passage {
                Passage::Go if planned.behind > 0 => behind(before, planned.behind),
                passage => passage,
            }
        })
    }

    fn pace(&self, asked: &Arc<Asked>) -> Option<Box<dyn Pace>> {
        let struck = self.state().watches.remove(&asked.number).unwrap_or_default();
        let planned = self.faults.pace(asked);
        let too_old = struck.iter().any(|it| it.fault == Fault::TooOld)
            || planned.as_ref().is_some_and(|it| it.expired);
        let drop_after = struck.iter().filter_map(|it| match it.fault {
            Fault::DropWatch { after_events } => Some(after_events),
            _ => None,
        });
        let drop_after = drop_after.min();
        if planned.is_none() && !too_old && drop_after.is_none() {
            return None;
        }
        if planned.as_ref().is_some_and(|it| it.expired) {
            self.journal.fault(asked.number, "the schedule forgot its version".to_owned());
        }
        Some(Box::new(Paced {
            asked: Arc::clone(asked),
            activity: Arc::clone(&self.activity),
            planned,
            too_old,
            drop_after,
            sent: 0,
        }))
    }

    fn left<'a>(&'a self, asked: &'a Arc<Asked>, answer: Option<Answered>) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let after = self.revision().await.unwrap_or(0);
            self.state().watches.remove(&asked.number);
            self.journal.end(asked.number, answer, after);
            self.activity.end();
        })
    }

    fn streamed(&self, asked: &Asked, bytes: &Bytes) {
        self.journal.streamed(asked.number, bytes);
    }
}

/// Lets the faults of a request happen, in the order of their rules.
async fn befall(asked: &Asked, struck: &[Struck], revision: u64) -> Passage {
    let mut passage = Passage::Go;
    for it in struck {
        match &it.fault {
            Fault::Latency(by) => tokio::time::sleep(*by).await,
            Fault::Error { code, retry_after_seconds, message } => {
                let message = message.as_deref();
                let status = rule::refusal(asked, *code, *retry_after_seconds, message);
                return Passage::Refuse(status);
            }
            Fault::Reset => return Passage::Cut,
            Fault::TooOld if asked.verb == Verb::List => {
                return Passage::Refuse(Status::expired(
                    "The provided continue parameter is too old or the resourceVersion for the \
                     provided list is too old.",
                ));
            }
            Fault::StaleList { revisions } => passage = behind(revision, *revisions),
            Fault::TooOld | Fault::DropWatch { .. } | Fault::SlowWebhook(_) => {}
        }
    }
    passage
}

fn behind(revision: u64, by: u64) -> Passage {
    Passage::At(revision.saturating_sub(by).max(1))
}

fn described(struck: &Struck) -> String {
    match struck.title.as_str() {
        "" => format!("{:?}", struck.fault),
        title => format!("{title}: {:?}", struck.fault),
    }
}

/// A watch whose events do not all go out at once.
struct Paced {
    asked: Arc<Asked>,
    activity: Arc<Activity>,
    planned: Option<schedule::Pace>,
    too_old: bool,
    drop_after: Option<u64>,
    sent: u64,
}

/// An event that is kept back counts as something under way.
struct Held(Arc<Activity>);

impl Held {
    fn new(activity: &Arc<Activity>) -> Self {
        activity.begin();
        Self(Arc::clone(activity))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Pace for Paced {
    fn open(&mut self) -> Step {
        if !self.too_old {
            return Step::Send;
        }
        let asked = &self.asked.resource_version;
        Step::Fail(Status::expired(&format!("too old resource version: {asked} ({asked})")))
    }

    fn next<'a>(&'a mut self) -> BoxFuture<'a, Step> {
        if self.drop_after.is_some_and(|after| self.sent >= after) {
            return Box::pin(async { Step::End });
        }
        self.sent += 1;
        let (delay, drops) = self.planned.as_mut().map_or((Duration::ZERO, false), |it| it.next());
        let held = Held::new(&self.activity);
        Box::pin(async move {
            tokio::time::sleep(delay).await;
            drop(held);
            if drops { Step::End } else { Step::Send }
        })
    }
}
