//! Objects in other versions, by whoever converts them: the strategy of the kind, or the webhook
//! that a definition names.
//!
//! A webhook is asked before and after the spines, for several objects at a time where there are
//! several, and between two runs of a pure step that left questions open
//! ([`ordain_strategy::conversion`]). Nobody is asked about an object that is in the wanted version.

use std::sync::Arc;
use std::time::Duration;

use ordain_admission::conversion::{Asked, Failure, Fault, client_config};
use ordain_admission::served;
use ordain_admission::webhook::ReviewVersion;
use ordain_meta::GroupVersion;
use ordain_meta::status::Status;
use ordain_strategy::source::new_uid;
use ordain_strategy::{ConversionWebhook, Conversions, RestConfig};
use ordain_value::{Value, json};
use tokio::time::Instant;

use crate::caller;
use crate::object;
use crate::registry::{Registry, Stored, Target};
use crate::request::Warnings;
use crate::trace::{Call, Span};
use crate::webhook_metrics::Converted;

/// How long one call may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A call is about at most this much, so that neither side holds a whole large list at once.
const BATCH_BYTES_MAX: usize = 4 * 1024 * 1024;
const BATCH_LEN_MAX: usize = 1000;

/// A pure step is run again so often before its conversions are given up: each round answers
/// something new, and an object is needed in few versions.
const ROUNDS_MAX: usize = 64;

impl Registry {
    /// The stored object in the requested version.
    pub(crate) async fn present(&self, target: &Target, stored: &Stored) -> Result<Value, Status> {
        let mut shown = self.present_all(target, vec![stored.object.clone()]).await?;
        shown.pop().ok_or_else(|| Status::internal("an object was lost in conversion"))
    }

    /// Objects as they were read from the store, in the requested version.
    pub(crate) async fn present_all(
        &self,
        target: &Target,
        objects: Vec<Value>,
    ) -> Result<Vec<Value>, Status> {
        let resource = &target.resource;
        if resource.is_shown_as_read(&target.version) {
            return Ok(objects);
        }
        self.convert_all(resource, objects, &target.version).await
    }

    /// An object in another version, in the shape of that version.
    pub(crate) async fn convert(
        &self,
        resource: &RestConfig,
        object: Value,
        version: &str,
    ) -> Result<Value, Status> {
        let mut converted = self.convert_all(resource, vec![object], version).await?;
        converted.pop().ok_or_else(|| Status::internal("an object was lost in conversion"))
    }

    async fn convert_all(
        &self,
        resource: &RestConfig,
        objects: Vec<Value>,
        version: &str,
    ) -> Result<Vec<Value>, Status> {
        let strategy = &resource.strategy;
        if strategy.conversion_webhook().is_none() {
            let convert = |object: &Value| strategy.convert(object, version);
            let converted = objects.iter().map(convert).collect::<Result<_, _>>();
            return converted.map_err(Status::unclassified);
        }
        let mut converted = objects;
        let wanted = resource.group_version(version);
        let is_other = |object: &Value| object::gvk(object).group_version() != wanted;
        let positions: Vec<usize> =
            (0..converted.len()).filter(|at| converted.get(*at).is_some_and(is_other)).collect();
        let mut rest = positions.as_slice();
        while !rest.is_empty() {
            let (batch, behind) = rest.split_at(batch_len(&converted, rest));
            let asked: Vec<Value> =
                batch.iter().filter_map(|at| converted.get(*at)).cloned().collect();
            let answers = self.ask_conversion(resource, &asked, &wanted).await;
            let answers = answers.map_err(|failure| Status::unclassified(failure.message))?;
            for (at, answer) in batch.iter().zip(answers) {
                if let Some(place) = converted.get_mut(*at) {
                    *place = strategy.shape_converted(version, answer);
                }
            }
            rest = behind;
        }
        Ok(converted)
    }

    /// An object in another version as admission sees it: what the version does not know stays.
    ///
    /// # Errors
    /// When it cannot be converted, in words.
    pub(crate) async fn convert_unshaped(
        &self,
        resource: &RestConfig,
        object: &Value,
        version: &str,
    ) -> Result<Value, String> {
        let wanted = resource.group_version(version);
        if resource.strategy.conversion_webhook().is_none() {
            return served::converted(resource, object, version);
        }
        if object::gvk(object).group_version() == wanted {
            return Ok(object.clone());
        }
        let asked = std::slice::from_ref(object);
        let answers = self.ask_conversion(resource, asked, &wanted).await;
        let mut answers = answers.map_err(|failure| failure.message)?;
        answers.pop().ok_or_else(|| "an object was lost in conversion".to_owned())
    }

    /// Answers to what the pure part of a write will ask; none for kinds that convert themselves.
    pub(crate) fn conversions(&self, target: &Target) -> Option<Arc<Conversions>> {
        let webhook = target.resource.strategy.conversion_webhook();
        webhook.map(|_| Arc::new(Conversions::default()))
    }

    /// Runs a pure step until it needs no conversion that is not answered.
    pub(crate) async fn answered<T>(
        &self,
        target: &Target,
        conversions: Option<&Arc<Conversions>>,
        warnings: &mut Warnings,
        mut step: impl FnMut(&mut Warnings) -> Result<T, Status>,
    ) -> Result<T, Status> {
        let Some(conversions) = conversions else { return step(warnings) };
        for _ in 0..ROUNDS_MAX {
            let mut said = warnings.clone();
            let result = step(&mut said);
            let open = conversions.take_open();
            if open.is_empty() {
                *warnings = said;
                return result;
            }
            for question in open {
                let asked = std::slice::from_ref(&question.object);
                let answer = self.ask_conversion(&target.resource, asked, &question.wanted).await;
                let answer = answer.map_err(|failure| failure.message);
                let answer = answer.map(|mut objects| objects.pop().unwrap_or_default());
                conversions.answer(question, answer);
            }
        }
        Err(Status::internal("the object was converted without end"))
    }

    /// Asks the webhook of a kind about objects. If it fails on several, the first of them that it
    /// fails on by itself is reported.
    async fn ask_conversion(
        &self,
        resource: &RestConfig,
        objects: &[Value],
        wanted: &GroupVersion,
    ) -> Result<Vec<Value>, Failure> {
        let Some(webhook) = resource.strategy.conversion_webhook() else { return Ok(Vec::new()) };
        let answers = self.call_conversion(webhook, objects, wanted).await;
        let Err(failure) = answers else { return answers };
        if objects.len() == 1 || failure.fault == Fault::Call {
            return Err(failure);
        }
        let mut converted = Vec::with_capacity(objects.len());
        for object in objects {
            let asked = std::slice::from_ref(object);
            converted.extend(self.call_conversion(webhook, asked, wanted).await?);
        }
        Ok(converted)
    }

    async fn call_conversion(
        &self,
        webhook: &ConversionWebhook,
        objects: &[Value],
        wanted: &GroupVersion,
    ) -> Result<Vec<Value>, Failure> {
        let uid = new_uid(self.entropy.as_ref());
        let known = webhook.review_versions.iter().find_map(|name| ReviewVersion::of(name));
        let Some(version) = known else {
            let message = "no supported conversion review versions".to_owned();
            return Err(Failure { fault: Fault::Call, message });
        };
        let asked = Asked { objects, wanted, version, uid: &uid };
        let failed = |why: String| asked.failed(Fault::Call, &why);
        let Some(client) = &self.webhooks else {
            return Err(failed("this server calls no webhooks".to_owned()));
        };
        let body = json::encode(&asked.review());
        let timeout = caller::time_left().map_or(TIMEOUT, |left| left.min(TIMEOUT));
        let config = client_config(&webhook.client);
        let (started, from) = (Instant::now(), objects.first().map(object::gvk));
        let span = Span::start(self.entropy.as_ref());
        let reply = client.post(&config, body, timeout, span.headers()).await.map_err(failed);
        span.end(Call {
            name: "Call conversion webhook",
            configuration: &webhook.definition,
            webhook: &webhook.definition,
            resource: wanted,
            operation: "",
            uid: &uid,
        });
        let answer = reply.and_then(|reply| asked.read(reply.accepted().map_err(failed)?));
        let from = from.unwrap_or_default().version;
        let called =
            Converted { definition: &webhook.definition, from: &from, to: &wanted.version };
        called.count(answer.as_ref().err().map(|failure| failure.fault), started.elapsed());
        answer
    }
}

/// How many of these go into one call; at least one.
fn batch_len(objects: &[Value], positions: &[usize]) -> usize {
    let mut bytes = 0_usize;
    let fits = |at: &&usize| {
        let len = objects.get(**at).map_or(0, |object| json::encode(object).len());
        bytes = bytes.saturating_add(len);
        bytes <= BATCH_BYTES_MAX
    };
    positions.iter().take(BATCH_LEN_MAX).take_while(fits).count().max(1)
}
