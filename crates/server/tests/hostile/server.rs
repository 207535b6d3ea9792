//! A server on which everybody may do everything, to be attacked.

use std::sync::Arc;

use ordain_registry::Registry;
use ordain_server::App;
use ordain_testkit::Client;
use ordain_testkit::client::{Answer, Request};
use ordain_value::{Value, json, value};

pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) address: std::net::SocketAddr,
    _runtime: tokio::runtime::Runtime,
}

pub(crate) const THINGS: &str = "/apis/attack.example.com/v1/namespaces/default/things";
pub(crate) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

impl Server {
    /// A server with one kind whose `spec` keeps whatever it is given.
    pub(crate) fn start() -> Self {
        let runtime = ordain_server::runtime().unwrap();
        let address = runtime.block_on(async {
            let registry = Registry::repeatable();
            let registry = Arc::new(registry);
            registry.start().await.unwrap();
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let app = Arc::new(App::new(registry));
            tokio::spawn(ordain_server::serve(app, listener, std::future::pending()));
            address
        });
        let mut server = Server { client: Client::new(address), address, _runtime: runtime };
        let keep = value!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        assert_eq!(server.define("things", "Thing", &keep).code, 201);
        server
    }

    pub(crate) fn define(&mut self, plural: &str, kind: &str, spec: &Value) -> Answer {
        let name = format!("{plural}.attack.example.com");
        let crd = value!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": name},
            "spec": {
                "group": "attack.example.com", "scope": "Namespaced",
                "names": {"kind": kind, "plural": plural},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {
                    "openAPIV3Schema": {"type": "object", "properties": {"spec": spec.clone()}}
                }}]
            }
        });
        self.send("POST", DEFINITIONS, "application/json", json::encode(&crd))
    }

    pub(crate) fn send(
        &mut self,
        method: &str,
        path: &str,
        content_type: &str,
        body: Vec<u8>,
    ) -> Answer {
        let request =
            Request { method, path, body: Some(body), content_type, ..Request::default() };
        self.client.call(&request).unwrap()
    }

    pub(crate) fn create(&mut self, name: &str, spec: &str) -> Answer {
        let body = format!(
            r#"{{"apiVersion":"attack.example.com/v1","kind":"Thing","metadata":{{"name":"{name}"}},"spec":{spec}}}"#
        );
        self.send("POST", THINGS, "application/json", body.into_bytes())
    }

    pub(crate) fn still_there(&mut self) {
        assert_eq!(self.client.get("/version").unwrap().code, 200);
    }
}
