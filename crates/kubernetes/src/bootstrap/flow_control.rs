//! The levels of priority and the schemas of flows that every server begins with.

use ordain_value::{Value, value};

const API_VERSION: &str = "flowcontrol.apiserver.k8s.io/v1";
const ALL: &[&str] = &["*"];

/// All priority levels.
pub(super) fn levels() -> Vec<Value> {
    let limited = |name: &str, shares: i64, lendable: i64, queues: i64, hand: i64| {
        level(
            name,
            value!({
                "type": "Limited",
                "limited": {
                    "nominalConcurrencyShares": shares,
                    "lendablePercent": lendable,
                    "limitResponse": {
                        "type": "Queue",
                        "queuing": {"queues": queues, "handSize": hand, "queueLengthLimit": 50}
                    }
                }
            }),
        )
    };
    let exempt = value!({"nominalConcurrencyShares": 0, "lendablePercent": 0});
    let rejecting = value!({
        "nominalConcurrencyShares": 5,
        "lendablePercent": 0,
        "limitResponse": {"type": "Reject"}
    });
    vec![
        level("exempt", value!({"type": "Exempt", "exempt": exempt})),
        level("catch-all", value!({"type": "Limited", "limited": rejecting})),
        limited("system", 30, 33, 64, 6),
        limited("node-high", 40, 25, 64, 6),
        limited("leader-election", 10, 0, 16, 4),
        limited("workload-high", 40, 50, 128, 6),
        limited("workload-low", 100, 90, 128, 6),
        limited("global-default", 20, 50, 128, 6),
    ]
}

fn level(name: &str, spec: Value) -> Value {
    object("PriorityLevelConfiguration", name, spec)
}

fn object(kind: &str, name: &str, spec: Value) -> Value {
    value!({
        "apiVersion": API_VERSION,
        "kind": kind,
        "metadata": {"name": name, "annotations": {"apf.kubernetes.io/autoupdate-spec": "true"}},
        "spec": spec
    })
}

/// All schemas of flows.
pub(super) fn schemas() -> Vec<Value> {
    let everybody = || vec![group("system:unauthenticated"), group("system:authenticated")];
    let (controllers, scheduler) = ("system:kube-controller-manager", "system:kube-scheduler");
    let probes = value!([{"verbs": ["get"], "nonResourceURLs": ["/healthz", "/readyz", "/livez"]}]);
    let leases = |verbs: &[&str]| rule(verbs, &["coordination.k8s.io"], &["leases"], false);
    let nodes = rule(ALL, &[""], &["nodes", "nodes/status"], true);
    vec![
        schema("exempt", "exempt", 1, "", everything(vec![group("system:masters")])),
        schema("probes", "exempt", 2, "", rules(everybody(), Vec::new(), Some(probes))),
        schema(
            "system-leader-election",
            "leader-election",
            100,
            "ByUser",
            rules(
                vec![user(controllers), user(scheduler), kube_system_accounts()],
                vec![leases(&["get", "create", "update"])],
                None,
            ),
        ),
        schema(
            "system-node-high",
            "node-high",
            400,
            "ByUser",
            rules(vec![group("system:nodes")], vec![nodes, leases(ALL)], None),
        ),
        schema("system-nodes", "system", 500, "ByUser", everything(vec![group("system:nodes")])),
        schema(
            "kube-controller-manager",
            "workload-high",
            800,
            "ByNamespace",
            everything(vec![user(controllers)]),
        ),
        schema(
            "kube-scheduler",
            "workload-high",
            800,
            "ByNamespace",
            everything(vec![user(scheduler)]),
        ),
        schema(
            "kube-system-service-accounts",
            "workload-high",
            900,
            "ByNamespace",
            everything(vec![kube_system_accounts()]),
        ),
        schema(
            "service-accounts",
            "workload-low",
            9000,
            "ByUser",
            everything(vec![group("system:serviceaccounts")]),
        ),
        schema("global-default", "global-default", 9900, "ByUser", everything(everybody())),
        schema("catch-all", "catch-all", 10_000, "ByUser", everything(everybody())),
    ]
}

fn schema(name: &str, level: &str, precedence: i64, method: &str, rules: Value) -> Value {
    let mut spec = value!({
        "priorityLevelConfiguration": {"name": level},
        "matchingPrecedence": precedence,
        "rules": [rules]
    });
    if !method.is_empty() {
        spec.set_path(&["distinguisherMethod"], value!({"type": method}));
    }
    object("FlowSchema", name, spec)
}

fn group(name: &str) -> Value {
    value!({"kind": "Group", "group": {"name": name}})
}

fn user(name: &str) -> Value {
    value!({"kind": "User", "user": {"name": name}})
}

fn kube_system_accounts() -> Value {
    value!({"kind": "ServiceAccount", "serviceAccount": {"namespace": "kube-system", "name": "*"}})
}

fn rule(verbs: &[&str], groups: &[&str], resources: &[&str], cluster: bool) -> Value {
    let texts = |list: &[&str]| -> Value {
        list.iter().map(|it| Value::from(*it)).collect::<Vec<_>>().into()
    };
    let mut rule = value!({
        "verbs": (texts(verbs)),
        "apiGroups": (texts(groups)),
        "resources": (texts(resources)),
        "namespaces": ["*"]
    });
    if cluster {
        rule.set_path(&["clusterScope"], true.into());
    }
    rule
}

fn rules(subjects: Vec<Value>, resources: Vec<Value>, paths: Option<Value>) -> Value {
    let mut rules = value!({"subjects": subjects});
    if !resources.is_empty() {
        rules.set_path(&["resourceRules"], resources.into());
    }
    if let Some(paths) = paths {
        rules.set_path(&["nonResourceRules"], paths);
    }
    rules
}

/// All that some subjects ask for.
fn everything(subjects: Vec<Value>) -> Value {
    let paths = value!([{"verbs": ["*"], "nonResourceURLs": ["*"]}]);
    rules(subjects, vec![rule(ALL, ALL, ALL, true)], Some(paths))
}
