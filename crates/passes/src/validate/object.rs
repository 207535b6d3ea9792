//! `minProperties`, `maxProperties`, the values of properties and further keys, `required`.

use ordain_value::field::Kind;
use ordain_value::{Map, Value};

use super::checks::ObjectChecks;
use super::list::too_many;
use super::place::Place;
use super::sound::Stop;
use super::{Checks, Mode, Walk};
use crate::plan::{Additional, PlanNode};
use crate::ratchet;

impl Walk<'_> {
    /// Returns the matches of the values.
    pub(super) fn check_object<M: Mode>(
        &mut self,
        node: &PlanNode,
        checks: Option<&Checks>,
        map: &Map,
        old: Option<&Value>,
        place: &Place<'_>,
        depth: usize,
    ) -> u64 {
        let checks = checks.and_then(|it| it.object.as_deref());
        let entries = map.entries();
        if let Some(checks) = checks.filter(|it| !it.len.pass(entries.len())) {
            self.check_size(checks, map, place);
        }
        let mut count = 0;
        let next = if M::SKIP { self.trail.next() } else { None };
        let Stop { at: first, mut required, swept } = next.unwrap_or_default();
        let mut sweep = node.properties.sweep_from(swept);
        // What the verdict without words stopped at was looked at already.
        let mut judged = next.is_some();
        for (key, value) in entries.get(first..).unwrap_or_default() {
            let judged = std::mem::take(&mut judged);
            if let Some(property) = sweep.find(key) {
                required += usize::from(property.required);
                if M::SKIP
                    && !judged
                    && (property.glance.passes(value)
                        || self.is_sound(property.node, value, depth + 1))
                {
                    continue;
                }
                let old = match old {
                    // Types at the root are not visible to a client, so they are never forgiven.
                    Some(old) if M::RATCHET && !(depth == 0 && is_type(key)) => {
                        ratchet::old_value(old, key)
                    }
                    _ => None,
                };
                count +=
                    self.visit::<M>(property.node, value, old, &place.property(key), depth + 1);
            } else if let Additional::Node(id) = node.additional {
                if M::SKIP && !judged && self.is_sound(id, value, depth + 1) {
                    continue;
                }
                let old = old.and_then(|old| ratchet::old_value(old, key));
                count += self.visit::<M>(id, value, old, &place.additional(key), depth + 1);
            } else if node.additional == Additional::Forbidden {
                self.fail(place, |name| {
                    let detail = format!("{name}.{key} in body is a forbidden property");
                    (Kind::Invalid, key.into(), detail)
                });
            }
        }
        if let Some(checks) = checks
            && checks.required_declared != Some(required)
            && self.spends(checks.required.len())
        {
            self.check_required(checks, map, place);
        }
        count
    }

    fn check_size(&mut self, checks: &ObjectChecks, map: &Map, place: &Place<'_>) {
        let len = i64::try_from(map.len()).unwrap_or(i64::MAX);
        if let Some(min) = checks.min_properties.filter(|min| len < *min) {
            self.fail_limit(place, || len.into(), &["should have at least ", " properties"], min);
        }
        if let Some(max) = checks.max_properties.filter(|max| len > *max) {
            self.fail(place, |_| (Kind::TooMany, len.into(), too_many(max)));
        }
    }

    fn check_required(&mut self, checks: &ObjectChecks, map: &Map, place: &Place<'_>) {
        for name in &checks.required {
            if !map.contains_key(name) {
                let place = place.additional(name);
                self.fail(&place, |_| (Kind::Required, "".into(), String::new()));
            }
        }
    }
}

fn is_type(key: &str) -> bool {
    matches!(key, "apiVersion" | "kind")
}
