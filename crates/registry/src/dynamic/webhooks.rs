//! Webhooks over a request: mutating ones one after the other, validating ones all at once.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use ordain_admission::webhook::{Answer, Webhook, write_review};
use ordain_admission::{Addressed, FailurePolicy, Kinds, Reinvocation, Request, Unreadable};
use ordain_merge::patch::Strictness;
use ordain_merge::patch::json::JsonPatch;
use ordain_meta::status::Status;
use ordain_strategy::source::new_uid;
use ordain_value::go_format::{cannot_unmarshal, json_type};
use ordain_value::{Text, Value, json, value};
use tokio::time::Instant;

use super::Dynamic;
use super::validating::Scene;
use crate::caller;
use crate::request::Warnings;
use crate::trace::{Call, Span};
use crate::webhook_metrics::{Asked, Outcome};

/// A request that runs out of time while a webhook is asked is answered as out of time, not as
/// refused by the webhook: the one who keeps its time gets this long to say so.
const OUT_OF_TIME_PAUSE: Duration = Duration::from_millis(50);

/// What the keys of annotations with patches begin with, which need a level that shows bodies.
pub const PATCH_ANNOTATION: &str = "patch.webhook.";

/// Room for a review of usual size, which does not move while it is written.
const REVIEW_BYTES: usize = 4096;

/// The code of calls without an answer.
const UNAVAILABLE: u16 = 503;
const BAD_REQUEST: u16 = 400;

/// Why a webhook gave no answer that counts.
enum Failed {
    /// It could not be asked; its failure policy decides. The code is for those who count.
    Call(String, u16),
    /// It refused.
    Denied(Box<Status>),
    /// The request fails.
    Request(Box<Status>),
}

impl From<Status> for Failed {
    fn from(status: Status) -> Self {
        Self::Request(Box::new(status))
    }
}

impl Failed {
    /// The failure of the request, unless the webhook is one to be ignored.
    fn decide(self, webhook: &Webhook) -> Result<(), Status> {
        match self {
            Self::Denied(status) | Self::Request(status) => Err(*status),
            Self::Call(..) if webhook.failure == FailurePolicy::Ignore => Ok(()),
            Self::Call(why, _) => Err(Status::internal(&webhook.failed(&why))),
        }
    }
}

impl Dynamic {
    /// As what a webhook is asked about a request; none if it is not.
    async fn wanted(
        &self,
        scene: &Scene<'_>,
        request: &Request,
        webhook: &Webhook,
        mutating: bool,
    ) -> Result<Option<(Addressed, Request)>, Status> {
        let namespace = scene.selected(request);
        let matched = webhook.constraints.matches(request, namespace, &scene.served);
        let matched = matched.map_err(|_| {
            let namespaces = ordain_meta::GroupResource::new("", "namespaces");
            Status::not_found(&namespaces, &request.namespace)
        })?;
        let Some(matched) = matched else { return Ok(None) };
        let converted = scene.converted(request, &matched).await;
        let converted = converted.map_err(|why| Status::internal(&why))?;
        let started = Instant::now();
        let wanted = webhook.is_wanted(&converted, &matched, &scene.authorizer);
        if webhook.has_conditions() {
            let conditions = wanted.as_ref().ok().copied();
            asked(webhook, request, mutating).count_conditions(conditions, started.elapsed());
        }
        let wanted = wanted.map_err(|why| {
            let resource = request.addressed.resource.group_resource();
            Status::forbidden(&resource, &request.name, &why)
        })?;
        Ok(wanted.then_some((matched, converted)))
    }

    /// Asks one webhook. Its warnings and annotations count whatever it says.
    async fn ask(
        &self,
        scene: &Scene<'_>,
        webhook: &Webhook,
        matched: &Addressed,
        (request, json): (&Request, Option<&Bytes>),
        mutating: bool,
    ) -> Result<Answer, Failed> {
        if request.dry_run && !webhook.allows_dry_run {
            return Err(Status::bad_request(webhook.refuses_dry_run()).into());
        }
        let Some(version) = webhook.version else {
            let why = "could not create admission objects: webhook does not accept known \
                       AdmissionReview versions (v1, v1beta1)";
            return Err(Failed::Call(why.to_owned(), BAD_REQUEST));
        };
        let Some(client) = &scene.registry.webhooks else {
            return Err(Failed::Call("this server calls no webhooks".to_owned(), UNAVAILABLE));
        };
        let uid = new_uid(scene.registry.entropy.as_ref());
        let mut body = Vec::with_capacity(REVIEW_BYTES);
        write_review(request, json.map(Bytes::as_ref), matched, version, &uid, &mut body);
        let timeout = Duration::from_secs(webhook.timeout_seconds);
        let timeout = caller::time_left().map_or(timeout, |left| left.min(timeout));
        let span = Span::start(scene.registry.entropy.as_ref());
        let reply = client.post(&webhook.client, body, timeout, span.headers()).await;
        span.end(Call {
            name: if mutating { "Call mutating webhook" } else { "Call validating webhook" },
            configuration: &webhook.configuration,
            webhook: &webhook.name,
            resource: &request.addressed.resource,
            operation: request.operation.as_str(),
            uid: &uid,
        });
        if reply.is_err() && caller::time_left() == Some(Duration::ZERO) {
            // Whoever keeps the time of the request answers it; here its work ends.
            tokio::time::sleep(OUT_OF_TIME_PAUSE).await;
            caller::check_deadline()?;
        }
        let called =
            |why: String, code| Failed::Call(format!("failed to call webhook: {why}"), code);
        let reply = reply.map_err(|why| called(why, UNAVAILABLE))?;
        let body = reply.accepted().map_err(|why| called(why, reply.failure_code()))?;
        let answer = Answer::read(body, version, &uid, mutating);
        let answer = answer.map_err(|why| Failed::Call(why, UNAVAILABLE))?;
        for (key, text) in &answer.annotations {
            caller::annotate(&format!("{}/{key}", webhook.name), text);
        }
        Ok(answer)
    }

    /// Asks all validating webhooks at once; the first refusal in their order counts. The JSON of
    /// the object is there if somebody else needed it.
    pub(super) async fn ask_validating(
        &self,
        scene: &Scene<'_>,
        (request, json): (&Request, Option<&Bytes>),
        webhooks: &[Arc<Webhook>],
        warnings: &mut Warnings,
    ) -> Result<(), Status> {
        let mut wanted = Vec::new();
        for webhook in webhooks {
            if let Some((matched, converted)) = self.wanted(scene, request, webhook, false).await? {
                wanted.push((webhook, matched, converted));
            }
        }
        let calls = wanted.iter().map(|(webhook, matched, converted)| async {
            let started = Instant::now();
            let json = json.filter(|_| matched.kind == request.addressed.kind);
            (self.ask(scene, webhook, matched, (converted, json), false).await, started.elapsed())
        });
        let answers = join_all(calls).await;
        let mut refused = None;
        for ((webhook, ..), (answer, took)) in wanted.iter().zip(answers) {
            let verdict = match answer {
                Ok(answer) => {
                    for warning in &answer.warnings {
                        warnings.add(warning.as_str());
                    }
                    judged(webhook, &answer)
                }
                Err(failed) => Err(failed),
            };
            let outcome = outcome(webhook, &verdict);
            asked(webhook, request, false).count(outcome, took);
            if let Outcome::Ignored(_) = outcome {
                self.annotate(webhook, false, 0, |place| {
                    (format!("failed-open.validating.webhook.{place}"), webhook.name.to_string())
                });
            }
            let verdict = verdict.or_else(|failed| failed.decide(webhook));
            if let Err(status) = verdict {
                refused.get_or_insert(status);
            }
        }
        refused.map_or(Ok(()), Err)
    }

    /// Asks mutating webhooks in their order, each about what those before it made of the object.
    /// Their warnings count also when one of them refuses.
    pub(super) async fn ask_mutating(
        &self,
        scene: &Scene<'_>,
        request: &mut Request,
        webhooks: &[Arc<Webhook>],
        invoked: &mut Invoked,
        round: usize,
        warnings: &mut Warnings,
    ) -> Result<(), Status> {
        let Invoked { reinvocation, rounded, changed: changed_at_all } = invoked;
        *changed_at_all = false;
        for webhook in webhooks {
            let wanted = self.wanted(scene, request, webhook, true).await?;
            let Some((matched, mut converted)) = wanted else { continue };
            let key = (webhook.configuration.clone(), webhook.name.clone());
            if round > 0 && !reinvocation.is_due(&key) {
                continue;
            }
            let started = Instant::now();
            let mut patch = None;
            let ended = match self.ask(scene, webhook, &matched, (&converted, None), true).await {
                Ok(answer) => {
                    for warning in &answer.warnings {
                        warnings.add(warning.as_str());
                    }
                    let changed = patched(scene, webhook, &answer, &matched, &mut converted);
                    // The times in the record of owners lose their fractions when a patch is
                    // applied to a native object, which upstream takes for a change.
                    let is_rounded = matches!(changed, Ok(Patched::Same | Patched::Changed))
                        && scene.served.is_native(&matched.kind)
                        && is_owned_anew(request)
                        && !std::mem::replace(rounded, true);
                    let changed = changed.map(|it| it == Patched::Changed || is_rounded);
                    patch = matches!(changed, Ok(true)).then_some(answer.patch);
                    changed
                }
                Err(failed) => Err(failed),
            };
            let outcome = outcome(webhook, &ended);
            asked(webhook, request, true).count(outcome, started.elapsed());
            self.tell_mutation(webhook, round, outcome, patch.as_deref());
            match ended {
                Ok(true) => {
                    *changed_at_all = true;
                    reinvocation.changed();
                    let restored = scene.restored(request, &matched, converted.object).await;
                    request.object = restored.map_err(|why| Status::internal(&why))?;
                }
                Ok(false) => {}
                Err(failed) => failed.decide(webhook)?,
            }
            if webhook.reinvoked {
                reinvocation.ran(key);
            }
        }
        Ok(())
    }
}

impl Dynamic {
    /// Tells the audit log what a mutating webhook did.
    fn tell_mutation(
        &self,
        webhook: &Webhook,
        round: usize,
        outcome: Outcome,
        patch: Option<&[u8]>,
    ) {
        let (configuration, name) = (webhook.configuration.as_str(), webhook.name.as_str());
        self.annotate(webhook, true, round, |place| {
            let mutated = patch.is_some();
            let told =
                value!({"configuration": configuration, "webhook": name, "mutated": mutated});
            (format!("mutation.webhook.{place}"), json::encode_string(&told))
        });
        if let Some(patch) = patch {
            self.annotate(webhook, true, round, |place| {
                let patch = json::decode(patch).unwrap_or_default();
                let told = value!({
                    "configuration": configuration, "webhook": name, "patch": (patch),
                    "patchType": "JSONPatch"
                });
                (format!("{PATCH_ANNOTATION}{place}"), json::encode_string(&told))
            });
        }
        if let Outcome::Ignored(_) = outcome {
            self.annotate(webhook, true, round, |place| {
                (format!("failed-open.mutation.webhook.{place}"), name.to_owned())
            });
        }
    }

    /// Adds an annotation about a webhook, which has its place among all of its kind in the key.
    fn annotate(
        &self,
        webhook: &Webhook,
        mutating: bool,
        round: usize,
        told: impl FnOnce(&str) -> (String, String),
    ) {
        if !caller::is_annotated() {
            return;
        }
        let index = self.state().webhooks_before(webhook, mutating);
        let (key, text) = told(&format!("admission.k8s.io/round_{round}_index_{index}"));
        caller::annotate(&key, &text);
    }
}

fn judged(webhook: &Webhook, answer: &Answer) -> Result<(), Failed> {
    if answer.allowed {
        return Ok(());
    }
    Err(Failed::Denied(Box::new(Status::worded(&answer.denied(&webhook.name).0))))
}

/// Which webhook is asked, for those who count.
fn asked<'a>(webhook: &'a Webhook, request: &'a Request, mutating: bool) -> Asked<'a> {
    Asked { name: &webhook.name, mutating, operation: request.operation.as_str() }
}

/// How a call ended, for those who count.
fn outcome<T>(webhook: &Webhook, ended: &Result<T, Failed>) -> Outcome {
    match ended {
        Ok(_) => Outcome::Allowed,
        Err(Failed::Denied(status)) => Outcome::Denied(status.http_code()),
        Err(Failed::Request(_)) => Outcome::Unusable,
        Err(Failed::Call(_, code)) if webhook.failure == FailurePolicy::Ignore => {
            Outcome::Ignored(*code)
        }
        Err(Failed::Call(_, code)) => Outcome::Failed(*code),
    }
}

/// What mutating webhooks of one request did so far.
#[derive(Debug, Default)]
pub(super) struct Invoked {
    pub(super) reinvocation: Reinvocation<(Text, Text)>,
    /// Whether a patch took the fractions of times away.
    rounded: bool,
    /// Whether any of them changed the object when they were asked last.
    pub(super) changed: bool,
}

/// What became of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Patched {
    /// There was none.
    Nothing,
    /// It left the object as it was.
    Same,
    Changed,
}

/// Whether the request itself changed the record of owners.
fn is_owned_anew(request: &Request) -> bool {
    let owners = |object: &Option<Value>| {
        object.as_ref().and_then(|it| it.get_path(&["metadata", "managedFields"]).cloned())
    };
    owners(&request.object) != owners(&request.old)
}

/// Applies the patch of an answer.
fn patched(
    scene: &Scene<'_>,
    webhook: &Webhook,
    answer: &Answer,
    matched: &Addressed,
    request: &mut Request,
) -> Result<Patched, Failed> {
    judged(webhook, answer)?;
    if answer.patch.is_empty() {
        return Ok(Patched::Nothing);
    }
    let patch = decode_patch(&answer.patch)?;
    if patch.is_empty() {
        return Ok(Patched::Nothing);
    }
    let Some(object) = &request.object else {
        let name = ordain_value::go_quote(&webhook.name);
        return Err(Status::internal(&format!(
            "admission webhook {name} attempted to modify the object, which is not supported for \
             this operation"
        ))
        .into());
    };
    if answer.patch_type != "JSONPatch" {
        let ty = ordain_value::go_quote(&answer.patch_type);
        return Err(Failed::Call(format!("unsupported patch type {ty}"), UNAVAILABLE));
    }
    let changed = patch.apply(object).map_err(|error| Status::internal(error.message()))?;
    let changed = scene.served.reread(&matched.kind, changed, false).map_err(|why| match why {
        Unreadable::Decode(why) => Status::internal(&why),
        Unreadable::Convert(why) => Status::unclassified(why),
    })?;
    let is_changed = request.object.as_ref() != Some(&changed);
    request.object = Some(changed);
    Ok(if is_changed { Patched::Changed } else { Patched::Same })
}

fn decode_patch(bytes: &[u8]) -> Result<JsonPatch, Failed> {
    let undecodable = |why: String| {
        Failed::Call(format!("received undecodable patch in webhook response: {why}"), UNAVAILABLE)
    };
    match json::decode(bytes) {
        Ok(Value::List(_) | Value::Null) => {}
        Ok(other) => {
            return Err(undecodable(cannot_unmarshal(json_type(&other), "jsonpatch.Patch")));
        }
        Err(error) => return Err(undecodable(error.to_string())),
    }
    let decoded = JsonPatch::decode(bytes, Strictness::Ignore);
    decoded.map(|(patch, _)| patch).map_err(|error| undecodable(error.to_string()))
}
