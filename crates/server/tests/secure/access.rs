//! Who gets in: certificates, tokens, nobody, and those who act as others.

use std::sync::Arc;

use ordain_server::{ServiceAccounts, TokenOptions};
use ordain_value::{Value, value};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair,
};

use crate::client::{Answer, Credentials};
use crate::server::Server;

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const WHO: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

fn who(answer: &Answer) -> (String, Vec<String>) {
    let info = answer.body.get_path(&["status", "userInfo"]).unwrap();
    let groups = info.get("groups").and_then(Value::as_list).unwrap();
    let groups = groups.iter().map(|group| group.as_str().unwrap().to_owned()).collect();
    (info.get("username").and_then(Value::as_str).unwrap().to_owned(), groups)
}

fn review() -> Value {
    value!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"})
}

/// What a test certificate differs in.
struct Made {
    authority: &'static str,
    usage: ExtendedKeyUsagePurpose,
    years: (i32, i32),
    common_name: &'static str,
    groups: usize,
}

impl Default for Made {
    fn default() -> Self {
        Self {
            authority: "client-ca",
            usage: ExtendedKeyUsagePurpose::ClientAuth,
            years: (2000, 2090),
            common_name: "carol",
            groups: 1,
        }
    }
}

/// A certificate signed by an authority of the server, or by a stranger.
fn certificate(server: &Server, made: &Made) -> Credentials {
    let mut authority = CertificateParams::default();
    authority.distinguished_name = DistinguishedName::new();
    let name = format!("ordain-{}", made.authority);
    authority.distinguished_name.push(DnType::CommonName, name);
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    let key = std::fs::read_to_string(server.dir.path().join(format!("{}.key", made.authority)));
    let key = match key {
        Ok(pem) => KeyPair::from_pem(&pem).unwrap(),
        Err(_) => KeyPair::generate().unwrap(),
    };
    let issuer = Issuer::new(authority, key);
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, made.common_name);
    for number in 0..made.groups {
        // The same attribute many times needs different names for it in this library.
        let ty = match number {
            0 => DnType::OrganizationName,
            _ => DnType::CustomDnType(vec![2, 5, 4, 10]),
        };
        params.distinguished_name.push(ty, format!("group-{number}"));
    }
    params.extended_key_usages = vec![made.usage.clone()];
    params.not_before = rcgen::date_time_ymd(made.years.0, 1, 1);
    params.not_after = rcgen::date_time_ymd(made.years.1, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.signed_by(&key, &issuer).unwrap();
    Credentials::Certificate { certificate: certificate.pem(), key: key.serialize_pem() }
}

#[test]
fn the_generated_administrator_may_do_everything() {
    let server = Server::start();
    let admin = server.admin();
    let (name, groups) = who(&admin.post(WHO, &review()));
    assert_eq!(name, "ordain-admin");
    assert_eq!(groups, ["system:masters", "system:authenticated"]);
    assert_eq!(admin.get("/api/v1/secrets").code, 200);
    assert_eq!(admin.get("/metrics").code, 200);
}

#[test]
fn strangers_see_health_and_version_alone() {
    let server = Server::start();
    let nobody = server.anonymous();
    for path in ["/healthz", "/livez", "/readyz", "/version", "/readyz?verbose"] {
        assert_eq!(nobody.get(path).code, 200, "{path}");
    }
    for path in ["/", "/api", "/apis", "/openapi/v2", "/metrics", CONFIG_MAPS, "/livez/ping"] {
        let answer = nobody.get(path);
        assert_eq!(answer.code, 401, "{path}");
        assert_eq!(answer.message(), "Unauthorized");
        assert_eq!(answer.body.get("reason").and_then(Value::as_str), Some("Unauthorized"));
    }
}

#[test]
fn tokens_name_their_users() {
    let server = Server::start();
    let (name, groups) = who(&server.user("bob").post(WHO, &review()));
    assert_eq!(name, "bob");
    assert_eq!(groups, ["dev", "qa", "system:authenticated"]);
    // A wrong token is refused even where none is needed.
    let wrong = server.client(Credentials::Token("no-such-token".into()));
    assert_eq!(wrong.get("/healthz").code, 401);
    assert_eq!(wrong.get(CONFIG_MAPS).code, 401);
    let huge = server.client(Credentials::Token("x".repeat(200_000)));
    assert_eq!(huge.get(CONFIG_MAPS).code, 401);
}

#[test]
fn bootstrap_tokens_are_good_as_long_as_their_secret() {
    let server = Server::with(|app| {
        let accounts = ServiceAccounts::open(Arc::clone(&app.registry), TokenOptions::default());
        app.service_accounts = Some(Arc::new(accounts.unwrap()));
    });
    let joining = server.client(Credentials::Token("abcdef.0123456789abcdef".into()));
    assert_eq!(joining.post(WHO, &review()).code, 401);
    let secret = value!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "bootstrap-token-abcdef"},
        "type": "bootstrap.kubernetes.io/token",
        "stringData": {
            "token-id": "abcdef",
            "token-secret": "0123456789abcdef",
            "usage-bootstrap-authentication": "true",
            "auth-extra-groups": "system:bootstrappers:workers"
        }
    });
    server.create("/api/v1/namespaces/kube-system/secrets", &secret);
    let (name, groups) = who(&joining.post(WHO, &review()));
    assert_eq!(name, "system:bootstrap:abcdef");
    let expected = ["system:bootstrappers", "system:bootstrappers:workers", "system:authenticated"];
    assert_eq!(groups, expected);
    let path = "/api/v1/namespaces/kube-system/secrets/bootstrap-token-abcdef";
    assert_eq!(server.admin().delete(path).code, 200);
    assert_eq!(joining.post(WHO, &review()).code, 401);
}

#[test]
fn s33_only_valid_client_certificates_of_the_client_authority_count() {
    let server = Server::start();
    let good = server.client(certificate(&server, &Made::default()));
    let (name, groups) = who(&good.post(WHO, &review()));
    assert_eq!((name.as_str(), groups[0].as_str()), ("carol", "group-0"));
    let bad = [
        ("expired", Made { years: (2000, 2001), ..Made::default() }),
        ("not yet valid", Made { years: (2090, 2091), ..Made::default() }),
        ("for servers", Made { usage: ExtendedKeyUsagePurpose::ServerAuth, ..Made::default() }),
        ("signed by the serving authority", Made { authority: "ca", ..Made::default() }),
        ("signed by a stranger", Made { authority: "stranger", ..Made::default() }),
        ("without a name", Made { common_name: "", ..Made::default() }),
    ];
    for (what, made) in bad {
        let client = server.client(certificate(&server, &made));
        assert_eq!(client.get(CONFIG_MAPS).code, 401, "{what}");
    }
    let many = Made { groups: 2, ..Made::default() };
    let (_, groups) = who(&server.client(certificate(&server, &many)).post(WHO, &review()));
    assert_eq!(groups.len(), 3);
}

#[test]
fn s21_headers_of_front_proxies_mean_nothing() {
    let server = Server::start();
    let headers = [("x-remote-user", "root"), ("x-remote-group", "system:masters")];
    assert_eq!(server.anonymous().get_as(CONFIG_MAPS, &headers).code, 401);
    let answer = server.user("eve").get_as(CONFIG_MAPS, &headers);
    assert_eq!(answer.code, 403);
    assert!(answer.message().contains("User \"eve\""), "{}", answer.message());
}

#[test]
fn s22_acting_as_others_needs_the_right_to() {
    let server = Server::start();
    let admin = server.admin();
    let act = [("impersonate-user", "bob"), ("impersonate-group", "qa")];
    let answer = admin.call("POST", WHO, &act, Some(&review()));
    let (name, groups) = who(&answer);
    assert_eq!((name.as_str(), groups), ("bob", vec!["qa".into(), "system:authenticated".into()]));
    let account = [("impersonate-user", "system:serviceaccount:default:robot")];
    let (name, groups) = who(&admin.call("POST", WHO, &account, Some(&review())));
    assert_eq!(name, "system:serviceaccount:default:robot");
    assert_eq!(
        groups,
        ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"]
    );

    // Eve may not, whomever she asks for, also where everybody may look.
    let eve = server.user("eve");
    for act in [
        vec![("impersonate-user", "system:admin")],
        vec![("impersonate-user", "eve"), ("impersonate-group", "system:masters")],
        vec![("impersonate-user", "eve"), ("impersonate-uid", "0")],
        vec![("impersonate-user", "eve"), ("impersonate-extra-scopes%2fx", "all")],
    ] {
        assert_eq!(eve.get_as(CONFIG_MAPS, &act).code, 403, "{act:?}");
        assert_eq!(eve.get_as("/apis", &act).code, 403, "{act:?}");
    }
    let answer = eve.get_as(CONFIG_MAPS, &[("impersonate-user", "bob")]);
    assert_eq!(
        answer.message(),
        "configmaps is forbidden: User \"eve\" cannot impersonate-on:user-info:list resource \
         \"configmaps\" in API group \"\" in the namespace \"default\""
    );
    let answer = eve.get_as(CONFIG_MAPS, &[("impersonate-group", "qa")]);
    assert_eq!(answer.code, 400);
    assert_eq!(
        answer.message(),
        "requested &user.DefaultInfo{Name:\"\", UID:\"\", Groups:[]string{\"qa\"}, \
         Extra:map[string][]string(nil)} without impersonating a user name"
    );
}

#[test]
fn the_old_right_to_impersonate_is_enough() {
    let server = Server::start();
    let rules = value!([{"apiGroups": [""], "resources": ["users"], "resourceNames": ["bob"],
        "verbs": ["impersonate"]}]);
    let role = value!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {"name": "act-as-bob"}, "rules": (rules)});
    server.create("/apis/rbac.authorization.k8s.io/v1/clusterroles", &role);
    let binding = value!({"apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding", "metadata": {"name": "ann-acts-as-bob"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
            "name": "act-as-bob"},
        "subjects": [{"kind": "User", "name": "ann"}]});
    server.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", &binding);
    let ann = server.user("ann");
    let answer = ann.get_as(CONFIG_MAPS, &[("impersonate-user", "bob")]);
    assert_eq!(answer.code, 403);
    assert!(answer.message().contains("User \"bob\" cannot list"), "{}", answer.message());
    let answer = ann.get_as(CONFIG_MAPS, &[("impersonate-user", "root")]);
    assert!(answer.message().contains("User \"ann\" cannot impersonate"), "{}", answer.message());
}
