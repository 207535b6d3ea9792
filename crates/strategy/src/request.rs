//! What a caller asks for besides the object: options, preconditions, warnings.

use ordain_meta::GroupKind;
use ordain_meta::selector::{FieldSelector, LabelSelector};
use ordain_meta::status::Status;
use ordain_value::field::{self, Path};
use ordain_value::{Map, Text, Value};

const FIELD_MANAGER_BYTES_MAX: i64 = 128;

/// What happens to fields the schema does not know and keys that stand twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FieldValidation {
    /// They go without a word.
    Ignore,
    /// They go with a warning.
    #[default]
    Warn,
    /// The request is refused.
    Strict,
}

/// Options of a create, update or patch.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// Stages that are left out; `All` stores nothing.
    pub dry_run: Vec<Text>,
    /// Who owns what is written.
    pub field_manager: Text,
    /// What happens to unknown fields: `Ignore`, `Warn` or `Strict`.
    pub field_validation: Text,
    /// Whether an apply takes fields over from other managers.
    pub force: Option<bool>,
    /// The client program, which names the field manager when the request does not.
    pub user_agent: Text,
}

/// The three forms of write options, named in refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteKind {
    /// `CreateOptions`.
    Create,
    /// `UpdateOptions`.
    Update,
    /// `PatchOptions`.
    Patch {
        /// Whether the patch is an apply, which alone may force.
        apply: bool,
    },
}

impl WriteOptions {
    /// Whether nothing is stored.
    pub fn is_dry_run(&self) -> bool {
        !self.dry_run.is_empty()
    }

    /// What happens to unknown fields: `Ignore`, `Warn` or `Strict`.
    pub fn field_validation(&self) -> FieldValidation {
        match self.field_validation.as_str() {
            "Ignore" => FieldValidation::Ignore,
            "Strict" => FieldValidation::Strict,
            _ => FieldValidation::Warn,
        }
    }

    /// The manager that owns what this request writes.
    pub fn manager(&self) -> Text {
        ordain_merge::manager_name(&self.field_manager, &self.user_agent)
    }

    /// The options as the object that admission sees: `CreateOptions` or `UpdateOptions`.
    pub fn encode(&self, kind: &str) -> Value {
        let mut map = options_map(kind, &self.dry_run);
        for (key, text) in
            [("fieldManager", &self.field_manager), ("fieldValidation", &self.field_validation)]
        {
            if !text.is_empty() {
                map.insert(key, Value::Str(text.clone()));
            }
        }
        Value::Map(map)
    }

    /// Refuses options that make no sense.
    pub fn check(&self, kind: WriteKind) -> Result<(), Status> {
        let mut errors = field::ErrorList::new();
        let name = match kind {
            WriteKind::Create => "CreateOptions",
            WriteKind::Update => "UpdateOptions",
            WriteKind::Patch { apply } => {
                self.check_force(apply, &mut errors);
                "PatchOptions"
            }
        };
        self.check_manager(&mut errors);
        check_dry_run(&self.dry_run, &mut errors);
        let supported = ["", "Ignore", "Strict", "Warn"];
        if !supported.contains(&self.field_validation.as_str()) {
            let path = Path::new("fieldValidation");
            let value = Value::Str(self.field_validation.clone());
            errors.push(field::Error::not_supported(&path, value, &supported));
        }
        refuse(name, errors)
    }

    fn check_force(&self, apply: bool, errors: &mut field::ErrorList) {
        if apply {
            if self.field_manager.is_empty() {
                let path = Path::new("fieldManager");
                errors.push(field::Error::required(&path, "is required for apply patch"));
            }
        } else if self.force.is_some() {
            let path = Path::new("force");
            errors.push(field::Error::forbidden(&path, "may not be specified for non-apply patch"));
        }
    }

    fn check_manager(&self, errors: &mut field::ErrorList) {
        let path = Path::new("fieldManager");
        if self.field_manager.len() > 128 {
            errors.push(field::Error::too_long(&path, FIELD_MANAGER_BYTES_MAX));
        }
        for (index, letter) in self.field_manager.char_indices() {
            if letter.is_control() {
                let value = Value::Str(self.field_manager.clone());
                let code = u32::from(letter);
                let detail = format!("invalid character U+{code:04X} (at position {index})");
                errors.push(field::Error::invalid(&path, value, detail));
            }
        }
    }
}

/// Options of a delete.
#[derive(Debug, Clone, Default)]
pub struct DeleteOptions {
    /// Stages that are left out; `All` stores nothing.
    pub dry_run: Vec<Text>,
    /// How long the object may take to go.
    pub grace_period_seconds: Option<i64>,
    /// Whether dependents stay; replaced by the propagation policy.
    pub orphan_dependents: Option<bool>,
    /// What becomes of dependents: `Background`, `Foreground` or `Orphan`.
    pub propagation_policy: Option<Text>,
    /// The uid that the object must have.
    pub uid: Option<Text>,
    /// The version that the object must have, or that a list starts from.
    pub resource_version: Option<Text>,
}

impl DeleteOptions {
    /// The options as the object that admission sees.
    pub fn encode(&self) -> Value {
        let mut map = options_map("DeleteOptions", &self.dry_run);
        if let Some(seconds) = self.grace_period_seconds {
            map.insert("gracePeriodSeconds", Value::Int(seconds));
        }
        if let Some(orphan) = self.orphan_dependents {
            map.insert("orphanDependents", Value::Bool(orphan));
        }
        if let Some(policy) = &self.propagation_policy {
            map.insert("propagationPolicy", Value::Str(policy.clone()));
        }
        let mut preconditions = Map::new();
        for (key, text) in [("uid", &self.uid), ("resourceVersion", &self.resource_version)] {
            if let Some(text) = text {
                preconditions.insert(key, Value::Str(text.clone()));
            }
        }
        if !preconditions.is_empty() {
            map.insert("preconditions", Value::Map(preconditions));
        }
        Value::Map(map)
    }

    /// Whether nothing is stored.
    pub fn is_dry_run(&self) -> bool {
        !self.dry_run.is_empty()
    }

    /// Refuses options that make no sense.
    pub fn check(&self) -> Result<(), Status> {
        let mut errors = field::ErrorList::new();
        if self.orphan_dependents.is_some()
            && let Some(policy) = &self.propagation_policy
        {
            errors.push(field::Error::invalid(
                &Path::new("propagationPolicy"),
                Value::Str(policy.clone()),
                "orphanDependents and deletionPropagation cannot be both set",
            ));
        }
        if let Some(policy) = &self.propagation_policy {
            let supported = ["Background", "Foreground", "Orphan"];
            if !supported.contains(&policy.as_str()) {
                let value = Value::Str(policy.clone());
                let path = Path::new("propagationPolicy");
                errors.push(field::Error::not_supported(
                    &path,
                    value,
                    &["Foreground", "Background", "Orphan", "nil"],
                ));
            }
        }
        check_dry_run(&self.dry_run, &mut errors);
        refuse("DeleteOptions", errors)
    }
}

fn options_map(kind: &str, dry_run: &[Text]) -> Map {
    let mut map = Map::new();
    map.insert("apiVersion", "meta.k8s.io/v1".into());
    map.insert("kind", kind.into());
    if !dry_run.is_empty() {
        let values: Vec<Value> = dry_run.iter().cloned().map(Value::Str).collect();
        map.insert("dryRun", Value::from(values));
    }
    map
}

fn check_dry_run(dry_run: &[Text], errors: &mut field::ErrorList) {
    if dry_run.iter().any(|value| value != "All") {
        let values: Vec<Value> = dry_run.iter().cloned().map(Value::Str).collect();
        let path = Path::new("dryRun");
        errors.push(field::Error::not_supported(&path, Value::from(values), &["All"]));
    }
}

fn refuse(name: &str, errors: field::ErrorList) -> Result<(), Status> {
    if errors.is_empty() {
        return Ok(());
    }
    Err(Status::invalid(&GroupKind::new("meta.k8s.io", name), "", &errors))
}

/// Options of a list or watch.
#[derive(Debug, Clone, Default)]
pub struct ListOptions {
    /// Labels that objects must have.
    pub labels: LabelSelector,
    /// Fields that objects must have.
    pub fields: FieldSelector,
    /// The version that the object must have, or that a list starts from.
    pub resource_version: Text,
    /// How the version is meant: `Exact` or `NotOlderThan`.
    pub resource_version_match: Text,
    /// The most objects of a page; 0 for all.
    pub limit: i64,
    /// Where the next page goes on.
    pub continue_token: Text,
    /// How long a watch lasts.
    pub timeout_seconds: Option<i64>,
    /// Whether a watch reports versions between events.
    pub allow_watch_bookmarks: bool,
    /// Whether a watch starts with what is there.
    pub send_initial_events: Option<bool>,
    /// Whether a list goes on as a watch.
    pub watch: bool,
}

/// Warnings to send with the answer, each text once. What cannot be sent in a header is dropped.
#[derive(Debug, Clone, Default)]
pub struct Warnings {
    texts: Vec<String>,
    /// How many characters of them are sent when they are cut.
    sent: usize,
}

impl Warnings {
    /// All warnings together are cut to so many characters when they have more.
    pub const RUNES_MAX: usize = 4 * 1024;
    /// And each of them to so many then.
    pub const TEXT_RUNES_MAX: usize = 256;

    /// Adds a text, unless it could never be sent behind those that are there.
    pub fn add(&mut self, text: impl Into<String>) {
        if self.sent >= Self::RUNES_MAX {
            return;
        }
        let text = text.into();
        let is_sendable = !text.is_empty() && !text.chars().any(char::is_control);
        if is_sendable && !self.texts.contains(&text) {
            self.sent += text.chars().take(Self::TEXT_RUNES_MAX).count();
            self.texts.push(text);
        }
    }

    /// All texts, in the order in which they were added.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_that_could_not_be_sent_are_not_kept() {
        let mut warnings = Warnings::default();
        for number in 0..200_000 {
            warnings.add(format!("unknown field \"spec.f{number:06}\""));
        }
        assert!(warnings.texts().len() < 200, "{}", warnings.texts().len());
    }

    #[test]
    fn the_manager_comes_from_the_program_when_none_is_named() {
        let mut options =
            WriteOptions { user_agent: "kubectl/v1 (x)".into(), ..Default::default() };
        assert_eq!(options.manager(), "kubectl");
        options.field_manager = "me".into();
        assert_eq!(options.manager(), "me");
    }

    #[test]
    fn odd_options_are_refused_by_name() {
        let options = WriteOptions { dry_run: vec!["x".into()], ..Default::default() };
        let status = options.check(WriteKind::Create).unwrap_err();
        assert_eq!(
            status.message,
            r#"CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["x"]: supported values: "All""#
        );
    }

    #[test]
    fn warnings_are_sent_once() {
        let mut warnings = Warnings::default();
        warnings.add("a");
        warnings.add("a");
        assert_eq!(warnings.texts(), ["a"]);
    }
}
