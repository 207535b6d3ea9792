//! Connections to pods, services and nodes (`exec`, `attach`, `portforward`, `proxy`).
//!
//! Admission judges them like writes of an object that holds their options, and their target is
//! looked up as kube-apiserver does it. There the way ends: no kubelet and no pod runs behind this
//! server, so that every connection is refused, with the words for what is missing.

use ordain_meta::gvk::GroupResource;
use ordain_meta::status::Status;
use ordain_value::{Text, Value, go_quote, value};

use crate::admission::Operation;
use crate::object;
use crate::registry::{Registry, Target};
use crate::request::{Warnings, WriteOptions};
use crate::strategy::Part;

/// The fields of connections by subresource, with how they are read from a query.
const FIELDS: [(&str, &[(&str, Field)]); 4] = [
    ("attach", &STREAMS),
    ("exec", &STREAMS),
    ("portforward", &[("ports", Field::Numbers)]),
    ("proxy", &[("path", Field::Text)]),
];

const STREAMS: [(&str, Field); 6] = [
    ("command", Field::Texts),
    ("container", Field::Text),
    ("stderr", Field::Flag),
    ("stdin", Field::Flag),
    ("stdout", Field::Flag),
    ("tty", Field::Flag),
];

#[derive(Debug, Clone, Copy)]
enum Field {
    Flag,
    Text,
    Texts,
    Numbers,
}

impl Field {
    /// The value that a query gives the field; none for its zero value.
    fn read(self, given: &[&str]) -> Result<Option<Value>, Status> {
        let first = given.first().copied();
        Ok(match self {
            // Whatever is not false is true, as for every flag of a query.
            Self::Flag => {
                let is_set = |text: &str| !matches!(text.to_lowercase().as_str(), "false" | "0");
                first.filter(|text| is_set(text)).map(|_| Value::Bool(true))
            }
            Self::Text => first.filter(|text| !text.is_empty()).map(Value::from),
            Self::Texts => {
                let texts: Vec<Value> = given.iter().map(|text| Value::from(*text)).collect();
                (!texts.is_empty()).then(|| texts.into())
            }
            Self::Numbers => {
                let number = |text: &&str| {
                    text.parse::<i32>().map(|it| Value::Int(it.into())).map_err(|_| {
                        let text = go_quote(text);
                        let why = format!("strconv.ParseInt: parsing {text}: invalid syntax");
                        Status::bad_request(why)
                    })
                };
                let numbers = given.iter().map(number).collect::<Result<Vec<_>, _>>()?;
                (!numbers.is_empty()).then(|| numbers.into())
            }
        })
    }
}

impl Registry {
    /// Lets admission judge a connection, and refuses it. The query gives its options; `path` is
    /// what follows the subresource.
    pub async fn connect(
        &self,
        target: &Target,
        part: Part,
        query: &[(String, String)],
        path: &str,
        warnings: &mut Warnings,
    ) -> Status {
        let connected = self.admit_connection(target, part, query, path, warnings).await;
        let refused = match connected {
            Ok(options) => self.unreachable(target, &subresource(target, part), &options).await,
            Err(status) => return status,
        };
        refused.unwrap_or_else(|status| status)
    }

    /// Looks for what a pod said, which is nothing as long as it is on no node.
    ///
    /// # Errors
    /// When the pod is not there or has no such container, or is on a node, which does not answer.
    pub async fn log(&self, target: &Target, container: &str) -> Result<(), Status> {
        let pod = self.get(target, "").await?;
        check_container(&pod, container)?;
        let node = pod.text_at(&["spec", "nodeName"]);
        if node.is_empty() {
            return Ok(());
        }
        self.find_node(node).await?;
        Err(no_kubelet(node))
    }

    async fn admit_connection(
        &self,
        target: &Target,
        part: Part,
        query: &[(String, String)],
        path: &str,
        warnings: &mut Warnings,
    ) -> Result<Value, Status> {
        let options = options(target, &subresource(target, part), query, path)?;
        let asked = WriteOptions::default();
        self.admit_attached(target, part, Operation::Connect, options, &asked, warnings).await
    }

    /// Why an admitted connection leads nowhere.
    async fn unreachable(
        &self,
        target: &Target,
        subresource: &str,
        options: &Value,
    ) -> Result<Status, Status> {
        let plural = target.resource.plural.as_str();
        // A proxied name may come with a scheme and a port.
        let parts: Vec<&str> = target.name.split(':').collect();
        let name = match (subresource, parts.as_slice()) {
            ("proxy", [_, name, _] | [name] | [name, _]) => *name,
            ("proxy", _) => {
                let kind = plural.trim_end_matches('s');
                let name = go_quote(&target.name);
                return Err(Status::bad_request(format!("invalid {kind} request {name}")));
            }
            _ => target.name.as_str(),
        };
        let named = Target { name: Text::from(name), ..target.clone() };
        let object = self.get(&named, "").await?;
        match (plural, subresource) {
            ("services", _) => Err(Status::service_unavailable(&format!(
                "no endpoints available for service {}",
                go_quote(name)
            ))),
            ("pods", "proxy") => Err(Status::bad_request("address not allowed")),
            ("pods", _) => {
                if subresource != "portforward" {
                    check_container(&object, options.text("container"))?;
                }
                let node = object.get_path(&["spec", "nodeName"]).and_then(Value::as_str);
                let Some(node) = node.filter(|it| !it.is_empty()) else {
                    let why = format!("pod {name} does not have a host assigned");
                    return Err(Status::bad_request(why));
                };
                self.find_node(node).await?;
                Ok(no_kubelet(node))
            }
            _ => Ok(no_kubelet(name)),
        }
    }

    async fn find_node(&self, name: &str) -> Result<(), Status> {
        let missing = || Status::not_found(&GroupResource::new("", "nodes"), name);
        let nodes = self.catalog().get("", "nodes").cloned().ok_or_else(missing)?;
        let found = self.read(&nodes, &nodes.key("", name)).await?;
        found.map(|_| ()).ok_or_else(missing)
    }
}

fn no_kubelet(node: &str) -> Status {
    let why = format!("error dialing backend: no kubelet answers for node {}", go_quote(node));
    Status::unclassified(why)
}

fn subresource(target: &Target, part: Part) -> Text {
    match part {
        Part::Other(at) => target.resource.subresources.get(at).cloned().unwrap_or_default(),
        _ => Text::default(),
    }
}

/// The object that admission sees of a connection.
fn options(
    target: &Target,
    subresource: &str,
    query: &[(String, String)],
    path: &str,
) -> Result<Value, Status> {
    let kind = ordain_admission::served::kind_of(&target.resource, &target.version, subresource);
    let mut options = value!({
        "apiVersion": (kind.group_version().to_string()),
        "kind": (Value::Str(kind.kind))
    });
    let fields = FIELDS.iter().find(|(name, _)| *name == subresource);
    for (name, field) in fields.map_or([].as_slice(), |(_, fields)| *fields) {
        let mut given: Vec<&str> =
            query.iter().filter(|(key, _)| key == name).map(|(_, text)| text.as_str()).collect();
        if *name == "path" && !path.is_empty() {
            given = vec![path];
        }
        // Only a command to execute is shown when it is missing, and attaching has none.
        match (field.read(&given)?, *name, subresource) {
            (_, "command", "attach") => {}
            (Some(value), ..) => {
                options.set_path(&[name], value);
            }
            (None, "command", _) => {
                options.set_path(&[name], Value::Null);
            }
            (None, ..) => {}
        }
    }
    Ok(options)
}

/// Refuses a container that the pod does not have, and none where it has several.
fn check_container(pod: &Value, wanted: &str) -> Result<(), Status> {
    let pod_name = object::name(pod);
    let names = |field: &str| {
        let names = pod.items_at(&["spec", field]).iter().map(|it| it.text("name"));
        names.collect::<Vec<&str>>()
    };
    let (initial, main, late) =
        (names("initContainers"), names("containers"), names("ephemeralContainers"));
    let all: Vec<&str> = initial.iter().chain(&main).chain(&late).copied().collect();
    let why = match (wanted, main.len()) {
        ("", 1) => return Ok(()),
        ("", 0) => format!("a container name must be specified for pod {pod_name}"),
        ("", _) => format!(
            "a container name must be specified for pod {pod_name}, choose one of: [{}]",
            all.join(" ")
        ),
        (wanted, _) if all.contains(&wanted) => return Ok(()),
        (wanted, _) => format!("container {wanted} is not valid for pod {pod_name}"),
    };
    Err(Status::bad_request(why))
}
