//! The admission chain: what may change or refuse a write between reading and storing it.
//!
//! Mutating steps run before the kind validates the object, validating steps after. Policies and
//! webhooks of users are the plugin in [`crate::dynamic`].

use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use ordain_meta::status::Status;
use ordain_value::Value;

use crate::ahead::Ahead;
use crate::registry::{Encoded, Registry, Target};
use crate::request::{DeleteOptions, Warnings, WriteOptions};
use crate::strategy::Part;

/// What a request does to its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Create,
    Update,
    Delete,
    /// Connects to what runs behind the object.
    Connect,
}

/// A write on its way.
#[derive(Clone, Copy)]
pub struct Attributes<'a> {
    pub registry: &'a Registry,
    pub target: &'a Target,
    /// The name of the object, also when the path has none.
    pub name: &'a str,
    pub part: Part,
    pub operation: Operation,
    pub old: Option<&'a Value>,
    pub options: Asked<'a>,
    /// What can be done while webhooks are asked that may change the object.
    pub(crate) ahead: Option<&'a dyn Ahead>,
    /// What will be stored, if it is written already.
    pub(crate) encoded: Option<&'a Encoded>,
}

impl Attributes<'_> {
    /// The subresource that is written; empty for the object itself.
    pub(crate) fn subresource(&self) -> &str {
        match self.part {
            Part::Main => "",
            Part::Status => "status",
            Part::Scale => "scale",
            Part::Other(at) => {
                self.target.resource.subresources.get(at).map_or("", ordain_value::Text::as_str)
            }
        }
    }

    /// Prepares the write for the case that the object stays as it is.
    pub(crate) fn go_ahead(&self, object: &Value) {
        if let Some(ahead) = self.ahead {
            ahead.go_ahead(object);
        }
    }

    /// A refusal in the words of the admission chain.
    pub(crate) fn forbidden(&self, why: &str) -> Status {
        Status::forbidden(&self.target.group_resource(), self.name, why)
    }
}

/// The options of a request.
#[derive(Debug, Clone, Copy)]
pub enum Asked<'a> {
    Write(&'a WriteOptions),
    Delete(&'a DeleteOptions),
}

impl Asked<'_> {
    pub fn is_dry_run(&self) -> bool {
        match self {
            Self::Write(options) => options.is_dry_run(),
            Self::Delete(options) => options.is_dry_run(),
        }
    }
}

impl Registry {
    /// Lets admission judge an object that is posted to a subresource of another, or that holds the
    /// options of a connection to it. Gives it back as admission left it.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn admit_attached(
        &self,
        target: &Target,
        part: Part,
        operation: Operation,
        mut object: Value,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Value, Status> {
        let attributes = Attributes {
            registry: self,
            target,
            name: &target.name,
            part,
            operation,
            old: None,
            options: Asked::Write(options),
            ahead: None,
            encoded: None,
        };
        self.admission.mutate(&attributes, Some(&mut object), warnings).await?;
        self.admission.validate(&attributes, Some(&object), warnings).await?;
        Ok(object)
    }

    /// Lets admission judge what is about to be stored. While webhooks are waited for, the write is
    /// prepared as far as that asks nobody: gives back what is stored, if there was time for it.
    pub(crate) async fn judge_to_store(
        &self,
        attributes: &Attributes<'_>,
        seen: &Value,
        stored: &Value,
        warnings: &mut Warnings,
    ) -> Result<Option<Encoded>, Status> {
        let Target { resource, version, .. } = attributes.target;
        // Another version may have to be converted by a webhook, which is not asked for nothing.
        let is_stored_so = *version == resource.storage_version;
        // What is shown to others is nearly always what is stored: it is written once.
        let mut encoded = None;
        if is_stored_so && self.admission.shows_json(attributes.target) {
            encoded = Some(self.encode(resource, version, stored).await?);
        }
        let attributes = Attributes { encoded: encoded.as_ref(), ..*attributes };
        let mut judged = pin!(self.admission.validate(&attributes, Some(seen), warnings));
        if let Poll::Ready(verdict) = begun(judged.as_mut()).await {
            return verdict.map(|()| encoded.clone());
        }
        let prepared = match &encoded {
            Some(encoded) => Some(encoded.clone().prepared(resource)),
            None if is_stored_so => {
                Some(self.encode(resource, version, stored).await?.prepared(resource))
            }
            None => None,
        };
        judged.await.map(|()| prepared)
    }
}

/// Waits for something, and works while it takes its time.
pub(crate) async fn meanwhile<T>(asked: impl Future<Output = T>, work: impl FnOnce()) -> T {
    let mut asked = pin!(asked);
    if let Poll::Ready(done) = begun(asked.as_mut()).await {
        return done;
    }
    work();
    asked.await
}

/// Begins something, and tells whether that was all.
async fn begun<F: Future>(mut work: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|task| Poll::Ready(work.as_mut().poll(task))).await
}

pub type Verdict<'a> = Pin<Box<dyn Future<Output = Result<(), Status>> + Send + 'a>>;

/// One member of the chain.
pub trait Plugin: fmt::Debug + Send + Sync + 'static {
    fn name(&self) -> &'static str;

    /// May change the object. Absent on deletes.
    fn mutate<'a>(
        &'a self,
        _attributes: &'a Attributes<'a>,
        _object: Option<&'a mut Value>,
        _warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        Box::pin(async { Ok(()) })
    }

    /// May refuse the object as it would be stored.
    fn validate<'a>(
        &'a self,
        _attributes: &'a Attributes<'a>,
        _object: Option<&'a Value>,
        _warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        Box::pin(async { Ok(()) })
    }

    /// Whether it shows writes of this resource to others, as JSON.
    fn shows_json(&self, _target: &Target) -> bool {
        false
    }

    /// Called after a request wrote or removed an object, before it is answered.
    fn committed<'a>(&'a self, _registry: &'a Registry, _target: &'a Target) -> Verdict<'a> {
        Box::pin(async { Ok(()) })
    }
}

/// The plugins in their order.
#[derive(Debug, Clone, Default)]
pub struct Chain {
    plugins: Vec<Arc<dyn Plugin>>,
}

impl Chain {
    pub fn new(plugins: Vec<Arc<dyn Plugin>>) -> Self {
        Self { plugins }
    }

    pub(crate) async fn mutate(
        &self,
        attributes: &Attributes<'_>,
        mut object: Option<&mut Value>,
        warnings: &mut Warnings,
    ) -> Result<(), Status> {
        for plugin in &self.plugins {
            plugin.mutate(attributes, object.as_deref_mut(), warnings).await?;
        }
        Ok(())
    }

    /// Lets all but one plugin change an object once more.
    pub(crate) async fn mutate_again(
        &self,
        but: &str,
        attributes: &Attributes<'_>,
        object: &mut Value,
        warnings: &mut Warnings,
    ) -> Result<(), Status> {
        for plugin in self.plugins.iter().filter(|plugin| plugin.name() != but) {
            plugin.mutate(attributes, Some(&mut *object), warnings).await?;
        }
        Ok(())
    }

    fn shows_json(&self, target: &Target) -> bool {
        self.plugins.iter().any(|plugin| plugin.shows_json(target))
    }

    pub(crate) async fn committed(
        &self,
        registry: &Registry,
        target: &Target,
    ) -> Result<(), Status> {
        for plugin in &self.plugins {
            plugin.committed(registry, target).await?;
        }
        Ok(())
    }

    pub(crate) async fn validate(
        &self,
        attributes: &Attributes<'_>,
        object: Option<&Value>,
        warnings: &mut Warnings,
    ) -> Result<(), Status> {
        for plugin in &self.plugins {
            plugin.validate(attributes, object, warnings).await?;
        }
        Ok(())
    }
}
