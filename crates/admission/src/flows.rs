//! Flow control: which flow schema a request belongs to, and so which level of priority.

use ordain_strategy::User;
use ordain_value::{Text, Value};

use crate::access::Attributes;
use crate::roles::{Rule, account_user};

const ALL: &str = "*";

/// The schemas of a moment, in the order in which they are asked.
#[derive(Debug, Default)]
pub struct Flows {
    schemas: Vec<Schema>,
}

/// Which flow a request is part of, by the identities of the objects that say so.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flow {
    pub schema: Text,
    pub level: Text,
}

#[derive(Debug)]
struct Schema {
    precedence: i64,
    name: Text,
    flow: Flow,
    rules: Vec<Case>,
}

/// Some subjects, and what of their requests is meant.
#[derive(Debug)]
struct Case {
    subjects: Vec<Subject>,
    resources: Vec<Scoped>,
    paths: Vec<Rule>,
}

#[derive(Debug)]
enum Subject {
    User(Text),
    Group(Text),
    /// The accounts of a namespace.
    Accounts(String),
}

/// A rule about resources, and where they are.
#[derive(Debug)]
struct Scoped {
    rule: Rule,
    cluster: bool,
    namespaces: Vec<Text>,
}

impl Flows {
    /// Arranges stored schemas; those that name no stored level are left out.
    pub fn new<'a>(
        schemas: impl IntoIterator<Item = &'a Value>,
        levels: impl IntoIterator<Item = &'a Value>,
    ) -> Self {
        let levels: Vec<&Value> = levels.into_iter().collect();
        let mut schemas: Vec<Schema> =
            schemas.into_iter().filter_map(|schema| Schema::decode(schema, &levels)).collect();
        schemas.sort_by(|a, b| (a.precedence, &a.name).cmp(&(b.precedence, &b.name)));
        Self { schemas }
    }

    /// The flow of a request: that of the first schema that means it.
    pub fn classify(&self, user: &User, request: &Attributes<'_>) -> Option<&Flow> {
        let meant = |schema: &&Schema| schema.rules.iter().any(|it| it.means(user, request));
        self.schemas.iter().find(meant).map(|schema| &schema.flow)
    }
}

fn text(value: &Value, path: &[&str]) -> Text {
    value.get_path(path).and_then(Value::as_text).cloned().unwrap_or_default()
}

fn items<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value.get(field).and_then(Value::as_list).into_iter().flat_map(|list| list.iter())
}

impl Schema {
    fn decode(object: &Value, levels: &[&Value]) -> Option<Self> {
        let spec = object.get("spec")?;
        let level = text(spec, &["priorityLevelConfiguration", "name"]);
        let level = levels.iter().find(|it| text(it, &["metadata", "name"]) == level)?;
        let flow = Flow {
            schema: text(object, &["metadata", "uid"]),
            level: text(level, &["metadata", "uid"]),
        };
        Some(Self {
            precedence: spec.get("matchingPrecedence").and_then(Value::as_int).unwrap_or(i64::MAX),
            name: text(object, &["metadata", "name"]),
            flow,
            rules: items(spec, "rules").map(Case::decode).collect(),
        })
    }
}

impl Case {
    fn decode(value: &Value) -> Self {
        Self {
            subjects: items(value, "subjects").filter_map(Subject::decode).collect(),
            resources: items(value, "resourceRules").map(Scoped::decode).collect(),
            paths: items(value, "nonResourceRules").map(Rule::decode).collect(),
        }
    }

    fn means(&self, user: &User, request: &Attributes<'_>) -> bool {
        if !self.subjects.iter().any(|subject| subject.is(user)) {
            return false;
        }
        match request.is_resource {
            true => self.resources.iter().any(|it| it.means(request)),
            false => self.paths.iter().any(|it| it.allows(request)),
        }
    }
}

impl Subject {
    fn decode(value: &Value) -> Option<Self> {
        let kind = value.get("kind").and_then(Value::as_str)?;
        Some(match kind {
            "User" => Self::User(text(value, &["user", "name"])),
            "Group" => Self::Group(text(value, &["group", "name"])),
            "ServiceAccount" => {
                let namespace = text(value, &["serviceAccount", "namespace"]);
                let name = text(value, &["serviceAccount", "name"]);
                match name == ALL {
                    true => Self::Accounts(account_user(&namespace, "")),
                    false => Self::User(account_user(&namespace, &name).into()),
                }
            }
            _ => return None,
        })
    }

    fn is(&self, user: &User) -> bool {
        match self {
            Self::User(name) => name == ALL || *name == user.name,
            Self::Group(name) => name == ALL || user.is_in(name),
            Self::Accounts(prefix) => user.name.starts_with(prefix.as_str()),
        }
    }
}

impl Scoped {
    fn decode(value: &Value) -> Self {
        Self {
            rule: Rule::decode(value),
            cluster: value.get("clusterScope").and_then(Value::as_bool) == Some(true),
            namespaces: items(value, "namespaces").filter_map(Value::as_text).cloned().collect(),
        }
    }

    fn means(&self, request: &Attributes<'_>) -> bool {
        let is_here = match request.namespace {
            "" => self.cluster,
            namespace => self.namespaces.iter().any(|it| it == ALL || it == namespace),
        };
        is_here && self.rule.allows(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    fn level(name: &str) -> Value {
        value!({"metadata": {"name": name, "uid": (format!("level-{name}"))}})
    }

    fn schema(name: &str, precedence: i64, level: &str, rules: Value) -> Value {
        value!({
            "metadata": {"name": name, "uid": (format!("schema-{name}"))},
            "spec": {
                "priorityLevelConfiguration": {"name": level},
                "matchingPrecedence": precedence,
                "rules": rules
            }
        })
    }

    fn flows() -> Flows {
        let everybody = value!([{"kind": "Group", "group": {"name": "*"}}]);
        let all = value!({
            "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"],
            "clusterScope": true
        });
        let pods = value!({
            "verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "namespaces": ["shop"]
        });
        let accounts = value!([{"kind": "ServiceAccount", "serviceAccount": {"namespace": "shop", "name": "*"}}]);
        let probes = value!([{"verbs": ["get"], "nonResourceURLs": ["/healthz", "/live*"]}]);
        let schemas = [
            schema(
                "rest",
                9000,
                "low",
                value!([{"subjects": (everybody.clone()), "resourceRules": [all]}]),
            ),
            schema(
                "probes",
                2,
                "high",
                value!([{"subjects": everybody, "nonResourceRules": probes}]),
            ),
            schema("pods", 10, "high", value!([{"subjects": accounts, "resourceRules": [pods]}])),
            schema("dangling", 1, "nowhere", value!([{"subjects": [], "resourceRules": []}])),
        ];
        Flows::new(&schemas, &[level("low"), level("high")])
    }

    fn of(flows: &Flows, user: &str, request: &Attributes<'_>) -> String {
        let user = User { name: user.into(), ..User::default() };
        flows.classify(&user, request).map(|it| it.schema.to_string()).unwrap_or_default()
    }

    #[test]
    fn the_first_schema_that_means_a_request_has_it() {
        let flows = flows();
        let pod = Attributes {
            verb: "get",
            is_resource: true,
            namespace: "shop",
            resource: "pods",
            ..Attributes::default()
        };
        let account = "system:serviceaccount:shop:robot";
        assert_eq!(of(&flows, account, &pod), "schema-pods");
        assert_eq!(of(&flows, "bob", &pod), "schema-rest");
        assert_eq!(of(&flows, account, &Attributes { verb: "list", ..pod }), "schema-rest");
        assert_eq!(of(&flows, account, &Attributes { namespace: "x", ..pod }), "schema-rest");
        let nodes = Attributes { namespace: "", resource: "nodes", ..pod };
        assert_eq!(of(&flows, account, &nodes), "schema-rest");
        let user = User { name: account.into(), ..User::default() };
        assert_eq!(flows.classify(&user, &pod).unwrap().level, "level-high");
    }

    #[test]
    fn paths_have_flows_too() {
        let flows = flows();
        let path = |path| Attributes { verb: "get", path, ..Attributes::default() };
        assert_eq!(of(&flows, "bob", &path("/healthz")), "schema-probes");
        assert_eq!(of(&flows, "bob", &path("/livez")), "schema-probes");
        assert_eq!(of(&flows, "bob", &path("/metrics")), "");
    }
}
