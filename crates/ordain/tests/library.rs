//! The example of README.md is what it shows, and it works.

use std::net::SocketAddr;
use std::path::Path;

use ordain_testkit::Client;
use ordain_testkit::client::Request;
use ordain_value::{Value, json, value};

#[path = "../../../examples/library/main.rs"]
#[expect(dead_code, reason = "its main function serves until it is stopped")]
mod library;

fn post(client: &mut Client, spec: Value) -> (u16, Value) {
    let body = value!({
        "apiVersion": "library.example.com/v1",
        "kind": "Book",
        "metadata": {"generateName": "book-"},
        "spec": (spec)
    });
    let request = Request {
        method: "POST",
        path: "/apis/library.example.com/v1/namespaces/default/books",
        body: Some(json::encode(&body)),
        content_type: "application/json",
        headers: Vec::new(),
    };
    let answer = client.call(&request).unwrap();
    (answer.code, answer.body)
}

#[test]
fn the_readme_shows_the_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let example = include_str!("../../../examples/library/main.rs");
    let code = example.split_once("\n\n").unwrap().1;
    assert!(readme.contains(code), "README.md is stale: copy examples/library/main.rs into it");
    let lines = code.lines().filter(|it| !it.trim().is_empty()).count();
    assert!(lines <= 22, "{lines} lines");
}

#[test]
fn the_example_of_the_readme_serves_its_kind() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = library::library().insecure_http(address).in_memory().start();
    let server = runtime.block_on(server).unwrap();
    let mut client = Client::new(server.address());
    let (code, book) = post(&mut client, value!({"title": "Emma"}));
    assert_eq!(code, 201, "{book:?}");
    assert_eq!(book.get_path(&["spec", "copies"]), Some(&Value::Int(1)), "defaults are filled in");
    let (code, refusal) = post(&mut client, value!({"title": "Emma", "copies": -1}));
    assert_eq!(code, 422);
    assert!(json::encode_string(&refusal).contains("spec.copies"), "{refusal:?}");
    let (code, refusal) = post(&mut client, value!({"copies": 1}));
    assert_eq!(code, 422);
    assert!(json::encode_string(&refusal).contains("spec.title"), "{refusal:?}");
    runtime.block_on(server.stop()).unwrap();
}

#[tokio::test]
async fn kinds_of_a_server_keep_the_conventions() {
    let report = library::library().conventions("").await.unwrap();
    assert!(report.is_clean(), "{report}");
    let kinds: Vec<&str> = report.outcomes.iter().map(|it| it.kind.as_str()).collect();
    assert!(kinds.iter().all(|it| *it == "Book.library.example.com") && kinds.len() > 8);
    library::library().conventions("Book no-such-rule me because").await.unwrap_err();
}

/// One kind at two times: the second has a field more.
macro_rules! shelf {
    ($time:ident { $($more:tt)* }) => {
        mod $time {
            use ordain::{ObjectMeta, Resource, Schema};
            use serde::{Deserialize, Serialize};

            #[derive(Resource, Serialize, Deserialize)]
            #[ordain(group = "library.example.com", version = "v1")]
            pub(crate) struct Shelf {
                metadata: ObjectMeta,
                spec: ShelfSpec,
            }

            #[derive(Schema, Serialize, Deserialize)]
            pub(crate) struct ShelfSpec {
                boards: i32,
                $($more)*
            }
        }
    };
}

shelf!(first {});
shelf!(second { color: Option<String>, });

#[test]
fn a_new_field_of_a_kind_in_rust_needs_a_gate_where_deviations_are_reviewed() {
    use ordain::{Hooks, Resource, Server};
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let start = |builder: ordain::server::Builder, granted: Option<&str>| {
        let builder =
            builder.data_dir(folder.path()).insecure_http(SocketAddr::from(([127, 0, 0, 1], 0)));
        let builder = match granted {
            Some(granted) => builder.convention_exceptions(granted),
            None => builder,
        };
        runtime.block_on(async {
            let server = builder.start().await.map_err(|error| error.to_string())?;
            server.stop().await.map_err(|error| error.to_string())
        })
    };
    fn serve<T: Resource>() -> ordain::server::Builder {
        Server::builder().kind(Hooks::<T>::new())
    }
    start(serve::<first::Shelf>(), Some("")).unwrap();
    let refusal = start(serve::<second::Shelf>(), Some("")).unwrap_err();
    assert!(refusal.contains("Shelf.library.example.com v1 spec.color: new field"), "{refusal}");
    let granted = "Shelf.library.example.com new-field-gated library agreed on";
    start(serve::<second::Shelf>(), Some(granted)).unwrap();
    start(serve::<second::Shelf>(), Some("")).expect("it is new no longer");
}
