//! Faults by rule: which requests one concerns, how often, and what happens to them.

use std::time::Duration;

use ordain_meta::{GroupResource, Status};
use ordain_server::seam::Asked;
use ordain_value::{Value, value};

use crate::chance::Chance;
use crate::decode::Body;

/// A fault for some requests.
///
/// ```
/// use ordain_testapi::{Fault, Rule};
///
/// // The second update of the deployment `web` finds that another writer was faster.
/// let rule = Rule::new(Fault::error(409)).verbs(["update"]).resource("deployments").name("web");
/// let rule = rule.nth(2);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// What it goes by in the story of a test.
    pub title: String,
    /// Any of these; all if there is none.
    pub verbs: Vec<String>,
    pub group: Option<String>,
    pub resource: Option<String>,
    pub subresource: Option<String>,
    pub namespace: Option<String>,
    /// A name; with a star at its end, what names begin with. For webhooks their URL or service.
    pub name: Option<String>,
    pub user: Option<String>,
    /// A part of the client's own name.
    pub user_agent: Option<String>,
    /// So many requests that it concerns go free first.
    pub skip: u64,
    /// So many are hit after that; all if it is not said.
    pub times: Option<u64>,
    /// The share of those that is hit, by the seed.
    pub probability: f64,
    pub seed: u64,
    pub fault: Fault,
}

/// What happens to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is worked on only after this time.
    Latency(Duration),
    /// It is refused with this code.
    Error { code: u16, retry_after_seconds: Option<i64>, message: Option<String> },
    /// Its connection ends without an answer.
    Reset,
    /// A watch ends after so many events.
    DropWatch { after_events: u64 },
    /// A list shows the state of so many revisions ago.
    StaleList { revisions: u64 },
    /// A list or watch is answered that its resource version is too old.
    TooOld,
    /// A webhook is asked only after this time.
    SlowWebhook(Duration),
}

impl Fault {
    pub fn error(code: u16) -> Self {
        Self::Error { code, retry_after_seconds: None, message: None }
    }

    /// 429, to be tried again after so many seconds.
    pub fn too_many_requests(retry_after_seconds: i64) -> Self {
        Self::Error { code: 429, retry_after_seconds: Some(retry_after_seconds), message: None }
    }

    /// Whether it can befall a request of this verb.
    fn fits(&self, verb: &str) -> bool {
        match self {
            Self::Latency(_) | Self::Error { .. } | Self::Reset => verb != WEBHOOK,
            Self::DropWatch { .. } => verb == "watch",
            Self::StaleList { .. } => verb == "list",
            Self::TooOld => matches!(verb, "list" | "watch"),
            Self::SlowWebhook(_) => verb == WEBHOOK,
        }
    }
}

/// The verb under which calls of webhooks are known to rules.
pub(crate) const WEBHOOK: &str = "webhook";

impl Rule {
    pub fn new(fault: Fault) -> Self {
        Self {
            title: String::new(),
            verbs: Vec::new(),
            group: None,
            resource: None,
            subresource: None,
            namespace: None,
            name: None,
            user: None,
            user_agent: None,
            skip: 0,
            times: None,
            probability: 1.0,
            seed: 0,
            fault,
        }
    }

    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    #[must_use]
    pub fn verbs(mut self, verbs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.verbs = verbs.into_iter().map(Into::into).collect();
        self
    }

    #[must_use]
    pub fn resource(mut self, resource: impl Into<String>) -> Self {
        self.resource = Some(resource.into());
        self
    }

    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    #[must_use]
    pub fn user_agent(mut self, part: impl Into<String>) -> Self {
        self.user_agent = Some(part.into());
        self
    }

    /// Hits the nth request that it concerns, counted from 1, and no other.
    #[must_use]
    pub fn nth(mut self, n: u64) -> Self {
        self.skip = n.saturating_sub(1);
        self.times = Some(1);
        self
    }

    /// Hits so many requests and no more.
    #[must_use]
    pub fn times(mut self, times: u64) -> Self {
        self.times = Some(times);
        self
    }

    /// Hits this share of the requests, by a seed.
    #[must_use]
    pub fn probability(mut self, share: f64, seed: u64) -> Self {
        (self.probability, self.seed) = (share, seed);
        self
    }

    /// Whether it concerns a request.
    pub(crate) fn concerns(&self, asked: &Asked) -> bool {
        let verb = asked.verb.as_str();
        let is =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|it| it == found);
        self.fault.fits(verb)
            && (self.verbs.is_empty() || self.verbs.iter().any(|it| it == verb))
            && is(&self.group, &asked.group)
            && is(&self.resource, &asked.resource)
            && is(&self.subresource, &asked.subresource)
            && is(&self.namespace, &asked.namespace)
            && self.is_named(&asked.name)
            && is(&self.user, &asked.user)
            && self.user_agent.as_deref().is_none_or(|it| asked.user_agent.contains(it))
    }

    /// Whether it concerns a call of a webhook.
    pub(crate) fn concerns_webhook(&self, place: &str) -> bool {
        self.fault.fits(WEBHOOK) && self.is_named(place)
    }

    fn is_named(&self, name: &str) -> bool {
        match self.name.as_deref() {
            None => true,
            Some(wanted) => match wanted.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => wanted == name,
            },
        }
    }

    /// Whether it hits the nth request that it concerns, counted from 0.
    pub(crate) fn hits(&self, n: u64) -> bool {
        let in_turn = n >= self.skip && self.times.is_none_or(|times| n - self.skip < times);
        in_turn && Chance(self.seed).nth(n).below(self.probability)
    }

    /// Reads a rule from the body of a call.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn decode(value: &Value) -> Result<Self, String> {
        let mut body = Body::new(value)?;
        let fault = body.member("fault").ok_or("fault: it must be said what happens")?;
        let mut rule = Self::new(fault_of(fault).map_err(|why| format!("fault.{why}"))?);
        rule.title = body.text("title")?.unwrap_or_default();
        rule.verbs = body.texts("verbs")?;
        if let Some(verb) = rule.verbs.iter().find(|it| !rule.fault.fits(it)) {
            return Err(format!("verbs: this fault cannot befall {verb:?}"));
        }
        rule.group = body.text("group")?;
        rule.resource = body.text("resource")?;
        rule.subresource = body.text("subresource")?;
        rule.namespace = body.text("namespace")?;
        rule.name = body.text("name")?;
        rule.user = body.text("user")?;
        rule.user_agent = body.text("userAgent")?;
        rule.skip = body.count("skip")?.unwrap_or(0);
        rule.times = body.count("times")?;
        rule.probability = body.share("probability")?.unwrap_or(1.0);
        rule.seed = body.count("seed")?.unwrap_or(0);
        if let Some(n) = body.count("nth")? {
            rule = rule.nth(n);
        }
        body.end()?;
        Ok(rule)
    }
}

fn fault_of(value: &Value) -> Result<Fault, String> {
    let mut body = Body::new(value)?;
    let ty = body.text("type")?.ok_or("type: it must be said")?;
    let millis = |body: &mut Body<'_>| {
        body.millis("milliseconds")?.ok_or_else(|| "milliseconds: they must be said".to_owned())
    };
    let fault = match ty.as_str() {
        "latency" => Fault::Latency(millis(&mut body)?),
        "error" => error_of(&mut body)?,
        "reset" => Fault::Reset,
        "dropWatch" => Fault::DropWatch { after_events: body.count("afterEvents")?.unwrap_or(0) },
        "staleList" => Fault::StaleList { revisions: body.count("revisions")?.unwrap_or(1) },
        "tooOld" => Fault::TooOld,
        "slowWebhook" => Fault::SlowWebhook(millis(&mut body)?),
        other => {
            return Err(format!(
                "type: there is no {other:?}; there is latency, error, reset, dropWatch, \
                 staleList, tooOld, slowWebhook"
            ));
        }
    };
    body.end()?;
    Ok(fault)
}

fn error_of(body: &mut Body<'_>) -> Result<Fault, String> {
    let code = body.count("code")?.ok_or("code: it must be said")?;
    let code = u16::try_from(code).ok().filter(|it| KNOWN_CODES.contains(it));
    let code = code.ok_or_else(|| format!("code: it is one of {KNOWN_CODES:?}"))?;
    let seconds = body.count("retryAfterSeconds")?.map(|it| i64::try_from(it).unwrap_or(0));
    Ok(Fault::Error { code, retry_after_seconds: seconds, message: body.text("message")? })
}

const KNOWN_CODES: [u16; 8] = [403, 404, 409, 410, 429, 500, 503, 504];

/// The refusal of a request, in the words that clients know.
pub(crate) fn refusal(
    asked: &Asked,
    code: u16,
    retry_after_seconds: Option<i64>,
    message: Option<&str>,
) -> Status {
    let resource = GroupResource::new(&asked.group, &asked.resource);
    let text = |usual: &'static str| message.unwrap_or(usual).to_owned();
    match code {
        403 => Status::forbidden(&resource, &asked.name, &text("a rule of the test")),
        404 => Status::not_found(&resource, &asked.name),
        409 if asked.verb.as_str() == "create" => Status::already_exists(&resource, &asked.name),
        409 => Status::modified(&resource, &asked.name),
        410 => Status::expired(&text("The resourceVersion for the provided list is too old.")),
        429 => Status::too_many_requests(
            &text("Too many requests, please try again later."),
            retry_after_seconds.unwrap_or(1),
        ),
        503 => Status::service_unavailable(&text("a rule of the test")),
        504 => Status::timeout(
            &text("request did not complete within the allotted timeout"),
            retry_after_seconds.unwrap_or(0),
        ),
        _ => Status::internal(&text("a rule of the test")),
    }
}

/// What can be seen of a rule.
pub(crate) fn shown(rule: &Rule, concerned: u64, hit: u64) -> Value {
    let count = |it: u64| Value::Int(i64::try_from(it).unwrap_or(i64::MAX));
    value!({
        "title": (rule.title.as_str()),
        "fault": (format!("{:?}", rule.fault)),
        "concerned": (count(concerned)),
        "hit": (count(hit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_server::request_info::Verb;
    use ordain_value::json;

    fn update(name: &str) -> Asked {
        Asked {
            verb: Verb::Update,
            resource: "configmaps".into(),
            name: name.into(),
            ..Asked::default()
        }
    }

    #[test]
    fn a_rule_concerns_what_it_names() {
        let rule = Rule::new(Fault::error(409)).verbs(["update"]).resource("configmaps").name("a*");
        assert!(rule.concerns(&update("abc")));
        assert!(!rule.concerns(&update("b")));
        assert!(!rule.concerns(&Asked { resource: "pods".into(), ..update("abc") }));
        assert!(!rule.concerns(&Asked { verb: Verb::Get, ..update("abc") }));
        let drop = Rule::new(Fault::DropWatch { after_events: 1 });
        assert!(!drop.concerns(&update("abc")), "only watches can be dropped");
    }

    #[test]
    fn turns_are_counted_and_chance_is_by_seed() {
        let second = Rule::new(Fault::Reset).nth(2);
        let hits: Vec<u64> = (0..5).filter(|n| second.hits(*n)).collect();
        assert_eq!(hits, [1]);
        let some = |seed| Rule::new(Fault::Reset).probability(0.5, seed);
        let hits = |seed| (0..64).filter(|n| some(seed).hits(*n)).collect::<Vec<u64>>();
        assert_eq!(hits(1), hits(1));
        assert_ne!(hits(1), hits(2));
        assert!((16..48).contains(&hits(1).len()), "{:?}", hits(1));
    }

    #[test]
    fn rules_are_read_strictly() {
        let read = |text: &str| Rule::decode(&json::decode(text.as_bytes()).expect("JSON"));
        let rule = read(r#"{"verbs":["update"],"nth":2,"fault":{"type":"error","code":409}}"#);
        assert_eq!(rule, Ok(Rule::new(Fault::error(409)).verbs(["update"]).nth(2)));
        for (text, why) in [
            (r#"{"fault":{"type":"error","code":200}}"#, "fault.code"),
            (r#"{"fault":{"type":"reset"},"verb":["get"]}"#, "verb: there is no such member"),
            (r#"{"fault":{"type":"nap"}}"#, "there is latency"),
            (r#"{"verbs":["get"],"fault":{"type":"dropWatch"}}"#, "cannot befall"),
            ("{}", "fault: it must be said"),
            ("[]", "an object is expected"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
