//! kube-rs against the server: typed and dynamic clients, patch apply, watcher and reflector.

mod support;

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{
    Api, ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, ObjectMeta, Patch,
    PatchParams, PostParams,
};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::runtime::reflector::store;
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Client, Config, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(
    group = "garden.example.com",
    version = "v1",
    kind = "Plant",
    namespaced,
    schema = "disabled"
)]
struct PlantSpec {
    species: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<i64>,
}

const DEFINITION: &str = include_str!("kube_rs/plants.json");

async fn client(serving: &support::Serving) -> Client {
    let kubeconfig = Kubeconfig::read_from(serving.kubeconfig()).expect("the kubeconfig");
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .expect("a configuration");
    Client::try_from(config).expect("a client")
}

async fn define_plants(client: &Client) {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let definition: CustomResourceDefinition =
        serde_json::from_str(DEFINITION).expect("a definition");
    let made = definitions.create(&PostParams::default(), &definition).await.expect("created");
    let name = made.metadata.name.expect("a name");
    let established = await_condition(definitions, &name, conditions::is_crd_established());
    tokio::time::timeout(Duration::from_secs(10), established)
        .await
        .expect("in time")
        .expect("established");
}

fn plant(name: &str, species: &str) -> Plant {
    Plant::new(name, PlantSpec { species: species.into(), height: None })
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_and_dynamic_clients_see_the_same_objects() {
    let serving = support::Serving::start();
    let client = client(&serving).await;
    define_plants(&client).await;

    let plants: Api<Plant> = Api::default_namespaced(client.clone());
    let made =
        plants.create(&PostParams::default(), &plant("fern", "Polypodium")).await.expect("created");
    assert_eq!(made.spec.height, Some(10), "the default is set");

    let refused =
        plants.create(&PostParams::default(), &plant("none", "")).await.expect_err("refused");
    let kube::Error::Api(status) = refused else { panic!("{refused}") };
    assert_eq!((status.code, status.reason.as_str()), (422, "Invalid"));

    let kind = GroupVersionKind::gvk("garden.example.com", "v1", "Plant");
    let dynamic: Api<DynamicObject> =
        Api::default_namespaced_with(client.clone(), &ApiResource::from_gvk(&kind));
    let applied = serde_json::json!({
        "apiVersion": "garden.example.com/v1", "kind": "Plant",
        "metadata": {"name": "fern"}, "spec": {"height": 12},
    });
    let parameters = PatchParams::apply("gardener").force();
    let patched =
        dynamic.patch("fern", &parameters, &Patch::Apply(&applied)).await.expect("applied");
    assert_eq!(patched.data["spec"]["height"], 12);
    assert_eq!(plants.get("fern").await.expect("there").spec.species, "Polypodium");

    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let data = BTreeMap::from([("a".to_owned(), "b".to_owned())]);
    let metadata = ObjectMeta { name: Some("pots".into()), ..ObjectMeta::default() };
    let map = ConfigMap { metadata, data: Some(data), ..ConfigMap::default() };
    maps.create(&PostParams::default(), &map).await.expect("created");
    let listed =
        maps.list(&ListParams::default().fields("metadata.name=pots")).await.expect("listed");
    assert_eq!(listed.items.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn watcher_and_reflector_follow_changes() {
    let serving = support::Serving::start();
    let client = client(&serving).await;
    define_plants(&client).await;
    let plants: Api<Plant> = Api::default_namespaced(client);
    plants.create(&PostParams::default(), &plant("moss", "Bryum")).await.expect("created");

    for config in [watcher::Config::default(), watcher::Config::default().streaming_lists()] {
        let (reader, writer) = store::<Plant>();
        let follow = reflector(writer, watcher(plants.clone(), config)).applied_objects();
        let mut follow = std::pin::pin!(follow);
        let first = tokio::time::timeout(Duration::from_secs(10), follow.try_next()).await;
        let first = first.expect("in time").expect("no error").expect("an object");
        assert_eq!(first.metadata.name.as_deref(), Some("moss"));

        let change = serde_json::json!({"spec": {"height": 5}});
        plants
            .patch("moss", &PatchParams::default(), &Patch::Merge(&change))
            .await
            .expect("patched");
        let change = serde_json::json!({"spec": {"height": 6}});
        plants
            .patch("moss", &PatchParams::default(), &Patch::Merge(&change))
            .await
            .expect("patched");
        let heights: Vec<_> =
            follow.by_ref().take(2).try_collect::<Vec<_>>().await.expect("no error");
        let heights: Vec<_> = heights.into_iter().map(|it| it.spec.height).collect();
        assert_eq!(heights, [Some(5), Some(6)]);
        assert_eq!(reader.state().len(), 1);
    }
    plants.delete("moss", &DeleteParams::default()).await.expect("deleted");
}
