//! The operations of a resource: which paths, methods and parameters it has.

use ordain_registry::subresource::{self, Access};
use ordain_registry::{Family, RestConfig};
use ordain_value::{Map, Text, Value, value};

use super::connect;
use super::model::{self, Dialect};
use super::operation::{
    LIST, META, Operation, about, collection_operations, create, list, object_operations, patch,
    read, replace,
};

const STREAMS: [&str; 2] =
    ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

/// Adds all paths of a resource.
pub(super) fn add(
    resource: &RestConfig,
    version: &str,
    model: &Text,
    dialect: Dialect,
    paths: &mut Map,
) {
    let base = if resource.group.is_empty() {
        format!("/api/{version}")
    } else {
        format!("/apis/{}/{version}", resource.group)
    };
    let collection = if resource.namespaced {
        format!("{base}/namespaces/{{namespace}}/{}", resource.plural)
    } else {
        format!("{base}/{}", resource.plural)
    };
    let list_model = Text::from(model::list_name(model, resource));
    let context = Context { resource, version, dialect };
    if resource.namespaced && resource.verbs.read {
        let all = vec![list(&list_model)];
        paths.insert(format!("{base}/{}", resource.plural), context.path(&all, false, false, ""));
    }
    let scoped = resource.namespaced;
    let operations = collection_operations(resource, model, &list_model);
    if !operations.is_empty() {
        paths.insert(collection.clone(), context.path(&operations, scoped, false, ""));
    }
    let operations = object_operations(resource, model);
    if !operations.is_empty() {
        let path = format!("{collection}/{{name}}");
        paths.insert(path, context.path(&operations, scoped, true, ""));
    }
    let Some(config) = resource.served(version) else { return };
    let mut parts: Vec<(&str, Access)> =
        resource.subresources.iter().map(|name| (name.as_str(), Access::of(name))).collect();
    parts.extend(config.status.then_some(("status", Access::Edit)));
    parts.extend(config.scale.as_ref().map(|_| ("scale", Access::Edit)));
    for (name, access) in parts {
        let path = format!("{collection}/{{name}}/{name}");
        let model = part_model(resource, model, name);
        let operations = match access {
            Access::Edit => vec![read(resource, &model), replace(&model), patch(&model)],
            Access::Update => vec![replace(&model)],
            Access::Create => vec![create(&model)],
            Access::Connect | Access::Proxy | Access::Read => {
                connect::add(&context, &path, name, access, paths);
                continue;
            }
        };
        paths.insert(path, context.path(&operations, scoped, true, name));
    }
    if resource.family == Family::BuiltIn && resource.verbs.watch {
        context.add_watches(&base, paths);
    }
}

/// The model of a subresource: that of the object, unless it has a kind of its own.
fn part_model(resource: &RestConfig, model: &Text, name: &str) -> Text {
    if resource.family == Family::Custom {
        return model.clone();
    }
    match name {
        "scale" => Text::new_static("io.k8s.api.autoscaling.v1.Scale"),
        "eviction" => Text::new_static("io.k8s.api.policy.v1.Eviction"),
        "token" => Text::new_static("io.k8s.api.authentication.v1.TokenRequest"),
        "binding" => Text::new_static("io.k8s.api.core.v1.Binding"),
        _ => model.clone(),
    }
}

/// Whose paths are written, and how.
pub(super) struct Context<'a> {
    pub(super) resource: &'a RestConfig,
    pub(super) version: &'a str,
    pub(super) dialect: Dialect,
}

impl Context<'_> {
    fn path(&self, operations: &[Operation], scoped: bool, named: bool, part: &str) -> Value {
        let mut map = Map::new();
        for operation in operations {
            map.insert(operation.method, self.operation(operation, scoped, part));
        }
        let mut parameters = self.object_parameters();
        if !named {
            parameters.remove(0);
        }
        if !scoped {
            parameters.truncate(usize::from(named));
        }
        parameters.push(self.parameter("pretty", "string", "query", about("pretty")));
        // What all operations share stands with the path.
        if let [operation] = operations
            && (operation.body.is_none() || self.resource.family == Family::BuiltIn)
            && let Some(Value::Map(only)) = map.get_mut(operation.method)
            && let Some(Value::List(own)) = only.remove("parameters")
        {
            parameters.extend(own.iter().cloned());
            parameters.sort_by_key(by_name);
        }
        map.insert("parameters", parameters.into());
        Value::Map(map)
    }

    /// What the path of an object names it by.
    pub(super) fn object_parameters(&self) -> Vec<Value> {
        let mut parameters = vec![self.parameter("name", "string", "path", "name of the object")];
        if self.resource.namespaced {
            let about = "object name and auth scope, such as for teams and projects";
            parameters.push(self.parameter("namespace", "string", "path", about));
        }
        parameters
    }

    pub(super) fn tags(&self) -> Value {
        vec![Value::from(format!("{}_{}", self.camel(), self.version))].into()
    }

    pub(super) fn parameter(&self, name: &str, ty: &str, place: &str, about: &str) -> Value {
        let is_v2 = self.dialect == Dialect::V2;
        let schema = (!is_v2).then(|| value!({"type": ty, "uniqueItems": true}));
        value!({
            "name": name,
            "in": place,
            "description"?: about,
            "type"?: (is_v2.then_some(ty)),
            "uniqueItems"?: is_v2,
            "schema"?: schema,
            "required"?: (place == "path")
        })
    }

    fn operation(&self, operation: &Operation, scoped: bool, part: &str) -> Value {
        let kind = &self.resource.kind;
        let mut map = Map::new();
        let mut parameters: Vec<Value> = operation
            .parameters
            .iter()
            .map(|(name, ty)| self.parameter(name, ty, "query", about(name)))
            .collect();
        if let Some(body) = &operation.body {
            self.add_body(operation, body, &mut map, &mut parameters);
        }
        if !parameters.is_empty() {
            map.insert("parameters", parameters.into());
        }
        map.insert("description", describe(operation.verb, kind, part).into());
        let operation_id = self.operation_id(operation, scoped, part);
        map.insert("operationId", operation_id.into());
        map.insert("tags", self.tags());
        map.insert("responses", self.responses(operation));
        map.insert("x-kubernetes-action", operation.action.into());
        map.insert("x-kubernetes-group-version-kind", self.gvk(part));
        if self.dialect == Dialect::V2 {
            let consumes = match operation.method {
                "patch" => self.patch_types(),
                _ => vec!["application/json", "application/yaml"],
            };
            map.insert("consumes", texts(&consumes));
            map.insert("produces", texts(&["application/json", "application/yaml"]));
            map.insert("schemes", texts(&["https"]));
        }
        Value::Map(map)
    }

    fn patch_types(&self) -> Vec<&'static str> {
        let mut types = vec![
            "application/apply-patch+yaml",
            "application/json-patch+json",
            "application/merge-patch+json",
        ];
        if self.resource.family == Family::BuiltIn {
            types.push("application/strategic-merge-patch+json");
        }
        types
    }

    fn add_body(
        &self,
        operation: &Operation,
        body: &str,
        map: &mut Map,
        parameters: &mut Vec<Value>,
    ) {
        let required = operation.method != "delete";
        let reference = self.dialect.reference(body);
        if self.dialect == Dialect::V2 {
            let body =
                value!({"name": "body", "in": "body", "schema": reference, "required"?: required});
            parameters.insert(0, body);
            return;
        }
        let types = match operation.method {
            "patch" => self.patch_types(),
            _ if self.resource.family == Family::BuiltIn => vec!["*/*"],
            _ => vec!["application/json", "application/yaml"],
        };
        let content = contents(&types, &reference);
        map.insert("requestBody", value!({"content": content, "required"?: required}));
    }

    /// The kind that an operation is about.
    pub(super) fn gvk(&self, part: &str) -> Value {
        let own = || model::gvk(self.resource, self.version, &self.resource.kind);
        if self.resource.family == Family::Custom {
            return own();
        }
        let kind = subresource::kind(self.resource, part);
        match kind.version.as_str() {
            "" => model::gvk(self.resource, self.version, &kind.kind),
            version => value!({
                "group": (kind.group.as_str()), "kind": (kind.kind.as_str()), "version": version
            }),
        }
    }

    /// The media types of an answer.
    fn answer_types(&self, operation: &Operation) -> Vec<&'static str> {
        let mut types = vec!["application/json", "application/yaml"];
        if self.resource.family == Family::BuiltIn {
            types.push("application/vnd.kubernetes.protobuf");
            if matches!(operation.verb, "list" | "watch") {
                types.extend(STREAMS);
            }
        }
        types
    }

    /// The old paths of watches.
    fn add_watches(&self, base: &str, paths: &mut Map) {
        let (resource, plural) = (self.resource, &self.resource.plural);
        let watch = |action| Operation {
            method: "get",
            action,
            verb: "watch",
            answer: format!("{META}.WatchEvent").into(),
            body: None,
            parameters: LIST,
        };
        let (one, all) = ([watch("watch")], [watch("watchlist")]);
        let scoped = resource.namespaced;
        let collection = match scoped {
            true => format!("{base}/watch/namespaces/{{namespace}}/{plural}"),
            false => format!("{base}/watch/{plural}"),
        };
        if scoped {
            let path = format!("{base}/watch/{plural}");
            paths.insert(path, self.path(&all, false, false, "list"));
        }
        paths.insert(format!("{collection}/{{name}}"), self.path(&one, scoped, true, ""));
        paths.insert(collection, self.path(&all, scoped, false, "list"));
    }

    fn responses(&self, operation: &Operation) -> Value {
        let reference = self.dialect.reference(&operation.answer);
        let types = self.answer_types(operation);
        let answer = |text: &str| self.dialect.answer(text, &types, &reference);
        let built_in = self.resource.family == Family::BuiltIn;
        let (creates, accepts) = match operation.verb {
            "create" => (true, true),
            "replace" => (true, false),
            "patch" => (built_in, false),
            "delete" => (false, true),
            _ => (false, false),
        };
        value!({
            "200": (answer("OK")),
            "201"?: (creates.then(|| answer("Created"))),
            "202"?: (accepts.then(|| answer("Accepted"))),
            "401": {"description": "Unauthorized"}
        })
    }

    pub(super) fn camel(&self) -> String {
        group_name(&self.resource.group)
    }

    fn operation_id(&self, operation: &Operation, scoped: bool, part: &str) -> String {
        let (verb, collection) = match operation.verb {
            "deletecollection" => ("delete", "Collection"),
            verb => (verb, ""),
        };
        let scope = if scoped { "Namespaced" } else { "" };
        let all = if self.resource.namespaced && !scoped { "ForAllNamespaces" } else { "" };
        let (group, version) = (capital(&self.camel()), capital(self.version));
        let kind = &self.resource.kind;
        format!("{verb}{group}{version}{collection}{scope}{kind}{}{all}", capital(part))
    }
}

fn describe(verb: &str, kind: &str, part: &str) -> String {
    let part = if part.is_empty() { String::new() } else { format!(" {part} of") };
    match verb {
        "list" => format!("list{part} objects of kind {kind}"),
        "read" | "replace" => format!("{verb}{part} the specified {kind}"),
        "patch" => format!("partially update{part} the specified {kind}"),
        "deletecollection" => format!("delete collection of{part} {kind}"),
        verb => {
            let vowel = kind.starts_with(['A', 'E', 'I', 'O', 'U']);
            format!("{verb}{part} {} {kind}", if vowel { "an" } else { "a" })
        }
    }
}

/// A group in camel case, as operations and tags name it: `discoveryApiOracleTest`.
pub(super) fn group_name(group: &str) -> String {
    let group = if group.is_empty() { "core" } else { group };
    let mut name = String::new();
    for (at, part) in group.trim_end_matches(".k8s.io").split(['.', '-']).enumerate() {
        if at == 0 { name.push_str(part) } else { name.push_str(&capital(part)) }
    }
    name
}

/// The order of parameters that stand with a path.
pub(super) fn by_name(parameter: &Value) -> Option<Text> {
    parameter.get("name").and_then(Value::as_text).cloned()
}

pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

pub(super) fn texts(list: &[&str]) -> Value {
    list.iter().map(|text| Value::from(*text)).collect::<Vec<_>>().into()
}

pub(super) fn contents(types: &[&str], reference: &Value) -> Value {
    let entries = types.iter().map(|ty| (Text::from(*ty), value!({"schema": (reference.clone())})));
    Value::Map(Map::from_entries(entries.collect()))
}
