//! Rules: what one allows, what a set of them covers, and how they read in refusals.

use std::collections::BTreeMap;
use std::fmt;

use ordain_value::{Map, Text, Value, go_quote};

use super::index::Index;
use crate::access::Attributes;

const ALL: &str = "*";
/// A rule stands for the product of its lists. More single grants than this are not looked at one
/// by one when it is decided whether someone holds them.
const GRANTS_MAX: usize = 100_000;
/// How many rules are compared with one another before it is too much.
const COMPARISONS_MAX: usize = 20_000_000;

/// Comparisons that are left.
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn spend(&mut self, count: usize) -> Result<(), TooManyGrants> {
        self.0 = self.0.checked_sub(count).ok_or(TooManyGrants)?;
        Ok(())
    }
}

/// What may be done to what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Rule {
    pub verbs: Vec<Text>,
    pub groups: Vec<Text>,
    pub resources: Vec<Text>,
    pub names: Vec<Text>,
    pub urls: Vec<Text>,
}

/// A role that grants more than can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyGrants;

impl Rule {
    /// Reads one rule of a role.
    pub fn decode(value: &Value) -> Self {
        let texts = |field: &str| -> Vec<Text> {
            let list = value.get(field).and_then(Value::as_list);
            list.map(|list| list.iter().filter_map(Value::as_text).cloned().collect())
                .unwrap_or_default()
        };
        Self {
            verbs: texts("verbs"),
            groups: texts("apiGroups"),
            resources: texts("resources"),
            names: texts("resourceNames"),
            urls: texts("nonResourceURLs"),
        }
    }

    /// All rules of a role.
    pub fn decode_all(role: &Value) -> Vec<Self> {
        let rules = role.get("rules").and_then(Value::as_list);
        rules.map(|rules| rules.iter().map(Self::decode).collect()).unwrap_or_default()
    }

    /// The rule as a role holds it.
    pub fn encode(&self) -> Value {
        let texts = |list: &[Text]| -> Value {
            list.iter().cloned().map(Value::Str).collect::<Vec<_>>().into()
        };
        let mut map = Map::new();
        map.insert("verbs", texts(&self.verbs));
        for (field, list) in [
            ("apiGroups", &self.groups),
            ("resources", &self.resources),
            ("resourceNames", &self.names),
            ("nonResourceURLs", &self.urls),
        ] {
            if !list.is_empty() {
                map.insert(field, texts(list));
            }
        }
        Value::Map(map)
    }

    /// Whether the rule allows a request.
    pub fn allows(&self, request: &Attributes<'_>) -> bool {
        if !has(&self.verbs, request.verb) {
            return false;
        }
        if !request.is_resource {
            return self.urls.iter().any(|url| url_covers(url, request.path));
        }
        has(&self.groups, request.group)
            && self
                .resources
                .iter()
                .any(|resource| resource_covers(resource, request.resource, request.subresource))
            && (self.names.is_empty() || self.names.iter().any(|name| name == request.name))
    }

    /// Whether everything that the other rule grants is granted by this one. Rules of one verb,
    /// group, resource and name are covered as a whole or not at all.
    pub fn covers(&self, other: &Self) -> bool {
        let all = |own: &[Text], wanted: &[Text]| wanted.iter().all(|text| has(own, text));
        let names = if other.names.is_empty() {
            self.names.is_empty()
        } else {
            self.names.is_empty() || other.names.iter().all(|name| self.names.contains(name))
        };
        names
            && all(&self.verbs, &other.verbs)
            && all(&self.groups, &other.groups)
            && other.resources.iter().all(|wanted| {
                let (resource, part) = wanted.split_once('/').unwrap_or((wanted, ""));
                self.resources.iter().any(|own| resource_covers(own, resource, part))
            })
            && other.urls.iter().all(|url| self.urls.iter().any(|own| url_covers(own, url)))
    }

    /// Whether the rule is easily seen to cover another one.
    fn covers_quickly(&self, other: &Self) -> bool {
        let short = |list: &[Text]| list.len() <= 16;
        let everything = |list: &[Text]| list.iter().any(|text| text == ALL);
        let cheap = |own: &[Text], wanted: &[Text]| short(own) || short(wanted) || everything(own);
        cheap(&self.verbs, &other.verbs)
            && cheap(&self.groups, &other.groups)
            && cheap(&self.resources, &other.resources)
            && cheap(&self.names, &other.names)
            && cheap(&self.urls, &other.urls)
            && self.covers(other)
    }

    /// The rule as single grants.
    fn split(&self, out: &mut Vec<Self>) -> Result<(), TooManyGrants> {
        let names = self.names.len().max(1);
        let count = [self.groups.len(), self.resources.len(), self.verbs.len(), names];
        let products = count.iter().try_fold(1_usize, |all, len| all.checked_mul(*len));
        let urls = self.urls.len().checked_mul(self.verbs.len());
        let total = products.zip(urls).and_then(|(a, b)| a.checked_add(b)?.checked_add(out.len()));
        if total.is_none_or(|total| total > GRANTS_MAX) {
            return Err(TooManyGrants);
        }
        for group in &self.groups {
            for resource in &self.resources {
                for verb in &self.verbs {
                    let one = Self {
                        verbs: vec![verb.clone()],
                        groups: vec![group.clone()],
                        resources: vec![resource.clone()],
                        ..Self::default()
                    };
                    if self.names.is_empty() {
                        out.push(one);
                        continue;
                    }
                    let named = |name: &Text| Self { names: vec![name.clone()], ..one.clone() };
                    out.extend(self.names.iter().map(named));
                }
            }
        }
        for url in &self.urls {
            for verb in &self.verbs {
                let (verbs, urls) = (vec![verb.clone()], vec![url.clone()]);
                out.push(Self { verbs, urls, ..Self::default() });
            }
        }
        Ok(())
    }
}

/// The single grants of `wanted` that no rule of `held` covers.
pub fn missing(held: &[Rule], wanted: &[Rule]) -> Result<Vec<Rule>, TooManyGrants> {
    let mut budget = Budget(COMPARISONS_MAX);
    let mut grants = Vec::new();
    for rule in wanted {
        // Held by one rule as a whole, as most are: no need to take it apart.
        budget.spend(held.len())?;
        if !held.iter().any(|own| own.covers_quickly(rule)) {
            rule.split(&mut grants)?;
        }
    }
    let index = Index::new(held);
    let mut missing = Vec::new();
    for grant in grants {
        if !index.covers(&grant, &mut budget)? {
            missing.push(grant);
        }
    }
    Ok(missing)
}

/// Grants of the same resource put together, as text, sorted.
pub fn describe(grants: Vec<Rule>) -> Vec<String> {
    let mut simple: BTreeMap<(Text, Text, Option<Text>), Rule> = BTreeMap::new();
    let mut texts = Vec::new();
    for grant in grants {
        let is_simple = grant.urls.is_empty()
            && grant.names.len() <= 1
            && grant.groups.len() == 1
            && grant.resources.len() == 1;
        if !is_simple {
            texts.push(grant.to_string());
            continue;
        }
        let name = grant.names.first().cloned();
        let key = (grant.groups[0].clone(), grant.resources[0].clone(), name);
        match simple.get_mut(&key) {
            Some(known) => known.verbs.extend(grant.verbs),
            None => {
                simple.insert(key, grant);
            }
        }
    }
    texts.extend(simple.values().map(ToString::to_string));
    texts.sort();
    texts.dedup();
    texts
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        let mut first = true;
        for (name, list) in [
            ("APIGroups", &self.groups),
            ("Resources", &self.resources),
            ("NonResourceURLs", &self.urls),
            ("ResourceNames", &self.names),
            ("Verbs", &self.verbs),
        ] {
            if list.is_empty() {
                continue;
            }
            if !first {
                f.write_str(", ")?;
            }
            first = false;
            write!(f, "{name}:{}", quote_list(list))?;
        }
        f.write_str("}")
    }
}

/// A list of texts as Go quotes it.
pub fn quote_list(list: &[Text]) -> String {
    let quoted: Vec<String> = list.iter().map(|text| go_quote(text)).collect();
    format!("[{}]", quoted.join(" "))
}

fn has(own: &[Text], wanted: &str) -> bool {
    own.iter().any(|text| text == ALL || text == wanted)
}

/// Whether a resource in a rule stands for a resource, or for a part of it.
fn resource_covers(own: &str, resource: &str, part: &str) -> bool {
    if own == ALL {
        return true;
    }
    if part.is_empty() {
        return own == resource;
    }
    match own.split_once('/') {
        Some((own, own_part)) => (own == resource || own == ALL) && own_part == part,
        None => false,
    }
}

fn url_covers(own: &str, path: &str) -> bool {
    own == path || own == ALL || {
        own.ends_with('*') && path.starts_with(own.trim_end_matches('*'))
    }
}
