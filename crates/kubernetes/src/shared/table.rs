//! The table form of kinds: what columns are called, and what their cells show.

use ordain_strategy::typed::printer;
use ordain_strategy::{Column, object};
use ordain_value::{Map, Value};

use super::{fields, selector};
use Cell::{At, Of};

/// A column: its name, its type, its priority (0 when it is always shown, 1 in the wide form), its
/// description and its cells. Without a name there are only cells.
pub(crate) type Described = (&'static str, &'static str, i64, &'static str, Cell);

/// What cells show. Paths are written with dots.
#[derive(Clone, Copy)]
pub(crate) enum Cell {
    /// A text; empty when absent.
    Text(&'static str),
    /// A number; zero when absent.
    Int(&'static str),
    /// A flag; false when absent.
    Flag(&'static str),
    /// How many entries a list or map has.
    Len(&'static str),
    /// What a function reads from the object.
    Of(fn(&Value) -> Value),
    /// The same for a present time in seconds.
    At(fn(&Value, i64) -> Value),
    /// What the row of the kind has here: its cells are made together.
    Row,
}

impl Cell {
    pub(crate) fn show(self, object: &Value, now: i64) -> Value {
        let at = |path: &str| path.split('.').try_fold(object, |it, step| it.get(step));
        match self {
            Self::Text(path) => at(path).and_then(Value::as_str).unwrap_or("").into(),
            Self::Int(path) => at(path).and_then(Value::as_int).unwrap_or(0).into(),
            Self::Flag(path) => at(path).and_then(Value::as_bool).unwrap_or(false).into(),
            Self::Len(path) => {
                let len = match at(path) {
                    Some(Value::List(list)) => list.len(),
                    Some(Value::Map(map)) => map.len(),
                    _ => 0,
                };
                i64::try_from(len).unwrap_or(i64::MAX).into()
            }
            Self::Of(read) => read(object),
            Self::At(read) => read(object, now),
            Self::Row => Value::Null,
        }
    }
}

pub(crate) const NAME: Described =
    ("Name", "name", 0, printer::NAME, Of(|object| object::name(object).into()));
pub(crate) const AGE: Described = ("Age", "string", 0, printer::AGE, At(printer::age));
pub(crate) const CREATED_AT: Described =
    ("Created At", "date", 0, printer::AGE, Cell::Text("metadata.creationTimestamp"));
pub(crate) const DESIRED_PODS: Described =
    ("Desired", "integer", 0, "Pods that are wanted.", Cell::Int("spec.replicas"));
pub(crate) const CURRENT_PODS: Described =
    ("Current", "integer", 0, "Pods that exist.", Cell::Int("status.replicas"));
pub(crate) const READY_PODS: Described =
    ("Ready", "integer", 0, "Pods that are ready.", Cell::Int("status.readyReplicas"));
pub(crate) const CONTAINERS: Described =
    ("Containers", "string", 1, "Names of the containers in the template.", Of(template_names));
pub(crate) const IMAGES: Described =
    ("Images", "string", 1, "Images of the containers.", Of(template_images));
pub(crate) const SELECTOR: Described = (
    "Selector",
    "string",
    1,
    "Which pods are counted.",
    Of(|workload| selector::show(fields::at(workload, &["spec", "selector"])).into()),
);

/// A column with other cells than it usually has.
pub(crate) const fn with(described: Described, cell: Cell) -> Described {
    (described.0, described.1, described.2, described.3, cell)
}

/// The columns as a table names them. The type `name` is a string of that format.
pub(crate) fn columns(described: &[Described]) -> Vec<Column> {
    let named = described.iter().filter(|it| !it.0.is_empty());
    let column = named.map(|(name, ty, priority, about, _)| Column {
        name: (*name).into(),
        ty: if *ty == "name" { "string".into() } else { (*ty).into() },
        format: if *ty == "name" { "name".into() } else { "".into() },
        description: (*about).into(),
        priority: *priority,
        json_path: "".into(),
    });
    column.collect()
}

fn template_names(workload: &Value) -> Value {
    containers(fields::at(workload, &["spec", "template", "spec"]), "name")
}

fn template_images(workload: &Value) -> Value {
    containers(fields::at(workload, &["spec", "template", "spec"]), "image")
}

/// A field of all containers of a pod, joined by commas.
pub(crate) fn containers(pod: Option<&Value>, field: &str) -> Value {
    let containers = pod.map_or(&[][..], |pod| fields::list(pod, &["containers"]));
    let texts: Vec<&str> = containers.iter().map(|it| fields::text(it, &[field])).collect();
    texts.join(",").into()
}

/// The name of a class, with a mark on the one that is used by default.
pub(crate) fn marked_name(class: &Value, is_default: bool) -> Value {
    let mark = if is_default { " (default)" } else { "" };
    format!("{}{mark}", object::name(class)).into()
}

/// A text, or another one where it is empty.
pub(crate) fn text_or(text: &str, otherwise: &str) -> Value {
    if text.is_empty() { otherwise.into() } else { text.into() }
}

/// Labels as tables show them: `a=b,c=d`.
pub(crate) fn labels(labels: Option<&Map>) -> String {
    let pairs = labels.into_iter().flat_map(Map::iter);
    let texts: Vec<String> =
        pairs.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or(""))).collect();
    if texts.is_empty() { "<none>".to_owned() } else { texts.join(",") }
}
