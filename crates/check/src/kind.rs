//! One version of a kind, compiled, and the server's verdict on its objects.
//!
//! Kinds of definitions, of declared types and of Kubernetes itself are judged by the spines of
//! [`ordain_strategy`], as a server judges them. Only kinds that nothing but an OpenAPI document
//! describes are judged by that document ([`crate::documented`]).

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use ordain_meta::gvk::GroupVersion;
use ordain_meta::status::Status;
use ordain_meta::time::Time;
use ordain_schema::crd::{Crd, CrdVersion};
use ordain_schema::{Schema, declared};
pub use ordain_strategy::Dropped;
use ordain_strategy::custom;
use ordain_strategy::declared::Resource;
use ordain_strategy::source::{FixedClock, SeededEntropy};
use ordain_strategy::{
    self as strategy, Admission, Context, Judging, NoAdmission, Patch, RestConfig, Target,
};
use ordain_value::field::{Error, ErrorList};
use ordain_value::{Text, Value};

use crate::documented::Documented;
use crate::openapi::{Document, Entry, Form};
use ordain_strategy::gates::Gates;

/// One version of a kind.
#[derive(Debug)]
pub struct Kind {
    pub group: Text,
    pub version: Text,
    pub kind: Text,
    pub namespaced: bool,
    /// Whether `status` is written through its own endpoint only.
    pub has_status: bool,
    /// The warning for those who use the version, when it is deprecated.
    pub deprecation: Option<String>,
    api_version: String,
    /// The rules of `+k8s:` tags, for those who count them.
    native: Option<declared::Native>,
    judge: Judge,
}

/// Who judges objects of a kind.
#[derive(Debug)]
enum Judge {
    /// The strategy that a server would use; the target names the namespace of objects that name
    /// none.
    Strategy(Box<Target>),
    /// An OpenAPI document.
    Document(Box<Documented>),
}

/// What the server would say to one object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The object as it would be stored, when it was readable.
    pub object: Option<Value>,
    /// Why the body is no object of the kind (answer 400), in the words of the API.
    pub unreadable: Option<String>,
    /// The field that could not be read, when that is known.
    pub unreadable_field: Option<String>,
    /// Paths of fields that the schema does not know; refused by strict field validation.
    pub unknown: Vec<String>,
    /// Why the object is refused (answer 422).
    pub errors: ErrorList,
    /// Any other refusal of the write.
    pub refusal: Option<Box<Status>>,
    /// Errors that are forgiven because the object had them before.
    pub ratcheted: ErrorList,
    /// What only some of the server's ways refuse, such as repeated keys under apply.
    pub doubtful: ErrorList,
    /// Fields that are taken out, though the schema knows them.
    pub dropped: Vec<Dropped>,
    /// Advice that comes with an accepted object.
    pub warnings: Vec<String>,
}

impl Verdict {
    /// Whether a strict server takes the object without any advice.
    pub(crate) fn is_silent(&self) -> bool {
        self.is_accepted()
            && self.dropped.is_empty()
            && self.ratcheted.is_empty()
            && self.doubtful.is_empty()
            && self.warnings.is_empty()
    }

    /// Whether a strict server takes the object.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.unreadable.is_none()
            && self.unknown.is_empty()
            && self.errors.is_empty()
            && self.refusal.is_none()
    }
}

static CLOCK: LazyLock<FixedClock> = LazyLock::new(|| FixedClock(Time::from_unix(0, 0)));
static ENTROPY: LazyLock<SeededEntropy> = LazyLock::new(|| SeededEntropy::new(1));

/// Files are judged at no particular time and in nobody's name.
fn of_files(admission: &mut dyn Admission) -> Judging<'_> {
    let context = Context {
        clock: &*CLOCK,
        entropy: &*ENTROPY,
        user: None,
        conversions: None,
        dry_run: false,
    };
    Judging { context, options: None, admission }
}

impl Kind {
    /// Compiles a version of a definition.
    ///
    /// # Errors
    /// When its schema is not one that the API server could serve; in words.
    pub fn compile(crd: &Crd, version: &CrdVersion, gates: &Gates) -> Result<Kind, String> {
        let config = custom::config(crd, &crd.spec.names, &gates.custom_options())?;
        let config = config.ok_or("the definition has no storage version or no names")?;
        Kind::served(Arc::new(config), &version.name)
    }

    /// The kind that a server would serve by this configuration.
    ///
    /// # Errors
    /// When the version is not among those of the configuration.
    pub fn served(config: Arc<RestConfig>, version: &str) -> Result<Kind, String> {
        let found = config.version(version).ok_or("no such version")?;
        let (has_status, deprecation) = (found.status, found.deprecation_warning.clone());
        let namespace =
            if config.namespaced { Text::new_static("default") } else { Text::default() };
        let declared = config.strategy.declared().and_then(|it| it.version(version));
        Ok(Kind {
            group: config.group.clone(),
            version: version.into(),
            kind: config.kind.clone(),
            namespaced: config.namespaced,
            has_status,
            deprecation: deprecation.map(|text| text.to_string()),
            api_version: GroupVersion::new(config.group.clone(), version).to_string(),
            native: declared.and_then(|it| it.native.clone()),
            judge: Judge::Strategy(Box::new(Target {
                resource: config,
                version: version.into(),
                namespace,
                name: Text::default(),
            })),
        })
    }

    /// Compiles a kind of an OpenAPI document.
    ///
    /// # Errors
    /// When its model says something that is not understood; in words.
    pub fn of_document(document: &Document, entry: &Entry, gates: &Gates) -> Result<Kind, String> {
        let gvk = &entry.gvk;
        let schema = match document.form(entry)? {
            Form::Custom(definition) => {
                let (mut crd, _) = Crd::decode(&definition).map_err(|error| error.0)?;
                crd.set_defaults();
                let version = crd.spec.version(&gvk.version).ok_or("no such version")?;
                return Kind::compile(&crd, version, gates);
            }
            Form::Declared(kind) => {
                let version = kind.versions.first().ok_or("no such version")?;
                return Kind::of_declared(&kind, version, &Arc::new(gates.clone()));
            }
            Form::Typed(schema) => schema,
        };
        Ok(Kind {
            group: gvk.group.clone(),
            version: gvk.version.clone(),
            kind: gvk.kind.clone(),
            namespaced: entry.namespaced.unwrap_or(false),
            has_status: entry.has_status,
            deprecation: None,
            api_version: gvk.group_version().to_string(),
            native: None,
            judge: Judge::Document(Box::new(Documented::compile(entry, schema)?)),
        })
    }

    /// Compiles a version of a kind that types declare.
    ///
    /// # Errors
    /// When its schema cannot be compiled; in words.
    pub fn of_declared(
        kind: &declared::Kind,
        version: &declared::Version,
        gates: &Arc<Gates>,
    ) -> Result<Kind, String> {
        let config = Resource::new(kind.clone()).build(gates);
        Kind::served(Arc::new(config.map_err(|error| error.to_string())?), &version.name)
    }

    /// The rules of `+k8s:` tags, of a kind that types declare.
    pub(crate) fn native(&self) -> Option<&declared::Native> {
        self.native.as_ref()
    }

    /// `group/version`
    #[must_use]
    pub fn api_version(&self) -> &str {
        &self.api_version
    }

    #[must_use]
    pub fn schema(&self) -> &Schema {
        let found = match &self.judge {
            Judge::Strategy(target) => target.resource.strategy.shape(&self.version),
            Judge::Document(documented) => Some(documented.schema()),
        };
        found.unwrap_or(&EMPTY)
    }

    /// Makes a sample of a schema an object of the kind.
    pub(crate) fn frame(&self, object: &mut Value) {
        object.set_path(&["apiVersion"], self.api_version().into());
        object.set_path(&["kind"], self.kind.as_str().into());
        object.set_path(&["metadata"], ordain_value::value!({"name": "example"}));
    }

    /// The verdict on a new object, and the object with the defaults it is read back with.
    #[must_use]
    pub fn judge_create(&self, object: &Value) -> Verdict {
        self.admit_create(object, &mut NoAdmission)
    }

    /// The verdict on a new object under admission, and the object with its defaults.
    pub(crate) fn admit_create(&self, object: &Value, admission: &mut dyn Admission) -> Verdict {
        self.judge(Write::Create(object), of_files(admission))
    }

    /// The verdict on a new object. Those who only ask for it need not pay for the rest.
    #[must_use]
    pub(crate) fn check_create(&self, object: Value) -> Verdict {
        match &self.judge {
            Judge::Strategy(target) => {
                let target = self.target(target, &object);
                verdict(strategy::judge_create(of_files(&mut NoAdmission), &target, object))
            }
            Judge::Document(documented) => documented.create(self, object),
        }
    }

    /// Whether there is surely nothing to say about a new object; its version was asked for before.
    pub(crate) fn surely_takes(&self, object: &Value) -> bool {
        match &self.judge {
            Judge::Strategy(target) => strategy::surely_takes(target, object),
            Judge::Document(_) => false,
        }
    }

    /// The verdict on a change of an object that was accepted before.
    #[must_use]
    pub fn judge_update(&self, object: &Value, old: &Value) -> Verdict {
        self.admit_update(object, old, &mut NoAdmission)
    }

    /// The verdict on a change under admission.
    pub(crate) fn admit_update(
        &self,
        object: &Value,
        old: &Value,
        admission: &mut dyn Admission,
    ) -> Verdict {
        self.judge(Write::Update { object, old }, of_files(admission))
    }

    /// The verdict on a write to the status of an object that was accepted before.
    #[must_use]
    pub fn judge_status(&self, object: &Value, old: &Value) -> Verdict {
        self.admit_status(object, old, &mut NoAdmission)
    }

    /// The verdict on a write to the status under admission.
    pub(crate) fn admit_status(
        &self,
        object: &Value,
        old: &Value,
        admission: &mut dyn Admission,
    ) -> Verdict {
        self.judge(Write::Status { object, old }, of_files(admission))
    }

    /// The verdict on a write, and the object as it is read back.
    pub fn judge(&self, write: Write<'_>, judging: Judging<'_>) -> Verdict {
        let target = match &self.judge {
            Judge::Strategy(target) => target,
            Judge::Document(documented) => {
                return match write {
                    Write::Create(object) => documented.create(self, object.clone()),
                    Write::Update { object, old } => documented.update(self, object, old),
                    Write::Status { object, old } => documented.status(self, object, old),
                };
            }
        };
        let (Write::Create(object) | Write::Update { object, .. } | Write::Status { object, .. }) =
            write;
        let mut target = self.target(target, object);
        let judged = match write {
            Write::Create(object) => strategy::judge_create(judging, &target, object.clone()),
            Write::Update { old, .. } | Write::Status { old, .. } => {
                target.to_mut().name = strategy::object::name(object).into();
                let Some(stored) = self.stored(&target, old) else {
                    let unreadable = Some(UNREADABLE_OLD.to_owned());
                    return Verdict { unreadable, ..Verdict::default() };
                };
                match write {
                    Write::Status { .. } => {
                        strategy::judge_status(judging, &target, object.clone(), &stored)
                    }
                    _ => strategy::judge_update(judging, &target, object.clone(), &stored),
                }
            }
        };
        read_back(&target, judged)
    }

    /// The verdict on a patch of the object with this name, as a server shows it, or on an apply,
    /// which makes one where there is none.
    ///
    /// # Errors
    /// When only a document describes the kind: how its lists merge is not known.
    pub fn judge_patch(
        &self,
        patch: &Patch<'_>,
        namespace: &str,
        name: &str,
        old: Option<&Value>,
        judging: Judging<'_>,
    ) -> Result<Verdict, Undescribed> {
        let Judge::Strategy(target) = &self.judge else { return Err(Undescribed) };
        let target = Target {
            namespace: if self.namespaced { namespace.into() } else { Text::default() },
            name: name.into(),
            ..Target::clone(target)
        };
        Ok(read_back(&target, strategy::judge_patch(judging, &target, patch, old)))
    }

    /// An object before a change, as a server would have it.
    fn stored(&self, target: &Target, old: &Value) -> Option<Value> {
        let mut before = old.clone();
        if let Value::Map(map) = &mut before {
            map.insert("apiVersion", self.api_version.as_str().into());
        }
        strategy::stored(target, before)
    }

    /// The resource that a server would serve; none for a kind that only a document describes.
    pub(crate) fn resource(&self) -> Option<&Arc<RestConfig>> {
        match &self.judge {
            Judge::Strategy(target) => Some(&target.resource),
            Judge::Document(_) => None,
        }
    }

    /// The target of an object, which may name another namespace than files usually mean.
    fn target<'t>(&self, target: &'t Target, object: &Value) -> Cow<'t, Target> {
        let given = strategy::object::namespace(object);
        if !self.namespaced || given.is_empty() || given == target.namespace {
            return Cow::Borrowed(target);
        }
        Cow::Owned(Target { namespace: given.into(), ..target.clone() })
    }
}

/// A write of a whole object.
#[derive(Clone, Copy, Debug)]
pub enum Write<'a> {
    /// A new object.
    Create(&'a Value),
    /// A change of an object that was accepted before.
    Update {
        /// What is to be.
        object: &'a Value,
        /// What is there.
        old: &'a Value,
    },
    /// A change of its status.
    Status {
        /// What is to be.
        object: &'a Value,
        /// What is there.
        old: &'a Value,
    },
}

/// Only a document describes the kind, which does not say enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("only a document describes the kind, and it does not say how its lists merge")]
pub struct Undescribed;

const UNREADABLE_OLD: &str = "the object before the change is no object of its kind";

static EMPTY: LazyLock<Schema> = LazyLock::new(|| {
    let root = ordain_schema::Node::default();
    let schema = Schema::new(vec![root], ordain_schema::NodeId(0));
    schema.unwrap_or_else(|_| unreachable!("one node refers to no other"))
});

/// The verdict of a spine with the object as a server answers with it: what is stored is read back
/// with its defaults, those of a dropped status included.
fn read_back(target: &Target, judged: strategy::Verdict) -> Verdict {
    let is_plain = judged.is_plain;
    let mut verdict = verdict(judged);
    verdict.object = verdict.object.map(|object| strategy::read_back(target, object, is_plain));
    verdict
}

/// The verdict of a spine with paths instead of sentences.
fn verdict(judged: strategy::Verdict) -> Verdict {
    let (unreadable, unreadable_field) = match judged.unreadable {
        Some(error) => (Some(error.why), error.field),
        None => (None, None),
    };
    let mut verdict = Verdict {
        object: judged.object,
        unreadable,
        unreadable_field,
        unknown: judged.unknown.iter().map(|it| unknown_path(it)).collect(),
        errors: judged.errors,
        refusal: judged.refusal,
        dropped: judged.dropped,
        warnings: judged.warnings.texts().to_vec(),
        ..Verdict::default()
    };
    let is_reported = |error: &Error| {
        verdict.errors.iter().any(|it| it.path == error.path && it.body() == error.body())
    };
    let forgiven = judged.ratcheted.iter().filter(|it| !is_reported(it) && !is_rules_unchecked(it));
    let mut ratcheted = ErrorList::new();
    ratcheted.extend(forgiven.cloned());
    verdict.ratcheted = ratcheted;
    verdict
}

/// The path in `unknown field "spec.x"`.
pub(crate) fn unknown_path(text: &str) -> String {
    let inner = text.strip_prefix("unknown field \"").and_then(|it| it.strip_suffix('"'));
    inner.unwrap_or(text).to_owned()
}

/// Whether an error only says that the others kept rules from being checked.
pub(crate) fn is_rules_unchecked(error: &Error) -> bool {
    error.path == "<nil>" && error.detail().starts_with("some validation rules were not checked")
}

/// Each error once.
pub(crate) fn distinct(errors: ErrorList) -> ErrorList {
    if errors.len() < 2 {
        return errors;
    }
    let mut seen = std::collections::BTreeSet::new();
    errors.into_iter().filter(|error| seen.insert(error.to_string())).collect()
}
