//! Paths that lead to what runs behind an object: they take and answer with no object, and their
//! parameters are the fields of an options kind.

use ordain_registry::subresource::Access;
use ordain_value::{Map, Value, value};

use super::model::Dialect;
use super::operation::Parameters;
use super::paths::{Context, by_name, capital, texts};
use super::roots::TYPES;

const ATTACH: Parameters = &[
    ("container", "string"),
    ("stderr", "boolean"),
    ("stdin", "boolean"),
    ("stdout", "boolean"),
    ("tty", "boolean"),
];
const EXEC: Parameters = &[
    ("command", "string"),
    ("container", "string"),
    ("stderr", "boolean"),
    ("stdin", "boolean"),
    ("stdout", "boolean"),
    ("tty", "boolean"),
];
const LOG: Parameters = &[
    ("container", "string"),
    ("follow", "boolean"),
    ("insecureSkipTLSVerifyBackend", "boolean"),
    ("limitBytes", "integer"),
    ("pretty", "string"),
    ("previous", "boolean"),
    ("sinceSeconds", "integer"),
    ("stream", "string"),
    ("tailLines", "integer"),
    ("timestamps", "boolean"),
];

/// The parameters of a subresource that is talked to.
fn parameters(subresource: &str) -> Parameters {
    match subresource {
        "attach" => ATTACH,
        "exec" => EXEC,
        "log" => LOG,
        "portforward" => &[("ports", "integer")],
        _ => &[("path", "string")],
    }
}

/// Adds the paths of such a subresource; those of a proxy go on below it.
pub(super) fn add(
    context: &Context<'_>,
    path: &str,
    subresource: &str,
    access: Access,
    paths: &mut Map,
) {
    let methods: &[&str] = match access {
        Access::Proxy => &["delete", "get", "head", "options", "patch", "post", "put"],
        Access::Connect => &["get", "post"],
        _ => &["get"],
    };
    paths.insert(path.to_owned(), item(context, subresource, methods, false));
    if access == Access::Proxy {
        paths.insert(format!("{path}/{{path}}"), item(context, subresource, methods, true));
    }
}

fn item(context: &Context<'_>, subresource: &str, methods: &[&str], below: bool) -> Value {
    let mut map = Map::new();
    for method in methods {
        map.insert((*method).to_owned(), operation(context, subresource, method, below));
    }
    let mut all = context.object_parameters();
    if below {
        all.push(context.parameter("path", "string", "path", "What is below the proxy."));
    }
    let own = parameters(subresource).iter();
    all.extend(own.map(|(name, ty)| context.parameter(name, ty, "query", "")));
    all.sort_by_key(by_name);
    map.insert("parameters", all.into());
    Value::Map(map)
}

fn operation(context: &Context<'_>, subresource: &str, method: &str, below: bool) -> Value {
    let reads = subresource == "log";
    let (verb, action) = if reads { ("read", "get") } else { ("connect", "connect") };
    let method = if reads { String::new() } else { capital(method) };
    let suffix = if below { "WithPath" } else { "" };
    let scope = if context.resource.namespaced { "Namespaced" } else { "" };
    let id = format!(
        "{verb}{}{}{method}{scope}{}{}{suffix}",
        capital(&context.camel()),
        capital(context.version),
        context.resource.kind,
        capital(subresource),
    );
    let types = if reads { [&TYPES[..], &["text/plain"]].concat() } else { vec!["*/*"] };
    let answer = context.dialect.answer("OK", &types, &value!({"type": "string"}));
    let is_v2 = context.dialect == Dialect::V2;
    value!({
        "description": (format!("{verb} {subresource} of {}", context.resource.kind)),
        "operationId": id,
        "responses": {"200": answer, "401": {"description": "Unauthorized"}},
        "tags": (context.tags()),
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": (context.gvk(subresource)),
        "consumes"?: (is_v2.then(|| texts(&["*/*"]))),
        "produces"?: (is_v2.then(|| texts(&types))),
        "schemes"?: (is_v2.then(|| texts(&["https"])))
    })
}
