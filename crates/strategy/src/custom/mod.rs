//! Custom resources: the strategy that a CustomResourceDefinition gives to its objects.

mod config;
mod declarative;

pub use config::{CustomOptions, config, declared_conversion};
pub use declarative::{ANNOTATION as CONVERSION_ANNOTATION, Declarative};

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use ordain_merge::set::Set;
use ordain_merge::types::Types;
use ordain_merge::{Convert, FieldManager, FieldManagerConfig, UnknownVersion};
use ordain_meta::GroupVersionKind;
use ordain_meta::gvk::GroupVersion;
use ordain_meta::{finalizer, object_meta};
use ordain_passes::declared::{DeclaredPlan, settle, strip_zero, text, union};
use ordain_passes::{Context, Outcome, Plan, Rules, Unknown};
use ordain_schema::Schema;
use ordain_value::{Text, Value, field, json};

use crate::context::Caller;
use crate::conversion::ConversionWebhook;
use crate::decode::{DecodeError, Decoded};
use crate::object;
use crate::request::{FieldValidation, Warnings};
use crate::rest_config::Scale;
use crate::strategy::{Change, Dropped, Part, Policy, Strategy};

/// One version of a custom kind, compiled.
pub struct CustomVersion {
    /// The schema.
    pub schema: Arc<Schema>,
    /// The compiled passes.
    pub plan: Arc<Plan>,
    /// The compiled CEL rules.
    pub rules: Box<dyn Rules + Send + Sync>,
    /// Extensions that it has, as far as their gates are on.
    pub declared: Option<DeclaredPlan>,
    /// Whether it has the status subresource.
    pub status: bool,
    /// The paths of the scale subresource, if it has one.
    pub scale: Option<Scale>,
    /// Paths that clients may select by.
    pub selectable_fields: Vec<Text>,
}

/// The behaviour of a custom kind.
pub struct CustomStrategy {
    group: Text,
    kind: Text,
    namespaced: bool,
    versions: BTreeMap<Text, Served>,
    /// Who converts objects; without one, versions differ in their name only.
    webhook: Option<ConversionWebhook>,
    /// How versions differ in more than their name, if the definition says so.
    declared: Option<Arc<Declarative>>,
    /// Who owns what, of the object and of its status; made when someone writes.
    managers: OnceLock<BTreeMap<Text, (FieldManager, FieldManager)>>,
}

struct Served {
    version: CustomVersion,
    api_version: String,
}

impl Served {
    /// Zero values that count as absent go, if the definition says so; then defaults come.
    fn fill(&self, object: &mut Value) {
        if let Some(declared) = &self.version.declared {
            strip_zero::strip_zero(declared, object);
        }
        self.version.plan.default(object);
    }
}

impl fmt::Debug for CustomStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomStrategy")
            .field("group", &self.group)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

impl CustomStrategy {
    /// The strategy of a definition's kind.
    pub fn new(
        group: Text,
        kind: Text,
        namespaced: bool,
        versions: Vec<(Text, CustomVersion)>,
    ) -> Self {
        let served = versions.into_iter().map(|(name, version)| {
            let api_version = GroupVersion::new(group.clone(), name.as_str()).to_string();
            (name, Served { version, api_version })
        });
        let versions = served.collect();
        let (webhook, declared, managers) = (None, None, OnceLock::new());
        Self { group, kind, namespaced, versions, webhook, declared, managers }
    }

    /// The same with objects that a webhook converts.
    #[must_use]
    pub fn with_webhook(mut self, webhook: Option<ConversionWebhook>) -> Self {
        self.webhook = webhook;
        self
    }

    /// The same with versions that differ as a definition declares.
    #[must_use]
    pub fn with_declared(mut self, declared: Option<Declarative>) -> Self {
        self.declared = declared.map(Arc::new);
        self
    }

    fn managers(&self) -> &BTreeMap<Text, (FieldManager, FieldManager)> {
        self.managers.get_or_init(|| self.make_managers())
    }

    fn make_managers(&self) -> BTreeMap<Text, (FieldManager, FieldManager)> {
        let types: BTreeMap<Text, Arc<Types>> = self
            .versions
            .values()
            .map(|served| {
                let types = Arc::new(Types::compile(&served.version.schema));
                (Text::from(served.api_version.as_str()), types)
            })
            .collect();
        // One table for all versions: a definition may have thousands.
        let types = Arc::new(types);
        // The status endpoint wipes the same fields in every version that has one.
        let status_resets: BTreeMap<Text, Set> = self
            .versions
            .values()
            .filter(|served| served.version.status)
            .map(|served| {
                let reset = Set::of_fields(&[&["metadata"], &["spec"]]);
                (Text::from(served.api_version.as_str()), reset)
            })
            .collect();
        let status_resets = Arc::new(status_resets);
        let managers = self.versions.iter().map(|(name, served)| {
            let gvk = GroupVersionKind::new(self.group.clone(), name.clone(), self.kind.clone());
            let manager = |subresource: &str, reset_fields: Arc<BTreeMap<Text, Set>>| {
                let manager = FieldManager::new(FieldManagerConfig {
                    gvk: gvk.clone(),
                    subresource: subresource.into(),
                    versions: Arc::clone(&types),
                    reset_fields,
                    unknown_version: UnknownVersion::Refused,
                });
                match &self.declared {
                    Some(declared) => manager.with_conversion(by_declaration(declared)),
                    None => manager,
                }
            };
            let wiped =
                if served.version.status { Set::of_fields(&[&["status"]]) } else { Set::new() };
            let api_version = Text::from(served.api_version.as_str());
            let main = manager("", Arc::new(BTreeMap::from([(api_version, wiped)])));
            (name.clone(), (main, manager("status", Arc::clone(&status_resets))))
        });
        managers.collect()
    }

    fn served(&self, version: &str) -> Option<&Served> {
        self.versions.get(version)
    }

    /// The version that an object says it is of, if it is of this kind.
    fn served_as(&self, object: &Value) -> Option<&Served> {
        let text = |field| object.get(field).and_then(Value::as_str).unwrap_or_default();
        let rest = text("apiVersion").strip_prefix(self.group.as_str())?;
        let version = match rest.strip_prefix('/') {
            Some(version) => version,
            None if self.group.is_empty() => rest,
            None => return None,
        };
        self.served(version).filter(|_| text("kind") == self.kind)
    }

    fn plan(&self, version: &str) -> Option<&Plan> {
        self.served(version).map(|served| served.version.plan.as_ref())
    }

    fn fill(&self, version: &str, object: &mut Value) {
        if let Some(served) = self.served(version) {
            served.fill(object);
        }
    }

    /// What validation needs to know besides the schema of a version.
    fn context<'s>(&'s self, served: &'s Served) -> Context<'s> {
        Context {
            api_version: &served.api_version,
            kind: &self.kind,
            namespaced: self.namespaced,
            scale: served.version.scale.as_ref().map(|it| it as &dyn ordain_passes::spine::Scale),
            rules: served.version.rules.as_ref(),
        }
    }

    /// Whether an object says it is of this kind, in whatever version.
    fn is_own(&self, gvk: &GroupVersionKind) -> bool {
        gvk.group == self.group && gvk.kind == self.kind
    }
}

impl Strategy for CustomStrategy {
    fn policy(&self) -> Policy {
        Policy::default()
    }

    fn decode(
        &self,
        _version: &str,
        mut body: Value,
        validation: FieldValidation,
    ) -> Result<Decoded, DecodeError> {
        let Some(served) = self.served_as(&body) else {
            let mut unknown = coerce_metadata(&mut body)?;
            if self.is_own(&object::gvk(&body))
                && let Value::Map(map) = &mut body
            {
                // A version without a schema knows no fields at all.
                let is_known = |key: &str| matches!(key, "apiVersion" | "kind" | "metadata");
                let keys = map.keys().filter(|key| !is_known(key));
                unknown.extend(keys.map(|key| unknown_field(key)));
                map.retain(|key, _| is_known(key));
            }
            return Ok(Decoded::new(body, unknown));
        };
        // Nearly every body is as it should be: one walk after defaulting shows that nothing in
        // it needs pruning, and often that the schema has nothing against it.
        let plan = &served.version.plan;
        let mut filled = body.clone();
        served.fill(&mut filled);
        if let Some(known) = plan.recognize(&filled, self.namespaced) {
            return Ok(Decoded { object: filled, unknown: Vec::new(), known });
        }
        let report = match validation {
            FieldValidation::Ignore => Unknown::Ignore,
            FieldValidation::Warn | FieldValidation::Strict => Unknown::Tell,
        };
        let paths = plan.shape_request(&mut body, report)?;
        served.fill(&mut body);
        let unknown = paths.iter().map(|path| unknown_field(path)).collect();
        Ok(Decoded::new(body, unknown))
    }

    fn reread(
        &self,
        version: &str,
        mut object: Value,
        _validation: FieldValidation,
    ) -> Result<Decoded, DecodeError> {
        self.fill(version, &mut object);
        Ok(Decoded::new(object, Vec::new()))
    }

    fn shape_mutated(&self, version: &str, mut object: Value) -> Value {
        let Some(served) = self.served(version) else { return object };
        if let Value::Map(map) = &mut object {
            map.insert("apiVersion", served.api_version.as_str().into());
        }
        object
    }

    fn shape_admitted(&self, version: &str, mut object: Value) -> Value {
        if let Some(plan) = self.plan(version) {
            // Metadata that is no object at all is refused by validation.
            let _ = plan.shape_admitted(&mut object);
        }
        object
    }

    fn default_applied(&self, version: &str, mut object: Value) -> Result<Value, DecodeError> {
        self.fill(version, &mut object);
        Ok(object)
    }

    fn read(&self, mut stored: Value) -> Value {
        let version = object::gvk(&stored).version;
        if let Some(plan) = self.plan(&version) {
            // Metadata that is no object at all was refused before it was stored.
            let _ = plan.shape_stored(&mut stored);
            self.fill(&version, &mut stored);
        }
        stored
    }

    fn convert(&self, object: &Value, version: &str) -> Result<Value, String> {
        let mut object = object.clone();
        let Some(served) = self.served(version) else {
            let wanted = GroupVersion::new(self.group.clone(), version);
            return Err(format!("request to convert CR to an invalid group/version: {wanted}"));
        };
        if object.get("apiVersion").and_then(Value::as_str) == Some(served.api_version.as_str()) {
            return Ok(object);
        }
        if let Some(webhook) = &self.webhook {
            let definition = &webhook.definition;
            return Err(format!("the conversion webhook of {definition} cannot be asked here"));
        }
        if let Some(declared) = &self.declared {
            object = declared.convert(&object, &object::gvk(&object).version, version)?;
        }
        if let Value::Map(map) = &mut object {
            map.insert("apiVersion", served.api_version.as_str().into());
        }
        Ok(self.shape_converted(version, object))
    }

    fn converts_fields(&self) -> bool {
        self.declared.is_some()
    }

    fn conversion_webhook(&self) -> Option<&ConversionWebhook> {
        self.webhook.as_ref()
    }

    fn shape_converted(&self, version: &str, mut object: Value) -> Value {
        if let Some(plan) = self.plan(version) {
            // The object was in shape; the other version's schema only removes.
            let _ = plan.shape_request(&mut object, Unknown::Ignore);
        }
        object
    }

    fn keep_members(&self, version: &str, object: &mut Value, old: &Value) -> Vec<String> {
        let declared = self.served(version).and_then(|it| it.version.declared.as_ref());
        let plan = declared.filter(|it| it.has_unions());
        let kept = plan.map(|plan| union::keep(plan, object, old)).unwrap_or_default();
        kept.iter().map(ToString::to_string).collect()
    }

    fn settle(
        &self,
        version: &str,
        _part: Part,
        object: &mut Value,
        old: Option<&Value>,
    ) -> Vec<Dropped> {
        let declared = self.served(version).and_then(|it| it.version.declared.as_ref());
        let Some(declared) = declared else { return Vec::new() };
        let removed = settle::settle(declared, true, &|_| true, object, old);
        removed.into_iter().map(Dropped::from).collect()
    }

    fn shape(&self, version: &str) -> Option<&Schema> {
        self.served(version).map(|it| it.version.schema.as_ref())
    }

    fn surely_takes(&self, version: &str, object: &Value) -> bool {
        let Some(served) = self.served(version) else { return false };
        let CustomVersion { plan, declared, status, .. } = &served.version;
        // Unions and gates change an object.
        if declared.is_some() {
            return false;
        }
        let mut filled = object.clone();
        served.fill(&mut filled);
        let known = plan.recognize(&filled, self.namespaced).or_else(|| {
            // Nulls go without a word.
            filled = object.clone();
            let told = plan.shape_request(&mut filled, Unknown::Tell);
            if told != Ok(Vec::new()) {
                return None;
            }
            served.fill(&mut filled);
            plan.recognize(&filled, self.namespaced)
        });
        let Some(known) = known else { return false };
        if object::check_size(&filled).is_err() {
            return false;
        }
        if *status {
            object::set_status(&mut filled, None);
        }
        // Usual metadata has no system fields, owners and finalizers, and what a create adds to it is
        // nothing that rules see.
        plan.validate_new(&filled, &self.context(served), known) == Outcome::default()
    }

    fn prepare_for_create(&self, version: &str, object: &mut Value, _caller: &Caller<'_>) {
        if self.served(version).is_some_and(|served| served.version.status) {
            object::set_status(object, None);
        }
        object::set_generation(object, 1);
    }

    fn prepare_for_update(
        &self,
        version: &str,
        part: Part,
        object: &mut Value,
        old: &Value,
        _caller: &Caller<'_>,
    ) {
        let Some(served) = self.served(version) else { return };
        if part == Part::Status {
            object::keep_all_but_status(object, old);
            return;
        }
        if served.version.status {
            object::set_status(object, old.get("status").cloned());
        }
        if !object::same_content(object, old) {
            object::set_generation(object, object::generation(old) + 1);
        }
    }

    fn validate(&self, change: &Change<'_>, warnings: &mut Warnings) -> field::ErrorList {
        let Some(served) = self.served(change.version) else { return field::ErrorList::new() };
        let context = self.context(served);
        let plan = &served.version.plan;
        let outcome = match (change.old, change.part) {
            (None, _) => plan.validate_new(change.object, &context, change.known),
            (Some(old), Part::Status) => plan.validate_status_update(change.object, old, &context),
            (Some(old), _) => plan.validate_update(change.object, old, &context),
        };
        for warning in outcome.warnings {
            warnings.add(warning);
        }
        let mut errors = outcome.errors;
        if let Some(declared) = &served.version.declared {
            errors.extend(union::validate(declared, change.object, change.old));
            return text::customize(declared, change.object, errors);
        }
        errors
    }

    fn warn(&self, change: &Change<'_>, warnings: &mut Warnings) {
        if change.part != Part::Status {
            warn_finalizers(change, warnings);
        }
    }

    fn field_manager(&self, version: &str, part: Part) -> Option<&FieldManager> {
        let (main, status) = self.managers().get(version)?;
        Some(match part {
            Part::Status => status,
            Part::Main | Part::Scale | Part::Other(_) => main,
        })
    }

    fn field(&self, version: &str, object: &Value, field: &str) -> Option<Text> {
        match field {
            "metadata.name" => Some(object::name(object).into()),
            "metadata.namespace" if self.namespaced => Some(object::namespace(object).into()),
            _ => {
                let served = self.served(version)?;
                let known = served.version.selectable_fields.iter().any(|known| known == field);
                known.then(|| field_text(object, field))
            }
        }
    }
}

/// Converts for the record of owners, which knows versions with their group.
fn by_declaration(declared: &Arc<Declarative>) -> Arc<Convert> {
    let declared = Arc::clone(declared);
    Arc::new(move |object: &Value, wanted: &str| {
        let to = GroupVersion::decode(wanted).map_err(|error| error.to_string())?;
        let mut object = declared.convert(object, &object::gvk(object).version, &to.version)?;
        object.set_path(&["apiVersion"], wanted.into());
        Ok(object)
    })
}

/// Advice on the names of finalizers that a change adds.
pub fn warn_finalizers(change: &Change<'_>, warnings: &mut Warnings) {
    for advice in finalizer::advice(change.object, change.old) {
        warnings.add(advice);
    }
}

/// Shapes the metadata of an object that is of another kind than it should be.
pub fn coerce_metadata(object: &mut Value) -> Result<Vec<String>, String> {
    let Some(metadata) = object.get("metadata") else { return Ok(Vec::new()) };
    let coerced = object_meta::coerce(metadata)?;
    if let Value::Map(map) = object {
        map.insert("metadata", coerced.metadata);
    }
    Ok(coerced.unknown.iter().map(|path| unknown_field(&format!("metadata.{path}"))).collect())
}

/// The text for a field that the schema does not know.
pub fn unknown_field(path: &str) -> String {
    format!("unknown field \"{path}\"")
}

/// A selectable field as text: scalars as they print, absent as empty.
pub fn field_text(object: &Value, path: &str) -> Text {
    let keys: Vec<&str> = path.split('.').collect();
    match object.get_path(&keys) {
        None | Some(Value::Null) => Text::default(),
        Some(Value::Str(text)) => text.clone(),
        Some(other) => json::encode_string(other).into(),
    }
}
