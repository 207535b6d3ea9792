//! Typed hooks of a served kind (KEP-5975).

use std::net::SocketAddr;

use ordain::field::{Error, ErrorList, Path};
use ordain::{Hooks, ObjectMeta, Resource, Schema, Server};
use ordain_testkit::Client;
use ordain_testkit::client::Request;
use ordain_value::{Value, json, value};
use serde::{Deserialize, Serialize};

#[derive(Resource, Serialize, Deserialize)]
#[ordain(group = "shop.example.com", version = "v1")]
struct Order {
    metadata: ObjectMeta,
    spec: OrderSpec,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<OrderStatus>,
}

#[derive(Schema, Serialize, Deserialize)]
struct OrderSpec {
    amount: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<i32>,
}

#[derive(Schema, Serialize, Deserialize)]
struct OrderStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    paid: Option<i32>,
}

fn hooks() -> Hooks<Order> {
    let even = |order: &Order| -> ErrorList {
        let (spec, amount) = (Path::new("spec"), order.spec.amount);
        let odd = (amount % 2 != 0)
            .then(|| Error::invalid(&spec.child("amount"), amount, "comes in pairs"));
        odd.into_iter().collect()
    };
    Hooks::new()
        .default_with(|order: &mut Order| {
            order.spec.currency.get_or_insert_with(|| "EUR".to_owned());
        })
        .validate(even)
        .warnings_on_create(|order| match order.spec.amount {
            amount if amount > 100 => vec!["that is a lot".to_owned()],
            _ => Vec::new(),
        })
        .prepare_for_create(|order| order.spec.revision = Some(1))
        .prepare_for_update(|order, old| order.spec.revision = old.spec.revision.map(|it| it + 1))
        .validate_status_update(|order, _| {
            let status = Path::new("status");
            let paid = order.status.as_ref().and_then(|it| it.paid).unwrap_or(0);
            let wrong = (paid > order.spec.amount)
                .then(|| Error::forbidden(&status.child("paid"), "more than was asked for"));
            wrong.into_iter().collect()
        })
}

fn call(client: &mut Client, method: &str, path: &str, body: &Value) -> (u16, Value, Vec<String>) {
    let content_type =
        if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let path = format!("/apis/shop.example.com/v1/namespaces/default/orders{path}");
    let body = Some(json::encode(body));
    let request = Request { method, path: &path, body, content_type, headers: Vec::new() };
    let answer = client.call(&request).unwrap();
    let warnings = answer.warnings();
    (answer.code, answer.body, warnings)
}

#[test]
fn hooks_get_typed_objects_at_every_step() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let builder = Server::builder().kind::<Order>(hooks()).in_memory();
    let start = builder.insecure_http(SocketAddr::from(([127, 0, 0, 1], 0))).start();
    let server = runtime.block_on(start).unwrap();
    let mut client = Client::new(server.address());
    let order = |amount: i64| {
        value!({
            "apiVersion": "shop.example.com/v1", "kind": "Order",
            "metadata": {"name": "one", "labels": {"kept": "yes"}}, "spec": {"amount": (amount)}
        })
    };
    let (code, body, _) = call(&mut client, "POST", "", &order(3));
    assert_eq!(code, 422);
    assert!(json::encode_string(&body).contains("comes in pairs"), "{body:?}");
    let (code, body, warnings) = call(&mut client, "POST", "", &order(200));
    assert_eq!(code, 201, "{body:?}");
    assert_eq!(body.get("spec"), Some(&value!({"amount": 200, "currency": "EUR", "revision": 1})));
    assert_eq!(body.get_path(&["metadata", "labels", "kept"]), Some(&Value::from("yes")));
    assert!(warnings.iter().any(|it| it.contains("that is a lot")), "{warnings:?}");
    let (code, body, _) = call(&mut client, "PATCH", "/one", &value!({"spec": {"amount": 4}}));
    assert_eq!(code, 200, "{body:?}");
    assert_eq!(body.get_path(&["spec", "revision"]), Some(&Value::Int(2)));
    let (code, _, _) = call(&mut client, "PATCH", "/one", &value!({"spec": {"amount": 5}}));
    assert_eq!(code, 422, "updates are validated, too");
    let paid = |amount: i64| value!({"status": {"paid": (amount)}});
    let (code, body, _) = call(&mut client, "PATCH", "/one/status", &paid(9));
    assert_eq!(code, 422);
    assert!(json::encode_string(&body).contains("more than was asked for"), "{body:?}");
    let (code, body, _) = call(&mut client, "PATCH", "/one/status", &paid(2));
    assert_eq!(code, 200, "{body:?}");
    runtime.block_on(server.stop()).unwrap();
}
