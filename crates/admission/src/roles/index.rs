//! Many rules arranged so that one grant is found among them without looking at each.

use std::collections::HashSet;

use super::rule::{Budget, Rule, TooManyGrants};

/// How many single grants rules are taken apart into. Rules beyond that are compared one by one.
const EXPANDED_MAX: usize = 500_000;

/// Verb, group, resource and name of a grant; a rule without names has the empty one.
type Grant<'a> = (&'a str, &'a str, &'a str, &'a str);

/// The rules someone holds.
pub(super) struct Index<'a> {
    grants: HashSet<Grant<'a>>,
    others: Vec<&'a Rule>,
}

impl<'a> Index<'a> {
    pub(super) fn new(held: &'a [Rule]) -> Self {
        let mut index = Self { grants: HashSet::new(), others: Vec::new() };
        for rule in held {
            let lens = [rule.verbs.len(), rule.groups.len(), rule.resources.len()];
            let count =
                lens.iter().fold(rule.names.len().max(1), |all, len| all.saturating_mul(*len));
            let room = EXPANDED_MAX.saturating_sub(index.grants.len());
            if !rule.urls.is_empty() || count > room {
                index.others.push(rule);
                continue;
            }
            index.expand(rule);
        }
        index
    }

    fn expand(&mut self, rule: &'a Rule) {
        for verb in &rule.verbs {
            for group in &rule.groups {
                for resource in &rule.resources {
                    if rule.names.is_empty() {
                        self.grants.insert((verb, group, resource, ""));
                    }
                    let names = rule.names.iter();
                    self.grants.extend(names.map(|name| {
                        (verb.as_str(), group.as_str(), resource.as_str(), name.as_str())
                    }));
                }
            }
        }
    }

    /// Whether a single grant is held.
    pub(super) fn covers(&self, grant: &Rule, budget: &mut Budget) -> Result<bool, TooManyGrants> {
        if let ([verb], [group], [resource]) =
            (grant.verbs.as_slice(), grant.groups.as_slice(), grant.resources.as_slice())
        {
            let name = grant.names.first().map_or("", |name| name.as_str());
            if self.has(verb, group, resource, name) {
                return Ok(true);
            }
        }
        budget.spend(self.others.len())?;
        Ok(self.others.iter().any(|rule| rule.covers(grant)))
    }

    fn has(&self, verb: &str, group: &str, resource: &str, name: &str) -> bool {
        let part = resource.split_once('/').map(|(_, part)| format!("*/{part}"));
        let resources = [Some("*"), Some(resource), part.as_deref()];
        // A rule without names is for all of them.
        let names = if name.is_empty() { &[""][..] } else { &["", name][..] };
        ["*", verb].iter().any(|verb| {
            ["*", group].iter().any(|group| {
                resources.iter().flatten().any(|resource| {
                    names
                        .iter()
                        .any(|name| self.grants.contains(&(*verb, *group, *resource, *name)))
                })
            })
        })
    }
}
