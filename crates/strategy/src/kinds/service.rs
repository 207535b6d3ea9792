//! Service: only `default/kubernetes` exists, so that clients find the server under its usual
//! name. Services are read, not written.

use ordain_value::{Value, value};

use super::declare::Builder;
use super::declared::Hooks;
use super::{Kind, codec, printer};
use crate::object;
use crate::rest_config::{RestConfig, Verbs};
use ordain_value::field;

pub(super) fn config() -> RestConfig {
    let mut b = Builder::default();
    let (text, int, flag) = (b.string(), b.int32(), b.boolean());
    let target = b.int_or_string();
    let port = b.structure(
        "v1.ServicePort",
        "io.k8s.api.core.v1.ServicePort",
        vec![
            b.field("name", 1, text).omit().about("Name of the port within the service."),
            b.field("protocol", 2, text).omit().about("TCP, UDP or SCTP."),
            b.field("appProtocol", 6, text).pointer().about("Protocol of the application."),
            b.field("port", 3, int).required().about("The port that is exposed."),
            b.field("targetPort", 4, target).omit().about("The port behind it."),
            b.field("nodePort", 5, int).omit().about("The port on each node."),
        ],
    );
    b.describe(port, "A port of a service.");
    let (ports, texts, map) = (b.list(port), b.list(text), b.map(text));
    let spec = b.structure(
        "v1.ServiceSpec",
        "io.k8s.api.core.v1.ServiceSpec",
        vec![
            b.field("ports", 1, ports).omit().merge("port").keyed(&["port", "protocol"]),
            b.field("selector", 2, map).omit().atomic(),
            b.field("clusterIP", 3, text).omit(),
            b.field("clusterIPs", 18, texts).omit().atomic(),
            b.field("type", 4, text).omit(),
            b.field("sessionAffinity", 7, text).omit(),
            b.field("ipFamilies", 19, texts).omit().atomic(),
            b.field("ipFamilyPolicy", 17, text).pointer(),
            b.field("internalTrafficPolicy", 22, text).pointer(),
            b.field("publishNotReadyAddresses", 13, flag).omit(),
        ],
    );
    b.describe(spec, "What a service offers.");
    let status = b.structure("v1.ServiceStatus", "io.k8s.api.core.v1.ServiceStatus", Vec::new());
    b.describe(status, "How a service is.");
    let fields = vec![
        b.field("spec", 2, spec).omit().about("What the service offers."),
        b.field("status", 3, status).omit().about("How the service is."),
    ];
    let about = "A name for a set of endpoints.";
    let schema = b.kind("Service", "io.k8s.api.core.v1.Service", about, fields);
    let mut hooks = Hooks::new(|_| field::ErrorList::new());
    hooks.cells = |object, now| {
        let text = |path: &[&str]| codec::text_at(object, path).to_owned();
        vec![
            object::name(object).into(),
            text(&["spec", "type"]).into(),
            text(&["spec", "clusterIP"]).into(),
            "<none>".into(),
            ports_of(object).into(),
            printer::age(object, now),
        ]
    };
    Kind {
        kind: "Service",
        plural: "services",
        short_names: &["svc"],
        verbs: Verbs { read: true, create: false, update: false, delete: false },
        categories: &["all"],
        columns: printer::columns(&[
            ("Type", "How the service is exposed."),
            ("Cluster-IP", "The address inside the cluster."),
            ("External-IP", "Addresses outside the cluster."),
            ("Port(s)", "The exposed ports."),
        ]),
        key: "/registry/services/specs",
        ..Kind::core(schema, hooks)
    }
    .config()
}

fn ports_of(object: &Value) -> String {
    let ports = object.get_path(&["spec", "ports"]).and_then(Value::as_list);
    let show = |port: &Value| {
        let number = port.get("port").and_then(Value::as_int).unwrap_or(0);
        format!("{number}/{}", codec::text_at(port, &["protocol"]))
    };
    let shown: Vec<String> =
        ports.map(|ports| ports.iter().map(show).collect()).unwrap_or_default();
    if shown.is_empty() { "<none>".to_owned() } else { shown.join(",") }
}

/// The service that stands for the server itself.
pub fn kubernetes() -> Value {
    value!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": "kubernetes",
            "namespace": "default",
            "labels": {"component": "apiserver", "provider": "kubernetes"}
        },
        "spec": {
            "clusterIP": "10.0.0.1",
            "clusterIPs": ["10.0.0.1"],
            "internalTrafficPolicy": "Cluster",
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
            "sessionAffinity": "None",
            "type": "ClusterIP"
        },
        "status": {"loadBalancer": {}}
    })
}
