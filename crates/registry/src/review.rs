//! Reviews: questions that are read and judged like objects and never stored.

use ordain_meta::GroupKind;
use ordain_meta::status::Status;
use ordain_value::Value;

use crate::admission::{Asked, Attributes, Operation};
use crate::decode::{self, Body};
use crate::registry::{Registry, Target};
use crate::request::{Warnings, WriteKind, WriteOptions};
use crate::strategy::{Change, Known, Part};
use ordain_strategy::create::ensure_namespace;
use ordain_strategy::managed_fields;

impl Registry {
    /// Reads an object that is posted to a subresource of another: a binding, an eviction, a
    /// request for a token. Comes with the kind that it is of.
    pub fn attached(
        &self,
        subresource: &str,
        target: &Target,
        body: &Body<'_>,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<(Target, Value), Status> {
        let resource = ordain_kubernetes::attached(subresource);
        let resource = resource.ok_or_else(Status::path_not_found)?;
        let target = Target { version: "v1".into(), resource, ..target.clone() };
        let object = self.read_review(&target, body, options, warnings)?;
        check_review(&target, &object, warnings)?;
        Ok((target, object))
    }

    /// Reads a review and lets admission and the rules of its kind judge it. Its answer is for those
    /// who know the requester.
    ///
    /// # Errors
    /// When it cannot be read or is refused.
    pub async fn review(
        &self,
        target: &Target,
        body: &Body<'_>,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Value, Status> {
        let mut object = self.read_review(target, body, options, warnings)?;
        let attributes = Attributes {
            registry: self,
            target,
            name: "",
            part: Part::Main,
            operation: Operation::Create,
            old: None,
            options: Asked::Write(options),
            ahead: None,
            encoded: None,
        };
        self.admission.mutate(&attributes, Some(&mut object), warnings).await?;
        check_review(target, &object, warnings)?;
        self.admission.validate(&attributes, Some(&object), warnings).await?;
        Ok(target.resource.strategy.written(&target.version, &object).unwrap_or(object))
    }

    fn read_review(
        &self,
        target: &Target,
        body: &Body<'_>,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Value, Status> {
        options.check(WriteKind::Create)?;
        let mut object = decode::object(target, body, options.field_validation(), warnings)?;
        ensure_namespace(target, &mut object)?;
        managed_fields::update(
            self.context(None, None),
            target,
            Part::Main,
            None,
            &mut object,
            options,
        );
        Ok(object)
    }
}

fn check_review(target: &Target, object: &Value, warnings: &mut Warnings) -> Result<(), Status> {
    let change = Change {
        version: &target.version,
        part: Part::Main,
        object,
        old: None,
        known: Known::default(),
        caller: ordain_strategy::Caller::default(),
    };
    let errors = target.resource.strategy.validate(&change, warnings);
    if errors.is_empty() {
        return Ok(());
    }
    // Upstream refuses reviews without naming their kind.
    let kind = GroupKind::new(target.resource.group.clone(), "");
    Err(Status::invalid(&kind, "", &errors))
}
