//! Webhooks without the network: which one is called about a request, what it is sent, and what
//! its answer means.

mod answer;
pub(crate) mod envelope;
mod reply;
mod review;

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ordain_passes::cel_library::authz::Authorizer;
use ordain_value::{Text, Value};

pub use answer::{Answer, Denied};
pub use reply::{Held, Reply};
pub use review::{ReviewVersion, write_review};

use crate::condition::{Conditions, FailurePolicy};
use crate::environment::Given;
use crate::evaluate::{Inputs, Variables};
use crate::matching::{Constraints, items};
use crate::policy::requested;
use crate::request::{Addressed, Request};

/// Where a webhook is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClientConfig {
    /// Empty for a service.
    pub url: Text,
    pub service: Option<Service>,
    /// The certificates that it is trusted by, in PEM; the system's if empty.
    pub ca_bundle: Vec<u8>,
}

/// A service of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    pub namespace: Text,
    pub name: Text,
    pub path: Text,
    pub port: i64,
}

impl ClientConfig {
    /// Reads `clientConfig` of a webhook or of a conversion.
    pub fn read(value: &Value) -> Self {
        let text = |value: &Value, field: &str| {
            value.get(field).and_then(Value::as_text).cloned().unwrap_or_default()
        };
        let service = |value: &Value| Service {
            namespace: text(value, "namespace"),
            name: text(value, "name"),
            path: text(value, "path"),
            port: value.get("port").and_then(Value::as_int).unwrap_or(443),
        };
        let bundle = value.get("caBundle").and_then(Value::as_str).unwrap_or("");
        Self {
            url: text(value, "url"),
            service: value.get("service").filter(|it| !it.is_null()).map(service),
            ca_bundle: STANDARD.decode(bundle).unwrap_or_default(),
        }
    }
}

/// A webhook of a configuration.
#[derive(Debug)]
pub struct Webhook {
    pub name: Text,
    /// The configuration that it belongs to, and its place there.
    pub configuration: Text,
    pub place: usize,
    pub client: ClientConfig,
    pub constraints: Constraints,
    pub failure: FailurePolicy,
    /// Whether a dry run may call it.
    pub allows_dry_run: bool,
    pub timeout_seconds: u64,
    /// The first review version that both sides know.
    pub version: Option<ReviewVersion>,
    /// Whether it is called again when others changed the object after it.
    pub reinvoked: bool,
    conditions: Conditions,
    no_variables: Variables,
}

impl Webhook {
    /// Reads the webhooks of a configuration, in their order.
    pub fn read_all(object: &Value) -> Vec<Self> {
        let name = object.get_path(&["metadata", "name"]).and_then(Value::as_text);
        let configuration = name.cloned().unwrap_or_default();
        let webhooks = items(object, "webhooks").enumerate();
        webhooks.map(|(place, webhook)| Self::read(webhook, &configuration, place)).collect()
    }

    fn read(value: &Value, configuration: &Text, place: usize) -> Self {
        const TIMEOUT_SECONDS: i64 = 10;
        let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or("");
        let given = Given { authorizer: true, ..Given::default() };
        let timeout = value.get("timeoutSeconds").and_then(Value::as_int);
        let versions = items(value, "admissionReviewVersions").filter_map(Value::as_str);
        Self {
            name: text("name").into(),
            configuration: configuration.clone(),
            place,
            client: value.get("clientConfig").map(ClientConfig::read).unwrap_or_default(),
            constraints: Constraints::read_webhook(value),
            failure: FailurePolicy::read(value),
            allows_dry_run: matches!(text("sideEffects"), "None" | "NoneOnDryRun"),
            timeout_seconds: timeout.unwrap_or(TIMEOUT_SECONDS).max(1).unsigned_abs(),
            version: versions.filter_map(ReviewVersion::of).next(),
            reinvoked: text("reinvocationPolicy") == "IfNeeded",
            conditions: Conditions::compile(value, given, None),
            no_variables: Variables::default(),
        }
    }

    /// Whether it has conditions at all.
    pub fn has_conditions(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// Whether the conditions of the webhook want it to be asked about a request, whose objects
    /// are in the matched version.
    ///
    /// # Errors
    /// When a condition fails and failures count, in words.
    pub fn is_wanted(
        &self,
        request: &Request,
        matched: &Addressed,
        authorizer: &Arc<dyn Authorizer>,
    ) -> Result<bool, String> {
        if self.conditions.is_empty() {
            return Ok(true);
        }
        let literal =
            Addressed { resource: request.addressed.resource.clone(), kind: matched.kind.clone() };
        let described = Value::Map(request.describe(&literal, ""));
        let check = requested(request);
        let inputs = Inputs {
            object: request.object.as_ref(),
            old: request.old.as_ref(),
            request: &described,
            namespace: None,
            params: None,
            authorizer: Some((authorizer, &check)),
        };
        self.conditions.matches(&inputs, &self.no_variables, self.failure)
    }

    /// The refusal when a dry run would have side effects.
    pub fn refuses_dry_run(&self) -> String {
        format!("admission webhook {} does not support dry run", ordain_value::go_quote(&self.name))
    }

    /// A failure to ask the webhook, in the words that clients see.
    pub fn failed(&self, why: &str) -> String {
        format!("failed calling webhook {}: {why}", ordain_value::go_quote(&self.name))
    }
}
