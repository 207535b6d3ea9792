//! DefaultTolerationSeconds: pods stay five minutes on nodes that are not ready or unreachable.

use ordain_value::{Value, value};

use super::{Plugin, Request, Verdict};

const SECONDS: i64 = 300;
const TAINTS: [&str; 2] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

#[derive(Debug)]
pub(super) struct DefaultTolerationSeconds;

impl Plugin for DefaultTolerationSeconds {
    fn name(&self) -> &'static str {
        "DefaultTolerationSeconds"
    }

    fn mutate(&self, request: &Request<'_>, pod: &mut Value) -> Verdict {
        if !request.is("", "pods") {
            return Ok(());
        }
        let path = ["spec", "tolerations"];
        let given = pod.get_path(&path).and_then(Value::as_list).cloned().unwrap_or_default();
        let mut tolerations = given.clone();
        for taint in TAINTS {
            if !given.iter().any(|it| tolerates(it, taint)) {
                tolerations.push(value!({
                    "key": taint, "operator": "Exists", "effect": "NoExecute",
                    "tolerationSeconds": SECONDS,
                }));
            }
        }
        if tolerations.len() != given.len() {
            pod.set_path(&path, Value::List(tolerations));
        }
        Ok(())
    }
}

/// An empty key or effect means all of them.
fn tolerates(toleration: &Value, taint: &str) -> bool {
    let text = |field: &str| toleration.get(field).and_then(Value::as_str).unwrap_or("");
    let (key, effect) = (text("key"), text("effect"));
    (key.is_empty() || key == taint) && (effect.is_empty() || effect == "NoExecute")
}
