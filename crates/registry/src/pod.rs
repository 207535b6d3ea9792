//! Bindings: they are posted to a pod, and give it to a node.

use ordain_meta::gvk::GroupResource;
use ordain_meta::status::Status;
use ordain_strategy::Context;
use ordain_strategy::create::ensure_namespace;
use ordain_strategy::update::Source;
use ordain_value::{List, Map, Value};

use crate::admission::Operation;
use crate::object;
use crate::registry::{Registry, Target};
use crate::request::{Warnings, WriteOptions};
use crate::strategy::Part;

impl Registry {
    /// Gives a pod to the node that a binding names.
    pub async fn bind(
        &self,
        target: &Target,
        part: Part,
        binding: &Value,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Status, Status> {
        let mut binding = binding.clone();
        ensure_namespace(target, &mut binding)?;
        let create = Operation::Create;
        let binding =
            &self.admit_attached(target, part, create, binding, options, warnings).await?;
        check_name(target, binding, "Binding")?;
        let node = binding.text_at(&["target", "name"]);
        let kind = binding.text_at(&["target", "kind"]);
        let mut problems = Vec::new();
        if !matches!(kind, "" | "Node") {
            let kind = ordain_value::go_quote(kind);
            problems.push(format!(
                "target.kind: Unsupported value: {kind}: supported values: \"Node\", \"<empty>\""
            ));
        }
        if node.is_empty() {
            problems.push("target.name: Required value".to_owned());
        }
        match problems.as_slice() {
            [] => {}
            [problem] => return Err(Status::unclassified(problem.clone())),
            several => return Err(Status::unclassified(format!("[{}]", several.join(", ")))),
        }
        let source = Assignment { binding, node };
        self.write(target, part, &source, options, warnings).await?;
        Ok(Status::done(201))
    }
}

pub(crate) fn check_name(target: &Target, object: &Value, kind: &str) -> Result<(), Status> {
    if object::name(object) == target.name {
        return Ok(());
    }
    Err(Status::bad_request(format!("name in URL does not match name in {kind} object")))
}

/// A pod that is given to a node.
struct Assignment<'a> {
    binding: &'a Value,
    node: &'a str,
}

impl Source for Assignment<'_> {
    fn updated(
        &self,
        context: Context<'_>,
        target: &Target,
        old: Option<&Value>,
        _warnings: &mut Warnings,
    ) -> Result<Value, Status> {
        let mut pod = old.ok_or_else(|| target.not_found())?.clone();
        if let Some(why) = refusal(&pod) {
            let resource = GroupResource::new("", "pods/binding");
            return Err(Status::conflict(&resource, &target.name, &why));
        }
        pod.set_path(&["spec", "nodeName"], self.node.into());
        pod.remove_path(&["status", "nominatedNodeName"]);
        for field in ["annotations", "labels"] {
            let added = self.binding.get_path(&["metadata", field]).and_then(Value::as_map);
            for (key, value) in added.into_iter().flat_map(Map::iter) {
                pod.set_path(&["metadata", field, key.as_str()], value.clone());
            }
        }
        set_condition(&mut pod, &[("type", "PodScheduled")], &context.now().encode());
        Ok(pod)
    }

    fn is_admitted(&self) -> bool {
        true
    }

    fn expected_uid(&self) -> Option<&str> {
        Some(self.binding.text_at(&["metadata", "uid"])).filter(|it| !it.is_empty())
    }
}

/// Why a pod cannot be given to a node.
fn refusal(pod: &Value) -> Option<String> {
    let name = object::name(pod);
    if object::is_deleting(pod) {
        return Some(format!("pod {name} is being deleted, cannot be assigned to a host"));
    }
    let node = pod.text_at(&["spec", "nodeName"]);
    if !node.is_empty() {
        let node = ordain_value::go_quote(node);
        return Some(format!("pod {name} is already assigned to node {node}"));
    }
    let gates = pod.get_path(&["spec", "schedulingGates"]).and_then(Value::as_list);
    gates
        .is_some_and(|it| !it.is_empty())
        .then(|| format!("pod {name} has non-empty .spec.schedulingGates"))
}

/// Notes that a condition of the pod holds, since now unless it did before.
pub(crate) fn set_condition(pod: &mut Value, condition: &[(&str, &str)], now: &str) {
    let fields = condition.iter().map(|(key, text)| ((*key).into(), Value::from(*text)));
    let mut condition = Map::from_entries(fields.collect());
    let ty = condition.get("type").cloned().unwrap_or(Value::Null);
    condition.insert("status", "True".into());
    condition.insert("lastProbeTime", Value::Null);
    condition.insert("lastTransitionTime", now.into());
    let list = pod.get_path(&["status", "conditions"]).and_then(Value::as_list);
    let mut conditions = list.cloned().unwrap_or_else(List::default);
    let found = conditions.iter().position(|it| it.get("type") == Some(&ty));
    match found.and_then(|at| conditions.to_mut().get_mut(at)) {
        Some(known) => {
            if known.text("status") == "True"
                && let Some(since) = known.get("lastTransitionTime")
            {
                condition.insert("lastTransitionTime", since.clone());
            }
            *known = Value::Map(condition);
        }
        None => conditions.push(Value::Map(condition)),
    }
    pod.set_path(&["status", "conditions"], Value::List(conditions));
}
