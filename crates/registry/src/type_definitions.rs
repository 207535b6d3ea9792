//! Definitions that come from types which are written for custom resources: a changed one takes
//! the place of the one before under the same conditions as other declared kinds.

use std::sync::Arc;

use ordain_meta::status::{Reason, Status};
use ordain_schema::crd::Crd;
use ordain_value::{Text, Value, json};

use crate::decode::{Body, Media};
use crate::registry::{Registry, Target};
use crate::request::{DeleteOptions, Warnings, WriteOptions};
use crate::strategy::Part;
use crate::types::ReloadError;
use crate::{RestConfig, object};

impl Registry {
    /// What stored objects would break if definitions took the place of others, as texts for
    /// people.
    ///
    /// # Errors
    /// When a definition cannot be read, or the store cannot.
    pub async fn broken_by_definitions(
        &self,
        old: &[Value],
        new: &[Value],
    ) -> Result<Vec<String>, ReloadError> {
        let mut after = Vec::new();
        for definition in new {
            let unusable = |why: &str| {
                ReloadError::Store(format!("definition {}: {why}", object::name(definition)))
            };
            let (mut crd, _) = Crd::decode(definition).map_err(|error| unusable(&error.0))?;
            crd.set_defaults();
            crd.status.accepted_names = crd.spec.names.clone();
            after.push(self.compile(&crd, 0).ok_or_else(|| unusable("it cannot be compiled"))?);
        }
        let mut out = Vec::new();
        for definition in old {
            let part = |path: &[&str]| definition.get_path(path).and_then(Value::as_str);
            let group = part(&["spec", "group"]).unwrap_or_default();
            let plural = part(&["spec", "names", "plural"]).unwrap_or_default();
            let Some(before) = self.catalog().get(group, plural).cloned() else { continue };
            let same = |it: &&RestConfig| it.group == group && it.plural == plural;
            let reported = self.broken_objects(&before, after.iter().find(same), &mut out).await;
            if !reported.map_err(|status| ReloadError::Store(status.message))? {
                break;
            }
        }
        Ok(out)
    }

    /// Puts definitions in the place of others: new ones are created, changed ones updated, and
    /// those that are gone deleted, with their objects.
    ///
    /// # Errors
    /// When one is refused; in words.
    pub async fn replace_definitions(&self, old: &[Value], new: &[Value]) -> Result<(), String> {
        let reported = |definition: &Value, status: Status| {
            format!("definition {}: {}", object::name(definition), status.message)
        };
        for definition in new {
            self.put_definition(definition).await.map_err(|it| reported(definition, it))?;
        }
        let stays = |it: &Value| new.iter().any(|new| object::name(new) == object::name(it));
        for definition in old.iter().filter(|it| !stays(it)) {
            let target = self.definition_target(object::name(definition));
            let Some(target) = target else { continue };
            let options = DeleteOptions::default();
            match self.delete(&target, &options, &mut Warnings::default()).await {
                Err(status) if status.reason != Reason::NotFound => {
                    return Err(reported(definition, status));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn definition_target(&self, name: &str) -> Option<Target> {
        let catalog = self.catalog();
        let resource = catalog.by_kind("apiextensions.k8s.io", "CustomResourceDefinition")?;
        Some(Target {
            resource: Arc::clone(resource),
            version: Text::new_static("v1"),
            namespace: Text::default(),
            name: Text::from(name),
        })
    }

    async fn put_definition(&self, definition: &Value) -> Result<(), Status> {
        let Some(mut target) = self.definition_target(object::name(definition)) else {
            return Ok(());
        };
        let options = WriteOptions { field_manager: "ordain".into(), ..WriteOptions::default() };
        let warnings = &mut Warnings::default();
        match self.get(&target, "").await {
            Ok(mut current) => {
                if let Some(spec) = definition.get("spec") {
                    current.set_path(&["spec"], spec.clone());
                }
                let bytes = json::encode(&current);
                let body = Body { bytes: &bytes, media: Media::Json };
                self.update(&target, Part::Main, &body, &options, warnings).await.map(drop)
            }
            Err(status) if status.reason == Reason::NotFound => {
                target.name = Text::default();
                let bytes = json::encode(definition);
                let body = Body { bytes: &bytes, media: Media::Json };
                self.create(&target, &body, &options, warnings).await.map(drop)
            }
            Err(status) => Err(status),
        }
    }
}
