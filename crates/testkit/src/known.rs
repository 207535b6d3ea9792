//! The list of known differences: a table of `"file case#step" = "why"`.

use std::collections::BTreeMap;
use std::path::Path;

/// Differences by their place.
#[derive(Debug, Clone, Default)]
pub struct Known {
    reasons: BTreeMap<String, String>,
}

impl Known {
    /// Reads the list: one `"place" = "reason"` a line, comments after `#` at a line's start.
    pub fn read(path: &Path) -> std::io::Result<Self> {
        let text = std::fs::read_to_string(path)?;
        let mut reasons = BTreeMap::new();
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let parsed = line.split_once("\" = \"").and_then(|(place, reason)| {
                Some((place.strip_prefix('"')?, reason.strip_suffix('"')?))
            });
            let Some((place, reason)) = parsed else {
                return Err(std::io::Error::other(format!("not understood: {line}")));
            };
            if reason.is_empty() {
                return Err(std::io::Error::other(format!("no reason is given: {line}")));
            }
            reasons.insert(place.to_owned(), reason.to_owned());
        }
        Ok(Self { reasons })
    }

    /// What is wrong with the list, given every place that was played and those that differ.
    pub fn complaints(&self, played: &[(String, bool)]) -> Vec<String> {
        let mut complaints = Vec::new();
        for (place, agrees) in played {
            match (agrees, self.reasons.contains_key(place)) {
                (false, false) => complaints.push(format!("differs and is not listed: {place}")),
                (true, true) => complaints.push(format!("agrees and is still listed: {place}")),
                _ => {}
            }
        }
        complaints
    }

    /// Places that are listed for a file but were not played.
    pub fn unknown_places(&self, file: &str, played: &[(String, bool)]) -> Vec<String> {
        let prefix = format!("{file} ");
        let listed = self.reasons.keys().filter(|place| place.starts_with(&prefix));
        listed.filter(|place| !played.iter().any(|(known, _)| known == *place)).cloned().collect()
    }
}
