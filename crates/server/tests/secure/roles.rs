//! Who may do what: refusals in the reference's words, changes at once, and nobody gives more
//! than they have.

use ordain_value::{Value, value};

use crate::client::Answer;
use crate::server::Server;

pub(crate) const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn role(kind: &str, name: &str, rules: Value) -> Value {
    value!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind,
        "metadata": {"name": name}, "rules": (rules)})
}

fn binding(kind: &str, name: &str, role: (&str, &str), user: &str) -> Value {
    let (role_kind, role_name) = role;
    value!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind,
        "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": role_kind, "name": role_name},
        "subjects": [{"kind": "User", "name": user}]})
}

pub(crate) fn grant(server: &Server, name: &str, rules: Value, user: &str) {
    server.create(&format!("{RBAC}/clusterroles"), &role("ClusterRole", name, rules));
    let binding = binding("ClusterRoleBinding", name, ("ClusterRole", name), user);
    server.create(&format!("{RBAC}/clusterrolebindings"), &binding);
}

fn reason(answer: &Answer) -> &str {
    answer.body.get_path(&["status", "reason"]).and_then(Value::as_str).unwrap_or("")
}

#[test]
fn refusals_say_who_cannot_do_what_where() {
    let server = Server::start();
    let bob = server.user("bob");
    for (path, message) in [
        (
            CONFIG_MAPS,
            "configmaps is forbidden: User \"bob\" cannot list resource \"configmaps\" in API \
             group \"\" in the namespace \"default\"",
        ),
        (
            "/apis/coordination.k8s.io/v1/namespaces/default/leases/x",
            "leases.coordination.k8s.io \"x\" is forbidden: User \"bob\" cannot get resource \
             \"leases\" in API group \"coordination.k8s.io\" in the namespace \"default\"",
        ),
        (
            "/api/v1/namespaces",
            "namespaces is forbidden: User \"bob\" cannot list resource \"namespaces\" in API \
             group \"\" at the cluster scope",
        ),
        (
            "/api/v1/namespaces/default/status",
            "namespaces \"default\" is forbidden: User \"bob\" cannot get resource \
             \"namespaces/status\" in API group \"\" in the namespace \"default\"",
        ),
        ("/metrics", "forbidden: User \"bob\" cannot get path \"/metrics\""),
        ("/a<b>", "forbidden: User \"bob\" cannot get path \"/a&lt;b&gt;\""),
    ] {
        let path = path.replace('<', "%3C").replace('>', "%3E");
        let answer = bob.get(&path);
        assert_eq!(answer.code, 403, "{path}");
        assert_eq!(answer.message(), message);
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    }
    assert_eq!(server.user("ops").get("/metrics").code, 200);
}

#[test]
fn rights_come_and_go_with_the_answer_that_changes_them() {
    let server = Server::start();
    let bob = server.user("bob");
    let rules = value!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]);
    for _ in 0..20 {
        assert_eq!(bob.get(CONFIG_MAPS).code, 403);
        grant(&server, "read-maps", rules.clone(), "bob");
        assert_eq!(bob.get(CONFIG_MAPS).code, 200);
        assert_eq!(bob.get("/api/v1/namespaces/default/secrets").code, 403);
        server.admin().delete(&format!("{RBAC}/clusterrolebindings/read-maps"));
        assert_eq!(bob.get(CONFIG_MAPS).code, 403);
        server.admin().delete(&format!("{RBAC}/clusterroles/read-maps"));
    }
}

#[test]
fn roles_of_a_namespace_end_at_its_border() {
    let server = Server::start();
    let roles = format!("{RBAC}/namespaces/default/roles");
    let bindings = format!("{RBAC}/namespaces/default/rolebindings");
    let rules = value!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]);
    server.create(&roles, &role("Role", "all", rules));
    server.create(&bindings, &binding("RoleBinding", "all", ("Role", "all"), "bob"));
    let bob = server.user("bob");
    assert_eq!(bob.get(CONFIG_MAPS).code, 200);
    assert_eq!(bob.get("/api/v1/namespaces/kube-system/configmaps").code, 403);
    assert_eq!(bob.get("/api/v1/configmaps").code, 403);
    // S14: a namespace in the path opens nothing that has none.
    for path in [
        "/apis/rbac.authorization.k8s.io/v1/namespaces/default/clusterroles",
        "/apis/apiextensions.k8s.io/v1/namespaces/default/customresourcedefinitions",
        "/api/v1/namespaces/default/namespaces/kube-system",
    ] {
        assert_eq!(bob.get(path).code, 404, "{path}");
    }
    // S16: other spellings of a path are no way around either.
    for path in [
        "/api/v1/namespaces/default/../kube-system/configmaps",
        "/api/v1/namespaces/default/%2e%2e/kube-system/configmaps",
        "/api/v1//configmaps",
        "/api/v1/namespaces/default%2f..%2fkube-system/configmaps",
        "/API/v1/configmaps",
    ] {
        assert!(matches!(bob.get(path).code, 403 | 404), "{path}");
    }
}

#[test]
fn a_binding_to_a_role_that_is_gone_is_told() {
    let server = Server::start();
    let binding = binding("ClusterRoleBinding", "lost", ("ClusterRole", "nothing"), "bob");
    server.create(&format!("{RBAC}/clusterrolebindings"), &binding);
    assert_eq!(
        server.user("bob").get(CONFIG_MAPS).message(),
        "configmaps is forbidden: User \"bob\" cannot list resource \"configmaps\" in API group \
         \"\" in the namespace \"default\": RBAC: clusterrole.rbac.authorization.k8s.io \
         \"nothing\" not found"
    );
}

#[test]
fn s30_nobody_writes_a_role_with_more_than_they_hold() {
    let server = Server::start();
    let manage = value!([
        {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["*"], "verbs": ["create", "update", "get"]},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}
    ]);
    grant(&server, "manager", manage, "bob");
    let bob = server.user("bob");
    let roles = format!("{RBAC}/namespaces/default/roles");
    let held = value!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]);
    assert_eq!(bob.post(&roles, &role("Role", "held", held.clone())).code, 201);
    let more = value!([
        {"apiGroups": [""], "resources": ["configmaps", "secrets"], "verbs": ["get", "delete"]},
        {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["a"], "verbs": ["list"]}
    ]);
    let expected = "roles.rbac.authorization.k8s.io \"more\" is forbidden: user \"bob\" \
        (groups=[\"dev\" \"qa\" \"system:authenticated\"]) is attempting to grant RBAC permissions \
        not currently held:\n\
        {APIGroups:[\"\"], Resources:[\"configmaps\"], Verbs:[\"delete\"]}\n\
        {APIGroups:[\"\"], Resources:[\"secrets\"], ResourceNames:[\"a\"], Verbs:[\"list\"]}\n\
        {APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\" \"delete\"]}";
    let answer = bob.post(&roles, &role("Role", "more", more.clone()));
    assert_eq!((answer.code, answer.message()), (403, expected));
    // Nor by changing one that is there, whichever way.
    let path = format!("{roles}/held");
    assert_eq!(bob.put(&path, &role("Role", "held", more.clone())).code, 403);
    let absent = format!("{roles}/more");
    assert_eq!(bob.put(&absent, &role("Role", "more", more.clone())).code, 403);
    // Gathering roles could gather anything.
    let mut gathering = role("ClusterRole", "gather", Value::Null);
    let selector = value!({"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]});
    gathering.set_path(&["aggregationRule"], selector);
    let answer = bob.post(&format!("{RBAC}/clusterroles"), &gathering);
    assert_eq!(
        answer.message(),
        "clusterroles.rbac.authorization.k8s.io \"gather\" is forbidden: must have cluster-admin \
         privileges to use the aggregationRule"
    );
    // The verb for it opens the way.
    let escalate = value!([{"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"],
        "verbs": ["escalate"]}]);
    grant(&server, "escalate", escalate, "bob");
    assert_eq!(bob.post(&roles, &role("Role", "more", more)).code, 201);
}

#[test]
fn s30_nobody_binds_a_role_with_more_than_they_hold() {
    let server = Server::start();
    let manage = value!([{"apiGroups": ["rbac.authorization.k8s.io"],
        "resources": ["rolebindings", "clusterrolebindings"],
        "verbs": ["create", "update", "patch", "get"]}]);
    grant(&server, "binder", manage, "bob");
    let bob = server.user("bob");
    let bindings = format!("{RBAC}/namespaces/default/rolebindings");
    let all = binding("RoleBinding", "all", ("ClusterRole", "cluster-admin"), "bob");
    let answer = bob.post(&bindings, &all);
    assert_eq!(answer.code, 403);
    let message = answer.message();
    assert!(message.contains("\nnot currently held") || message.contains("not currently held:\n"));
    assert!(message.ends_with("{NonResourceURLs:[\"*\"], Verbs:[\"*\"]}"), "{message}");
    let cluster = format!("{RBAC}/clusterrolebindings");
    let everywhere = binding("ClusterRoleBinding", "all", ("ClusterRole", "cluster-admin"), "bob");
    assert_eq!(bob.post(&cluster, &everywhere).code, 403);
    let lost = binding("RoleBinding", "lost", ("Role", "nothing"), "bob");
    let answer = bob.post(&bindings, &lost);
    assert_eq!(
        (answer.code, answer.message()),
        (404, "roles.rbac.authorization.k8s.io \"nothing\" not found")
    );
    // The verb for one role is for that role alone.
    let bind = value!([{"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["clusterroles"],
        "resourceNames": ["view"], "verbs": ["bind"]}]);
    grant(&server, "bind-view", bind, "bob");
    let view = binding("RoleBinding", "view", ("ClusterRole", "view"), "ann");
    assert_eq!(bob.post(&bindings, &view).code, 201);
    assert_eq!(bob.post(&bindings, &all).code, 403);
    assert_eq!(server.user("ann").get(CONFIG_MAPS).code, 200);
    assert_eq!(server.user("ann").get("/api/v1/namespaces/default/secrets").code, 403);
    // What a binding binds to stays what it is.
    let other = binding("RoleBinding", "view", ("ClusterRole", "edit"), "ann");
    let answer = server.admin().put(&format!("{bindings}/view"), &other);
    assert_eq!(answer.code, 422);
    assert!(answer.message().contains("cannot change roleRef"), "{}", answer.message());
}

#[test]
fn gathering_roles_hold_what_they_gather() {
    let server = Server::start();
    let mut extra = role(
        "ClusterRole",
        "widgets-view",
        value!([{"apiGroups": ["shop.example.com"], "resources": ["widgets"], "verbs": ["list"]}]),
    );
    extra.set_path(
        &["metadata", "labels"],
        value!({"rbac.authorization.k8s.io/aggregate-to-view": "true"}),
    );
    server.create(&format!("{RBAC}/clusterroles"), &extra);
    for name in ["view", "admin"] {
        let user = if name == "view" { "ann" } else { "bob" };
        let binding = binding("ClusterRoleBinding", name, ("ClusterRole", name), user);
        server.create(&format!("{RBAC}/clusterrolebindings"), &binding);
        let path = "/apis/shop.example.com/v1/namespaces/default/widgets";
        // Allowed, and then not found: there is no such kind.
        assert_eq!(server.user(user).get(path).code, 404, "{name}");
    }
    assert_eq!(server.user("bob").get("/api/v1/namespaces/default/secrets").code, 200);
    assert_eq!(server.user("ann").get("/api/v1/namespaces/default/secrets").code, 403);
}

#[test]
fn broken_roles_are_refused_in_the_reference_s_words() {
    let server = Server::start();
    let admin = server.admin();
    let roles = format!("{RBAC}/namespaces/default/roles");
    for (rules, message) in [
        (
            value!([{"apiGroups": [""], "resources": ["x"]}]),
            "rules[0].verbs: Required value: verbs must contain at least one value",
        ),
        (
            value!([{"verbs": ["get"]}]),
            "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
        ),
        (
            value!([{"verbs": ["get"], "nonResourceURLs": ["/x"]}]),
            "rules[0].nonResourceURLs: Invalid value: [\"/x\"]: namespaced rules cannot apply to non-resource URLs",
        ),
    ] {
        let answer = admin.post(&roles, &role("Role", "bad", rules));
        assert_eq!(answer.code, 422);
        assert!(answer.message().contains(message), "{}", answer.message());
    }
    let mut bad = binding("RoleBinding", "bad", ("Nothing", "x"), "bob");
    let answer = admin.post(&format!("{RBAC}/namespaces/default/rolebindings"), &bad);
    assert!(
        answer.message().contains(
            "roleRef.kind: Unsupported value: \"Nothing\": supported values: \"ClusterRole\", \"Role\""
        ) || answer.message().contains(
            "roleRef.kind: Unsupported value: \"Nothing\": supported values: \"Role\", \"ClusterRole\""
        ),
        "{}",
        answer.message()
    );
    bad.set_path(&["roleRef", "kind"], "Role".into());
    bad.set_path(&["subjects"], value!([{"kind": "Robot", "name": "x"}]));
    let answer = admin.post(&format!("{RBAC}/namespaces/default/rolebindings"), &bad);
    assert!(
        answer.message().contains("subjects[0].kind: Unsupported value"),
        "{}",
        answer.message()
    );
}

#[test]
fn reviews_answer_from_the_roles() {
    let server = Server::start();
    let rules = value!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]);
    grant(&server, "read-maps", rules, "bob");
    let ask = |namespace: &str, resource: &str| {
        value!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {"verb": "list", "resource": resource,
                "namespace": namespace}}})
    };
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let bob = server.user("bob");
    let yes = bob.post(path, &ask("default", "configmaps"));
    assert_eq!(yes.code, 201);
    assert_eq!(yes.body.get_path(&["status", "allowed"]), Some(&Value::Bool(true)));
    assert_eq!(
        reason(&yes),
        "RBAC: allowed by ClusterRoleBinding \"read-maps\" of ClusterRole \"read-maps\" to User \
         \"bob\""
    );
    let no = bob.post(path, &ask("default", "secrets"));
    assert_eq!(no.body.get_path(&["status", "allowed"]), Some(&Value::Bool(false)));
    // Asking about others is not for everybody.
    let other = value!({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": {"user": "bob", "nonResourceAttributes": {"path": "/version", "verb": "get"}}});
    let path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    assert_eq!(bob.post(path, &other).code, 403);
    let answer = server.admin().post(path, &other);
    assert_eq!(answer.body.get_path(&["status", "allowed"]), Some(&Value::Bool(false)));
    let path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    let all = value!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": "default"}});
    let answer = bob.post(path, &all);
    let listed = answer.body.get_path(&["status", "resourceRules"]).unwrap();
    let wanted = value!({"verbs": ["list"], "apiGroups": [""], "resources": ["configmaps"]});
    assert!(listed.as_list().unwrap().contains(&wanted), "{listed:?}");
    let local = value!({"apiVersion": "authorization.k8s.io/v1",
        "kind": "LocalSubjectAccessReview", "metadata": {"namespace": "default"},
        "spec": {"user": "bob", "resourceAttributes": {"verb": "list", "resource": "configmaps",
            "namespace": "kube-system"}}});
    let path = "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews";
    let answer = server.admin().post(path, &local);
    assert_eq!(answer.code, 422);
    assert!(answer.message().contains("must match metadata.namespace"), "{}", answer.message());
}

/// S31: what a review says is what happens.
#[test]
fn s31_reviews_and_requests_agree() {
    let server = Server::start();
    let rules = value!([
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "create"]},
        {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["a"], "verbs": ["*"]},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["*"], "verbs": ["delete", "get"]},
        {"apiGroups": [""], "resources": ["*/status"], "verbs": ["get"]}
    ]);
    grant(&server, "some", rules, "bob");
    let bob = server.user("bob");
    let review = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let mut seen = [0, 0];
    for (group, resource) in
        [("", "configmaps"), ("", "secrets"), ("coordination.k8s.io", "leases"), ("", "services")]
    {
        for name in ["", "a", "b"] {
            for (verb, method, named) in [
                ("get", "GET", true),
                ("list", "GET", false),
                ("delete", "DELETE", true),
                ("deletecollection", "DELETE", false),
                ("create", "POST", false),
            ] {
                if named == name.is_empty() {
                    continue;
                }
                let spec = value!({"resourceAttributes": {"verb": verb, "group": group,
                    "resource": resource, "namespace": "default", "name": name}});
                let asked = value!({"apiVersion": "authorization.k8s.io/v1",
                    "kind": "SelfSubjectAccessReview", "spec": (spec)});
                let said = bob.post(review, &asked);
                let said = said.body.get_path(&["status", "allowed"]).and_then(Value::as_bool);
                let root =
                    if group.is_empty() { "/api/v1".into() } else { format!("/apis/{group}/v1") };
                let slash = if name.is_empty() { "" } else { "/" };
                let path = format!("{root}/namespaces/default/{resource}{slash}{name}");
                let done = bob.call(method, &path, &[], None).code != 403;
                assert_eq!(said, Some(done), "{verb} {path}");
                seen[usize::from(done)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 3), "{seen:?}");
}

/// Who holds and gives many single grants waits no longer than for reading them.
#[test]
fn s30_a_role_of_many_grants_is_compared_with_what_is_held() {
    let server = Server::start();
    let many = |prefix: &str, len: usize| {
        let words = (0..len).map(|at| Value::from(format!("{prefix}{at}")));
        Value::from(words.collect::<Vec<_>>())
    };
    // 100 verbs on 990 resources.
    let rule = value!({"apiGroups": ["g.example.com"], "verbs": (many("v", 100)),
        "resources": (many("r", 990))});
    let write = value!({"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["clusterroles"],
        "verbs": ["create"]});
    grant(&server, "giver", value!([rule.clone(), write]), "bob");
    let given = role("ClusterRole", "given", value!([rule.clone()]));
    let path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    let answer = server.user("bob").post(path, &given);
    assert_eq!(answer.code, 201, "{}", answer.message());
    let mut more = rule;
    more.set_path(&["resources"], many("x", 990));
    let answer = server.user("bob").post(path, &role("ClusterRole", "more", value!([more])));
    assert_eq!(answer.code, 403);
    assert!(answer.message().contains("not currently held"), "{}", answer.message());
}
