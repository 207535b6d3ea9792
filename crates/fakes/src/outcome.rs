//! How things end, as declared: by the annotations of an object, or by a file of rules.

use ordain_value::{Value, yaml};

use crate::world::{World, list, name, namespace, text};
use crate::{AFTER_ANNOTATION, OUTCOME_ANNOTATION};

/// How something ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Outcome {
    /// Pods run and are ready, those of jobs succeed; claims are bound.
    #[default]
    Success,
    /// Pods run and are never ready.
    NeverReady,
    /// Pods fail.
    Fail,
    /// Pods start again and again.
    CrashLoop,
    /// Pods cannot pull their image.
    ImagePull,
    /// Pods find no node; claims stay unbound.
    Pending,
}

const OUTCOMES: [(&str, Outcome); 6] = [
    ("success", Outcome::Success),
    ("never-ready", Outcome::NeverReady),
    ("fail", Outcome::Fail),
    ("crash-loop", Outcome::CrashLoop),
    ("image-pull", Outcome::ImagePull),
    ("pending", Outcome::Pending),
];

impl Outcome {
    fn read(text: &str) -> Option<Self> {
        OUTCOMES.iter().find(|it| it.0 == text).map(|it| it.1)
    }
}

/// The rules of a file. The first that fits an object counts; its annotations count more.
///
/// ```yaml
/// - kind: Pod
///   namespace: default
///   name: web-*
///   outcome: never-ready
/// - kind: Pod
///   labels: {app: batch}
///   outcome: fail
///   afterSeconds: 5
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcomes {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    kind: String,
    namespace: String,
    name: String,
    labels: Vec<(String, String)>,
    outcome: Outcome,
    after_seconds: i64,
}

impl Outcomes {
    /// Reads the text of a file; empty for none.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn decode(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let documents = yaml::decode_documents(text.as_bytes(), yaml::Options::default());
        let mut documents = documents.map_err(|error| format!("outcomes: {error}"))?.into_iter();
        let value = documents.next().map(|it| it.value).transpose();
        let value = value.map_err(|error| format!("outcomes: {error}"))?.unwrap_or_default();
        let list = value.as_list().ok_or("outcomes: a list of rules is expected")?;
        let rules = list
            .iter()
            .enumerate()
            .map(|(at, rule)| Rule::decode(rule).map_err(|why| format!("outcomes[{at}]: {why}")));
        Ok(Self { rules: rules.collect::<Result<_, _>>()? })
    }

    /// How an object of this kind ends, and whether it is time for that.
    pub(crate) fn of(&self, world: &World, kind: &str, object: &Value) -> (Outcome, bool) {
        let rule = self.rules.iter().find(|it| it.fits(kind, object));
        let annotation = |name: &str| text(object, &["metadata", "annotations", name]);
        let outcome = Outcome::read(annotation(OUTCOME_ANNOTATION))
            .or_else(|| rule.map(|it| it.outcome))
            .unwrap_or_default();
        let after = annotation(AFTER_ANNOTATION).parse::<i64>().ok();
        let after = after.or_else(|| rule.map(|it| it.after_seconds)).unwrap_or(0);
        (outcome, world.age(object) >= after)
    }
}

impl Rule {
    fn decode(value: &Value) -> Result<Self, String> {
        let map = value.as_map().ok_or("a rule is an object")?;
        let known = ["kind", "namespace", "name", "labels", "outcome", "afterSeconds"];
        if let Some(key) = map.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(format!("{key}: there is no such member; there is {}", known.join(", ")));
        }
        let outcome = text(value, &["outcome"]);
        let outcome = Outcome::read(outcome).ok_or_else(|| {
            let known: Vec<&str> = OUTCOMES.iter().map(|it| it.0).collect();
            format!("outcome: there is no {outcome:?}; there is {}", known.join(", "))
        })?;
        let labels = value.get("labels").and_then(Value::as_map);
        let labels = labels.map(|map| {
            map.iter().map(|(key, it)| (key.to_string(), it.as_str().unwrap_or("").to_owned()))
        });
        Ok(Self {
            kind: text(value, &["kind"]).to_owned(),
            namespace: text(value, &["namespace"]).to_owned(),
            name: text(value, &["name"]).to_owned(),
            labels: labels.map(Iterator::collect).unwrap_or_default(),
            outcome,
            after_seconds: value.get("afterSeconds").and_then(Value::as_int).unwrap_or(0),
        })
    }

    fn fits(&self, kind: &str, object: &Value) -> bool {
        let is = |wanted: &str, found: &str| match wanted.strip_suffix('*') {
            Some(start) => found.starts_with(start),
            None => wanted.is_empty() || wanted == found,
        };
        is(&self.kind, kind)
            && is(&self.namespace, namespace(object))
            && is(&self.name, name(object))
            && self
                .labels
                .iter()
                .all(|(key, value)| text(object, &["metadata", "labels", key]) == value)
    }
}

/// The names of a pod's containers with their images; those for debugging have a field of their own.
pub(crate) fn containers<'a>(pod: &'a Value, field: &str) -> Vec<(&'a str, &'a str)> {
    let containers = list(pod, &["spec", field]).iter();
    containers.map(|it| (text(it, &["name"]), text(it, &["image"]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    #[test]
    fn annotations_count_more_than_rules_and_rules_in_order() {
        let outcomes = Outcomes::decode(
            "- {kind: Pod, name: web-*, outcome: never-ready}\n- {labels: {a: b}, outcome: fail}\n",
        )
        .expect("rules");
        let world = World::default();
        let of = |pod: &Value| outcomes.of(&world, "Pod", pod).0;
        assert_eq!(of(&value!({"metadata": {"name": "web-1"}})), Outcome::NeverReady);
        assert_eq!(of(&value!({"metadata": {"name": "x", "labels": {"a": "b"}}})), Outcome::Fail);
        assert_eq!(of(&value!({"metadata": {"name": "x"}})), Outcome::Success);
        let reported = value!({"metadata": {
            "name": "web-1",
            "annotations": {"testing.ordain.dev/outcome": "pending"}
        }});
        assert_eq!(of(&reported), Outcome::Pending);
        assert!(Outcomes::decode("- {outcome: maybe}").unwrap_err().contains("never-ready"));
        assert!(Outcomes::decode("- {nam: x, outcome: fail}").unwrap_err().contains("nam"));
    }
}
