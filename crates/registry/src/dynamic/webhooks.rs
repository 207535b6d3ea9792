//! Webhooks over a request: mutating ones one after the other, validating ones all at once.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use ordain_admission::webhook::{Answer, Webhook, review};
use ordain_admission::{Addressed, FailurePolicy, Kinds, Reinvocation, Request, Unreadable};
use ordain_merge::patch::Strictness;
use ordain_merge::patch::json::JsonPatch;
use ordain_meta::status::Status;
use ordain_strategy::source::new_uid;
use ordain_value::{Text, Value, json};
use tokio::time::Instant;

use super::Dynamic;
use super::validating::Scene;
use crate::caller;
use crate::request::Warnings;
use crate::webhook_metrics::{self, Outcome};

/// A request that runs out of time while a webhook is asked is answered as out of time, not as
/// refused by the webhook: the one who keeps its time gets this long to say so.
const OUT_OF_TIME_PAUSE: Duration = Duration::from_millis(50);

/// Why a webhook gave no answer that counts.
enum Failed {
    /// It could not be asked; its failure policy decides.
    Call(String),
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
            Self::Call(_) if webhook.failure == FailurePolicy::Ignore => Ok(()),
            Self::Call(why) => Err(Status::internal(&webhook.failed(&why))),
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
        let wanted = webhook.is_wanted(&converted, &matched, &scene.authorizer).map_err(|why| {
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
        request: &Request,
        mutating: bool,
    ) -> Result<Answer, Failed> {
        if request.dry_run && !webhook.allows_dry_run {
            return Err(Status::bad_request(webhook.refuses_dry_run()).into());
        }
        let Some(version) = webhook.version else {
            let why = "could not create admission objects: webhook does not accept known \
                       AdmissionReview versions (v1, v1beta1)";
            return Err(Failed::Call(why.to_owned()));
        };
        let Some(client) = &scene.registry.webhooks else {
            return Err(Failed::Call("this server calls no webhooks".to_owned()));
        };
        let uid = new_uid(scene.registry.entropy.as_ref());
        let body = json::encode(&review(request, matched, version, &uid));
        let timeout = Duration::from_secs(webhook.timeout_seconds);
        let timeout = caller::time_left().map_or(timeout, |left| left.min(timeout));
        let reply = client.post(&webhook.client, body, timeout).await;
        if reply.is_err() && caller::time_left() == Some(Duration::ZERO) {
            // Whoever keeps the time of the request answers it; here its work ends.
            tokio::time::sleep(OUT_OF_TIME_PAUSE).await;
            caller::check_deadline()?;
        }
        let called = |why: String| Failed::Call(format!("failed to call webhook: {why}"));
        let reply = reply.map_err(called)?;
        let body = reply.accepted().map_err(called)?;
        let answer = Answer::read(body, version, &uid, mutating).map_err(Failed::Call)?;
        for (key, text) in &answer.annotations {
            caller::annotate(&format!("{}/{key}", webhook.name), text);
        }
        Ok(answer)
    }

    /// Asks all validating webhooks at once; the first refusal in their order counts.
    pub(super) async fn ask_validating(
        &self,
        scene: &Scene<'_>,
        request: &Request,
        webhooks: &[Arc<Webhook>],
        warnings: &mut Warnings,
    ) -> Result<(), Status> {
        let mut wanted = Vec::new();
        for webhook in webhooks {
            if let Some((matched, converted)) = self.wanted(scene, request, webhook).await? {
                wanted.push((webhook, matched, converted));
            }
        }
        let asked = wanted.iter().map(|(webhook, matched, converted)| async {
            let started = Instant::now();
            (self.ask(scene, webhook, matched, converted, false).await, started.elapsed())
        });
        let answers = join_all(asked).await;
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
            count(webhook, request, false, &verdict, took);
            let verdict = verdict.or_else(|failed| failed.decide(webhook));
            if let Err(status) = verdict {
                refused.get_or_insert(status);
            }
        }
        refused.map_or(Ok(()), Err)
    }

    /// Asks mutating webhooks in their order, each about what those before it made of the object.
    /// Gives back their warnings.
    pub(super) async fn ask_mutating(
        &self,
        scene: &Scene<'_>,
        request: &mut Request,
        webhooks: &[Arc<Webhook>],
        reinvocation: &mut Reinvocation<(Text, Text)>,
        round: usize,
    ) -> Result<Vec<Text>, Status> {
        let mut warnings = Vec::new();
        for webhook in webhooks {
            let wanted = self.wanted(scene, request, webhook).await?;
            let Some((matched, mut converted)) = wanted else { continue };
            let key = (webhook.configuration.clone(), webhook.name.clone());
            if round > 0 && !reinvocation.is_due(&key) {
                continue;
            }
            let started = Instant::now();
            let outcome = match self.ask(scene, webhook, &matched, &converted, true).await {
                Ok(answer) => {
                    warnings.extend(answer.warnings.iter().cloned());
                    patched(scene, webhook, &answer, &matched, &mut converted)
                }
                Err(failed) => Err(failed),
            };
            count(webhook, request, true, &outcome, started.elapsed());
            match outcome {
                Ok(true) => {
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
        Ok(warnings)
    }
}

fn judged(webhook: &Webhook, answer: &Answer) -> Result<(), Failed> {
    if answer.allowed {
        return Ok(());
    }
    Err(Failed::Denied(Box::new(Status::worded(&answer.denied(&webhook.name).0))))
}

/// Counts a call by how it ended.
fn count<T>(
    webhook: &Webhook,
    request: &Request,
    mutating: bool,
    ended: &Result<T, Failed>,
    took: Duration,
) {
    let outcome = match ended {
        Ok(_) => Outcome::Allowed,
        Err(Failed::Denied(status)) => Outcome::Denied(status.http_code()),
        Err(Failed::Request(status)) => Outcome::Unusable(status.http_code()),
        Err(Failed::Call(_)) if webhook.failure == FailurePolicy::Ignore => Outcome::Ignored,
        Err(Failed::Call(_)) => Outcome::Failed,
    };
    let operation = request.operation.as_str();
    webhook_metrics::Asked { name: &webhook.name, mutating, operation }.count(outcome, took);
}

/// Applies the patch of an answer; tells whether the object is another one now.
fn patched(
    scene: &Scene<'_>,
    webhook: &Webhook,
    answer: &Answer,
    matched: &Addressed,
    request: &mut Request,
) -> Result<bool, Failed> {
    judged(webhook, answer)?;
    if answer.patch.is_empty() {
        return Ok(false);
    }
    let patch = decode_patch(&answer.patch)?;
    if patch.is_empty() {
        return Ok(false);
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
        return Err(Failed::Call(format!("unsupported patch type {ty}")));
    }
    let changed = patch.apply(object).map_err(|error| Status::internal(error.message()))?;
    let changed = scene.served.reread(&matched.kind, changed, false).map_err(|why| match why {
        Unreadable::Decode(why) => Status::internal(&why),
        Unreadable::Convert(why) => Status::unclassified(why),
    })?;
    let is_changed = request.object.as_ref() != Some(&changed);
    request.object = Some(changed);
    Ok(is_changed)
}

fn decode_patch(bytes: &[u8]) -> Result<JsonPatch, Failed> {
    let undecodable = |why: String| {
        Failed::Call(format!("received undecodable patch in webhook response: {why}"))
    };
    match json::decode(bytes) {
        Ok(Value::List(_) | Value::Null) => {}
        Ok(other) => {
            return Err(undecodable(format!(
                "json: cannot unmarshal {} into Go value of type jsonpatch.Patch",
                ordain_value::go_format::json_type(&other)
            )));
        }
        Err(error) => return Err(undecodable(error.to_string())),
    }
    let decoded = JsonPatch::decode(bytes, Strictness::Ignore);
    decoded.map(|(patch, _)| patch).map_err(|error| undecodable(error.to_string()))
}
