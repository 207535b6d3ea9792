//! Just enough of an API server to play recorded requests against plans: no HTTP, no apply, no scale.

use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_meta::{ObjectMeta, name, object_meta};
use ordain_passes::{Context, Plan, RuleOptions, RuleSet, Unknown};
use ordain_schema::{Raw, resolve};
use ordain_value::field::{ErrorList, Path};
use ordain_value::{Value, json, value};

pub struct Step<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub content_type: &'a str,
    pub body: &'a Value,
}

pub struct Answer {
    pub code: i64,
    pub body: Value,
    pub warnings: Vec<String>,
}

#[derive(Default)]
pub struct Machine {
    kinds: BTreeMap<(String, String), Kind>,
    objects: BTreeMap<String, Value>,
    revision: i64,
}

struct Kind {
    group: String,
    kind: String,
    namespaced: bool,
    storage: String,
    versions: BTreeMap<String, Version>,
}

struct Version {
    plan: Arc<Plan>,
    rules: RuleSet,
    status: bool,
    deprecated: bool,
}

struct Target<'a> {
    group: &'a str,
    version: &'a str,
    namespace: Option<&'a str>,
    plural: &'a str,
    name: Option<&'a str>,
    subresource: Option<&'a str>,
    strict: Strictness,
}

#[derive(PartialEq, Clone, Copy)]
enum Strictness {
    Ignore,
    Warn,
    Strict,
}

impl Machine {
    /// Puts a CRD in force; `Err` tells what it uses that this machine does not play.
    pub fn define(&mut self, crd: &Value) -> Result<(), String> {
        let spec = crd.get("spec").ok_or("no spec")?;
        let text = |value: &Value, keys: &[&str]| {
            value.get_path(keys).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let mut kind = Kind {
            group: text(spec, &["group"]),
            kind: text(spec, &["names", "kind"]),
            namespaced: text(spec, &["scope"]) == "Namespaced",
            storage: String::new(),
            versions: BTreeMap::new(),
        };
        for version in spec.get("versions").and_then(Value::as_list).ok_or("no versions")?.iter() {
            let schema = version.get_path(&["schema", "openAPIV3Schema"]).ok_or("no schema")?;
            let (raw, _) = Raw::decode(schema).map_err(|it| it.to_string())?;
            let schema = resolve(&raw).map_err(|it| it.to_string())?;
            let plan = Arc::new(Plan::compile(&schema).map_err(|it| it.to_string())?);
            let rules = RuleSet::compile(&schema, RuleOptions::crd(), Some(Arc::clone(&plan)));
            let name = text(version, &["name"]);
            if version.get_path(&["subresources", "scale"]).is_some() {
                return Err("scale".to_owned());
            }
            if version.get("storage").and_then(Value::as_bool) == Some(true) {
                kind.storage.clone_from(&name);
            }
            let status = version.get_path(&["subresources", "status"]).is_some();
            let deprecated = version.get("deprecated").and_then(Value::as_bool) == Some(true);
            kind.versions.insert(name, Version { plan, rules, status, deprecated });
        }
        let plural = text(spec, &["names", "plural"]);
        self.kinds.insert((kind.group.clone(), plural), kind);
        Ok(())
    }

    /// Answers a request, or tells why it is not played.
    pub fn play(&mut self, step: &Step<'_>) -> Result<Answer, String> {
        let target = target(step.path).ok_or("path")?;
        let key = (target.group.to_owned(), target.plural.to_owned());
        let kind = self.kinds.get(&key).ok_or("unknown resource")?;
        let version = kind.versions.get(target.version).ok_or("unknown version")?;
        if version.deprecated || !matches!(target.subresource, None | Some("status")) {
            return Err("not played".to_owned());
        }
        let request = Request { kind, version, target: &target, objects: &self.objects };
        let revision = self.revision + 1;
        let (answer, stored) = match step.method {
            "POST" if target.name.is_none() => request.create(step, revision)?,
            "PUT" => request.update(&decode(step)?, revision)?,
            "PATCH" => request.patch(step, revision)?,
            "GET" if target.name.is_some() => (request.get(), None),
            other => return Err(other.to_owned()),
        };
        if let Some((key, object)) = stored {
            self.revision = revision;
            self.objects.insert(key, object);
        }
        Ok(answer)
    }
}

struct Request<'a> {
    kind: &'a Kind,
    version: &'a Version,
    target: &'a Target<'a>,
    objects: &'a BTreeMap<String, Value>,
}

type Played = (Answer, Option<(String, Value)>);

impl Request<'_> {
    fn key(&self, name: &str) -> String {
        let namespace = self.target.namespace.unwrap_or_default();
        format!("{}/{}/{namespace}/{name}", self.target.group, self.target.plural)
    }

    fn api_version(&self) -> String {
        format!("{}/{}", self.kind.group, self.target.version)
    }

    /// The object as it is read: shaped and defaulted by the stored version, then renamed.
    fn read(&self, stored: &Value) -> Value {
        let mut object = stored.clone();
        let version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        let version = version.rsplit('/').next().unwrap_or_default().to_owned();
        if let Some(version) = self.kind.versions.get(&version) {
            version.plan.shape_stored(&mut object).expect("stored metadata is an object");
            version.plan.default(&mut object);
        }
        object.set_path(&["apiVersion"], self.api_version().into());
        object
    }

    /// What is stored: the object in the storage version, pruned by it when that is another one. Bytes know no
    /// difference between 1.0 and 1.
    fn store(&self, object: &Value) -> Value {
        let mut object = object.clone();
        if self.kind.storage != self.target.version {
            let api_version = format!("{}/{}", self.kind.group, self.kind.storage);
            object.set_path(&["apiVersion"], api_version.into());
            let plan = &self.kind.versions[&self.kind.storage].plan;
            let _ = plan.shape_request(&mut object, Unknown::Ignore);
        }
        json::decode(&json::encode(&object)).expect("our own bytes")
    }

    fn get(&self) -> Answer {
        let name = self.target.name.unwrap_or_default();
        match self.objects.get(&self.key(name)) {
            Some(stored) => Answer { code: 200, body: self.read(stored), warnings: Vec::new() },
            None => not_found(self.target, name),
        }
    }

    fn create(&self, step: &Step<'_>, revision: i64) -> Result<Played, String> {
        let mut object = decode(step)?;
        let mut warnings = match self.accept(&mut object) {
            Ok(warnings) => warnings,
            Err(answer) => return Ok((answer, None)),
        };
        let plan = &self.version.plan;
        for field in ["uid", "creationTimestamp", "deletionGracePeriodSeconds", "selfLink"] {
            object.remove_path(&["metadata", field]);
        }
        if let Some(namespace) = self.target.namespace {
            object.set_path(&["metadata", "namespace"], namespace.into());
        }
        if self.version.status
            && let Value::Map(map) = &mut object
        {
            map.remove("status");
        }
        if ObjectMeta::of(&object).name().is_empty()
            && !ObjectMeta::of(&object).generate_name().is_empty()
        {
            return Err("generateName".to_owned());
        }
        object.set_path(&["metadata", "generation"], 1.into());
        let outcome = plan.validate_create(&object, &self.context(&self.api_version()));
        warnings.extend(outcome.warnings);
        if !outcome.errors.is_empty() {
            return Ok((self.invalid(&object, &outcome.errors, warnings), None));
        }
        let meta = ObjectMeta::of(&object);
        let errors = object_meta::validate(
            meta,
            self.kind.namespaced,
            name::path_segment_rule,
            &Path::new("metadata"),
        );
        if !errors.is_empty() {
            return Ok((self.invalid(&object, &errors, warnings), None));
        }
        let key = self.key(meta.name());
        if self.objects.contains_key(&key) {
            return Err("already exists".to_owned());
        }
        object.set_path(&["metadata", "resourceVersion"], revision.to_string().into());
        let stored = self.store(&object);
        let body = self.read(&stored);
        Ok((Answer { code: 201, body, warnings }, Some((key, stored))))
    }

    /// Shapes and defaults a request body; the answer when it is refused.
    fn accept(&self, object: &mut Value) -> Result<Vec<String>, Answer> {
        let kind = &self.kind.kind;
        let version = self.target.version;
        let refuse = |why: String| {
            let text =
                format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {why}");
            failure(400, "BadRequest", &text, None)
        };
        let told = self.version.plan.shape_request(object, Unknown::Tell).map_err(refuse)?;
        self.version.plan.default(object);
        let texts: Vec<String> =
            told.iter().map(|path| format!("unknown field \"{path}\"")).collect();
        match self.target.strict {
            Strictness::Ignore => Ok(Vec::new()),
            Strictness::Strict if !texts.is_empty() => {
                Err(refuse(format!("strict decoding error: {}", texts.join(", "))))
            }
            _ => Ok(texts),
        }
    }

    fn update(&self, body: &Value, revision: i64) -> Result<Played, String> {
        let name = self.target.name.ok_or("no name")?;
        let Some(stored) = self.objects.get(&self.key(name)) else {
            return Ok((not_found(self.target, name), None));
        };
        let old = self.read(stored);
        let mut object = body.clone();
        let old_revision = ObjectMeta::of(&old).resource_version().to_owned();
        match object.get_path(&["metadata", "resourceVersion"]).and_then(Value::as_str) {
            Some("$RV") => {
                object.set_path(&["metadata", "resourceVersion"], old_revision.as_str().into());
            }
            Some(it) if it == old_revision => {}
            _ => return Err("resourceVersion".to_owned()),
        }
        if ObjectMeta::of(&object).name() != name {
            return Err("name".to_owned());
        }
        let warnings = match self.accept(&mut object) {
            Ok(warnings) => warnings,
            Err(answer) => return Ok((answer, None)),
        };
        if let Some(namespace) = self.target.namespace {
            object.set_path(&["metadata", "namespace"], namespace.into());
        }
        self.commit(object, &old, warnings, revision)
    }

    fn commit(
        &self,
        mut object: Value,
        old: &Value,
        mut warnings: Vec<String>,
        revision: i64,
    ) -> Result<Played, String> {
        let status_write = self.target.subresource == Some("status");
        if status_write {
            let status = object.get("status").cloned();
            object = old.clone();
            let Value::Map(map) = &mut object else { return Err("no object".to_owned()) };
            match status {
                Some(status) => map.insert("status", status),
                None => map.remove("status"),
            };
        } else {
            self.prepare(&mut object, old);
        }
        let api_version = self.api_version();
        let context = self.context(&api_version);
        let mut errors = object_meta::validate(
            ObjectMeta::of(&object),
            self.kind.namespaced,
            name::path_segment_rule,
            &Path::new("metadata"),
        );
        errors.extend(object_meta::validate_update(
            ObjectMeta::of(&object),
            ObjectMeta::of(old),
            &Path::new("metadata"),
        ));
        let plan = &self.version.plan;
        let outcome = if status_write {
            plan.validate_status_update(&object, old, &context)
        } else {
            plan.validate_update(&object, old, &context)
        };
        errors.extend(outcome.errors);
        warnings.extend(outcome.warnings);
        if !errors.is_empty() {
            return Ok((self.invalid(&object, &errors, warnings), None));
        }
        if object != *old {
            object.set_path(&["metadata", "resourceVersion"], revision.to_string().into());
        }
        let stored = self.store(&object);
        let body = self.read(&stored);
        let key = self.key(ObjectMeta::of(&object).name());
        Ok((Answer { code: 200, body, warnings }, Some((key, stored))))
    }

    fn prepare(&self, object: &mut Value, old: &Value) {
        let mut generation = ObjectMeta::of(old).generation();
        if self.version.status
            && let Value::Map(map) = &mut *object
        {
            match old.get("status") {
                Some(status) => map.insert("status", status.clone()),
                None => map.remove("status"),
            };
        }
        let content = |value: &Value| {
            let mut value = value.clone();
            value.remove_path(&["metadata"]);
            value
        };
        if content(object) != content(old) {
            generation += 1;
        }
        object.set_path(&["metadata", "generation"], generation.into());
    }

    fn patch(&self, step: &Step<'_>, revision: i64) -> Result<Played, String> {
        if step.content_type != "application/merge-patch+json" {
            return Err(step.content_type.to_owned());
        }
        let name = self.target.name.ok_or("no name")?;
        let Some(stored) = self.objects.get(&self.key(name)) else {
            return Ok((not_found(self.target, name), None));
        };
        let old = self.read(stored);
        let mut object = merge(&old, &decode(step)?);
        if object.get_path(&["metadata", "resourceVersion"])
            != old.get_path(&["metadata", "resourceVersion"])
        {
            return Err("resourceVersion".to_owned());
        }
        if self.target.strict == Strictness::Strict {
            return Err("strict patch".to_owned());
        }
        match self.accept(&mut object) {
            Ok(warnings) => self.commit(object, &old, warnings, revision),
            Err(_) => Err("patch that cannot be decoded".to_owned()),
        }
    }

    fn context<'a>(&'a self, api_version: &'a str) -> Context<'a> {
        Context {
            api_version,
            kind: &self.kind.kind,
            namespaced: self.kind.namespaced,
            scale: None,
            rules: &self.version.rules,
        }
    }

    fn invalid(&self, object: &Value, errors: &ErrorList, warnings: Vec<String>) -> Answer {
        let mut texts: Vec<String> = Vec::new();
        for error in errors {
            let text = error.to_string();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        let list = match texts.as_slice() {
            [one] => one.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        let name = ObjectMeta::of(object).name();
        let (kind, group) = (&self.kind.kind, &self.kind.group);
        let text = format!("{kind}.{group} \"{name}\" is invalid: {list}");
        let causes: Vec<Value> = errors
            .iter()
            .map(|it| {
                let (reason, message) = (it.kind.reason(), it.body());
                value!({"reason": reason, "message": message, "field": (it.path.as_str())})
            })
            .collect();
        Answer { warnings, ..failure(422, "Invalid", &text, Some(causes.into())) }
    }
}

fn failure(code: i64, reason: &str, message: &str, causes: Option<Value>) -> Answer {
    let mut body = value!({"kind": "Status", "status": "Failure", "reason": reason, "message": message, "code": code});
    if let Some(causes) = causes {
        body.set_path(&["details", "causes"], causes);
    }
    Answer { code, body, warnings: Vec::new() }
}

fn not_found(target: &Target<'_>, name: &str) -> Answer {
    let text = format!("{}.{} \"{name}\" not found", target.plural, target.group);
    failure(404, "NotFound", &text, None)
}

fn decode(step: &Step<'_>) -> Result<Value, String> {
    match step.body {
        Value::Str(text) if step.content_type != "application/yaml" => {
            json::decode(text.as_bytes()).map_err(|_| "undecodable body".to_owned())
        }
        Value::Map(_) => Ok(step.body.clone()),
        _ => Err("body".to_owned()),
    }
}

fn merge(object: &Value, patch: &Value) -> Value {
    let Value::Map(patch) = patch else { return patch.clone() };
    let mut merged = object.as_map().cloned().unwrap_or_default();
    for (key, value) in patch.iter() {
        if value.is_null() {
            merged.remove(key);
        } else {
            let old = merged.get(key).cloned().unwrap_or_default();
            merged.insert(key.clone(), merge(&old, value));
        }
    }
    Value::Map(merged)
}

fn target(path: &str) -> Option<Target<'_>> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut strict = Strictness::Warn;
    for pair in query.split('&').filter(|it| !it.is_empty()) {
        match pair.split_once('=') {
            Some(("fieldValidation", "Strict")) => strict = Strictness::Strict,
            Some(("fieldValidation", "Ignore")) => strict = Strictness::Ignore,
            Some(("fieldValidation", "Warn") | ("fieldManager", _)) => {}
            _ => return None,
        }
    }
    let mut parts = path.strip_prefix("/apis/")?.split('/');
    let (group, version) = (parts.next()?, parts.next()?);
    let mut first = parts.next()?;
    let mut namespace = None;
    if first == "namespaces" {
        namespace = Some(parts.next()?);
        first = parts.next()?;
    }
    let (name, subresource) = (parts.next(), parts.next());
    Some(Target { group, version, namespace, plural: first, name, subresource, strict })
}
