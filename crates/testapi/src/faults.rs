//! The rules and the schedule in force, and how often each was met.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ordain_admission::webhook::{ClientConfig, Reply};
use ordain_registry::dynamic::WebhookClient;
use ordain_registry::trace::Headers;
use ordain_server::seam::Asked;
use ordain_value::Value;

use crate::rule::{self, Fault, Rule, WEBHOOK};
use crate::schedule::{Pace, Schedule};

/// Requests of more kinds than this share a count.
const KINDS_MAX: usize = 10_000;
/// Rules in force at a time.
const RULES_MAX: usize = 1000;

/// What goes wrong at present.
#[derive(Debug, Default)]
pub struct Faults {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    rules: Vec<Counted>,
    schedule: Option<Schedule>,
    /// How many requests of each kind the schedule has met.
    met: BTreeMap<String, u64>,
}

#[derive(Debug)]
struct Counted {
    rule: Rule,
    concerned: u64,
    hit: u64,
}

/// A fault that befalls a request, with the rule's title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Struck {
    pub(crate) title: String,
    pub(crate) fault: Fault,
}

/// What the schedule has for a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Planned {
    pub(crate) latency: Duration,
    /// How many revisions a list is behind.
    pub(crate) behind: u64,
}

impl Faults {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a rule in force, behind those that are.
    ///
    /// # Errors
    /// When there are too many.
    pub fn add(&self, rule: Rule) -> Result<(), String> {
        let mut state = self.state();
        if state.rules.len() >= RULES_MAX {
            return Err(format!("there are {RULES_MAX} rules already"));
        }
        state.rules.push(Counted { rule, concerned: 0, hit: 0 });
        Ok(())
    }

    /// Lets things go their way again: no rule, no schedule.
    pub fn clear(&self) {
        *self.state() = State::default();
    }

    /// Puts a schedule in force in place of another, or none.
    pub fn set_schedule(&self, schedule: Option<Schedule>) {
        let mut state = self.state();
        state.schedule = schedule;
        state.met.clear();
    }

    /// What can be seen of the rules.
    pub(crate) fn shown(&self) -> Vec<Value> {
        let state = self.state();
        state.rules.iter().map(|it| rule::shown(&it.rule, it.concerned, it.hit)).collect()
    }

    /// What rules do to a request.
    pub(crate) fn strike(&self, asked: &Asked) -> Vec<Struck> {
        self.strike_if(|rule| rule.concerns(asked))
    }

    fn strike_if(&self, concerns: impl Fn(&Rule) -> bool) -> Vec<Struck> {
        let mut struck = Vec::new();
        for it in &mut self.state().rules {
            if !concerns(&it.rule) {
                continue;
            }
            let hit = it.rule.hits(it.concerned);
            it.concerned += 1;
            if hit {
                it.hit += 1;
                struck.push(Struck { title: it.rule.title.clone(), fault: it.rule.fault.clone() });
            }
        }
        struck
    }

    /// What the schedule has for a request.
    pub(crate) fn plan(&self, asked: &Asked) -> Planned {
        let mut state = self.state();
        let Some(schedule) = state.schedule else { return Planned::default() };
        let n = state.count(asked, "request");
        Planned {
            latency: schedule.latency(asked, n),
            behind: if asked.verb.as_str() == "list" { schedule.behind(asked, n) } else { 0 },
        }
    }

    /// The pace that the schedule has for a watch.
    pub(crate) fn pace(&self, asked: &Asked) -> Option<Pace> {
        let mut state = self.state();
        let schedule = state.schedule?;
        let n = state.count(asked, "watch");
        Some(schedule.pace(asked, n))
    }
}

impl State {
    fn count(&mut self, asked: &Asked, what: &str) -> u64 {
        let verb = asked.verb.as_str();
        let (agent, group, resource) = (&asked.user_agent, &asked.group, &asked.resource);
        let (namespace, name) = (&asked.namespace, &asked.name);
        let mut kind = format!("{what}\n{agent}\n{verb}\n{group}\n{resource}\n{namespace}\n{name}");
        if self.met.len() >= KINDS_MAX && !self.met.contains_key(&kind) {
            kind.clear();
        }
        let met = self.met.entry(kind).or_default();
        *met += 1;
        *met - 1
    }
}

/// Webhooks that are asked later than they might be.
pub struct SlowWebhooks {
    faults: Arc<Faults>,
    inner: Arc<dyn WebhookClient>,
}

impl SlowWebhooks {
    pub fn new(faults: Arc<Faults>, inner: Arc<dyn WebhookClient>) -> Self {
        Self { faults, inner }
    }
}

impl fmt::Debug for SlowWebhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlowWebhooks").finish_non_exhaustive()
    }
}

impl WebhookClient for SlowWebhooks {
    fn post<'a>(
        &'a self,
        client: &'a ClientConfig,
        body: Vec<u8>,
        timeout: Duration,
        headers: Headers,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, String>> + Send + 'a>> {
        let place = match &client.service {
            Some(service) => format!("{}/{}", service.namespace, service.name),
            None => client.url.to_string(),
        };
        let struck = self.faults.strike_if(|rule| {
            rule.concerns_webhook(&place) && rule.verbs.iter().all(|it| it == WEBHOOK)
        });
        let slow = struck.iter().filter_map(|it| match it.fault {
            Fault::SlowWebhook(by) => Some(by),
            _ => None,
        });
        let by: Duration = slow.sum();
        Box::pin(async move {
            if by.is_zero() {
                return self.inner.post(client, body, timeout, headers).await;
            }
            let late = async {
                tokio::time::sleep(by).await;
                self.inner.post(client, body, timeout, headers).await
            };
            // The same words as when the webhook itself is slow.
            match tokio::time::timeout(timeout, late).await {
                Ok(answer) => answer,
                Err(_) => Err("context deadline exceeded".to_owned()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_server::request_info::Verb;

    #[test]
    fn rules_count_what_concerns_them() {
        let faults = Faults::default();
        faults.add(Rule::new(Fault::error(409)).verbs(["update"]).nth(2)).expect("room");
        faults.add(Rule::new(Fault::Reset).verbs(["get"])).expect("room");
        let update = Asked { verb: Verb::Update, ..Asked::default() };
        let hits: Vec<usize> = (0..3).map(|_| faults.strike(&update).len()).collect();
        assert_eq!(hits, [0, 1, 0]);
        faults.clear();
        assert!(faults.strike(&Asked { verb: Verb::Get, ..update }).is_empty());
    }
}
