//! Which requests a policy, a binding or a webhook is about: rules, selectors, match policy.

use ordain_meta::gvk::GroupVersionResource;
use ordain_meta::selector::LabelSelector;
use ordain_value::{Map, Text, Value};

use crate::kinds::Kinds;
use crate::request::{Addressed, Operation, Request};

/// A namespace that selectors look at.
#[derive(Debug, Clone, Copy)]
pub enum Namespace<'a> {
    /// The request is about a cluster-scoped resource.
    Absent,
    /// The namespace of the request, as an object.
    Found(&'a Value),
    /// There is no such namespace.
    Missing,
}

/// Operations and resources.
#[derive(Debug, Clone, Default)]
pub struct Rule {
    operations: Vec<Text>,
    groups: Vec<Text>,
    versions: Vec<Text>,
    /// Each a resource and a subresource, either of which may be `*`.
    resources: Vec<(Text, Text)>,
    scope: Text,
    /// Only objects of these names; all if empty.
    names: Vec<Text>,
}

/// What a policy, binding or webhook is about.
#[derive(Debug, Clone)]
pub struct Constraints {
    pub rules: Vec<Rule>,
    excludes: Vec<Rule>,
    /// Whether versions and resources are taken literally.
    exact: bool,
    namespaces: LabelSelector,
    objects: LabelSelector,
}

fn texts(value: &Value, field: &str) -> Vec<Text> {
    items(value, field).filter_map(Value::as_text).cloned().collect()
}

/// The items of a list field; none if it is absent.
pub(crate) fn items<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value.get(field).and_then(Value::as_list).into_iter().flat_map(|list| list.iter())
}

impl Rule {
    /// Reads a `RuleWithOperations`.
    pub fn read(value: &Value) -> Self {
        let resources = texts(value, "resources");
        let split = |text: Text| match text.split_once('/') {
            Some((resource, subresource)) => (resource.into(), subresource.into()),
            None => (text, Text::default()),
        };
        Self {
            operations: texts(value, "operations"),
            groups: texts(value, "apiGroups"),
            versions: texts(value, "apiVersions"),
            resources: resources.into_iter().map(split).collect(),
            scope: value.get("scope").and_then(Value::as_text).cloned().unwrap_or_default(),
            names: texts(value, "resourceNames"),
        }
    }

    /// The names of resources that the rule is about; `*` for all.
    pub fn resources(&self) -> impl Iterator<Item = &Text> {
        self.resources.iter().map(|(resource, _)| resource)
    }

    fn matches(&self, request: &Request, resource: &GroupVersionResource) -> bool {
        let has = |items: &[Text], wanted: &str| items.iter().any(|it| it == "*" || it == wanted);
        self.is_in_scope(request, resource)
            && has(&self.operations, request.operation.as_str())
            && has(&self.groups, &resource.group)
            && has(&self.versions, &resource.version)
            && self.resources.iter().any(|(own, sub)| {
                (own == "*" || *own == resource.resource)
                    && (sub == "*" || *sub == request.subresource)
            })
    }

    fn is_in_scope(&self, request: &Request, resource: &GroupVersionResource) -> bool {
        let is_namespace = resource.group.is_empty()
            && resource.version == "v1"
            && resource.resource == "namespaces";
        match self.scope.as_str() {
            "" | "*" => true,
            "Namespaced" => !is_namespace && !request.namespace.is_empty(),
            "Cluster" => is_namespace || request.namespace.is_empty(),
            _ => false,
        }
    }

    fn has_name(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|it| it == name)
    }
}

impl Constraints {
    /// Reads `MatchResources` of a policy or binding.
    pub fn read(value: &Value) -> Self {
        Self {
            rules: items(value, "resourceRules").map(Rule::read).collect(),
            excludes: items(value, "excludeResourceRules").map(Rule::read).collect(),
            ..Self::selectors(value)
        }
    }

    /// Reads what a webhook says about the requests it wants.
    pub fn read_webhook(value: &Value) -> Self {
        Self { rules: items(value, "rules").map(Rule::read).collect(), ..Self::selectors(value) }
    }

    fn selectors(value: &Value) -> Self {
        let selector = |field: &str| {
            value.get(field).and_then(|it| LabelSelector::read(it).ok()).unwrap_or_default()
        };
        Self {
            rules: Vec::new(),
            excludes: Vec::new(),
            exact: value.get("matchPolicy").and_then(Value::as_str) == Some("Exact"),
            namespaces: selector("namespaceSelector"),
            objects: selector("objectSelector"),
        }
    }

    /// As what a request matches; none if it does not.
    ///
    /// # Errors
    /// When a namespace has to be looked at that does not exist, in words.
    pub fn matches(
        &self,
        request: &Request,
        namespace: Namespace<'_>,
        kinds: &dyn Kinds,
    ) -> Result<Option<Addressed>, String> {
        let in_namespace = self.selects_namespace(request, namespace);
        if in_namespace == Ok(false) || !self.selects_object(request) {
            return Ok(None);
        }
        if self.find(&self.excludes, request, kinds).is_some() {
            return Ok(None);
        }
        let matched = if self.rules.is_empty() {
            Some(request.addressed.clone())
        } else {
            self.find(&self.rules, request, kinds)
        };
        match (matched, in_namespace) {
            (Some(_), Err(why)) => Err(why),
            (matched, _) => Ok(matched),
        }
    }

    fn selects_namespace(
        &self,
        request: &Request,
        namespace: Namespace<'_>,
    ) -> Result<bool, String> {
        let is_namespaces = request.addressed.resource.resource == "namespaces";
        if self.namespaces.is_everything() || (request.namespace.is_empty() && !is_namespaces) {
            return Ok(true);
        }
        // A namespace that is written has the labels that it would get.
        let is_written = matches!(request.operation, Operation::Create | Operation::Update);
        if is_namespaces && request.subresource.is_empty() && is_written {
            return Ok(self.namespaces.matches(request.object.as_ref().and_then(labels)));
        }
        match namespace {
            Namespace::Found(object) => Ok(self.namespaces.matches(labels(object))),
            Namespace::Absent | Namespace::Missing => {
                Err(format!("namespaces \"{}\" not found", request.namespace))
            }
        }
    }

    fn selects_object(&self, request: &Request) -> bool {
        // What has no metadata, as the options of a connection, has no labels to be without.
        let selects = |object: &Option<Value>| {
            let object = object.as_ref().filter(|object| object.get("metadata").is_some());
            object.is_some_and(|object| self.objects.matches(labels(object)))
        };
        self.objects.is_everything() || selects(&request.object) || selects(&request.old)
    }

    fn find(&self, rules: &[Rule], request: &Request, kinds: &dyn Kinds) -> Option<Addressed> {
        let asked = &request.addressed;
        let literally = rules
            .iter()
            .any(|rule| rule.matches(request, &asked.resource) && rule.has_name(&request.name));
        if literally {
            return Some(asked.clone());
        }
        if self.exact || rules.is_empty() {
            return None;
        }
        let equivalents = kinds.equivalents(&asked.resource, &request.subresource);
        let others: Vec<Addressed> =
            equivalents.into_iter().filter(|it| it.resource != asked.resource).collect();
        for rule in rules {
            let found = others.iter().find(|other| rule.matches(request, &other.resource));
            if let Some(found) = found
                && rule.has_name(&request.name)
            {
                return Some(found.clone());
            }
        }
        None
    }
}

fn labels(object: &Value) -> Option<&Map> {
    object.get_path(&["metadata", "labels"])?.as_map()
}
