//! What resource claims take of quotas: the devices of each class that they may get.

use std::collections::BTreeMap;

use ordain_value::Value;

use super::{Amounts, count_name, number, one};
use crate::shared::access::{int, items, part, text};
use crate::shared::resources::add;

const GROUP: &str = "resource.k8s.io";
const CLAIMS: &str = "resourceclaims";
const BY_CLASS: &str = ".deviceclass.resource.k8s.io/devices";
/// As many devices as a claim gets at most.
const DEVICES_MAX: usize = 32;

pub(super) fn counts(name: &str) -> bool {
    name == count_name(GROUP, CLAIMS) || name.ends_with(BY_CLASS)
}

pub(super) fn usage(claim: &Value) -> Amounts {
    let mut out = Amounts::from([(count_name(GROUP, CLAIMS), one())]);
    for request in items(part(part(claim, "spec"), "devices"), "requests") {
        let choices = items(request, "firstAvailable");
        if choices.is_empty() {
            let exactly = part(request, "exactly");
            if exactly.as_map().is_some() {
                add(&mut out, &Amounts::from([(name(exactly), number(devices(exactly)))]));
            }
            continue;
        }
        // One of the choices is taken: each class may be asked for as much as its largest one.
        let mut largest: BTreeMap<String, usize> = BTreeMap::new();
        for choice in choices {
            let most = largest.entry(name(choice)).or_default();
            *most = (*most).max(devices(choice));
        }
        let largest = largest.into_iter().map(|(name, count)| (name, number(count)));
        add(&mut out, &largest.collect());
    }
    out
}

fn name(request: &Value) -> String {
    format!("{}{BY_CLASS}", text(request, "deviceClassName"))
}

/// How many devices a request may get.
fn devices(request: &Value) -> usize {
    let count = int(request, "count");
    match text(request, "allocationMode") {
        "ExactCount" => usize::try_from(count).unwrap_or(0),
        "All" => DEVICES_MAX,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    fn taken(requests: Value) -> Vec<(String, String)> {
        let claim = value!({"spec": {"devices": {"requests": requests}}});
        usage(&claim).into_iter().map(|(name, it)| (name, it.to_string())).collect()
    }

    #[test]
    fn a_claim_takes_the_devices_that_it_asks_for() {
        let exactly = |class: &str, mode: &str, count: i64| value!({"deviceClassName": class, "allocationMode": mode, "count": count});
        let requests = value!([
            {"name": "a", "exactly": (exactly("gpu", "ExactCount", 2))},
            {"name": "b", "exactly": (exactly("gpu", "ExactCount", 1))},
            {"name": "c", "exactly": (exactly("nic", "All", 0))},
            {"name": "d", "firstAvailable": [
                (exactly("gpu", "ExactCount", 1)),
                (exactly("gpu", "ExactCount", 4)),
                (exactly("fpga", "ExactCount", 8))
            ]}
        ]);
        let own = |class: &str| format!("{class}{BY_CLASS}");
        let expected = [
            (count_name(GROUP, CLAIMS), "1".to_owned()),
            (own("fpga"), "8".to_owned()),
            (own("gpu"), "7".to_owned()),
            (own("nic"), "32".to_owned()),
        ];
        assert_eq!(taken(requests), expected);
    }

    #[test]
    fn quotas_name_devices_by_their_class() {
        assert!(counts("gpu.deviceclass.resource.k8s.io/devices"));
        assert!(counts("count/resourceclaims.resource.k8s.io"));
        assert!(!counts("requests.storage"));
    }
}
