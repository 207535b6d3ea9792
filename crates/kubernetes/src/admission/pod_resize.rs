//! PodResizeValidator: a pod on a node is resized within what its node has to give.

use ordain_meta::quantity::{Format, Quantity};
use ordain_meta::status::{Cause, Status};
use ordain_strategy::object;
use ordain_value::{Value, go_quote};

use super::{Operation, Plugin, Query, Remarks, Request, Verdict};
use crate::quota::pod::requests;
use crate::shared::access::{label, part, text};
use crate::shared::resources::{Amounts, amounts};

const OS_LABEL: &str = "kubernetes.io/os";

#[derive(Debug)]
pub(super) struct PodResizeValidator;

impl Plugin for PodResizeValidator {
    fn name(&self) -> &'static str {
        "PodResizeValidator"
    }

    fn needs(&self, request: &Request<'_>, pod: &Value) -> Vec<Query> {
        let resizes = request.group.is_empty()
            && request.plural == "pods"
            && request.subresource == "resize"
            && request.operation == Operation::Update;
        let node = text(part(pod, "spec"), "nodeName");
        if !resizes || node.is_empty() {
            return Vec::new();
        }
        vec![Query::one("", "nodes", "", node)]
    }

    fn validate(&self, request: &Request<'_>, pod: &Value, _: &mut Remarks<'_>) -> Verdict {
        let changed =
            request.old.is_some_and(|it| object::generation(it) != object::generation(pod));
        if !changed || self.needs(request, pod).is_empty() {
            return Ok(());
        }
        let name = go_quote(text(part(pod, "spec"), "nodeName"));
        let Some(node) = request.found("nodes").next() else {
            return Err(request.forbidden(&format!("node {name} not found")));
        };
        let os = label(node, OS_LABEL).unwrap_or("linux");
        if os != "linux" {
            let os = go_quote(os);
            let why = format!("pod resize is only supported on linux nodes, node {name} is {os}");
            return Err(refused(request, &why, "UnsupportedPlatform"));
        }
        match lacking(pod, node) {
            None => Ok(()),
            Some(why) => Err(refused(request, &why, "NodeCapacity")),
        }
    }
}

/// What a node has too little of for a pod.
fn lacking(pod: &Value, node: &Value) -> Option<String> {
    let wanted = requests(part(pod, "spec"));
    let there = amounts(part(node, "status"), "allocatable");
    let none = Quantity::from_i64(0, Format::DecimalSi);
    let of = |amounts: &Amounts, name: &str| amounts.get(name).unwrap_or(&none).clone();
    let short = |name: &str, number: fn(&Quantity) -> i64| {
        let (wanted, there) = (of(&wanted, name), of(&there, name));
        let (asked, given) = (number(&wanted), number(&there));
        (wanted > there).then(|| format!("{name}, requested: {asked}, allocatable: {given}"))
    };
    let short = [short("cpu", Quantity::milli_value), short("memory", Quantity::value)];
    let short: Vec<String> = short.into_iter().flatten().collect();
    let why = format!("node didn't have enough allocatable resources: {}", short.join("; "));
    (!short.is_empty()).then_some(why)
}

fn refused(request: &Request<'_>, why: &str, reason: &str) -> Status {
    let mut status = request.forbidden(why);
    let cause = Cause { reason: reason.into(), message: String::new(), field: String::new() };
    status.details.get_or_insert_default().causes.push(cause);
    status
}

#[cfg(test)]
mod tests {
    use ordain_value::value;

    use super::super::NOTHING;
    use super::*;
    use ordain_strategy::Warnings;

    fn resized(subresource: &str, cpu: &str, node: Option<Value>) -> String {
        let pod = |generation: i64, cpu: &str| {
            value!({"metadata": {"name": "p", "generation": generation}, "spec": {
                "nodeName": "n", "containers": [{"resources": {"requests": {"cpu": cpu}}}]
            }})
        };
        let (old, new) = (pod(1, "1"), pod(2, cpu));
        let request = Request {
            group: "",
            plural: "pods",
            subresource,
            namespace: "default",
            name: "p",
            operation: Operation::Update,
            old: Some(&old),
            user: None,
            suffix: "",
            found: &NOTHING,
        };
        let needs = PodResizeValidator.needs(&request, &new);
        let nodes: Vec<Value> = node.into_iter().collect();
        let found = needs.into_iter().map(|query| (query, nodes.clone())).collect();
        let mut warnings = Warnings::default();
        let mut remarks = Remarks { warnings: &mut warnings, annotations: Vec::new() };
        let verdict =
            PodResizeValidator.validate(&Request { found: &found, ..request }, &new, &mut remarks);
        verdict.err().map(|it| it.message).unwrap_or_default()
    }

    #[test]
    fn a_pod_is_resized_within_its_node() {
        let node = |os: &str| {
            value!({"metadata": {"name": "n", "labels": {"kubernetes.io/os": os}},
                "status": {"allocatable": {"cpu": "2", "memory": "1Gi"}}})
        };
        let refused = "pods \"p\" is forbidden: ";
        assert_eq!(resized("resize", "2", Some(node("linux"))), "");
        assert_eq!(resized("", "9", None), "");
        assert_eq!(resized("resize", "2", None), format!("{refused}node \"n\" not found"));
        assert_eq!(
            resized("resize", "2100m", Some(node("linux"))),
            format!(
                "{refused}node didn't have enough allocatable resources: cpu, requested: 2100, \
                 allocatable: 2000"
            )
        );
        assert_eq!(
            resized("resize", "2", Some(node("windows"))),
            format!(
                "{refused}pod resize is only supported on linux nodes, node \"n\" is \"windows\""
            )
        );
    }
}
