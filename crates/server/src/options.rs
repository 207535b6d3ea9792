//! Query parameters and option bodies to the registry's options.

use ordain_meta::selector::{FieldSelector, LabelSelector};
use ordain_meta::status::Status;
use ordain_registry::typed::protobuf;
use ordain_registry::{DeleteOptions, ListOptions, WriteOptions};
use ordain_value::go_format::{cannot_unmarshal_field, json_type};
use ordain_value::{Text, Value, go_quote, json};

use crate::request_info::Query;

pub(crate) fn write_options(query: &Query, user_agent: &str) -> WriteOptions {
    WriteOptions {
        dry_run: query.all("dryRun").map(Text::from).collect(),
        field_manager: query.get("fieldManager").unwrap_or("").into(),
        field_validation: query.get("fieldValidation").unwrap_or("").into(),
        force: query.get("force").map(|_| query.flag("force")),
        user_agent: user_agent.into(),
    }
}

pub(crate) fn list_options(query: &Query, watch: bool) -> Result<ListOptions, Status> {
    let text = |key: &str| Text::from(query.get(key).unwrap_or(""));
    let labels = LabelSelector::decode(query.get("labelSelector").unwrap_or(""))
        .map_err(|error| Status::bad_request(error.0))?;
    let fields = FieldSelector::decode(query.get("fieldSelector").unwrap_or(""))
        .map_err(|error| Status::bad_request(error.0))?;
    Ok(ListOptions {
        labels,
        fields,
        resource_version: text("resourceVersion"),
        resource_version_match: text("resourceVersionMatch"),
        limit: integer(query, "limit")?.unwrap_or(0).max(0),
        continue_token: text("continue"),
        timeout_seconds: integer(query, "timeoutSeconds")?,
        allow_watch_bookmarks: query.flag("allowWatchBookmarks"),
        send_initial_events: query
            .get("sendInitialEvents")
            .map(|_| query.flag("sendInitialEvents")),
        watch,
    })
}

/// Delete options come in the query, or in the body if there is one.
pub(crate) fn delete_options(query: &Query, body: Option<&Value>) -> Result<DeleteOptions, Status> {
    if let Some(body) = body {
        return delete_body(body);
    }
    Ok(DeleteOptions {
        dry_run: query.all("dryRun").map(Text::from).collect(),
        grace_period_seconds: integer(query, "gracePeriodSeconds")?,
        orphan_dependents: query.get("orphanDependents").map(|_| query.flag("orphanDependents")),
        propagation_policy: query.get("propagationPolicy").map(Text::from),
        uid: None,
        resource_version: None,
    })
}

fn delete_body(body: &Value) -> Result<DeleteOptions, Status> {
    if !matches!(body, Value::Map(_) | Value::Null) {
        return Err(Status::bad_request(ordain_registry::decode::not_an_object(body)));
    }
    let kind = body.get("kind").and_then(Value::as_str).unwrap_or("DeleteOptions");
    let api_version = body.get("apiVersion").and_then(Value::as_str).unwrap_or("v1");
    if kind != "DeleteOptions" {
        let (kind, version) = (go_quote(kind), go_quote(api_version));
        return Err(Status::bad_request(format!(
            "no kind {kind} is registered for version {version} in scheme \
             \"pkg/apis/meta/internalversion/scheme/register.go:27\""
        )));
    }
    let wrong = |field: &str, value: &Value, expected: &str| {
        Status::bad_request(cannot_unmarshal_field(json_type(value), field, expected))
    };
    let mut options = DeleteOptions::default();
    let field = |name: &str| body.get(name).filter(|value| !value.is_null());
    if let Some(value) = field("gracePeriodSeconds") {
        let seconds = value.as_int();
        options.grace_period_seconds =
            Some(seconds.ok_or_else(|| wrong("DeleteOptions.gracePeriodSeconds", value, "int64"))?);
    }
    if let Some(value) = field("orphanDependents") {
        let orphan = value.as_bool();
        options.orphan_dependents =
            Some(orphan.ok_or_else(|| wrong("DeleteOptions.orphanDependents", value, "bool"))?);
    }
    if let Some(value) = field("propagationPolicy") {
        let policy = value.as_text().cloned();
        options.propagation_policy = Some(policy.ok_or_else(|| {
            wrong("DeleteOptions.propagationPolicy", value, "v1.DeletionPropagation")
        })?);
    }
    if let Some(value) = field("dryRun") {
        let list = value.as_list();
        let list = list.ok_or_else(|| wrong("DeleteOptions.dryRun", value, "[]string"))?;
        options.dry_run = list.iter().filter_map(Value::as_text).cloned().collect();
    }
    if let Some(value) = field("preconditions") {
        let text = |name: &str| value.get(name).and_then(Value::as_text).cloned();
        options.uid = text("uid");
        options.resource_version = text("resourceVersion");
    }
    Ok(options)
}

/// Decodes a protobuf body of delete options.
pub(crate) fn delete_message(bytes: &[u8]) -> Result<Value, Status> {
    static SCHEMA: std::sync::LazyLock<ordain_schema::Schema> =
        std::sync::LazyLock::new(ordain_registry::meta_v1::delete_options);
    let refuse = |error: protobuf::WireError| Status::bad_request(error.0);
    let envelope = protobuf::open(bytes).map_err(refuse)?;
    protobuf::decode(&SCHEMA, &envelope).map_err(refuse)
}

/// Decodes a JSON body of delete options.
pub(crate) fn delete_value(bytes: &[u8]) -> Result<Value, Status> {
    json::decode(bytes).map_err(|error| {
        Status::bad_request(format!("couldn't get version/kind; json parse error: {error}"))
    })
}

fn integer(query: &Query, key: &str) -> Result<Option<i64>, Status> {
    let Some(text) = query.get(key) else { return Ok(None) };
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| {
        let quoted = go_quote(text);
        let digits = text.trim_start_matches(['-', '+']);
        let numeric = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let why = if numeric { "value out of range" } else { "invalid syntax" };
        Status::bad_request(format!("strconv.ParseInt: parsing {quoted}: {why}"))
    })
}
