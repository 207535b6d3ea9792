//! `serviceaccounts/token`: a token for an account, perhaps bound to an object that it ends with.

use ordain_meta::gvk::GroupKind;
use ordain_meta::{GroupResource, Status};
use ordain_registry::admission::Operation;
use ordain_registry::decode::Body;
use ordain_registry::{Part, Target, object};
use ordain_value::field::{self, Path};
use ordain_value::{Text, Value, go_quote};

use super::{Answer, answer, media};
use crate::log;
use crate::options;
use crate::router::Exchange;
use crate::service_account::{Claims, Reference, ServiceAccounts};

const EXPIRATION_DEFAULT: i64 = 3600;
const EXPIRATION_MIN: i64 = 600;
const EXPIRATION_MAX: i64 = 1 << 32;
/// The expiry that tokens in pods ask for: holders are warned then, and refused only a year later.
const EXPIRATION_IN_PODS: i64 = 3607;
const EXPIRATION_EXTENDED: i64 = 365 * 24 * 3600;

pub(super) async fn create(
    exchange: &mut Exchange<'_>,
    target: &Target,
    part: Part,
    accounts: &ServiceAccounts,
) -> Answer {
    let media = media(exchange)?;
    let bytes = exchange.read_body().await?;
    let options = options::write_options(&exchange.query, exchange.user_agent());
    let body = Body { bytes: &bytes, media };
    let registry = &exchange.app.registry;
    let (kind, mut request) =
        registry.attached("token", target, &body, &options, &mut exchange.warnings)?;
    let group_kind = kind.resource.group_kind();
    check_name(target, &group_kind, &request)?;
    let account = registry.get(target, "").await?;
    check_uid(&request, &account, &target.name)?;
    complete(&mut request, &account, accounts);
    let now = log::now();
    request.set_path(&["metadata", "creationTimestamp"], now.encode().into());
    request.remove_path(&["status"]);
    let mut seconds = expiration(&request);
    let errors = check_expiration(seconds);
    if !errors.is_empty() {
        return Err(Status::invalid(&group_kind, "", &errors));
    }
    let (create, warnings) = (Operation::Create, &mut exchange.warnings);
    let mut request =
        registry.admit_attached(target, part, create, request, &options, warnings).await?;
    let bound = bind(accounts, target, &request).await?;
    if let Some(max) = accounts.max_expiration_seconds.filter(|max| *max > 0 && seconds > *max) {
        exchange
            .warnings
            .add(format!("requested expiration of {seconds} seconds shortened to {max} seconds"));
        seconds = max;
        request.set_path(&["spec", "expirationSeconds"], Value::Int(max));
    }
    let audiences = audiences_of(&request);
    let extended = bound.pod.is_some()
        && seconds == EXPIRATION_IN_PODS
        && audiences.iter().all(|it| accounts.audiences.contains(it));
    let lasts = if extended { EXPIRATION_EXTENDED } else { seconds };
    let claims = Claims {
        id: registry.new_uid().to_string(),
        audiences,
        issued_at: Some(now.seconds),
        not_before: Some(now.seconds),
        expires_at: Some(now.seconds + lasts),
        warn_after: extended.then_some(now.seconds + seconds),
        namespace: target.namespace.to_string(),
        account: Reference::of(&account),
        ..bound
    };
    let token = accounts
        .sign(&claims)
        .map_err(|why| Status::internal(&format!("failed to generate token: {why}")))?;
    let expires = ordain_meta::time::Time::from_unix(now.seconds + seconds, 0);
    request.set_path(&["status", "expirationTimestamp"], expires.encode().into());
    request.set_path(&["status", "token"], token.into());
    answer(exchange, &kind, Part::Main, 201, request)
}

fn audiences_of(request: &Value) -> Vec<String> {
    let list = request.items_at(&["spec", "audiences"]).iter();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn check_name(target: &Target, kind: &GroupKind, request: &Value) -> Result<(), Status> {
    let name = object::name(request);
    if name.is_empty() || name == target.name {
        return Ok(());
    }
    let metadata = Path::new("metadata");
    let path = metadata.child("name");
    let why = "must match the service account name if specified";
    let error = field::Error::invalid(&path, Value::from(name), why);
    Err(Status::invalid(kind, &target.name, &error.into()))
}

fn check_uid(request: &Value, account: &Value, name: &str) -> Result<(), Status> {
    let (given, known) = (object::uid(request), object::uid(account));
    if given.is_empty() || given == known {
        return Ok(());
    }
    let resource = GroupResource::new("authentication.k8s.io", "TokenRequest");
    let why = format!(
        "the UID in the token request ({given}) does not match the UID of the service account \
         ({known})"
    );
    Err(Status::conflict(&resource, name, &why))
}

/// Fills in what the request leaves open.
fn complete(request: &mut Value, account: &Value, accounts: &ServiceAccounts) {
    for field in ["name", "namespace", "uid"] {
        if request.text_at(&["metadata", field]).is_empty() {
            let value = Text::from(account.text_at(&["metadata", field]));
            request.set_path(&["metadata", field], Value::Str(value));
        }
    }
    if audiences_of(request).is_empty() {
        let all: Vec<Value> = accounts.audiences.iter().map(|it| it.as_str().into()).collect();
        request.set_path(&["spec", "audiences"], all.into());
    }
    let seconds = expiration(request);
    request.set_path(&["spec", "expirationSeconds"], Value::Int(seconds));
    if request.get_path(&["spec", "boundObjectRef"]).is_none() {
        request.set_path(&["spec", "boundObjectRef"], Value::Null);
    }
}

fn expiration(request: &Value) -> i64 {
    let given = request.get_path(&["spec", "expirationSeconds"]).and_then(Value::as_int);
    given.unwrap_or(EXPIRATION_DEFAULT)
}

fn check_expiration(seconds: i64) -> field::ErrorList {
    let mut errors = field::ErrorList::new();
    let path = Path::new("spec");
    let path = path.child("expirationSeconds");
    if seconds < EXPIRATION_MIN {
        let why = "may not specify a duration less than 10 minutes";
        errors.push(field::Error::invalid(&path, Value::Int(seconds), why));
    }
    if seconds > EXPIRATION_MAX {
        let why = "may not specify a duration larger than 2^32 seconds";
        errors.push(field::Error::invalid(&path, Value::Int(seconds), why));
    }
    errors
}

/// The claims about the object that the token is to be bound to.
async fn bind(
    accounts: &ServiceAccounts,
    target: &Target,
    request: &Value,
) -> Result<Claims, Status> {
    let mut claims = Claims::default();
    let wanted = request.get_path(&["spec", "boundObjectRef"]).filter(|it| !it.is_null());
    let Some(wanted) = wanted else { return Ok(claims) };
    let (name, kind) = (wanted.text("name"), wanted.text("kind"));
    let api_version = wanted.text("apiVersion");
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let namespace = target.namespace.as_str();
    let found = match (group, kind) {
        ("", "Pod") => {
            let pod = accounts.find("pods", namespace, name).await?;
            if pod.text_at(&["spec", "serviceAccountName"]) != target.name {
                return Err(Status::bad_request(format!(
                    "cannot bind token for serviceaccount {} to pod running with different \
                     serviceaccount name.",
                    go_quote(&target.name)
                )));
            }
            let node = pod.text_at(&["spec", "nodeName"]);
            if !node.is_empty() {
                claims.node = Some(match accounts.find("nodes", "", node).await {
                    Ok(node) => Reference::of(&node),
                    Err(_) => Reference { name: node.to_owned(), uid: String::new() },
                });
            }
            claims.pod = Some(Reference::of(&pod));
            pod
        }
        ("", "Node") => {
            let node = accounts.find("nodes", "", name).await?;
            claims.node = Some(Reference::of(&node));
            node
        }
        ("", "Secret") => {
            let secret = accounts.find("secrets", namespace, name).await?;
            claims.secret = Some(Reference::of(&secret));
            secret
        }
        _ => {
            let gvk = format!("{group}/{version}, Kind={kind}");
            return Err(Status::bad_request(format!("cannot bind token to object of type {gvk}")));
        }
    };
    let uid = wanted.text("uid");
    if !uid.is_empty() && uid != object::uid(&found) {
        let why = format!(
            "the UID in the bound object reference ({uid}) does not match the UID in record. The \
             object might have been deleted and then recreated"
        );
        return Err(Status::conflict(&GroupResource::new(group, kind), name, &why));
    }
    Ok(claims)
}
