//! The two sides: verdicts on files, and a registry over a store in memory.
//!
//! Neither has admission plugins: they are a server's own, and files meet them only when they are
//! asked to. What a verdict takes from elsewhere is handed in alike: a clock that stands still, numbers
//! for uids and names that depend on the write alone, the pools of the registry, and its options. Only
//! the version of an object is left out of the comparison: the store counts it.
//!
//! Files are judged without options, so each write is judged that way too: the verdict is the same.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ordain_check::{self as check, Catalog, Gates, Kind, Verdict, definition};
use ordain_meta::status::{Reason, Status};
use ordain_meta::time::Time;
use ordain_registry::admission::Chain;
use ordain_registry::crd::{self, DefinitionHooks};
use ordain_registry::decode::{Body, Media};
use ordain_registry::source::{Entropy, FixedClock, SeededEntropy};
use ordain_registry::{
    DeleteOptions, Family, Options, Part, PatchType, Registry, RestConfig, ServiceRanges, Target,
    Warnings, WriteKind, WriteOptions,
};
use ordain_storage::MemoryStore;
use ordain_strategy::decode::{report, sort_by_place};
use ordain_strategy::pool::{Pool, Unlimited};
use ordain_strategy::{Admission, Context, Judging, Patch, surely_takes};
use ordain_testkit::body_bytes;
use ordain_value::{Text, Value, json, value};
use tokio::runtime::Runtime;

use crate::{path_text, text};

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Verb {
    Create,
    Replace,
    Patch(PatchType),
}

/// A write of an object, or of its status.
#[derive(Debug)]
pub(crate) struct Write {
    pub(crate) verb: Verb,
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) plural: String,
    pub(crate) namespace: String,
    /// Empty for creates.
    pub(crate) name: String,
    pub(crate) is_status: bool,
    /// The object, or the patch: a text is sent as it is.
    pub(crate) body: Value,
    pub(crate) options: WriteOptions,
}

/// What came of a write.
pub(crate) enum Judged {
    /// It is about more than an object: a kind that is not served or not stored, options or a path
    /// that contradict the body.
    LeftOut,
    /// Both sides agree; whether they accept it, and whether a look was enough to know that.
    Same {
        accepted: bool,
        surely: bool,
    },
    Different(String),
}

/// What one side says.
#[derive(Clone, Debug, PartialEq)]
struct Answer {
    accepted: bool,
    /// The text of a refusal that names no fields.
    refusal: String,
    causes: Vec<(String, String, String)>,
    warnings: Vec<String>,
    object: Value,
}

/// Numbers for uids and names: one for each write, however often a side asks.
#[derive(Debug, Default)]
struct PerWrite(AtomicU64);

impl PerWrite {
    fn next_write(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Entropy for PerWrite {
    fn next_u64(&self) -> u64 {
        SeededEntropy::new(self.0.load(Ordering::Relaxed)).next_u64()
    }
}

/// What is given to objects, by the registry's pools.
struct Given<'a> {
    registry: &'a Registry,
    target: &'a Target,
}

impl Admission for Given<'_> {
    fn pool(&mut self) -> Box<dyn Pool + '_> {
        match self.registry.pool(self.target) {
            Some(pool) => Box::new(pool),
            None => Box::new(Unlimited::default()),
        }
    }
}

/// The clock of both sides.
fn clock() -> FixedClock {
    FixedClock(Time::from_unix(0, 0))
}

pub(crate) struct Both {
    registry: Registry,
    entropy: Arc<PerWrite>,
    runtime: Runtime,
    catalog: Catalog,
    definitions: Arc<Kind>,
    /// Custom kinds by group, plural and version, with the version of the definition that they were
    /// compiled from.
    custom: BTreeMap<(Text, Text, String), (Value, Option<Arc<Kind>>)>,
}

/// What a namespace allows shows in its labels; nothing is known of those that files name.
const NAMESPACE_LABEL: &str = "resource.kubernetes.io/admin-access";

/// Both families, and as many addresses and ports as there can be: files are given whatever they ask
/// for.
fn ranges() -> ServiceRanges {
    ServiceRanges::read("10.0.0.0/8,fd00::/64", "1-65535").unwrap()
}

impl Both {
    /// Nothing is stored, and only the native kinds are known.
    pub(crate) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let entropy = Arc::new(PerWrite::default());
        let registry = Registry::new(
            Arc::new(MemoryStore::default()),
            Arc::new(clock()),
            Arc::clone(&entropy) as Arc<dyn Entropy>,
            Chain::new(Vec::new()),
            Arc::new(DefinitionHooks::default()),
            Options { controllers: false },
        );
        let registry = registry.with_service_ranges(ranges());
        runtime.block_on(registry.start()).unwrap();
        let definitions = Arc::new(definition::kind(&Gates::default()));
        Both {
            registry,
            entropy,
            runtime,
            catalog: Catalog::default(),
            definitions,
            custom: BTreeMap::new(),
        }
    }

    /// Every stored kind that can be created, in all its served versions, with its resource.
    pub(crate) fn kinds(&mut self) -> Vec<(Arc<RestConfig>, Arc<Kind>)> {
        let resources: Vec<_> = self.registry.catalog().iter().cloned().collect();
        let mut kinds = Vec::new();
        for resource in resources.iter().filter(|it| it.verbs.read && it.verbs.create) {
            for version in resource.versions.iter().filter(|it| it.served) {
                let kind = self.kind(resource, &version.name);
                kinds.extend(kind.map(|kind| (Arc::clone(resource), kind)));
            }
        }
        kinds
    }

    /// The object as it is stored, in the version of a write.
    pub(crate) fn stored(&self, write: &Write) -> Option<Value> {
        let target = self.target(write)?;
        self.runtime.block_on(self.registry.get(&target, "")).ok()
    }

    /// Takes an object away, if it is there.
    pub(crate) fn delete(&self, write: &Write) {
        let Some(target) = self.target(write) else { return };
        let options = DeleteOptions { grace_period_seconds: Some(0), ..DeleteOptions::default() };
        let mut warnings = Warnings::default();
        let deleted = self.registry.delete(&target, &options, &mut warnings);
        drop(self.runtime.block_on(deleted));
    }

    /// Judges a write on both sides; an accepted one is stored.
    pub(crate) fn judge(&mut self, write: &Write) -> Judged {
        let Some((target, part)) = self.target(write).zip(self.part(write)) else {
            return Judged::LeftOut;
        };
        let stored = target.resource.verbs.read && target.resource.verbs.create;
        let options = match write.verb {
            Verb::Create => write.options.check(WriteKind::Create),
            Verb::Replace => write.options.check(WriteKind::Update),
            Verb::Patch(ty) => {
                write.options.check(WriteKind::Patch { apply: ty == PatchType::Apply })
            }
        };
        if !stored || options.is_err() {
            return Judged::LeftOut;
        }
        self.make_namespace(&write.namespace);
        let old = match write.verb {
            Verb::Create => None,
            _ => self.runtime.block_on(self.registry.get(&target, "")).ok(),
        };
        let Some(sent) = sent(write, &target, old.as_ref()) else { return Judged::LeftOut };
        let Some(kind) = self.kind(&target.resource, &target.version) else {
            return Judged::LeftOut;
        };
        self.entropy.next_write();
        let offline = self.offline(&kind, &target, write, part, &sent, old.as_ref(), true);
        let of_file = self.offline(&kind, &target, write, part, &sent, old.as_ref(), false);
        let (server, reason) = self.served(&target, write, part, &sent);
        let mut surely = false;
        let mut same = match reason {
            // What is there already is only looked at once the object itself is accepted.
            Some(Reason::AlreadyExists) => offline.accepted && of_file.accepted,
            _ => offline.agrees(&server) && of_file == offline.without_record(),
        };
        if write.verb == Verb::Create && surely_takes(&target, &sent) {
            surely = true;
            same &= of_file.accepted && of_file.warnings.is_empty();
        }
        if same {
            return Judged::Same { accepted: server.accepted, surely };
        }
        let part = if write.is_status { " status" } else { "" };
        Judged::Different(format!(
            "{:?} {} {}{part}\n  sent    {}\n  old     {}\n  offline {}\n  server  {}\n  file    {}",
            write.verb,
            kind.api_version(),
            kind.kind,
            json::encode_string(&sent),
            old.as_ref().map(json::encode_string).unwrap_or_default(),
            offline.shown(&server),
            server.shown(&offline),
            of_file.shown(&offline.without_record()),
        ))
    }

    /// Makes a namespace that allows whatever a namespace can, or makes it allow that again.
    fn make_namespace(&mut self, name: &str) {
        if name.is_empty() {
            return;
        }
        let catalog = self.registry.catalog();
        let Some(resource) = catalog.get("", "namespaces").cloned() else { return };
        let target = Target {
            resource,
            version: "v1".into(),
            namespace: Text::default(),
            name: name.into(),
        };
        let mut object = value!({"apiVersion": "v1", "kind": "Namespace", "metadata": {}});
        object.set_path(&["metadata", "name"], name.into());
        object.set_path(&["metadata", "labels", NAMESPACE_LABEL], "true".into());
        let label = ["metadata", "labels", NAMESPACE_LABEL];
        let stored = self.runtime.block_on(self.registry.get(&target, "")).ok();
        if stored.is_some_and(|it| it.get_path(&label) == object.get_path(&label)) {
            return;
        }
        let (part, ty, bytes) = (Part::Main, PatchType::Apply, json::encode(&object));
        let options =
            WriteOptions { force: Some(true), field_manager: "test".into(), ..Default::default() };
        let mut warnings = Warnings::default();
        let made = self.registry.patch(&target, part, ty, &bytes, &options, &mut warnings);
        self.runtime.block_on(made).unwrap();
    }

    fn target(&self, write: &Write) -> Option<Target> {
        let catalog = self.registry.catalog();
        let resource = catalog.get(&write.group, &write.plural)?;
        resource.served(&write.version)?;
        Some(Target {
            resource: Arc::clone(resource),
            version: write.version.as_str().into(),
            namespace: write.namespace.as_str().into(),
            name: write.name.as_str().into(),
        })
    }

    fn part(&self, write: &Write) -> Option<Part> {
        if !write.is_status {
            return Some(Part::Main);
        }
        let catalog = self.registry.catalog();
        let version = catalog.get(&write.group, &write.plural)?.served(&write.version)?;
        version.status.then_some(Part::Status)
    }

    /// The kind offline: of the stored definition, or one of Kubernetes itself.
    fn kind(&mut self, resource: &Arc<RestConfig>, version: &str) -> Option<Arc<Kind>> {
        if resource.group == crd::GROUP && resource.plural == crd::PLURAL {
            return Some(Arc::clone(&self.definitions));
        }
        if resource.family == Family::BuiltIn {
            return self.catalog.find(&resource.gvk(version)).ok();
        }
        let catalog = self.registry.catalog();
        let target = Target {
            resource: Arc::clone(catalog.get(crd::GROUP, crd::PLURAL)?),
            version: "v1".into(),
            namespace: Text::default(),
            name: format!("{}.{}", resource.plural, resource.group).into(),
        };
        let stored = self.runtime.block_on(self.registry.get(&target, "")).ok()?;
        let stamp = stored.get_path(&["metadata", "resourceVersion"]).cloned().unwrap_or_default();
        let key = (resource.group.clone(), resource.plural.clone(), version.to_owned());
        let known = self.custom.get(&key).filter(|known| known.0 == stamp);
        if let Some((_, kind)) = known {
            return kind.clone();
        }
        let mut catalog = Catalog::default();
        catalog.add_definition(&stored).unwrap();
        let kind = catalog.find(&resource.gvk(version)).ok();
        self.custom.insert(key, (stamp, kind.clone()));
        kind
    }

    /// The verdict on a file, with what a request has besides or without.
    fn offline(
        &self,
        kind: &Kind,
        target: &Target,
        write: &Write,
        part: Part,
        sent: &Value,
        old: Option<&Value>,
        is_requested: bool,
    ) -> Answer {
        let clock = clock();
        let context = Context {
            clock: &clock,
            entropy: self.entropy.as_ref(),
            user: None,
            conversions: None,
            dry_run: false,
        };
        let options = &write.options;
        let mut admission = Given { registry: &self.registry, target };
        let judging = Judging {
            context,
            options: is_requested.then_some(options),
            admission: &mut admission,
        };
        let write_of = match (write.verb, old) {
            (Verb::Patch(ty), old) => {
                let bytes = body_bytes(sent);
                let patch = Patch { part, ty, bytes: &bytes, options };
                let (namespace, name) = (&write.namespace, &write.name);
                let verdict = kind.judge_patch(&patch, namespace, name, old, judging).unwrap();
                let answer = Answer::of(verdict, write, None);
                return if is_requested { answer } else { answer.without_record() };
            }
            (_, None) => check::Write::Create(sent),
            (_, Some(old)) if part == Part::Status => check::Write::Status { object: sent, old },
            (_, Some(old)) => check::Write::Update { object: sent, old },
        };
        let text = body_bytes(sent);
        let is_typed = target.resource.family == Family::BuiltIn;
        let typed = is_typed.then_some(&*text);
        let answer = Answer::of(kind.judge(write_of, judging), write, typed);
        if is_requested { answer } else { answer.without_record() }
    }

    /// The registry's answer, and the reason when it refuses.
    fn served(
        &self,
        target: &Target,
        write: &Write,
        part: Part,
        sent: &Value,
    ) -> (Answer, Option<Reason>) {
        let bytes = body_bytes(sent);
        let body = Body { bytes: &bytes, media: Media::Json };
        let (registry, options) = (&self.registry, &write.options);
        let mut warnings = Warnings::default();
        let answered = self.runtime.block_on(async {
            match write.verb {
                Verb::Create => registry.create(target, &body, options, &mut warnings).await,
                Verb::Replace => {
                    let written = registry.update(target, part, &body, options, &mut warnings);
                    written.await.map(|it| it.object)
                }
                Verb::Patch(ty) => {
                    let written = registry.patch(target, part, ty, &bytes, options, &mut warnings);
                    written.await.map(|it| it.object)
                }
            }
        });
        match answered {
            Ok(object) => (Answer::accepted(&object, &warnings), None),
            Err(status) => (Answer::refused(&status), Some(status.reason)),
        }
    }
}

/// The object of a write as both sides get it; `None` when its path says something else than its
/// body, or it is no object at all.
fn sent(write: &Write, target: &Target, old: Option<&Value>) -> Option<Value> {
    let mut object = write.body.clone();
    if let Verb::Patch(_) = write.verb {
        return Some(object);
    }
    let is_of_kind = text(&object, "kind") == target.resource.kind
        && text(&object, "apiVersion") == target.group_version().to_string();
    if !is_of_kind {
        return None;
    }
    let namespace = path_text(&object, &["metadata", "namespace"]);
    if !target.resource.namespaced {
        if !namespace.is_empty() {
            return None;
        }
    } else if write.namespace.is_empty() {
        return None;
    } else if namespace.is_empty() {
        if matches!(object.get("metadata"), Some(Value::Map(_)) | None) {
            object.set_path(&["metadata", "namespace"], write.namespace.as_str().into());
        }
    } else if namespace != write.namespace {
        return None;
    }
    if write.verb == Verb::Create {
        return as_read(&object);
    }
    // Files are changed by those who have seen the object as it is.
    let old = old?;
    if path_text(&object, &["metadata", "name"]) != write.name {
        return None;
    }
    for field in ["resourceVersion", "uid"] {
        if let Some(value) = old.get_path(&["metadata", field]) {
            object.set_path(&["metadata", field], value.clone());
        }
    }
    as_read(&object)
}

/// An object as both sides read it: what is recorded may have numbers in another form.
fn as_read(object: &Value) -> Option<Value> {
    json::decode(&body_bytes(object)).ok()
}

impl Answer {
    fn nothing() -> Answer {
        Answer {
            accepted: false,
            refusal: String::new(),
            causes: Vec::new(),
            warnings: Vec::new(),
            object: Value::Null,
        }
    }

    /// What a verdict comes to under the options of a write. Findings are put at their places in a
    /// file; a server names them in the order of the text, where their kind is read as a type.
    fn of(verdict: Verdict, write: &Write, typed: Option<&[u8]>) -> Answer {
        if let Some(refusal) = verdict.unreadable {
            return Answer { refusal, ..Answer::nothing() };
        }
        let unknown = verdict.unknown.iter().map(|it| format!("unknown field \"{it}\""));
        let mut unknown: Vec<String> = unknown.collect();
        if let Some(text) = typed {
            sort_by_place(text, &mut unknown);
        }
        let mut warnings = Warnings::default();
        let validation = write.options.field_validation();
        if let Err(refusal) = report(unknown, validation, &mut warnings) {
            return Answer { refusal, ..Answer::nothing() };
        }
        if !verdict.errors.is_empty() {
            let cause = |error: &ordain_value::field::Error| {
                (error.path.clone(), error.kind.reason().to_owned(), error.body())
            };
            let causes = verdict.errors.iter().map(cause).collect();
            return Answer { causes, ..Answer::nothing() };
        }
        if let Some(status) = &verdict.refusal {
            return Answer::refused(status);
        }
        let object = verdict.object.unwrap_or_default();
        verdict.warnings.into_iter().for_each(|it| warnings.add(it));
        Answer::accepted(&object, &warnings)
    }

    fn accepted(object: &Value, warnings: &Warnings) -> Answer {
        let warnings = warnings.texts().to_vec();
        let mut object = object.clone();
        object.remove_path(&["metadata", "resourceVersion"]);
        Answer { accepted: true, warnings, object, ..Answer::nothing() }
    }

    /// The answer without what a request adds to an object and what decides nothing about it.
    fn without_record(&self) -> Answer {
        let Answer { accepted, refusal, causes, warnings, mut object } = self.clone();
        for field in ["managedFields", "uid", "creationTimestamp"] {
            object.remove_path(&["metadata", field]);
        }
        Answer { accepted, refusal, causes, warnings, object }
    }

    fn refused(status: &Status) -> Answer {
        let causes = status.details.iter().flat_map(|it| &it.causes);
        let causes: Vec<_> = causes
            .map(|it| (it.field.clone(), it.reason.to_string(), it.message.clone()))
            .collect();
        if status.reason == Reason::Invalid && !causes.is_empty() {
            return Answer { causes, ..Answer::nothing() };
        }
        Answer { refusal: status.message.clone(), ..Answer::nothing() }
    }

    /// Files report why an object cannot be read; a server says of which kind, too.
    fn agrees(&self, server: &Answer) -> bool {
        if !self.refusal.is_empty() && !server.refusal.is_empty() {
            return server.refusal.ends_with(self.refusal.as_str());
        }
        self == server
    }

    /// What of an answer differs from another.
    fn shown(&self, other: &Answer) -> String {
        if !self.accepted || !other.accepted {
            let Answer { accepted, refusal, causes, warnings, .. } = self;
            return format!("{accepted} {refusal:?} {causes:?} {warnings:?}");
        }
        if self.warnings != other.warnings {
            return format!("{:?}", self.warnings);
        }
        json::encode_string(&self.object)
    }
}
