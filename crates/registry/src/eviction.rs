//! Evictions: they are posted to a pod, and end it unless its disruption budget forbids that.
//!
//! A budget is charged by compare and swap before the pod goes, so that evictions at the same time
//! never use the same room twice.

use std::sync::Arc;

use ordain_meta::gvk::GroupResource;
use ordain_meta::selector::LabelSelector;
use ordain_meta::status::{Reason, Status};
use ordain_storage::Expect;
use ordain_strategy::RestConfig;
use ordain_value::{Value, value};

use crate::caller;
use crate::delete;
use crate::object;
use crate::pod::{check_name, set_condition};
use crate::registry::{Registry, Stored, Target};
use crate::request::{DeleteOptions, Warnings};

/// How often an eviction is tried against other writers.
const TRIES: usize = 20;
/// A budget with more evictions that nobody confirmed allows no further ones.
const DISRUPTED_PODS_MAX: usize = 2000;
const VIOLATION: &str = "Cannot evict pod as it would violate the pod's disruption budget.";
const BUDGET_CAUSE: &str = "DisruptionBudget";
const ALLOWED: &str = "DisruptionAllowed";

/// Which pod an eviction goes on to end.
enum Verdict {
    Any,
    /// The one that was looked at, in the state that it was in; its budget, should it change.
    Exactly(String),
}

impl Registry {
    /// Ends a pod, unless it is to be kept.
    ///
    /// # Errors
    /// When the pod is not there, or its budget has no room.
    pub async fn evict(
        &self,
        target: &Target,
        eviction: &Value,
        options: &DeleteOptions,
        warnings: &mut Warnings,
    ) -> Result<Status, Status> {
        check_name(target, eviction, "Eviction")?;
        options.check()?;
        for _ in 0..TRIES {
            let pod = self.read(&target.resource, &target.key()).await?;
            let pod = pod.ok_or_else(|| target.not_found())?;
            let phase = pod.object.text_at(&["status", "phase"]);
            let going = object::is_deleting(&pod.object);
            let ended = matches!(phase, "Succeeded" | "Failed") || going;
            let verdict = if ended || phase == "Pending" {
                // A pod that does not run yet is in no budget, as long as it does not run.
                if ended { Verdict::Any } else { Verdict::Exactly(String::new()) }
            } else {
                self.ask_budget(target, &pod, options.is_dry_run()).await?
            };
            let mut options = options.clone();
            let free = options.resource_version.is_none();
            if matches!(verdict, Verdict::Exactly(_)) && free {
                options.resource_version = Some(pod.revision.to_string().into());
            }
            match self.end_evicted(target, &options, warnings).await {
                Err(status) if status.reason == Reason::Conflict && free => match verdict {
                    Verdict::Exactly(budget) if budget.is_empty() => {}
                    Verdict::Exactly(budget) => return Err(still_processed(&budget)),
                    Verdict::Any => return Err(status),
                },
                done => return done.map(|()| Status::done(201)),
            }
        }
        Err(Status::modified(&target.group_resource(), &target.name))
    }

    /// Charges the eviction of a running pod to its budget.
    async fn ask_budget(
        &self,
        target: &Target,
        pod: &Stored,
        dry_run: bool,
    ) -> Result<Verdict, Status> {
        let config = self.catalog().get("policy", "poddisruptionbudgets").cloned();
        let Some(config) = config else { return Ok(Verdict::Any) };
        for _ in 0..TRIES {
            let budgets = self.known(&config, &target.namespace).await?;
            let mut budgets = budgets.into_iter().filter(|it| selects(&it.object, &pod.object));
            let Some(budget) = budgets.next() else { return Ok(Verdict::Any) };
            if budgets.next().is_some() {
                return Err(Status::unclassified(
                    "This pod has more than one PodDisruptionBudget, which the eviction \
                     subresource does not support.",
                ));
            }
            let name = object::name(&budget.object).to_owned();
            if !is_ready(&pod.object) && spares_unhealthy(&budget.object) {
                return Ok(Verdict::Exactly(name));
            }
            let now = self.now();
            let charged = charge(&budget.object, &target.name, &now)?;
            if dry_run || self.store_budget(&config, &budget, &charged).await? {
                return Ok(Verdict::Any);
            }
        }
        Err(still_processed(""))
    }

    async fn store_budget(
        &self,
        config: &Arc<RestConfig>,
        stored: &Stored,
        budget: &Value,
    ) -> Result<bool, Status> {
        let key = config.key(object::namespace(budget), object::name(budget));
        let encoded = self.encode(config, &config.storage_version, budget).await?;
        let write = (key, Expect::Exact(stored.revision), encoded.bytes);
        caller::as_server(self.commit_together(vec![write])).await
    }

    /// Notes on the pod why it goes, and deletes it.
    async fn end_evicted(
        &self,
        target: &Target,
        options: &DeleteOptions,
        warnings: &mut Warnings,
    ) -> Result<(), Status> {
        let mut options = options.clone();
        if !options.is_dry_run() {
            let pod = self.read(&target.resource, &target.key()).await?;
            let pod = pod.ok_or_else(|| target.not_found())?;
            check_preconditions(target, &options, &pod)?;
            let mut noted = pod.object.clone();
            let condition = [
                ("type", "DisruptionTarget"),
                ("reason", "EvictionByEvictionAPI"),
                ("message", "Eviction API: evicting"),
            ];
            set_condition(&mut noted, &condition, &self.now());
            let written = self.replace(target, &pod, &noted, false).await?;
            let written =
                written.ok_or_else(|| Status::modified(&target.group_resource(), &target.name))?;
            if options.resource_version.is_some() {
                options.resource_version = Some(object::resource_version(&written).into());
            }
        }
        self.delete_for(target, &options, delete::Reason::Evicted, warnings).await.map(|_| ())
    }
}

fn number(budget: &Value, field: &str) -> i64 {
    budget.get_path(&["status", field]).and_then(Value::as_int).unwrap_or(0)
}

/// Whether a budget is about a pod. One without a selector is about none, an empty one about all.
fn selects(budget: &Value, pod: &Value) -> bool {
    let selector = budget.get_path(&["spec", "selector"]).filter(|it| !it.is_null());
    let selector = selector.and_then(|it| LabelSelector::read(it).ok());
    selector.is_some_and(|it| it.matches(object::labels(pod)))
}

fn conditions(object: &Value) -> impl Iterator<Item = &Value> {
    object.items_at(&["status", "conditions"]).iter()
}

fn is_ready(pod: &Value) -> bool {
    conditions(pod).any(|it| it.text("type") == "Ready" && it.text("status") == "True")
}

/// Whether a pod that is not ready may go whatever room there is.
fn spares_unhealthy(budget: &Value) -> bool {
    let (healthy, desired) = (number(budget, "currentHealthy"), number(budget, "desiredHealthy"));
    budget.text_at(&["spec", "unhealthyPodEvictionPolicy"]) == "AlwaysAllow"
        || (healthy >= desired && desired > 0)
}

fn check_preconditions(
    target: &Target,
    options: &DeleteOptions,
    pod: &Stored,
) -> Result<(), Status> {
    let resource = GroupResource::new("", "Pod");
    let known = object::uid(&pod.object);
    if let Some(uid) = options.uid.as_ref().filter(|it| !it.is_empty() && it.as_str() != known) {
        let why = format!(
            "the UID in the precondition ({uid}) does not match the UID in record ({known}). The \
             object might have been deleted and then recreated"
        );
        return Err(Status::conflict(&resource, &target.name, &why));
    }
    let known = pod.revision.to_string();
    let asked = options.resource_version.as_ref();
    if let Some(version) = asked.filter(|it| !it.is_empty() && it.as_str() != known) {
        let why = format!(
            "the ResourceVersion in the precondition ({version}) does not match the \
             ResourceVersion in record ({known}). The object might have been modified"
        );
        return Err(Status::conflict(&resource, &target.name, &why));
    }
    Ok(())
}

fn still_processed(budget: &str) -> Status {
    let why = format!("The disruption budget {budget} is still being processed by the server.");
    Status::too_many_requests(VIOLATION, 10).with_cause(BUDGET_CAUSE, why)
}

/// The budget after one more eviction, if it has room for it.
fn charge(budget: &Value, pod: &str, now: &str) -> Result<Value, Status> {
    let name = object::name(budget);
    let forbidden = |why: &str| {
        Status::forbidden(&GroupResource::new("policy", "poddisruptionbudget"), name, why)
    };
    if number(budget, "observedGeneration") < object::generation(budget) {
        return Err(still_processed(name));
    }
    let allowed = number(budget, "disruptionsAllowed");
    if allowed < 0 {
        return Err(forbidden("pdb disruptions allowed is negative"));
    }
    let disrupted = budget.get_path(&["status", "disruptedPods"]).and_then(Value::as_map);
    if disrupted.is_some_and(|it| it.len() > DISRUPTED_PODS_MAX) {
        return Err(forbidden(
            "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
        ));
    }
    if allowed == 0 {
        let refused = Status::too_many_requests(VIOLATION, 0);
        return Err(refused.with_cause(BUDGET_CAUSE, no_room(budget)));
    }
    let mut charged = budget.clone();
    charged.set_path(&["status", "disruptionsAllowed"], Value::Int(allowed - 1));
    if allowed == 1 {
        set_disallowed(&mut charged, now);
    }
    charged.set_path(&["status", "disruptedPods", pod], now.into());
    Ok(charged)
}

/// Why a budget has no room, in the words of its status.
fn no_room(budget: &Value) -> String {
    let name = object::name(budget);
    let (healthy, desired) = (number(budget, "currentHealthy"), number(budget, "desiredHealthy"));
    let condition = conditions(budget).find(|it| it.text("type") == ALLOWED);
    let condition = condition.filter(|it| it.text("status") == "False");
    let reported = condition.map(|it| (it.text("reason"), it.text("message")));
    match reported.filter(|it| !it.1.is_empty()) {
        Some(("SyncFailed", message)) => format!(
            "The disruption budget {name} does not allow evicting pods currently because it \
             failed sync: {message}"
        ),
        _ if healthy <= desired => format!(
            "The disruption budget {name} needs {desired} healthy pods and has {healthy} currently"
        ),
        Some((reason, message)) => format!(
            "The disruption budget {name} does not allow evicting pods currently ({reason}): \
             {message}"
        ),
        None => format!("The disruption budget {name} does not allow evicting pods currently"),
    }
}

/// Notes that a budget has no room any more.
fn set_disallowed(budget: &mut Value, now: &str) {
    let generation = number(budget, "observedGeneration");
    let mut condition = value!({
        "type": ALLOWED,
        "status": "False",
        "reason": "InsufficientPods",
        "message": "",
        "lastTransitionTime": now
    });
    if generation != 0 {
        condition.set_path(&["observedGeneration"], Value::Int(generation));
    }
    let others = conditions(budget).filter(|it| it.text("type") != ALLOWED);
    let known = conditions(budget).find(|it| it.text("type") == ALLOWED);
    if let Some(since) = known.filter(|it| it.text("status") == "False") {
        let since = since.get("lastTransitionTime").cloned().unwrap_or(Value::Null);
        condition.set_path(&["lastTransitionTime"], since);
    }
    let all: Vec<Value> = others.cloned().chain([condition]).collect();
    budget.set_path(&["status", "conditions"], all.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(allowed: i64, healthy: i64) -> Value {
        value!({
            "metadata": {"name": "b", "generation": 1},
            "spec": {"selector": {"matchLabels": {"app": "a"}}},
            "status": {
                "observedGeneration": 1,
                "disruptionsAllowed": allowed,
                "currentHealthy": healthy,
                "desiredHealthy": 2
            }
        })
    }

    #[test]
    fn a_budget_is_charged_until_it_has_no_room() {
        let charged = charge(&budget(1, 3), "p", "now").unwrap();
        assert_eq!(number(&charged, "disruptionsAllowed"), 0);
        assert_eq!(charged.text_at(&["status", "disruptedPods", "p"]), "now");
        let refused = charge(&charged, "q", "now").unwrap_err();
        assert_eq!(refused.code, Some(429));
        let causes = refused.details.unwrap().causes;
        let why = "The disruption budget b does not allow evicting pods currently";
        assert_eq!(causes[0].message, why);
        let refused = charge(&budget(0, 2), "q", "now").unwrap_err();
        let why = "The disruption budget b needs 2 healthy pods and has 2 currently";
        assert_eq!(refused.details.unwrap().causes[0].message, why);
    }

    #[test]
    fn a_budget_that_was_not_looked_at_yet_refuses() {
        let mut new = budget(1, 3);
        new.set_path(&["metadata", "generation"], Value::Int(2));
        let refused = charge(&new, "p", "now").unwrap_err();
        assert_eq!(refused.retry_after_seconds(), Some(10));
    }

    #[test]
    fn a_budget_selects_by_labels_and_without_a_selector_nothing() {
        let pod = value!({"metadata": {"labels": {"app": "a"}}});
        assert!(selects(&budget(1, 1), &pod));
        assert!(!selects(&budget(1, 1), &value!({"metadata": {}})));
        assert!(!selects(&value!({"spec": {}}), &pod));
        assert!(selects(&value!({"spec": {"selector": {}}}), &pod));
    }
}
