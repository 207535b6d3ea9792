//! As much of a registry as ownership needs: objects by path, defaulting and pruning.

use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_merge::patch::{Strictness, apply, json::JsonPatch, json_merge};
use ordain_merge::types::Types;
use ordain_merge::{
    ApplyError, FieldManager, FieldManagerConfig, UnknownVersion, keep_old_times_if_equal,
    manager_name, set::Set,
};
use ordain_meta::GroupVersionKind;
use ordain_meta::time::Time;
use ordain_schema::{Additional, NodeId, Raw, Schema};
use ordain_value::{Text, Value, json, yaml};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

pub(crate) enum Answer {
    Skipped,
    Object(Value),
    Refused(i64, String),
}

#[derive(Default)]
pub(crate) struct Registry {
    crds: BTreeMap<String, Value>,
    objects: BTreeMap<String, Value>,
}

struct Kind {
    gvk: GroupVersionKind,
    schema: Schema,
    types: BTreeMap<Text, Arc<Types>>,
    status: bool,
    versions: Vec<Text>,
}

impl Registry {
    pub(crate) fn add_crd(&mut self, crd: &Value) {
        let name = crd.get_path(&["metadata", "name"]).and_then(Value::as_str);
        self.crds.insert(name.expect("CRDs have names").to_owned(), crd.clone());
    }

    /// The same kinds without objects.
    pub(crate) fn fork(&self) -> Self {
        Registry { crds: self.crds.clone(), objects: BTreeMap::new() }
    }

    pub(crate) fn step(&mut self, step: &Value, code: i64, wanted: &Value) -> Answer {
        let text = |key| step.get(key).and_then(Value::as_str).unwrap_or("");
        let (method, full_path) = (text("method"), text("path"));
        let (path, query) = full_path.split_once('?').unwrap_or((full_path, ""));
        let body = step.get("body").cloned().unwrap_or_default();
        if path.starts_with(CRDS) {
            if code < 300 && method != "DELETE" {
                let name = wanted.get_path(&["metadata", "name"]).and_then(Value::as_str);
                if name.is_some() {
                    self.add_crd(wanted);
                }
            }
            return Answer::Skipped;
        }
        // Headers travel as bytes.
        let user_agent = step.get_path(&["headers", "User-Agent"]).and_then(Value::as_str);
        let user_agent: Vec<u8> =
            user_agent.unwrap_or("").chars().map(|it| u8::try_from(it).unwrap_or(b'?')).collect();
        let user_agent = String::from_utf8_lossy(&user_agent);
        let request = Request {
            method,
            content_type: text("contentType"),
            body,
            code,
            manager: manager_name(&parameter(query, "fieldManager"), &user_agent),
            force: parameter(query, "force") == "true",
            strictness: match parameter(query, "fieldValidation").as_str() {
                "Ignore" => Strictness::Ignore,
                _ => Strictness::Report,
            },
            dry_run: query.contains("dryRun=All"),
        };
        self.custom_resource(path, &request)
    }

    fn custom_resource(&mut self, path: &str, request: &Request<'_>) -> Answer {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (group, version, namespace, plural, rest) = match parts.as_slice() {
            ["apis", group, version, "namespaces", namespace, plural, rest @ ..] => {
                (group, version, *namespace, plural, rest)
            }
            ["apis", group, version, plural, rest @ ..] => (group, version, "", plural, rest),
            _ => return Answer::Skipped,
        };
        let Some(kind) = self.kind(group, version, plural) else { return Answer::Skipped };
        let name_of_body = request.object().ok().and_then(|it| {
            it.get_path(&["metadata", "name"]).and_then(Value::as_str).map(str::to_owned)
        });
        let (name, subresource) = match rest {
            [] => (name_of_body.clone().unwrap_or_default(), ""),
            [name] => ((*name).to_owned(), ""),
            [name, "status"] => ((*name).to_owned(), "status"),
            _ => return self.forget(path, request),
        };
        let key = format!("{group}/{namespace}/{plural}/{name}");
        let live = self.objects.get(&key).map(|it| {
            let mut it = it.clone();
            it.set_path(&["apiVersion"], Value::from(format!("{group}/{version}")));
            kind.read(it)
        });
        if request.method == "GET" {
            return match live {
                Some(live) if request.code < 300 => Answer::Object(live),
                _ => Answer::Skipped,
            };
        }
        if request.method == "DELETE" {
            if request.code < 300 {
                self.objects.remove(&key);
            }
            return Answer::Skipped;
        }
        let now = Time::from_unix(1_700_000_000, 0);
        let manager = kind.manager(subresource);
        match kind.write(&manager, request, live.as_ref(), subresource, now) {
            Ok(Some(mut new)) => {
                new.set_path(&["metadata", "namespace"], Value::from(namespace));
                new.set_path(&["metadata", "uid"], Value::from("u"));
                if let Some(live) = &live {
                    keep_old_times_if_equal(&mut new, live);
                }
                // Refusals beyond this crate (validation, conflicts of versions) are recorded.
                if request.code >= 300 {
                    let ours = request.content_type.contains("apply") && request.code == 500;
                    return if ours { Answer::Object(new) } else { Answer::Skipped };
                }
                if !request.dry_run {
                    self.objects.insert(key, new.clone());
                }
                Answer::Object(kind.read(new))
            }
            Ok(None) => Answer::Skipped,
            Err((code, message)) => Answer::Refused(code, message),
        }
    }

    /// Writes this registry does not play, such as scale, end the case for that object.
    fn forget(&mut self, path: &str, request: &Request<'_>) -> Answer {
        if request.method != "GET" && request.code < 300 {
            let prefix = path.trim_matches('/').to_owned();
            self.objects.retain(|key, _| {
                let parts: Vec<&str> = key.split('/').collect();
                !(prefix.contains(parts[2]) && prefix.contains(parts[3]))
            });
        }
        Answer::Skipped
    }

    fn kind(&self, group: &str, version: &str, plural: &str) -> Option<Kind> {
        let crd = self.crds.get(&format!("{plural}.{group}"))?;
        let kind = crd.get_path(&["spec", "names", "kind"])?.as_str()?;
        let mut types = BTreeMap::new();
        let mut found = None;
        let mut versions = Vec::new();
        for entry in crd.get_path(&["spec", "versions"])?.as_list()?.iter() {
            let name = entry.get("name")?.as_str()?;
            let schema = entry.get_path(&["schema", "openAPIV3Schema"])?;
            let (raw, _) = Raw::decode(schema).ok()?;
            let schema = ordain_schema::resolve(&raw).expect("recorded CRDs are structural");
            let api_version = Text::from(format!("{group}/{name}"));
            types.insert(api_version.clone(), Arc::new(Types::compile(&schema)));
            versions.push(api_version);
            if name == version {
                let status = entry.get_path(&["subresources", "status"]).is_some();
                found = Some((schema, status));
            }
        }
        let (schema, status) = found?;
        let gvk = GroupVersionKind::new(group, version, kind);
        Some(Kind { gvk, schema, types, status, versions })
    }
}

struct Request<'a> {
    method: &'a str,
    content_type: &'a str,
    body: Value,
    code: i64,
    manager: Text,
    force: bool,
    strictness: Strictness,
    dry_run: bool,
}

impl Request<'_> {
    fn bytes(&self) -> Vec<u8> {
        match &self.body {
            Value::Str(text) => text.as_bytes().to_vec(),
            // The recorder wrote everything beyond ASCII as escapes, which YAML reads differently.
            other => {
                let mut out = Vec::new();
                for character in json::encode_string(other).chars() {
                    if character.is_ascii() {
                        out.push(character as u8);
                    } else {
                        let mut units = [0; 2];
                        for unit in character.encode_utf16(&mut units) {
                            out.extend(format!("\\u{unit:04x}").into_bytes());
                        }
                    }
                }
                out
            }
        }
    }

    fn object(&self) -> Result<Value, String> {
        let document = yaml::decode_first(&self.bytes(), yaml::Options::default())
            .map_err(|it| it.to_string())?;
        document.value.map_err(|it| it.to_string())
    }
}

impl Kind {
    fn manager(&self, subresource: &str) -> FieldManager {
        let mut reset_fields = BTreeMap::new();
        if subresource == "status" {
            for version in &self.versions {
                reset_fields.insert(version.clone(), Set::of_fields(&[&["metadata"], &["spec"]]));
            }
        } else if self.status {
            let version = Text::from(self.gvk.group_version().to_string());
            reset_fields.insert(version, Set::of_fields(&[&["status"]]));
        }
        FieldManager::new(FieldManagerConfig {
            gvk: self.gvk.clone(),
            subresource: Text::new(subresource),
            versions: self.types.clone().into(),
            reset_fields: reset_fields.into(),
            unknown_version: UnknownVersion::Refused,
        })
    }

    fn write(
        &self,
        manager: &FieldManager,
        request: &Request<'_>,
        live: Option<&Value>,
        subresource: &str,
        now: Time,
    ) -> Result<Option<Value>, (i64, String)> {
        let refused = |it: ApplyError| match it {
            ApplyError::BadRequest(it) => (400, it),
            ApplyError::Internal(it) => (500, it),
            ApplyError::Conflicts(it) => (409, it.message()),
        };
        if matches!(request.code, 404 | 409 | 415)
            && !(request.code == 409 && request.content_type.contains("apply"))
        {
            return Ok(None);
        }
        let empty = manager.empty_object();
        let new = match (request.method, request.content_type) {
            ("PATCH", "application/apply-patch+yaml") => {
                if request.code == 422 && request.manager.is_empty() {
                    return Ok(None);
                }
                let (applied, _) = apply::decode(&request.bytes())
                    .map_err(|it| (i64::from(it.code()), it.to_string()))?;
                let result = manager.apply(
                    live.unwrap_or(&empty),
                    &applied,
                    &request.manager,
                    request.force,
                    now,
                );
                let mut new = match result {
                    Err(_) if request.code == 422 => return Ok(None),
                    other => other.map_err(refused)?,
                };
                self.default(self.schema.root(), &mut new);
                new
            }
            ("PATCH", kind) => {
                let Some(live) = live else { return Ok(None) };
                let bytes = request.bytes();
                let patched = if kind.contains("json-patch") {
                    let Ok((patch, _)) = JsonPatch::decode(&bytes, request.strictness) else {
                        return Ok(None);
                    };
                    match patch.apply(live) {
                        Ok(patched) => patched,
                        Err(_) => return Ok(None),
                    }
                } else {
                    match json_merge::decode(&bytes, request.strictness) {
                        Ok((patch, _)) => json_merge::apply(live, &patch),
                        Err(_) => return Ok(None),
                    }
                };
                manager.update(live, self.request(patched), &request.manager, now)
            }
            ("POST" | "PUT", _) => {
                let Ok(object) = request.object() else { return Ok(None) };
                if !matches!(object, Value::Map(_)) {
                    return Ok(None);
                }
                let live = live.filter(|_| request.method == "PUT").unwrap_or(&empty);
                manager.update(live, self.request(object), &request.manager, now)
            }
            _ => return Ok(None),
        };
        Ok(Some(self.strategy(new, live, subresource)))
    }

    /// What the strategies of custom resources take from where.
    fn strategy(&self, mut new: Value, live: Option<&Value>, subresource: &str) -> Value {
        let take = |object: &mut Value, from: Option<&Value>, path: &[&str]| match from
            .and_then(|it| it.get_path(path))
        {
            Some(value) => object.set_path(path, value.clone()),
            None => {
                object.remove_path(path);
            }
        };
        match (subresource, live) {
            ("status", Some(live)) => {
                let mut object = live.clone();
                take(&mut object, Some(&new), &["status"]);
                take(&mut object, Some(&new), &["metadata", "managedFields"]);
                object
            }
            _ => {
                if self.status {
                    take(&mut new, live, &["status"]);
                }
                new
            }
        }
    }

    fn request(&self, mut object: Value) -> Value {
        if let Some(metadata) = object.get("metadata")
            && let Ok(coerced) = ordain_meta::object_meta::coerce(metadata)
        {
            object.set_path(&["metadata"], coerced.metadata);
        }
        self.prune(self.schema.root(), &mut object, true);
        self.default(self.schema.root(), &mut object);
        object
    }

    fn read(&self, mut object: Value) -> Value {
        if let Some(metadata) = object.get("metadata")
            && let Ok(coerced) = ordain_meta::object_meta::coerce_dropping_invalid(metadata)
        {
            object.set_path(&["metadata"], coerced.metadata);
        }
        self.prune(self.schema.root(), &mut object, true);
        self.default(self.schema.root(), &mut object);
        object
    }

    fn prune(&self, id: NodeId, value: &mut Value, resource: bool) {
        let node = self.schema.node(id);
        match value {
            Value::Map(map) => {
                let known = |key: &str| {
                    (resource || node.embedded_resource)
                        && matches!(key, "apiVersion" | "kind" | "metadata")
                };
                let additional = node.additional_node();
                let open = node.preserve_unknown || node.additional == Additional::Any;
                map.retain(|key, value| {
                    known(key)
                        || open
                        || additional.is_some()
                        || node.property(key).is_some_and(|it| {
                            !value.is_null()
                                || self.schema.node(it).nullable
                                || self.schema.node(it).default.is_some()
                        })
                });
                for (key, value) in map.iter_mut() {
                    if known(key) {
                        continue;
                    }
                    if let Some(child) = node.property(key).or(additional) {
                        self.prune(child, value, false);
                    } else if !node.preserve_unknown
                        && let Value::Map(map) = value
                    {
                        map.retain(|_, _| false);
                    }
                }
            }
            Value::List(list) => {
                if let Some(items) = node.items {
                    list.to_mut().iter_mut().for_each(|it| self.prune(items, it, false));
                }
            }
            _ => {}
        }
    }

    fn default(&self, id: NodeId, value: &mut Value) {
        let node = self.schema.node(id);
        match value {
            Value::Map(map) => {
                for (name, child) in &node.properties {
                    let child_node = self.schema.node(*child);
                    if let Some(default) = &child_node.default {
                        let missing = match map.get(name) {
                            None => true,
                            Some(value) => value.is_null() && !child_node.nullable,
                        };
                        if missing {
                            map.insert(name.clone(), default.clone());
                        }
                    }
                }
                let additional = node.additional_node();
                for (key, value) in map.iter_mut() {
                    if let Some(child) = node.property(key).or(additional) {
                        self.default(child, value);
                    }
                }
            }
            Value::List(list) if !list.is_empty() => {
                if let Some(items) = node.items {
                    list.to_mut().iter_mut().for_each(|it| self.default(items, it));
                }
            }
            _ => {}
        }
    }
}

fn parameter(query: &str, name: &str) -> String {
    let raw = query
        .split('&')
        .filter_map(|it| it.split_once('='))
        .find(|it| it.0 == name)
        .map_or("", |it| it.1);
    let mut out = Vec::new();
    let mut bytes = raw.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'+' => out.push(b' '),
            b'%' => {
                let hex: String = bytes.by_ref().take(2).map(char::from).collect();
                out.push(u8::from_str_radix(&hex, 16).unwrap_or(b'%'));
            }
            other => out.push(other),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
