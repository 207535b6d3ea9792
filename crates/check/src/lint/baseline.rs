//! Findings that were there before: what is listed is not reported again.

use std::collections::BTreeMap;

use ordain_value::{Value, value, yaml};

use super::Lint;

/// Rules and object paths with how often they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    known: BTreeMap<(String, String), usize>,
}

impl Baseline {
    /// Reads a baseline as [`Baseline::encode`] writes it.
    ///
    /// # Errors
    /// When the text is none.
    pub fn decode(text: &[u8]) -> Result<Baseline, String> {
        let document = yaml::decode_first(text, yaml::Options::default());
        let value = document.and_then(|it| it.value).map_err(|error| error.to_string())?;
        if value.get("kind").and_then(Value::as_str) != Some("LintBaseline") {
            return Err("kind must be LintBaseline".to_owned());
        }
        let findings = value.get("findings").and_then(Value::as_list).ok_or("no findings")?;
        let mut known = BTreeMap::new();
        for it in findings.iter() {
            let text = |key: &str| it.get(key).and_then(Value::as_str).map(ToOwned::to_owned);
            let (Some(rule), Some(path)) = (text("rule"), text("path")) else {
                return Err("every finding names its rule and its path".to_owned());
            };
            let times = it.get("times").and_then(Value::as_int).unwrap_or(1);
            *known.entry((rule, path)).or_insert(0) += usize::try_from(times).unwrap_or(1);
        }
        Ok(Baseline { known })
    }

    /// The baseline that lists these findings.
    #[must_use]
    pub fn of(lints: &[Lint]) -> Baseline {
        let mut known = BTreeMap::new();
        for lint in lints {
            let key = (lint.finding.id.to_owned(), lint.finding.field.clone());
            *known.entry(key).or_insert(0) += 1;
        }
        Baseline { known }
    }

    /// Drops the findings that are listed, each as often as it is; returns how many went.
    pub fn drop_known(&self, lints: &mut Vec<Lint>) -> usize {
        let mut left = self.known.clone();
        let before = lints.len();
        lints.retain(|lint| {
            let key = (lint.finding.id.to_owned(), lint.finding.field.clone());
            match left.get_mut(&key) {
                Some(times) if *times > 0 => {
                    *times -= 1;
                    false
                }
                _ => true,
            }
        });
        before - lints.len()
    }

    /// The baseline as YAML.
    #[must_use]
    pub fn encode(&self) -> String {
        let findings: Vec<Value> = self
            .known
            .iter()
            .map(|((rule, path), times)| {
                let mut it = value!({"rule": (rule.as_str()), "path": (path.as_str())});
                if *times > 1 {
                    it.set_path(&["times"], Value::Int(i64::try_from(*times).unwrap_or(i64::MAX)));
                }
                it
            })
            .collect();
        yaml::encode(&value!({
            "apiVersion": "ordain.dev/v1alpha1",
            "kind": "LintBaseline",
            "findings": Value::from(findings)
        }))
    }
}
