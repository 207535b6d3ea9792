//! Resource quotas: what an object takes, which quotas count it, and whether they have room.
//!
//! Pure: whoever stores objects hands in quotas and objects, and stores the new usage. Admission
//! charges a write before it is committed ([`charge`]), the controller counts anew ([`count`]).

mod claim;
mod device;
pub(crate) mod pod;
mod scope;
mod service;

use std::collections::BTreeSet;

use ordain_meta::quantity::{Format, Quantity};
use ordain_value::Value;

use crate::shared::access::{part, text};
pub use crate::shared::resources::Amounts;
use crate::shared::resources::{add, amounts, to_value};

/// What is known of the objects of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evaluator {
    Pods,
    Services,
    Claims,
    /// Claims of devices.
    DeviceClaims,
    /// Objects that are only counted, under these names.
    Count(Vec<String>),
}

/// A write that may have to be charged.
#[derive(Debug, Clone, Copy)]
pub struct Charge<'a> {
    /// The object that is counted.
    pub object: &'a Value,
    /// Absent on creates.
    pub old: Option<&'a Value>,
    /// Empty for the object itself.
    pub subresource: &'a str,
    /// Seconds since 1970.
    pub now: i64,
}

/// The name under which the objects of a resource are counted.
fn count_name(group: &str, plural: &str) -> String {
    if group.is_empty() { format!("count/{plural}") } else { format!("count/{plural}.{group}") }
}

fn one() -> Quantity {
    number(1)
}

fn number(count: usize) -> Quantity {
    Quantity::from_i64(i64::try_from(count).unwrap_or(i64::MAX), Format::DecimalSi)
}

impl Evaluator {
    /// What counts the objects of a resource; `None` for those that no quota counts.
    pub fn of(group: &str, plural: &str) -> Option<Self> {
        match (group, plural) {
            ("", "pods") => Some(Self::Pods),
            ("", "services") => Some(Self::Services),
            ("", "persistentvolumeclaims") => Some(Self::Claims),
            ("resource.k8s.io", "resourceclaims") => Some(Self::DeviceClaims),
            ("" | "events.k8s.io", "events") => None,
            ("", "bindings" | "componentstatuses") => None,
            ("authentication.k8s.io" | "authorization.k8s.io", _) => None,
            _ => {
                let mut names = vec![count_name(group, plural)];
                let aliases = ["configmaps", "replicationcontrollers", "resourcequotas", "secrets"];
                if group.is_empty() && aliases.contains(&plural) {
                    names.push(plural.to_owned());
                }
                Some(Self::Count(names))
            }
        }
    }

    /// Whether a write may change what an object takes.
    fn handles(&self, charge: &Charge<'_>) -> bool {
        match self {
            Self::Pods => match (charge.subresource, charge.old) {
                ("", None) => true,
                ("", Some(old)) => {
                    scope::is_terminating(old) != scope::is_terminating(charge.object)
                }
                ("resize", Some(_)) => true,
                _ => false,
            },
            Self::Services | Self::DeviceClaims => charge.subresource.is_empty(),
            Self::Claims => match (charge.subresource, charge.old) {
                ("", _) => true,
                ("status", Some(old)) => claim::grows(charge.object, old),
                _ => false,
            },
            Self::Count(_) => charge.subresource.is_empty() && charge.old.is_none(),
        }
    }

    /// What an object takes.
    fn usage(&self, object: &Value, now: i64) -> Amounts {
        match self {
            Self::Pods => pod::usage(object, now),
            Self::Services => service::usage(object),
            Self::Claims => claim::usage(object),
            Self::DeviceClaims => device::usage(object),
            Self::Count(names) => names.iter().map(|name| (name.clone(), one())).collect(),
        }
    }

    /// Whether a name in a quota is about these objects.
    fn counts(&self, name: &str) -> bool {
        match self {
            Self::Pods => pod::counts(name),
            Self::Services => service::counts(name),
            Self::Claims => claim::counts(name),
            Self::DeviceClaims => device::counts(name),
            Self::Count(names) => names.iter().any(|it| it == name),
        }
    }

    fn is_in_scopes(&self, quota: &Value, object: &Value) -> bool {
        scope::selectors(quota).iter().all(|selector| match self {
            Self::Pods => scope::pod_matches(selector, object),
            Self::Claims => scope::claim_matches(selector, object),
            Self::Services | Self::DeviceClaims | Self::Count(_) => false,
        })
    }
}

/// Charges a write to the quotas of its namespace: the ones whose usage changes, each with its
/// position and the new usage.
///
/// # Errors
/// Why the write is refused.
pub fn charge(
    evaluator: &Evaluator,
    quotas: &[Value],
    write: &Charge<'_>,
) -> Result<Vec<(usize, Value)>, String> {
    if !evaluator.handles(write) {
        return Ok(Vec::new());
    }
    let mut concerned = Vec::new();
    for (at, quota) in quotas.iter().enumerate() {
        let hard = amounts(part(quota, "status"), "hard");
        let counted: Vec<&str> =
            hard.keys().map(String::as_str).filter(|name| evaluator.counts(name)).collect();
        if counted.is_empty() || !evaluator.is_in_scopes(quota, write.object) {
            continue;
        }
        let name = quota_name(quota);
        if *evaluator == Evaluator::Pods {
            pod::check_requests(&counted, write.object)
                .map_err(|why| format!("failed quota: {name}: {why}"))?;
        }
        let used = amounts(part(quota, "status"), "used");
        if counted.iter().any(|it| !used.contains_key(*it)) {
            let names = counted.join(",");
            return Err(format!("status unknown for quota: {name}, resources: {names}"));
        }
        concerned.push((at, hard, used));
    }
    let taken = evaluator.usage(write.object, write.now);
    let negative: Vec<&str> =
        taken.iter().filter(|(_, it)| it.sign() < 0).map(|(name, _)| name.as_str()).collect();
    if !negative.is_empty() {
        let names = negative.join(",");
        return Err(format!("quota usage is negative for resource(s): {names}"));
    }
    let mut charged = Vec::new();
    for (at, hard, used) in concerned {
        let Some(quota) = quotas.get(at) else { continue };
        let before = write.old.filter(|old| evaluator.is_in_scopes(quota, old));
        let delta = match before {
            Some(old) => growth(&taken, &evaluator.usage(old, write.now)),
            None => taken.clone(),
        };
        let wanted = only(&delta, |name, it| !it.is_zero() && hard.contains_key(name));
        if wanted.is_empty() {
            continue;
        }
        let mut next = used.clone();
        add(&mut next, &wanted);
        if write.subresource != "status" {
            check_room(quota_name(quota), &wanted, &next, &used, &hard)?;
        }
        charged.push((at, to_value(&next)));
    }
    Ok(charged)
}

fn check_room(
    name: &str,
    wanted: &Amounts,
    next: &Amounts,
    used: &Amounts,
    hard: &Amounts,
) -> Result<(), String> {
    let exceeded: BTreeSet<&str> = wanted
        .keys()
        .filter(|name| next.get(*name).zip(hard.get(*name)).is_some_and(|(next, hard)| next > hard))
        .map(String::as_str)
        .collect();
    if exceeded.is_empty() {
        return Ok(());
    }
    let shown = |amounts: &Amounts| {
        let chosen = amounts.iter().filter(|(name, _)| exceeded.contains(name.as_str()));
        chosen.map(|(name, it)| format!("{name}={it}")).collect::<Vec<_>>().join(",")
    };
    Err(format!(
        "exceeded quota: {name}, requested: {}, used: {}, limited: {}",
        shown(wanted),
        shown(used),
        shown(hard)
    ))
}

/// What a quota counts of the objects of a resource, summed up.
pub fn count<'a>(
    evaluator: &Evaluator,
    quota: &Value,
    objects: impl Iterator<Item = &'a Value>,
    now: i64,
) -> Amounts {
    let mut sum = Amounts::new();
    for object in objects.filter(|object| evaluator.is_in_scopes(quota, object)) {
        add(&mut sum, &evaluator.usage(object, now));
    }
    only(&sum, |name, _| evaluator.counts(name))
}

/// The status of a quota that counts this: each of its resources, zero if nothing is there.
pub fn status(quota: &Value, counted: &Amounts) -> Value {
    let hard = amounts(part(quota, "spec"), "hard");
    let used = hard
        .keys()
        .map(|name| (name.clone(), counted.get(name).cloned().unwrap_or_else(|| number(0))));
    let mut status = Value::Map(ordain_value::Map::new());
    status.set_path(&["hard"], to_value(&hard));
    status.set_path(&["used"], to_value(&used.collect()));
    status
}

/// Whether a quota says anything about the objects of a resource.
pub fn is_about(evaluator: &Evaluator, quota: &Value) -> bool {
    amounts(part(quota, "spec"), "hard").keys().any(|name| evaluator.counts(name))
}

fn quota_name(quota: &Value) -> &str {
    text(part(quota, "metadata"), "name")
}

fn only(amounts: &Amounts, keep: impl Fn(&str, &Quantity) -> bool) -> Amounts {
    let kept = amounts.iter().filter(|(name, it)| keep(name, it));
    kept.map(|(name, it)| (name.clone(), it.clone())).collect()
}

/// How much more one is than the other; never less than nothing.
fn growth(new: &Amounts, old: &Amounts) -> Amounts {
    let grown = new.iter().map(|(name, amount)| {
        let more = match old.get(name) {
            Some(before) => amount.sub(before).unwrap_or_else(|_| amount.clone()),
            None => amount.clone(),
        };
        (name.clone(), if more.sign() < 0 { number(0) } else { more })
    });
    grown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    fn quota(hard: Value, used: Value) -> Value {
        value!({"metadata": {"name": "q"}, "spec": {"hard": (hard.clone())}, "status": {"hard": hard, "used": used}})
    }

    fn created(object: &Value) -> Charge<'_> {
        Charge { object, old: None, subresource: "", now: 0 }
    }

    #[test]
    fn a_pod_is_charged_until_there_is_no_room() {
        let pod = value!({"spec": {"containers": [
            {"name": "a", "resources": {"requests": {"cpu": "600m"}}}
        ]}});
        let room = quota(value!({"cpu": "1", "pods": "5"}), value!({"cpu": "0", "pods": "0"}));
        let charged = charge(&Evaluator::Pods, &[room], &created(&pod)).unwrap();
        assert_eq!(charged, [(0, value!({"cpu": "600m", "pods": "1"}))]);
        let full = quota(value!({"cpu": "1", "pods": "5"}), charged[0].1.clone());
        let why = charge(&Evaluator::Pods, &[full], &created(&pod)).unwrap_err();
        assert_eq!(why, "exceeded quota: q, requested: cpu=600m, used: cpu=600m, limited: cpu=1");
    }

    #[test]
    fn pods_must_say_what_is_quoted() {
        let pod = value!({"spec": {"containers": [{"name": "b"}, {"name": "a"}]}});
        let quota = quota(
            value!({"limits.cpu": "1", "requests.memory": "1Gi"}),
            value!({"limits.cpu": "0", "requests.memory": "0"}),
        );
        let why = charge(&Evaluator::Pods, &[quota], &created(&pod)).unwrap_err();
        assert_eq!(
            why,
            "failed quota: q: must specify limits.cpu for: a,b; requests.memory for: a,b"
        );
    }

    #[test]
    fn a_quota_that_was_not_counted_yet_refuses() {
        let object = value!({});
        let secrets = Evaluator::of("", "secrets").unwrap();
        let quota = quota(value!({"secrets": "1"}), value!({}));
        let why = charge(&secrets, &[quota], &created(&object)).unwrap_err();
        assert_eq!(why, "status unknown for quota: q, resources: secrets");
    }

    #[test]
    fn an_update_is_charged_for_what_it_adds() {
        let claim = |storage: &str| value!({"spec": {"storageClassName": "fast", "resources": {"requests": {"storage": storage}}}});
        let (old, new) = (claim("1Gi"), claim("3Gi"));
        let name = "fast.storageclass.storage.k8s.io/requests.storage";
        let mut hard = value!({"persistentvolumeclaims": "1"});
        hard.set_path(&[name], "4Gi".into());
        let mut used = value!({"persistentvolumeclaims": "1"});
        used.set_path(&[name], "1Gi".into());
        let write = Charge { object: &new, old: Some(&old), subresource: "", now: 0 };
        let charged = charge(&Evaluator::Claims, &[quota(hard, used)], &write).unwrap();
        assert_eq!(charged[0].1.get(name), Some(&"3Gi".into()));
    }

    #[test]
    fn custom_resources_are_counted_by_their_name() {
        let widgets = Evaluator::of("shop.example.com", "widgets").unwrap();
        assert_eq!(widgets, Evaluator::Count(vec!["count/widgets.shop.example.com".into()]));
        assert_eq!(Evaluator::of("", "events"), None);
    }
}
