//! The audit policy: which requests are written down, at which stages and how much of them.
//!
//! The form and the rules are those of `audit.k8s.io/v1` `Policy`: the first rule that matches a
//! request decides, and a request that no rule matches is not written down.

use std::path::Path;

use ordain_meta::gvk::GroupVersion;
use ordain_meta::name::dns_1123_subdomain;
use ordain_meta::status::aggregate_texts;
use ordain_registry::access::Attributes;
use ordain_registry::caller::User;
use ordain_value::field::{self, Error, ErrorList};
use ordain_value::{Value, yaml};

/// How much is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    None,
    /// Who, what, when and with which answer, but no body.
    Metadata,
    /// The body of the request besides.
    Request,
    /// The body of the answer besides.
    RequestResponse,
}

impl Level {
    const ALL: [Self; 4] = [Self::None, Self::Metadata, Self::Request, Self::RequestResponse];

    /// The word that policies and events use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Metadata => "Metadata",
            Self::Request => "Request",
            Self::RequestResponse => "RequestResponse",
        }
    }
}

/// When something is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    RequestReceived,
    ResponseStarted,
    ResponseComplete,
    Panic,
}

impl Stage {
    const ALL: [Self; 4] =
        [Self::RequestReceived, Self::ResponseStarted, Self::ResponseComplete, Self::Panic];

    /// The word that policies and events use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RequestReceived => "RequestReceived",
            Self::ResponseStarted => "ResponseStarted",
            Self::ResponseComplete => "ResponseComplete",
            Self::Panic => "Panic",
        }
    }
}

/// What a policy says about one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    pub level: Level,
    pub omitted: Vec<Stage>,
    /// Whether bodies are shown without their record of owners.
    pub without_owners: bool,
}

/// Which requests are written down, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditPolicy {
    rules: Vec<Rule>,
    otherwise: Decided,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    decided: Decided,
    users: Vec<String>,
    groups: Vec<String>,
    verbs: Vec<String>,
    namespaces: Vec<String>,
    resources: Vec<GroupResources>,
    urls: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct GroupResources {
    group: String,
    resources: Vec<String>,
    names: Vec<String>,
}

impl Default for AuditPolicy {
    /// Every request at the level Metadata.
    fn default() -> Self {
        let otherwise =
            Decided { level: Level::Metadata, omitted: Vec::new(), without_owners: false };
        Self { rules: Vec::new(), otherwise }
    }
}

fn texts(value: &Value, field: &str) -> Vec<String> {
    value.texts(field).map(ToOwned::to_owned).collect()
}

fn stages(value: &Value) -> Vec<Stage> {
    let named = texts(value, "omitStages");
    Stage::ALL.into_iter().filter(|it| named.iter().any(|name| name == it.as_str())).collect()
}

impl AuditPolicy {
    /// Reads a policy from a file.
    ///
    /// # Errors
    /// When it cannot be read or is no policy, in the words of kube-apiserver.
    pub fn load(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let bytes = std::fs::read(path).map_err(|error| {
            format!("loading audit policy file: failed to read file path \"{shown}\": {error}")
        })?;
        Self::decode(&bytes)
            .map_err(|why| format!("loading audit policy file: {why}: from file {shown}"))
    }

    /// Reads a policy.
    ///
    /// # Errors
    /// When it is none, in the words of kube-apiserver.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let read = yaml::decode_first(bytes, yaml::Options::default()).and_then(|it| it.value);
        let policy = read.map_err(|error| format!("failed decoding: {error}"))?;
        let text = |field: &str| policy.text(field);
        for (field, name) in [("kind", "Kind"), ("apiVersion", "apiVersion")] {
            if text(field).is_empty() {
                let shown = ordain_value::json::encode_string(&policy);
                return Err(format!("failed decoding: Object '{name}' is missing in '{shown}'"));
            }
        }
        let version = GroupVersion::decode(text("apiVersion")).map_err(|it| it.to_string())?;
        if version != GroupVersion::new("audit.k8s.io", "v1") || text("kind") != "Policy" {
            let (kind, version) = (text("kind"), text("apiVersion"));
            return Err(format!(
                "failed decoding: no kind \"{kind}\" is registered for version \"{version}\" in \
                 scheme \"pkg/audit/scheme.go:30\""
            ));
        }
        let errors: Vec<String> = validate(&policy).iter().map(ToString::to_string).collect();
        if !errors.is_empty() {
            return Err(aggregate_texts(&errors));
        }
        if policy.items("rules").is_empty() {
            return Err("loaded illegal policy with 0 rules".to_owned());
        }
        Ok(Self::read(&policy))
    }

    fn read(policy: &Value) -> Self {
        let without_owners = flag(policy, "omitManagedFields").unwrap_or(false);
        let omitted = stages(policy);
        let rule = |value: &Value| Rule::read(value, &omitted, without_owners);
        let rules = policy.items("rules").iter().map(rule).collect();
        Self { rules, otherwise: Decided { level: Level::None, omitted, without_owners } }
    }

    /// What is to be written down of a request; `None` for a user that is not known.
    pub fn decide(&self, user: Option<&User>, request: &Attributes<'_>) -> &Decided {
        let rule = self.rules.iter().find(|rule| rule.matches(user, request));
        rule.map_or(&self.otherwise, |rule| &rule.decided)
    }

    /// The highest level that a request may have.
    pub fn level_max(&self) -> Level {
        let levels = self.rules.iter().map(|rule| rule.decided.level);
        levels.fold(self.otherwise.level, Level::max)
    }
}

fn flag(value: &Value, field: &str) -> Option<bool> {
    match value.get(field) {
        Some(Value::Bool(on)) => Some(*on),
        _ => None,
    }
}

impl Rule {
    fn read(value: &Value, omitted: &[Stage], without_owners: bool) -> Self {
        let level = value.get("level").and_then(Value::as_str);
        let level = Level::ALL.into_iter().find(|it| level == Some(it.as_str()));
        let mut own = stages(value);
        own.extend(omitted);
        let resources = |value: &Value| GroupResources {
            group: value.text("group").to_owned(),
            resources: texts(value, "resources"),
            names: texts(value, "resourceNames"),
        };
        Self {
            decided: Decided {
                level: level.unwrap_or(Level::None),
                omitted: own,
                without_owners: flag(value, "omitManagedFields").unwrap_or(without_owners),
            },
            users: texts(value, "users"),
            groups: texts(value, "userGroups"),
            verbs: texts(value, "verbs"),
            namespaces: texts(value, "namespaces"),
            resources: value.items("resources").iter().map(resources).collect(),
            urls: texts(value, "nonResourceURLs"),
        }
    }

    fn matches(&self, user: Option<&User>, request: &Attributes<'_>) -> bool {
        let has = |list: &[String], wanted: &str| list.iter().any(|it| it == wanted);
        let is_user = self.users.is_empty() || user.is_some_and(|it| has(&self.users, &it.name));
        let is_member = self.groups.is_empty()
            || user.is_some_and(|it| it.groups.iter().any(|group| has(&self.groups, group)));
        let is_verb = self.verbs.is_empty() || has(&self.verbs, request.verb);
        if !(is_user && is_member && is_verb) {
            return false;
        }
        if !self.namespaces.is_empty() || !self.resources.is_empty() {
            return request.is_resource
                && (self.namespaces.is_empty() || has(&self.namespaces, request.namespace))
                && (self.resources.is_empty()
                    || self.resources.iter().any(|it| it.matches(request)));
        }
        self.urls.is_empty()
            || (!request.is_resource && self.urls.iter().any(|it| is_path(it, request.path)))
    }
}

/// Whether a rule's path means that of a request: itself, everything, or what a star follows.
fn is_path(rule: &str, path: &str) -> bool {
    rule == path
        || rule.strip_suffix('*').is_some_and(|_| path.starts_with(rule.trim_end_matches('*')))
}

impl GroupResources {
    fn matches(&self, request: &Attributes<'_>) -> bool {
        if self.group != "*" && self.group != request.group {
            return false;
        }
        let is_named = self.names.is_empty() || self.names.iter().any(|it| it == request.name);
        self.resources.is_empty()
            || (is_named && self.resources.iter().any(|it| is_resource(it, request)))
    }
}

/// Whether `pods`, `pods/log`, `pods/*`, `*/log` or `*` means the resource of a request.
fn is_resource(rule: &str, request: &Attributes<'_>) -> bool {
    if rule == "*" {
        return true;
    }
    match rule.split_once('/') {
        None => request.subresource.is_empty() && rule == request.resource,
        Some(("*", part)) => !request.subresource.is_empty() && part == request.subresource,
        Some((resource, "*")) => resource == request.resource,
        Some((resource, part)) => resource == request.resource && part == request.subresource,
    }
}

fn validate(policy: &Value) -> ErrorList {
    let mut errors = ErrorList::new();
    validate_stages(policy, &field::Path::new("omitStages"), &mut errors);
    let path = field::Path::new("rules");
    for (index, rule) in policy.items("rules").iter().enumerate() {
        validate_rule(rule, &path.index(index), &mut errors);
    }
    errors
}

fn validate_rule(rule: &Value, path: &field::Path<'_>, errors: &mut ErrorList) {
    let names = Level::ALL.map(Level::as_str);
    let level = path.child("level");
    match rule.text("level") {
        "" => errors.push(Error::required(&level, "")),
        text if names.contains(&text) => {}
        text => errors.push(Error::not_supported(&level, text, &names)),
    }
    let urls = texts(rule, "nonResourceURLs");
    validate_urls(&urls, &path.child("nonResourceURLs"), errors);
    validate_resources(rule, &path.child("resources"), errors);
    validate_stages(rule, &path.child("omitStages"), errors);
    let of_resources = !rule.items("resources").is_empty() || !rule.items("namespaces").is_empty();
    if !urls.is_empty() && of_resources {
        let why = "rules cannot apply to both regular resources and non-resource URLs";
        let value = rule.get("nonResourceURLs").cloned().unwrap_or_default();
        errors.push(Error::invalid(&path.child("nonResourceURLs"), value, why));
    }
}

fn validate_urls(urls: &[String], path: &field::Path<'_>, errors: &mut ErrorList) {
    for (index, url) in urls.iter().enumerate().filter(|(_, url)| *url != "*") {
        let mut complain =
            |why: &str| errors.push(Error::invalid(&path.index(index), url.as_str(), why));
        if !url.starts_with('/') {
            complain("non-resource URL rules must begin with a '/' character");
        }
        if url.strip_suffix('*').unwrap_or(url).contains('*') {
            complain("non-resource URL wildcards '*' must be the final character of the rule");
        }
    }
}

fn validate_resources(rule: &Value, path: &field::Path<'_>, errors: &mut ErrorList) {
    for resources in rule.items("resources") {
        let group = resources.text("group");
        let wrong = match group {
            "" | "*" => Vec::new(),
            group => dns_1123_subdomain(group),
        };
        if !wrong.is_empty() {
            errors.push(Error::invalid(&path.child("group"), group, wrong.join(",")));
        }
        let names = resources.get("resourceNames").filter(|_| {
            !resources.items("resourceNames").is_empty() && resources.items("resources").is_empty()
        });
        if let Some(names) = names {
            let why = "using resourceNames requires at least one resource";
            errors.push(Error::invalid(&path.child("resourceNames"), names.clone(), why));
        }
    }
}

fn validate_stages(value: &Value, path: &field::Path<'_>, errors: &mut ErrorList) {
    let known = Stage::ALL.map(Stage::as_str);
    for (index, stage) in texts(value, "omitStages").iter().enumerate() {
        if !known.contains(&stage.as_str()) {
            let why = format!("allowed stages are {}", known.join(","));
            errors.push(Error::invalid(&path.index(index), stage.as_str(), why));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(text: &str) -> String {
        let head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";
        AuditPolicy::decode(format!("{head}{text}").as_bytes()).unwrap_err()
    }

    #[test]
    fn what_is_no_policy_is_refused_in_the_words_of_the_reference() {
        assert_eq!(complaint("rules: []"), "loaded illegal policy with 0 rules");
        assert_eq!(
            complaint("rules: [{level: Loud}, {}]"),
            "[rules[0].level: Unsupported value: \"Loud\": supported values: \"None\", \
             \"Metadata\", \"Request\", \"RequestResponse\", rules[1].level: Required value]"
        );
        assert_eq!(
            complaint("rules: [{level: None, nonResourceURLs: [a, /a*b, /b*, '*']}]"),
            "[rules[0].nonResourceURLs[0]: Invalid value: \"a\": non-resource URL rules must begin \
             with a '/' character, rules[0].nonResourceURLs[1]: Invalid value: \"/a*b\": \
             non-resource URL wildcards '*' must be the final character of the rule]"
        );
        assert_eq!(
            complaint("omitStages: [Never]\nrules: [{level: None}]"),
            "omitStages[0]: Invalid value: \"Never\": allowed stages are \
             RequestReceived,ResponseStarted,ResponseComplete,Panic"
        );
        assert_eq!(
            complaint("rules: [{level: None, resources: [{resourceNames: [a]}]}]"),
            "rules[0].resources.resourceNames: Invalid value: [\"a\"]: using resourceNames \
             requires at least one resource"
        );
        let other = AuditPolicy::decode(b"apiVersion: audit.k8s.io/v2\nkind: Policy\n");
        assert!(other.unwrap_err().contains("no kind \"Policy\" is registered"), "another version");
    }

    #[test]
    fn the_first_rule_that_matches_decides() {
        let text = "
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: None, users: [probe]}
- {level: Request, userGroups: [devs], verbs: [create], resources: [{resources: [pods/*]}]}
- {level: RequestResponse, namespaces: [prod], omitStages: [Panic], omitManagedFields: true}
- {level: Metadata, resources: [{group: apps}, {group: '*', resources: ['*/scale']}]}
- {level: Metadata, nonResourceURLs: ['/health*']}
";
        let policy = AuditPolicy::decode(text.as_bytes()).unwrap();
        assert_eq!(policy.level_max(), Level::RequestResponse);
        let level = |name: &str, request: Attributes<'_>| {
            let user = User { name: name.into(), groups: vec!["devs".into()], ..User::default() };
            policy.decide(Some(&user), &request).level
        };
        let pods = Attributes {
            verb: "create",
            is_resource: true,
            resource: "pods",
            subresource: "log",
            ..Attributes::default()
        };
        assert_eq!(level("probe", pods), Level::None);
        assert_eq!(level("ann", pods), Level::Request);
        assert_eq!(level("ann", Attributes { verb: "get", ..pods }), Level::None);
        let prod = Attributes { namespace: "prod", verb: "get", ..pods };
        assert_eq!(level("ann", prod), Level::RequestResponse);
        let decided = policy.decide(None, &prod);
        assert!(decided.without_owners);
        assert_eq!(decided.omitted, [Stage::Panic, Stage::RequestReceived]);
        let scale = Attributes { subresource: "scale", resource: "cups", group: "shop", ..pods };
        assert_eq!(level("ann", scale), Level::Metadata);
        let path = |path| Attributes { path, ..Attributes::default() };
        assert_eq!(level("ann", path("/healthz")), Level::Metadata);
        assert_eq!(level("ann", path("/version")), Level::None);
    }
}
