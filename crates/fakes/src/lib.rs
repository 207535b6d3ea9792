//! Controllers for tests without nodes: deployments get pods that become ready, jobs complete,
//! services get endpoints, claims are bound.
//!
//! Each controller is a pure function from what is stored ([`World`]) to what is to be
//! written ([`Action`]), and knows nothing of before: the same state asks for the same
//! writes. [`run`] looks whenever something was written and makes the writes through the registry, as
//! any client would. How pods end is declared ([`Outcomes`]), by annotation or by file.

mod daemon_set;
mod deployment;
mod endpoints;
mod job;
mod node;
mod outcome;
mod owned;
mod pod;
mod pvc;
mod replica_set;
mod run;
mod stateful_set;
mod status;
mod world;

pub use outcome::Outcomes;
pub use run::run;

use world::{Action, World};

/// The annotation of an object that says how it ends.
pub const OUTCOME_ANNOTATION: &str = "testing.ordain.dev/outcome";
/// The annotation that says how many seconds pass before that.
pub const AFTER_ANNOTATION: &str = "testing.ordain.dev/after-seconds";

type Controller = fn(&World, &Outcomes) -> Vec<Action>;

const CONTROLLERS: [(&str, Controller); 9] = [
    ("fake-deployment", deployment::actions),
    ("fake-replicaset", replica_set::actions),
    ("fake-replicationcontroller", replica_set::controller_actions),
    ("fake-statefulset", stateful_set::actions),
    ("fake-daemonset", daemon_set::actions),
    ("fake-job", job::actions),
    ("fake-pod", pod::actions),
    ("fake-endpoints", endpoints::actions),
    ("fake-pvc", pvc::actions),
];

/// The controllers that run, and how things end.
#[derive(Clone, Default)]
pub struct Fakes {
    chosen: Vec<Controller>,
    outcomes: Outcomes,
}

impl std::fmt::Debug for Fakes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fakes").field("chosen", &self.chosen.len()).finish_non_exhaustive()
    }
}

impl Fakes {
    /// Chooses controllers by name. `fake-deployment` brings those that its pods need, and so do the
    /// others; `fake-all` is all of them. The text is a file of outcomes.
    ///
    /// # Errors
    /// A name that no controller has, or a file that cannot be read.
    pub fn read<'a>(
        names: impl IntoIterator<Item = &'a str>,
        outcomes: &str,
    ) -> Result<Self, String> {
        let mut wanted = Vec::new();
        for name in names {
            match name {
                "fake-all" => wanted.extend(CONTROLLERS.iter().map(|it| it.0)),
                "fake-deployment" => wanted.extend([name, "fake-replicaset", "fake-pod"]),
                "fake-replicaset"
                | "fake-replicationcontroller"
                | "fake-statefulset"
                | "fake-daemonset"
                | "fake-job" => wanted.extend([name, "fake-pod"]),
                "fake-pod" | "fake-endpoints" | "fake-pvc" => wanted.push(name),
                other => {
                    let known: Vec<&str> = CONTROLLERS.iter().map(|it| it.0).collect();
                    return Err(format!(
                        "there is no controller {other:?}: there is fake-all, {}",
                        known.join(", ")
                    ));
                }
            }
        }
        let chosen = CONTROLLERS.iter().filter(|it| wanted.contains(&it.0));
        Ok(Self { chosen: chosen.map(|it| it.1).collect(), outcomes: Outcomes::decode(outcomes)? })
    }

    /// Whether no fake controller runs.
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// What all of them want to be written now.
    fn actions(&self, world: &World) -> Vec<Action> {
        self.chosen.iter().flat_map(|controller| controller(world, &self.outcomes)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controllers_bring_what_they_need() {
        let chosen =
            |names: &[&str]| Fakes::read(names.iter().copied(), "").map(|it| it.chosen.len());
        assert_eq!(chosen(&["fake-deployment"]), Ok(3));
        assert_eq!(chosen(&["fake-all"]), Ok(CONTROLLERS.len()));
        assert_eq!(chosen(&["fake-job", "fake-deployment"]), Ok(4));
        assert_eq!(chosen(&[]), Ok(0));
        assert!(chosen(&["fake-news"]).unwrap_err().contains("fake-endpoints"));
    }
}
