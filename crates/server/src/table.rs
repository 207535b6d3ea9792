//! The table form: columns for people, one row for each object.

use std::sync::Arc;

use ordain_meta::time::Time;
use ordain_meta::{GroupKind, Status};
use ordain_registry::typed::printer::human;
use ordain_registry::{Column, Family, Listed, Strategy, Target};
use ordain_value::field::{self, Path};
use ordain_value::{Text, Value, json, value};

use crate::form;
use crate::handlers::list_value;
use crate::json_path::JsonPath;
use crate::negotiate::MetaVersion;
use crate::router::Exchange;

const NAME_DESCRIPTION: &str = "Name must be unique within a namespace. Is required when creating \
    resources, although some resources may allow a client to request the generation of an \
    appropriate name automatically. Name is primarily intended for creation idempotence and \
    configuration definition. Cannot be updated. More info: \
    https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
const AGE_DESCRIPTION: &str = "CreationTimestamp is a timestamp representing the server time when \
    this object was created. It is not guaranteed to be set in happens-before order across \
    separate operations. Clients may not set this value. It is represented in RFC3339 form and is \
    in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// Values that are looked at for the cells of one row. Paths of columns with several wildcards would
/// look at everything once for each column.
const ROW_STEPS_MAX: usize = 100_000;
/// Bytes that the cells of one row show. Columns may all show the same large part.
const ROW_BYTES_MAX: usize = 256 * 1024;

/// How much of the object goes with its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IncludeObject {
    None,
    Metadata,
    Object,
}

impl IncludeObject {
    pub(crate) fn read(exchange: &Exchange<'_>) -> Result<Self, Status> {
        match exchange.query.get("includeObject").unwrap_or("") {
            "" | "Metadata" => Ok(Self::Metadata),
            "None" => Ok(Self::None),
            "Object" => Ok(Self::Object),
            _ if !matches!(exchange.accepted.form, crate::negotiate::Form::Table(_)) => {
                Ok(Self::Metadata)
            }
            other => {
                let supported = ["", "Metadata", "None", "Object"];
                let error = field::Error::not_supported(
                    &Path::new("includeObject"),
                    Value::from(other),
                    &supported,
                );
                let kind = GroupKind::new("meta.k8s.io", "TableOptions");
                Err(Status::invalid(&kind, "", &error.into()))
            }
        }
    }
}

/// Makes tables of one resource.
pub(crate) struct Tables {
    columns: Vec<Column>,
    paths: Vec<JsonPath>,
    /// For kinds that fill their cells themselves.
    strategy: Option<Arc<dyn Strategy>>,
    include: IncludeObject,
    /// The present time, for ages.
    now: i64,
}

impl Tables {
    fn of_columns(columns: Vec<Column>, include: IncludeObject, now: i64) -> Self {
        let paths = columns.iter().map(|column| JsonPath::new(&column.json_path)).collect();
        Self { columns, paths, strategy: None, include, now }
    }

    pub(crate) fn new(target: &Target, include: IncludeObject, now: i64) -> Self {
        let version = target.version_config();
        let mut columns: Vec<Column> =
            version.map(|version| version.columns.clone()).unwrap_or_default();
        if columns.is_empty() {
            columns.push(age_column(target));
        }
        let paths = columns.iter().map(|column| JsonPath::new(&column.json_path)).collect();
        let computed = columns.iter().all(|column| column.json_path.is_empty());
        let strategy = computed.then(|| Arc::clone(&target.resource.strategy));
        Self { columns, paths, strategy, include, now }
    }

    pub(crate) fn of_object(&self, object: &Value, version: MetaVersion, columns: bool) -> Value {
        let revision = object.get_path(&["metadata", "resourceVersion"]);
        let rows = vec![self.row(object, version)];
        self.table(value!({"resourceVersion"?: revision}), rows, version, columns)
    }

    /// Ages are counted up to this time from now on.
    pub(crate) fn set_now(&mut self, now: i64) {
        self.now = now;
    }

    fn table(
        &self,
        metadata: Value,
        rows: Vec<Value>,
        version: MetaVersion,
        columns: bool,
    ) -> Value {
        value!({
            "apiVersion": (version.api_version()),
            "kind": "Table",
            "metadata": metadata,
            "columnDefinitions": (columns.then(|| self.definitions())),
            "rows": rows
        })
    }

    fn definitions(&self) -> Value {
        let mut definitions = Vec::new();
        if self.strategy.is_none() {
            definitions.push(definition("Name", "string", "name", NAME_DESCRIPTION, 0));
        }
        for column in &self.columns {
            let described = if column.description.is_empty() {
                Text::from(format!(
                    "Custom resource definition column (in JSONPath format): {}",
                    column.json_path
                ))
            } else {
                column.description.clone()
            };
            definitions.push(definition(
                &column.name,
                &column.ty,
                &column.format,
                &described,
                column.priority,
            ));
        }
        definitions.into()
    }

    pub(crate) fn row(&self, object: &Value, version: MetaVersion) -> Value {
        let computed = self.strategy.as_ref().and_then(|it| it.cells(object, self.now));
        let cells = computed.unwrap_or_else(|| {
            let name = object.get_path(&["metadata", "name"]).cloned();
            let mut cells = vec![name.unwrap_or_else(|| "".into())];
            let mut room = Room { steps: ROW_STEPS_MAX, bytes: ROW_BYTES_MAX };
            for (column, path) in self.columns.iter().zip(&self.paths) {
                cells.push(cell(column, path, object, self.now, &mut room));
            }
            cells
        });
        let shown = match self.include {
            IncludeObject::None => Value::Null,
            IncludeObject::Metadata => {
                let mut partial = form::partial(object, version);
                if let (Some(strategy), Some(metadata)) =
                    (&self.strategy, partial.get_mut("metadata"))
                {
                    strategy.row_metadata(metadata);
                }
                partial
            }
            IncludeObject::Object => object.clone(),
        };
        value!({"cells": cells, "object": shown})
    }
}

pub(crate) fn of_object(
    exchange: &Exchange<'_>,
    target: &Target,
    object: &Value,
    version: MetaVersion,
) -> Result<Value, Status> {
    let now = exchange.app.registry.time().seconds;
    let mut tables = Tables::new(target, IncludeObject::read(exchange)?, now);
    let is = |key: &str, text: &str| object.get(key).and_then(Value::as_str) == Some(text);
    if exchange.info.subresource == "scale" && is("kind", "Scale") {
        tables = Tables::of_columns(scale_columns(target), tables.include, now);
    }
    Ok(tables.of_object(object, version, true))
}

pub(crate) fn of_list(
    exchange: &Exchange<'_>,
    target: &Target,
    mut listed: Listed,
    version: MetaVersion,
) -> Result<Value, Status> {
    target.resource.strategy.sort_rows(&mut listed.items);
    let items = std::mem::take(&mut listed.items);
    let (mut table, tables) = without_rows(exchange, target, listed, version)?;
    let rows: Vec<Value> = items.iter().map(|item| tables.row(item, version)).collect();
    table.set_path(&["rows"], rows.into());
    Ok(table)
}

/// The table of a list that has no items yet, and what makes its rows.
pub(crate) fn without_rows(
    exchange: &Exchange<'_>,
    target: &Target,
    listed: Listed,
    version: MetaVersion,
) -> Result<(Value, Tables), Status> {
    let now = exchange.app.registry.time().seconds;
    let tables = Tables::new(target, IncludeObject::read(exchange)?, now);
    let whole = list_value(target, listed);
    let metadata = whole.get("metadata").map(form::list_metadata).unwrap_or(Value::Null);
    Ok((tables.table(metadata, Vec::new(), version, true), tables))
}

/// The columns of a scale.
fn scale_columns(target: &Target) -> Vec<Column> {
    let number = |name: &str, description: &str, json_path: &str| Column {
        name: name.into(),
        ty: "integer".into(),
        format: Text::default(),
        description: description.into(),
        priority: 0,
        json_path: json_path.into(),
    };
    vec![
        number("Desired", "Number of desired replicas", ".spec.replicas"),
        number("Available", "Number of actual replicas", ".status.replicas"),
        age_column(target),
    ]
}

/// The column of kinds that declare none.
fn age_column(target: &Target) -> Column {
    let name = match target.resource.family {
        Family::Custom => "Age",
        Family::BuiltIn => "Created At",
    };
    Column {
        name: name.into(),
        ty: "date".into(),
        format: Text::default(),
        description: AGE_DESCRIPTION.into(),
        priority: 0,
        json_path: ".metadata.creationTimestamp".into(),
    }
}

fn definition(name: &str, ty: &str, format: &str, description: &str, priority: i64) -> Value {
    value!({
        "name": name, "type": ty, "format": format, "description": description, "priority": priority
    })
}

/// What the cells of a row may still take.
struct Room {
    steps: usize,
    bytes: usize,
}

/// The cell of a column: the first value its path finds, if it fits the type and there is room.
fn cell(column: &Column, path: &JsonPath, object: &Value, now: i64, room: &mut Room) -> Value {
    let Some(value) = path.first(object, &mut room.steps) else { return Value::Null };
    if !json::fits(value, room.bytes) {
        return Value::Null;
    }
    let cell = shown(column, value, now);
    room.bytes = room.bytes.saturating_sub(cell.as_str().map_or(0, str::len));
    cell
}

fn shown(column: &Column, value: &Value, now: i64) -> Value {
    match (column.ty.as_str(), value) {
        ("integer", Value::Int(_)) => value.clone(),
        ("integer", Value::Float(number)) => Value::Int(truncated(*number)),
        ("number", Value::Int(_) | Value::Float(_)) => value.clone(),
        ("boolean", Value::Bool(_)) => value.clone(),
        ("string", Value::Str(_)) => value.clone(),
        ("string", _) => json::encode_string(value).into(),
        ("date", Value::Str(text)) if column.name == "Created At" => Value::Str(text.clone()),
        ("date", Value::Str(text)) => match Time::decode(text) {
            Ok(time) => human(now.saturating_sub(time.seconds)).into(),
            Err(_) => "<invalid>".into(),
        },
        _ => Value::Null,
    }
}

fn truncated(number: f64) -> i64 {
    number as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_get_coarser_with_time() {
        let cases = [
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (185, "3m5s"),
            (3600, "60m"),
            (4 * 3600, "4h"),
            (100 * 3600, "4d4h"),
            (400 * 86_400, "400d"),
            (800 * 86_400, "2y70d"),
            (-5, "<invalid>"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(human(seconds), expected);
        }
    }
}
