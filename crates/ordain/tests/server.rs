//! A product that serves its own kinds: over HTTPS with credentials and roles, as the binary does.

use std::net::SocketAddr;
use std::path::Path;

use kube::api::{Api, ApiResource, DynamicObject, GroupVersionKind, ListParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use ordain::testing::TestServer;
use ordain::{Hooks, ObjectMeta, Resource, Schema, Server};
use serde::{Deserialize, Serialize};

#[derive(Resource, Serialize, Deserialize)]
#[ordain(group = "shop.example.com", version = "v1")]
struct Lamp {
    metadata: ObjectMeta,
    spec: LampSpec,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<LampStatus>,
}

#[derive(Schema, Serialize, Deserialize)]
struct LampSpec {
    #[ordain(minimum = 1, maximum = 100)]
    watts: i32,
    #[ordain(feature_gate = "LampColor")]
    #[serde(skip_serializing_if = "Option::is_none")]
    color: Option<String>,
}

#[derive(Schema, Serialize, Deserialize)]
struct LampStatus {
    lit: bool,
}

const ROLES: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: default}
rules:
- apiGroups: [shop.example.com]
  resources: [lamps]
  verbs: [get, list]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: Group, name: readers}
";

fn anywhere() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

async fn lamps(kubeconfig: &Path, token: Option<&str>) -> Api<DynamicObject> {
    let kubeconfig = Kubeconfig::read_from(kubeconfig).unwrap();
    let mut config =
        Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    if let Some(token) = token {
        config.auth_info = kube::config::AuthInfo::default();
        config.auth_info.token = Some(token.to_owned().into());
    }
    let client = Client::try_from(config).unwrap();
    let gvk = GroupVersionKind::gvk("shop.example.com", "v1", "Lamp");
    Api::default_namespaced_with(client, &ApiResource::from_gvk(&gvk))
}

fn lamp(name: &str, watts: i64) -> DynamicObject {
    serde_json::from_value(serde_json::json!({
        "apiVersion": "shop.example.com/v1", "kind": "Lamp",
        "metadata": {"name": name}, "spec": {"watts": watts},
    }))
    .unwrap()
}

fn code<T: std::fmt::Debug>(result: kube::Result<T>) -> u16 {
    match result {
        Err(kube::Error::Api(status)) => status.code,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_product_serves_https_with_credentials_and_roles() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens.csv");
    std::fs::write(&tokens, "secret,ada,1,\"readers\"\n").unwrap();
    let builder = Server::builder()
        .kind::<Lamp>(Hooks::new())
        .address(anywhere())
        .data_dir(folder.path().join("data"))
        .tokens(&tokens)
        .audit_log(folder.path().join("audit.log"))
        .manifests(ROLES);
    let server = builder.clone().start().await.unwrap();
    assert!(server.url().starts_with("https://127.0.0.1:"), "{}", server.url());
    let kubeconfig = server.kubeconfig().unwrap().to_owned();
    assert!(kubeconfig.ends_with("data/kubeconfig"), "{}", kubeconfig.display());
    let admin = lamps(&kubeconfig, None).await;
    admin.create(&PostParams::default(), &lamp("desk", 40)).await.unwrap();
    assert_eq!(code(admin.create(&PostParams::default(), &lamp("sun", 4000)).await), 422);
    // Somebody with a token may do what roles say, a stranger nothing.
    let ada = lamps(&kubeconfig, Some("secret")).await;
    assert_eq!(ada.list(&ListParams::default()).await.unwrap().items.len(), 1);
    assert_eq!(code(ada.create(&PostParams::default(), &lamp("hall", 40)).await), 403);
    let stranger = lamps(&kubeconfig, Some("guess")).await;
    assert_eq!(code(stranger.list(&ListParams::default()).await), 401);
    server.stop().await.unwrap();
    let audit = std::fs::read_to_string(folder.path().join("audit.log")).unwrap();
    assert!(audit.contains("\"ada\""), "{audit}");
    // Objects, keys and roles are there again after a restart.
    let server = builder.start().await.unwrap();
    let admin = lamps(server.kubeconfig().unwrap(), None).await;
    assert_eq!(admin.list(&ListParams::default()).await.unwrap().items.len(), 1);
    let ada = lamps(server.kubeconfig().unwrap(), Some("secret")).await;
    assert_eq!(ada.list(&ListParams::default()).await.unwrap().items.len(), 1);
    server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_http_is_for_loopback_addresses_only() {
    let builder = Server::builder().in_memory();
    let outside = SocketAddr::from(([0, 0, 0, 0], 0));
    let refusal = builder.insecure_http(outside).start().await.unwrap_err().to_string();
    assert!(refusal.contains("would let everybody"), "{refusal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_served_is_told_before_the_server_starts() {
    let gates = Server::builder().kind::<Lamp>(Hooks::new()).feature_gates("Wishes=true");
    let refusal = gates.in_memory().start().await.unwrap_err().to_string();
    assert!(refusal.contains("Wishes") && refusal.contains("LampColor"), "{refusal}");
    let folder = Server::builder().data_dir("/proc/nowhere").insecure_http(anywhere());
    let refusal = folder.start().await.unwrap_err().to_string();
    assert!(refusal.contains("/proc/nowhere"), "{refusal}");
}

#[test]
fn a_test_serves_kinds_of_its_own() {
    let mut server = TestServer::builder()
        .kind::<Lamp>(Hooks::new().name_generator(|_, base| format!("{base}made")))
        .feature_gates("LampColor=true")
        .start()
        .unwrap();
    let path = "/apis/shop.example.com/v1/namespaces/default/lamps";
    let body = r#"{"apiVersion":"shop.example.com/v1","kind":"Lamp",
        "metadata":{"generateName":"x-"},"spec":{"watts":3,"color":"red"}}"#;
    let (code, answer) = server.request("POST", path, body).unwrap();
    assert_eq!(code, 201, "{answer}");
    assert!(answer.contains("\"name\":\"x-made\"") && answer.contains("red"), "{answer}");
    server.reset().unwrap();
    let (code, answer) = server.request("GET", path, "").unwrap();
    assert!(code == 200 && answer.contains("\"items\":[]"), "{answer}");
}

#[test]
fn spec_status_and_generation_have_generated_accessors() {
    use ordain::{HasSpec, HasStatus};
    fn wanted<T: Resource + HasSpec<Spec = LampSpec>>(object: &mut T) -> i64 {
        object.spec_mut().watts += 1;
        object.set_generation(object.generation() + 1);
        i64::from(object.spec().watts) + object.generation()
    }
    fn seen<T: HasStatus<Status = Option<LampStatus>>>(object: &mut T) -> bool {
        *object.status_mut() = Some(LampStatus { lit: true });
        object.status().as_ref().is_some_and(|it| it.lit)
    }
    let spec = LampSpec { watts: 1, color: None };
    let mut lamp = Lamp { metadata: ObjectMeta::named("a"), spec, status: None };
    assert_eq!(wanted(&mut lamp), 3);
    assert!(seen(&mut lamp));
}
