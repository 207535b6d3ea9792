//! The operations of a resource: which paths, methods and parameters it has.

use ordain_registry::subresource::{self, Access};
use ordain_registry::{Family, RestConfig};
use ordain_value::{Map, Text, Value, value};

use super::model::{self, Dialect};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// One method of a path.
struct Operation {
    method: &'static str,
    action: &'static str,
    verb: &'static str,
    /// The model of the answer.
    answer: Text,
    /// The model of the body, if there is one.
    body: Option<Text>,
    parameters: &'static [(&'static str, &'static str)],
}

const WRITE: &[(&str, &str)] =
    &[("dryRun", "string"), ("fieldManager", "string"), ("fieldValidation", "string")];
const PATCH: &[(&str, &str)] = &[
    ("dryRun", "string"),
    ("fieldManager", "string"),
    ("fieldValidation", "string"),
    ("force", "boolean"),
];
const DELETE: &[(&str, &str)] = &[
    ("dryRun", "string"),
    ("gracePeriodSeconds", "integer"),
    ("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
    ("orphanDependents", "boolean"),
    ("propagationPolicy", "string"),
];
const LIST: &[(&str, &str)] = &[
    ("allowWatchBookmarks", "boolean"),
    ("continue", "string"),
    ("fieldSelector", "string"),
    ("labelSelector", "string"),
    ("limit", "integer"),
    ("resourceVersion", "string"),
    ("resourceVersionMatch", "string"),
    ("sendInitialEvents", "boolean"),
    ("shardSelector", "string"),
    ("timeoutSeconds", "integer"),
    ("watch", "boolean"),
];
const READ: &[(&str, &str)] = &[("resourceVersion", "string")];
const DELETE_COLLECTION: &[(&str, &str)] = &[
    ("continue", "string"),
    ("dryRun", "string"),
    ("fieldSelector", "string"),
    ("gracePeriodSeconds", "integer"),
    ("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
    ("labelSelector", "string"),
    ("limit", "integer"),
    ("orphanDependents", "boolean"),
    ("propagationPolicy", "string"),
    ("resourceVersion", "string"),
    ("resourceVersionMatch", "string"),
    ("sendInitialEvents", "boolean"),
    ("shardSelector", "string"),
    ("timeoutSeconds", "integer"),
];
const STREAMS: [&str; 2] =
    ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

fn about(parameter: &str) -> &'static str {
    match parameter {
        "shardSelector" => "Selects a part of a list by hash; not served here.",
        "dryRun" => "All: the request is checked and nothing is stored.",
        "fieldManager" => "Who makes the change; required for apply.",
        "fieldValidation" => "What becomes of unknown and repeated fields: Ignore, Warn or Strict.",
        "force" => "Takes over fields of other managers on apply.",
        "gracePeriodSeconds" => "How long the object may take to end.",
        "ignoreStoreReadErrorWithClusterBreakingPotential" => {
            "Deletes an object that cannot be read, without its usual steps."
        }
        "orphanDependents" => "Replaced by propagationPolicy.",
        "propagationPolicy" => "What becomes of dependents: Orphan, Background or Foreground.",
        "allowWatchBookmarks" => "Whether a watch may send bookmarks.",
        "continue" => "Token of the page to go on with.",
        "fieldSelector" => "Selects by fields.",
        "labelSelector" => "Selects by labels.",
        "limit" => "How many items a page has at most.",
        "resourceVersion" => "Which versions the answer may show.",
        "resourceVersionMatch" => "How resourceVersion is meant.",
        "sendInitialEvents" => "Begins a watch with what is there.",
        "timeoutSeconds" => "How long a list or watch may take.",
        "watch" => "Watches instead of listing.",
        "pretty" => "Whether the answer is written for people.",
        _ => "",
    }
}

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
        let model = part_model(resource, model, name);
        let operations = match access {
            Access::Edit => vec![read(resource, &model), replace(&model), patch(&model)],
            Access::Update => vec![replace(&model)],
            Access::Create => vec![create(&model)],
            // What leads to a kubelet is no object.
            Access::Connect | Access::Proxy | Access::Read => continue,
        };
        let path = format!("{collection}/{{name}}/{name}");
        paths.insert(path, context.path(&operations, scoped, true, name));
    }
    if resource.family == Family::BuiltIn && resource.verbs.read {
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

fn create(model: &Text) -> Operation {
    Operation {
        method: "post",
        action: "post",
        verb: "create",
        answer: model.clone(),
        body: Some(model.clone()),
        parameters: WRITE,
    }
}

fn collection_operations(resource: &RestConfig, model: &Text, list_model: &Text) -> Vec<Operation> {
    let verbs = resource.verbs;
    let built_in = resource.family == Family::BuiltIn;
    let mut operations = Vec::new();
    if verbs.read {
        operations.push(list(list_model));
    }
    if verbs.create {
        operations.push(create(model));
    }
    if verbs.delete && resource.plural != "namespaces" {
        operations.push(Operation {
            method: "delete",
            action: "deletecollection",
            verb: "deletecollection",
            answer: format!("{META}.Status").into(),
            body: built_in.then(|| format!("{META}.DeleteOptions").into()),
            parameters: if built_in { DELETE_COLLECTION } else { LIST },
        });
    }
    operations
}

fn object_operations(resource: &RestConfig, model: &Text) -> Vec<Operation> {
    let verbs = resource.verbs;
    let mut operations = Vec::new();
    if verbs.read {
        operations.push(read(resource, model));
    }
    if verbs.update {
        operations.push(replace(model));
        operations.push(patch(model));
    }
    if verbs.delete {
        operations.push(Operation {
            method: "delete",
            action: "delete",
            verb: "delete",
            answer: match resource.strategy.policy().returns_deleted {
                true => model.clone(),
                false => format!("{META}.Status").into(),
            },
            body: Some(format!("{META}.DeleteOptions").into()),
            parameters: DELETE,
        });
    }
    operations
}

fn list(model: &Text) -> Operation {
    Operation {
        method: "get",
        action: "list",
        verb: "list",
        answer: model.clone(),
        body: None,
        parameters: LIST,
    }
}

fn read(resource: &RestConfig, model: &Text) -> Operation {
    Operation {
        method: "get",
        action: "get",
        verb: "read",
        answer: model.clone(),
        body: None,
        parameters: if resource.family == Family::BuiltIn { &[] } else { READ },
    }
}

fn replace(model: &Text) -> Operation {
    Operation {
        method: "put",
        action: "put",
        verb: "replace",
        answer: model.clone(),
        body: Some(model.clone()),
        parameters: WRITE,
    }
}

fn patch(model: &Text) -> Operation {
    Operation {
        method: "patch",
        action: "patch",
        verb: "patch",
        answer: model.clone(),
        body: Some(format!("{META}.Patch").into()),
        parameters: PATCH,
    }
}

struct Context<'a> {
    resource: &'a RestConfig,
    version: &'a str,
    dialect: Dialect,
}

impl Context<'_> {
    fn path(&self, operations: &[Operation], scoped: bool, named: bool, part: &str) -> Value {
        let mut map = Map::new();
        for operation in operations {
            map.insert(operation.method, self.operation(operation, scoped, part));
        }
        let mut parameters = Vec::new();
        if named {
            parameters.push(self.parameter("name", "string", "path", "name of the object"));
        }
        if scoped {
            let about = "object name and auth scope, such as for teams and projects";
            parameters.push(self.parameter("namespace", "string", "path", about));
        }
        parameters.push(self.parameter("pretty", "string", "query", about("pretty")));
        // What all operations share stands with the path.
        if let [operation] = operations
            && (operation.body.is_none() || self.resource.family == Family::BuiltIn)
            && let Some(Value::Map(only)) = map.get_mut(operation.method)
            && let Some(Value::List(own)) = only.remove("parameters")
        {
            parameters.extend(own.iter().cloned());
            let name = |it: &Value| it.get("name").and_then(Value::as_text).cloned();
            parameters.sort_by_key(name);
        }
        map.insert("parameters", parameters.into());
        Value::Map(map)
    }

    fn parameter(&self, name: &str, ty: &str, place: &str, about: &str) -> Value {
        let mut map = Map::new();
        map.insert("name", name.into());
        map.insert("in", place.into());
        if !about.is_empty() {
            map.insert("description", about.into());
        }
        match self.dialect {
            Dialect::V2 => {
                map.insert("type", ty.into());
                map.insert("uniqueItems", Value::Bool(true));
            }
            Dialect::V3 => {
                map.insert("schema", value!({"type": ty, "uniqueItems": true}));
            }
        }
        if place == "path" {
            map.insert("required", Value::Bool(true));
        }
        Value::Map(map)
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
        map.insert("tags", vec![Value::from(format!("{}_{}", self.camel(), self.version))].into());
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
            let mut parameter = Map::new();
            parameter.insert("name", "body".into());
            parameter.insert("in", "body".into());
            parameter.insert("schema", reference);
            if required {
                parameter.insert("required", Value::Bool(true));
            }
            parameters.insert(0, Value::Map(parameter));
            return;
        }
        let types = match operation.method {
            "patch" => self.patch_types(),
            _ if self.resource.family == Family::BuiltIn => vec!["*/*"],
            _ => vec!["application/json", "application/yaml"],
        };
        let mut request = Map::new();
        request.insert("content", contents(&types, &reference));
        if required {
            request.insert("required", Value::Bool(true));
        }
        map.insert("requestBody", Value::Map(request));
    }

    /// The kind that an operation is about.
    fn gvk(&self, part: &str) -> Value {
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
        let answer = |text: &str| match self.dialect {
            Dialect::V2 => value!({"description": text, "schema": (reference.clone())}),
            Dialect::V3 => {
                let content = contents(&self.answer_types(operation), &reference);
                value!({"description": text, "content": content})
            }
        };
        let mut map = Map::new();
        map.insert("200", answer("OK"));
        match operation.verb {
            "create" => {
                map.insert("201", answer("Created"));
                map.insert("202", answer("Accepted"));
            }
            "replace" => {
                map.insert("201", answer("Created"));
            }
            "patch" if self.resource.family == Family::BuiltIn => {
                map.insert("201", answer("Created"));
            }
            "delete" => {
                map.insert("202", answer("Accepted"));
            }
            _ => {}
        }
        map.insert("401", value!({"description": "Unauthorized"}));
        Value::Map(map)
    }

    /// The group in camel case: `discoveryApiOracleTest`.
    fn camel(&self) -> String {
        let group = if self.resource.group.is_empty() { "core" } else { &self.resource.group };
        let mut name = String::new();
        for (at, part) in group.trim_end_matches(".k8s.io").split(['.', '-']).enumerate() {
            if at == 0 { name.push_str(part) } else { name.push_str(&capital(part)) }
        }
        name
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

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

fn texts(list: &[&str]) -> Value {
    list.iter().map(|text| Value::from(*text)).collect::<Vec<_>>().into()
}

fn contents(types: &[&str], reference: &Value) -> Value {
    let entries = types.iter().map(|ty| (Text::from(*ty), value!({"schema": (reference.clone())})));
    Value::Map(Map::from_entries(entries.collect()))
}
