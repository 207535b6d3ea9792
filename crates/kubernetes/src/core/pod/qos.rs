//! The class of service that a pod gets, by what it asks for.

use ordain_value::Value;

use crate::shared::access::{items, part, some};
use crate::shared::resources::{self, Amounts};

/// The class of a pod with this spec.
pub(crate) fn class(spec: &Value) -> &'static str {
    let counted = |holder: &Value, field: &str| -> Amounts {
        let all = resources::amounts(holder, field).into_iter();
        all.filter(|(name, amount)| matches!(name.as_str(), "cpu" | "memory") && amount.sign() > 0)
            .collect()
    };
    let (mut requests, mut limits) = (Amounts::new(), Amounts::new());
    let mut guaranteed = true;
    if let Some(own) = some(spec, "resources") {
        requests = counted(own, "requests");
        limits = counted(own, "limits");
        let limited = !resources::amounts(own, "limits").is_empty();
        guaranteed = !limited || limits.len() == 2;
    } else {
        for container in ["containers", "initContainers"].iter().flat_map(|it| items(spec, it)) {
            let own = part(container, "resources");
            resources::add(&mut requests, &counted(own, "requests"));
            let own = counted(own, "limits");
            guaranteed &= own.len() == 2;
            resources::add(&mut limits, &own);
        }
    }
    if requests.is_empty() && limits.is_empty() {
        return "BestEffort";
    }
    let met = requests.iter().all(|(name, amount)| limits.get(name) == Some(amount));
    if guaranteed && met && requests.len() == limits.len() { "Guaranteed" } else { "Burstable" }
}
