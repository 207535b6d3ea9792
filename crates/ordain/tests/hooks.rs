//! Typed hooks of a served kind (KEP-5975).

use std::net::SocketAddr;

use ordain::field::{Error, ErrorList, Path};
use ordain::hooks::Column;
use ordain::{Hooks, ObjectMeta, Resource, Schema, Server};
use ordain_testkit::Client;
use ordain_testkit::client::Request;
use ordain_value::{Value, json, value};
use serde::{Deserialize, Serialize};

#[derive(Resource, Serialize, Deserialize)]
#[ordain(group = "shop.example.com", version = "v1", name_format = "dns1035label")]
struct Order {
    metadata: ObjectMeta,
    spec: OrderSpec,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<OrderStatus>,
}

#[derive(Schema, Serialize, Deserialize)]
struct OrderSpec {
    /// How many.
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

/// A server while a test runs.
struct Serving {
    runtime: tokio::runtime::Runtime,
    server: Server,
    client: Client,
}

impl Serving {
    fn start(hooks: Hooks<Order>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let builder = Server::builder().kind::<Order>(hooks).in_memory();
        let start = builder.insecure_http(SocketAddr::from(([127, 0, 0, 1], 0))).start();
        let server = runtime.block_on(start).unwrap();
        let client = Client::new(server.address());
        Serving { runtime, server, client }
    }

    fn stop(self) {
        self.runtime.block_on(self.server.stop()).unwrap();
    }
}

fn named(metadata: Value, spec: Value) -> Value {
    value!({
        "apiVersion": "shop.example.com/v1", "kind": "Order",
        "metadata": (metadata), "spec": (spec)
    })
}

/// The places and texts of a refusal.
fn causes(refusal: &Value) -> Vec<(String, String)> {
    let text =
        |it: &Value, key: &str| it.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let causes = refusal.get_path(&["details", "causes"]).and_then(Value::as_list);
    causes
        .into_iter()
        .flat_map(|it| it.iter())
        .map(|it| (text(it, "field"), text(it, "message")))
        .collect()
}

#[test]
fn hooks_get_typed_objects_at_every_step() {
    let mut serving = Serving::start(hooks());
    let order = |amount: i64| {
        named(value!({"name": "one", "labels": {"kept": "yes"}}), value!({"amount": (amount)}))
    };
    let (code, body, _) = call(&mut serving.client, "POST", "", &order(3));
    assert_eq!(code, 422);
    assert!(json::encode_string(&body).contains("comes in pairs"), "{body:?}");
    let (code, body, warnings) = call(&mut serving.client, "POST", "", &order(200));
    assert_eq!(code, 201, "{body:?}");
    assert_eq!(body.get("spec"), Some(&value!({"amount": 200, "currency": "EUR", "revision": 1})));
    assert_eq!(body.get_path(&["metadata", "labels", "kept"]), Some(&Value::from("yes")));
    assert!(warnings.iter().any(|it| it.contains("that is a lot")), "{warnings:?}");
    let (code, body, _) =
        call(&mut serving.client, "PATCH", "/one", &value!({"spec": {"amount": 4}}));
    assert_eq!(code, 200, "{body:?}");
    assert_eq!(body.get_path(&["spec", "revision"]), Some(&Value::Int(2)));
    let (code, _, _) = call(&mut serving.client, "PATCH", "/one", &value!({"spec": {"amount": 5}}));
    assert_eq!(code, 422, "updates are validated, too");
    let paid = |amount: i64| value!({"status": {"paid": (amount)}});
    let (code, body, _) = call(&mut serving.client, "PATCH", "/one/status", &paid(9));
    assert_eq!(code, 422);
    assert!(json::encode_string(&body).contains("more than was asked for"), "{body:?}");
    let (code, body, _) = call(&mut serving.client, "PATCH", "/one/status", &paid(2));
    assert_eq!(code, 200, "{body:?}");
    serving.stop();
}

#[test]
fn an_object_that_a_hook_cannot_read_gets_no_second_error() {
    let mut serving = Serving::start(hooks());
    let wrong = named(value!({"name": "one"}), value!({"amount": "many"}));
    let (code, refusal, _) = call(&mut serving.client, "POST", "", &wrong);
    assert_eq!(code, 422);
    let reported = causes(&refusal);
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert_eq!(reported[0].0, "spec.amount");
    assert!(reported[0].1.contains("must be of type integer"), "{reported:?}");
    serving.stop();
}

#[test]
fn a_name_format_takes_the_place_of_the_usual_rule() {
    let mut serving = Serving::start(Hooks::new());
    let post = |serving: &mut Serving, name: &str| {
        let order = named(value!({"name": (name)}), value!({"amount": 2}));
        let (code, answer, _) = call(&mut serving.client, "POST", "", &order);
        (code, causes(&answer))
    };
    let (code, reported) = post(&mut serving, "1-Odd_Name");
    assert_eq!((code, reported.len()), (422, 1), "{reported:?}");
    assert!(reported[0].1.contains("DNS-1035 label"), "{reported:?}");
    // What the usual rule would let pass.
    let (code, reported) = post(&mut serving, "1st");
    assert_eq!((code, reported.len()), (422, 1), "{reported:?}");
    assert_eq!(post(&mut serving, "first").0, 201);
    serving.stop();
}

#[test]
fn hooks_replace_names_columns_and_selectable_fields() {
    let column = Column {
        name: "Amount".into(),
        ty: "integer".into(),
        format: "int32".into(),
        description: "How many.".into(),
        priority: 0,
        json_path: ".spec.amount".into(),
    };
    let hooks = Hooks::new()
        .name_generator(|_, base: &str| format!("{base}made"))
        .columns(vec![column])
        .selectable_fields([".spec.currency"]);
    let mut serving = Serving::start(hooks);
    for currency in ["EUR", "CHF"] {
        let spec = value!({"amount": 2, "currency": (currency)});
        let base = value!({"generateName": (format!("{}-", currency.to_lowercase()))});
        let (code, answer, _) = call(&mut serving.client, "POST", "", &named(base, spec));
        assert_eq!(code, 201, "{answer:?}");
    }
    let path = "/apis/shop.example.com/v1/namespaces/default/orders";
    let some = serving.client.get(&format!("{path}?fieldSelector=spec.currency%3DCHF")).unwrap();
    let items = some.body.get("items").and_then(Value::as_list).unwrap();
    assert_eq!(items.len(), 1, "{:?}", some.body);
    assert_eq!(items[0].get_path(&["metadata", "name"]), Some(&Value::from("chf-made")));
    let table = Request {
        method: "GET",
        path,
        body: None,
        content_type: "application/json",
        headers: vec![("accept".into(), "application/json;as=Table;v=v1;g=meta.k8s.io".into())],
    };
    let table = serving.client.call(&table).unwrap().body;
    let columns = table.get("columnDefinitions").and_then(Value::as_list).unwrap();
    let names: Vec<_> = columns.iter().filter_map(|it| it.get("name")?.as_str()).collect();
    assert_eq!(names, ["Name", "Amount"]);
    serving.stop();
}

/// `kubectl explain` reads these documents: the version 2 until 1.26, the version 3 since.
#[test]
fn the_documents_that_kubectl_explains_have_the_fields_of_declared_kinds() {
    let mut serving = Serving::start(Hooks::new());
    let three = "/openapi/v3/apis/shop.example.com/v1";
    for (path, names) in
        [("/openapi/v2", &["definitions"][..]), (three, &["components", "schemas"])]
    {
        let document = serving.client.get(path).unwrap().body;
        let definitions = document.get_path(names).and_then(Value::as_map).unwrap();
        let of_kind = definitions.iter().find(|(_, it)| {
            let gvk = it.get("x-kubernetes-group-version-kind").and_then(Value::as_list);
            gvk.is_some_and(|it| it.iter().any(|it| it.get("kind") == Some(&Value::from("Order"))))
        });
        let mut node = of_kind.unwrap_or_else(|| panic!("{path} has no Order")).1;
        for step in ["spec", "amount"] {
            node = node.get_path(&["properties", step]).unwrap_or_else(|| panic!("no {step}"));
            let whole = node.get("allOf").and_then(Value::as_list).and_then(|it| it.first());
            let named = node.get("$ref").or(whole.and_then(|it| it.get("$ref")));
            if let Some(named) = named.and_then(Value::as_str) {
                node = definitions.get(named.rsplit('/').next().unwrap()).unwrap();
            }
        }
        assert_eq!(node.get("type"), Some(&Value::from("integer")), "{path}");
        assert_eq!(node.get("description"), Some(&Value::from("How many.")), "{path}");
    }
    serving.stop();
}

mod v1 {
    use ordain::{ObjectMeta, Resource, Schema};
    use serde::{Deserialize, Serialize};

    #[derive(Resource, Serialize, Deserialize)]
    #[ordain(group = "shop.example.com", version = "v1")]
    pub(super) struct Address {
        pub(super) metadata: ObjectMeta,
        pub(super) spec: Parts,
    }

    #[derive(Schema, Serialize, Deserialize)]
    pub(super) struct Parts {
        pub(super) host: String,
        pub(super) port: i32,
    }
}

mod v2 {
    use ordain::{ObjectMeta, Resource, Schema};
    use serde::{Deserialize, Serialize};

    #[derive(Resource, Serialize, Deserialize)]
    #[ordain(group = "shop.example.com", version = "v2", storage)]
    pub(super) struct Address {
        pub(super) metadata: ObjectMeta,
        pub(super) spec: Joined,
    }

    #[derive(Schema, Serialize, Deserialize)]
    pub(super) struct Joined {
        pub(super) address: String,
    }
}

#[test]
fn versions_are_converted_by_typed_functions() {
    let split = |it: &v2::Address| {
        let (host, port) = it.spec.address.split_once(':').unwrap_or((&it.spec.address, "0"));
        let spec = v1::Parts { host: host.to_owned(), port: port.parse().unwrap_or(0) };
        v1::Address { metadata: it.metadata.clone(), spec }
    };
    let join = |it: &v1::Address| {
        let spec = v2::Joined { address: format!("{}:{}", it.spec.host, it.spec.port) };
        v2::Address { metadata: it.metadata.clone(), spec }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let without = Server::builder()
        .kind::<v1::Address>(Hooks::new())
        .kind::<v2::Address>(Hooks::new())
        .in_memory()
        .insecure_http(address);
    let refused = runtime.block_on(without.start()).expect_err("they lose data to each other");
    assert!(refused.to_string().contains("spec.host has no field"), "{refused}");
    let builder = Server::builder()
        .kind::<v1::Address>(Hooks::new().convert_from(split))
        .kind::<v2::Address>(Hooks::new().convert_from(join))
        .in_memory()
        .insecure_http(address);
    let server = runtime.block_on(builder.start()).unwrap();
    let mut client = Client::new(server.address());
    let mut call = |method: &str, version: &str, name: &str, body: &Value| {
        let path = format!("/apis/shop.example.com/{version}/namespaces/default/addresses{name}");
        let (body, content_type) = (Some(json::encode(body)), "application/json");
        let request = Request { method, path: &path, body, content_type, headers: Vec::new() };
        client.call(&request).unwrap()
    };
    let body = value!({
        "apiVersion": "shop.example.com/v1", "kind": "Address",
        "metadata": {"name": "one"}, "spec": {"host": "h", "port": 80}
    });
    let made = call("POST", "v1", "", &body);
    assert_eq!(made.code, 201, "{:?}", made.body);
    assert_eq!(made.body.get("spec"), Some(&value!({"host": "h", "port": 80})));
    let read = call("GET", "v2", "/one", &value!({}));
    assert_eq!(read.body.get("spec"), Some(&value!({"address": "h:80"})), "{:?}", read.body);
    let uid = |it: &Value| it.get_path(&["metadata", "uid"]).cloned();
    assert_eq!(uid(&read.body), uid(&made.body));
    runtime.block_on(server.stop()).unwrap();
}

#[test]
fn hooks_know_who_asks_and_compute_columns() {
    let total = Column {
        name: "Total".into(),
        ty: "string".into(),
        format: "".into(),
        description: "What it comes to.".into(),
        priority: 0,
        json_path: "".into(),
    };
    let hooks = Hooks::new()
        .validate_in(|caller, order: &Order, old| {
            let (spec, dry) = (Path::new("spec"), caller.dry_run);
            let much = order.spec.amount > 100 && !dry && caller.now.seconds > 0;
            let what = if old.is_some() { "was changed to much" } else { "is much" };
            much.then(|| Error::forbidden(&spec.child("amount"), what)).into_iter().collect()
        })
        .warnings_in(|caller, _, old| {
            let who = caller.user.map_or("nobody", |it| it.name.as_str());
            vec![format!("{who} {}", if old.is_some() { "updates" } else { "creates" })]
        })
        .prepare_for_create_in(|caller, order| {
            order.spec.currency = caller.user.map(|it| format!("{}'s", it.name));
            order.spec.revision = caller.dry_run.then_some(0);
        })
        .prepare_for_update_in(|caller, order, old| {
            let dry = i32::from(caller.dry_run);
            order.spec.revision = Some(old.spec.revision.unwrap_or(0) + 1 + dry);
        })
        .prepare_for_status_update_in(|caller, order, _| {
            let paid = i32::from(caller.now.seconds > 0);
            order.status = Some(OrderStatus { paid: Some(paid) });
        })
        .computed_columns(vec![total], |order, _| {
            let currency = order.spec.currency.as_deref().unwrap_or("coins");
            vec![format!("{} {currency}", order.spec.amount).into()]
        });
    let mut serving = Serving::start(hooks);
    let order = |amount: i64| named(value!({"name": "first"}), value!({"amount": (amount)}));
    let (code, tried, warnings) = call(&mut serving.client, "POST", "?dryRun=All", &order(1000));
    assert_eq!(code, 201, "only what is meant is judged");
    let prepared = value!({"amount": 1000, "currency": "admin's", "revision": 0});
    assert_eq!(
        tried.get("spec"),
        Some(&prepared),
        "preparation knows who asks, and that it is dry"
    );
    assert!(warnings[0].contains("admin creates"), "{warnings:?}");
    let (code, refusal, _) = call(&mut serving.client, "POST", "", &order(1000));
    assert_eq!((code, causes(&refusal)[0].1.as_str()), (422, "Forbidden: is much"));
    assert_eq!(call(&mut serving.client, "POST", "", &order(7)).0, 201);
    let more = value!({"spec": {"amount": 8}});
    let (_, tried, _) = call(&mut serving.client, "PATCH", "/first?dryRun=All", &more);
    assert_eq!(tried.get_path(&["spec", "revision"]), Some(&Value::Int(2)));
    let (_, paid, _) = call(&mut serving.client, "PATCH", "/first/status", &value!({"status": {}}));
    assert_eq!(paid.get_path(&["status", "paid"]), Some(&Value::Int(1)));
    let much = value!({"spec": {"amount": 500}});
    let (code, refusal, _) = call(&mut serving.client, "PATCH", "/first", &much);
    assert_eq!((code, causes(&refusal)[0].1.as_str()), (422, "Forbidden: was changed to much"));
    let accept = "application/json;as=Table;v=v1;g=meta.k8s.io".to_owned();
    let request = Request {
        method: "GET",
        path: "/apis/shop.example.com/v1/namespaces/default/orders",
        body: None,
        content_type: "",
        headers: vec![("accept".to_owned(), accept)],
    };
    let table = serving.client.call(&request).unwrap().body;
    let cells = table.get_path(&["rows"]).and_then(|it| it.as_list()?.first()?.get("cells"));
    assert_eq!(cells, Some(&value!(["first", "7 admin's"])), "{table:?}");
    serving.stop();
}

#[derive(Resource, Serialize, Deserialize)]
#[ordain(group = "shop.example.com", version = "v1")]
struct Crate {
    metadata: ObjectMeta,
    #[ordain(maximum = 10)]
    weight: i32,
}

#[test]
fn known_differences_between_hooks_and_rules_are_listed_for_all_kinds() {
    use ordain::hooks::Rollout;
    let differences = |known: &str| {
        let rollout = Rollout::default();
        let metrics = std::sync::Arc::clone(&rollout.metrics);
        let hooks = Hooks::<Crate>::new().validate(|_| ErrorList::new()).rollout(rollout);
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let builder = Server::builder().kind(hooks).validation_exceptions(known).in_memory();
        let start = builder.insecure_http(SocketAddr::from(([127, 0, 0, 1], 0))).start();
        let server = runtime.block_on(start).unwrap();
        let body = value!({
            "apiVersion": "shop.example.com/v1", "kind": "Crate",
            "metadata": {"name": "heavy"}, "weight": 11
        });
        let request = Request {
            method: "POST",
            path: "/apis/shop.example.com/v1/namespaces/default/crates",
            body: Some(json::encode(&body)),
            content_type: "application/json",
            headers: Vec::new(),
        };
        let answer = Client::new(server.address()).call(&request).unwrap();
        assert_eq!(answer.code, 201, "the hook decides: {:?}", answer.body);
        runtime.block_on(server.stop()).unwrap();
        metrics.differences()
    };
    assert_eq!(differences(""), 1);
    assert_eq!(differences("Crate weight maximum shop heavy ones are weighed by hand"), 0);
}
