//! Columns of the table form of workloads.

use ordain_strategy::Column;
use ordain_strategy::typed::printer;
use ordain_value::{Map, Value};

use super::fields;

/// Name, type and description of a column.
pub(crate) type Described = (&'static str, &'static str, &'static str);

/// Name, the given columns, age, and further ones that only the wide form shows.
pub(crate) fn columns(between: &[Described], wide: &[Described]) -> Vec<Column> {
    let typed = |(name, ty, about): &Described, priority| Column {
        ty: (*ty).into(),
        ..printer::column(name, about, priority)
    };
    let mut columns = vec![printer::column("Name", printer::NAME, 0)];
    columns.extend(between.iter().map(|it| typed(it, 0)));
    columns.push(printer::column("Age", printer::AGE, 0));
    columns.extend(wide.iter().map(|it| typed(it, 1)));
    columns
}

pub(crate) const CONTAINERS: Described =
    ("Containers", "string", "Names of the containers in the template.");
pub(crate) const IMAGES: Described = ("Images", "string", "Images of the containers.");
pub(crate) const SELECTOR: Described = ("Selector", "string", "Which pods are counted.");

/// Names and images of the containers of a pod, each joined by commas.
pub(crate) fn containers(pod: Option<&Value>) -> [Value; 2] {
    let containers = pod.map_or(&[][..], |pod| fields::list(pod, &["containers"]));
    let joined = |field: &str| {
        let texts: Vec<&str> = containers.iter().map(|it| fields::text(it, &[field])).collect();
        Value::from(texts.join(","))
    };
    [joined("name"), joined("image")]
}

/// Labels as tables show them: `a=b,c=d`.
pub(crate) fn labels(labels: Option<&Map>) -> String {
    let pairs = labels.into_iter().flat_map(Map::iter);
    let texts: Vec<String> =
        pairs.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or(""))).collect();
    if texts.is_empty() { "<none>".to_owned() } else { texts.join(",") }
}
