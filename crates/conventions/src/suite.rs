//! The rules, one function each, over one kind.

use std::sync::Arc;

use ordain_meta::status::Status;
use ordain_schema::{NodeId, Schema};
use ordain_value::{Text, Value, json, value};

use super::stub::{Fill, stub};
use super::{Verdict, schema_of};
use ordain_registry::decode::{Body, Media};
use ordain_registry::object;
use ordain_registry::request::{Warnings, WriteOptions};
use ordain_registry::strategy::{GarbageCollection, Part};
use ordain_registry::{Registry, Target};
use ordain_strategy::{Family, RestConfig};

type Found = (&'static str, Verdict);

/// Runs every rule over a kind.
pub(super) async fn run(
    registry: &Registry,
    resource: &Arc<RestConfig>,
    examples: &[Value],
) -> Vec<Found> {
    let schema = schema_of(registry, resource).await;
    let mut bench = Bench { registry, resource, schema, examples: Vec::new(), made: 0 };
    bench.take_examples(examples);
    let mut found = vec![bench.validator(), bench.garbage_collection()];
    let first = match bench.fresh(Fill::Least).await {
        Ok(made) => made,
        Err(status) => {
            found.push(("stub-validates", Verdict::Broken(status.message)));
            return found;
        }
    };
    found.push(("stub-validates", Verdict::Kept));
    found.push(bench.generation_one(&first));
    found.extend(bench.generation_on_spec(&first).await);
    found.extend(bench.status_rules(&first).await);
    found.push(bench.create_on_update().await);
    found.push(bench.unconditional_update(&first).await);
    found.push(bench.gated_fields().await);
    found.push(bench.versions_round_trip().await);
    found
}

struct Bench<'a> {
    registry: &'a Registry,
    resource: &'a Arc<RestConfig>,
    schema: Option<Arc<Schema>>,
    /// The user's objects of the kind, in the version of the requests.
    examples: Vec<Value>,
    made: usize,
}

fn broken(rule: &'static str, why: impl Into<String>) -> Found {
    (rule, Verdict::Broken(why.into()))
}

impl Bench<'_> {
    fn target(&self, name: &str) -> Target {
        let namespace = if self.resource.namespaced { "default" } else { "" };
        Target {
            resource: Arc::clone(self.resource),
            version: self.version(),
            namespace: namespace.into(),
            name: name.into(),
        }
    }

    /// The version that requests name: the stored one, if it is served.
    fn version(&self) -> Text {
        let stored = &self.resource.storage_version;
        let served = self.resource.versions.iter().find(|it| it.served);
        match (self.resource.served(stored), served) {
            (None, Some(served)) => served.name.clone(),
            _ => stored.clone(),
        }
    }

    fn api_version(&self) -> String {
        self.resource.group_version(&self.version()).to_string()
    }

    /// An object as a client would send it.
    fn body(&mut self, fill: Fill) -> Value {
        self.made += 1;
        // Kinds may share a store, so the group is in the name.
        let group = self.resource.group.split('.').next().unwrap_or("");
        let mut name = format!("convention-{group}{}", self.made);
        let mut body = match (self.examples.first(), &self.schema) {
            (Some(example), _) if fill == Fill::Least => example.clone(),
            (_, Some(schema)) => stub(schema, schema.root(), fill),
            (_, None) => value!({}),
        };
        if let Some(known) = known(&self.resource.kind, &self.resource.group, self.made) {
            let (named, content) = known;
            name = named.unwrap_or(name);
            for (key, value) in content.as_map().into_iter().flat_map(|it| it.iter()) {
                body.set_path(&[key.as_str()], value.clone());
            }
        }
        body.set_path(&["apiVersion"], self.api_version().into());
        body.set_path(&["kind"], Value::Str(self.resource.kind.clone()));
        let mut metadata = value!({"name": (name)});
        if self.resource.namespaced {
            metadata.set_path(&["namespace"], "default".into());
        }
        body.set_path(&["metadata"], metadata);
        body
    }

    fn take_examples(&mut self, examples: &[Value]) {
        let version = self.version();
        for example in examples {
            let gvk = object::gvk(example);
            if gvk.group == self.resource.group && gvk.kind == self.resource.kind {
                let converted = self.resource.strategy.convert(example, &version);
                let mut example = converted.unwrap_or_else(|_| example.clone());
                example.remove_path(&["status"]);
                self.examples.push(example);
            }
        }
    }

    async fn create(&self, body: &Value) -> Result<Value, Status> {
        let bytes = json::encode(body);
        let body = Body { bytes: &bytes, media: Media::Json };
        let (options, mut warnings) = (options(), Warnings::default());
        self.registry.create(&self.target(""), &body, &options, &mut warnings).await
    }

    async fn fresh(&mut self, fill: Fill) -> Result<Value, Status> {
        let body = self.body(fill);
        self.create(&body).await
    }

    async fn update(&self, part: Part, body: &Value) -> Result<Value, Status> {
        self.update_at(&self.target(object::name(body)), part, body).await
    }

    async fn update_at(&self, target: &Target, part: Part, body: &Value) -> Result<Value, Status> {
        let bytes = json::encode(body);
        let body = Body { bytes: &bytes, media: Media::Json };
        let (options, mut warnings) = (options(), Warnings::default());
        let written = self.registry.update(target, part, &body, &options, &mut warnings).await?;
        Ok(written.object)
    }

    fn has_status(&self) -> bool {
        let version = self.resource.version(&self.version());
        version.is_some_and(|it| it.status)
    }

    fn validator(&self) -> Found {
        let version = self.version();
        let owners = self.resource.strategy.field_manager(&version, Part::Main).is_some();
        match (&self.schema, owners) {
            (None, _) => broken("validator-built", "the kind has no schema"),
            (_, false) => broken("validator-built", "the kind keeps no owners of fields"),
            _ => ("validator-built", Verdict::Kept),
        }
    }

    fn garbage_collection(&self) -> Found {
        match self.resource.strategy.policy().garbage_collection {
            GarbageCollection::DeleteDependents => ("garbage-collection", Verdict::Kept),
            other => broken("garbage-collection", format!("its policy is {other:?}")),
        }
    }

    fn has_spec(&self) -> bool {
        let schema = self.schema.as_ref();
        schema.is_some_and(|it| it.root_node().property("spec").is_some())
    }

    fn generation_one(&self, made: &Value) -> Found {
        if !self.has_spec() {
            return ("generation-one", Verdict::Beside("the kind has no spec"));
        }
        match object::generation(made) {
            1 => ("generation-one", Verdict::Kept),
            other => broken("generation-one", format!("a new object has generation {other}")),
        }
    }

    async fn generation_on_spec(&mut self, made: &Value) -> Vec<Found> {
        const RULE: &str = "generation-on-spec";
        if !self.has_spec() {
            return vec![(RULE, Verdict::Beside("the kind has no spec"))];
        }
        let mut body = made.clone();
        body.set_path(&["metadata", "labels"], value!({"convention": "a"}));
        let labelled = match self.update(Part::Main, &body).await {
            Ok(labelled) => labelled,
            Err(status) => return vec![broken(RULE, status.message)],
        };
        if object::generation(&labelled) != object::generation(made) {
            return vec![broken(RULE, "a label alone bumps it")];
        }
        let Some(spec) = self.other_spec(made) else {
            return vec![(RULE, Verdict::Beside("no other spec can be made from the schema"))];
        };
        let mut body = labelled.clone();
        body.set_path(&["spec"], spec);
        match self.update(Part::Main, &body).await {
            Ok(written) => {
                let (before, after) = (object::generation(&labelled), object::generation(&written));
                let changed = written.get("spec") != labelled.get("spec");
                if after == before + i64::from(changed) {
                    vec![(RULE, Verdict::Kept)]
                } else {
                    vec![broken(RULE, format!("it went from {before} to {after}"))]
                }
            }
            // Immutable or refused by rules: nothing can be said.
            Err(_) => vec![(RULE, Verdict::Beside("another spec is refused"))],
        }
    }

    /// A spec that differs from that of an object.
    fn other_spec(&self, made: &Value) -> Option<Value> {
        let schema = self.schema.as_ref()?;
        let id: NodeId = schema.root_node().property("spec")?;
        let given = self.examples.iter().filter_map(|it| it.get("spec").cloned());
        let fills = [Fill::All, Fill::Least].map(|fill| stub(schema, id, fill));
        given.chain(fills).find(|it| made.get("spec") != Some(it))
    }

    fn some_status(&self) -> Option<Value> {
        let schema = self.schema.as_ref()?;
        let id = schema.root_node().property("status")?;
        let status = match self.resource.kind.as_str() {
            "Namespace" => value!({"phase": "Active"}),
            _ => stub(schema, id, Fill::All),
        };
        status.as_map().is_some_and(|it| !it.is_empty()).then_some(status)
    }

    async fn status_rules(&mut self, made: &Value) -> Vec<Found> {
        const NAMES: [&str; 5] = [
            "status-cleared",
            "status-kept",
            "status-keeps-spec",
            "status-keeps-metadata",
            "managed-fields-reset",
        ];
        let status = self.some_status().filter(|_| self.has_status());
        let Some(status) = status else {
            let why = Verdict::Beside("the kind has no status");
            return NAMES.iter().map(|rule| (*rule, why.clone())).collect();
        };
        let mut found = vec![self.status_cleared(&status).await];
        let (before, written) = match self.status_write(made, &status).await {
            Ok(both) => both,
            Err(why) => {
                found.push(broken("status-keeps-spec", why));
                return found;
            }
        };
        found.push(match written.get("spec") == before.get("spec") {
            true => ("status-keeps-spec", Verdict::Kept),
            false => broken("status-keeps-spec", "it changes the spec"),
        });
        found.push(kept_metadata(&written));
        found.push(reset_owners(&written));
        found.push(self.status_kept(&written).await);
        found
    }

    async fn status_cleared(&mut self, status: &Value) -> Found {
        let mut body = self.body(Fill::Least);
        body.set_path(&["status"], status.clone());
        match self.create(&body).await {
            Ok(made) if made.get("status") == Some(status) => {
                broken("status-cleared", "the status of the request was stored")
            }
            Ok(_) => ("status-cleared", Verdict::Kept),
            Err(status) => broken("status-cleared", status.message),
        }
    }

    /// Writes the status with everything else changed as well.
    async fn status_write(&self, made: &Value, status: &Value) -> Result<(Value, Value), String> {
        let current = self.registry.get(&self.target(object::name(made)), "").await;
        let before = current.map_err(|status| status.message)?;
        let mut body = before.clone();
        body.set_path(&["status"], status.clone());
        body.set_path(&["metadata", "labels"], value!({"by": "status"}));
        body.set_path(&["metadata", "annotations"], value!({"by": "status"}));
        body.set_path(&["metadata", "finalizers"], value!(["example.com/by-status"]));
        body.set_path(&["metadata", "generateName"], value!("by-status-"));
        if let Some(spec) = self.other_spec(&before) {
            body.set_path(&["spec"], spec);
        }
        let written = self.update(Part::Status, &body).await.map_err(|status| status.message)?;
        Ok((before, written))
    }

    async fn status_kept(&self, written: &Value) -> Found {
        let mut body = written.clone();
        body.remove_path(&["status"]);
        body.set_path(&["metadata", "labels"], value!({"convention": "b"}));
        match self.update(Part::Main, &body).await {
            Ok(after) if after.get("status") == written.get("status") => {
                ("status-kept", Verdict::Kept)
            }
            Ok(_) => broken("status-kept", "an update took the status away"),
            Err(status) => broken("status-kept", status.message),
        }
    }

    async fn create_on_update(&mut self) -> Found {
        let body = self.body(Fill::Least);
        match self.update(Part::Main, &body).await {
            Err(status) if status.code == Some(404) => ("create-on-update", Verdict::Kept),
            Err(status) => broken("create-on-update", status.message),
            Ok(_) => broken("create-on-update", "a PUT to an absent name creates"),
        }
    }

    async fn unconditional_update(&self, made: &Value) -> Found {
        const RULE: &str = "unconditional-update";
        let custom =
            self.resource.family == Family::Custom && self.resource.strategy.declared().is_none();
        let mut body = made.clone();
        body.remove_path(&["metadata", "resourceVersion"]);
        body.set_path(&["metadata", "labels"], value!({"convention": "c"}));
        match (self.update(Part::Main, &body).await, custom) {
            // Custom resources have Kubernetes' own variant of the rule.
            (Err(status), true) if status.message.contains("must be specified for an update") => {
                (RULE, Verdict::Kept)
            }
            (Ok(_), false) => (RULE, Verdict::Kept),
            (Ok(_), true) => broken(RULE, "custom resources are written over by version only"),
            (Err(status), _) => broken(RULE, status.message),
        }
    }

    /// Writes an object in the version of the requests, and again as every other version shows it.
    async fn versions_round_trip(&mut self) -> Found {
        const RULE: &str = "versions-round-trip";
        let own = self.version();
        let others = self.resource.versions.iter().filter(|it| it.served && it.name != own);
        let others: Vec<Text> = others.map(|it| it.name.clone()).collect();
        if others.is_empty() {
            return (RULE, Verdict::Beside("one version is served"));
        }
        let made = match self.fresh(Fill::All).await {
            Ok(made) => made,
            Err(_) => match self.fresh(Fill::Least).await {
                Ok(made) => made,
                Err(status) => return broken(RULE, status.message),
            },
        };
        for version in others {
            let target = Target { version: version.clone(), ..self.target(object::name(&made)) };
            let shown = match self.registry.get(&target, "").await {
                Ok(shown) => shown,
                Err(status) => return broken(RULE, format!("{version}: {}", status.message)),
            };
            if let Err(status) = self.update_at(&target, Part::Main, &shown).await {
                let why = status.message;
                return broken(RULE, format!("{version} refuses what {own} accepted: {why}"));
            }
            let after = self.registry.get(&self.target(object::name(&made)), "").await;
            let lost = after.map(|after| lost(&made, &after));
            if let Ok(Some(path)) = lost {
                return broken(RULE, format!("{path} is lost by a write in {version}"));
            }
        }
        (RULE, Verdict::Kept)
    }

    async fn gated_fields(&mut self) -> Found {
        const RULE: &str = "gated-fields";
        let declared = self.resource.strategy.declared().is_some();
        let Some(schema) = self.schema.clone().filter(|_| declared) else {
            return (RULE, Verdict::Beside("the kind declares no gates"));
        };
        let mut body = self.body(Fill::All);
        let gated = gated(&schema, self.registry);
        for (path, value) in &gated {
            let steps: Vec<&str> = path.iter().map(Text::as_str).collect();
            body.set_path(&steps, value.clone());
        }
        let made = match self.create(&body).await {
            Ok(made) => made,
            Err(status) if status.code == Some(422) => {
                return (RULE, Verdict::Beside("an object with every field is refused by rules"));
            }
            Err(status) => return broken(RULE, status.message),
        };
        for (path, _) in &gated {
            let steps: Vec<&str> = path.iter().map(Text::as_str).collect();
            if made.get_path(&steps).is_some() {
                return broken(
                    RULE,
                    format!("{} is stored while its gate is off", steps.join(".")),
                );
            }
            body.remove_path(&steps);
        }
        body.remove_path(&["status"]);
        match lost(&body, &made) {
            Some(path) => broken(RULE, format!("{path} is dropped and has no gate")),
            None => (RULE, Verdict::Kept),
        }
    }
}

fn options() -> WriteOptions {
    WriteOptions { field_manager: "conventions".into(), ..WriteOptions::default() }
}

fn kept_metadata(written: &Value) -> Found {
    const RULE: &str = "status-keeps-metadata";
    let fields = ["annotations", "finalizers", "generateName"];
    for field in fields {
        if written.get_path(&["metadata", field]).is_some() {
            return broken(RULE, format!("it changes metadata.{field}"));
        }
    }
    match written.get_path(&["metadata", "labels", "by"]) {
        Some(_) => broken(RULE, "it changes metadata.labels"),
        None => (RULE, Verdict::Kept),
    }
}

fn reset_owners(written: &Value) -> Found {
    const RULE: &str = "managed-fields-reset";
    let owners = written.get_path(&["metadata", "managedFields"]).and_then(Value::as_list);
    let entries = owners.map(|it| it.as_slice()).unwrap_or_default();
    let of_status =
        entries.iter().filter(|it| it.get("subresource").and_then(Value::as_str) == Some("status"));
    for entry in of_status {
        let Some(fields) = entry.get("fieldsV1") else { continue };
        for field in ["f:spec", "f:metadata"] {
            if fields.get(field).is_some() {
                return broken(RULE, format!("a write to the status owns {field}"));
            }
        }
    }
    (RULE, Verdict::Kept)
}

/// The gated fields below structs, with values for them, whose gates are off.
fn gated(schema: &Schema, registry: &Registry) -> Vec<(Vec<Text>, Value)> {
    let mut out = Vec::new();
    let mut pending = vec![(schema.root(), Vec::<Text>::new())];
    while let Some((id, path)) = pending.pop() {
        if path.len() > 4 {
            continue;
        }
        for (name, child) in &schema.node(id).properties {
            let mut here = path.clone();
            here.push(name.clone());
            let gates = schema.node(*child).declared.as_deref().map(|it| it.gates.clone());
            let gates = gates.unwrap_or_default();
            if gates.is_empty() {
                pending.push((*child, here));
            } else if !gates.iter().all(|it| registry.gates().is_on(it)) && here[0] != "status" {
                out.push((here, stub(schema, *child, Fill::Least)));
            }
        }
    }
    out.retain(|(_, value)| !value.is_null());
    out
}

/// The first field of what was sent that did not come back. Zero values count as absent.
fn lost(sent: &Value, made: &Value) -> Option<String> {
    let mut pending = vec![(String::new(), sent, made)];
    while let Some((path, sent, made)) = pending.pop() {
        let (Value::Map(sent), Value::Map(made)) = (sent, made) else { continue };
        for (key, value) in sent.iter() {
            let here = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
            match made.get(key) {
                Some(other) => pending.push((here, value, other)),
                None if ordain_passes::declared::strip_zero::is_zero(value) => {}
                None => return Some(here),
            }
        }
    }
    None
}

/// What kinds of the server itself need besides what their schemas say.
fn known(kind: &str, group: &str, number: usize) -> Option<(Option<String>, Value)> {
    Some(match (kind, group) {
        ("Service", "") => {
            (None, value!({"spec": {"ports": [{"name": "http", "port": 80, "protocol": "TCP"}]}}))
        }
        ("Event", "") => (
            None,
            value!({
                "involvedObject": {"kind": "Pod", "name": "a", "namespace": "default", "apiVersion": "v1"},
                "reason": "Convention", "message": "a", "type": "Normal"
            }),
        ),
        ("Event", "events.k8s.io") => (
            None,
            value!({
                "eventTime": "2024-01-01T00:00:00.000000Z", "action": "Look", "reason": "Convention",
                "type": "Normal", "reportingController": "example.com/c", "reportingInstance": "i",
                "regarding": {"kind": "Pod", "name": "a", "namespace": "default", "apiVersion": "v1"}
            }),
        ),
        ("RoleBinding" | "ClusterRoleBinding", "rbac.authorization.k8s.io") => {
            let group = "rbac.authorization.k8s.io";
            (None, value!({"roleRef": {"apiGroup": (group), "kind": "ClusterRole", "name": "a"}}))
        }
        ("CustomResourceDefinition", _) => {
            let plural = format!("conventions{number}");
            let kind = format!("Convention{number}");
            (
                Some(format!("{plural}.conventions.example.com")),
                value!({"spec": {
                    "group": "conventions.example.com",
                    "scope": "Namespaced",
                    "names": {"plural": (plural.as_str()), "singular": (kind.to_lowercase()), "kind": (kind.as_str()), "listKind": (format!("{kind}List"))},
                    "versions": [{"name": "v1", "served": true, "storage": true,
                        "schema": {"openAPIV3Schema": {"type": "object"}}}]
                }}),
            )
        }
        _ => return None,
    })
}
