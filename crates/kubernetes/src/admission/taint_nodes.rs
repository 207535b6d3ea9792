//! TaintNodesByCondition: a new node takes no pods until it is reported ready.

use ordain_value::{Value, value};

use super::{Plugin, Request, Verdict};

const TAINT: &str = "node.kubernetes.io/not-ready";

#[derive(Debug)]
pub(super) struct TaintNodesByCondition;

impl Plugin for TaintNodesByCondition {
    fn name(&self) -> &'static str {
        "TaintNodesByCondition"
    }

    fn mutate(&self, request: &Request<'_>, node: &mut Value) -> Verdict {
        if !request.creates("", "nodes") {
            return Ok(());
        }
        let path = ["spec", "taints"];
        let mut taints = node.get_path(&path).and_then(Value::as_list).cloned().unwrap_or_default();
        let text = |taint: &Value, field: &str| {
            taint.get(field).and_then(Value::as_str).unwrap_or("").to_owned()
        };
        let tainted =
            taints.iter().any(|it| text(it, "key") == TAINT && text(it, "effect") == "NoSchedule");
        if !tainted {
            taints.push(value!({"key": TAINT, "effect": "NoSchedule"}));
            node.set_path(&path, Value::List(taints));
        }
        Ok(())
    }
}
