//! Reviews: questions about identities and their permissions, answered at once and never
//! stored.

use std::collections::BTreeMap;

use ordain_meta::Status;
use ordain_rbac::Rule;
use ordain_registry::access::{Attributes, Authorizer as _};
use ordain_registry::caller::User;
use ordain_registry::decode::Body;
use ordain_registry::{Target, WriteOptions};
use ordain_value::{Map, Text, Value, value};

use crate::log;
use crate::router::Exchange;
use crate::service_account::Recognized;

/// Answers a review.
pub(super) async fn answer(
    exchange: &mut Exchange<'_>,
    target: &Target,
    body: &Body<'_>,
    options: &WriteOptions,
) -> Result<Value, Status> {
    let registry = &exchange.app.registry;
    let mut object = registry.review(target, body, options, &mut exchange.warnings).await?;
    let api_version = object.get("apiVersion").cloned().unwrap_or(Value::Null);
    let kind = target.resource.kind.as_str();
    match kind {
        "SelfSubjectReview" => {
            let info = exchange.user.encode();
            return Ok(value!({
                "apiVersion": (api_version),
                "kind": kind,
                "metadata": {"creationTimestamp": (log::now().encode())},
                "status": {"userInfo": (info)}
            }));
        }
        "TokenReview" => {
            let token = object.text_at(&["spec", "token"]);
            if token.is_empty() {
                let why = "token is required for TokenReview in authentication";
                return Err(Status::bad_request(why));
            }
            let audiences = texts(object.get_path(&["spec", "audiences"]));
            match whose(exchange, token, &audiences).await {
                Ok(found) => {
                    object.set_path(&["status", "authenticated"], true.into());
                    object.set_path(&["status", "user"], found.user.encode());
                    if !found.audiences.is_empty() {
                        let audiences: Vec<Value> =
                            found.audiences.into_iter().map(Value::from).collect();
                        object.set_path(&["status", "audiences"], audiences.into());
                    }
                }
                Err(why) => {
                    // What else the request says of the answer stays, as it does upstream.
                    object.remove_path(&["status", "authenticated"]);
                    object.set_path(&["status", "error"], why.into());
                }
            }
        }
        "SelfSubjectRulesReview" => {
            let namespace = object.text_at(&["spec", "namespace"]);
            if namespace.is_empty() {
                return Err(Status::bad_request("no namespace on request"));
            }
            return Ok(value!({
                "apiVersion": (api_version),
                "kind": kind,
                "metadata": {},
                "spec": {},
                "status": (rules(exchange, namespace))
            }));
        }
        "SelfSubjectAccessReview" => {
            let status = access(exchange, &exchange.user, &object);
            object.set_path(&["status"], status);
        }
        _ => {
            let user = user(object.get("spec").unwrap_or(&Value::Null));
            let status = access(exchange, &user, &object);
            object.set_path(&["status"], status);
        }
    }
    Ok(object)
}

/// Whose token it is, and for which of the audiences.
async fn whose(
    exchange: &Exchange<'_>,
    token: &str,
    audiences: &[Text],
) -> Result<Recognized, String> {
    let audiences: Vec<String> = audiences.iter().map(ToString::to_string).collect();
    let accounts = exchange.app.service_accounts.as_deref();
    if let Some(user) = exchange.app.access.token_user(accounts, token).await {
        return Ok(Recognized { user, audiences });
    }
    let invalid = || "invalid bearer token".to_owned();
    accounts.ok_or_else(invalid)?.recognize(token, &audiences).await?.ok_or_else(invalid)
}

fn texts(value: Option<&Value>) -> Vec<Text> {
    let list = value.and_then(Value::as_list);
    list.into_iter().flat_map(|list| list.iter()).filter_map(Value::as_text).cloned().collect()
}

/// The user that a review asks about.
fn user(spec: &Value) -> User {
    let extra = spec.get("extra").and_then(Value::as_map);
    let extra = extra.into_iter().flat_map(Map::iter);
    User {
        name: spec.text("user").into(),
        uid: spec.text("uid").into(),
        groups: texts(spec.get("groups")),
        extra: extra
            .map(|(key, values)| (key.clone(), texts(Some(values))))
            .collect::<BTreeMap<_, _>>(),
    }
}

/// Whether the user may do what the review describes.
fn access(exchange: &Exchange<'_>, user: &User, review: &Value) -> Value {
    let resource = review.get_path(&["spec", "resourceAttributes"]);
    let other = review.get_path(&["spec", "nonResourceAttributes"]);
    let given = resource.or(other).unwrap_or(&Value::Null);
    let field = |name: &str| given.text(name);
    let request = Attributes {
        verb: field("verb"),
        is_resource: resource.is_some(),
        group: field("group"),
        version: field("version"),
        namespace: field("namespace"),
        resource: field("resource"),
        subresource: field("subresource"),
        name: field("name"),
        path: field("path"),
    };
    let decision = exchange.app.access.authorize(user, &request);
    let mut status = value!({"allowed": (decision.allowed)});
    if !decision.reason.is_empty() {
        status.set_path(&["reason"], decision.reason.into());
    }
    status
}

/// Everything that the requester may do in a namespace.
fn rules(exchange: &Exchange<'_>, namespace: &str) -> Value {
    let all = || vec!["*".into()];
    let (rules, wrong) = match exchange.app.access.rbac() {
        Some(rbac) => rbac.rules_for(&exchange.user, namespace),
        None => {
            let resources =
                Rule { verbs: all(), groups: all(), resources: all(), ..Rule::default() };
            let paths = Rule { verbs: all(), urls: all(), ..Rule::default() };
            (vec![resources, paths], String::new())
        }
    };
    let (paths, resources): (Vec<Rule>, Vec<Rule>) =
        rules.into_iter().partition(|rule| !rule.urls.is_empty());
    let encode = |rules: &[Rule]| Value::from(rules.iter().map(Rule::encode).collect::<Vec<_>>());
    let mut status = value!({
        "resourceRules": (encode(&resources)),
        "nonResourceRules": (encode(&paths)),
        "incomplete": false
    });
    if !wrong.is_empty() {
        status.set_path(&["evaluationError"], wrong.into());
    }
    status
}
